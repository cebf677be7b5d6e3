"""Rescoring: a saved run decided again with other thresholds or weights."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from summeval_pytest.errors import JudgeError, OptionError
from summeval_pytest.metrics.facet import WEIGHTS as OWN_WEIGHTS
from summeval_pytest.metrics.facet import facet_aware_metric, key_coverage
from summeval_pytest.metrics.score import CONFLICTS, OPTIONAL, FacetScore, lacks
from summeval_pytest.metrics.signature import Signature, read_signature, weights_text
from summeval_pytest.questions import FACETS
from summeval_pytest.run.golden import GoldenAnswer
from summeval_pytest.verdict.corrected import corrected_means
from summeval_pytest.verdict.decide import PairVerdict, decide, decide_means
from summeval_pytest.verdict.thresholds import (
    ENTAILED,
    NOT_SAID,
    REMEDIES,
    Thresholds,
    Waivers,
    all_uses,
    replace_thresholds,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from summeval_pytest.metrics.score import Score, Unscored
    from summeval_pytest.questions import Facet
    from summeval_pytest.record.record import (
        Outcome,
        PairRecord,
        RunRecord,
        SuiteRecord,
        SystemRecord,
    )
    from summeval_pytest.run.golden import GoldenPair
    from summeval_pytest.run.pair_numbers import Numbers
    from summeval_pytest.verdict.corrected import CorrectedMean
    from summeval_pytest.verdict.thresholds import Threshold


WEIGHTS: Final = "--weights"
MIN: Final = "--min"


def read_weights(text: str) -> Mapping[Facet, float]:
    """The weights of the four facets, scaled to add up to 1.

    Raises:
        OptionError: where a facet is missing or unknown, or its weight is not above 0.
    """
    wanted = f"write {WEIGHTS} " + ",".join(f"{facet}=1" for facet in FACETS)
    found: dict[Facet, float] = {}
    for part in text.split(","):
        name, _, value = part.partition("=")
        facet = next((facet for facet in FACETS if facet == name.strip()), None)
        try:
            weight = float(value)
        except ValueError:
            weight = 0.0
        if facet is None or facet in found or not 0.0 < weight < float("inf"):
            raise OptionError(f"{WEIGHTS}={text!r}: {part!r} is no weight; {wanted}")
        found[facet] = weight
    if len(found) < len(FACETS):
        raise OptionError(f"{WEIGHTS}={text!r} does not weigh all four facets; {wanted}")
    try:
        total = math.fsum(found.values())
    except OverflowError:
        total = math.inf
    scaled = {facet: weight / total for facet, weight in found.items()}
    if not all(scaled.values()):
        raise OptionError(f"{WEIGHTS}={text!r} leaves some facets without any weight; {wanted}")
    return scaled


def rescore(
    record: RunRecord,
    *,
    options: Sequence[str] = (),
    weights: Mapping[Facet, float] | None = None,
    today: str = "",
) -> RunRecord:
    """The run as it would have been decided with other thresholds (``METRIC=VALUE``) or weights.

    Pairs that the judge left unscored stay errors, and systems of which not every paper was judged
    have no means. ``today`` is the day on which waivers are held to their expiry.

    Raises:
        OptionError: for a threshold that cannot be, or on a metric that the run did not measure.
    """
    suites = (_suite(suite, options, weights, today) for suite in record.suites)
    return replace(record, suites=tuple(suites))


def _suite(
    suite: SuiteRecord,
    options: Sequence[str],
    weights: Mapping[Facet, float] | None,
    today: str,
) -> SuiteRecord:
    thresholds = replace_thresholds(suite.thresholds, options, MIN)
    _check_measured(suite, thresholds)
    _check_said(suite, thresholds)
    if weights is not None:
        _check_one_reference(suite)
    waivers = Waivers(waivers=tuple(use.waiver for use in suite.waivers), today=today)
    pairs = tuple(
        _pair(pair if weights is None else _weighted(pair, weights), thresholds.pair, waivers)
        for pair in suite.pairs
    )
    rescored = replace(suite, thresholds=thresholds, pairs=pairs)
    systems = tuple(_system(system, rescored, waivers, weights) for system in suite.systems)
    return replace(
        rescored,
        systems=systems,
        waivers=all_uses(
            waivers.waivers,
            *(pair.verdict.waivers for pair in pairs),
            *(system.waivers for system in systems),
        ),
    )


def _check_measured(suite: SuiteRecord, thresholds: Thresholds) -> None:
    measured = {score.metric for pair in suite.pairs for score in pair.scores}
    missing: list[str] = [m for m in thresholds.metrics if measured and m not in measured]
    names = {name for pair in suite.pairs for name in pair.numbers().values}
    for name, whole in ((ENTAILED, "eva"), (CONFLICTS, "faithfulness")):
        if thresholds.holds(name) and whole in names and name not in names:
            missing.append(name)
    if missing:
        raise OptionError(
            f"{MIN}: the run of {suite.shown} did not measure {', '.join(missing)};"
            " run it with that threshold, answers that are stored cost nothing"
        )


def _check_said(suite: SuiteRecord, thresholds: Thresholds) -> None:
    for name in filter(thresholds.holds, OPTIONAL):
        lacking = [pair for pair in suite.pairs if lacks(pair.numbers().values, name)]
        if lacking:
            raise OptionError(
                f"{MIN}: the run of {suite.shown} lacks {name} for {len(lacking)} of"
                f" {len(suite.pairs)} pairs, first {lacking[0].system!r} on {lacking[0].paper!r}:"
                f" its judge did not {NOT_SAID[name]}; run it again: {REMEDIES[name]}"
            )


def _check_one_reference(suite: SuiteRecord) -> None:
    several = [paper.id for paper in suite.papers if len(paper.references) > 1]
    if several:
        raise OptionError(
            f"{WEIGHTS}: paper {several[0]!r} of {suite.shown} has several references, and what"
            " the run keeps of them was chosen by its own weights; leave the weights as they are"
        )


def _weighted(pair: PairRecord, weights: Mapping[Facet, float]) -> PairRecord:
    """The pair with FM of other weights, and the recipe that says so."""

    def weighted(score: Score | Unscored) -> Score | Unscored:
        if not isinstance(score, FacetScore) or score.identical:
            return score
        value = facet_aware_metric({r.facet: r.rating for r in score.ratings}, weights)
        covered = key_coverage(score.ratings, weights)
        return score if value is None else replace(score, value=value, key_coverage=covered)

    def signed(text: str) -> str:
        signature = read_signature(text)
        if signature.metric != "facet":
            return text
        recipe = dict(signature.recipe) | {"weights": weights_text(weights)}
        return str(Signature(signature.metric, tuple(sorted(recipe.items()))))

    return replace(
        pair,
        scores=tuple(map(weighted, pair.scores)),
        signatures=tuple(map(signed, pair.signatures)),
        change=None,
    )


def _pair(pair: PairRecord, thresholds: Sequence[Threshold], waivers: Waivers) -> PairRecord:
    try:
        verdict = decide(pair.numbers(), thresholds, waivers)
    except JudgeError as error:
        fault = pair.fault or str(error)
        return replace(pair, outcome="error", fault=fault, verdict=PairVerdict(shortfalls=()))
    outcome: Outcome = "passed" if verdict.passes else "failed"
    return replace(pair, outcome=outcome, fault="", verdict=verdict)


def _corrected(
    system: SystemRecord,
    suite: SuiteRecord,
    papers: Sequence[Numbers],
    weights: Mapping[Facet, float] | None,
) -> tuple[CorrectedMean, ...]:
    """The system's corrected means, by golden answers as the run has them, or as it left them.

    A run without its judge's test keeps no golden answers; then its corrected means stay, held to
    the thresholds of now.
    """
    floors = suite.thresholds.corrected
    if not suite.golden and weights is None:
        return tuple(
            replace(mean, floors=tuple(f for f in floors if f.name == mean.name))
            for mean in system.corrected
        )
    golden = suite.golden
    if weights is not None and weights_text(weights) != weights_text(OWN_WEIGHTS):
        golden = tuple(_reweighed(pair, weights) for pair in golden)
    return corrected_means(papers, golden, floors)


def _reweighed(pair: GoldenPair, weights: Mapping[Facet, float]) -> GoldenPair:
    """A golden pair whose overall scores, labelled and given, are FM of other weights.

    Where not all facets that the judge rates are labelled, there is none.
    """
    labels: dict[Facet, float] = {}
    given: dict[Facet, float] = {}
    rated = {facet for facet, _ in pair.rated}
    for facet in FACETS:
        for of_label, of_judge in pair.answered(facet):
            labels[facet], given[facet] = of_label, of_judge
    label, answer = facet_aware_metric(labels, weights), facet_aware_metric(given, weights)
    kept = [each for each in pair.answers if each.kind != "overall"]
    if label is not None and rated <= labels.keys():
        kept.append(GoldenAnswer(kind="overall", label=label, answer=answer))
    return replace(pair, answers=tuple(kept))


def _system(
    system: SystemRecord,
    suite: SuiteRecord,
    waivers: Waivers,
    weights: Mapping[Facet, float] | None,
) -> SystemRecord:
    comparison = system.comparison if weights is None else None
    passes = comparison is None or comparison.passes
    left = replace(system, means=(), corrected=(), comparison=comparison)
    papers = [pair.numbers() for pair in suite.pairs_of(system.name)]
    thresholds = suite.thresholds
    has_item = bool(thresholds.mean or thresholds.corrected) or comparison is not None
    if not has_item or len(papers) < len(system.papers):
        return replace(left, outcome="not judged" if passes else "failed", waivers=())
    try:
        corrected = _corrected(system, suite, papers, weights)
        verdict = decide_means(system.name, papers, thresholds.mean, waivers, corrected)
        if comparison is not None:
            comparison.check_decided()
    except JudgeError as error:
        return replace(left, outcome="error", fault=str(error))
    return replace(
        left,
        outcome="passed" if verdict.passes and passes else "failed",
        fault="",
        means=verdict.means,
        waivers=verdict.waivers,
        corrected=verdict.corrected,
    )

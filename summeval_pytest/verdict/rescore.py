"""A recorded run decided with other thresholds, or with FM of other weights."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from summeval_pytest.errors import OptionError
from summeval_pytest.metrics.catalogue import Score
from summeval_pytest.metrics.facet import WEIGHTS as OWN_WEIGHTS
from summeval_pytest.metrics.facet import FacetScore, facet_aware_metric, key_coverage
from summeval_pytest.metrics.number import Unscored
from summeval_pytest.metrics.signature import Signature, read_signature, weights_text
from summeval_pytest.questions import FACETS, Facet
from summeval_pytest.run.golden import GoldenAnswer, GoldenPair
from summeval_pytest.verdict.decide import decide
from summeval_pytest.verdict.policy import Policy
from summeval_pytest.verdict.run import PairResult, RunRecord, RunVerdict, SuiteRecord
from summeval_pytest.verdict.thresholds import replace_thresholds

WEIGHTS: Final = "--weights"
MIN: Final = "--min"


def read_weights(text: str) -> Mapping[Facet, float]:
    """The weights of the four facets, scaled to add up to 1.

    Raises:
        OptionError: where a facet is missing or unknown, or its weight is not above 0.
    """
    parts = [part.partition("=") for part in text.split(",")]
    try:
        given = {name.strip(): float(value) for name, _, value in parts}
        total = math.fsum(given.values())
        scaled = {facet: given.get(facet, 0.0) / total for facet in FACETS}
    except (ValueError, OverflowError, ZeroDivisionError):
        given, scaled = {}, dict.fromkeys(FACETS, 0.0)
    is_given = len(parts) == len(FACETS) and all(0.0 < each < math.inf for each in given.values())
    if not is_given or not all(0.0 < each < 1.0 for each in scaled.values()):
        wanted = ",".join(f"{facet}=1" for facet in FACETS)
        raise OptionError(
            f"{WEIGHTS}={text!r} does not weigh each of the four facets by a number above 0; write"
            f" {WEIGHTS} {wanted}"
        )
    return scaled


def rescore(
    record: RunRecord,
    *,
    options: Sequence[str] = (),
    weights: Mapping[Facet, float] | None = None,
    today: str = "",
) -> RunVerdict:
    """The run as it is decided with other thresholds (``METRIC=VALUE``) or weights.

    ``today`` is the day on which waivers are checked.

    Raises:
        OptionError: for a threshold that cannot be, or on a number that the run did not measure.
    """
    if weights is not None:
        suites = tuple(_with_weights(suite, weights) for suite in record.suites)
        record = replace(record, suites=suites)

    of_any = {named.name: named for suite in record.suites for named in suite.own_numbers}

    def changed(suite: SuiteRecord) -> Policy:
        known = of_any | {named.name: named for named in suite.own_numbers}
        custom, policy = tuple(known.values()), suite.policy
        thresholds = replace_thresholds(policy.thresholds, options, MIN, custom=custom)
        return replace(policy, thresholds=thresholds, waivers=replace(policy.waivers, today=today))

    return decide(record, {suite.shown: changed(suite) for suite in record.suites})


def _with_weights(suite: SuiteRecord, weights: Mapping[Facet, float]) -> SuiteRecord:
    """The suite with FM of other weights; what it was compared with had the old ones."""
    if several := [paper.id for paper in suite.papers if len(paper.references) > 1]:
        raise OptionError(
            f"{WEIGHTS}: paper {several[0]!r} of {suite.shown} has several references, and what"
            " the run keeps of them was chosen by its own weights; leave the weights as they are"
        )
    golden = suite.golden
    if weights_text(weights) != weights_text(OWN_WEIGHTS):
        golden = tuple(_reweighed(pair, weights) for pair in golden)
    systems = tuple(replace(system, comparison=None) for system in suite.systems)
    changed = suite.with_pairs(partial(_weighted, weights=weights))
    return replace(changed, golden=golden, systems=systems)


def _weighted(pair: PairResult, weights: Mapping[Facet, float]) -> PairResult:
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

"""The one decision: only this module says passed, failed or error, unless a test has no result.

Live tests use `decide_pair`, `decide_system` and `decide_judge`. All that reads a run record uses
`decide`: ``--summ-from``, ``merge``, ``rescore``, ``report`` and batch runs. The outcomes in a
record are never read. A record that cannot be decided is refused:

- a record that was measured with other inputs than today's is refused by name (`Inputs`);
- a number that a threshold needs and the record does not have is refused, or is an error;
- floors go by the judge that made the record, not by today's judge.

`rescore` decides a record again with other thresholds or weights.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
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
from summeval_pytest.run.pair_numbers import Numbers
from summeval_pytest.suite.values import ASKED
from summeval_pytest.verdict.changes import pair_change
from summeval_pytest.verdict.comparison import Against, Baseline, compare
from summeval_pytest.verdict.means import SystemVerdict, slice_verdicts, system_verdict
from summeval_pytest.verdict.pair import judge_faults, pair_verdict, why_missing
from summeval_pytest.verdict.policy import Policy, floors_of
from summeval_pytest.verdict.run import (
    Covered,
    JudgeName,
    Outline,
    PairResult,
    Pairs,
    RunRecord,
    RunVerdict,
    SuiteRecord,
    SystemResult,
)
from summeval_pytest.verdict.thresholds import all_uses, replace_thresholds
from summeval_pytest.verdict.trust import Trust, measure_trust

_N_NAMED = 3
GoldenAnswers = tuple[tuple["GoldenPair", ...], str]
"""The judge's answers to the golden labels, and the judge's fault if there are none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Inputs:
    """What one suite's numbers have to be measured with today.

    ``suite`` is the suite before anything is judged. ``recipes`` are those of each metric that a
    threshold needs.
    """

    judge: JudgeName
    suite: SuiteRecord
    recipes: tuple[Signature, ...]

    def raise_unless_fits(self, record: RunRecord, suite: SuiteRecord) -> None:
        """Raise an OptionError for a record with other inputs, without its end or without a pair.

        Nobody knows whether a record without its end was edited.
        """
        if faults := [*self._differences(record, suite), *self._other_recipes(record, suite)]:
            raise OptionError(
                f"the record is not of {suite.shown} as it is now: {'; '.join(faults)}; judge it"
                " again"
            )
        if suite.is_cut:
            raise OptionError(
                f"the run of {suite.shown} was cut before it closed its record; judge it again"
            )
        there = {(each.system, each.paper) for each in suite.outlines}
        pairs = self.suite.expected
        if missing := [pair for pair in pairs if pair not in there]:
            named = ", ".join(f"{system} on {paper}" for system, paper in missing[:_N_NAMED])
            raise OptionError(
                f"{len(missing):,} of {len(pairs):,} pairs of {suite.shown} are in no record,"
                f" first {named}; name the records that have them"
            )

    def _differences(self, record: RunRecord, suite: SuiteRecord) -> Iterator[str]:
        """Each input that differs: the recorded one, then today's."""
        if record.judge.signature != self.judge.signature:
            yield f"the judge was {record.judge.signature!r} and is {self.judge.signature!r} now"
        today = self.suite
        if suite.fingerprint != today.fingerprint:
            yield f"the papers were {suite.fingerprint} and are {today.fingerprint} now"
        if suite.labels != today.labels:
            yield f"the labels were {suite.labels or 'none'} and are {today.labels or 'none'} now"
        summaries = {system.name: system.summaries for system in today.systems}
        for system in suite.systems:
            then, now = system.summaries, summaries.get(system.name, "")
            if not then:
                yield f"it does not say how the summaries of system {system.name!r} were made"
            elif then != now and then.startswith(ASKED) and now.startswith(ASKED):
                yield f"system {system.name!r} has another model, endpoint, prompt or sampling now"
            elif then != now:
                yield f"the summaries of system {system.name!r} are not those that were judged"

    def _other_recipes(self, record: RunRecord, suite: SuiteRecord) -> Iterator[str]:
        """Each key in which a recipe differs; `_differences` names another judge or suite."""
        named = {
            *(["judge"] if record.judge.signature != self.judge.signature else []),
            *(["suite"] if suite.fingerprint != self.suite.fingerprint else []),
        }
        for wanted in self.recipes:
            metric = wanted.metric
            for stored in suite.signatures():
                for key in wanted.differing(stored) if stored.metric == metric else ():
                    then, now = (dict(each.recipe).get(key, "unset") for each in (stored, wanted))
                    if key not in named:
                        now_it_is = f"and {key} is {now!r} now"
                        yield f"{metric} was measured with {key} = {then!r}, {now_it_is}"


def decide(
    record: RunRecord,
    policies: Mapping[str, Policy] | None = None,
    *,
    inputs: Mapping[str, Inputs] | None = None,
    baselines: Mapping[tuple[str, str], Baseline] | None = None,
) -> RunVerdict:
    """Decide a run.

    Args:
        record: What was measured.
        policies: What is required, by suite as the user named it; None for what ``inputs`` require,
            else for what was required when the record was made.
        inputs: What each suite has to be measured with; None for whatever the record says.
        baselines: What a system is compared with, by suite and system; a system that is not named
            keeps the comparison that the record has.

    Raises:
        OptionError: for a record that was measured with something else, that does not have every
            pair of a suite as it is now, or without a number that a changed policy needs.
    """
    suites = []
    for suite in record.suites:
        now = None if inputs is None else inputs[suite.shown]
        policy = now.suite.policy if now is not None else suite.policy
        if policies is not None:
            policy = policies[suite.shown]
        if policy is not suite.policy:
            raise_unless_measured(suite, policy)
        if now is not None:
            now.raise_unless_fits(record, suite)
        own = {
            system: baseline
            for (shown, system), baseline in (baselines or {}).items()
            if shown == suite.shown
        }
        suites.append(_decide_suite(suite, record.judge, policy, own))
    return RunVerdict(
        header=record.header, judge=record.judge, shard=record.shard, suites=tuple(suites)
    )


def _decide_suite(
    suite: SuiteRecord, judge: JudgeName, policy: Policy, baselines: Mapping[str, Baseline]
) -> SuiteRecord:
    numbers: dict[str, list[Numbers]] = {system.name: [] for system in suite.systems}
    outlines: list[Outline] = []

    # Each pair is read and decided whenever it is used, so that few are in memory at once.
    def decided(read: Callable[[], PairResult]) -> PairResult:
        pair = read()
        return decide_pair(pair, policy, baselines.get(pair.system))

    for each in suite.outlines:
        read = partial(decided, each.read)
        pair = read()
        outlines.append(pair.outline(read))
        numbers[pair.system].append(pair.numbers())
    golden = suite.golden, suite.golden_fault
    against = {name: Against.of(each, suite, name) for name, each in baselines.items()}
    systems = tuple(
        decide_system(
            system, numbers[system.name], policy, golden=golden, against=against.get(system.name)
        )
        for system in suite.systems
    )
    uses = (*(each.waivers for each in outlines), *(each.verdict.waivers for each in systems))
    return replace(
        suite,
        pairs=Pairs(outlines),
        policy=policy,
        systems=systems,
        trust=decide_judge(golden, suite.labels, judge, policy),
        waivers=all_uses(policy.waivers.waivers, *uses),
    )


def decide_judge(
    golden: GoldenAnswers, labels: str, judge: JudgeName, policy: Policy
) -> Trust | None:
    """Measure a judge by its golden answers; None where there are none.

    ``labels`` is the fingerprint of the labels. Floors go by the name of ``judge``.
    """
    answers, fault = golden
    if fault:
        return Trust(judge=judge.signature, labels=labels, fault=fault)
    if not answers:
        return None
    table = floors_of(policy.floors, judge.name)
    return measure_trust(answers, table, judge=judge.signature, labels=labels)


def decide_pair(pair: PairResult, policy: Policy, baseline: Baseline | None = None) -> PairResult:
    """Decide one pair, and say what changed against a baseline, where there is one."""
    thresholds = policy.thresholds_of(pair.paper)
    verdict = pair_verdict(pair.numbers(), thresholds, policy.waivers, pair.fault)
    change = pair.change
    if baseline is not None and pair.signatures and pair.paper in baseline.pairs:
        change = pair_change(baseline.pairs[pair.paper](), pair, baseline=str(baseline))
    return replace(pair, verdict=verdict, outcome=verdict.outcome, change=change)


def decide_system(
    system: SystemResult,
    papers: Sequence[Numbers],
    policy: Policy,
    *,
    golden: GoldenAnswers = ((), ""),
    against: Against | None = None,
) -> SystemResult:
    """Decide the means of one system, and its comparison, where there is one.

    Failed comes before error, and error before passed, as for pairs. A system of which not every
    paper was judged has no means: it is "not judged", unless its comparison or its test failed.
    ``papers`` are the numbers of its pairs. The judge's ``golden`` answers correct means.
    """
    thresholds = policy.thresholds
    comparison, faults = system.comparison, []
    is_whole = len(papers) == len(system.papers)
    if against is not None and is_whole:
        faults = [f"{n.paper}: {each}" for n in papers for each in judge_faults(n)][:1]
        comparison = None
        if not faults:
            comparison = compare(papers, against, policy)
    has_item = policy.decides_systems or comparison or against
    if not has_item or not is_whole:
        fails = comparison is not None and comparison.fails
        outcome: Covered = "failed" if fails else "error" if system.fault else "not judged"
        return replace(system, outcome=outcome, verdict=SystemVerdict(), comparison=comparison)
    verdict = system_verdict(papers, thresholds, policy.waivers, *golden)
    slices = tuple(slice_verdicts(papers, policy.slices))
    faults += [*verdict.undecided, *(phrase for each in slices for phrase in each.undecided)]
    fails = verdict.fails or any(each.missed for each in slices)
    if comparison is not None:
        fails = fails or comparison.fails
        start = f"against {comparison.baseline} ({comparison.system}), undecided: "
        faults += [start + phrase for _, phrase in comparison.undecided]
    fault = "; ".join(faults)
    return replace(
        system,
        outcome="failed" if fails else "error" if fault else "passed",
        fault=f"system {system.name!r} is undecided: {fault}" if fault else "",
        verdict=verdict,
        slices=slices,
        comparison=comparison,
    )


def raise_unless_measured(suite: SuiteRecord, policy: Policy) -> None:
    """Refuse a policy on a number that the record does not have.

    Raises:
        OptionError: for the first such number, with the first pair.
    """
    scopes = (*policy.thresholds.by_scope.values(), *(each.thresholds for each in policy.slices))
    names = dict.fromkeys(each.name for scope in scopes for each in scope)
    missing: dict[str, list[PairResult]] = {}
    for pair in suite.pairs:
        numbers = pair.numbers()
        for name in () if pair.fault else names:
            if numbers.is_missing(name):
                missing.setdefault(name, []).append(pair)
    for name, pairs in missing.items():
        raise OptionError(
            f"the record of {suite.shown} has no {name} on {len(pairs):,} of"
            f" {len(suite.pairs):,} pairs, first {pairs[0].system!r} on {pairs[0].paper!r}:"
            f" {why_missing(name)}"
        )


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

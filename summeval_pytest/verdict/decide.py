"""The one decision: each outcome of a pair, a system and the judge is set by a function here.

| a number                                    | of a pair | mean, slice  | compared    |
|---------------------------------------------|-----------|--------------|-------------|
| misses a threshold, or breaks a rule        | failed    | failed       | failed      |
| does, and has a waiver for that             | passed    | passed       | -           |
| does, with unanswered items taken as wrong  | error     | error        | error       |
| meets it with unanswered items so taken     | passed    | passed       | passed      |
| has unanswered items in the baseline        | -         | -            | error       |
| has no score, by the system's fault         | failed    | worst value  | worst value |
| has no score, by the judge's fault          | error     | worst value* | error**     |
| is not given by this judge                  | error     | error        | failed      |
| has a waiver: expired, exceeded, not needed | failed    | failed       | -           |

*: then a miss is an error. Failed comes before error, and error before passed. If a number is
an error, its waiver is not used. A mean over too few papers fails. It is an error if the judge left
them without a score.
**: a run then decides no comparison at all; `summeval compare` takes the worst value*.

A system with a pair that broke down never passes, as the test of that pair may be left out.

Live tests use `decide_pair`, `decide_system` and `decide_judge`. All that reads a run record uses
`decide`: ``--summ-from``, ``merge``, ``thresholds``, ``report`` and batch runs. The outcomes in a
record are never read. A record that cannot be decided is refused:

- a record that was measured with other inputs than today's is refused by name (`Inputs`);
- a number that a threshold needs and the record does not have is refused, or is an error;
- floors go by the judge that made the record, not by today's judge.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from summeval_pytest.errors import OptionError
from summeval_pytest.metrics.signature import Signature
from summeval_pytest.run.golden import GoldenPair
from summeval_pytest.run.pair_numbers import Numbers
from summeval_pytest.suite.values import ASKED
from summeval_pytest.verdict.changes import pair_change
from summeval_pytest.verdict.comparison import Against, Baseline, compare
from summeval_pytest.verdict.differences import PairChange
from summeval_pytest.verdict.means import SystemVerdict, slice_verdicts, system_verdict
from summeval_pytest.verdict.pair import PairVerdict, judge_faults, pair_verdict, why_missing
from summeval_pytest.verdict.policy import Policy, floors_of
from summeval_pytest.verdict.run import (
    Covered,
    JudgeName,
    PairResult,
    PairRow,
    Pairs,
    RunRecord,
    RunVerdict,
    SuiteRecord,
    SystemResult,
)
from summeval_pytest.verdict.thresholds import all_uses
from summeval_pytest.verdict.trust import JudgeAgreement, measure_trust

_N_NAMED = 3
GoldenAnswers = tuple[tuple[GoldenPair, ...], str]
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
        there = {(row.system, row.paper) for row in suite.rows}
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
        header=record.header,
        judge=record.judge,
        shard=record.shard,
        partial=record.partial,
        suites=tuple(suites),
    )


def _decide_suite(
    suite: SuiteRecord, judge: JudgeName, policy: Policy, baselines: Mapping[str, Baseline]
) -> SuiteRecord:
    numbers: dict[str, list[Numbers]] = {system.name: [] for system in suite.systems}
    rows: list[PairRow] = []
    for each in suite.rows:
        pair = decide_pair(each.read(), policy, baselines.get(each.system))
        row = pair.row(partial(_decided, each.read, pair.verdict, pair.change))
        rows.append(row)
        numbers[row.system].append(row.numbers)
    golden = suite.golden, suite.golden_fault
    against = {name: Against.of(each, suite, name) for name, each in baselines.items()}
    systems = tuple(
        decide_system(system, numbers[system.name], policy, against=against.get(system.name))
        for system in suite.systems
    )
    uses = (*(row.waivers for row in rows), *(each.verdict.waivers for each in systems))
    return replace(
        suite,
        pairs=Pairs(rows),
        policy=policy,
        systems=systems,
        trust=decide_judge(golden, suite.labels, judge, policy),
        waivers=all_uses(policy.waivers.waivers, *uses),
    )


def _decided(
    read: Callable[[], PairResult], verdict: PairVerdict, change: PairChange | None
) -> PairResult:
    """A pair that is read once more, as it was decided: its texts are too large to keep."""
    return replace(read(), verdict=verdict, outcome=verdict.outcome, change=change)


def decide_judge(
    golden: GoldenAnswers, labels: str, judge: JudgeName, policy: Policy
) -> JudgeAgreement | None:
    """Measure a judge by its golden answers; None where there are none.

    ``labels`` is the fingerprint of the labels. Floors go by the name of ``judge``.
    """
    answers, fault = golden
    if fault:
        return JudgeAgreement(judge=judge.signature, labels=labels, fault=fault)
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
        change = pair_change(baseline.pairs[pair.paper].read(), pair, baseline=str(baseline))
    return replace(pair, verdict=verdict, outcome=verdict.outcome, change=change)


def decide_system(
    system: SystemResult,
    papers: Sequence[Numbers],
    policy: Policy,
    *,
    against: Against | None = None,
) -> SystemResult:
    """Decide the means of one system, and its comparison, where there is one.

    Failed comes before error, and error before passed, as for pairs. A system is "not judged" if it
    has no test of means or comparison, or if not every paper was judged; then it still is "failed"
    by a comparison that was made before, and an error if its test has a fault. ``papers`` are the
    numbers of its pairs.
    """
    thresholds = policy.thresholds
    comparison, faults = system.comparison, []
    is_whole = len(papers) == len(system.papers)
    if against is not None and is_whole:
        faults = [f"{n.paper}: {each}" for n in papers for each in judge_faults(n)][:1]
        comparison = None
        if not faults:
            comparison = compare(papers, against, policy)
    has_test = policy.decides_systems or comparison or against
    if not has_test or not is_whole:
        fails = comparison is not None and comparison.fails
        outcome: Covered = "failed" if fails else "error" if system.fault else "not judged"
        return replace(system, outcome=outcome, verdict=SystemVerdict(), comparison=comparison)
    verdict = system_verdict(papers, thresholds, policy.waivers)
    slices = tuple(slice_verdicts(papers, policy.slices))
    faults += [*verdict.undecided, *(phrase for each in slices for phrase in each.undecided)]
    fails = verdict.fails or any(each.missed for each in slices)
    if comparison is not None:
        fails = fails or comparison.fails
        start = f"{comparison.against}, undecided: "
        faults += [start + phrase for _, phrase in comparison.undecided]
    fault = "; ".join(faults) or next((each.fault for each in papers if each.fault), "")
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

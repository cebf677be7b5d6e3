"""The values of one run: what was measured, with what, and what was decided.

Anybody may have edited the file of a `RunRecord`. A `RunVerdict` has passed `verdict.decide`, and
every report takes one.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from sys import intern
from typing import TYPE_CHECKING, Final, Literal

from summeval_pytest.endpoints.limits import ModelSeen
from summeval_pytest.errors import Place
from summeval_pytest.metrics.catalogue import Score, wrong_pieces
from summeval_pytest.metrics.number import (
    SPARSE,
    UNRECORDED,
    CustomNumbers,
    Finding,
    NumberSpec,
    Unscored,
    rank,
)
from summeval_pytest.metrics.signature import Signature, read_signature
from summeval_pytest.run.golden import GoldenPair
from summeval_pytest.run.pair_numbers import Numbers, numbers_of
from summeval_pytest.suite.suite import Suite
from summeval_pytest.verdict.differences import Comparison, PairChange
from summeval_pytest.verdict.means import SliceVerdict, SystemVerdict
from summeval_pytest.verdict.pair import PairVerdict, explaining, is_alarming
from summeval_pytest.verdict.policy import Policy, floors_of
from summeval_pytest.verdict.thresholds import WaiverUse
from summeval_pytest.verdict.trust import JudgeAgreement

SCHEMA: Final = 4
Outcome = Literal["passed", "failed", "error"]
Covered = Literal["passed", "failed", "error", "not judged"]
RunOutcome = Literal["untrusted", "passed", "failed", "error", "not judged"]
WORST_FIRST: Final[tuple[Outcome, ...]] = ("error", "failed", "passed")
_NO_PAIR: Final = PairVerdict()
_NO_MEANS: Final = SystemVerdict()


@dataclass(frozen=True, slots=True, kw_only=True)
class CassetteRecord:
    """A cassette that the run could read: its file, hash, and how many replies were used."""

    shown: str
    sha256: str
    n_used: int
    n_replies: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """Everything that may differ between a run and its replay.

    Attributes:
        created: From SOURCE_DATE_EPOCH; None if that is not set, so that two replays are equal to
            the byte.
        commit: The gated commit, as GitHub names it.
        record: The record mode.
        environment: Versions of Python and packages.
        usage: The counts of `Totals`; empty if no endpoint was asked.
        cassettes: The cassettes that the run could read.
        models: The models of the replies, also of stored ones.
    """

    created: str | None = None
    commit: str | None = None
    record: str = "new"
    environment: Mapping[str, str]
    usage: Mapping[str, float]
    cassettes: tuple[CassetteRecord, ...] = ()
    models: tuple[ModelSeen, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeName:
    """The judge of a run.

    Attributes:
        name: The name that floors use.
        signature: Everything that can change its answers.
    """

    name: str
    signature: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PaperRecord:
    """One paper, with the text that explains the verdicts.

    Attributes:
        digest: 12 hex digits over what can change a score.
        source: The sentences of the source.
    """

    id: str
    title: str
    place: Place
    references: tuple[str, ...]
    digest: str = field(default="", metadata=SPARSE)
    source: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PairRow:
    """What is kept in memory of a pair: everything but its texts. ``read`` reads the whole pair.

    Tables and lists are made of rows. A report reads a pair only where it shows its texts.

    Attributes:
        note: Anything unusual about how the summary was made.
        wrong: How much is wrong with it, by kind (`wrong_pieces`).
        badness: Its rank among the pairs of its outcome; the smallest is the worst.
        has_alarms: Whether it passes with findings that a reader has to see.
        loss: How much worse it is than the baseline (`PairChange.loss`); 0 without one.
    """

    outcome: Outcome
    numbers: Numbers
    note: str
    wrong: Mapping[str, int]
    badness: tuple[object, ...]
    has_alarms: bool
    loss: float
    signatures: tuple[str, ...]
    waivers: tuple[WaiverUse, ...]
    read: Callable[[], PairResult]

    @property
    def paper(self) -> str:
        """The id of its paper."""
        return self.numbers.paper

    @property
    def system(self) -> str:
        """The name of its system."""
        return self.numbers.system


@dataclass(frozen=True, slots=True, kw_only=True)
class PairResult:
    """One pair: what was measured, and the verdict.

    Each test makes one. A worker of pytest-xdist sends it, and the run record has it as a line.

    Attributes:
        outcome: A command that reads the record computes it again.
        fault: Why the judge left the whole pair unscored; empty if it did not.
        place: The line of the summary, or of the system if a model wrote it.
        note: Anything unusual about how the summary was made.
        scores: A score for each metric; `Unscored` if it has none.
        signatures: The signatures of the scores.
        findings: Everything that is wrong, the worst first, whatever the thresholds are.
        verdict: A command that reads the record computes it again.
        change: What changed against the baseline.
    """

    paper: str
    system: str
    outcome: Outcome = "error"
    fault: str = ""
    summary: str
    place: Place
    note: str = ""
    scores: tuple[Score | Unscored, ...]
    signatures: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()
    verdict: PairVerdict = _NO_PAIR
    change: PairChange | None = None
    custom: CustomNumbers = field(default=(), compare=False, repr=False, metadata=UNRECORDED)

    def numbers(self) -> Numbers:
        """Its numbers without their evidence."""
        numbers = numbers_of(self.paper, self.system, self.scores, self.custom)
        return replace(numbers, fault=self.fault) if self.fault else numbers

    @property
    def explanation(self) -> tuple[Finding, ...]:
        """The findings that explain why the pair fails, worst first; none where it does not."""
        return explaining(self.findings, self.verdict.missed)

    @property
    def alarms(self) -> tuple[Finding, ...]:
        """The findings of a passed pair that a reader has to see, the worst first.

        A fact against the reference is none where the source was asked about its sentence.
        """
        if self.outcome != "passed":
            return ()
        scored = {score.metric for score in self.scores if not isinstance(score, Unscored)}
        is_checked = "faithfulness" in scored
        told = (f for f in self.findings if not (is_checked and f.kind == "fact"))
        return tuple(filter(is_alarming, told))

    def row(self, read: Callable[[], PairResult]) -> PairRow:
        """What is kept of it in memory, with what reads it again."""
        return PairRow(
            outcome=self.outcome,
            numbers=self.numbers(),
            note=intern(self.note),
            wrong=wrong_pieces(self.scores),
            badness=self._badness,
            has_alarms=bool(self.alarms),
            loss=round(self.change.loss, 3) if self.change else 0.0,
            signatures=tuple(map(intern, self.signatures)),
            waivers=self.verdict.waivers,
            read=read,
        )

    @property
    def _badness(self) -> tuple[object, ...]:
        """A pair that the system left without a score is the worst.

        Then comes the one farthest from its thresholds, and of equals the one with the worst
        finding.
        """
        findings = self.alarms or self.explanation
        verdict, worst = self.verdict, [rank(finding) for finding in findings[:1]]
        gap = sum(short.gap for short in verdict.shortfalls)
        return not verdict.unscored, -gap, not worst, worst


@dataclass(frozen=True, slots=True)
class Pairs:
    """Pairs that are read on demand, each time anew, so that a long run fits into memory."""

    rows: Sequence[PairRow]

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[PairResult]:
        return (row.read() for row in self.rows)

    def __getitem__(self, place: int) -> PairResult:
        return self.rows[place].read()


if TYPE_CHECKING:
    PairList = tuple[PairResult, ...] | Pairs
else:  # as they are read from the JSON of a record
    PairList = tuple[PairResult, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemResult:
    """One gated system over its papers, in the order of the suite.

    Attributes:
        papers: The papers that it should be judged on.
        summaries: A digest of its recorded summaries, or of how its model is asked for them.
        outcome: The outcome of its test ``all-papers``. A command that reads the record computes
            outcome, verdict and slices again.
        verdict: Its means.
        slices: Its means over groups of papers.
        baseline: The saved run to compare with; empty without one.
        comparison: The comparison; None without one, or if the test did not run.
    """

    name: str
    place: Place
    papers: tuple[str, ...]
    summaries: str = ""
    outcome: Covered = "not judged"
    fault: str = ""
    verdict: SystemVerdict = _NO_MEANS
    slices: tuple[SliceVerdict, ...] = field(default=(), metadata=SPARSE)
    baseline: str = ""
    comparison: Comparison | None = None

    @property
    def is_compared(self) -> bool:
        """Whether it was compared, if the user asked for that."""
        return not self.baseline or self.comparison is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteRecord:
    """One suite of a run; systems, papers and pairs are in the suite's order.

    Attributes:
        shown: The suite file as the user named it.
        fingerprint: 12 hex digits over everything in the papers that can change a score.
        labels: 12 hex digits over the golden labels; empty without labels.
        policy: What the run required.
        golden: The judge's answers to the golden labels.
        golden_fault: Why there are no answers; empty if there are, or if they were not needed.
        trust: The judge's agreement with the labels; None if it was not measured.
        waivers: Every waiver and its state.
        is_cut: Whether the run ended before it closed its record.
        own_numbers: The numbers of custom metrics. A command needs no metric to read them.
        unmeasured: The thresholds and floors on numbers that the judge has no answers for.
    """

    name: str
    shown: str
    fingerprint: str
    labels: str = ""
    policy: Policy
    systems: tuple[SystemResult, ...]
    papers: tuple[PaperRecord, ...] = ()
    pairs: PairList = ()
    golden: tuple[GoldenPair, ...] = ()
    golden_fault: str = ""
    trust: JudgeAgreement | None = None
    waivers: tuple[WaiverUse, ...] = ()
    is_cut: bool = field(default=False, metadata=SPARSE)
    own_numbers: tuple[NumberSpec, ...] = field(default=(), metadata=SPARSE)
    unmeasured: tuple[str, ...] = field(default=(), metadata=SPARSE)

    @property
    def is_untrusted(self) -> bool:
        """Whether the judge misses a floor of agreement, so that no verdict counts."""
        return self.trust is not None and self.trust.is_untrusted

    @property
    def rows(self) -> Sequence[PairRow]:
        """Each pair without its texts."""
        if isinstance(self.pairs, Pairs):
            return self.pairs.rows
        return tuple(pair.row(partial(replace, pair)) for pair in self.pairs)

    def signatures(self, system: str = "") -> tuple[Signature, ...]:
        """The recipes of its pairs, or of one system's, each once and in the order of the pairs."""
        of = (row for row in self.rows if system in {"", row.system})
        texts = dict.fromkeys(text for row in of for text in row.signatures)
        return tuple(map(read_signature, texts))

    def pairs_of(self, system: str) -> Pairs:
        """The judged pairs of one system."""
        return Pairs([row for row in self.rows if row.system == system])

    def pairs_in(self, wanted: Collection[tuple[str, str]]) -> Pairs:
        """The judged pairs among these, named by system and paper; no other is read."""
        return Pairs([row for row in self.rows if (row.system, row.paper) in wanted])

    def with_pairs(self, change: Callable[[PairResult], PairResult]) -> SuiteRecord:
        """The suite with every pair changed whenever it is read, so that few are in memory."""

        def changed(read: Callable[[], PairResult]) -> PairResult:
            return change(read())

        reads = [partial(changed, row.read) for row in self.rows]
        return replace(self, pairs=Pairs([read().row(read) for read in reads]))

    @property
    def comparisons(self) -> Mapping[str, Comparison]:
        """By system, the comparisons that were made."""
        return {each.name: each.comparison for each in self.systems if each.comparison is not None}

    @property
    def expected(self) -> list[tuple[str, str]]:
        """The pairs that the suite has for its gated systems, by system and paper, in order."""
        return [(system.name, paper) for system in self.systems for paper in system.papers]

    def lacks_means(self, system: SystemResult) -> bool:
        """Whether the test of a system's means was left out, though the policy decides them."""
        return system.outcome == "not judged" and self.policy.decides_systems

    @property
    def missing(self) -> str:
        """How many pairs are missing, in a clause; empty where none is."""
        n_judged, n_expected = len(self.pairs), len(self.expected)
        judged = f"{n_judged:,} of {n_expected:,} pairs"
        if self.is_cut:
            return f"not complete: {judged}, the run was cut"
        return f"only {judged} are in this run" if n_judged < n_expected else ""

    @property
    def is_complete(self) -> bool:
        """Whether all of its pairs were judged and scored."""
        is_scored = all(row.outcome != "error" for row in self.rows)
        return is_scored and not self.is_cut and len(self.pairs) == len(self.expected)


def suite_alike(suites: Sequence[SuiteRecord], now: Suite | SuiteRecord) -> SuiteRecord | None:
    """The suite of the same name, of several the one at its path; None where there is none."""
    alike = [suite for suite in suites if suite.name == now.name]
    here = alike if len(alike) == 1 else [suite for suite in alike if suite.shown == now.shown]
    return next(iter(here), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class TestResult:
    """What one test sends to the controller: a pair with its paper, a system or the judge.

    ``paper`` is None where the pair broke down before the paper was read.
    """

    __test__ = False  # pytest takes its name for that of a class of tests

    suite: str
    pair: PairResult | None = field(default=None, metadata=SPARSE)
    paper: PaperRecord | None = field(default=None, metadata=SPARSE)
    system: SystemResult | None = field(default=None, metadata=SPARSE)
    trust: JudgeAgreement | None = field(default=None, metadata=SPARSE)
    golden: tuple[GoldenPair, ...] = field(default=(), metadata=SPARSE)
    golden_fault: str = field(default="", metadata=SPARSE)

    @property
    def outcome(self) -> Covered:
        """The outcome of what the test decided."""
        decided = self.pair or self.system or self.trust
        return "not judged" if decided is None else decided.outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRecord:
    """One run: its judge and its suites.

    Attributes:
        schema: The version of this layout.
        header: What may differ between a run and its replay.
        shard: Which shard it is, of how many; None for a whole run.
        partial: What was left out of the suites and is not decided, in a sentence; empty for a
            whole run. A workflow must not release on a partial run.
        suites: In the order of their files' names.
    """

    schema: Literal[4] = SCHEMA
    header: Header
    judge: JudgeName
    shard: tuple[int, int] | None = field(default=None, metadata=SPARSE)
    partial: str = field(default="", metadata=SPARSE)
    suites: tuple[SuiteRecord, ...]

    def untested(self, suite: SuiteRecord) -> Iterator[str]:
        """What the run did not decide about the pairs that it judged, a clause each.

        The tests of comparisons, means and the judge can be left out.
        """
        for system in suite.systems:
            if not system.is_compared:
                yield f"{system.name} was not compared with {system.baseline}"
            if suite.lacks_means(system) and not suite.missing:
                yield f"the means of {system.name} were not tested"
        table = floors_of(suite.policy.floors, self.judge.name)
        if table.floors and suite.trust is None and not suite.missing:
            yield "the floors of the judge were not tested"
        elif table.judge not in {"", self.judge.name}:
            whose = f"the suite has floors for {table.judge}, and none for {self.judge.name}"
            yield f"{whose} (add [thresholds.judge])"

    def gaps(self, suite: SuiteRecord) -> list[str]:
        """What the run did not judge or decide, a clause each."""
        shard = "a shard decides no floor and no mean" if self.shard else ""
        names = ", ".join(suite.unmeasured)
        unmeasured = f"the judge does not measure {names}" if names else ""
        return [*filter(None, [suite.missing, shard, unmeasured]), *self.untested(suite)]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunVerdict(RunRecord):
    """A run that was decided."""

    @property
    def is_complete(self) -> bool:
        """Whether every pair of every suite was judged and scored."""
        return all(suite.is_complete for suite in self.suites)

    @property
    def is_untrusted(self) -> bool:
        """Whether the judge misses a floor of agreement of any suite."""
        return any(suite.is_untrusted for suite in self.suites)

    @property
    def outcomes(self) -> frozenset[Covered]:
        """The outcomes of its items: pairs, systems, a judge not measured."""
        outcomes: set[Covered] = set()
        for suite in self.suites:
            outcomes.update(row.outcome for row in suite.rows)
            outcomes.update(system.outcome for system in suite.systems)
            if suite.trust is not None and suite.trust.outcome == "error":
                outcomes.add("error")
        return frozenset(outcomes)

    @property
    def outcome(self) -> RunOutcome:
        """Untrusted where the judge misses a floor, else the worst outcome of its items.

        "not judged" where nothing was.
        """
        if self.is_untrusted:
            return "untrusted"
        return next((each for each in WORST_FIRST if each in self.outcomes), "not judged")

    @property
    def may_release(self) -> bool:
        """Whether everything was judged, decided and compared, and passed."""
        return self.shown == "passed"

    @property
    def shown(self) -> RunOutcome | Literal["partial"]:
        """The outcome; "partial" for a run that passes and did not test all."""
        is_partial = bool(self.partial) or any(map(self.gaps, self.suites))
        return "partial" if is_partial and self.outcome == "passed" else self.outcome

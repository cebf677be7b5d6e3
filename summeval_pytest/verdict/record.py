"""The record of a run, as values: what was judged, what came out, and what was decided.

Every report is made from it and can be made again, and every decision can be taken again with other
thresholds, without a call.
"""

from __future__ import annotations

from collections.abc import Mapping  # noqa: TC003 - run records read the annotations
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from summeval_pytest.errors import Place  # noqa: TC001
from summeval_pytest.evaluation import GoldenPair, numbers_of
from summeval_pytest.metrics import Score, Unscored  # noqa: TC001
from summeval_pytest.verdict.checking import RelationVerdict, State  # noqa: TC001
from summeval_pytest.verdict.comparison import Comparison, PairChange  # noqa: TC001
from summeval_pytest.verdict.correcting import CorrectedMean  # noqa: TC001
from summeval_pytest.verdict.deciding import PairVerdict
from summeval_pytest.verdict.findings import Finding, explaining
from summeval_pytest.verdict.heading import Header  # noqa: TC001
from summeval_pytest.verdict.means import MeanVerdict, SystemMean
from summeval_pytest.verdict.thresholds import Thresholds  # noqa: TC001
from summeval_pytest.verdict.trust import Trust  # noqa: TC001
from summeval_pytest.verdict.waivers import WaiverUse  # noqa: TC001

if TYPE_CHECKING:
    from summeval_pytest.evaluation import Numbers

Outcome = Literal["passed", "failed", "error"]
Covered = Literal["passed", "failed", "error", "not judged"]
RunOutcome = Literal["untrusted", "passed", "failed", "error", "not judged"]
_WORST_FIRST: Final[tuple[Covered, ...]] = ("error", "failed", "passed")
_TRIED: Final[Mapping[State, Covered]] = {
    "passes": "passed",
    "fails": "failed",
    "unanswered": "error",
    "nothing to check": "not judged",
}
_UNDECIDED: Final = PairVerdict(shortfalls=())


@dataclass(frozen=True, slots=True, kw_only=True)
class PaperRecord:
    """One paper, with as much of its text as a reader of the verdicts needs.

    Attributes:
        id: The paper's id.
        title: Empty where the suite gives none.
        place: Its line in the suite.
        references: Its reference abstracts.
        n_sentences: How many sentences its source has.
        cited: The source sentences that some score or finding points at, each with its index (from
            0), in order.
    """

    id: str
    title: str
    place: Place
    references: tuple[str, ...]
    n_sentences: int
    cited: tuple[tuple[int, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PairRecord:
    """One pair, judged and decided.

    Attributes:
        paper: The paper's id.
        system: The system's name.
        outcome: Error where the judge left the pair unscored; it is never passed then.
        fault: The judge's fault in words; empty where there is none.
        summary: What the system wrote.
        place: The line of the summary, or of the system where a model was asked.
        note: What a reader has to know of how the summary was made; mostly empty.
        scores: What each metric came to, with its evidence.
        signatures: The recipe of each of them.
        findings: Everything that is wrong, the worst first, whatever the thresholds are.
        verdict: What falls short.
        change: Against the baseline, where the run had one.
    """

    paper: str
    system: str
    outcome: Outcome
    fault: str = ""
    summary: str
    place: Place
    note: str = ""
    scores: tuple[Score | Unscored, ...]
    signatures: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()
    verdict: PairVerdict = _UNDECIDED
    change: PairChange | None = None

    def numbers(self) -> Numbers:
        """Its numbers without their evidence."""
        return numbers_of(self.paper, self.system, self.summary, self.scores)

    @property
    def told(self) -> tuple[Finding, ...]:
        """The findings that explain why the pair fails, worst first; none where it does not."""
        return explaining(self.findings, self.verdict.missed)


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemRecord:
    """One gated system.

    Attributes:
        name: The system's name.
        place: The line of its table.
        papers: The papers it should be judged on, in the order of the suite.
        means: Its means over them, each with its threshold.
        outcome: What became of its item ``all-papers``.
        fault: The judge's fault in words, where that is an error.
        waivers: What became of the waivers of its means.
        corrected: Its means with the judge's error taken out, where golden labels tell it.
        baseline: The saved run that it was to be compared with; empty where nobody asked for one.
        comparison: Against it; None where there was none, or the system's item was not run.
    """

    name: str
    place: Place
    papers: tuple[str, ...]
    means: tuple[SystemMean, ...] = ()
    outcome: Covered = "not judged"
    fault: str = ""
    waivers: tuple[WaiverUse, ...] = ()
    corrected: tuple[CorrectedMean, ...] = ()
    baseline: str = ""
    comparison: Comparison | None = None

    @property
    def verdict(self) -> MeanVerdict:
        """Its means, corrected ones and their waivers, decided."""
        return MeanVerdict(means=self.means, waivers=self.waivers, corrected=self.corrected)

    @property
    def is_compared(self) -> bool:
        """Whether it was compared, where that was asked for."""
        return not self.baseline or self.comparison is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteRecord:
    """One suite of a run.

    Attributes:
        name: The suite's name.
        shown: The suite file as the user named it.
        fingerprint: 12 hex digits over all of the papers that can move a score.
        thresholds: What was asked of pairs and of means.
        systems: The gated systems, in the order of the suite.
        papers: The papers of the judged pairs, in the order of the suite.
        pairs: The judged pairs, by system and paper in that order.
        waivers: Every waiver of the suite; one whose pair was not judged says so.
        has_labels: Whether the suite has golden labels, which the judge could be measured with;
            None in records of before that was kept.
        trust: What they say of the judge; None where it was not measured.
        golden: The labelled pairs with the judge's own answers, in the order of the labels.
        is_calibrated: Whether ratings were mapped to the labels' scale.
        relations: The metamorphic relations and attacks that the judge was tried with.
    """

    name: str
    shown: str
    fingerprint: str
    thresholds: Thresholds
    systems: tuple[SystemRecord, ...]
    papers: tuple[PaperRecord, ...]
    pairs: tuple[PairRecord, ...]
    waivers: tuple[WaiverUse, ...] = ()
    has_labels: bool | None = None
    trust: Trust | None = None
    golden: tuple[GoldenPair, ...] = ()
    is_calibrated: bool = False
    relations: tuple[RelationVerdict, ...] = ()

    @property
    def is_untrusted(self) -> bool:
        """Whether the judge misses its floor of agreement, so that no verdict counts."""
        return self.trust is not None and self.trust.is_untrusted

    def pairs_of(self, system: str) -> tuple[PairRecord, ...]:
        """The judged pairs of one system."""
        return tuple(pair for pair in self.pairs if pair.system == system)

    def paper(self, paper_id: str) -> PaperRecord:
        """One judged paper.

        Raises:
            KeyError: where no pair of it was judged.
        """
        for paper in self.papers:
            if paper.id == paper_id:
                return paper
        raise KeyError(paper_id)

    @property
    def comparisons(self) -> Mapping[str, Comparison]:
        """By system, the comparisons that were made."""
        made = {system.name: system.comparison for system in self.systems}
        return {name: comparison for name, comparison in made.items() if comparison is not None}

    @property
    def n_expected(self) -> int:
        """How many pairs the suite has for its gated systems."""
        return sum(len(system.papers) for system in self.systems)

    @property
    def gaps(self) -> tuple[str, ...]:
        """What the run leaves open, a clause each; none where it judged and compared everything."""
        n_judged = len(self.pairs)
        missing = f"only {n_judged:,} of {self.n_expected:,} pairs are in this run"
        return (missing, *self.uncompared) if n_judged < self.n_expected else self.uncompared

    @property
    def uncompared(self) -> tuple[str, ...]:
        """The comparisons that were asked for and not made, a clause each."""
        return tuple(
            f"{system.name} was not compared with {system.baseline}"
            for system in self.systems
            if not system.is_compared
        )

    @property
    def is_complete(self) -> bool:
        """Whether all of them were judged and scored."""
        return len(self.pairs) == self.n_expected and not any(
            pair.outcome == "error" for pair in self.pairs
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRecord:
    """One run.

    Attributes:
        schema: The version of this layout.
        header: What may differ between a run and its replay.
        judge: The judge's signature.
        suites: The suites, in the order of their files' names.
    """

    schema: Literal[1] = 1
    header: Header
    judge: str
    suites: tuple[SuiteRecord, ...]

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
        """The outcomes of its items: pairs, systems, and a judge that was not measured."""
        pairs = (pair.outcome for suite in self.suites for pair in suite.pairs)
        systems = (system.outcome for suite in self.suites for system in suite.systems)
        at_fault = any(s.trust is not None and s.trust.outcome == "error" for s in self.suites)
        judge: tuple[Covered, ...] = ("error",) if at_fault else ()
        tried = (_TRIED[verdict.state] for suite in self.suites for verdict in suite.relations)
        return frozenset((*pairs, *systems, *judge, *tried))

    @property
    def outcome(self) -> RunOutcome:
        """Untrusted where the judge misses a floor, else the worst outcome of its items.

        "not judged" where nothing was.
        """
        if self.is_untrusted:
            return "untrusted"
        found = self.outcomes
        return next((outcome for outcome in _WORST_FIRST if outcome in found), "not judged")

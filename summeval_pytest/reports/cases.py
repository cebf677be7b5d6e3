"""What is said of each test of a run: its outcome, place, title, what it misses and why.

Every report lays out these cases: the terminal, JUnit, GitHub, GitLab and the page say the same of
a test, because it is said here.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from summeval_pytest.errors import Place
from summeval_pytest.metrics.score import (
    CATALOGUE,
    SUPPORT,
    EvaScore,
    FacetScore,
    FaithfulnessScore,
)
from summeval_pytest.reports.judge_section import describe_trust, trust_of
from summeval_pytest.reports.wording import (
    QUOTE,
    broken_rules,
    change_lines,
    comparison_lines,
    corrected_line,
    excerpts,
    labelled,
    missed_lines,
    quoted,
    shown,
    standing,
)
from summeval_pytest.suite.lines import ALL_PAPERS, JUDGE
from summeval_pytest.text.printing import one_line, safe
from summeval_pytest.verdict.findings import rank
from summeval_pytest.verdict.means import SystemMean

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from summeval_pytest.metrics.score import Score, Unscored
    from summeval_pytest.verdict.differences import PairChange
    from summeval_pytest.verdict.findings import Finding
    from summeval_pytest.verdict.pair import PairVerdict, Shortfall
    from summeval_pytest.verdict.run import (
        Covered,
        PairResult,
        RunVerdict,
        SuiteRecord,
        SystemResult,
    )


SILENT: Final = "the judge gave no usable answer"
_SENTENCE: Final = 54
"""Characters of a weakly supported sentence, so that it is one line."""
_WEAK: Final = 5
"""How many weakly supported sentences are listed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One test of a run.

    Attributes:
        system: The system; empty for the judge.
        paper: The paper; ``all-papers`` for a system's means.
        title: What fails it, for a heading.
        phrases: Everything that fails it, or why it is undecided.
        notes: What else a reader has to know, a line each.
        summary: The summary, where there is nothing else to show.
        findings: What explains the failure, the worst first.
        wanted: The missed thresholds, by number.
        details: Further lines: weak sentences, means, tables.
        change: What changed against a baseline.
    """

    kind: Literal["judge", "pair", "system"]
    system: str = ""
    paper: str = ""
    outcome: Covered
    place: Place
    title: str = ""
    phrases: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    summary: str = ""
    findings: tuple[Finding, ...] = ()
    wanted: Mapping[str, float] = field(default_factory=dict)
    details: tuple[str, ...] = ()
    change: PairChange | None = None

    @property
    def name(self) -> str:
        """Which test it is, for a heading."""
        return f"{self.system} on {self.paper}" if self.kind == "pair" else self.system or JUDGE

    @property
    def text(self) -> str:
        """Why it fails. The first line alone says what is missed; the rest shows it."""
        first = "; ".join(self.phrases)
        if self.kind == "pair":
            lines = [first, f"{self.place}: {self.name}", *self.notes]
        else:
            lines = [f"{self.system}: {first}" if self.kind == "system" else first, *self.notes]
        if self.summary:
            lines += ["", *labelled("summary", quoted(self.summary, QUOTE))]
        for number, finding in enumerate(self.findings, start=1):
            lines += ["", *_finding(number, finding, self.wanted.get(finding.number))]
        lines += self.details
        if self.change is not None:
            lines += ["", *change_lines(self.change)]
        return "\n".join(map(safe, lines))


def cases_of(run: RunVerdict) -> Iterator[tuple[SuiteRecord, Case]]:
    """Every test of a run that was judged, each with its suite: judge, then systems with pairs."""
    for suite in run.suites:
        if (case := judge_case(suite)) is not None:
            yield suite, case
        for system in suite.systems:
            for pair in suite.pairs_of(system.name):
                yield suite, pair_case(pair)
            if system.outcome != "not judged":
                yield suite, system_case(system)


class Failing(NamedTuple):
    """A test that does not pass; its case is made when it is asked for."""

    outcome: Covered
    make: Callable[[], Case]


def failing_systems(run: RunVerdict) -> list[Failing]:
    """The systems that fail, then those that the judge left undecided."""
    found = [
        Failing(system.outcome, partial(system_case, system))
        for suite in run.suites
        for system in suite.systems
        if system.outcome in {"failed", "error"}
    ]
    return sorted(found, key=lambda each: each.outcome == "error")


def failing_pairs(run: RunVerdict) -> list[Failing]:
    """The pairs that fail, the worst first, then those that the judge left undecided.

    A pair without a score by the system's own fault is the worst, else the one farthest under its
    thresholds, and of equals the one with the worst finding.
    """
    found = []
    for suite in run.suites:
        for place, outline in enumerate(suite.outlines):
            if outline.outcome != "passed":
                failing = Failing(outline.outcome, partial(_case_at, suite, place))
                found.append((_badness(suite.pairs[place]), failing))
    return [failing for _, failing in sorted(found, key=lambda each: each[0])]


def _case_at(suite: SuiteRecord, place: int) -> Case:
    return pair_case(suite.pairs[place])


def _badness(pair: PairResult) -> tuple[bool, bool, float, bool, list[tuple[bool, int, float]]]:
    verdict = pair.verdict
    under = sum(map(gap_of, verdict.shortfalls))
    worst = [rank(finding) for finding in pair.explanation[:1]]
    return pair.outcome == "error", not verdict.unscored, -under, not worst, worst


def gap_of(short: Shortfall | SystemMean) -> float:
    """How far a number is from its threshold, as a share of its range."""
    value = short.compared if isinstance(short, SystemMean) else short.value
    return CATALOGUE[short.name].gap(value, short.least)


def pair_case(pair: PairResult) -> Case:
    """One pair."""
    verdict = pair.verdict
    wanted = {shortfall.name: shortfall.least for shortfall in verdict.shortfalls}
    missed = {name.partition(".")[0] for name in wanted}
    averaged = (averaged_note(score) for score in pair.scores if score.metric in missed)
    is_open = pair.outcome == "error"
    notes = [f"waived: {standing_of(waived)}" for waived in verdict.waived]
    notes += filter(None, (pair.note, *averaged))
    notes += [] if is_open else [f"undecided: {phrase}" for phrase in verdict.undecided]
    has_changed = pair.outcome == "failed" and pair.change is not None and pair.change.is_change
    return Case(
        kind="pair",
        system=pair.system,
        paper=pair.paper,
        outcome=pair.outcome,
        place=pair.place,
        title="unscored" if is_open else _pair_title(pair),
        phrases=(verdict.undecided or (SILENT,)) if is_open else tuple(missed_numbers(verdict)),
        notes=tuple(notes),
        summary=pair.summary if verdict.unscored and pair.summary.strip() else "",
        findings=() if is_open else pair.explanation,
        wanted=wanted,
        details=tuple(_weak_lines(pair, wanted.get(SUPPORT, 0.0))),
        change=pair.change if has_changed else None,
    )


def _pair_title(pair: PairResult) -> str:
    """What fails a pair, for a heading: a conflict, a sentence, a facet or a number."""
    verdict = pair.verdict
    if verdict.unscored:
        return "no score"
    for finding in pair.explanation[:1]:
        if finding.conflict:
            return f"conflict in {finding.title}"
        if finding.kind == "sentence":
            return f"unsupported {finding.title}"
        if finding.kind == "facet" and finding.number in verdict.missed:
            return finding.title
    if verdict.shortfalls:
        return max(verdict.shortfalls, key=gap_of).name
    return "waiver" if verdict.waiver_faults else "failed"


def standing_of(short: Shortfall) -> str:
    """One number and the threshold that it misses."""
    return standing(short.name, short.value, short.least)


def missed_numbers(verdict: PairVerdict) -> Iterator[str]:
    """Everything that fails a pair, a phrase each."""
    yield from map(standing_of, verdict.shortfalls)
    yield from (f"{each.metric}: {each.reason}" for each in verdict.unscored)
    yield from verdict.waiver_faults


def averaged_note(score: Score | Unscored) -> str:
    """Whose evidence a score shows that is a mean over references; empty for any other."""
    if not (isinstance(score, FacetScore | EvaScore) and score.by_reference):
        return ""
    return (
        f"{score.metric}: numbers are means over {len(score.by_reference)} references; what is"
        " shown is of the one with the lowest score"
    )


def _finding(number: int, finding: Finding, least: float | None) -> Iterator[str]:
    wanted = f", at least {least:g} wanted" if finding.kind == "facet" and least else ""
    yield f"{number}. {finding.title}: {finding.verdict}{wanted}"
    for label, text in excerpts(finding, QUOTE):
        yield from labelled(label, text)
    if not finding.evidence and finding.kind != "own":
        yield from labelled("source", "(no sentence of the source shares a word with it)")
    if finding.reason:
        yield from labelled("reason", one_line(finding.reason))


def _weak_lines(pair: PairResult, least: float) -> Iterator[str]:
    """The sentences supported by less than a missed threshold on mean support, the weakest first.

    The unsupported ones lower it, too, and are findings already.
    """
    weak = sorted(
        (sentence.support, sentence.index, sentence.text)
        for score in pair.scores
        if isinstance(score, FaithfulnessScore)
        for sentence in score.sentences
        if sentence.supported and sentence.support is not None and sentence.support < least
    )
    if weak:
        yield ""
        yield f"supported, though by less than {shown(SUPPORT, least, least)} of 1:"
    for support, index, text in weak[:_WEAK]:
        what = quoted(text, _SENTENCE)
        yield f"   sentence {index + 1}, {shown(SUPPORT, support, least)}: {what}"
    if len(weak) > _WEAK:
        yield f"   and {len(weak) - _WEAK} more"


def system_case(system: SystemResult) -> Case:
    """One system over its papers."""
    is_open = system.outcome == "error"
    fault = (system.fault or SILENT,)
    details: list[str] = []
    if not is_open:
        details = [*_system_details(system)]
    return Case(
        kind="system",
        system=system.name,
        paper=ALL_PAPERS,
        outcome=system.outcome,
        place=system.place,
        title="unscored" if is_open else _system_title(system),
        phrases=fault if is_open else tuple(missed_means(system)) or fault,
        notes=() if is_open or not system.fault else (f"undecided: {system.fault}",),
        details=tuple(details),
    )


def _system_title(system: SystemResult) -> str:
    verdict, comparison = system.verdict, system.comparison
    if verdict.missed:
        return f"mean {max(verdict.missed, key=gap_of).name}"
    for mean in system.corrected:
        if mean.missed:
            return f"corrected mean {mean.name}"
    if comparison is not None and not comparison.passes:
        names = [difference.name for difference in comparison.differences if difference.broken]
        return f"drop of {', '.join(names)}" if names else "not comparable"
    return "waiver" if verdict.waiver_faults else "failed"


def missed_means(system: SystemResult) -> Iterator[str]:
    """Why one system fails over its papers, and against a baseline, a phrase each."""
    verdict = system.verdict
    for mean in verdict.missed:
        coverage = f"{mean.n_scored} of {mean.n_papers} papers"
        if not mean.is_covered:
            yield f"mean {mean.name} covers only {coverage}; the others have no score"
        elif mean.value is None:
            yield f"mean {mean.name} applies to none of the papers; remove its threshold"
        else:
            others = "" if mean.compared == mean.value else ", the others at their worst"
            yield f"mean {standing(mean.name, mean.compared, mean.least)} ({coverage}{others})"
    yield from missed_lines(verdict.corrected)
    yield from verdict.waiver_faults
    yield from broken_rules(system.comparison)


def mean_line(mean: SystemMean) -> str:
    """A mean and how it stands to its threshold."""
    return f"mean {standing(mean.name, mean.compared, mean.least)}"


def _system_details(system: SystemResult) -> Iterator[str]:
    """The means that pass or are waived, the corrected ones, and the comparison."""
    verdict = system.verdict
    yield from (f"  {mean_line(mean)}" for mean in system.means if mean.passes)
    for mean in system.means:
        if not mean.passes and mean not in verdict.missed:
            yield f"  {'undecided' if mean.is_open else 'waived'}: {mean_line(mean)}"
    if line := corrected_line(system.corrected):
        yield f"  corrected by golden labels: {line}"
    if system.comparison is not None:
        yield ""
        yield from comparison_lines(system.comparison)


def judge_case(suite: SuiteRecord) -> Case | None:
    """The judge of a suite; None where it was not measured."""
    trust = suite.trust
    if trust is None:
        return None
    return Case(
        kind="judge",
        outcome=trust.outcome,
        place=Place(suite.shown),
        title="judge undecided" if trust.undecided else "judge not measured",
        phrases=(one_line(trust_of(suite)),),
        details=tuple(describe_trust(trust).splitlines()[1:]) if trust.is_untrusted else (),
    )


def describe_pair(pair: PairResult) -> str:
    """Why one pair fails."""
    return pair_case(pair).text


def describe_system(system: SystemResult) -> str:
    """Why one system fails over its papers."""
    return system_case(system).text

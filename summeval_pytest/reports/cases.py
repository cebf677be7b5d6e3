"""The cases of a run: each test's outcome, place, title, and what it misses and why.

Every report lays out these cases. So the terminal, JUnit, GitHub, GitLab and the page say the same
of a test. `Part` splits a test into its numbers, for JUnit.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from heapq import nsmallest
from typing import Final, Literal, NamedTuple

from summeval_pytest.errors import Place
from summeval_pytest.metrics.catalogue import CATALOGUE, Score, catalogue_of, metric_of
from summeval_pytest.metrics.eva import EvaScore
from summeval_pytest.metrics.facet import FacetScore
from summeval_pytest.metrics.faithfulness import SUPPORT, judged_sentences
from summeval_pytest.metrics.number import Finding, NumberSpec, Unscored
from summeval_pytest.reports import judge_section, wording
from summeval_pytest.run.pair_numbers import Numbers
from summeval_pytest.suite.lines import ALL_PAPERS
from summeval_pytest.text.printing import one_line, safe
from summeval_pytest.verdict.differences import Comparison, PairChange
from summeval_pytest.verdict.means import SystemMean
from summeval_pytest.verdict.pair import PairVerdict, Shortfall, is_alarming, judge_faults
from summeval_pytest.verdict.run import (
    WORST_FIRST,
    Covered,
    PairResult,
    PairRow,
    RunVerdict,
    SuiteRecord,
    SystemResult,
)
from summeval_pytest.verdict.thresholds import Threshold, WaiverUse
from summeval_pytest.verdict.trust import JudgeAgreement

SILENT: Final = "the judge gave no usable answer"
_SENTENCE: Final = 50
"""Characters of a weakly supported sentence, so that it is one line."""
_WEAK: Final = 5
"""How many weakly supported sentences are listed."""
_BRIEF: Final = 5
"""How many findings of a failing pair a terminal shows at first."""
_MOST: Final = 10
"""Findings or papers that one part lists: GitLab reads no report above 30 MB."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One test of a run.

    Attributes:
        system: The system; the suite where the judge is tested.
        paper: The paper; ``all-papers`` for a system's means, empty for the judge.
        title: What fails it, for a heading; empty where it passes.
        phrases: Everything that fails it, or why it is undecided; none where it passes.
        waived: The thresholds that it misses and a waiver covers.
        notes: What else a reader has to know, a line each.
        summary: The summary, if no finding shows it.
        findings: What explains the failure, the worst first.
        wanted: The missed thresholds, by number.
        details: Further lines: weak sentences, means, tables.
    """

    kind: Literal["judge", "pair", "system"]
    system: str
    paper: str = ""
    outcome: Covered
    place: Place
    title: str = ""
    phrases: tuple[str, ...] = ()
    waived: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    summary: str = ""
    findings: tuple[Finding, ...] = ()
    wanted: Mapping[str, float] = field(default_factory=dict)
    details: tuple[str, ...] = ()
    change: PairChange | None = None

    @property
    def name(self) -> str:
        """Which test it is, for a heading."""
        return f"{self.system} on {self.paper}" if self.kind == "pair" else self.system

    @property
    def brief(self) -> str:
        """Its text with the worst findings only."""
        if (n_more := len(self.findings) - _BRIEF) <= 0:
            return self.text
        more = f"{n_more:,} more findings: -v prints them, --summ-html=FILE writes a page"
        alone = replace(self, findings=self.findings[:_BRIEF], details=("", more, *self.details))
        return alone.text

    @property
    def text(self) -> str:
        """Why it fails: first everything that is missed, on one line, then the evidence."""
        first = "; ".join(one_line(phrase, wording.QUOTE) for phrase in self.phrases)
        if self.kind == "pair":
            lines = [first, f"{self.place}: {self.name}", *self.notes]
        else:
            lines = [f"{self.system}: {first}" if self.kind == "system" else first, *self.notes]
        if self.summary:
            lines += ["", *wording.labelled("summary", wording.quoted(self.summary, wording.QUOTE))]
        for number, finding in enumerate(self.findings, start=1):
            lines += ["", *_finding(number, finding, self.wanted.get(finding.number))]
        lines += self.details
        if self.change is not None:
            lines += ["", *wording.change_lines(self.change)]
        return "\n".join(map(safe, lines))


def cases_of(
    run: RunVerdict, outcomes: Collection[Covered] = WORST_FIRST
) -> Iterator[tuple[SuiteRecord, Case]]:
    """The tests of a run with these outcomes, with their suites: judge, then systems, then pairs.

    No other pair is read.
    """
    for suite in run.suites:
        cases = (case for case in _suite_cases(suite) if case.outcome in outcomes)
        yield from ((suite, case) for case in cases)
        rows = (row for system in suite.systems for row in suite.pairs_of(system.name).rows)
        yield from ((suite, pair_case(row.read())) for row in rows if row.outcome in outcomes)


def _suite_cases(suite: SuiteRecord) -> Iterator[Case]:
    """The tests of a suite, but for its pairs."""
    if (case := judge_case(suite)) is not None:
        yield case
    yield from (system_case(each) for each in suite.systems if each.outcome != "not judged")


Failing = tuple[Covered, Callable[[], Case]]
"""The outcome of a test that does not pass, and what makes its case."""


def failing_tests(run: RunVerdict) -> list[Failing]:
    """The judges that may not decide, then systems; of each the undecided ones last."""
    cases = (case for suite in run.suites for case in _suite_cases(suite))
    failing = [case for case in cases if case.outcome in {"failed", "error"}]
    failing.sort(key=lambda case: (case.kind != "judge", case.outcome == "error"))
    return [(case.outcome, partial(replace, case)) for case in failing]


def failing_pairs(run: RunVerdict) -> list[Failing]:
    """The pairs that fail, the worst first, then those that the judge left undecided."""
    rows = [row for suite in run.suites for row in suite.rows if row.outcome != "passed"]
    rows.sort(key=lambda row: (row.outcome == "error", row.badness))
    return [(row.outcome, partial(_read_case, row)) for row in rows]


def alarming_pairs(run: RunVerdict) -> Iterator[PairResult]:
    """The passed pairs with findings that a reader has to see, the worst first."""
    rows = [row for suite in run.suites for row in suite.rows if row.has_alarms]
    return (row.read() for row in sorted(rows, key=lambda row: row.badness))


def worse_papers(rows: Iterable[PairRow]) -> tuple[int, list[str]]:
    """How many papers became worse than in the baseline, and what the worst ones lost."""
    worse = sorted((row for row in rows if row.loss > 0), key=lambda row: (-row.loss, row.paper))
    changes = ((row.paper, row.read().change) for row in worse[:_MOST])
    lines = [f"{paper}: {'; '.join(wording.losses_of(c))}" for paper, c in changes if c is not None]
    return len(worse), lines


def _read_case(row: PairRow) -> Case:
    return pair_case(row.read())


def pair_case(pair: PairResult) -> Case:
    """One pair."""
    verdict, change = pair.verdict, pair.change
    wanted = {shortfall.name: shortfall.least for shortfall in verdict.shortfalls}
    missed = {name.partition(".")[0] for name in wanted}
    averaged = (averaged_note(score) for score in pair.scores if score.metric in missed)
    waived = tuple(map(standing_of, verdict.waived))
    notes = [f"waived: {each}" for each in waived]
    notes += filter(None, (pair.note, *averaged))
    fails, is_open = pair.outcome == "failed", pair.outcome == "error"
    if fails:
        notes += [f"undecided: {phrase}" for phrase in verdict.undecided]
    return Case(
        kind="pair",
        system=pair.system,
        paper=pair.paper,
        outcome=pair.outcome,
        place=pair.place,
        title=_pair_title(pair) if fails else "unscored" if is_open else "",
        phrases=verdict.undecided or (SILENT,) if is_open else tuple(missed_numbers(verdict)),
        waived=waived,
        notes=tuple(notes),
        summary=pair.summary if verdict.unscored and pair.summary.strip() else "",
        findings=() if is_open else pair.explanation,
        wanted=wanted,
        details=tuple(_weak_lines(pair, wanted.get(SUPPORT, 0.0))),
        change=change if fails and change and change.is_change else None,
    )


def _pair_title(pair: PairResult) -> str:
    """What fails a pair, for a heading: a conflict, a sentence, a facet or a number."""
    verdict = pair.verdict
    if verdict.unscored:
        return "no score"
    for finding in pair.explanation[:1]:
        if is_alarming(finding) and (finding.conflict or finding.kind == "sentence"):
            return headline(finding)
        if finding.kind == "facet" and finding.number in verdict.missed:
            return finding.title
    if verdict.shortfalls:
        return max(verdict.shortfalls, key=lambda short: short.gap).name
    return "waiver" if verdict.waiver_faults else "failed"


def headline(finding: Finding) -> str:
    """A finding in few words: "unsupported sentence 3"."""
    if finding.conflict:
        return f"conflict in {finding.title}"
    if finding.kind != "sentence":
        return finding.title
    what = "number not found in" if finding.number == SUPPORT else "unsupported"
    return f"{what} {finding.title}"


def standing_of(short: Shortfall) -> str:
    """One number and the threshold that it misses."""
    return wording.standing(short.named, short.value, short.least)


def missed_numbers(verdict: PairVerdict) -> Iterator[str]:
    """Everything that fails a pair, a phrase each."""
    yield from map(standing_of, verdict.shortfalls)
    yield from (f"{each.metric}: {each.reason}" for each in verdict.unscored)
    yield from verdict.waiver_faults


def averaged_note(score: Score | Unscored) -> str:
    """Which reference the evidence is of, if a score is a mean over references; else empty."""
    if not (isinstance(score, FacetScore | EvaScore) and score.by_reference):
        return ""
    return (
        f"{score.metric}: numbers are means over {len(score.by_reference)} references; what is"
        " shown is of the one with the lowest score"
    )


def _finding(number: int, finding: Finding, least: float | None) -> Iterator[str]:
    wanted = f", at least {least:g} wanted" if finding.kind == "facet" and least else ""
    yield f"{number}. {finding.title}: {finding.verdict}{wanted}"
    for label, text in wording.excerpts(finding, wording.QUOTE):
        yield from wording.labelled(label, text)
    if not finding.evidence and finding.kind != "own":
        yield from wording.labelled("source", "(no sentence of the source shares a word with it)")
    if finding.reason:
        yield from wording.labelled("reason", one_line(finding.reason))


def _weak_lines(pair: PairResult, least: float) -> Iterator[str]:
    """The supported sentences with less support than a missed threshold, the weakest first."""
    weak = sorted(
        (sentence.support, sentence.index, sentence.text)
        for sentence in judged_sentences(pair.scores).values()
        if sentence.supported and sentence.support is not None and sentence.support < least
    )
    for support, index, text in weak[:_WEAK]:
        value = wording.render(CATALOGUE[SUPPORT], support, least)
        yield f"support of sentence {index + 1} {value}: {wording.quoted(text, _SENTENCE)}"
    if len(weak) > _WEAK:
        yield f"support of {len(weak) - _WEAK} more sentences is too low"


def system_case(system: SystemResult) -> Case:
    """One system over its papers."""
    fault, verdict = system.fault or SILENT, system.verdict
    missed = (
        *map(_missed_mean, verdict.missed),
        *(wording.missed_slice(each, mean) for each in system.slices for mean in each.missed),
        *verdict.waiver_faults,
        *wording.broken_rules(system.comparison),
    )
    fails, is_open = system.outcome == "failed", system.outcome == "error"
    phrases = missed or (fault,) if fails else (fault,) if is_open else ()
    return Case(
        kind="system",
        system=system.name,
        paper=ALL_PAPERS,
        outcome=system.outcome,
        place=system.place,
        title=_system_title(system) if fails else "unscored" if is_open else "",
        phrases=phrases,
        notes=(f"undecided: {fault}",) if fails and system.fault else (),
        details=() if is_open else tuple(_system_details(system)),
    )


def _system_title(system: SystemResult) -> str:
    """The first part that fails a system; what is inconclusive comes last."""
    failing = (p for p in system_parts(system, ()) if p.cause not in {"passed", "unscored"})
    part = min(failing, key=lambda part: part.cause == "inconclusive")
    return f"{wording.INCONCLUSIVE}: {part.name}" if part.cause == "inconclusive" else part.name


def _missed_mean(mean: SystemMean) -> str:
    coverage = f"{mean.n_scored} of {mean.n_papers} papers"
    if not mean.is_covered:
        return f"mean {mean.name} covers only {coverage}; the others have no score"
    if mean.value is None:
        return f"mean {mean.name} applies to none of the papers; remove its threshold"
    others = "" if mean.compared == mean.value else ", the others at their worst"
    return f"mean {wording.standing(mean.named, mean.compared, mean.least)} ({coverage}{others})"


def _system_details(system: SystemResult) -> Iterator[str]:
    """The means that do not fail, and the comparison."""
    for mean in sorted(system.verdict.means, key=lambda mean: not mean.passes):
        if mean not in system.verdict.missed:
            state = "" if mean.passes else "undecided: " if mean.is_open else "waived: "
            yield f"  {state}mean {wording.standing(mean.named, mean.compared, mean.least)}"
    yield from (f"  {one_line(line, 400)}" for line in wording.slice_lines(system))
    if system.comparison is not None:
        yield ""
        yield from wording.comparison_lines(system.comparison)


def judge_case(suite: SuiteRecord) -> Case | None:
    """The judge of a suite; None where it was not measured."""
    trust = suite.trust
    if trust is None:
        return None
    is_untrusted, error = trust.is_untrusted, "undecided" if trust.undecided else "not measured"
    title = f"judge {error}" if trust.outcome == "error" else ""
    return Case(
        kind="judge",
        system=suite.name,
        outcome=trust.outcome,
        place=Place(suite.shown),
        title=judge_section.UNTRUSTED if is_untrusted else title,
        phrases=(one_line(judge_section.trust_of(suite)),),
        notes=(judge_section.MARK,) if is_untrusted else (),
        details=tuple(judge_section.describe_trust(trust).splitlines()[1:]) if is_untrusted else (),
    )


Cause = Literal[
    "passed",
    "skipped",
    "unscored",
    "shortfall",
    "no score",
    "waiver",
    "mismatch",
    "drop",
    "inconclusive",
    "failed",
]


class Part(NamedTuple):
    """One number, waiver or drop of a test.

    ``unscored`` is the judge's fault, ``skipped`` was measured and not decided. ``value`` and
    ``bound`` are what was compared, if anything was; of a drop, ``value`` is the change.
    """

    name: str
    written: str | Callable[[], str]
    cause: Cause = "passed"
    value: float | None = None
    bound: float | None = None

    @property
    def text(self) -> str:
        """How it ended, on its first line, then why. It is written when a report asks for it."""
        return self.written if isinstance(self.written, str) else self.written()


def judge_parts(trust: JudgeAgreement) -> Iterator[Part]:
    """Each figure of agreement. A judge without any figure is an error if it was not measured."""
    if not trust.agreements:
        text = one_line(trust.fault) or judge_section.trust_phrase(trust, has_labels=True)
        yield Part("agreement", text, "unscored" if trust.fault else "passed")
    for agreement in trust.agreements:
        missed = [judge_section.short_of_floor(agreement, floor) for floor in agreement.missed]
        text = "\n".join([*missed, *judge_section.agreement_lines([agreement])])
        bound = agreement.floors[0].least if agreement.floors else None
        cause: Cause = "shortfall" if missed else "passed"
        yield Part(agreement.name, text, cause, agreement.value, bound)
    if trust.undecided and not trust.is_untrusted:
        yield Part("undecided", one_line(trust.undecided), "unscored")


def pair_parts(pair: PairResult, thresholds: Iterable[Threshold]) -> list[Part]:
    """Its numbers, then its metrics without a score, then its waivers that are out of order."""
    verdict, numbers = pair.verdict, pair.numbers()
    bounds = {threshold.name: threshold.least for threshold in thresholds}
    missed = {shortfall.name: shortfall for shortfall in verdict.shortfalls}
    waived = {shortfall.name: shortfall for shortfall in verdict.waived}
    parts = []
    for name, named in catalogue_of(pair.custom).items():
        if (short := missed.get(name)) is not None:
            write = partial(_shortfall, pair, short)
            parts.append(Part(name, write, "shortfall", short.value, short.least))
        elif (short := waived.get(name)) is not None:
            text = _waived_text(standing_of(short), name, verdict.waivers)
            parts.append(Part(name, text, "passed", short.value, short.least))
        elif name in numbers.values and (name in bounds or not named.is_detail):
            parts.append(_number(pair, named, numbers.values[name], bounds.get(name)))
    for each in numbers.unscored:
        text = f"{each.metric}: {each.status}, {one_line(each.reason)}"
        if each.fault == "system":
            text = pair_case(replace(pair, verdict=PairVerdict(unscored=(each,)))).text
        parts.append(Part(each.metric, text, "unscored" if each.fault == "judge" else "no score"))
    if pair.outcome == "failed":
        said = {*judge_faults(numbers)}  # the metrics without a score say so
        undecided = (phrase for phrase in verdict.undecided if phrase not in said)
        parts += [Part("undecided", one_line(phrase), "unscored") for phrase in undecided]
    parts += _stale_waivers(verdict.waivers)
    return parts + _at_fault(parts, "pair", pair.outcome, "; ".join(verdict.undecided))


def _number(pair: PairResult, named: NumberSpec, value: float | None, bound: float | None) -> Part:
    """A number that does not fail its pair; skipped where the pair was left undecided."""
    name, text = named.name, f"{named.name} {wording.render(named, value, bound)}"
    if pair.outcome == "error":
        why = one_line("; ".join(pair.verdict.undecided))
        return Part(name, f"{text} was not decided: {why}", "skipped", value, bound)
    if bound is not None and named.meets(value, bound):
        text = wording.standing(named, value, bound)
    return Part(name, text, "passed", value, bound)


def _shortfall(pair: PairResult, short: Shortfall) -> str:
    """One number of a pair, described as if nothing else failed it, and all that changed."""
    number = short.named.explained_by or short.name
    own = [finding for finding in pair.findings if finding.number.startswith(number)]
    alone = replace(pair, findings=tuple(own[:_MOST]), verdict=PairVerdict(shortfalls=(short,)))
    recipes = [text for text in pair.signatures if text.startswith(f"{metric_of(short.name)}|")]
    more = [f"and {len(own) - _MOST} more findings"] if len(own) > _MOST else []
    return "\n".join([pair_case(alone).text, "", *wording.signature_lines(recipes), *more])


def system_parts(system: SystemResult, papers: Sequence[Numbers]) -> list[Part]:
    """Its means, its comparison, and its waivers that are out of order.

    ``papers`` are the numbers of its pairs.
    """
    parts = [_mean(system, mean, papers) for mean in system.verdict.means]
    for sliced in system.slices:
        for mean in sliced.means:
            fails = mean in sliced.missed
            cause: Cause = "shortfall" if fails else "unscored" if mean.is_open else "passed"
            name, text = f"{sliced.name} mean {mean.name}", wording.missed_slice(sliced, mean)
            parts.append(Part(name, text, cause, mean.compared, mean.least))
    if system.comparison is not None:
        parts += _compared(system.comparison)
    parts += _stale_waivers(system.verdict.waivers)
    is_reported = any(part.cause == "unscored" for part in parts)
    if system.fault and system.outcome == "failed" and not is_reported:
        parts.append(Part("undecided", one_line(system.fault), "unscored"))
    known = () if system.outcome == "error" else parts
    return parts + _at_fault(known, ALL_PAPERS, system.outcome, system.fault)


def _mean(system: SystemResult, mean: SystemMean, papers: Sequence[Numbers]) -> Part:
    """A mean; one that fails names the papers that pull it down."""
    name = f"mean {mean.name}"
    if mean not in system.verdict.missed:
        cause: Cause = "unscored" if mean.is_open else "passed"
        text = f"mean {wording.standing(mean.named, mean.compared, mean.least)}"
        text = _waived_text(text, mean.name, system.verdict.waivers)
        return Part(name, text, cause, mean.compared, mean.least)
    turned = mean.named.oriented
    known = ((each.values.get(mean.name), each.paper) for each in papers)
    worst = nsmallest(_MOST, ((turned(v), paper) for v, paper in known if v is not None))
    lines = [
        f"   {wording.render(mean.named, turned(value))} {one_line(paper)}"
        for value, paper in worst
    ]
    text = _waived_text(_missed_mean(mean), mean.name, system.verdict.waivers)
    return Part(name, "\n".join([text, *lines]), "shortfall", mean.compared, mean.least)


def _compared(comparison: Comparison) -> Iterator[Part]:
    lines = ["; ".join(comparison.mismatches), *wording.comparison_lines(comparison)]
    yield Part("comparison", "\n".join(lines), "mismatch" if comparison.mismatches else "passed")
    for difference in comparison.differences:
        name = difference.name
        flips = tuple(f for f in comparison.flips if name in {"facet", f"facet.{f.facet}"})
        open_rules = tuple(each for each in comparison.undecided if each[0] == name)
        alone = replace(comparison, differences=(difference,), flips=flips, undecided=open_rules)
        unclear = [f"{wording.INCONCLUSIVE}: {phrase}" for phrase in difference.inconclusive]
        reasons: dict[Cause, Sequence[str]] = {
            "unscored": [phrase for _, phrase in open_rules],
            "inconclusive": unclear,
            "drop": difference.broken,
        }
        cause: Cause = next((cause for cause, why in reasons.items() if why), "passed")
        lines = ["; ".join(reasons.get(cause, ())), *wording.comparison_lines(alone)]
        yield Part(f"drop {name}", "\n".join(lines), cause, difference.change)
    for each in comparison.slices:
        is_open = each.is_broken and each.name in comparison.open_names
        cause = "unscored" if is_open else "drop" if each.is_broken else "passed"
        yield Part(f"drop {each.name} {each.slice}", str(each), cause)


def _waived_text(text: str, name: str, uses: Iterable[WaiverUse]) -> str:
    return "\n".join(
        [text, *(wording.waiver_line(use) for use in uses if use.waiver.finding == name)]
    )


def _stale_waivers(uses: Iterable[WaiverUse]) -> list[Part]:
    return [Part(f"waiver {use.waiver.name}", use.fault, "waiver") for use in uses if use.fault]


def _at_fault(parts: Iterable[Part], name: str, outcome: Covered, why: str) -> list[Part]:
    """A part for the test itself, if it failed and none of its parts says why."""
    if outcome not in {"error", "failed"} or any(
        part.cause not in {"passed", "skipped"} for part in parts
    ):
        return []
    return [Part(name, why, "unscored" if outcome == "error" else "failed")]

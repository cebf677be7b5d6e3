"""The JUnit report: a suite for each system, a case for each number of each paper.

It holds what Jenkins' xunit schema (junit-10.xsd) accepts and nothing else, no time and no host, so
the same record is the same bytes.
"""

from __future__ import annotations

import tempfile
import xml.etree.ElementTree as ET
from collections import Counter, defaultdict
from dataclasses import dataclass, field, replace
from heapq import nsmallest
from itertools import chain, count
from sys import intern
from typing import IO, TYPE_CHECKING, Final, Literal, NamedTuple

from summeval_pytest.metrics.score import CATALOGUE, COVERAGE, SUPPORT
from summeval_pytest.reports.cases import describe_pair, mean_line, missed_means, standing_of
from summeval_pytest.reports.judge_section import (
    MARK,
    agreement_lines,
    open_floors,
    short_of_floor,
    trust_of,
    trust_phrase,
    untrusted_lines,
)
from summeval_pytest.reports.run import waiver_line
from summeval_pytest.reports.wording import (
    comparison_lines,
    corrected_text,
    missed_lines,
    shown,
    signature_lines,
    standing,
)
from summeval_pytest.suite.lines import ALL_PAPERS, JUDGE
from summeval_pytest.text.printing import one_line, safe
from summeval_pytest.verdict.means import SystemVerdict
from summeval_pytest.verdict.pair import PairVerdict, Shortfall

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from junit_xml import TestCase

    from summeval_pytest.metrics.score import Unscored
    from summeval_pytest.verdict.differences import Comparison, PairChange
    from summeval_pytest.verdict.means import SystemMean
    from summeval_pytest.verdict.run import (
        PairResult,
        RunVerdict,
        SuiteRecord,
        SystemResult,
    )
    from summeval_pytest.verdict.trust import Trust
    from summeval_pytest.verdict.waivers import WaiverUse


CaseKind = Literal[
    "passed", "skipped", "unscored", "shortfall", "lacking", "waiver", "mismatch", "drop", "failed"
]
_PARTS: Final = ("eva.", "faithfulness.", COVERAGE)
"""Numbers that have a case of their own only where a threshold is on them."""
_TOLD_BY: Final = {"eva.recall_entailed": "eva.recall", SUPPORT: "faithfulness", COVERAGE: "facet"}
"""Numbers that nothing is listed for one by one, and those whose findings tell of them, too."""
_MOST: Final = 10
"""Findings, flips, claims or papers that one case shows: GitLab reads no report above 30 MB."""
_NAME: Final = 500
_HEADER: Final = '<?xml version="1.0" encoding="utf-8"?>\n'
_MORE: Final = "more"
"""The tag of a child that stands for those which are written in its place."""
_PIECE: Final = 1 << 16


@dataclass(frozen=True, slots=True)
class NumberCase:
    """One test case; the first line of its text is its message."""

    name: str
    text: str
    kind: CaseKind = field(default="passed", kw_only=True)

    @property
    def fails(self) -> bool:
        """Whether it is a failure or an error."""
        return self.kind not in {"passed", "skipped"}


def judge_cases(trust: Trust) -> Iterator[NumberCase]:
    """A case for each figure of agreement; one that misses a floor fails.

    A judge that was not measured is an error; one whose labels all speak of refused summaries has
    no figure, and passes.
    """
    if not trust.agreements:
        text = one_line(trust.fault) or trust_phrase(trust, has_labels=True)
        yield NumberCase("agreement", text, kind="unscored" if trust.fault else "passed")
    for found in trust.agreements:
        missed = [short_of_floor(found, floor) for floor in found.missed]
        text = "\n".join([*missed, *agreement_lines([found])])
        yield NumberCase(found.name, text, kind="shortfall" if missed else "passed")
    if trust.undecided and not trust.is_untrusted:
        yield NumberCase("undecided", one_line(trust.undecided), kind="unscored")


def pair_cases(pair: PairResult, suite: SuiteRecord) -> list[NumberCase]:
    """Its numbers, then its metrics without a score, then its waivers that are out of order."""
    verdict, numbers = pair.verdict, pair.numbers()
    held = {threshold.name: threshold.least for threshold in suite.policy.thresholds.pair}
    short = {shortfall.name: shortfall for shortfall in verdict.shortfalls}
    waived = {shortfall.name: shortfall for shortfall in verdict.waived}
    cases = []
    for name in CATALOGUE:
        if name in short:
            cases.append(NumberCase(name, _shortfall(pair, short[name]), kind="shortfall"))
        elif name in waived:
            uses = [use for use in verdict.waivers if use.waiver.finding == name]
            lines = [standing_of(waived[name]), *map(waiver_line, uses)]
            cases.append(NumberCase(name, "\n".join(lines)))
        elif name in numbers.values and (name in held or not name.startswith(_PARTS)):
            cases.append(_number(pair, name, numbers.values[name], held.get(name)))
    cases += [_lack(pair, lack) for lack in numbers.unscored]
    n_named = sum(lack.fault == "judge" for lack in numbers.unscored)
    if pair.outcome == "failed":
        left = verdict.undecided[n_named:]
        cases += [NumberCase("undecided", one_line(phrase), kind="unscored") for phrase in left]
    cases += _waiver_faults(verdict.waivers)
    if not any(case.fails for case in cases):
        cases += _at_fault("pair", pair.outcome, "; ".join(pair.verdict.undecided))
    return cases


def _number(pair: PairResult, name: str, value: float | None, least: float | None) -> NumberCase:
    """A number that does not fail its pair; skipped where the pair was left undecided."""
    text = f"{name} {shown(name, value, least)}"
    if pair.outcome == "error":
        why = "; ".join(pair.verdict.undecided)
        return NumberCase(name, f"{text} was not decided: {one_line(why)}", kind="skipped")
    is_met = least is not None and CATALOGUE[name].meets(value, least)
    return NumberCase(name, standing(name, value, least) if is_met and least is not None else text)


def _shortfall(pair: PairResult, short: Shortfall) -> str:
    """One number of a pair, told as if nothing else failed it."""
    metric = CATALOGUE[short.name].metric
    lowers = _TOLD_BY.get(short.name, short.name)
    own = [found for found in pair.findings if found.number.startswith(lowers)]
    alone = replace(
        pair,
        findings=tuple(own[:_MOST]),
        verdict=PairVerdict(shortfalls=(short,)),
        change=pair.change and _narrowed(pair.change, short.name, metric),
    )
    recipes = [text for text in pair.signatures if text.startswith(f"{metric}|")]
    more = [f"and {len(own) - _MOST} more findings"] if len(own) > _MOST else []
    return "\n".join([describe_pair(alone), "", *signature_lines(recipes), *more])


def _narrowed(change: PairChange, name: str, metric: str) -> PairChange:
    """What differs from the baseline's summary, as far as it belongs to one number."""
    is_eva, is_faithfulness = metric == "eva", metric == "faithfulness"
    return replace(
        change,
        numbers=tuple(number for number in change.numbers if number[0] == metric),
        facets=tuple(f for f in change.facets if name in {"facet", f"facet.{f.facet}"}),
        lost=change.lost if is_eva else (),
        regained=change.regained if is_eva else (),
        invented=change.invented if is_eva else (),
        unsupported=change.unsupported if is_faithfulness else (),
        mended=change.mended if is_faithfulness else (),
    )


def _lack(pair: PairResult, lack: Unscored) -> NumberCase:
    if lack.fault == "judge":
        text = f"{lack.metric}: {lack.status}, {one_line(lack.reason)}"
        return NumberCase(lack.metric, text, kind="unscored")
    alone = replace(pair, verdict=PairVerdict(shortfalls=(), unscored=(lack,)))
    return NumberCase(lack.metric, describe_pair(alone), kind="lacking")


def system_cases(system: SystemResult, pairs: Sequence[PairResult]) -> list[NumberCase]:
    """Its means, what the comparison says of them, its waivers that are out of order."""
    cases = [_mean(system, mean, pairs) for mean in system.means]
    for mean in system.corrected:
        missed = list(missed_lines([mean]))
        text = "\n".join(missed or [f"corrected mean {corrected_text(mean)}"])
        kind: CaseKind = "shortfall" if missed else "passed"
        cases.append(NumberCase(f"corrected {mean.name}", text, kind=kind))
    if system.comparison is not None:
        cases += _compared(system.comparison)
    cases += _waiver_faults(system.waivers)
    if system.outcome == "error" or not any(case.fails for case in cases):
        cases += _at_fault(ALL_PAPERS, system.outcome, system.fault)
    return cases


def _mean(system: SystemResult, mean: SystemMean, pairs: Sequence[PairResult]) -> NumberCase:
    uses = tuple(use for use in system.waivers if use.waiver.finding == mean.name)
    alone = replace(system, comparison=None, verdict=SystemVerdict(means=(mean,), waivers=uses))
    missed = [*missed_means(alone)] if alone.verdict.missed else []
    lines = [*(missed or [mean_line(mean)]), *map(waiver_line, uses)]
    kind: CaseKind = "unscored" if mean.is_open else "passed"
    if missed:
        found = ((pair.numbers().values.get(mean.name), pair.paper) for pair in pairs)
        turned = CATALOGUE[mean.name].oriented
        known = ((turned(value), paper) for value, paper in found if value is not None)
        worst = nsmallest(_MOST, known)
        lines += [f"   {shown(mean.name, turned(v))} {one_line(of)}" for v, of in worst]
        kind = "shortfall"
    return NumberCase(f"mean {mean.name}", "\n".join(lines), kind=kind)


def _compared(comparison: Comparison) -> Iterator[NumberCase]:
    lines = ["; ".join(comparison.mismatches), *comparison_lines(comparison)]
    kind: CaseKind = "mismatch" if comparison.mismatches else "passed"
    yield NumberCase("comparison", "\n".join(lines), kind=kind)
    for found in comparison.differences:
        name = found.name
        flips = tuple(f for f in comparison.flips if name in {"facet", f"facet.{f.facet}"})
        alone = replace(comparison, differences=(found,), flips=flips, brevity=())
        lines = ["; ".join(found.broken), *comparison_lines(alone)]
        yield NumberCase(
            f"drop {name}", "\n".join(lines), kind="drop" if found.broken else "passed"
        )


def _waiver_faults(uses: Iterable[WaiverUse]) -> list[NumberCase]:
    return [NumberCase(f"waiver {u.waiver.name}", u.fault, kind="waiver") for u in uses if u.fault]


def _at_fault(name: str, outcome: str, why: str) -> Iterator[NumberCase]:
    """What failed or erred for no reason that stands in its numbers."""
    if outcome in {"error", "failed"}:
        yield NumberCase(name, why, kind="unscored" if outcome == "error" else "failed")


def junit_pieces(record: RunVerdict) -> Iterator[str]:
    """The report as the text of its file, UTF-8, well-formed whatever the texts in it hold.

    A number under its threshold, a metric without a score by the system's fault, a mean, a drop
    against the baseline, a waiver out of order, and a judge's agreement under its floor are
    failures; what the judge left unscored and a judge that was not measured are errors, and the
    numbers of a pair that was left undecided are skipped.

    A suite begins with its counts, so its cases wait in a file until they are counted.
    """
    root = ET.Element("testsuites", name="summeval", time="0")
    counts: Counter[str] = Counter()
    written, taken = [], defaultdict[str, list[str]](list)
    with tempfile.TemporaryFile("w+", encoding="utf-8", newline="") as file:
        for suite in record.suites:
            prefix = f"{suite.name}/" if len(record.suites) > 1 else ""
            about = {
                "suite": f"{suite.name} {suite.fingerprint}",
                "suite file": suite.shown,
                "judge": record.judge.signature,
                "judge trust": trust_of(suite),
            }
            for of, found, lines, more in _parts(suite):
                made = (_test_case(f"{suite.name}.{of}", *each, taken) for each in found)
                cases = _written(made, file)
                counts += cases.counts
                written.append((_element(prefix + of, cases.counts, about | more, lines), cases))
        for counter in ("tests", "failures", "errors"):
            root.set(counter, str(counts[counter]))
        file.seek(0)
        before, after = _around(root, bool(written), 0)
        yield _HEADER + before
        for place, (element, cases) in enumerate(written):
            opening, closing = _around(element, bool(cases.length), 1)
            yield ("\n  " if place else "") + opening
            yield from _read(file, cases.length)
            yield closing
        yield after + "\n"


class _Cases(NamedTuple):
    """Cases that stand in a file: how many there are, and of how many characters."""

    counts: Counter[str]
    length: int


def _written(cases: Iterable[TestCase], file: IO[str]) -> _Cases:
    """Write cases as they stand in their suite."""
    from junit_xml import TestSuite

    counts: Counter[str] = Counter()
    length = 0
    for case in cases:
        element: ET.Element = TestSuite("", [case]).build_xml_doc()[0]
        element.set("time", "0")
        ET.indent(element, level=2)
        text = ET.tostring(element, encoding="unicode")
        length += file.write(f"\n    {text}" if length else text)
        counts["tests"] += 1
        counts["errors"] += case.is_error()
        counts["failures"] += case.is_failure()
        counts["skipped"] += case.is_skipped()
    return _Cases(counts, length)


def _read(file: IO[str], length: int) -> Iterator[str]:
    while length:
        piece = file.read(min(length, _PIECE))
        length -= len(piece)
        yield piece


def _around(element: ET.Element, has_more: bool, level: int) -> tuple[str, str]:
    """The text of an element before and after what it has more of than these children."""
    if has_more:
        element.insert(1, ET.Element(_MORE))  # behind properties, before what was printed
    ET.indent(element, level=level)
    before, _, after = ET.tostring(element, encoding="unicode").partition(f"<{_MORE} />")
    return before, after


def _parts(
    suite: SuiteRecord,
) -> Iterator[tuple[str, Iterable[tuple[str, NumberCase]], Iterable[str], dict[str, str]]]:
    """Judge and systems: each with its cases, its output, its own properties."""
    if suite.trust is not None:
        wrong = untrusted_lines(suite.trust, suite.golden) if suite.is_untrusted else ()
        more = {"labels needed": "; ".join(found)} if (found := open_floors(suite.trust)) else {}
        yield JUDGE, [(JUDGE, case) for case in judge_cases(suite.trust)], wrong, more
    for system in suite.systems:
        pairs = suite.pairs_of(system.name)
        judged = f"{len(pairs)} of {len(system.papers)} pairs"
        gaps = [] if len(pairs) == len(system.papers) else [f"only {judged} were judged"]
        if not system.is_compared:
            gaps.append(one_line(f"not compared with {system.baseline}", _NAME))
        own = system_cases(system, pairs)
        if system.outcome == "not judged" and (gaps or suite.policy.thresholds.mean):
            text = f"its means were not judged; the run judged {judged}"
            own.append(NumberCase(ALL_PAPERS, text, kind="skipped"))
        cases = chain(_cases_of(pairs, suite), ((ALL_PAPERS, case) for case in own))
        lines = [*([MARK] if suite.is_untrusted else ()), *gaps, *map(waiver_line, suite.waivers)]
        yield system.name, cases, lines, {"judged": judged}


def _cases_of(pairs: Iterable[PairResult], suite: SuiteRecord) -> Iterator[tuple[str, NumberCase]]:
    for pair in pairs:
        for case in pair_cases(pair, suite):
            yield pair.paper, case


def _element(
    name: str, counts: Mapping[str, int], about: Mapping[str, str], lines: Iterable[str]
) -> ET.Element:
    """One suite of the report as XML, without its cases."""
    from junit_xml import TestSuite

    made: ET.Element = TestSuite(
        one_line(name, _NAME),
        properties={key: one_line(value, _NAME) for key, value in about.items()},
        stdout="\n".join(lines),
    ).build_xml_doc()
    del made.attrib["disabled"]
    for counter in ("errors", "failures", "skipped", "tests"):
        made.set(counter, str(counts[counter]))
    return made


def _test_case(prefix: str, paper: str, case: NumberCase, taken: dict[str, list[str]]) -> TestCase:
    """The case under a name of its own: of two equal ones GitLab shows the first alone.

    Jenkins takes what stands before the last dot of a class name for a package. ``taken`` has the
    names by class name.
    """
    from junit_xml import TestCase

    classname = f"{one_line(prefix, _NAME)}.{one_line(paper, _NAME).replace('.', '_')}"
    wanted = one_line(case.name, _NAME)
    names = (wanted if n == 1 else f"{wanted} ({n})" for n in count(1))
    name = next(name for name in names if name not in taken[classname])
    taken[classname].append(intern(name))
    text = safe(case.text.strip())
    # Without a message and a text, the package would have a failure pass.
    message = one_line(text.partition("\n")[0], _NAME) or case.kind
    made = TestCase(name, classname, stdout=text if case.kind == "passed" else None)
    if case.kind == "skipped":
        made.add_skipped_info(message)
    elif case.kind == "unscored":
        made.add_error_info(message, text or message, case.kind)
    elif case.fails:
        made.add_failure_info(message, text or message, case.kind)
    return made

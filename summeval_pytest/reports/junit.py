"""A run record as a JUnit report: a suite a system, a case for each number of each paper.

It holds what Jenkins' xunit schema (junit-10.xsd) accepts and nothing else, no time and no host, so
the same record is the same bytes.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from dataclasses import dataclass, replace
from itertools import count
from typing import TYPE_CHECKING, Final, Literal

from summeval_pytest.metrics import CATALOGUE
from summeval_pytest.reports.comparison import comparison_lines
from summeval_pytest.reports.ending import waiver_line
from summeval_pytest.reports.failure import describe_means, describe_pair, short_of
from summeval_pytest.reports.numbers import shown
from summeval_pytest.reports.trust import UNMEASURED
from summeval_pytest.text import one_line, safe
from summeval_pytest.verdict import ALL_PAPERS, MeanVerdict, PairVerdict, Shortfall, fault_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from junit_xml import TestCase

    from summeval_pytest.metrics import Unscored
    from summeval_pytest.verdict import (
        Comparison,
        Covered,
        PairChange,
        PairRecord,
        RunRecord,
        SuiteRecord,
        SystemMean,
        SystemRecord,
        WaiverUse,
    )

_Kind = Literal[
    "passed", "skipped", "unscored", "shortfall", "lacking", "waiver", "mismatch", "drop", "failed"
]
_HEADER: Final = '<?xml version="1.0" encoding="utf-8"?>\n'
_NAME: Final = 500
_MOST: Final = 10
"""Findings, flips, claims or papers that one case shows: GitLab reads no report above 30 MB."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Case:
    """One test case; the first line of its text is its message, and ``of`` is its paper."""

    of: str
    name: str
    kind: _Kind = "passed"
    text: str

    @property
    def fails(self) -> bool:
        return self.kind not in {"passed", "skipped"}


def junit_text(record: RunRecord) -> str:
    """The report as the text of its file, UTF-8, well-formed whatever the texts in it hold.

    A number under its threshold, a metric without a score by the system's fault, a mean, a drop
    against the baseline, and a waiver out of order are failures; what the judge left unscored is an
    error, and the numbers of a pair that was left undecided for it are skipped.
    """
    root = ET.Element("testsuites", name="summeval", time="0")
    taken: set[tuple[str, str]] = set()
    for suite in record.suites:
        prefix = f"{suite.name}/" if len(record.suites) > 1 else ""
        for system in suite.systems:
            root.append(_suite(prefix + system.name, record.judge, suite, system, taken))
    for counter in ("tests", "failures", "errors"):
        root.set(counter, str(sum(int(each.get(counter, "0")) for each in root)))
    ET.indent(root)
    return _HEADER + ET.tostring(root, encoding="unicode") + "\n"


def _suite(
    name: str, judge: str, suite: SuiteRecord, system: SystemRecord, taken: set[tuple[str, str]]
) -> ET.Element:
    from junit_xml import TestSuite

    pairs = suite.pairs_of(system.name)
    judged = f"{len(pairs)} of {len(system.papers)} pairs"
    about = {
        "suite": f"{suite.name} {suite.fingerprint}",
        "suite file": suite.shown,
        "judge": judge,
        "judge trust": UNMEASURED,
        "judged": judged,
    }
    lines = [] if len(pairs) == len(system.papers) else [f"only {judged} were judged"]
    if not system.is_compared:
        lines.append(one_line(f"not compared with {system.baseline}", _NAME))
    cases = [case for pair in pairs for case in _pair_cases(pair, suite)]
    cases += _system_cases(system, pairs)
    if system.outcome == "not judged" and (lines or suite.thresholds.mean):
        text = f"its means were not judged; the run judged {judged}"
        cases.append(_Case(of=ALL_PAPERS, name=ALL_PAPERS, kind="skipped", text=text))
    made: ET.Element = TestSuite(
        one_line(name, _NAME),
        [_test_case(f"{suite.name}.{system.name}", case, taken) for case in cases],
        properties={key: one_line(value, _NAME) for key, value in about.items()},
        stdout="\n".join([*lines, *map(waiver_line, suite.waivers)]),
    ).build_xml_doc()
    del made.attrib["disabled"]
    for case in made.iter("testcase"):
        case.set("time", "0")
    # The package has the output of a suite before its cases; most schemas want it behind them.
    for output in made.findall("system-out"):
        made.remove(output)
        made.append(output)
    return made


def _test_case(prefix: str, case: _Case, taken: set[tuple[str, str]]) -> TestCase:
    """The case under a name of its own: of two equal ones GitLab shows the first alone.

    Jenkins takes what stands before the last dot of a class name for a package.
    """
    from junit_xml import TestCase

    paper = one_line(case.of, _NAME).replace(".", "_")
    classname = f"{one_line(prefix, _NAME)}.{paper}"
    wanted = one_line(case.name, _NAME)
    names = (wanted if n == 1 else f"{wanted} ({n})" for n in count(1))
    name = next(name for name in names if (classname, name) not in taken)
    taken.add((classname, name))
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


def _pair_cases(pair: PairRecord, suite: SuiteRecord) -> list[_Case]:
    """Its numbers, then its metrics without a score, then its waivers that are out of order."""
    verdict, numbers = pair.verdict, pair.numbers()
    held = {threshold.name: threshold.least for threshold in suite.thresholds.pair}
    short = {shortfall.name: shortfall for shortfall in verdict.shortfalls}
    waived = {shortfall.name: shortfall for shortfall in verdict.waived}
    cases = []
    for name in CATALOGUE:
        if name in short:
            cases.append(_shortfall(pair, short[name]))
        elif name in waived:
            uses = [use for use in verdict.waivers if use.waiver.finding == name]
            text = "\n".join([short_of(waived[name]), *map(waiver_line, uses)])
            cases.append(_Case(of=pair.paper, name=name, text=text))
        elif name in numbers.values and (name in held or not name.startswith("eva.")):
            cases.append(_number(pair, name, numbers.values[name], held.get(name)))
    cases += [_lack(pair, lack) for lack in numbers.unscored]
    cases += _waiver_faults(pair.paper, verdict.waivers)
    if not any(case.fails for case in cases):
        cases += _at_fault(pair.paper, "pair", pair.outcome, pair.fault)
    return cases


def _number(pair: PairRecord, name: str, value: float | None, least: float | None) -> _Case:
    """A number that does not fail its pair; skipped where the pair was left undecided."""
    text = f"{name} {shown(name, value, least)}"
    if pair.outcome == "error":
        text += f" was not held to a threshold: {one_line(pair.fault)}"
        return _Case(of=pair.paper, name=name, kind="skipped", text=text)
    if value is not None and least is not None and value >= least:
        text += f" >= {shown(name, least, least)}"
    return _Case(of=pair.paper, name=name, text=text)


def _shortfall(pair: PairRecord, short: Shortfall) -> _Case:
    """One number of a pair, told as if nothing else failed it."""
    metric = CATALOGUE[short.name].metric
    # Nothing but the matched facts is listed one by one; they tell of the entailed ones, too.
    lowers = "eva.recall" if short.name == "eva.recall_entailed" else short.name
    own = [found for found in pair.findings if found.number.startswith(lowers)]
    alone = replace(
        pair,
        findings=tuple(own[:_MOST]),
        signatures=tuple(text for text in pair.signatures if text.startswith(f"{metric}|")),
        verdict=PairVerdict(shortfalls=(short,)),
        change=pair.change and _narrowed(pair.change, short.name, metric),
    )
    text = describe_pair(alone)
    if len(own) > _MOST:
        text += f"\nand {len(own) - _MOST} more findings"
    return _Case(of=pair.paper, name=short.name, kind="shortfall", text=text)


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


def _lack(pair: PairRecord, lack: Unscored) -> _Case:
    """A metric without a score, by the judge's fault or the system's."""
    if lack.fault == "judge":
        text = f"{lack.metric}: {lack.status}, {one_line(lack.reason)}\n{pair.fault}"
        return _Case(of=pair.paper, name=lack.metric, kind="unscored", text=text)
    text = describe_pair(replace(pair, verdict=PairVerdict(shortfalls=(), lacking=(lack,))))
    return _Case(of=pair.paper, name=lack.metric, kind="lacking", text=text)


def _system_cases(system: SystemRecord, pairs: Sequence[PairRecord]) -> list[_Case]:
    """Its means, what the comparison says of them, its waivers that are out of order."""
    cases = [_mean(system, mean, pairs) for mean in system.means]
    if system.comparison is not None:
        cases += _compared(system.comparison)
    cases += _waiver_faults(ALL_PAPERS, system.waivers)
    if system.outcome == "error" or not any(case.fails for case in cases):
        cases += _at_fault(ALL_PAPERS, ALL_PAPERS, system.outcome, system.fault)
    return cases


def _mean(system: SystemRecord, mean: SystemMean, pairs: Sequence[PairRecord]) -> _Case:
    uses = tuple(use for use in system.waivers if use.waiver.finding == mean.name)
    told = describe_means("", MeanVerdict(means=(mean,)), ()).removeprefix(": ").strip()
    lines = [told, *map(waiver_line, uses)]
    if not MeanVerdict(means=(mean,), waivers=uses).missed:
        return _Case(of=ALL_PAPERS, name=f"mean {mean.name}", text="\n".join(lines))
    found = ((pair.numbers().values.get(mean.name), pair.paper) for pair in pairs)
    lowest = sorted((value, paper) for value, paper in found if value is not None)
    lines += [f"   {shown(mean.name, v)} {one_line(paper)}" for v, paper in lowest[:_MOST]]
    text = "\n".join(lines)
    return _Case(of=ALL_PAPERS, name=f"mean {mean.name}", kind="shortfall", text=text)


def _compared(comparison: Comparison) -> Iterator[_Case]:
    """Whether the two can be compared, then each number that both have."""
    kind: _Kind = "mismatch" if comparison.mismatches else "passed"
    lines = ["; ".join(comparison.mismatches), *comparison_lines(comparison)]
    yield _Case(of=ALL_PAPERS, name="comparison", kind=kind, text="\n".join(lines))
    for found in comparison.differences:
        name = found.name
        flips = tuple(f for f in comparison.flips if name in {"facet", f"facet.{f.facet}"})
        alone = replace(comparison, differences=(found,), flips=flips, brevity=())
        lines = ["; ".join(found.broken), *comparison_lines(alone)]
        kind = "drop" if found.broken else "passed"
        yield _Case(of=ALL_PAPERS, name=f"drop {name}", kind=kind, text="\n".join(lines))


def _waiver_faults(of: str, uses: Iterable[WaiverUse]) -> Iterator[_Case]:
    for use in uses:
        if fault := fault_of(use):
            yield _Case(of=of, name=f"waiver {use.waiver.name}", kind="waiver", text=fault)


def _at_fault(of: str, name: str, outcome: Covered, fault: str) -> Iterator[_Case]:
    """What failed or erred for no reason that stands in its numbers."""
    if outcome in {"error", "failed"}:
        kind: _Kind = "unscored" if outcome == "error" else "failed"
        yield _Case(of=of, name=name, kind=kind, text=fault)

"""The JUnit report: a suite for each system, a case for each number of each paper.

It holds what Jenkins' xunit schema (junit-10.xsd) accepts and nothing else, no time and no host, so
the same record is the same bytes.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from dataclasses import dataclass, replace
from itertools import count
from typing import TYPE_CHECKING, Final, Literal

from summeval_pytest.metrics.score import CATALOGUE, SUPPORT
from summeval_pytest.reports.pair import (
    broken_texts,
    comparison_lines,
    corrected_text,
    describe_means,
    describe_pair,
    kept,
    missed_lines,
    relation_text,
    short_of,
    shown,
    signature_lines,
)
from summeval_pytest.reports.run import waiver_line
from summeval_pytest.reports.trust import (
    MARK,
    agreement_lines,
    short_of_floor,
    trust_of,
    trust_phrase,
    untrusted_lines,
)
from summeval_pytest.suite.lines import ALL_PAPERS, JUDGE
from summeval_pytest.text.printing import one_line, safe
from summeval_pytest.verdict.decide import MeanVerdict, PairVerdict, Shortfall

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from junit_xml import TestCase

    from summeval_pytest.metrics.score import Unscored
    from summeval_pytest.record.record import (
        Comparison,
        Covered,
        PairChange,
        PairRecord,
        RunRecord,
        SuiteRecord,
        SystemRecord,
    )
    from summeval_pytest.verdict.corrected import CorrectedMean
    from summeval_pytest.verdict.decide import SystemMean
    from summeval_pytest.verdict.relations import RelationVerdict
    from summeval_pytest.verdict.thresholds import WaiverUse
    from summeval_pytest.verdict.trust import Trust


CaseKind = Literal[
    "passed", "skipped", "unscored", "shortfall", "lacking", "waiver", "mismatch", "drop", "failed"
]
RELATIONS: Final = "relations"
"""The suite of a report whose cases are relations that the judge was tried with."""
_PARTS: Final = ("eva.", "faithfulness.")
"""Numbers that have a case of their own only where a threshold is on them."""
_TOLD_BY: Final = {"eva.recall_entailed": "eva.recall", SUPPORT: "faithfulness"}
"""Numbers that nothing is listed for one by one, and those whose findings tell of them, too."""
_MOST: Final = 10
"""Findings, flips, claims or papers that one case shows: GitLab reads no report above 30 MB."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One test case; the first line of its text is its message, and ``of`` is its paper."""

    of: str
    name: str
    kind: CaseKind = "passed"
    text: str

    @property
    def fails(self) -> bool:
        """Whether it is a failure or an error."""
        return self.kind not in {"passed", "skipped"}


def judge_cases(trust: Trust) -> Iterator[Case]:
    """A case for each figure of agreement; one that misses a floor fails.

    A judge that was not measured is an error; one whose labels all speak of refused summaries has
    no figure, and passes.
    """
    if not trust.agreements:
        text = one_line(trust.fault) or trust_phrase(trust, has_labels=True)
        kind: CaseKind = "unscored" if trust.fault else "passed"
        yield Case(of=JUDGE, name="agreement", kind=kind, text=text)
    for found in trust.agreements:
        missed = [short_of_floor(found, floor) for floor in found.missed]
        text = "\n".join([*missed, *agreement_lines([found])])
        kind = "shortfall" if missed else "passed"
        yield Case(of=JUDGE, name=found.name, kind=kind, text=text)
    if trust.undecided and not trust.is_untrusted:
        yield Case(of=JUDGE, name="undecided", kind="unscored", text=one_line(trust.undecided))


def relation_cases(relations: Sequence[RelationVerdict]) -> Iterator[Case]:
    """A case for each relation that the judge was tried with."""
    kinds: dict[str, CaseKind] = {
        "passes": "passed",
        "fails": "failed",
        "unanswered": "unscored",
        "nothing to check": "skipped",
    }
    for verdict in relations:
        text = "\n".join([relation_text(verdict), *broken_texts(verdict)[:_MOST]])
        kind = kinds[verdict.state]
        yield Case(of=RELATIONS, name=verdict.relation, kind=kind, text=text)


def pair_cases(pair: PairRecord, suite: SuiteRecord) -> list[Case]:
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
            cases.append(Case(of=pair.paper, name=name, text=text))
        elif name in numbers.values and (name in held or not name.startswith(_PARTS)):
            cases.append(_number(pair, name, numbers.values[name], held.get(name)))
    cases += [_lack(pair, lack) for lack in numbers.unscored]
    cases += _waiver_faults(pair.paper, verdict.waivers)
    if not any(case.fails for case in cases):
        cases += _at_fault(pair.paper, "pair", pair.outcome, pair.fault)
    return cases


def _number(pair: PairRecord, name: str, value: float | None, least: float | None) -> Case:
    """A number that does not fail its pair; skipped where the pair was left undecided."""
    text = f"{name} {shown(name, value, least)}"
    if pair.outcome == "error":
        text += f" was not held to a threshold: {one_line(pair.fault)}"
        return Case(of=pair.paper, name=name, kind="skipped", text=text)
    if least is not None and CATALOGUE[name].meets(value, least):
        text = kept(name, value, least)
    return Case(of=pair.paper, name=name, text=text)


def _shortfall(pair: PairRecord, short: Shortfall) -> Case:
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
    text = "\n".join([describe_pair(alone), "", *signature_lines(recipes)])
    if len(own) > _MOST:
        text += f"\nand {len(own) - _MOST} more findings"
    return Case(of=pair.paper, name=short.name, kind="shortfall", text=text)


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


def _lack(pair: PairRecord, lack: Unscored) -> Case:
    """A metric without a score, by the judge's fault or the system's."""
    if lack.fault == "judge":
        text = f"{lack.metric}: {lack.status}, {one_line(lack.reason)}\n{pair.fault}"
        return Case(of=pair.paper, name=lack.metric, kind="unscored", text=text)
    text = describe_pair(replace(pair, verdict=PairVerdict(shortfalls=(), lacking=(lack,))))
    return Case(of=pair.paper, name=lack.metric, kind="lacking", text=text)


def system_cases(system: SystemRecord, pairs: Sequence[PairRecord]) -> list[Case]:
    """Its means, what the comparison says of them, its waivers that are out of order."""
    cases = [_mean(system, mean, pairs) for mean in system.means]
    cases += [_corrected(mean) for mean in system.corrected]
    if system.comparison is not None:
        cases += _compared(system.comparison)
    cases += _waiver_faults(ALL_PAPERS, system.waivers)
    if system.outcome == "error" or not any(case.fails for case in cases):
        cases += _at_fault(ALL_PAPERS, ALL_PAPERS, system.outcome, system.fault)
    return cases


def _corrected(mean: CorrectedMean) -> Case:
    """A mean with the judge's error taken out; it fails where it is held to more."""
    missed = list(missed_lines([mean]))
    text = "\n".join(missed or [f"corrected mean {corrected_text(mean)}"])
    kind: CaseKind = "shortfall" if missed else "passed"
    return Case(of=ALL_PAPERS, name=f"corrected {mean.name}", kind=kind, text=text)


def _mean(system: SystemRecord, mean: SystemMean, pairs: Sequence[PairRecord]) -> Case:
    uses = tuple(use for use in system.waivers if use.waiver.finding == mean.name)
    told = describe_means("", MeanVerdict(means=(mean,))).removeprefix(": ").strip()
    lines = [told, *map(waiver_line, uses)]
    if not MeanVerdict(means=(mean,), waivers=uses).missed:
        return Case(of=ALL_PAPERS, name=f"mean {mean.name}", text="\n".join(lines))
    found = ((pair.numbers().values.get(mean.name), pair.paper) for pair in pairs)
    turned = CATALOGUE[mean.name].oriented
    worst = sorted((turned(value), paper) for value, paper in found if value is not None)
    lines += [f"   {shown(mean.name, turned(v))} {one_line(paper)}" for v, paper in worst[:_MOST]]
    text = "\n".join(lines)
    return Case(of=ALL_PAPERS, name=f"mean {mean.name}", kind="shortfall", text=text)


def _compared(comparison: Comparison) -> Iterator[Case]:
    """Whether the two can be compared, then each number that both have."""
    kind: CaseKind = "mismatch" if comparison.mismatches else "passed"
    lines = ["; ".join(comparison.mismatches), *comparison_lines(comparison)]
    yield Case(of=ALL_PAPERS, name="comparison", kind=kind, text="\n".join(lines))
    for found in comparison.differences:
        name = found.name
        flips = tuple(f for f in comparison.flips if name in {"facet", f"facet.{f.facet}"})
        alone = replace(comparison, differences=(found,), flips=flips, brevity=())
        lines = ["; ".join(found.broken), *comparison_lines(alone)]
        kind = "drop" if found.broken else "passed"
        yield Case(of=ALL_PAPERS, name=f"drop {name}", kind=kind, text="\n".join(lines))


def _waiver_faults(of: str, uses: Iterable[WaiverUse]) -> Iterator[Case]:
    for use in uses:
        if fault := use.fault:
            yield Case(of=of, name=f"waiver {use.waiver.name}", kind="waiver", text=fault)


def _at_fault(of: str, name: str, outcome: Covered, fault: str) -> Iterator[Case]:
    """What failed or erred for no reason that stands in its numbers."""
    if outcome in {"error", "failed"}:
        kind: CaseKind = "unscored" if outcome == "error" else "failed"
        yield Case(of=of, name=name, kind=kind, text=fault)


_HEADER: Final = '<?xml version="1.0" encoding="utf-8"?>\n'
_NAME: Final = 500


def junit_text(record: RunRecord) -> str:
    """The report as the text of its file, UTF-8, well-formed whatever the texts in it hold.

    A number under its threshold, a metric without a score by the system's fault, a mean, a drop
    against the baseline, a waiver out of order, and a judge's agreement under its floor are
    failures; what the judge left unscored and a judge that was not measured are errors, and the
    numbers of a pair that was left undecided are skipped.
    """
    root = ET.Element("testsuites", name="summeval", time="0")
    taken: set[tuple[str, str]] = set()
    for suite in record.suites:
        prefix = f"{suite.name}/" if len(record.suites) > 1 else ""
        about = {
            "suite": f"{suite.name} {suite.fingerprint}",
            "suite file": suite.shown,
            "judge": record.judge,
            "judge trust": trust_of(suite),
        }
        for of, found, lines, more in _parts(suite):
            cases = [_test_case(f"{suite.name}.{of}", case, taken) for case in found]
            root.append(_element(prefix + of, cases, about | more, lines))
    for counter in ("tests", "failures", "errors"):
        root.set(counter, str(sum(int(each.get(counter, "0")) for each in root)))
    ET.indent(root)
    return _HEADER + ET.tostring(root, encoding="unicode") + "\n"


def _parts(
    suite: SuiteRecord,
) -> Iterator[tuple[str, Iterable[Case], Iterable[str], dict[str, str]]]:
    """Judge, relations and systems: each with its cases, its output, its own properties."""
    if suite.trust is not None:
        wrong = untrusted_lines(suite.trust, suite.golden) if suite.is_untrusted else ()
        yield JUDGE, judge_cases(suite.trust), wrong, {}
    if suite.relations:
        yield RELATIONS, relation_cases(suite.relations), (), {}
    for system in suite.systems:
        pairs = suite.pairs_of(system.name)
        judged = f"{len(pairs)} of {len(system.papers)} pairs"
        lines = [MARK] if suite.is_untrusted else []
        if len(pairs) != len(system.papers):
            lines.append(f"only {judged} were judged")
        if not system.is_compared:
            lines.append(one_line(f"not compared with {system.baseline}", _NAME))
        is_part = len(lines) > suite.is_untrusted
        cases = [case for pair in pairs for case in pair_cases(pair, suite)]
        cases += system_cases(system, pairs)
        if system.outcome == "not judged" and (is_part or suite.thresholds.mean):
            text = f"its means were not judged; the run judged {judged}"
            cases.append(Case(of=ALL_PAPERS, name=ALL_PAPERS, kind="skipped", text=text))
        yield system.name, cases, [*lines, *map(waiver_line, suite.waivers)], {"judged": judged}


def _element(
    name: str, cases: list[TestCase], about: Mapping[str, str], lines: Iterable[str]
) -> ET.Element:
    """One suite of the report as XML."""
    from junit_xml import TestSuite

    made: ET.Element = TestSuite(
        one_line(name, _NAME),
        cases,
        properties={key: one_line(value, _NAME) for key, value in about.items()},
        stdout="\n".join(lines),
    ).build_xml_doc()
    del made.attrib["disabled"]
    for case in made.iter("testcase"):
        case.set("time", "0")
    # The package has the output of a suite before its cases; most schemas want it behind them.
    for output in made.findall("system-out"):
        made.remove(output)
        made.append(output)
    return made


def _test_case(prefix: str, case: Case, taken: set[tuple[str, str]]) -> TestCase:
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

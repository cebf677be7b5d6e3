"""A run record as a JUnit report: a suite a system, a case for each number of each paper.

It holds what Jenkins' xunit schema (junit-10.xsd) accepts and nothing else, no time and no host, so
the same record is the same bytes.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING, Final

from summeval_pytest.reports.ending import waiver_line
from summeval_pytest.reports.junit_cases import (
    RELATIONS,
    Case,
    judge_cases,
    pair_cases,
    relation_cases,
    system_cases,
)
from summeval_pytest.reports.trust import MARK, trust_of, untrusted_lines
from summeval_pytest.suite import JUDGE
from summeval_pytest.text import one_line, safe
from summeval_pytest.verdict import ALL_PAPERS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from junit_xml import TestCase

    from summeval_pytest.verdict import RunRecord, SuiteRecord, SystemRecord, Trust

_HEADER: Final = '<?xml version="1.0" encoding="utf-8"?>\n'
_NAME: Final = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class _Part:
    """One suite of the report: whose it is, its cases, its properties, and what else is said."""

    of: str
    cases: tuple[Case, ...]
    about: Mapping[str, str]
    lines: tuple[str, ...]


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
        for part in _parts(suite):
            cases = [_test_case(f"{suite.name}.{part.of}", case, taken) for case in part.cases]
            root.append(_element(prefix + part.of, cases, about | dict(part.about), part.lines))
    for counter in ("tests", "failures", "errors"):
        root.set(counter, str(sum(int(each.get(counter, "0")) for each in root)))
    ET.indent(root)
    return _HEADER + ET.tostring(root, encoding="unicode") + "\n"


def _parts(suite: SuiteRecord) -> Iterator[_Part]:
    """The judge, where it was measured or tried, then the systems."""
    if suite.trust is not None:
        yield _judge(suite, suite.trust)
    if suite.relations:
        yield _Part(of=RELATIONS, cases=tuple(relation_cases(suite.relations)), about={}, lines=())
    for system in suite.systems:
        yield _system(suite, system)


def _judge(suite: SuiteRecord, trust: Trust) -> _Part:
    lines = untrusted_lines(trust, suite.golden) if trust.is_untrusted else ()
    return _Part(of=JUDGE, cases=tuple(judge_cases(trust)), about={}, lines=tuple(lines))


def _system(suite: SuiteRecord, system: SystemRecord) -> _Part:
    pairs = suite.pairs_of(system.name)
    judged = f"{len(pairs)} of {len(system.papers)} pairs"
    lines = [] if len(pairs) == len(system.papers) else [f"only {judged} were judged"]
    if not system.is_compared:
        lines.append(one_line(f"not compared with {system.baseline}", _NAME))
    cases = [case for pair in pairs for case in pair_cases(pair, suite)]
    cases += system_cases(system, pairs)
    if system.outcome == "not judged" and (lines or suite.thresholds.mean):
        text = f"its means were not judged; the run judged {judged}"
        cases.append(Case(of=ALL_PAPERS, name=ALL_PAPERS, kind="skipped", text=text))
    return _Part(
        of=system.name,
        cases=tuple(cases),
        about={"judged": judged},
        lines=(*((MARK,) if suite.is_untrusted else ()), *lines, *map(waiver_line, suite.waivers)),
    )


def _element(
    name: str, cases: list[TestCase], about: Mapping[str, str], lines: tuple[str, ...]
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

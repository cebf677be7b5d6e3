"""The JUnit report: a suite for each system, a case for each number of each paper.

It holds what Jenkins' xunit schema (junit-10.xsd) accepts and nothing else, no time and no host, so
the same record is the same bytes.
"""

from __future__ import annotations

import tempfile
import xml.etree.ElementTree as ET
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, count
from sys import intern
from typing import TYPE_CHECKING, Final

from summeval_pytest.reports.cases import Part, judge_parts, pair_parts, system_parts
from summeval_pytest.reports.judge_section import MARK, open_floors, trust_of, untrusted_lines
from summeval_pytest.reports.wording import waiver_line
from summeval_pytest.suite.lines import ALL_PAPERS, JUDGE, STICK
from summeval_pytest.text.printing import one_line, safe
from summeval_pytest.verdict.run import RunVerdict, SuiteRecord

if TYPE_CHECKING:
    from junit_xml import TestCase

_Parts = Iterable[tuple[str, Part]]

_NAME: Final = 500
_HEADER: Final = '<?xml version="1.0" encoding="utf-8"?>\n'
_PIECE: Final = 1 << 16
_COUNTED: Final = ("tests", "failures", "errors")


def junit_pieces(record: RunVerdict) -> Iterator[str]:
    """The report as pieces of its UTF-8 file, well-formed whatever the texts in it hold.

    What the system misses is a failure, and so are a stale waiver and a judge under its floor. What
    the judge left unscored is an error. The numbers of an undecided pair are skipped.

    The report begins with its counts, so each suite waits in a file until all are counted.
    """
    counts: Counter[str] = Counter()
    taken: defaultdict[str, list[str]] = defaultdict(list)
    with tempfile.TemporaryFile("w+", encoding="utf-8", newline="") as file:
        for suite in record.suites:
            prefix = f"{suite.name}/" if len(record.suites) > 1 else ""
            about = {
                "suite": f"{suite.name} {suite.fingerprint}",
                "suite file": suite.shown,
                "judge": record.judge.signature,
                "judge trust": trust_of(suite),
            }
            for name, parts, lines, more in _parts_by_system(suite):
                whose = f"{suite.name}.{name}"
                cases = [_test_case(whose, paper, part, taken) for paper, part in parts]
                element = _test_suite(prefix + name, cases, about | more, lines)
                counts.update({counter: int(element.attrib[counter]) for counter in _COUNTED})
                file.write(f"\n  {ET.tostring(element, encoding='unicode')}")
        root = ET.Element("testsuites", name="summeval", time="0")
        root.attrib |= {counter: str(counts[counter]) for counter in _COUNTED}
        yield _HEADER + ET.tostring(root, encoding="unicode").replace(" />", ">")
        file.seek(0)
        yield from iter(partial(file.read, _PIECE), "")
        yield "\n</testsuites>\n"


def _parts_by_system(
    suite: SuiteRecord,
) -> Iterator[tuple[str, _Parts, Sequence[str], dict[str, str]]]:
    """Judge and systems: each with its parts by paper, its output, its own properties."""
    if suite.trust is not None:
        wrong = [*untrusted_lines(suite.trust, suite.golden)] if suite.is_untrusted else []
        floors = open_floors(suite.trust)
        more = {"labels needed": "; ".join(floors)} if floors else {}
        yield JUDGE, [(JUDGE, part) for part in judge_parts(suite.trust)], wrong, more
    if suite.stick:
        yield STICK, [(STICK, Part(STICK, suite.stick, "failed"))], [], {}
    for system in suite.systems:
        pairs = suite.pairs_of(system.name)
        judged = f"{len(pairs)} of {len(system.papers)} pairs"
        gaps = [] if len(pairs) == len(system.papers) else [f"only {judged} were judged"]
        if not system.is_compared:
            gaps.append(one_line(f"not compared with {system.baseline}", _NAME))
        of_means = pairs if system.verdict.missed else ()
        own = system_parts(system, [pair.numbers() for pair in of_means])
        if system.outcome == "not judged" and (gaps or suite.policy.decides_systems):
            text = f"its means were not judged; the run judged {judged}"
            own.append(Part(ALL_PAPERS, text, "skipped"))
        of_pairs = (
            (pair.paper, part)
            for pair in pairs
            for part in pair_parts(pair, suite.policy.of_pair(pair.paper))
        )
        lines = [*([MARK] if suite.is_untrusted else ()), *gaps, *map(waiver_line, suite.waivers)]
        parts = chain(of_pairs, ((ALL_PAPERS, part) for part in own))
        yield system.name, parts, lines, {"judged": judged}


def _test_suite(
    name: str, cases: Sequence[TestCase], about: Mapping[str, str], lines: Sequence[str]
) -> ET.Element:
    """One suite as XML, as junit-10.xsd has it: what was printed stands behind the cases."""
    from junit_xml import TestSuite

    properties = {key: one_line(value, _NAME) for key, value in about.items()}
    suite: ET.Element = TestSuite(
        one_line(name, _NAME), cases, properties=properties, stdout="\n".join(lines)
    ).build_xml_doc()
    del suite.attrib["disabled"]
    for case in suite.iter("testcase"):
        case.set("time", "0")
    for printed in suite.findall("system-out"):
        suite.remove(printed)
        suite.append(printed)
    ET.indent(suite, level=1)
    return suite


def _test_case(prefix: str, paper: str, part: Part, taken: dict[str, list[str]]) -> TestCase:
    """The case under a unique name: of two equal names GitLab shows only the first.

    To Jenkins all before the last dot of a class name is a package. Many readers take a failure
    without a message for a pass. ``taken`` has the names by class name.
    """
    from junit_xml import TestCase

    classname = f"{one_line(prefix, _NAME)}.{one_line(paper, _NAME).replace('.', '_')}"
    wanted = one_line(part.name, _NAME)
    names = (wanted if n == 1 else f"{wanted} ({n})" for n in count(1))
    name = next(name for name in names if name not in taken[classname])
    taken[classname].append(intern(name))
    text = safe(part.text.strip())
    message = one_line(text.partition("\n")[0], _NAME) or part.cause
    case = TestCase(name, classname, stdout=text if part.cause == "passed" else None)
    if part.cause == "skipped":
        case.add_skipped_info(message)
    elif part.cause == "unscored":
        case.add_error_info(message, text or message, part.cause)
    elif part.cause != "passed":
        case.add_failure_info(message, text or message, part.cause)
    return case

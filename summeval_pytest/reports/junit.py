"""The JUnit report: a suite for each system, a case for each number of each paper.

It holds what Jenkins' xunit schema (junit-10.xsd) accepts and nothing else, no time and no host, so
the same record is the same bytes.
"""

from __future__ import annotations

import tempfile
import xml.etree.ElementTree as ET
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, count
from sys import intern
from typing import Final

from summeval_pytest.reports.cases import Part, judge_parts, pair_parts, system_parts
from summeval_pytest.reports.judge_section import MARK, open_floors, trust_of, untrusted_lines
from summeval_pytest.reports.wording import waiver_line
from summeval_pytest.suite.lines import ALL_PAPERS, JUDGE
from summeval_pytest.text.printing import one_line, safe
from summeval_pytest.verdict.run import RunVerdict, SuiteRecord

_Parts = Iterable[tuple[str, Part]]

_NAME: Final = 500
_HEADER: Final = '<?xml version="1.0" encoding="utf-8"?>\n'
_MORE: Final = "more"
"""The tag of a placeholder for the cases, which are written in its place."""
_PIECE: Final = 1 << 16
_COUNTED: Final = {"errors": "error", "failures": "failure", "skipped": "skipped"}
"""The tag that each counter of a suite counts, beside ``tests``."""


def junit_pieces(record: RunVerdict, _: object = None) -> Iterator[str]:
    """The report as pieces of its UTF-8 file, well-formed whatever the texts in it hold.

    What the system misses is a failure, and so are a stale waiver and a judge under its floor. What
    the judge left unscored is an error. The numbers of an undecided pair are skipped.

    A suite begins with its counts, so its cases wait in a file until they are counted.
    """
    counts: Counter[str] = Counter()
    suites, taken = [], defaultdict[str, list[str]](list)
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
                tags: Counter[str] = Counter()
                length = 0
                for paper, part in parts:
                    case = _test_case(f"{suite.name}.{name}", paper, part, taken)
                    tags.update(("tests", case[0].tag))
                    ET.indent(case, level=2)
                    text = ET.tostring(case, encoding="unicode")
                    length += file.write(f"\n    {text}" if length else text)
                counts += tags
                suites.append((_test_suite(prefix + name, tags, about | more, lines), length))
        root = ET.Element("testsuites", name="summeval", time="0", tests=str(counts["tests"]))
        root.attrib |= {name: str(counts[_COUNTED[name]]) for name in ("failures", "errors")}
        file.seek(0)
        before, after = _around(root, bool(suites), 0)
        yield _HEADER + before
        for place, (element, length) in enumerate(suites):
            opening, closing = _around(element, bool(length), 1)
            yield ("\n  " if place else "") + opening
            for start in range(0, length, _PIECE):
                yield file.read(min(_PIECE, length - start))
            yield closing
        yield after + "\n"


def _around(element: ET.Element, has_more: bool, level: int) -> tuple[str, str]:
    """The text of an element before and after the children that it does not hold."""
    if has_more:
        element.insert(1, ET.Element(_MORE))  # behind properties, before what was printed
    ET.indent(element, level=level)
    before, _, after = ET.tostring(element, encoding="unicode").partition(f"<{_MORE} />")
    return before, after


def _parts_by_system(
    suite: SuiteRecord,
) -> Iterator[tuple[str, _Parts, Sequence[str], dict[str, str]]]:
    """Judge and systems: each with its parts by paper, its output, its own properties."""
    if suite.trust is not None:
        wrong = [*untrusted_lines(suite.trust, suite.golden)] if suite.is_untrusted else []
        floors = open_floors(suite.trust)
        more = {"labels needed": "; ".join(floors)} if floors else {}
        yield JUDGE, [(JUDGE, part) for part in judge_parts(suite.trust)], wrong, more
    for system in suite.systems:
        pairs = suite.pairs_of(system.name)
        judged = f"{len(pairs)} of {len(system.papers)} pairs"
        gaps = [] if len(pairs) == len(system.papers) else [f"only {judged} were judged"]
        if not system.is_compared:
            gaps.append(one_line(f"not compared with {system.baseline}", _NAME))
        own = system_parts(system, [row.numbers for row in pairs.rows])
        if suite.lacks_means(system) or (gaps and system.outcome == "not judged"):
            text = f"its means were not judged; the run judged {judged}"
            own.append(Part(ALL_PAPERS, text, "skipped"))
        of_pairs = (
            (pair.paper, part)
            for pair in pairs
            for part in pair_parts(pair, suite.policy.thresholds_of(pair.paper))
        )
        lines = [*([MARK] if suite.is_untrusted else ()), *gaps, *map(waiver_line, suite.waivers)]
        parts = chain(of_pairs, ((ALL_PAPERS, part) for part in own))
        yield system.name, parts, lines, {"judged": judged}


def _test_suite(
    name: str, counts: Mapping[str, int], about: Mapping[str, str], lines: Sequence[str]
) -> ET.Element:
    """One suite as XML, without its cases."""
    from junit_xml import TestSuite

    suite: ET.Element = TestSuite(
        one_line(name, _NAME),
        properties={key: one_line(value, _NAME) for key, value in about.items()},
        stdout="\n".join(lines),
    ).build_xml_doc()
    del suite.attrib["disabled"]  # junit-10.xsd does not know it
    suite.attrib |= {counter: str(counts[tag]) for counter, tag in _COUNTED.items()}
    suite.set("tests", str(counts["tests"]))
    return suite


def _test_case(prefix: str, paper: str, part: Part, taken: dict[str, list[str]]) -> ET.Element:
    """The case as XML, under a unique name: of two equal names GitLab shows only the first.

    To Jenkins all before the last dot of a class name is a package. Many readers take a failure
    without a message for a pass. ``taken`` has the names by class name.
    """
    from junit_xml import TestCase, TestSuite

    classname = f"{one_line(prefix, _NAME)}.{one_line(paper, _NAME).replace('.', '_')}"
    wanted = one_line(part.name, _NAME)
    names = (wanted if n == 1 else f"{wanted} ({n})" for n in count(1))
    name = next(name for name in names if name not in taken[classname])
    taken[classname].append(intern(name))
    text = safe(part.text.strip())
    message = one_line(text.partition("\n")[0], _NAME) or part.cause
    case = TestCase(name, classname, stdout=text if part.cause == "passed" else None)
    match part.cause:
        case "passed":
            pass
        case "skipped":
            case.add_skipped_info(message)
        case "unscored":
            case.add_error_info(message, text or message, part.cause)
        case _:
            case.add_failure_info(message, text or message, part.cause)
    element: ET.Element = TestSuite("", [case]).build_xml_doc()[0]
    element.set("time", "0")
    return element

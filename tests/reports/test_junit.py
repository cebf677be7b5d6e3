from __future__ import annotations

import re
import unicodedata
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import product

from hypothesis import example, given, settings
from hypothesis import strategies as st
from junitparser import JUnitXml
from syrupy.assertion import SnapshotAssertion

from summeval_pytest.suite.lines import ALL_PAPERS
from summeval_pytest.verdict.run import Header, PairResult, RunVerdict
from summeval_pytest.verdict.thresholds import Thresholds
from tests.reports.records import (
    FACET,
    FM,
    RESULT,
    STRANGERS,
    THRESHOLDS,
    everything,
    failing,
    in_other_words,
    junit_text,
    mean,
    moss_scores,
    pair,
    record,
    run,
    suite,
    system,
    undecided,
    waived,
)

PLAIN = Thresholds(pair=THRESHOLDS.pair, mean=())
"""Without any of means, which a part of a run would skip."""


def read(run: RunVerdict) -> ET.Element:
    """The report of a run as a consumer gets it, once it has passed our check of its schema."""
    root = ET.fromstring(junit_text(run).encode("utf-8"))  # noqa: S314 - we have written it
    assert [*schema_faults(root)] == []
    return root


def cases(run: RunVerdict, of: str = "") -> dict[str, ET.Element]:
    """The cases of a report, or of one paper, by name."""
    result = [case for case in read(run).iter("testcase") if case.get("classname", "").endswith(of)]
    named = {case.get("name", ""): case for case in result}
    assert len(named) == len(result)
    return named


def state(case: ET.Element) -> str:
    """How a case ended."""
    return next((e.tag for e in case if e.tag in {"failure", "error", "skipped"}), "passed")


def states(run: RunVerdict, of: str = "") -> dict[str, str]:
    """How each case ended."""
    return {name: state(case) for name, case in cases(run, of).items()}


ATTRIBUTES = {
    "testsuites": {"name", "time", "tests", "failures", "errors"},
    "testsuite": {"name", "time", "tests", "failures", "errors", "skipped"},
    "properties": set[str](),
    "property": {"name", "value"},
    "testcase": {"name", "classname", "time"},
    "failure": {"message", "type"},
    "error": {"message", "type"},
    "skipped": {"message", "type"},
    "system-out": set[str](),
}
"""What the schema of Jenkins' xunit plugin knows, as far as a report of ours needs it; all of them
are required here, of which the schema requires but some."""
CHILDREN = {
    "testsuites": r"(testsuite )*",
    "testsuite": r"(properties )?(testcase )*(system-out )?",
    "properties": r"(property )*",
    "testcase": r"(failure |error |skipped |system-out )?",
}
COUNTED = {"tests": "testcase", "failures": "failure", "errors": "error", "skipped": "skipped"}


def schema_faults(root: ET.Element) -> Iterator[str]:
    """What a strict reader would refuse, or an indulgent one read wrongly."""
    for element in root.iter():
        tag, text = element.tag, (element.text or "").strip()
        children = "".join(f"{child.tag} " for child in element)
        if set(element.attrib) != ATTRIBUTES[tag] or element.get("time", "0") != "0":
            yield f"{tag} has {element.attrib}"
        if not re.fullmatch(CHILDREN.get(tag, ""), children) or (tag in CHILDREN and text):
            yield f"{tag} holds {children} {text}"
        if tag in {"failure", "error"} and not (text and element.get("message", "").strip()):
            yield f"empty {tag}"
    for holder, (counter, tag) in product((root, *root.iter("testsuite")), COUNTED.items()):
        if holder.get(counter, result := str(len([*holder.iter(tag)]))) != result:
            yield f"{counter} {holder.get(counter)} of {result}"
    names = Counter((case.get("classname"), case.get("name")) for case in root.iter("testcase"))
    yield from (f"two of {name}" for name, n in names.items() if n > 1)


def test_each_number_of_a_pair_is_a_case_under_its_paper(snapshot: SnapshotAssertion) -> None:
    """Worked example: two papers, of which one misses its FM and the rating of its result."""
    low = replace(failing("ward-02", FM, RESULT), scores=moss_scores()[:1])
    root = read(record(pair("zinc-01", scores=moss_scores()), low, thresholds=PLAIN))
    result = [(c.get("classname"), c.get("name"), state(c)) for c in root.iter("testcase")]
    assert result == snapshot
    (system,) = root
    # 7 cases of the first paper and 5 of the second, 2 of which fail.
    counts = {"name": "summeval", "time": "0", "tests": "12", "failures": "2", "errors": "0"}
    assert root.attrib == counts
    assert system.attrib == counts | {"name": "careless", "skipped": "0"}
    empty = dict.fromkeys(("tests", "failures", "errors"), "0")
    assert read(record()).attrib == empty | {"name": "summeval", "time": "0"}


def test_each_cause_has_its_element_with_a_message_and_the_text() -> None:
    """GitLab shows the text, Jenkins the message; what passes says its number, too."""
    lost = replace(undecided(why=" \n "), scores=moss_scores()[:1])
    result = cases(record(failing("ward-02", FM), lost), of=".ward-02")
    assert [(name, state(case)) for name, case in result.items()][:2] == [
        ("facet", "failure"),
        ("facet (2)", "skipped"),
    ]
    (failure,), (skipped,) = result["facet"], result["facet (2)"]
    assert failure.attrib == {"type": "shortfall", "message": "facet 0.450 < 0.600"}
    assert (failure.text or "").startswith("facet 0.450 < 0.600\ngolden/systems/careless.jsonl:1")
    assert skipped.get("message", "").startswith("facet 0.500 was not decided")
    (error,) = result["pair"]
    assert (error.tag, error.get("message"), error.text) == ("error", "unscored", "unscored")
    (out,) = cases(record(pair(scores=moss_scores())))["eva"]
    assert (out.tag, out.attrib, out.text) == ("system-out", {}, "eva 0.400")


def test_names_that_become_the_same_are_numbered() -> None:
    """GitLab keeps the first of two equal ones, and the failing one may be the second."""
    # Jenkins takes what stands before the last dot for a package: the suite and the system.
    scored = pair("a.b", scores=moss_scores())
    root = read(run(suite(scored, pair("a_b", FM)), suite(scored)))
    result = [(c.get("classname"), c.get("name"), state(c)) for c in root.iter("testcase")]
    assert [each for each in result if str(each[1]).split()[0] == "facet"] == [
        ("golden.careless.a_b", "facet", "passed"),
        ("golden.careless.a_b", "facet (2)", "failure"),
        ("golden.careless.a_b", "facet (3)", "passed"),
    ]
    # without thresholds for means nobody could have forgotten their verdict
    assert ALL_PAPERS not in states(record(pair(), thresholds=PLAIN))
    left_out = system(papers=("zinc-01",), means=())
    assert states(record(pair(), systems=(left_out,)))[ALL_PAPERS] == "skipped"
    judged = system(papers=("zinc-01",), means=(mean(value=0.9),))
    assert ALL_PAPERS not in states(record(pair(), systems=(judged,)))


TEXTS = st.one_of(
    st.sampled_from(STRANGERS), st.text(st.characters(exclude_categories=()), max_size=12)
)
"""Lone surrogates included: half of one is no UTF-8, and no XML."""
FULL = everything()
ENDED = [state(case) for case in read(FULL).iter("testcase")]


@settings(max_examples=5, deadline=None)
@given(TEXTS)
@example("\u202e" * 10**3)
@example("]]>" * 10**2)
def test_whatever_the_texts_are_the_report_is_sound_and_hides_no_failure(text: str) -> None:
    """Law: it parses, its counters add up, every name is its own, each case ends as it did."""
    # Oracle: junitparser 5 counts the cases itself.
    made = in_other_words(FULL, lambda word: f"{text}{word}")
    root = read(made)
    assert [state(case) for case in root.iter("testcase")] == ENDED
    for element in root.iter():
        for said in (element.text or "", *element.attrib.values()):
            hidden = {c for c in set(said) if not c.isprintable()}
            assert {c for c in hidden if unicodedata.category(c) != "Zs"} <= {"\n"}
            assert not any(line.lstrip().startswith("::") for line in said.splitlines())
            assert "##[" not in said
    report = JUnitXml.fromstring(junit_text(made).encode("utf-8"))
    stated = (report.tests, report.failures, report.errors)
    report.update_statistics()  # type: ignore[no-untyped-call]  # theirs has no types
    assert (report.tests, report.failures, report.errors) == stated


def test_the_same_record_is_the_same_bytes_and_nothing_of_its_header() -> None:
    """Two replays differ in their header and in nothing else, so the report may not show it."""
    made = record(failing())
    header = Header(created="2031", commit="c0ffee", environment={"python": "4"}, usage={"c": 1.0})
    text = junit_text(made)
    assert text == junit_text(made) == junit_text(replace(made, header=header))
    assert text.startswith('<?xml version="1.0" encoding="utf-8"?>\n<testsuites ')
    assert text.endswith("\n  </testsuite>\n</testsuites>\n")
    assert not re.search("timestamp|hostname", text)


def quoting(text: str) -> PairResult:
    """A pair whose finding, and paper, say this."""
    finding = replace(FACET, reference=text, summary=text, reason=text, evidence=((0, text),))
    return pair(text[:80], RESULT, FM, findings=(finding,), summary=text)


def test_what_xml_cannot_hold_is_shown_and_a_book_is_cut() -> None:
    """Else the reviewer would never know of the one, and no tool would open the other."""
    hostile, shown = (
        "x\ufffe\ud800\x00\x1b]]><script>&amp;##[",
        r"x\ufffe\ud800\x00\x1b]]><script>&amp;#\x23[",
    )
    made = record(quoting(hostile))
    text = cases(made)["facet.result"][0].text or ""
    assert f'reference    "{shown}"' in text
    assert f"careless on {shown}" in text
    (case, *_) = read(made).iter("testcase")
    assert case.get("classname") == f"golden.careless.{shown}"
    book = "word " * 30_000
    long = record(quoting(book), waivers=(waived("in use", reason=book),))
    assert len(junit_text(long)) < 30_000


def test_a_run_with_something_of_everything_is_a_report(snapshot: SnapshotAssertion) -> None:
    """Judge, systems, pairs, comparison, waivers and two suites, to the byte."""
    assert junit_text(everything()) == snapshot

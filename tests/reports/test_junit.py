from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from junitparser import JUnitXml

from summeval_pytest.errors import Place
from summeval_pytest.metrics.score import (
    EvaScore,
    FacetScore,
    FaithfulnessScore,
    RatedFacet,
    Unscored,
)
from summeval_pytest.record.record import (
    Claim,
    FacetChange,
    Header,
    PairChange,
    PairRecord,
    RunRecord,
    SuiteRecord,
    SystemRecord,
)
from summeval_pytest.reports.junit import junit_text
from summeval_pytest.suite.lines import ALL_PAPERS
from summeval_pytest.suite.values import Waiver
from summeval_pytest.verdict.decide import PairVerdict, Shortfall, SystemMean
from summeval_pytest.verdict.findings import Finding
from summeval_pytest.verdict.thresholds import Threshold, Thresholds, WaiverUse
from tests.reports.records import (
    everything,
    in_other_words,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from syrupy.assertion import SnapshotAssertion

    from summeval_pytest.metrics.score import Score
    from summeval_pytest.verdict.thresholds import WaiverState

SUITE = Place("golden/summeval.toml", 12)
SUMMARIES = Place("golden/systems/careless.jsonl", 3)
FACET = FacetScore(
    value=0.45,
    ratings=(
        RatedFacet(facet="method", rating=3, reason="", reference="", candidate=""),
        RatedFacet(facet="result", rating=1, reason="", reference="", candidate=""),
    ),
)
EVA = EvaScore(value=0.5, precision=0.25, recall=0.75, recall_entailed=0.8)
FAITHFUL = FaithfulnessScore(value=1.0, sentences=())
RESULT = Finding(
    kind="facet",
    number="facet.result",
    title="facet result",
    verdict="rated 1 of 4",
    reason="the hours are missing",
    reference="Mice slept two hours longer.",
    summary="Mice slept.",
    evidence=((7, "The mice with zinc slept two hours longer."),),
    severity=1.0,
)
METHOD = replace(RESULT, number="facet.method", title="facet method", verdict="rated 3 of 4")
INVENTED = replace(
    RESULT, kind="fact", number="eva.precision", title="fact of the summary", verdict="is wrong"
)
LEFT_OUT = replace(INVENTED, number="eva.recall", title="fact of the reference")
UNSUPPORTED = replace(
    RESULT, kind="sentence", number="faithfulness", title="sentence 2", verdict="unsupported"
)
FINDINGS = (RESULT, METHOD, INVENTED, LEFT_OUT, UNSUPPORTED)
SIGNATURES = ("facet|judge:fair-1|v:1", "eva|judge:fair-1|v:1", "faithfulness|judge:fair-1|v:1")


def pair(
    paper: str = "zinc-01", *shortfalls: Shortfall, scores: tuple[Score | Unscored, ...] = (FACET,)
) -> PairRecord:
    """A pair that fails by these numbers, or passes where there are none."""
    return PairRecord(
        paper=paper,
        system="careless",
        outcome="failed" if shortfalls else "passed",
        summary="Mice slept.",
        place=SUMMARIES,
        scores=scores,
        signatures=SIGNATURES,
        findings=FINDINGS,
        verdict=PairVerdict(shortfalls=shortfalls),
    )


def short(name: str, value: float | None, least: float) -> Shortfall:
    """A number under its threshold."""
    return Shortfall(name=name, value=value, least=least)


def waiver(
    finding: str, state: WaiverState, *, paper: str = "zinc-01", name: str = "hours"
) -> WaiverUse:
    """A waiver, and what a run has made of it."""
    written = Waiver(
        name=name,
        paper=paper,
        system="careless",
        finding=finding,
        owner="ann",
        reason="the paper is retracted",
        expires="2027-01-31",
        place=Place("golden/summeval.toml", 30),
    )
    return WaiverUse(waiver=written, state=state)


WAIVED = (
    "waiver hours (in use): careless on zinc-01, facet, until 2027-01-31, owner ann:"
    " the paper is retracted"
)


def suite(
    *pairs: PairRecord,
    system: SystemRecord | None = None,
    held: tuple[Threshold, ...] = (Threshold("facet", 0.4),),
    mean: tuple[Threshold, ...] = (),
    waivers: tuple[WaiverUse, ...] = (),
    name: str = "golden",
) -> SuiteRecord:
    """A suite with one gated system, which has these pairs and no others."""
    papers = tuple(pair.paper for pair in pairs)
    gated = system or SystemRecord(name="careless", place=SUITE, papers=papers)
    return SuiteRecord(
        has_labels=False,
        name=name,
        shown=f"{name}/summeval.toml",
        fingerprint="77be02a1c3d4",
        thresholds=Thresholds(pair=held, mean=mean),
        systems=(replace(gated, papers=gated.papers or papers),),
        papers=(),
        pairs=pairs,
        waivers=waivers,
    )


def record(*suites: SuiteRecord) -> RunRecord:
    """A run of these suites."""
    return RunRecord(header=Header(environment={}, usage={}), judge="fair-1", suites=suites)


def over_papers(*means: SystemMean, **changes: object) -> SystemRecord:
    """The record of a system whose item all-papers has failed, unless the changes say otherwise."""
    system = SystemRecord(name="careless", place=SUITE, papers=(), means=means, outcome="failed")
    return replace(system, **changes)  # type: ignore[arg-type]  # the tests name its fields


def read(run: RunRecord) -> ET.Element:
    """The report of a run, once it has passed our check of its schema."""
    root = parsed(junit_text(run))
    assert schema_faults(root) == []
    return root


def parsed(text: str) -> ET.Element:
    """A report as a consumer gets it, from bytes."""
    return ET.fromstring(text.encode("utf-8"))  # noqa: S314 - we have written it ourselves


def cases(run: RunRecord) -> dict[str, ET.Element]:
    """The cases of a report by name, where no two papers have a number of the same name."""
    found = [(case.get("name", ""), case) for case in read(run).iter("testcase")]
    assert len(dict(found)) == len(found)
    return dict(found)


def state(case: ET.Element) -> str:
    """How a case ended."""
    return next((e.tag for e in case if e.tag in {"failure", "error", "skipped"}), "passed")


def states(run: RunRecord) -> dict[str, str]:
    """How each case ended."""
    return {name: state(case) for name, case in cases(run).items()}


def told(case: ET.Element) -> str:
    """What a case says, wherever it says it."""
    return "".join(element.text or "" for element in case)


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
COUNTED = {"failures": "failure", "errors": "error", "skipped": "skipped"}
TIME = re.compile(r"\d*(\.\d*)?")


def schema_faults(root: ET.Element) -> list[str]:
    """What a strict reader would refuse, or an indulgent one read wrongly."""
    faults = [] if root.tag == "testsuites" else [f"root {root.tag}"]
    for element in root.iter():
        faults += element_faults(element)
    for holder in (root, *root.iter("testsuite")):
        found = {"tests": len([*holder.iter("testcase")])}
        found |= {counter: len([*holder.iter(tag)]) for counter, tag in COUNTED.items()}
        faults += [
            f"{counter} {stated} of {found[counter]}"
            for counter in found
            if (stated := holder.get(counter)) is not None and stated != str(found[counter])
        ]
    names = Counter((case.get("classname"), case.get("name")) for case in root.iter("testcase"))
    return faults + [f"two of {name}" for name, n in names.items() if n > 1]


def element_faults(element: ET.Element) -> Iterator[str]:
    """What is wrong with one element by itself."""
    tag, text = element.tag, (element.text or "").strip()
    children = [child.tag for child in element]
    if set(element.attrib) != ATTRIBUTES.get(tag):
        yield f"{tag} has {sorted(element.attrib)}"
    if not re.fullmatch(CHILDREN.get(tag, ""), "".join(f"{child} " for child in children)):
        yield f"{tag} holds {children}"
    if tag in CHILDREN and text:
        yield f"text in {tag}"
    if not TIME.fullmatch(element.get("time", "0")):
        yield f"time {element.get('time')}"
    if tag in {"failure", "error"} and not text:
        yield f"empty {tag}"
    if "message" in ATTRIBUTES.get(tag, ()) and not element.get("message", "").strip():
        yield f"{tag} without a message"


GOOD = junit_text(
    record(
        suite(pair("a"), pair("b", short("facet", 0.45, 0.5)), waivers=(waiver("eva", "in use"),))
    )
)


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ('<testcase name="facet"', '<testcase status="run" name="facet"', "testcase has"),
        ('classname="golden.careless.a" time="0"', 'classname="golden.careless.a"', "testcase has"),
        ('failures="1"', 'failures="2"', "failures 2 of 1"),
        ('tests="6"', 'tests="5"', "tests 5 of 6"),
        ('time="0"', 'time="0 s"', "time 0 s"),
        ('message="facet 0.450 &lt; 0.500"', 'message=" "', "failure without a message"),
        ("</failure>", '</failure><error message="a" type="b">c</error>', "testcase holds"),
        ("<properties>", "<properties>words", "text in properties"),
        ("</properties>", "</properties><system-out/>", "testsuite holds"),
        ("golden.careless.b", "golden.careless.a", "two of ('golden.careless.a', 'facet')"),
    ],
)
def test_the_check_of_the_schema_sees_a_fault(old: str, new: str, fault: str) -> None:
    """A check that accepts everything would make every other test here worthless."""
    assert schema_faults(parsed(GOOD)) == []
    assert old in GOOD
    found = schema_faults(parsed(GOOD.replace(old, new)))
    assert any(each.startswith(fault) for each in found), found


def test_each_number_of_a_pair_is_a_case_under_its_paper(snapshot: SnapshotAssertion) -> None:
    """Worked example: two papers, of which one misses its FM and the rating of its result."""
    failing = pair("ward-02", short("facet", 0.45, 0.5), short("facet.result", 1.0, 2.0))
    root = read(record(suite(pair("zinc-01", scores=(FACET, EVA, FAITHFUL)), failing)))
    assert [
        (case.get("classname"), case.get("name"), state(case)) for case in root.iter("testcase")
    ] == snapshot
    (system,) = root
    # 5 cases of the first paper and 3 of the second, 2 of which fail.
    assert root.attrib == {
        "name": "summeval", "time": "0", "tests": "8", "failures": "2", "errors": "0"
    }  # fmt: skip
    assert system.attrib == root.attrib | {"name": "careless", "skipped": "0"}


def test_a_failure_shows_both_texts_of_its_own_findings(snapshot: SnapshotAssertion) -> None:
    """Who opens a red facet.result in Jenkins has to see the wrong words, and no other facet's."""
    run = record(suite(pair("ward-02", short("facet.result", 1.0, 2.0), short("facet", 0.4, 0.5))))
    (failure,) = cases(run)["facet.result"]
    assert failure.attrib == {"type": "shortfall", "message": "facet.result 1 < 2"}
    assert (failure.text or "").split("\n") == snapshot


@pytest.mark.parametrize(
    ("name", "titles"),
    [
        ("facet", ["facet result", "facet method"]),
        ("facet.method", ["facet method"]),
        ("eva", ["fact of the summary", "fact of the reference"]),
        ("eva.precision", ["fact of the summary"]),
        ("eva.recall", ["fact of the reference"]),
        ("eva.recall_entailed", ["fact of the reference"]),
        ("faithfulness", ["sentence 2"]),
        ("faithfulness.support", ["sentence 2"]),
    ],
)
def test_a_finding_stands_with_the_numbers_that_it_lowers(name: str, titles: list[str]) -> None:
    """A missing fact does not explain a precision, nor a wrong sentence a facet."""
    run = record(suite(pair("a", short(name, None, 0.5), scores=(FACET, EVA, FAITHFUL))))
    found = re.findall(r"^\d+\. (.*?): ", told(cases(run)[name]), re.MULTILINE)
    assert found == titles


def test_more_findings_than_anyone_reads_are_counted() -> None:
    """Ten tell what is wrong; a summary of a hundred bad sentences would fill a report alone."""
    many = replace(pair("a", short("faithfulness", 0.1, 0.8)), findings=(UNSUPPORTED,) * 13)
    text = told(cases(record(suite(many)))["faithfulness"])
    assert text.count("sentence 2: unsupported") == 10
    assert text.endswith("and 3 more findings")
    few = replace(many, findings=(UNSUPPORTED,) * 10)
    assert "more findings" not in told(cases(record(suite(few)))["faithfulness"])


def test_a_passing_number_says_what_it_was_held_to() -> None:
    """A history of values is worth keeping; 0.45 is at least 0.4, and no threshold is of method."""
    found = cases(record(suite(pair())))
    assert told(found["facet"]) == "facet 0.450 >= 0.400"
    assert told(found["facet.method"]) == "facet.method 3"
    close = pair(scores=(replace(FACET, value=0.4504),))
    # To three digits, 0.4504 is 0.450 and would stand there as less than 0.4502.
    found = cases(record(suite(close, held=(Threshold("facet", 0.4502),))))
    assert told(found["facet"]) == "facet 0.4504 >= 0.4502"


def test_parts_of_eva_score_are_cases_where_something_holds_them(
    snapshot: SnapshotAssertion,
) -> None:
    """Nobody who asks for F1 alone should see four cases go red together."""
    scored = pair("a", scores=(EVA,))
    assert [*cases(record(suite(scored)))] == ["eva"]
    held = (Threshold("eva.precision", 0.2), Threshold("eva.recall_entailed", 0.2))
    assert [*cases(record(suite(scored, held=held)))] == snapshot
    failing = pair("a", short("eva.recall", 0.75, 0.8), scores=(EVA,))
    assert states(record(suite(failing))) == {"eva": "passed", "eva.recall": "failure"}


def test_what_the_judge_left_unscored_is_an_error(snapshot: SnapshotAssertion) -> None:
    """The rest of the pair was measured and never decided, so it is neither red nor green."""
    lack = Unscored(metric="eva", status="unanswered", reason="no reply\nthat could be read")
    fault = "paper 'a', system 'careless' is unscored:\neva: unanswered, no reply"
    erring = replace(pair("a", scores=(FACET, lack)), outcome="error", fault=fault)
    found = cases(record(suite(erring)))
    assert {name: state(case) for name, case in found.items()} == snapshot
    (error,) = found["eva"]
    assert error.attrib == {
        "type": "unscored", "message": "eva: unanswered, no reply that could be read"
    }  # fmt: skip
    assert error.text == f"eva: unanswered, no reply that could be read\n{fault}"
    assert found["facet"][0].get("message") == (
        "facet 0.450 was not held to a threshold: paper 'a', system 'careless' is unscored:"
        " eva: unanswered, no reply"
    )


def test_a_waived_number_passes_and_names_its_waiver() -> None:
    """Green through somebody's word is not the same green."""
    uses = (waiver("facet", "in use"), waiver("eva", "in use", name="other"))
    waived = replace(
        pair(),
        verdict=PairVerdict(shortfalls=(), waived=(short("facet", 0.3, 0.4),), waivers=uses),
    )
    case = cases(record(suite(waived)))["facet"]
    assert state(case) == "passed"
    assert told(case).split("\n") == ["facet 0.300 < 0.400", WAIVED]


def test_without_thresholds_for_means_a_whole_run_skips_nothing() -> None:
    """There is no verdict on means then that somebody could have forgotten."""
    assert ALL_PAPERS not in states(record(suite(pair())))
    held = (Threshold("facet", 0.4),)
    assert states(record(suite(pair(), mean=held)))[ALL_PAPERS] == "skipped"
    judged = over_papers(mean(0.7), outcome="passed")
    assert ALL_PAPERS not in states(record(suite(pair(), system=judged, mean=held)))


def cases_of_means(run: RunRecord) -> dict[str, ET.Element]:
    """The cases of the system itself, by name."""
    found = read(run).iter("testcase")
    own = [case for case in found if case.get("classname", "").endswith(f".{ALL_PAPERS}")]
    return {case.get("name", ""): case for case in own}


def mean(value: float | None, n_scored: int = 2, name: str = "facet") -> SystemMean:
    """A mean that wants 0.6 over two papers."""
    return SystemMean(name=name, value=value, least=0.6, n_scored=n_scored, n_papers=2)


def test_each_mean_is_a_case_of_its_system(snapshot: SnapshotAssertion) -> None:
    """A failing one names the papers that pull it down, the lowest first."""
    low = pair("low", scores=(replace(FACET, value=0.3),))
    system = over_papers(mean(0.375), mean(0.7, name="eva"))
    found = cases_of_means(record(suite(pair("high"), low, system=system)))
    assert {name: state(case) for name, case in found.items()} == snapshot
    # (0.45 + 0.3) / 2 = 0.375
    assert found["mean facet"][0].get("message") == "mean facet 0.375 < 0.600 (2 of 2 papers)"
    assert told(found["mean facet"]).split("\n")[1:] == ["   0.300 low", "   0.450 high"]
    assert told(found["mean eva"]) == "mean eva 0.700 >= 0.600"


def test_a_system_without_means_by_the_judges_fault_is_an_error() -> None:
    """There is no number then that could carry it."""
    fault = "system 'careless' has no means: 1 of 2 papers are unscored"
    system = over_papers(outcome="error", fault=fault)
    (error,) = cases(record(suite(pair(), system=system)))[ALL_PAPERS]
    assert states(record(suite(pair(), system=replace(system, means=(mean(0.5),)))))[
        ALL_PAPERS
    ] == ("error")
    assert (error.tag, error.get("message"), error.text) == ("error", fault, fault)


@pytest.mark.parametrize("fault", ["", " \n ", "it broke\nin two"])
@pytest.mark.parametrize(("outcome", "tag"), [("failed", "failure"), ("error", "error")])
def test_an_outcome_without_a_reason_still_shows(outcome: str, tag: str, fault: str) -> None:
    """The package reports a failure without a message as passed; a gate must not."""
    failing = replace(pair(), outcome=outcome, fault=fault)  # type: ignore[arg-type]  # parametrized
    system = over_papers(outcome=outcome, fault=fault)
    found = states(record(suite(failing, system=system)))
    assert (found["pair"], found[ALL_PAPERS]) == (tag, tag)


CHANGE = PairChange(
    paper="a",
    system="careless",
    baseline="v1.3 (careful)",
    numbers=(("facet", 0.8, 0.45), ("eva", 0.6, 0.5), ("faithfulness", 1.0, 0.5)),
    facets=tuple(
        FacetChange(
            facet=facet, old=4, new=1, reference="", before=f"{facet} then", after="", reason=""
        )
        for facet in ("method", "result")
    ),
    lost=(Claim(text="a lost fact"),),
    regained=(Claim(text="a regained fact"),),
    unsupported=(Claim(text="an unsupported sentence"),),
    mended=(Claim(text="a mended sentence"),),
    invented=(Claim(text="an invented fact"),),
)


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("facet", ["facet 0.800 -> 0.450", "method then", "result then"]),
        ("facet.result", ["facet 0.800 -> 0.450", "result then"]),
        ("eva", ["eva 0.600 -> 0.500", "a lost fact", "a regained fact", "an invented fact"]),
        (
            "eva.recall",
            ["eva 0.600 -> 0.500", "a lost fact", "a regained fact", "an invented fact"],
        ),
        (
            "faithfulness",
            ["faithfulness 1.000 -> 0.500", "an unsupported sentence", "a mended sentence"],
        ),
    ],
)
def test_a_failure_tells_what_changed_of_its_own_number(name: str, shown: list[str]) -> None:
    """Against the baseline, and without what belongs to another case of the same paper."""
    failing = replace(
        pair("a", short(name, None, 0.5), scores=(FACET, EVA, FAITHFUL)), change=CHANGE
    )
    text = told(cases(record(suite(failing)))[name])
    everything = {
        "facet 0.800 -> 0.450", "eva 0.600 -> 0.500", "faithfulness 1.000 -> 0.500",
        "method then", "result then", "a lost fact", "a regained fact", "an invented fact",
        "an unsupported sentence", "a mended sentence",
    }  # fmt: skip
    assert {each for each in everything if each in text} == set(shown)


def test_a_dot_in_a_papers_id_makes_no_package_in_jenkins() -> None:
    """It takes what stands before the last dot for a package: the suite and the system."""
    run = record(suite(pair("10.1000/zinc.1")))
    names = {case.get("classname", "") for case in read(run).iter("testcase")}
    assert {name.rpartition(".")[::2] for name in names} == {("golden.careless", "10_1000/zinc_1")}


def test_names_that_become_the_same_are_numbered(snapshot: SnapshotAssertion) -> None:
    """GitLab keeps the first of two equal ones, and the failing one may be the second."""
    run = record(suite(pair("a.b"), pair("a_b", short("facet", 0.3, 0.4))), suite(pair("a.b")))
    found = [
        (case.get("classname"), case.get("name"), state(case))
        for case in read(run).iter("testcase")
        if case.get("name", "").split()[0] == "facet"
    ]
    assert found == snapshot


HOSTILE = [
    "a\n::error::no",
    "##[group]x",
    "]]>",
    "<script>alert(1)</script>",
    '" onload="x',
    "&amp;&#0;",
    "\ufffe\uffff",
    "\ud800half",
    "\x00\x08\x1b[31m\x7f\x85",
    "\u202eevil\u200b\u2066",
    "<!ENTITY x SYSTEM 'file:///etc/passwd'>",
    "",
    " \n\t\r ",
]
TEXTS = st.one_of(
    st.sampled_from(HOSTILE), st.text(st.characters(exclude_categories=()), max_size=12)
)
"""Lone surrogates included: half of one is no UTF-8, and no XML."""


FULL = everything()
ENDED = [state(case) for case in read(FULL).iter("testcase")]


@settings(max_examples=12, deadline=None)
@given(TEXTS)
@example("\u202e" * 10**5)
@example("]]>" * 10**4)
def test_whatever_the_texts_are_the_report_is_sound_and_hides_no_failure(text: str) -> None:
    """Law: it parses, its counters add up, every name is its own, each case ends as it did.

    Oracle: junitparser 5 counts the cases itself.
    """
    run = in_other_words(FULL, lambda word: f"{text}{word}")
    root = read(run)
    assert [state(case) for case in root.iter("testcase")] == ENDED
    for element in root.iter():
        for said in (element.text or "", *element.attrib.values()):
            assert all(line.isprintable() for line in said.split("\n"))
            assert not any(line.lstrip().startswith("::") for line in said.splitlines())
            assert "##[" not in said
    report = JUnitXml.fromstring(junit_text(run).encode("utf-8"))
    stated = (report.tests, report.failures, report.errors)
    report.update_statistics()  # type: ignore[no-untyped-call]  # theirs has no types
    assert (report.tests, report.failures, report.errors) == stated


def test_what_xml_cannot_hold_is_shown_and_not_lost() -> None:
    """The package deletes it, and the reviewer would never know of it."""
    hostile, shown = (
        "x\ufffe\ud800\x00\x1b]]><script>&amp;##[",
        r"x\ufffe\ud800\x00\x1b]]><script>&amp;#\x23[",
    )
    finding = replace(RESULT, reference=hostile, summary=hostile, reason=hostile)
    failing = replace(pair(hostile, short("facet.result", 1.0, 2.0)), findings=(finding,))
    run = record(suite(failing))
    text = told(cases(run)["facet.result"])
    assert f'reference    "{shown}"' in text
    assert f"careless on {shown}" in text
    (case, *_) = read(run).iter("testcase")
    assert case.get("classname") == f"golden.careless.{shown}"


def test_the_same_record_is_the_same_bytes_and_nothing_of_its_header() -> None:
    """Two replays differ in their header and in nothing else, so the report may not show it."""
    run = record(suite(pair("a", short("facet", 0.3, 0.4))))
    other = replace(
        run,
        header=Header(
            created="2031-01-01", commit="c0ffee", environment={"python": "4"}, usage={"cost": 1.0}
        ),
    )
    text = junit_text(run)
    assert text == junit_text(run) == junit_text(other)
    assert text.startswith('<?xml version="1.0" encoding="utf-8"?>\n<testsuites ')
    assert text.endswith("\n  </testsuite>\n</testsuites>\n")
    assert not re.search("timestamp|hostname", text)


def test_a_megabyte_in_every_text_stays_readable() -> None:
    """Whoever pastes a book into a summary must not get a report that no tool opens."""
    book = "word " * 200_000
    finding = replace(RESULT, reference=book, summary=book, reason=book, evidence=((0, book),))
    failing = replace(pair("a", short("facet", 0.3, 0.4)), findings=(finding,), summary=book)
    run = record(suite(failing, waivers=(waiver("facet", "in use"),)))
    text = junit_text(run)
    assert len(text) < 30_000


def test_a_run_with_something_of_everything_is_a_report(snapshot: SnapshotAssertion) -> None:
    """Judge, systems, pairs, comparison, waivers and two suites, to the byte."""
    assert junit_text(everything()) == snapshot

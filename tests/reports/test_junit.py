from __future__ import annotations

import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from junitparser import JUnitXml

from summeval_pytest.errors import Place
from summeval_pytest.metrics.score import (
    EvaScore,
    FacetScore,
    FaithfulnessScore,
    JudgedSentence,
    RatedFacet,
    Unscored,
)
from summeval_pytest.record.record import (
    Claim,
    Comparison,
    Difference,
    FacetChange,
    Flip,
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
from tests.reports.trust_records import (
    HOLDS,
    MISSED,
    TRUSTED,
    UNMEASURED,
    agreement,
    floor,
    golden,
    measured,
    trust,
    untrusted,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from summeval_pytest.metrics.score import Score
    from summeval_pytest.verdict.thresholds import State

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


def waiver(finding: str, state: State, *, paper: str = "zinc-01", name: str = "hours") -> WaiverUse:
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


def test_what_the_package_writes_by_itself_is_refused() -> None:
    """It is why its elements are changed; a release that needs no change would show here."""
    from junit_xml import TestCase, TestSuite, to_xml_report_string

    case = TestCase("facet", "golden.careless.zinc-01")
    raw = to_xml_report_string([TestSuite("careless", [case], stdout="said")])
    faults = schema_faults(parsed(raw))
    assert [fault for fault in faults if "disabled" in fault]
    assert "testcase has ['classname', 'name']" in faults
    assert "testsuite holds ['system-out', 'testcase']" in faults


def test_each_number_of_a_pair_is_a_case_under_its_paper() -> None:
    """Worked example: two papers, of which one misses its FM and the rating of its result."""
    failing = pair("ward-02", short("facet", 0.45, 0.5), short("facet.result", 1.0, 2.0))
    root = read(record(suite(pair("zinc-01", scores=(FACET, EVA, FAITHFUL)), failing)))
    assert [
        (case.get("classname"), case.get("name"), state(case)) for case in root.iter("testcase")
    ] == [
        ("golden.careless.zinc-01", "facet", "passed"),
        ("golden.careless.zinc-01", "facet.method", "passed"),
        ("golden.careless.zinc-01", "facet.result", "passed"),
        ("golden.careless.zinc-01", "eva", "passed"),
        ("golden.careless.zinc-01", "faithfulness", "passed"),
        ("golden.careless.ward-02", "facet", "failure"),
        ("golden.careless.ward-02", "facet.method", "passed"),
        ("golden.careless.ward-02", "facet.result", "failure"),
    ]
    (system,) = root
    # 5 cases of the first paper and 3 of the second, 2 of which fail.
    assert root.attrib == {
        "name": "summeval", "time": "0", "tests": "8", "failures": "2", "errors": "0"
    }  # fmt: skip
    assert system.attrib == root.attrib | {"name": "careless", "skipped": "0"}


def test_a_failure_shows_both_texts_of_its_own_findings() -> None:
    """Who opens a red facet.result in Jenkins has to see the wrong words, and no other facet's."""
    run = record(suite(pair("ward-02", short("facet.result", 1.0, 2.0), short("facet", 0.4, 0.5))))
    (failure,) = cases(run)["facet.result"]
    assert failure.attrib == {"type": "shortfall", "message": "facet.result 1 < 2"}
    assert (failure.text or "").split("\n") == [
        "facet.result 1 < 2",
        "golden/systems/careless.jsonl:3: careless on ward-02",
        "",
        "1. facet result: rated 1 of 4, at least 2 wanted",
        '   reference    "Mice slept two hours longer."',
        '   summary      "Mice slept."',
        '   source [8]   "The mice with zinc slept two hours longer."',
        "   reason       the hours are missing",
        "",
        "signature  facet|judge:fair-1|v:1",
    ]


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


def test_parts_of_eva_score_are_cases_where_something_holds_them() -> None:
    """Nobody who asks for F1 alone should see four cases go red together."""
    scored = pair("a", scores=(EVA,))
    assert [*cases(record(suite(scored)))] == ["eva"]
    held = (Threshold("eva.precision", 0.2), Threshold("eva.recall_entailed", 0.2))
    assert [*cases(record(suite(scored, held=held)))] == [
        "eva",
        "eva.precision",
        "eva.recall_entailed",
    ]
    failing = pair("a", short("eva.recall", 0.75, 0.8), scores=(EVA,))
    assert states(record(suite(failing))) == {"eva": "passed", "eva.recall": "failure"}


def test_mean_support_is_a_case_where_something_holds_it() -> None:
    """As the parts of EVA-Score are."""
    sentence = JudgedSentence(index=0, text="Mice slept.", supported=True, reason="", support=0.75)
    scored = pair("a", scores=(replace(FAITHFUL, sentences=(sentence,)),))
    assert [*cases(record(suite(scored)))] == ["faithfulness"]
    held = (Threshold("faithfulness.support", 0.7),)
    assert [*cases(record(suite(scored, held=held)))] == ["faithfulness", "faithfulness.support"]


def test_a_number_that_cannot_be_counted_fails() -> None:
    """A summary without a fact has no precision; that is under every threshold."""
    nothing = replace(EVA, precision=None)
    failing = pair("a", short("eva.precision", None, 0.3), scores=(nothing,))
    (failure,) = cases(record(suite(failing, held=(Threshold("eva.precision", 0.3),))))[
        "eva.precision"
    ]
    assert failure.get("message") == "eva.precision - < 0.300"


def test_a_facet_that_the_reference_lacks_has_no_case() -> None:
    """It was not rated, so it can neither pass nor fail."""
    held = (Threshold("facet.conclusion", 2.0),)
    assert [*cases(record(suite(pair(), held=held)))] == ["facet", "facet.method", "facet.result"]


def test_what_the_judge_left_unscored_is_an_error() -> None:
    """The rest of the pair was measured and never decided, so it is neither red nor green."""
    lack = Unscored(metric="eva", status="unanswered", reason="no reply\nthat could be read")
    fault = "paper 'a', system 'careless' is unscored:\neva: unanswered, no reply"
    erring = replace(pair("a", scores=(FACET, lack)), outcome="error", fault=fault)
    found = cases(record(suite(erring)))
    assert {name: state(case) for name, case in found.items()} == {
        "facet": "skipped",
        "facet.method": "skipped",
        "facet.result": "skipped",
        "eva": "error",
    }
    (error,) = found["eva"]
    assert error.attrib == {
        "type": "unscored", "message": "eva: unanswered, no reply that could be read"
    }  # fmt: skip
    assert error.text == f"eva: unanswered, no reply that could be read\n{fault}"
    assert found["facet"][0].get("message") == (
        "facet 0.450 was not held to a threshold: paper 'a', system 'careless' is unscored:"
        " eva: unanswered, no reply"
    )


def test_what_the_system_left_unscored_is_a_failure() -> None:
    """An empty summary is no trouble of the judge's; what came in its place is shown."""
    lack = Unscored(metric="eva", status="refused_candidate", reason="the system refused")
    empty = Unscored(metric="facet", status="degenerate_candidate", reason="it is empty")
    refused = pair("a", scores=(lack, empty))
    refused = replace(
        refused,
        outcome="failed",
        summary="I cannot help with that.",
        verdict=PairVerdict(shortfalls=(), lacking=(lack, empty)),
    )
    found = cases(record(suite(refused)))
    assert found["facet"][0].get("message") == "facet: it is empty"
    (failure,) = found["eva"]
    assert failure.attrib == {"type": "lacking", "message": "eva: the system refused"}
    assert '   summary      "I cannot help with that."' in (failure.text or "").split("\n")


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


@pytest.mark.parametrize(
    ("found", "message"),
    [
        ("expired", "expired on 2027-01-31; mend, renew or delete it"),
        ("not needed", "is no longer needed; delete it"),
    ],
)
def test_a_waiver_out_of_order_is_a_case_of_its_own(found: State, message: str) -> None:
    """Every number of the pair may be fine, so none of them can carry it."""
    verdict = PairVerdict(shortfalls=(), waivers=(waiver("facet", found),))
    failing = replace(pair(), outcome="failed", verdict=verdict)
    cases_found = cases(record(suite(failing)))
    assert state(cases_found["facet"]) == "passed"
    (failure,) = cases_found["waiver hours"]
    assert failure.get("type") == "waiver"
    assert failure.get("message") == (
        f"golden/summeval.toml:30: waiver 'hours' of facet (owner 'ann') {message}"
    )


def test_every_waiver_of_the_suite_is_listed_after_its_cases() -> None:
    """Those of pairs that were not judged, too: nobody else would miss them."""
    waivers = (waiver("facet", "in use"), waiver("eva", "not judged", paper="b", name="other"))
    (system,) = read(record(suite(pair(), waivers=waivers)))
    assert system[-1].tag == "system-out"
    assert (system[-1].text or "").split("\n") == [
        WAIVED,
        WAIVED.replace("hours (in use)", "other (not judged)").replace("zinc-01, facet", "b, eva"),
    ]


def test_a_system_says_what_judged_it() -> None:
    """A report is read far from the run that wrote it."""
    (system,) = read(record(suite(pair())))
    assert {each.get("name"): each.get("value") for each in system.iter("property")} == {
        "suite": "golden 77be02a1c3d4",
        "suite file": "golden/summeval.toml",
        "judge": "fair-1",
        "judge trust": "not calibrated: the suite has no labels to measure it with",
        "judged": "1 of 1 pairs",
    }
    assert system.find("system-out") is None


def test_a_run_of_a_part_of_the_suite_says_so() -> None:
    """All of its cases may pass while the other papers were never looked at."""
    system = SystemRecord(name="careless", place=SUITE, papers=("zinc-01", "ward-02", "cache-01"))
    root = read(record(suite(pair(), system=system)))
    assert root[0].findtext("system-out") == "only 1 of 3 pairs were judged"
    assert [each.get("value") for each in root.iter("property")][-1] == "1 of 3 pairs"
    skipped = cases(record(suite(pair(), system=system)))[ALL_PAPERS]
    assert skipped[0].get("message") == "its means were not judged; the run judged 1 of 3 pairs"


def test_a_system_of_which_nothing_was_judged_is_there() -> None:
    """Jenkins forgets a suite without a case, and its absence would look like success."""
    system = SystemRecord(name="careless", place=SUITE, papers=("zinc-01",))
    assert states(record(suite(system=system))) == {ALL_PAPERS: "skipped"}


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


def test_each_mean_is_a_case_of_its_system() -> None:
    """A failing one names the papers that pull it down, the lowest first."""
    low = pair("low", scores=(replace(FACET, value=0.3),))
    system = over_papers(mean(0.375), mean(0.7, name="eva"))
    found = cases_of_means(record(suite(pair("high"), low, system=system)))
    assert {name: state(case) for name, case in found.items()} == {
        "mean facet": "failure",
        "mean eva": "passed",
    }
    # (0.45 + 0.3) / 2 = 0.375
    assert found["mean facet"][0].get("message") == "mean facet 0.375 < 0.600 (2 of 2 papers)"
    assert told(found["mean facet"]).split("\n")[1:] == ["   0.300 low", "   0.450 high"]
    assert told(found["mean eva"]) == "mean eva 0.700 >= 0.600"


def test_ten_papers_are_enough_to_look_at_first() -> None:
    """A mean over a thousand papers does not list them all."""
    pairs = tuple(pair(f"paper-{n}") for n in range(11))
    case = cases_of_means(record(suite(*pairs, system=over_papers(mean(0.45)))))["mean facet"]
    assert len(told(case).split("\n")) == 1 + 10


def test_a_mean_that_covers_too_few_papers_fails() -> None:
    """A mean over the good half of the papers is no mean."""
    found = cases(record(suite(pair(), system=over_papers(mean(0.9, n_scored=1)))))
    assert found["mean facet"][0].get("message") == (
        "mean facet covers only 1 of 2 papers; the others have no score"
    )


def test_a_waived_mean_passes_and_one_that_covers_too_little_cannot_be() -> None:
    """A waiver is of a value, and there is none."""
    uses = (
        waiver("facet", "in use", paper=ALL_PAPERS),
        waiver("eva", "in use", paper=ALL_PAPERS, name="other"),
    )
    system = over_papers(mean(0.5), waivers=uses, outcome="passed")
    case = cases(record(suite(pair(), system=system)))["mean facet"]
    assert state(case) == "passed"
    assert told(case).split("\n") == [
        "mean facet 0.500 < 0.600 (2 of 2 papers)",
        WAIVED.replace("zinc-01", ALL_PAPERS),
    ]
    uncovered = replace(system, means=(mean(0.5, n_scored=1),), outcome="failed")
    assert states(record(suite(pair(), system=uncovered)))["mean facet"] == "failure"


def test_a_waiver_of_a_mean_that_is_no_longer_needed_fails() -> None:
    """The mean itself passes."""
    use = waiver("facet", "not needed", paper=ALL_PAPERS)
    system = over_papers(mean(0.7), waivers=(use,))
    found = states(record(suite(pair(), system=system)))
    assert (found["mean facet"], found["waiver hours"]) == ("passed", "failure")


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


def compared(**changes: object) -> SystemRecord:
    """A system that was compared with a baseline, on two numbers of which one drops too far."""
    comparison = Comparison(
        baseline="v1.3",
        system="careful",
        differences=(
            Difference(
                name="facet.result",
                n_papers=12,
                old=3.5,
                new=2.0,
                change=-1.5,
                low=-2.0,
                high=-1.0,
                p=0.0012,
                deviation=0.5,
                detectable=0.75,
                broken=("facet.result drops by 1.500, p 0.0012 < 0.05",),
            ),
            Difference(name="eva", n_papers=12, old=0.5, new=0.6, change=0.1),
        ),
        flips=(
            Flip(paper="zinc-01", facet="result", old=4, new=1),
            Flip(paper="ward-02", facet="method", old=3, new=2),
        ),
        brevity=("eva.precision rose from 0.4 to 0.5 with a third of the words",),
    )
    changed = replace(comparison, **changes)  # type: ignore[arg-type]  # the tests name its fields
    return over_papers(comparison=changed)


def test_each_compared_number_is_a_case_and_a_drop_a_failure() -> None:
    """The case has the number's own row, and the papers whose facet flipped."""
    found = cases(record(suite(pair(), system=compared())))
    assert {
        name: state(found[name]) for name in ("comparison", "drop facet.result", "drop eva")
    } == {
        "comparison": "passed",
        "drop facet.result": "failure",
        "drop eva": "passed",
    }
    (failure,) = found["drop facet.result"]
    assert failure.attrib == {
        "type": "drop", "message": "facet.result drops by 1.500, p 0.0012 < 0.05"
    }  # fmt: skip
    lines = (failure.text or "").split("\n")
    assert "against v1.3 (careful), 12 papers" in lines
    (row,) = [line for line in lines[1:] if line.startswith("facet.result ")]
    assert row.split()[1:4] == ["3.500", "2.000", "-1.500"]
    assert "  zinc-01: result 4 -> 1" in lines
    others = ("ward-02", "eva", "note:")
    assert not [line for line in lines if any(other in line for other in others)]
    assert "note: eva.precision rose" in told(found["comparison"])


def test_a_drop_of_fm_shows_the_flips_of_all_facets() -> None:
    """FM is made of them."""
    difference = Difference(
        name="facet", n_papers=12, old=0.8, new=0.6, change=-0.2, broken=("facet drops by 0.200",)
    )
    system = compared(differences=(difference,))
    text = told(cases(record(suite(pair(), system=system)))["drop facet"])
    assert "  zinc-01: result 4 -> 1" in text
    assert "  ward-02: method 3 -> 2" in text


def test_a_baseline_that_cannot_be_compared_is_one_failure() -> None:
    """There are no differences then, and their absence must not look like success."""
    system = compared(differences=(), flips=(), mismatches=("judge differs", "suite differs"))
    found = cases(record(suite(pair(), system=system)))
    (failure,) = found["comparison"]
    assert failure.attrib == {"type": "mismatch", "message": "judge differs; suite differs"}
    assert not [name for name in found if name.startswith("drop")]


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


def test_several_suites_are_told_apart() -> None:
    """The same system may be gated on two of them."""
    run = record(suite(pair()), suite(pair(), name="silver"))
    assert [each.get("name") for each in read(run)] == ["golden/careless", "silver/careless"]


def test_a_dot_in_a_papers_id_makes_no_package_in_jenkins() -> None:
    """It takes what stands before the last dot for a package: the suite and the system."""
    run = record(suite(pair("10.1000/zinc.1")))
    names = {case.get("classname", "") for case in read(run).iter("testcase")}
    assert {name.rpartition(".")[::2] for name in names} == {("golden.careless", "10_1000/zinc_1")}


def test_names_that_become_the_same_are_numbered() -> None:
    """GitLab keeps the first of two equal ones, and the failing one may be the second."""
    run = record(suite(pair("a.b"), pair("a_b", short("facet", 0.3, 0.4))), suite(pair("a.b")))
    found = [
        (case.get("classname"), case.get("name"), state(case))
        for case in read(run).iter("testcase")
        if case.get("name", "").split()[0] == "facet"
    ]
    assert found == [
        ("golden.careless.a_b", "facet", "passed"),
        ("golden.careless.a_b", "facet (2)", "failure"),
        ("golden.careless.a_b", "facet (3)", "passed"),
    ]


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


@pytest.mark.parametrize(
    ("hostile", "shown"),
    [
        ("x\ufffe", r"x\ufffe"),
        ("\ud800half", r"\ud800half"),
        ("\x00\x1b[31m", r"\x00\x1b[31m"),
        ("\u202eevil\u200b", r"\u202eevil\u200b"),
        ("]]><script>&amp;", "]]><script>&amp;"),
        ("##[error]", r"#\x23[error]"),
    ],
)
def test_hostile_text_is_shown_and_not_lost(hostile: str, shown: str) -> None:
    """The package deletes what XML cannot hold, and the reviewer would never know of it."""
    finding = replace(RESULT, reference=hostile, summary=hostile, reason=hostile)
    failing = replace(pair(hostile, short("facet.result", 1.0, 2.0)), findings=(finding,))
    run = record(suite(failing))
    text = told(cases(run)["facet.result"])
    for label in ("reference", "summary"):
        assert f'{label:<12} "{shown}"' in text
    assert f"reason       {shown}" in text
    assert f"careless on {shown}" in text
    (case, *_) = read(run).iter("testcase")
    assert case.get("classname") == f"golden.careless.{shown}"


@st.composite
def hostile_pairs(draw: st.DrawFn) -> PairRecord:
    """A pair that passes, fails or errs, of any text."""
    finding = replace(
        RESULT,
        title=draw(TEXTS),
        verdict=draw(TEXTS),
        reason=draw(TEXTS),
        reference=draw(TEXTS),
        summary=draw(TEXTS),
        evidence=((0, draw(TEXTS)),),
    )
    lack = Unscored(
        metric="eva",
        status=draw(st.sampled_from(["unanswered", "refused_candidate"])),
        reason=draw(TEXTS),
    )
    either: list[Score | Unscored] = [lack, EVA]
    use = waiver("facet", draw(st.sampled_from(["in use", "expired", "exceeded"])))
    use = replace(
        use,
        waiver=replace(
            use.waiver, name=draw(TEXTS), owner=draw(TEXTS), reason=draw(TEXTS), least=0.3
        ),
    )
    named = draw(st.sets(st.sampled_from(["facet", "facet.result", "eva.recall", "faithfulness"])))
    return PairRecord(
        paper=draw(TEXTS),
        system="careless",
        outcome=draw(st.sampled_from(["passed", "failed", "error"])),
        fault=draw(TEXTS),
        summary=draw(TEXTS),
        place=Place(draw(TEXTS), 1),
        note=draw(TEXTS),
        scores=(FACET, draw(st.sampled_from(either)), FAITHFUL),
        signatures=(f"facet|{draw(TEXTS)}",),
        findings=(finding,),
        verdict=PairVerdict(
            shortfalls=tuple(short(name, None, 0.9) for name in sorted(named)),
            waivers=draw(st.sampled_from([(), (use,)])),
        ),
        change=draw(st.sampled_from([None, replace(CHANGE, baseline=draw(TEXTS))])),
    )


@st.composite
def hostile_runs(draw: st.DrawFn) -> RunRecord:
    """A run of such pairs, its suite, system, waivers and comparison of any text, too."""
    pairs = tuple(draw(st.lists(hostile_pairs(), max_size=3)))
    name = draw(TEXTS)
    system = SystemRecord(
        name=name,
        place=SUITE,
        papers=tuple(each.paper for each in pairs),
        means=draw(st.sampled_from([(), (mean(0.5),), (mean(None, n_scored=0),)])),
        outcome=draw(st.sampled_from(["passed", "failed", "error", "not judged"])),
        fault=draw(TEXTS),
        comparison=draw(
            st.sampled_from(
                [None, compared(mismatches=(draw(TEXTS),), baseline=draw(TEXTS)).comparison]
            )
        ),
    )
    pairs = tuple(replace(each, system=name) for each in pairs)
    used = tuple(use for each in pairs for use in each.verdict.waivers)
    made = suite(*pairs, system=system, waivers=used, name=draw(TEXTS))
    fault = draw(TEXTS)
    kinds = (made, untrusted(made, draw(TEXTS)), measured(made, replace(UNMEASURED, fault=fault)))
    made = draw(st.sampled_from(kinds))
    return replace(record(*[made] * draw(st.integers(1, 2))), judge=draw(TEXTS))


JUDGE = "golden.judge.judge"


def judge_cases(run: RunRecord) -> dict[str, ET.Element]:
    """The cases of the judge, by name."""
    found = [case for case in read(run).iter("testcase") if case.get("classname") == JUDGE]
    return {case.get("name", ""): case for case in found}


def test_each_figure_of_agreement_is_a_case_of_the_judge() -> None:
    """Worked example: its kappa misses a floor, and what it gets wrong is said once."""
    root = read(record(measured(suite(pair()), trust(), golden())))
    judge, system = root
    assert (judge.get("name"), system.get("name")) == ("judge", "careless")
    assert {name: judge.get(name) for name in ("tests", "failures", "errors")} == {
        "tests": "2", "failures": "1", "errors": "0"
    }  # fmt: skip
    found = judge_cases(record(measured(suite(pair()), trust(), golden())))
    assert {name: state(case) for name, case in found.items()} == {
        "facet_kappa": "failure",
        "facet_exact": "passed",
    }
    (failure,) = found["facet_kappa"]
    assert failure.attrib == {"type": "shortfall", "message": "facet_kappa 0.34 < 0.9"}
    assert (failure.text or "").split("\n") == [
        "facet_kappa 0.34 < 0.9",
        "agreement    value  95 % interval   items papers  floor",
        "facet_kappa   0.34  0.28 to 0.41        3      2  at least 0.9, missed",
    ]
    assert told(found["facet_exact"]).split("\n")[1:] == [
        "facet_exact   0.35  0.28 to 0.41        3      2  at least 0.25"
    ]
    output = (judge.findtext("system-out") or "").split("\n")
    assert output[0].startswith("UNTRUSTED: verdicts of an untrusted judge")
    assert "result: label in rows, judge in columns" in output
    assert "worst disagreements (3):" in output


def test_what_an_untrusted_judge_decided_of_a_system_is_marked() -> None:
    """Its cases are shown as they came out, and a reader of one suite sees no other."""
    _, system = read(record(untrusted(suite(pair()))))
    assert system.findtext("system-out") == (
        "verdicts of an untrusted judge: shown, and to be relied on in nothing"
    )
    values = {each.get("name"): each.get("value") for each in system.iter("property")}
    assert (values["judge trust"] or "").startswith("UNTRUSTED: facet_kappa 0.34 < 0.9; ")
    # The mark makes no case: nothing is missing of this system.
    assert [case.get("name") for case in system.iter("testcase")] == [
        "facet", "facet.method", "facet.result"
    ]  # fmt: skip


def test_a_judge_that_holds_its_floors_passes_and_marks_nothing() -> None:
    """What it gets wrong is in the page."""
    judge, system = read(record(measured(suite(pair()), TRUSTED, golden())))
    assert [state(case) for case in judge.iter("testcase")] == ["passed"]
    assert judge.find("system-out") is None
    assert system.find("system-out") is None


def test_a_judge_that_was_not_measured_is_an_error() -> None:
    """It is nobody's failure, and no figure could carry it."""
    found = judge_cases(record(measured(suite(pair()), UNMEASURED)))
    (error,) = found["agreement"]
    assert (error.tag, error.attrib, error.text) == (
        "error", {"type": "unscored", "message": "it timed out"}, "it timed out"
    )  # fmt: skip
    assert [*found] == ["agreement"]


def test_a_judge_without_a_figure_is_there() -> None:
    """Jenkins forgets a suite without a case, and its absence would look like success."""
    found = judge_cases(record(measured(suite(pair()), trust(agreements=()))))
    assert {name: state(case) for name, case in found.items()} == {"agreement": "passed"}
    assert told(found["agreement"]) == (
        "agreement measured on 2 labelled pairs of 2 papers and held to no floor"
    )


def test_two_floors_on_one_figure_are_one_case() -> None:
    """Its first line is the message, and the second floor stands below it."""
    both = agreement("facet_kappa", 0.2, floor(0.3), floor(0.5, bound="lower"), low=0.1)
    (failure,) = judge_cases(record(measured(suite(pair()), trust(both))))["facet_kappa"]
    assert failure.get("message") == "facet_kappa 0.20 < 0.3"
    assert (failure.text or "").split("\n")[:2] == [
        "facet_kappa 0.20 < 0.3", "facet_kappa.lower 0.10 < 0.5"
    ]  # fmt: skip


def test_without_a_measured_judge_there_is_no_suite_of_it() -> None:
    """A suite of skipped figures would say that there was something to measure with."""
    labelled = replace(suite(pair()), has_labels=True)
    assert [each.get("name") for each in read(record(labelled))] == ["careless"]


def test_the_judges_of_several_suites_are_told_apart() -> None:
    """It may be trusted on one field and not on another."""
    held = measured(suite(pair(), name="silver"), trust(HOLDS), golden())
    root = read(record(untrusted(suite(pair())), held))
    assert [(each.get("name"), each.get("failures")) for each in root] == [
        ("golden/judge", "2"),
        ("golden/careless", "0"),
        ("silver/judge", "0"),
        ("silver/careless", "0"),
    ]
    assert root[3].find("system-out") is None


@pytest.mark.parametrize("text", [*HOSTILE, "\u202e" * 10**6, "]]>" * 10**5, "x " * 10**5])
def test_no_text_of_a_golden_answer_breaks_or_floods_the_report(text: str) -> None:
    """Whoever wrote a paper, a label's kind of error or a judge's reason did not write this."""
    run = record(untrusted(suite(pair()), text))
    report = junit_text(run)
    root = parsed(report)
    assert schema_faults(root) == []
    assert len(report) < 40_000
    for element in root.iter():
        for said in (element.text or "", *element.attrib.values()):
            assert all(line.isprintable() for line in said.split("\n"))
            assert not any(line.lstrip().startswith("::") for line in said.splitlines())
            assert "##[" not in said
    assert [state(case) for case in root[0].iter("testcase")] == ["failure", "passed", "failure"]


def test_a_long_fault_of_a_judge_is_cut() -> None:
    """An endpoint may answer with a page of HTML."""
    run = record(measured(suite(pair()), replace(UNMEASURED, fault="<p>no\n" * 10**5)))
    (error,) = judge_cases(run)["agreement"]
    assert (error.text or "").startswith("<p>no <p>no")
    assert len(error.text or "") <= 240


def test_a_failing_figure_never_passes() -> None:
    """Law of the whole: as many failures as figures that miss a floor."""
    found = [MISSED, HOLDS, agreement("fact_f1", None, floor(0.5, "fact_f1")), agreement("fact_f1")]
    cases_found = read(record(measured(suite(pair()), trust(*found))))[0].iter("testcase")
    assert [state(case) for case in cases_found] == ["failure", "passed", "failure", "passed"]


LAW = settings(max_examples=60, deadline=None)


@LAW
@given(hostile_runs())
def test_whatever_the_texts_are_the_report_is_sound_and_hides_no_failure(run: RunRecord) -> None:
    """Law: it parses, its counters add up, every name is its own, no failing pair is all green."""
    root = read(run)
    red = {"failure", "error"}
    found = [
        (case.get("classname", "").rpartition(".")[2], state(case))
        for case in root.iter("testcase")
    ]
    n_red = sum(ended in red for paper, ended in found if paper != ALL_PAPERS)
    least = sum(
        max(
            len(each.verdict.shortfalls)
            + len(each.verdict.waiver_faults)
            + sum(isinstance(score, Unscored) for score in each.scores),
            each.outcome != "passed",
        )
        for part in run.suites
        for each in part.pairs
    )
    trusts = [part.trust for part in run.suites if part.trust is not None]
    least += sum(len(found.missed) + bool(found.fault) for found in trusts)
    assert n_red == least
    for part in run.suites:
        (system,) = part.systems
        fails = (
            system.outcome in {"failed", "error"}
            or any(not each.passes for each in system.means)
            or system.comparison is not None
        )
        ended = {ended for paper, ended in found if paper == ALL_PAPERS}
        assert bool(ended & red) == fails


@LAW
@given(st.lists(st.text("a._ ", max_size=3), max_size=6), st.text("a._", max_size=2))
def test_no_two_cases_share_a_name(papers: list[str], name: str) -> None:
    """Law: ids that differ in what a class name cannot show still lead to cases of their own."""
    pairs = tuple(replace(pair(paper), system=name) for paper in papers)
    system = replace(over_papers(outcome="passed"), name=name)
    root = read(record(suite(*pairs, system=system), suite(*pairs, system=system)))
    # FM and two rated facets for each paper of each of two suites.
    assert len([*root.iter("testcase")]) == 2 * 3 * len(papers)


@LAW
@given(hostile_runs())
def test_junitparser_reads_the_same_counts(run: RunRecord) -> None:
    """Oracle: junitparser 5 counts the cases itself."""
    written = junit_text(run).encode("utf-8")
    report = JUnitXml.fromstring(written)
    stated = (report.tests, report.failures, report.errors)
    report.update_statistics()  # type: ignore[no-untyped-call]  # theirs has no types
    assert (report.tests, report.failures, report.errors) == stated


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


def test_a_run_without_suites_is_an_empty_report() -> None:
    """A consumer that expects a file must find one that it can read."""
    assert [*read(record())] == []


def test_the_package_is_loaded_when_a_report_is_written() -> None:
    """A test suite that never asks for the report does not pay for it."""
    code = "import sys, summeval_pytest.reports.junit; print('junit_xml' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"

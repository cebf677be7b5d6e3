from __future__ import annotations

import re
import unicodedata
import xml.etree.ElementTree as ET
from collections import Counter
from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from junitparser import JUnitXml

from summeval_pytest.metrics.score import EvaScore, FaithfulnessScore, Unscored
from summeval_pytest.record.record import Claim, Header, PairRecord, RunRecord, SystemRecord
from summeval_pytest.reports.run import waiver_line
from summeval_pytest.suite.lines import ALL_PAPERS
from summeval_pytest.verdict.decide import PairVerdict, Shortfall
from summeval_pytest.verdict.thresholds import Threshold, Thresholds
from tests.reports import records
from tests.reports.records import (
    CHANGE,
    FACET,
    STRANGERS,
    agreement,
    changed,
    everything,
    floor,
    in_other_words,
    junit_text,
    lacking,
    mean,
    measured,
    relation,
    trust,
    waived,
)
from tests.verdict.records import believed, rated

if TYPE_CHECKING:
    from collections.abc import Iterator

    from syrupy.assertion import SnapshotAssertion

    from summeval_pytest.metrics.score import Score

FM = replace(rated({"method": 3, "result": 1}), value=0.45)
EVA = EvaScore(value=0.5, precision=0.25, recall=0.75, recall_entailed=0.8)
SCORES = (FM, EVA, FaithfulnessScore(value=1.0, sentences=()))
METHOD = replace(FACET, number="facet.method", title="facet method", verdict="rated 3 of 4")
INVENTED = replace(
    FACET, kind="fact", number="eva.precision", title="fact of the summary", verdict="is wrong"
)
LEFT_OUT = replace(INVENTED, number="eva.recall", title="fact of the reference")
UNSUPPORTED = replace(
    FACET, kind="sentence", number="faithfulness", title="sentence 2", verdict="unsupported"
)
FINDINGS = (FACET, METHOD, INVENTED, LEFT_OUT, UNSUPPORTED)


def pair(
    paper: str = "zinc-01", *short: Shortfall, scores: tuple[Score | Unscored, ...] = (FM,)
) -> PairRecord:
    """A pair that fails by these numbers, or passes where there are none, with every finding."""
    recipes = tuple(f"{metric}|judge:fair-1|v:1" for metric in ("facet", "eva", "faithfulness"))
    return records.pair(paper, *short, scores=scores, signatures=recipes, findings=FINDINGS)


def short(name: str, value: float | None, least: float) -> Shortfall:
    """A number under its threshold."""
    return Shortfall(name=name, value=value, least=least)


def run(
    *pairs: PairRecord,
    held: tuple[Threshold, ...] = (Threshold("facet", 0.4),),
    means: tuple[Threshold, ...] = (),
    system: SystemRecord | None = None,
    **suite: object,
) -> RunRecord:
    """A run of one system, which has these pairs and no others."""
    gated = system or records.system(means=(), outcome="not judged")
    gated = replace(gated, papers=tuple(pair.paper for pair in pairs))
    thresholds = Thresholds(pair=held, mean=means)
    return records.record(*pairs, systems=(gated,), thresholds=thresholds, **suite)


def read(run: RunRecord) -> ET.Element:
    """The report of a run as a consumer gets it, once it has passed our check of its schema."""
    root = ET.fromstring(junit_text(run).encode("utf-8"))  # noqa: S314 - we have written it
    assert [*schema_faults(root)] == []
    return root


def cases(run: RunRecord, of: str = "") -> dict[str, ET.Element]:
    """The cases of a report, or of one paper, by name."""
    found = [case for case in read(run).iter("testcase") if case.get("classname", "").endswith(of)]
    named = {case.get("name", ""): case for case in found}
    assert len(named) == len(found)
    return named


def state(case: ET.Element) -> str:
    """How a case ended."""
    return next((e.tag for e in case if e.tag in {"failure", "error", "skipped"}), "passed")


def states(run: RunRecord, of: str = "") -> dict[str, str]:
    """How each case ended."""
    return {name: state(case) for name, case in cases(run, of).items()}


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
        if holder.get(counter, found := str(len([*holder.iter(tag)]))) != found:
            yield f"{counter} {holder.get(counter)} of {found}"
    names = Counter((case.get("classname"), case.get("name")) for case in root.iter("testcase"))
    yield from (f"two of {name}" for name, n in names.items() if n > 1)


def test_each_number_of_a_pair_is_a_case_under_its_paper(snapshot: SnapshotAssertion) -> None:
    """Worked example: two papers, of which one misses its FM and the rating of its result."""
    failing = pair("ward-02", short("facet", 0.45, 0.5), short("facet.result", 1.0, 2.0))
    root = read(run(pair("zinc-01", scores=SCORES), failing))
    found = [(c.get("classname"), c.get("name"), state(c)) for c in root.iter("testcase")]
    assert found == snapshot
    (system,) = root
    # 5 cases of the first paper and 3 of the second, 2 of which fail.
    assert root.attrib == {
        "name": "summeval", "time": "0", "tests": "8", "failures": "2", "errors": "0"
    }  # fmt: skip
    assert system.attrib == root.attrib | {"name": "careless", "skipped": "0"}
    assert read(records.record()).attrib == dict.fromkeys(("tests", "failures", "errors"), "0") | {
        "name": "summeval", "time": "0"
    }  # fmt: skip


def test_a_failure_shows_both_texts_of_its_own_findings(snapshot: SnapshotAssertion) -> None:
    """Who opens a red facet.result in Jenkins has to see the wrong words, and no other facet's."""
    made = run(pair("ward-02", short("facet.result", 1.0, 2.0), short("facet", 0.4, 0.5)))
    (failure,) = cases(made)["facet.result"]
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
    text = told(cases(run(pair("a", short(name, None, 0.5), scores=SCORES)))[name])
    assert re.findall(r"^\d+\. (.*?): ", text, re.MULTILINE) == titles


def test_more_findings_than_anyone_reads_are_counted() -> None:
    """Ten tell what is wrong; a summary of a hundred bad sentences would fill a report alone."""
    many = replace(pair("a", short("faithfulness", 0.1, 0.8)), findings=(UNSUPPORTED,) * 13)
    text = told(cases(run(many))["faithfulness"])
    assert text.count("sentence 2: unsupported") == 10
    assert text.endswith("and 3 more findings")
    few = replace(many, findings=(UNSUPPORTED,) * 10)
    assert "more findings" not in told(cases(run(few))["faithfulness"])


def test_a_passing_number_says_what_it_was_held_to() -> None:
    """A history of values is worth keeping; 0.45 is at least 0.4, and no threshold is of method."""
    found = cases(run(pair()))
    assert told(found["facet"]) == "facet 0.450 >= 0.400"
    assert told(found["facet.method"]) == "facet.method 3"
    close = pair(scores=(replace(FM, value=0.4504),))
    # To three digits, 0.4504 is 0.450 and would stand there as less than 0.4502.
    found = cases(run(close, held=(Threshold("facet", 0.4502),)))
    assert told(found["facet"]) == "facet 0.4504 >= 0.4502"


def test_parts_are_cases_where_something_holds_them() -> None:
    """Nobody who asks for F1 alone should see four cases go red together."""
    scored = pair("a", scores=(EVA, believed(0.9)))
    assert [*cases(run(scored))] == ["eva", "faithfulness"]
    parts = ("eva.precision", "eva.recall_entailed", "faithfulness.support")
    held = tuple(Threshold(name, 0.2) for name in parts)
    assert {*cases(run(scored, held=held))} == {"eva", "faithfulness", *parts}
    failing = pair("a", short("eva.recall", 0.75, 0.8), scores=(EVA,))
    assert states(run(failing)) == {"eva": "passed", "eva.recall": "failure"}


def test_what_the_judge_left_unscored_is_an_error_and_what_the_system_did_a_failure() -> None:
    """The rest of the pair was measured and never decided, so it is neither red nor green."""
    lack = Unscored(metric="eva", status="unanswered", reason="no reply\nthat could be read")
    fault = "paper 'a', system 'careless' is unscored:\neva: unanswered, no reply"
    found = cases(run(changed(pair("a", scores=(FM, lack)), outcome="error", fault=fault)))
    assert {name: state(case) for name, case in found.items()} == {
        "facet": "skipped", "facet.method": "skipped", "facet.result": "skipped", "eva": "error"
    }  # fmt: skip
    (error,) = found["eva"]
    message = "eva: unanswered, no reply that could be read"
    assert error.attrib == {"type": "unscored", "message": message}
    assert error.text == f"{message}\n{fault}"
    assert found["facet"][0].get("message") == (
        "facet 0.450 was not held to a threshold: paper 'a', system 'careless' is unscored:"
        " eva: unanswered, no reply"
    )
    (failure,) = cases(run(lacking()))["facet"]
    assert failure.attrib == {"type": "lacking", "message": "facet: the system refused"}


def test_a_waived_number_passes_and_names_its_waiver() -> None:
    """Green through somebody's word is not the same green; a waiver out of order is red."""
    uses = (waived("in use", finding="facet"), waived("expired", name="old", finding="eva"))
    verdict = PairVerdict(shortfalls=(), waived=(short("facet", 0.3, 0.4),), waivers=uses)
    found = cases(run(replace(pair(), verdict=verdict)))
    assert (state(found["facet"]), state(found["waiver old"])) == ("passed", "failure")
    assert told(found["facet"]).split("\n") == [
        "facet 0.300 < 0.400",
        waiver_line(uses[0]),
    ]


def test_without_thresholds_for_means_a_whole_run_skips_nothing() -> None:
    """There is no verdict on means then that somebody could have forgotten."""
    held = (Threshold("facet", 0.4),)
    judged = records.system(means=(mean(value=0.9),), outcome="passed")
    assert ALL_PAPERS not in states(run(pair()))
    assert states(run(pair(), means=held))[ALL_PAPERS] == "skipped"
    assert ALL_PAPERS not in states(run(pair(), system=judged, means=held))


def test_each_mean_is_a_case_of_its_system() -> None:
    """A failing one names the papers that pull it down, the lowest first.

    One that covers too few papers fails, whatever a waiver says.
    """
    low = pair("low", scores=(replace(FM, value=0.3),))
    names = {"facet.method": "no longer needed", "facet.result": "in use", "eva.recall": "in use"}
    system = records.system(
        means=(
            mean(value=0.375, least=0.6),
            mean("eva", 0.7, 0.6),
            mean("facet.method", 3.0, 2.0),
            mean("facet.result", 1.0, 2.0),
            replace(mean("eva.recall", 0.9, 0.6), n_scored=1),
        ),
        waivers=tuple(
            waived(state if state == "in use" else "not needed", name=name, finding=name)
            for name, state in names.items()
        ),
    )
    found = cases(run(pair("high"), low, system=system), of=f".{ALL_PAPERS}")
    assert {name: state(case) for name, case in found.items()} == {
        "mean facet": "failure",
        "mean eva": "passed",
        "mean facet.method": "passed",
        "mean facet.result": "passed",
        "mean eva.recall": "failure",
        "waiver facet.method": "failure",
    }
    # (0.45 + 0.3) / 2 = 0.375
    assert found["mean facet"][0].get("message") == "mean facet 0.375 < 0.600 (2 of 2 papers)"
    assert told(found["mean facet"]).split("\n")[1:] == ["   0.300 low", "   0.450 high"]
    assert told(found["mean eva"]) == "mean eva 0.700 >= 0.600"
    assert "covers only 1 of 2 papers" in told(found["mean eva.recall"])


def test_the_judge_and_its_relations_have_cases() -> None:
    """Two floors on one figure are one case; what could not be decided is the judge's error."""
    both = agreement("facet_kappa", 0.344, floor(0.4), floor(0.3, bound="lower"))
    found = trust(both, agreement("fact_f1"), undecided="fact_f1 is undecided")
    (suite,) = run(pair()).suites
    tried = (
        relation(True, name="holds"),
        relation(False, True, name="broken"),
        relation(None, name="silent"),
        relation(name="not offered"),
    )
    held = replace(measured(suite, found), relations=tried)
    root = cases(replace(records.record(), suites=(held,)))
    assert told(root["facet_kappa"]).count("facet_kappa 0.34 < 0.4") == 1
    assert told(root["facet_kappa"]).count("facet_kappa.lower 0.28 < 0.3") == 1
    assert "broken" in told(root["broken"])
    ended = {name: state(case) for name, case in root.items() if "facet" not in name}
    assert ended == {
        "fact_f1": "passed",
        "holds": "passed",
        "broken": "failure",
        "silent": "error",
        "not offered": "skipped",
    }
    held = measured(suite, trust(agreement("fact_f1"), undecided="fact_f1 is undecided"))
    assert states(replace(records.record(), suites=(held,)))["undecided"] == "error"


@pytest.mark.parametrize("fault", ["", " \n ", "it broke\nin two"])
@pytest.mark.parametrize(("outcome", "tag"), [("failed", "failure"), ("error", "error")])
def test_an_outcome_without_a_reason_still_shows(outcome: str, tag: str, fault: str) -> None:
    """Many readers take a failure without a message for a pass; a gate must not."""
    ended = {"outcome": outcome, "fault": fault}
    means = (mean(value=0.5),) if outcome == "error" else ()
    system = records.system(means=means, **ended)
    found = states(run(changed(pair(), **ended), system=system))
    assert (found["pair"], found[ALL_PAPERS]) == (tag, tag)


FACETS = tuple(
    replace(CHANGE.facets[0], facet=facet, before=f"{facet} then", after="", reason="")
    for facet in ("method", "result")
)
CHANGES = replace(
    CHANGE,
    numbers=(("facet", 0.8, 0.45), ("eva", 0.6, 0.5), ("faithfulness", 1.0, 0.5)),
    facets=FACETS,
    lost=(Claim(text="a lost fact"),),
    regained=(Claim(text="a regained fact"),),
    unsupported=(Claim(text="an unsupported sentence"),),
    mended=(Claim(text="a mended sentence"),),
    invented=(Claim(text="an invented fact"),),
)
OF_EVA = {"eva 0.600 -> 0.500", "a lost fact", "a regained fact", "an invented fact"}
OF_FAITHFULNESS = {
    "faithfulness 1.000 -> 0.500", "an unsupported sentence", "a mended sentence"
}  # fmt: skip
OF_FACET = {"facet 0.800 -> 0.450", "method then", "result then"}


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("facet", OF_FACET),
        ("facet.result", OF_FACET - {"method then"}),
        ("eva", OF_EVA),
        ("eva.recall", OF_EVA),
        ("faithfulness", OF_FAITHFULNESS),
    ],
)
def test_a_failure_tells_what_changed_of_its_own_number(name: str, shown: set[str]) -> None:
    """Against the baseline, and without what belongs to another case of the same paper."""
    failing = replace(pair("a", short(name, None, 0.5), scores=SCORES), change=CHANGES)
    text = told(cases(run(failing))[name])
    assert {each for each in OF_FACET | OF_EVA | OF_FAITHFULNESS if each in text} == shown


def test_names_that_become_the_same_are_numbered() -> None:
    """GitLab keeps the first of two equal ones, and the failing one may be the second.

    Jenkins takes what stands before the last dot for a package: the suite and the system.
    """
    (first,) = run(pair("a.b"), pair("a_b", short("facet", 0.3, 0.4))).suites
    (second,) = run(pair("a.b")).suites
    root = read(replace(records.record(), suites=(first, second)))
    found = [(c.get("classname"), c.get("name"), state(c)) for c in root.iter("testcase")]
    assert [each for each in found if str(each[1]).split()[0] == "facet"] == [
        ("golden.careless.a_b", "facet", "passed"),
        ("golden.careless.a_b", "facet (2)", "failure"),
        ("golden.careless.a_b", "facet (3)", "passed"),
    ]


TEXTS = st.one_of(
    st.sampled_from(STRANGERS), st.text(st.characters(exclude_categories=()), max_size=12)
)
"""Lone surrogates included: half of one is no UTF-8, and no XML."""
FULL = everything()
ENDED = [state(case) for case in read(FULL).iter("testcase")]


@settings(max_examples=12, deadline=None)
@given(TEXTS)
@example("\u202e" * 10**4)
@example("]]>" * 10**3)
def test_whatever_the_texts_are_the_report_is_sound_and_hides_no_failure(text: str) -> None:
    """Law: it parses, its counters add up, every name is its own, each case ends as it did.

    Oracle: junitparser 5 counts the cases itself.
    """
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


def test_what_xml_cannot_hold_is_shown_and_not_lost() -> None:
    """Else the reviewer would never know of it."""
    hostile, shown = (
        "x\ufffe\ud800\x00\x1b]]><script>&amp;##[",
        r"x\ufffe\ud800\x00\x1b]]><script>&amp;#\x23[",
    )
    finding = replace(FACET, reference=hostile, summary=hostile, reason=hostile)
    made = run(replace(pair(hostile, short("facet.result", 1.0, 2.0)), findings=(finding,)))
    text = told(cases(made)["facet.result"])
    assert f'reference    "{shown}"' in text
    assert f"careless on {shown}" in text
    (case, *_) = read(made).iter("testcase")
    assert case.get("classname") == f"golden.careless.{shown}"


def test_the_same_record_is_the_same_bytes_and_nothing_of_its_header() -> None:
    """Two replays differ in their header and in nothing else, so the report may not show it."""
    made = run(pair("a", short("facet", 0.3, 0.4)))
    header = Header(created="2031", commit="c0ffee", environment={"python": "4"}, usage={"c": 1.0})
    text = junit_text(made)
    assert text == junit_text(made) == junit_text(replace(made, header=header))
    assert text.startswith('<?xml version="1.0" encoding="utf-8"?>\n<testsuites ')
    assert text.endswith("\n  </testsuite>\n</testsuites>\n")
    assert not re.search("timestamp|hostname", text)


def test_a_megabyte_in_every_text_stays_readable() -> None:
    """Whoever pastes a book into a summary must not get a report that no tool opens."""
    book = "word " * 200_000
    finding = replace(FACET, reference=book, summary=book, reason=book, evidence=((0, book),))
    failing = replace(pair("a", short("facet", 0.3, 0.4)), findings=(finding,), summary=book)
    assert len(junit_text(run(failing, waivers=(waived("in use", reason=book),)))) < 30_000


def test_a_run_with_something_of_everything_is_a_report(snapshot: SnapshotAssertion) -> None:
    """Judge, systems, pairs, comparison, waivers and two suites, to the byte."""
    assert junit_text(everything()) == snapshot

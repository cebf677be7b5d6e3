from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from syrupy.assertion import SnapshotAssertion

from summeval_pytest.errors import Place
from summeval_pytest.metrics.catalogue import CATALOGUE
from summeval_pytest.metrics.flow import averaged
from summeval_pytest.metrics.number import Unscored
from summeval_pytest.questions import FACETS, SCALES
from summeval_pytest.reports import cases
from summeval_pytest.verdict.pair import Shortfall
from summeval_pytest.verdict.thresholds import Threshold
from tests.reports.records import (
    CHANGE,
    COMPARISON,
    FACET,
    FAITHFULNESS,
    FM,
    FOUND,
    RESULT,
    SENTENCE,
    TRUSTED,
    UNLIKE,
    UNMEASURED,
    at,
    changed,
    failing,
    mean,
    measured,
    moss_scores,
    pair,
    passing,
    record,
    refused,
    suite,
    system,
    undecided,
    untrusted,
    waived,
)
from tests.verdict.records import believed


def short(name: str, value: float | None, least: float) -> Shortfall:
    """A number under its threshold."""
    return Shortfall(name=name, value=value, least=least)


EXPIRED = waived("expired", finding="facet", owner="\x1b[31m##[error]\n::x")
LEFT_OUT = replace(FACET, kind="fact", number="eva.recall", title="fact", summary=" \n ")
CLOSE = (
    short("facet", 0.5499999, 0.55),
    short("eva", 0.5, 0.5004),
    short("eva.recall", None, 0.3),
    short("faithfulness.conflicts", 1.0, 0.0),
)
WEAK = believed(*[0.5] * 8)
PAIRS = {
    "three findings": failing("a", FM, RESULT, CLOSE[2], findings=(SENTENCE, FACET, LEFT_OUT)),
    "one that explains it": failing(
        "a", RESULT, findings=(replace(FACET, number="facet.method"), FACET), place=at(10)
    ),
    "a conflict": failing("a", FM, findings=(replace(FACET, conflict=True), SENTENCE)),
    "no text": refused("the system\x1b[31m refused", summary=" \n "),
    "a refusal": refused(summary="No::\x1b"),
    "waived": failing("a", FM, waived=(RESULT,), findings=()),
    "a waiver to mend": pair("a", waivers=(EXPIRED,)),
    "close": failing("a", *CLOSE, findings=()),
    "a note": pair("a", FM, note="source cut\x1b[31m", place=Place("::error::a\x1b.jsonl", 3)),
    "references": pair("a", FM, scores=(averaged((moss_scores()[0],) * 2),)),
    "weak": pair("a", short("faithfulness.support", 0.5, 0.6), scores=(WEAK,), change=CHANGE),
    "undecided": undecided(why="facet: unanswered,\nno JSON"),
    "undecided beside a failure": failing("a", FM, findings=(), undecided=("eva is open",)),
    "passed": pair("a", waived=(FM,)),
}


@pytest.mark.parametrize("name", PAIRS)
def test_a_pair_is_named_by_what_fails_it(snapshot: SnapshotAssertion, name: str) -> None:
    """The first line is the whole story; a value under its threshold never reads as equal."""
    case = cases.pair_case(PAIRS[name])
    assert [case.outcome, case.title, *case.text.split("\n")] == snapshot


def test_the_title_is_the_farthest_shortfall_and_an_outcome_always_has_a_phrase() -> None:
    """By its range: 3 of 10 of faithfulness are more than 15 of 75 of FM."""
    # A rule that unanswered questions decide is broken for nobody, nor an unknown mean missed.
    assert cases.pair_case(failing("a", FM, FAITHFULNESS, findings=())).title == "faithfulness"
    assert cases.pair_case(pair(outcome="error")).phrases == (cases.SILENT,)
    assert cases.system_case(system(means=(), outcome="failed")).phrases == (cases.SILENT,)
    case = cases.system_case(system(comparison=OPEN_RULE))
    phrases = ("mean facet 0.534 < 0.750 (2 of 2 papers)",)
    assert (case.title, case.phrases) == ("mean facet", phrases)


OPEN_MEAN = replace(mean("eva", 0.5, 0.4), is_open=True)
OPEN_RULE = replace(COMPARISON, undecided=(("facet", "facet could drop by 0.400"),))
SYSTEMS = {
    "too low, too few, in order": system(
        means=(
            mean("facet.result", 2.25, 3),
            replace(mean("eva", 0.9, 0.4), n_scored=1),
            mean("faithfulness", 1.0, 0.9),
        )
    ),
    "close": system(means=(mean("eva", 0.39996, 0.4), mean("facet", 0.6504, 0.65037))),
    "others at their worst": system(means=(replace(mean(value=0.8), lowest=0.5),)),
    "upper bounds": system(
        means=(
            mean("faithfulness.conflicts", 0.25, 0.2499),
            mean("faithfulness.conflicts", 0.25, 0.3),
        )
    ),
    "no paper": system(means=(replace(mean("facet.method", None, 2), n_scored=0, n_papers=0),)),
    "waived": system(waivers=(waived("in use", finding="facet"),), comparison=COMPARISON),
    "waivers to mend": system(
        means=(), waivers=(waived("exceeded", finding="facet", least=0.6), EXPIRED)
    ),
    "not comparable": system(means=(), comparison=UNLIKE),
    "undecided": system(means=(), undecided=("no reply on 'ward-02'",)),
    "undecided beside a failure": system(means=(mean(), OPEN_MEAN), undecided=("eva is open",)),
    "passed": system(means=(mean(value=0.9),)),
}


@pytest.mark.parametrize("name", SYSTEMS)
def test_a_system_is_named_by_what_fails_it(snapshot: SnapshotAssertion, name: str) -> None:
    """Means come before the comparison, as they are absolute; what fails is on the first line."""
    case = cases.system_case(SYSTEMS[name])
    assert [case.outcome, case.title, *case.text.split("\n")] == snapshot


def test_the_judge_is_named_by_its_suite_and_what_it_misses() -> None:
    """The mark says what its verdicts are worth; a judge that meets its floors has no title."""
    assert cases.judge_case(suite()) is None
    mark = ("The judge is untrusted. Do not rely on these verdicts.",)
    missed = "UNTRUSTED: facet_kappa 0.34 < 0.9; unfaithful_recall.number"
    open_ = replace(TRUSTED, undecided="fact_f1 is open")
    for judged, outcome, title, notes, text in (
        (untrusted(suite()), "failed", "UNTRUSTED", mark, missed),
        (measured(suite(), UNMEASURED), "error", "judge not measured", (), ""),
        (measured(suite(), open_), "error", "judge undecided", (), ""),
        (measured(suite(), TRUSTED), "passed", "", (), ""),
    ):
        case = cases.judge_case(judged)
        assert case is not None
        assert (case.name, case.outcome, case.title, case.notes) == (
            "golden", outcome, title, notes,
        )  # fmt: skip
        assert case.text.startswith(text)


def test_the_worst_come_first() -> None:
    """By how far they are short in all, then by findings; what the judge left open comes last."""
    pairs = (
        undecided("judge"),
        failing("third", RESULT, findings=(FACET,)),  # 1/3 of its range short, a facet
        failing("second", RESULT, findings=(SENTENCE,)),  # 1/3, a sentence
        failing("first", FM, FAITHFULNESS),  # 1/5 + 3/10 = 1/2
        refused(paper="empty"),
        passing(),
    )
    systems = (system("open", undecided=("why",), means=()), system("fails"), system(means=()))
    run = record(*pairs, systems=systems)
    actual = [make() for _, make in (*cases.failing_tests(run), *cases.failing_pairs(run))]
    assert [case.system if case.kind == "system" else case.paper for case in actual] == [
        "fails", "open", "empty", "first", "second", "third", "judge",
    ]  # fmt: skip


def test_a_terminal_shows_the_first_findings_and_says_how_many_more_there_are() -> None:
    """Thirty findings of one pair push the others off the screen; -v prints them."""
    many = tuple(replace(SENTENCE, title=f"sentence {n}") for n in range(8))
    case = cases.pair_case(failing("a", RESULT, findings=many))
    assert "5. sentence 4:" in case.brief
    assert "6. sentence 5:" not in case.brief
    assert "3 more findings: -v prints them, --summ-html=FILE writes a page" in case.brief
    assert "8. sentence 7:" in case.text
    assert "more findings" not in case.text
    few = cases.pair_case(failing("a", RESULT, findings=many[:5]))
    assert few.brief == few.text


def test_a_fact_that_is_a_fragment_stands_below_its_sentence() -> None:
    """A fragment such as "Strength after one day: rose." says nothing without it."""
    fact = changed(
        FACET,
        kind="fact",
        number="eva.recall",
        reference="Moss: grew.",
        sentence="Moss grew in rain.",
    )
    short = Shortfall(name="eva", value=0.4, least=0.5)
    lines = cases.pair_case(failing("a", short, findings=(fact,))).text.split("\n")
    assert lines[4:7] == [
        '   reference    "Moss grew in rain."',
        '   the fact     "Moss: grew."',
        f'   summary      "{FACET.summary}"',
    ]


def described(**values: object) -> list[str]:
    """The lines about one finding that is changed so, without heading."""
    finding = changed(FACET, **values)
    return cases.pair_case(failing("a", RESULT, findings=(finding,))).text.split("\n")[3:]


@given(st.integers(40, 100), st.sampled_from(["::error::no", "##[error]no"]))
def test_a_command_that_wrapping_puts_first_is_disarmed(n_before: int, command: str) -> None:
    """Law: wherever the line breaks fall, no line begins with a command, blanks before or not."""
    text = "m" * n_before + " " + command
    lines = described(summary=text, reason=text)
    assert "##[" not in "".join(lines)
    assert not [line for line in lines if line.strip().startswith("::")]


@pytest.mark.parametrize("megabyte", ["Zinc was given. " * 65_536, "z" * 1_048_576])
def test_a_paragraph_of_a_megabyte_is_cut(megabyte: str) -> None:
    """A report that nobody can scroll through hides the next finding."""
    lines = described(
        reference=megabyte, summary=megabyte, evidence=((0, megabyte),), reason=megabyte
    )
    assert max(map(len, lines)) <= 80
    assert sum(map(len, lines)) < 9_000
    assert "\n".join(lines).count("\u2026") == 4
    labels = [line.split()[0] for line in lines if line.startswith("   ") and line[3] != " "]
    assert labels == ["reference", "summary", "source", "reason"]


@settings(max_examples=30)
@given(
    reference=st.none() | st.text(max_size=90),
    summary=st.text(max_size=90),
    reason=st.text(max_size=90),
)
def test_a_text_is_printable_lines(reference: str | None, summary: str, reason: str) -> None:
    """Law: whatever is quoted, no invisible character and no line of its own gets through."""
    lines = described(reference=reference, summary=summary, reason=reason)
    assert all(character.isprintable() or character.isspace() for character in "".join(lines))
    assert lines[0] == "1. facet result: rated 2 of 4, at least 3 wanted"
    assert all(line.startswith("   ") for line in lines[1:])


def named(actual: Iterable[cases.Part]) -> dict[str, cases.Part]:
    """Parts by name, each of its own."""
    parts = list(actual)
    assert len({part.name for part in parts}) == len(parts)
    return {part.name: part for part in parts}


def of_pair(
    *missed: Shortfall, bounds: tuple[Threshold, ...] = (), **values: object
) -> dict[str, cases.Part]:
    """The parts of a pair with three scores and every finding, which fails by these numbers."""
    recipes = tuple(f"{metric}|judge:fair-1|v:1" for metric in ("facet", "eva", "faithfulness"))
    plain = {"scores": moss_scores(), "findings": FOUND, "signatures": recipes}
    return named(cases.pair_parts(pair("a", *missed, **(plain | values)), bounds))


def of_system(**values: object) -> dict[str, cases.Part]:
    """The parts of a system with two pairs, whose FM is 0.45 and 0.3."""
    fm = moss_scores()[0]
    pairs = (pair(n, scores=(replace(fm, value=v),)) for n, v in (("high", 0.45), ("low", 0.3)))
    return named(cases.system_parts(system(**values), [each.numbers() for each in pairs]))  # type: ignore[arg-type]  # fields


def causes(actual: dict[str, cases.Part]) -> dict[str, str]:
    """How each part ended."""
    return {name: part.cause for name, part in actual.items()}


def test_each_number_is_a_part_that_says_how_it_stands() -> None:
    """A history of values is worth keeping; a metric's parts stand where a threshold is on them."""
    low, close = Threshold("facet", 0.4), replace(moss_scores()[0], value=0.4004)
    actual = of_pair(short("facet.result", 2.0, 3.0), bounds=(low,))
    facets = dict.fromkeys(("facet", *(f"facet.{facet}" for facet in SCALES)), "passed")
    assert causes(actual) == facets | {
        "facet.result": "shortfall", "eva": "passed", "faithfulness": "passed",
    }  # fmt: skip
    assert (actual["facet"].text, actual["eva"].text) == ("facet 0.500 >= 0.400", "eva 0.400")
    wanted = ("eva.precision", "eva.recall_entailed")
    assert {*wanted} <= of_pair(bounds=tuple(Threshold(name, 0.2) for name in wanted)).keys()
    # To three digits, 0.4004 is 0.400 and would stand there as less than 0.4002.
    actual = of_pair(scores=(close,), bounds=(Threshold("facet", 0.4002),))
    assert actual["facet"].text == "facet 0.4004 >= 0.4002"


def test_a_finding_stands_with_the_numbers_that_it_lowers(snapshot: SnapshotAssertion) -> None:
    """A missing fact does not explain a precision, nor a wrong sentence a facet."""
    for name, titles in (
        ("facet", ["facet background", "facet conclusion", "facet result"]),
        ("facet.result", ["facet result"]),
        ("eva", ["fact of the summary", "fact of the reference"]),
        ("eva.precision", ["fact of the summary"]),
        ("eva.recall", ["fact of the reference"]),
        ("eva.recall_entailed", ["fact of the reference"]),
        ("faithfulness", ["sentence 2"]),
        ("faithfulness.support", ["sentence 2"]),
    ):
        text = of_pair(short(name, None, 0.5))[name].text
        assert re.findall(r"^\d+\. (.*?): ", text, re.MULTILINE) == titles
    named_by_findings = {*(f"facet.{facet}" for facet in FACETS), "eva.precision", "eva.recall"}
    named_by_findings |= {"faithfulness", "faithfulness.conflicts", "faithfulness.support"}
    for name, number in CATALOGUE.items():  # else a red number stands there without a reason
        explaining = number.explained_by or name
        assert any(each.startswith(explaining) for each in named_by_findings), name
    # who opens a red facet.result in Jenkins has to see both texts, and no other facet's
    assert of_pair(RESULT, FM)["facet.result"].text.split("\n") == snapshot


def test_what_the_judge_left_unscored_is_an_error_and_what_the_system_did_a_failure() -> None:
    """The rest of the pair was measured and never decided, so it is neither red nor green."""
    # Beside a failure, what is undecided is an error of its own, said once.
    lack = Unscored(metric="eva", status="unanswered", reason="no reply\nthat could be read")
    why = "eva is unscored: unanswered, no reply that could be read"
    scores = (moss_scores()[0], lack)
    actual = of_pair(scores=scores, undecided=(why,))
    assert {cause for name, cause in causes(actual).items() if name != "eva"} == {"skipped"}
    unread = "eva: unanswered, no reply that could be read"
    assert actual["eva"] == cases.Part("eva", unread, "unscored")
    assert actual["facet"].text == f"facet 0.500 was not decided: {why}"
    actual = of_pair(FM, scores=scores, undecided=(why, "it is open"))
    assert (actual["facet"].cause, actual["eva"].cause) == ("shortfall", "unscored")
    assert actual["undecided"] == cases.Part("undecided", "it is open", "unscored")
    declined = named(cases.pair_parts(refused(), ()))["facet"]
    assert declined.cause == "no score"
    assert declined.text.startswith("facet: the system refused\n")


def test_each_mean_is_a_part_of_its_system(snapshot: SnapshotAssertion) -> None:
    """A failing one names the papers that pull it down, the lowest first."""
    # One that covers too few papers fails, whatever a waiver says; an open one is the judge's
    # fault.
    names = {"facet.method": "not needed", "facet.result": "in use", "eva.recall": "in use"}
    actual = of_system(
        means=(
            mean(value=0.375, least=0.6),  # (0.45 + 0.3) / 2
            OPEN_MEAN,
            mean("facet.method", 3.0, 2.0),
            mean("facet.result", 1.0, 2.0),
            replace(mean("eva.recall", 0.9, 0.6), n_scored=1),
        ),
        waivers=tuple(waived(state, name=n, finding=n) for n, state in names.items()),
    )
    assert [tuple(part) for part in actual.values()] == snapshot

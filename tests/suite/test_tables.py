from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from summeval_pytest.errors import OptionError, Place
from summeval_pytest.suite.labels import EvidenceLabel
from summeval_pytest.suite.lines import Fields, TextFile
from summeval_pytest.suite.marking import Item, Marking
from summeval_pytest.suite.tables import (
    Export,
    by_annotator,
    disputed,
    read_csv,
    read_labelstudio,
    read_markings,
    read_names,
    settled,
)
from tests.label_suite import loaded, mistake

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from syrupy.assertion import SnapshotAssertion

    from summeval_pytest.suite.suite import Suite


def table(folder: Path, data: str | bytes) -> TextFile:
    """A table with this content."""
    file = folder / "labels.csv"
    file.write_bytes(data if isinstance(data, bytes) else data.encode())
    return TextFile(file, "labels.csv")


def rows(folder: Path, data: str | bytes, *names: str) -> tuple[Fields, ...]:
    """The rows of a table."""
    return read_csv(table(folder, data), read_names(names)).rows


def test_cells_are_fields_and_empty_ones_are_not_there(tmp_path: Path) -> None:
    """Worked example: a quoted comma and line break, which moves the lines below."""
    found = rows(
        tmp_path,
        'paper,system,method,x_note\nmoss-01, long ,3,"so, so\nindeed"\n,,,\nmoss-01,short,,\n',
    )
    assert [(row.values, row.place.line) for row in found] == [
        ({"paper": "moss-01", "system": "long", "method": "3", "x_note": "so, so\nindeed"}, 2),
        ({"paper": "moss-01", "system": "short"}, 5),
    ]


@pytest.mark.parametrize("start", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_byte_order_mark_and_line_ends_make_no_difference(
    tmp_path: Path, start: bytes, end: bytes
) -> None:
    """Spreadsheets save both."""
    data = start + b"paper,system,overall,x_note" + end + b'p,s,1,"so' + end + b'so"' + end
    (row,) = rows(tmp_path, data)
    assert row.values == {"paper": "p", "system": "s", "overall": "1", "x_note": "so\nso"}
    assert row.place.line == 2


def test_columns_are_renamed_left_out_and_carried_along(tmp_path: Path) -> None:
    """Nobody has to edit a table that another program has written."""
    (row,) = rows(
        tmp_path,
        "doc,system,id,why,FM\np,s,17,short,0.5\n",
        "doc=paper",
        "id=-",
        "why=x_why",
        "FM=overall",
    )
    assert row.values == {"paper": "p", "system": "s", "x_why": "short", "overall": "0.5"}


@pytest.mark.parametrize(
    "data",
    [
        "",
        "paper,system\n",
        "paper,sytem,overall\np,s,1\n",
        "paper;system\np;s\n",
        "paper,system,\np,s,1\n",
        "paper,system,paper\np,s,q\n",
        "paper,overall\np,1\n",
        "paper,system,overall\np,s,1\np,s\n",
        'paper,system,overall\np,s,"1"2\n',
        b"paper,system,overall\np,s\xe4,1\n",
    ],
)
def test_mistake_in_a_table_is_told_with_its_line(
    tmp_path: Path, data: str | bytes, snapshot: SnapshotAssertion
) -> None:
    """An editor can jump to it."""
    file = table(tmp_path, data)
    assert mistake(lambda: read_csv(file, read_names(()))) == snapshot


def test_file_that_is_not_there_is_a_usage_error(
    tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    """The path is the user's."""
    file = TextFile(tmp_path / "none.csv", "none.csv")
    assert mistake(lambda: read_csv(file, read_names(()))) == snapshot


@pytest.mark.parametrize(
    "options", [["rater"], ["=paper"], ["rater=anotator"], ["a=paper", "a=system"], ["pape=paper"]]
)
def test_mapping_that_means_nothing_is_refused(
    tmp_path: Path, options: list[str], snapshot: SnapshotAssertion
) -> None:
    """A slip in it would leave a column out in silence."""
    file = table(tmp_path, "paper,system,overall\np,s,1\n")
    with pytest.raises(OptionError) as caught:
        read_csv(file, read_names(options))
    assert str(caught.value) == snapshot


DATA = {"paper": "moss-01", "system": "long", "text": "shown to the annotator"}


PAIR = {"paper": "moss-01", "system": "long"}


def result(name: str, kind: str, **value: object) -> dict[str, object]:
    """One answer of an annotation."""
    return {"id": "a1", "from_name": name, "to_name": "text", "type": kind, "value": value}


def task(*results: object, data: object = DATA, **more: object) -> dict[str, object]:
    """A task with one annotation."""
    annotation = {"id": 7, "completed_by": 3, "was_cancelled": False, "result": list(results)}
    return {"id": 12, "data": data, "annotations": [{**annotation, **more}], "predictions": []}


def export(folder: Path, value: object, *names: str, ground_truth: bool = False) -> Export:
    """An export with this content, read."""
    file = folder / "export.json"
    file.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
    read = TextFile(file, "export.json")
    return read_labelstudio(read, read_names(names), ground_truth=ground_truth)


def values(found: Export) -> list[dict[str, object]]:
    """The rows' values."""
    return [dict(row.values) for row in found.rows]


def test_each_control_gives_its_answer(tmp_path: Path) -> None:
    """Worked example of the types that a label can come from; a text that is no fact is not one."""
    found = export(
        tmp_path,
        [
            task(
                result("method", "choices", choices=["3"]),
                result("result", "rating", rating=4),
                result("overall", "number", number=0.7),
                result("x_why", "textarea", text=["too short"]),
                {"type": "relation", "from_id": "a", "to_id": "b"},
            )
        ],
    )
    assert values(found) == [
        PAIR | {"method": "3", "result": 4, "overall": 0.7, "x_why": "too short", "annotator": "3"}
    ]
    assert found.rows[0].owner == "task 1 (id 12)"
    assert found.notes == ()


def test_spans_choices_and_taxonomies_are_lists(tmp_path: Path) -> None:
    """Evidence is often marked in the text or ticked in a list."""
    spans = [
        result("evidence", "labels", start=0, end=4, text="Moss", labels=["carries"]),
        result("evidence", "labels", start=9, end=13, text="Roof", labels=["carries"]),
    ]
    ticked = result("evidence", "choices", choices=["0", "2"])
    chosen = result("error", "taxonomy", taxonomy=[["number"]])
    data = {**PAIR, "sentence": 1}
    found = export(tmp_path, [task(*spans, data=data), task(ticked, chosen, data=data)])
    assert [row.get("evidence") for row in values(found)] == [["Moss", "Roof"], ["0", "2"]]
    assert values(found)[1]["error"] == "number"


def test_controls_of_a_repeater_are_a_row_a_sentence(tmp_path: Path) -> None:
    """A whole summary on one page has ``faithful_0``, ``faithful_1`` and so on."""
    found = export(
        tmp_path,
        [
            task(
                result("faithful_0", "choices", choices=["yes"]),
                result("evidence_0", "choices", choices=["2"]),
                result("faithful_11", "choices", choices=["no"]),
                data=PAIR,
            )
        ],
    )
    who = {"annotator": "3"}
    assert values(found) == [
        PAIR | {"faithful": "yes", "evidence": "2", "sentence": 0} | who,
        PAIR | {"faithful": "no", "sentence": 11} | who,
    ]


def test_what_nobody_stands_for_is_left_out_and_counted(tmp_path: Path) -> None:
    """A cancelled annotation is no label, and a prediction is a model's."""
    said = result("method", "choices", choices=["3"])
    silent = {"id": 13, "data": DATA, "annotations": [], "predictions": [{"result": [said]}]}
    found = export(tmp_path, [task(said), task(said, was_cancelled=True), silent])
    assert len(found.rows) == 1
    assert found.notes == ("cancelled annotations left out: 1", "tasks without an annotation: 1")


def test_ground_truth_keeps_what_a_reviewer_marked(tmp_path: Path) -> None:
    """Where there is one, it is the label that counts."""
    said = result("method", "choices", choices=["3"])
    tasks = [task(said, ground_truth=True, completed_by=1), task(said, ground_truth=False)]
    found = export(tmp_path, tasks, ground_truth=True)
    assert [row["annotator"] for row in values(found)] == ["1"]
    assert found.notes == ("annotations left out that are no ground truth: 1",)


@pytest.mark.parametrize(
    ("completed_by", "name"),
    [
        (3, "3"),
        ({"id": 3, "email": "anna@example.org"}, "anna@example.org"),
        ({"id": 3, "email": ""}, "3"),
        (None, None),
    ],
)
def test_annotator_is_named_as_the_export_names_them(
    tmp_path: Path, completed_by: object, name: str | None
) -> None:
    """A number in one version, an address in another."""
    said = result("method", "choices", choices=["3"])
    (row,) = values(export(tmp_path, [task(said, completed_by=completed_by)]))
    assert row.get("annotator") == name


def test_completions_of_earlier_versions_are_annotations(tmp_path: Path) -> None:
    """Projects live longer than formats."""
    old = task(result("method", "choices", choices=["3"]))
    old["completions"] = old.pop("annotations")
    assert len(export(tmp_path, [old]).rows) == 1


def test_json_min_gives_the_same_rows(tmp_path: Path) -> None:
    """One choice is a text there, several an object, a rating a list of one."""
    flat = {
        **PAIR,
        "id": 12,
        "source_shown": "Moss grew.",
        "sentence": "Grow it.",
        "faithful": "no",
        "evidence": {"choices": ["0", "2"]},
        "method": [{"rating": 3}],
        "annotator": 3,
        "lead_time": 6.7,
    }
    found = export(tmp_path, [flat])
    assert values(found) == [
        PAIR
        | {
            "sentence": "Grow it.",
            "faithful": "no",
            "evidence": ["0", "2"],
            "method": 3,
            "annotator": "3",
        }
    ]
    assert found.notes == ("taken for data, not for labels: lead_time, source_shown",)


def test_names_of_data_and_controls_are_mapped(tmp_path: Path) -> None:
    """A project that is done cannot be renamed."""
    found = export(
        tmp_path,
        [
            task(
                result("q1", "choices", choices=["yes"]),
                result("remark", "textarea", text=["hm"]),
                data={"doc": "moss-01", "system": "long", "sentence_index": 1},
            )
        ],
        "q1=faithful",
        "remark=-",
        "doc=paper",
        "sentence_index=sentence",
    )
    assert values(found) == [PAIR | {"sentence": 1, "faithful": "yes", "annotator": "3"}]


@pytest.mark.parametrize(
    "value",
    [
        "",
        "[]",
        '[\n{"id" 1}]',
        *(
            nested
            for nested in (f"""[{{"method": {"[" * depth}{"]" * depth}}}]""" for depth in (99, 900))
        ),
        "[3]",
        [{"id": 5, "annotations": []}],
        [{"id": 5, "data": {}, "annotations": [8]}],
        [task(), task(result("faithfull", "choices", choices=["yes"]))],
    ],
)
def test_mistake_in_an_export_is_told_with_its_task(
    tmp_path: Path, value: object, snapshot: SnapshotAssertion
) -> None:
    """A line of an export is no help: a task is what its owner can look at."""
    assert mistake(lambda: export(tmp_path, value)) == snapshot


def test_mapping_of_a_name_that_no_task_has_is_refused(
    tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    """A slip in it would leave a control's answers out in silence."""
    tasks = [task(result("method", "choices", choices=["3"]))]
    with pytest.raises(OptionError) as caught:
        export(tmp_path, tasks, "metod=method")
    assert str(caught.value) == snapshot


def test_json_min_has_no_ground_truth(tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    """All of it left out would look like an empty project."""
    flat = [{**PAIR, "method": "3"}]
    assert mistake(lambda: export(tmp_path, flat, ground_truth=True)) == snapshot


HUGE = "9" * 5_000  # Python reads no integer of so many digits


SENTENCE = {**PAIR, "sentence": "1", "faithful": "no"}


FACT = {**PAIR, "side": "reference", "text": "Moss cooled the roof.", "holds": "yes"}


@pytest.fixture
def reader(tmp_path: Path) -> Suite:
    """A reader of the suite of moss."""
    return loaded(tmp_path)


def row(values: Mapping[str, object]) -> Fields:
    """A row of the fourth line."""
    return Fields(values=values, owner="this row", where=lambda _: Place("labels.csv", 4))


def read(reader: Suite, values: Mapping[str, object]) -> list[tuple[object, ...]]:
    """What a row says: kind, index or text, and value of each marking."""
    return [
        (m.item.kind, m.item.text or m.item.index, m.value)
        for m in read_markings(reader, [row(values)])[0]
    ]


def only(reader: Suite, values: Mapping[str, object]) -> Marking:
    """The one marking of a row."""
    (marking,) = read_markings(reader, [row(values)])[0]
    return marking


def test_row_about_a_pair_may_say_several_things(reader: Suite) -> None:
    """Worked example: three facets, of which the reference lacks one, and an overall score."""
    values = {"background": "3", "method": "null", "result": 4.0, "overall": "0.75"}
    assert read(reader, PAIR | values) == [
        ("background", 0, 3),
        ("method", 0, None),
        ("result", 0, 4),
        ("overall", 0, 0.75),
    ]


def test_row_may_be_about_one_facet(reader: Suite) -> None:
    """A task a facet is how Label Studio projects are often cut."""
    assert read(reader, PAIR | {"facet": "Result", "rating": 2}) == [("result", 0, 2)]


@pytest.mark.parametrize("sentence", ["1", 1, "Moss cooled them by 9 K.", " cooled them"])
def test_sentence_is_named_by_index_or_words(reader: Suite, sentence: object) -> None:
    """Whoever made the tasks may have cut the summary in their own way."""
    assert read(reader, SENTENCE | {"sentence": sentence}) == [("sentence", 1, False)]


@pytest.mark.parametrize(
    "evidence", ["2;0", "2, 0", "2 0", ["2", 0], ["[2] Under moss", "Roofs get hot"], [2, 0, "2"]]
)
def test_evidence_is_indices_or_words(reader: Suite, evidence: object) -> None:
    """Written as the suite writes it: with the first words, so that another splitter finds it."""
    marking = only(reader, SENTENCE | {"evidence": evidence, "error": "number"})
    assert marking.evidence == (
        EvidenceLabel(index=2, starts="Under moss the roof was"),
        EvidenceLabel(index=0, starts="Roofs get hot in July."),
    )
    assert marking.error == "number"


def test_fact_holds_or_not_on_its_side(reader: Suite) -> None:
    """A reference's fact is covered by the summary, a summary's supported by the reference."""
    assert read(reader, FACT) == [("reference fact", "Moss cooled the roof.", True)]
    assert read(reader, FACT | {"side": "candidate", "holds": False}) == [
        ("candidate fact", "Moss cooled the roof.", False)
    ]


@pytest.mark.parametrize(
    ("word", "value"),
    [
        *((word, True) for word in ("Yes", "TRUE", "1", "supported", True, 1)),
        *((word, False) for word in ("no", "Not faithful", "0", False, 0)),
    ],
)
def test_yes_and_no_have_many_words(reader: Suite, word: object, value: bool) -> None:
    """Spreadsheets and projects write what they like."""
    assert only(reader, SENTENCE | {"faithful": word}).value is value


def test_own_columns_and_the_annotator_go_with_the_marking(reader: Suite) -> None:
    """What is not ours to read is carried along."""
    marking = only(reader, SENTENCE | {"x_sure": "no", "annotator": "anna"})
    assert (marking.own, marking.annotator) == ((("x_sure", "no"),), "anna")


def test_rows_without_an_answer_are_counted(tmp_path: Path) -> None:
    """A table that is half done is no mistake; what it leaves open is said."""
    rows = [row(PAIR), row({**PAIR, "sentence": "0"}), row(SENTENCE)]
    markings, n_silent = read_markings(loaded(tmp_path), rows)
    assert (len(markings), n_silent) == (1, 2)


@pytest.mark.parametrize(
    "values",
    [
        {"system": "long"},
        {**PAIR, "paper": "moos-01"},
        {**PAIR, "system": "lang"},
        {"paper": "moss-02", "system": "short"},
        {**PAIR, "conclusion": "4"},
        {**PAIR, "method": "2.5"},
        {**PAIR, "method": "٣"},
        *({**PAIR, "overall": huge} for huge in ("1e999", "-inf")),
        {**SENTENCE, "sentence": HUGE},
        *({**SENTENCE, "evidence": huge} for huge in (HUGE, f"[{HUGE}] Rain fell.")),
        {**PAIR, "overall": "nan"},
        {**PAIR, "rating": "3"},
        {**PAIR, "facet": "results", "rating": "3"},
        {**SENTENCE, "faithful": "maybe"},
        {**PAIR, "faithful": "yes"},
        {**PAIR, "sentence": "0", "evidence": "1"},
        {**SENTENCE, "sentence": "3"},
        {**SENTENCE, "sentence": "Rain fell."},
        {**SENTENCE, "sentence": "o"},
        {**SENTENCE, "faithful": "yes", "error": "number"},
        {**SENTENCE, "evidence": "0;3"},
        {**SENTENCE, "evidence": "Rain fell."},
        {**FACT, "side": "left"},
        {**PAIR, "text": "Moss.", "holds": "yes"},
        {**PAIR, "holds": "yes"},
    ],
)
def test_mistake_in_a_row_is_told_with_its_place(
    reader: Suite, values: dict[str, object], snapshot: SnapshotAssertion
) -> None:
    """Each message says what, where and what to do."""
    assert mistake(lambda: read_markings(reader, [row(values)])[0]) == snapshot


def test_sentence_of_a_summary_yet_to_be_asked_for_goes_by_its_index(
    reader: Suite,
) -> None:
    """A model's summary is not asked for to check a label; words cannot be looked up in it."""
    values = {**SENTENCE, "system": "writer", "sentence": "9"}
    assert read(reader, values) == [("sentence", 9, False)]
    assert mistake(
        lambda: read_markings(reader, [row({**values, "sentence": "It grew."})])
    ).endswith("stands nowhere in the summary; write its index, from 0")


def said(
    annotator: str,
    value: float | bool | None,
    *evidence: int,
    error: str | None = None,
    index: int = 0,
    line: int = 1,
) -> Marking:
    """What an annotator says of a sentence."""
    return Marking(
        item=Item(paper="moss-01", system="long", kind="sentence", index=index),
        value=value,
        evidence=tuple(EvidenceLabel(index=each) for each in evidence),
        error=error,
        annotator=annotator,
        place=Place("labels.csv", line),
    )


def test_items_that_two_say_otherwise_of_are_disputed() -> None:
    """Evidence is not: two sentences can carry the same."""
    annotators = by_annotator(
        [
            said("anna", True, 1),
            said("ben", True, 2),
            said("anna", True, index=1),
            said("ben", False, index=1),
            said("anna", False, index=2),
        ]
    )
    assert [item.index for item in disputed(annotators)] == [1]


@pytest.mark.parametrize("second", [said("anna", False, line=9), said("anna", True, 4, line=9)])
def test_annotator_who_says_two_things_is_refused(
    second: Marking, snapshot: SnapshotAssertion
) -> None:
    """No rule can tell which of them is meant."""
    assert mistake(lambda: by_annotator([said("anna", True), second])) == snapshot


def test_majority_takes_the_value_and_what_goes_with_it() -> None:
    """Worked example: two of three say no; both of them name 4, one of them 5."""
    (marking,) = settled(
        by_annotator(
            [
                said("anna", False, 4, error="number"),
                said("ben", True, 1),
                said("cleo", False, 4, 5, error="number"),
            ]
        )
    )
    assert (marking.value, marking.error) == (False, "number")
    assert [label.index for label in marking.evidence] == [4]
    assert marking.annotator.split("\n") == ["anna", "ben", "cleo"]


def test_evidence_without_a_majority_is_all_that_is_named() -> None:
    """Leaving it all out would lose what both found."""
    (marking,) = settled(by_annotator([said("anna", True, 1), said("ben", True, 2)]))
    assert [label.index for label in marking.evidence] == [1, 2]


def test_errors_without_a_majority_are_left_out() -> None:
    """A label has one kind of error, and neither name is more right."""
    both = [said("anna", False, error="number"), said("ben", False, error="unit")]
    assert settled(by_annotator(both))[0].error is None


def test_tie_is_refused_with_the_item_and_both_sides(snapshot: SnapshotAssertion) -> None:
    """Nobody but its owner can settle it."""
    both = [said("anna", True), said("ben", False, line=7)]
    assert mistake(lambda: settled(by_annotator(both))) == snapshot


@given(st.lists(st.booleans(), min_size=1, max_size=7).filter(lambda v: sum(v) * 2 != len(v)))
def test_order_of_annotators_settles_nothing(values: Sequence[bool]) -> None:
    """A majority is a count."""
    markings = [said(f"a{number}", value) for number, value in enumerate(values)]
    one = settled(by_annotator(markings))[0]
    other = settled(by_annotator(list(reversed(markings))))[0]
    assert one.value == other.value == (sum(values) * 2 > len(values))

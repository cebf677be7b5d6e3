from __future__ import annotations

import json
from functools import partial
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

PAIR: dict[str, object] = {"paper": "moss-01", "system": "long"}
DATA = {**PAIR, "text": "shown to the annotator"}
HUGE = "9" * 5000


def table(folder: Path, data: str | bytes, *names: str) -> tuple[Fields, ...]:
    """The rows of a table with this content."""
    file = folder / "labels.csv"
    file.write_bytes(data if isinstance(data, bytes) else data.encode())
    return read_csv(TextFile(file, "labels.csv"), read_names(names)).rows


def test_cells_are_fields_and_empty_ones_are_not_there(tmp_path: Path) -> None:
    """Worked example: a quoted comma and line break, which moves the lines below."""
    found = table(
        tmp_path,
        'paper,system,method,x_note\nmoss-01, long ,3,"so, so\nindeed"\n,,,\nmoss-01,short,,\n',
    )
    assert [(row.values, row.place.line) for row in found] == [
        ({**PAIR, "method": "3", "x_note": "so, so\nindeed"}, 2),
        ({**PAIR, "system": "short"}, 5),
    ]


@pytest.mark.parametrize("start", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_byte_order_mark_and_line_ends_make_no_difference(
    tmp_path: Path, start: bytes, end: bytes
) -> None:
    """Spreadsheets save both."""
    data = start + b"paper,system,overall,x_note" + end + b'p,s,1,"so' + end + b'so"' + end
    (row,) = table(tmp_path, data)
    assert row.values == {"paper": "p", "system": "s", "overall": "1", "x_note": "so\nso"}
    assert row.place.line == 2


def test_columns_are_renamed_left_out_and_carried_along(tmp_path: Path) -> None:
    """Nobody has to edit a table that another program has written."""
    names = ("doc=paper", "id=-", "why=x_why", "FM=overall")
    (row,) = table(tmp_path, "doc,system,id,why,FM\np,s,17,short,0.5\n", *names)
    assert row.values == {"paper": "p", "system": "s", "x_why": "short", "overall": "0.5"}


def test_mistakes_in_a_table_are_told_with_their_lines(
    tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    """An editor can jump to it; a file that is not there is the user's mistake, too."""
    tables: list[str | bytes] = [
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
    ]
    told = [mistake(partial(table, tmp_path, data)) for data in tables]
    none = TextFile(tmp_path / "none.csv", "none.csv")
    assert [*told, mistake(lambda: read_csv(none, {}))] == snapshot


def test_mappings_that_mean_nothing_are_refused(
    tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    """A slip in it would leave a column, or a control's answers, out in silence."""
    told = []
    for options in ("rater", "=paper", "rater=anotator", "a=paper a=system", "pape=paper"):
        with pytest.raises(OptionError) as caught:
            table(tmp_path, "paper,system,overall\np,s,1\n", *options.split())
        told.append(str(caught.value))
    with pytest.raises(OptionError) as caught:
        export(tmp_path, [task(METHOD)], "methd=result")
    assert [*told, str(caught.value)] == snapshot


def result(name: str, kind: str, **value: object) -> dict[str, object]:
    """One answer of an annotation."""
    return {"id": "a1", "from_name": name, "to_name": "text", "type": kind, "value": value}


METHOD = result("method", "choices", choices=["3"])


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
    controls = task(
        METHOD,
        result("result", "rating", rating=4),
        result("overall", "number", number=0.7),
        result("x_why", "textarea", text=["too short"]),
        {"type": "relation", "from_id": "a", "to_id": "b"},
    )
    found = export(tmp_path, [controls])
    assert values(found) == [
        PAIR | {"method": "3", "result": 4, "overall": 0.7, "x_why": "too short", "annotator": "3"}
    ]
    assert (found.rows[0].owner, found.notes) == ("task 1 (id 12)", ())


def test_spans_choices_and_taxonomies_are_lists(tmp_path: Path) -> None:
    """Evidence is often marked in the text or ticked in a list."""
    spans = [
        result("evidence", "labels", start=0, end=4, text="Moss", labels=["carries"]),
        result("evidence", "labels", start=9, end=13, text="Roof", labels=["carries"]),
    ]
    ticked = result("evidence", "choices", choices=["0", "2"])
    chosen = result("error", "taxonomy", taxonomy=[["number"]])
    data = {**PAIR, "sentence": 1}
    found = values(export(tmp_path, [task(*spans, data=data), task(ticked, chosen, data=data)]))
    assert [row.get("evidence") for row in found] == [["Moss", "Roof"], ["0", "2"]]
    assert found[1]["error"] == "number"


def test_controls_of_a_repeater_are_a_row_a_sentence(tmp_path: Path) -> None:
    """A whole summary on one page has ``faithful_0``, ``faithful_1`` and so on."""
    answers = {"faithful_0": "yes", "evidence_0": "2", "faithful_11": "no"}
    results = [result(name, "choices", choices=[said]) for name, said in answers.items()]
    who = {"annotator": "3"}
    assert values(export(tmp_path, [task(*results, data=PAIR)])) == [
        PAIR | {"faithful": "yes", "evidence": "2", "sentence": 0} | who,
        PAIR | {"faithful": "no", "sentence": 11} | who,
    ]


def test_what_nobody_stands_for_is_left_out_and_counted(tmp_path: Path) -> None:
    """A cancelled annotation is no label, a prediction a model's; a reviewer's mark counts."""
    silent = {"id": 13, "data": DATA, "annotations": [], "predictions": [{"result": [METHOD]}]}
    found = export(tmp_path, [task(METHOD), task(METHOD, was_cancelled=True), silent])
    assert len(found.rows) == 1
    assert found.notes == ("cancelled annotations left out: 1", "tasks without an annotation: 1")
    tasks = [task(METHOD, ground_truth=True, completed_by=1), task(METHOD, ground_truth=False)]
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
    """A number in one version, an address in another, which says completions, too."""
    old = task(METHOD, completed_by=completed_by)
    old["completions"] = old.pop("annotations")
    (row,) = values(export(tmp_path, [old]))
    assert row.get("annotator") == name


def test_json_min_gives_the_same_rows(tmp_path: Path) -> None:
    """One choice is a text there, several an object, a rating a list of one."""
    said = {"sentence": "Grow it.", "faithful": "no"}
    flat = {
        **PAIR,
        **said,
        "id": 12,
        "source_shown": "Moss grew.",
        "evidence": {"choices": ["0", "2"]},
        "method": [{"rating": 3}],
        "annotator": 3,
        "lead_time": 6.7,
    }
    found = export(tmp_path, [flat])
    assert values(found) == [
        {**PAIR, **said, "evidence": ["0", "2"], "method": 3, "annotator": "3"}
    ]
    assert found.notes == ("taken for data, not for labels: lead_time, source_shown",)
    assert mistake(lambda: export(tmp_path, [flat], ground_truth=True)).endswith(
        "task 1 (id 12) is JSON-MIN, which has no ground truth; export as JSON"
    )


def test_names_of_data_and_controls_are_mapped(tmp_path: Path) -> None:
    """A project that is done cannot be renamed."""
    results = [
        result("q1", "choices", choices=["yes"]),
        result("remark", "textarea", text=["hm"]),
    ]
    data = {"doc": "moss-01", "system": "long", "sentence_index": 1}
    names = ("q1=faithful", "remark=-", "doc=paper", "sentence_index=sentence")
    found = export(tmp_path, [task(*results, data=data)], *names)
    assert values(found) == [PAIR | {"sentence": 1, "faithful": "yes", "annotator": "3"}]


def test_mistakes_in_an_export_are_told_with_their_task(
    tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    """A line of an export is no help: a task is what its owner can look at."""
    exports: list[object] = [
        "",
        "[]",
        '[\n{"id" 1}]',
        *(f'[{{"method": {"[" * depth}{"]" * depth}}}]' for depth in (99, 900)),
        "[3]",
        [{"id": 5, "annotations": []}],
        [{"id": 5, "data": {}, "annotations": [8]}],
        [task(), task(result("faithfull", "choices", choices=["yes"]))],
    ]
    assert [mistake(partial(export, tmp_path, value)) for value in exports] == snapshot


SENTENCE: dict[str, object] = {**PAIR, "sentence": "1", "faithful": "no"}
FACT = {**PAIR, "side": "reference", "text": "Moss cooled the roof.", "holds": "yes"}


@pytest.fixture
def suite(tmp_path: Path) -> Suite:
    """The suite of moss."""
    return loaded(tmp_path)


def markings(suite: Suite, row: Mapping[str, object]) -> list[Marking]:
    """What a row of the fourth line says."""
    place = Place("labels.csv", 4)
    fields = Fields(values=row, owner="this row", where=lambda _: place)
    return read_markings(suite, [fields])[0]


WRITER = {**SENTENCE, "system": "writer", "sentence": "9"}


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (
            PAIR | {"background": "3", "method": "null", "result": 4.0, "overall": "0.75"},
            [("background", 0, 3), ("method", 0, None), ("result", 0, 4), ("overall", 0, 0.75)],
        ),
        (PAIR | {"facet": "Result", "rating": 2}, [("result", 0, 2)]),
        (FACT, [("reference fact", FACT["text"], True)]),
        (
            FACT | {"side": "candidate", "holds": False},
            [("candidate fact", FACT["text"], False)],
        ),
        *(
            (SENTENCE | {"sentence": which}, [("sentence", 1, False)])
            for which in ("1", 1, "Moss cooled them by 9 K.", " cooled them")
        ),
        *(
            (SENTENCE | {"faithful": word}, [("sentence", 1, value)])
            for value, words in {
                True: ("Yes", "TRUE", "1", "supported", True, 1),
                False: ("no", "Not faithful", "0", False, 0),
            }.items()
            for word in words
        ),
        # words cannot be looked up in a summary that is yet to be asked for
        (WRITER, [("sentence", 9, False)]),
        (PAIR, []),
        ({**PAIR, "sentence": "0"}, []),
    ],
)
def test_a_row_says_what_it_says_of_each_item(
    suite: Suite, row: dict[str, object], said: list[tuple[object, ...]]
) -> None:
    """Worked examples; spreadsheets and projects write what they like, and cut as they like."""
    found = [(m.item.kind, m.item.text or m.item.index, m.value) for m in markings(suite, row)]
    assert found == said


@pytest.mark.parametrize(
    "evidence", ["2;0", "2, 0", "2 0", ["2", 0], ["[2] Under moss", "Roofs get hot"], [2, 0, "2"]]
)
def test_evidence_is_indices_or_words(suite: Suite, evidence: object) -> None:
    """Written as the suite writes it: with the first words, so that another splitter finds it."""
    more = {"evidence": evidence, "error": "number", "x_sure": "no", "annotator": "anna"}
    (marking,) = markings(suite, SENTENCE | more)
    assert marking.evidence == (
        EvidenceLabel(index=2, starts="Under moss the roof was"),
        EvidenceLabel(index=0, starts="Roofs get hot in July."),
    )
    assert (marking.error, marking.own) == ("number", (("x_sure", "no"),))
    assert marking.annotator == "anna"


def test_rows_without_an_answer_are_counted(suite: Suite, tmp_path: Path) -> None:
    """A table that is half done is no mistake; what it leaves open is said."""
    rows = table(tmp_path, "paper,system,sentence,faithful\nmoss-01,long,0,\nmoss-01,long,1,no\n")
    found, n_silent = read_markings(suite, rows)
    assert (len(found), n_silent) == (1, 1)


def test_mistakes_in_rows_are_told_with_their_places(
    suite: Suite, snapshot: SnapshotAssertion
) -> None:
    """Each message says what, where and what to do."""
    sentence: dict[str, list[object]] = {
        "sentence": [HUGE, "3", "Rain fell.", "o"],
        "faithful": ["maybe"],
        "evidence": [HUGE, f"[{HUGE}] Rain fell.", "0;3", "Rain fell."],
    }
    pair: dict[str, list[object]] = {
        "paper": ["moos-01"],
        "system": ["lang"],
        "conclusion": ["4"],
        "method": ["2.5", "٣"],
        "overall": ["1e999", "-inf", "nan"],
        "rating": ["3"],
        "faithful": ["yes"],
        "holds": ["yes"],
    }
    rows: list[dict[str, object]] = [
        {"system": "long"},
        {"paper": "moss-02", "system": "short"},
        *({**PAIR, key: value} for key, found in pair.items() for value in found),
        *({**SENTENCE, key: value} for key, found in sentence.items() for value in found),
        {**PAIR, "facet": "results", "rating": "3"},
        {**PAIR, "sentence": "0", "evidence": "1"},
        {**SENTENCE, "faithful": "yes", "error": "number"},
        {**FACT, "side": "left"},
        {**PAIR, "text": "Moss.", "holds": "yes"},
        {**WRITER, "sentence": "It grew."},
    ]
    assert [mistake(partial(markings, suite, row)) for row in rows] == snapshot


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
    alike = [said("anna", True, 1), said("ben", True, 2)]
    unlike = [said("anna", True, index=1), said("ben", False, index=1)]
    annotators = by_annotator([*alike, *unlike, said("anna", False, index=2)])
    assert [item.index for item in disputed(annotators)] == [1]


@pytest.mark.parametrize(
    ("markings", "value", "evidence", "error"),
    [
        # two of three say no; both of them name 4, one of them 5
        ([said("anna", False, 4, error="number"), said("ben", True, 1),
          said("cleo", False, 4, 5, error="number")], False, [4], "number"),
        # leaving out what neither majority names would lose what both found
        ([said("anna", True, 1), said("ben", True, 2)], True, [1, 2], None),
        # a label has one kind of error, and neither name is more right
        ([said("anna", False, error="number"), said("ben", False, error="unit")], False, [], None),
    ],
    ids=["two of three", "evidence", "error"],
)  # fmt: skip
def test_majority_takes_the_value_and_what_goes_with_it(
    markings: list[Marking], value: bool, evidence: list[int], error: str | None
) -> None:
    """Worked examples; all annotators are named."""
    (marking,) = settled(by_annotator(markings))
    assert (marking.value, marking.error) == (value, error)
    assert [label.index for label in marking.evidence] == evidence
    assert marking.annotator.split("\n") == [marking.annotator for marking in markings]


def test_what_nobody_can_settle_is_refused(snapshot: SnapshotAssertion) -> None:
    """A tie, and an annotator who says two things; both sides are named."""
    first = said("anna", True)
    twice = [said("anna", False, line=9), said("anna", True, 4, line=9)]
    told = [mistake(partial(by_annotator, [first, second])) for second in twice]
    tie = by_annotator([first, said("ben", False, line=7)])
    assert [*told, mistake(lambda: settled(tie))] == snapshot


@given(st.lists(st.booleans(), min_size=1, max_size=7).filter(lambda v: sum(v) * 2 != len(v)))
def test_order_of_annotators_settles_nothing(values: Sequence[bool]) -> None:
    """A majority is a count."""
    markings = [said(f"a{number}", value) for number, value in enumerate(values)]
    one = settled(by_annotator(markings))[0]
    other = settled(by_annotator(list(reversed(markings))))[0]
    assert one.value == other.value == (sum(values) * 2 > len(values))

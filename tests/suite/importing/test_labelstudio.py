from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from summeval_pytest.errors import OptionError
from summeval_pytest.suite.lines import TextFile
from summeval_pytest.suite.tables import Export, Names, read_labelstudio
from tests.label_suite import mistake

if TYPE_CHECKING:
    from pathlib import Path

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
    return read_labelstudio(read, Names.read(names), ground_truth=ground_truth)


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
    ("value", "message"),
    [
        ("", ": 'export.json' is empty; export the project again"),
        ("[]", ": 'export.json' has no task; export the project again"),
        (
            '[\n{"id" 1}]',
            ":2: no JSON at column 7: Expecting ':' delimiter; mend the line",
        ),
        *(
            (nested, ": this line is nested too deeply to be read; mend it")
            for nested in (f'[{{"method": {"[" * depth}{"]" * depth}}}]' for depth in (99, 900))
        ),
        ("[3]", ": task 1 is 3; export as JSON or JSON-MIN"),
        (
            [{"id": 5, "annotations": []}],
            ": task 1 (id 5) has no 'data'; export as JSON or JSON-MIN",
        ),
        (
            [{"id": 5, "data": {}, "annotations": [8]}],
            ": an annotation of task 1 (id 5) is 8; write an object",
        ),
        (
            [task(), task(result("faithfull", "choices", choices=["yes"]))],
            (
                ": task 2 (id 12) has the unknown control 'faithfull'; did you mean 'faithful'?;"
                " or say which field it is with --map faithfull=FIELD (faithfull=- leaves it out)"
            ),
        ),
    ],
)
def test_mistake_in_an_export_is_told_with_its_task(
    tmp_path: Path, value: object, message: str
) -> None:
    """A line of an export is no help: a task is what its owner can look at."""
    assert mistake(lambda: export(tmp_path, value)) == f"export.json{message}"


def test_a_control_of_a_sentence_that_no_text_has_is_unknown(tmp_path: Path) -> None:
    """Python reads no number of thousands of digits; the name is that of no field."""
    value = [task(result(f"faithful_{'9' * 5_000}", "choices", choices=["yes"]))]
    told = mistake(lambda: export(tmp_path, value))
    assert told.startswith("export.json: task 1 (id 12) has the unknown control 'faithful_999")


def test_mapping_of_a_name_that_no_task_has_is_refused(tmp_path: Path) -> None:
    """A slip in it would leave a control's answers out in silence."""
    tasks = [task(result("method", "choices", choices=["3"]))]
    with pytest.raises(OptionError) as caught:
        export(tmp_path, tasks, "metod=method")
    assert str(caught.value) == (
        "--map=metod=method: export.json has no 'metod'; did you mean 'method'?"
    )


def test_json_min_has_no_ground_truth(tmp_path: Path) -> None:
    """All of it left out would look like an empty project."""
    flat = [{**PAIR, "method": "3"}]
    assert mistake(lambda: export(tmp_path, flat, ground_truth=True)) == (
        "export.json: task 1 is JSON-MIN, which has no ground truth; export as JSON"
    )

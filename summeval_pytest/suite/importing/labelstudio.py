"""Exports of Label Studio, JSON and JSON-MIN: one task a pair, a sentence, a facet or a fact.

JSON holds tasks with ``data`` and ``annotations``, each with a ``result`` list of answers by
control (``from_name``); earlier versions write ``completions``. JSON-MIN is flat: data and controls
side by side, one object an annotation. Source: labelstud.io/guide/task_format and /guide/export.
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from summeval_pytest.errors import SuiteError
from summeval_pytest.suite.fields import OWN_KEYS, Fields, brief
from summeval_pytest.suite.importing.csv_rows import read_text
from summeval_pytest.suite.importing.rows import (
    ABOUT,
    ANNOTATOR,
    LEFT_OUT,
    Export,
    Row,
    is_field,
    unknown,
)
from summeval_pytest.suite.jsonl import read_json

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from summeval_pytest.suite.importing.rows import Names
    from summeval_pytest.suite.lines import TextFile

_Values = dict[str, object]

_LISTS: Final = ("annotations", "completions")
_CONTENTS: Final = ("choices", "rating", "number", "text", "taxonomy", "selected")
"""Where a result's value holds the answer; of a labelled span it is the words."""
_OF_SENTENCE = re.compile(r"(faithful|evidence|error)_(\d{1,9})")
"""A control that a Repeater has made for one sentence of the summary, as ``faithful_3``."""


@dataclass(slots=True, kw_only=True)
class _Reading:
    """A file as it is read: its rows so far, and what was passed over."""

    file: TextFile
    names: Names
    ground_truth: bool
    seen: set[str] = field(default_factory=set)
    passed: Counter[str] = field(default_factory=Counter)
    ignored: set[str] = field(default_factory=set)


def read_labelstudio(file: TextFile, names: Names, *, ground_truth: bool = False) -> Export:
    """The annotations of an export, a row each, or one a sentence where controls are numbered.

    A task's ``data`` says what it is about, the controls what the annotator said of it. Annotations
    that were cancelled, and predictions, are left out; ``ground_truth`` keeps only those that a
    reviewer has marked so.

    Raises:
        SuiteError: Naming the task: for what is no export, and for a control that is no field.
        OptionError: For a mapping of a name that no task has.
    """
    value = _read(file)
    tasks = value if isinstance(value, list) else [value]
    if not tasks:
        raise SuiteError(file.at(0), f"{file.shown!r} has no task; export the project again")
    reading = _Reading(file=file, names=names, ground_truth=ground_truth)
    rows = tuple(
        row for number, task in enumerate(tasks, 1) for row in _task(reading, number, task)
    )
    names.check_used(sorted(reading.seen), file.shown)
    return Export(rows=rows, notes=tuple(_notes(reading)))


def _read(file: TextFile) -> object:
    """The export as JSON.

    Raises:
        SuiteError: For what is none, with the line.
    """
    text = read_text(file)
    if not text.strip():
        raise SuiteError(file.at(0), f"{file.shown!r} is empty; export the project again")
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        return read_json(text, file.at(error.lineno))
    except (ValueError, RecursionError):
        pass  # said better below
    return read_json(text, file.at(0))


def _notes(reading: _Reading) -> Iterator[str]:
    for what, count in sorted(reading.passed.items()):
        yield f"{what}: {count}"
    if reading.ignored:
        yield f"taken for data, not for labels: {', '.join(sorted(reading.ignored))}"


def _task(reading: _Reading, number: int, task: object) -> Iterator[Row]:
    place = reading.file.at(0)
    if not isinstance(task, dict):
        raise SuiteError(place, f"task {number} is {brief(task)}; export as JSON or JSON-MIN")
    owner = f"task {number} (id {task['id']})" if "id" in task else f"task {number}"
    fields = Fields(values=task, owner=owner, where=lambda _: place)
    listed = next((name for name in _LISTS if name in task), None)
    if isinstance(task.get("data"), dict):
        yield from _full(reading, fields, listed)
    elif listed:
        raise fields.fault("data", f"{owner} has no 'data'; export as JSON or JSON-MIN")
    else:
        yield from _flat(reading, fields)


def _full(reading: _Reading, task: Fields, listed: str | None) -> Iterator[Row]:
    data = task.inside("data", task.values["data"], f"'data' of {task.owner}", "an object")
    reading.seen |= set(data.values)
    about = {reading.names.field(name): value for name, value in data.values.items()}
    about = {name: v for name, v in about.items() if name in ABOUT or name.startswith(OWN_KEYS)}
    _without_other_text(about)
    annotations = task.values[listed] if listed else []
    if not isinstance(annotations, list):
        raise task.wrong(listed or "", annotations, "a list; export as JSON or JSON-MIN")
    if not annotations:
        reading.passed["tasks without an annotation"] += 1
    for item in annotations:
        one = task.inside(listed or "", item, f"an annotation of {task.owner}", "an object")
        if one.values.get("was_cancelled"):
            reading.passed["cancelled annotations left out"] += 1
        elif reading.ground_truth and not one.values.get("ground_truth"):
            reading.passed["annotations left out that are no ground truth"] += 1
        else:
            said = _results(reading, one, task.owner)
            yield from _rows(task, about, said, _annotator(one.values.get("completed_by")))


def _results(reading: _Reading, annotation: Fields, owner: str) -> _Values:
    """The answers of an annotation by field."""
    said: defaultdict[str, list[object]] = defaultdict(list)
    result = annotation.values.get("result", [])
    if not isinstance(result, list):
        raise annotation.wrong("result", result, "a list of answers")
    for item in result:
        one = annotation.inside("result", item, f"a result of {owner}", "an object")
        name = one.values.get("from_name")
        if not isinstance(name, str):
            continue  # a relation between regions is no answer
        reading.seen.add(name)
        known = reading.names.field(name)
        if known == LEFT_OUT:
            continue
        if not is_field(known) and not _OF_SENTENCE.fullmatch(known):
            raise one.fault("", f"{owner} has the unknown control {brief(name)}; {unknown(name)}")
        said[known].extend(_contents(one.values.get("value")))
    return {name: values[0] if len(values) == 1 else values for name, values in said.items()}


def _flat(reading: _Reading, task: Fields) -> Iterator[Row]:
    reading.seen |= set(task.values)
    about: _Values = {}
    said: _Values = {}
    for name, value in task.values.items():
        known = reading.names.field(name)
        if known in ABOUT or known.startswith(OWN_KEYS):
            about[known] = value
        elif known != ANNOTATOR and (is_field(known) or _OF_SENTENCE.fullmatch(known)):
            contents = _contents(value)
            said[known] = contents[0] if len(contents) == 1 else contents
        elif known not in {ANNOTATOR, LEFT_OUT, "id"}:
            reading.ignored.add(name)
    if reading.ground_truth:
        raise task.fault("", f"{task.owner} is JSON-MIN, which has no ground truth; export as JSON")
    _without_other_text(about)
    yield from _rows(task, about, said, _annotator(task.values.get(ANNOTATOR)))


def _without_other_text(about: _Values) -> None:
    """Drop a ``text`` that is no fact: many projects call so whatever they show."""
    if "side" not in about:
        about.pop("text", None)


def _contents(value: object) -> list[object]:
    """The answers in a value, whichever control has made it."""
    if isinstance(value, list):
        return [content for item in value for content in _contents(item)]
    if isinstance(value, dict):
        key = next((key for key in _CONTENTS if key in value), None)
        return _contents(value[key]) if key else []
    return [] if value is None or value == "" else [value]


def _annotator(value: object) -> str:
    """An annotator as the export names them: by address where it has one, else by number."""
    if isinstance(value, dict):
        value = value.get("email") or value.get("username") or value.get("id")
    return "" if value is None else str(value)


def _rows(task: Fields, about: _Values, said: _Values, annotator: str) -> Iterator[Row]:
    """One row for what is said of the task, and one for each sentence with controls of its own."""
    by_sentence: defaultdict[int, _Values] = defaultdict(dict)
    plain: _Values = {}
    for name, value in said.items():
        if match := _OF_SENTENCE.fullmatch(name):
            by_sentence[int(match[2])][match[1]] = value
        else:
            plain[name] = value
    parts: list[Mapping[str, object]] = [{**about, **plain}]
    parts += [{**about, **values, "sentence": index} for index, values in by_sentence.items()]
    for part in parts if plain or not by_sentence else parts[1:]:
        values = {name: value for name, value in part.items() if value not in ("", None, [])}
        if annotator:
            values[ANNOTATOR] = annotator
        yield Row(values=values, owner=task.owner, place=task.where(""))

"""Labels imported from CSV and Label Studio.

A row is about a pair (``paper``, ``system`` and the facets' fields, ``overall``), about one
``sentence`` (``faithful``, ``evidence``, ``error``), about one ``facet`` (``rating``), or about one
fact (``side``, ``text``, ``holds``). Each mistake is told with its line or its task.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache, partial
from typing import TYPE_CHECKING, Final

from summeval_pytest.errors import OptionError, SuiteError
from summeval_pytest.questions import FACETS, SCALES
from summeval_pytest.suite.lines import (
    OWN_KEYS,
    Fields,
    brief,
    closest,
    finite,
    is_whole,
    read_json,
)
from summeval_pytest.suite.marking import (
    Item,
    ItemKind,
    Marking,
    cut,
    evidence_label,
    source_sentences,
    stands_in,
)
from summeval_pytest.suite.rows import check_header, check_width, read_records, read_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from summeval_pytest.questions import Facet
    from summeval_pytest.suite.labels import EvidenceLabel
    from summeval_pytest.suite.lines import TextFile
    from summeval_pytest.suite.suite import Suite


LEFT_OUT: Final = "-"
"""What a name is mapped on that is to be left out."""

ANNOTATOR: Final = "annotator"
_ABOUT: Final = ("paper", "system", "sentence", "facet", "side", "text")
_ANSWERS: Final = (*FACETS, "rating", "overall", "faithful", "evidence", "error", "holds")
FIELDS: Final = (*_ABOUT, ANNOTATOR, *_ANSWERS)

Names = dict[str, str]
"""Which name of a file is which field; a name that is not there is its own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Export:
    """The rows of a file, and what of the file is in none of them.

    Each key of a row is one of `FIELDS` or the owner's own (``x_``), and no value is empty.
    """

    rows: tuple[Fields, ...]
    notes: tuple[str, ...] = ()


def read_names(options: Iterable[str]) -> Names:
    """The names of ``NAME=FIELD`` options.

    Raises:
        OptionError: For an option without ``=``, an unknown field, and a name given twice.
    """
    names: Names = {}
    for option in options:
        name, mark, target = option.rpartition("=")
        if not mark or not name:
            raise OptionError(f"--map={option}: no field is named; write NAME=FIELD")
        if target != LEFT_OUT and not _is_field(target):
            raise OptionError(
                f"--map={option}: there is no field {target!r}; {closest(target, FIELDS)}"
            )
        if name in names:
            raise OptionError(f"--map={option}: {name!r} is mapped twice; keep one")
        names[name] = target
    return names


def _check_used(names: Names, found: Sequence[str], shown: str) -> None:
    """Refuse a mapping of a name that the file does not have."""
    for name, target in names.items():
        if name not in found:
            raise OptionError(
                f"--map={name}={target}: {shown} has no {name!r}; {closest(name, found)}"
            )


def _is_field(name: str) -> bool:
    return name in FIELDS or name.startswith(OWN_KEYS)


def _unknown(name: str) -> str:
    return (
        f"{closest(name, FIELDS)}; or say which field it is with --map {name}=FIELD"
        f" ({name}={LEFT_OUT} leaves it out)"
    )


def read_csv(file: TextFile, names: Names) -> Export:
    """The rows of a table; empty cells are not there, and a row of nothing else is skipped.

    Raises:
        SuiteError: For what is no table, for a column that is no field, and for a row that is
            longer or shorter than the header.
        OptionError: For a mapping of a column that is not there.
    """
    lines = ((number, [cell.strip() for cell in cells]) for number, cells in read_records(file))
    first = next(lines, None)
    if first is None:
        raise SuiteError(file.at(0), f"{file.shown!r} is empty; write a header and one label a row")
    header = _header(file, *first, names)
    rows = tuple(_row(file, number, header, cells) for number, cells in lines if any(cells))
    if not rows:
        raise SuiteError(file.at(0), f"{file.shown!r} has a header and no row; write one a label")
    return Export(rows=rows)


def _header(file: TextFile, number: int, columns: list[str], names: Names) -> list[str]:
    """The field of each column."""
    fault = partial(SuiteError, file.at(number))
    _check_used(names, columns, file.shown)
    check_header(file, number, columns)
    fields = [names.get(column, column) for column in columns]
    for column, target in zip(columns, fields, strict=True):
        if not column:
            raise fault("a column has no name (''); name or delete it")
        if target != LEFT_OUT and not _is_field(target):
            raise fault(f"unknown column {brief(column)}; {_unknown(column)}")
        if target != LEFT_OUT and fields.count(target) > 1:
            raise fault(f"two columns are {target!r}; delete one")
    for name in ("paper", "system"):
        if name not in fields:
            raise fault(
                f"the header has no column {name!r}; add it, or name it with --map COLUMN={name}"
            )
    return fields


def _row(file: TextFile, number: int, header: list[str], cells: list[str]) -> Fields:
    place = file.at(number)
    check_width(file, number, cells, header)
    said = zip(header, cells, strict=True)
    values = {name: cell for name, cell in said if cell and name != LEFT_OUT}
    return Fields(values=values, owner="this row", where=lambda _: place)


_Values = dict[str, object]

_LISTS: Final = ("annotations", "completions")
_CONTENTS: Final = ("choices", "rating", "number", "text", "taxonomy", "selected")
"""Where a result's value holds the answer; of a labelled span it is the words."""
_OF_SENTENCE = re.compile(r"(faithful|evidence|error)_(\d{1,9})")
"""A control that a Repeater has made for one sentence of the summary, as ``faithful_3``."""


def read_labelstudio(file: TextFile, names: Names, *, ground_truth: bool = False) -> Export:
    """The annotations of an export, a row each, or one a sentence where controls are numbered.

    A task's ``data`` says what it is about, the controls what the annotator said of it. Annotations
    that were cancelled, and predictions, are left out; ``ground_truth`` keeps only those that a
    reviewer has marked so.

    Raises:
        SuiteError: For what is no export, and for a control that is no field.
        OptionError: For a mapping of a name that no task has.
    """
    text = read_text(file)
    if not text.strip():
        raise SuiteError(file.at(0), f"{file.shown!r} is empty; export the project again")
    value = read_json(text, file.at(0))
    tasks = value if isinstance(value, list) else [value]
    if not tasks:
        raise SuiteError(file.at(0), f"{file.shown!r} has no task; export the project again")
    tasks_of = _Tasks(file=file, names=names, ground_truth=ground_truth)
    rows = tuple(row for number, task in enumerate(tasks, 1) for row in tasks_of.rows(number, task))
    _check_used(names, sorted(tasks_of.seen), file.shown)
    notes = [f"{what}: {count}" for what, count in sorted(tasks_of.passed.items())]
    if tasks_of.ignored:
        notes.append(f"taken for data, not for labels: {', '.join(sorted(tasks_of.ignored))}")
    return Export(rows=rows, notes=tuple(notes))


@dataclass(slots=True, kw_only=True)
class _Tasks:
    """Reads the tasks of a file, and keeps which names it saw and what was passed over."""

    file: TextFile
    names: Names
    ground_truth: bool
    seen: set[str] = field(default_factory=set)
    passed: Counter[str] = field(default_factory=Counter)
    ignored: set[str] = field(default_factory=set)

    def rows(self, number: int, task: object) -> Iterator[Fields]:
        """The rows of one task: JSON has ``data`` and annotations, JSON-MIN has all in one."""
        place = self.file.at(0)
        if not isinstance(task, dict):
            raise SuiteError(place, f"task {number} is {brief(task)}; export as JSON or JSON-MIN")
        owner = f"task {number} (id {task['id']})" if "id" in task else f"task {number}"
        fields = Fields(values=task, owner=owner, where=lambda _: place)
        listed = next((name for name in _LISTS if name in task), "")
        data = task.get("data")
        if isinstance(data, dict):
            about = self._about(data)
            annotations = task[listed] if listed else []
            for said, annotator in self._annotations(fields, listed, annotations):
                yield from _rows(fields, about, said, annotator)
        elif listed:
            raise fields.fault("data", f"{owner} has no 'data'; export as JSON or JSON-MIN")
        elif self.ground_truth:
            raise fields.fault(
                "", f"{owner} is JSON-MIN, which has no ground truth; export as JSON"
            )
        else:
            about = self._about(task)
            yield from _rows(fields, about, self._flat(task), _annotator(task.get(ANNOTATOR)))

    def _about(self, data: _Values) -> _Values:
        """What a task is about; a ``text`` that is no fact is whatever the project shows."""
        self.seen |= set(data)
        known = {self.names.get(name, name): value for name, value in data.items()}
        about = {n: v for n, v in known.items() if n in _ABOUT or n.startswith(OWN_KEYS)}
        if "side" not in about:
            about.pop("text", None)
        return about

    def _annotations(
        self, task: Fields, key: str, annotations: object
    ) -> Iterator[tuple[_Values, str]]:
        """The answers of each annotation that counts, and who gave them."""
        if not isinstance(annotations, list):
            raise task.wrong(key, annotations, "a list; export as JSON or JSON-MIN")
        if not annotations:
            self.passed["tasks without an annotation"] += 1
        for item in annotations:
            one = task.inside(key, item, f"an annotation of {task.owner}", "an object")
            if one.values.get("was_cancelled"):
                self.passed["cancelled annotations left out"] += 1
            elif self.ground_truth and not one.values.get("ground_truth"):
                self.passed["annotations left out that are no ground truth"] += 1
            else:
                yield self._results(one, task.owner), _annotator(one.values.get("completed_by"))

    def _results(self, annotation: Fields, owner: str) -> _Values:
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
            self.seen.add(name)
            known = self.names.get(name, name)
            if known == LEFT_OUT:
                continue
            if not _is_field(known) and not _OF_SENTENCE.fullmatch(known):
                raise one.fault(
                    "", f"{owner} has the unknown control {brief(name)}; {_unknown(name)}"
                )
            said[known] += _contents(one.values.get("value"))
        return {name: _one_or_all(contents) for name, contents in said.items()}

    def _flat(self, task: _Values) -> _Values:
        said: _Values = {}
        for name, value in task.items():
            known = self.names.get(name, name)
            if known in _ANSWERS or _OF_SENTENCE.fullmatch(known):
                said[known] = _one_or_all(_contents(value))
            elif not _is_field(known) and known not in {LEFT_OUT, "id"}:
                self.ignored.add(name)
        return said


def _one_or_all(contents: list[object]) -> object:
    return contents[0] if len(contents) == 1 else contents


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


def _rows(task: Fields, about: _Values, said: _Values, annotator: str) -> Iterator[Fields]:
    """One row for what is said of the task, and one for each sentence with controls of its own."""
    by_sentence: defaultdict[int, _Values] = defaultdict(dict)
    plain: _Values = {}
    for name, value in said.items():
        if match := _OF_SENTENCE.fullmatch(name):
            by_sentence[int(match[2])][match[1]] = value
        else:
            plain[name] = value
    parts = [{**values, "sentence": index} for index, values in by_sentence.items()]
    for part in [plain, *parts] if plain or not parts else parts:
        values = {n: v for n, v in {**about, **part}.items() if v not in ("", None, [])}
        yield replace(task, values=values | ({ANNOTATOR: annotator} if annotator else {}))


_YES: Final = frozenset({"yes", "y", "true", "1", "faithful", "supported", "covered", "holds"})
_NO: Final = frozenset(
    {"no", "n", "false", "0", "unfaithful", "unsupported", "not faithful", "not supported",
     "not covered"}
)  # fmt: skip
_ABSENT: Final = frozenset({"null", "none", "absent"})
"""What says that the reference has no such facet."""
_SIDES: Final[dict[str, ItemKind]] = {"reference": "reference fact", "candidate": "candidate fact"}
_NEEDS: Final = (
    ("rating", "facet"), ("faithful", "sentence"), ("evidence", "faithful"), ("error", "faithful"),
    ("holds", "text"), ("text", "side"), ("side", "text"),
)  # fmt: skip
"""Fields that say nothing without another."""
_INDEX = re.compile(r"\d{1,9}", re.ASCII)
_INDICES = re.compile(r"\d{1,9}(?:[\s,;]+\d{1,9})*", re.ASCII)
_NUMBERED = re.compile(r"\[(\d{1,9})\].*", re.DOTALL)


def read_markings(suite: Suite, rows: Iterable[Fields]) -> tuple[list[Marking], int]:
    """What the rows say, item by item, and how many of them say nothing."""
    reader = _AnswerReader(suite)
    said = [reader.markings(row) for row in rows]
    return [marking for found in said for marking in found], said.count([])


class _AnswerReader:
    """Reads rows as markings of one suite; each of its texts is cut into sentences once."""

    def __init__(self, suite: Suite) -> None:
        self._suite = suite
        self._source = cache(lambda paper: source_sentences(suite.paper(paper)))
        self._summary = cache(lambda paper, system: cut(suite.pair(paper, system).summary))

    def markings(self, row: Fields) -> list[Marking]:
        paper = self._suite.roster.paper(row)
        system = self._suite.roster.system(row, paper)
        for key, needed in _NEEDS:
            if row.has(key) and not row.has(needed):
                raise row.fault(
                    key, f"{row.owner} has {key!r} and no {needed!r}; add it, or delete {key!r}"
                )
        plain = Marking(
            item=Item(paper=paper, system=system, kind="overall"),
            value=None,
            own=tuple((k, value) for k, value in row.values.items() if k.startswith(OWN_KEYS)),
            annotator=str(row.values.get(ANNOTATOR, "")),
            place=row.place,
        )
        found = [_with_item(plain, value, kind) for kind, value in _of_pair(row)]
        if row.has("faithful"):
            found.append(self._of_sentence(row, plain))
        if row.has("holds"):
            side = str(row.values["side"])
            if side.lower() not in _SIDES:
                raise row.wrong("side", row.values["side"], "reference or candidate")
            holds, kind, text = _flag(row, "holds"), _SIDES[side.lower()], row.text("text")
            found.append(_with_item(plain, holds, kind, text=text))
        return found

    def _of_sentence(self, row: Fields, plain: Marking) -> Marking:
        faithful = _flag(row, "faithful")
        error = row.if_any("error", Fields.text)
        if faithful and error:
            raise row.fault(
                "error",
                f"{row.owner} is faithful and names an error, {brief(error)}; delete one of the"
                " two",
            )
        evidence = self._evidence(row, plain.item.paper) if row.has("evidence") else ()
        index = self._sentence(row, plain.item)
        marking = _with_item(plain, faithful, "sentence", index=index)
        return replace(marking, evidence=evidence, error=error)

    def _sentence(self, row: Fields, item: Item) -> int:
        """The index of the sentence, which may be given by its words."""
        value = row.values["sentence"]
        is_recorded = self._suite.systems[item.system].endpoint is None
        sentences = self._summary(item.paper, item.system) if is_recorded else None
        if is_whole(value) or (isinstance(value, str) and _INDEX.fullmatch(value)):
            index = int(value)
            if sentences is not None and not 0 <= index < len(sentences):
                raise row.fault(
                    "sentence",
                    f"{row.owner} is about sentence {index}, and the summary has"
                    f" {len(sentences)}, counted from 0; mend the index",
                )
            return index
        text = row.text("sentence")
        found = stands_in(text, sentences or ())
        if len(found) != 1:
            times = f"in {len(found)} sentences of" if found else "nowhere in"
            raise row.fault(
                "sentence",
                f"the sentence of {row.owner}, {brief(text)}, stands {times} the summary;"
                " write its index, from 0",
            )
        return found[0]

    def _evidence(self, row: Fields, paper: str) -> tuple[EvidenceLabel, ...]:
        """The source sentences named, by index or by their words, each once."""
        source = self._source(paper)
        indices: list[int] = []
        for value in _parts(row.values["evidence"]):
            found = (value,) if is_whole(value) else stands_in(str(value), source)
            if not found:
                raise row.fault(
                    "evidence",
                    f"'evidence' of {row.owner}, {brief(value)}, stands nowhere in the source;"
                    " write indices of source sentences, from 0, as '3;7'",
                )
            if not 0 <= found[0] < len(source):
                raise row.fault(
                    "evidence",
                    f"'evidence' of {row.owner} names source sentence {value}, and the"
                    f" source has {len(source)}, counted from 0; mend the index",
                )
            indices += found
        return tuple(evidence_label(source, index) for index in dict.fromkeys(indices))


def _with_item(
    plain: Marking, value: float | bool | None, kind: ItemKind, index: int = 0, text: str = ""
) -> Marking:
    item = replace(plain.item, kind=kind, index=index, text=text)
    return replace(plain, item=item, value=value)


def _of_pair(row: Fields) -> Iterator[tuple[ItemKind, float | None]]:
    for facet in filter(row.has, FACETS):
        yield facet, _rating(row, facet, facet)
    if row.has("rating"):
        name = str(row.values["facet"])
        known = next((facet for facet in FACETS if facet == name.lower()), None)
        if known is None:
            raise row.fault(
                "facet", f"'facet' of {row.owner} is {brief(name)}; {closest(name, FACETS)}"
            )
        yield known, _rating(row, "rating", known)
    if row.has("overall"):
        number = _number(row.values["overall"])
        if number is None:
            raise row.wrong("overall", row.values["overall"], "a finite number")
        yield "overall", number


def _rating(row: Fields, key: str, facet: Facet) -> int | None:
    """A rating on the facet's scale; None where it says that the reference has no such facet."""
    value = row.values[key]
    if isinstance(value, str) and value.lower() in _ABSENT:
        return None
    number = _number(value)
    if number is None or number != int(number) or not 1 <= number <= SCALES[facet]:
        scale = f"a whole number from 1 to {SCALES[facet]}"
        raise row.wrong(key, value, f"{scale}, or 'null' where the reference has none")
    return int(number)


def _number(value: object) -> float | None:
    """The value, which may be written as a text, as a finite number."""
    if isinstance(value, str) and value.isascii():
        with suppress(ValueError):
            return finite(float(value))
    return finite(value)


def _flag(row: Fields, key: str) -> bool:
    word = str(row.values[key]).strip().lower()
    if word not in _YES | _NO:
        raise row.wrong(key, row.values[key], "yes or no")
    return word in _YES


def _parts(value: object) -> Iterator[object]:
    """Indices as integers, other words as they are."""
    if isinstance(value, list):
        for item in value:
            yield from _parts(item)
    elif isinstance(value, str) and _INDICES.fullmatch(value):
        yield from map(int, re.split(r"[\s,;]+", value))
    elif isinstance(value, str) and (match := _NUMBERED.fullmatch(value)):
        yield int(match[1])
    else:
        yield value


Markings = dict[Item, Marking]


def by_annotator(markings: Iterable[Marking]) -> dict[str, Markings]:
    """What each annotator says of each item: one thing, or it is refused."""
    found: defaultdict[str, Markings] = defaultdict(dict)
    for second in markings:
        first = found[second.annotator].setdefault(second.item, second)
        is_same = first.value == second.value
        if not is_same or (first.evidence, first.error) != (second.evidence, second.error):
            who = f"{second.annotator!r} says" if second.annotator else "the labels say"
            where = f" at {first.place}" if first.place != second.place else ""
            beside = ", with other evidence or another error" if is_same else ""
            raise SuiteError(
                second.place,
                f"{who} two things of {second.item.told}: {shown(first.value)}{where} and"
                f" {shown(second.value)}{beside}; delete one",
            )
    return dict(found)


def shown(value: float | bool | None) -> str:
    """A marking's value in words: yes and no, a rating, or none."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "none" if value is None else f"{value:g}"


def _by_item(annotators: Mapping[str, Markings]) -> dict[Item, list[Marking]]:
    found: defaultdict[Item, list[Marking]] = defaultdict(list)
    for markings in annotators.values():
        for item, marking in markings.items():
            found[item].append(marking)
    return found


def disputed(annotators: Mapping[str, Markings]) -> tuple[Item, ...]:
    """The items of which two annotators say different things; evidence is no dispute."""
    said = _by_item(annotators).items()
    return tuple(item for item, found in said if len({m.value for m in found}) > 1)


def settled(annotators: Mapping[str, Markings]) -> list[Marking]:
    """One marking an item: the value that more annotators give than any other.

    Evidence is what most of those name who give that value and name any, else all that they name;
    an error is kept where more of them name it than any other.
    """
    return [_settle(item, said) for item, said in _by_item(annotators).items()]


def _settle(item: Item, said: Sequence[Marking]) -> Marking:
    (value, most), *others = Counter(marking.value for marking in said).most_common()
    if others and others[0][1] == most:
        told = ", ".join(f"{marking.annotator} {shown(marking.value)}" for marking in said)
        raise SuiteError(
            said[-1].place,
            f"no majority on {item.told}: {told}; say who counts with --annotator NAME",
        )
    winners = [marking for marking in said if marking.value == value]
    named = [marking.evidence for marking in winners if marking.evidence]
    counts = Counter(label for evidence in named for label in evidence)
    most_named = tuple(label for label, count in counts.items() if 2 * count > len(named))
    errors = Counter(marking.error for marking in winners if marking.error).most_common(2)
    is_tie = len({count for _, count in errors}) < len(errors)
    return replace(
        winners[0],
        evidence=most_named or tuple(counts),
        error=errors[0][0] if errors and not is_tie else None,
        annotator="\n".join(marking.annotator for marking in said),
    )

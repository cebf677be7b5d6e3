"""A table of labels (CSV), and what it says item by item, whoever disagrees with whom.

A row is about a pair (``paper``, ``system`` and the facets' fields, ``overall``), about one
``sentence`` (``faithful``, ``evidence``, ``error``), about one ``facet`` (``rating``), or about one
fact (``side``, ``text``, ``holds``).
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from functools import cache, partial
from typing import TYPE_CHECKING, Annotated, Final, Literal

from pydantic import BeforeValidator

from summeval_pytest.errors import OptionError, SuiteError
from summeval_pytest.questions import FACETS, Facet
from summeval_pytest.suite.entries import FileEntry, Given, Number, Text, expecting
from summeval_pytest.suite.labels import UNRATED, EvidenceLabel, UpTo3, UpTo4
from summeval_pytest.suite.lines import OWN_KEYS, brief, closest
from summeval_pytest.suite.marking import (
    Item,
    ItemKind,
    Marking,
    cut,
    evidence_label,
    source_sentences,
    stands_in,
)
from summeval_pytest.suite.rows import read_table

if TYPE_CHECKING:
    from summeval_pytest.suite.lines import TextFile
    from summeval_pytest.suite.rows import DataTable
    from summeval_pytest.suite.suite import Suite

LEFT_OUT: Final = "-"
"""What a column is mapped on that is to be left out."""
_YES: Final = frozenset({"yes", "y", "true", "1", "faithful", "supported", "covered", "holds"})
_NO: Final = frozenset(
    {"no", "n", "false", "0", "unfaithful", "unsupported", "not faithful", "not supported",
     "not covered"}
)  # fmt: skip
_ABSENT: Final = frozenset({"null", "none", "absent"})
"""What says that the reference has no such facet."""
_INDEX: Final = re.compile(r"\d{1,9}", re.ASCII)
_INDICES: Final = re.compile(r"\d{1,9}(?:[\s,;]+\d{1,9})*", re.ASCII)
_NUMBERED: Final = re.compile(r"\[(\d{1,9})\].*", re.DOTALL | re.ASCII)


def _number(cell: str) -> object:
    """What a cell says as a number, or that there is none; anything else as it is."""
    if cell.lower() in _ABSENT:
        return None
    if not cell.isascii():
        return cell
    with suppress(ValueError):
        return int(cell) if _INDEX.fullmatch(cell) else float(cell)
    return cell


def _rating(cell: str) -> object:
    value = _number(cell)
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _yes(cell: str) -> bool:
    if cell.lower() not in _YES | _NO:
        raise ValueError("neither")
    return cell.lower() in _YES


_Rating3 = Annotated[UpTo3, BeforeValidator(_rating)]
_Rating4 = Annotated[UpTo4, BeforeValidator(_rating)]
_Yes = Given[Annotated[bool, BeforeValidator(_yes), expecting("yes or no")]]
_Side = Literal["reference", "candidate"]


@dataclass(slots=True, kw_only=True)
class _Row:
    """A row of a table of labels, whose cells are texts."""

    paper: Text
    system: Text
    sentence: Given[Text] = None
    facet: Given[Annotated[Facet, BeforeValidator(str.lower)]] = None
    side: Given[Annotated[_Side, BeforeValidator(str.lower)]] = None
    text: Given[Text] = None
    annotator: str = ""
    background: _Rating3 = UNRATED
    method: _Rating4 = UNRATED
    result: _Rating4 = UNRATED
    conclusion: _Rating3 = UNRATED
    rating: object = None
    overall: Given[Annotated[Number, BeforeValidator(_number)]] = None
    faithful: _Yes = None
    evidence: Given[Text] = None
    error: Given[Text] = None
    holds: _Yes = None


FIELDS: Final = tuple(each.name for each in fields(_Row))
_NEEDS: Final = {
    "rating": "facet", "faithful": "sentence", "evidence": "faithful", "error": "faithful",
    "holds": "text", "text": "side", "side": "text",
}  # fmt: skip
"""Fields that say nothing without another."""


def read_names(options: Iterable[str]) -> dict[str, str]:
    """By column, the field that a ``COLUMN=FIELD`` option says it is.

    Raises:
        OptionError: For an option without ``=``, an unknown field, and a column given twice.
    """
    names: dict[str, str] = {}
    for option in options:
        name, mark, target = option.rpartition("=")
        if not mark or not name:
            raise OptionError(f"--map={option}: no field is named; write COLUMN=FIELD")
        if target != LEFT_OUT and not _is_field(target):
            raise OptionError(
                f"--map={option}: there is no field {target!r}; {closest(target, FIELDS)}"
            )
        if name in names:
            raise OptionError(f"--map={option}: {name!r} is mapped twice; keep one")
        names[name] = target
    return names


def _is_field(name: str) -> bool:
    return name in FIELDS or name.startswith(OWN_KEYS)


def read_csv(file: TextFile, names: Mapping[str, str]) -> list[FileEntry]:
    """The rows of a table; empty cells are not there, and a row of nothing else is skipped.

    Raises:
        SuiteError: For what is no table, for a column that is no field, and for a row that is
            longer or shorter than the header.
        OptionError: For a mapping of a column that is not there.
    """
    table = read_table(file, ".csv")
    fields_of = _fields_of(table, names)
    rows = []
    for number, cells in table.read(fields_of):
        values = {fields_of[name]: str(cell).strip() for name, cell in cells.items()}
        if values := {name: cell for name, cell in values.items() if cell}:
            rows.append(FileEntry.at(file.at(number), values, "this row"))
    if not rows:
        raise SuiteError(file.at(0), f"{file.shown!r} has a header and no row; write one a label")
    return rows


def _fields_of(table: DataTable, names: Mapping[str, str]) -> dict[str, str]:
    """The field of each column that is not left out."""
    fault = partial(SuiteError, table.place)
    for name in names.keys() - {*table.columns}:
        raise OptionError(
            f"--map={name}={names[name]}: {table.file.shown} has no {name!r};"
            f" {closest(name, table.columns)}"
        )
    fields_of = {column: names.get(column, column) for column in table.columns}
    fields_of = {column: target for column, target in fields_of.items() if target != LEFT_OUT}
    targets = [*fields_of.values()]
    for column, target in fields_of.items():
        if not _is_field(target):
            raise fault(
                f"unknown column {brief(column)}; {closest(column, FIELDS)}; or say which field it"
                f" is with --map {column}=FIELD ({column}={LEFT_OUT} leaves it out)"
            )
        if targets.count(target) > 1:
            raise fault(f"two columns are {target!r}; delete one")
    if missing := [name for name in ("paper", "system") if name not in targets]:
        what = f"the header has no column {missing[0]!r}"
        raise fault(f"{what}; add it, or name it with --map COLUMN={missing[0]}")
    return fields_of


class RowReader:
    """Reads rows as markings of one suite; each of its texts is cut into sentences once."""

    def __init__(self, suite: Suite) -> None:
        self._suite = suite
        self._source = cache(lambda paper: source_sentences(suite.paper(paper)))
        self._summary = cache(lambda paper, system: cut(suite.pair(paper, system).summary))

    def markings(self, entry: FileEntry) -> list[Marking]:
        """What a row says, item by item; nothing where its answers are empty."""
        for key, needed in _NEEDS.items():
            if entry.has(key) and not entry.has(needed):
                raise entry.fault(
                    key, f"{entry.owner} has {key!r} and no {needed!r}; add it, or delete {key!r}"
                )
        row = entry.read(_Row)
        self._suite.roster.check(entry, row.paper, row.system)
        if row.facet is not None and row.rating is not None:
            entry = replace(entry, values={**entry.values, row.facet: row.rating})
            row = entry.read(_Row)
        item = Item(paper=row.paper, system=row.system, kind="overall")
        own = tuple((k, v) for k, v in entry.values.items() if k.startswith(OWN_KEYS))
        plain = Marking(
            item=item, value=row.overall, own=own, annotator=row.annotator, place=entry.place
        )
        rated = [(facet, getattr(row, facet)) for facet in FACETS]
        markings = [
            replace(plain, item=replace(item, kind=facet), value=rating)
            for facet, rating in rated
            if rating != UNRATED
        ]
        if row.overall is not None:
            markings.append(plain)
        if row.faithful is not None:
            markings.append(self._of_sentence(entry, row, plain))
        if row.holds is not None and row.side is not None and row.text is not None:
            kind: ItemKind = "reference fact" if row.side == "reference" else "candidate fact"
            fact = replace(item, kind=kind, text=row.text)
            markings.append(replace(plain, item=fact, value=row.holds))
        return markings

    def _of_sentence(self, entry: FileEntry, row: _Row, plain: Marking) -> Marking:
        if row.faithful and row.error:
            raise entry.fault(
                "error",
                f"{entry.owner} is faithful and names an error, {brief(row.error)}; delete one of"
                " the two",
            )
        evidence = self._evidence(entry, row) if row.evidence else ()
        item = replace(plain.item, kind="sentence", index=self._sentence(entry, row))
        return replace(plain, item=item, value=row.faithful, evidence=evidence, error=row.error)

    def _sentence(self, entry: FileEntry, row: _Row) -> int:
        """The index of the sentence, which may be given by its words."""
        text = row.sentence or ""
        is_recorded = self._suite.systems[row.system].endpoint is None
        sentences = self._summary(row.paper, row.system) if is_recorded else None
        if _INDEX.fullmatch(text):
            index = int(text)
            if sentences is not None and index >= len(sentences):
                raise entry.fault(
                    "sentence",
                    f"{entry.owner} is about sentence {index}, and the summary has"
                    f" {len(sentences)}, counted from 0; mend the index",
                )
            return index
        places = stands_in(text, sentences or ())
        if len(places) != 1:
            times = f"in {len(places)} sentences of" if places else "nowhere in"
            raise entry.fault(
                "sentence",
                f"the sentence of {entry.owner}, {brief(text)}, stands {times} the summary;"
                " write its index, from 0",
            )
        return places[0]

    def _evidence(self, entry: FileEntry, row: _Row) -> tuple[EvidenceLabel, ...]:
        """The source sentences named, by index or by their words, each once."""
        source, text = self._source(row.paper), row.evidence or ""
        numbered = _NUMBERED.fullmatch(text)
        indices = tuple(map(int, re.split(r"[\s,;]+", text))) if _INDICES.fullmatch(text) else ()
        indices = indices or ((int(numbered[1]),) if numbered else stands_in(text, source))
        if not indices:
            raise entry.fault(
                "evidence",
                f"'evidence' of {entry.owner}, {brief(text)}, stands nowhere in the source;"
                " write indices of source sentences, from 0, as '3;7'",
            )
        for index in indices:
            if index >= len(source):
                raise entry.fault(
                    "evidence",
                    f"'evidence' of {entry.owner} names source sentence {index}, and the source"
                    f" has {len(source)}, counted from 0; mend the index",
                )
        return tuple(evidence_label(source, index) for index in dict.fromkeys(indices))


Markings = dict[Item, Marking]


def by_annotator(markings: Iterable[Marking]) -> dict[str, Markings]:
    """What each annotator says of each item: one thing, or it is refused."""
    said: defaultdict[str, Markings] = defaultdict(dict)
    for second in markings:
        first = said[second.annotator].setdefault(second.item, second)
        is_same = first.value == second.value
        if not is_same or (first.evidence, first.error) != (second.evidence, second.error):
            who = f"{second.annotator!r} says" if second.annotator else "the labels say"
            where = f" at {first.place}" if first.place != second.place else ""
            beside = ", with other evidence or another error" if is_same else ""
            raise SuiteError(
                second.place,
                f"{who} two things of {second.item.words}: {in_words(first.value)}{where} and"
                f" {in_words(second.value)}{beside}; delete one",
            )
    return dict(said)


def in_words(value: float | bool | None) -> str:
    """A marking's value in words: yes and no, a rating, or none."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "none" if value is None else f"{value:g}"


def _by_item(annotators: Mapping[str, Markings]) -> dict[Item, list[Marking]]:
    by_item: defaultdict[Item, list[Marking]] = defaultdict(list)
    for markings in annotators.values():
        for item, marking in markings.items():
            by_item[item].append(marking)
    return by_item


def disputed(annotators: Mapping[str, Markings]) -> tuple[Item, ...]:
    """The items of which two annotators say different things; evidence is no dispute."""
    said = _by_item(annotators).items()
    return tuple(item for item, own in said if len({m.value for m in own}) > 1)


def settled(annotators: Mapping[str, Markings]) -> list[Marking]:
    """One marking an item: the value that more annotators give than any other.

    Evidence is what most of those name who give that value and name any, else all that they name;
    an error is kept where more of them name it than any other.
    """
    return [_settle(item, said) for item, said in _by_item(annotators).items()]


def _settle(item: Item, said: Sequence[Marking]) -> Marking:
    (value, most), *others = Counter(marking.value for marking in said).most_common()
    if others and others[0][1] == most:
        values = ", ".join(f"{marking.annotator} {in_words(marking.value)}" for marking in said)
        raise SuiteError(
            said[-1].place,
            f"no majority on {item.words}: {values}; say who counts with --annotator NAME",
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

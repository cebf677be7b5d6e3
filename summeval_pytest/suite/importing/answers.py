"""Rows as markings: each answer read against the suite, with the place of every mistake."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from summeval_pytest.questions import FACETS, SCALES
from summeval_pytest.suite.fields import OWN_KEYS, brief, finite, is_whole
from summeval_pytest.suite.importing.rows import ANNOTATOR
from summeval_pytest.suite.indexed import IndexedTexts, stands_in
from summeval_pytest.suite.label_file import roster_of
from summeval_pytest.suite.marking import Item, ItemKind, Marking
from summeval_pytest.suite.names import closest

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from summeval_pytest.questions import Facet
    from summeval_pytest.suite.fields import Fields
    from summeval_pytest.suite.importing.rows import Row
    from summeval_pytest.suite.labels import EvidenceLabel
    from summeval_pytest.suite.suite import Suite

YES: Final = frozenset({"yes", "y", "true", "1", "faithful", "supported", "covered", "holds"})
NO: Final = frozenset(
    {"no", "n", "false", "0", "unfaithful", "unsupported", "not faithful", "not supported",
     "not covered"}
)  # fmt: skip
ABSENT: Final = frozenset({"null", "none", "absent"})
"""What says that the reference has no such facet."""

_SIDES: Final[dict[str, ItemKind]] = {
    "reference": "reference fact",
    "candidate": "candidate fact",
}
_INDEX = re.compile(r"\d{1,9}")
_INDICES = re.compile(r"\d{1,9}(?:[\s,;]+\d{1,9})*")
_NUMBERED = re.compile(r"\[(\d{1,9})\].*", re.DOTALL)


class AnswerReader:
    """Reads rows as markings of one suite."""

    def __init__(self, suite: Suite) -> None:
        self._roster = roster_of(suite)
        self._texts = IndexedTexts(suite)

    def markings(self, row: Row) -> tuple[Marking, ...]:
        """What a row says, item by item; nothing where its answers are empty.

        Raises:
            SuiteError: For an unknown paper or system, an answer off its scale, a sentence or
                evidence that is not there, and an answer about nothing.
        """
        fields = row.fields
        paper = self._roster.paper(fields)
        about = _About(row, paper, self._roster.system(fields, paper), self._texts)
        return (*_of_pair(about), *_of_sentence(about), *_of_fact(about))


class _About:
    """A row whose pair is known."""

    def __init__(self, row: Row, paper: str, system: str, texts: IndexedTexts) -> None:
        self.fields: Fields = row.fields
        self.paper = paper
        self.system = system
        self.texts = texts
        self._row = row

    def has(self, key: str) -> bool:
        return self.fields.has(key)

    def needs(self, key: str, needed: str) -> None:
        """Refuse a field that says nothing without another."""
        if self.has(key) and not self.has(needed):
            raise self.fields.fault(
                key, f"{self.fields.owner} has {key!r} and no {needed!r}; add it, or delete {key!r}"
            )

    def marking(
        self,
        kind: ItemKind,
        value: float | bool | None,
        index: int = 0,
        text: str = "",
    ) -> Marking:
        """A marking of an item of the pair, with all that is not its own."""
        values = self.fields.values
        return Marking(
            item=Item(paper=self.paper, system=self.system, kind=kind, index=index, text=text),
            value=value,
            own=tuple((key, values[key]) for key in values if key.startswith(OWN_KEYS)),
            annotator=str(values.get(ANNOTATOR, "")),
            place=self._row.place,
        )


def _of_pair(row: _About) -> Iterator[Marking]:
    for facet in FACETS:
        if row.has(facet):
            yield row.marking(facet, _rating(row.fields, facet, facet))
    row.needs("rating", "facet")
    if row.has("rating"):
        facet = _facet(row.fields)
        yield row.marking(facet, _rating(row.fields, "rating", facet))
    if row.has("overall"):
        value = row.fields.values["overall"]
        number = finite(_number(value) if isinstance(value, str) else value)
        if number is None:
            raise row.fields.wrong("overall", value, "a finite number")
        yield row.marking("overall", number)


def _facet(fields: Fields) -> Facet:
    name = fields.values["facet"]
    for facet in FACETS:
        if facet == name or (isinstance(name, str) and facet == name.lower()):
            return facet
    raise fields.fault(
        "facet",
        f"'facet' of {fields.owner} is {brief(name)}; {closest(str(name), FACETS)}",
    )


def _rating(fields: Fields, key: str, facet: Facet) -> int | None:
    """A rating on the facet's scale; None where it says that the reference has no such facet."""
    value = fields.values[key]
    if isinstance(value, str) and value.lower() in ABSENT:
        return None
    number = finite(_number(value) if isinstance(value, str) else value)
    if number is None or number != int(number) or not 1 <= number <= SCALES[facet]:
        scale = f"a whole number from 1 to {SCALES[facet]}"
        raise fields.wrong(key, value, f"{scale}, or 'null' where the reference has none")
    return int(number)


def _number(text: str) -> float | None:
    try:
        return float(text) if text.isascii() else None
    except ValueError:
        return None


def _flag(fields: Fields, key: str) -> bool:
    value = fields.values[key]
    word = str(value).strip().lower()
    if word in YES:
        return True
    if word not in NO:
        raise fields.wrong(key, value, "yes or no")
    return False


def _of_sentence(row: _About) -> Iterator[Marking]:
    row.needs("faithful", "sentence")
    for key in ("evidence", "error"):
        row.needs(key, "faithful")
    if not row.has("faithful"):
        return
    faithful = _flag(row.fields, "faithful")
    error = row.fields.text_if_any("error")
    if faithful and error:
        raise row.fields.fault(
            "error",
            f"{row.fields.owner} is faithful and names an error, {brief(error)}; delete one of the"
            " two",
        )
    evidence = tuple(_evidence(row)) if row.has("evidence") else ()
    marking = row.marking("sentence", faithful, index=_sentence(row))
    yield replace(marking, evidence=evidence, error=error)


def _sentence(row: _About) -> int:
    """The index of the sentence, which may be given by its words."""
    value = row.fields.values["sentence"]
    sentences = row.texts.summary(row.paper, row.system)
    if is_whole(value) or (isinstance(value, str) and _is_index(value)):
        index = int(value)
        if sentences is not None and not 0 <= index < len(sentences):
            raise row.fields.fault(
                "sentence",
                f"{row.fields.owner} is about sentence {index}, and the summary has"
                f" {len(sentences)}, counted from 0; mend the index",
            )
        return index
    text = row.fields.text("sentence")
    found = stands_in(text, sentences or ())
    if len(found) != 1:
        times = f"in {len(found)} sentences of" if found else "nowhere in"
        raise row.fields.fault(
            "sentence",
            f"the sentence of {row.fields.owner}, {brief(text)}, stands {times} the summary;"
            " write its index, from 0",
        )
    return found[0]


def _is_index(text: str) -> bool:
    return text.isascii() and _INDEX.fullmatch(text) is not None


def _evidence(row: _About) -> Iterator[EvidenceLabel]:
    """The source sentences named, by index or by their words, each once."""
    source = row.texts.source(row.paper)
    indices: dict[int, None] = {}
    for value in _parts(row.fields.values["evidence"]):
        if is_whole(value):
            if not 0 <= value < len(source):
                raise row.fields.fault(
                    "evidence",
                    f"'evidence' of {row.fields.owner} names source sentence {value}, and the"
                    f" source has {len(source)}, counted from 0; mend the index",
                )
            indices[value] = None
            continue
        found = stands_in(str(value), source)
        if not found:
            raise row.fields.fault(
                "evidence",
                f"'evidence' of {row.fields.owner}, {brief(value)}, stands nowhere in the source;"
                " write indices of source sentences, from 0, as '3;7'",
            )
        indices.update(dict.fromkeys(found))
    for index in indices:
        yield row.texts.evidence(row.paper, index)


def _parts(value: object) -> Iterator[object]:
    """Indices as integers, other words as they are."""
    if isinstance(value, list):
        for item in value:
            yield from _parts(item)
    elif isinstance(value, str) and _INDICES.fullmatch(value) and value.isascii():
        yield from map(int, re.split(r"[\s,;]+", value))
    elif isinstance(value, str) and (match := _NUMBERED.fullmatch(value)):
        yield int(match[1])
    else:
        yield value


def _of_fact(row: _About) -> Iterator[Marking]:
    row.needs("holds", "text")
    for key, needed in (("text", "side"), ("side", "text")):
        row.needs(key, needed)
    if not row.has("holds"):
        return
    side = row.fields.values["side"]
    if not isinstance(side, str) or side.lower() not in _SIDES:
        raise row.fields.wrong("side", side, "reference or candidate")
    kind = _SIDES[side.lower()]
    yield row.marking(kind, _flag(row.fields, "holds"), text=row.fields.text("text"))


def read_markings(suite: Suite, rows: Iterable[Row]) -> tuple[list[Marking], int]:
    """What the rows say, and how many of them say nothing.

    Raises:
        SuiteError: As `AnswerReader.markings`.
    """
    reader = AnswerReader(suite)
    markings: list[Marking] = []
    n_silent = 0
    for row in rows:
        found = reader.markings(row)
        markings += found
        n_silent += not found
    return markings, n_silent

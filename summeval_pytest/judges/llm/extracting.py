"""Facets and facts of a text's sentences; both come out of the same replies.

A summary's facets and its facts are two questions of two metrics, and one request: whoever sends
requests sees that they are the same. In replication mode they are asked for separately.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from summeval_pytest.judges.llm.instructions import Kind, instructions
from summeval_pytest.judges.llm.json_reading import (
    UnreadableError,
    choice,
    fields,
    listed,
    read_object,
    whole_number,
    words,
)
from summeval_pytest.judges.llm.material import block, numbered
from summeval_pytest.judges.llm.schema import array, integer, one_of, record, schema, text
from summeval_pytest.judges.llm.sheet import Draft, Read, apart, read_entries, span
from summeval_pytest.questions import FACETS, Facet, FacetSegments, Fact, FactList
from summeval_pytest.text import find_quantities, normalise, one_line, tokens

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from summeval_pytest.judges.llm.schema import Shape

SENTENCES_PER_REQUEST: Final = 12
MAX_FACETS: Final = 2
"""A sentence may pass from one facet to the next; one that "states" three was not read."""

_KEYS: Final[Mapping[Kind, tuple[str, ...]]] = MappingProxyType(
    {
        "facets_and_facts": ("id", "facets", "facts"),
        "facets": ("id", "facets"),
        "facts": ("id", "facts"),
    }
)
_SHAPES: Final[Mapping[str, Shape]] = MappingProxyType(
    {
        "id": integer(),
        "facets": array(one_of(FACETS)),
        "facts": array(record({"text": text(), "refines": integer()})),
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class StatedFact:
    """A fact of one sentence; ``refines`` counts that sentence's facts from 1, 0 for none."""

    text: str
    refines: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Stated:
    """What one sentence states."""

    facets: frozenset[Facet] = frozenset()
    facts: tuple[StatedFact, ...] = ()


@dataclass(frozen=True, slots=True)
class TextSheet:
    """The sentences of a text, and what is wanted of them."""

    sentences: tuple[str, ...]
    kind: Kind = "facets_and_facts"

    @property
    def topic(self) -> str:
        """The kind, and how the text begins."""
        return f"{self.kind.replace('_', ' ')} {one_line(self.sentences[0], 48)!r}"

    @property
    def units(self) -> tuple[tuple[int, ...], ...]:
        """Each sentence by itself."""
        return apart(self.sentences)

    def draft(self, ids: Sequence[int]) -> Draft:
        """The whole text, and which of its sentences are asked about."""
        entry = record({key: _SHAPES[key] for key in _KEYS[self.kind]})
        return Draft(
            system=instructions(self.kind),
            user=f"{block('text', numbered(self.sentences))}\n\nWork on sentences: {span(ids)}.",
            schema=schema(self.kind, record({"sentences": array(entry)})),
        )

    def read(self, text: str, ids: Sequence[int]) -> Read[Stated]:
        """What a reply says that each sentence states."""
        reply = fields(read_object(text), ("sentences",), "the reply")
        return read_entries(reply["sentences"], ids, self._read_sentence)

    def _read_sentence(self, entry: object, what: str) -> Stated:
        stated = fields(entry, _KEYS[self.kind], what)
        return Stated(
            facets=_read_facets(stated.get("facets", []), what),
            facts=_read_facts(stated.get("facts", []), what),
        )


def _read_facets(value: object, what: str) -> frozenset[Facet]:
    named = {choice(facet, FACETS, f"{what}: facet") for facet in listed(value, what)}
    if len(named) > MAX_FACETS:
        raise UnreadableError("off_scale", f"{what} has {len(named)} facets")
    return frozenset(facet for facet in FACETS if facet in named)


def _read_facts(value: object, what: str) -> tuple[StatedFact, ...]:
    facts: list[StatedFact] = []
    for number, entry in enumerate(listed(value, what), start=1):
        fact = fields(entry, ("text", "refines"), f"{what}: fact {number}")
        stated = " ".join(normalise(words(fact["text"], f"{what}: fact {number}")).split())
        refines = whole_number(fact["refines"], f"{what}: fact {number}")
        if not tokens(stated):
            raise UnreadableError("wrong_shape", f"{what}: fact {number} is empty")
        if not 0 <= refines < number:
            raise UnreadableError(
                "off_scale", f"{what}: fact {number} refines fact {refines}, which is not before it"
            )
        facts.append(StatedFact(text=stated, refines=refines))
    return tuple(facts)


def segments(sentences: Sequence[str], stated: Sequence[Stated]) -> FacetSegments:
    """The facets of a text: for each the sentences that state it, word for word and in order."""
    by_facet: dict[Facet, str] = {
        facet: " ".join(
            sentence
            for sentence, found in zip(sentences, stated, strict=True)
            if facet in found.facets
        )
        for facet in FACETS
    }
    return FacetSegments(**by_facet)


def facts(sentences: Sequence[str], stated: Sequence[Stated]) -> FactList:
    """The facts of a text.

    A fact with a number that its sentence does not state is none of its facts (FActScore does the
    same), and unusable; what refined it refines what it refined.
    """
    kept: list[Fact] = []
    unusable: list[Fact] = []
    for index, (sentence, found) in enumerate(zip(sentences, stated, strict=True)):
        places: list[int | None] = [None]
        for fact in found.facts:
            parent = places[fact.refines]
            if _has_its_numbers(fact.text, sentence):
                places.append(len(kept))
                kept.append(Fact(text=fact.text, sentence=index, parent=parent))
            else:
                places.append(parent)
                unusable.append(Fact(text=fact.text, sentence=index))
    return FactList(tuple(kept), tuple(unusable))


def _has_its_numbers(fact: str, sentence: str) -> bool:
    stated = find_quantities(sentence)
    return all(
        any(number.agrees_with(other) for other in stated) for number in find_quantities(fact)
    )

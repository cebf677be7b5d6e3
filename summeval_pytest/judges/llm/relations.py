"""Relations across the sentences of a text: sheets for all at once, and for the paper's steps.

    at once:  entities, relations and their statements, sentence by sentence
    in steps: entities of each paragraph; triples of the whole text; a statement for each triple

A relation belongs to the later of the sentences that it takes, and names another one that it has to
be read with; one that names itself is none (EVA-Score, section 3.3; JSON in place of the triples in
parentheses that lose entities with commas, metrics.md EV11).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, Literal, TypeVar

from summeval_pytest.judges.llm.replies import (
    Draft,
    Read,
    UnreadableError,
    apart,
    array,
    block,
    choice,
    fields,
    instructions,
    integer,
    listed,
    numbered,
    one_of,
    read_entries,
    read_object,
    record,
    schema,
    shown,
    span,
    text,
    whole_number,
    words,
)
from summeval_pytest.questions import Relation, RelationList, Unanswered
from summeval_pytest.text.normalise import normalise
from summeval_pytest.text.printing import one_line
from summeval_pytest.text.quantities import find_quantities
from summeval_pytest.text.sentences import sentence_texts
from summeval_pytest.text.words import tokens

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from summeval_pytest.judges.llm.asking import Poll
    from summeval_pytest.judges.llm.replies import Shape


ENTITY_TYPES: Final = (
    "person", "organisation", "location", "time", "number", "product", "miscellaneous",
)  # fmt: skip
"""The paper's seven; they are asked for so that all entities are looked for, and counted."""

_ENTITIES: Final[Shape] = array(record({"name": text(), "type": one_of(ENTITY_TYPES)}))
_RELATION: Final[Mapping[str, Shape]] = MappingProxyType(
    {"with": integer(), "head": text(), "relation": text(), "tail": text(), "statement": text()}
)
_TRIPLE: Final = ("head", "relation", "tail")
_TOPIC: Final = 48


@dataclass(frozen=True, slots=True, kw_only=True)
class Related:
    """What one sentence names for the first time, and the relations that it completes.

    A relation that came without a statement has an empty one.
    """

    entities: tuple[str, ...] = ()
    relations: tuple[Relation, ...] = ()


@dataclass(frozen=True, slots=True)
class RelationSheet:
    """The sentences of a text, and what is wanted of them.

    Attributes:
        sentences: The sentences.
        kind: ``relations`` for entities, relations and statements at once; ``triples`` for bare
            relations between known entities.
        entities: These.
    """

    sentences: tuple[str, ...]
    kind: Literal["relations", "triples"] = "relations"
    entities: tuple[str, ...] = ()

    @property
    def topic(self) -> str:
        """The kind, and how the text begins."""
        return f"{self.kind} {one_line(self.sentences[0], _TOPIC)!r}"

    @property
    def units(self) -> tuple[tuple[int, ...], ...]:
        """Each sentence by itself."""
        return apart(self.sentences)

    def draft(self, ids: Sequence[int]) -> Draft:
        """The whole text, its entities if known, and which sentences are asked about."""
        entry: dict[str, Shape] = {"id": integer()}
        if self.kind == "relations":
            entry["entities"] = _ENTITIES
        entry["relations"] = array(record({key: _RELATION[key] for key in self._keys}))
        blocks = [block("text", numbered(self.sentences))]
        if self.kind == "triples":
            blocks.append(block("entities", map(shown, self.entities)))
        return Draft(
            system=instructions(self.kind),
            user="\n\n".join([*blocks, f"Work on sentences: {span(ids)}."]),
            schema=schema(self.kind, record({"sentences": array(record(entry))})),
        )

    def read(self, text: str, ids: Sequence[int]) -> Read[Related]:
        """What a reply says of each sentence."""
        reply = fields(read_object(text), ("sentences",), "the reply")
        return read_entries(reply["sentences"], ids, self._read_sentence)

    @property
    def _keys(self) -> tuple[str, ...]:
        everything = tuple(_RELATION)
        return everything if self.kind == "relations" else everything[:-1]

    def _read_sentence(self, entry: object, what: str) -> Related:
        known = ("entities",) if self.kind == "relations" else ()
        stated = fields(entry, ("id", *known, "relations"), what)
        number = whole_number(stated["id"], f"{what}: id")
        return Related(
            entities=read_names(stated["entities"], what) if known else (),
            relations=tuple(
                self._read_relation(relation, number, f"{what}: relation {place}")
                for place, relation in enumerate(listed(stated["relations"], what), start=1)
            ),
        )

    def _read_relation(self, entry: object, number: int, what: str) -> Relation:
        stated = fields(entry, self._keys, what)
        other = whole_number(stated["with"], f"{what}: with")
        if not 1 <= other <= len(self.sentences) or other == number:
            told = f"{what} of sentence {number} of {len(self.sentences)} is with sentence {other}"
            raise UnreadableError("off_scale", told)
        head, relation, tail = (visible(stated[key], f"{what}: {key}") for key in _TRIPLE)
        statement = ""
        if self.kind == "relations":
            statement = visible(stated["statement"], f"{what}: statement")
        return Relation(head=head, relation=relation, tail=tail, statement=statement)


@dataclass(frozen=True, slots=True)
class EntitySheet:
    """Paragraphs whose entities are wanted."""

    paragraphs: tuple[str, ...]

    @property
    def topic(self) -> str:
        """The kind, and how the first paragraph begins."""
        return f"entities {one_line(self.paragraphs[0], _TOPIC)!r}"

    @property
    def units(self) -> tuple[tuple[int, ...], ...]:
        """Each paragraph by itself."""
        return apart(self.paragraphs)

    def draft(self, ids: Sequence[int]) -> Draft:
        """The paragraphs that are asked about."""
        entry = record({"id": integer(), "entities": _ENTITIES})
        user = f"{block('paragraphs', numbered(self.paragraphs, ids))}\n\n"
        return Draft(
            system=instructions("entities"),
            user=f"{user}Work on paragraphs: {span(ids)}.",
            schema=schema("entities", record({"paragraphs": array(entry)})),
        )

    def read(self, text: str, ids: Sequence[int]) -> Read[tuple[str, ...]]:
        """The names of the entities of each paragraph."""
        reply = fields(read_object(text), ("paragraphs",), "the reply")
        return read_entries(
            reply["paragraphs"],
            ids,
            lambda entry, what: read_names(
                fields(entry, ("id", "entities"), what)["entities"], what
            ),
        )


@dataclass(frozen=True, slots=True)
class StatementSheet:
    """Relations that want a statement."""

    relations: tuple[Relation, ...]

    @property
    def topic(self) -> str:
        """The kind, and the first relation's head."""
        return f"statements {one_line(self.relations[0].head, _TOPIC)!r}"

    @property
    def units(self) -> tuple[tuple[int, ...], ...]:
        """Each relation by itself."""
        return apart(self.relations)

    def draft(self, ids: Sequence[int]) -> Draft:
        """The relations that are asked about."""
        lines = [f"{one.head} | {one.relation} | {one.tail}" for one in self.relations]
        entry = record({"id": integer(), "statement": text()})
        return Draft(
            system=instructions("statements"),
            user=f"{block('relations', numbered(lines, ids))}\n\nWork on relations: {span(ids)}.",
            schema=schema("statements", record({"statements": array(entry)})),
        )

    def read(self, text: str, ids: Sequence[int]) -> Read[str]:
        """The statement of each relation."""
        reply = fields(read_object(text), ("statements",), "the reply")
        return read_entries(
            reply["statements"],
            ids,
            lambda entry, what: visible(
                fields(entry, ("id", "statement"), what)["statement"], f"{what}: statement"
            ),
        )


def read_names(value: object, what: str) -> tuple[str, ...]:
    """The names of a list of entities, each with a type that was offered."""
    names = []
    for number, entry in enumerate(listed(value, what), start=1):
        entity = fields(entry, ("name", "type"), f"{what}: entity {number}")
        choice(entity["type"], ENTITY_TYPES, f"{what}: type of entity {number}")
        names.append(visible(entity["name"], f"{what}: entity {number}"))
    return tuple(names)


def visible(value: object, what: str) -> str:
    """A text that says something, on one line and without special tokens."""
    said = " ".join(normalise(words(value, what)).split())
    if not tokens(said):
        raise UnreadableError("wrong_shape", f"{what} is empty")
    return said


T = TypeVar("T")
SENTENCES_PER_REQUEST: Final = 12
_PARAGRAPH: Final = "\n\n"


@dataclass(frozen=True, slots=True)
class _GivenUpError(Exception):
    """One item stayed without a usable reply, and so does the whole text."""

    answer: Unanswered


async def relations_of(text: str, poll: Poll) -> RelationList | Unanswered:
    """The relations of a text.

    A statement with a number that the text does not state is unusable, as such facts are.
    """
    sentences = sentence_texts(text)
    if not sentences:
        return RelationList((), 0)
    try:
        if poll.batched:
            names, relations = await _at_once(sentences, poll)
        else:
            names, relations = await _in_steps(text, sentences, poll)
    except _GivenUpError as given_up:
        return given_up.answer
    stated = find_quantities(" ".join(sentences))
    kept: list[Relation] = []
    unusable: list[Relation] = []
    for relation in relations:
        has_its_numbers = all(
            any(number.agrees_with(other) for other in stated)
            for number in find_quantities(relation.statement)
        )
        (kept if has_its_numbers else unusable).append(relation)
    return RelationList(tuple(kept), len(names), tuple(unusable))


async def _at_once(sentences: tuple[str, ...], poll: Poll) -> tuple[set[str], list[Relation]]:
    found = _all(await poll.replies(RelationSheet(sentences), SENTENCES_PER_REQUEST))
    names = _distinct(name for related in found for name in related.entities)
    return set(names), [relation for related in found for relation in related.relations]


async def _in_steps(
    text: str, sentences: tuple[str, ...], poll: Poll
) -> tuple[set[str], list[Relation]]:
    """Entities of each paragraph, triples of the text, a statement for each triple."""
    paragraphs = tuple(part for part in text.split(_PARAGRAPH) if part.strip())
    named = _all(await poll.replies(EntitySheet(paragraphs), 1))
    names = _distinct(name for part in named for name in part)
    asked = RelationSheet(sentences, "triples", names)
    triples = [relation for found in _all(await poll.whole(asked)) for relation in found.relations]
    if not triples:
        return set(names), []
    statements = _all(await poll.replies(StatementSheet(tuple(triples)), 1))
    stated = zip(triples, statements, strict=True)
    return set(names), [replace(triple, statement=statement) for triple, statement in stated]


def _all(found: Sequence[T | Unanswered]) -> list[T]:
    """The items, if every one of them was answered."""
    items: list[T] = []
    for item in found:
        if isinstance(item, Unanswered):
            raise _GivenUpError(item)
        items.append(item)
    return items


def _distinct(names: Iterable[str]) -> tuple[str, ...]:
    """Names in their order, each once, however it is capitalised."""
    found: dict[str, str] = {}
    for name in names:
        found.setdefault(name.casefold(), name)
    return tuple(found.values())

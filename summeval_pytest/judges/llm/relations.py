"""Relations across the sentences of a text: all at once, or in the paper's steps.

    at once:  entities, relations and their statements, sentence by sentence
    in steps: entities of each paragraph; triples of the whole text; a statement for each triple

A relation belongs to the later of the sentences that it takes, and names another one that it has to
be read with; one that names itself is none (EVA-Score, section 3.3; JSON in place of the triples in
parentheses that lose entities with commas, metrics.md EV11).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Literal, TypeVar, get_args

from pydantic import Field

from summeval_pytest.judges.llm.facets_and_facts import has_its_numbers
from summeval_pytest.judges.llm.replies import (
    Entry,
    PromptBatch,
    TellingLine,
    UnreadableError,
    Values,
    Whole,
    block,
    entries_batch,
    numbered,
    shown,
    span,
)
from summeval_pytest.questions import Relation, RelationList, Unanswered
from summeval_pytest.text.sentences import sentence_texts

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from summeval_pytest.judges.llm.asking import Poll


EntityType = Literal[
    "person", "organisation", "location", "time", "number", "product", "miscellaneous"
]
ENTITY_TYPES: Final[tuple[EntityType, ...]] = get_args(EntityType)
"""The paper's seven; they are asked for so that all entities are looked for, and counted."""


class _Entity(Values):
    name: TellingLine
    type: EntityType


class _Triple(Values):
    other: Whole = Field(alias="with")
    head: TellingLine
    relation: TellingLine
    tail: TellingLine


class _Stated(_Triple):
    statement: TellingLine


class _EntitiesEntry(Entry):
    entities: list[_Entity]


class _RelationsEntry(Entry):
    entities: list[_Entity]
    relations: list[_Stated]


class _TriplesEntry(Entry):
    relations: list[_Triple]


class _StatementEntry(Entry):
    statement: TellingLine


@dataclass(frozen=True, slots=True, kw_only=True)
class Related:
    """What one sentence names for the first time, and the relations that it completes.

    A relation that came without a statement has an empty one.
    """

    entities: tuple[str, ...] = ()
    relations: tuple[Relation, ...] = ()


def relation_batch(
    sentences: tuple[str, ...], entities: tuple[str, ...] | None = None
) -> PromptBatch[Related]:
    """Asks for entities, relations and statements at once, or for triples of known entities."""

    def user(ids: Sequence[int]) -> str:
        known = [] if entities is None else [block("entities", map(shown, entities))]
        work = f"Work on sentences: {span(ids)}."
        return "\n\n".join([block("text", numbered(sentences)), *known, work])

    def related(entry: _RelationsEntry | _TriplesEntry, what: str) -> Related:
        names = _names(entry.entities) if isinstance(entry, _RelationsEntry) else ()
        relations = _relations(entry.id, entry.relations, len(sentences), what)
        return Related(entities=names, relations=relations)

    if entities is None:
        return entries_batch(
            "relations", "sentences", _RelationsEntry, related, texts=sentences, user=user
        )
    return entries_batch("triples", "sentences", _TriplesEntry, related, texts=sentences, user=user)


def _names(entities: Iterable[_Entity]) -> tuple[str, ...]:
    return tuple(entity.name for entity in entities)


def _relations(
    number: int, triples: Sequence[_Triple], n_sentences: int, what: str
) -> tuple[Relation, ...]:
    """The relations that one sentence completes, each with another sentence of the text."""
    for place, triple in enumerate(triples, start=1):
        if not 1 <= triple.other <= n_sentences or triple.other == number:
            told = f"of sentence {number} of {n_sentences} is with sentence {triple.other}"
            raise UnreadableError("off_scale", f"{what}: relation {place} {told}")
    return tuple(
        Relation(
            head=triple.head,
            relation=triple.relation,
            tail=triple.tail,
            statement=triple.statement if isinstance(triple, _Stated) else "",
        )
        for triple in triples
    )


def entity_batch(paragraphs: tuple[str, ...]) -> PromptBatch[tuple[str, ...]]:
    """Asks for the names of the entities of each paragraph."""
    return entries_batch(
        "entities",
        "paragraphs",
        _EntitiesEntry,
        lambda entry, _: _names(entry.entities),
        texts=paragraphs,
        user=lambda ids: (
            f"{block('paragraphs', numbered(paragraphs, ids))}\n\nWork on paragraphs: {span(ids)}."
        ),
    )


def statement_batch(relations: tuple[Relation, ...]) -> PromptBatch[str]:
    """Asks for the statement of each relation."""
    lines = [f"{one.head} | {one.relation} | {one.tail}" for one in relations]
    return entries_batch(
        "statements",
        "statements",
        _StatementEntry,
        lambda entry, _: entry.statement,
        texts=[one.head for one in relations],
        user=lambda ids: (
            f"{block('relations', numbered(lines, ids))}\n\nWork on relations: {span(ids)}."
        ),
    )


T = TypeVar("T")
SENTENCES_PER_REQUEST: Final = 12


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
            n_entities, relations = await _at_once(sentences, poll)
        else:
            n_entities, relations = await _in_steps(text, sentences, poll)
    except _GivenUpError as given_up:
        return given_up.answer
    whole = " ".join(sentences)
    is_usable = [has_its_numbers(relation.statement, whole) for relation in relations]
    pairs = list(zip(relations, is_usable, strict=True))
    return RelationList(
        tuple(relation for relation, usable in pairs if usable),
        n_entities,
        tuple(relation for relation, usable in pairs if not usable),
    )


async def _at_once(sentences: tuple[str, ...], poll: Poll) -> tuple[int, list[Relation]]:
    found = _all(await poll.replies(relation_batch(sentences), SENTENCES_PER_REQUEST))
    names = _distinct(name for related in found for name in related.entities)
    return len(names), [relation for related in found for relation in related.relations]


async def _in_steps(
    text: str, sentences: tuple[str, ...], poll: Poll
) -> tuple[int, list[Relation]]:
    """Entities of each paragraph, triples of the text, a statement for each triple."""
    paragraphs = tuple(part for part in text.split("\n\n") if part.strip())
    named = _all(await poll.replies(entity_batch(paragraphs), 1))
    names = _distinct(name for part in named for name in part)
    related = _all(await poll.whole(relation_batch(sentences, names)))
    triples = tuple(relation for found in related for relation in found.relations)
    if not triples:
        return len(names), []
    statements = _all(await poll.replies(statement_batch(triples), 1))
    stated = zip(triples, statements, strict=True)
    return len(names), [replace(triple, statement=statement) for triple, statement in stated]


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

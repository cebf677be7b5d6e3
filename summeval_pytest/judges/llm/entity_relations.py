"""Relations across the sentences of a text: all at once, or in the paper's steps.

    at once:  entities, relations and their statements, sentence by sentence
    in steps: entities of each paragraph; triples of the whole text; a statement for each triple

A relation belongs to the later of the sentences that it takes, and names another one that it has to
be read with; one that names itself is none (EVA-Score, section 3.3; JSON in place of the triples in
parentheses that lose entities with commas, metrics.md EV11).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Final, Literal

from pydantic import Field

from summeval_pytest.endpoints.wire import read_off_loop
from summeval_pytest.judges.llm.fact_checks import has_its_numbers
from summeval_pytest.judges.llm.prompts import (
    Ids,
    PromptBatch,
    block,
    entries_batch,
    numbered,
    shown,
    span,
)
from summeval_pytest.judges.llm.replies import (
    Entry,
    TellingLine,
    UnreadableError,
    Values,
    Whole,
)
from summeval_pytest.questions import Relation, RelationList
from summeval_pytest.text.quantities import find_quantities
from summeval_pytest.text.sentences import sentence_texts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from summeval_pytest.judges.llm.asking import Poll


SENTENCES_PER_REQUEST: Final = 12

EntityType = Literal[
    "person", "organisation", "location", "time", "number", "product", "miscellaneous"
]
"""The paper's seven; they are asked for so that all entities are looked for, and counted."""


class _Entity(Values):
    name: TellingLine
    type: EntityType


class _Triple(Values):
    other: Whole = Field(alias="with")
    head: TellingLine
    relation: TellingLine
    tail: TellingLine


class _ToldTriple(_Triple):
    statement: TellingLine


class _EntitiesEntry(Entry):
    entities: list[_Entity]


class _RelationsEntry(_EntitiesEntry):
    relations: list[_ToldTriple]


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


def relation_batch(sentences: tuple[str, ...]) -> PromptBatch[Related]:
    """Asks for entities, relations and their statements, sentence by sentence."""
    return entries_batch(
        "relations",
        "sentences",
        _RelationsEntry,
        lambda entry: Related(entities=_names(entry), relations=_relations(entry, len(sentences))),
        texts=sentences,
        parts=lambda ids: [block("text", numbered(sentences)), f"Work on sentences: {span(ids)}."],
        size=SENTENCES_PER_REQUEST,
    )


def triple_batch(
    sentences: tuple[str, ...], entities: tuple[str, ...]
) -> PromptBatch[tuple[Relation, ...]]:
    """Asks for relations of known entities, in one request about the whole text."""
    return entries_batch(
        "triples",
        "sentences",
        _TriplesEntry,
        lambda entry: _relations(entry, len(sentences)),
        texts=sentences,
        parts=lambda ids: [
            block("text", numbered(sentences)),
            block("entities", map(shown, entities)),
            f"Work on sentences: {span(ids)}.",
        ],
        size=None,
    )


def _names(entry: _EntitiesEntry) -> tuple[str, ...]:
    return tuple(entity.name for entity in entry.entities)


def _relations(entry: _RelationsEntry | _TriplesEntry, n_sentences: int) -> tuple[Relation, ...]:
    """The relations that one sentence completes, each with another sentence of the text."""
    for place, triple in enumerate(entry.relations, start=1):
        if not 1 <= triple.other <= n_sentences or triple.other == entry.id:
            told = f"of sentence {entry.id} of {n_sentences} is with sentence {triple.other}"
            raise UnreadableError("off_scale", f"item {entry.id}: relation {place} {told}")
    return tuple(
        Relation(
            head=triple.head,
            relation=triple.relation,
            tail=triple.tail,
            statement=triple.statement if isinstance(triple, _ToldTriple) else "",
        )
        for triple in entry.relations
    )


def entity_batch(paragraphs: tuple[str, ...]) -> PromptBatch[tuple[str, ...]]:
    """Asks for the names of the entities of each paragraph, one a request."""
    return entries_batch(
        "entities",
        "paragraphs",
        _EntitiesEntry,
        _names,
        texts=paragraphs,
        parts=_one_by_one("paragraphs", paragraphs),
        size=1,
    )


def statement_batch(relations: tuple[Relation, ...]) -> PromptBatch[str]:
    """Asks for the statement of each relation, one a request."""
    lines = [f"{one.head} | {one.relation} | {one.tail}" for one in relations]
    return entries_batch(
        "statements",
        "statements",
        _StatementEntry,
        lambda entry: entry.statement,
        texts=[one.head for one in relations],
        parts=_one_by_one("relations", lines),
        size=1,
    )


def _one_by_one(name: str, texts: Sequence[str]) -> Callable[[Ids], list[str]]:
    return lambda ids: [block(name, numbered(texts, ids)), f"Work on {name}: {span(ids)}."]


async def relations_of(text: str, poll: Poll) -> RelationList:
    """The relations of a text.

    A statement with a number that the text does not state is unusable, as such facts are.
    """
    sentences = sentence_texts(text)
    if not sentences:
        return RelationList((), 0)
    if poll.batched:
        found = await poll.all_of(relation_batch(sentences))
        names = _distinct(name for related in found for name in related.entities)
        relations = [relation for related in found for relation in related.relations]
    else:
        names, relations = await _in_steps(text, sentences, poll)
    n_characters = sum(len(one.statement) for one in relations)
    split = partial(_relation_list, relations, len(names), sentences)
    answer = await read_off_loop(n_characters, split)
    poll.counts.n_dropped_facts += len(answer.unusable)
    return answer


def _relation_list(
    relations: Sequence[Relation], n_entities: int, sentences: tuple[str, ...]
) -> RelationList:
    stated = find_quantities(" ".join(sentences))
    usable: list[Relation] = []
    unusable: list[Relation] = []
    for one in relations:
        (usable if has_its_numbers(one.statement, stated) else unusable).append(one)
    return RelationList(tuple(usable), n_entities, tuple(unusable))


async def _in_steps(
    text: str, sentences: tuple[str, ...], poll: Poll
) -> tuple[tuple[str, ...], list[Relation]]:
    """Entities of each paragraph, triples of the text, a statement for each triple."""
    paragraphs = tuple(part for part in text.split("\n\n") if part.strip())
    named = await poll.all_of(entity_batch(paragraphs))
    names = _distinct(name for part in named for name in part)
    found = await poll.all_of(triple_batch(sentences, names))
    triples = tuple(relation for part in found for relation in part)
    statements = await poll.all_of(statement_batch(triples))
    stated = zip(triples, statements, strict=True)
    return names, [replace(triple, statement=statement) for triple, statement in stated]


def _distinct(names: Iterable[str]) -> tuple[str, ...]:
    """Names in their order, each once, however it is capitalised."""
    found: dict[str, str] = {}
    for name in names:
        found.setdefault(name.casefold(), name)
    return tuple(found.values())

"""From a text to its relations across sentences: in one request, or in the paper's three steps."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, TypeVar

from summeval_pytest.judges.llm.relating import EntitySheet, RelationSheet, StatementSheet
from summeval_pytest.questions import Relation, RelationList, Unanswered
from summeval_pytest.text import find_quantities, sentence_texts

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from summeval_pytest.judges.llm.polling import Poll

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

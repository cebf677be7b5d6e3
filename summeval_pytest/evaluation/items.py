"""The items of a question: taken out of it, put in another order, asked about one by one.

An item is a facet to rate, a fact or a sentence to check. Its answer is a number: a rating, or 1
where the fact or sentence holds and 0 where not.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from summeval_pytest.evaluation.asking import Asker
from summeval_pytest.questions import (
    SCALES,
    CheckFacts,
    CheckSentences,
    FacetRating,
    FacetRatings,
    FactCheck,
    FactChecks,
    RateFacets,
    SentenceCheck,
    SentenceChecks,
    Unanswered,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from summeval_pytest.judges import Judge
    from summeval_pytest.questions import Answer, Fact, Question

ItemKind = Literal["rating", "fact", "sentence"]
ITEM_KINDS: Final[tuple[ItemKind, ...]] = ("rating", "fact", "sentence")
Asked: TypeAlias = RateFacets | CheckFacts | CheckSentences
"""A question about items that are known before it is asked."""
ItemAnswer: TypeAlias = FacetRating | FactCheck | SentenceCheck | Unanswered


def kind_of(question: Asked) -> ItemKind:
    """What the items of a question are."""
    match question:
        case RateFacets():
            return "rating"
        case CheckFacts():
            return "fact"
        case CheckSentences():
            return "sentence"


def count_of(question: Asked) -> int:
    """How many items a question has."""
    match question:
        case RateFacets(items) | CheckFacts(items) | CheckSentences(items):
            return len(items)


def part_of(question: Asked, places: Sequence[int]) -> Asked:
    """The question about these of its items, from 0, in this order.

    A fact refines another only where that stands before it, too.
    """
    match question:
        case RateFacets(pairs):
            return replace(question, pairs=tuple(pairs[place] for place in places))
        case CheckSentences(sentences, source):
            return CheckSentences(tuple(sentences[place] for place in places), source)
        case CheckFacts(facts):
            now = {place: index for index, place in enumerate(places)}
            kept = []
            for index, place in enumerate(places):
                old = facts[place].parent
                parent = None if old is None else now.get(old)
                is_before = parent is not None and parent < index
                kept.append(replace(facts[place], parent=parent if is_before else None))
            return replace(question, facts=tuple(kept))


def turned_round(question: Asked, places: Sequence[int]) -> tuple[int, ...]:
    """These of a question's items, the last first; facts that refine each other keep their order.

    A chain of facts is read from its root on, so it moves as a whole.
    """
    roots = _roots(question.facts) if isinstance(question, CheckFacts) else range(max(places) + 1)
    chains: dict[int, list[int]] = {}
    for place in places:
        chains.setdefault(roots[place], []).append(place)
    return tuple(place for chain in reversed(chains.values()) for place in chain)


def _roots(facts: Sequence[Fact]) -> list[int]:
    roots: list[int] = []
    for place, fact in enumerate(facts):
        is_refining = fact.parent is not None and 0 <= fact.parent < place
        roots.append(roots[fact.parent] if is_refining and fact.parent is not None else place)
    return roots


def item_answers(question: Asked, answer: Answer) -> tuple[ItemAnswer, ...]:
    """What an answer says of each item; nothing of any where it does not fit the question."""
    n_items = count_of(question)
    if isinstance(answer, Unanswered):
        return (answer,) * n_items
    found: tuple[ItemAnswer, ...] | None = None
    match question, answer:
        case RateFacets(), FacetRatings(ratings):
            found = ratings
        case CheckFacts(), FactChecks(fact_checks):
            found = fact_checks
        case CheckSentences(), SentenceChecks(sentence_checks):
            found = sentence_checks
        case _:
            pass
    if found is None or len(found) != n_items:
        what = f"{type(question).__name__} of {n_items} was answered by {type(answer).__name__}"
        told = what if found is None else f"{what} of {len(found)}"
        return (Unanswered(told),) * n_items
    return found


def joined(question: Asked, items: Sequence[ItemAnswer]) -> Answer:
    """The answer to a question out of what was said of each of its items."""
    lacking = Unanswered("answered as another kind of question")
    match question:
        case RateFacets():
            kept = (i if isinstance(i, FacetRating | Unanswered) else lacking for i in items)
            return FacetRatings(tuple(kept))
        case CheckFacts():
            checks = (i if isinstance(i, FactCheck | Unanswered) else lacking for i in items)
            return FactChecks(tuple(checks))
        case CheckSentences():
            said = (i if isinstance(i, SentenceCheck | Unanswered) else lacking for i in items)
            return SentenceChecks(tuple(said))


def span_of(question: Asked, place: int) -> tuple[int, int]:
    """The lowest and the highest value that an item can have."""
    if isinstance(question, RateFacets):
        return 1, SCALES[question.pairs[place].facet]
    return 0, 1


def value_of(question: Asked, place: int, item: ItemAnswer) -> int | None:
    """The value of an item; None where it has no usable answer."""
    match item:
        case FactCheck(entailed=holds) | SentenceCheck(supported=holds):
            return int(holds)
        case FacetRating(facet=facet, rating=rating) if isinstance(question, RateFacets):
            low, high = span_of(question, place)
            is_sound = facet == question.pairs[place].facet and low <= rating <= high
            return rating if is_sound else None
        case _:
            return None


class OneByOne:
    """A judge that is asked about each item in a question of its own; a fact then stands alone."""

    def __init__(self, judge: Judge) -> None:
        self._judge = judge
        self._asker = Asker(judge)

    @property
    def signature(self) -> str:
        """The judge's own, and that items are apart."""
        return f"{self._judge.signature} calls=single"

    @property
    def in_flight(self) -> int:
        """As many as the judge's own."""
        return self._judge.in_flight

    async def answer(self, questions: tuple[Question, ...]) -> tuple[Answer, ...]:
        """One answer for each question, in the order asked.

        Raises:
            JudgeError: if the judge breaks its contract, or breaks down.
        """
        return tuple(await asyncio.gather(*map(self._answer, questions)))

    async def _answer(self, question: Question) -> Answer:
        if not isinstance(question, Asked):
            (answer,) = await self._asker.ask((question,))
            return answer
        parts = tuple(part_of(question, (place,)) for place in range(count_of(question)))
        answers = await self._asker.ask(parts)
        found = [item_answers(p, a)[0] for p, a in zip(parts, answers, strict=True)]
        return joined(question, found)

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest

from summeval_pytest.errors import JudgeError
from summeval_pytest.evaluation.items import (
    OneByOne,
    count_of,
    item_answers,
    joined,
    kind_of,
    part_of,
    span_of,
    turned_round,
    value_of,
)
from summeval_pytest.questions import (
    CheckFacts,
    CheckSentences,
    FacetPair,
    FacetRating,
    FacetRatings,
    Fact,
    FactCheck,
    FactChecks,
    FactList,
    ListFacts,
    RateFacets,
    SentenceCheck,
    SentenceChecks,
    Unanswered,
)

if TYPE_CHECKING:
    from summeval_pytest.evaluation.items import Asked
    from summeval_pytest.questions import Answer, Question

PAIRS = (
    FacetPair(facet="method", reference="We fired.", candidate="They fired."),
    FacetPair(facet="conclusion", reference="Fire slowly.", candidate="Slow is good."),
)
FACTS = (
    Fact(text="Bricks were fired.", sentence=0),
    Fact(text="They were fired slowly.", sentence=0, parent=0),
    Fact(text="Fuel was dear.", sentence=1),
    Fact(text="They were fired twice.", sentence=2, parent=1),
)
RATE = RateFacets(PAIRS)
FACTS_ASKED = CheckFacts(FACTS, ("Bricks.",), every_premise=False)
SENTENCES = CheckSentences(("One.", "Two.", "Three."), ("Source.",))


def test_items_are_counted_and_named() -> None:
    """Three kinds of questions have items."""
    assert [kind_of(q) for q in (RATE, FACTS_ASKED, SENTENCES)] == ["rating", "fact", "sentence"]
    assert [count_of(q) for q in (RATE, FACTS_ASKED, SENTENCES)] == [2, 4, 3]
    assert [span_of(RATE, 0), span_of(RATE, 1), span_of(SENTENCES, 2)] == [(1, 4), (1, 3), (0, 1)]


def test_items_are_turned_round() -> None:
    """The last first."""
    assert turned_round(SENTENCES, (0, 1, 2)) == (2, 1, 0)
    assert turned_round(SENTENCES, (0, 2)) == (2, 0)
    assert part_of(SENTENCES, (2, 0)) == CheckSentences(("Three.", "One."), ("Source.",))
    assert part_of(RATE, (1, 0)) == RateFacets((PAIRS[1], PAIRS[0]))


def test_a_chain_of_facts_is_turned_round_as_a_whole() -> None:
    """Facts 1 and 3 go back to fact 0 and stay behind it; in the new list it is number 1."""
    order = turned_round(FACTS_ASKED, (0, 1, 3, 2))
    assert order == (2, 0, 1, 3)
    part = part_of(FACTS_ASKED, order)
    assert isinstance(part, CheckFacts)
    assert [fact.parent for fact in part.facts] == [None, None, 1, 2]
    assert (part.premises, part.every_premise) == (("Bricks.",), False)


def test_a_fact_without_its_parent_refines_nothing() -> None:
    """Asked alone, it has to stand alone."""
    part = part_of(FACTS_ASKED, (3,))
    assert isinstance(part, CheckFacts)
    assert part.facts[0] == Fact(text="They were fired twice.", sentence=2)


def test_values_are_ratings_or_yes_and_no() -> None:
    """A rating off its scale, or of another facet, is none."""
    good = FacetRating(facet="method", reason="", rating=4)
    assert value_of(RATE, 0, good) == 4
    assert value_of(RATE, 1, good) is None
    assert value_of(RATE, 0, FacetRating(facet="method", reason="", rating=5)) is None
    assert value_of(FACTS_ASKED, 0, FactCheck(reason="", entailed=True)) == 1
    assert value_of(SENTENCES, 0, SentenceCheck(reason="", supported=False)) == 0
    assert value_of(SENTENCES, 0, Unanswered("torn")) is None


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (Unanswered("torn"), "torn"),
        (SentenceChecks(()), "CheckSentences of 3 was answered by SentenceChecks of 0"),
        (FactList(()), "CheckSentences of 3 was answered by FactList"),
    ],
    ids=["unanswered", "too few", "another kind"],
)
def test_an_answer_that_does_not_fit_says_nothing_of_any_item(answer: Answer, reason: str) -> None:
    """Which of its checks would be whose?"""
    assert item_answers(SENTENCES, answer) == (Unanswered(reason),) * 3


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        (RATE, FacetRatings((FacetRating(facet="method", reason="", rating=2), Unanswered("x")))),
        (FACTS_ASKED, FactChecks((FactCheck(reason="", entailed=True),) * 4)),
        (SENTENCES, SentenceChecks((SentenceCheck(reason="", supported=True),) * 3)),
    ],
    ids=["ratings", "facts", "sentences"],
)
def test_items_joined_are_the_answer_again(question: Asked, answer: Answer) -> None:
    """Taking apart and putting together loses nothing."""
    assert joined(question, item_answers(question, answer)) == answer


def test_an_item_of_another_kind_is_no_answer() -> None:
    """It is the judge's mistake, and told as one."""
    check = SentenceCheck(reason="", supported=True)
    answer = joined(CheckFacts(FACTS[:1], ("Bricks.",)), (check,))
    assert answer == FactChecks((Unanswered("answered as another kind of question"),))


@dataclass(slots=True)
class Counter:
    """Supports every sentence, and gives one answer too few where it is told to."""

    lacking: int = 0
    asked: list[Question] = field(default_factory=list)
    signature: str = "counter-1"
    in_flight: int = 3

    async def answer(self, questions: tuple[Question, ...]) -> tuple[Answer, ...]:
        """Yes to each sentence, and no facts."""
        self.asked.extend(questions)
        found: list[Answer] = [
            SentenceChecks((SentenceCheck(reason=q.sentences[0], supported=True),))
            if isinstance(q, CheckSentences)
            else FactList(())
            for q in questions
        ]
        return tuple(found[self.lacking :])


def test_a_judge_is_asked_about_each_item_by_itself() -> None:
    """And about a text as before; the answers stand in the question's order."""
    counter = Counter()
    judge = OneByOne(counter)
    answers = asyncio.run(judge.answer((SENTENCES, ListFacts(("One.",)))))

    assert [q.sentences for q in counter.asked if isinstance(q, CheckSentences)] == [
        ("One.",),
        ("Two.",),
        ("Three.",),
    ]
    checks = answers[0]
    assert isinstance(checks, SentenceChecks)
    assert [c.reason for c in checks.checks if isinstance(c, SentenceCheck)] == [
        "One.",
        "Two.",
        "Three.",
    ]
    assert answers[1] == FactList(())
    assert (judge.signature, judge.in_flight) == ("counter-1 calls=single", 3)


def test_a_judge_that_breaks_its_contract_is_told() -> None:
    """Two checks for three sentences leave it open whose they are."""
    with pytest.raises(JudgeError, match="gave 2 answers to 3 questions"):
        asyncio.run(OneByOne(Counter(lacking=1)).answer((SENTENCES,)))

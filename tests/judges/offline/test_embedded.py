from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from summeval_pytest.judges.judge import Judge
from summeval_pytest.judges.offline.embedded import OfflineJudge
from summeval_pytest.questions import (
    CheckFacts,
    CheckSentences,
    CountFacts,
    FacetPair,
    FacetRating,
    FacetRatings,
    FacetSegments,
    Fact,
    FactChecks,
    FactList,
    ListFacts,
    ListRelations,
    Question,
    RateFacets,
    RateSummary,
    SegmentFacets,
    SentenceChecks,
    Settled,
    SummaryRating,
    Unanswered,
)

if TYPE_CHECKING:
    from summeval_pytest.questions import Answer

JUDGE = OfflineJudge()
TEXTS = [
    "",
    "kites",
    "\u2603\ufe0f \U0001f9ea \u0661\u0662 \u00bd \u212b \u00b5g \u0130",
    "\u202eabc\u0000def",
    "\u7814\u7a76\u65b9\u6cd5\u3002",
    "Kites rose 40 m above copper roofs. " * 400,
    "12 g and 14 mg " * 1500,
    " and was " * 2000,
    "(" * 5000,
    "a" * 50_000,
]
texts = st.one_of(st.text(), st.sampled_from(TEXTS))


def questions_about(text: str, other: str) -> tuple[Question, ...]:
    """One question of each kind."""
    fact = Fact(text=text, sentence=0)
    return (
        SegmentFacets(text),
        RateFacets(
            (
                FacetPair(facet="background", reference=text, candidate=other),
                FacetPair(facet="result", reference=other, candidate=text),
            )
        ),
        ListFacts((text, other)),
        CheckFacts((fact, Fact(text=other, sentence=0, parent=0)), (other,)),
        CheckSentences((text, other, text), (other, text)),
    )


def answered(text: str, other: str) -> tuple[Answer, ...]:
    """The judge's answers to those questions."""
    return asyncio.run(JUDGE.answer(questions_about(text, other)))


def has_as_many_items_as_asked(answers: tuple[Answer, ...]) -> bool:
    """Whether the answers are of the right kinds, with one item for each asked about."""
    match answers:
        case (
            FacetSegments(),
            FacetRatings(ratings),
            FactList(facts),
            FactChecks(fact_checks),
            SentenceChecks(sentence_checks),
        ):
            counts = len(ratings), len(fact_checks), len(sentence_checks)
            return counts == (2, 2, 3) and all(fact.sentence in {0, 1} for fact in facts)
    return False


@settings(deadline=None)
@given(texts, texts)
def test_every_question_is_answered_in_full(text: str, other: str) -> None:
    """No text may leave a hole in an answer: a missing item would change a denominator."""
    assert has_as_many_items_as_asked(answered(text, other))


@pytest.mark.parametrize("text", TEXTS, ids=range(len(TEXTS)))
def test_odd_text_is_answered_in_full(text: str) -> None:
    """Empty, one-word, oddly encoded and huge texts are texts too."""
    assert has_as_many_items_as_asked(answered(text, "Kites rose 40 m."))


def test_questions_about_nothing_get_empty_answers() -> None:
    """As many items as asked may be none."""
    empty: tuple[Question, ...] = (
        RateFacets(()),
        ListFacts(()),
        CheckFacts((), ("Kites rose.",)),
        CheckSentences((), ()),
    )

    assert asyncio.run(JUDGE.answer(empty)) == (
        FacetRatings(()),
        FactList(()),
        FactChecks(()),
        SentenceChecks(()),
    )


def test_facts_of_all_sentences_share_one_list() -> None:
    """A parent is an index in the whole list, not in its sentence's part of it."""
    sentences = ("Kites rose.", "The ferry crossed two wide lakes but reached the north pier late.")

    answer = JUDGE.compute(ListFacts(sentences))

    assert isinstance(answer, FactList)
    assert [(fact.sentence, fact.parent) for fact in answer.facts] == [(0, None), (1, None), (1, 1)]


def test_fact_is_checked_by_what_it_adds_to_its_parent() -> None:
    """The check reads the list: a shared subject alone entails nothing."""
    facts = (
        Fact(text="The miller kept bees.", sentence=0),
        Fact(text="The miller: with nine hives.", sentence=0, parent=0),
    )

    answer = JUDGE.compute(CheckFacts(facts, ("The miller kept bees.",)))

    assert isinstance(answer, FactChecks)
    assert [getattr(check, "entailed", None) for check in answer.checks] == [True, False]


def test_fact_is_checked_by_what_it_adds_to_the_last_one_before_it_in_its_chain() -> None:
    """In one question or in several, a chain comes to the same."""
    whole = CheckFacts(
        (
            Fact(text="The miller kept bees.", sentence=0),
            Fact(text="The miller: with nine hives.", sentence=0, parent=0),
        ),
        ("The miller kept bees.",),
    )
    first, second = whole.facts
    alone = CheckFacts(
        (Fact(text=second.text, sentence=0),),
        whole.premises,
        earlier=(Settled(text="It rained.", holds=None), Settled(text=first.text, holds=True)),
    )
    together, added = JUDGE.compute(whole), JUDGE.compute(alone)

    assert isinstance(together, FactChecks)
    assert isinstance(added, FactChecks)
    assert added.checks == together.checks[1:]
    assert JUDGE.compute(CheckFacts(alone.facts, whole.premises)) != added


@pytest.mark.parametrize(
    ("question", "remedy"),
    [
        (
            ListRelations("Kites rose. They fell."),
            "write eva_relations = false in the suite, or name a judge that reads",
        ),
        (CountFacts("Kites rose.", "Kites fell."), "name an LLM judge"),
    ],
    ids=["relations", "counts"],
)
def test_what_needs_a_reader_is_unanswered_with_what_to_do(
    question: ListRelations | CountFacts, remedy: str
) -> None:
    """No relations and no counts would be an answer, and a wrong one."""
    answer = JUDGE.compute(question)
    assert isinstance(answer, Unanswered)
    assert remedy in answer.reason
    assert answer.reason.startswith("the embedded judge")


def test_answers_are_the_same_in_every_process() -> None:
    """Hash seeds differ from process to process; no order of a set may reach an answer."""
    script = (
        "import asyncio; from summeval_pytest.judges.offline.embedded import OfflineJudge;"
        "from summeval_pytest.questions import *;"
        "t = 'Kites are poorly understood. We flew 12 red and 31 blue kites using ropes before the"
        " storm and then weighed 40 g of wool. Red kites rose 40 m, whereas blue kites fell 15 m"
        " (p = 0.01). These findings suggest that wool kites may be useful.';"
        "o = 'We weighed 40 g of wool and then flew 31 red and 12 blue kites."
        " Blue kites rose 15 m.';"
        "s = tuple(x + '.' for x in t.split('. ')); u = tuple(x + '.' for x in o.split('. '));"
        "f = OfflineJudge().compute(ListFacts(s)).facts;"
        "print(repr(asyncio.run(OfflineJudge().answer((SegmentFacets(t), SegmentFacets(o),"
        "RateFacets((FacetPair(facet='result', reference=t, candidate=o),)), ListFacts(s),"
        "CheckFacts(f, u), CheckSentences(u, s))))))"
    )
    printed = [
        subprocess.run(
            [sys.executable, "-c", script],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "4242")
    ]

    assert printed[0] == printed[1]
    assert "SentenceCheck(" in printed[0]


def test_a_part_can_be_replaced_and_the_name_says_so() -> None:
    """A team's own rater changes the numbers, so it changes the signature."""

    def generous(question: RateFacets) -> tuple[FacetRating, ...]:
        return tuple(
            FacetRating(facet=pair.facet, reason="kind", rating=3) for pair in question.pairs
        )

    judge = OfflineJudge(rater=generous, name="offline-kind")
    pair = FacetPair(facet="background", reference="Kites.", candidate="Swans.")

    assert judge.signature == "offline-kind"
    assert judge.compute(RateFacets((pair,))) == FacetRatings(generous(RateFacets((pair,))))


def test_the_embedded_judge_is_a_judge_that_does_not_wait() -> None:
    """It computes, so one pair at a time is open."""
    assert isinstance(JUDGE, Judge)
    assert JUDGE.in_flight == 1
    assert JUDGE.signature.startswith("offline-")


def test_a_summary_is_rated_as_a_result_is() -> None:
    """The scale is the same, and so is what counts."""
    pair = FacetPair(facet="result", reference="Kites rose 40 m.", candidate="A ferry sank.")
    (rated,) = JUDGE.rater(RateFacets((pair,)))
    assert JUDGE.compute(RateSummary(pair.reference, pair.candidate)) == SummaryRating(
        reason=rated.reason, rating=rated.rating
    )
    assert rated.rating == 1

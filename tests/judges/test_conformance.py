"""What every judge owes to those who ask: one suite, run against each of them."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from summeval_pytest.judges.composed import ComposedJudge
from summeval_pytest.judges.judge import Judge
from summeval_pytest.judges.offline.embedded import OfflineJudge
from summeval_pytest.judges.recorded import RecordedJudge
from summeval_pytest.questions import (
    SCALES,
    CheckFacts,
    CheckSentences,
    CountFacts,
    FacetPair,
    FacetRating,
    FacetRatings,
    FacetSegments,
    Fact,
    FactCheck,
    FactChecks,
    FactCounts,
    FactList,
    ListFacts,
    ListRelations,
    RateFacets,
    RateSummary,
    RelationList,
    SegmentFacets,
    SentenceCheck,
    SentenceChecks,
    SummaryRating,
    Unanswered,
)
from summeval_pytest.study.local_checker import Checker
from tests.judges.llm.by_rule import judge_of
from tests.local_models import WordReader

if TYPE_CHECKING:
    from collections.abc import Callable

    from summeval_pytest.questions import Answer, Question

ODD = (
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
)
"""Empty, one-word, oddly encoded and huge texts are texts too."""
KITES = "Red kites rose 40 m."
ROOFS = "Kites rose above 12 copper roofs, and ropes held."
SAME = FacetPair(facet="result", reference=KITES, candidate=KITES)
RATED = FacetRating(facet="result", reason="as recorded", rating=SCALES["result"])
ANSWERS: dict[type, type] = {
    SegmentFacets: FacetSegments,
    RateFacets: FacetRatings,
    ListFacts: FactList,
    CheckFacts: FactChecks,
    ListRelations: RelationList,
    CountFacts: FactCounts,
    CheckSentences: SentenceChecks,
    RateSummary: SummaryRating,
}
JUDGES: dict[str, Callable[[], Judge]] = {
    "embedded": OfflineJudge,
    "llm": judge_of,
    "llm, one by one": lambda: judge_of(batched=False, votes=3),
    "recorded": lambda: RecordedJudge(
        signature="recorded GPT",
        segments={KITES: FacetSegments(result=KITES)},
        ratings={SAME: RATED},
    ),
    "composed": lambda: ComposedJudge(
        {
            "facets": JUDGES["recorded"](),
            "listing": JUDGES["llm"](),
            "facts": JUDGES["llm"](),
            "sentences": OfflineJudge(),
        }
    ),
    "checker": lambda: ComposedJudge(
        {
            "facets": OfflineJudge(),
            "listing": OfflineJudge(),
            "facts": (checker := Checker(reader=WordReader())),
            "sentences": checker,
        }
    ),
}


@pytest.fixture(params=JUDGES)
def judge(request: pytest.FixtureRequest) -> Judge:
    """Each judge in turn."""
    return JUDGES[request.param]()


def answers_of(judge: Judge, *questions: Question) -> tuple[Answer, ...]:
    """What a judge answers."""
    return asyncio.run(judge.answer(questions))


def questions_about(text: str, other: str) -> tuple[Question, ...]:
    """One question of each kind, with two or three items where it has some."""
    facts = (Fact(text=text, sentence=0), Fact(text=other, sentence=0, parent=0))
    pairs = (SAME, FacetPair(facet="background", reference=other, candidate=text))
    return (
        SegmentFacets(text),
        RateFacets(pairs),
        ListFacts((text, other)),
        CheckFacts(facts, (other,)),
        ListRelations(text),
        CountFacts(text, other),
        CheckSentences((text, other, text), (other, text)),
        RateSummary(text, other),
    )


def assert_full(question: Question, answer: Answer) -> None:
    """An answer has the type and as many items as were asked about, or says why it is none."""
    reasons = [answer.reason] if isinstance(answer, Unanswered) else []
    assert isinstance(answer, (ANSWERS[type(question)], Unanswered))
    match question, answer:
        case RateFacets(pairs), FacetRatings(items):
            assert len(items) == len(pairs)
            for pair, item in zip(pairs, items, strict=True):
                if isinstance(item, FacetRating):
                    assert item.facet == pair.facet
                    assert 1 <= item.rating <= SCALES[pair.facet]
                else:
                    reasons.append(item.reason)
        case (CheckFacts(asked), FactChecks(checks)) | (
            CheckSentences(asked),
            SentenceChecks(checks),
        ):
            assert len(checks) == len(asked)
            reasons += [check.reason for check in checks if isinstance(check, Unanswered)]
        case ListFacts(sentences), FactList(facts):
            assert all(0 <= fact.sentence < len(sentences) for fact in facts)
            assert all(fact.parent is None or fact.parent < n for n, fact in enumerate(facts))
    assert all(reason.strip() and reason.isprintable() for reason in reasons)


def test_a_judge_says_who_it_is_and_how_much_it_can_take(judge: Judge) -> None:
    """The signature stands in every number's recipe, on one line."""
    assert isinstance(judge, Judge)
    assert judge.signature.strip()
    assert judge.signature.isprintable()
    assert judge.in_flight >= 1


def test_every_question_has_a_full_answer_of_its_kind_in_the_order_asked(judge: Judge) -> None:
    """A missing item would change a denominator; an answer in another place, a score."""
    questions = questions_about(KITES, ROOFS)
    answers = answers_of(judge, *questions)
    for question, answer in zip(questions, answers, strict=True):
        assert_full(question, answer)
    assert answers_of(judge, *reversed(questions)) == answers[::-1]
    assert not isinstance(answers[0], Unanswered)


def test_nothing_asked_is_nothing_answered(judge: Judge) -> None:
    """An empty question has an empty answer and raises nothing."""
    empty: tuple[Question, ...] = (
        RateFacets(()),
        ListFacts(()),
        CheckFacts((), (KITES,)),
        CheckSentences((), ()),
    )
    answers = answers_of(judge, *empty)
    assert answers[0] == FacetRatings(())
    for question, answer in zip(empty, answers, strict=True):
        assert_full(question, answer)
    assert answers_of(judge) == ()


def test_a_facet_covers_itself(judge: Judge) -> None:
    """Nothing covers a text better than the text."""
    (answer,) = answers_of(judge, RateFacets((SAME,)))
    assert isinstance(answer, FacetRatings)
    (rating,) = answer.ratings
    assert isinstance(rating, FacetRating)
    assert rating.rating == SCALES["result"]


def test_what_stands_there_holds_and_what_does_not_is_never_a_pass(judge: Judge) -> None:
    """The evidence is the place where it stands; a judge without an answer says so."""
    source = (ROOFS, KITES)
    (facts,) = answers_of(judge, CheckFacts((Fact(text=KITES, sentence=0),), source))
    (sentences,) = answers_of(judge, CheckSentences((KITES, "Penguins swim far."), source))
    if isinstance(facts, FactChecks) and isinstance(sentences, SentenceChecks):
        (fact,), (copied, foreign) = facts.checks, sentences.checks
        assert isinstance(fact, FactCheck)
        assert isinstance(copied, SentenceCheck)
        assert isinstance(foreign, SentenceCheck)
        assert (fact.entailed, fact.premises) == (True, (1,))
        assert (copied.supported, copied.evidence) == (True, (1,))
        assert not foreign.supported
    else:
        assert isinstance(facts, Unanswered)
        assert isinstance(sentences, Unanswered)


@pytest.mark.parametrize("name", JUDGES)
@pytest.mark.parametrize("text", ODD, ids=range(len(ODD)))
def test_odd_text_is_answered_in_full(text: str, name: str) -> None:
    """Papers and summaries are other people's text."""
    questions = questions_about(text, KITES)
    for question, answer in zip(questions, answers_of(JUDGES[name](), *questions), strict=True):
        assert_full(question, answer)


@pytest.mark.parametrize("name", JUDGES)
@settings(deadline=None, max_examples=15)
@given(st.text(max_size=80), st.text(max_size=80))
def test_any_text_is_judged_or_said_to_be_unjudged(name: str, text: str, other: str) -> None:
    """Papers and summaries are other people's text."""
    questions = questions_about(text, other)
    for question, answer in zip(questions, answers_of(JUDGES[name](), *questions), strict=True):
        assert_full(question, answer)


def test_what_is_not_recorded_stays_unanswered() -> None:
    """A text, a pair of segments, and a kind of question that nobody recorded."""
    other = FacetPair(facet="result", reference=KITES, candidate=ROOFS)
    assert answers_of(
        JUDGES["recorded"](),
        RateFacets((other, SAME)),
        SegmentFacets(ROOFS),
        ListFacts((KITES,)),
    ) == (
        FacetRatings((Unanswered("no rating of this facet is recorded"), RATED)),
        Unanswered("no facets of this text are recorded"),
        Unanswered("a recorded judge rates facets, and was asked something else"),
    )

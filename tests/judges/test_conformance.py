"""What every judge owes to those who ask: one suite, run against each of them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from summeval_pytest import questions as q
from summeval_pytest.judges.composed import ComposedJudge
from summeval_pytest.judges.judge import Judge
from summeval_pytest.judges.offline import OfflineJudge
from summeval_pytest.study.baselines import CountFacts, FactCounts, RateSummary, SummaryRating
from summeval_pytest.study.eva.fact_chains import CheckInChain
from summeval_pytest.study.eva.relations import ListRelations
from summeval_pytest.study.local_checker import Checker
from summeval_pytest.study.recorded_judge import RecordedAnswers
from tests.judges.llm.by_rule import judge_of
from tests.local_models import WordReader

ODD = (
    "",
    "kites",
    "\u2603\ufe0f \U0001f9ea \u0661\u0662 \u00bd \u212b \u00b5g \u0130",
    "\u202eabc\u0000def",
    "\u7814\u7a76\u65b9\u6cd5\u3002",
    "Kites rose 40 m above copper roofs. " * 100,
    "12 g and 14 mg " * 100,
    " and was " * 500,
    "(" * 5000,
    "a" * 50_000,
)
"""Empty, one-word, oddly encoded and huge texts are texts too."""
KITES = "Red kites rose 40 m."
ROOFS = "Kites rose above 12 copper roofs, and ropes held."
SAME = q.FacetPair(facet="result", reference=KITES, candidate=KITES)
RATED = q.FacetRating(facet="result", reason="as recorded", rating=q.SCALES["result"])
ANSWERS: dict[type, type] = {
    q.SegmentFacets: q.FacetSegments,
    q.RateFacets: q.FacetRatings,
    q.ListFacts: q.FactList,
    q.CheckFacts: q.FactChecks,
    ListRelations: q.FactList,
    CheckInChain: q.FactChecks,
    CountFacts: FactCounts,
    q.CheckSentences: q.SentenceChecks,
    RateSummary: SummaryRating,
}
JUDGES: dict[str, Callable[[], Judge]] = {
    "embedded": OfflineJudge,
    "llm": judge_of,
    "llm, one by one": lambda: judge_of(batched=False, votes=3),
    "recorded": lambda: RecordedAnswers(
        signature="recorded GPT",
        segments={KITES: q.FacetSegments(result=KITES)},
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


def questions_about(text: str, other: str) -> tuple[q.Question, ...]:
    """One question of each kind, with two or three items where it has some."""
    facts = (q.Fact(text=text, sentence=0), q.Fact(text=other, sentence=0, parent=0))
    pairs = (SAME, q.FacetPair(facet="background", reference=other, candidate=text))
    return (
        q.SegmentFacets(text),
        q.RateFacets(pairs),
        q.ListFacts((text, other)),
        q.CheckFacts(facts, (other,)),
        ListRelations(text),
        CheckInChain(facts[:1], (other,), earlier=((text, True),)),
        CountFacts(text, other),
        q.CheckSentences((text, other, text), (other, text)),
        RateSummary(text, other),
    )


def assert_full(question: q.Question, answer: q.Answer) -> None:
    """An answer has the type and as many items as were asked about, or says why it is none."""
    reasons = [answer.reason] if isinstance(answer, q.Unanswered) else []
    assert isinstance(answer, (ANSWERS[type(question)], q.Unanswered))
    match question, answer:
        case q.RateFacets(pairs), q.FacetRatings(items):
            assert len(items) == len(pairs)
            for pair, item in zip(pairs, items, strict=True):
                if isinstance(item, q.FacetRating):
                    assert item.facet == pair.facet
                    assert 1 <= item.rating <= q.SCALES[pair.facet]
                else:
                    reasons.append(item.reason)
        case (q.CheckFacts(claims, texts), q.FactChecks(checks)) | (
            q.CheckSentences(claims, texts),
            q.SentenceChecks(checks),
        ):
            assert len(checks) == len(claims)
            for check in checks:
                if isinstance(check, q.Unanswered):
                    reasons.append(check.reason)
                    continue
                places = check.premises if isinstance(check, q.FactCheck) else check.evidence
                assert len(set(places)) == len(places)
                assert set(places) <= set(range(len(texts)))
                assert check.support is None or 0.0 <= check.support <= 1.0
        case q.ListFacts(sentences), q.FactList(facts):
            assert all(0 <= fact.sentence < len(sentences) for fact in facts)
            assert all(fact.parent is None or fact.parent < n for n, fact in enumerate(facts))
    assert all(reason.strip() and reason.isprintable() for reason in reasons)


def answers_of(judge: Judge, *questions: q.Question) -> tuple[q.Answer, ...]:
    """What a judge answers, in full."""
    answers = asyncio.run(judge.answer(questions))
    for question, answer in zip(questions, answers, strict=True):
        assert_full(question, answer)
    return answers


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
    assert answers_of(judge, *reversed(questions)) == answers[::-1]
    assert not isinstance(answers[0], q.Unanswered)


def test_nothing_asked_is_nothing_answered(judge: Judge) -> None:
    """An empty question has an empty answer and raises nothing."""
    empty: tuple[q.Question, ...] = (
        q.RateFacets(()),
        q.ListFacts(()),
        q.CheckFacts((), (KITES,)),
        q.CheckSentences((), ()),
    )
    assert answers_of(judge, *empty)[0] == q.FacetRatings(())
    assert answers_of(judge) == ()


def test_a_facet_covers_itself(judge: Judge) -> None:
    """Nothing covers a text better than the text."""
    (answer,) = answers_of(judge, q.RateFacets((SAME,)))
    assert isinstance(answer, q.FacetRatings)
    (rating,) = answer.ratings
    assert isinstance(rating, q.FacetRating)
    assert rating.rating == q.SCALES["result"]


def test_what_stands_there_holds_and_what_does_not_is_never_a_pass(judge: Judge) -> None:
    """The evidence is the place where it stands; a judge without an answer says so."""
    source = (ROOFS, KITES)
    (facts,) = answers_of(judge, q.CheckFacts((q.Fact(text=KITES, sentence=0),), source))
    (sentences,) = answers_of(judge, q.CheckSentences((KITES, "Penguins swim far."), source))
    if isinstance(facts, q.FactChecks) and isinstance(sentences, q.SentenceChecks):
        (fact,), (copied, foreign) = facts.checks, sentences.checks
        assert isinstance(fact, q.FactCheck)
        assert isinstance(copied, q.SentenceCheck)
        assert isinstance(foreign, q.SentenceCheck)
        assert (fact.entailed, fact.premises) == (True, (1,))
        assert (copied.supported, copied.evidence) == (True, (1,))
        assert not foreign.supported
    else:
        assert isinstance(facts, q.Unanswered)
        assert isinstance(sentences, q.Unanswered)


@pytest.mark.parametrize("name", JUDGES)
@pytest.mark.parametrize("text", ODD, ids=range(len(ODD)))
def test_odd_text_is_answered_in_full(text: str, name: str) -> None:
    """Papers and summaries are other people's text."""
    answers_of(JUDGES[name](), *questions_about(text, KITES))


def test_what_is_not_recorded_stays_unanswered() -> None:
    """A text, a pair of segments, and a kind of question that nobody recorded."""
    other = q.FacetPair(facet="result", reference=KITES, candidate=ROOFS)
    assert answers_of(
        JUDGES["recorded"](),
        q.RateFacets((other, SAME)),
        q.SegmentFacets(ROOFS),
        q.ListFacts((KITES,)),
    ) == (
        q.FacetRatings((q.Unanswered("no rating of this facet is recorded"), RATED)),
        q.Unanswered("no facets of this text are recorded"),
        q.Unanswered("a recorded judge rates facets, and was asked something else"),
    )

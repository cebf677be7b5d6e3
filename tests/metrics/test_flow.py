from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from summeval_pytest import questions as q
from summeval_pytest.errors import SummevalError
from summeval_pytest.metrics import facet
from summeval_pytest.metrics.eva import EvaScore
from summeval_pytest.metrics.facet import FacetScore
from summeval_pytest.metrics.facts import CheckedFact
from summeval_pytest.metrics.flow import (
    MAX_UNANSWERED,
    Dialogue,
    Flow,
    NoScoreError,
    ScoreT,
    ask,
    averaged,
    best_of,
    limit_unanswered,
    mean_of,
    side_by_side,
)
from summeval_pytest.metrics.number import Unscored
from tests.metrics.table_judge import ended, facts
from tests.verdict.records import rated

SUMMARY = "Mice grew."
FIRST = "Growth rose in mice."
SECOND = "The mice became larger."
OPEN = Unscored(metric="facet", status="unanswered", reason="timed out")
SKIPPED = Unscored(metric="facet", status="skipped_no_reference", reason="no facet")
ONE, TWO = q.FactList(facts("a")), q.FactList(facts("b"))


def settled(outcome: ScoreT | Unscored) -> Flow[ScoreT]:
    """A conversation that asks nothing."""
    yield from ()
    return outcome


def of_value(value: float) -> FacetScore:
    """A score with this value."""
    return FacetScore(value=value)


def test_ask_yields_all_questions_at_once_and_returns_their_answers_in_order() -> None:
    """Whoever drives the conversation can then answer them side by side."""
    questions = q.ListFacts(("a",)), q.ListFacts(("b",))
    assert next(ask(q.FactList, *questions)) == questions
    assert ended(ask(q.FactList, *questions), (ONE, TWO)) == (ONE, TWO)


@pytest.mark.parametrize(
    ("answers", "message"),
    [
        ((ONE,), "the judge gave 1 answers to 2 questions"),
        ((ONE, ONE, ONE), "the judge gave 3 answers to 2 questions"),
        ((ONE, q.Unanswered("it refused")), "it refused"),
        ((q.FacetSegments(), ONE), "ListFacts was answered with FacetSegments"),
    ],
)
def test_answers_that_do_not_fit_are_no_answer(answers: tuple[q.Answer, ...], message: str) -> None:
    """The reason says what came back, for the one who runs the judge, in whatever form asked."""
    questions = q.ListFacts(("a",)), q.ListFacts(("b",))
    parts = side_by_side(*(ask(q.FactList, question) for question in questions))
    dialogues: list[Dialogue[object]] = [ask(q.FactList, *questions), parts]
    for dialogue in dialogues:
        with pytest.raises(NoScoreError) as error:
            ended(dialogue, answers)
        assert str(error.value) == message
        assert isinstance(error.value, SummevalError)


def rounds(*texts: str) -> Dialogue[str]:
    """A part that asks one question a round, and ends in the texts of the facts."""
    stated = []
    for text in texts:
        (answer,) = yield from ask(q.FactList, q.ListFacts((text,)))
        stated += [fact.text for fact in answer.facts]
    return " ".join(stated)


def test_parts_of_a_conversation_share_their_rounds() -> None:
    """A part that ends early asks no more, one that asks nothing is there at once."""
    parts = side_by_side(rounds("p", "q"), rounds(), rounds("r"))
    assert next(parts) == (q.ListFacts(("p",)), q.ListFacts(("r",)))
    assert parts.send((ONE, TWO)) == (q.ListFacts(("q",)),)
    with pytest.raises(StopIteration) as stop:
        parts.send((TWO,))
    assert stop.value.value == ("a b", "", "b")
    assert ended(side_by_side(rounds(), rounds())) == ("", "")


@given(st.integers(0, 200), st.data())
def test_over_five_percent_unanswered_is_no_answer(n_items: int, data: st.DataObject) -> None:
    """metrics.md 1.3: 5 % itself is not over 5 %; what passes leaves something to divide by."""
    n = data.draw(st.integers(0, n_items))
    answers = [q.Unanswered(reason) for reason in ["cut off", *["refused"] * n][:n]]
    if n <= MAX_UNANSWERED * n_items:
        limit_unanswered("facts", answers, n_items)
        assert n < n_items or not n_items
        return
    with pytest.raises(NoScoreError) as error:
        limit_unanswered("facts", answers, n_items)
    assert str(error.value) == f"{n} of {n_items} facts unanswered, first: cut off"


# Several references
@pytest.mark.parametrize(
    ("outcomes", "best", "mean"),
    [
        ((of_value(0.4),), of_value(0.4), of_value(0.4)),
        ((of_value(0.4), of_value(0.9), of_value(0.8)), of_value(0.9), 0.7),
        ((of_value(0.0), SKIPPED), of_value(0.0), of_value(0.0)),
        ((SKIPPED, of_value(0.3)), of_value(0.3), of_value(0.3)),
        ((SKIPPED, SKIPPED), SKIPPED, SKIPPED),
        ((of_value(0.9), OPEN), OPEN, OPEN),
        ((OPEN, of_value(0.9)), OPEN, OPEN),
        ((SKIPPED, OPEN), OPEN, OPEN),
    ],
)
def test_best_reference_counts_or_the_mean_unless_the_judge_failed_on_one(
    outcomes: tuple[FacetScore | Unscored, ...],
    best: FacetScore | Unscored,
    mean: FacetScore | Unscored | float,
) -> None:
    """A judge that fails on one reference must not be hidden by its answer on another."""
    assert ended(best_of(tuple(map(settled, outcomes)))) == best
    result = ended(mean_of(tuple(map(settled, outcomes))))
    assert (result.value if isinstance(mean, float) else result) == mean  # type: ignore[union-attr]


def test_which_reference_is_the_best_is_not_known_with_missing_answers() -> None:
    """With the answer, the other one might be chosen, and its numbers might miss a threshold."""
    fact = q.Fact(text="Zinc helps.", sentence=0)
    held = [CheckedFact(fact=fact, holds=holds, reason="") for holds in (True, None)]
    whole = EvaScore(value=0.6, precision=0.6, recall=0.6, recall_entailed=None)
    holed = replace(whole, value=0.5, candidate=tuple(held))
    for scores in ((whole, holed), (holed, whole)):
        best = ended(best_of(tuple(map(settled, scores))))
        assert isinstance(best, Unscored)
        assert (best.metric, best.fault) == ("eva", "judge")
    assert ended(best_of((settled(holed),))) == holed


def test_judge_failing_on_the_first_reference_ends_the_conversation() -> None:
    """Nothing more is asked, and paid for, that could not change the outcome."""
    flow = best_of(tuple(facet.measure(reference, SUMMARY) for reference in (FIRST, SECOND)))
    assert ended(flow, (q.Unanswered("timed out"), q.FacetSegments())) == OPEN


def eva_score(precision: float | None, recall: float, entailed: float | None) -> EvaScore:
    """A score with these numbers; its value is their own business."""
    return EvaScore(value=recall / 2, precision=precision, recall=recall, recall_entailed=entailed)


HIGH = rated({"method": 4, "result": 4})  # FM = 1
LOW = rated({"result": 2, "conclusion": 3})  # FM = (.3 * 2/4 + .3 * 1) / .6 = .75


def test_every_number_is_the_mean_over_the_references_that_have_it() -> None:
    """Worked example: FM (1 + .75) / 2; the result (4 + 2) / 2; the others are of one alone."""
    score = averaged((HIGH, LOW))
    assert score.values() == {
        "facet": 0.875,
        "facet.method": 4.0,
        "facet.result": 3.0,
        "facet.conclusion": 3.0,
    }
    assert (score.value, score.ratings, score.by_reference) == (0.875, LOW.ratings, (HIGH, LOW))
    assert averaged((LOW, rated({"result": 3}))).ratings == LOW.ratings
    # mean and best differ most where a summary is one of its references: full marks there alone
    copy = FacetScore(value=1.0, identical=True)
    score = averaged((copy, LOW))
    assert not score.identical
    assert (score.values()["facet"], score.values()["facet.method"]) == (0.875, 4.0)
    assert averaged((copy, copy)).identical


def test_eva_parts_are_means_of_their_own() -> None:
    """Worked example: the value is the mean of the F1, and not the F1 of means (EV16)."""
    score = averaged((eva_score(0.5, 0.8, 1.0), eva_score(0.25, 0.4, 0.5)))
    assert score.values() == {
        "eva": pytest.approx(0.3),  # (.4 + .2) / 2
        "eva.precision": 0.375,
        "eva.recall": pytest.approx(0.6),
        "eva.recall_entailed": 0.75,
    }
    assert (score.precision, score.recall_entailed) == (0.375, 0.75)
    none = averaged((eva_score(None, 0.0, None), eva_score(None, 0.0, None)))
    assert none.values() == {"eva": 0.0, "eva.precision": None, "eva.recall": 0.0}

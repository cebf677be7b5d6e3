from __future__ import annotations

import pytest

from summeval_pytest.evaluation.worst import worst_of
from summeval_pytest.metrics import CheckedFact, EvaScore, FaithfulnessScore, JudgedSentence
from summeval_pytest.metrics.references import averaged
from summeval_pytest.questions import Fact


def checked(*holds: bool | None) -> tuple[CheckedFact, ...]:
    """Facts with these verdicts."""
    return tuple(
        CheckedFact(fact=Fact(text=str(place), sentence=0), holds=each, reason="")
        for place, each in enumerate(holds)
    )


def eva(value: float, *holds: bool | None) -> EvaScore:
    """A score whose candidate facts have these verdicts, and whose recall is 1."""
    return EvaScore(
        value=value, precision=1.0, recall=1.0, recall_entailed=None, candidate=checked(*holds)
    )


def test_each_unanswered_piece_is_taken_as_wrong() -> None:
    """Worked example: P = 1/2 in place of 1, and F1 = 2 * 1/2 / (3/2) = 2/3."""
    assert worst_of([eva(1.0, True, None)]) == {
        "eva.precision": 0.5,
        "eva": pytest.approx(2 / 3),
    }
    sentences = tuple(
        JudgedSentence(index=n, text="", supported=holds, reason="")
        for n, holds in enumerate((True, None, None))
    )
    score = FaithfulnessScore(value=1.0, sentences=sentences)
    assert worst_of([score]) == {"faithfulness": pytest.approx(1 / 3)}


def test_an_unanswered_sentence_is_supposed_at_support_0() -> None:
    """Worked example: (1 + .6) / 2 = .8 of two answered, 1.6 / 4 = .4 of four."""
    sentences = tuple(
        JudgedSentence(
            index=n, text="", supported=None if each is None else True, reason="", support=each
        )
        for n, each in enumerate((1.0, 0.6, None, None))
    )
    score = FaithfulnessScore(value=1.0, sentences=sentences)
    assert worst_of([score]) == {
        "faithfulness": 0.5,
        "faithfulness.support": pytest.approx(0.4),
    }
    answered = FaithfulnessScore(value=1.0, sentences=sentences[:2])
    assert worst_of([answered]) == {}


def test_what_was_answered_has_no_worse_number() -> None:
    """Nothing is made up."""
    assert worst_of([eva(1.0, True, False)]) == {}


def test_over_several_references_the_worst_is_the_mean_of_the_worst() -> None:
    """A judge that is silent about the reference that is not shown must not be hidden.

    P = (1 + 1/2) / 2 and F1 = (.9 + 2/3) / 2, where the first has everything answered.
    """
    score = averaged((eva(0.9, True, True), eva(1.0, True, None)))
    assert score.candidate == checked(True, True)
    assert worst_of([score]) == {
        "eva.precision": 0.75,
        "eva": pytest.approx((0.9 + 2 / 3) / 2),
    }
    assert worst_of([averaged((eva(0.9, True), eva(1.0, False)))]) == {}

from __future__ import annotations

import pytest

from summeval_pytest.metrics.flow import averaged
from summeval_pytest.metrics.score import CheckedFact, EvaScore, FaithfulnessScore, JudgedSentence
from summeval_pytest.questions import Fact
from summeval_pytest.run.numbers import supposed


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


def worst_of(scores: list[EvaScore] | list[FaithfulnessScore]) -> dict[str, float]:
    """The numbers with every unanswered piece wrong."""
    return supposed(scores, right=False)


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


def test_a_right_fact_of_the_summary_matches_one_more_of_the_reference() -> None:
    """Worked example: 2 of 4 matched become 3, and P = 1/2 of two becomes 2/3 of three."""
    score = EvaScore(
        value=0.5,
        precision=0.5,
        recall=0.5,
        recall_entailed=0.5,
        candidate=checked(True, False, None),
        reference=checked(True, True, False, False),
        matched=frozenset({0, 1}),
    )
    assert supposed([score], right=True) == {
        "eva.precision": pytest.approx(2 / 3),
        "eva.recall": 0.75,
        "eva": pytest.approx(12 / 17),
    }
    assert worst_of([score]) == {
        "eva.precision": pytest.approx(1 / 3),
        "eva": pytest.approx(0.4),
    }


def test_an_unanswered_sentence_may_be_right() -> None:
    """Worked example: 1 of 2 answered, 2 of 3 at best; support (1 + .2 + 1) / 3."""
    sentences = tuple(
        JudgedSentence(index=n, text="", supported=holds, reason="", support=support)
        for n, (holds, support) in enumerate(((True, 1.0), (False, 0.2), (None, None)))
    )
    score = FaithfulnessScore(value=0.5, sentences=sentences)
    assert supposed([score], right=True) == {
        "faithfulness": pytest.approx(2 / 3),
        "faithfulness.support": pytest.approx(2.2 / 3),
    }


def test_an_unanswered_sentence_may_be_one_conflict_more() -> None:
    """Worked example: one conflict, one open sentence that is in conflict already, and one more."""
    sentences = tuple(
        JudgedSentence(index=n, text="", supported=holds, reason="", number_conflict=is_foreign)
        for n, (holds, is_foreign) in enumerate(((True, True), (None, True), (None, False)))
    )
    score = FaithfulnessScore(value=1.0, sentences=sentences, conflicts=2)
    assert worst_of([score])["faithfulness.conflicts"] == 3.0
    assert "faithfulness.conflicts" not in supposed([score], right=True)

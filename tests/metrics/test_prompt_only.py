from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from summeval_pytest.metrics.baselines import PromptOnlyScore, measure_by_one_prompt
from summeval_pytest.questions import CountFacts, FactCounts, Unanswered

if TYPE_CHECKING:
    from summeval_pytest.questions import Answer

REFERENCE = "Zinc raised growth. It did no harm."


SUMMARY = "Zinc changed growth."


def counted(reference: int, candidate: int, matched: int) -> FactCounts:
    """What the judge counts."""
    return FactCounts(reason="", reference=reference, candidate=candidate, matched=matched)


def ended(answer: Answer, summary: str = SUMMARY) -> PromptOnlyScore | Unanswered:
    """What the conversation comes to."""
    flow = measure_by_one_prompt(REFERENCE, summary)
    assert next(flow) == (CountFacts(REFERENCE, summary),)
    with pytest.raises(StopIteration) as stop:
        flow.send((answer,))
    score: PromptOnlyScore | Unanswered = stop.value.value
    return score


def test_precision_is_of_the_summary_and_recall_of_the_reference() -> None:
    """Worked example, where the paper's prompt has them the other way round (metrics.md EV15)."""
    # P = 2/4, R = 2/8, F1 = 2 * 1/2 * 1/4 / (3/4) = 1/3
    score = ended(counted(8, 4, 2))
    assert isinstance(score, PromptOnlyScore)
    assert (score.precision, score.recall) == (0.5, 0.25)
    assert score.value == pytest.approx(1 / 3)
    assert score.counts == counted(8, 4, 2)


def test_a_summary_without_facts_scores_zero_without_a_precision() -> None:
    """As EVA-Score has it."""
    score = ended(counted(8, 0, 0))
    assert isinstance(score, PromptOnlyScore)
    assert (score.value, score.precision, score.recall) == (0.0, None, 0.0)


def test_a_reference_without_facts_leaves_no_number() -> None:
    """There is nothing to recall."""
    assert ended(counted(0, 3, 0)) == Unanswered("the judge counts no fact in the reference")


@pytest.mark.parametrize(
    ("answer", "fault"),
    [
        (Unanswered("timed out"), "timed out"),
        (
            counted(3, 2, 3),
            "3 facts counted in both, 3 in the reference and 2 in the summary",
        ),
        (
            counted(3, 2, -1),
            "-1 facts counted in both, 3 in the reference and 2 in the summary",
        ),
    ],
)
def test_counts_that_cannot_be_leave_no_number(answer: Answer, fault: str) -> None:
    """A share above 1 would pass every threshold."""
    assert ended(answer) == Unanswered(fault)


def test_an_unusable_summary_asks_nothing() -> None:
    """As for every metric."""
    with pytest.raises(StopIteration) as stop:
        next(measure_by_one_prompt(REFERENCE, "<pad>"))
    assert stop.value.value == Unanswered("the summary is empty")

"""What holds of all three metrics: whose fault a missing score is, and what is never asked."""

from __future__ import annotations

import pytest

from summeval_pytest.metrics import eva, facet, faithfulness
from summeval_pytest.metrics.catalogue import METRICS, Score
from summeval_pytest.metrics.flow import Dialogue
from summeval_pytest.metrics.number import MetricName, Status, Unscored
from summeval_pytest.questions import Answer, FacetSegments, FactList, SentenceChecks, Unanswered
from tests.metrics.table_judge import ended

REFERENCE = "Zinc raised growth by 24 %. It did no harm."
SUMMARY = "Zinc changed growth. Lead was not given."


def flow_of(
    metric: MetricName, summary: str = SUMMARY, reference: str = REFERENCE
) -> Dialogue[Score | Unscored]:
    """The conversation of one metric; the source has one sentence."""
    match metric:
        case "facet":
            return (yield from facet.measure(reference, summary))
        case "eva":
            return (yield from eva.measure(reference, summary))
        case _:
            return (yield from faithfulness.measure(summary, ("Mice ate zinc.",)))


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize(
    ("summary", "status", "reason"),
    [
        ("...-!", "degenerate_candidate", "the summary is empty"),
        ("<pad><pad>", "degenerate_candidate", "the summary is empty"),
        ("I'm sorry, but I cannot summarise this.", "refused_candidate", "the system refused"),
    ],
)
def test_an_unusable_summary_is_the_systems_fault_and_asks_nothing(
    metric: MetricName, summary: str, status: Status, reason: str
) -> None:
    """An apology would be a summary without a false word, and no judge is to be paid for it."""
    assert ended(flow_of(metric, summary)) == Unscored(metric=metric, status=status, reason=reason)


@pytest.mark.parametrize("metric", METRICS)
def test_texts_are_normalised_before_they_are_asked_about(metric: MetricName) -> None:
    """Special tokens and labels would tell the judge which system it reads."""
    marked = flow_of(metric, f"<s> {SUMMARY}</s><pad>", f"Abstract: {REFERENCE}")
    assert next(marked) == next(flow_of(metric))


@pytest.mark.parametrize("metric", ["facet", "eva"])
def test_identical_texts_score_one_and_ask_nothing(metric: MetricName) -> None:
    """Identical is maximal, whatever the judge would say (deepeval#565)."""
    score = ended(flow_of(metric, f"<s>{REFERENCE.replace('. ', '.  ')}</s>"))
    assert not isinstance(score, Unscored)
    assert score.value == 1.0


@pytest.mark.parametrize(
    ("metric", "answers", "reason"),
    [
        ("facet", (Unanswered("refused"), FacetSegments()), "refused"),
        ("eva", (FactList(()), FacetSegments()), "ListFacts was answered with FacetSegments"),
        ("faithfulness", (FactList(()),), "CheckSentences was answered with FactList"),
        (
            "faithfulness",
            (SentenceChecks(()),),
            "the judge returned 0 sentence checks for 2 asked about",
        ),
    ],
)
def test_a_judge_that_does_not_answer_leaves_the_pair_unscored(
    metric: MetricName, answers: tuple[Answer, ...], reason: str
) -> None:
    """A judge that fails must not look like a summary without facets, facts or support."""
    score = ended(flow_of(metric), answers)
    assert score == Unscored(metric=metric, status="unanswered", reason=reason)

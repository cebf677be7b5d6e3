"""Several references of one paper: the best of them counts, or their mean."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from summeval_pytest.metrics.score import EvaScore, FacetScore, Unscored, mean_values

if TYPE_CHECKING:
    from summeval_pytest.metrics.conversation import Flow

AveragedT = TypeVar("AveragedT", FacetScore, EvaScore)


def mean_of(flows: tuple[Flow[AveragedT], ...]) -> Flow[AveragedT]:
    """The mean score over several references; unscored where any of them could not be scored.

    A reference that has nothing to measure against, none of the facets or no fact, is left out, as
    in `best_of`; a judge that fails on one reference must not be hidden by its answer on another.
    """
    scores: list[AveragedT] = []
    lacking: Unscored | None = None
    for flow in flows:
        score = yield from flow
        if not isinstance(score, Unscored):
            scores.append(score)
        elif score.status == "skipped_no_reference":
            lacking = score
        else:
            return score
    if scores:
        return averaged(tuple(scores))
    assert lacking is not None, "at least one reference is measured against"
    return lacking


def averaged(scores: tuple[AveragedT, ...]) -> AveragedT:
    """Scores against several references as one: means of their numbers, the lowest's evidence.

    The first of equally low ones shows its evidence; the only score is itself.
    """
    if len(scores) == 1:
        return scores[0]
    lowest = min(scores, key=lambda score: score.value)
    values = mean_values(scores)
    if isinstance(lowest, EvaScore):
        recall = values["eva.recall"]
        assert recall is not None, "every EVA-Score has a recall"
        lowest = replace(
            lowest,
            precision=values["eva.precision"],
            recall=recall,
            recall_entailed=values.get("eva.recall_entailed"),
        )
    value = values[lowest.metric]
    assert value is not None, "every score has a value"
    return replace(lowest, value=value, by_reference=scores)

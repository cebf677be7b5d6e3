"""What no metric can score and no judge is asked about: a summary that is empty, or declines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from summeval_pytest.metrics.score import Unscored
from summeval_pytest.text import has_tokens, is_refusal

if TYPE_CHECKING:
    from summeval_pytest.metrics.score import MetricName


def unusable(metric: MetricName, summary: str) -> Unscored | None:
    """Why a normalised summary has no score, which is the system's fault; None where it may."""
    if not has_tokens(summary):
        return Unscored(metric=metric, status="degenerate_candidate", reason="the summary is empty")
    if is_refusal(summary):
        return Unscored(metric=metric, status="refused_candidate", reason="the system refused")
    return None

"""The score of any metric, and what is wrong with a summary by its scores.

Every score has its numbers (`values`), how far these move with what the judge left unanswered
(`bounds`), counts (`sizes`), and what is wrong piece by piece (`findings`). Whoever handles scores
in general uses these and knows no metric.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from summeval_pytest.metrics.eva import EvaScore
from summeval_pytest.metrics.facet import FacetScore
from summeval_pytest.metrics.faithfulness import FaithfulnessScore
from summeval_pytest.metrics.finding import rank
from summeval_pytest.metrics.number import Unscored
from summeval_pytest.metrics.own import OwnScore

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from summeval_pytest.metrics.finding import Finding

Score = FacetScore | EvaScore | FaithfulnessScore | OwnScore
PIECES = {"facet": "facet", "eva": "fact", "faithfulness": "sentence"}
"""What a summary is judged by, one by one, by metric."""


def findings_of(scores: Iterable[Score | Unscored], source: Sequence[str]) -> tuple[Finding, ...]:
    """Everything wrong with a summary, the worst first."""
    scored = (score for score in scores if not isinstance(score, Unscored))
    return tuple(sorted((f for score in scored for f in score.findings(source)), key=rank))


def wrong_pieces(scores: Iterable[Score | Unscored]) -> dict[str, int]:
    """How many facets lost a point, facts do not hold and sentences are unsupported.

    ``undecided`` counts those of them that rest on a conflict that the judge cannot decide.
    """
    counts = dict.fromkeys((*PIECES.values(), "undecided"), 0)
    for score in scores:
        if not isinstance(score, Unscored | OwnScore):
            pieces = score.wrong_pieces()
            counts[PIECES[score.metric]] += len(pieces)
            counts["undecided"] += sum(piece.undecided for piece in pieces)
    return counts

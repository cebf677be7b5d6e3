"""The direct rating: one judgement of a whole summary, which FM is compared with.

    direct = rating / 4

Source: FM (arXiv 2402.14359), section 5.2, the undecomposed ("vanilla") rating; in the release its
values are .25, .5, .75 and 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from summeval_pytest.metrics.candidate import unusable
from summeval_pytest.metrics.conversation import NoAnswerError, ask
from summeval_pytest.questions import SUMMARY_SCALE, RateSummary, SummaryRating, Unanswered
from summeval_pytest.text import normalise

if TYPE_CHECKING:
    from summeval_pytest.metrics.conversation import Dialogue


@dataclass(frozen=True, slots=True, kw_only=True)
class DirectRating:
    """A summary's rating as a share of its scale, 0.25 to 1, higher is better, and the reason."""

    value: float
    reason: str


def measure(reference: str, summary: str) -> Dialogue[DirectRating | Unanswered]:
    """The conversation that rates one summary as a whole; a copy of the reference is asked about.

    It ends in `Unanswered` where there is no rating: the judge gave none, or there is no summary.
    """
    reference, summary = normalise(reference), normalise(summary)
    lacking = unusable("facet", summary)
    if lacking is not None:
        return Unanswered(lacking.reason)
    try:
        (answer,) = yield from ask(SummaryRating, RateSummary(reference, summary))
    except NoAnswerError as fault:
        return Unanswered(str(fault))
    if not 1 <= answer.rating <= SUMMARY_SCALE:
        return Unanswered(f"rating {answer.rating} is off its scale 1 to {SUMMARY_SCALE}")
    return DirectRating(value=answer.rating / SUMMARY_SCALE, reason=answer.reason)

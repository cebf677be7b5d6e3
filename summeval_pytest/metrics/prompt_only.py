"""EVA-Score by one prompt that only counts: the baseline that lists of facts have to beat.

    P = facts in both / facts of the summary
    R = facts in both / facts of the reference
    F1 = 2 P R / (P + R); 0 where P + R = 0

Source: EVA-Score (arXiv 2407.04969), Table 17, whose prompt divides the other way round: by the
reference's facts for P and by the summary's for R (metrics.md EV15); F1 is the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from summeval_pytest.metrics.candidate import unusable
from summeval_pytest.metrics.conversation import Dialogue, NoAnswerError, ask
from summeval_pytest.metrics.eva import f1
from summeval_pytest.questions import CountFacts, FactCounts, Unanswered
from summeval_pytest.text import normalise

NAME: Final = "EVA, one prompt"
"""What a table calls it; no suite gates by it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptOnlyScore:
    """What one prompt says of one summary.

    Attributes:
        value: F1, 0 to 1, higher is better.
        precision: Share of the summary's facts that the reference states; None without facts.
        recall: Share of the reference's facts that the summary states.
        counts: What the judge counted.
    """

    value: float
    precision: float | None
    recall: float
    counts: FactCounts


def measure(reference: str, summary: str) -> Dialogue[PromptOnlyScore | Unanswered]:
    """The conversation that has facts counted; a copy of the reference is asked about.

    It ends in `Unanswered` where there is no number: the judge gave none, there is no summary, or
    the reference has no fact.
    """
    reference, summary = normalise(reference), normalise(summary)
    lacking = unusable("eva", summary)
    if lacking is not None:
        return Unanswered(lacking.reason)
    try:
        (counts,) = yield from ask(FactCounts, CountFacts(reference, summary))
        _check(counts)
    except NoAnswerError as fault:
        return Unanswered(str(fault))
    if not counts.reference:
        return Unanswered("the judge counts no fact in the reference")
    precision = counts.matched / counts.candidate if counts.candidate else None
    recall = counts.matched / counts.reference
    return PromptOnlyScore(
        value=f1(precision or 0.0, recall), precision=precision, recall=recall, counts=counts
    )


def _check(counts: FactCounts) -> None:
    """Holds counts to what counts can be.

    Raises:
        NoAnswerError: for more facts in both than in either, which would make a share above 1.
    """
    if not 0 <= counts.matched <= min(counts.reference, counts.candidate):
        raise NoAnswerError(
            f"{counts.matched} facts counted in both, {counts.reference} in the reference and"
            f" {counts.candidate} in the summary"
        )

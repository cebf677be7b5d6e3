"""Numbers that a judge gives without a metric's arithmetic, for the metrics to be compared with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, get_args

from summeval_pytest.metrics import direct
from summeval_pytest.questions import Unanswered

if TYPE_CHECKING:
    from summeval_pytest.metrics.conversation import Dialogue
    from summeval_pytest.suite import Pair

BaselineName = Literal["direct"]
BASELINES: Final[tuple[BaselineName, ...]] = get_args(BaselineName)
"""``direct`` is one rating of the whole summary (FM, section 5.2)."""


_MEASURES: Final = {"direct": direct.measure}


def baseline_flow(name: BaselineName, pair: Pair) -> Dialogue[float | Unanswered]:
    """The conversation about one pair; of several references, the best counts.

    It ends in `Unanswered` where there is no number, on any of the references.
    """
    if pair.flaw is not None:
        return Unanswered(pair.flaw.reason)
    values = []
    for reference in pair.paper.references:
        rated = yield from _MEASURES[name](reference, pair.summary)
        if isinstance(rated, Unanswered):
            return rated
        values.append(rated.value)
    return max(values)

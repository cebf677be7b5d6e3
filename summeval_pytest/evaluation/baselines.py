"""Numbers that a judge gives without a metric's arithmetic, for the metrics to be compared with."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Final, Literal, get_args

from summeval_pytest.metrics import direct, prompt_only
from summeval_pytest.questions import Unanswered

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from summeval_pytest.metrics.conversation import Dialogue
    from summeval_pytest.metrics.direct import DirectRating
    from summeval_pytest.metrics.prompt_only import PromptOnlyScore
    from summeval_pytest.suite import Pair

    Measure = Callable[[str, str], Dialogue[DirectRating | PromptOnlyScore | Unanswered]]

BaselineName = Literal["direct", "one-prompt"]
BASELINES: Final[tuple[BaselineName, ...]] = get_args(BaselineName)
"""``direct`` is one rating of the whole summary (FM, section 5.2), ``one-prompt`` the F1 of facts
that one prompt counts (EVA-Score, Table 17)."""

_MEASURES: Final[Mapping[BaselineName, Measure]] = MappingProxyType(
    {"direct": direct.measure, "one-prompt": prompt_only.measure}
)


def baseline_flow(name: BaselineName, pair: Pair) -> Dialogue[float | Unanswered]:
    """The conversation about one pair; of several references, the best counts.

    It ends in `Unanswered` where there is no number, on any of the references.
    """
    if pair.flaw is not None:
        return Unanswered(pair.flaw.reason)
    values = []
    for reference in pair.paper.references:
        found = yield from _MEASURES[name](reference, pair.summary)
        if isinstance(found, Unanswered):
            return found
        values.append(found.value)
    return max(values)

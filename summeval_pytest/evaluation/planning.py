"""What a run would cost, from what a survey found missing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from summeval_pytest.models import Usage, tokens_about

if TYPE_CHECKING:
    from collections.abc import Iterable

    from summeval_pytest.evaluation.surveying import Missing

USUAL_SHARE: Final = 0.3
"""The share of its ``max_tokens`` that a reply is taken to have, where none is remembered."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedCalls:
    """The calls of one system for one metric.

    A question that several systems or metrics share is counted under the first that needs it.

    Attributes:
        system: The system.
        metric: The metric, or ``summaries``.
        n_calls: Calls, with those that depend on replies which nobody has given yet.
        n_certain: Those of them that are known word for word.
        prompt_tokens: Tokens to send, about.
        completion_tokens: Tokens to receive, about.
        cost: Dollars, about, of the calls whose price is known; None where none is.
        n_unpriced: Calls whose price is not known.
    """

    system: str
    metric: str
    n_calls: int
    n_certain: int
    prompt_tokens: int
    completion_tokens: int
    cost: float | None
    n_unpriced: int = 0


def planned_calls(missing: Iterable[Missing], reply_share: float | None) -> list[PlannedCalls]:
    """The missing requests by system and metric, in the order in which they came up."""
    share = USUAL_SHARE if reply_share is None else reply_share
    groups: dict[tuple[str, str], list[Missing]] = {}
    for request in missing:
        groups.setdefault((request.system, request.metric), []).append(request)
    return [_planned(*of, requests, share) for of, requests in groups.items()]


def _planned(system: str, metric: str, requests: list[Missing], share: float) -> PlannedCalls:
    used = [
        Usage(
            prompt_tokens=tokens_about(missing.request),
            completion_tokens=round(missing.request.max_tokens * share),
        )
        for missing in requests
    ]
    costs = [
        None if missing.price is None else missing.price.cost(usage)
        for missing, usage in zip(requests, used, strict=True)
    ]
    known = [cost for cost in costs if cost is not None]
    return PlannedCalls(
        system=system,
        metric=metric,
        n_calls=len(requests),
        n_certain=sum(missing.is_certain for missing in requests),
        prompt_tokens=sum(usage.prompt_tokens for usage in used),
        completion_tokens=sum(usage.completion_tokens for usage in used),
        cost=sum(known) if known else None,
        n_unpriced=len(costs) - len(known),
    )

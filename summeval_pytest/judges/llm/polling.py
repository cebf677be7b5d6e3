"""Asking about the items of a sheet once for each vote, and what the votes come to."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

from summeval_pytest.judges.llm.sharding import Unit, shards, shuffled
from summeval_pytest.judges.llm.voting import Outcome, decide

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from summeval_pytest.judges.llm.rounds import Rounds
    from summeval_pytest.judges.llm.sheet import ItemT, Sheet
    from summeval_pytest.judges.llm.voting import ValueT
    from summeval_pytest.questions import Unanswered


def items_of(sheet: Sheet[ItemT]) -> tuple[int, ...]:
    """All items of a sheet, in order."""
    return tuple(sorted(id_ for unit in sheet.units for id_ in unit))


@dataclass(frozen=True, slots=True)
class Poll:
    """How items are asked about: how many times each, and whether together or one by one."""

    rounds: Rounds
    votes: int
    batched: bool

    async def replies(
        self, sheet: Sheet[ItemT], size: int, *, vote: int = 0
    ) -> tuple[ItemT | Unanswered, ...]:
        """What one vote says of each item, in order.

        Args:
            sheet: The items.
            size: How many of them a request may hold.
            vote: Which of the votes, from 0.
        """
        requests = self._requests(sheet, size, vote)
        found = await self.rounds.settle(sheet, requests, vote=vote)
        return tuple(found[id_] for id_ in items_of(sheet))

    async def whole(self, sheet: Sheet[ItemT]) -> tuple[ItemT | Unanswered, ...]:
        """What one request about all items says of each, whatever shares requests otherwise."""
        items = items_of(sheet)
        found = await self.rounds.settle(sheet, (items,)) if items else {}
        return tuple(found[id_] for id_ in items)

    async def outcomes(
        self,
        sheet: Sheet[ItemT],
        size: int,
        value: Callable[[ItemT], ValueT],
        rule: Callable[[Sequence[ValueT], int], ValueT],
    ) -> tuple[Outcome[ItemT] | Unanswered, ...]:
        """What all votes on each item come to, in order, by `decide`."""
        asked = [self.replies(sheet, size, vote=vote) for vote in range(self.votes)]
        by_vote = await asyncio.gather(*asked)
        outcomes = tuple(decide(votes, value, rule) for votes in zip(*by_vote, strict=True))
        self.rounds.ledger.add_agreement(
            outcome.agreeing
            for outcome in outcomes
            if isinstance(outcome, Outcome) and outcome.n_votes > 1
        )
        return outcomes

    def _requests(self, sheet: Sheet[ItemT], size: int, vote: int) -> tuple[Unit, ...]:
        if not self.batched:
            return tuple((id_,) for id_ in items_of(sheet))
        question = sheet.draft(items_of(sheet)).user if vote else ""
        return shards(shuffled(sheet.units, question, vote), size)

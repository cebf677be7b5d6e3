"""What a judge's replies were like, in numbers for the report."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """How far votes agreed.

    Attributes:
        n_items: Items that more than one vote decided.
        share: Mean share of an item's votes that agree with its outcome, 0 to 1; 1 without items.
    """

    n_items: int = 0
    share: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """Counts over everything that was asked of one judge.

    Requests are counted in every vote; a reply that answers two questions, as facets and facts of
    a text are, counts in both.

    Attributes:
        n_reasked: Items asked about again, as often as they were.
        n_unanswered: Items that stayed without a usable reply.
        n_ungrounded_quotes: Quotations that do not stand in the source, of the votes that decided.
        n_dropped_facts: Facts left out for a number that their sentence does not state.
    """

    n_reasked: int = 0
    n_unanswered: int = 0
    n_ungrounded_quotes: int = 0
    n_dropped_facts: int = 0


class Ledger:
    """Where a judge counts: its only memory."""

    def __init__(self) -> None:
        self.tally = Tally()
        self._n_items = 0
        self._shares = 0.0

    @property
    def agreement(self) -> Agreement:
        """How far votes agreed so far."""
        if not self._n_items:
            return Agreement()
        return Agreement(n_items=self._n_items, share=self._shares / self._n_items)

    def add(
        self, *, reasked: int = 0, unanswered: int = 0, ungrounded: int = 0, dropped: int = 0
    ) -> None:
        """Counts on."""
        now = self.tally
        self.tally = replace(
            now,
            n_reasked=now.n_reasked + reasked,
            n_unanswered=now.n_unanswered + unanswered,
            n_ungrounded_quotes=now.n_ungrounded_quotes + ungrounded,
            n_dropped_facts=now.n_dropped_facts + dropped,
        )

    def add_agreement(self, shares: Iterable[float]) -> None:
        """Counts items that several votes decided, by the share that agrees with the outcome."""
        for share in shares:
            self._n_items += 1
            self._shares += share

"""What a run has asked, remembered and paid, counted as it happens."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Final, Literal, get_args

if TYPE_CHECKING:
    from collections.abc import Mapping

    from summeval_pytest.models import Price, Usage


@dataclass(slots=True, kw_only=True)
class Totals:
    """Counts of one run, or of one process of it; they add up.

    Attributes:
        n_asked: Requests that an endpoint answered.
        n_recorded: Replies that were read from a cassette.
        n_cached: Replies that were read from the local store.
        n_failed: Requests that an endpoint gave no usable reply to.
        prompt_tokens: Tokens sent, as the endpoints counted them.
        completion_tokens: Tokens received.
        n_unpriced: Answered requests without a price, or whose tokens the endpoint did not count.
        cost: Dollars, of the requests that have a price.
    """

    n_asked: int = 0
    n_recorded: int = 0
    n_cached: int = 0
    n_failed: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    n_unpriced: int = 0
    cost: float = 0.0

    def add(self, other: Totals) -> None:
        """Adds the counts of another process."""
        self.n_asked += other.n_asked
        self.n_recorded += other.n_recorded
        self.n_cached += other.n_cached
        self.n_failed += other.n_failed
        self.prompt_tokens += other.prompt_tokens
        self.completion_tokens += other.completion_tokens
        self.n_unpriced += other.n_unpriced
        self.cost += other.cost

    def as_json(self) -> Mapping[str, int | float]:
        """The counts by name, for another process."""
        return asdict(self)

    @property
    def n_replies(self) -> int:
        """Replies in all, wherever they came from."""
        return self.n_asked + self.n_recorded + self.n_cached


Origin = Literal["asked", "cached", "recorded"]
ORIGINS: Final[tuple[Origin, ...]] = get_args(Origin)


@dataclass(slots=True)
class Ledger:
    """The counts of one process while it runs; a reply counts once, however often it is used.

    Attributes:
        totals: What was counted so far.
        n_in_flight: Requests that an endpoint is answering now.
        origins: By key, where each reply came from when it was first used.
    """

    totals: Totals = field(default_factory=Totals)
    n_in_flight: int = 0
    origins: dict[str, Origin] = field(default_factory=dict)

    def remembered(self, key: str, origin: Origin) -> None:
        """Counts a reply that nobody had to be asked for."""
        if key in self.origins:
            return
        self.origins[key] = origin
        if origin == "recorded":
            self.totals.n_recorded += 1
        else:
            self.totals.n_cached += 1

    def answered(self, key: str, usage: Usage | None, price: Price | None) -> None:
        """Counts one reply of an endpoint, its tokens and its cost."""
        self.origins[key] = "asked"
        self.totals.n_asked += 1
        if usage is not None:
            self.totals.prompt_tokens += usage.prompt_tokens
            self.totals.completion_tokens += usage.completion_tokens
        if usage is None or price is None:
            self.totals.n_unpriced += 1
        else:
            self.totals.cost += price.cost(usage)

    def keys(self, origin: Origin) -> list[str]:
        """The keys of the replies that came from there, in order."""
        return sorted(key for key, found in self.origins.items() if found == origin)

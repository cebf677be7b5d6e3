"""What a run has asked, remembered and paid, counted as it happens."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Final, Literal, get_args

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

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


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class ModelSeen:
    """A model as it was asked for, and as the endpoint named it in replies.

    Attributes:
        endpoint: The endpoint's name.
        asked: The model's name in the requests.
        returned: Its name in the replies; empty where they give none.
        fingerprint: The endpoint's word for its configuration; empty where it gives none.
        is_other: Whether it is another model than the pinned one that was asked for.
        n_replies: How many replies of the run are its; 0 while nobody has counted.
    """

    endpoint: str
    asked: str
    returned: str
    fingerprint: str
    is_other: bool = False
    n_replies: int = 0


def models_seen(keys: Mapping[ModelSeen, Collection[str]]) -> tuple[ModelSeen, ...]:
    """The models in order, each with the count of its replies, which are given by their keys."""
    return tuple(sorted(replace(model, n_replies=len(of)) for model, of in keys.items()))


Origin = Literal["asked", "cached", "recorded"]
ORIGINS: Final[tuple[Origin, ...]] = get_args(Origin)


@dataclass(slots=True)
class Ledger:
    """The counts of one process while it runs; a reply counts once, however often it is used.

    Attributes:
        totals: What was counted so far.
        n_in_flight: Requests that an endpoint is answering now.
        origins: By key, where each reply came from when it was first used.
        models: By model, the keys of its replies, wherever they came from.
    """

    totals: Totals = field(default_factory=Totals)
    n_in_flight: int = 0
    origins: dict[str, Origin] = field(default_factory=dict)
    models: dict[ModelSeen, set[str]] = field(default_factory=dict)

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

    def saw(self, key: str, model: ModelSeen) -> None:
        """Notes which model a reply is from."""
        self.models.setdefault(model, set()).add(key)

    def keys(self, origin: Origin) -> list[str]:
        """The keys of the replies that came from there, in order."""
        return sorted(key for key, found in self.origins.items() if found == origin)

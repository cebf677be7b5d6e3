"""Requests and tokens per minute: a bucket that fills evenly; the clock is passed in."""

from __future__ import annotations

from typing import Final

_MINUTE: Final = 60.0
_BURST_SECONDS: Final = 0.1
_ROUNDING: Final = 1e-9


class Bucket:
    """Fills by so much a minute, and holds a tenth of a second's worth, at least 1.

    More than it holds may be taken from a full bucket; it then owes the rest and fills from there,
    so that no minute gives much more than its due.
    """

    def __init__(self, per_minute: float) -> None:
        self.per_second = per_minute / _MINUTE
        self.room = max(1.0, self.per_second * _BURST_SECONDS)
        self._level = self.room
        self._at: float | None = None

    def ready_in(self, now: float, amount: float) -> float:
        """Seconds until an amount can be taken; 0 if it can be now."""
        self._fill(now)
        missing = min(amount, self.room) - self._level
        return missing / self.per_second if missing > _ROUNDING else 0.0

    def take(self, now: float, amount: float) -> None:
        """Take an amount out."""
        self._fill(now)
        self._level -= amount

    def _fill(self, now: float) -> None:
        if self._at is not None:
            self._level = min(self.room, self._level + (now - self._at) * self.per_second)
        self._at = now


class Pace:
    """How fast an endpoint may be asked: None for as fast as it goes."""

    def __init__(
        self, requests_per_minute: float | None = None, tokens_per_minute: float | None = None
    ) -> None:
        self._requests = None if requests_per_minute is None else Bucket(requests_per_minute)
        self._tokens = None if tokens_per_minute is None else Bucket(tokens_per_minute)

    def ready_in(self, now: float, n_tokens: int) -> float:
        """Seconds until a request of so many tokens may be sent; 0 if it may be now."""
        waits = [0.0]
        if self._requests is not None:
            waits.append(self._requests.ready_in(now, 1))
        if self._tokens is not None:
            waits.append(self._tokens.ready_in(now, n_tokens))
        return max(waits)

    def take(self, now: float, n_tokens: int) -> None:
        """Count a request of so many tokens as sent."""
        if self._requests is not None:
            self._requests.take(now, 1)
        if self._tokens is not None:
            self._tokens.take(now, n_tokens)

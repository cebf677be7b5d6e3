"""When an endpoint that is down is no longer waited for.

A call is tried again while its server breaks down (5xx) or breaks the connection. Where each call
meets nothing else, each would go on until its own time is over. So an endpoint has a circuit:

- It opens once two calls have each failed `FAILURES` times in a row and nothing good was heard in
  between; a server that nobody ever reached counts as that many at once. With the usual waits this
  takes half a minute. One bad prompt opens nothing, nor does a server that answers now and then.
- While it is open, calls that wait and calls that come are errors at once.
- The first call that comes, and from then on one every `PROBE_SECONDS`, is sent all the same, once.
  Any response but a breakdown closes the circuit.

Each process has its own. The clock is passed in.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import asyncio

    from summeval_pytest.models.trouble import Trouble

FAILURES: Final = 7
PROBE_SECONDS: Final = 10.0
_CALLS: Final = 2


class Circuit:
    """The circuit of one endpoint.

    Attributes:
        first: The first trouble since something good was heard; None where there was none since.
        is_open: Whether calls are given up.
        waiting: The deadlines of calls of which nothing is on its way; they end as it opens.
    """

    def __init__(self) -> None:
        self.first: Trouble | None = None
        self.is_open = False
        self.waiting: set[asyncio.Timeout] = set()
        self._n_failed: Counter[int] = Counter()
        self._next_probe = 0.0

    def heard(self) -> None:
        """Something good: a reply, or a refusal, which shows that somebody is there."""
        self.first, self.is_open = None, False
        self._n_failed.clear()

    def failed(self, call: int, trouble: Trouble, now: float) -> None:
        """One more attempt of a call that met a breakdown."""
        self.first = self.first or trouble
        self._n_failed[call] += FAILURES if trouble.ruling.fault == "unreachable" else 1
        n_down = sum(n >= FAILURES for n in self._n_failed.values())
        if n_down >= _CALLS and not self.is_open:
            self.is_open, self._next_probe = True, now
            for deadline in self.waiting:
                if not deadline.expired():
                    deadline.reschedule(now)

    def admits(self, now: float) -> bool:
        """Whether a call that comes now may be sent, if only as a probe."""
        if not self.is_open:
            return True
        is_probe = now >= self._next_probe
        if is_probe:
            self._next_probe = now + PROBE_SECONDS
        return is_probe

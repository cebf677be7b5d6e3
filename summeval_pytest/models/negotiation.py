"""What is known of a model's dialect, and whose turn it is to find out more."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from typing import TYPE_CHECKING

from summeval_pytest.models.dialect import Dialect

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from summeval_pytest.models.request import ChatRequest


class Negotiation:
    """One model's dialect at one endpoint.

    While it is not known, one request goes first and the others wait for it, so that an endpoint
    refuses each level once and not once a request. Whose request meets other trouble than such a
    refusal lets the next one go first, and nobody waits longer than the head start: what is
    understood is settled by whichever request comes through first.

    Attributes:
        dialect: The best that is known.
    """

    def __init__(self, remembered: Dialect | None, head_start_seconds: float) -> None:
        self.dialect = remembered or Dialect()
        self._head_start_seconds = head_start_seconds
        self._first = asyncio.Lock()
        self._is_known = remembered is not None
        self._is_confirmed = False

    @property
    def known(self) -> Dialect | None:
        """The dialect, once a reply came in it."""
        return self.dialect if self._is_known else None

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """Waits while somebody else finds out, but for no longer than the head start."""
        async with AsyncExitStack() as held:
            with suppress(TimeoutError):
                async with asyncio.timeout(self._head_start_seconds):
                    await held.enter_async_context(self._first)
            yield

    def covers(self, request: ChatRequest) -> bool:
        """Whether enough is known to send a request; one without a schema needs no level."""
        return self._is_known and (request.schema is None or self.dialect.level is not None)

    def settle(self, dialect: Dialect) -> None:
        """A reply came in this dialect."""
        self.dialect = dialect
        self._is_known = self._is_confirmed = True

    def confirm(self, dialect: Dialect) -> None:
        """A reply came in a dialect that was known already."""
        if dialect == self.dialect:
            self._is_confirmed = True

    def is_doubtful(self, dialect: Dialect) -> bool:
        """Whether a refusal in this dialect may be the dialect's fault, and not the request's.

        So it is while it is only remembered from another day, and if it was given up meanwhile.
        """
        return dialect != self.dialect or not self._is_confirmed

    def forget(self, dialect: Dialect) -> None:
        """What was remembered is refused; unless somebody found out something else meanwhile."""
        if dialect == self.dialect:
            self.dialect = Dialect()
            self._is_known = False

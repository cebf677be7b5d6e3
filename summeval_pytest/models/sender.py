"""The role of whoever gets a reply to a request: an endpoint itself, or a memory before it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from summeval_pytest.models.reply import ChatReply
    from summeval_pytest.models.request import ChatRequest


class Sender(Protocol):
    """Whoever gets replies."""

    async def send(self, request: ChatRequest) -> ChatReply:
        """The reply to one request.

        Raises:
            NoReplyError: if there is none, and why.
        """
        ...

"""The role of whoever gets a reply to a request: an endpoint itself, or a memory before it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

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

    def give_up(self, said: Sequence[tuple[ChatRequest, ChatReply]], why: str) -> str:
        """Hears that requests about the same items, each after the reply before, came to nothing.

        Whoever keeps replies marks these, so that a later run asks again.

        Args:
            said: The requests in order, each with its reply.
            why: What is wrong with the last reply.

        Returns:
            What the user can do about it.
        """
        ...

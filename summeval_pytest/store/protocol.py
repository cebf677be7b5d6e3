"""What a store does for a run, whether it is on this machine or shared by many."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final, ParamSpec, Protocol, TypeVar

from summeval_pytest.errors import StoreError
from summeval_pytest.text.printing import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from contextlib import AbstractAsyncContextManager
    from typing import Self

    from summeval_pytest.store.cassette import Row


P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class SharedPlace:
    """The address of a database that many machines share.

    Attributes:
        url: As it was given, with user and password; never to be printed.
        shown: Its host and database alone.
    """

    url: str = field(repr=False)
    shown: str

    def __str__(self) -> str:
        return self.shown


StorePlace = Path | SharedPlace
"""Where a store is: a directory of this machine, or a database of many."""
_HOST: Final = r"(?:[\w.%-]*|\[[\da-fA-F:.]+\])(?::\d+)?"
_URL: Final = re.compile(
    rf"postgres(?:ql)?://(?:[^@/?#]*@)?(?P<hosts>{_HOST}(?:,{_HOST})*)(?:/(?P<database>[^@/?#]*))?"
    r"(?:\?[^@#]*)?"
)
"""So strict that no part of a password that was not escaped is taken for a host and shown."""


def read_place(text: str) -> StorePlace:
    """The place that an option names.

    Raises:
        StoreError: for an address of another kind of database.
    """
    if "://" not in text:
        return Path(text)
    url = _URL.fullmatch(text)
    if url is None:
        raise StoreError(
            "the store is no folder, and no PostgreSQL address: write --summ-store=DIR, or"
            " --summ-store=postgresql://user@host/database, and in a user, a password or a query"
            " %40 for @, %2F for / and the like"
        )
    return SharedPlace(text, one_line(f"postgresql://{url['hosts']}/{url['database'] or ''}"))


@dataclass(frozen=True, slots=True)
class Reservation:
    """How an account stands after a call has wanted money of it.

    ``is_reserved`` says that the call has it, ``is_over`` that there will never be enough; where
    neither is true, calls in flight may leave enough.
    """

    is_reserved: bool
    is_over: bool
    spent: float


class Account(Protocol):
    """What a run has spent, and what its calls in flight have set aside."""

    async def reserve(self, most: float, dollars: float) -> Reservation:
        """Set aside what a call can cost at most, if ``dollars`` in all allow it."""
        ...

    async def settle(self, most: float, cost: float) -> None:
        """Give back what was set aside and book what the call did cost."""
        ...


@dataclass(frozen=True, slots=True)
class PacedTurn:
    """A request's turn: seconds until it is due, and until the next one will be."""

    due_seconds: float
    next_seconds: float


class Store(Protocol):
    """Replies by key, notes by name, and what the processes of a run have to agree upon.

    A StoreError says that the store cannot be used, or that somebody else has written into it. A
    NoReplyError says that a shared one cannot be reached any more.
    """

    def get(self, key: str, run: str = "") -> Row | None:
        """The row with this key, None if there is none; with ``run``, of what only it asked."""
        ...

    def put(self, row: Row, run: str = "") -> None:
        """Keep a row, in place of one with the same key; what its mark said is over."""
        ...

    def mark(self, row: Row, text: str) -> None:
        """Mark a row's reply as unusable; the row itself may be in a cassette."""
        ...

    def mark_of(self, row: Row) -> str:
        """The text that a row's reply is marked with; empty for one that is not."""
        ...

    def note(self, name: str) -> str | None:
        """The text noted under a name; None if there is none."""
        ...

    def put_note(self, name: str, text: str) -> None:
        """Keep a text under a name, in place of one that may be there."""
        ...

    async def off_loop(self, call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """What a call comes to that uses the store; the event loop goes on if it takes long."""
        ...

    def alone(self, key: str) -> AbstractAsyncContextManager[None]:
        """Wait until nobody else who shares the store asks for a key, and keep them waiting."""
        ...

    def account(self, run: str) -> Account:
        """The account that all processes of a run share."""
        ...

    async def turn(self, endpoint: str, seconds: Sequence[float]) -> PacedTurn | None:
        """Take the next turn at an endpoint; None where each process keeps its own pace.

        ``seconds`` are what the request takes of the endpoint's requests and tokens a minute.
        """
        ...

    def forget_run(self, run: str) -> None:
        """Remove, after a run, what only it needed, and what killed runs of other days left."""
        ...

    def close(self) -> None:
        """Close what was opened; what was put is kept."""
        ...

    def __enter__(self) -> Self:
        """The store itself, closed at the end."""
        ...

    def __exit__(self, *_: object) -> None: ...

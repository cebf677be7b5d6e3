"""What was answered before: the suites' cassettes, over the local store.

none   replay: cassettes only; no store is opened, nothing is asked
new    cassettes, then the store; what neither has is asked once and stored
all    ask everything again, once in this run, and store it over what was there

A reply that nobody could use is kept and marked with the run that gave it up. For that run it is
answered, however many processes want it; a later one asks again.
"""

from __future__ import annotations

import json
import shutil
import time
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Final, Literal

from summeval_pytest.errors import StoreError
from summeval_pytest.models import read_dialect, read_reply
from summeval_pytest.store import Cache, Flight, Row, prepare

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping
    from pathlib import Path

    from summeval_pytest.models import ChatReply, Dialect

Record = Literal["none", "new", "all"]
_DIALECT: Final = "dialect of {} {}"
_OLD_SECONDS: Final = 86_400
RUNS: Final = "runs"
"""The folder, in the store, of what only one run needs."""


class Memory:
    """The replies that one process can read without asking.

    Args:
        record: The mode.
        directory: The local store.
        cassettes: The rows of all cassettes, by key.
        run: A name that all processes of this run share and no other run has.
    """

    def __init__(
        self, record: Record, directory: Path, cassettes: Mapping[str, Row], *, run: str
    ) -> None:
        self.record: Record = record
        self.directory = directory
        self.run = run
        self._cassettes = cassettes
        self._cache: Cache | None = None
        self._renewed: Cache | None = None
        self._flight: Flight | None = None

    def recorded(self, key: str) -> ChatReply | None:
        """What a cassette has; nothing where everything is asked again."""
        return self._usable(None if self.record == "all" else self._cassettes.get(key))

    def cached(self, key: str) -> ChatReply | None:
        """What the local store has from before, or, where all is asked again, from this run."""
        if self.record == "none":
            return None
        store = self._this_run() if self.record == "all" else self._store()
        return self._usable(store.get(key))

    def remember(self, key: str, topic: str, reply: ChatReply) -> None:
        """Stores a reply."""
        row = Row(key=key, topic=topic, reply=reply.as_json())
        self._store().put(row)
        if self.record == "all":
            self._this_run().put(row)

    def give_up(self, key: str, reply: ChatReply, why: str) -> None:
        """Marks a kept reply, of the store or a cassette, as unusable from the next run on."""
        if self.record != "none":
            self._store().mark(Row(key, "", reply.as_json()), f"{self.run}\n{why}")

    def given_up(self, key: str) -> str:
        """Why a reply is kept and yet asked for again; empty where none is."""
        rows = [self._cassettes.get(key)]
        if self.record != "none":
            rows.append(self._store().get(key))
        return next((why for row in rows if row is not None and (why := self._why_not(row))), "")

    def dialect(self, endpoint: str, model: str) -> Dialect | None:
        """What a model was found to understand; unknown where all is asked again."""
        name = _DIALECT.format(endpoint, model)
        text = self._store().note(name) if self.record == "new" else None
        try:
            return None if text is None else read_dialect(json.loads(text))
        except (ValueError, RecursionError):
            return None

    def remember_dialect(self, endpoint: str, model: str, dialect: Dialect) -> None:
        """Stores what a model was found to understand."""
        text = json.dumps(dialect.as_json(), sort_keys=True)
        self._store().put_note(_DIALECT.format(endpoint, model), text)

    @asynccontextmanager
    async def alone(self, key: str) -> AsyncIterator[None]:
        """Waits until no other process of this machine asks for a key, and keeps them waiting."""
        self._store()
        if self._flight is None:
            self._flight = Flight(self.directory)
        async with self._flight.alone(key):
            yield

    def close(self) -> None:
        """Closes what was opened."""
        for cache in (self._cache, self._renewed):
            if cache is not None:
                cache.close()
        self._cache = self._renewed = None

    def forget_run(self) -> None:
        """Removes what only this run needed, and what runs of other days left that were killed.

        Said once, when all processes of the run have ended.
        """
        shutil.rmtree(self.run_directory, ignore_errors=True)
        runs = self.directory / RUNS
        for left in list(runs.iterdir()) if runs.is_dir() else ():
            with suppress(FileNotFoundError):  # another run may end at the same moment
                if time.time() - left.stat().st_mtime > _OLD_SECONDS:
                    shutil.rmtree(left, ignore_errors=True)

    @property
    def run_directory(self) -> Path:
        """The folder of what only this run needs."""
        return self.directory / RUNS / self.run

    def _usable(self, row: Row | None) -> ChatReply | None:
        return None if row is None or self._why_not(row) else _reply_of(row)

    def _why_not(self, row: Row) -> str:
        """Why an earlier run gave a reply up; empty where none did, or no store can tell."""
        if self.record == "none" or not self.directory.is_dir():
            return ""
        run, _, why = self._store().mark_of(row).partition("\n")
        return "" if run == self.run else why

    def _store(self) -> Cache:
        if self._cache is None:
            prepare(self.directory)
            self._cache = Cache(self.directory)
        return self._cache

    def _this_run(self) -> Cache:
        if self._renewed is None:
            self._store()
            prepare(self.run_directory)
            self._renewed = Cache(self.run_directory)
        return self._renewed


def _reply_of(row: Row) -> ChatReply:
    try:
        return read_reply(dict(row.reply))
    except ValueError as error:
        raise StoreError(
            f"the recorded reply {row.key[:8]} is none of ours ({error}); delete it, and ask again"
            " with --summ-record=new"
        ) from error

"""The store that many machines share: a PostgreSQL database, by psycopg 3.

Replies, notes, accounts and paces are rows of the schema ``summeval``. Who asks for a key holds a
session's advisory lock on it, which the server frees when the client dies.
"""

from __future__ import annotations

import asyncio
import json
import logging
import re
import secrets
import threading
import time
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, closing, suppress
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NoReturn

from summeval_pytest.errors import NoReplyError, StoreError
from summeval_pytest.store.cassette import Row, read_row, request_key
from summeval_pytest.store.store import P, Reservation, SharedPlace, T, pauses, read_note
from summeval_pytest.text.printing import one_line

if TYPE_CHECKING:
    from psycopg import Connection
    from psycopg_pool import ConnectionPool

Values = tuple[Any, ...]

_HOST: Final = r"(?:[\w.%-]*|\[[\da-fA-F:.]+\])(?::\d+)?"
_URL: Final = re.compile(
    rf"postgres(?:ql)?://(?:[^@/?#]*@)?(?P<hosts>{_HOST}(?:,{_HOST})*)(?:/(?P<database>[^@/?#]*))?"
    r"(?:\?[^@#]*)?"
)
"""So strict that no part of a password that was not escaped is taken for a host and shown."""
_FORMAT: Final = 1
_MADE_BY: Final = "summeval-pytest"
_TABLES: Final = """
CREATE SCHEMA IF NOT EXISTS summeval;
CREATE TABLE summeval.version (made_by text NOT NULL, format integer NOT NULL);
CREATE TABLE summeval.replies (
    run text NOT NULL, key text NOT NULL, line text NOT NULL,
    at timestamptz NOT NULL DEFAULT now(), PRIMARY KEY (run, key)
);
CREATE TABLE summeval.notes (name text PRIMARY KEY, text text NOT NULL);
CREATE TABLE summeval.accounts (
    run text PRIMARY KEY, spent double precision NOT NULL DEFAULT 0,
    held jsonb NOT NULL DEFAULT '{}', is_over boolean NOT NULL DEFAULT false,
    at timestamptz NOT NULL DEFAULT now()
);
CREATE TABLE summeval.paces (
    endpoint text PRIMARY KEY, due_at double precision NOT NULL DEFAULT '-Infinity',
    requests_at double precision NOT NULL DEFAULT '-Infinity',
    tokens_at double precision NOT NULL DEFAULT '-Infinity'
);
"""
_RELATIONS: Final = """
SELECT relname FROM pg_class WHERE relnamespace = to_regnamespace('summeval') ORDER BY relname
"""
_GET: Final = "SELECT line FROM summeval.replies WHERE run = %s AND key = %s"
_PUT: Final = """
INSERT INTO summeval.replies (run, key, line) VALUES (%s, %s, %s)
ON CONFLICT (run, key) DO UPDATE SET line = excluded.line, at = now()
"""
_REMOVE: Final = "DELETE FROM summeval.replies WHERE key = %s"
_NOTE: Final = "SELECT text FROM summeval.notes WHERE name = %s"
_PUT_NOTE: Final = """
INSERT INTO summeval.notes VALUES (%s, %s) ON CONFLICT (name) DO UPDATE SET text = excluded.text
"""
_FORGET: Final = """
WITH account AS (
    DELETE FROM summeval.accounts WHERE run = %(run)s OR at < now() - interval '1 day'
)
DELETE FROM summeval.replies
WHERE run = %(run)s OR run <> '' AND at < now() - interval '1 day'
"""
_OPEN_ACCOUNT: Final = "INSERT INTO summeval.accounts (run) VALUES (%s) ON CONFLICT DO NOTHING"
_BOOK: Final = """
UPDATE summeval.accounts SET
    held = held || jsonb_build_object(%(owner)s::text, %(held)s::double precision),
    spent = spent + %(cost)s, at = now()
WHERE run = %(run)s
"""
_IF_LEFT: Final = """
    AND spent + %(cost)s + %(held)s + (
        SELECT coalesce(sum(value::double precision), 0)
        FROM jsonb_each_text(held - %(owner)s::text)
    ) <= %(dollars)s
RETURNING spent
"""
_RESERVE: Final = _BOOK + _IF_LEFT
_LOOK: Final = """
UPDATE summeval.accounts AS account SET (held, is_over) = (
    SELECT coalesce(jsonb_object_agg(owner, amount::numeric), '{}'),
        coalesce(sum(amount::double precision), 0) = 0
        AND account.spent + %(cost)s + %(most)s > %(dollars)s
    FROM jsonb_each_text(account.held) AS parts (owner, amount)
    WHERE amount::double precision > 0 AND owner::bigint IN (
        SELECT (classid::bigint << 32) | objid::bigint FROM pg_locks
        WHERE locktype = 'advisory' AND objsubid = 1
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
    )
)
WHERE run = %(run)s RETURNING is_over, spent
"""
"""Lets go what dead clients held; ends asking where nothing is held that may come back."""
_TAKE_TURN: Final = """
UPDATE summeval.paces AS pace SET (due_at, requests_at, tokens_at) = (
    SELECT due,
        greatest(requests_at, due - greatest(0, %(burst)s - %(request)s)) + %(request)s,
        greatest(tokens_at, due - greatest(0, %(burst)s - %(tokens)s)) + %(tokens)s
    FROM (
        SELECT greatest(extract(epoch FROM clock_timestamp()), pace.requests_at, pace.tokens_at)
    ) AS first (due)
)
WHERE endpoint = %(endpoint)s
RETURNING due_at - extract(epoch FROM clock_timestamp()),
    greatest(requests_at, tokens_at) - extract(epoch FROM clock_timestamp())
"""
"""As `Limiter.take` counts, by the server's clock; the turn may lie ahead, and is waited for."""
_OPEN_PACE: Final = "INSERT INTO summeval.paces (endpoint) VALUES (%s) ON CONFLICT DO NOTHING"
_BURST_SECONDS: Final = 0.1
_NOTHING: Final = 1e-12

_UNHEARD: Final = logging.NullHandler()
_THREADS: Final = 4
PATIENCE_SECONDS: Final = 60.0
"""How long a lost database is waited for, and how long it then counts as gone without a look."""
_LOOKS: Final = 12
"""How often the pool begins anew to connect meanwhile; its own pauses double, up to minutes."""
_SETTINGS: Final = {
    "connect_timeout": 10,
    "keepalives_idle": 30,
    "keepalives_interval": 10,
    "keepalives_count": 3,
    "tcp_user_timeout": 30_000,
    "application_name": "summeval",
}
"""What the URL may say otherwise: a server that is cut off is noticed within a minute."""
_SERVER_SETTINGS: Final = (
    "-c tcp_keepalives_idle=30 -c tcp_keepalives_interval=10 -c tcp_keepalives_count=3"
)
"""The keys of a machine that is cut off are free within a minute."""
_GONE: Final = ("08", "57P", "53300")
"""How the codes begin of a server that is not there: connection, shutdown, no room for another."""


def read_address(url: str) -> SharedPlace:
    """The place at an address; a StoreError for the address of another kind of database."""
    parts = _URL.fullmatch(url)
    if parts is None:
        raise StoreError(
            "the store is no folder, and no PostgreSQL address: write --summ-store=DIR, or"
            " --summ-store=postgresql://user@host/database, and in a user, a password or a query"
            " %40 for @, %2F for / and the like"
        )
    return SharedPlace(url, one_line(f"postgresql://{parts['hosts']}/{parts['database'] or ''}"))


class PostgresStore:
    """A database that many processes share; any thread may use it.

    Connections are opened at the first use. A StoreError says then that there is none; one that
    goes away later is a NoReplyError of what is asked until it is there again.
    """

    def __init__(self, place: SharedPlace) -> None:
        try:
            import psycopg
            import psycopg_pool
        except ImportError:
            raise StoreError(
                f"the store {place} needs psycopg; run pip install 'summeval-pytest[postgres]', or"
                " name a folder with --summ-store=DIR"
            ) from None
        for logger in ("psycopg", "psycopg.pool"):  # what it warns of is told as an error of ours
            logging.getLogger(logger).addHandler(_UNHEARD)
        self._psycopg, self._pools = psycopg, psycopg_pool
        self._place = place
        self._pool: ConnectionPool | None = None
        self._opening = threading.Lock()
        self._gone_until = 0.0
        self._threads = ThreadPoolExecutor(_THREADS, "summeval-store")
        self._locks = _Locks(self)

    def get(self, key: str, run: str = "") -> Row | None:
        """The row with this key; with ``run``, of what only it has asked."""
        rows = self.rows(_GET, (run, key))
        try:
            return read_row(rows[0][0], key) if rows else None
        except ValueError as error:
            self._refuse(f"row {key}", str(error))

    def put(self, row: Row, run: str = "") -> None:
        """Keeps a row, in place of one with the same key."""
        self.rows(_PUT, (run, row.key, row.as_line()))

    def remove(self, key: str) -> None:
        """Removes the row with this key, also of what only a run asked."""
        self.rows(_REMOVE, (key,))

    def note(self, name: str) -> str | None:
        """The text noted under a name."""
        rows = self.rows(_NOTE, (json.dumps(name),))
        try:
            return read_note(rows[0][0]) if rows else None
        except ValueError as error:
            self._refuse(f"note {name!a}", str(error))

    def put_note(self, name: str, text: str) -> None:
        """Keeps a text under a name."""
        self.rows(_PUT_NOTE, (json.dumps(name), json.dumps(text)))

    async def off_loop(self, call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """What a call comes to, made in one of the store's threads."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, partial(call, *args, **kwargs))

    @asynccontextmanager
    async def alone(self, key: str) -> AsyncIterator[None]:
        """Waits until nobody else asks for a key; the server frees it when this client dies."""
        seconds, holder = pauses(), object()
        try:
            while not await self._locks.done(self._locks.claim, key, holder):
                await asyncio.sleep(next(seconds))
            yield
        finally:
            self._locks.submit(self._locks.free, key, holder)

    def account(self, run: str) -> SharedAccount:
        """The account of a run."""
        return SharedAccount(self._locks, run)

    async def turn(self, endpoint: str, seconds: Sequence[float]) -> tuple[float, float]:
        """Takes the next turn at an endpoint, of all machines, in one statement."""
        values = {"endpoint": json.dumps(endpoint), "burst": _BURST_SECONDS}
        values |= dict(zip(("request", "tokens"), seconds, strict=True))
        while not (turns := await self.off_loop(self.rows, _TAKE_TURN, values)):
            await self.off_loop(self.rows, _OPEN_PACE, (values["endpoint"],))
        due, following = turns[0]
        return max(0.0, float(due)), float(following)

    def forget_run(self, run: str) -> None:
        """Removes what only this run needed, and what killed runs of other days left.

        Where the database cannot be reached, the end of a later run does.
        """
        with suppress(StoreError, NoReplyError):
            self.rows(_FORGET, {"run": run})

    def close(self) -> None:
        """Closes all connections; keys that are still held are free."""
        self._threads.shutdown(cancel_futures=True)
        self._locks.close()
        if self._pool is not None:
            self._pool.close()

    def rows(self, statement: str, values: object = ()) -> list[Values]:
        """What a statement returns, over a connection of the pool."""

        def done() -> list[Values]:
            with self._opened().connection() as connection:
                return fetched(connection, statement, values)

        return self.retry(done)

    def retry(self, doing: Callable[[], T]) -> T:
        """What comes of using the database; done again while it is gone, until patience ends.

        Raises:
            NoReplyError: ``store_lost``, if it is gone for longer.
            StoreError: if it refuses.
        """
        end, seconds = time.monotonic() + PATIENCE_SECONDS, pauses()
        while True:
            if time.monotonic() < self._gone_until:
                raise self._gone("it was not there a moment ago")
            try:
                return doing()
            except (self._psycopg.Error, self._pools.PoolClosed) as error:
                if not self._is_gone(error):
                    raise StoreError(f"the store {self._place}: {self._said(error)}") from None
                if time.monotonic() > end or isinstance(error, self._pools.PoolClosed):
                    self._gone_until = time.monotonic() + PATIENCE_SECONDS
                    raise self._gone(self._said(error)) from None
                time.sleep(next(seconds))

    def _is_gone(self, error: Exception) -> bool:
        code = getattr(error, "sqlstate", None)
        lost = self._psycopg.OperationalError, self._psycopg.InterfaceError, self._pools.PoolClosed
        return isinstance(error, lost) and (code is None or code.startswith(_GONE))

    def _gone(self, why: str) -> NoReplyError:
        return NoReplyError(
            "store_lost",
            f"not judged: the store {self._place} cannot be reached ({why}); start it and run"
            " again, what it holds is not asked again",
        )

    def _said(self, error: Exception) -> str:
        """The first line of an error, without the password."""
        lines = str(error).strip().splitlines()
        return one_line(self._without_password(lines[0] if lines else type(error).__name__))

    def _without_password(self, text: str) -> str:
        for name in ("password", "sslpassword"):
            if secret := self._parameters().get(name):
                text = text.replace(str(secret), "[password]")
        return text

    def _parameters(self) -> dict[str, Any]:
        try:
            given = self._psycopg.conninfo.conninfo_to_dict(self._place.url)
        except self._psycopg.Error:  # its message quotes the address
            raise StoreError(
                f"the store {self._place} has a part that PostgreSQL does not know; write"
                " --summ-store=postgresql://user@host/database"
            ) from None
        options = f"{_SERVER_SETTINGS} {given.get('options', '')}"
        return {**_SETTINGS, **given, "options": options}

    def _opened(self) -> ConnectionPool:
        """The pool, made with the first connection that finds the tables as they should be."""
        with self._opening:
            if self._pool is None:
                parameters = self._parameters()
                try:
                    with self._psycopg.connect(**parameters, autocommit=True) as first:
                        self._check(first)
                except self._psycopg.Error as error:
                    raise StoreError(
                        f"the store {self._place} cannot be used ({self._said(error)}); start or"
                        " mend it, or name another one with --summ-store"
                    ) from None
                self._pool = self._pools.ConnectionPool(
                    kwargs={**parameters, "autocommit": True},
                    min_size=1,
                    max_size=_THREADS + 1,
                    check=self._pools.ConnectionPool.check_connection,
                    timeout=PATIENCE_SECONDS / _LOOKS,
                    reconnect_timeout=PATIENCE_SECONDS / _LOOKS / 2,
                    open=True,
                    name="summeval",
                )
            return self._pool

    def _check(self, connection: Connection) -> None:
        """Makes the tables where none are; refuses those of others and of other versions."""
        with connection.transaction():
            lock = "SELECT pg_advisory_xact_lock(%s)"
            connection.execute(lock, (_number(request_key({_MADE_BY: "tables"})),))
            names = {name for (name,) in connection.execute(_RELATIONS)}
            if not names:
                connection.execute(_TABLES)
                made = "INSERT INTO summeval.version VALUES (%s, %s)"
                connection.execute(made, (_MADE_BY, _FORMAT))
                return
            if "version" not in names:
                self._refuse_schema(f"holds other things than a store (such as {min(names)!r})")
            columns = connection.execute("SELECT * FROM summeval.version LIMIT 0").description
            if {column.name for column in columns or ()} != {"made_by", "format"}:
                self._refuse_schema("has a table 'version' that is none of ours")
            versions = list(connection.execute("SELECT made_by, format FROM summeval.version"))
            if versions != [(_MADE_BY, _FORMAT)]:
                shown = one_line(", ".join(f"{by} {number}" for by, number in versions)) or "none"
                self._refuse_schema(
                    f"is in format {shown!r}, and this version knows"
                    f" {f'{_MADE_BY} {_FORMAT}'!r} alone"
                )

    def _refuse_schema(self, what: str) -> NoReturn:
        raise StoreError(
            f"the schema 'summeval' of the store {self._place} {what}; nothing was changed: name"
            " another database with --summ-store"
        )

    def _refuse(self, name: str, what: str) -> NoReturn:
        raise StoreError(
            f"the {name} of the store {self._place} was not written by this package ({what}); do"
            " not trust this store: name another one with --summ-store"
        ) from None


class _Locks:
    """One connection and the thread that uses it: keys that are claimed, and money that is held.

    All that is one client's own hangs on this connection, and is let go when it ends.
    """

    def __init__(self, store: PostgresStore) -> None:
        self.owner = secrets.randbits(63)
        """A number that this client holds a lock on, by which others see that it lives."""
        self._store = store
        self._thread = ThreadPoolExecutor(1, "summeval-locks")
        self._connection: Connection | None = None
        self._holders: dict[str, object] = {}

    async def done(self, call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """What a call comes to, made in this thread."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._thread, partial(call, *args, **kwargs))

    def submit(self, call: Callable[P, None], *args: P.args, **kwargs: P.kwargs) -> None:
        """Make a call after those before it; nobody waits for it."""
        with suppress(RuntimeError):  # closed, so that all is free
            self._thread.submit(call, *args, **kwargs)

    def claim(self, key: str, holder: object) -> bool:
        """Takes a key if it is free; True as well for who has it."""
        if key in self._holders:
            return self._holders[key] is holder
        if is_free := bool(self.rows("SELECT pg_try_advisory_lock(%s)", (_number(key),))[0][0]):
            self._holders[key] = holder
        return is_free

    def free(self, key: str, holder: object) -> None:
        """Gives a key back that this holder has; with a lost connection it is free already."""
        if self._holders.get(key) is holder:
            del self._holders[key]
            with suppress(StoreError, NoReplyError):
                self.rows("SELECT pg_advisory_unlock(%s)", (_number(key),))

    def rows(self, statement: str, values: object = ()) -> list[Values]:
        """What a statement returns, over this connection."""
        return self._store.retry(lambda: fetched(self._connected(), statement, values))

    def close(self) -> None:
        """Gives back all at once."""
        self._thread.submit(self._disconnect).result()
        self._thread.shutdown()

    def _connected(self) -> Connection:
        if self._connection is not None and self._connection.closed:
            self._disconnect()
        if self._connection is None:
            pool = self._store._opened()  # noqa: SLF001 - two halves of one client
            self._connection = pool.getconn()
            self._connection.execute("SELECT pg_advisory_lock_shared(%s)", (self.owner,))
        return self._connection

    def _disconnect(self) -> None:
        """Ends the session, so that the server frees what it held."""
        connection, self._connection = self._connection, None
        self._holders.clear()
        if connection is not None:
            connection.close()
            self._store._opened().putconn(connection)  # noqa: SLF001 - likewise


class SharedAccount:
    """A run's account in a row; a client writes all that it holds, and what it has not booked yet.

    So a statement that is sent again, as its connection broke, sets nothing aside twice.
    """

    def __init__(self, locks: _Locks, run: str) -> None:
        self._locks = locks
        self._run = run
        self._reserved = self._owed = 0.0
        self._is_open = False

    async def reserve(self, most: float, dollars: float) -> Reservation:
        """Sets aside what a call can cost at most; nothing for one that gives up waiting."""
        answers: list[Reservation] = []
        try:
            return await self._locks.done(self._reserve, most, dollars, answers)
        except asyncio.CancelledError:
            self._locks.submit(self._take_back, most, answers)
            raise

    async def settle(self, most: float, cost: float) -> None:
        """Gives back what was set aside and books what the call did cost."""
        await self._locks.done(self._settle, most, cost)

    def _reserve(self, most: float, dollars: float, answers: list[Reservation]) -> Reservation:
        answers.append(self._answer(most, dollars))
        return answers[0]

    def _take_back(self, most: float, answers: list[Reservation]) -> None:
        """Gives back what was set aside while its call was given up."""
        if any(answer.is_reserved for answer in answers):
            with suppress(StoreError, NoReplyError):  # then no later call of the run is answered
                self._settle(most, 0.0)

    def _answer(self, most: float, dollars: float) -> Reservation:
        rows = self._locks.rows
        if not self._is_open:
            rows(_OPEN_ACCOUNT, (self._run,))
            self._is_open = True
        values = self._values(self._reserved + most) | {"most": most, "dollars": dollars}
        if reserved := rows(_RESERVE, values):
            self._reserved, self._owed = self._reserved + most, 0.0
            return Reservation(is_reserved=True, is_over=False, spent=reserved[0][0])
        is_over, spent = rows(_LOOK, values)[0]
        return Reservation(is_reserved=False, is_over=is_over, spent=spent)

    def _settle(self, most: float, cost: float) -> None:
        left = self._reserved - most
        self._reserved = left if left > _NOTHING else 0.0
        self._owed += cost
        self._locks.rows(_BOOK, self._values(self._reserved))
        self._owed = 0.0

    def _values(self, reserved: float) -> dict[str, object]:
        owner = str(self._locks.owner)
        return {"run": self._run, "owner": owner, "held": reserved, "cost": self._owed}


def fetched(connection: Connection, statement: str, values: object) -> list[Values]:
    """What a statement returns; nothing for one that returns no rows."""
    with closing(connection.execute(statement, values)) as cursor:
        return list(cursor.fetchall()) if cursor.description else []


def _number(key: str) -> int:
    """A key's lock: the first 64 bits of a hash."""
    return int.from_bytes(bytes.fromhex(key)[:8], "big", signed=True)

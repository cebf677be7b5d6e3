from __future__ import annotations

import pickle
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest
from diskcache import Timeout  # type: ignore[import-untyped]  # it ships no types

from summeval_pytest.errors import StoreError
from summeval_pytest.store.cassette import Row
from summeval_pytest.store.store import LocalStore, default_directory, explained, prepare
from tests.stored import stored

KEY, OTHER = "a" * 64, "b" * 64
ROW = Row(KEY, "facets of zinc-01", {"text": "Zinc helps.", "finish": "stop"})


@dataclass(frozen=True, slots=True)
class Store:
    """The directory of a store that one row is in."""

    path: Path

    @property
    def database(self) -> Path:
        """The file that the rows are in."""
        return self.path / "replies" / "cache.db"

    def plant(self, statement: str, *values: object) -> None:
        """Changes the database behind the package's back."""
        with closing(sqlite3.connect(self.database, isolation_level=None)) as connection:
            if values:
                connection.execute(statement, values)
            else:
                connection.executescript(statement)

    def rows(self, statement: str) -> list[tuple[object, ...]]:
        """What really stands in the database."""
        with closing(sqlite3.connect(self.database)) as connection:
            return connection.execute(statement).fetchall()

    def mistake(self, lock_seconds: float = 0.2) -> str:
        """The message that opening ends with."""
        with pytest.raises(StoreError) as caught:
            LocalStore(self.path, lock_seconds=lock_seconds).get(KEY)
        return str(caught.value)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """A store with one row and one note, closed."""
    with closing(LocalStore(tmp_path / "store")) as kept:
        kept.put(ROW)
        kept.put_note("dialect", "json_schema")
    return Store(tmp_path / "store")


ELSEWHERE = "name another directory with --summ-store=DIR"


def test_new_store_is_private_and_kept_out_of_git_and_backups(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Papers and replies may be confidential, and a planted reply would change a verdict."""
    made = prepare(tmp_path / "new" / "store")
    assert made == tmp_path / "new" / "store"
    assert stat.S_IMODE(made.stat().st_mode) == 0o700
    assert (made / ".gitignore").read_text(encoding="utf-8").splitlines()[-1] == "*"
    tag = (made / "CACHEDIR.TAG").read_text(encoding="utf-8")
    # The signature is fixed by bford.info/cachedir.
    assert tag.startswith("Signature: 8a477f597d28d172789f06886806bc55\n")
    made.chmod(0o755)  # nobody can change what others may only read
    with closing(LocalStore(made)) as kept:
        kept.put(ROW)
    assert stored(made) == {KEY: ROW}
    # the usual place is the user's cache, for all projects; asking where makes nothing
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))
    if sys.platform == "linux":
        assert default_directory() == tmp_path / "caches" / "summeval"
    assert not (tmp_path / "caches").exists()


def of_other_things(path: Path) -> str:
    """A .gitignore of ours in a project's own folder would hide the project from git."""
    path.mkdir(mode=0o700)
    for name in ("main.py", "zebra.py"):
        (path / name).touch()
    return (
        f"the directory '{path}' holds other things than a store (such as 'main.py'); name an"
        " empty or a new directory with --summ-store=DIR"
    )


def a_file(path: Path) -> str:
    """It is somebody's file."""
    path.write_text("mine", encoding="utf-8")
    return f"the store '{path}' cannot be made, as a file is in its place; {ELSEWHERE}"


@pytest.mark.parametrize("made", [of_other_things, a_file])
def test_unfit_directory_is_refused_and_kept(tmp_path: Path, made: Callable[[Path], str]) -> None:
    """Each message says what to do, and nothing is written beside what was there."""
    message = made(tmp_path / "store")
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(StoreError) as caught:
        prepare(tmp_path / "store")
    assert str(caught.value) == message
    assert sorted(tmp_path.rglob("*")) == before


INSERT = (
    "INSERT INTO Cache(key, raw, store_time, access_time, mode, value) VALUES (?, 1, 0, 0, 1, ?)"
)


def refused(store: Store, key: str = OTHER) -> str:
    """The message that reading a planted row ends with."""
    with closing(LocalStore(store.path)) as kept, pytest.raises(StoreError) as caught:
        kept.get(key)
    return str(caught.value)


def test_rows_and_notes_are_kept_side_by_side_and_never_evicted(store: Store) -> None:
    """By its own settings, diskcache forgets old rows; 120 are more than it reads at once."""
    rows = {key: Row(key, "facets", {}) for key in (f"{n:064x}" for n in range(120, 0, -1))}
    rows[OTHER] = Row(OTHER, "", {"text": "x" * 100_000})  # diskcache would make it a file
    with closing(LocalStore(store.path)) as kept:
        for row in rows.values():
            kept.put(row)
        kept.put_note("dialect ünï", "a\x00b\ud800")
    with closing(LocalStore(store.path)) as kept:
        assert kept.note("dialect") == "json_schema"
        assert kept.note("dialect ünï") == "a\x00b\ud800"
        assert kept.note("other") is None
        kept.put_note("dialect", "text")
        assert kept.note("dialect") == "text"
    assert list(stored(store.path).items()) == [(KEY, ROW), *rows.items()]


def test_row_or_note_that_is_none_of_ours_is_refused(store: Store) -> None:
    """Its text is not repeated, and one question's answer does not serve another."""
    # A note says how to talk to an endpoint.
    for line, what in (
        ('{"text": "secret"}', "a row has 'key', 'reply' and 'topic', and this has 'text'"),
        (ROW.as_line(), f"its line has the key {KEY}"),
    ):
        store.plant("DELETE FROM Cache WHERE key = ?", OTHER)
        store.plant(INSERT, OTHER, line)
        assert refused(store) == (
            f"the row {OTHER} of the store '{store.path}' was not written by this package ({what});"
            f" do not trust this store: move it away, or {ELSEWHERE}"
        )
    for n, text in enumerate(("plain", "[]", "3", "[" * 100_000)):
        store.plant(INSERT, f"note:{n}", text)
        with (
            closing(LocalStore(store.path)) as kept,
            pytest.raises(StoreError, match="no JSON text"),
        ):
            kept.note(str(n))


def test_write_waits_for_a_lock_and_says_so_in_the_end(store: Store) -> None:
    """By diskcache's word it would be a timeout, and its way to wait a busy loop."""
    with closing(LocalStore(store.path, lock_seconds=0.2)) as kept:
        kept.database()
        with closing(sqlite3.connect(store.database, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            with pytest.raises(StoreError, match=r"be written for 0\.2 seconds"):
                kept.put(Row(OTHER, "facets", {}))
            assert kept.get(OTHER) is None  # readers do not wait
        kept.put(Row(OTHER, "facets", {}))
        assert kept.get(OTHER) is not None


def test_a_store_that_somebody_keeps_locked_is_an_error_soon(store: Store) -> None:
    """Opening it, diskcache would try for a minute at each of its settings, and say nothing."""
    with (
        closing(sqlite3.connect(store.database, isolation_level=None)) as other,
        closing(LocalStore(store.path, lock_seconds=0.2)) as kept,
    ):
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(StoreError, match=r"database is locked\); let the process end"):
            kept.put(Row(OTHER, "facets", {}))
        other.execute("ROLLBACK")
        kept.put(Row(OTHER, "facets", {}))


WRITER = """
import sys
from pathlib import Path
from summeval_pytest.store.store import LocalStore; from summeval_pytest.store.cassette import Row
kept = LocalStore(Path(sys.argv[1]))
for number in range(1, 1_000_000):
    kept.put(Row(f"{number:064x}", "facets", {"text": "x" * 1000}))
    print(number, flush=True)
"""


def test_killed_writer_loses_nothing_that_it_wrote(store: Store) -> None:
    """A kill at any moment leaves a sound database that holds every row put before."""
    with subprocess.Popen(
        [sys.executable, "-c", WRITER, str(store.path)], stdout=subprocess.PIPE, text=True
    ) as writer:
        assert writer.stdout is not None
        lines = [writer.stdout.readline() for _ in range(40)]
        writer.kill()
        lines += writer.stdout.read().splitlines()
    assert store.rows("PRAGMA integrity_check") == [("ok",)]
    rows = stored(store.path)
    # the one before; put and not yet printed
    assert len(lines) <= len(rows) - 1 <= len(lines) + 2
    assert rows[f"{40:064x}"].reply == {"text": "x" * 1000}


PLANT = (
    "INSERT INTO Cache(key, raw, store_time, access_time, mode, filename, value)"
    " VALUES (?, ?, 0, 0, ?, ?, ?)"
)


class Bomb:
    """An object that makes a file when it is unpickled."""

    def __init__(self, marker: Path) -> None:
        self.marker = marker

    def __reduce__(self) -> tuple[object, ...]:
        return Path.touch, (self.marker,)


@pytest.mark.parametrize("mode", [0, 3, 4, "4", None])
def test_pickled_value_is_not_run(store: Store, tmp_path: Path, mode: int | str | None) -> None:
    """A store from somewhere else must not be a way to run code here (CVE-2025-69872)."""
    from diskcache import Cache as Unguarded

    marker = tmp_path / "marker"
    store.plant(PLANT, OTHER, 1, mode, None, pickle.dumps(Bomb(marker)))
    assert refused(store) == (
        f"the store '{store.database.parent}' has a row that is no text, which this package never"
        f" writes; do not trust this store: move it away, or {ELSEWHERE}"
    )
    assert not marker.exists()
    if mode == 4:  # the bomb is live: its code runs with diskcache's own disk
        with Unguarded(str(store.database.parent)) as kept:
            kept.get(OTHER)
        assert marker.exists()


GIT_LFS = b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n"


@pytest.mark.parametrize("content", [b"garbage " * 1000, GIT_LFS * 9, 50, 5000], ids=str)
def test_file_that_is_no_database_is_said_and_kept(store: Store, content: bytes | int) -> None:
    """Whatever it is, or cut short to: it is not ours to delete."""
    if isinstance(content, int):
        content = store.database.read_bytes()[:content]
    store.database.write_bytes(content)
    message = store.mistake()
    assert message.startswith(f"the store's database '{store.database}' cannot be used (")
    assert store.database.read_bytes() == content


def test_settings_that_somebody_else_has_made_do_not_apply(store: Store) -> None:
    """By diskcache's own, or planted ones, old rows would go and processes lock each other out."""
    planted = {"eviction_policy": "least-recently-stored", "size_limit": 1, "cull_limit": 10}
    for name, value in planted.items():
        store.plant("INSERT OR REPLACE INTO Settings VALUES (?, ?)", name, value)
    store.plant("PRAGMA journal_mode = DELETE")
    with closing(LocalStore(store.path)) as kept:
        kept.put(Row(OTHER, "", {}))
        assert kept.get(KEY) == ROW
    assert store.rows("PRAGMA journal_mode") == [("wal",)]
    assert ("eviction_policy", "none") in store.rows("SELECT key, value FROM Settings")


@pytest.mark.parametrize(
    ("error", "why"),
    [
        (Timeout(), "nothing could be written for 7 seconds"),
        (sqlite3.OperationalError("database or disk is full"), "database or disk is full"),
        (OSError(28, "No space left on device"), "No space left on device"),
    ],
)
def test_error_says_what_can_be_done(store: Store, error: Exception, why: str) -> None:
    """The words are SQLite's own, the remedies are ours."""
    with pytest.raises(StoreError) as caught, explained(store.database, 7):
        raise error
    assert str(caught.value) == (
        f"the store's database '{store.database}' cannot be used ({why}); let the process end that"
        " has locked it, make it writable, move it away if it is damaged (replies are asked for"
        f" again), or {ELSEWHERE}"
    )

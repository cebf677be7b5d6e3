from __future__ import annotations

import os
import pickle
import shutil
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


def writable_by(bits: int) -> Callable[[Path], str]:
    """What anybody can write, nobody can trust."""

    def made(path: Path) -> str:
        path.mkdir()
        path.chmod(bits)
        return (
            f"others may write into the store '{path}', and so put words into a judge's mouth; run"
            f" 'chmod go-w' on it if nobody has, or {ELSEWHERE}"
        )

    return made


def a_file(path: Path) -> str:
    """It is somebody's file."""
    path.write_text("mine", encoding="utf-8")
    return f"the store '{path}' cannot be made, as a file is in its place; {ELSEWHERE}"


@pytest.mark.parametrize("made", [of_other_things, writable_by(0o720), writable_by(0o702), a_file])
def test_unfit_directory_is_refused_and_kept(tmp_path: Path, made: Callable[[Path], str]) -> None:
    """Each message says what to do, and nothing is written beside what was there."""
    message = made(tmp_path / "store")
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(StoreError) as caught:
        prepare(tmp_path / "store")
    assert str(caught.value) == message
    assert sorted(tmp_path.rglob("*")) == before


def test_store_that_is_not_the_users_to_write_is_unfit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its owner can change it at any time; or nothing new could be remembered."""
    made = prepare(tmp_path / "store")
    owner = f"somebody else (user {made.stat().st_uid}), who could put words into a judge's mouth;"
    for call, result, message in (
        ("geteuid", -1, f"belongs to {owner}"),
        # root, who may run the tests, is let write anywhere
        ("access", False, "cannot be written; run 'chmod u+rwx' on it, or"),
    ):
        with monkeypatch.context() as patch:
            patch.setattr(os, call, lambda *_, result=result: result)
            with pytest.raises(StoreError) as caught:
                prepare(made)
        assert str(caught.value) == f"the store '{made}' {message} {ELSEWHERE}"


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


def test_mark_on_a_reply_ends_when_the_reply_is_put_again(store: Store) -> None:
    """Somebody got it anew, and so it is meant; a mark is on one reply and on no other."""
    other = Row(KEY, ROW.topic, {"text": "Zinc harms."})
    with closing(LocalStore(store.path)) as kept:
        for row in (ROW, other):
            kept.put_note(row.mark, "item 3 is missing")
        kept.put(ROW)
        assert [kept.note(row.mark) for row in (ROW, other)] == ["", "item 3 is missing"]


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


@pytest.mark.parametrize("anew", [False, True])
def test_store_that_is_deleted_under_a_run_is_said(store: Store, anew: bool) -> None:
    """SQLite would go on writing into the file that is gone, and nothing would be remembered."""
    with closing(LocalStore(store.path)) as kept:
        kept.database()
        shutil.rmtree(store.path)
        if anew:
            LocalStore(store.path).database()
        with pytest.raises(StoreError) as caught:
            kept.put(Row(OTHER, "facets", {}))
        with pytest.raises(StoreError, match="was deleted or replaced"):
            kept.put_note("dialect", "text")
    assert str(caught.value) == (
        f"the store's database '{store.database}' was deleted or replaced while this run used it,"
        " so nothing more can be remembered; run once more"
    )


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
    store.plant(PLANT, KEY[:-1] + "b", 1, mode, None, ROW.as_line() if mode != 1 else b"")
    assert "a row whose value is no text" in refused(store, KEY[:-1] + "b")
    store.plant(PLANT, OTHER, 1, mode, None, pickle.dumps(Bomb(marker)))
    assert refused(store) == (
        f"the store '{store.database.parent}' has a row whose value is no text, which this"
        " package never writes; somebody else wrote it, so do not trust this store: move it away,"
        f" or {ELSEWHERE}"
    )
    assert not marker.exists()
    if mode == 4:  # the bomb is live: its code runs with diskcache's own disk
        with Unguarded(str(store.database.parent)) as kept:
            kept.get(OTHER)
        assert marker.exists()
        marker.unlink()
    if mode in {0, 3}:  # nor is a key, though reading the keys alone would run it
        store.plant(PLANT, pickle.dumps(Bomb(marker)), mode // 3, 1, None, "{}")
        with (
            closing(LocalStore(store.path)) as kept,
            pytest.raises(StoreError, match="key is no text"),
        ):
            list(kept.database()._texts)
        assert not marker.exists()


@pytest.mark.parametrize("mode", [1, 3, 4])
def test_file_that_a_row_names_is_not_touched(store: Store, tmp_path: Path, mode: int) -> None:
    """Any file of the user's could be named; replacing a row would delete its file in diskcache."""
    victim = tmp_path / "victim"
    victim.write_text('{"secret": 1}', encoding="utf-8")
    store.plant(PLANT, OTHER, 1, mode, str(victim), None)
    message = refused(store)
    assert "a row whose value is no text" in message
    assert "secret" not in message
    row = Row(OTHER, "facets", {"text": "new"})
    with closing(LocalStore(store.path)) as kept:
        with pytest.raises(StoreError, match="whose file is no text"):
            kept.put(row)
        assert kept.get(OTHER) == row  # the new row is kept all the same
    assert victim.read_text(encoding="utf-8") == '{"secret": 1}'


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


def test_later_format_is_refused(store: Store) -> None:
    """A later version may keep rows in a way that this one would read wrongly."""
    store.plant("UPDATE Cache SET value = '{\"format\": 2}' WHERE key = 'summeval'")
    assert store.mistake() == (
        f"the store's file '{store.database}' is in format '{{\"format\": 2}}', and this version"
        " knows '{\"format\": 1}' alone; move its folder away and replies are asked for again, or"
        f" {ELSEWHERE}"
    )


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

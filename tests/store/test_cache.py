from __future__ import annotations

import shutil
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from summeval_pytest.errors import StoreError
from summeval_pytest.store.cache import Cache
from summeval_pytest.store.cassette import Row

if TYPE_CHECKING:
    from tests.store.conftest import Store

OTHER = "b" * 64
INSERT = (
    "INSERT INTO Cache(key, raw, store_time, access_time, mode, value) VALUES (?, 1, 0, 0, 1, ?)"
)


def refused(store: Store) -> str:
    """The message that reading a planted row ends with."""
    with Cache(store.path) as cache, pytest.raises(StoreError) as caught:
        cache.get(OTHER)
    return str(caught.value)


def test_row_is_there_for_the_next_run(store: Store, row: Row) -> None:
    """What was paid for once is not paid for again."""
    with Cache(store.path) as cache:
        assert cache.get(row.key) == row
        assert cache.get(OTHER) is None


def test_row_is_seen_by_others_at_once(store: Store) -> None:
    """Workers share what one of them has asked."""
    new = Row(OTHER, "facts", {"text": "new"})
    with Cache(store.path) as one, Cache(store.path) as two:
        assert two.get(OTHER) is None
        one.put(new)
        assert two.get(OTHER) == new


def test_closed_store_is_one_file(store: Store) -> None:
    """SQLite folds its log into the database when the last connection is closed."""
    cache = Cache(store.path)
    cache.put(Row(OTHER, "facts", {}))
    assert len(list(store.database.parent.iterdir())) > 1

    cache.close()

    assert list(store.database.parent.iterdir()) == [store.database]


def test_later_row_replaces_an_earlier_one(store: Store, row: Row) -> None:
    """Recording everything anew keeps what is new."""
    new = Row(row.key, "facets", {"text": "other"})
    with Cache(store.path) as cache:
        cache.put(new)

        assert cache.get(row.key) == new
        assert len(cache) == 1


def test_keys_are_those_of_the_rows_in_order(store: Store, row: Row) -> None:
    """Notes and the store's own mark are no rows; 250 are more than diskcache reads at once."""
    keys = [f"{number:064x}" for number in range(250, 0, -1)]
    with Cache(store.path) as cache:
        for key in keys:
            cache.put(Row(key, "facets", {}))

        assert list(cache.keys()) == [row.key, *keys]
        assert len(cache) == 251


def test_new_store_has_no_row(tmp_path: Path) -> None:
    """A store is made where there is none."""
    with Cache(tmp_path / "store") as cache:
        assert list(cache.keys()) == []
        assert len(cache) == 0
        assert cache.directory == tmp_path / "store"


def test_note_is_kept_beside_the_rows(store: Store) -> None:
    """What an endpoint understands is found out once."""
    with Cache(store.path) as cache:
        cache.put_note("dialect ünï", "a\x00b\ud800")

    with Cache(store.path) as cache:
        assert cache.note("dialect") == "json_schema"
        assert cache.note("dialect ünï") == "a\x00b\ud800"
        assert cache.note("other") is None
        cache.put_note("dialect", "text")
        assert cache.note("dialect") == "text"


def test_nothing_is_ever_evicted(store: Store) -> None:
    """By its own settings, diskcache forgets old rows in silence."""
    with Cache(store.path) as cache:
        for number in range(40):
            cache.put(Row(f"{number:064x}", "facets", {"text": "x" * 100_000}))

    with Cache(store.path) as cache:
        assert len(cache) == 41


def test_row_that_is_no_line_of_ours_is_refused(store: Store) -> None:
    """Its key and its fault are named, and its text is not repeated."""
    store.plant(INSERT, OTHER, '{"text": "secret"}')

    assert refused(store) == (
        f"the row {OTHER} of the store '{store.path}' was not written by this package (a row has"
        " 'key', 'reply' and 'topic', and this has 'text'); do not trust this store: move it away,"
        " or name another directory with --summ-store=DIR"
    )


def test_row_under_another_key_is_refused(store: Store, row: Row) -> None:
    """One question's answer must not serve another."""
    store.plant(INSERT, OTHER, row.as_line())

    assert f"the row {OTHER} of the store" in refused(store)
    assert f"(its line has the key {row.key})" in refused(store)


@pytest.mark.parametrize("text", ["plain", "[]", "3", "[" * 100_000])
def test_note_that_is_none_of_ours_is_refused(store: Store, text: str) -> None:
    """A note says how to talk to an endpoint."""
    store.plant(INSERT, "note:x", text)

    with Cache(store.path) as cache, pytest.raises(StoreError, match="it is no JSON text"):
        cache.note("x")


def test_key_that_is_none_of_ours_is_refused(store: Store) -> None:
    """Its text is shown without its commands."""
    store.plant(INSERT, "x\n::error::", "{}")

    with Cache(store.path) as cache, pytest.raises(StoreError) as caught:
        list(cache.keys())
    assert str(caught.value).startswith(
        f"the row 'x\\n::error::' of the store '{store.path}' was not written by this package"
    )


def test_text_that_is_no_unicode_is_refused(store: Store) -> None:
    """SQLite keeps any bytes as a text."""
    store.plant(INSERT.replace("1, ?", "1, CAST(? AS TEXT)"), OTHER, b"\xff")

    assert "is damaged, or is none (Could not decode to UTF-8" in refused(store)


def test_damage_inside_is_said_when_it_is_met(store: Store, row: Row) -> None:
    """A page of garbage is no reply."""
    with Cache(store.path) as cache:
        for number in range(400):
            cache.put(Row(f"{number:064x}", "facets", {"text": "x" * 500}))
    content = store.database.read_bytes()
    middle = len(content) // 2
    store.database.write_bytes(content[:middle] + b"\xff" * 40_000 + content[middle + 40_000 :])

    with Cache(store.path) as cache, pytest.raises(StoreError, match="is damaged, or is none"):
        [cache.get(key) for key in (row.key, *(f"{number:064x}" for number in range(400)))]


def test_write_waits_for_a_lock_and_says_so_in_the_end(store: Store) -> None:
    """By diskcache's word it would be a timeout, and its way to wait a busy loop."""
    with Cache(store.path, lock_seconds=0.2) as cache:
        with closing(sqlite3.connect(store.database, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            with pytest.raises(StoreError, match=r"locked by another process for 0\.2 seconds"):
                cache.put(Row(OTHER, "facets", {}))
            assert cache.get(OTHER) is None  # readers do not wait
        cache.put(Row(OTHER, "facets", {}))
        assert cache.get(OTHER) is not None


@pytest.mark.parametrize("anew", [False, True])
def test_store_that_is_deleted_under_a_run_is_said(store: Store, anew: bool) -> None:
    """SQLite would go on writing into the file that is gone, and nothing would be remembered."""
    with Cache(store.path) as cache:
        shutil.rmtree(store.path)
        if anew:
            Cache(store.path).close()
        with pytest.raises(StoreError) as caught:
            cache.put(Row(OTHER, "facets", {}))
        with pytest.raises(StoreError, match="was deleted or replaced"):
            cache.put_note("dialect", "text")
    assert str(caught.value) == (
        f"the store's database '{store.database}' was deleted or replaced while this run used it,"
        " so nothing more can be remembered; run once more"
    )


@settings(max_examples=40, deadline=None)
@given(st.text(), st.dictionaries(st.text(), st.text() | st.none() | st.integers(), max_size=4))
def test_any_reply_comes_back(topic: str, reply: dict[str, object]) -> None:
    """What a model wrote is kept to the letter."""
    import tempfile

    with tempfile.TemporaryDirectory() as name, Cache(Path(name) / "store") as cache:
        cache.put(Row(OTHER, topic, reply))
        cache.put_note(topic, topic)

        assert cache.get(OTHER) == Row(OTHER, topic, reply)
        assert cache.note(topic) == topic


WRITER = """
import sys
from pathlib import Path
from summeval_pytest.store.cache import Cache; from summeval_pytest.store.cassette import Row
cache = Cache(Path(sys.argv[1]))
for number in range(1, 1_000_000):
    cache.put(Row(f"{number:064x}", "facets", {"text": "x" * 1000}))
    print(number, flush=True)
"""


@pytest.mark.parametrize("lines", [1, 40, 333])
def test_killed_writer_loses_nothing_that_it_wrote(store: Store, lines: int) -> None:
    """A kill at any moment leaves a sound database that holds every row put before."""
    with subprocess.Popen(
        [sys.executable, "-c", WRITER, str(store.path)], stdout=subprocess.PIPE, text=True
    ) as writer:
        assert writer.stdout is not None
        for _ in range(lines):
            writer.stdout.readline()
        writer.kill()
        last = lines + len(writer.stdout.read().splitlines())

    assert store.found("PRAGMA integrity_check") == [("ok",)]
    with Cache(store.path) as cache:
        assert last <= len(cache) - 1 <= last + 2  # the one before; put and not yet printed
        assert cache.get(f"{lines:064x}") == Row(f"{lines:064x}", "facets", {"text": "x" * 1000})


OPENER = """
import sys, time
from pathlib import Path
from summeval_pytest.store.cache import Cache; from summeval_pytest.store.cassette import Row
import diskcache
while time.time() < float(sys.argv[2]):
    pass
cache = Cache(Path(sys.argv[1]))
cache.put(Row(sys.argv[3] * 64, "facets", {}))
cache.close()
"""


def test_eight_processes_make_one_store_at_the_same_time(tmp_path: Path) -> None:
    """Workers start together; each has its row in the one database that stays."""
    start = time.time() + 1.0
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", OPENER, str(tmp_path / "store"), str(start), f"{number}"],
            stderr=subprocess.PIPE,
            text=True,
        )
        for number in range(8)
    ]
    errors = [process.communicate()[1] for process in processes]

    assert errors == [""] * 8
    with Cache(tmp_path / "store") as cache:
        assert sorted(cache.keys()) == [f"{number}" * 64 for number in range(8)]
    assert sorted(path.name for path in (tmp_path / "store").iterdir()) == [
        ".gitignore", "CACHEDIR.TAG", "replies",
    ]  # fmt: skip


def test_store_that_was_being_made_when_killed_is_no_hindrance(tmp_path: Path) -> None:
    """A half-made database is never in a database's place."""
    half = tmp_path / "store" / "new-replies-x1"
    half.mkdir(parents=True, mode=0o700)
    (tmp_path / "store").chmod(0o700)
    (half / "cache.db").write_bytes(b"SQLite")

    with Cache(tmp_path / "store") as cache:
        cache.put(Row(OTHER, "facets", {}))

    assert half.exists()


def test_importing_the_store_imports_no_diskcache() -> None:
    """A replay needs neither the database nor what looks for its place."""
    code = (
        "import sys; from summeval_pytest.store import cassette as store; from pathlib import Path;"
        "store.write_cassette(Path(sys.argv[1]), ());"
        "store.read_cassette(Path(sys.argv[1]), 'x');"
        "print(sorted({'diskcache', 'platformdirs', 'openai', 'numpy'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "/dev/null"], capture_output=True, text=True, check=False
    )
    assert done.stdout.strip() == "[]", done.stderr

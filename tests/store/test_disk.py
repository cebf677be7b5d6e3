from __future__ import annotations

import pickle
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from summeval_pytest.errors import StoreError
from summeval_pytest.store.cache import Cache, text_disk
from summeval_pytest.store.cassette import Row

if TYPE_CHECKING:
    from tests.store.conftest import Store

OTHER = "b" * 64
INSERT = (
    "INSERT INTO Cache(key, raw, store_time, access_time, mode, filename, value)"
    " VALUES (?, ?, 0, 0, ?, ?, ?)"
)


class Bomb:
    """An object that makes a file when it is unpickled."""

    def __init__(self, marker: Path) -> None:
        self.marker = marker

    def __reduce__(self) -> tuple[object, ...]:
        return Path.touch, (self.marker,)


def refused(store: Store, key: str = OTHER) -> str:
    """The message that reading a planted row ends with."""
    with Cache(store.path) as cache, pytest.raises(StoreError) as caught:
        cache.get(key)
    return str(caught.value)


def test_the_bomb_is_live(store: Store, tmp_path: Path) -> None:
    """The code of the rows below runs with diskcache's own disk, so the tests below can fail."""
    from diskcache import Cache as Unguarded  # type: ignore[import-untyped]  # it ships no types

    marker = tmp_path / "marker"
    store.plant(INSERT, OTHER, 1, 4, None, pickle.dumps(Bomb(marker)))

    with Unguarded(str(store.database.parent)) as cache:
        cache.get(OTHER)

    assert marker.exists()


@pytest.mark.parametrize("mode", [0, 1, 2, 3, 4, "4", None])
def test_pickled_value_is_refused_and_not_run(
    store: Store, tmp_path: Path, mode: int | str | None
) -> None:
    """A store from somewhere else must not be a way to run code here (CVE-2025-69872)."""
    marker = tmp_path / "marker"
    store.plant(INSERT, OTHER, 1, mode, None, pickle.dumps(Bomb(marker)))

    assert refused(store) == (
        f"the store '{store.database.parent}' has a row with a value that is no text, which this"
        " package never writes; somebody else wrote it, so do not trust this store: move it away,"
        " or name another directory with --summ-store=DIR"
    )
    assert not marker.exists()


@pytest.mark.parametrize("mode", [0, 2, 3, 4])
def test_text_marked_as_something_else_is_refused(store: Store, mode: int) -> None:
    """No row of ours has such a mark, whatever stands beside it."""
    store.plant(INSERT, OTHER, 1, mode, None, "{}")

    assert "a value that is no text" in refused(store)


@pytest.mark.parametrize("raw", [0, 1])
def test_pickled_key_is_refused_and_not_run(store: Store, tmp_path: Path, raw: int) -> None:
    """Reading the keys alone would run it."""
    marker = tmp_path / "marker"
    store.plant(INSERT, pickle.dumps(Bomb(marker)), raw, 1, None, "{}")

    with Cache(store.path) as cache, pytest.raises(StoreError, match="a key that is no text"):
        list(cache.keys())
    assert not marker.exists()


def test_key_marked_as_pickled_is_refused(store: Store) -> None:
    """A text that says it is a pickle was not written here."""
    store.plant(INSERT, OTHER, 0, 1, None, "{}")

    with Cache(store.path) as cache, pytest.raises(StoreError, match="a key that is no text"):
        len(cache)


@pytest.mark.parametrize("mode", [1, 2, 3, 4])
def test_value_in_a_file_is_not_read(store: Store, tmp_path: Path, mode: int) -> None:
    """Any file of the user's could be named in a row."""
    victim = tmp_path / "victim"
    victim.write_text('{"secret": 1}', encoding="utf-8")
    store.plant(INSERT, OTHER, 1, mode, str(victim), None)

    message = refused(store)

    assert "a row with a value in a file" in message
    assert "secret" not in message


def test_file_that_a_row_names_is_not_deleted(store: Store, tmp_path: Path) -> None:
    """Replacing a row would delete its file in diskcache; the new row is kept all the same."""
    victim = tmp_path / "victim"
    victim.write_text("precious", encoding="utf-8")
    store.plant(INSERT, OTHER, 1, 3, str(victim), None)
    row = Row(OTHER, "facets", {"text": "new"})

    with Cache(store.path) as cache:
        with pytest.raises(StoreError, match="a value in a file"):
            cache.put(row)
        assert cache.get(OTHER) == row

    assert victim.read_text(encoding="utf-8") == "precious"


def test_expired_row_is_not_swept_away(store: Store, tmp_path: Path) -> None:
    """Nothing here ever expires, so a planted date deletes no file."""
    victim = tmp_path / "victim"
    victim.write_text("precious", encoding="utf-8")
    store.plant(INSERT, OTHER, 1, 3, str(victim), None)
    store.plant("UPDATE Cache SET expire_time = 1 WHERE key = ?", OTHER)

    with Cache(store.path) as cache:
        cache.put(Row("c" * 64, "facets", {}))

    assert victim.exists()
    assert len(store.found("SELECT * FROM Cache")) == 5  # format, note, two rows, the planted one


@pytest.mark.parametrize("value", [7, b"bytes", None, 1.5])
def test_only_text_is_written(tmp_path: Path, value: object) -> None:
    """What cannot be stored otherwise, diskcache would pickle."""
    disk = text_disk()(str(tmp_path))

    with pytest.raises(StoreError, match="a key that is no text"):
        disk.put(value)
    with pytest.raises(StoreError, match="a value that is no text"):
        disk.store(value, read=False)
    with pytest.raises(StoreError, match="a value that is no text"):
        disk.store("text", read=True)
    with pytest.raises(StoreError, match="a value in a file"):
        disk.filename()
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_read_as_a_stream(tmp_path: Path) -> None:
    """A handle would be a file's."""
    disk = text_disk()(str(tmp_path))

    assert disk.fetch(1, None, "text", False) == "text"
    with pytest.raises(StoreError, match="a value that is no text"):
        disk.fetch(1, None, "text", True)


def test_long_text_stays_in_the_database(store: Store) -> None:
    """A long text would be put into a file by diskcache; here a store is one database."""
    row = Row(OTHER, "a long reply", {"text": "x" * 2_000_000})

    with Cache(store.path) as cache:
        cache.put(row)
        assert cache.get(OTHER) == row

    assert [path.name for path in store.database.parent.iterdir()] == ["cache.db"]

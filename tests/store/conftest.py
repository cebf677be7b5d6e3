"""A store on disk, and ways to write into it as somebody else would."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from summeval_pytest.errors import StoreError
from summeval_pytest.store.cache import Cache
from summeval_pytest.store.cassette import Row

if TYPE_CHECKING:
    from pathlib import Path

KEY = "a" * 64
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
            connection.execute(statement, values)

    def found(self, statement: str) -> list[tuple[object, ...]]:
        """What really stands in the database."""
        with closing(sqlite3.connect(self.database)) as connection:
            return connection.execute(statement).fetchall()

    def mistake(self, lock_seconds: float = 0.2) -> str:
        """The message that opening ends with."""
        with pytest.raises(StoreError) as caught:
            Cache(self.path, lock_seconds=lock_seconds)
        return str(caught.value)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """A store with one row and one note, closed."""
    with Cache(tmp_path / "store") as cache:
        cache.put(ROW)
        cache.put_note("dialect", "json_schema")
    return Store(tmp_path / "store")


@pytest.fixture
def row() -> Row:
    """The row that is in the store."""
    return ROW

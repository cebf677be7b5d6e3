"""What is in a store, for tests that look at all of it."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from summeval_pytest.store.cassette import Row, is_key
from summeval_pytest.store.store import LocalStore


def stored(directory: Path) -> dict[str, Row]:
    """Every row of a store by its key, oldest first; notes are none."""
    with closing(LocalStore(directory)) as cache:
        rows = {key: cache.get(key) for key in list(cache.database()._texts) if is_key(key)}
    return {key: row for key, row in rows.items() if row is not None}

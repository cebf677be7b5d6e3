"""Remembering: what was asked once is answered from here, on this machine or in a suite's files."""

from __future__ import annotations

from summeval_pytest.store.cache import Cache
from summeval_pytest.store.cassette import Cassette, read_cassette, write_cassette
from summeval_pytest.store.flight import Flight
from summeval_pytest.store.key import request_key
from summeval_pytest.store.place import default_directory, prepare
from summeval_pytest.store.row import Row, is_key, read_row

__all__ = [
    "Cache",
    "Cassette",
    "Flight",
    "Row",
    "default_directory",
    "is_key",
    "prepare",
    "read_cassette",
    "read_row",
    "request_key",
    "write_cassette",
]

from __future__ import annotations

from pathlib import Path

import pytest

from summeval_pytest.errors import StoreError
from summeval_pytest.store.protocol import SharedPlace, read_place


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("postgresql://me:pw-marker@db.example/team", "postgresql://db.example/team"),
        ("postgres://me@db:5432/team?password=pw-marker", "postgresql://db:5432/team"),
        ("postgresql://a:5432,b:5433/team?sslmode=require", "postgresql://a:5432,b:5433/team"),
        ("postgresql://[::1]:5432/team", "postgresql://[::1]:5432/team"),
        ("postgresql:///team", "postgresql:///team"),
        ("postgresql://me@db", "postgresql://db/"),
    ],
)
def test_an_address_shows_host_and_database_alone(text: str, shown: str) -> None:
    """Not the user, the password or the query, wherever it is printed."""
    place = read_place(text)
    assert isinstance(place, SharedPlace)
    assert place.url == text
    assert f"{place}" == shown
    assert repr(place) == f"SharedPlace(shown={shown!r})"


@pytest.mark.parametrize(
    "text",
    [
        "postgresql://me:pw/marker@db/team",
        "postgresql://me:pw#marker@db/team",
        "postgresql://me:pw?marker@db/team",
        "postgresql://me:pw@marker@db/team",
        "postgresql://me:pw-marker",
        "mysql://me:pw-marker@db/team",
        "redis://db",
    ],
)
def test_what_is_no_address_is_refused_and_not_shown(text: str) -> None:
    """A part of a password that was not escaped would be taken for a host."""
    with pytest.raises(StoreError) as caught:
        read_place(text)
    assert str(caught.value) == (
        "the store is no folder, and no PostgreSQL address: write --summ-store=DIR, or"
        " --summ-store=postgresql://user@host/database, and in a user, a password or a query"
        " %40 for @, %2F for / and the like"
    )


@pytest.mark.parametrize("text", ["there", "/some/where", "C:\\store", "~/store"])
def test_all_else_is_a_folder(text: str) -> None:
    """As it always was."""
    assert read_place(text) == Path(text)

"""Where the store is: a private directory on a local disk."""

from __future__ import annotations

import os
import stat
import sys
from typing import TYPE_CHECKING, Final

from summeval_pytest.errors import StoreError

if TYPE_CHECKING:
    from pathlib import Path

ELSEWHERE: Final = "name another directory with --summ-store=DIR"
"""What a user can always do about a store that cannot be used."""

REPLIES: Final = "replies"
"""The folder of the database, inside the store's directory."""

LOCK: Final = "flight.lock"
"""The file whose bytes are locked while a request is on its way, inside the store's directory."""

UNFINISHED: Final = "new-replies-"
"""How the name of a folder begins that a database is being made in."""

_OURS: Final = frozenset({REPLIES, LOCK, ".gitignore", "CACHEDIR.TAG"})

_TAG: Final = """\
Signature: 8a477f597d28d172789f06886806bc55
# Replies of language models, kept by summeval-pytest. Backups may leave this directory out.
# About this file: https://bford.info/cachedir/
"""
_GITIGNORE: Final = "# Made by summeval-pytest: a cache is nobody's source.\n*\n"


def default_directory() -> Path:
    """Where replies are remembered unless the user names a place: the user's cache directory."""
    from platformdirs import user_cache_path

    return user_cache_path("summeval", appauthor=False)


def prepare(directory: Path) -> Path:
    """The directory, absolute, made if it is not there, and fit to be a store.

    A new one is readable by its owner alone. What it holds is kept out of git and of backups.

    Raises:
        StoreError: Where it is no directory, belongs to somebody else, lets others write into it,
            holds other things than a store, or cannot be written.
    """
    try:
        place = directory.expanduser().resolve()
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
        _check_private(place)
        _check_ours(place)
        for name, text in (("CACHEDIR.TAG", _TAG), (".gitignore", _GITIGNORE)):
            _write_once(place / name, text)
    except (FileExistsError, NotADirectoryError):
        raise StoreError(
            f"the store {str(directory)!r} cannot be made, as a file is in its place; {ELSEWHERE}"
        ) from None
    except (OSError, RuntimeError) as error:  # RuntimeError: links in a circle, or no home
        told = getattr(error, "strerror", None) or str(error)
        raise StoreError(
            f"the store {str(directory)!r} cannot be used ({told}); {ELSEWHERE}"
        ) from None
    return place


def _check_private(place: Path) -> None:
    if sys.platform == "win32":
        return
    status = place.stat()
    if status.st_uid != os.geteuid():
        raise StoreError(
            f"the store {str(place)!r} belongs to somebody else (user {status.st_uid}), who could"
            f" put words into a judge's mouth; {ELSEWHERE}"
        )
    if status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise StoreError(
            f"others may write into the store {str(place)!r}, and so put words into a judge's"
            f" mouth; run 'chmod go-w' on it if nobody has, or {ELSEWHERE}"
        )
    if not os.access(place, os.R_OK | os.W_OK | os.X_OK):
        raise StoreError(
            f"the store {str(place)!r} cannot be written; run 'chmod u+rwx' on it, or {ELSEWHERE}"
        )


def _check_ours(place: Path) -> None:
    """Refuses a directory of other things: what is written here would hide them from git."""
    names = {entry.name for entry in place.iterdir()}
    foreign = sorted(name for name in names - _OURS if not name.startswith(UNFINISHED))
    if foreign and "CACHEDIR.TAG" not in names:
        raise StoreError(
            f"the directory {str(place)!r} holds other things than a store (such as"
            f" {foreign[0]!r}); name an empty or a new directory with --summ-store=DIR"
        )


def _write_once(path: Path, text: str) -> None:
    """Writes a file that is not there; another process may be doing the same."""
    try:
        with path.open("x", encoding="utf-8") as handle:
            handle.write(text)
    except FileExistsError:
        return

"""The word lists that lie beside this module, as files of text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources


@cache
def lines_of(name: str) -> Sequence[str]:
    """The lines of a word list beside this module, without its comments."""
    text = resources.files("summeval_pytest.text").joinpath(f"{name}.txt").read_text("utf-8")
    return tuple(line for line in text.splitlines() if not line.startswith("#"))


@cache
def lists_of(name: str) -> Mapping[str, frozenset[str]]:
    """The lists of a file by name; each is a line "name: words"."""
    pairs = (line.partition(": ") for line in lines_of(name))
    return {key: frozenset(words.split()) for key, _, words in pairs}


def one_of(name: str, key: str) -> str:
    """A pattern for the words, or patterns, of one list of a file."""
    return "|".join(sorted(lists_of(name)[key]))

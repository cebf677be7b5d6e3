"""Word lists: stems that say little, and words that mean the opposite of each other."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Final

from summeval_pytest.text.words import stem


def lines_of(name: str) -> list[str]:
    """The lines of a word list beside this module, without its comments."""
    text = resources.files("summeval_pytest.text").joinpath(f"{name}.txt").read_text("utf-8")
    return [line for line in text.splitlines() if not line.startswith("#")]


def lists_of(name: str) -> Mapping[str, frozenset[str]]:
    """The lists of a file by name; each is a line "name: words"."""
    pairs = (line.partition(": ") for line in lines_of(name))
    return {key: frozenset(words.split()) for key, _, words in pairs}


def _stems(name: str) -> frozenset[str]:
    return frozenset(stem(word) for line in lines_of(name) for word in line.split())


GENERIC: Final = _stems("generic")
"""Stems so common in abstracts that sharing them says little."""

LIGHT: Final = _stems("light")
"""Stems of verbs and nouns that stand for many others ("took part", "was found to be")."""


@cache
def opposites() -> Mapping[str, Mapping[int, bool]]:
    """By word: the lines of ``opposites.txt`` that have it, and whether it stands on their left."""
    table: dict[str, dict[int, bool]] = {}
    for number, line in enumerate(lines_of("opposites")):
        left, mark, right = line.partition(" > ")
        for side, words in ((True, left), (False, right)) if mark else ():
            for word in words.split():
                table.setdefault(word, {})[number] = side
    return table

"""Word lists: stems that say little, and words that mean the opposite of each other."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Final

from summeval_pytest.text.lists import lines_of
from summeval_pytest.text.words import stem


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

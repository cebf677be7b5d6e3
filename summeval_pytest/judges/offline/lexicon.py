"""Learned weights and word lists of the embedded judge.

`weights/NAME.npz` holds arrays of numbers and nothing that runs; `weights/NAME.json` says which
data they were fitted to, by which command, and how well they did on what they had not seen.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from importlib import resources
from math import exp
from operator import mul
from types import MappingProxyType
from typing import Final
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from summeval_pytest.text.words import stem

_FOLDER: Final = resources.files("summeval_pytest.judges.offline")


@lru_cache
def learned(name: str) -> Mapping[str, NDArray[np.generic]]:
    """The arrays of ``weights/NAME.npz`` by name; read once in a process."""
    path = _FOLDER.joinpath("weights", f"{name}.npz")
    with path.open("rb") as file, np.load(file, allow_pickle=False) as arrays:
        return MappingProxyType({key: arrays[key] for key in arrays.files})


STEPS: Final = 1000
"""Weights ship in thousandths, so that they are the same numbers everywhere."""


@lru_cache
def _weights(model: str) -> tuple[tuple[float, ...], float]:
    *weights, start = (int(step) / STEPS for step in learned(model)["weights"])
    return tuple(weights), start


def logit(model: str, shares: Sequence[float]) -> float:
    """The logarithm of the odds by a learned model, which has a weight for each share and a start.

    It is above 0 where the chance is above one half.
    """
    weights, start = _weights(model)
    odds: float = start + sum(map(mul, weights, shares))
    return odds


def chance(odds: float) -> float:
    """The chance, 0 to 1, of which ``odds`` is the logit."""
    return 1.0 / (1.0 + exp(-odds))


N_PLACES: Final = 1 << 16
RARITY_STEPS: Final = 255
"""Rarity is kept in so many steps."""


def place_of(word: str) -> int:
    """The place of a stem in a table of `N_PLACES`."""
    return crc32(word.encode()) % N_PLACES


@lru_cache(maxsize=65536)
def rarity(word: str) -> float:
    """How rare a stem is, 0 (in every text) to 1 (in none)."""
    return int(learned("rarity")["steps"][place_of(word)]) / RARITY_STEPS


def lines_of(name: str) -> list[str]:
    """The lines of a word list beside this module, without its comments."""
    text = _FOLDER.joinpath(f"{name}.txt").read_text("utf-8")
    return [line for line in text.splitlines() if not line.startswith("#")]


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

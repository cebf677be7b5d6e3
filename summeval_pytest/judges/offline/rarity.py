"""How rare a word is in English and in science: a word that few texts use tells more.

    rarity(word) = ln((n + 1) / (df + 1)) / ln(n + 1)

over n short texts of science and news, df of which have the word; 0 to 1, and 1 for a word that
none of them has. The table is kept by a hash of the stem, so it holds numbers and no words; two
words that meet in one of its places are taken for one.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final
from zlib import crc32

from summeval_pytest.judges.offline.learned import learned

N_PLACES: Final = 1 << 16
STEPS: Final = 255
"""Rarity is kept in so many steps."""


def place_of(word: str) -> int:
    """The place of a stem in a table of `N_PLACES`."""
    return crc32(word.encode()) % N_PLACES


@lru_cache(maxsize=65536)
def rarity(word: str) -> float:
    """How rare a stem is, 0 (in every text) to 1 (in none)."""
    return int(learned("rarity")["steps"][place_of(word)]) / STEPS

"""What the role model reads in a sentence: numbers of places in tables, and no words.

Words, neighbouring pairs of words, word endings, the first words and the length of a sentence, the
words of the sentences beside it, and where it stands in its text. Everything is lower-cased and
every number is one word, so that tokenised and printed text are read alike. What two names share a
place is taken for one (crc32 of the name; never Python's own hash, which differs between runs).
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Final, NamedTuple
from zlib import crc32

if TYPE_CHECKING:
    from collections.abc import Sequence

OWN: Final = 1 << 17
"""Places for what a sentence says itself."""
BESIDE: Final = 1 << 14
"""Places for the words of the sentence before, and as many for those of the one after."""
N_WORD_ROWS: Final = OWN + 2 * BESIDE
N_PLACE_ROWS: Final = 92
"""Rows for where a sentence stands: `place_rows` says which."""

_WORD = re.compile(r"[a-z]+|\d+|[%=<>?:\u00b1]")
_NUMBERS = re.compile(r"\d+")
_OPENING: Final = "^"
_ENDING: Final = "$"
_NUMBER: Final = "0"
_MASK: Final = OWN - 1
"""What is left by `OWN`, which is a power of 2: faster than a remainder."""
_LONG: Final = 6
"""A word of so many letters has an ending worth reading."""


def words_of(sentence: str) -> list[str]:
    """The lower-cased words and signs of a sentence; every number is "0"."""
    return _WORD.findall(_NUMBERS.sub(_NUMBER, sentence.lower()))


class Name(NamedTuple):
    """What is worked out once for a word.

    Attributes:
        own: Its place below `OWN`.
        beside: Its place below `BESIDE`.
        opens: The crc32 that a pair goes on from.
        follows: What a pair goes on with.
    """

    own: int
    beside: int
    opens: int
    follows: bytes


@lru_cache(maxsize=1 << 15)
def name_of(word: str) -> Name:
    """The places of one lower-cased word."""
    plain = word.encode()
    code = crc32(plain)
    return Name(crc32(b"u" + plain) % OWN, code % BESIDE, code, b" " + plain)


@lru_cache(maxsize=1 << 12)
def _place_of(name: str) -> int:
    return crc32(name.encode()) % OWN


@lru_cache(maxsize=4096)
def own_and_beside(sentence: str) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The places of a sentence's own names, and of its words as its neighbours see them.

    Returns:
        Places below `OWN`, and places below `BESIDE`, each once and sorted.
    """
    words = words_of(sentence)
    line = [name_of(word) for word in (_OPENING, *words, _ENDING)]
    own = {name.own for name in line}
    # crc32 goes on where it stopped: this is crc32 of "one next".
    own.update([crc32(next_.follows, one.opens) & _MASK for one, next_ in pairwise(line)])
    own.update([_place_of("s" + word[-3:]) for word in words if len(word) >= _LONG])
    own.update([crc32(("f" + " ".join(words[:length])).encode()) % OWN for length in (1, 2, 3)])
    own.add(_place_of(f"l{min(10, len(line) // 5)}"))
    own.add(_place_of(f"d{min(4, words.count(_NUMBER))}"))
    beside = {name.beside for name in line[:-1]}
    return tuple(sorted(own)), tuple(sorted(beside))


def word_rows(sentences: Sequence[str]) -> list[list[int]]:
    """For each sentence, the rows of its names: its own, those before it, those after it."""
    read = [own_and_beside(sentence) for sentence in sentences]
    rows = [list(own) for own, _ in read]
    for row, (_, beside) in zip(rows[1:], read, strict=False):
        row.extend(OWN + place for place in beside)
    for row, (_, beside) in zip(rows, read[1:], strict=False):
        row.extend(OWN + BESIDE + place for place in beside)
    return rows


def place_rows(n_sentences: int) -> list[tuple[int, ...]]:
    """For each sentence of a text of so many, the rows of where it stands.

    Tenth of the text, how many sentences stand before and after it (4 and more are one), tenth of
    the text by the length of the text, and that length.
    """
    rows: list[tuple[int, ...]] = []
    for index in range(n_sentences):
        tenth = 10 * index // max(1, n_sentences - 1)
        after = n_sentences - 1 - index
        size = min(4, n_sentences // 4)
        rows.append(
            (
                tenth,
                11 + min(index, 4),
                16 + min(after, 4),
                21 + 11 * size + tenth,
                76 + min(n_sentences, 15),
            )
        )
    return rows

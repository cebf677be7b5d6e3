"""The source sentence to read first when a facet or a fact is wrong."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING

from summeval_pytest.text import content_words

if TYPE_CHECKING:
    from collections.abc import Sequence


@lru_cache(maxsize=64)
def _bags(source: tuple[str, ...]) -> tuple[frozenset[str], ...]:
    """The content words of each sentence of a source, which many findings ask for in turn."""
    return tuple(frozenset(content_words(sentence)) for sentence in source)


def closest_sentence(text: str, source: Sequence[str]) -> tuple[tuple[int, str], ...]:
    """The source sentence that shares most with a text, with its index; nothing if none does.

    A shared word counts 1 / the number of source sentences that have it; the earlier sentence wins
    a tie.
    """
    wanted = set(content_words(text))
    bags = _bags(tuple(source))
    found_in = Counter(word for bag in bags for word in bag & wanted)
    shares = [sum(1.0 / found_in[word] for word in sorted(bag & wanted)) for bag in bags]
    best = max(range(len(source)), key=shares.__getitem__, default=None)
    return ((best, source[best]),) if best is not None and shares[best] > 0 else ()

"""How common the words of texts are, by their rank in a background corpus.

A word is a token of `text.tokens` that begins with a letter. Its rank in the corpus is 1 + how many
different words occur there more often, so words that are equally frequent share a rank and no order
of theirs matters. Source: FM, figure 4c, with the corpus itself (for example the sources of the
papers) as the list of word frequencies.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING

from summeval_pytest.text import normalise, tokens
from summeval_pytest.text.placeholders import without_placeholders

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence


def popularity_profile(
    texts: Sequence[str], corpus: Sequence[str], *, bins: Sequence[int]
) -> tuple[float, ...]:
    """The share of the texts' words in each band of ranks, from common words to unknown ones.

    Args:
        texts: The texts, taken as one: every word of theirs counts the same.
        corpus: The texts that give the ranks.
        bins: The last rank of each band, rising: (100, 1000) is 1 to 100 and 101 to 1000.

    Returns:
        One share for each of ``bins``, then that of rarer words of the corpus, then that of words
        that the corpus does not have: 0 to 1 each and 1 together, as `band_names` names them. No
        share at all, the empty tuple, where the texts have no word.

    Raises:
        ValueError: For bins that are empty, do not rise, or begin below 1.
    """
    _check(bins)
    ranks = _ranks(Counter(_words(corpus)))
    counts = [0] * (len(bins) + 2)
    for word in _words(texts):
        counts[bisect_left(bins, ranks[word]) if word in ranks else -1] += 1
    total = sum(counts)
    return tuple(count / total for count in counts) if total else ()


def band_names(bins: Sequence[int]) -> tuple[str, ...]:
    """What each share of a profile is of: "1-100", "101-1000", "rarer", "not in the corpus"."""
    _check(bins)
    edges = pairwise((0, *bins))
    return (*(f"{low + 1}-{high}" for low, high in edges), "rarer", "not in the corpus")


def _check(bins: Sequence[int]) -> None:
    if not bins or any(low >= high for low, high in pairwise((0, *bins))):
        raise ValueError(f"bins is {tuple(bins)!r}; give rising ranks from 1 on, as (100, 1000)")


def _words(texts: Iterable[str]) -> Iterator[str]:
    for text in texts:
        for token in tokens(without_placeholders(normalise(text))):
            if token[0].isalpha():
                yield token


def _ranks(frequencies: Mapping[str, int]) -> dict[str, int]:
    """1 + how many words are more frequent, by word."""
    ranks: dict[str, int] = {}
    rank, last = 0, 0
    for place, word in enumerate(sorted(frequencies, key=frequencies.__getitem__, reverse=True), 1):
        if frequencies[word] != last:
            rank, last = place, frequencies[word]
        ranks[word] = rank
    return ranks

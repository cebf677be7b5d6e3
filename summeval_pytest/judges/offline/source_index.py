"""What a claim shares with a source: the sentences nearest to it, and how much each carries.

A word weighs by its rarity in the source, idf = ln(1 + (n - df + .5) / (df + .5)), the form that
stays positive in a source of 26 sentences; a word that every abstract uses weighs three tenths. A
sentence is near by the weight it shares, with half a BM25 (k1 = 1.2, b = .75, a word counted once)
on top, so that of two that share the same the shorter is nearer. Words are looked up by the
sentences that hold them, so a claim costs as little in an article as in an abstract.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from heapq import nsmallest
from itertools import pairwise
from math import log1p
from typing import TYPE_CHECKING, Final

from summeval_pytest.judges.offline.lexicon import GENERIC
from summeval_pytest.judges.offline.matching import GENERIC_WEIGHT, K1, B
from summeval_pytest.judges.offline.reading import read
from summeval_pytest.text import content_words

if TYPE_CHECKING:
    from summeval_pytest.judges.offline.reading import Placed

DEPTH: Final = 10
"""So many of the nearest sentences are looked at."""
NEAR: Final = 5
"""A number, or a phrase, may stand in one of so many."""
_BM25_SHARE: Final = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Overlap:
    """What a claim shares with the sentences nearest to it; every share is of the claim's weight.

    Attributes:
        places: The nearest sentences, at most `DEPTH`, the nearest first; none shares no word.
        shares: What each of them carries.
        gains: What each of them carries that those before it do not.
        nearness: How near each is, 1 for the nearest.
        anywhere: What the whole source carries.
        phrases: The share of the claim's pairs of neighbouring words that one of the first `NEAR`
            sentences has too.
        likeness: The weight that the claim and one of these share, of the weight of both together.
        numbers: The share of the claim's numbers, as written, that stand in these; 1 without any.
        n_words: How many different words of content the claim has.
    """

    places: tuple[int, ...]
    shares: tuple[float, ...]
    gains: tuple[float, ...]
    nearness: tuple[float, ...]
    anywhere: float
    phrases: float
    likeness: float
    numbers: float
    n_words: int

    @property
    def best(self) -> float:
        """What the sentence that carries most carries."""
        return max(self.shares, default=0.0)

    @property
    def best_three(self) -> float:
        """What the three nearest sentences carry together."""
        return min(1.0, sum(self.gains[:3]))


class SourceIndex:
    """The sentences of one source, found by their words."""

    def __init__(self, sentences: tuple[str, ...]) -> None:
        self.sentences = sentences
        self._words = [content_words(sentence) for sentence in sentences]
        self._places: dict[str, list[int]] = {}
        for place, words in enumerate(self._words):
            for word in dict.fromkeys(words):
                self._places.setdefault(word, []).append(place)
        n = len(sentences)
        self._weights = {
            word: _weight(word, n, len(places)) for word, places in self._places.items()
        }
        self._masses = [sum(self._weights[w] for w in dict.fromkeys(ws)) for ws in self._words]
        mean = max(1.0, sum(map(len, self._words)) / max(1, n))
        self._factors = [
            1 + _BM25_SHARE * (K1 + 1) / (1 + K1 * (1 - B + B * len(words) / mean))
            for words in self._words
        ]

    @cached_property
    def quantities(self) -> tuple[Placed, ...]:
        """Every quantity of the source, in order; read only when it is asked for."""
        return tuple(placed for s in self.sentences for placed in read(s).quantities)

    def overlap(self, claim: str) -> Overlap:
        """What a claim shares with the sentences nearest to it; of equally near ones, the first."""
        words = content_words(claim)
        n = len(self.sentences)
        own = {
            word: self._weights[word] if word in self._weights else _weight(word, n, 0)
            for word in words
        }
        total = sum(own.values())
        found = {word: weight for word, weight in own.items() if word in self._places}
        shared: dict[int, float] = {}
        for word, weight in found.items():
            for place in self._places[word]:
                shared[place] = shared.get(place, 0.0) + weight
        near = {place: weight * self._factors[place] for place, weight in shared.items()}
        places = tuple(nsmallest(DEPTH, near, key=lambda place: (-near[place], place)))
        around = places[:NEAR]
        return Overlap(
            places=places,
            shares=tuple(min(1.0, shared[place] / total) for place in places),
            gains=tuple(gain / total for gain in self._gains(found, places)),
            nearness=tuple(near[place] / near[places[0]] for place in places),
            anywhere=min(1.0, sum(found.values()) / total) if total else 0.0,
            phrases=self._phrases(words, around),
            likeness=max(
                (shared[p] / (total + self._masses[p] - shared[p]) for p in around), default=0.0
            ),
            numbers=self._numbers(own, around),
            n_words=len(own),
        )

    def _gains(self, found: dict[str, float], places: tuple[int, ...]) -> list[float]:
        open_words, gains = dict(found), []
        for place in places:
            held = [word for word in dict.fromkeys(self._words[place]) if word in open_words]
            gains.append(sum(open_words.pop(word) for word in held))
        return gains

    def _phrases(self, words: list[str], around: tuple[int, ...]) -> float:
        wanted = set(pairwise(words))
        most = max((len(wanted.intersection(pairwise(self._words[p]))) for p in around), default=0)
        return most / len(wanted) if wanted else 0.0

    def _numbers(self, own: dict[str, float], around: tuple[int, ...]) -> float:
        wanted = [word for word in own if word[0].isdigit()]
        if not wanted:
            return 1.0
        stated = {word for place in around for word in self._words[place]}
        return sum(word in stated for word in wanted) / len(wanted)


def _weight(word: str, n_sentences: int, n_found: int) -> float:
    rarity = log1p((n_sentences - n_found + 0.5) / (n_found + 0.5))
    return GENERIC_WEIGHT * rarity if word in GENERIC else rarity


@lru_cache(maxsize=8)
def source_index(sentences: tuple[str, ...]) -> SourceIndex:
    """The index of a source, kept for the next claims about it."""
    return SourceIndex(sentences)

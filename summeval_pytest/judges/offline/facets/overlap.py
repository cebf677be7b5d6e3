"""What a summary says of a facet, in four numbers that a person can check.

    found = sum over words w of the reference's facet of rarity(w) * credit(w) / sum of rarity(w)

where credit(w) is how surely the summary's sentences that have w state that facet: the greatest
role over them, 0 where no sentence has the word. A number counts as the rarest word does.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import log1p, sqrt
from typing import TYPE_CHECKING, Final

from summeval_pytest.judges.offline.facets.labels import pieces_of
from summeval_pytest.judges.offline.facets.roles import roles_of
from summeval_pytest.judges.offline.rarity import rarity
from summeval_pytest.questions import FACETS, FacetPair
from summeval_pytest.text import content_words, known_tokens

if TYPE_CHECKING:
    from collections.abc import Sequence

    from summeval_pytest.judges.offline.facets.roles import Roles

RUN: Final = 4
"""Words in a row that a fluent text hardly says twice."""
OWN_SHARE: Final = 0.5
"""How much the segment a sentence was put in counts, beside what the sentence itself looks like."""
MOST_WORDS: Final = 40
"""A longer segment says no more for that."""
NAMES: Final = ("found", "surest", "sqrt(repetition)", "amount")
"""The numbers that a rating is made of, in the order of its coefficients."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Overlap:
    """What the summary has of one facet of the reference.

    Attributes:
        found: The share of the facet's words, by rarity, that the summary has where it states that
            facet, 0 to 1.
        surest: How surely the summary states the facet at all: the role of its surest sentence, 0
            to 1.
        repetition: The share of the summary's runs of four words that it has said before, 0 to 1.
        amount: log(1 + words of the summary's segment, at most 40).
        n_words: Distinct words of the reference's facet, numbers included.
        n_words_found: How many of them stand anywhere in the summary.
        n_numbers: Distinct numbers that the reference's facet states.
        n_numbers_found: How many of them stand anywhere in the summary.
        is_whole: Whether the summary's own segment has every word of the reference's.
    """

    found: float
    surest: float
    repetition: float
    amount: float
    n_words: int
    n_words_found: int
    n_numbers: int
    n_numbers_found: int
    is_whole: bool

    @property
    def features(self) -> tuple[float, ...]:
        """The numbers in the order of `NAMES`."""
        return (self.found, self.surest, sqrt(self.repetition), self.amount)


def weight(word: str) -> float:
    """How much a word counts: its rarity, and 1 for a number."""
    return 1.0 if word[0].isdigit() else rarity(word)


def repetition(words: Sequence[str]) -> float:
    """The share of runs of four words that the text has said before, 0 to 1."""
    runs = list(zip(*(words[start:] for start in range(RUN)), strict=False))
    return 1.0 - len(set(runs)) / len(runs) if runs else 0.0


@dataclass(frozen=True, slots=True)
class _Sentence:
    """A sentence of the summary: its length, its stems, how surely it states each facet."""

    n_words: int
    words: tuple[str, ...]
    roles: list[float]


def overlaps(pairs: tuple[FacetPair, ...], roles: Roles = roles_of) -> tuple[Overlap, ...]:
    """One overlap a pair: the segments of all pairs together are what the summary says.

    A sentence counts half by the segment it was put in and half by its role, so that what a summary
    says of a result in a sentence that was read as a conclusion is not lost.

    Args:
        pairs: The facets of one reference and one summary.
        roles: From sentences in order to the probability of each facet, one row a sentence.
    """
    in_order = sorted(pairs, key=lambda pair: FACETS.index(pair.facet))
    segments = {pair: pieces_of(pair.candidate) for pair in in_order}
    texts = tuple(dict.fromkeys(piece for pieces in segments.values() for piece in pieces))
    spoken = [known_tokens(text) for text in texts]
    table = roles(texts).tolist()
    said = {
        text: _Sentence(len(words), tuple(content_words(text)), row)
        for text, words, row in zip(texts, spoken, table, strict=True)
    }
    repeated = repetition([word for words in spoken for word in words])
    return tuple(_overlap(pair, segments[pair], said, repeated) for pair in pairs)


@lru_cache(maxsize=512)
def _wanted(reference: str) -> tuple[dict[str, float], float, tuple[str, ...]]:
    """The different words of a facet with their weights, the sum of these, and its numbers."""
    weights = {word: weight(word) for word in content_words(reference)}
    return weights, sum(weights.values()), tuple(word for word in weights if word[0].isdigit())


def _overlap(
    pair: FacetPair, own: tuple[str, ...], said: dict[str, _Sentence], repeated: float
) -> Overlap:
    column = FACETS.index(pair.facet)
    stated = {
        text: OWN_SHARE * (text in own) + (1.0 - OWN_SHARE) * sentence.roles[column]
        for text, sentence in said.items()
    }
    credit: dict[str, float] = {}
    for text in sorted(stated, key=stated.__getitem__):
        credit.update(dict.fromkeys(said[text].words, stated[text]))
    wanted, total, numbers = _wanted(pair.reference)
    found = sum(weighs * credit[word] for word, weighs in wanted.items() if word in credit)
    held = set[str]().union(*[said[text].words for text in own])
    return Overlap(
        found=found / total if total else 0.0,
        surest=max(stated.values(), default=0.0),
        repetition=repeated,
        amount=log1p(min(MOST_WORDS, sum(said[text].n_words for text in own))),
        n_words=len(wanted),
        n_words_found=len(wanted.keys() & credit.keys()),
        n_numbers=len(numbers),
        n_numbers_found=sum(number in credit for number in numbers),
        is_whole=wanted.keys() <= held,
    )

"""What a summary says of a facet, in four numbers that a person can check.

    found = sum over words w of the reference's facet of rarity(w) * credit(w) / sum of rarity(w)

where credit(w) is how surely the summary's sentences that have w state that facet: the greatest
role over them, 0 where no sentence has the word. A number counts as the rarest word does.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log1p, sqrt
from typing import TYPE_CHECKING, Final

import numpy as np

from summeval_pytest.judges.offline.labels import pieces_of
from summeval_pytest.judges.offline.rarity import rarity
from summeval_pytest.judges.offline.roles import roles_of
from summeval_pytest.questions import FACETS, Facet, FacetPair
from summeval_pytest.text import content_words, tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    Roles = Callable[[Sequence[str]], NDArray[np.float64]]

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
        n_numbers: Distinct numbers that the reference's facet states.
        n_numbers_found: How many of them stand anywhere in the summary.
        is_whole: Whether the summary's own segment has every word of the reference's.
    """

    found: float
    surest: float
    repetition: float
    amount: float
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


def overlaps(pairs: tuple[FacetPair, ...], roles: Roles = roles_of) -> tuple[Overlap, ...]:
    """One overlap a pair: the segments of all pairs together are what the summary says.

    A sentence counts half by the segment it was put in and half by its role, so that what a summary
    says of a result in a sentence that was read as a conclusion is not lost.

    Args:
        pairs: The facets of one reference and one summary.
        roles: From sentences in order to the probability of each facet, one row a sentence.
    """
    segments = {pair.facet: dict.fromkeys(pieces_of(pair.candidate)) for pair in pairs}
    order = [facet for facet in FACETS if facet in segments]
    sentences = tuple(dict.fromkeys(piece for facet in order for piece in segments[facet]))
    table = roles(sentences).tolist()
    bags = [tuple(dict.fromkeys(content_words(sentence))) for sentence in sentences]
    repeated = repetition([word for sentence in sentences for word in tokens(sentence)])
    return tuple(
        _overlap(pair, _stated(pair.facet, segments[pair.facet], sentences, table), bags, repeated)
        for pair in pairs
    )


def _stated(
    facet: Facet, own: dict[str, None], sentences: Sequence[str], table: list[list[float]]
) -> list[float]:
    """How surely each sentence states a facet."""
    column = FACETS.index(facet)
    return [
        OWN_SHARE * (sentence in own) + (1.0 - OWN_SHARE) * row[column]
        for sentence, row in zip(sentences, table, strict=True)
    ]


def _overlap(
    pair: FacetPair,
    stated: list[float],
    bags: list[tuple[str, ...]],
    repeated: float,
) -> Overlap:
    credit: dict[str, float] = {}
    for row in sorted(range(len(bags)), key=stated.__getitem__):
        credit.update(dict.fromkeys(bags[row], stated[row]))
    wanted = dict.fromkeys(content_words(pair.reference))
    total = found = 0.0
    for word in wanted:
        weighs = weight(word)
        total += weighs
        found += weighs * credit.get(word, 0.0)
    numbers = [word for word in wanted if word[0].isdigit()]
    return Overlap(
        found=found / total if total else 0.0,
        surest=max(stated, default=0.0),
        repetition=repeated,
        amount=log1p(min(MOST_WORDS, len(tokens(pair.candidate)))),
        n_numbers=len(numbers),
        n_numbers_found=sum(word in credit for word in numbers),
        is_whole=wanted.keys() <= set(content_words(pair.candidate)),
    )

"""How well a summary's facet covers the reference's: a rating that people would give, with vetoes.

    score = sum over the four numbers of an overlap of coefficient * number
    P(a person's rating <= k) = 1 / (1 + exp(score - threshold of facet and k))
    rating = 1 + how many cut points of the facet the score reaches

The proportional-odds model (McCullagh, JRSS B 42, 1980), fitted to people's ratings of other papers
(`tests/fitting/ratings.py`); all facets share the coefficients. The most probable rating is seldom
an extreme one, so cut points are set where as many scores pass as people gave such ratings.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from summeval_pytest.judges.offline.conflicts import find_conflict
from summeval_pytest.judges.offline.facets.overlap import Overlap, overlaps
from summeval_pytest.judges.offline.learned import learned
from summeval_pytest.judges.offline.logistic import chance
from summeval_pytest.judges.offline.numbers import replaced_number
from summeval_pytest.questions import FACETS, SCALES, Facet, FacetPair, FacetRating, RateFacets
from summeval_pytest.text import sentence_texts

if TYPE_CHECKING:
    from collections.abc import Mapping

    from summeval_pytest.judges.offline.conflict import Conflict

CLEAR: Final = 0.75
"""A facet that no sentence states as surely as that is told to be unclear."""
DIGITS: Final = 6
"""Scores are rounded to so many digits: logarithms may differ in the last bit."""
WHOLE_CONFIDENCE: Final = 0.97
"""A segment with every word of the reference's covers it: so said people 32 times of 32 (ScholarSum
and golden; Laplace's rule)."""
CONFLICT_CONFIDENCE: Final = 0.3
"""A rating with a conflict is as sure as that at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RatingModel:
    """What a rating is made of.

    Attributes:
        coefficients: One for each of `overlap.NAMES`.
        thresholds: By facet, one for each step of its scale, ascending.
        cuts: By facet, the score from which it is rated 2, 3, 4.
    """

    coefficients: tuple[float, ...]
    thresholds: Mapping[Facet, tuple[float, ...]]
    cuts: Mapping[Facet, tuple[float, ...]]

    def score(self, features: tuple[float, ...]) -> float:
        """The summary's coverage of a facet on one line for all facets, higher is better."""
        pairs = zip(self.coefficients, features, strict=True)
        return round(sum(coefficient * number for coefficient, number in pairs), DIGITS)

    def probabilities(self, facet: Facet, score: float) -> tuple[float, ...]:
        """How probable each rating of the facet's scale is, from 1 on; they sum to 1."""
        below = [0.0, *(chance(t - score) for t in self.thresholds[facet]), 1.0]
        return tuple(after - before for before, after in pairwise(below))

    def rating(self, facet: Facet, score: float) -> int:
        """The rating, 1 to the facet's scale."""
        return 1 + sum(score >= cut for cut in self.cuts[facet])


@lru_cache(maxsize=1)
def rating_model() -> RatingModel:
    """The model that ships with the judge."""
    arrays = learned("ratings")
    return RatingModel(
        coefficients=tuple(arrays["coefficients"].tolist()),
        thresholds={facet: tuple(arrays[f"{facet}_thresholds"].tolist()) for facet in FACETS},
        cuts={facet: tuple(arrays[f"{facet}_cuts"].tolist()) for facet in FACETS},
    )


def _stands_in(facet: str, summary: str) -> bool:
    """Whether a summary has every sentence of a facet word for word."""
    return set(sentence_texts(facet)) <= set(sentence_texts(summary))


def contradiction(pair: FacetPair, reference: str, summary: str) -> Conflict | None:
    """The first contradiction of the reference's facet by what the summary says in its place.

    A number of the facet that stands anywhere in the summary is contradicted by none, and a
    sentence of the reference contradicts nothing.
    """
    if _stands_in(pair.reference, summary):
        return None
    facet, known = sentence_texts(pair.reference), sentence_texts(reference)
    said = sentence_texts(summary)
    for sentence in sentence_texts(pair.candidate):
        conflict = None
        if sentence not in known:
            conflict = find_conflict(sentence, facet, numbers=False)
        if conflict is not None:
            return conflict
    return replaced_number(facet, said, known)


def vetoed(rating: int, conflict: Conflict) -> int:
    """What a conflict leaves of a rating, 1 or more: of numbers 1, of words one less.

    Conflicts that are read off words are wrong too often for more.
    """
    return 1 if conflict.is_of_numbers else max(1, rating - 1)


def rate_all(question: RateFacets) -> tuple[FacetRating, ...]:
    """One rating for each pair, 1 to its scale, the reason for it, and how sure it is.

    The pairs are taken together: what a summary says of a facet may stand in a sentence that was
    read as another one, and counts as far as that sentence looks like it.
    """
    pairs, model = question.pairs, rating_model()
    reference = question.reference or "\n".join(pair.reference for pair in pairs)
    summary = question.summary or "\n".join(pair.candidate for pair in pairs)
    return tuple(
        _rate(model, pair, overlap, reference, summary)
        for pair, overlap in zip(pairs, overlaps(pairs), strict=True)
    )


def _rate(
    model: RatingModel, pair: FacetPair, overlap: Overlap, reference: str, summary: str
) -> FacetRating:
    conflict = contradiction(pair, reference, summary)
    is_whole = overlap.is_whole or _stands_in(pair.reference, summary)
    score = model.score(overlap.features)
    chances = model.probabilities(pair.facet, score)
    if is_whole:
        rating, confidence = SCALES[pair.facet], WHOLE_CONFIDENCE
    else:
        rating = max(model.rating(pair.facet, score), 1 + bool(overlap.n_words_found))
        confidence = chances[rating - 1]
    reason = _reason(pair.facet, overlap, chances, is_whole=is_whole)
    if conflict is not None:
        rating = vetoed(rating, conflict)
        confidence = min(CONFLICT_CONFIDENCE, chances[rating - 1])
        reason = f"{conflict.told}; {reason}"
    return FacetRating(
        facet=pair.facet,
        reason=reason,
        rating=rating,
        confidence=round(confidence, 3),
        undecided=conflict is not None,
    )


def _reason(facet: Facet, overlap: Overlap, chances: tuple[float, ...], *, is_whole: bool) -> str:
    """What was found and, where not all of it was, the rating to expect of a person."""
    share = overlap.n_words_found / overlap.n_words if overlap.n_words else 0.0
    numbers = (
        f" and {overlap.n_numbers_found} of {overlap.n_numbers} numbers"
        if overlap.n_numbers
        else ""
    )
    found = f"{share:.0%} of the reference's words{numbers} found"
    if is_whole:
        return found
    surest = "" if overlap.surest >= CLEAR else f", not clearly as {facet}"
    expected = sum(level * chance for level, chance in enumerate(chances, start=1))
    return f"{found}{surest}; expected {expected:.1f} of {len(chances)}"

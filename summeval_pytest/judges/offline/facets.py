"""Facets of a text and the rating of a summary's facet, by the embedded judge.

    found = sum over words w of the reference's facet of rarity(w) * credit(w) / sum of rarity(w)

where credit(w) is how surely the summary's sentences that have w state that facet: the greatest
role over them, 0 where no sentence has the word. A number counts as the rarest word does.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import pairwise
from math import log1p, sqrt
from typing import TYPE_CHECKING, Final

from summeval_pytest.judges.offline.conflicts import find_conflict, replaced_number
from summeval_pytest.judges.offline.lexicon import chance, learned, rarity
from summeval_pytest.judges.offline.roles import label_evidence, pieces_of, roles_of
from summeval_pytest.questions import (
    FACETS,
    SCALES,
    Facet,
    FacetPair,
    FacetRating,
    FacetSegments,
    RateFacets,
)
from summeval_pytest.text.sentences import sentence_texts
from summeval_pytest.text.words import content_words, known_tokens

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from summeval_pytest.judges.offline.conflicts import Conflict
    from summeval_pytest.judges.offline.roles import Roles


RUN: Final = 4
"""Words in a row that a fluent text hardly says twice."""
OWN_SHARE: Final = 0.5
"""How much the segment a sentence was put in counts, beside what the sentence itself looks like."""
MOST_WORDS: Final = 40
"""A longer segment says no more for that."""
NAMES: Final = ("found", "surest", "sqrt(repetition)", "amount")
"""The numbers that a rating is made of, in the order of its coefficients."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FacetOverlap:
    """What the summary has of one facet of the reference.

    Attributes:
        found: The share of the facet's words, by rarity, that the summary has where it states that
            facet, 0 to 1.
        surest: How surely the summary states the facet at all: the role of its surest sentence, 0
            to 1.
        repetition: The share of the summary's runs of four words that it has said before, 0 to 1.
        amount: log(1 + words of the summary's segment, at most 40).
        n_words: Distinct words of the reference's facet, numbers included; ``n_words_found`` of
            them stand anywhere in the summary. So with ``n_numbers``.
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


def overlaps(pairs: tuple[FacetPair, ...], roles: Roles = roles_of) -> tuple[FacetOverlap, ...]:
    """One overlap for each facet of one reference and one summary.

    The segments of all pairs together are what the summary says. A sentence counts half by the
    segment it was put in and half by its role, so that what a summary says of a result in a
    sentence that was read as a conclusion is not lost. ``roles`` gives the probability of each
    facet for sentences in order, one row a sentence.
    """
    in_order = sorted(pairs, key=lambda pair: FACETS.index(pair.facet))
    segments = {pair: pieces_of(pair.candidate) for pair in in_order}
    texts = tuple(dict.fromkeys(piece for pieces in segments.values() for piece in pieces))
    spoken = [known_tokens(text) for text in texts]
    table = roles(texts).tolist()
    said = {
        text: _Sentence(len(words), content_words(text), row)
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
) -> FacetOverlap:
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
    return FacetOverlap(
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


MOST: Final = 40
"""In a longer text no hidden facet is looked for: a summary is shorter."""
LIKELY: Final = 0.5
"""From this posterior on, a facet without a sentence of its own shares one. Of .15 to .5 it agrees
best with people on papers that the roles were not learned from."""


def segment(text: str, roles: Roles = roles_of) -> FacetSegments:
    """The sentences of each facet of an abstract or a summary, joined in order."""
    sentences = pieces_of(text)
    best = roles(sentences).argmax(axis=1)
    rows = [(best == column).nonzero()[0].tolist() for column in range(len(FACETS))]
    if not all(rows) and sentences and not label_evidence(sentences).any():
        likely = _likely(sentences, roles)
        rows = [own or likely[:, column].nonzero()[0].tolist() for column, own in enumerate(rows)]
    segments: dict[Facet, str] = {
        facet: " ".join(sentences[row] for row in chosen)
        for facet, chosen in zip(FACETS, rows, strict=True)
    }
    return FacetSegments(**segments)


def _likely(sentences: tuple[str, ...], roles: Roles) -> NDArray[np.bool_]:
    """Whether each sentence is `LIKELY` to state each facet, (sentences, 4), wherever a text ends.

    What a sentence is read as depends on its neighbours and on its place. So the text is read with
    its first sentences only, and with its last: one more sentence hides no facet then.
    """
    n = len(sentences)
    found = roles(sentences)[:MOST] >= LIKELY
    for cut in range(1, min(n, MOST)):
        found[:cut] |= roles(sentences[:cut]) >= LIKELY
        found[cut:] |= roles(sentences[cut:n])[: len(found) - cut] >= LIKELY
    return found


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
        coefficients: One for each of `NAMES`.
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


@cache
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
    for sentence in sentence_texts(pair.candidate):
        if sentence not in known:
            conflict = find_conflict(sentence, facet, numbers=False)
            if conflict is not None:
                return conflict
    return replaced_number(facet, sentence_texts(summary), known)


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
    pairs = question.pairs
    reference = question.reference or "\n".join(pair.reference for pair in pairs)
    summary = question.summary or "\n".join(pair.candidate for pair in pairs)
    return tuple(
        _rate(pair, overlap, reference, summary)
        for pair, overlap in zip(pairs, overlaps(pairs), strict=True)
    )


def _rate(pair: FacetPair, overlap: FacetOverlap, reference: str, summary: str) -> FacetRating:
    model = rating_model()
    conflict = contradiction(pair, reference, summary)
    is_whole = overlap.is_whole or _stands_in(pair.reference, summary)
    score = model.score(overlap.features)
    chances = model.probabilities(pair.facet, score)
    reason = f"{overlap.n_words_found / max(1, overlap.n_words):.0%} of the reference's words"
    if overlap.n_numbers:
        reason += f" and {overlap.n_numbers_found} of {overlap.n_numbers} numbers"
    reason += " found"
    if is_whole:
        rating, confidence = SCALES[pair.facet], WHOLE_CONFIDENCE
    else:
        rating = max(model.rating(pair.facet, score), 1 + bool(overlap.n_words_found))
        confidence = chances[rating - 1]
        expected = sum(level * chance for level, chance in enumerate(chances, start=1))
        unclear = "" if overlap.surest >= CLEAR else f", not clearly as {pair.facet}"
        reason += f"{unclear}; expected {expected:.1f} of {len(chances)}"
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

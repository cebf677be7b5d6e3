"""Facets of a text and the rating of a summary's facet, by the embedded judge.

Whatever the summary says counts, wherever it says it. With clear = (greatest role of the facet's
own sentences in the reference)^5,

    found  = clear * sum over words w of the facet of rarity(w) * credit(w) / sum of rarity(w)
             + (1 - clear) * share of the whole reference's words, by rarity, in the summary
    stated = clear * (greatest role of a sentence of the summary) + (1 - clear) * .8

where credit(w) is 0 for a word that the summary does not have, else .5 + .5 * the greatest role of
a sentence that has it. So roles count where the reference shows clearly that it has them: in news,
where no sentence is clearly a method or a result, what is left is recall. A number counts as the
rarest word does.

Facets of one paper share its subject, so a summary without the conclusion still has a quarter of
the conclusion's words. The words that no other facet of the reference has decide whether a facet is
left out: `FacetOverlap.bounds`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from itertools import chain, pairwise
from math import sqrt
from typing import Final

import numpy as np
from numpy.typing import NDArray

from summeval_pytest import questions as q
from summeval_pytest.judges.offline.conflicts import Conflict, in_number, words_found
from summeval_pytest.judges.offline.copies import find_conflict
from summeval_pytest.judges.offline.learned import chance, learned, rarity
from summeval_pytest.judges.offline.roles import Roles, label_evidence, pieces_of, roles_of
from summeval_pytest.text.contradictions import compare_numbers
from summeval_pytest.text.numbers import unstated_figures
from summeval_pytest.text.quantities import find_quantities
from summeval_pytest.text.sentences import sentence_texts
from summeval_pytest.text.words import content_words, known_tokens, rank_sentences

RUN: Final = 4
"""Words in a row that a fluent text hardly says twice."""
CLEARNESS: Final = 5
"""The power of the reference's role: .95 counts .77, .7 counts .17."""
ROLE_SHARE: Final = 0.5
"""How much of a word's credit depends on what its sentence is about."""
USUAL: Final = 0.8
"""How surely a facet is stated where the reference does not tell."""
CLEAR: Final = 0.75
"""If no sentence states a facet as surely as that, the reason says that it is unclear."""
DOUBTFUL: Final = 0.7
"""A facet stated less surely than that, with less than `LEFT_OUT` of its own words, is left out."""
LEFT_OUT: Final = 0.12
HINTED: Final = 0.4
"""A facet stated as surely as that, with `OWN_WORDS` of its own words, is there. The four were
chosen on facets cut out of golden and of five papers of ``tests/judges/offline/omitted.jsonl``."""
OWN_WORDS: Final = 0.25
NAMES: Final = ("found", "stated", "sqrt(repetition)")
"""The numbers that a rating is made of, in the order of its coefficients."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FacetOverlap:
    """What the summary has of one facet of the reference.

    Attributes:
        found: The share of the facet's words, by rarity, that the summary has, 0 to 1; half of it
            depends on whether it has them where it states that facet.
        stated: How surely the summary states the facet at all, 0 to 1.
        own: The share, by rarity, of the words that no other facet of the reference has, which the
            summary has, 0 to 1; 1 without such words.
        repetition: The share of the summary's runs of four words that it has said before, 0 to 1.
        is_whole: Whether the summary's own segment has every word of the reference's.
        reason: Which of the facet's words and numbers the summary does not have.
    """

    found: float
    stated: float
    own: float
    repetition: float
    is_whole: bool
    reason: str

    @property
    def features(self) -> tuple[float, ...]:
        """The numbers in the order of `NAMES`."""
        return (self.found, self.stated, sqrt(self.repetition))

    @property
    def bounds(self) -> tuple[int, int]:
        """The least and the greatest rating: 1 for a facet left out, 2 or more for a stated one."""
        if self.stated < DOUBTFUL and self.own < LEFT_OUT:
            return 1, 1
        is_there = self.stated >= HINTED and self.own >= OWN_WORDS
        return (2 if is_there else 1), max(q.SCALES.values())


@lru_cache(maxsize=512)
def _weights(text: str) -> Mapping[str, float]:
    """The different words of a text, with what each counts: its rarity, and 1 for a number."""
    return {word: 1.0 if word[0].isdigit() else rarity(word) for word in _terms(text)}


@lru_cache(maxsize=2048)
def _terms(text: str) -> tuple[str, ...]:
    """The stems of the words that carry content, and the numbers by their values."""
    words = [word for word in content_words(text) if not word[0].isdigit()]
    return (*words, *(f"{figure.size:g}" for figure in find_quantities(text)))


def repetition(words: Sequence[str]) -> float:
    """The share of runs of four words that the text has said before, 0 to 1."""
    runs = list(zip(*(words[start:] for start in range(RUN)), strict=False))
    return 1.0 - len(set(runs)) / len(runs) if runs else 0.0


def overlaps(question: q.RateFacets, roles: Roles = roles_of) -> tuple[FacetOverlap, ...]:
    """One overlap for each pair of a question, by its whole texts.

    ``roles`` gives the probability of each facet for sentences in order, one row a sentence.
    """
    texts = pieces_of(question.summary)
    # A role depends on a sentence's place. So the text is also read without its first and last.
    table = roles(texts).copy()
    if len(texts) > 1:
        table[1:] = np.maximum(table[1:], roles(texts[1:]))
        table[:-1] = np.maximum(table[:-1], roles(texts[:-1]))
    rows = table.tolist()
    surest = [max(column) for column in zip([0.0] * len(q.FACETS), *rows, strict=True)]
    by_word: dict[str, list[float]] = {}
    for text, row in zip(texts, rows, strict=True):
        for word in set(_terms(text)):
            by_word[word] = list(map(max, by_word[word], row)) if word in by_word else row
    repeated = repetition([word for text in texts for word in known_tokens(text)])
    whole = _share(_weights(question.reference), by_word)
    texts = pieces_of(question.reference)
    sureness = dict(zip(texts, roles(texts).tolist(), strict=True))

    def overlap(pair: q.FacetPair) -> FacetOverlap:
        column = q.FACETS.index(pair.facet)
        own = pieces_of(pair.reference)
        known = [sureness[text] for text in own if text in sureness] or roles(own).tolist()
        clear = max((row[column] for row in known), default=0.0) ** CLEARNESS
        weights = _weights(pair.reference)
        others = (_weights(other.reference) for other in question.pairs if other is not pair)
        shared = set(chain.from_iterable(others))
        only_here = {word: weighs for word, weighs in weights.items() if word not in shared}
        lost = sorted(weights.keys() - by_word.keys(), key=lambda word: (-weights[word], word))
        return FacetOverlap(
            found=clear * _share(weights, by_word, column) + (1.0 - clear) * whole,
            stated=clear * surest[column] + (1.0 - clear) * USUAL,
            own=_share(only_here, by_word) if only_here else 1.0,
            repetition=repeated,
            is_whole=weights.keys() <= set(_terms(pair.candidate)),
            reason=words_found(pair.reference, lost),
        )

    return tuple(map(overlap, question.pairs))


def _share(
    weights: Mapping[str, float], by_word: Mapping[str, list[float]], column: int | None = None
) -> float:
    """The share of words, by weight, that a summary has; of a facet (column), where it has them.

    ``by_word`` has the greatest role of a sentence with each word, by facet.
    """
    part, total = 0.0, sum(weights.values())
    for word, weighs in weights.items():
        if word in by_word:
            role = 1.0 if column is None else by_word[word][column]
            part += weighs * (1.0 - ROLE_SHARE + ROLE_SHARE * role)
    return part / total if total else 0.0


MOST: Final = 40
"""In a longer text no hidden facet is looked for: a summary is shorter."""
LIKELY: Final = 0.5
"""From this posterior on, a facet without a sentence of its own shares one. Of .15 to .5 it agrees
best with people on papers that the roles were not learned from."""


def segment(text: str, roles: Roles = roles_of, *, nearest: bool = False) -> q.FacetSegments:
    """The sentences of each facet of an abstract or a summary, joined in order.

    ``nearest``: a facet that no sentence states is the sentence that is most like it.
    """
    sentences = pieces_of(text)
    table = roles(sentences)
    best = table.argmax(axis=1)
    rows = [(best == column).nonzero()[0].tolist() for column in range(len(q.FACETS))]
    if not all(rows) and sentences and not label_evidence(sentences).any():
        likely = _likely(sentences, roles)
        rows = [own or likely[:, column].nonzero()[0].tolist() for column, own in enumerate(rows)]
    if nearest and sentences:
        rows = [own or [int(table[:, column].argmax())] for column, own in enumerate(rows)]
    segments: dict[q.Facet, str] = {
        facet: " ".join(sentences[row] for row in chosen)
        for facet, chosen in zip(q.FACETS, rows, strict=True)
    }
    return q.FacetSegments(**segments)


def _likely(sentences: tuple[str, ...], roles: Roles) -> NDArray[np.bool_]:
    """Whether each sentence is `LIKELY` to state each facet, (sentences, 4), wherever a text ends.

    What a sentence is read as depends on its neighbours and on its place. So the text is read with
    its first sentences only, and with its last: one more sentence hides no facet then.
    """
    n = len(sentences)
    likely = roles(sentences)[:MOST] >= LIKELY
    for cut in range(1, min(n, MOST)):
        likely[:cut] |= roles(sentences[:cut]) >= LIKELY
        likely[cut:] |= roles(sentences[cut:n])[: len(likely) - cut] >= LIKELY
    return likely


SAME_PLACE: Final = 2.0
"""What two numbers need to have in common so that one stands in the place of the other."""
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
    thresholds: Mapping[q.Facet, tuple[float, ...]]
    cuts: Mapping[q.Facet, tuple[float, ...]]

    def score(self, features: tuple[float, ...]) -> float:
        """The summary's coverage of a facet on one line for all facets, higher is better."""
        pairs = zip(self.coefficients, features, strict=True)
        return round(sum(coefficient * number for coefficient, number in pairs), DIGITS)

    def probabilities(self, facet: q.Facet, score: float) -> tuple[float, ...]:
        """How probable each rating of the facet's scale is, from 1 on; they sum to 1."""
        below = [0.0, *(chance(t - score) for t in self.thresholds[facet]), 1.0]
        return tuple(after - before for before, after in pairwise(below))

    def coverage(self, score: float) -> int:
        """How much of the facet is covered, 0 to 100: 50 at the mean of all thresholds."""
        means = [sum(steps) / len(steps) for steps in self.thresholds.values()]
        return round(100 * chance(score - sum(means) / len(means)))

    def rating(self, facet: q.Facet, score: float) -> int:
        """The rating, 1 to the facet's scale."""
        return 1 + sum(score >= cut for cut in self.cuts[facet])


@cache
def rating_model() -> RatingModel:
    """The model that ships with the judge."""
    arrays = learned("ratings")
    return RatingModel(
        coefficients=tuple(arrays["coefficients"].tolist()),
        thresholds={facet: tuple(arrays[f"{facet}_thresholds"].tolist()) for facet in q.FACETS},
        cuts={facet: tuple(arrays[f"{facet}_cuts"].tolist()) for facet in q.FACETS},
    )


def _stands_in(facet: str, summary: str) -> bool:
    """Whether a summary has every sentence of a facet word for word."""
    return set(sentence_texts(facet)) <= set(sentence_texts(summary))


def contradiction(pair: q.FacetPair, reference: str, summary: str) -> Conflict | None:
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
    return _contradicted_number(facet, sentence_texts(summary), known)


def _contradicted_number(
    facet: tuple[str, ...], summary: tuple[str, ...], known: tuple[str, ...]
) -> Conflict | None:
    """A number of a summary in the place of one of the facet that the summary states nowhere.

    Of the summary only the sentence that is closest to the facet's can say it otherwise: one that
    goes into detail beside it has numbers of its own.
    """
    closest = {
        sentence: rank_sentences(dict.fromkeys(content_words(sentence)), summary)[:1]
        for sentence in facet
    }
    for place, sentence in enumerate(summary):
        unstated = () if sentence in known else unstated_figures(sentence, known)
        for each in compare_numbers(sentence, facet, unstated, close=SAME_PLACE).contradicted:
            partner = each.partner
            if place in closest[partner.sentence] and any(
                partner.start == n.start for n in unstated_figures(partner.sentence, summary)
            ):
                return in_number(each)
    return None


def vetoed(rating: int, conflict: Conflict) -> int:
    """What a conflict leaves of a rating, 1 or more: of numbers 1, of words one less.

    Conflicts that are read off words are wrong too often for more.
    """
    return 1 if conflict.is_of_numbers else max(1, rating - 1)


def rate_all(question: q.RateFacets) -> tuple[q.FacetRating, ...]:
    """One rating for each pair, 1 to its scale, its coverage, the reason, and how sure it is.

    What the summary says counts wherever it stands. Without whole texts, the segments of all pairs
    together are the texts.
    """
    pairs = question.pairs
    reference = question.reference or "\n".join(pair.reference for pair in pairs)
    summary = question.summary or "\n".join(pair.candidate for pair in pairs)
    measured = overlaps(replace(question, reference=reference, summary=summary))
    return tuple(_rate(*each, reference, summary) for each in zip(pairs, measured, strict=True))


def _rate(pair: q.FacetPair, overlap: FacetOverlap, reference: str, summary: str) -> q.FacetRating:
    model = rating_model()
    conflict = contradiction(pair, reference, summary)
    score = model.score(overlap.features)
    chances = model.probabilities(pair.facet, score)
    reason = overlap.reason
    if overlap.is_whole or _stands_in(pair.reference, summary):
        rating, coverage, confidence = q.SCALES[pair.facet], 100, WHOLE_CONFIDENCE
    else:
        rating, coverage = model.rating(pair.facet, score), model.coverage(score)
        least, most = overlap.bounds
        rating = max(least, min(most, rating))
        confidence = chances[rating - 1]
        if most == 1:
            reason = f"left out; {reason}"
        elif overlap.stated < CLEAR:
            reason += f"; no sentence clearly states the {pair.facet}"
    if conflict is not None:
        coverage = coverage * vetoed(rating, conflict) // rating
        rating = vetoed(rating, conflict)
        confidence = min(CONFLICT_CONFIDENCE, chances[rating - 1])
        reason = f"{conflict}; {reason}"
    return q.FacetRating(
        facet=pair.facet,
        reason=reason,
        rating=rating,
        coverage=coverage,
        confidence=round(confidence, 3),
        undecided=conflict is not None,
        disputes=() if conflict is None else conflict.disputes,
    )

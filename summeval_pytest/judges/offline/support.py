"""Support and evidence of a sentence in a source, by the embedded judge.

A word weighs by its rarity in the source, idf = ln(1 + (n - df + .5) / (df + .5)), the form that
stays positive in a source of 26 sentences; a word that every abstract uses weighs three tenths. A
sentence is near by the weight it shares, with half a BM25 (k1 = 1.2, b = .75, a word counted once)
on top, so that of two that share the same the shorter is nearer. Words are looked up by the
sentences that hold them, so a claim costs as little in an article as in an abstract.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from math import log1p
from typing import Final

from summeval_pytest.judges.offline.conflicts import in_number, words_found
from summeval_pytest.judges.offline.copies import find_conflict
from summeval_pytest.judges.offline.learned import chance, logit, rarity
from summeval_pytest.questions import SentenceCheck
from summeval_pytest.text.contradictions import compare_numbers
from summeval_pytest.text.numbers import unstated_figures
from summeval_pytest.text.words import GENERIC, content_words, places_of

DEPTH: Final = 10
"""So many of the nearest sentences are looked at."""
NEAR: Final = 5
"""A number, or a phrase, may stand in one of so many."""
_BM25_SHARE: Final = 0.5
K1: Final = 1.2
B: Final = 0.75
GENERIC_WEIGHT: Final = 0.3
"""How much a word that every abstract uses counts beside one that is this paper's own."""
RARE: Final = 0.5
"""A word that is as rare as this names a paper's own subject."""
KEPT: Final = 64
"""So many sources are kept with their index: a suite asks about one again for each system."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimOverlap:
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
        n_rare: How many of them the source has that few texts have (`RARE`).
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
    n_rare: int

    @property
    def best(self) -> float:
        """What the sentence that carries most carries."""
        return max(self.shares, default=0.0)

    def nearest(self, n: int) -> float:
        """What the nearest sentences, so many of them, carry together."""
        return min(1.0, sum(self.gains[:n]))


class SourceIndex:
    """The sentences of one source, found by their words."""

    def __init__(self, sentences: tuple[str, ...]) -> None:
        self.sentences = sentences
        self._words = [content_words(sentence) for sentence in sentences]
        self._bags = [dict.fromkeys(words) for words in self._words]
        self.places = places_of(sentences)
        n = len(sentences)
        self._weights = {word: _weight(word, n, len(at)) for word, at in self.places.items()}
        self._rare = frozenset(word for word in self.places if rarity(word) >= RARE)
        self._masses = [sum(map(self._weights.__getitem__, bag)) for bag in self._bags]
        mean = max(1.0, sum(map(len, self._words)) / max(1, n))
        self._factors = [
            1 + _BM25_SHARE * (K1 + 1) / (1 + K1 * (1 - B + B * len(words) / mean))
            for words in self._words
        ]

    def overlap(self, claim: str) -> ClaimOverlap:
        """What a claim shares with the sentences nearest to it; of equally near ones, the first."""
        words = content_words(claim)
        known: dict[str, float] = {}
        shared: defaultdict[int, float] = defaultdict(float)
        total = 0.0
        for word in dict.fromkeys(words):
            weight = self._weights.get(word)
            if weight is None:
                total += _weight(word, len(self.sentences), 0)
                continue
            total += weight
            known[word] = weight
            for place in self.places[word]:
                shared[place] += weight
        factors = self._factors
        near = sorted([(-weight * factors[p], p) for p, weight in shared.items()])[:DEPTH]
        places = tuple(place for _, place in near)
        around, pairs = places[:NEAR], _pairs(words)
        n_phrases = max((len(pairs & _pairs(self._words[place])) for place in around), default=0)
        numbers = {word for word in words if word[0].isdigit()}
        n_numbers = sum(any(n in self._bags[place] for place in around) for n in numbers)
        return ClaimOverlap(
            places=places,
            shares=tuple([min(1.0, shared[place] / total) for place in places]),
            gains=tuple([gain / total for gain in self._gains(known, places)]),
            nearness=tuple([weight / near[0][0] for weight, _ in near]),
            anywhere=min(1.0, sum(known.values()) / total) if total else 0.0,
            phrases=n_phrases / len(pairs) if pairs else 0.0,
            likeness=max(
                (shared[p] / (total + self._masses[p] - shared[p]) for p in around), default=0.0
            ),
            numbers=n_numbers / len(numbers) if numbers else 1.0,
            n_words=len(set(words)),
            n_rare=len(self._rare.intersection(known)),
        )

    def _gains(self, known: dict[str, float], places: tuple[int, ...]) -> Iterator[float]:
        rest = dict(known)
        for place in places:
            gained = [word for word in rest if word in self._bags[place]]
            yield sum(map(rest.pop, gained))


@lru_cache(maxsize=8192)
def _pairs(words: tuple[str, ...]) -> frozenset[str]:
    """The different pairs of neighbouring words."""
    return frozenset(map(" ".join, pairwise(words)))


def _weight(word: str, n_sentences: int, n_with_it: int) -> float:
    idf = log1p((n_sentences - n_with_it + 0.5) / (n_with_it + 0.5))
    return GENERIC_WEIGHT * idf if word in GENERIC else idf


source_index = lru_cache(maxsize=KEPT)(SourceIndex)
"""The index of a source, kept for the next claims about it."""


def evidence_features(overlap: ClaimOverlap) -> list[tuple[float, ...]]:
    """What is known of each of the nearest sentences, the nearest first; all 0 to 1."""
    best = overlap.best or 1.0
    each = zip(overlap.shares, overlap.gains, overlap.nearness, strict=True)
    return [(share, gain, nearness, share / best) for share, gain, nearness in each]


def evidence_of(overlap: ClaimOverlap) -> tuple[int, ...]:
    """The sentences that carry a claim, the nearest first.

    The nearest is among them if it shares a word at all, another if it is likely enough that a
    reader would name it (the learned start has that likelihood in it).
    """
    ranked = zip(overlap.places, evidence_features(overlap), strict=True)
    first = overlap.places[:1]
    return tuple(p for p, features in ranked if p in first or logit("evidence", features) >= 0.0)


IN_ITS_WORDS: Final = 0.45
"""A summary is in the source's words if the source has this share of its words, by weight and on
the mean; one with less is in other words, where overlap decides nothing."""
CLOSE: Final = 0.65
"""With this share, a summary keeps so close to the source that a sentence which does not is new."""
UNRELATED: Final = 0.04
"""A summary that shares no more rare words with the source than one, and this share of its own
words, is about something else: so are 19 of 20 summaries of another paper in golden, and no lay
paraphrase."""
UNRELATED_FROM: Final = 20
"""A shorter summary, in words of content, often shares no rare word: an answer to a question. It is
about something else only if the source has no more than `FOREIGN` of its words."""
FOREIGN: Final = 0.15
TOGETHER: Final = 0.75
"""Of what the whole source has of a sentence, the five closest sentences have to have this share:
else its words are the source's, but not what it says with them. In long bills, that condemns a
third of the faithful sentences. In long papers, the share of supported sentences goes with experts
much less without it (.40 for .64)."""
LEAST_SHARED: Final = 0.1
"""With less in the five closest sentences, a sentence is new. With `CLOSE` and `UNRELATED_FROM` it
was set so that few faithful paraphrases, and at most 5 % of the faithful sentences of QAGS,
StorySumm, InfoLossQA and PubMed, are called unsupported."""
COPIED: Final = "stated word for word"
"""The reason for a claim that stands there as a sentence."""
LEAST_WORDS: Final = 3
"""Fewer informative words are a heading or a fragment, which says nothing to support."""
_AFTER_MISSING: Final = 0.75
"""What is left of it where a number is neither stated nor contradicted."""
_AFTER_CONFLICT: Final = 0.5
"""What is left of the chance after a conflict: readers call half as many supported."""


def support_sentences(
    sentences: tuple[str, ...], source: tuple[str, ...]
) -> tuple[SentenceCheck, ...]:
    """Whether the sentences of a source carry each sentence of a summary.

    ``support`` is the chance that readers call a sentence supported, as learned from labelled
    sentences (``tools/fitting/support.py``): half of it after a conflict, 1 for a sentence of the
    source. No sentence with a conflict is ``supported``. Low overlap proves nothing by itself, for
    a faithful sentence may use other words; so it decides only in a summary that otherwise is in
    the source's words (`IN_ITS_WORDS`), or that shares no more with the source than any other
    would (`UNRELATED`).
    """
    index = source_index(source)
    overlaps = [index.overlap(sentence) for sentence in sentences]
    own = [
        overlap
        for overlap, sentence in zip(overlaps, sentences, strict=True)
        if overlap.n_words >= LEAST_WORDS and sentence not in source
    ]
    n_words = sum(overlap.n_words for overlap in own)
    n_rare = sum(overlap.n_rare for overlap in own)
    alike = sum(overlap.anywhere for overlap in own) / max(1, len(own))
    is_short = n_words < UNRELATED_FROM and alike > FOREIGN
    is_unrelated = bool(own) and n_rare <= 1 + UNRELATED * n_words and not is_short
    return tuple(
        _support(sentence, index, overlap, is_unrelated=is_unrelated, alike=alike)
        for sentence, overlap in zip(sentences, overlaps, strict=True)
    )


def _support(
    sentence: str, index: SourceIndex, overlap: ClaimOverlap, *, is_unrelated: bool, alike: float
) -> SentenceCheck:
    source = index.sentences
    if sentence in source:
        place = source.index(sentence)
        return SentenceCheck(reason=COPIED, supported=True, evidence=(place,), support=1.0)
    evidence = evidence_of(overlap)
    strength = chance(logit("support", strength_features(overlap)))
    near = [source[place] for place in overlap.places[:NEAR]]
    numbers = compare_numbers(sentence, near, unstated_figures(sentence, source))
    conflict = next(map(in_number, numbers.contradicted), None) or find_conflict(sentence, near)
    if conflict is not None:
        return SentenceCheck(
            reason=str(conflict),
            supported=False,
            evidence=conflict.evidence_in(source, evidence),
            support=_AFTER_CONFLICT * strength,
            undecided=True,
            conflict=True,
            disputes=conflict.disputes,
            error="direction" if conflict.kind == "change" else conflict.kind,
        )
    fault = _too_little(overlap, alike)
    if is_unrelated:
        fault = "the summary has so few of its rare words that it may be of another paper"
    missing = [word for word in content_words(sentence) if word not in index.places]
    reason = words_found(sentence, missing)
    reason += f"; the {NEAR} closest sentences have {overlap.nearest(NEAR):.0%} of its words"
    if numbers.missing:
        strength *= _AFTER_MISSING
    if fault:
        reason += f"; {fault}"
    elif alike < IN_ITS_WORDS:
        reason += "; the whole summary is in other words, so this decides nothing"
    return SentenceCheck(
        reason=reason,
        supported=not fault,
        evidence=evidence,
        support=strength,
        missing=tuple(each.text for each in numbers.missing),
    )


def strength_features(overlap: ClaimOverlap) -> tuple[float, ...]:
    """What the chance that a sentence is supported depends on; none of it counts against it."""
    together = overlap.nearest(3)
    return (overlap.best, together, overlap.phrases, overlap.likeness, overlap.numbers)


def _too_little(overlap: ClaimOverlap, alike: float) -> str:
    """Why a sentence is unsupported for its overlap alone; empty where it is not."""
    if overlap.n_words < LEAST_WORDS or alike < IN_ITS_WORDS:
        return ""
    if overlap.nearest(NEAR) < TOGETHER * overlap.anywhere:
        return f"the whole source has {overlap.anywhere:.0%}, but far apart"
    if overlap.nearest(NEAR) < LEAST_SHARED and alike >= CLOSE:
        return f"at least {LEAST_SHARED:.0%} needed"
    return ""

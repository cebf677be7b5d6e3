"""Whether sentences carry a claim: enough of its words, together, and no conflict with them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from summeval_pytest.judges.offline.conflicts import find_conflict
from summeval_pytest.judges.offline.logistic import chance, logit
from summeval_pytest.judges.offline.numbers import missing_number
from summeval_pytest.judges.offline.sentences.evidence import evidence_of
from summeval_pytest.judges.offline.sentences.source_index import NEAR, source_index

if TYPE_CHECKING:
    from summeval_pytest.judges.offline.sentences.source_index import Overlap, SourceIndex

TOLD_ALIKE: Final = 0.45
"""A summary of whose words the source has this share, by weight and on the mean, is told in the
source's words; one with less is told in other words, where overlap decides nothing."""
UNRELATED: Final = 0.04
"""A summary that shares no more rare words with the source than one, and this share of its own
words, is about something else: so are 19 of 20 summaries of another paper in golden, and no lay
paraphrase."""
TOGETHER: Final = 0.75
"""Of what the whole source has of a sentence, the five closest sentences have to have this share:
else its words are the source's, but not what it says with them."""
LEAST_STRENGTH: Final = 0.46
"""Below this chance a sentence is called unsupported for its overlap alone."""
LEAST_WORDS: Final = 3
"""Fewer informative words are a heading or a fragment, which says nothing to support."""
_AFTER_CONFLICT: Final = 0.5
"""What is left of the chance where a conflict is seen: readers call half as many supported."""


class Support(NamedTuple):
    """What was found for one claim: ``strength`` 0 to 1, evidence with the best sentence first.

    ``undecided`` says that a conflict was seen, which a reader has to decide; ``number_conflict``
    that it is one of numbers.
    """

    holds: bool
    strength: float
    evidence: tuple[int, ...]
    reason: str
    undecided: bool = False
    number_conflict: bool = False


def support_sentences(sentences: tuple[str, ...], source: tuple[str, ...]) -> tuple[Support, ...]:
    """Whether the sentences of a source carry each sentence of a summary.

    ``strength`` is the chance that readers call a sentence supported, as learned from labelled
    sentences (``tests/fitting/support.py``): half of it where a conflict is seen, 1 for a sentence
    of the source. ``holds`` is false where a conflict is seen. Low overlap proves nothing by
    itself, for a faithful sentence may use other words; so it decides only in a summary that
    otherwise is told in the source's words (`TOLD_ALIKE`), or that shares no more with the source
    than any other would (`UNRELATED`).
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
    is_unrelated = bool(own) and n_rare <= 1 + UNRELATED * n_words
    is_alike = bool(own) and sum(overlap.anywhere for overlap in own) >= TOLD_ALIKE * len(own)
    return tuple(
        _support(sentence, index, overlap, is_unrelated=is_unrelated, is_alike=is_alike)
        for sentence, overlap in zip(sentences, overlaps, strict=True)
    )


def _support(
    sentence: str, index: SourceIndex, overlap: Overlap, *, is_unrelated: bool, is_alike: bool
) -> Support:
    if sentence in index.sentences:
        return copied_from(index.sentences.index(sentence))
    evidence = evidence_of(overlap)
    strength = chance(logit("support", strength_features(overlap)))
    near = [index.sentences[place] for place in overlap.places[:NEAR]]
    conflict = missing_number(sentence, near, index.sentences) or find_conflict(sentence, near)
    if conflict is not None:
        if conflict.sentence is not None:
            first = index.sentences.index(conflict.sentence)
            evidence = (first, *(place for place in evidence if place != first))
        strength *= _AFTER_CONFLICT
        return Support(
            holds=False,
            strength=strength,
            evidence=evidence,
            reason=conflict.told,
            undecided=True,
            number_conflict=conflict.is_of_numbers,
        )
    fault = _too_little(overlap, strength) if is_alike else None
    if is_unrelated:
        fault = "the summary shares no more rare words with the source than one of another paper"
    reason = f"{overlap.best_five:.0%} of its words, by weight, in the five closest sentences"
    if fault is not None:
        return Support(
            holds=False, strength=strength, evidence=evidence, reason=f"{reason}; {fault}"
        )
    if not is_alike:
        reason += "; the summary is told in other words, so this decides nothing"
    return Support(holds=True, strength=strength, evidence=evidence, reason=reason)


def strength_features(overlap: Overlap) -> tuple[float, ...]:
    """What the chance that a sentence is supported depends on; none of it counts against it."""
    return (
        overlap.best,
        overlap.best_three,
        overlap.phrases,
        overlap.likeness,
        overlap.numbers,
    )


def _too_little(overlap: Overlap, strength: float) -> str | None:
    """Why a sentence is unsupported for its overlap alone, in a summary told in like words."""
    if overlap.n_words < LEAST_WORDS:
        return None
    if overlap.best_five < TOGETHER * overlap.anywhere:
        return f"{overlap.anywhere:.0%} in the whole source, so they stand apart"
    if strength < LEAST_STRENGTH:
        return f"{strength:.0%} of such sentences are supported, {LEAST_STRENGTH:.0%} needed"
    return None


def copied_from(place: int) -> Support:
    """What is found for a claim that stands there as a sentence."""
    return Support(holds=True, strength=1.0, evidence=(place,), reason="stated word for word")

"""Which sentences of an abstract state background, method, result and conclusion.

A sentence's evidence for each facet (cue phrases, numbers, place in the text) is read along the
sequence with the order in which abstracts are written, by the Viterbi algorithm. A label such as
"Methods:" decides for the sentences up to the next label. A facet that no sentence got this way
shares the sentences with a clear cue for it: "we gave 40 mice zinc, and survival rose" is both.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import numpy as np

from summeval_pytest.judges.offline.lexicon import CUES, HEADINGS
from summeval_pytest.questions import FACETS, Facet, FacetSegments
from summeval_pytest.text import split_sentences

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

_HEADING_WEIGHT: Final = 8.0
_CLEAR_CUE: Final = 1.0
"""Cue evidence from which a sentence speaks clearly for a facet."""
_CUE_LIMIT: Final = 2
"""A group of cues counts at most twice in a sentence."""
_NUMBER = re.compile(r"\d")
_NO_NUMBER: Final = 0.3
"""What a sentence without a number loses as a result."""

# Log-odds of a facet at a place from 0 (first sentence) to 1 (last): centre, half width, height.
_PLACES: Final = ((0.0, 0.35, 0.8), (0.35, 0.35, 0.35), (0.65, 0.4, 0.4), (1.0, 0.25, 0.8))

# From row to column, in the order of FACETS: abstracts stay or go forward, seldom back.
_ORDER: Final = np.array(
    [
        [0.0, -0.3, -0.9, -2.0],
        [-2.0, 0.0, -0.2, -1.6],
        [-2.5, -1.2, 0.0, -0.4],
        [-2.5, -2.0, -1.2, 0.0],
    ]
)


def cue_evidence(sentences: Sequence[str]) -> NDArray[np.float64]:
    """How much the words of each sentence speak for each facet: one row a sentence."""
    evidence = np.zeros((len(sentences), len(FACETS)))
    for row, sentence in enumerate(sentences):
        for column, facet in enumerate(FACETS):
            for pattern, weight in CUES[facet]:
                hits = sum(1 for _ in zip(pattern.finditer(sentence), range(_CUE_LIMIT), strict=False))
                evidence[row, column] += weight * hits
    return evidence


def heading_evidence(sentences: Sequence[str]) -> NDArray[np.float64]:
    """The weight of the label under which each sentence stands, if any does."""
    evidence = np.zeros((len(sentences), len(FACETS)))
    heading = None
    for row, sentence in enumerate(sentences):
        opened = [column for column, f in enumerate(FACETS) if HEADINGS[f].match(sentence)]
        heading = opened[0] if opened else heading
        if heading is not None:
            evidence[row, heading] = _HEADING_WEIGHT
    return evidence


def place_evidence(sentences: Sequence[str]) -> NDArray[np.float64]:
    """How much the place of each sentence, and having no number, speaks for each facet."""
    places = np.arange(len(sentences)) / max(1, len(sentences) - 1)
    evidence = np.stack(
        [
            height * np.maximum(0.0, 1.0 - np.abs(places - centre) / (2 * width))
            for centre, width, height in _PLACES
        ],
        axis=1,
    )
    bare = [not _NUMBER.search(sentence) for sentence in sentences]
    evidence[bare, FACETS.index("result")] -= _NO_NUMBER
    return evidence


def best_path(evidence: NDArray[np.float64]) -> list[int]:
    """The facets (columns) with the greatest sum of evidence and order along the sequence."""
    if not len(evidence):
        return []
    total = evidence[0]
    back = []
    for row in evidence[1:]:
        reached = total[:, None] + _ORDER
        back.append(reached.argmax(axis=0))
        total = reached.max(axis=0) + row
    path = [int(total.argmax())]
    for choice in reversed(back):
        path.append(int(choice[path[-1]]))
    return path[::-1]


def segment(text: str) -> FacetSegments:
    """The sentences of each facet, joined in order; every sentence belongs to at least one."""
    sentences = [sentence.text for sentence in split_sentences(text)]
    cues = cue_evidence(sentences)
    headings = heading_evidence(sentences)
    path = best_path(cues + headings + place_evidence(sentences))
    segments: dict[Facet, str] = {}
    for column, facet in enumerate(FACETS):
        chosen = [row for row, best in enumerate(path) if best == column]
        if not chosen and not headings.any():
            chosen = [row for row, cue in enumerate(cues) if cue[column] >= _CLEAR_CUE]
        segments[facet] = " ".join(sentences[row] for row in chosen)
    return FacetSegments(**segments)

"""Which sentences of an abstract state background, method, result and conclusion.

A sentence's evidence for each facet (cue phrases, tense, numbers, place in the text) is read along
the sequence with the order in which abstracts are written, by the Viterbi algorithm. A label such
as "Methods:" decides where it stands. A facet that no sentence got this way shares the sentences
with a clear cue for it: "we gave 40 mice zinc, and survival rose" is both.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import numpy as np

from summeval_pytest.judges.offline.labels import label_evidence, pieces_of
from summeval_pytest.judges.offline.lexicon import CUES, PAST_TENSE
from summeval_pytest.questions import FACETS, Facet, FacetSegments

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

_CLEAR_CUE: Final = 1.0
"""Cue evidence from which a sentence speaks clearly for a facet."""
_CUE_LIMIT: Final = 2
"""A group of cues counts at most twice in a sentence."""
_NUMBER = re.compile(r"\d")
_NO_NUMBER: Final = 0.3
"""What a sentence without a number loses as a result."""
_TENSE: Final = 0.3
"""What the past tense adds to method and result, and its absence to the other two."""

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


def place_evidence(sentences: Sequence[str]) -> NDArray[np.float64]:
    """How much the place of each sentence, its tense, and having no number speak for each facet."""
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
    past = np.array([bool(PAST_TENSE.search(sentence)) for sentence in sentences], dtype=bool)
    evidence[past, 1:3] += _TENSE
    evidence[~past, 0] += _TENSE
    evidence[~past, 3] += _TENSE
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
    """The sentences of each facet, joined in order."""
    sentences = pieces_of(text)
    cues = cue_evidence(sentences)
    labels = label_evidence(sentences)
    path = best_path(cues + labels + place_evidence(sentences))
    segments: dict[Facet, str] = {}
    for column, facet in enumerate(FACETS):
        chosen = [row for row, best in enumerate(path) if best == column]
        if not chosen and not labels.any():
            chosen = [row for row, cue in enumerate(cues) if cue[column] >= _CLEAR_CUE]
        segments[facet] = " ".join(sentences[row] for row in chosen)
    return FacetSegments(**segments)

"""Which sentences of an abstract state background, method, result and conclusion.

A sentence's evidence for each facet (cue phrases, tense, numbers, place in the text) is read along
the sequence with the order in which abstracts are written, by the Viterbi algorithm. A label such
as "Methods:" decides where it stands. A facet that no sentence got this way shares the sentences
with a clear cue for it: "we gave 40 mice zinc, and survival rose" is both.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING, Final

import numpy as np

from summeval_pytest.judges.offline.cues import CUES, PAST_TENSE
from summeval_pytest.judges.offline.labels import LABEL_WEIGHT, label_evidence, pieces_of
from summeval_pytest.questions import FACETS, Facet, FacetSegments

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

_CLEAR_CUE: Final = 1.0
"""Cue evidence from which a sentence speaks clearly for a facet."""
_CUE_LIMIT: Final = 2
"""A group of cues counts at most twice in a sentence."""
_RESULT: Final = FACETS.index("result")
_TOLD: Final = [FACETS.index("method"), _RESULT]
_CLAIMED: Final = [FACETS.index("background"), FACETS.index("conclusion")]
_NUMBER = re.compile(r"\d")
_TELLING: Final = 0.5
"""What tense, or whether there is a number, tells of a sentence: half as much as a cue."""

# Log-odds of a facet at a place from 0 (first sentence) to 1 (last): centre, half width, height.
_PLACES: Final = ((0.0, 0.35, 1.2), (0.35, 0.35, 0.5), (0.65, 0.4, 0.6), (1.0, 0.25, 1.2))

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
                hits = islice(pattern.finditer(sentence), _CUE_LIMIT)
                evidence[row, column] += weight * sum(1 for _ in hits)
    return evidence


def place_evidence(sentences: Sequence[str]) -> NDArray[np.float64]:
    """How much the place of each sentence speaks for each facet."""
    places = np.arange(len(sentences)) / max(1, len(sentences) - 1)
    return np.stack(
        [
            height * np.maximum(0.0, 1.0 - np.abs(places - centre) / (2 * width))
            for centre, width, height in _PLACES
        ],
        axis=1,
    )


def form_evidence(sentences: Sequence[str]) -> NDArray[np.float64]:
    """How much the form of each sentence speaks for each facet.

    Method and result are told in the past tense, background and conclusion are not; results have
    numbers, background and conclusion seldom do.
    """
    evidence = np.zeros((len(sentences), len(FACETS)))
    for row, sentence in enumerate(sentences):
        evidence[row, _TOLD if PAST_TENSE.search(sentence) else _CLAIMED] += _TELLING
        evidence[row, _CLAIMED if _NUMBER.search(sentence) else [_RESULT]] -= _TELLING
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


def path_by_more_than_place(spoken: NDArray[np.float64], place: NDArray[np.float64]) -> list[int]:
    """The best path, without a background or conclusion that nothing but its place speaks for.

    Args:
        spoken: What the sentences' own words and form say.
        place: What their place says.
    """
    allowed = spoken + place
    path = best_path(allowed)
    for column in _CLAIMED:
        rows = [row for row, best in enumerate(path) if best == column]
        if rows and len(set(path)) > 1 and max(spoken[row, column] for row in rows) <= 0.0:
            allowed[:, column] -= LABEL_WEIGHT
            path = best_path(allowed)
    return path


def segment(text: str) -> FacetSegments:
    """The sentences of each facet, joined in order."""
    sentences = pieces_of(text)
    cues = cue_evidence(sentences)
    labels = label_evidence(sentences)
    path = path_by_more_than_place(
        cues + labels + form_evidence(sentences), place_evidence(sentences)
    )
    segments: dict[Facet, str] = {}
    for column, facet in enumerate(FACETS):
        chosen = [row for row, best in enumerate(path) if best == column]
        if not chosen and not labels.any():
            chosen = [row for row, cue in enumerate(cues) if cue[column] >= _CLEAR_CUE]
        segments[facet] = " ".join(sentences[row] for row in chosen)
    return FacetSegments(**segments)

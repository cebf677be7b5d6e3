"""What the embedded judge reads off summaries that people rated, before anything is fitted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from summeval_pytest.judges.offline.facets.labels import label_evidence, pieces_of
from summeval_pytest.judges.offline.facets.overlap import NAMES, overlaps
from summeval_pytest.judges.offline.facets.rating import contradiction
from summeval_pytest.judges.offline.facets.segmentation import facet_rows
from summeval_pytest.judges.training.data import records
from summeval_pytest.judges.training.role_texts import SEGMENTED
from summeval_pytest.questions import FACETS, SCALES, Facet, FacetPair, FacetSegments
from summeval_pytest.text import normalise

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from summeval_pytest.judges.offline.conflicts.conflict import ConflictKind
    from summeval_pytest.judges.offline.facets.overlap import Roles

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

RATED: Final = "_human_list"
SCALE: Final = tuple(SCALES[facet] for facet in FACETS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rated:
    """A summary that people rated; a facet that the reference does not state is rated 0."""

    reference: str
    summary: str
    ratings: tuple[int, ...]
    overall: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """What the judge reads off all summaries.

    Attributes:
        numbers: Shape (summaries, facets, features); 0 where a facet is not stated on both sides.
        stated: Whether the reference states the facet, (summaries, facets).
        said: Whether both texts state it: then it is rated, otherwise it is rated 1.
        kinds: By summary and facet, the kind of the conflict that vetoes its rating, if any does.
        ratings: People's, 0 for none, (summaries, facets).
        overall: People's overall score.
        papers: The paper of each summary, as a number.
    """

    numbers: Floats
    stated: NDArray[np.bool_]
    said: NDArray[np.bool_]
    kinds: tuple[Mapping[int, ConflictKind], ...]
    ratings: Ints
    overall: Floats
    papers: Ints


def rated_summaries(folder: Path) -> list[Rated]:
    """All summaries of the set with people's ratings."""
    return [
        Rated(
            reference=normalise(paper["human"]),
            summary=normalise(paper[key.removesuffix(RATED)]),
            ratings=tuple(
                round(share * scale) for share, scale in zip(paper[key], SCALE, strict=True)
            ),
            overall=paper[key.removesuffix("_list")],
        )
        for paper in records(folder, SEGMENTED)
        for key in sorted(paper)
        if key.endswith(RATED)
    ]


def segments_by(roles: Roles, text: str) -> FacetSegments:
    """What `segmentation.segment` gives, by these roles."""
    sentences = pieces_of(text)
    rows = facet_rows(roles(sentences), shared=not label_evidence(sentences).any())
    segments: dict[Facet, str] = {
        facet: " ".join(sentences[row] for row in chosen)
        for facet, chosen in zip(FACETS, rows, strict=True)
    }
    return FacetSegments(**segments)


def table_of(rated: Sequence[Rated], roles: Mapping[str, Roles]) -> Table:
    """What the judge reads off each summary, by its own segments.

    Args:
        rated: The summaries.
        roles: By reference, what tells the roles of sentences for that paper.
    """
    shape = (len(rated), len(FACETS))
    numbers = np.zeros((*shape, len(NAMES)))
    stated, said = np.zeros(shape, dtype=np.bool_), np.zeros(shape, dtype=np.bool_)
    kinds: list[dict[int, ConflictKind]] = []
    for row, one in enumerate(rated):
        told = roles[one.reference]
        theirs, ours = segments_by(told, one.reference), segments_by(told, one.summary)
        stated[row] = [bool(theirs.segment(facet)) for facet in FACETS]
        said[row] = stated[row] & np.array([bool(ours.segment(facet)) for facet in FACETS])
        columns = np.flatnonzero(said[row])
        pairs = tuple(
            FacetPair(facet=f, reference=theirs.segment(f), candidate=ours.segment(f))
            for f in (FACETS[column] for column in columns)
        )
        kinds.append(
            {
                int(column): conflict.kind
                for column, pair in zip(columns, pairs, strict=True)
                if (conflict := contradiction(pair)) is not None
            }
        )
        if pairs:
            numbers[row, columns] = [overlap.features for overlap in overlaps(pairs, told)]
    known = list(dict.fromkeys(one.reference for one in rated))
    return Table(
        numbers=numbers,
        stated=stated,
        said=said,
        kinds=tuple(kinds),
        ratings=np.array([one.ratings for one in rated]),
        overall=np.array([one.overall for one in rated]),
        papers=np.array([known.index(one.reference) for one in rated]),
    )

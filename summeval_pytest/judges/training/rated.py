"""What the embedded judge reads off summaries that people rated, before anything is fitted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from summeval_pytest.judges.offline.facets.overlap import NAMES, overlaps
from summeval_pytest.judges.offline.facets.rating import contradiction
from summeval_pytest.judges.offline.facets.segmentation import segment
from summeval_pytest.judges.training.data import records
from summeval_pytest.judges.training.role_texts import SEGMENTED
from summeval_pytest.questions import FACETS, SCALES, FacetPair
from summeval_pytest.text import normalise

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from summeval_pytest.judges.offline.conflict import Conflict
    from summeval_pytest.judges.offline.facets.roles import Roles

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
        held: Whether the summary has any word of the facet, (summaries, facets).
        stated: Whether the reference states the facet, (summaries, facets).
        said: Whether both texts state it: then it is rated, otherwise it is rated 1.
        conflicts: By summary and facet, the conflict that vetoes its rating, if any does.
        ratings: People's, 0 for none, (summaries, facets).
        overall: People's overall score.
        papers: The paper of each summary, as a number.
    """

    numbers: Floats
    held: NDArray[np.bool_]
    stated: NDArray[np.bool_]
    said: NDArray[np.bool_]
    conflicts: tuple[Mapping[int, Conflict], ...]
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


def table_of(rated: Sequence[Rated], roles: Mapping[str, Roles]) -> Table:
    """What the judge reads off each summary, by its own segments.

    Args:
        rated: The summaries.
        roles: By reference, what tells the roles of sentences for that paper.
    """
    shape = (len(rated), len(FACETS))
    numbers = np.zeros((*shape, len(NAMES)))
    stated, said, held = (np.zeros(shape, dtype=np.bool_) for _ in range(3))
    conflicts: list[dict[int, Conflict]] = []
    for row, one in enumerate(rated):
        told = roles[one.reference]
        theirs, ours = segment(one.reference, told), segment(one.summary, told)
        stated[row] = [bool(theirs.segment(facet)) for facet in FACETS]
        said[row] = stated[row] & np.array([bool(ours.segment(facet)) for facet in FACETS])
        columns = np.flatnonzero(said[row])
        pairs = tuple(
            FacetPair(facet=f, reference=theirs.segment(f), candidate=ours.segment(f))
            for f in (FACETS[column] for column in columns)
        )
        conflicts.append(
            {
                int(column): conflict
                for column, pair in zip(columns, pairs, strict=True)
                if (conflict := contradiction(pair, one.reference, one.summary)) is not None
            }
        )
        if pairs:
            found = overlaps(pairs, told)
            numbers[row, columns] = [overlap.features for overlap in found]
            held[row, columns] = [overlap.n_words_found > 0 for overlap in found]
    known = list(dict.fromkeys(one.reference for one in rated))
    return Table(
        numbers=numbers,
        held=held,
        stated=stated,
        said=said,
        conflicts=tuple(conflicts),
        ratings=np.array([one.ratings for one in rated]),
        overall=np.array([one.overall for one in rated]),
        papers=np.array([known.index(one.reference) for one in rated]),
    )

"""Fits ratings of facets to people's, and measures them on papers that the fit has not seen.

    python -m summeval_pytest.judges.training.ratings --data ../shared/data

The set is one half of ScholarSum: people rated each facet of a summary against the reference's.
Segments are the embedded judge's own, as in use. Papers with the same reference stay together.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from summeval_pytest.judges.offline.overlap import NAMES, overlaps
from summeval_pytest.judges.offline.rating import DIGITS
from summeval_pytest.judges.offline.segmentation import segment
from summeval_pytest.judges.training.data import data_folder, records
from summeval_pytest.judges.training.ordinal import OrdinalModel, cut_points, fit_ordinal
from summeval_pytest.judges.training.saving import save
from summeval_pytest.questions import FACETS, SCALES, FacetPair
from summeval_pytest.stats import cohen_kappa, spearman
from summeval_pytest.text import normalise

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

RATED: Final = "_human_list"
SCALE: Final = tuple(SCALES[facet] for facet in FACETS)
WEIGHT: Final = np.array([0.1, 0.3, 0.3, 0.3])
"""The weights of FM (section 4.2), by which a model is measured."""
PENALTY: Final = 10.0
N_FOLDS: Final = 5
SEEDS: Final = range(10)
"""Folds are drawn so many times; figures are means over the draws."""


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
        ratings: People's, 0 for none, (summaries, facets).
        overall: People's overall score.
        papers: The paper of each summary, as a number.
    """

    numbers: Floats
    stated: NDArray[np.bool_]
    said: NDArray[np.bool_]
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
        for paper in records(folder, "scholarsum/pubmed.json")
        for key in sorted(paper)
        if key.endswith(RATED)
    ]


def table_of(rated: Sequence[Rated]) -> Table:
    """What the judge reads off each summary, by its own segments."""
    shape = (len(rated), len(FACETS))
    numbers, stated, said = np.zeros((*shape, len(NAMES))), np.zeros(shape, bool), np.zeros(shape, bool)
    for row, one in enumerate(rated):
        theirs, ours = segment(one.reference), segment(one.summary)
        stated[row] = [bool(theirs.segment(facet)) for facet in FACETS]
        said[row] = stated[row] & [bool(ours.segment(facet)) for facet in FACETS]
        columns = np.flatnonzero(said[row])
        pairs = tuple(
            FacetPair(facet=f, reference=theirs.segment(f), candidate=ours.segment(f))
            for f in (FACETS[column] for column in columns)
        )
        if pairs:
            numbers[row, columns] = [overlap.features for overlap in overlaps(pairs)]
    known = {text: place for place, text in enumerate(dict.fromkeys(one.reference for one in rated))}
    return Table(
        numbers=numbers,
        stated=stated,
        said=said,
        ratings=np.array([one.ratings for one in rated]),
        overall=np.array([one.overall for one in rated]),
        papers=np.array([known[one.reference] for one in rated]),
    )


def fit(table: Table, rows: NDArray[np.bool_]) -> tuple[OrdinalModel, tuple[Floats, ...]]:
    """The model of these summaries, and the cut points of each facet."""
    chosen = table.said & (table.ratings > 0) & rows[:, None]
    numbers, ratings = table.numbers[chosen], table.ratings[chosen]
    groups = np.nonzero(chosen)[1]
    model = fit_ordinal(numbers, groups, ratings, scales=SCALE, penalty=PENALTY)
    scores = model.scores(numbers)
    cuts = tuple(
        cut_points(scores[groups == group], ratings[groups == group], scale)
        for group, scale in enumerate(SCALE)
    )
    return model, cuts


def rate(
    table: Table, model: OrdinalModel, cuts: Sequence[Floats]
) -> tuple[Ints, Floats, Floats]:
    """Ratings, expected ratings and the confidence of each rating, (summaries, facets) each."""
    ratings = np.ones(table.said.shape, dtype=np.int64)
    expected, confidence = np.ones(table.said.shape), np.ones(table.said.shape)
    for group, scale in enumerate(SCALE):
        rows = np.flatnonzero(table.said[:, group])
        scores = model.scores(table.numbers[rows, group])
        chances = model.probabilities(group, scores)
        given = (scores[:, None] >= cuts[group]).sum(axis=1)
        ratings[rows, group] = given + 1
        expected[rows, group] = chances @ np.arange(1, scale + 1)
        confidence[rows, group] = chances[np.arange(len(rows)), given]
    return ratings, expected, confidence


def cross_validated(table: Table, seed: int) -> tuple[Ints, Floats, Floats]:
    """What `rate` gives each summary by a model that has not seen its paper."""
    n_papers = int(table.papers.max()) + 1
    folds = np.random.default_rng(seed).permutation(n_papers)[table.papers] % N_FOLDS
    found = (
        np.ones(table.said.shape, dtype=np.int64),
        np.ones(table.said.shape),
        np.ones(table.said.shape),
    )
    for fold in range(N_FOLDS):
        rated = rate(table, *fit(table, folds != fold))
        for whole, part in zip(found, rated, strict=True):
            whole[folds == fold] = part[folds == fold]
    return found


def overall(table: Table, ratings: NDArray[np.generic]) -> Floats:
    """FM of each summary from its ratings; 0 where its reference states no facet."""
    weights = WEIGHT * table.stated
    total = (weights * ratings / np.array(SCALE)).sum(axis=1)
    score: Floats = total / np.maximum(weights.sum(axis=1), np.finfo(float).tiny)
    return score


def scores_of(table: Table) -> dict[str, float]:
    """How ratings agree with people's on unseen papers, as means over the draws of folds."""
    draws = []
    for seed in SEEDS:
        ratings, expected, _ = cross_validated(table, seed)
        draw = {
            "FM, Spearman": spearman(overall(table, ratings), table.overall),
            "FM by expected ratings, Spearman": spearman(overall(table, expected), table.overall),
        }
        for group, facet in enumerate(FACETS):
            rows = (table.ratings[:, group] > 0) & table.stated[:, group]
            ours, theirs = ratings[rows, group].tolist(), table.ratings[rows, group].tolist()
            draw[f"{facet}, quadratic kappa"] = cohen_kappa(
                ours, theirs, categories=range(1, SCALE[group] + 1), weights="quadratic"
            )
            draw[f"{facet}, exact"] = float(np.mean(np.equal(ours, theirs)))
        draws.append(draw)
    return {
        name: round(float(np.mean([draw[name] or 0.0 for draw in draws])), 3) for name in draws[0]
    }


def main() -> None:
    """Fits, measures, and writes ``weights/ratings``."""
    table = table_of(rated_summaries(data_folder(__doc__)))
    model, cuts = fit(table, np.ones(len(table.papers), bool))
    arrays = {"coefficients": model.coefficients}
    for facet, thresholds, points in zip(FACETS, model.thresholds, cuts, strict=True):
        arrays |= {f"{facet}_thresholds": thresholds, f"{facet}_cuts": points}
    save(
        "ratings",
        {name: np.round(array, DIGITS) for name, array in arrays.items()},
        recipe={
            "command": "python -m summeval_pytest.judges.training.ratings --data ../shared/data",
            "data": ["scholarsum/pubmed.json"],
            "method": f"proportional odds on {', '.join(NAMES)}; penalty {PENALTY:g}; cut points by"
            f" shares; scores are of {N_FOLDS} folds grouped by reference, mean of {len(SEEDS)}"
            " draws, before vetoes",
            "scores": scores_of(table),
        },
    )


if __name__ == "__main__":
    main()

"""Fits ratings of facets to people's, and measures them on papers that the fit has not seen.

    python -m summeval_pytest.judges.training.ratings --data ../shared/data

The set is one half of ScholarSum: people rated each facet of a summary against the reference's.
Segments are the embedded judge's own, as in use, but by models of roles that have not seen the
paper: roles are learned from these papers too, and would be surer here than elsewhere. Papers with
the same reference stay together.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from summeval_pytest.judges.offline.facets.labels import pieces_of
from summeval_pytest.judges.offline.facets.overlap import NAMES
from summeval_pytest.judges.offline.facets.rating import DIGITS, vetoed
from summeval_pytest.judges.training.data import data_folder
from summeval_pytest.judges.training.ordinal import OrdinalModel, cut_points, fit_ordinal
from summeval_pytest.judges.training.rated import SCALE, Table, rated_summaries, table_of
from summeval_pytest.judges.training.role_texts import LABELLED, SEGMENTED, RoleText, role_texts
from summeval_pytest.judges.training.roles import learn
from summeval_pytest.judges.training.saving import save
from summeval_pytest.questions import FACETS
from summeval_pytest.stats import bootstrap_interval, cohen_kappa, spearman

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from summeval_pytest.judges.offline.facets.roles import Roles

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

WEIGHT: Final = np.array([0.1, 0.3, 0.3, 0.3])
"""The weights of FM (section 4.2), by which a model is measured."""
PENALTY: Final = 10.0
N_FOLDS: Final = 5
SEEDS: Final = range(10)
"""Folds are drawn so many times; figures are means over the draws."""


def unseen_roles(texts: Sequence[RoleText], references: Sequence[str]) -> dict[str, Roles]:
    """By reference, the roles by a model that has not seen the paper; one for every fold."""
    groups = {" ".join(text.sentences): text.group for text in texts if text.name == "references"}
    of_paper = {reference: groups[" ".join(pieces_of(reference))] for reference in references}
    folds = {group: place % N_FOLDS for place, group in enumerate(dict.fromkeys(of_paper.values()))}
    models = [
        learn([text for text in texts if folds.get(text.group) != fold], seed=fold)
        for fold in range(N_FOLDS)
    ]
    return {paper: models[folds[group]].posteriors for paper, group in of_paper.items()}


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


def rate(table: Table, model: OrdinalModel, cuts: Sequence[Floats]) -> tuple[Ints, Floats, Floats]:
    """Ratings, expected ratings and the confidence of each rating, (summaries, facets) each."""
    ratings = np.ones(table.said.shape, dtype=np.int64)
    expected, confidence = np.ones(table.said.shape), np.ones(table.said.shape)
    for group, scale in enumerate(SCALE):
        rows = np.flatnonzero(table.said[:, group])
        scores = model.scores(table.numbers[rows, group])
        chances = model.probabilities(group, scores)
        given = (scores[:, None] >= cuts[group]).sum(axis=1)
        given = np.maximum(given, table.held[rows, group])
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


def with_vetoes(table: Table, ratings: Ints) -> Ints:
    """Ratings as the judge gives them: lowered where it sees a conflict."""
    given = ratings.copy()
    for row, conflicts in enumerate(table.conflicts):
        for column, conflict in conflicts.items():
            given[row, column] = vetoed(int(given[row, column]), conflict)
    return given


def interval(table: Table, ratings: Ints) -> list[float | None]:
    """95 % bounds of FM's Spearman with people, over papers."""
    score = overall(table, ratings)
    found = bootstrap_interval(
        table.papers.tolist(),
        lambda rows, _: spearman(score[rows], table.overall[rows]),
        seed=0,
    )
    return [None if bound is None else round(bound, 3) for bound in (found.low, found.high)]


def overall(table: Table, ratings: NDArray[np.generic]) -> Floats:
    """FM of each summary from its ratings; 0 where its reference states no facet."""
    weights = WEIGHT * table.stated
    total = (weights * ratings / np.array(SCALE)).sum(axis=1)
    score: Floats = total / np.maximum(weights.sum(axis=1), np.finfo(float).tiny)
    return score


def scores_of(table: Table) -> dict[str, Any]:
    """How ratings agree with people's on unseen papers, as means over the draws of folds."""
    draws = []
    for seed in SEEDS:
        ratings, expected, confidence = cross_validated(table, seed)
        both = table.said & (table.ratings > 0)
        draw = {
            "FM, Spearman": spearman(overall(table, ratings), table.overall),
            "FM by expected ratings, Spearman": spearman(overall(table, expected), table.overall),
            "FM with vetoes, Spearman": spearman(
                overall(table, with_vetoes(table, ratings)), table.overall
            ),
            "confidence, mean": float(confidence[both].mean()),
            "confidence, share that was exact": float((ratings == table.ratings)[both].mean()),
        }
        for group, facet in enumerate(FACETS):
            rows = (table.ratings[:, group] > 0) & table.stated[:, group]
            ours, theirs = ratings[rows, group].tolist(), table.ratings[rows, group].tolist()
            draw[f"{facet}, quadratic kappa"] = cohen_kappa(
                ours, theirs, categories=range(1, SCALE[group] + 1), weights="quadratic"
            )
            draw[f"{facet}, exact"] = float(np.mean(np.equal(ours, theirs)))
        draws.append(draw)
    means = {
        name: round(float(np.mean([draw[name] or 0.0 for draw in draws])), 3) for name in draws[0]
    }
    first, _, _ = cross_validated(table, SEEDS[0])
    return means | {
        "FM, Spearman, 95 % interval": interval(table, first),
        "FM with vetoes, Spearman, 95 % interval": interval(table, with_vetoes(table, first)),
    }


def arrays_of(table: Table) -> dict[str, Floats]:
    """What ships: the model of all summaries, and its cut points."""
    model, cuts = fit(table, np.ones(len(table.papers), dtype=np.bool_))
    arrays = {"coefficients": model.coefficients}
    for facet, thresholds, points in zip(FACETS, model.thresholds, cuts, strict=True):
        arrays |= {f"{facet}_thresholds": thresholds, f"{facet}_cuts": points}
    return {name: np.round(array, DIGITS) for name, array in arrays.items()}


def main() -> None:
    """Fits, measures, and writes ``weights/ratings``."""
    folder = data_folder(__doc__)
    rated, texts = rated_summaries(folder), role_texts(folder)
    references = list(dict.fromkeys(one.reference for one in rated))
    table = table_of(rated, unseen_roles(texts, references))
    elsewhere = learn([text for text in texts if text.name in LABELLED]).posteriors
    away = table_of(rated, dict.fromkeys(references, elsewhere))
    save(
        "ratings",
        arrays_of(table),
        recipe={
            "command": "python -m summeval_pytest.judges.training.ratings --data ../shared/data",
            "data": [SEGMENTED],
            "method": f"proportional odds on {', '.join(NAMES)}; penalty {PENALTY:g}; cut points by"
            f" shares; scores: {N_FOLDS} folds by reference, mean of {len(SEEDS)} draws, without"
            " vetoes unless said; intervals over papers, first draw",
            "scores": {
                "roles learned without the paper": scores_of(table),
                "roles learned without the set": scores_of(away),
            },
        },
    )


if __name__ == "__main__":
    main()

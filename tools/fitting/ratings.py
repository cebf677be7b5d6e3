"""Fits ratings of facets to people's, and measures them on papers that the fit has not seen.

    python -m tools.fitting.ratings --data ../shared/data

The set is one half of ScholarSum: people rated each facet of a summary against the reference's.
The model is one of proportional odds (McCullagh, JRSS B 42, 1980),

    P(rating of row i in group g <= k) = 1 / (1 + exp(x_i . w - t_gk)):

all facets share the coefficients w; every facet has its own ascending thresholds, as many as its
scale has steps. The fit minimises the negative log-likelihood plus penalty / 2 * |w|^2.

Segments are the embedded judge's own, as in use, but by models of roles that have not seen the
paper: roles are learned from these papers too, and would be surer here than elsewhere. A rating is
measured by a fit that has seen neither its paper nor its system. Papers with the same reference
stay together. Sets of labelled facts tell what is left elsewhere: there the whole reference stands
in for a result, and people's share of its facts is what the coverage is held against.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from summeval_pytest.judges.offline.conflicts import Conflict
from summeval_pytest.judges.offline.facets import (
    DIGITS,
    NAMES,
    contradiction,
    overlaps,
    segment,
    vetoed,
)
from summeval_pytest.judges.offline.roles import pieces_of
from summeval_pytest.questions import FACETS, SCALES, FacetPair, RateFacets
from summeval_pytest.stats.agreement import spearman
from summeval_pytest.study.baselines import rouge_1_recall
from summeval_pytest.text.reading import normalise
from tests.kappa import cohen_kappa
from tests.resampling import bootstrap_interval
from tools.fitting.data import N_FOLDS, data_folder, records, save
from tools.fitting.role_texts import LABELLED, SEGMENTED, RoleText, role_texts
from tools.fitting.roles import learn

if TYPE_CHECKING:
    from summeval_pytest.judges.offline.roles import Roles

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


RATED: Final = "_human_list"
SCALE: Final = tuple(SCALES[facet] for facet in FACETS)
WEIGHT: Final = np.array([0.1, 0.3, 0.3, 0.3])
"""The weights of FM (section 4.2), by which a model is measured."""
PENALTY: Final = 10.0
N_SIDES: Final = 3
"""Systems are left out two at a time."""
COUNTED: Final = {
    "realsumm_scu/dev.jsonl": "acu_labels",
    "pyrxsum_scu/dev.jsonl": "acu_labels",
    "rose_acu/dev.jsonl": "acu_recall",
    "infolossqa/facts_dev.jsonl": "acu_labels",
    "mslr/dev.jsonl": "human_overall",
}
"""Sets that say how much of a reference a summary has, and the key that says it."""
SEEDS: Final = range(10)
"""Folds are drawn so many times; figures are means over the draws."""
_LEAST: float = 1e-12
"""A probability is at least this, so that its logarithm is finite."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rated:
    """A summary that people rated; a facet that the reference does not state is rated 0."""

    reference: str
    system: str
    summary: str
    ratings: tuple[int, ...]
    overall: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """What the judge reads off all summaries; arrays are (summaries, facets)."""

    numbers: Floats  # (summaries, facets, features); 0 where not stated
    bounds: Ints  # (summaries, facets, 2), the least and the greatest rating
    stated: NDArray[np.bool_]  # whether the reference states the facet: then it is rated
    conflicts: tuple[Mapping[int, Conflict], ...]  # by summary and facet, what vetoes its rating
    ratings: Ints  # people's, 0 for none
    overall: Floats  # people's score, (summaries,)
    papers: Ints  # (summaries,)
    systems: Ints  # (summaries,)


def rated_summaries(folder: Path) -> list[Rated]:
    """All summaries of the set with people's ratings."""
    return [
        Rated(
            reference=normalise(paper["human"]),
            system=key.removesuffix(RATED),
            summary=normalise(paper[key.removesuffix(RATED)]),
            ratings=tuple(map(round, np.multiply(paper[key], SCALE).tolist())),
            overall=paper[key.removesuffix("_list")],
        )
        for paper in records(folder, SEGMENTED)
        for key in sorted(paper)
        if key.endswith(RATED)
    ]


def table_of(rated: Sequence[Rated], roles: Mapping[str, Roles]) -> Table:
    """What the judge reads off each summary by its own segments, with each reference's roles."""
    numbers = np.zeros((len(rated), len(FACETS), len(NAMES)))
    bounds = np.ones((len(rated), len(FACETS), 2), dtype=np.int64)
    stated = np.zeros((len(rated), len(FACETS)), dtype=np.bool_)
    conflicts: list[dict[int, Conflict]] = []
    for row, one in enumerate(rated):
        message = roles[one.reference]
        other = segment(one.reference, message)
        own = segment(one.summary, message, nearest=True)
        pairs = tuple(
            FacetPair(facet=facet, reference=other.segment(facet), candidate=own.segment(facet))
            for facet in FACETS
            if other.segment(facet)
        )
        columns = [FACETS.index(pair.facet) for pair in pairs]
        stated[row, columns] = True
        conflicts.append(
            {
                column: conflict
                for column, pair in zip(columns, pairs, strict=True)
                if (conflict := contradiction(pair, one.reference, one.summary)) is not None
            }
        )
        if pairs:
            found = overlaps(RateFacets(pairs, one.reference, one.summary), message)
            numbers[row, columns] = [overlap.features for overlap in found]
            bounds[row, columns] = [overlap.bounds for overlap in found]
    papers = list(dict.fromkeys(one.reference for one in rated))
    systems = list(dict.fromkeys(one.system for one in rated))
    return Table(
        numbers=numbers,
        bounds=bounds,
        stated=stated,
        conflicts=tuple(conflicts),
        ratings=np.array([one.ratings for one in rated]),
        overall=np.array([one.overall for one in rated]),
        papers=np.array([papers.index(one.reference) for one in rated]),
        systems=np.array([systems.index(one.system) for one in rated]),
    )


class OrdinalModel(NamedTuple):
    """Coefficients of the numbers, and the ascending thresholds of each group."""

    coefficients: Floats
    thresholds: tuple[Floats, ...]


def probabilities(thresholds: Floats, scores: Floats) -> Floats:
    """How probable each rating is by these thresholds, (scores, scale)."""
    below = 1.0 / (1.0 + np.exp(scores[:, None] - thresholds))
    ends = np.ones((len(scores), 1))
    differences: Floats = np.diff(np.hstack([0.0 * ends, below, ends]), axis=1)
    return differences


def _ascending(free: Floats) -> Floats:
    """Thresholds from free numbers: the first, then the logarithm of each step up."""
    return np.cumsum(np.concatenate([free[:1], np.exp(free[1:])]))


def fit_ordinal(
    numbers: Floats, groups: Ints, ratings: Ints, *, scales: Sequence[int], penalty: float
) -> OrdinalModel:
    """The model of the greatest penalised likelihood; the numbers are scaled on the way.

    Each row has numbers, a group and a rating, 1 to its group's scale; the penalty draws
    coefficients of scaled numbers to 0.
    """
    middle, spread = numbers.mean(axis=0), numbers.std(axis=0) + _LEAST
    scaled = (numbers - middle) / spread
    n_features = numbers.shape[1]
    cuts = np.cumsum([n_features, *(scale - 1 for scale in scales)])
    rows = [np.flatnonzero(groups == group) for group in range(len(scales))]

    def loss(free: Floats) -> tuple[float, Floats]:
        w = free[:n_features]
        total, gradient = penalty / 2 * float(w @ w), np.zeros_like(free)
        gradient[:n_features] = penalty * w
        for place, chosen in zip(range(len(scales)), rows, strict=True):
            part = slice(cuts[place], cuts[place + 1])
            thresholds = _ascending(free[part])
            table = probabilities(thresholds, scaled[chosen] @ w)
            given = np.arange(len(chosen)), ratings[chosen] - 1
            chance = np.maximum(table[given], _LEAST)
            total -= float(np.log(chance).sum())
            below = np.cumsum(table, axis=1)[:, :-1]
            slope = below * (1.0 - below)
            taken = np.zeros_like(table)
            taken[given] = -1.0 / chance
            by_threshold = (taken[:, :-1] - taken[:, 1:]) * slope
            gradient[:n_features] -= scaled[chosen].T @ by_threshold.sum(axis=1)
            rest = np.cumsum(by_threshold.sum(axis=0)[::-1])[::-1]
            gradient[part] = rest * np.concatenate([[1.0], np.exp(free[part][1:])])
        return total, gradient

    start = np.concatenate(
        [np.zeros(n_features), *([-2.0, *[0.0] * (scale - 2)] for scale in scales)]
    )
    found = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 500}).x
    coefficients = found[:n_features] / spread
    moved = float(middle @ coefficients)
    return OrdinalModel(
        coefficients=coefficients,
        thresholds=tuple(
            _ascending(found[cuts[place] : cuts[place + 1]]) + moved for place in range(len(scales))
        ),
    )


def cut_points(scores: Floats, ratings: Ints, scale: int) -> Floats:
    """The scores from which 2, 3, ... are given: as many scores pass as ratings do."""
    shares = [float((ratings <= level).mean()) for level in range(1, scale)]
    return np.quantile(scores, shares)


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
    chosen = table.stated & (table.ratings > 0) & rows[:, None]
    numbers, ratings = table.numbers[chosen], table.ratings[chosen]
    groups = np.nonzero(chosen)[1]
    model = fit_ordinal(numbers, groups, ratings, scales=SCALE, penalty=PENALTY)
    scores = numbers @ model.coefficients
    cuts = tuple(
        cut_points(scores[groups == group], ratings[groups == group], scale)
        for group, scale in enumerate(SCALE)
    )
    return model, cuts


def rate(table: Table, model: OrdinalModel, cuts: Sequence[Floats]) -> tuple[Ints, Floats, Floats]:
    """Ratings, expected ratings and the confidence of each rating, (summaries, facets) each."""
    ratings = np.ones(table.stated.shape, dtype=np.int64)
    expected, confidence = np.ones(table.stated.shape), np.ones(table.stated.shape)
    for group, scale in enumerate(SCALE):
        rows = np.flatnonzero(table.stated[:, group])
        scores = table.numbers[rows, group] @ model.coefficients
        chances = probabilities(model.thresholds[group], scores)
        given = 1 + (scores[:, None] >= cuts[group]).sum(axis=1)
        given = ratings[rows, group] = given.clip(*table.bounds[rows, group].T)
        expected[rows, group] = chances @ np.arange(1, scale + 1)
        confidence[rows, group] = chances[np.arange(len(rows)), given - 1]
    return ratings, expected, confidence


def cross_validated(table: Table, seed: int) -> tuple[Ints, Floats, Floats]:
    """What `rate` gives each summary by a model that has seen neither its paper nor its system."""
    draw = np.random.default_rng(seed)
    folds = draw.permutation(int(table.papers.max()) + 1)[table.papers] % N_FOLDS
    sides = draw.permutation(int(table.systems.max()) + 1)[table.systems] % N_SIDES
    shape = table.stated.shape
    found = np.ones(shape, dtype=np.int64), np.ones(shape), np.ones(shape)
    for fold, side in product(range(N_FOLDS), range(N_SIDES)):
        rated = rate(table, *fit(table, (folds != fold) & (sides != side)))
        here = (folds == fold) & (sides == side)
        for whole, part in zip(found, rated, strict=True):
            whole[here] = part[here]
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
        lambda rows: spearman(score[rows], table.overall[rows]),
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
        both = table.stated & (table.ratings > 0)
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
            own, other = ratings[rows, group].tolist(), table.ratings[rows, group].tolist()
            draw[f"{facet}, quadratic kappa"] = cohen_kappa(
                own, other, categories=range(1, SCALE[group] + 1), weights="quadratic"
            )
            draw[f"{facet}, exact"] = float(np.mean(np.equal(own, other)))
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


def elsewhere(folder: Path, name: str, model: OrdinalModel) -> dict[str, float]:
    """Spearman with people's recall on another set, of the score and of ROUGE-1 recall."""
    scores, plain, other = [], [], []
    for record in records(folder, name):
        counted = record[COUNTED[name]]
        if counted is None:
            continue
        reference, summary = normalise(record["reference"]), normalise(record["summary"])
        pair = FacetPair(facet="result", reference=reference, candidate=summary)
        (overlap,) = overlaps(RateFacets((pair,), reference, summary))
        scores.append(float(np.array(overlap.features) @ model.coefficients))
        plain.append(rouge_1_recall(reference, summary))
        other.append(float(np.mean(counted)))
    found = {"score": spearman(scores, other), "ROUGE-1 recall": spearman(plain, other)}
    return {key: round(value or 0.0, 3) for key, value in found.items()}


def main() -> None:
    """Fits, measures, and writes ``weights/ratings``."""
    folder = data_folder(__doc__)
    rated, texts = rated_summaries(folder), role_texts(folder)
    references = list(dict.fromkeys(one.reference for one in rated))
    table = table_of(rated, unseen_roles(texts, references))
    foreign = learn([text for text in texts if text.name in LABELLED]).posteriors
    away = table_of(rated, dict.fromkeys(references, foreign))
    model, _ = fit(table, np.ones(len(rated), dtype=np.bool_))
    save(
        "ratings",
        arrays_of(table),
        recipe={
            "data": [SEGMENTED],
            "method": f"proportional odds on {', '.join(NAMES)}; penalty {PENALTY:g}; cut points by"
            f" shares; scores: {N_FOLDS} folds by reference times {N_SIDES} by system, mean of"
            f" {len(SEEDS)} draws, within bounds, without vetoes unless said; intervals over"
            " papers, first draw",
            "scores": {
                "roles learned without the paper": scores_of(table),
                "roles learned without the set": scores_of(away),
                "recall on other sets, Spearman": {
                    name.partition("/")[0]: elsewhere(folder, name, model) for name in COUNTED
                },
            },
        },
    )


if __name__ == "__main__":
    main()

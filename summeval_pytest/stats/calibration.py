"""Maps from a judge's rating to the rating that people would give, learned from labelled pairs.

A judge may be generous or harsh in a way that shows: what it rates 3, people rate 2. A map says so
for each rating, never turns the judge's order around, and is learned without the papers that it is
used on, by folds; else a judge would look better than it is.
"""

from __future__ import annotations

import hashlib
import json
import math
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from summeval_pytest.stats.agreement import Ratings

_DIGITS = 12
_DECIMALS = 9  # of a value in a digest: what may differ between machines is not in it


@dataclass(frozen=True, slots=True)
class MonotoneMap:
    """For each rating of a scale of 1 to k, the label to expect: never falling, from 1 to k."""

    values: tuple[float, ...]

    def __post_init__(self) -> None:
        if not self.values:
            raise ValueError("values is empty; give one for each rating of the scale")
        ends = (1.0, *self.values, float(len(self.values)))
        # Written so that a nan is refused.
        if not all(left <= right for left, right in pairwise(ends)):
            raise ValueError(
                f"values is {self.values!r}; give 1 to {len(self.values)}, never falling"
            )

    def value_of(self, rating: int) -> float:
        """The label to expect where the judge gives this rating.

        Raises:
            ValueError: the rating is not on the scale.
        """
        if not 1 <= rating <= len(self.values):
            raise ValueError(f"rating is {rating!r}; the map's scale is 1 to {len(self.values)}")
        return self.values[rating - 1]


@dataclass(frozen=True, slots=True, kw_only=True)
class FoldedMap:
    """A map for any paper, learned without that paper's own labels.

    ``by_fold[fold_of[paper]]`` is the map of a labelled paper, ``from_all`` that of any other.
    """

    from_all: MonotoneMap
    by_fold: tuple[MonotoneMap, ...]
    fold_of: Mapping[str, int]

    def map_of(self, paper: str) -> MonotoneMap:
        """The map to use on this paper's ratings."""
        fold = self.fold_of.get(paper)
        return self.from_all if fold is None else self.by_fold[fold]

    def digest(self) -> str:
        """12 hex digits over all maps and the papers of each, for a signature."""
        maps = [
            [f"{value:.{_DECIMALS}f}" for value in one.values]
            for one in (self.from_all, *self.by_fold)
        ]
        text = json.dumps([maps, sorted(self.fold_of.items())])
        return hashlib.sha256(text.encode()).hexdigest()[:_DIGITS]


def fit_map(judge: Ratings, label: Ratings, *, top: int, prior: float = 1.0) -> MonotoneMap:
    """The map nearest to the labels given what the judge rated them, on a scale of 1 to top.

    The value of a rating r that the judge gave n times is the mean of its labels and of ``prior``
    more that are r itself, (sum of labels + prior * r) / (n + prior), so that one label in
    disagreement moves it by half of that and many move it nearly all the way; with a prior of 0
    labels alone count. Where values fall from one rating to the next, both take their mean, weighed
    by n + prior (isotonic regression: Barlow, Bartholomew, Bremner and Brunk 1972).

    A rating never given lies on the line between the values of its neighbours that were. Beyond the
    first or last of these it stays what it is, or at the value there if that is further out. With
    no rows the map is the identity. The order of the rows does not matter.

    Raises:
        ValueError: lengths differ, a rating or a label is not a whole number of 1 to top, top is
            below 1, or prior is negative or not finite.
    """
    from scipy.optimize import isotonic_regression

    if not (prior >= 0 and math.isfinite(prior)):
        raise ValueError(f"prior is {prior!r}; give a finite number of 0 or more")
    _check_rows(judge, label, top)
    counts, sums = [0] * (top + 1), [0] * (top + 1)
    for rating, wanted in zip(judge, label, strict=True):
        counts[rating] += 1
        sums[rating] += int(wanted)
    scale = range(1, top + 1)
    if not (given := [rating for rating in scale if counts[rating]]):
        return MonotoneMap(tuple(map(float, scale)))
    weights = [counts[rating] + prior for rating in given]
    means = [(sums[rating] + prior * rating) / (counts[rating] + prior) for rating in given]
    fitted = isotonic_regression(means, weights=weights).x
    values = np.interp(scale, given, fitted)
    values[: given[0] - 1] = np.minimum(scale[: given[0] - 1], fitted[0])
    values[given[-1] :] = np.maximum(scale[given[-1] :], fitted[-1])
    # Rounding of a weighted mean may leave the scale by a digit, or the order.
    return MonotoneMap(tuple(np.maximum.accumulate(np.clip(values, 1, top)).tolist()))


def folds_of(papers: Iterable[str], *, n_folds: int = 5) -> Mapping[str, int]:
    """The fold of each paper, 0 to n_folds - 1, of sizes that differ by 1 at most.

    It hangs on the set of papers and on nothing else: they are dealt out in the order of the
    SHA-256 of their ids. Fewer papers than folds have a fold each.

    Raises:
        ValueError: n_folds is below 2.
    """
    if n_folds < 2:  # noqa: PLR2004 - one fold leaves no other to learn from
        raise ValueError(f"n_folds is {n_folds!r}; choose at least 2")
    dealt = sorted(set(papers), key=lambda paper: hashlib.sha256(paper.encode()).digest())
    return {paper: place % n_folds for place, paper in enumerate(dealt)}


def fit_folds(  # noqa: PLR0913 - three columns and what is made of them
    judge: Ratings,
    label: Ratings,
    papers: Sequence[str],
    *,
    top: int,
    n_folds: int = 5,
    prior: float = 1.0,
) -> FoldedMap:
    """For each labelled paper a map from the other folds, and one from all for other papers.

    ``papers`` has the paper of each row; see `folds_of` and `fit_map`. So no label of a paper, nor
    of its fold, has a part in its own map. A single paper has no other to learn from, and so the
    identity.

    Raises:
        ValueError: lengths differ, a rating or a label is not a whole number of 1 to top, top is
            below 1, n_folds is below 2, or prior is negative or not finite.
    """
    if len(papers) != len(judge):
        raise ValueError(
            f"papers has {len(papers)} ids and judge has {len(judge)} ratings; give one of each a "
            "row"
        )
    from_all = fit_map(judge, label, top=top, prior=prior)
    fold_of = folds_of(papers, n_folds=n_folds)

    def without(fold: int) -> MonotoneMap:
        rows = [row for row, paper in enumerate(papers) if fold_of[paper] != fold]
        return fit_map(
            [judge[row] for row in rows], [label[row] for row in rows], top=top, prior=prior
        )

    by_fold = tuple(without(fold) for fold in sorted(set(fold_of.values())))
    return FoldedMap(from_all=from_all, by_fold=by_fold, fold_of=fold_of)


def _check_rows(judge: Ratings, label: Ratings, top: int) -> None:
    if top < 1:
        raise ValueError(f"top is {top!r}; give the highest rating of the scale, 1 or more")
    if len(judge) != len(label):
        raise ValueError(
            f"judge has {len(judge)} ratings and label has {len(label)}; give one of each a row"
        )
    scale = range(1, top + 1)
    for name, ratings in (("judge", judge), ("label", label)):
        for row, rating in enumerate(ratings):
            if rating not in scale:
                raise ValueError(
                    f"{name}[{row}] is {rating!r}; give a whole number from 1 to {top}"
                )

"""How two columns go together: over all pairs, within papers, or of the systems' means.

Three levels, for they answer three questions. Over all pairs mixes papers of different difficulty;
within papers orders the systems of one paper and takes the mean over papers; of the systems' means
there is one point a system. Two columns are compared on the pairs that have both. Every interval
resamples papers, not pairs: the pairs of one paper share its difficulty. Over all pairs and over
systems, papers with the same reference are resampled as one. Every resample draws as many groups as
there are, with replacement, from a seeded generator; its bounds are percentiles.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import permutations
from typing import Any, Final, Literal, TypeAlias, get_args

import numpy as np
from numpy.random import PCG64, Generator
from numpy.typing import NDArray

from summeval_pytest.stats.agreement import Numbers, is_undefined, shares, two_columns
from summeval_pytest.study import tables
from summeval_pytest.study.agreement.columns import HUMAN, LabelledPair
from summeval_pytest.study.tables import Estimate, Row

Floats = NDArray[np.float64]

_QUANTILES = [(1 - 0.95) / 2, (1 + 0.95) / 2]

Labels: TypeAlias = "Sequence[str] | Sequence[int] | NDArray[np.intp]"
"""The group of each row, for instance its paper's id."""

Rows: TypeAlias = "NDArray[np.intp]"
"""Row numbers, or a group number for each row."""


def rows_by_group(groups: Labels) -> tuple[Rows, ...]:
    """The row numbers of each group, groups sorted by label, rows in the order given.

    Sorting makes what follows independent of the order in which the groups first occur.
    """
    members: dict[str | int, list[int]] = {}
    for row, label in enumerate(groups):
        members.setdefault(label, []).append(row)
    return tuple(np.array(members[label], dtype=np.intp) for label in sorted(members))


def draws_of(
    n_groups: int, *, n_resamples: int | None = None, seed: int | None = None
) -> Iterator[Rows]:
    """The group numbers that each resample draws, one resample at a time; without groups none.

    What is not given is that of every interval of the study.
    """
    generator = Generator(PCG64(tables.SEED if seed is None else seed))
    n_drawn = (n_resamples or tables.RESAMPLES) if n_groups else 0
    return (generator.integers(n_groups, size=n_groups, dtype=np.intp) for _ in range(n_drawn))


def drawn_groups(n_groups: int, **drawn: int | None) -> Rows:
    """The same as one array, a row a resample."""
    draws = [*draws_of(n_groups, **drawn)]
    return np.array(draws) if draws else np.empty((0, 0), dtype=np.intp)


def resampled_ratios(
    groups: Labels,
    tops: Sequence[float],
    bottoms: Sequence[float],
    **drawn: int | None,
) -> Floats:
    """Sum of tops / sum of bottoms in each resample of groups; NaN where the bottoms add up to 0.

    A mean is the ratio of values to ones; a rate over sentences that of unsupported sentences to
    all. The order of the rows does not matter. Empty without rows.
    """
    members = rows_by_group(groups)
    draws = drawn_groups(len(members), **drawn)
    above, below = (
        np.array([math.fsum(values[row] for row in rows) for rows in members])
        for values in (tops, bottoms)
    )
    return shares(above[draws].sum(axis=1), below[draws].sum(axis=1))


def estimate_of_resamples(value: float, resampled: Floats) -> Estimate:
    """A value with the percentile interval of its resamples; NaN is undefined.

    The bounds are None where more than half of the resamples are undefined.
    """
    known, low, high = resampled[~np.isnan(resampled)], np.nan, np.nan
    if 0 < len(known) >= len(resampled) / 2:
        low, high = np.quantile(known, _QUANTILES)
    return Estimate(*(None if np.isnan(each) else float(each) for each in (value, low, high)))


CoefficientName = Literal["pearson", "spearman", "kendall"]
COEFFICIENTS: Final[tuple[CoefficientName, ...]] = get_args(CoefficientName)
AgreementLevel = Literal["pooled", "paper", "system"]
LEVELS: Final[tuple[AgreementLevel, ...]] = get_args(AgreementLevel)
"""Over all pairs; the mean over papers of what holds within each; of the systems' means."""
_MEAN_DIGITS: Final = 12
"""Means that differ by the order of their sums only are tied."""
_MOST_EXACT: Final = 8
"""Up to so many points every order is tried: 40,320."""
_N_ORDERS: Final = 9999
"""So many random orders are tried for more."""
_ORDER_SEED: Final = 20247
_ROUNDING: Final = 1e-12
_NOTHING: Final = 1e-22
"""A variance below this share of the squares is what rounding has left of none."""
_CELLS: Final = 4_000_000
"""So many numbers are held at once."""


def weighted_coefficients(name: CoefficientName, x: Floats, y: Floats, weights: Floats) -> Floats:
    """The coefficient of x and y under each row of weights, NaN where it is undefined.

    ``weights`` say how often a resample has each point. A column has one number a point, or a row
    of its own for each row of weights. Kendall's tau-b is the cosine of the signs of all
    differences x_i - x_j and y_i - y_j, Spearman's rho that of their sums over j (twice a rank,
    counted from the mean rank), Pearson's r that of the deviations from the mean.
    """
    n, is_stack = weights.shape[1], x.ndim > 1 or y.ndim > 1
    step = max(1, _CELLS // max(1, n**2 if is_stack else n))
    parts = []
    for at in range(0, len(weights), step):
        some = slice(at, at + step)
        left, right = (column[some] if column.ndim > 1 else column for column in (x, y))
        parts.append(_some(name, left, right, weights[some]))
    return np.concatenate(parts) if parts else np.empty(0)


def _some(name: CoefficientName, x: Floats, y: Floats, weights: Floats) -> Floats:
    if name == "kendall":
        a, b = _signs(x), _signs(y)
        return _cosine(*((_over(weights, s) * weights).sum(axis=1) for s in (a * b, a * a, b * b)))
    if name == "spearman":
        a, b = (_ranks(column, weights) for column in (x, y))
    else:
        a, b = (_deviations(column, weights) for column in (x, y))
    return _cosine(*((weights * s).sum(axis=1) for s in (a * b, a * a, b * b)))


def _signs(column: Floats) -> Floats:
    return np.sign(column[..., :, np.newaxis] - column[..., np.newaxis, :])


def _over(weights: Floats, signs: Floats) -> Floats:
    """The weighted sum over the first point of all pairs of points."""
    together = weights @ signs if signs.ndim == 2 else (weights[:, np.newaxis] @ signs)[:, 0]  # noqa: PLR2004 - a matrix
    return np.asarray(together)


def _ranks(column: Floats, weights: Floats) -> Floats:
    """Twice the rank of each point, counted from the mean rank, up to its sign."""
    if column.ndim > 1:
        return _over(weights, _signs(column))
    _, firsts, places = np.unique(np.sort(column), return_index=True, return_inverse=True)
    order = np.argsort(column, kind="stable")
    at_value = np.add.reduceat(weights[:, order], firsts, axis=1)
    below = 2 * np.cumsum(at_value, axis=1) - at_value - at_value.sum(axis=1, keepdims=True)
    ranks = np.empty_like(weights)
    ranks[:, order] = below[:, places]
    return -ranks


def _deviations(column: Floats, weights: Floats) -> Floats:
    column = column - column.mean(axis=-1, keepdims=True)
    means = shares((weights * column).sum(axis=1), weights.sum(axis=1))[:, np.newaxis]
    left = np.where(weights > 0, column - means, 0.0)
    rest = (weights * left**2).sum(axis=1) <= _NOTHING * (weights * column**2).sum(axis=1)
    left[rest] = 0.0
    return np.asarray(left)


def _cosine(product: Floats, left: Floats, right: Floats) -> Floats:
    return np.clip(shares(product, np.sqrt(left * right)), -1.0, 1.0)


def weighted_partials(x: Floats, y: Floats, given: Floats, weights: Floats) -> Floats:
    """Pearson's r of what ``given`` leaves of x and of y, under each row of weights, -1 to 1.

        r_xy.z = (r_xy - r_xz * r_yz) / sqrt((1 - r_xz^2) * (1 - r_yz^2))

    Where ``given`` is all equal it explains nothing, and this is Pearson's r. NaN where that is
    undefined, and where ``given`` explains one side wholly.
    """
    columns = ((x, y), (x, given), (y, given))
    r, r_x, r_y = (weighted_coefficients("pearson", a, b, weights) for a, b in columns)
    left_of_x, left_of_y = 1 - r_x**2, 1 - r_y**2
    is_left = np.minimum(left_of_x, left_of_y) >= _ROUNDING
    partials = shares(r - r_x * r_y, np.sqrt(np.where(is_left, left_of_x * left_of_y, 0.0)))
    return np.where(np.isnan(r_x) | np.isnan(r_y), r, np.clip(partials, -1.0, 1.0))


def correlation_p_value(x: Numbers, y: Numbers, name: CoefficientName) -> float | None:
    """The two-sided p value of a coefficient: the share of orders of y that are as far from 0.

    Up to eight points every order is counted, so that p is exact and at least 1 / n!. For more,
    p = (count + 1) / (9,999 + 1) over random orders (Phipson and Smyth 2010). None where the
    coefficient is undefined.
    """
    left, right = two_columns(x, y)
    if is_undefined(left, right):
        return None
    orders = _orders(len(left))
    drawn = weighted_coefficients(name, left, right[orders], np.ones(orders.shape))
    return float(np.mean(np.abs(drawn) >= abs(drawn[0]) - 1e-9))  # the first is the one observed


@lru_cache(maxsize=8)
def _orders(n_points: int) -> Rows:
    """The orders that are tried, the given one first."""
    if n_points <= _MOST_EXACT:
        return np.array(list(permutations(range(n_points))), dtype=np.intp)
    generator = Generator(PCG64(_ORDER_SEED))
    drawn = generator.permuted(np.tile(np.arange(n_points), (_N_ORDERS, 1)), axis=1)
    return np.vstack([np.arange(n_points), drawn]).astype(np.intp)


def roc_auc_estimate(
    groups: Labels, right: Sequence[bool], numbers: Sequence[float], **drawn: int | None
) -> Estimate:
    """The area under the ROC curve: the share of right and wrong items ordered so, ties half.

    None where no item is right, or none is wrong. Its interval resamples groups.
    """
    if not all(map(math.isfinite, numbers)):
        raise ValueError("a number is not finite; leave its item out")
    codes, counts = drawn_counts(groups, **drawn)
    _, places = np.unique(np.asarray(numbers, dtype=np.float64), return_inverse=True)
    is_right = np.asarray(right, dtype=np.float64)
    of_side = []
    for weights in (1 - is_right, is_right):
        by_group = np.zeros((counts.shape[1], int(places.max(initial=-1)) + 1))
        np.add.at(by_group, (codes, places), weights)
        of_side.append(counts @ by_group)
    wrong, good = of_side
    below = np.cumsum(wrong, axis=1) - wrong / 2
    areas = shares((good * below).sum(axis=1), good.sum(axis=1) * wrong.sum(axis=1))
    return estimate_of_resamples(areas[0], areas[1:])


def codes_of(labels: Labels) -> tuple[list[Any], Rows]:
    """The different labels in order, and the place of each row's among them."""
    names = sorted(set(labels))
    place = {name: number for number, name in enumerate(names)}
    return names, np.array([place[label] for label in labels], dtype=np.intp)


def drawn_counts(groups: Labels, **drawn: int | None) -> tuple[Rows, Floats]:
    """The number of each row's group, and how often each resample draws each group.

    The first row of the counts is the sample itself, with every group once.
    """
    names, codes = codes_of(groups)
    draws = drawn_groups(len(names), **drawn)
    every = np.ones((1, len(names)))
    return codes, np.vstack([every, *(np.bincount(d, minlength=len(names)) for d in draws)])


def correlation(
    pairs: Sequence[LabelledPair],
    columns: tuple[str, str],
    level: AgreementLevel,
    name: CoefficientName,
    *,
    n_resamples: int | None = None,
) -> tuple[Estimate, int]:
    """The coefficient of two columns at a level, and on how many pairs, papers or systems."""
    both = [(p, *map(p.number, columns)) for p in pairs]
    both = [row for row in both if row[1] is not None and row[2] is not None]
    if not both:
        return Estimate(), 0
    x, y = (np.array([row[side] for row in both], dtype=np.float64) for side in (1, 2))
    papers, groups, systems = (
        [getattr(p, key) for p, *_ in both] for key in ("paper", "group", "system")
    )
    drawn = {"n_resamples": n_resamples}
    if level == "paper":
        value, resampled, n = _within_papers(name, x, y, papers, drawn)
    elif level == "pooled":
        codes, counts = drawn_counts(groups, **drawn)
        value, *resampled = weighted_coefficients(name, x, y, counts[:, codes])
        n = len(x)
    else:
        value, *resampled = _of_means(name, x, y, groups, systems, drawn)
        n = len(set(systems))
    return estimate_of_resamples(value, np.asarray(resampled)), n


def _within_papers(
    name: CoefficientName, x: Floats, y: Floats, papers: Labels, drawn: dict[str, int | None]
) -> tuple[Any, Any, int]:
    """The mean of the coefficient within each paper, over the papers where it is defined."""
    rows = rows_by_group(papers)
    alone = [weighted_coefficients(name, x[at], y[at], np.ones((1, len(at)))) for at in rows]
    within = np.sort(np.concatenate(alone))
    draws = np.vstack([np.arange(len(rows)), drawn_groups(len(rows), **drawn)])
    is_known = ~np.isnan(within[draws])
    means = shares(np.nansum(within[draws], axis=1), is_known.sum(axis=1))
    return means[0], means[1:], int(is_known[0].sum())


def _of_means(  # noqa: PLR0913, PLR0917 - two columns, and who each row is of
    name: CoefficientName, x: Floats, y: Floats, groups: Labels, systems: Labels,
    drawn: dict[str, int | None],
) -> Floats:  # fmt: skip
    """The coefficient of systems, each one point: its means over the rows, in each resample."""
    codes, counts = drawn_counts(groups, **drawn)
    names, numbers = codes_of(systems)
    sums = np.zeros((3, counts.shape[1], len(names)))
    for each, values in zip(sums, (x, y, np.ones_like(x)), strict=True):
        np.add.at(each, (codes, numbers), values)
    of_x, of_y, sizes = counts @ sums
    x, y = (np.nan_to_num(shares(of, sizes).round(_MEAN_DIGITS)) for of in (of_x, of_y))
    return weighted_coefficients(name, x, y, (sizes > 0).astype(np.float64))


def level_row(
    pairs: Sequence[LabelledPair],
    column: str,
    level: AgreementLevel,
    names: Sequence[CoefficientName] = COEFFICIENTS,
) -> Row:
    """Coefficients of one column with the human overall score, over the pairs that have both.

    ``n`` counts pairs, papers where any coefficient is defined, or systems. Only systems have
    p values, by coefficient: two-sided, from all orders of so few points.
    """
    estimates = {name: correlation(pairs, (HUMAN, column), level, name) for name in names}
    row: Row = {"column": column, "n": max(n for _, n in estimates.values())}
    row |= {name: estimate for name, (estimate, _) in estimates.items()}
    if level == "system":
        rows = [pair for pair in pairs if column in pair.columns and pair.human is not None]
        means = system_means(rows, [column]).values()
        x, y = [of[column] for of in means], [of[HUMAN] for of in means]
        row["p"] = {name: correlation_p_value(x, y, name) for name in names}
    return row


def mixed_row(pairs: Sequence[LabelledPair], column: str) -> Row:
    """Pearson and Spearman over all pairs, which ``n`` counts, and Kendall within papers."""
    pooled = level_row(pairs, column, "pooled", ("pearson", "spearman"))
    return pooled | {"kendall": correlation(pairs, (HUMAN, column), "paper", "kendall")[0]}


def system_means(
    pairs: Sequence[LabelledPair], columns: Sequence[str]
) -> dict[str, dict[str, float]]:
    """By system, the mean over papers of the human overall score and of each column it has.

    A mean covers the pairs that have the number. Rounded to twelve digits, so that means that are
    equal but for the order of a sum are tied.
    """
    means: dict[str, dict[str, float]] = {}
    for system in sorted({pair.system for pair in pairs}):
        its = [pair for pair in pairs if pair.system == system]
        numbers = {c: [v for p in its if (v := p.number(c)) is not None] for c in (HUMAN, *columns)}
        means[system] = {
            column: round(float(np.sort(values).mean()), _MEAN_DIGITS)
            for column, values in numbers.items()
            if values
        }
    return means


def partial_correlation(pairs: Sequence[LabelledPair], column: str, given: str) -> Estimate:
    """Partial Pearson correlation of a column with the human overall score, over all pairs."""
    both = [pair for pair in pairs if pair.human is not None and {column, given} <= {*pair.columns}]
    if not both:
        return Estimate()
    x = np.array([pair.columns[column] for pair in both])
    z = np.array([pair.columns[given] for pair in both])
    y = np.array([pair.human for pair in both], dtype=np.float64)
    codes, counts = drawn_counts([pair.group for pair in both])
    value, *resampled = weighted_partials(x, y, z, counts[:, codes])
    return estimate_of_resamples(value, np.array(resampled))

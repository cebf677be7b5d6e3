"""Whether novelty, difficulty and hallucination go together (FareBio, tables 7 and 8).

Readability is a grade level: a positive coefficient says that harder summaries have more of it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Final

import numpy as np

from summeval_pytest.stats import bootstrap_interval, holm, spearman
from summeval_pytest.verdict.study.estimates import RESAMPLES, SEED, rounded
from summeval_pytest.verdict.study.texts import READABILITY

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from summeval_pytest.verdict.study.pairs import StudiedPair

NOVELTIES: Final = ("novelty 1", "novelty 2", "novelty 3", "novelty 4")
LABELS: Final = "labels"
_FEWEST: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Association:
    """How two numbers of summaries go together.

    Attributes:
        first: The one.
        second: The other.
        n_pairs: The pairs that have both.
        spearman: Over all of these, -1 to 1; None where it is undefined.
        low: Lower bound of its 95 % interval over papers; None with fewer than two groups.
        high: Upper bound.
        p_value: Two-sided, by the t distribution with n - 2 degrees of freedom, as published: it
            takes the pairs as independent, which those of one paper are not. The interval does not.
        p_adjusted: The same, Holm-adjusted over all associations that are told together.
    """

    first: str
    second: str
    n_pairs: int
    spearman: float | None
    low: float | None = None
    high: float | None = None
    p_value: float | None = None
    p_adjusted: float | None = None


def associations(pairs: Sequence[StudiedPair], judges: Sequence[str]) -> tuple[Association, ...]:
    """Novelty by readability, novelty by hallucination, and readability by hallucination.

    Hallucination is the share of a summary's sentences that are unsupported, by each judge, and by
    the labels where people looked at sentences.
    """
    columns = dict(_columns(pairs, judges))
    found = [
        _association(one, other, pairs, columns)
        for one, other in combinations(columns, 2)
        if _family(one) != _family(other)
    ]
    known = [each.p_value for each in found if each.p_value is not None]
    adjusted = iter(holm(known))
    return tuple(
        each if each.p_value is None else replace(each, p_adjusted=rounded(next(adjusted)))
        for each in found
    )


def _family(name: str) -> str:
    if name in NOVELTIES:
        return "novelty"
    return "readability" if name in READABILITY else "hallucination"


def _columns(
    pairs: Sequence[StudiedPair], judges: Sequence[str]
) -> Iterator[tuple[str, list[float | None]]]:
    """The numbers of every pair, a column a name; those that no pair has are left out."""
    for name in (*NOVELTIES, *READABILITY):
        yield from _known(name, [pair.text.numbers.get(name) for pair in pairs])
    for judge in judges:
        yield from _known(f"hallucination, {judge}", [_judged(pair, judge) for pair in pairs])
    yield from _known(f"hallucination, {LABELS}", [_labelled(pair) for pair in pairs])


def _known(name: str, values: list[float | None]) -> Iterator[tuple[str, list[float | None]]]:
    if any(value is not None for value in values):
        yield name, values


def _judged(pair: StudiedPair, judge: str) -> float | None:
    judged = pair.judged.get(judge)
    value = None if judged is None else judged.values.get("faithfulness")
    return None if value is None else 1 - value


def _labelled(pair: StudiedPair) -> float | None:
    label = pair.label
    return 1 - label.n_faithful / label.n_labelled if label and label.n_labelled else None


def _association(
    one: str, other: str, pairs: Sequence[StudiedPair], columns: dict[str, list[float | None]]
) -> Association:
    rows = [
        (pair.group, first, second)
        for pair, first, second in zip(pairs, columns[one], columns[other], strict=True)
        if first is not None and second is not None
    ]
    groups = [group for group, _, _ in rows]
    x, y = (np.array([row[side] for row in rows], dtype=np.float64) for side in (1, 2))
    value = spearman(x, y)
    if value is None:
        return Association(first=one, second=other, n_pairs=len(rows), spearman=None)
    low, high = _interval(groups, x, y)
    return Association(
        first=one,
        second=other,
        n_pairs=len(rows),
        spearman=rounded(value),
        low=low,
        high=high,
        p_value=p_value_of(value, len(rows)),
    )


def _interval(
    groups: list[str], x: NDArray[np.float64], y: NDArray[np.float64]
) -> tuple[float | None, float | None]:
    if len(set(groups)) < 2:  # noqa: PLR2004 - one group varies with nothing
        return None, None
    found = bootstrap_interval(
        groups, lambda rows, _: spearman(x[rows], y[rows]), n_resamples=RESAMPLES, seed=SEED
    )
    if found.low is None or found.high is None:
        return None, None
    return rounded(found.low), rounded(found.high)


def p_value_of(rho: float, n_rows: int) -> float | None:
    """The two-sided p value of a Spearman coefficient; None with fewer than 3 rows.

    t = rho sqrt((n - 2) / (1 - rho^2)), by the t distribution of n - 2 degrees of freedom.
    """
    from scipy.special import stdtr

    if n_rows < _FEWEST:
        return None
    if abs(rho) >= 1:
        return 0.0
    freedom = n_rows - 2
    t = abs(rho) * np.sqrt(freedom / ((1 - rho) * (1 + rho)))
    return rounded(float(2 * stdtr(freedom, -t)))

"""How ratings are fitted and measured; all summaries here are our own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from summeval_pytest.judges.offline.conflicts import Conflict, ConflictKind
from summeval_pytest.questions import FACETS
from tools.fitting.ratings import (
    SCALE,
    WEIGHT,
    Table,
    cross_validated,
    fit_ordinal,
    overall,
    probabilities,
)

RISE = "Red kites rose 40 m."


def by_place(sentences: Sequence[str]) -> NDArray[np.float64]:
    """The first sentence is the method, every other one the result."""
    table = np.zeros((len(sentences), len(FACETS)))
    table[1:, 2] = 1.0
    table[:1, 1] = 1.0
    return table


def of(kind: ConflictKind) -> Conflict:
    """A conflict of a kind."""
    return Conflict(kind=kind, says="up", instead="down")


def made_up(n: int) -> Table:
    """Summaries whose ratings follow the first number; every fourth has no conclusion to rate."""
    numbers = np.random.default_rng(3).uniform(size=(n, 4, 3))
    given = 1 + (numbers[..., 0] * SCALE).astype(np.int64)
    given[::4, 3] = 0
    stated = given > 0
    share = np.where(stated, WEIGHT, 0.0)
    return Table(
        numbers=numbers,
        bounds=np.tile([1, 4], (n, 4, 1)),
        stated=stated,
        conflicts=({},) * n,
        ratings=given,
        overall=(share * given / SCALE).sum(axis=1) / share.sum(axis=1),
        papers=np.arange(n) // 3,
        systems=np.arange(n) % 3,
    )


def test_papers_and_systems_that_were_not_seen_are_rated_as_people_do() -> None:
    """The ratings follow one number, so the fit of other papers finds them.

    Whatever the model says, a rating stays within the bounds that the judge read off. FM is over
    the facets that the reference states: (.3 * 3 / 4 + .3 * 1 / 4) / .6 = .5.
    """
    table = made_up(120)
    found, expected, confidence = cross_validated(table, seed=1)
    rated = table.stated
    assert float((found == table.ratings)[rated].mean()) > 0.85
    assert (found[~rated] == 1).all()
    assert ((expected >= 1.0) & (expected <= 4.0)).all()
    assert ((confidence > 0.0) & (confidence <= 1.0)).all()
    table.bounds[:, 1], table.bounds[:, 2, 0] = 1, 2
    bounded, _, _ = cross_validated(table, seed=1)
    assert [set(bounded[:, facet]) for facet in (1, 2)] == [{1}, {2, 3, 4}]
    two = replace(made_up(2), stated=np.array([[False, True, True, False]] * 2))
    assert overall(two, np.array([[1, 3, 1, 1]] * 2)) == pytest.approx([0.5, 0.5], rel=1e-12)


def test_known_model_is_found_again() -> None:
    """4,000 ratings drawn from two groups with the coefficients 2 and -1, unscaled numbers."""
    rng = np.random.default_rng(5)
    numbers = rng.normal([3.0, -1.0], [1.0, 2.0], size=(4000, 2))
    groups = np.arange(4000) % 2
    thresholds = (np.array([5.0, 7.0, 9.0]), np.array([4.0, 8.0]))
    latent = numbers @ np.array([2.0, -1.0]) + rng.logistic(size=4000)
    ratings = np.array(
        [1 + int((value > thresholds[g]).sum()) for value, g in zip(latent, groups, strict=True)]
    )

    model = fit_ordinal(numbers, groups, ratings, scales=(4, 3), penalty=1.0)

    assert model.coefficients == pytest.approx([2.0, -1.0], rel=0.1)
    for found, true in zip(model.thresholds, thresholds, strict=True):
        assert found == pytest.approx(true, rel=0.1)
    chances = probabilities(model.thresholds[0], np.array([4.0, 8.0]))
    assert chances.shape == (2, 4)
    assert chances.sum(axis=1) == pytest.approx([1.0, 1.0], rel=1e-12)

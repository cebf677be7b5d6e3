"""How ratings are fitted and measured; all summaries here are our own."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from summeval_pytest.judges.offline.conflicts import Conflict, ConflictKind
from summeval_pytest.questions import FACETS
from tools.fitting.ratings import (
    SCALE,
    WEIGHT,
    Rated,
    Table,
    cross_validated,
    cut_points,
    fit_ordinal,
    overall,
    probabilities,
    rated_summaries,
    table_of,
    with_vetoes,
)

RISE = "Red kites rose 40 m."
FALL = "Blue kites fell 15 m."


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


def test_ratings_are_shares_of_their_scale(tmp_path: Path) -> None:
    """.75 of four is 3, 1 of three is 3, and 0 says that the reference has no such facet."""
    paper = {
        "human": "kites .",
        "glider": "<s> red kites . </s>",
        "glider_human": 0.5,
        "glider_human_list": [1.0, 0.75, 0.25, 0],
    }
    (tmp_path / "scholarsum").mkdir()
    (tmp_path / "scholarsum/pubmed.json").write_text(json.dumps(paper) + "\n")

    assert rated_summaries(tmp_path) == [
        Rated(
            reference="kites .",
            system="glider",
            summary="red kites .",
            ratings=(3, 3, 1, 0),
            overall=0.5,
        )
    ]


def test_a_facet_that_the_reference_states_is_rated_whatever_a_summary_says() -> None:
    """The reference states two facets; one summary has both, the other only the first."""
    rated = [
        Rated(
            reference=f"{FALL} {RISE}", system=name, summary=text, ratings=(0, 4, 1, 0), overall=0.5
        )
        for name, text in (("long", f"{FALL} {RISE}"), ("brief", FALL))
    ]

    table = table_of(rated, {rated[0].reference: by_place})

    assert table.stated.tolist() == [[False, True, True, False]] * 2
    assert table.numbers[0, 1, 0] == 1.0  # every word of the method, in a sentence that is one
    assert 0.0 < table.numbers[1, 2, 0] < table.numbers[0, 2, 0]
    assert (table.papers.tolist(), table.systems.tolist()) == ([0, 0], [0, 1])


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


def test_a_conflict_lowers_the_rating_of_an_unseen_paper_too() -> None:
    """A changed number leaves 1, a reversed direction one step less, and never less than 1."""
    table = replace(
        made_up(2), conflicts=({1: of("number"), 2: of("direction")}, {0: of("negation")})
    )
    given = with_vetoes(table, np.array([[3, 4, 4, 3], [1, 2, 3, 3]]))
    assert given.tolist() == [[3, 1, 3, 3], [1, 2, 3, 3]]


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


def test_as_many_scores_pass_a_cut_point_as_people_gave_such_ratings() -> None:
    """Of 8 ratings 2 are 1 and 4 are 3: 6 scores pass the first cut and 4 the last."""
    scores = np.array([0.1, 0.9, 0.3, 0.5, 0.7, 0.2, 0.8, 0.6])
    ratings = np.array([3, 1, 3, 1, 2, 3, 2, 3])
    cuts = cut_points(scores, ratings, 3)
    assert [int((scores >= cut).sum()) for cut in cuts] == [6, 4]

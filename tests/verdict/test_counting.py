from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given

from summeval_pytest.verdict.thresholds import AGREEMENTS
from summeval_pytest.verdict.trust import (
    FIGURES,
    N_COUNTS,
    counts_of,
    error_counts,
    n_of,
    share_found,
    table_of,
)
from tests.verdict.golden_answers import answered, filled, golden, pairs

if TYPE_CHECKING:
    from summeval_pytest.run.golden import GoldenAnswer, GoldenPair

CONCLUSIONS = ((4, 1, 1), (1, 5, 2), (0, 2, 4))
"""Labels by answers of 20 conclusions; by hand (tests/stats), their quadratic kappa is 14/24."""


def figure(name: str, *answered: GoldenAnswer) -> float:
    """One figure of answers about one pair; nan where it is undefined."""
    return of([golden(*answered)], name)


def of(labelled: list[GoldenPair], name: str) -> float:
    """One figure of pairs; nan where it is undefined."""
    total = counts_of(labelled).sum(axis=0)
    return float(FIGURES[name](total[np.newaxis])[0])


def n_items(name: str, *answered: GoldenAnswer) -> int:
    """How many items a figure of one pair stands on."""
    return n_of(counts_of([golden(*answered)]).sum(axis=0), name)


# Counts


def test_each_group_has_a_row_in_the_order_of_names() -> None:
    """The bootstrap draws rows, so the order of the file may not decide what is drawn."""
    labelled = [
        golden(answered("result", 2, 3), paper="zinc"),
        golden(paper="moss"),
        golden(answered("result", 1, 1), answered("result", 4, 4), paper="kiln"),
    ]
    counts = counts_of(labelled)
    assert counts.shape == (3, N_COUNTS)
    assert counts.sum(axis=1).tolist() == [2, 0, 1]
    assert table_of(counts[2], "result") == ((0,) * 4, (0, 0, 1, 0), (0,) * 4, (0,) * 4)


# Figures, by hand


def test_the_mean_kappa_is_over_the_facets_that_have_one() -> None:
    """Worked example: 14/24 and 1, and a facet whose kappa is undefined is no 0."""
    # backgrounds: 1 and 3, each rated as labelled: kappa 1; methods: all 2, rated 2: undefined
    rated = [
        *filled("conclusion", CONCLUSIONS, 1),
        *filled("background", ((1, 0, 0), (0, 0, 0), (0, 0, 1)), 1),
        *(answered("method", 2, 2) for _ in range(3)),
    ]
    assert figure("facet_kappa.background", *rated) == 1.0
    assert np.isnan(figure("facet_kappa.method", *rated))
    assert figure("facet_kappa", *rated) == pytest.approx((14 / 24 + 1) / 2, abs=1e-15)


def test_exact_agreement_counts_every_rating_once() -> None:
    """Worked example: 13 of 20 conclusions and 1 of 4 results: 14/24, no mean of two shares."""
    rated = [
        *filled("conclusion", CONCLUSIONS, 1),
        answered("result", 4, 4),
        *(answered("result", 4, 3) for _ in range(3)),
    ]
    assert figure("facet_exact.conclusion", *rated) == 13 / 20
    assert figure("facet_exact.result", *rated) == 1 / 4
    assert figure("facet_exact", *rated) == 14 / 24


def test_precision_and_recall_are_of_the_unfaithful_sentences() -> None:
    """Worked example: of 5 unfaithful sentences 3 are found, among 4 that are called so."""
    # labelled unfaithful: 3 called unsupported, 2 supported; labelled faithful: 1 and 7
    judged = tuple(filled("sentence", ((3, 2), (1, 7)), 0))
    assert figure("unfaithful_precision", *judged) == 3 / 4
    assert figure("unfaithful_recall", *judged) == 3 / 5


def test_f1_is_of_the_facts_that_hold() -> None:
    """Worked example: precision 4/5 and recall 4/6 make 2 * 4 / (2 * 4 + 1 + 2) = 8/11."""
    # labelled not to hold: 3 said not to, 1 said to; labelled to hold: 2 said not to, 4 said to
    facts = tuple(filled("candidate fact", ((3, 1), (2, 4)), 0))
    assert figure("fact_f1", *facts) == 8 / 11


def test_kappa_of_facts_corrects_for_chance() -> None:
    """Worked example: p_o = 7/10; p_e = (4 * 5 + 6 * 5) / 100 = 1/2; (.7 - .5) / (1 - .5) = .4."""
    facts = tuple(filled("reference fact", ((3, 1), (2, 4)), 0))
    assert figure("fact_kappa", *facts) == pytest.approx(0.4, abs=1e-15)


def test_evidence_is_compared_sentence_by_sentence() -> None:
    """Worked example: 1 + 2 of 2 + 3 named sentences are labelled, of 1 + 5 labelled ones."""
    judged = [
        answered("sentence", 1, 1, evidence=(2, 1, 1)),
        answered("sentence", 1, 1, evidence=(3, 5, 2)),
        answered("sentence", 1, 1),
    ]
    assert figure("evidence_precision", *judged) == 3 / 5
    assert figure("evidence_recall", *judged) == 3 / 6
    assert figure("evidence_f1", *judged) == 6 / 11
    assert n_items("evidence_recall", *judged) == n_items("evidence_precision", *judged) == 6


# Kinds of errors


def test_recall_of_a_kind_of_error_is_over_its_own_sentences() -> None:
    """Worked example: 2 of 3 numbers are found and 0 of 1 directions, each on its own papers."""
    labelled = [
        golden(
            answered("sentence", 0, 0, error="number"),
            answered("sentence", 0, 1, error="number"),
            answered("sentence", 0, 0),
            answered("sentence", 1, 0),
            paper="moss",
        ),
        golden(answered("sentence", 0, 0, error="number"), paper="kiln"),
        golden(answered("sentence", 0, 1, error="direction"), paper="kiln", system="other"),
    ]
    counts = error_counts(labelled)
    assert {error: rows.tolist() for error, rows in counts.items()} == {
        "direction": [[0, 1]],
        "number": [[1, 1], [1, 2]],
    }
    assert list(counts) == ["direction", "number"]
    totals = np.array([rows.sum(axis=0) for rows in counts.values()])
    assert share_found(totals).tolist() == [0.0, 2 / 3]


# Laws


@given(pairs())
def test_a_figure_lies_in_the_range_that_floors_are_held_to(labelled: list[GoldenPair]) -> None:
    """Law: a floor at either end of the range is one that something can miss or reach."""
    for name in FIGURES:
        value, known = of(labelled, name), AGREEMENTS[name]
        assert np.isnan(value) or known.low <= value <= known.high, name


@given(pairs())
def test_a_stack_of_sums_gives_each_rows_own_figure(labelled: list[GoldenPair]) -> None:
    """Law: a thousand resamples in one call are the same as a thousand calls."""
    counts = counts_of(labelled)
    for name, measure in FIGURES.items():
        together = measure(counts)
        alone = [measure(row[np.newaxis])[0] for row in counts]
        assert together.shape == (len(counts),)
        assert np.array_equal(together, np.array(alone), equal_nan=True), name

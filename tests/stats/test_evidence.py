from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from summeval_pytest.stats.agreement import (
    any_hit,
    evidence_f1,
    evidence_precision,
    evidence_recall,
    named_per_instance,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

PER_INSTANCE = st.tuples(st.integers(0, 5), st.integers(1, 5), st.integers(0, 5)).map(
    lambda drawn: (drawn[0], drawn[1], min(drawn))
)


def row(*counts: int) -> NDArray[np.int64]:
    """One row of counts."""
    return np.array([counts], dtype=np.int64)


def test_the_published_figures_of_bm25_are_micro() -> None:
    """Oracle: FareBio, Table 3, BM25 top-1: precision .73, recall .56, F1 .63 (metrics.md FB1).

    One sentence named for each of 1,305 instances, 1,713 labelled: .73 x 1,305 = 953 of them both.
    """
    counts = row(1305, 1713, round(0.73 * 1305))
    assert evidence_precision(counts)[0] == pytest.approx(0.73, abs=0.005)
    assert evidence_recall(counts)[0] == pytest.approx(0.56, abs=0.005)
    assert evidence_f1(counts)[0] == pytest.approx(0.63, abs=0.005)


def test_named_sentences_are_counted_an_instance() -> None:
    """Worked example: 12 named for 5 instances are 2.4, right or wrong."""
    assert named_per_instance(row(12, 8, 3, 3, 5))[0] == 2.4
    assert named_per_instance(row(12, 8, 0, 0, 5))[0] == 2.4


def test_where_nothing_is_counted_there_is_no_figure() -> None:
    """A judge that names nothing has no precision, and a recall and F1 of 0."""
    silent = row(0, 4, 0, 0, 2)
    assert np.isnan(evidence_precision(silent)[0])
    assert (evidence_recall(silent)[0], evidence_f1(silent)[0], any_hit(silent)[0]) == (0, 0, 0)
    nothing = row(0, 0, 0, 0, 0)
    for figure in (evidence_precision, evidence_recall, evidence_f1, any_hit, named_per_instance):
        assert np.isnan(figure(nothing)[0])


def test_any_hit_is_a_share_of_instances() -> None:
    """Worked example: of 4 instances 3 have a labelled sentence among those named."""
    assert any_hit(row(9, 8, 5, 3, 4))[0] == 0.75


@given(st.lists(PER_INSTANCE, min_size=1, max_size=8))
def test_f1_is_the_harmonic_mean_and_figures_are_shares(
    instances: list[tuple[int, int, int]],
) -> None:
    """Law: counts of instances add up, and F1 lies between precision and recall."""
    summed = np.array([np.sum(instances, axis=0)], dtype=np.int64)
    p, r, f1 = (float(f(summed)[0]) for f in (evidence_precision, evidence_recall, evidence_f1))
    if np.isnan(p):
        assert f1 == 0.0
        return
    assert min(p, r) - 1e-12 <= f1 <= max(p, r) + 1e-12
    assert f1 == pytest.approx(2 * p * r / (p + r) if p + r else 0.0)
    assert 0.0 <= p <= 1.0
    assert 0.0 <= r <= 1.0

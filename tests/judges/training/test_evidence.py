from __future__ import annotations

from math import log

import numpy as np
import pytest

from summeval_pytest.judges.training.evidence import Claim, chosen, f1, fit_evidence


def claim(places: tuple[int, ...], shares: list[float], *sets: set[int]) -> Claim:
    """A claim with one feature of each sentence."""
    return Claim(
        paper="p",
        places=places,
        features=np.array([[share] for share in shares]),
        sets=tuple(map(frozenset, sets)),
    )


def test_f1_is_micro_over_all_sentences() -> None:
    """Three are named; the first readers name two, both found; all readers name four."""
    among = [claim((4, 7), [1.0, 0.5], {4}, {4, 9}), claim((1,), [1.0], {1}, {2})]

    assert f1([{4, 7}, {1}], among, "first") == pytest.approx(2 * 2 / (3 + 2))
    assert f1([{4, 7}, {1}], among, "any") == pytest.approx(2 * 2 / (3 + 4))


def test_the_nearest_is_chosen_and_others_that_a_quarter_would_name() -> None:
    """With weight 1 and no start all have at least one half; with -2 only those above .9."""
    one = claim((4, 7, 2), [0.1, 1.0, 0.2], {4})

    assert chosen(np.array([1.0, 0.0]), one) == {4, 7, 2}
    assert chosen(np.array([1.0, -2.0]), one) == {4, 7}


def test_share_of_readers_is_counted_for_each_sentence() -> None:
    """Of two readers one named sentence 9, both named 4."""
    assert claim((4, 9, 1), [0.0] * 3, {4}, {4, 9}).shares.tolist() == [1.0, 0.5, 0.0]


def test_evidence_is_fitted_to_the_share_of_readers() -> None:
    """Without a ridge, two points are met exactly: a quarter at 0, three quarters at 1."""
    weights = fit_evidence(np.array([[0.0], [1.0]]), np.array([0.25, 0.75]), ridge=0.0)

    assert weights == pytest.approx([2 * log(3), -log(3)], abs=1e-3)

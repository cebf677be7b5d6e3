from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from summeval_pytest.judges.offline.lexicon import STEPS, learned
from tests.fitting.evidence import Claim, chosen, claims, f1, shipped

if TYPE_CHECKING:
    from pathlib import Path


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


def test_weights_are_those_of_the_recipe(shared_data: Path) -> None:
    """Whoever runs the command again gets the weights that ship."""
    found = shipped(claims(shared_data))
    assert learned("evidence")["weights"] == pytest.approx(found * STEPS, abs=2)

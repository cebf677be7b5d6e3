from __future__ import annotations

from itertools import pairwise, product

import numpy as np
import pytest

from tools.fitting.roles import (
    Batch,
)

WORDS = ("Little is known", "We measured", "It rose", "We conclude")
DRINKS, TOOLS = ("tea", "milk"), ("saw", "axe")


def test_sums_are_those_of_all_paths_counted_one_by_one() -> None:
    """Oracle: texts of 3, 1 and 2 sentences with 2 states have 8, 2 and 4 paths."""
    chance = np.random.default_rng(3)
    lengths, weights = (3, 1, 2), np.array([1.0, 0.5, 2.0])
    evidence, order = chance.normal(size=(6, 2)), chance.normal(size=(4, 2))
    ln_z, states, pairs = 0.0, np.zeros((6, 2)), np.zeros((4, 2))
    for start, length, weight in zip((0, 3, 4), lengths, weights, strict=True):
        paths = list(product(range(2), repeat=length))
        odds = np.array([np.exp(_said(path, start, evidence, order)) for path in paths])
        ln_z += weight * np.log(odds.sum())
        for path, share in zip(paths, weight * odds / odds.sum(), strict=True):
            pairs[2, path[0]] += share
            pairs[3, path[-1]] += share
            for place, state in enumerate(path):
                states[start + place, state] += share
            for one, two in pairwise(path):
                pairs[one, two] += share

    found = Batch(lengths, weights).sums(evidence, order)

    assert found[0] == pytest.approx(ln_z, rel=1e-12)
    assert found[1] == pytest.approx(states, rel=1e-12)
    assert found[2] == pytest.approx(pairs, rel=1e-12)


def _said(path: tuple[int, ...], start: int, evidence: np.ndarray, order: np.ndarray) -> float:
    said = sum(evidence[start + place, state] for place, state in enumerate(path))
    followed = sum(order[one, two] for one, two in pairwise(path))
    return float(said + followed + order[2, path[0]] + order[3, path[-1]])


def _sentences() -> list[list[str]]:
    drunk = [["she", "drank", "hot", drink, "slowly"] for drink in DRINKS]
    used = [["he", "sharpened", "the", tool, "yesterday"] for tool in TOOLS]
    return [*drunk, *used] * 6

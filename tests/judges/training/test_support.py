from __future__ import annotations

from math import log

import numpy as np
import pytest

from summeval_pytest.judges.training.support import Sentences, fit_strength


def sentences(shares: list[float], labels: list[int]) -> Sentences:
    """A set with one feature."""
    return Sentences(
        features=np.array([[share] for share in shares]),
        labels=np.array(labels, dtype=np.float64),
        papers=tuple(map(str, range(len(labels)))),
    )


def test_intercept_is_each_sets_own() -> None:
    """Where a feature tells nothing, a set's intercept is the logit of its share of supported."""
    sets = {
        "often": sentences([0.5] * 4, [1, 1, 1, 0]),
        "rarely": sentences([0.5] * 4, [1, 0, 0, 0]),
    }

    weights, starts = fit_strength(sets)

    assert weights == pytest.approx([0.0], abs=1e-3)
    assert starts["often"] == pytest.approx(log(3), abs=1e-3)
    assert starts["rarely"] == pytest.approx(-log(3), abs=1e-3)


def test_no_weight_is_negative() -> None:
    """A set in which overlap goes with error must not teach that overlap is bad."""
    weights, _ = fit_strength({"odd": sentences([0.0, 0.2, 0.8, 1.0], [1, 1, 0, 0])})

    assert weights == pytest.approx([0.0])


def test_overlap_that_tells_has_weight() -> None:
    """The same sentences the right way round."""
    weights, _ = fit_strength({"even": sentences([0.0, 0.2, 0.8, 1.0], [0, 0, 1, 1])})

    assert weights[0] > 1.0

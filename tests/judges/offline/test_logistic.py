from __future__ import annotations

from math import log

import pytest

from summeval_pytest.judges.offline.lexicon import STEPS, chance, learned, logit


def test_logit_is_the_start_and_the_weighted_shares() -> None:
    """Weights ship in thousandths, the start last."""
    *weights, start = (int(step) for step in learned("support")["weights"])
    shares = [0.5] * len(weights)

    expected = (start + 0.5 * sum(weights)) / STEPS
    assert logit("support", shares) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(("odds", "expected"), [(0.0, 0.5), (log(3), 0.75), (-log(3), 0.25)])
def test_chance_is_the_share_that_the_odds_stand_for(odds: float, expected: float) -> None:
    """Three to one is three quarters."""
    assert chance(odds) == pytest.approx(expected)


def test_too_few_shares_are_refused() -> None:
    """A feature that is forgotten would shift every chance in silence."""
    with pytest.raises(ValueError, match="shorter"):
        logit("support", [0.5])

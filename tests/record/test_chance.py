from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest

from summeval_pytest.record.regression import two_sided_p_value


@pytest.mark.parametrize(("n_up", "n_down"), [(0, 0), (1, 0), (5, 0), (9, 3), (8, 8), (2, 13)])
def test_one_flip_a_paper_is_mcnemars_exact_test(n_up: int, n_down: int) -> None:
    """SciPy's exact binomial test of the discordant pairs, with p .5, is McNemar's."""
    expected = binomtest(n_up, n_up + n_down).pvalue if n_up + n_down else 1.0
    assert two_sided_p_value([1.0] * n_up + [-1.0] * n_down) == pytest.approx(expected)


def test_flips_of_one_paper_are_one() -> None:
    """2 papers can say no more than .5, however many answers flipped in each: 2 * 2 ** -2."""
    assert two_sided_p_value([40.0, 60.0]) == 0.5


@settings(deadline=None, max_examples=40)
@given(st.lists(st.integers(-3, 3), max_size=10))
def test_both_directions_are_alike(differences: list[int]) -> None:
    """Which run is called the old one changes no p value."""
    there = two_sided_p_value([float(d) for d in differences])
    assert there == two_sided_p_value([-float(d) for d in differences])
    assert 0 < there <= 1

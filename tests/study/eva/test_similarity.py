from __future__ import annotations

from math import log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from summeval_pytest.study.eva.similarity import cosines, most_similar

said = st.lists(st.sampled_from(("zinc grew", "lead", "zinc lead moss", "of the", "", "moss moss")))


def test_cosine_worked_example() -> None:
    """Of two facts one shares a word, which both hold, and has one of its own."""
    # n = 2; df(zinc) = 2, idf = ln(3/3) + 1 = 1; df(moss) = df(fern) = 1, idf = ln(3/2) + 1 = m
    # "zinc moss" . "zinc fern" = 1 * 1; lengths sqrt(1 + m^2) each
    m = log(3 / 2) + 1
    ((own, other),) = cosines(["zinc moss"], ["zinc moss", "zinc fern"])
    assert own == 1.0
    assert other == pytest.approx(1 / (1 + m**2))


@given(said, said)
def test_cosines_are_between_zero_and_one_and_a_copy_is_one(one: list[str], two: list[str]) -> None:
    """Law: whatever the texts; a copy is one exactly, or a threshold of 1 would let it through."""
    result = cosines(one, [*two, *one])
    assert result.shape == (len(one), len(two) + len(one))
    assert np.all((result >= 0) & (result <= 1))
    for place, text in enumerate(one):
        assert result[place, len(two) + place] == (0.0 if text in {"", "of the"} else 1.0)


def test_most_similar_are_the_best_first_and_the_first_of_equals() -> None:
    """Two runs must ask about the same premises in the same order."""
    among = ["lead fell", "zinc rose", "zinc rose fast", "moss", "lead fell"]
    assert most_similar(["zinc rose"], among, 2) == ((1, 2),)
    assert most_similar(["lead fell"], among, 3) == ((0, 4, 1),)
    assert most_similar(["zinc rose"], among, 9)[0] == (1, 2, 0, 3, 4)
    assert most_similar([], among, 2) == ()

from __future__ import annotations

from statistics import mean
from typing import TYPE_CHECKING

import pytest
from hypothesis import strategies as st

from summeval_pytest.metrics.texts import count_numbers, numbers_per_100_words

if TYPE_CHECKING:
    from tests.metrics.conftest import Released

words = st.lists(st.sampled_from("the pond 12 fell by 3.5 % in 1,000 IL-6 days".split()))


@pytest.mark.parametrize(
    ("text", "n_numbers"),
    [
        ("24 ponds", 1),
        ("p < 0.05", 1),
        ("fell from 10-20 to 5%", 3),
        ("1,000 litres", 2),
        ("IL-6 and p53", 2),
        ("three ponds", 0),
        ("version 2.1.3", 2),
        ("a field @xmath12 of 3 tesla @xcite", 1),
        ("", 0),
    ],
)
def test_a_number_is_a_run_of_digits_with_its_decimals(text: str, n_numbers: int) -> None:
    """Each kind that the definition decides, the odd ones included, as its docstring says."""
    assert count_numbers(text) == n_numbers


def test_numbers_per_100_words_worked_example() -> None:
    """Words are what stands between spaces."""
    # 2 numbers (12, 0.05) in 8 words: 100 * 2 / 8
    assert numbers_per_100_words("The 12 ponds fell ( p < 0.05)") == 25.0


@pytest.mark.parametrize("text", ["", "<s></s><pad>", "@xmath1 @xcite"])
def test_a_text_without_words_has_no_rate(text: str) -> None:
    """No word is not no number: such a text may not lower a mean."""
    assert numbers_per_100_words(text) is None


def test_special_tokens_and_placeholders_are_no_words() -> None:
    """A system that leaves its tokens in states no fewer numbers by it."""
    plain = numbers_per_100_words("12 ponds fell")
    assert numbers_per_100_words("<s> Abstract: 12 ponds @xmath7 fell</s><pad>") == plain


@pytest.mark.parametrize(
    ("system", "per_text", "per_100_words"),
    [("reference", 6.6, 3.2), ("gpt35_fm", 1.8, 1.3), ("longt5", 9.6, 4.7)],
)
def test_the_six_figures_of_scholarsum(
    released: Released, system: str, per_text: float, per_100_words: float
) -> None:
    """Oracle: FM, figure 4b, as measured on ScholarSum's PubMed half (metrics.md, section 2)."""
    texts = released.texts[system].values()
    assert round(mean(map(count_numbers, texts)), 1) == per_text
    rate = numbers_per_100_words(" ".join(texts))
    assert rate is not None
    assert round(rate, 1) == per_100_words

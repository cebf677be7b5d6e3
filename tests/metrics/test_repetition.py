from __future__ import annotations

from statistics import mean
from typing import TYPE_CHECKING

import pytest
from hypothesis import strategies as st

from summeval_pytest.metrics.texts import repetition_rate

if TYPE_CHECKING:
    from tests.metrics.conftest import Released

words = st.lists(st.sampled_from("the old pump fills pond dry".split()), max_size=12)


def test_repetition_rate_worked_example() -> None:
    """A loop of four words, said twice and begun again."""
    # the old pump fills the old pump fills the: 9 tokens, 6 4-grams, 4 of them different: 2 of 6
    assert repetition_rate("The old pump fills. The old pump fills the") == pytest.approx(1 / 3)


@pytest.mark.parametrize(
    ("text", "n", "rate"),
    [
        ("pond pond pond pond", 1, 0.75),  # 1 of 4 different
        ("pond pond pond pond", 4, 0.0),  # one 4-gram
        ("The pond. the POND!", 2, 1 / 3),  # the pond, pond the, the pond
    ],
)
def test_n_is_the_size_of_what_is_repeated(text: str, n: int, rate: float) -> None:
    """Over sentences, and without case or marks."""
    assert repetition_rate(text, n) == pytest.approx(rate)


@pytest.mark.parametrize("text", ["", "three words only", "<s> three words only</s><pad>"])
def test_a_text_of_fewer_than_n_tokens_has_no_rate(text: str) -> None:
    """It cannot repeat what it has no room to say."""
    assert repetition_rate(text) is None


def test_references_hardly_repeat_themselves_on_scholarsum(released: Released) -> None:
    """Oracle: people and GPT-3.5 under .02, the four fine-tuned models over .07 (measured here)."""
    rates = {
        system: mean(rate for text in texts.values() if (rate := repetition_rate(text)) is not None)
        for system, texts in released.texts.items()
    }
    assert max(rates["reference"], rates["gpt35_fm"]) < 0.02
    tuned = [rate for system, rate in rates.items() if system.startswith(("longt5", "bigbird"))]
    assert len(tuned) == 4
    assert min(tuned) > 0.07

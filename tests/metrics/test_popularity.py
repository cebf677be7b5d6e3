from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import strategies as st

from summeval_pytest.metrics.texts import band_names, popularity_profile

if TYPE_CHECKING:
    from tests.metrics.conftest import Released

CORPUS = ["The pond and the pump.", "The pump, the 12 frogs and a pond; the end."]


words = st.lists(st.sampled_from("the pond pump frog dry a".split()), max_size=12).map(" ".join)


texts = st.lists(words, max_size=4)


bins = st.lists(st.integers(1, 12), min_size=1, max_size=3, unique=True).map(sorted)


def test_popularity_profile_worked_example() -> None:
    """Ranks counted by hand: equal frequencies share one."""
    # the 5; and, pond, pump 2 each; a, end, frogs 1 each: ranks 1; 2, 2, 2; 5, 5, 5
    # the pond is a lake: rank 1, rank 2, absent, rank 5, absent
    profile = popularity_profile(["The pond", "is a lake 12"], CORPUS, bins=(1, 3))
    assert profile == (0.2, 0.2, 0.2, 0.4)
    assert band_names((1, 3)) == ("1-1", "2-3", "rarer", "not in the corpus")


def test_words_of_one_frequency_are_never_parted() -> None:
    """A border among equals would fall where the alphabet puts it."""
    # and, pond, pump have rank 2, so a band that ends at 2 holds all three
    assert popularity_profile(["pump", "pond", "and"], CORPUS, bins=(2, 4)) == (1.0, 0.0, 0.0, 0.0)


@pytest.mark.parametrize("drawn", [[], ["", "<pad>"], ["12 @xmath3 %"]])
def test_texts_without_words_have_no_profile(drawn: list[str]) -> None:
    """Numbers and placeholders are no words, and no word is no share of 0."""
    assert popularity_profile(drawn, CORPUS, bins=(1, 3)) == ()


@pytest.mark.parametrize("wrong", [(), (0, 5), (5, 5), (10, 5)])
def test_bins_rise_from_one(wrong: tuple[int, ...]) -> None:
    """The message shows them and an example."""
    message = r"bins is \(.*\); give rising ranks from 1 on, as \(100, 1000\)"
    with pytest.raises(ValueError, match=message):
        popularity_profile(["a pond"], CORPUS, bins=wrong)
    with pytest.raises(ValueError, match=message):
        band_names(wrong)


def test_llm_summaries_use_commoner_words_on_scholarsum(released: Released) -> None:
    """Oracle: a reference has more words that no paper has than GPT-3.5 or a copying system."""
    sources = list(released.sources.values())
    lacking = {
        system: popularity_profile(list(released.texts[system].values()), sources, bins=(100,))[-1]
        for system in ("reference", "gpt35_fm", "longt5")
    }
    assert lacking["longt5"] < lacking["gpt35_fm"] < lacking["reference"] < 0.05

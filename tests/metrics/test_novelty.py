from __future__ import annotations

from statistics import mean
from typing import TYPE_CHECKING

import pytest
from hypothesis import strategies as st

from summeval_pytest.metrics.texts import novelty

if TYPE_CHECKING:
    from tests.metrics.conftest import Released

SOURCE = "The old pump fills the north pond at night. The south pond is dry."


SUMMARY = "The old pump fills the south pond."


sentence = st.lists(st.sampled_from("the old pump fills pond dry".split()), min_size=1, max_size=7)


sentences = st.lists(sentence.map(lambda drawn: " ".join(drawn).capitalize() + "."), max_size=5)


def test_novelty_worked_example() -> None:
    """The summary's n-grams of each size, counted by hand."""
    # the old pump fills the south pond: 7, 6, 5, 4 n-grams for n = 1 to 4
    # n = 2: "the south" and "south pond" stand in the source's second sentence: none is new
    # n = 3: "pump fills the" stands, "fills the south" does not; "the south pond" does: 1 of 5
    # n = 4: "pump fills the south", "fills the south pond": 2 of 4
    assert [novelty(SUMMARY, SOURCE, n) for n in (1, 2, 3, 4)] == [0.0, 0.0, 0.2, 0.5]


def test_an_n_gram_counts_as_often_as_the_summary_has_it() -> None:
    """Saying one new thing twice is twice as much that the source does not say."""
    # lake, lake, pond: 2 of 3 tokens
    assert novelty("Lake lake pond.", SOURCE, 1) == pytest.approx(2 / 3)


def test_n_grams_do_not_cross_sentences_of_the_summary() -> None:
    """Two source sentences in another order are copied, not new."""
    turned = "The south pond is dry. The old pump fills the north pond at night."
    assert novelty(turned, SOURCE, 4) == 0.0


@pytest.mark.parametrize(("summary", "n"), [("", 1), ("<pad>", 1), ("One two. Three four.", 3)])
def test_a_summary_without_an_n_gram_has_no_novelty(summary: str, n: int) -> None:
    """Nothing said is neither copied nor new."""
    assert novelty(summary, SOURCE, n) is None


def test_special_tokens_and_placeholders_are_not_new() -> None:
    """They are traces of a system or of a data set, and say nothing."""
    marked = "<s> Abstract: The old pump @xmath3 fills the north pond.</s><pad>"
    assert novelty(marked, SOURCE, 3) == 0.0


def test_novelty_rises_with_n_on_scholarsum(released: Released) -> None:
    """Oracle: what holds of any real set (FareBio, figure 3a), and the copying system is LongT5."""
    means = {}
    for system in ("reference", "gpt35_fm", "longt5"):
        texts = released.texts[system]
        of_n = [
            mean(v for paper in texts if (v := novelty(texts[paper], released.sources[paper], n)))
            for n in (1, 2, 4)
        ]
        assert of_n == sorted(of_n)
        means[system] = of_n[-1]
    assert means["longt5"] < 0.3
    assert min(means["reference"], means["gpt35_fm"]) > 0.6

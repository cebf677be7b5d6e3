from __future__ import annotations

import numpy as np
import pytest

from summeval_pytest.judges.training.word_vectors import WordVectors, word_vectors

DRINKS, TOOLS = ("tea", "milk"), ("saw", "axe")


def _sentences() -> list[list[str]]:
    drunk = [["she", "drank", "hot", drink, "slowly"] for drink in DRINKS]
    used = [["he", "sharpened", "the", tool, "yesterday"] for tool in TOOLS]
    return [*drunk, *used] * 6


def test_words_among_the_same_neighbours_have_one_vector() -> None:
    """This is what lets a word of few sentences borrow from one of many."""
    found = word_vectors(_sentences(), dimensions=4)
    tea, milk, saw = (found.vectors[found.rows[word]] for word in ("tea", "milk", "saw"))

    assert tea @ milk == pytest.approx(1.0)
    assert tea @ saw < 0.5


def test_no_word_is_a_neighbour_across_two_sentences() -> None:
    """Sentences are a set here; what stood next in a list says nothing."""
    one_way = word_vectors(_sentences(), dimensions=3)
    other_way = word_vectors(_sentences()[::-1], dimensions=3)

    assert np.abs(one_way.vectors @ one_way.vectors.T) == pytest.approx(
        np.abs(other_way.vectors @ other_way.vectors.T)
    )


def test_rare_words_have_no_vector() -> None:
    """Four neighbours are too few to say how a word is used."""
    assert "kettle" not in word_vectors([*_sentences(), *[["hot", "kettle"]] * 4]).rows


def test_without_words_there_are_no_vectors() -> None:
    """A handful of texts can still be learned from."""
    assert word_vectors([["tea"], []]).vectors.shape == (0, 1)


def test_the_same_sentences_give_the_same_vectors() -> None:
    """The singular values are found from a seeded start."""
    first, second = (word_vectors(_sentences(), dimensions=4) for _ in range(2))

    assert first.vectors.tobytes() == second.vectors.tobytes()


def test_words_that_share_a_place_share_a_mean() -> None:
    """Worked: three of one word and one of another make (3, 1) / 4; place 1 has no word."""
    vectors = WordVectors({"a": 0, "b": 1, "c": 2}, np.array([3, 1, 1]), np.eye(3))

    assert vectors.by_place([0, 0, 2], 3).tolist() == [[0.75, 0.25, 0], [0, 0, 0], [0, 0, 1]]

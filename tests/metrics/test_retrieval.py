from __future__ import annotations

import math

import pytest

from summeval_pytest.metrics.baselines import top_sentences

SOURCE = (
    "Bricks crack in the kiln.",
    "We fired forty bricks with two draughts.",
    "The slow draught gave bricks of 31 MPa.",
    "Nobody had looked before.",
)


@pytest.fixture(autouse=True, scope="module")
def _loaded() -> None:
    """The library takes a moment to load, which no single test should be charged with."""
    top_sentences("bricks", SOURCE, 1)


def test_the_sentence_with_the_rare_words_comes_first() -> None:
    """Worked example: "bricks" is in three of four sentences, "31" and "MPa" in one."""
    assert top_sentences("Bricks reached 31 MPa.", SOURCE, 3) == (2, 0, 1)
    assert top_sentences("Bricks reached 31 MPa.", SOURCE, 1) == (2,)


def test_scores_are_those_of_bm25_with_the_added_one() -> None:
    """Oracle: Lucene's BM25 by hand for a query of two words, k1 = 1.5 and b = 0.75."""
    source = ("zinc mice", "zinc zinc rats", "rats copper lead iron")
    # lengths 2, 3, 4; mean 3; idf = ln(1 + (N - n + .5) / (n + .5)); N = 3
    zinc, copper = math.log(1 + 1.5 / 2.5), math.log(1 + 2.5 / 1.5)

    def part(count: int, length: int) -> float:
        return count / (count + 1.5 * (0.25 + 0.75 * length / 3))

    scores = [zinc * part(1, 2), zinc * part(2, 3), copper * part(1, 4)]
    order = tuple(sorted(range(3), key=lambda place: -scores[place]))
    assert order == (2, 1, 0)
    assert top_sentences("zinc copper", source, 3) == order


def test_of_equal_sentences_the_earlier_comes_first() -> None:
    """So that a baseline has one figure, whichever machine counts it."""
    source = ("Rats ran.", "Mice slept.", "Mice slept.", "Mice slept.")
    assert top_sentences("mice", source, 2) == (1, 2)


def test_a_sentence_without_a_shared_word_is_no_evidence() -> None:
    """A source of strangers gives nothing rather than its first sentence."""
    assert top_sentences("Whales sing.", SOURCE, 3) == ()
    assert top_sentences("forty", SOURCE, 3) == (1,)


@pytest.mark.parametrize(
    ("sentence", "source"),
    [("", SOURCE), ("and of the", SOURCE), ("bricks", ()), ("bricks", ("", "of the"))],
    ids=["empty", "stop words", "no source", "a source without words"],
)
def test_without_words_nothing_is_found(sentence: str, source: tuple[str, ...]) -> None:
    """The library fails on each of these."""
    assert top_sentences(sentence, source, 2) == ()


def test_fewer_than_one_sentence_cannot_be_asked_for() -> None:
    """A baseline that names nothing would have a precision of nothing."""
    with pytest.raises(ValueError, match=r"^k is 0; ask for at least 1 sentence$"):
        top_sentences("bricks", SOURCE, 0)

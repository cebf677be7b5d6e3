from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from summeval_pytest.metrics.embeddings import PairScore, embedding_match, nearest_sentences

if TYPE_CHECKING:
    from collections.abc import Sequence

    from summeval_pytest.metrics.embeddings import Vectors

ANGLES = st.lists(st.integers(0, 359), min_size=1, max_size=6)


def encode(texts: Sequence[str]) -> Vectors:
    """Vectors in the plane: a sentence begins with its angle in degrees."""
    angles = np.deg2rad([float(text.split()[0]) for text in texts])
    return np.stack([np.cos(angles), np.sin(angles)], axis=1)


def drawn(angles: list[int]) -> list[str]:
    """A text whose sentences grow longer."""
    return [f"{angle} " * (place + 1) for place, angle in enumerate(angles)]


def test_a_long_sentence_weighs_by_its_words() -> None:
    """Worked example.

    The reference's sentences at 0 and 90 degrees, of 3 words and 1, are best matched at 0 and 60:
    R = (3 * 1 + 1 * cos 30) / 4 = 0.966506. The summary's, of 1 word each: 1 and cos 30, so
    P = 0.933013 and F1 = 2 * 0.966506 * 0.933013 / 1.899519 = 0.949464.
    """
    match = embedding_match(["0 a b", "90"], ["0", "60"], encode)
    assert match == PairScore(precision=0.933013, recall=0.966506, f1=0.949464)


def test_a_text_without_a_sentence_matches_nothing() -> None:
    """A baseline has a number for every pair, or it could not stand beside a metric."""
    for reference, summary in (([], ["0"]), (["0"], []), ([], [])):
        match = embedding_match(reference, summary, encode)
        assert match == PairScore(precision=0.0, recall=0.0, f1=0.0)


@pytest.mark.parametrize("angle", [90, 180])
def test_f1_of_what_is_unrelated_or_opposite_is_zero(angle: int) -> None:
    """Harmonic means are of positive numbers; two negative ones would make a good one."""
    match = embedding_match(["0"], [str(angle)], encode)
    assert match.recall == pytest.approx(np.cos(np.deg2rad(angle)), abs=1e-6)
    assert match.f1 == 0.0


@given(ANGLES)
def test_identical_texts_are_maximal(angles: list[int]) -> None:
    """Whatever rounding a dot product has."""
    match = embedding_match(drawn(angles), drawn(angles), encode)
    assert match == PairScore(precision=1.0, recall=1.0, f1=1.0)


def test_the_nearest_come_first_and_ties_in_their_order() -> None:
    """Worked example: at 10 degrees, 0 and 20 are as near as each other, to 6 digits."""
    (claim,) = encode(["10"])
    sentences = encode(["90", "20", "0", "10"])
    assert nearest_sentences(claim, sentences, 4) == (3, 1, 2, 0)
    assert nearest_sentences(claim, sentences, 2) == (3, 1)
    assert nearest_sentences(claim, np.zeros((0, 0)), 2) == ()

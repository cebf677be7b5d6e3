from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from summeval_pytest.study.embeddings import PairScore, embedding_match

if TYPE_CHECKING:
    from collections.abc import Sequence

    from summeval_pytest.metrics.similarity import Vectors

ANGLES = st.lists(st.integers(0, 359), min_size=1, max_size=6)


def encode(texts: Sequence[str]) -> Vectors:
    """Vectors in the plane: a sentence begins with its angle in degrees."""
    angles = np.deg2rad([float(text.split()[0]) for text in texts])
    return np.stack([np.cos(angles), np.sin(angles)], axis=1)


@pytest.mark.parametrize(
    ("reference", "summary", "precision", "recall", "f1"),
    [
        # The reference's sentences at 0 and 90 degrees, of 3 words and 1, are best matched at 0 and
        # 60: R = (3 * 1 + 1 * cos 30) / 4. The summary's, of 1 word each: P = (1 + cos 30) / 2
        (["0 a b", "90"], ["0", "60"], 0.933013, 0.966506, 0.949464),
        # harmonic means are of positive numbers; two negative ones would make a good one
        (["0"], ["90"], 0.0, 0.0, 0.0),
        (["0"], ["180"], -1.0, -1.0, 0.0),
        # a baseline has a number for every pair, or it could not stand beside a metric
        ([], ["0"], 0.0, 0.0, 0.0),
        (["0"], [], 0.0, 0.0, 0.0),
        ([], [], 0.0, 0.0, 0.0),
    ],
)
def test_embedding_match_worked_examples(
    reference: list[str], summary: list[str], precision: float, recall: float, f1: float
) -> None:
    """A long sentence weighs by its words."""
    match = PairScore(precision=precision, recall=recall, f1=f1)
    assert embedding_match(reference, summary, encode) == match


@given(ANGLES)
def test_identical_texts_are_maximal(angles: list[int]) -> None:
    """Law: whatever rounding a dot product has."""
    text = [f"{angle} " * (place + 1) for place, angle in enumerate(angles)]
    assert embedding_match(text, text, encode) == PairScore(precision=1.0, recall=1.0, f1=1.0)

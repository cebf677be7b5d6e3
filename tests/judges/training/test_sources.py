from __future__ import annotations

import numpy as np
import pytest

from summeval_pytest.judges.training.sources import Sources, chance, folds, told_apart


def test_a_paper_is_in_one_fold() -> None:
    """Sentences of one paper never stand on both sides."""
    assert folds(["a", "b", "a", "c", "b"]).tolist() == [0, 1, 0, 2, 1]


def test_a_source_is_cut_by_its_lines_or_by_our_rules() -> None:
    """Evidence by number of line is lost where a line is cut in two."""
    text = "One eel swam. It was old.\nA second eel rested."

    assert len(Sources(by_line=True).index(text).sentences) == 2
    assert len(Sources().index(text).sentences) == 3


def test_an_index_is_made_once() -> None:
    """Every sentence of a summary asks about the same source."""
    sources = Sources()

    assert sources.index("One eel swam.") is sources.index("One eel swam.")


def test_far_logits_are_still_chances() -> None:
    """The logarithm of such a chance is a number."""
    found = chance(np.array([-1e9, 0.0, 1e9]))

    assert found == pytest.approx([0.0, 0.5, 1.0])
    assert np.isfinite(np.log(found)).all()


def test_one_kind_of_label_tells_nothing_apart() -> None:
    """Of the pairs (.9, .4), (.9, .5), (.4, .4), (.4, .5): 1 + 1 + 1/2 + 0, out of 4."""
    numbers = np.array([0.9, 0.4, 0.4, 0.5])

    assert told_apart(np.array([1.0, 1.0, 0.0, 0.0]), numbers) == 2.5 / 4
    assert np.isnan(told_apart(np.ones(4), numbers))

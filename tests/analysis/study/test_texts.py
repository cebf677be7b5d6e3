from __future__ import annotations

import pytest

from summeval_pytest.analysis.columns import TEXT_NUMBERS, text_numbers

SOURCE = "We fired 40 bricks. The slow draught gave bricks of 31 MPa. Nobody had looked before."


def test_the_numbers_of_a_short_summary() -> None:
    """Worked example: 5 words, one number, of 16 source words, against 4 reference words."""
    found = text_numbers(
        "<s> We fired 40 old bricks.</s>",
        source=SOURCE,
        references=["We fired forty bricks.", "Moss."],
    )
    assert found["words"] == 5
    assert found["reference words"] == 4
    assert found["source words"] == 16
    assert found["compression"] == 3.2
    assert found["of reference"] == 1.25
    assert found["numbers"] == 1
    assert found["per 100 words"] == 20
    assert found["novelty 1"] == pytest.approx(1 / 5)  # old
    assert found["novelty 2"] == pytest.approx(2 / 4)  # 40 old, old bricks
    assert found["repetition"] == 0
    # Three of four words of the first reference, in five of the summary: 2 * 3 / (4 + 5).
    assert found["ROUGE-1"] == pytest.approx(2 / 3)
    assert "Dale-Chall" not in found
    assert found.keys() <= {*TEXT_NUMBERS, "counted words", "ROUGE-1", "ROUGE-2", "ROUGE-L"}


def test_a_reference_is_held_to_no_other_text() -> None:
    """It is as long as itself, and overlap with itself says nothing."""
    found = text_numbers("Bricks crack.", source=SOURCE)
    assert found["of reference"] == 1
    assert "ROUGE-1" not in found


def test_familiar_words_make_the_third_grade() -> None:
    """Dale-Chall needs a list that is not ours to ship."""
    found = text_numbers("We fired bricks.", source=SOURCE, familiar=frozenset({"we", "fire"}))
    # One unfamiliar word of three in a sentence of three.
    assert found["Dale-Chall"] == pytest.approx(0.1579 * 100 / 3 + 0.0496 * 3 + 3.6365)


def test_what_a_text_does_not_have_is_absent() -> None:
    """A text without a word has no readability, and 0 would be a grade."""
    found = text_numbers("", source=SOURCE, references=["Bricks."])
    assert found["words"] == 0
    assert not {"compression", "per 100 words", "novelty 1", "FKGL"} & found.keys()

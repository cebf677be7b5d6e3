from __future__ import annotations

from dataclasses import replace

import pytest

from summeval_pytest.study.systems.text_profiles import (
    BANDS,
    LENGTHS,
    NOVELTY,
    NUMBERS,
    READABILITY,
    popularities,
    profiles,
    text_numbers,
)
from tests.study.systems.study_pairs import studied, text

SOURCE = "We fired 40 bricks. The slow draught gave bricks of 31 MPa. Nobody had looked before."


def test_the_numbers_of_a_short_summary() -> None:
    """Worked example: 5 words, one number, of 16 source words, against 4 reference words."""
    found = text_numbers(
        "<s> We fired 40 old bricks.</s>",
        source=SOURCE,
        references=["We fired forty bricks.", "Moss."],
    )
    assert [found[name] for name in LENGTHS] == [5, 4, 16, 3.2, 1.25]
    assert [found[name] for name in NUMBERS] == [1, 20]
    assert found["novelty 1"] == pytest.approx(1 / 5)  # old
    assert found["novelty 2"] == pytest.approx(2 / 4)  # 40 old, old bricks
    assert found["repetition"] == 0
    # Three of four words of the first reference, in five of the summary: 2 * 3 / (4 + 5).
    assert found["ROUGE-1"] == pytest.approx(2 / 3)
    assert "Dale-Chall" not in found
    known = {*LENGTHS, *NUMBERS, *NOVELTY, *READABILITY, "counted words"}
    assert found.keys() <= {*known, "ROUGE-1", "ROUGE-2", "ROUGE-L"}


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


def test_numbers_per_100_words_are_those_of_all_texts_together() -> None:
    """Worked example: 1 in 10 words and 1 in 90 are 2 in 100; the mean of rates would be 5.6."""
    texts = [
        text("a", None, {"numbers": 1, "per 100 words": 10, "counted words": 10}),
        text("b", None, {"numbers": 1, "per 100 words": 1.1, "counted words": 90}),
        text("c", None, {}),
    ]
    (found,) = profiles(replace(studied(n_papers=3), references=texts), NUMBERS)
    assert found.system is None
    assert found.means["per 100 words"].value == 2.0
    assert found.means["numbers"].value == 1.0
    assert {(mean.n, mean.n_of) for mean in found.means.values()} == {(2, 3)}


def test_words_are_spread_over_the_ranks_of_the_sources() -> None:
    """Worked example: half of the words are the sources' commonest, half they do not have."""
    found = popularities(
        replace(
            studied(),
            sources=["Kiln kiln kiln brick."],
            written={None: ["Kiln brick."], "odd": ["Kiln moss."], "mute": ["42"]},
        )
    )
    assert [(each.system, each.n_texts) for each in found] == [(None, 1), ("odd", 1), ("mute", 1)]
    assert found[0].shares[BANDS[0]] == 1.0
    assert found[1].shares[BANDS[0]] == 0.5
    assert found[1].shares["not in the corpus"] == 0.5
    assert sum(found[1].shares.values()) == pytest.approx(1)
    assert not found[2].shares

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from summeval_pytest.text.marks import content
from summeval_pytest.text.words import (
    content_words,
    count_content,
    has_tokens,
    known_tokens,
    stem,
    tokens,
)

FAMILIES = """
reduces reduced reducing reduction reductions
activates activated activation activations
measure measures measured measurement measurements
significant significantly
study studies studied
ability abilities
mutate mutated mutation mutations
classify classifies classified
randomised randomized randomises randomising randomisation randomization
control controls
stopped stopping
effective effectively effectiveness
weak weakness weaknesses
useful usefulness
increase increases increased increasing
process processes processed
virus viruses
bind binds binding bindings
diseases disease
clinical clinically
"""


def test_inflections_share_a_stem_and_different_words_do_not() -> None:
    """A summary that says it in another form has said it; its opposite is a contradiction."""
    families = [line.split() for line in FAMILIES.strip().splitlines()]
    assert [family for family in families if len(set(map(stem, family))) > 1] == []
    pairs = """increase/decrease protein/proton hypertension/hypotension patient/patent mouse/mould
    illness/ill""".split()
    assert [pair for pair in pairs if len(set(map(stem, pair.split("/")))) < 2] == []


def test_words_that_only_seem_inflected_stay() -> None:
    """The last letter of "virus" is no plural."""
    words = "less virus basis illness focus glass il-6 p53".split()
    assert list(map(stem, words)) == words


@given(st.text(max_size=4) | st.from_regex(r"[a-z]{0,9}\d[a-z]{0,9}", fullmatch=True))
def test_short_words_and_codes_are_their_own_stems(word: str) -> None:
    """Gene names, units and numbers have no inflection."""
    assert stem(word) == word


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The dose was 2.5 mg.", "the dose was 2.5 mg"),
        ("1,000 mice, 24%", "1,000 mice 24 %"),
        ("IL-6 and p53", "il 6 and p53"),
        ("beta-cells' (growth)", "beta cells growth"),
        ("\u03b2-cells, na\u00efve", "\u03b2 cells na\u00efve"),
        ("snake_case", "snake case"),
        ("", ""),
        ("... -- !", ""),
    ],
)
def test_tokens_are_words_numbers_and_percent_signs(text: str, expected: str) -> None:
    """A decimal is one token, and punctuation is none."""
    assert tokens(text) == expected.split()


def test_content_words_are_stems_without_the_common_words() -> None:
    """What is left is what a summary can leave out."""
    # the, was, in, of and the single letter x go; "1,000" is written as its number
    text = "The reduction was seen in 1,000 of x mice at 5 %"
    assert content_words(text) == ("reduc", "seen", "1000", "mice", "5")


def test_a_negation_is_a_content_word() -> None:
    """A dropped "not" would make a sentence equal to its opposite."""
    words = "no not without never none nor cannot".split()
    assert [content_words(f"it was {word} the case")[0] for word in words] == list(map(stem, words))


@given(st.text() | st.text(alphabet="aZ09.,%_-' e"))
def test_each_way_to_ask_about_words_gives_the_same(text: str) -> None:
    """Plain text has a pattern of its own; some only ask how many, or whether any."""
    assert known_tokens(text) == tuple(tokens(text))
    assert has_tokens(text) == bool(tokens(text))
    assert count_content(text) == len(content_words(text))
    followed = f"{text} \u03b2"
    if text.isascii() and content(text) == text and content(followed) == followed:
        assert tokens(followed) == [*tokens(text), "\u03b2"]

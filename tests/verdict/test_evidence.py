from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from summeval_pytest.verdict.findings import closest_sentence

SOURCE = (
    "Zinc was given to forty mice.",
    "The mice slept on dry moss.",
    "Sleep was counted in hours by a camera.",
    "The mice with zinc slept longer.",
)


def test_the_sentence_that_shares_most_is_the_evidence() -> None:
    """A reader of a finding wants the one place in the paper to look at."""
    assert closest_sentence("A camera counted the hours of sleep.", SOURCE) == ((2, SOURCE[2]),)


def test_a_rare_word_counts_for_more_than_a_common_one() -> None:
    """Worked example: "mice" is in three sentences (1/3 each), "moss" in one (1).

    Sentence 3 shares mice and longer, 1/3 + 1; sentence 1 shares mice, moss and dry, 1/3 + 2.
    """
    found = closest_sentence("Mice longer on dry moss.", SOURCE)
    assert found == ((1, SOURCE[1]),)
    # mice 1/3 and zinc 1/2 make 5/6 in sentence 0, and less than the 1 of camera in sentence 2
    assert closest_sentence("Zinc, mice, camera.", SOURCE) == ((2, SOURCE[2]),)


def test_a_word_said_twice_counts_once() -> None:
    """A sentence that repeats itself is no better evidence."""
    source = ("Moss, moss, moss, and more moss.", "Moss on stone.")
    assert closest_sentence("Moss and stone, stone.", source) == ((1, source[1]),)


def test_the_earlier_of_equal_sentences_wins() -> None:
    """The same finding must point to the same place every time."""
    source = ("Ferns are old.", "Moss is green.", "Green moss.", "Moss is green.")
    assert closest_sentence("Green moss.", source) == ((1, source[1]),)


def test_words_that_every_text_has_are_no_evidence() -> None:
    """A sentence that shares only "the" and "was" would send the reader astray."""
    assert closest_sentence("The fern was there.", SOURCE) == ()


def test_inflected_words_are_shared() -> None:
    """A summary seldom keeps a word's form."""
    assert closest_sentence("Cameras.", SOURCE) == ((2, SOURCE[2]),)


def test_without_a_source_or_a_text_there_is_none() -> None:
    """Nothing shares a word with nothing."""
    assert closest_sentence("Zinc.", ()) == ()
    assert closest_sentence("", SOURCE) == ()


@given(
    st.lists(st.sampled_from(["zinc", "moss", "fern", "alga", "mouse"]), max_size=4).map(" ".join),
    st.lists(
        st.lists(st.sampled_from(["zinc", "moss", "fern", "alga"]), max_size=4).map(" ".join),
        max_size=5,
    ),
)
def test_evidence_is_a_sentence_of_the_source_that_shares_a_word(
    text: str, source: list[str]
) -> None:
    """Law: it is quoted as it stands, and there is one wherever any sentence shares a word."""
    found = closest_sentence(text, source)
    sharing = [
        place for place, sentence in enumerate(source) if {*text.split()} & {*sentence.split()}
    ]
    assert len(found) == min(1, len(sharing))
    for place, sentence in found:
        assert place in sharing
        assert sentence == source[place]


def test_a_text_that_is_a_sentence_of_the_source_finds_it() -> None:
    """Law on identical texts: no other sentence can share more."""
    for place, sentence in enumerate(SOURCE):
        assert closest_sentence(sentence, SOURCE) == ((place, sentence),)


def test_each_source_is_read_for_itself() -> None:
    """Its words are kept from one finding to the next, and another paper's would mislead."""
    moss, fern = ["Dry moss.", "Wet moss."], ["Ferns.", "Dry."]
    assert closest_sentence("Dry.", moss) == ((0, "Dry moss."),)
    assert closest_sentence("Dry.", fern) == ((1, "Dry."),)
    moss.reverse()
    assert closest_sentence("Dry.", moss) == ((1, "Dry moss."),)
    assert closest_sentence("Dry.", tuple(moss)) == ((1, "Dry moss."),)

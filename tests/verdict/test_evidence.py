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


def test_a_rare_word_counts_for_more_than_a_common_one() -> None:
    """Worked example: "mice" is in three sentences (1/3 each), "moss" in one (1).

    Sentence 3 shares mice and longer, 1/3 + 1; sentence 1 shares mice, moss and dry, 1/3 + 2.
    """
    found = closest_sentence("Mice longer on dry moss.", SOURCE)
    assert found == ((1, SOURCE[1]),)
    # mice 1/3 and zinc 1/2 make 5/6 in sentence 0, and less than the 1 of camera in sentence 2
    assert closest_sentence("Zinc, mice, camera.", SOURCE) == ((2, SOURCE[2]),)


def test_the_earlier_of_equal_sentences_wins() -> None:
    """The same finding must point to the same place every time."""
    source = ("Ferns are old.", "Moss is green.", "Green moss.", "Moss is green.")
    assert closest_sentence("Green moss.", source) == ((1, source[1]),)


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

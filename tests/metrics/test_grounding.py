from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from summeval_pytest.metrics.facet import count_held, coverage, facets_of, ground, is_held
from summeval_pytest.questions import FACETS, FacetSegments
from summeval_pytest.suite.scholarsum import import_scholarsum
from summeval_pytest.suite.suite import load_suite
from summeval_pytest.text.normalise import normalise

if TYPE_CHECKING:
    from pathlib import Path

    from summeval_pytest.metrics.facet import Held

TEXT = "Moss cools roofs. We planted six roofs with moss. They stayed 4.5 degrees cooler."


def test_a_segment_is_held_whole_in_parts_or_not_at_all() -> None:
    """Case and punctuation are no words; a sentence that the text lacks is dropped by itself."""
    found = ground(
        FacetSegments(
            background="moss cools roofs",
            method="We planted six roofs with moss. Bees came.",
            conclusion="Plant moss.",
        ),
        TEXT,
    )
    assert found.held == {"background": "whole", "method": "parts", "conclusion": "absent"}
    assert found.segments == FacetSegments(
        background="moss cools roofs", method="We planted six roofs with moss."
    )
    assert found.dropped == ("Bees came.", "Plant moss.")


def test_the_ends_of_a_shortened_segment_are_held() -> None:
    """Judges write an ellipsis where they leave words out."""
    found = ground(FacetSegments(method="We planted six roofs ... They stayed 4.5 degrees"), TEXT)
    assert found.held == {"method": "parts"}
    assert found.segments.method == "We planted six roofs They stayed 4.5 degrees"
    assert found.dropped == ()


def test_a_sentence_belongs_to_the_facet_that_holds_it() -> None:
    """Word for word, whatever the spaces; of two facets the first, and of none nothing."""
    segments = FacetSegments(
        background="Moss cools roofs.", result="They stayed 4.5  degrees cooler. Moss cools roofs."
    )
    sentences = ("Moss cools roofs .", "They stayed 4.5 degrees cooler.", "We planted six.", "...")
    assert list(facets_of(sentences, segments)) == ["background", "result", None, None]


def test_a_sentence_that_was_cut_belongs_to_whoever_holds_most_of_it() -> None:
    """A judge may cut where the labels do not; its parts are in two segments, or one is missing."""
    segments = FacetSegments(method="We planted six roofs.", result="All stayed cooler than tin.")
    whole = "We planted six roofs. All stayed cooler than tin. It rained."
    assert list(facets_of([whole], segments)) == ["result"]


def test_a_text_holds_words_and_not_pieces_of_words() -> None:
    """A short sentence would be found anywhere."""
    assert is_held("six roofs", TEXT)
    assert not is_held("x roofs", TEXT)
    assert not is_held("--", TEXT)


def test_counts_add_up_over_texts() -> None:
    """One of each, and a text without a segment."""
    segments = FacetSegments(background="Moss cools roofs.", result="They stayed. Bees came.")
    found = [ground(segments, TEXT), ground(segments, "Bees came."), ground(FacetSegments(), TEXT)]
    # first: whole, parts; second: absent, parts
    ways = [way for each in found for way in each.held.values()]
    assert count_held(ways) == {"whole": 1, "parts": 2, "absent": 1}


@given(st.lists(st.sampled_from(TEXT.split(". ")), max_size=4), st.sampled_from(FACETS))
def test_pieces_of_a_text_are_never_dropped(pieces: list[str], facet: str) -> None:
    """Law: whatever sentences of the text a segment is made of, nothing of it is invented."""
    segment = ". ".join(pieces)
    found = ground(FacetSegments(**{facet: segment}), TEXT)
    assert found.dropped == ()
    assert (facet in found.held) == bool(pieces)
    assert 0 <= coverage(found.segments, TEXT) <= 1


def test_released_segments_are_as_verbatim_as_they_are(tmp_path: Path, release_file: Path) -> None:
    """Oracle: GPT-4's segments of the PubMed half.

    Over both halves metrics.md 1.1 has 86 % (summaries) and 91 % (references) whole, 11 and 6 % in
    parts; this half alone has 90 and 82 %, 9 and 16 %.
    """
    import_scholarsum(release_file, tmp_path / "out")
    suite = load_suite(tmp_path / "out")
    references: list[Held] = []
    summaries: list[Held] = []
    for record in suite.recorded:
        if record.segments is None:
            continue
        if record.system is None:
            text = suite.paper(record.paper).references[0]
            references.extend(ground(record.segments, normalise(text)).held.values())
        else:
            text = suite.pair(record.paper, record.system).summary
            summaries.extend(ground(record.segments, normalise(text)).held.values())
    assert count_held(summaries) == {"whole": 903, "parts": 86, "absent": 15}
    assert count_held(references) == {"whole": 153, "parts": 29, "absent": 5}

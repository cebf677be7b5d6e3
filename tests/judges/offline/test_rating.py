from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from summeval_pytest.judges.offline.rating import rate_all, recall
from summeval_pytest.judges.offline.reading import read
from summeval_pytest.judges.offline.segmentation import segment
from summeval_pytest.questions import FACETS, SCALES, Facet, FacetPair, FacetRating

KITES = "Kites rose 40 m above copper roofs."
sentences = st.sampled_from(
    [
        "We flew 12 kites.",
        "Red kites rose 40 m, whereas blue kites fell 15 m.",
        "Red kites fell 40 m and then blue kites rose 15 m.",
        "Wind did not affect red kites (p = 0.4).",
        "Kites are poorly understood.",
        "These findings suggest that kites may be useful.",
        "Before the storm 7 kites flew, and 9 after it.",
        "Before the storm 9 kites flew, and 7 after it.",
    ]
)


def rate(facet: Facet, reference: str, candidate: str) -> FacetRating:
    """The rating of a single pair."""
    (rating,) = rate_all((FacetPair(facet=facet, reference=reference, candidate=candidate),))
    return rating


def test_recall_weighs_numbers_more_and_generic_words_less() -> None:
    """Of kites (1), roofs (1), 40 (1.5) and results (0.3) the summary has kites and 40."""
    reference, candidate = [read("Kites, roofs, 40, results")], [read("kites 40")]

    assert recall(reference, candidate) == pytest.approx(2.5 / 3.8, rel=1e-15)


def test_recall_of_nothing_is_zero() -> None:
    """A reference without content words has nothing to cover."""
    assert recall([read("of the")], [read("kites")]) == 0.0


@pytest.mark.parametrize(
    ("candidate", "rating"),
    [
        ("Amber birch cedar daisy elder.", 4),  # 5 of 10
        ("Amber birch cedar.", 3),  # 3 of 10
        ("Amber birch.", 2),  # 2 of 10
        ("Amber.", 1),  # 1 of 10
    ],
)
def test_rating_follows_the_share_of_words_found(candidate: str, rating: int) -> None:
    """The cut points of a scale of four are .15, .3 and .5."""
    reference = "Amber birch cedar daisy elder ferns gorse heath ivory juniper."

    assert rate("result", reference, candidate).rating == rating


def test_words_in_another_facet_count_half() -> None:
    """Half the share is looked for in the facet's own segment, half anywhere in the summary."""
    reference = "Amber birch cedar daisy."
    own = FacetPair(facet="result", reference=reference, candidate="Gorse heath.")
    other = FacetPair(facet="method", reference="Ivory.", candidate=reference)

    assert rate_all((own, other))[0] == FacetRating(
        facet="result", reason="50% of the reference's words and numbers found", rating=4
    )
    assert rate_all((own,))[0].rating == 1


def test_contradiction_is_rated_one() -> None:
    """The reason names it, whatever share of words was found."""
    assert rate("result", "Red kites rose quickly.", "Red kites fell quickly.") == FacetRating(
        facet="result",
        reason="direction: 'Red kites fell quickly.' against 'Red kites rose quickly.'",
        rating=1,
    )


def test_changed_number_is_rated_one() -> None:
    """All other words are the reference's."""
    assert rate("result", KITES, KITES.replace("40", "60")).rating == 1


def test_added_number_is_no_contradiction() -> None:
    """A summary may say more than its reference."""
    assert rate("result", KITES, f"{KITES} They weighed 300 g.").rating == 4


@settings(deadline=None)
@given(st.lists(sentences, min_size=1, max_size=6, unique=True))
def test_text_rated_against_itself_gets_the_full_scale(chosen: list[str]) -> None:
    """Nothing covers a text better than the text, even one that contradicts itself."""
    segments = segment(" ".join(chosen))
    stated = [segments.segment(facet) for facet in FACETS]
    pairs = tuple(
        FacetPair(facet=facet, reference=text, candidate=text)
        for facet, text in zip(FACETS, stated, strict=True)
        if text
    )

    assert any(stated)
    assert [r.rating for r in rate_all(pairs)] == [SCALES[pair.facet] for pair in pairs]


@settings(deadline=None)
@given(st.sampled_from(FACETS), st.text(min_size=1), st.text(min_size=1))
def test_rating_stays_on_its_scale(facet: Facet, reference: str, candidate: str) -> None:
    """A rating off its scale would cost the whole score."""
    rating = rate(facet, reference, candidate)

    assert rating.facet == facet
    assert 1 <= rating.rating <= SCALES[facet]
    assert rating.reason

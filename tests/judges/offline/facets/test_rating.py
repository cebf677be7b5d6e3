"""Ratings of facets by the embedded judge."""

from __future__ import annotations

from dataclasses import replace
from math import exp

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from summeval_pytest.judges.offline.facets import (
    CONFLICT_CONFIDENCE,
    WHOLE_CONFIDENCE,
    Overlap,
    RatingModel,
    rate_all,
    rating_model,
    segment,
    vetoed,
)
from summeval_pytest.judges.offline.number_conflicts import ASKS, Conflict
from summeval_pytest.questions import FACETS, SCALES, Facet, FacetPair, FacetRating, RateFacets

KITES = "Kites rose 40 m above copper roofs."
OVERLAP = Overlap(
    found=0.5,
    surest=0.9,
    repetition=0.04,
    amount=3.0,
    n_words=10,
    n_words_found=6,
    n_numbers=2,
    n_numbers_found=1,
    is_whole=False,
)
MODEL = RatingModel(
    coefficients=(2.0, 1.0, -5.0, 0.5),
    thresholds={"result": (1.0, 2.0, 3.0)},
    cuts={"result": (1.5, 2.4, 2.6)},
)
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
    pair = FacetPair(facet=facet, reference=reference, candidate=candidate)
    (rating,) = rate_all(RateFacets((pair,)))
    return rating


def test_score_is_the_weighted_sum_of_the_overlap() -> None:
    """2 * .5 + .9 - 5 * sqrt(.04) + .5 * 3 = 2.4."""
    assert MODEL.score(OVERLAP.features) == 2.4


def test_probabilities_are_differences_of_logistic_curves() -> None:
    """P(rating <= k) = 1 / (1 + exp(2.4 - k)) for the thresholds 1, 2 and 3."""
    below = [1 / (1 + exp(2.4 - k)) for k in (1, 2, 3)]

    chances = MODEL.probabilities("result", 2.4)

    assert chances == pytest.approx(
        (below[0], below[1] - below[0], below[2] - below[1], 1 - below[2]), rel=1e-12
    )
    assert sum(chances) == pytest.approx(1.0, rel=1e-12)


@pytest.mark.parametrize(("score", "rating"), [(1.4, 1), (1.5, 2), (2.4, 3), (2.6, 4)])
def test_rating_rises_at_each_cut_point(score: float, rating: int) -> None:
    """A score on a cut point has reached it."""
    assert MODEL.rating("result", score) == rating


@pytest.mark.parametrize("facet", FACETS)
def test_shipped_model_has_a_step_for_each_rating(facet: Facet) -> None:
    """Thresholds and cut points ascend, one fewer than the scale has ratings."""
    model = rating_model()

    for steps in (model.thresholds[facet], model.cuts[facet]):
        assert len(steps) == SCALES[facet] - 1
        assert list(steps) == sorted(set(steps))


def test_more_found_is_never_rated_less() -> None:
    """What is read off a summary counts in the direction a person expects."""
    model = rating_model()
    score = model.score(OVERLAP.features)

    assert model.score(replace(OVERLAP, found=0.6).features) > score
    assert model.score(replace(OVERLAP, surest=1.0).features) > score
    assert model.score(replace(OVERLAP, amount=3.5).features) > score
    assert model.score(replace(OVERLAP, repetition=0.1).features) < score


def test_reason_says_what_was_found_and_what_to_expect() -> None:
    """Kites, rose and roofs of kites, rose, 40, copper and roofs; 0 of 1 numbers."""
    reason = rate("result", KITES, "Kites rose above roofs.").reason

    assert reason.startswith("60% of the reference's words and 0 of 1 numbers found")
    assert "; expected " in reason
    assert reason.endswith(" of 4")


def test_facet_that_no_sentence_looks_like_is_said_to_be_unclear() -> None:
    """A rating can be low for that alone."""
    reason = rate("conclusion", KITES, "We enrolled 12 patients with a kite of copper.").reason

    assert "found, not clearly as conclusion; expected" in reason


def test_changed_number_is_rated_one_and_asks_to_look() -> None:
    """All other words are the reference's; numbers can be compared for sure."""
    rating = rate("result", KITES, KITES.replace("40", "60"))

    assert rating.rating == 1
    assert rating.reason.startswith(f"{ASKS}: number: ")
    assert rating.undecided
    assert rating.confidence is not None
    assert rating.confidence <= CONFLICT_CONFIDENCE


def test_conflict_of_words_lowers_the_rating_by_one() -> None:
    """Words are misread too often for the lowest rating at once, as a changed number has it."""
    word = Conflict(kind="direction", says="fell", instead="rose")
    number = Conflict(kind="number", says="60", instead="40")

    assert [vetoed(rating, word) for rating in (4, 3, 1)] == [3, 2, 1]
    assert [vetoed(rating, number) for rating in (4, 1)] == [1, 1]


def test_word_in_the_place_of_its_opposite_asks_to_look() -> None:
    """In a near copy; in any other sentence it is not seen."""
    fallen = rate("result", KITES, KITES.replace("rose", "fell"))

    assert fallen.reason.startswith(f"{ASKS}: direction: ")
    assert fallen.undecided


def test_segment_with_every_word_covers_the_facet() -> None:
    """A summary may say more than its reference."""
    rating = rate("result", KITES, f"{KITES} They weighed 300 g.")

    assert rating == FacetRating(
        facet="result",
        reason="100% of the reference's words and 1 of 1 numbers found",
        rating=4,
        confidence=WHOLE_CONFIDENCE,
    )


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
    assert [r.rating for r in rate_all(RateFacets(pairs))] == [SCALES[pair.facet] for pair in pairs]


@settings(deadline=None)
@given(st.sampled_from(FACETS), st.text(min_size=1), st.text(min_size=1))
def test_rating_stays_on_its_scale(facet: Facet, reference: str, candidate: str) -> None:
    """A rating off its scale would cost the whole score."""
    rating = rate(facet, reference, candidate)

    assert rating.facet == facet
    assert 1 <= rating.rating <= SCALES[facet]
    assert rating.reason
    assert rating.confidence is not None
    assert 0.0 <= rating.confidence <= 1.0


@settings(deadline=None)
@given(st.permutations(FACETS))
def test_order_of_the_pairs_changes_nothing(order: list[Facet]) -> None:
    """Each pair is rated by all of them, whichever is named first."""
    said = dict(zip(FACETS, ("Kites are rare.", "We flew 12.", KITES, "Kites help."), strict=True))

    def rated(facets: tuple[Facet, ...]) -> dict[Facet, FacetRating]:
        pairs = tuple(FacetPair(facet=f, reference=KITES, candidate=said[f]) for f in facets)
        return dict(zip(facets, rate_all(RateFacets(pairs)), strict=True))

    assert rated(tuple(order)) == rated(FACETS)

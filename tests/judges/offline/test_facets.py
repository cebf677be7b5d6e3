from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from math import exp

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from summeval_pytest import questions as q
from summeval_pytest.judges.offline.conflicts import Conflict, words_found
from summeval_pytest.judges.offline.facets import (
    CONFLICT_CONFIDENCE,
    WHOLE_CONFIDENCE,
    FacetOverlap,
    RatingModel,
    rate_all,
    rating_model,
    segment,
    vetoed,
)
from summeval_pytest.judges.offline.roles import cut_at_labels

KITES = "Kites rose 40 m above copper roofs."
OVERLAP = FacetOverlap(
    found=0.5,
    stated=0.9,
    own=0.5,
    repetition=0.04,
    is_whole=False,
    reason="60% of the reference's words and 1 of 2 numbers found",
)
HEDGES = (
    "Hedges shelter birds, but their use is poorly understood.",
    "We counted nests in 40 hedges using field glasses.",
    "Nests were significantly more frequent in tall hedges (p = 0.01).",
    "These findings suggest that farmers should let hedges grow.",
)
LOOMS = (
    "Background: We timed 12 looms.",
    "Methods: p < 0.01 was found.",
    "Results: Looms may wear out.",
)
GLUED = (
    "backgroundlooms wear out.",
    "methodswe timed 12 looms.",
    "resultsnew looms won.",
    "conclusionsbuy new looms.",
)
SKIPPING = (
    "Background: Looms wear out.",
    "We timed 12 looms using a clock.",
    "New looms were significantly faster.",
    "Conclusion: Buy new looms.",
)


def pair(facet: q.Facet, reference: str, candidate: str) -> q.FacetPair:
    """One facet of both texts."""
    return q.FacetPair(facet=facet, reference=reference, candidate=candidate)


def rate(reference: str, candidate: str) -> q.FacetRating:
    """The rating of a result."""
    (rating,) = rate_all(q.RateFacets((pair("result", reference, candidate),)))
    return rating


def test_shipped_model_has_a_step_for_each_rating_and_rises() -> None:
    """What is read off a summary counts in the direction a person expects."""
    model = rating_model()
    for facet, scale in q.SCALES.items():
        for steps in (model.thresholds[facet], model.cuts[facet]):
            assert len(steps) == scale - 1
            assert list(steps) == sorted(set(steps))
    score = model.score(OVERLAP.features)
    assert model.score(replace(OVERLAP, found=0.6).features) > score
    assert model.score(replace(OVERLAP, stated=1.0).features) > score
    assert model.score(replace(OVERLAP, repetition=0.1).features) < score


def test_reason_names_the_words_and_numbers_that_are_missing() -> None:
    """Of kites, rose, 40, copper and roofs; a reader looks for these, the rarest first."""
    assert rate(KITES, "Kites rose above roofs.").reason == "words not found: 40 m, copper"
    assert words_found("Ab bc cd de ef fg", ["ab", "cd", "de", "ef", "fg", "bc"]).endswith(
        ", fg and 1 more"
    )
    # words elsewhere in the summary do not make a copy; a summary may say more
    reason = "all words found"
    assert rate(KITES, f"{KITES} They weighed 300 g.") == q.FacetRating(
        facet="result", reason=reason, rating=4, coverage=100, confidence=WHOLE_CONFIDENCE
    )


def test_changed_number_is_rated_one_and_asks_to_look() -> None:
    """All other words are the reference's; numbers can be compared for sure.

    Words are misread too often for the lowest rating at once, so one of them costs a step.
    """
    rating = rate(KITES, KITES.replace("40", "60"))
    assert rating.rating == 1
    assert rating.reason.startswith("number: ")
    assert rating.undecided
    assert rating.confidence is not None
    assert rating.confidence <= CONFLICT_CONFIDENCE
    word = Conflict(kind="direction", says="fell", instead="rose")
    assert [vetoed(rating, word) for rating in (4, 3, 1)] == [3, 2, 1]


@pytest.mark.parametrize(
    ("stated", "own", "bounds"),
    [
        (0.69, 0.11, (1, 1)),  # nothing of its own, and no sentence states it
        (0.7, 0.11, (1, 4)),  # a sentence states it, in other words
        (0.69, 0.12, (1, 4)),
        (0.4, 0.25, (2, 4)),  # a quarter of its own words, and a sentence that may state it
        (0.39, 0.25, (1, 4)),
        (0.4, 0.24, (1, 4)),
    ],
)
def test_own_words_bound_the_rating(stated: float, own: float, bounds: tuple[int, int]) -> None:
    """Words that facets share say nothing about which of them is there."""
    assert replace(OVERLAP, stated=stated, own=own).bounds == bounds


def test_facet_left_out_is_rated_one_and_says_so() -> None:
    """The summary has the result's subject, nests and hedges, but none of its own words."""
    pairs = tuple(pair(f, text, "") for f, text in zip(q.FACETS, HEDGES, strict=True))
    question = q.RateFacets(pairs, " ".join(HEDGES), " ".join(HEDGES[:2]))
    ratings = {rated.facet: rated for rated in rate_all(question)}
    assert ratings["result"].rating == 1
    assert ratings["result"].reason.startswith("left out; words not found: ")
    assert [ratings[facet].rating for facet in ("background", "method")] == [3, 4]


@given(st.lists(
    st.sampled_from((
        "We flew 12 kites.",
        "Red kites rose 40 m, whereas blue kites fell 15 m.",
        "Red kites fell 40 m and then blue kites rose 15 m.",
        "Wind did not affect red kites (p = 0.4).",
        "Kites are poorly understood.",
        "These findings suggest that kites may be useful.",
        "Before the storm 7 kites flew, and 9 after it.",
        "Before the storm 9 kites flew, and 7 after it.",
    )),
    min_size=1, max_size=6, unique=True,
))  # fmt: skip
def test_text_rated_against_itself_gets_the_full_scale(chosen: list[str]) -> None:
    """Nothing covers a text better than the text, even one that contradicts itself."""
    stated = zip(q.FACETS, of_each(" ".join(chosen)), strict=True)
    pairs = tuple(pair(facet, text, text) for facet, text in stated if text)
    assert pairs
    assert [r.rating for r in rate_all(q.RateFacets(pairs))] == [
        q.SCALES[each.facet] for each in pairs
    ]


def of_each(text: str) -> tuple[str, ...]:
    """The segments in the order of FACETS."""
    segments = segment(text)
    return tuple(segments.segment(facet) for facet in q.FACETS)


@pytest.mark.parametrize(
    ("text", "segments"),
    [
        # Cues, tense, numbers and place agree, so each sentence goes where a reader puts it.
        (" ".join(HEDGES), HEDGES),
        # An author's own label outweighs every guess: here the results come first.
        (" ".join((*LOOMS[2:3], *LOOMS[:2])), (*LOOMS[:3], "")),
        # A label that lost its colon and space is still a label.
        ("".join(GLUED), GLUED),
        # Between "Background:" and "Conclusion:" stand a method and a result without a label.
        (" ".join(SKIPPING), SKIPPING),
        # No facet can be stated without a word that says something.
        *((text, ("",) * 4) for text in ("", "...", " \n ", "\u2603 \u2603", "the of and")),
    ],
)  # fmt: skip
def test_each_sentence_goes_where_a_reader_puts_it(text: str, segments: tuple[str, ...]) -> None:
    """By its label where it stands under one, else by cues, tense, numbers and place."""
    assert of_each(text) == segments


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        (
            "The loom was slow.methods : we timed 12 looms.",
            ("The loom was slow.", "methods : we timed 12 looms."),
        ),
        ("it was slow.resultsthe new loom won.", ("it was slow.", "resultsthe new loom won.")),
        ("It was slow.electronic supplementary material is online.", ("It was slow.",)),
        ("The methods: weaving and knitting.", ("The methods: weaving and knitting.",)),
        ("resulting from weaving", ("resulting from weaving",)),
    ],
)
def test_sentences_are_cut_before_a_label_inside_them(text: str, pieces: tuple[str, ...]) -> None:
    """Released abstracts lost the line break before a label, so no full stop splits there."""
    assert cut_at_labels(text) == pieces


def test_nearest_sentence_stands_for_a_facet_that_a_summary_does_not_state() -> None:
    """What a summary says counts wherever it stands, so no facet of it is empty."""
    table = np.array([[0.6, 0.1, 0.2, 0.1], [0.5, 0.3, 0.1, 0.1]])
    text = "Copper shines. Kites rose."
    segments = segment(text, lambda sentences: table[: len(sentences)], nearest=True)
    assert (segments.method, segments.result) == ("Kites rose.", "Copper shines.")
    assert all(segment(text, nearest=True).segment(facet) for facet in q.FACETS)
    assert not segment("", nearest=True).segment("result")


def test_one_more_sentence_hides_no_facet() -> None:
    """Its place makes the last sentence a conclusion; what follows must not take that away."""
    whole = " ".join(HEDGES)
    for more in ("The 12 plots were mown twice.", "Hedges were planted in 1994."):
        assert segment(f"{whole} {more}").conclusion
        assert segment(f"{more} {whole}").conclusion


def test_the_rating_model_worked_examples() -> None:
    """Thresholds 1, 2 and 3, whose mean is 2, and cut points, which a score on them has reached."""
    model = RatingModel(
        coefficients=(2.0, 1.0, -5.0),
        thresholds={"result": (1.0, 2.0, 3.0)},
        cuts={"result": (1.5, 2.4, 2.6)},
    )
    assert model.score(OVERLAP.features) == 0.9  # 2 * .5 + .9 - 5 * sqrt(.04)
    # Half at the mean of the thresholds, and as a logistic curve around it.
    assert [model.coverage(score) for score in (2.0, 3.0, 0.0)] == [50, 73, 12]
    assert [model.rating("result", score) for score in (1.4, 1.5, 2.4, 2.6)] == [1, 2, 3, 4]
    # P(rating <= k) = 1 / (1 + exp(2.4 - k))
    below = [0.0, *(1 / (1 + exp(2.4 - k)) for k in (1, 2, 3)), 1.0]
    chances = [high - low for low, high in pairwise(below)]
    assert model.probabilities("result", 2.4) == pytest.approx(chances, rel=1e-12)

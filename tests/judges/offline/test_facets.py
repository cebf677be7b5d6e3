from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from summeval_pytest import questions as q
from summeval_pytest.judges.offline import facets
from summeval_pytest.judges.offline.conflicts import Conflict
from summeval_pytest.judges.offline.facets import (
    CONFLICT_CONFIDENCE,
    WHOLE_CONFIDENCE,
    FacetOverlap,
    RatingModel,
    overlaps,
    rate_all,
    rating_model,
    segment,
    vetoed,
)
from summeval_pytest.judges.offline.roles import cut_at_labels

Roles = Callable[[Sequence[str]], NDArray[np.float64]]
RESULT = q.FACETS.index("result")
KITES = "Kites rose 40 m above copper roofs."
OVERLAP = FacetOverlap(
    found=0.5,
    stated=0.9,
    own=0.5,
    repetition=0.04,
    is_whole=False,
    reason="60% of the reference's words and 1 of 2 numbers found",
)
MODEL = RatingModel(
    coefficients=(2.0, 1.0, -5.0),
    thresholds={"result": (1.0, 2.0, 3.0)},
    cuts={"result": (1.5, 2.4, 2.6)},
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


def weight(word: str) -> float:
    """What one word counts."""
    return facets._weights(word)[word]


def overlap_of(facet: q.Facet, reference: str, summary: str, roles: Roles) -> FacetOverlap:
    """The overlap of one facet, which is all of the reference, with a summary."""
    question = q.RateFacets((pair(facet, reference, summary),), reference, summary)
    return overlaps(question, roles)[0]


def by_word(**roles: float) -> Roles:
    """How surely a sentence states a result: by the first of these words that it has."""

    def table(sentences: Sequence[str]) -> NDArray[np.float64]:
        result = np.zeros((len(sentences), len(q.FACETS)))
        for row, sentence in enumerate(sentences):
            result[row, RESULT] = next((p for word, p in roles.items() if word in sentence), 0.0)
        return result

    return table


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


def test_reason_says_what_was_found_and_what_to_expect() -> None:
    """Kites, rose and roofs of kites, rose, 40, copper and roofs; 0 of 1 numbers."""
    reason = rate(KITES, "Kites rose above roofs.").reason
    assert reason.startswith("60% of the reference's words and 0 of 1 numbers found")
    assert "; expected " in reason
    assert reason.endswith(" of 4")
    # words elsewhere in the summary do not make a copy; a summary may say more
    reason = "100% of the reference's words and 1 of 1 numbers found"
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
    assert "0% of those that only this facet has: left out" in ratings["result"].reason
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


def test_numbers_are_counted_once_and_wherever_they_stand() -> None:
    """Of 12, 40 and 15 the summary has 40, in another sentence."""
    reference = "Kites rose 12, 40 and 15 m, then 40 m."
    overlap = overlap_of("result", reference, "Kites rose. We flew 40 kites.", by_word())
    # kites, rose, 12, 40, 15
    assert overlap.reason == "60% of the reference's words and 1 of 3 numbers found"

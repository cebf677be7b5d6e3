"""What a summary says of a facet, in numbers."""

from __future__ import annotations

from math import log1p, sqrt
from typing import TYPE_CHECKING

import numpy as np
import pytest

from summeval_pytest.judges.offline.facets import NAMES, Overlap, overlaps, repetition, weight
from summeval_pytest.questions import FACETS, Facet, FacetPair

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

METHOD, RESULT = FACETS.index("method"), FACETS.index("result")


def half_result(sentences: Sequence[str]) -> NDArray[np.float64]:
    """Every sentence is half a method, half a result."""
    table = np.zeros((len(sentences), len(FACETS)))
    table[:, [METHOD, RESULT]] = 0.5
    return table


def pair(facet: Facet, reference: str, candidate: str) -> FacetPair:
    """One facet of both texts."""
    return FacetPair(facet=facet, reference=reference, candidate=candidate)


def test_a_word_counts_by_how_surely_its_sentence_states_the_facet() -> None:
    """The own segment counts .5 + .5 * .5 = .75, a sentence of another facet .5 * .5 = .25."""
    own = pair("result", "Zqx vbn 41.", "Zqx.")
    other = pair("method", "Wrt.", "Vbn.")

    found = overlaps((own, other), half_result)[0].found

    whole = weight("zqx") + weight("vbn") + weight("41")
    assert found == pytest.approx((0.75 * weight("zqx") + 0.25 * weight("vbn")) / whole, rel=1e-12)


def test_numbers_and_unknown_words_weigh_most() -> None:
    """A number is key information (FM, section 3.2); "patients" stands in every other abstract."""
    assert weight("41") == 1.0
    assert 0.0 <= weight("patient") < weight("copper") <= 1.0


def test_surest_sentence_tells_whether_a_facet_is_stated_at_all() -> None:
    """A facet without a sentence of its own is as sure as the best of the others' sentences."""

    def roles(sentences: Sequence[str]) -> NDArray[np.float64]:
        return np.array([[0.0, 0.1, 0.9, 0.0], [0.0, 0.8, 0.2, 0.0]])[: len(sentences)]

    method = pair("method", "Copper.", "Roofs.")
    result = pair("result", "Copper.", "Kites rose.")

    assert [o.surest for o in overlaps((method, result), roles)] == [0.55, 0.6]


def test_repetition_is_the_share_of_runs_said_before() -> None:
    """Of the 5 runs of four words in "a b c d a b c d", the last is the first."""
    assert repetition("a b c d a b c d".split()) == pytest.approx(1 / 5, rel=1e-12)
    assert repetition(["a", "b", "c"]) == 0.0


def test_words_past_the_fortieth_add_nothing_to_the_amount() -> None:
    """A long segment says no more for being longer."""
    short = overlaps((pair("result", "Copper.", "Kites rose."),), half_result)[0]
    long = [
        overlaps((pair("result", "Copper.", " ".join(["copper"] * n)),), half_result)[0].amount
        for n in (40, 80)
    ]

    assert short.amount == log1p(2)
    assert long == [log1p(40), log1p(40)]


def test_numbers_are_counted_once_and_wherever_they_stand() -> None:
    """Of 12, 40 and 15 the summary has 40, in the sentence of another facet."""
    result = pair("result", "Kites rose 12, 40 and 15 m, then 40 m.", "Kites rose.")
    method = pair("method", "Copper.", "We flew 40 kites.")

    overlap = overlaps((result, method), half_result)[0]

    assert (overlap.n_numbers, overlap.n_numbers_found) == (3, 1)
    assert (overlap.n_words, overlap.n_words_found) == (5, 3)  # kites, rose, 12, 40, 15


def test_whole_means_every_word_in_the_own_segment() -> None:
    """Words in another facet's segment do not make a copy."""
    own = pair("result", "Kites rose.", "The kites rose quickly.")
    apart = pair("result", "Kites rose.", "Kites fell.")
    other = pair("method", "Copper.", "Roofs rose.")

    assert overlaps((own,), half_result)[0].is_whole
    assert not overlaps((apart, other), half_result)[0].is_whole


def test_a_candidate_without_words_has_nothing() -> None:
    """What cannot be read covers nothing."""
    overlap = overlaps((pair("result", "Kites rose.", "..."),), half_result)[0]

    assert overlap.features == (0.0, 0.0, 0.0, 0.0)


def test_features_stand_in_the_order_of_their_names() -> None:
    """Coefficients are kept by place."""
    overlap = Overlap(
        found=0.5, surest=0.9, repetition=0.25, amount=2.0,
        n_words=4, n_words_found=2, n_numbers=1, n_numbers_found=1, is_whole=False,
    )  # fmt: skip

    assert overlap.features == (0.5, 0.9, sqrt(0.25), 2.0)
    assert NAMES == ("found", "surest", "sqrt(repetition)", "amount")

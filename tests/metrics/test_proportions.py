from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from summeval_pytest.metrics.proportions import facet_proportions, join_segments
from summeval_pytest.questions import FACETS, FacetSegments

if TYPE_CHECKING:
    from tests.metrics.conftest import Released

WRITTEN = FacetSegments(
    background="Ponds dry out.", method="We filled one at night.", result="It held."
)
texts = st.lists(st.sampled_from(["pond", "pump", "Night.", "12"]), max_size=6).map(" ".join)
segments = st.builds(FacetSegments, background=texts, method=texts, result=texts, conclusion=texts)


def test_facet_proportions_worked_example() -> None:
    """Words of each facet over the words of all."""
    # 3 + 5 + 2 + 0 = 10 words
    assert facet_proportions(WRITTEN) == {
        "background": 0.3,
        "method": 0.5,
        "result": 0.2,
        "conclusion": 0.0,
    }


@pytest.mark.parametrize("held", [FacetSegments(), FacetSegments(result=" <pad> ")])
def test_segments_without_words_have_no_proportions(held: FacetSegments) -> None:
    """Nothing is divided, so no facet has 0 of it."""
    assert facet_proportions(held) is None


def test_a_set_of_texts_has_the_shares_of_its_sums() -> None:
    """Long texts count for more, which is what the published figures do."""
    # 10 words as above, and 30 of background: 33, 5, 2, 0 of 40
    long = FacetSegments(background="pond " * 30)
    assert facet_proportions(join_segments([WRITTEN, long])) == {
        "background": 33 / 40,
        "method": 5 / 40,
        "result": 2 / 40,
        "conclusion": 0.0,
    }


def test_no_texts_join_to_no_segments() -> None:
    """So a set without recorded segments has no proportions, and no division by 0."""
    assert join_segments([]) == FacetSegments()


@settings(deadline=None)
@given(segments)
def test_proportions_are_shares_of_one(drawn: FacetSegments) -> None:
    """Bounds, in the order of the facets, and only where there is a word."""
    found = facet_proportions(drawn)
    if found is None:
        assert not any(drawn.segment(facet) for facet in FACETS)
    else:
        assert tuple(found) == FACETS
        assert all(0 <= share <= 1 for share in found.values())
        assert sum(found.values()) == pytest.approx(1)


@settings(deadline=None)
@given(st.lists(segments, max_size=4))
def test_the_order_of_texts_does_not_matter(drawn: list[FacetSegments]) -> None:
    """A file sorted another way holds the same texts."""
    assert facet_proportions(join_segments(drawn)) == facet_proportions(join_segments(drawn[::-1]))


@pytest.mark.parametrize(
    ("system", "published"),
    [("reference", (0.27, 0.27, 0.29, 0.17)), ("gpt35_fm", (0.39, 0.24, 0.23, 0.13))],
)
def test_the_eight_figures_of_scholarsum(
    released: Released, system: str, published: tuple[float, ...]
) -> None:
    """Oracle: FM, figure 4a, from GPT-4's recorded segments (metrics.md, section 2)."""
    found = facet_proportions(join_segments(released.segments[system]))
    assert found is not None
    assert tuple(round(found[facet], 2) for facet in FACETS) == published

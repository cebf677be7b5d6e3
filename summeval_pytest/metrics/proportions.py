"""How the words of a text are divided among the four facets.

    proportion_f = words of facet f / words of all four facets

Source: FM, figure 4a. For a set of texts the figures are shares of the sums, that is
``facet_proportions(join_segments(texts))``: on ScholarSum this gives all eight figures, where the
mean of the texts' own shares is off by up to .04.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from summeval_pytest.questions import FACETS, Facet, FacetSegments
from summeval_pytest.text import normalise

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


def facet_words(segments: FacetSegments) -> dict[Facet, int]:
    """The words of each facet, 0 where it is not stated."""
    return {facet: len(normalise(segments.segment(facet)).split()) for facet in FACETS}


def facet_proportions(segments: FacetSegments) -> Mapping[Facet, float] | None:
    """The share of each facet in the words of all four: 0 to 1 each, 1 together.

    A facet that is not stated has 0; None where no facet has a word. Words are what stands between
    spaces; a word that lies in the segments of two facets counts in both.
    """
    n_words = facet_words(segments)
    total = sum(n_words.values())
    if not total:
        return None
    return MappingProxyType({facet: n_words[facet] / total for facet in FACETS})


def join_segments(texts: Iterable[FacetSegments]) -> FacetSegments:
    """The segments of many texts as those of one, each facet's joined by spaces."""
    held = list(texts)
    return FacetSegments(
        **{facet: " ".join(filter(None, (s.segment(facet) for s in held))) for facet in FACETS}
    )

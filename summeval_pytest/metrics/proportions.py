"""How the words of a text are divided among the four facets.

    proportion_f = words of facet f / words of all four facets

Source: FM, figure 4a. For a set of texts the figures are shares of the sums: on ScholarSum this
gives all eight figures, where the mean of the texts' own shares is off by up to .04.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from summeval_pytest.questions import FACETS
from summeval_pytest.text import normalise

if TYPE_CHECKING:
    from summeval_pytest.questions import Facet, FacetSegments


def facet_words(segments: FacetSegments) -> dict[Facet, int]:
    """The words of each facet, 0 where it is not stated.

    Words are what stands between spaces. One in the segments of two facets counts in both.
    """
    return {facet: len(normalise(segments.segment(facet)).split()) for facet in FACETS}

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest

from summeval_pytest.metrics.texts import facet_words
from summeval_pytest.questions import FACETS, FacetSegments

if TYPE_CHECKING:
    from tests.metrics.conftest import Released


def test_the_words_of_a_facet_are_what_stands_between_spaces() -> None:
    """Worked example; a mark of padding is no word, and a facet that is not stated has none."""
    written = FacetSegments(
        background="Ponds dry out.", method="We filled one at night.", result=" <pad> "
    )
    assert facet_words(written) == {"background": 3, "method": 5, "result": 0, "conclusion": 0}


@pytest.mark.parametrize(
    ("system", "published"),
    [("reference", (0.27, 0.27, 0.29, 0.17)), ("gpt35_fm", (0.39, 0.24, 0.23, 0.13))],
)
def test_the_eight_figures_of_scholarsum(
    released: Released, system: str, published: tuple[float, ...]
) -> None:
    """Oracle: FM, figure 4a, from GPT-4's recorded segments (metrics.md, section 2)."""
    words = Counter[str]()
    for segments in released.segments[system]:
        words.update(facet_words(segments))
    assert tuple(round(words[facet] / words.total(), 2) for facet in FACETS) == published

"""What is read off one sentence."""

from __future__ import annotations

from typing import Final

import pytest

from summeval_pytest.judges.offline import OfflineJudge
from summeval_pytest.judges.offline.readings.reading import MOST, read
from summeval_pytest.questions import (
    CheckSentences,
    FacetPair,
    FacetRatings,
    RateFacets,
    SentenceChecks,
)

NUMBERS: Final = "1 2 3 4,5 6.7e8 " * 6000
CLAUSES: Final = "".join(
    f"colony {'b' * (n % 20)}{'c' * (n // 20)} grew faster; " for n in range(1, 400)
)


@pytest.mark.parametrize("text", [NUMBERS, CLAUSES], ids=["numbers", "clauses"])
def test_a_sentence_is_compared_by_a_bounded_part(text: str) -> None:
    """Every number is held against every other: 18,000 of them kept the judge for four minutes."""
    reading = read(text)
    assert max(len(reading.quantities), len(reading.clauses)) == MOST
    pair = FacetPair(facet="result", reference="Zinc halved the 18 cases.", candidate=text)
    assert isinstance(OfflineJudge().compute(RateFacets((pair,))), FacetRatings)
    checks = OfflineJudge().compute(CheckSentences((text,), (f"{text} not",)))
    assert isinstance(checks, SentenceChecks)


def test_a_usual_sentence_is_read_in_full() -> None:
    """The bound is far above what a sentence of a paper holds."""
    text = " and ".join(f"group {n} rose by {n} mm" for n in range(2, 32))
    assert len(read(text).quantities) == 60
    assert len(read(text).clauses) == 30

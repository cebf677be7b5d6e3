"""Laws of the embedded judge's ratings, on the papers of golden and on made-up ones.

A true text must not be condemned: what is copied from the source contradicts nothing, and what
contains the reference covers it.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from summeval_pytest.judges.offline import OfflineJudge
from summeval_pytest.metrics import facet
from summeval_pytest.metrics.facet import FacetScore, RatedFacet
from summeval_pytest.text.numbers import unstated_figures
from summeval_pytest.text.reading import normalise
from summeval_pytest.text.sentences import sentence_texts
from tests.metrics.table_judge import driven

GOLDEN: Final = Path(__file__).parents[3] / "golden"
JUDGE: Final = OfflineJudge()


@cache
def papers() -> dict[str, tuple[str, tuple[str, ...], str]]:
    """By id: the reference, the source's sentences, a careful summary."""
    lines = (GOLDEN / "systems/careful.jsonl").read_text(encoding="utf-8").splitlines()
    careful = {row["paper"]: row["summary"] for row in map(json.loads, lines)}
    result = {}
    for paper in map(json.loads, (GOLDEN / "papers.jsonl").read_text("utf-8").splitlines()):
        source = tuple(
            s for part in paper["source"] for s in sentence_texts(normalise(part["text"]))
        )
        result[paper["id"]] = (paper["reference"], source, careful[paper["id"]])
    return result


def rated(reference: str, summary: str) -> FacetScore:
    """FM by the embedded judge."""
    score = driven(facet.measure(reference, summary), JUDGE.compute)
    assert isinstance(score, FacetScore)
    return score


def is_justified(rating: RatedFacet) -> bool:
    """Whether a rating of 1 shows a conflict, or that the facet is hardly stated."""
    return rating.rating > 1 or "conflict" in rating.reason or "left out" in rating.reason


@pytest.mark.parametrize("paper", sorted(papers()))
def test_the_whole_source_contradicts_none_of_its_facets(paper: str) -> None:
    """A facet whose every number stands in the summary has no number conflict.

    What contains the reference covers it, whatever else it says, before or behind it.
    """
    reference, source, _ = papers()[paper]
    whole = " ".join(source)
    for rating in rated(reference, whole).ratings:
        stated = not any(unstated_figures(s, source) for s in sentence_texts(rating.reference))
        assert not (stated and "number:" in rating.reason)
        assert rating.rating > 1
        assert is_justified(rating)
    for text in (f"{reference} The data are public.", f"Funds came from the council. {reference}"):
        assert rated(reference, text).value >= 0.95


@given(st.data())
def test_a_sentence_of_the_source_condemns_nothing(data: st.DataObject) -> None:
    """It lowers a rating by one step at most and never makes a conflict."""
    reference, source, summary = papers()[data.draw(st.sampled_from(sorted(papers())))]
    sentence = data.draw(st.sampled_from(source))
    is_first = data.draw(st.booleans())
    before = {rating.facet: rating for rating in rated(reference, summary).ratings}
    longer = f"{sentence} {summary}" if is_first else f"{summary} {sentence}"
    after = rated(reference, longer).ratings
    for rating in after:
        was = before[rating.facet]
        assert rating.rating >= was.rating - 1
        assert "conflict" in was.reason or "conflict" not in rating.reason
        assert is_justified(rating)

from __future__ import annotations

import math

import pytest

from summeval_pytest.analysis.agreement import (
    CONTROLS,
    LEADING,
    LabelledPair,
    column_names,
    segment_controls,
)
from summeval_pytest.errors import Place
from summeval_pytest.questions import FACETS, Facet, FacetSegments
from summeval_pytest.suite.labels import Label, Recorded


def record(**segments: str) -> Recorded:
    """Recorded segments of a summary."""
    return Recorded(paper="moss", system="plain", by="Ann", segments=FacetSegments(**segments))


def label(**facets: int | None) -> Label:
    """A label of the same pair."""
    rated: dict[Facet, int | None] = {f: facets[f] for f in FACETS if f in facets}
    return Label(paper="moss", system="plain", facets=rated or None, place=Place("labels.jsonl"))


def test_segments_are_weighed_over_the_facets_that_people_rated() -> None:
    """Worked example: background and result are rated, result is stated in nine characters.

    Weights .1 and .3: presence .3 / .4 and length .3 * log(10) / .4; the method counts for nothing.
    """
    found = segment_controls(
        label(background=3, method=None, result=2), record(method="By hand.", result="It grew 9")
    )
    assert found == pytest.approx({"presence (Ann)": 0.75, "length (Ann)": 0.75 * math.log(10)})


def test_without_ratings_the_recorded_reference_tells_the_facets() -> None:
    """A suite may hold overall scores alone."""
    segments = record(method="By hand.", result="It grew 9")
    reference = FacetSegments(method="By machine.", conclusion="Buy it.")
    found = segment_controls(label(), segments, reference)
    assert found["presence (Ann)"] == pytest.approx(0.5)
    assert found["length (Ann)"] == pytest.approx(math.log(9) / 2)


def test_segments_without_a_word_on_the_reference_say_nothing() -> None:
    """All four facets would be a guess, and a missing column says that there is none."""
    assert segment_controls(label(), record(method="By hand.")) == {}
    assert segment_controls(label(result=None), record(result="It grew."), FacetSegments()) == {}
    bare = Recorded(paper="moss", system="plain", by="Ann", overall=0.5)
    assert segment_controls(label(result=2), bare) == {}


def test_columns_stand_in_order_and_the_controls_are_always_there() -> None:
    """Ours first, recorded ones by name; a report without its controls would say little."""
    pair = LabelledPair(
        paper="moss",
        system="plain",
        group="moss",
        human=None,
        columns={"Zed": 1.0, "ACU": 0.5, "length": 3.0, "FM": 0.5},
    )
    assert column_names([pair]) == ("FM", "ROUGE-1", "facet presence", "length", "ACU", "Zed")
    assert set(column_names([])) == set(CONTROLS) <= set(LEADING)

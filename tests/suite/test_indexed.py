from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from summeval_pytest.run.golden import places_of
from summeval_pytest.run.measure import source_of
from summeval_pytest.suite.marking import (
    cut,
    evidence_label,
    source_sentences,
    stands_in,
)
from tests.label_suite import loaded

if TYPE_CHECKING:
    from pathlib import Path

    from summeval_pytest.suite.suite import Suite


@pytest.fixture
def suite(tmp_path: Path) -> Suite:
    """The suite of moss."""
    return loaded(tmp_path)


def test_sentences_of_a_source_are_those_that_the_judge_counts(suite: Suite) -> None:
    """An index that counted otherwise would point an annotator's evidence at other sentences."""
    for paper in map(suite.paper, suite.paper_ids):
        assert source_sentences(paper) == source_of(paper)


def test_evidence_is_found_again_by_its_first_words(suite: Suite) -> None:
    """The judge item looks evidence up by these words; sources of any length have to do."""
    source = source_sentences(suite.paper("moss-01"))
    for index in range(len(source)):
        label = evidence_label(source, index)
        assert places_of([label], source) == (index,)
        assert places_of([label], ("An earlier sentence.", *source)) == (index + 1,)
    assert evidence_label(source, 0).starts == "Roofs get hot in July."
    assert evidence_label(source, 1).starts == "Moss is said to cool"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Moss grew.", (1,)),  # the same beats a part of another
        (" Moss  grew. ", (1,)),
        ("grew. on", ()),
        ("Moss", (0, 1)),
        ("It is said: Moss grew.", (1,)),  # a sentence within the text
        (" ", ()),
    ],
)
def test_text_stands_in_sentences(text: str, found: tuple[int, ...]) -> None:
    """A marked span is rarely a whole sentence, and another splitter's sentence may hold two."""
    assert stands_in(text, ("Moss grew. Indeed it did", "Moss grew.", "Rain fell.")) == found


def test_cutting_is_the_metrics_own() -> None:
    """Normalised first: a summary's traces of its model are no sentence."""
    assert cut("<s> Abstract: Moss grew. It did.</s>") == ("Moss grew.", "It did.")

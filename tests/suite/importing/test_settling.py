from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from summeval_pytest.errors import Place
from summeval_pytest.suite.labels import EvidenceLabel
from summeval_pytest.suite.marking import Item, Marking
from summeval_pytest.suite.tables import by_annotator, disputed, settled, shown
from tests.label_suite import mistake

if TYPE_CHECKING:
    from collections.abc import Sequence


def said(
    annotator: str,
    value: float | bool | None,
    *evidence: int,
    error: str | None = None,
    index: int = 0,
    line: int = 1,
) -> Marking:
    """What an annotator says of a sentence."""
    return Marking(
        item=Item(paper="moss-01", system="long", kind="sentence", index=index),
        value=value,
        evidence=tuple(EvidenceLabel(index=each) for each in evidence),
        error=error,
        annotator=annotator,
        place=Place("labels.csv", line),
    )


def test_items_that_two_say_otherwise_of_are_disputed() -> None:
    """Evidence is not: two sentences can carry the same."""
    annotators = by_annotator(
        [
            said("anna", True, 1),
            said("ben", True, 2),
            said("anna", True, index=1),
            said("ben", False, index=1),
            said("anna", False, index=2),
        ]
    )
    assert [item.index for item in disputed(annotators)] == [1]


@pytest.mark.parametrize(
    ("second", "message"),
    [
        (said("anna", False, line=9), "yes at labels.csv:1 and no"),
        (
            said("anna", True, 4, line=9),
            "yes at labels.csv:1 and yes, with other evidence or another error",
        ),
    ],
)
def test_annotator_who_says_two_things_is_refused(second: Marking, message: str) -> None:
    """No rule can tell which of them is meant."""
    assert mistake(lambda: by_annotator([said("anna", True), second])) == (
        "labels.csv:9: 'anna' says two things of sentence 1 of paper 'moss-01' and system 'long':"
        f" {message}; delete one"
    )


def test_same_thing_said_twice_is_said_once() -> None:
    """An export may hold a task twice."""
    assert len(settled(by_annotator([said("anna", True), said("anna", True)]))) == 1


def test_majority_takes_the_value_and_what_goes_with_it() -> None:
    """Worked example: two of three say no; both of them name 4, one of them 5."""
    (marking,) = settled(
        by_annotator(
            [
                said("anna", False, 4, error="number"),
                said("ben", True, 1),
                said("cleo", False, 4, 5, error="number"),
            ]
        )
    )
    assert (marking.value, marking.error) == (False, "number")
    assert [label.index for label in marking.evidence] == [4]
    assert marking.annotator.split("\n") == ["anna", "ben", "cleo"]


def test_evidence_without_a_majority_is_all_that_is_named() -> None:
    """Leaving it all out would lose what both found."""
    (marking,) = settled(by_annotator([said("anna", True, 1), said("ben", True, 2)]))
    assert [label.index for label in marking.evidence] == [1, 2]


def test_errors_without_a_majority_are_left_out() -> None:
    """A label has one kind of error, and neither name is more right."""
    both = [said("anna", False, error="number"), said("ben", False, error="unit")]
    assert settled(by_annotator(both))[0].error is None


def test_tie_is_refused_with_the_item_and_both_sides() -> None:
    """Nobody but its owner can settle it."""
    both = [said("anna", True), said("ben", False, line=7)]
    assert mistake(lambda: settled(by_annotator(both))) == (
        "labels.csv:7: no majority on sentence 1 of paper 'moss-01' and system 'long':"
        " anna yes, ben no; say who counts with --annotator NAME"
    )


@given(st.lists(st.booleans(), min_size=1, max_size=7).filter(lambda v: sum(v) * 2 != len(v)))
def test_order_of_annotators_settles_nothing(values: Sequence[bool]) -> None:
    """A majority is a count."""
    markings = [said(f"a{number}", value) for number, value in enumerate(values)]
    one = settled(by_annotator(markings))[0]
    other = settled(by_annotator(list(reversed(markings))))[0]
    assert one.value == other.value == (sum(values) * 2 > len(values))


def test_values_are_shown_as_people_say_them() -> None:
    """A message is read by annotators."""
    assert [shown(value) for value in (True, False, None, 3, 0.25)] == [
        "yes",
        "no",
        "none",
        "3",
        "0.25",
    ]

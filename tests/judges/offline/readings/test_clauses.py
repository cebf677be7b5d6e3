from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from summeval_pytest.judges.offline.readings.reading import read

if TYPE_CHECKING:
    from summeval_pytest.judges.offline.readings.clause import Clause


def only(text: str) -> Clause:
    """The one clause of a sentence."""
    (clause,) = read(text).clauses
    return clause


@pytest.mark.parametrize(
    ("text", "ends"),
    [
        ("Traffic rose on ferries.", {"amount": 1}),
        ("Faults rose on ferries.", {"amount": 1, "worth": -1}),
        ("Gulls were scarce at the pier.", {"amount": -1}),
        ("The pier was too narrow.", {"amount": -1, "estimate": -1}),
        ("The crew gave way.", {"amount": -1}),
        ("Gulls were less frequent on ferries.", {"amount": -1}),
        ("Boats moved less slowly.", {"speed": 1}),
        ("Lamps made streets safer by fewer thefts.", {"worth": 1, "amount": -1}),
        ("Prices rose and fell.", {"amount": 0}),
        ("Traffic went down.", {"amount": -1}),
        ("The voyage lasted more than 40 hours.", {}),
        ("The wider pier was painted.", {}),
        ("Falls were seen on deck.", {}),
        ("Harbour cats were fed.", {}),
    ],
)
def test_directions_are_read_with_what_turns_them(text: str, ends: dict[str, int]) -> None:
    """What is "less slow" is faster, and a bound, a name or a noun points nowhere."""
    assert only(text).ends == ends


@pytest.mark.parametrize(
    "text",
    [
        "Noise did not differ between ferries.",
        "Noise was no higher on ferries.",
        "Ferries had no detectable effect on gulls.",
        "Gull counts remained the same.",
        "Noise was unrelated to crew size.",
        "Noise on ferries was 60 dB and on barges 62 dB (p = 0.41).",
    ],
)
def test_null_findings_are_known(text: str) -> None:
    """Each way to find nothing contradicts a finding."""
    assert any(clause.is_null for clause in read(text).clauses)
    assert not any(clause.states for clause in read(text).clauses)


@pytest.mark.parametrize(
    ("text", "denied"),
    [
        ("Beds were not varnished at the pier.", {"varnis"}),
        ("The rules cannot be extended to barges.", {"extend"}),
        ("Not only ferries were painted.", set()),
    ],
)
def test_what_a_negation_denies_is_the_word_behind_it(text: str, denied: set[str]) -> None:
    """The rest of the clause stands as it is."""
    assert {word[:6] for word in only(text).denied} == {word[:6] for word in denied}


def test_change_is_told_by_its_numbers_alone() -> None:
    """What "went from 640 to 810" rose."""
    assert only("Heat went from 640 to 810 degrees.").change == 1
    assert only("Heat went from 810 to 640 degrees.").change == -1
    assert only("Barges ran from 8 in the morning.").change == 0


def test_clause_is_told_as_it_stands() -> None:
    """A reader sees the sentence's own capitals and marks."""
    text = "Noise rose (by 3 dB) on ferries, whereas Barges fell silent."
    assert [clause.told(text) for clause in read(text).clauses] == [
        "Noise rose (by 3 dB) on ferries",
        "whereas Barges fell silent.",
    ]


def test_clause_without_a_verb_joins_its_neighbour() -> None:
    """A list of subjects is no list of clauses."""
    assert len(read("Gulls, terns and ducks fled.").clauses) == 1
    assert len(read("Gulls were shy, but ducks were tame.").clauses) == 2

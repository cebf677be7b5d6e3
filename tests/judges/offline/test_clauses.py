"""How a sentence is read before it is compared."""

from __future__ import annotations

import pytest

from summeval_pytest.judges.offline.clauses import LONGEST, read


@pytest.mark.parametrize(
    ("sentence", "denied"),
    [
        ("The moss did not dry out, but the soil did.", ["dry"]),
        ("The moss grew without watering the roof.", ["watering"]),
        ("Roofs with moss and roofs without moss were compared.", []),
        ("No sensor failed to report.", []),
        ("The pump failed in May.", []),
        ("Moss grew not only in shade.", []),
        ("It isn\u2019t wet.", ["wet"]),
    ],
)
def test_a_negation_denies_what_stands_behind_it(sentence: str, denied: list[str]) -> None:
    """Two in one clause undo each other, and a "without" beside a "with" names a group."""
    assert [denial.heads[0].text for denial in read(sentence).denials] == denied


def test_numbers_are_compared_by_value() -> None:
    """Spelling and grouping tell nothing; "more than" before a number compares nothing."""
    reading = read(
        "More than 1,250 of twelve hundred mosses, 12.0 cm tall, grew higher than ferns."
    )
    assert {"1250", "12"} <= {word.key for word in reading.words}
    assert [word.text for word in reading.clause(reading.compared)] == ["ferns"]


def test_what_is_beyond_the_longest_sentence_is_not_read() -> None:
    """A table in one line costs no more than a long sentence."""
    assert len(read("moss " * 5000).words) <= LONGEST

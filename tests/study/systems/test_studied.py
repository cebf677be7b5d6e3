from __future__ import annotations

import pytest

from summeval_pytest.study.systems.studied import mean_of, rate_of
from summeval_pytest.study.tables import Mean
from tests.study.systems.study_pairs import sentences


@pytest.mark.parametrize(
    ("parts", "n_of", "expected"),
    [
        # 1 and 2 of three papers; the third is unscored and no 0
        ([("a", 1.0), ("b", None), ("c", 2.0)], 3, (1.5, 1.0, 2.0, 2, 3)),
        ([("a", None)], 1, (None, None, None, 0, 1)),
        ([("a", 1.0), ("a", 2.0)], 2, (1.5, None, None, 2, 2)),  # one group: no interval
        ([(str(n), 0.1) for n in range(10)], 10, (0.1, 0.1, 0.1, 10, 10)),
    ],
)
def test_a_mean_says_how_many_of_how_many(
    parts: list[tuple[str, float | None]], n_of: int, expected: tuple[float | None, ...]
) -> None:
    """Nothing has no mean; one group has no interval; equal values have one without width.

    A rate weighs papers by what they have to count: 3 of 4 and 0 of 1 are 3 of 5.
    """
    value, low, high, n, of = expected
    assert mean_of(parts, n_of) == Mean(
        value=value, low=low, high=high, n=int(n or 0), n_of=int(of or 0)
    )
    rate = rate_of([("a", 3, 4), ("b", 0, 1), ("c", 0, 0)], 4)
    assert rate == Mean(value=0.6, low=0.0, high=0.75, n=2, n_of=4)


def test_a_summary_is_faithful_where_every_sentence_is_known_to_be() -> None:
    """One unsupported sentence decides; one without an answer leaves it open."""
    faithful = {
        (3, 3, 3): True, (2, 3, 3): False, (3, 3, 4): None, (2, 3, 4): False, (0, 0, 0): None,
        (0, 0, 2): None,
    }  # fmt: skip
    assert {counts: sentences(*counts).is_faithful for counts in faithful} == faithful

from __future__ import annotations

import pytest

from summeval_pytest.analysis import agreement
from summeval_pytest.analysis.agreement import LabelledPair, partial_correlations


@pytest.fixture(autouse=True)
def few_resamples(monkeypatch: pytest.MonkeyPatch) -> None:
    """Intervals only have to be there."""
    monkeypatch.setattr(agreement, "RESAMPLES", 20)


def pair(number: int, human: float | None, **columns: float) -> LabelledPair:
    """A pair of a paper of its own."""
    paper = f"p{number}"
    return LabelledPair(paper=paper, system="s", group=paper, human=human, columns=columns)


def test_what_goes_with_people_only_by_length_has_nothing_left() -> None:
    """Worked example: the metric is length turned round; other says what length does not."""
    rows = [(1, 1, 1), (2, 2, 1), (3, 1, 3), (4, 2, 3), (5, 1, 5), (6, 2, 5)]
    pairs = [
        pair(n, human, length=length, metric=-2.0 * length, other=other)
        for n, (human, other, length) in enumerate(rows)
    ]
    found = partial_correlations(pairs, ("length", "metric", "other"), "length")
    assert set(found) == {"metric", "other"}
    assert found["metric"].value is None
    assert found["other"].value == pytest.approx(1.0)


def test_pairs_without_one_of_the_numbers_are_left_out() -> None:
    """A missing number is no zero."""
    pairs = [
        *(pair(n, human, length=n % 3, m=human) for n, human in enumerate((0.1, 0.5, 0.2, 0.9))),
        pair(8, None, length=1, m=0),
        pair(9, 0.0, m=9),
    ]
    found = partial_correlations(pairs, ("m",), "length")
    assert found["m"].value == pytest.approx(1.0)

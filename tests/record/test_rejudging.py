from __future__ import annotations

import pytest

from summeval_pytest.record.changes import KINDS, Rejudged, rejudged_items, shared_answers
from tests.verdict.golden_answers import answered, golden


def rejudged(old: tuple[object, ...], new: tuple[object, ...]) -> Rejudged:
    """One item: kind, label and answer of both runs."""
    return Rejudged(
        paper="moss",
        system="good",
        group="moss",
        old=answered(*old),  # type: ignore[arg-type]  # kind, label, answer
        new=answered(*new),  # type: ignore[arg-type]  # kind, label, answer
    )


@pytest.mark.parametrize(
    ("label", "old", "new", "shift", "loss"),
    [(4, 4, 1, -3, 3), (2, 1, 3, 2, 0), (2, 3, 2, -1, -1), (1, 1, 1, 0, 0), (3, 1, 4, 3, -1)],
)
def test_an_answer_moves_up_or_down_and_to_or_from_its_label(
    label: int, old: int, new: int, shift: int, loss: int
) -> None:
    """A rating that jumps across its label has moved, and is no farther from it."""
    item = rejudged(("result", label, old), ("result", label, new))
    assert (item.shift, item.loss) == (shift, loss)


@pytest.mark.parametrize(
    ("kind", "label", "expected"),
    [
        ("method", 2, "method"),
        ("sentence", 0, "unfaithful sentences"),
        ("sentence", 1, "faithful sentences"),
        ("reference fact", 0, "facts that do not hold"),
        ("candidate fact", 0, "facts that do not hold"),
        ("candidate fact", 1, "facts that hold"),
    ],
)
def test_yes_or_no_is_tested_by_its_label(kind: str, label: int, expected: str) -> None:
    """Most sentences are faithful: together, missing every error would count for little."""
    item = rejudged((kind, label, 1), (kind, label, 1))
    assert item.kind == expected
    assert item.kind in KINDS


def test_an_overall_score_is_no_item() -> None:
    """It follows from the ratings, and would count them twice."""
    with pytest.raises(ValueError, match="follows from the ratings"):
        rejudged(("overall", 0.5, 0.5), ("overall", 0.5, 0.5)).kind  # noqa: B018 - it raises


def test_the_side_that_differs_from_its_label_has_the_texts() -> None:
    """An answer that agrees is kept without them."""
    assert rejudged(("result", 4, 4), ("result", 4, 1)).told.answer == 1
    assert rejudged(("result", 4, 1), ("result", 4, 4)).told.answer == 1
    assert rejudged(("result", 4, 1), ("result", 4, 2)).told.answer == 2


def test_items_that_one_side_left_out_are_counted_and_dropped() -> None:
    """Unanswered, a facet found by one judge only, or a pair: none is an answer of 0."""
    old = (
        golden(
            answered("result", 4, 4),
            answered("method", 2, 2),
            answered("overall", 0.9, 0.8),
            answered("sentence", 1, None, index=0),
            answered("sentence", 1, 1, index=1),
        ),
        golden(answered("result", 1, 1), answered("overall", 0.4, 0.4), paper="kiln"),
    )
    new = (
        golden(
            answered("result", 4, 3),
            answered("overall", 0.9, 0.7),
            answered("sentence", 1, 1, index=0),
            answered("sentence", 1, None, index=1),
        ),
    )
    before, now, lacking = shared_answers(old, new)

    assert lacking == (3, 1)  # method, sentence 1 and kiln; sentence 0
    assert [[a.kind for a in pair.answers] for pair in before] == [["result", "overall"]]
    assert [[a.answer for a in pair.answers] for pair in now] == [[3, 0.7]]
    assert [(i.kind, i.shift) for i in rejudged_items(before, now)] == [("result", -1)]

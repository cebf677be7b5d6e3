from __future__ import annotations

import pytest

from summeval_pytest.metrics.flow import averaged
from summeval_pytest.metrics.score import CheckedFact, EvaScore, FaithfulnessScore, JudgedSentence
from summeval_pytest.questions import Fact
from summeval_pytest.run.pair_numbers import supposed


def checked(*holds: bool | None) -> tuple[CheckedFact, ...]:
    """Facts with these verdicts."""
    return tuple(
        CheckedFact(fact=Fact(text=str(place), sentence=0), holds=each, reason="")
        for place, each in enumerate(holds)
    )


def eva(value: float, *holds: bool | None) -> EvaScore:
    """A score whose candidate facts have these verdicts, and whose recall is 1."""
    return EvaScore(
        value=value, precision=1.0, recall=1.0, recall_entailed=None, candidate=checked(*holds)
    )


def faithful(
    *supported: bool | None,
    support: tuple[float | None, ...] = (),
    foreign: int = 0,
    conflicts: int | None = None,
) -> FaithfulnessScore:
    """Sentences with these verdicts and strengths; the first so many state a foreign number."""
    return FaithfulnessScore(
        value=1.0,
        sentences=tuple(
            JudgedSentence(
                index=n,
                text="",
                supported=holds,
                reason="",
                support=support[n] if support else None,
                number_conflict=n < foreign,
            )
            for n, holds in enumerate(supported)
        ),
        conflicts=conflicts,
    )


PARTLY = EvaScore(
    value=0.5,
    precision=0.5,
    recall=0.5,
    recall_entailed=0.5,
    candidate=checked(True, False, None),
    reference=checked(True, True, False, False),
    matched=frozenset({0, 1}),
)


@pytest.mark.parametrize(
    ("score", "worst", "best"),
    [
        # P = 1/2 in place of 1, and F1 = 2 * 1/2 / (3/2) = 2/3
        (
            eva(1.0, True, None),
            {"eva.precision": 1 / 2, "eva": 2 / 3},
            {"eva.precision": 1, "eva": 1},
        ),
        # 2 of 4 matched become 3, and P = 1/2 of two becomes 2/3 of three: F1 = 12/17; or 1/3
        (
            PARTLY,
            {"eva.precision": 1 / 3, "eva": 0.4},
            {"eva.precision": 2 / 3, "eva.recall": 0.75, "eva": 12 / 17},
        ),
        (faithful(True, None, None), {"faithfulness": 1 / 3}, {"faithfulness": 1}),
        # (1 + .6) / 2 = .8 of two answered, 1.6 / 4 = .4 of four
        (
            faithful(True, True, None, None, support=(1.0, 0.6, None, None)),
            {"faithfulness": 1 / 2, "faithfulness.support": 0.4},
            {"faithfulness": 1, "faithfulness.support": 0.9},
        ),
        # 1 of 2 answered, 2 of 3 at best; support (1 + .2 + 1) / 3
        (
            faithful(True, False, None, support=(1.0, 0.2, None)),
            {"faithfulness": 1 / 3, "faithfulness.support": 1.2 / 3},
            {"faithfulness": 2 / 3, "faithfulness.support": 2.2 / 3},
        ),
        # one conflict, one open sentence that is in conflict unless it is supported, and one more
        (
            faithful(False, None, None, foreign=2, conflicts=2),
            {"faithfulness": 0, "faithfulness.conflicts": 3},
            {"faithfulness": 2 / 3, "faithfulness.conflicts": 1},
        ),
        (faithful(True, True, support=(1.0, 0.6)), {}, {}),
        # over references the mean of the worst: (1 + 1/2) / 2 and (.9 + 2/3) / 2
        (
            averaged((eva(0.9, True, True), eva(1.0, True, None))),
            {"eva.precision": 0.75, "eva": (0.9 + 2 / 3) / 2},
            {"eva.precision": 1, "eva": 0.95},
        ),
        (averaged((eva(0.9, True), eva(1.0, False))), {}, {}),
    ],
)
def test_each_unanswered_piece_is_taken_as_wrong_or_as_right(
    score: EvaScore | FaithfulnessScore, worst: dict[str, float], best: dict[str, float]
) -> None:
    """A judge that is silent, about a reference that is not shown, too, must not be hidden."""
    assert supposed([score], right=False) == pytest.approx(worst)
    assert supposed([score], right=True) == pytest.approx(best)

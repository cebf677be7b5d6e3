from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from summeval_pytest.analysis.agreement import Estimate, LabelledPair
from summeval_pytest.analysis.items import classes_of, role_agreement
from summeval_pytest.run.golden import RoleAnswer

if TYPE_CHECKING:
    from summeval_pytest.questions import Facet

NOTHING = Estimate(None, None, None)


def role(right: str, answer: Facet | None) -> RoleAnswer:
    """One sentence; what is right by the facets' first letters."""
    names: dict[str, Facet] = {
        "b": "background", "m": "method", "r": "result", "c": "conclusion",
    }  # fmt: skip
    return RoleAnswer(right=tuple(names[letter] for letter in right), answer=answer)


def labelled(*roles: RoleAnswer, paper: str = "moss") -> LabelledPair:
    """A pair with these sentences."""
    return LabelledPair(
        paper=paper, system="authors", group=paper, human=None, columns={}, roles=roles
    )


def test_roles_agree_as_a_hand_counts() -> None:
    """Worked example: of three methods two are found, one as a result; one result stands nowhere.

    Method: P 2/2, R 2/3, F1 4/5. Result: the judge has 1, labelled 1, both 0: all 0. Background:
    all 1. Macro (1 + .8 + 0) / 3 = .6, accuracy 3/5.
    """
    found = role_agreement(
        [
            labelled(
                role("m", "method"),
                role("m", "method"),
                role("m", "result"),
                role("r", None),
                role("b", "background"),
            )
        ]
    )
    assert (found.n_items, found.n_nowhere) == (5, 1)
    assert [(each.name, each.n_items) for each in found.classes] == [
        ("background", 1), ("method", 3), ("result", 1),
    ]  # fmt: skip
    values = [(e.precision.value, e.recall.value, e.f1.value) for e in found.classes]
    assert values == [(1, 1, 1), pytest.approx((1, 2 / 3, 0.8)), (0, 0, 0)]
    assert found.macro_f1.value == pytest.approx(0.6)
    assert found.accuracy.value == pytest.approx(0.6)


def test_facets_that_are_right_together_are_one_class() -> None:
    """Labels without conclusions punish no judge for naming one; elsewhere it is a miss."""
    found = role_agreement(
        [
            labelled(
                role("rc", "conclusion"),
                role("rc", "result"),
                role("rc", "method"),
                role("m", None),
            )
        ]
    )
    assert [each.name for each in found.classes] == ["method", "result or conclusion"]
    assert found.classes[1].recall.value == pytest.approx(2 / 3)
    assert found.accuracy.value == 0.5
    bare = role_agreement([labelled(role("m", "conclusion"), role("m", "method"))])
    assert bare.classes[0].recall.value == 0.5
    assert bare.classes[0].precision.value == 1.0


def test_classes_are_joined_over_the_whole_suite() -> None:
    """Whoever merges two facets on one sentence cannot tell them apart on another."""
    answers = [role(right, None) for right in ("r", "b", "c", "rc", "mr")]
    assert classes_of(answers) == (("background",), ("method", "result", "conclusion"))


def test_an_interval_resamples_papers() -> None:
    """Worked example: all right on one paper, all wrong on the other: 0, 1/2 or 1."""
    good = labelled(role("m", "method"), paper="kiln")
    bad = labelled(role("m", "result"), paper="sand")
    assert role_agreement([good, bad]).accuracy == Estimate(0.5, 0.0, 1.0)


def test_without_a_labelled_sentence_there_is_no_figure() -> None:
    """Most suites have none."""
    found = role_agreement([labelled()])
    assert (found.n_items, found.classes) == (0, ())
    assert found.macro_f1 == found.accuracy == NOTHING

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from summeval_pytest.verdict.equal_answers import item_criteria
from tests.verdict.asked_items import item

if TYPE_CHECKING:
    from summeval_pytest.evaluation import AskedItem
    from summeval_pytest.evaluation.items import ItemKind
    from summeval_pytest.verdict.criteria import Criterion

NOISY = [item(1, 1, again=0), item(0, 0, again=1)] * 2
"""Four items that are answered otherwise where they are asked alone once more."""


def criteria(*items: AskedItem, kind: ItemKind = "sentence") -> dict[str, Criterion]:
    """The criteria of items of one kind, by name."""
    return {each.name: each for each in item_criteria({kind: items})}


def turned(n_items: int) -> list[AskedItem]:
    """Items that are answered otherwise together, to either side in turn."""
    return [item(number % 2, 1 - number % 2) for number in range(n_items)]


def steady(n_items: int) -> list[AskedItem]:
    """Items that are answered alike in every way, yes and no in turn."""
    return [item(number % 2, number % 2) for number in range(n_items)]


@pytest.mark.parametrize(("n_turned", "standing"), [(7, "met"), (8, "missed")])
def test_the_allowance_is_half_as_much_again_and_a_point(n_turned: int, standing: str) -> None:
    """Of 100, 4 differ alone against alone: 1.5 * .04 + .01 = .07 may differ together."""
    found = criteria(*NOISY, *turned(n_turned), *steady(96 - n_turned))
    for name in ("another answer", "turned round"):
        assert found[name].floor == 0.04
        assert found[name].bound == pytest.approx(0.07)
        assert found[name].value == n_turned / 100
        assert found[name].standing == standing


def test_kappa_worked_example() -> None:
    """10 of 100 differ and both say yes to half: kappa = (.9 - .5) / (1 - .5) = .8, under .85."""
    found = criteria(*turned(10), *steady(90))
    assert found["kappa"].value == pytest.approx(0.8)
    assert found["kappa"].floor == 1.0
    assert found["kappa"].standing == "missed"


def test_kappa_of_ratings_is_quadratic() -> None:
    """One of 4 ratings is off by 1: 1 - n * sum d^2 / (n^2 * expected), as for the trust floors."""
    items = [item(r, r, kind="rating") for r in (1, 2, 4)] + [item(3, 4, kind="rating")]
    # alone 1 2 4 3, together 1 2 4 4: observed 1 / 4; expected over all 16 combinations:
    # 1 against them 0+1+9+9, 2: 1+0+4+4, 4: 9+4+0+0, 3: 4+1+1+1, together 48 / 16 = 3
    assert criteria(*items, kind="rating")["kappa"].value == pytest.approx(1 - 0.25 / 3)


def test_answers_that_are_all_one_have_no_kappa_and_need_none() -> None:
    """Nothing differs, and that is held by the share of other answers."""
    found = criteria(*[item(1, 1)] * 5)
    assert (found["kappa"].standing, found["kappa"].value) == ("moot", None)
    assert found["another answer"].standing == "met"


def test_a_lean_to_one_side_is_found() -> None:
    """Six of 600 became no and none yes: 2 / 2^6 = .03, though only 1 % differ."""
    items = [*steady(594), *[item(1, 0)] * 6]
    found = criteria(*items)
    assert found["another answer"].standing == "met"
    assert found["direction"].value == pytest.approx(2 / 2**6)
    assert found["direction"].shift == pytest.approx(-0.01)
    assert found["direction"].standing == "missed"


def test_directions_of_all_kinds_are_tested_together() -> None:
    """Holm: of three tests the smallest p value is taken three times, 3 * 2 / 2^6 = .09."""
    lean = [*steady(594), *[item(1, 0)] * 6]
    still = steady(10)
    found = {
        (each.of, each.name): each
        for each in item_criteria({"rating": still, "fact": lean, "sentence": still})
    }
    assert found["fact", "direction"].value == pytest.approx(6 / 2**6)
    assert found["fact", "direction"].standing == "met"


def test_a_shift_between_the_halves_of_a_request_is_found() -> None:
    """Of 100 that move, 3 pass in front and fail behind, whichever order that was: .03."""
    held = [item(1, 1, is_front=number % 2 == 0) for number in range(97)]
    moved = [
        item(1, 1, turned=0, is_front=True),
        item(1, 1, turned=0, is_front=True),
        item(1, 0, turned=1, is_front=False),
    ]
    found = criteria(*held, *moved, item(1, 0, turned=1))
    position = found["first to last"]
    assert (position.n, position.value, position.shift) == (100, 0.03, 0.03)
    assert position.standing == "missed"


def test_the_shift_of_a_rating_is_a_share_of_its_scale() -> None:
    """One point of a scale from 1 to 4 is a third."""
    found = criteria(item(3, 3, turned=2, kind="rating", is_front=True), kind="rating")
    assert found["first to last"].value == pytest.approx(1 / 3)


def test_requests_of_one_item_have_no_position() -> None:
    """There is nothing to measure, and nothing to hold."""
    assert criteria(*steady(4))["first to last"].standing == "moot"


def test_an_item_that_is_unanswered_together_is_another_answer() -> None:
    """Of 100, 3 are lost: over the bound of a point where the floor is 0."""
    found = criteria(*steady(97), *[item(1, None)] * 3)
    assert found["another answer"].value == 0.03
    assert found["another answer"].standing == "missed"
    assert found["answered"].value == 0.97
    assert found["answered"].standing == "met"
    assert found["kappa"].n == 97


def test_an_item_that_is_never_answered_is_no_agreement() -> None:
    """Six of 100 have no answer in any way: what the others say does not make up for them."""
    found = criteria(*steady(94), *[item(None, None)] * 6)
    assert found["another answer"].standing == "met"
    assert found["answered"].value == 0.94
    assert found["answered"].standing == "missed"


def test_missing_answers_do_not_raise_the_noise_floor() -> None:
    """Asked again, ten of 100 are silent: that is no reason to allow other answers together."""
    found = criteria(*steady(90), *[item(1, 1, again=None)] * 10)
    assert found["another answer"].floor == 0.0
    assert found["answered"].standing == "missed"


def test_without_a_second_answer_there_is_no_floor_to_hold_to() -> None:
    """It cannot be measured, and that is not the same as met."""
    found = criteria(*[item(1, 1, again=None)] * 3)
    assert found["another answer"].standing == "open"
    assert found["turned round"].standing == "open"


def test_a_judge_that_is_silent_has_nothing_measured() -> None:
    """Everything is open, and nothing is met."""
    found = criteria(*[item(None, None, is_front=True)] * 3)
    assert {each.standing for each in found.values()} == {"open", "missed"}
    assert found["answered"].value == 0.0


def test_kinds_without_items_are_left_out() -> None:
    """A suite whose facets are all empty is asked for no rating."""
    found = item_criteria({"rating": [], "fact": steady(2), "sentence": []})
    assert {each.of for each in found} == {"fact"}

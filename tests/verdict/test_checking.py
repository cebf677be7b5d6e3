from __future__ import annotations

from types import MappingProxyType

import pytest

from summeval_pytest.metrics.score import Unscored
from summeval_pytest.run.numbers import Numbers
from summeval_pytest.text.edits import Edit
from summeval_pytest.verdict.relations import (
    RELATIONS,
    Broken,
    Check,
    check,
    decide_relation,
)

NUMBER = RELATIONS["number-edit"]
EDIT = Edit(text="x", sentence=0, before="5%", after="7%")
SILENT = Unscored(metric="facet", status="unanswered", reason="no reply\nat all")
REFUSED = Unscored(metric="facet", status="refused_candidate", reason="the system refused")


def numbers(*unscored: Unscored, **values: float | None) -> Numbers:
    """One paper's numbers."""
    return Numbers(
        paper="moss-1",
        system="reference",
        values=MappingProxyType({name.replace("__", "."): v for name, v in values.items()}),
        unscored=unscored,
        sizes=MappingProxyType({}),
    )


def checked(before: Numbers, after: Numbers, relation: str = "number-edit") -> Check:
    """One relation on one paper."""
    return check(RELATIONS[relation], before=before, after=after, edit=EDIT)


def outcomes(*held: bool | None, owed: int = 0) -> tuple[Check, ...]:
    """Checks that came to this, and some that the judge left undecided."""
    decided = [
        Check(relation="number-edit", paper="moss", held=each, broken=(), edit="") for each in held
    ]
    open_ = Check(
        relation="number-edit", paper="moss", held=None, broken=(), edit="", unanswered=("facet",)
    )
    return (*decided, *[open_] * owed)


def test_a_relation_holds_where_every_number_moved_as_it_must() -> None:
    """Faithfulness fell, and nothing rose."""
    found = checked(
        numbers(facet=1.0, eva=1.0, faithfulness=1.0), numbers(facet=0.9, eva=0.9, faithfulness=0.8)
    )
    assert found == Check(
        relation="number-edit", paper="moss-1", held=True, broken=(), edit='"5%" -> "7%"'
    )


def test_what_is_broken_is_told_with_its_values() -> None:
    """Whoever reads the report sees which number did not move, from where to where."""
    found = checked(
        numbers(facet=0.5, eva=1.0, faithfulness=1.0), numbers(facet=0.9, eva=0.9, faithfulness=1.0)
    )
    assert found.held is False
    assert found.broken == (
        Broken("faithfulness", "lower", 1.0, 1.0),
        Broken("facet", "no higher", 0.5, 0.9, 0.05),
    )
    assert [str(each) for each in found.broken] == [
        "faithfulness 1.000 -> 1.000, expected lower",
        "facet 0.500 -> 0.900, expected no higher",
    ]


@pytest.mark.parametrize("turn", [1, -1])
def test_an_unscored_metric_is_never_a_pass(turn: int) -> None:
    """The judge owes it, before or after, and the reason is told once and on one line."""
    whole = numbers(facet=1.0, eva=1.0, faithfulness=1.0)
    lacking = numbers(SILENT, eva=1.0, faithfulness=0.5)
    before, after = [whole, lacking][::turn]
    found = checked(before, after)
    if turn == 1:
        assert found.held is None
    assert found.unanswered == ("facet: unanswered, no reply at all",)


@pytest.mark.parametrize(
    ("checks", "state", "share"),
    [
        (outcomes(*[True] * 9, False), "passes", 0.9),
        (outcomes(*[True] * 8, False, False), "fails", 0.8),
        (outcomes(*[True] * 19, owed=1), "passes", 1.0),
        (outcomes(*[True] * 18, False, False, owed=1), "unanswered", 0.9),
        (outcomes(*[True] * 18, owed=1), "unanswered", 1.0),
        (outcomes(owed=1), "unanswered", None),
        (outcomes(None, None), "nothing to check", None),
        (outcomes(None, True), "passes", 1.0),
        (outcomes(None, False), "fails", 0.0),
        (outcomes(), "nothing to check", None),
    ],
)
def test_a_relation_passes_on_its_share_of_the_decided_papers(
    checks: tuple[Check, ...], state: str, share: float | None
) -> None:
    """Worked examples: 9 of 10 reach 0.9; 1 of 20 may be unanswered, 1 of 19 (5.3 %) may not.

    So may not 1 of 21 where 18 hold: 18 of 20 are enough, and 18 of 21 would not be.
    """
    verdict = decide_relation(NUMBER, checks)
    assert (verdict.state, verdict.share) == (state, share)


def test_a_floor_can_be_set_by_name() -> None:
    """A suite that knows its judge may ask more, or less, of it."""
    checks = outcomes(True, False)
    assert decide_relation(NUMBER, checks, floors={"number-edit": 0.5}).state == "passes"
    assert decide_relation(NUMBER, checks, floors={"swapped": 0.5}).state == "fails"
    assert decide_relation(NUMBER, outcomes(True), floors={"number-edit": 1.0}).state == "passes"

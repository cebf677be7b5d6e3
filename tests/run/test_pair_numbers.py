from __future__ import annotations

from dataclasses import replace

import pytest

from summeval_pytest.metrics.eva import EvaScore
from summeval_pytest.metrics.facet import FacetScore
from summeval_pytest.metrics.faithfulness import FaithfulnessScore
from summeval_pytest.metrics.flow import averaged
from summeval_pytest.metrics.number import Unscored
from summeval_pytest.run.pair_numbers import Numbers, numbers_of
from tests.verdict.records import carried, rated, supported


def eva(value: float, *holds: bool | None) -> EvaScore:
    """A score whose candidate facts have these verdicts."""
    facts = {str(place): each for place, each in enumerate(holds)}
    return replace(carried({"Mice slept.": True}, facts), value=value, recall_entailed=None)


def faithful(*holds: bool | None) -> FaithfulnessScore:
    """Sentences with these verdicts."""
    return supported({str(place): each for place, each in enumerate(holds)})


ONE = {"eva": 1, "eva.precision": 1, "eva.recall": 1}


@pytest.mark.parametrize(
    ("score", "unanswered"),
    [
        (eva(1.0, True, None), ONE),
        (faithful(True, None, None), {"faithfulness": 2, "faithfulness.unsupported": 2}),
        (faithful(True, False), {}),
        (averaged((eva(0.9, True, True), eva(1.0, True, None))), ONE),
        (averaged((eva(0.9, True), eva(1.0, False))), {}),
    ],
)
def test_unanswered_items_are_counted_in_each_number(
    score: EvaScore | FaithfulnessScore, unanswered: dict[str, int]
) -> None:
    """A judge that is silent, about a reference that is not shown, too, must not be hidden."""
    assert numbers(score).unanswered == unanswered


def numbers(*scores: FacetScore | EvaScore | FaithfulnessScore | Unscored) -> Numbers:
    """The numbers of a pair."""
    return numbers_of("moss-01", "careful", scores)


RESULT = rated({"result": 4})
REFUSED = Unscored(metric="faithfulness", status="refused_candidate", reason="it declined")


def test_a_number_is_measured_or_does_not_apply_or_was_not_given() -> None:
    """A threshold on the last is met by nobody; a metric that nobody asked for is missing, too."""
    pair = numbers(RESULT, eva(1.0, True), REFUSED)
    assert pair.absent == {
        "facet.background": "not_applicable",
        "facet.method": "not_applicable",
        "facet.conclusion": "not_applicable",
        "facet.coverage": "not_given",
        "eva.recall_entailed": "not_given",
    }
    names = ("facet.result", "facet.method", "facet.coverage", "eva.recall_entailed")
    assert [pair.is_missing(name) for name in names] == [False, False, True, True]
    assert not pair.is_missing("faithfulness"), "the system says why"
    assert numbers(RESULT).is_missing("faithfulness")
    rest = numbers(faithful(True)).absent
    assert {"faithfulness.support", "faithfulness.conflicts"} <= rest.keys()
    assert {*rest.values()} == {"not_given"}, "also a number that nobody has thought of here"


NO_FM = Unscored(metric="facet", status="refused_candidate", reason="it declined")
SILENT = Unscored(metric="eva", status="unanswered", reason="no reply")


def test_a_number_without_a_value_is_at_its_worst_by_whose_fault_it_is() -> None:
    """The judge's and the system's apart; a count has no worst value and stays without one."""
    pair = numbers(faithful(True, None), SILENT, NO_FM)
    assert [pair.is_silent(metric) for metric in ("facet", "eva", "faithfulness")] == [
        False, True, False
    ]  # fmt: skip
    for worst, eva_value in ((pair.at_worst(["system"]), None), (pair.at_worst(), 0.0)):
        assert (worst.values.get("eva"), worst.values["facet"]) == (eva_value, 0.25)
        assert worst.values["faithfulness"] == 0.5
    empty = numbers(EvaScore(value=0.0, precision=None, recall=0.0, recall_entailed=None))
    assert empty.at_worst(["system"]).values["eva.precision"] == 0.0
    answered = numbers(faithful(True))
    assert answered.at_worst() is answered
    none = numbers(REFUSED).at_worst()
    assert (none.values["faithfulness"], none.values["faithfulness.conflicts"]) == (0.0, None)

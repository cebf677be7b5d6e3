from __future__ import annotations

from dataclasses import replace
from typing import Final

import pytest
from syrupy.assertion import SnapshotAssertion

from summeval_pytest.errors import OptionError
from summeval_pytest.metrics.facet import FacetScore
from summeval_pytest.metrics.signature import read_signature
from summeval_pytest.questions import FACETS
from summeval_pytest.verdict.differences import Comparison, PairChange
from summeval_pytest.verdict.rescore import read_weights, rescore
from summeval_pytest.verdict.run import SuiteRecord
from summeval_pytest.verdict.thresholds import Threshold, Thresholds
from tests.record.papers import paper
from tests.verdict.golden_answers import answered, golden
from tests.verdict.records import (
    SIGNATURES,
    eva,
    faithful,
    marks,
    on_day,
    pair,
    rated,
    run,
    suite,
    system,
    waiver,
)

FM: Final = Thresholds(pair=(Threshold("facet", 0.5),), mean=(Threshold("facet", 0.5),))
UNIFORM: Final = "background=1,method=1,result=1,conclusion=1"


def again(
    record: SuiteRecord, *options: str, weights: str | None = None, today: str = "2027-01-15"
) -> SuiteRecord:
    """The suite as it is decided again."""
    chosen = None if weights is None else read_weights(weights)
    (actual,) = rescore(run(record), options=options, weights=chosen, today=today).suites
    return actual


def test_thresholds_that_nobody_names_stay_and_all_are_remembered() -> None:
    """The record says what it was decided by, in the order of the catalogue."""
    limits = (Threshold("faithfulness", 0.5),)
    old = Thresholds(pair=limits, mean=limits)
    record = suite(pair("moss-01", eva(0.5), faithful(0.5)), thresholds=old)
    actual = again(record, "eva.recall=0.1", "mean.faithfulness=0.3", "eva=0.6", "eva=0.4")
    assert actual.policy.thresholds == Thresholds(
        pair=(Threshold("eva", 0.4), Threshold("eva.recall", 0.1), *limits),
        mean=(Threshold("faithfulness", 0.3),),
    )
    assert actual.pairs[0].outcome == "passed"
    assert again(record, "eva=0.6").pairs[0].outcome == "failed"
    with pytest.raises(OptionError, match="--min=rouge=1: unknown threshold 'rouge'"):
        again(record, "rouge=1")


def test_waivers_are_compared_with_the_new_thresholds_and_the_day_of_the_decision() -> None:
    """What is reached under a lower one needs no waiver, and then it has to go."""
    record = suite(pair("moss-01", rated({"result": 1})), thresholds=FM, waivers=on_day(waiver()))
    record = replace(record, policy=replace(record.policy, thresholds=replace(FM, mean=())))
    for options, today, state, outcome in (
        ((), "2027-01-31", "in use", "passed"),
        ((), "2027-02-01", "expired", "failed"),
        (("facet=0.25",), "2027-01-31", "not needed", "failed"),
    ):
        actual = again(record, *options, today=today)
        assert [use.state for use in actual.waivers] == [state]
        assert actual.pairs[0].outcome == outcome


def test_other_weights_give_another_fm() -> None:
    """Worked example: background 3/3, method 2/4, result 1/4, conclusion 2/3.

    With .1, .3, .3, .3 it is 0.1 + 0.15 + 0.075 + 0.2 = 0.525, and with equal weights
    (1 + 0.5 + 0.25 + 0.6667) / 4 = 0.6042. With 1, 4, 4, 1 it is
    (1 + 4 * 0.5 + 4 * 0.25 + 0.6667) / 10 = 0.4667.
    """
    score = rated(marks(method=2, result=1, conclusion=2))
    record = suite(pair("moss-01", score), thresholds=FM)

    def rescored(weights: str | None) -> tuple[float, str, str]:
        actual = again(record, weights=weights)
        (score,) = actual.pairs[0].scores
        assert isinstance(score, FacetScore)
        assert actual.systems[0].verdict.means[0].value == score.value
        return round(score.value, 4), actual.pairs[0].outcome, actual.systems[0].outcome

    assert rescored(None) == (0.525, "passed", "passed")
    assert rescored(UNIFORM) == (0.6042, "passed", "passed")
    assert rescored("background=1,method=4,result=4,conclusion=1") == (0.4667, "failed", "failed")


def test_numbers_of_other_weights_are_never_compared_with_the_suites_own() -> None:
    """Their recipe says so, and what they were compared with had the old ones."""
    change = PairChange(paper="moss-01", system="careful", baseline="v1.3")
    old = replace(pair("moss-01", rated(), eva(0.5), faithful(0.5)), change=change)
    compared = Comparison(baseline="v1.3", system="careful")
    careful = replace(system("careful", "moss-01"), comparison=compared, baseline="v1.3")
    actual = again(suite(old, systems=(careful,), thresholds=FM), weights=UNIFORM)
    facet, *others = actual.pairs[0].signatures
    assert others == list(old.signatures[1:])
    assert dict(read_signature(facet).recipe)["weights"] == ".25,.25,.25,.25"
    assert read_signature(facet).differing(SIGNATURES[0]) == ("weights",)
    assert (actual.pairs[0].change, actual.systems[0].comparison) == (None, None)
    assert run(actual).gaps(actual) == ["careful was not compared with v1.3"]


def test_weights_are_refused_where_a_paper_has_several_references() -> None:
    """Another may be the best by these; of a mean, another the lowest, whose ratings are kept."""
    one, two = (paper(f"moss-{n}", references=("Mice slept.",) * n) for n in (1, 2))
    pairs = [pair(each.id, rated()) for each in (one, two)]
    record = replace(suite(*pairs, thresholds=FM), papers=(one, two))
    with pytest.raises(OptionError) as caught:
        again(record, weights=UNIFORM)
    assert str(caught.value) == (
        "--weights: paper 'moss-2' of golden/summeval.toml has several references, and what the run"
        " keeps of them was chosen by its own weights; leave the weights as they are"
    )
    assert [pair.outcome for pair in again(record, "facet=0.6").pairs] == ["passed", "passed"]
    assert again(replace(record, papers=(one,)), weights=UNIFORM).pairs[1].outcome == "passed"


def test_corrected_means_of_other_weights_are_corrected_by_those_weights() -> None:
    """Worked example: the judge rates method 4 and result 4, people 2 and 4, on every paper.

    With weights of 1 and 3, people's FM is (1 * 0.5 + 3 * 1) / 4 = 0.875; with the suite's own it
    is 0.75, so that the error taken out is 0.25 where 0.125 is right.
    """
    said = (answered("method", 2, 4), answered("result", 4, 4), answered("overall", 0.75, 1.0))
    record = replace(
        suite(*(pair(f"moss-{n}", rated({"method": 4, "result": 4})) for n in range(2))),
        golden=tuple(golden(*said, paper=f"fern-{n}") for n in range(2)),
    )
    weights = "background=1,method=1,result=3,conclusion=1"
    for chosen, value in ((weights, 0.875), (None, 0.75)):
        actual = again(record, "corrected.facet=0.7", weights=chosen)
        assert actual.systems[0].verdict.corrected[0].value == pytest.approx(value)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (UNIFORM, [0.25, 0.25, 0.25, 0.25]),
        ("background=.1,method=.3,result=.3,conclusion=.3", [0.1, 0.3, 0.3, 0.3]),
        ("conclusion=3, result=0.5,method = 4 ,background=.5", [0.0625, 0.5, 0.0625, 0.375]),
        ("background=3e-9,method=1e-9,result=2e-9,conclusion=2e-9", [0.375, 0.125, 0.25, 0.25]),
    ],
)
def test_weights_are_read_in_any_order_and_scaled_to_add_up_to_1(
    text: str, expected: list[float]
) -> None:
    """Only their ratios matter. Worked example: 0.5 + 4 + 0.5 + 3 = 8, and 4 / 8 = 0.5."""
    weights = read_weights(text)
    assert [weights[facet] for facet in FACETS] == pytest.approx(expected, rel=1e-15)


@pytest.mark.parametrize(
    "text",
    [
        *(f"background=1,method=1,{part},conclusion=1" for part in (
            "results=1", "result", "result=", "result=x", "result=0", "result=-0.0", "result=-1",
            "result=nan", "result=inf", "",
        )),
        f"{UNIFORM},result=1",
        "background=1,method=1,result=1",
        "background=1e10,method=1,result=1e-320,conclusion=1",
        UNIFORM.replace("=1", "=1e308"),
    ],
    ids=str,
)  # fmt: skip
def test_weights_that_are_not_above_zero_for_each_facet_are_refused(
    text: str, snapshot: SnapshotAssertion
) -> None:
    """A weight of 0 is none: of a reference that states that facet alone there would be no FM."""
    with pytest.raises(OptionError) as caught:
        read_weights(text)
    assert str(caught.value) == snapshot

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from summeval_pytest.metrics.catalogue import Score
from summeval_pytest.metrics.eva import EvaScore
from summeval_pytest.metrics.facet import FacetScore, RatedFacet
from summeval_pytest.metrics.number import Unscored
from summeval_pytest.run.pair_numbers import Numbers
from summeval_pytest.verdict.pair import PairVerdict, Shortfall, pair_verdict
from summeval_pytest.verdict.thresholds import Threshold, Waivers
from tests.verdict.records import (
    REFUSED,
    SILENT,
    faithful,
    on_day,
    pair,
    supported,
    unscored,
    waiver,
)


def facets(value: float, **ratings: int) -> FacetScore:
    """FM with its ratings."""
    rated = (
        RatedFacet(facet=facet, rating=rating, reason="", reference="Moss.", candidate="Moss.")  # type: ignore[arg-type]  # the tests name facets
        for facet, rating in ratings.items()
    )
    return FacetScore(value=value, ratings=tuple(rated))


def facts(value: float, precision: float | None, recall: float) -> EvaScore:
    """EVA-Score."""
    return EvaScore(value=value, precision=precision, recall=recall, recall_entailed=recall)


def verdict(
    scores: Sequence[Score | Unscored],
    limits: dict[str, float],
    waivers: Waivers | None = None,
    fault: str = "",
) -> PairVerdict:
    """The verdict on a pair with these scores, by these thresholds."""
    thresholds = [Threshold(name, least) for name, least in limits.items()]
    return pair_verdict(pair("moss-01", *scores).numbers(), thresholds, waivers or on_day(), fault)


def test_every_number_under_its_threshold_is_listed() -> None:
    """A team that mends the first and runs again learns of the second a day later.

    A facet that the reference lacks has nothing to meet: nobody could be blamed for leaving it out.
    """
    limits = {
        "facet": 0.55, "facet.background": 2, "facet.method": 2, "facet.result": 2,
        "facet.conclusion": 3, "eva.precision": 0.3, "eva.recall": 0.3, "faithfulness": 0.9,
    }  # fmt: skip
    rated = facets(0.4, method=1, result=2, conclusion=3)
    actual = verdict([rated, facts(0.2, 0.5, 0.1), faithful(0.5)], limits)
    assert (actual.undecided, actual.outcome) == ((), "failed")
    assert [(short.name, short.value, short.least) for short in actual.shortfalls] == [
        ("facet", 0.4, 0.55),
        ("facet.method", 1, 2),
        ("eva.recall", 0.1, 0.3),
        ("faithfulness", 0.5, 0.9),
    ]


@pytest.mark.parametrize("status", ["degenerate_candidate", REFUSED])
def test_a_summary_that_the_system_left_unscored_fails(status: str) -> None:
    """An empty summary is the system's fault: red, with the reason and without a number.

    A waiver allows a low number and not none; whether it is needed then, nobody knows.
    """
    none = unscored("eva", status)
    limits = {"facet": 0.5, "eva": 0}
    actual = verdict([facets(0.9), none], limits, on_day(waiver("eva")))
    assert (actual.shortfalls, actual.unscored, actual.undecided) == ((), (none,), ())
    assert ([use.state for use in actual.waivers], actual.waiver_faults) == (["not judged"], ())
    assert actual.outcome == "failed"


CUT = unscored("faithfulness", SILENT, "the reply was cut off")
UNSCORED = "faithfulness is unscored: unanswered, the reply was cut off"
NO_FACT = Unscored(metric="eva", status="skipped_no_reference", reason="no fact is stated")
SUPPORT = (
    "faithfulness.support is missing: the judge did not say of every sentence how far it is"
    " supported; use --summ-judge=offline or --summ-votes=3, hold faithfulness in its place, or"
    " remove the threshold"
)


@pytest.mark.parametrize(
    ("scores", "limits", "undecided", "outcome"),
    [
        # what the judge left without a score
        ([facets(0.9), CUT], {"facet": 0.8, "faithfulness": 0.9}, [UNSCORED], "error"),
        ([NO_FACT], {"eva": 0}, ["eva is unscored: skipped_no_reference, no fact is stated"], ""),
        # what surely fails beside it is a failure
        ([facets(0.3), CUT], {"facet": 0.8, "faithfulness": 0.9}, [UNSCORED], "failed"),
        # what this judge, or these options, did not give
        ([faithful(1.0)], {"faithfulness.support": 0.0}, [SUPPORT], ""),
        ([unscored("faithfulness")], {"faithfulness.support": 0.0}, [], "failed"),
        (
            [EvaScore(value=1.0, precision=1.0, recall=1.0, recall_entailed=None)],
            {"eva.recall_entailed": 0.1},
            [
                (
                    "eva.recall_entailed is missing: it was not measured; judge again with that"
                    " threshold"
                )
            ],
            "",
        ),
    ],
)
def test_what_the_judge_did_not_say_is_neither_a_pass_nor_a_failure(
    scores: list[Score | Unscored], limits: dict[str, float], undecided: list[str], outcome: str
) -> None:
    """It is an error where nothing surely fails, whatever a waiver says, and it is always told."""
    actual = verdict(scores, limits, on_day(waiver("eva")))
    assert [*actual.undecided] == undecided
    assert actual.outcome == (outcome or "error")
    assert {use.state for use in actual.waivers} == {"not judged"}


def test_what_is_not_there_is_under_every_threshold_unless_the_pair_broke_down() -> None:
    """Without facts there is no precision, and absence must not pass for it: not even at 0.

    Of a pair that broke down the fault is told alone: what follows from it would only hide it.
    """
    actual = verdict([facts(0.0, None, 0.0)], {"eva.precision": 0.0})
    assert actual.shortfalls == (Shortfall(name="eva.precision", value=None, least=0.0),)
    assert actual.outcome == "failed"
    scores = [unscored("facet", SILENT, "no reply"), unscored("eva", SILENT, "no reply")]
    actual = verdict(scores, {"facet": 0.5, "faithfulness": 0.5}, on_day(waiver()), "no reply")
    assert (actual.undecided, actual.outcome) == (("no reply",), "error")
    assert actual.waivers == ()


# What the judge left unanswered in part

shares = st.integers(0, 4).map(lambda quarters: quarters / 4)


@given(shares, shares, st.none() | shares, st.integers(0, 1))
def test_a_miss_with_unanswered_items_is_an_error_whatever_a_waiver_allows(
    value: float, least: float, allowed: float | None, n_unanswered: int
) -> None:
    """Law: a number that meets its threshold passes, and one that misses it fails.

    It is an error if it has unanswered items. Then a waiver is not judged: nobody knows whether it
    is needed.
    """
    numbers = Numbers(
        paper="moss-01",
        system="careful",
        values={"faithfulness": value},
        unscored=(),
        unanswered={"faithfulness": n_unanswered} if n_unanswered else {},
    )
    limit = [Threshold("faithfulness", least)]
    is_met = value >= least
    expected = "passed" if is_met else "error" if n_unanswered else "failed"
    actual = pair_verdict(numbers, limit, on_day())
    assert (actual.outcome, bool(actual.undecided)) == (expected, expected == "error")
    if is_met:
        expected = "failed"  # the waiver is not needed
    elif not n_unanswered and (allowed is None or value >= allowed):
        expected = "passed"
    actual = pair_verdict(numbers, limit, on_day(waiver("faithfulness", least=allowed)))
    assert actual.outcome == expected
    assert [use.state == "not judged" for use in actual.waivers] == [expected == "error"]


OF_25: dict[str, bool | None] = {**{f"s{n}": True for n in range(23)}, "wrong": False, "open": None}
OPEN = replace(supported(OF_25), conflicts=1)
COUNTED = "with 1 unanswered sentence counted as wrong"


def test_an_unanswered_sentence_is_told_where_its_number_misses() -> None:
    """Of 25 sentences one is unsupported and one unanswered: 23 of 25 is .92.

    A sure miss beside it is a failure, and of the two it alone counts as missed.
    """
    messages = (
        f"faithfulness 0.920 < 0.96, {COUNTED}",
        f"faithfulness.conflicts 1.000 > 0 allowed, {COUNTED}",
    )
    limits = {"faithfulness": 0.96, "faithfulness.conflicts": 0.0}
    actual = verdict([OPEN], limits)
    assert (actual.outcome, actual.undecided, actual.missed) == ("error", messages, frozenset())
    actual = verdict([facets(0.3), OPEN], {"facet": 0.8, **limits})
    assert (actual.outcome, actual.undecided, actual.missed) == (
        "failed",
        messages,
        frozenset({"facet"}),
    )


# Waivers


def test_a_pair_passes_only_through_a_waiver_of_all_that_it_misses() -> None:
    """A waiver is for one number; what else falls short is still seen."""
    scores, limits = [facets(0.5, result=2)], {"facet": 0.55, "facet.result": 3}
    facet, result = (
        Shortfall(name="facet", value=0.5, least=0.55),
        Shortfall(name="facet.result", value=2, least=3),
    )
    bare = verdict(scores, limits)
    assert (bare.outcome, bare.shortfalls, bare.waived) == ("failed", (facet, result), ())
    half = verdict(scores, limits, on_day(waiver("facet.result")))
    assert (half.outcome, half.shortfalls, half.waived) == ("failed", (facet,), (result,))
    assert half.missed == {"facet"}
    whole = verdict(scores, limits, on_day(waiver("facet.result"), waiver("facet")))
    assert (whole.outcome, whole.shortfalls, whole.waived) == ("passed", (), (facet, result))
    assert [use.state for use in whole.waivers] == ["in use", "in use"]

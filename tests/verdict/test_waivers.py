from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from summeval_pytest.errors import SuiteError
from summeval_pytest.suite.lines import ALL_PAPERS
from summeval_pytest.verdict.thresholds import Threshold, Thresholds
from summeval_pytest.verdict.waivers import WaiverState, WaiverUse, check_waivers, day_of
from tests.verdict.records import on_day, waiver

if TYPE_CHECKING:
    from summeval_pytest.suite.values import Waiver

FILE = "golden/summeval.toml"
TODAY = "2027-01-15"
LAST_DAY, YESTERDAY = "2027-01-31", "2027-01-14"


@pytest.mark.parametrize(
    ("value", "changes", "expected"),
    [
        (0.5, {}, "in use"),
        (0.5, {"least": 0.5}, "in use"),
        (0.499999, {"least": 0.5}, "exceeded"),
        (0.0, {"least": 0.0}, "in use"),
        (None, {}, "in use"),
        (None, {"least": 0.0}, "exceeded"),
        (0.5, {"expires": YESTERDAY}, "expired"),
        (0.5, {"expires": TODAY}, "in use"),
        (0.5, {"expires": "2026-12-31"}, "expired"),
    ],
)
def test_a_waiver_covers_down_to_its_bound_and_on_its_last_day(
    value: float | None, changes: dict[str, object], expected: WaiverState
) -> None:
    """The bound itself is covered; what cannot be counted is under every bound, also under 0."""
    waivers = on_day(waiver(**changes))  # type: ignore[arg-type]  # changes no finding
    (use,) = waivers.use("moss-01", "careful", missed={"facet": value}, measured=("facet",))
    assert (use.waiver, use.state) == (*waivers.waivers, expected)


def test_only_the_waivers_of_the_pair_are_used_and_in_file_order() -> None:
    """Others are another test's, and reports list them as the suite does."""
    mine = [waiver("faithfulness"), waiver("eva"), waiver("facet")]
    others = [
        waiver(paper="moss-02"),
        waiver(system="terse"),
        waiver(paper=ALL_PAPERS),
        waiver(paper="careful", system="moss-01"),
    ]
    waivers = on_day(*others[:2], *mine, *others[2:])
    uses = waivers.use("moss-01", "careful", missed={"eva": 0.1}, measured=("facet", "eva"))
    assert [(use.waiver.finding, use.state) for use in uses] == [
        ("faithfulness", "not judged"),
        ("eva", "in use"),
        ("facet", "not needed"),
    ]


@given(
    st.lists(
        st.tuples(st.sampled_from(["facet", "eva"]), st.sampled_from([TODAY, YESTERDAY])),
        max_size=4,
    ),
    st.dictionaries(st.sampled_from(["facet", "eva"]), st.none() | st.floats(0, 1)),
)
def test_only_a_waiver_in_use_covers_and_only_what_is_missed(
    stored: list[tuple[str, str]], missed: dict[str, float | None]
) -> None:
    """Law: every waiver of the pair has one state, and "in use" means missed and not expired."""
    waivers = on_day(*(waiver(name, expires=expires) for name, expires in stored))
    uses = waivers.use("moss-01", "careful", missed=missed, measured=("facet", "eva"))
    assert [use.waiver for use in uses] == list(waivers.waivers)
    for use in uses:
        covers = use.waiver.finding in missed and use.waiver.expires == TODAY
        assert (use.state == "in use") is covers
        assert bool(use.fault) is not covers


@given(st.lists(st.dates(date(2027, 1, 1), date(2027, 1, 30))), st.dates(date(2027, 1, 1)))
def test_a_record_tells_a_day_on_which_the_same_waivers_are_expired(
    days: list[date], today: date
) -> None:
    """Law: no record has the day itself, and one that is read decides as the run did."""
    waivers = on_day(*(waiver(expires=day.isoformat()) for day in days), today=today.isoformat())
    pair, result = ("moss-01", "careful"), {"missed": {"facet": 0.5}, "measured": ("facet",)}
    uses = waivers.use(*pair, **result)  # type: ignore[arg-type]  # its arguments
    again = replace(waivers, today=day_of(uses))
    assert again.use(*pair, **result) == uses  # type: ignore[arg-type]  # its arguments


MESSAGE = f"{FILE}:30: waiver 'wet-moss' of facet (owner 'ines')"


FAULTS: dict[WaiverState, str] = {
    "expired": f"{MESSAGE} expired on {LAST_DAY}; mend, renew or delete it",
    "not needed": f"{MESSAGE} is no longer needed; delete it",
    "exceeded": f"{MESSAGE} allows no less than 0.52",
    "in use": "",
    "not judged": "",
}


@pytest.mark.parametrize(("of", "expected"), FAULTS.items())
def test_a_waiver_that_fails_its_test_says_what_to_do(of: WaiverState, expected: str) -> None:
    """Where it stands, whom to ask, and what to do with it."""
    assert WaiverUse(waiver=waiver(least=0.52), state=of).fault == expected


PAIR = (Threshold("facet", 0.55), Threshold("facet.result", 3), Threshold("eva", 0.3))
MEAN = (Threshold("facet", 0.65), Threshold("eva.recall", 0.4))
LIMITS = Thresholds(pair=PAIR, mean=MEAN)


def waiver_refused(*waivers: Waiver, limits: Thresholds = LIMITS) -> str:
    """The message for waivers of which one is wrong."""
    with pytest.raises(SuiteError) as caught:
        check_waivers(waivers, limits)
    assert caught.value.place == waivers[-1].place
    return str(caught.value)


def test_a_waiver_of_what_no_threshold_holds_is_refused() -> None:
    """It could never be needed; the nearest number that is held may be meant."""
    assert waiver_refused(waiver("eva.recall")) == (
        f"{FILE}:30: waiver 'wet-moss' is of 'eva.recall', which has no threshold in [thresholds];"
        " known: eva, facet, facet.result"
    )
    assert waiver_refused(waiver("facet.method")) == (
        f"{FILE}:30: waiver 'wet-moss' is of 'facet.method', which has no threshold in"
        " [thresholds]; did you mean 'facet.result'?"
    )


@pytest.mark.parametrize(
    ("finding", "paper", "least", "bounds"),
    [
        ("facet", "moss-01", "1.1", "0.25 to 1"),
        ("facet", "moss-01", "0.2", "0.25 to 1"),
        ("facet", ALL_PAPERS, "0.2", "0.25 to 1"),
        ("facet.result", "moss-01", "0", "1 to 4"),
        ("eva", "moss-01", "-0.1", "0 to 1"),
    ],
)
def test_a_bound_off_the_numbers_range_is_refused(
    finding: str, paper: str, least: str, bounds: str
) -> None:
    """It bounds nothing, or everything."""
    assert waiver_refused(waiver(finding, paper=paper, least=float(least))) == (
        f"{FILE}:30: waiver 'wet-moss' allows {finding} = {least}; write a value from {bounds}"
    )


@pytest.mark.parametrize(
    ("finding", "wrong", "right"),
    [("facet", "most", "least"), ("faithfulness.conflicts", "least", "most")],
)
def test_a_waiver_is_bounded_on_the_side_on_which_its_number_gets_worse(
    finding: str, wrong: str, right: str
) -> None:
    """A bound on the other side would allow everything."""
    thresholds = Thresholds(pair=(Threshold(finding, 0.5),), mean=())
    check_waivers([waiver(finding, **{right: 1.0})], thresholds)
    with pytest.raises(SuiteError) as caught:
        check_waivers([waiver(finding, **{wrong: 1.0})], thresholds)
    assert str(caught.value) == (
        f"{FILE}:30: waiver 'wet-moss' bounds {finding} by {wrong!r}, and it gets worse the other"
        f" way; write {right!r}"
    )

from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from syrupy.assertion import SnapshotAssertion

from summeval_pytest.errors import SuiteError
from summeval_pytest.suite.lines import ALL_PAPERS
from summeval_pytest.verdict.thresholds import (
    Threshold,
    Thresholds,
    WaiverState,
    WaiverUse,
    check_waivers,
    day_of,
)
from tests.verdict.records import on_day, waiver

TODAY = "2027-01-15"
YESTERDAY = "2027-01-14"


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
        (0.5, {"expires": "2026-12-31", "least": 0.6}, "expired"),
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


@given(st.lists(st.dates(date(2027, 1, 1), date(2027, 1, 30))), st.dates(date(2027, 1, 1)))
def test_a_record_tells_a_day_of_the_same_waivers(days: list[date], today: date) -> None:
    """Law: no record has the day itself, and one that is read decides as the run did."""
    waivers = on_day(*(waiver(expires=day.isoformat()) for day in days), today=today.isoformat())
    pair, result = ("moss-01", "careful"), {"missed": {"facet": 0.5}, "measured": ("facet",)}
    uses = waivers.use(*pair, **result)  # type: ignore[arg-type]  # its arguments
    again = replace(waivers, today=day_of(uses))
    assert again.use(*pair, **result) == uses  # type: ignore[arg-type]  # its arguments


@pytest.mark.parametrize("state", get_args(WaiverState))
def test_a_failing_waiver_says_what_to_do(state: WaiverState, snapshot: SnapshotAssertion) -> None:
    """Where it stands, whom to ask, and what to do with it."""
    assert WaiverUse(waiver=waiver(least=0.52), state=state).fault == snapshot


LIMITS = Thresholds(
    pair=(
        Threshold("facet", 0.55), Threshold("facet.result", 3), Threshold("eva", 0.3),
        Threshold("faithfulness.conflicts", 1),
    ),
    mean=(Threshold("facet", 0.65), Threshold("eva.recall", 0.4)),
)  # fmt: skip


def test_a_waiver_that_waives_or_bounds_nothing_is_refused(snapshot: SnapshotAssertion) -> None:
    """No threshold holds its number, or its bound is off the range or on the wrong side."""
    wrong = [
        waiver("eva.recall"),
        waiver("facet.method"),
        *(waiver(least=bound) for bound in (1.1, 0.2)),
        waiver(paper=ALL_PAPERS, least=0.2),
        waiver("facet.result", least=0.0),
        waiver("eva", least=-0.1),
        waiver("facet", most=1.0),
        waiver("faithfulness.conflicts", least=1.0),
    ]
    mean = waiver("eva.recall", paper=ALL_PAPERS)
    check_waivers([waiver(least=1.0), waiver("faithfulness.conflicts", most=1.0), mean], LIMITS)
    messages = []
    for each in wrong:
        with pytest.raises(SuiteError) as caught:
            check_waivers([waiver(), each], LIMITS)
        messages.append(str(caught.value))
    assert messages == snapshot

from __future__ import annotations

from datetime import date, timedelta
from itertools import product
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from summeval_pytest.errors import Place, SuiteError
from summeval_pytest.suite.lines import ALL_PAPERS
from summeval_pytest.suite.values import Waiver
from summeval_pytest.verdict.thresholds import (
    State,
    Threshold,
    Thresholds,
    Waivers,
    WaiverUse,
    check_waivers,
    fault_of,
)

FILE = "golden/summeval.toml"
TODAY = "2027-01-15"
TOMORROW, YESTERDAY = "2027-01-16", "2027-01-14"


def waiver(finding: str = "facet", **changes: object) -> Waiver:
    """A waiver of one number, until tomorrow."""
    values = {"paper": "moss-01", "system": "careful", "expires": TOMORROW, **changes}
    return Waiver(
        name="wet-moss",
        finding=finding,
        owner="ines",
        reason="the reference is being mended",
        **{"place": Place(FILE, 30), **values},  # type: ignore[arg-type]  # the tests name its fields
    )


def state(
    held: Waiver,
    missed: dict[str, float | None] | None = None,
    measured: tuple[str, ...] = ("facet",),
) -> State:
    """What becomes of one waiver today."""
    waivers = Waivers(waivers=(held,), today=TODAY)
    (use,) = waivers.use(held.paper, held.system, missed=missed or {}, measured=measured)
    assert use.waiver is held
    return use.state


def test_a_waiver_of_a_number_that_falls_short_is_in_use() -> None:
    """That is what it is there for."""
    assert state(waiver(), {"facet": 0.5}) == "in use"


@pytest.mark.parametrize(
    ("expires", "expected"),
    [(YESTERDAY, "expired"), (TODAY, "in use"), (TOMORROW, "in use"), ("2026-12-31", "expired")],
)
def test_a_waiver_holds_on_its_last_day_and_no_longer(expires: str, expected: State) -> None:
    """The day that was written is the last one on which the team may rely on it."""
    assert state(waiver(expires=expires), {"facet": 0.5}) == expected


@given(st.dates(), st.integers(-400, 400))
def test_days_are_compared_as_days(today: date, later: int) -> None:
    """Law: over all years, months and days, written the way `date.isoformat` writes them."""
    try:
        expires = today + timedelta(days=later)
    except OverflowError:
        expires = today
    waivers = Waivers(waivers=(waiver(expires=expires.isoformat()),), today=today.isoformat())
    (use,) = waivers.use("moss-01", "careful", missed={"facet": 0.5}, measured=("facet",))
    assert use.state == ("expired" if today > expires else "in use")


def test_a_waiver_of_a_number_that_is_reached_is_not_needed() -> None:
    """Another number's shortfall is none of its business."""
    assert state(waiver()) == "not needed"
    assert state(waiver(), {"eva": 0.1}, ("facet", "eva")) == "not needed"


@pytest.mark.parametrize(
    ("value", "least", "expected"),
    [
        (0.5, None, "in use"),
        (0.5, 0.5, "in use"),
        (0.499999, 0.5, "exceeded"),
        (0.6, 0.5, "in use"),
        (0.0, 0.0, "in use"),
        (None, None, "in use"),
        (None, 0.0, "exceeded"),
    ],
)
def test_a_waiver_covers_down_to_its_bound(
    value: float | None, least: float | None, expected: State
) -> None:
    """The bound itself is covered; what cannot be counted is under every bound, also under 0."""
    assert state(waiver(least=least), {"facet": value}) == expected


def test_a_waiver_of_a_number_without_a_measurement_is_not_judged() -> None:
    """Nobody knows whether it is needed, so nobody may tell its owner to delete it."""
    assert state(waiver(), measured=()) == "not judged"
    assert state(waiver("eva"), {"facet": 0.5}) == "not judged"


@pytest.mark.parametrize(
    ("held", "missed", "measured", "expected"),
    [
        (waiver(expires=YESTERDAY), {}, (), "not judged"),
        (waiver(expires=YESTERDAY), {}, ("facet",), "expired"),
        (waiver(expires=YESTERDAY, least=0.5), {"facet": 0.1}, ("facet",), "expired"),
    ],
    ids=["not judged before expired", "expired before not needed", "expired before exceeded"],
)
def test_a_waiver_has_one_state(
    held: Waiver, missed: dict[str, float | None], measured: tuple[str, ...], expected: State
) -> None:
    """The owner of an expired one is told so, whatever else is true of it."""
    assert state(held, missed, measured) == expected


def test_only_the_waivers_of_the_pair_are_used_and_in_file_order() -> None:
    """Others are another test's, and reports list them as the suite does."""
    mine = [waiver("faithfulness"), waiver("eva"), waiver("facet")]
    others = [
        waiver(paper="moss-02"),
        waiver(system="terse"),
        waiver(paper=ALL_PAPERS),
        waiver(paper="careful", system="moss-01"),
    ]
    waivers = Waivers(waivers=(*others[:2], *mine, *others[2:]), today=TODAY)
    assert waivers.of("moss-01", "careful") == tuple(mine)
    uses = waivers.use("moss-01", "careful", missed={"eva": 0.1}, measured=("facet", "eva"))
    assert [(use.waiver.finding, use.state) for use in uses] == [
        ("faithfulness", "not judged"),
        ("eva", "in use"),
        ("facet", "not needed"),
    ]
    assert waivers.of(ALL_PAPERS, "careful") == (others[2],)


def test_measured_numbers_may_be_given_once_only() -> None:
    """A generator is read once, and every waiver has to be held against all of it."""
    waivers = Waivers(waivers=(waiver("eva"), waiver("facet")), today=TODAY)
    names = ["facet", "eva"]
    uses = waivers.use("moss-01", "careful", missed={}, measured=(name for name in names))
    assert [use.state for use in uses] == ["not needed", "not needed"]


def test_no_waivers_are_used_where_there_are_none() -> None:
    """The usual case."""
    assert Waivers().use("moss-01", "careful", missed={"facet": 0.1}, measured=("facet",)) == ()


@given(
    st.lists(
        st.tuples(st.sampled_from(["facet", "eva"]), st.sampled_from([TODAY, YESTERDAY])),
        max_size=4,
    ),
    st.dictionaries(st.sampled_from(["facet", "eva"]), st.none() | st.floats(0, 1)),
)
def test_only_a_waiver_in_use_covers_and_only_what_is_missed(
    held: list[tuple[str, str]], missed: dict[str, float | None]
) -> None:
    """Law: every waiver of the pair has one state, and "in use" means missed and not expired."""
    waivers = Waivers(
        waivers=tuple(waiver(name, expires=expires) for name, expires in held), today=TODAY
    )
    uses = waivers.use("moss-01", "careful", missed=missed, measured=("facet", "eva"))
    assert [use.waiver for use in uses] == list(waivers.waivers)
    for use in uses:
        covers = use.waiver.finding in missed and use.waiver.expires == TODAY
        assert (use.state == "in use") is covers
        assert bool(fault_of(use)) is not covers


TOLD = f"{FILE}:30: waiver 'wet-moss' of facet (owner 'ines')"


FAULTS: dict[State, str] = {
    "expired": f"{TOLD} expired on {TOMORROW}; mend, renew or delete it",
    "not needed": f"{TOLD} is no longer needed; delete it",
    "exceeded": f"{TOLD} allows no less than 0.52",
    "in use": "",
    "not judged": "",
}


@pytest.mark.parametrize(("of", "expected"), FAULTS.items())
def test_a_waiver_that_fails_its_test_says_what_to_do(of: State, expected: str) -> None:
    """Where it stands, whom to ask, and what to do with it."""
    assert fault_of(WaiverUse(waiver=waiver(least=0.52), state=of)) == expected


def test_every_state_of_a_waiver_is_told_or_silent_on_purpose() -> None:
    """A state that is added has to be thought about here."""
    assert set(get_args(State)) == set(FAULTS)


PAIR = (Threshold("facet", 0.55), Threshold("facet.result", 3), Threshold("eva", 0.3))
MEAN = (Threshold("facet", 0.65), Threshold("eva.recall", 0.4))
LIMITS = Thresholds(pair=PAIR, mean=MEAN)


def refused(*waivers: Waiver, limits: Thresholds = LIMITS) -> str:
    """The message for waivers of which one is wrong."""
    with pytest.raises(SuiteError) as caught:
        check_waivers(waivers, limits)
    assert caught.value.place == waivers[-1].place
    return str(caught.value)


@pytest.mark.parametrize(
    ("paper", "finding"),
    [*product(["moss-01"], ["facet", "facet.result", "eva"]), (ALL_PAPERS, "eva.recall")],
)
def test_a_waiver_of_what_a_threshold_holds_is_sound(paper: str, finding: str) -> None:
    """Pairs and means have thresholds of their own."""
    check_waivers([waiver(finding, paper=paper)], LIMITS)


def test_a_waiver_of_what_no_threshold_holds_is_refused() -> None:
    """It could never be needed; the nearest number that is held may be meant."""
    assert refused(waiver("eva.recall")) == (
        f"{FILE}:30: waiver 'wet-moss' is of 'eva.recall', which [thresholds] does not hold;"
        " known: eva, facet, facet.result"
    )
    assert refused(waiver("facet.method")) == (
        f"{FILE}:30: waiver 'wet-moss' is of 'facet.method', which [thresholds] does not hold;"
        " did you mean 'facet.result'?"
    )


@pytest.mark.parametrize(("paper", "finding"), [(ALL_PAPERS, "eva"), ("moss-01", "eva.recall")])
def test_a_threshold_of_the_other_kind_does_not_count(paper: str, finding: str) -> None:
    """A waiver of a mean needs a threshold of the means, and one of a pair one of the pairs."""
    of = "[thresholds.mean]" if paper == ALL_PAPERS else "[thresholds]"
    assert f"which {of} does not hold; " in refused(waiver(finding, paper=paper))


def test_a_waiver_of_an_unknown_number_names_the_one_probably_meant() -> None:
    """A misspelt name is looked for among all numbers, held or not."""
    assert refused(waiver("facet.methods")).endswith("; did you mean 'facet.method'?")
    assert "; known: eva, eva.precision, eva.recall, " in refused(waiver("rouge"))


def test_a_waiver_in_a_suite_without_thresholds_is_refused() -> None:
    """There is nothing to waive."""
    assert refused(waiver(), limits=Thresholds(pair=(), mean=MEAN)) == (
        f"{FILE}:30: waiver 'wet-moss' is of 'facet', which [thresholds] does not hold;"
        " none is defined"
    )


@pytest.mark.parametrize(
    ("finding", "paper", "least"),
    [
        ("facet", "moss-01", 0.25),
        ("facet", "moss-01", 0.5499),
        ("facet", ALL_PAPERS, 0.6499),
        ("facet.result", "moss-01", 1),
        ("facet.result", "moss-01", 2.5),
        ("eva", "moss-01", 0.0),
    ],
)
def test_a_bound_from_the_lowest_value_to_under_the_threshold_is_sound(
    finding: str, paper: str, least: float
) -> None:
    """Both ends: the lowest value belongs to it, the threshold does not."""
    check_waivers([waiver(finding, paper=paper, least=least)], LIMITS)


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
    assert refused(waiver(finding, paper=paper, least=float(least))) == (
        f"{FILE}:30: waiver 'wet-moss' allows {finding} = {least}; write a value from {bounds}"
    )


def test_a_bound_may_lie_above_a_threshold_that_was_lowered() -> None:
    """With --summ-min=facet=0.3 the suite file has no mistake: the waiver is only not needed."""
    check_waivers([waiver("facet", paper="moss-01", least=0.9)], LIMITS)


def test_a_sound_waiver_does_not_hide_the_next() -> None:
    """Every waiver is checked, and the first that is wrong is told with its own line."""
    assert refused(waiver(), waiver("eva.recall", place=Place(FILE, 44))).startswith(f"{FILE}:44: ")


def test_no_waiver_is_no_mistake() -> None:
    """Also without any threshold."""
    check_waivers([], Thresholds(pair=(), mean=()))


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


def test_a_waiver_of_conflicts_that_are_more_says_how_many_it_allows() -> None:
    """Two where one was waived."""
    held = waiver("faithfulness.conflicts", most=1.0)
    assert state(held, {held.finding: 1.0}, (held.finding,)) == "in use"
    assert state(held, {held.finding: 2.0}, (held.finding,)) == "exceeded"
    assert fault_of(WaiverUse(waiver=held, state="exceeded")).endswith("allows no more than 1")

from __future__ import annotations

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


@pytest.mark.parametrize(
    ("expires", "expected"),
    [(YESTERDAY, "expired"), (TODAY, "in use"), (TOMORROW, "in use"), ("2026-12-31", "expired")],
)
def test_a_waiver_holds_on_its_last_day_and_no_longer(expires: str, expected: State) -> None:
    """The day that was written is the last one on which the team may rely on it."""
    assert state(waiver(expires=expires), {"facet": 0.5}) == expected


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
        assert bool(use.fault) is not covers


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
    assert WaiverUse(waiver=waiver(least=0.52), state=of).fault == expected


PAIR = (Threshold("facet", 0.55), Threshold("facet.result", 3), Threshold("eva", 0.3))
MEAN = (Threshold("facet", 0.65), Threshold("eva.recall", 0.4))
LIMITS = Thresholds(pair=PAIR, mean=MEAN)


def refused(*waivers: Waiver, limits: Thresholds = LIMITS) -> str:
    """The message for waivers of which one is wrong."""
    with pytest.raises(SuiteError) as caught:
        check_waivers(waivers, limits)
    assert caught.value.place == waivers[-1].place
    return str(caught.value)


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

from __future__ import annotations

from dataclasses import replace
from typing import Final

from hypothesis import example, given
from hypothesis import strategies as st
from syrupy.assertion import SnapshotAssertion

from summeval_pytest.reports.ci import step_summary
from summeval_pytest.reports.judge_section import (
    describe_trust,
    interval_of,
    open_floors,
    short_of_floor,
    trust_of,
    trust_of_run,
    trust_phrase,
    untrusted_lines,
    value_of,
)
from summeval_pytest.reports.terminal import run_lines
from summeval_pytest.verdict.trust import MoreLabels
from tests.reports.records import (
    HOLDS,
    MISSED,
    TRUSTED,
    UNMEASURED,
    agreement,
    floor,
    golden,
    junit_text,
    measured,
    page_text,
    run,
    suite,
    trust,
)

NOT_MEASURED = "agreement with labels not measured in this run"
NOT_CALIBRATED = "agreement with people unknown, the suite has no labels"


def test_what_is_known_of_a_judge_is_one_clause() -> None:
    """Every report has the same words for it, so that they can be searched for."""
    pairs = "(2 labelled pairs, 2 papers)"
    for result, phrase in (
        (UNMEASURED, "agreement with labels not measured: it timed out"),
        (trust(agreement()), f"agreement measured, no floor is set {pairs}"),
        (TRUSTED, f"meets the agreement floor {pairs}"),
        (
            replace(trust(agreement()), floors_of="jj:Slient"),
            f"agreement measured, no floor is set for it, only for jj:Slient {pairs}",
        ),
        (replace(TRUSTED, floors_of="offline"), f"meets the agreement floor for offline {pairs}"),
        (trust(), f"UNTRUSTED: facet_kappa 0.34 < 0.9 {pairs}"),
    ):
        assert trust_phrase(result, has_labels=True) == phrase
    # 0.5996 to two digits is 0.60, to three 0.600, and neither is under 0.6
    close = agreement("facet_kappa", 0.5996, floor(0.6))
    assert value_of(close) == "0.5996"
    assert short_of_floor(close, close.floors[0]) == "facet_kappa 0.5996 < 0.6"
    assert value_of(agreement("facet_kappa", 0.5996)) == "0.600"
    assert interval_of(agreement()) == "0.28 to 0.41"
    bound = agreement("facet_kappa", 0.9, floor(0.28, bound="lower"), low=0.2799)
    assert interval_of(bound) == "0.2799 to 0.41"


SHARES = st.integers(0, 10**9).map(lambda share: share / 10**9)


@given(SHARES, SHARES)
@example(0.5996, 0.6)
@example(0.2799999, 0.28)
def test_a_figure_never_seems_to_reach_a_floor_that_it_misses(value: float, least: float) -> None:
    """Law: as numbers, what is shown stands to the floor as the figure does."""
    point, lower = floor(least), floor(least, bound="lower")
    result = agreement("facet_kappa", value, point, lower, low=value, high=1.0)
    shown, low = float(value_of(result)), float(interval_of(result).split(" to ")[0])
    assert (shown >= least, low >= least) == (value >= least, value >= least)
    if result.missed:
        assert float(short_of_floor(result, point).split()[1]) < least


OPEN: Final = (
    MoreLabels(least=0.3, n_papers=4, n_pairs=12),
    MoreLabels(least=0.344),
    MoreLabels(least=0.345, n_papers=1, n_pairs=1),
    MoreLabels(least=0.346, n_papers=300, n_pairs=1001),
    MoreLabels(least=0.347, n_papers=1),
)


def test_a_floor_that_labels_leave_open_says_what_would_decide(snapshot: SnapshotAssertion) -> None:
    """Who labels has to know when to stop; beyond a thousand pairs nobody counts."""
    left = trust(agreement("facet_kappa", 0.344, more=OPEN))
    assert open_floors(left) == snapshot
    assert describe_trust(left).split("\n")[-4:] == snapshot
    assert open_floors(trust()) == open_floors(None) == []


def test_every_report_says_what_would_decide() -> None:
    """Also where the judge holds all its floors: it may do so by luck."""
    stored = agreement("facet_exact", 0.35, floor(0.3, "facet_exact"), more=OPEN[:1])
    record = run(measured(suite(), trust(stored)))
    needed = "Label about 12 more pairs (4 papers) to be sure."
    message = f"Floor 0.3 is too close. {needed}"
    at_end = f"facet_exact 0.35 is too close to its floor 0.3. {needed}"
    assert at_end in " ".join(" ".join(run_lines(record)).split())
    assert f"<small>{message}</small>" in page_text(record)
    assert f"at least 0.3; {message} |" in step_summary(record)
    assert f'name="labels needed" value="{at_end}"' in junit_text(record)
    assert f"\n  {message}" in junit_text(record)


def test_with_several_suites_each_has_its_name() -> None:
    """One of them may be untrusted alone."""
    one, other = measured(suite(), TRUSTED), suite(name="bronze")
    assert trust_of(one) == trust_of_run(run(one))
    assert trust_of_run(run(one, other)) == f"golden: {trust_of(one)}; bronze: {NOT_CALIBRATED}"
    assert trust_of(replace(other, labels="0a")) == NOT_MEASURED


def test_a_failing_judge_is_described_by_all_its_figures(snapshot: SnapshotAssertion) -> None:
    """Worked example: what it misses comes first, as pytest's summary shows one line alone."""
    lower = agreement("unfaithful_recall", None, low=None, high=None)
    lower = replace(lower, floors=(floor(0.2, "unfaithful_recall", "lower"),), n_items=1_102)
    assert describe_trust(trust(MISSED, HOLDS, lower)).split("\n") == snapshot


def test_errors_of_an_untrusted_judge_are_listed_in_full(snapshot: SnapshotAssertion) -> None:
    """Worked example: one missed floor, three matrices, three of three disagreements."""
    # A result of 1 taken for a 4 and two yes-or-no answers are each as wrong as can be; of those,
    # what passes for right comes before the fact that was wrongly refused.
    assert list(untrusted_lines(trust(), golden())) == snapshot

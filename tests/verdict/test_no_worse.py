"""No-worse rules: what passes, fails and stays open, and suites that grew."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from summeval_pytest.errors import Place, SuiteError
from summeval_pytest.metrics.signature import signature_of
from summeval_pytest.stats.paired import papers_to_refute
from summeval_pytest.suite.values import CompareTable, Setting
from summeval_pytest.verdict.comparison import Against, compare
from summeval_pytest.verdict.differences import Comparison
from summeval_pytest.verdict.policy import (
    DEFAULT_RULES,
    LEVEL,
    TESTED,
    Policy,
    Rule,
    levels,
    rules_of,
    suite_rules,
)
from summeval_pytest.verdict.run import PaperRecord
from summeval_pytest.verdict.thresholds import Thresholds
from tests.verdict.records import HERE, baseline, compared, pair, pairs_of, rules_in, unscored

SPREAD = [0.5, 0.625, 0.375, 0.75] * 8


@pytest.mark.parametrize(
    ("values", "outcome"),
    [
        (SPREAD, "passes"),
        ([value + 0.125 for value in SPREAD], "passes"),
        # a significant drop within the margin passes: it is ruled out that it is larger
        ([value - 0.0625 for value in SPREAD], "passes"),
        ([value - 0.25 for value in SPREAD], "fails"),
        (
            [
                0.25 + value if place % 2 else value - 0.375
                for place, value in enumerate(SPREAD[:12])
            ],
            "open",
        ),
        (SPREAD[:3], "open"),
        (SPREAD[:1], "open"),
    ],
)
def test_a_release_passes_if_a_larger_drop_is_ruled_out(values: list[float], outcome: str) -> None:
    """It fails on a drop beyond doubt. Anything else is inconclusive, and never a pass."""
    actual = compared(
        pairs_of(*SPREAD[: len(values)]), pairs_of(*values), "faithfulness:no-worse-0.2"
    )
    states = {
        "passes": actual.passes,
        "fails": bool(actual.broken),
        "open": bool(actual.inconclusive),
    }
    assert states == {name: name == outcome for name in states}
    assert actual.fails == (outcome != "passes")


def test_what_would_decide_is_said() -> None:
    """Worked example: so many papers, or this margin, rounded up so that it decides."""
    gains = [0.0625, -0.0625, 0.125, -0.1875] * 3
    old, new = pairs_of(*[0.5] * 12), pairs_of(*(0.5 + gain for gain in gains))
    actual = compared(old, new, "faithfulness:no-worse-0.05")
    (phrase,) = actual.inconclusive[0].inconclusive
    needed = papers_to_refute(gains, margin=0.05, level=LEVEL)
    assert phrase == (
        "cannot decide no_worse = {faithfulness = 0.05}: 12 papers rule out only drops of 0.171"
        f" or more; {needed} papers like these or a margin of 0.18 would decide"
    )
    assert compared(old, new, "faithfulness:no-worse-0.18").passes


@pytest.mark.parametrize(
    ("new", "expected"),
    [
        ([0.375, 0.5], "2 papers are too few to rule out any drop; the mean drop is 0.062"),
        ([0.5], ": one paper says nothing about others; compare on more papers"),
    ],
)
def test_where_no_number_of_papers_would_do_none_is_named(new: list[float], expected: str) -> None:
    """The mean drop is the margin itself, or one paper has no spread."""
    actual = compared(pairs_of(*[0.5] * len(new)), pairs_of(*new), "faithfulness:no-worse-0.05")
    assert expected in actual.inconclusive[0].inconclusive[0]


def test_what_is_missing_is_taken_at_its_worst() -> None:
    """A system cannot pass by giving no summary, nor a judge by not answering."""
    old = pairs_of(*SPREAD)
    refused = [*old[:-1], pair("moss-31", unscored("faithfulness"))]
    worst = compared(old, refused, "faithfulness:no-worse-0.08")
    assert not worst.passes
    assert "with the lowest score for each paper" in worst.inconclusive[0].inconclusive[0]
    silent = [*old[:-1], pair("moss-31", unscored("faithfulness", "unanswered", "cut"))]
    left_open = compared(old, silent, "faithfulness:no-worse-0.08")
    assert (left_open.passes, left_open.fails) == (False, False)
    assert left_open.undecided[0][0] == "faithfulness"


def test_the_margins_of_a_suite_become_rules() -> None:
    """What has no margin keeps the test of a significant drop."""

    def table(name: str, value: float, key: str = "no_worse") -> CompareTable:
        setting = Setting(name=name, value=value, place=Place("s.toml", 4))
        return CompareTable(**{key: (setting,)}, share=0.5)

    rules = suite_rules(table("facet", 0.1))
    assert rules == rules_of({"facet": 0.1})
    assert rules[0] == Rule(name="facet", margin=0.1, level=LEVEL, is_named=True)
    assert [rule.name for rule in rules] == list(TESTED)
    assert suite_rules(CompareTable()) == DEFAULT_RULES
    drops = suite_rules(table("facet", 0.0, "drop"))
    assert drops[0] == Rule(name="facet", drop=0.0, is_named=True)
    assert [rule.name for rule in drops] == list(TESTED)
    for name, value, key, message in (
        ("facets", 0.1, "no_worse", "names 'facets'; did you mean 'facet'?"),
        ("facet", 0.75, "no_worse", "0.75 is no margin of facet; write a number above 0 and under"),
        ("facet", 0.0, "no_worse", "0 is no margin of facet; write a number above 0"),
        ("facet.result", 3.0, "drop", "3 is no margin of facet.result; write a number above 0"),
        ("eva", -0.1, "drop", "-0.1 is no margin of eva; write a number above 0 and under 1"),
    ):
        with pytest.raises(SuiteError, match=rf"s.toml:4: '{key}':? ") as caught:
            suite_rules(table(name, value, key))
        assert message in str(caught.value)


def test_only_the_numbers_with_a_level_are_tested_where_there_is_one() -> None:
    """Each number more makes Holm's correction stricter for the others."""
    rules = [
        Rule(name="eva", drop=0.02),
        Rule(name="eva.recall", level=0.1),
        Rule(name="facet", drop=0.1, level=0.01),
        Rule(name="facet", level=0.05),  # of two levels the stricter one counts
    ]
    assert levels(rules) == {"eva.recall": 0.1, "facet": 0.01}


# Suites that grew


def digests(n_papers: int, changed: str = "") -> dict[str, str]:
    """The digest of each paper."""
    names = [f"moss-{place:02}" for place in range(n_papers)]
    return {name: f"{name}'" if name == changed else name for name in names}


def grown(n_papers: int, stored: Mapping[str, str], share: float = 0.8) -> Comparison:
    """32 papers with these digests, compared with a suite of so many."""
    papers = tuple(
        PaperRecord(id=name, title="", place=HERE, references=(), digest=d, source=())
        for name, d in stored.items()
    )
    old = baseline(*pairs_of(*SPREAD))
    old = replace(old, suite=replace(old.suite, papers=papers))
    recipe = signature_of("faithfulness", judge="fair-1", suite="000000000000")
    against = Against(baseline=old, signatures=[recipe], digests=digests(n_papers))
    new = [each.numbers() for each in pairs_of(*SPREAD, *[0.0] * (n_papers - 32))]
    rules = rules_in("faithfulness:no-worse-0.2")
    policy = Policy(thresholds=Thresholds(pair=(), mean=()), rules=rules, share=share)
    return compare(new, against, policy)


def test_a_suite_that_grew_is_compared_on_the_papers_that_both_have() -> None:
    """32 of 36 papers are a share of .89; the comparison says so."""
    actual = grown(36, digests(32))
    assert actual.passes
    assert actual.differences[0].n_papers == 32
    assert actual.notes[0] == (
        "compared on 32 of 36 papers; 4 are only in this run and 0 only in v1.3"
    )
    few = grown(36, digests(32), share=0.9)
    assert few.mismatches == (f"{actual.coverage}; a share of 0.9 must be in both",)


@pytest.mark.parametrize(
    ("stored", "message"),
    [
        (digests(32, "moss-03"), "paper 'moss-03' is another text in v1.3; save it again"),
        ({}, "paper 'moss-00' and 31 more has no digest in v1.3; save it again"),
    ],
)
def test_papers_of_the_same_name_have_to_be_the_same(stored: dict[str, str], message: str) -> None:
    """Otherwise an edited paper would count as a change of the system."""
    assert grown(32, stored).mismatches == (message,)

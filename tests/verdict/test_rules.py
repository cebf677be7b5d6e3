from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from summeval_pytest.errors import OptionError
from summeval_pytest.metrics.score import CATALOGUE
from summeval_pytest.verdict.thresholds import DEFAULT_RULES, Rule, levels, read_rules

TESTED = (
    "facet",
    "facet.background",
    "facet.method",
    "facet.result",
    "facet.conclusion",
    "eva",
    "faithfulness",
)


def refused(*texts: str) -> str:
    """The message for rules of which one is none."""
    with pytest.raises(OptionError) as caught:
        read_rules(texts, option="--fail")
    return str(caught.value)


def named(name: str, *, drop: float | None = None, level: float | None = None) -> Rule:
    """A rule as it is read where somebody wrote the name of its number."""
    return Rule(name=name, drop=drop, level=level, is_named=True)


def test_any_significant_drop_of_a_metric_or_facet_fails_where_no_rule_is_given() -> None:
    """Nobody who compares wants a green for a drop that is no chance."""
    expected = tuple(Rule(name=name, level=0.05) for name in TESTED)
    assert read_rules(()) == expected
    assert expected == DEFAULT_RULES


def test_a_number_is_named_by_a_rule_of_its_own_only() -> None:
    """Who writes p0.05 means what the run has; who writes eva:p0.05 means EVA, and wants it."""
    assert not any(rule.is_named for rule in (*DEFAULT_RULES, *read_rules(["p0.05"])))
    mixed = read_rules(["p0.05", "eva:p0.05"])
    assert [rule.name for rule in mixed if rule.is_named] == ["eva"]
    assert len(mixed) == len(TESTED) + 1


@given(
    st.sampled_from(sorted(CATALOGUE)),
    st.none() | st.floats(0, 0.74),
    st.none() | st.floats(1e-300, 0.999),
)
def test_every_number_can_be_held_to_every_drop_and_level(
    name: str, drop: float | None, level: float | None
) -> None:
    """Law: a rule that is written down is read back as it was."""
    parts = [
        name,
        *([] if drop is None else [str(drop)]),
        *([] if level is None else [f"p{level}"]),
    ]
    if len(parts) == 1:
        assert "is no rule" in refused(name)
    else:
        assert read_rules([":".join(parts)]) == (named(name, drop=drop, level=level),)


@pytest.mark.parametrize("text", ["facet", "facet:0.02:0.03", "facet:p0.05:p0.01", "facet:p.1:2:3"])
def test_a_rule_without_a_part_or_with_two_of_a_kind_is_refused(text: str) -> None:
    """It says nothing, or contradicts itself; the message shows the three forms."""
    assert refused(text) == (
        f"--fail={text!r} is no rule; write facet:0.02 for a drop, facet:p0.05 for a significant"
        " one, or facet:0.02:p0.05 for both"
    )


def test_an_unknown_number_is_refused_with_the_one_probably_meant() -> None:
    """A misspelt rule that never decides would be a green for nothing."""
    assert refused("facet:0.02", "facet.results:p0.05") == (
        "--fail='facet.results:p0.05': unknown metric 'facet.results'; did you mean 'facet.result'?"
    )
    assert refused("").startswith("--fail='': unknown metric ''; known: eva, eva.precision, ")


@pytest.mark.parametrize(
    ("name", "drop", "widest"),
    [
        ("facet", "0.75", "0.75"),
        ("facet", "-0.01", "0.75"),
        ("facet", "", "0.75"),
        ("facet", "2%", "0.75"),
        ("facet.background", "2", "2"),
        ("facet.result", "3", "3"),
        ("eva", "1", "1"),
        ("eva", "nan", "1"),
        ("eva", "inf", "1"),
    ],
)
def test_a_drop_that_no_number_could_exceed_is_refused(name: str, drop: str, widest: str) -> None:
    """FM ranges from 0.25 to 1, a rating from 1 to its scale: a larger drop never decides."""
    assert refused(f"{name}:{drop}") == (
        f"--fail='{name}:{drop}': {drop!r} is no drop that {name} could exceed; write a number"
        f" from 0 to under {widest}"
    )


@pytest.mark.parametrize("level", ["p0", "p1", "p5", "p-0.1", "pnan", "p", "p5%", "p 0.05 ."])
@pytest.mark.parametrize("name", ["", "eva:", "eva:0.1:"])
def test_a_level_that_is_none_is_refused(name: str, level: str) -> None:
    """At 0 nothing is significant, at 1 everything that dropped; p5 is meant as p0.05."""
    assert refused(f"{name}{level}") == (
        f"--fail='{name}{level}': {level!r} is no level of significance; write p0.05, a number"
        " between 0 and 1"
    )


def test_the_usual_numbers_are_tested_where_no_rule_asks_for_a_test() -> None:
    """A rule about size alone still shows how likely its drop is."""
    assert levels(DEFAULT_RULES) == dict.fromkeys(TESTED, 0.05)
    assert levels([]) == dict.fromkeys(TESTED, 0.05)
    assert levels([Rule(name="eva", drop=0.02)]) == dict.fromkeys(TESTED, 0.05)


def test_only_the_numbers_with_a_level_are_tested_where_there_is_one() -> None:
    """Each number more makes Holm's correction stricter for the others."""
    rules = [
        Rule(name="eva", drop=0.02),
        Rule(name="eva.recall", level=0.1),
        Rule(name="facet", drop=0.1, level=0.01),
    ]
    assert levels(rules) == {"eva.recall": 0.1, "facet": 0.01}

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from syrupy.assertion import SnapshotAssertion

from summeval_pytest.errors import OptionError
from summeval_pytest.metrics.catalogue import CATALOGUE
from summeval_pytest.verdict.policy import Rule, levels, read_rules


def rule_refused(*texts: str) -> str:
    """The message for rules of which one is none."""
    with pytest.raises(OptionError) as caught:
        read_rules(texts, option="--fail")
    return str(caught.value)


def named(name: str, *, drop: float | None = None, level: float | None = None) -> Rule:
    """A rule as it is read where somebody wrote the name of its number."""
    return Rule(name=name, drop=drop, level=level, is_named=True)


@given(
    st.sampled_from(sorted(CATALOGUE)),
    st.none() | st.floats(0, 0.74),
    st.none() | st.floats(1e-300, 0.999),
)
def test_every_number_can_be_compared_with_every_drop_and_level(
    name: str, drop: float | None, level: float | None
) -> None:
    """Law: a rule that is written down is read back as it was."""
    parts = [
        name,
        *([] if drop is None else [str(drop)]),
        *([] if level is None else [f"p{level}"]),
    ]
    if len(parts) == 1:
        assert "is no rule" in rule_refused(name)
    else:
        assert read_rules([":".join(parts)]) == (named(name, drop=drop, level=level),)


def test_a_rule_that_could_never_decide_is_refused(snapshot: SnapshotAssertion) -> None:
    """It says nothing, contradicts itself, or names a drop or level that is none.

    FM ranges from 0.25 to 1, a rating from 1 to its scale: a larger drop never decides. At a level
    of 0 nothing is significant, at 1 everything that dropped; p5 is meant as p0.05.
    """
    texts = [
        "facet", "facet:0.02:0.03", "facet:p.05:p.1", "facet:p.1:2:3", "facet.results:p0.05", "",
        "facet:0.75", "facet:-0.01", "facet:", "facet:2%", "facet.background:2", "facet.result:3",
        "eva:1", "eva:nan", "eva:inf", "facet:no-worse-0.75", "facet:no-worse-0", "eva:no-worse-x",
        *(f"{before}{level}" for before in ("", "eva:", "eva:0.1:") for level in ("p0", "p1")),
        *(f"eva:{level}" for level in ("p5", "p-0.1", "pnan", "p", "p5%", "p 0.05 .")),
    ]  # fmt: skip
    assert [rule_refused("facet:0.02", text) for text in texts] == snapshot


def test_only_the_numbers_with_a_level_are_tested_where_there_is_one() -> None:
    """Each number more makes Holm's correction stricter for the others."""
    rules = [
        Rule(name="eva", drop=0.02),
        Rule(name="eva.recall", level=0.1),
        Rule(name="facet", drop=0.1, level=0.01),
        Rule(name="facet", level=0.05),  # of two levels the stricter one counts
    ]
    assert levels(rules) == {"eva.recall": 0.1, "facet": 0.01}

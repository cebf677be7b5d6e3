from __future__ import annotations

from summeval_pytest.verdict.policy import Rule, levels


def test_only_the_numbers_with_a_level_are_tested_where_there_is_one() -> None:
    """Each number more makes Holm's correction stricter for the others."""
    rules = [
        Rule(name="eva", drop=0.02),
        Rule(name="eva.recall", level=0.1),
        Rule(name="facet", drop=0.1, level=0.01),
        Rule(name="facet", level=0.05),  # of two levels the stricter one counts
    ]
    assert levels(rules) == {"eva.recall": 0.1, "facet": 0.01}

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from summeval_pytest.suite.file import EvaVariant, Variants

if TYPE_CHECKING:
    from tests.suite.conftest import Golden


def test_a_suite_that_says_nothing_has_the_defaults(golden: Golden) -> None:
    """Every suite of before the variants measures what it measured."""
    assert golden.load().variants == Variants()
    assert Variants() == Variants(
        eva=EvaVariant(
            recall="both", chains="parent", validation="together", premises=None, relations=None
        ),
        references="best",
    )


@pytest.mark.parametrize(
    ("line", "variants"),
    [
        ('eva_recall = "matched"', Variants(eva=EvaVariant(recall="matched"))),
        ('eva_chains = "adjacent"', Variants(eva=EvaVariant(chains="adjacent"))),
        ('eva_chains = "parent"', Variants()),
        ('eva_validation = "chain"', Variants(eva=EvaVariant(validation="chain"))),
        ('eva_validation = "together"', Variants()),
        ("eva_premises = 3", Variants(eva=EvaVariant(premises=3))),
        ('eva_premises = "all"', Variants()),
        ("eva_relations = true", Variants(eva=EvaVariant(relations=0.65))),
        ("eva_relations = false", Variants()),
        ("eva_relations = 0.8", Variants(eva=EvaVariant(relations=0.8))),
        ("eva_relations = 1", Variants(eva=EvaVariant(relations=1.0))),
        ('references = "mean"', Variants(references="mean")),
        ('references = "best"', Variants()),
    ],
)
def test_a_variant_is_chosen_at_the_top_of_the_suite(
    golden: Golden, line: str, variants: Variants
) -> None:
    """What is the default may be written out."""
    golden.spoil("summeval.toml", "default_systems", f"{line}\ndefault_systems")
    assert golden.load().variants == variants


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('eva_chains = "both"', """'both'; write "parent" or "adjacent\""""),
        ("eva_chains = true", """true; write "parent" or "adjacent\""""),
        ('eva_validation = "chains"', """'chains'; write "together" or "chain\""""),
        ("eva_premises = 0", '0; write "all" or a whole number of at least 1'),
        ("eva_premises = -3", '-3; write "all" or a whole number of at least 1'),
        ("eva_premises = 3.0", '3.0; write "all" or a whole number of at least 1'),
        ("eva_premises = true", 'true; write "all" or a whole number of at least 1'),
        ('eva_premises = "3"', """'3'; write "all" or a whole number of at least 1"""),
        ("eva_relations = 0", "0; write true, false or a number above 0 and up to 1"),
        ("eva_relations = 1.01", "1.01; write true, false or a number above 0 and up to 1"),
        ("eva_relations = nan", "nan; write true, false or a number above 0 and up to 1"),
        ('eva_relations = "yes"', "'yes'; write true, false or a number above 0 and up to 1"),
        ('references = "all"', """'all'; write "best" or "mean\""""),
    ],
)
def test_a_variant_that_there_is_not_is_refused_with_its_line(
    golden: Golden, line: str, message: str
) -> None:
    """Before anything is asked."""
    golden.spoil("summeval.toml", "default_systems", f"{line}\ndefault_systems")
    key = line.partition(" ")[0]
    assert golden.mistake() == f"golden/summeval.toml:4: {key!r} of the suite is {message}"


def test_a_mistyped_variant_is_not_the_default_in_silence(golden: Golden) -> None:
    """The user would read one number under the name of another."""
    golden.spoil("summeval.toml", "default_systems", "eva_relation = true\ndefault_systems")
    assert golden.mistake() == (
        "golden/summeval.toml:4: unknown key 'eva_relation' in the suite;"
        " did you mean 'eva_relations'?"
    )

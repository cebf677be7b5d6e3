from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from summeval_pytest.errors import Place
from summeval_pytest.suite import Setting

if TYPE_CHECKING:
    from tests.suite.conftest import Golden


def test_thresholds_keep_file_order_and_line(golden: Golden) -> None:
    """A later range check can point at the line."""
    suite = golden.load()
    file = "golden/summeval.toml"

    assert suite.thresholds == (
        Setting(name="facet", value=0.55, place=Place(file, 14)),
        Setting(name="facet.conclusion", value=2.0, place=Place(file, 15)),
    )
    assert suite.mean_thresholds == (Setting(name="facet", value=0.65, place=Place(file, 18)),)
    assert suite.judge_thresholds == (
        Setting(name="facet_kappa", value=0.4, place=Place(file, 21)),
    )


def test_unquoted_dotted_name_is_flattened(golden: Golden) -> None:
    """Alone, the unquoted spelling means the same as the quoted one."""
    golden.spoil("summeval.toml", 'facet = 0.55\n"facet.conclusion"', "facet.conclusion")

    assert golden.load().thresholds == (
        Setting(name="facet.conclusion", value=2.0, place=Place("golden/summeval.toml", 14)),
    )


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ('"0.55"', "'0.55'"),
        ("true", "true"),
        ("nan", "nan"),
        ("-inf", "-inf"),
        ("1e999", "inf"),
        ("[0.5]", "a list of 1"),
        ("9" * 400, "a very large integer"),
    ],
)
def test_threshold_that_is_no_finite_number_is_refused(
    golden: Golden, value: str, shown: str
) -> None:
    """A threshold of NaN would pass or fail everything."""
    golden.spoil("summeval.toml", "0.55", value)

    assert golden.mistake() == (
        f"golden/summeval.toml:14: the threshold 'facet' is {shown}; write a finite number"
    )


def test_threshold_in_two_spellings_is_refused(golden: Golden) -> None:
    """TOML sees two keys where we see one name."""
    golden.spoil("summeval.toml", "facet = 0.55", "facet.conclusion = 3")

    assert golden.mistake() == (
        "golden/summeval.toml:15: the threshold 'facet.conclusion' stands on line 14, too;"
        " delete one"
    )


def test_sub_table_that_is_a_number_is_refused(golden: Golden) -> None:
    """``mean`` is a table of thresholds, not a threshold."""
    golden.spoil("summeval.toml", "[thresholds.mean]\nfacet = 0.65", "mean = 0.65")

    assert golden.mistake() == (
        "golden/summeval.toml:17: 'thresholds.mean' is 0.65; write a table, [thresholds.mean]"
    )

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from summeval_pytest.errors import Place
from summeval_pytest.suite.values import Setting

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


CORRECTED = '[thresholds.corrected]\nfacet = 0.6\n"facet.lower" = 0.5\n'


def test_thresholds_on_corrected_means_are_a_table_of_their_own(golden: Golden) -> None:
    """In file order with their lines, and in no other table."""
    golden.spoil("summeval.toml", "[thresholds.judge]", f"{CORRECTED}\n[thresholds.judge]")
    suite = golden.load()
    file = "golden/summeval.toml"

    assert suite.corrected_thresholds == (
        Setting(name="facet", value=0.6, place=Place(file, 21)),
        Setting(name="facet.lower", value=0.5, place=Place(file, 22)),
    )
    assert [len(held) for held in (suite.thresholds, suite.mean_thresholds)] == [2, 1]
    assert suite.judge_thresholds[0].place.line == 25


def test_a_suite_without_corrected_thresholds_has_none(golden: Golden) -> None:
    """Labels alone hold no system to anything."""
    assert golden.load().corrected_thresholds == ()


def test_a_lower_bound_may_be_written_without_quotes(golden: Golden) -> None:
    """TOML then reads tables; the name is the same."""
    golden.spoil(
        "summeval.toml",
        "[thresholds.judge]",
        "[thresholds.corrected]\nfacet.result.lower = 2\n[thresholds.judge]",
    )
    (setting,) = golden.load().corrected_thresholds
    assert (setting.name, setting.value, setting.place.line) == ("facet.result.lower", 2.0, 21)


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (
            '[thresholds.corrected]\nfacet = "high"',
            "21: the threshold 'facet' is 'high'; write a finite number",
        ),
        (
            "[thresholds.corrected]\nfacet.result.lower = nan",
            "21: the threshold 'facet.result.lower' is nan; write a finite number",
        ),
        (
            '[thresholds.corrected]\nfacet.result = 2\n"facet.result" = 3',
            "22: the threshold 'facet.result' stands on line 21, too; delete one",
        ),
    ],
)
def test_a_corrected_threshold_that_cannot_be_is_refused_at_its_line(
    golden: Golden, lines: str, message: str
) -> None:
    """As every other threshold is."""
    golden.spoil("summeval.toml", "[thresholds.judge]", f"{lines}\n[thresholds.judge]")
    assert golden.mistake() == f"golden/summeval.toml:{message}"


def test_corrected_thresholds_that_are_no_table_are_refused(golden: Golden) -> None:
    """``corrected`` is a table of thresholds, not a threshold."""
    golden.spoil("summeval.toml", "[thresholds.mean]\nfacet = 0.65", "corrected = 0.65")

    assert golden.mistake() == (
        "golden/summeval.toml:17: 'thresholds.corrected' is 0.65; write a table,"
        " [thresholds.corrected]"
    )

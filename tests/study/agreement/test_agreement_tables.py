from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from summeval_pytest.questions import FACETS
from summeval_pytest.study.agreement.agreement_tables import (
    item_table,
    level_table,
    matrix_tables,
    missing_lines,
    recorded_table,
    role_table,
    weights_lines,
)
from summeval_pytest.study.agreement.annotators import annotator_lines, annotators_in_short
from summeval_pytest.study.agreement.item_agreement import (
    Estimate,
    ItemAgreement,
    RoleAgreement,
    item_agreements,
)
from summeval_pytest.study.agreement.levels import LevelAgreement
from summeval_pytest.study.agreement.weights import FittedWeights
from summeval_pytest.text.table import table_lines
from tests.verdict.golden_answers import answered, golden

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from syrupy.assertion import SnapshotAssertion

    from summeval_pytest.study.agreement.agreement_tables import Matrix
    from summeval_pytest.study.agreement.annotators import Figures

NOTHING = Estimate(None, None, None)
LOW = Estimate(-0.1234, -0.5, -0.25)


def level(p_value: float | None = None) -> LevelAgreement:
    """Systems by three coefficients, one undefined."""
    return LevelAgreement(
        n=12345,
        estimates={"pearson": LOW, "spearman": NOTHING, "kendall": Estimate(0.8, None, None)},
        p_values={"pearson": p_value, "spearman": None, "kendall": p_value},
    )


def test_a_cell_is_as_wide_with_and_without_an_interval() -> None:
    """The next coefficient has to stand under its heading; what is undefined is a dash."""
    assert list(table_lines(level_table(None, {"FM": level(), "odd\x1b": level()}))) == [
        "          pairs  Pearson             Spearman            Kendall per paper",
        "FM       12,345  -0.123 [-.50,-.25]       -               0.800",
        "odd\\x1b  12,345  -0.123 [-.50,-.25]       -               0.800",
    ]


@pytest.mark.parametrize(
    ("p_value", "shown"),
    [(None, []), (1.0, ["1.00"]), (0.0833, [".083"]), (0.0004, ["<.001"]), (0.9996, ["1.00"])],
)
def test_a_p_value_stands_under_its_value(p_value: float | None, shown: list[str]) -> None:
    """It is never shown as 0: few systems are in order by luck now and then."""
    lines = list(table_lines(level_table("system", {"FM": level(p_value)})))
    assert lines[3].split() == shown * 2
    assert lines[-1].endswith("the systems that are as far from 0, on either side")


def matrix(names: Sequence[str], value: Callable[[int, int], float]) -> Matrix:
    """A matrix without intervals."""
    return {
        (a, b): Estimate(value(row, column))
        for row, a in enumerate(names)
        for column, b in enumerate(names)
    }


def test_no_line_is_wider_than_100_columns() -> None:
    """Also with long names, negative numbers, thousands of pairs and many columns."""
    name = "a metric with a name that nobody should have given it (recorded)"
    found = replace(level(0.0001), estimates=dict.fromkeys(level().estimates, LOW))
    names = tuple(f"{name} {n}" for n in range(30))
    items = item_agreements([golden(*(answered(f, 1, 1) for f in FACETS))])
    square = matrix(names, lambda *_: -0.987)
    tables = [
        level_table(None, {name: found}),
        level_table("paper", {name: found}),
        level_table("system", {name: found}),
        *matrix_tables("spearman", "system", names, square),
        item_table(items, FACETS),
        recorded_table({name: items}),
    ]
    weights = FittedWeights(weights=(0.1, 0.3, 0.3, 0.3), error=0.0, n_rows=12345)
    lines = [*(line for table in tables for line in table_lines(table)), *weights_lines(weights)]
    assert max(map(len, lines)) <= 100
    # Nothing was cut off and went on below.
    assert sum(line.strip().startswith("Pearson") or "Pearson " in line for line in lines) == 3


def test_a_wide_matrix_is_cut_into_blocks_that_lose_nothing() -> None:
    """Worked example: 16 columns make blocks of 11 and 5, and every number of the lower half."""
    n = 16
    names = tuple(f"m{place}" for place in range(n))
    found = matrix(names, lambda row, column: (max(row, column) * n + min(row, column)) / 1000)
    tables = matrix_tables("kendall", "paper", names, found)
    blocks = [list(table_lines(table)) for table in tables]
    (title, head, *first), (second_head, *second) = blocks
    assert title.startswith("Kendall of every two columns. Mean over papers")
    assert head.split() == [str(place) for place in range(1, 12)]
    assert second_head.split() == ["12", "13", "14", "15", "16"]
    assert second[-1].split() == ["16", "m15", ".25", ".25", ".25", ".25", ".26"]
    cells = [cell for line in first + second for cell in line.split() if cell.startswith(".")]
    assert len(cells) == n * (n + 1) // 2


def test_a_number_that_was_asked_for_and_not_given_is_reported() -> None:
    """A column that is short of pairs, or not there at all, must not look as if none was wanted."""
    pairs = [{"FM": "cut off"}, {}, {"FM": "refused", "EVA, one prompt": "no\x1b[1m prompt"}]
    assert list(missing_lines(pairs)) == [
        "FM: no number for 2 of 3 pairs, first: cut off",
        "EVA, one prompt: no number for 1 of 3 pairs, first: no\\x1b[1m prompt",
    ]


def test_roles_have_a_line_a_class_and_their_means_under_f1(snapshot: SnapshotAssertion) -> None:
    """Merged facets are named as they count, and what stands nowhere is said."""
    figures = {"precision": LOW, "recall": NOTHING, "F1": LOW}
    found = RoleAgreement(
        n_items=1205,
        n_nowhere=3,
        classes={"result or conclusion": ItemAgreement(n_items=1205, figures=figures)},
        macro_f1=LOW,
        accuracy=Estimate(0.5, 0.25, 0.75),
    )
    assert list(table_lines(role_table(found))) == snapshot


def kind(items: int, exact: float | None = None, **more: float) -> Figures:
    """The figures of one kind."""
    keys = ("kappa", "quadratic_kappa")
    counts = dict.fromkeys(("absent_to_one", "only_first", "only_second"), 0)
    return {"items": items, "exact": exact, **dict.fromkeys(keys), **counts, **more}


ANNOTATORS: Figures = {
    "pairs": {"first": 36, "second": 12, "both": 12},
    "kinds": {
        "result": kind(12, 0.75, kappa=0.5, quadratic_kappa=0.625, absent_to_one=1, only_first=24),
        "sentence": kind(70, 1.0, only_second=2),
        "candidate fact": kind(0, only_second=2),
    },
    "evidence": {"sentences": 60, "f1": 0.8125},
    "overall": {
        "pairs": 10, "mean_absolute_difference": 0.0625, "only_first": 1, "only_second": 0,
    },
}  # fmt: skip


def test_every_figure_of_two_annotators_stands_beside_what_it_stands_on(
    snapshot: SnapshotAssertion,
) -> None:
    """A kappa of twelve items is another thing than one of a thousand."""
    assert list(annotator_lines(ANNOTATORS, "a.jsonl", "b\x1b.jsonl")) == snapshot


def test_the_short_form_names_only_what_both_have() -> None:
    """It stands in a message; the kappa is the quadratic one where there is one."""
    assert annotators_in_short(ANNOTATORS) == (
        "result 0.750 exact, kappa 0.625 (n 12); sentence 1.000 exact, kappa - (n 70)"
    )
    assert annotators_in_short({**ANNOTATORS, "kinds": {}}) == "no item that both have labelled"

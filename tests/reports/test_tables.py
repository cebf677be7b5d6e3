from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from summeval_pytest.analysis.agreement import (
    ColumnAgreement,
    Correlations,
    Estimate,
    LevelAgreement,
)
from summeval_pytest.analysis.items import (
    ClassAgreement,
    Macro,
    RoleAgreement,
    SupportingFigures,
    item_agreements,
)
from summeval_pytest.questions import FACETS
from summeval_pytest.reports.tables import (
    column_table,
    estimate_cell,
    item_table,
    lacking_lines,
    level_table,
    matrix_table,
    recorded_table,
    role_table,
    roles_json,
    supporting_table,
    weights_lines,
)
from summeval_pytest.stats.matrices import FittedWeights, Matrix
from tests.verdict.golden_answers import answered, golden

if TYPE_CHECKING:
    from syrupy.assertion import SnapshotAssertion

NOTHING = Estimate(None, None, None)
LOW = Estimate(-0.1234, -0.5, -0.25)


@pytest.mark.parametrize(
    ("estimate", "cell"),
    [
        (Estimate(-0.1234, -0.5, 0.25), "-0.123 [-0.50, 0.25]"),
        (Estimate(0.8, None, None), " 0.800              "),
        (NOTHING, "     -              "),
    ],
)
def test_a_cell_is_as_wide_with_and_without_an_interval(estimate: Estimate, cell: str) -> None:
    """The next coefficient has to stand under its heading."""
    assert estimate_cell(estimate) == cell


@pytest.mark.parametrize(
    ("p_value", "shown"),
    [(None, ""), (1.0, " 1.00"), (0.0833, " .083"), (0.0004, " <.001"), (0.9996, " 1.00")],
)
def test_a_p_value_stands_behind_its_interval(p_value: float | None, shown: str) -> None:
    """It is never shown as 0: few systems are in order by luck now and then."""
    found = LevelAgreement(
        n=4,
        estimates={"pearson": LOW, "spearman": NOTHING, "kendall": LOW},
        p_values={"pearson": p_value, "spearman": None, "kendall": p_value},
    )
    *_, line, _ = level_table("system", {"FM": found})
    start = "FM                     4 -0.12 [-0.50,-0.25]"
    assert line.startswith(start + shown)
    assert line.endswith(f"    -                    -0.12 [-0.50,-0.25]{shown}")


def test_no_line_is_wider_than_100_columns() -> None:
    """Also with long names, negative numbers, thousands of pairs and many columns."""
    name = "a metric with a name that nobody should have given it (recorded)"
    found = ColumnAgreement(n_pairs=12345, pearson=LOW, spearman=LOW, kendall=LOW)
    level = LevelAgreement(
        n=12,
        estimates={"pearson": LOW, "spearman": LOW, "kendall": LOW},
        p_values={"pearson": 0.0001, "spearman": 0.0001, "kendall": 0.0001},
    )
    names = tuple(f"{name} {n}" for n in range(30))
    square = np.full((30, 30), -0.987)
    matrix = Matrix(values=square, lows=square, highs=square, n=np.ones((30, 30), dtype=np.int64))
    items = item_agreements([golden(*(answered(f, 1, 1) for f in FACETS))])
    weights = FittedWeights(weights=(0.1, 0.3, 0.3, 0.3), error=0.0, n_rows=12345)
    lines = [
        *column_table({name: found}),
        *level_table("pooled", {name: level}),
        *level_table("system", {name: level}),
        *matrix_table("spearman", "system", Correlations(names=names, matrix=matrix)),
        *item_table(items, FACETS),
        *recorded_table({name: items}),
        *weights_lines(weights),
    ]
    assert max(map(len, lines)) <= 100
    assert all(line == line.rstrip() for line in lines)


def test_a_wide_matrix_is_cut_into_blocks_that_lose_nothing() -> None:
    """Worked example: 16 columns make blocks of 14 and 2, and every number of the lower half."""
    n = 16
    values = np.arange(n * n).reshape(n, n) / 1000
    values = np.tril(values) + np.tril(values, -1).T
    matrix = Matrix(values=values, lows=values, highs=values, n=np.ones((n, n), dtype=np.int64))
    names = tuple(f"m{place}" for place in range(n))
    title, *lines = matrix_table("kendall", "paper", Correlations(names=names, matrix=matrix))
    assert title.startswith("Kendall of every two columns. Mean over papers")
    assert lines[0].split() == [str(place) for place in range(1, 15)]
    assert lines[17].split() == ["15", "16"]
    assert lines[-1].split() == ["16", "m15", ".25", ".26"]
    cells = [cell for line in lines for cell in line.split() if cell.startswith(".")]
    assert len(cells) == n * (n + 1) // 2


def test_a_number_that_was_asked_for_and_not_given_is_told(snapshot: SnapshotAssertion) -> None:
    """A column that is short of pairs, or not there at all, must not look as if none was wanted."""
    pairs = [{"FM": "cut off"}, {}, {"FM": "refused", "EVA, one prompt": "no\x1b[1m prompt"}]
    assert list(lacking_lines(pairs)) == snapshot


def test_roles_have_a_line_a_class_and_their_means_under_f1(snapshot: SnapshotAssertion) -> None:
    """Merged facets are named as they count, and what stands nowhere is said."""
    found = RoleAgreement(
        n_items=1205,
        n_nowhere=3,
        classes=(
            ClassAgreement(
                facets=("result", "conclusion"), n_items=1205, precision=LOW, recall=NOTHING, f1=LOW
            ),
        ),
        macro_f1=LOW,
        accuracy=Estimate(0.5, 0.25, 0.75),
    )
    head, of_class, macro, accuracy, nowhere = role_table(found)
    assert of_class == (
        "result or conclusion       1,205  -0.123 [-0.50,-0.25]      -               -0.123"
        " [-0.50,-0.25]"
    )
    assert macro.split() == ["macro", "F1", "1,205", "-0.123", "[-0.50,-0.25]"]
    assert macro.index("-0.123") == of_class.rindex("-0.123") == head.index("F1")
    assert accuracy.index("0.500") == macro.index("0.123")
    assert nowhere.endswith("3 stand in none and are wrong")
    assert roles_json(found) == snapshot


JUDGE = SupportingFigures(
    by="judge",
    part="all",
    n_instances=1305,
    n_papers=12,
    n_unanswered=0,
    precision=Estimate(0.73, 0.7, 0.76),
    recall=Estimate(0.556, 0.5, 0.6),
    f1=Estimate(0.6311, None, None),
    any_hit=Estimate(0.8, 0.75, 0.85),
    named_per_sentence=Estimate(1.0, 1.0, 1.0),
    macro=Macro(precision=0.7, recall=0.6, f1=0.62),
)
NONE = Estimate(None, None, None)


def test_a_block_for_each_part_with_a_line_for_each_finder(snapshot: SnapshotAssertion) -> None:
    """Worked example; a part that nobody was measured on has no block."""
    high = replace(JUDGE, by="BM25 top-1", part="high", n_instances=5)
    assert list(supporting_table([JUDGE, high])) == snapshot


def test_what_is_undefined_is_a_dash() -> None:
    """A judge without an answer has no figure, and no 0."""
    silent = replace(
        JUDGE, n_instances=0, precision=NONE, recall=NONE, f1=NONE, any_hit=NONE,
        named_per_sentence=NONE,
        macro=None,
    )  # fmt: skip
    (_, line, _) = supporting_table([silent])
    assert line.split() == ["judge", "0", "-", "-", "-", "-", "-", "-"]

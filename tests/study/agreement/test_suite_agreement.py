from __future__ import annotations

from dataclasses import replace

import pytest

from summeval_pytest.study.agreement.suite_agreement import (
    decision_tables,
    item_table,
    level_table,
    matrix_table,
    missing_lines,
    role_table,
)
from summeval_pytest.study.layout import table_lines
from summeval_pytest.study.tables import Estimate, Row, table_of
from tests.study.agreement.agreements import small_agreement

LOW = Estimate(-0.1234, -0.5, -0.25)


def test_a_cell_is_as_wide_with_and_without_an_interval() -> None:
    """The next coefficient has to stand under its heading; what is undefined is a dash."""
    row = {"n": 12345, "pearson": LOW, "spearman": Estimate(), "kendall": Estimate(0.8)}
    rows: list[Row] = [{"column": name, **row} for name in ("FM", "odd\x1b")]
    assert list(table_lines(level_table(None, rows))) == [
        "          pairs  Pearson             Spearman            Kendall per paper",
        "FM       12,345  -0.123 [-.50,-.25]       -               0.800",
        "odd\\x1b  12,345  -0.123 [-.50,-.25]       -               0.800",
    ]
    rows = [{**row, "p": {"pearson": 0.00004, "spearman": None, "kendall": 0.0833}} for row in rows]
    lines = list(table_lines(level_table("system", rows)))
    assert [line.split()[-3:] for line in lines if "FM" in line][-1][1:] == ["-", "0.0833"]


def test_counts_stand_under_estimates_and_names_are_cut_in_the_middle() -> None:
    """Long names of one suite mostly differ at one of their ends."""
    name = "a metric with a name that nobody should have given it (recorded)"
    rows: list[Row] = [{"column": name, "x": 1205}, {"column": "FM", "x": LOW}]
    assert list(table_lines(table_of("", rows, {"": "column", "head": "x"}))) == [
        "                           head",
        "a metric wit\u2026t (recorded)   1,205",
        "FM                         -0.123 [-.50,-.25]",
    ]


@pytest.mark.usefixtures("few_resamples")
def test_no_line_is_wider_than_100_columns() -> None:
    """Also with many columns and long names: a matrix goes on in a panel below."""
    found = small_agreement()
    columns = [f"a metric with a long name, number {n}" for n in range(30)]
    pairs = [
        replace(pair, columns={name: n * pair.columns["FM"] for n, name in enumerate(columns)})
        for pair in found.pairs
    ]
    found = replace(found, pairs=pairs, columns=tuple(columns), sizes=(2, 99))
    matrix = list(table_lines(matrix_table(found, "pooled", "pearson")))
    tables = [
        *decision_tables(found),
        level_table("system", found.at("system")),
        item_table(found.items, tuple(found.items)[:4]),
        role_table(found.roles),
    ]
    lines = [line for table in tables for line in table_lines(table)]
    assert max(map(len, [*lines, *matrix])) <= 100
    heads = [line.split() for line in matrix if line.replace(" ", "").isdigit()]
    assert [int(cell) for head in heads for cell in head] == [*range(1, 32)]
    assert "1.00" in matrix[4]


def test_a_column_without_subsets_of_papers_has_a_dash() -> None:
    """A number of few papers is decided on no larger set, and the table says so."""
    found = small_agreement()
    rows = [{**row, "subsets": []} for row in found.decisions]
    rows[0]["subsets"] = [{"n_papers": 2, "as_people": 0.5, "wrong": 0.125}]
    found.__dict__["decisions"] = rows
    *_, table = decision_tables(found)
    assert [row[1] for row in table.rows][:2] == [".50, wrong .125", "-"]


def test_a_number_that_was_asked_for_and_not_given_is_reported() -> None:
    """A column that is short of pairs, or not there at all, must not look as if none was wanted."""
    one, two, *_ = small_agreement().pairs
    pairs = [
        replace(one, missing={"FM": "cut off"}),
        replace(two, missing={"FM": "refused", "EVA, one prompt": "no\x1b[1m prompt"}),
    ]
    assert list(missing_lines(pairs)) == [
        "FM: no number for 2 of 2 pairs, first: cut off",
        "EVA, one prompt: no number for 1 of 2 pairs, first: no\\x1b[1m prompt",
    ]

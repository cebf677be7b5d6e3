from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from summeval_pytest.questions import FACETS
from summeval_pytest.study.agreement.suite_agreement import (
    decisions,
    fit_weights,
    fitted_weights,
    level_table,
    missing_lines,
)
from summeval_pytest.study.scholarsum import import_scholarsum
from summeval_pytest.study.tables import Estimate, Row, table_lines
from summeval_pytest.suite.suite import load_suite
from tests.study.agreement.agreements import label, small_agreement

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


@pytest.mark.parametrize(
    ("rows", "overall", "weights", "error"),
    [
        # One row a facet says its weight at once. The third row, which has only the second facet,
        # has that facet's share whatever it weighs: 1/2 against 1/4 leaves (1/4)^2 of one in three.
        ([(1, 0), (0, 1), (None, 0.5)], [0.2, 0.8, 0.25], (0.2, 0.8), 1 / 16 / 3),
        # y falls as the first facet rises; unheld the weights of y = 2 b - a would be -1 and 2.
        # Left over: (0 - 0)^2, (1 - 2)^2, (1 - 1)^2.
        ([(0, 0), (0, 1), (1, 1)], [0.0, 2.0, 1.0], (0.0, 1.0), 1 / 3),
        # Nothing is known of a facet that no row has; the others share all.
        ([(1, None, 0), (0, None, 1), (1, None, 1)], [0.25, 0.75, 1.0], (0.25, 0.0, 0.75), 0.0),
    ],
)
def test_fit_worked_examples(
    rows: list[tuple[float | None, ...]],
    overall: list[float],
    weights: tuple[float, ...],
    error: float,
) -> None:
    """Weights are not negative, sum to 1, and what they leave is told."""
    fitted, left = fit_weights(rows, overall)
    assert fitted == pytest.approx(weights, abs=1e-6)
    assert left == pytest.approx(error, abs=1e-6)


def test_weights_are_fitted_to_stated_overall_scores_only() -> None:
    """Worked example: background alone says .2, method alone .8 of what is asked.

    A label without an overall score would be fitted to the formula that made it; one that rates
    nothing explains nothing. Where labels are too few, the reason stands in place of the weights.
    """
    labels = [
        label(1 / 3 * 0.2 + 0.8, background=1, method=4),
        label(0.2 + 0.25 * 0.8, background=3, method=1),
        label(2 / 3 * 0.2 + 0.5 * 0.8, background=2, method=2),
        label(1.0, background=3, method=4, conclusion=None),
        label(None, background=1, method=1, result=1, conclusion=1),
        label(0.5),
    ]
    found = fitted_weights(labels)
    assert [found[facet] for facet in FACETS] == pytest.approx([0.2, 0.8, 0.0, 0.0], abs=1e-6)
    assert (found["pairs"], round(found["error"], 9)) == (4, 0.0)
    assert fitted_weights([label(0.5, background=1, method=1)])["reason"] == (
        "too few labels with facets and an overall score: 1; 4 weights need at least 4"
    )


def test_the_weights_of_fm_come_out_of_the_labels(tmp_path: Path, release_file: Path) -> None:
    """Oracle: .1, .3, .3, .3 and no error: the released overall scores are their mean (FM12)."""
    import_scholarsum(release_file, tmp_path / "suite")
    labels = load_suite(tmp_path / "suite").labels
    found = fitted_weights(labels.values())
    assert [found[facet] for facet in FACETS] == pytest.approx([0.1, 0.3, 0.3, 0.3], abs=1e-6)
    assert (found["pairs"], round(found["error"], 9)) == (300, 0.0)


def scores_of(**systems: list[float]) -> dict[str, dict[str, float]]:
    """By system, a number for each paper."""
    return {
        system: {f"p{place:02}": value for place, value in enumerate(values)}
        for system, values in systems.items()
    }


EXAMPLES: dict[str, tuple[dict[str, list[float]], dict[str, list[float]], Row]] = {
    "of three papers people rank two, and a tie of the number is half": (
        {"a": [3, 2, 1], "b": [1, 1, 1]},
        {"a": [0.9, 0.5, 0.1], "b": [0.2, 0.5, 0.9]},
        {"within": 0.75, "n_ranked": 2},
    ),
    "people prefer a to b and b to c, and the number exchanges b and c": (
        {"a": [3, 3.1] * 8, "b": [2, 2.2] * 8, "c": [1, 1.1] * 8},
        {"a": [0.9, 0.8] * 8, "b": [0.1, 0.2] * 8, "c": [0.5, 0.6] * 8},
        {"n_pairs": 3, "n_decided": 3, "n_same": 2, "n_wrong": 1},
    ),
    "the number varies more than it differs": (
        {"a": [3] * 16, "b": [1] * 16},
        {"a": [0.9, 0.2] * 8, "b": [0.1, 0.9] * 8},
        {"n_same": 1, "n_undecided": 1, "n_wrong": 0},
    ),
    "the number decides where people do not": (
        {"a": [2, 1] * 8, "b": [1, 2] * 8},
        {"a": [0.9] * 16, "b": [0.1] * 16},
        {"n_decided": 0, "n_alone": 1},
    ),
    "one paper with both numbers makes no pair of systems": (
        {"a": [3] * 4, "b": [1] * 4},
        {"a": [0.9], "b": [0.1, 0.2]},
        {"n_pairs": 0, "n_ranked": 1},
    ),
    "nobody ranks": (
        {"a": [1, 1], "b": [1, 1]},
        {"a": [1, 1], "b": [1, 1]},
        {"within": None, "n_decided": 0, "subsets": []},
    ),
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_decisions_worked_examples(name: str) -> None:
    """What a number decides beside people, on two summaries of a paper and on two systems."""
    human, number, expected = EXAMPLES[name]
    found = decisions(scores_of(**human), scores_of(**number), [2])
    found["within"] = found["within"].value
    assert {key: found[key] for key in expected} == expected

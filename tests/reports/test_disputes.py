from __future__ import annotations

import pytest

from summeval_pytest.judges.offline.conflicts import NOWHERE, Conflict, ConflictKind, in_conflict
from summeval_pytest.reports.page import marked_runs
from summeval_pytest.reports.page_pair import disputed

CRP = "CRP was 118 vs. 124 mg/L, not 1.118 or 118.5."


@pytest.mark.parametrize(
    ("conflict", "claim", "evidence", "figures", "partners"),
    [
        (("unit", "118 g/l", "118 mg/l"), CRP.replace("mg", "g"), CRP, ["118"], ["118"]),
        (("number", "67 %", "37 %"), "In 67% of 670 lakes.", "In 37 percent, or 37 %, of 670.",
         ["67%"], ["37 %"]),
        (("swap", "14.2 %", "21.8 %"), "From 14.2% to 21.8%.", "From 21.8% to 14.2%.",
         ["14.2%", "21.8%"], ["14.2%", "21.8%"]),
        (("direction", "increased", "decreased"), "Increased rain.", "Decreased rain.",
         ["Increased"], ["Decreased"]),
        (("number", "two", NOWHERE), "Two trials.", "", ["Two"], []),
        (("number", "9", "8"), "Nine trials.", "10 trials.", [], []),
    ],
)  # fmt: skip
def test_the_figures_of_a_conflict_are_found_as_they_are_written(
    conflict: tuple[ConflictKind, str, str],
    claim: str,
    evidence: str,
    figures: list[str],
    partners: list[str],
) -> None:
    """Reasons say numbers in one form; a reader looks for them in the sentence."""
    kind, says, instead = conflict
    reason = f"{Conflict(kind=kind, says=says, instead=instead).reason}; a reference states '9'"
    assert disputed(reason, claim, [evidence]) == (tuple(figures), tuple(partners))


@pytest.mark.parametrize(
    "reason", ["25% of its words found", "number: '9' against '8'", "It says '9' against '8'", ""]
)
def test_a_reason_without_a_conflict_marks_nothing(reason: str) -> None:
    """What an LLM writes names no conflict in these words."""
    assert in_conflict(reason) == ((), ())
    assert disputed(reason, "9 trials.", ["8 trials."]) == ()


def test_a_figure_is_marked_where_it_stands_by_itself() -> None:
    """118 is no part of 1.118, of 118.5 or of 2118."""
    text = "1.118, 118.5 and 2118; 118 of 118."
    assert list(marked_runs(text, ["118"])) == [
        ("1.118, 118.5 and 2118; ", False),
        ("118", True),
        (" of 118.", False),
    ]
    assert list(marked_runs("a x( b", ["x(", "c"])) == [("a ", False), ("x(", True), (" b", False)]
    assert list(marked_runs(text, [])) == [(text, False)]

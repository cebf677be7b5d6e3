"""What `summeval study` takes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from summeval_pytest.cli.terms import add_asking, add_judge, add_suite

if TYPE_CHECKING:
    import argparse

_ANALYSES: Final = (
    "systems, ratings, hallucination, judges, spread, effects, proportions, facts, associations and"
    " effort; and, without asking a judge, numbers, lengths, novelty, readability and popularity"
)
"""As `summeval_pytest.verdict.study.ANALYSES` has them, which loads numpy."""


def add_studying(parser: argparse.ArgumentParser) -> None:
    """The arguments of `summeval study`."""
    parser.description = (
        "Has judges judge all pairs of a suite and tells of its systems what the three papers tell"
        " of theirs, in tables, JSON and figures."
    )
    add_suite(parser)
    parser.add_argument(
        "--judge",
        action="append",
        default=[],
        metavar="NAME",
        help="who judges (repeat, or commas; default: offline); several make a heat map",
    )
    parser.add_argument(
        "--system",
        "--model",
        action="append",
        default=[],
        metavar="NAME",
        help="these systems (repeat, or commas; default: all of the suite)",
    )
    parser.add_argument(
        "--only",
        action="append",
        default=[],
        metavar="ANALYSIS",
        help=f"these analyses (repeat, or commas; default: all): {_ANALYSES}",
    )
    parser.add_argument(
        "--family",
        action="append",
        default=[],
        metavar="NAME=FAMILY",
        help="the family of a judge or system (default: the first letters of its model's name)",
    )
    parser.add_argument(
        "--familiar", type=Path, metavar="FILE", help="familiar words for Dale-Chall, one a line"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures here, too")
    parser.add_argument(
        "--figures", type=Path, metavar="DIR", help="draw SVG and PNG files into this folder"
    )
    add_judge(parser, with_name=False)
    add_asking(parser)

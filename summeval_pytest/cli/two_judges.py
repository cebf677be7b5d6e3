"""What the commands take that compare two judges: two saved runs, or two judges that are asked."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from summeval_pytest.cli.terms import add_asking, add_judge, add_suite, add_systems

if TYPE_CHECKING:
    import argparse


def add_drifting(parser: argparse.ArgumentParser) -> None:
    """The arguments of `summeval drift`."""
    parser.description = (
        "Compares the judge's golden answers in two run records, item by item. Exit code 1 where"
        " answers moved away from the labels by more than chance, or cannot be compared."
    )
    parser.add_argument("old", type=Path, metavar="OLD", help="the run record of before")
    parser.add_argument("new", type=Path, metavar="NEW", help="the run record of now")
    parser.add_argument(
        "--answers", type=int, default=10, metavar="N", help="show so many flips (default: 10)"
    )


def add_swapping(parser: argparse.ArgumentParser) -> None:
    """The arguments of `summeval swap`."""
    parser.description = (
        "Has two judges judge the same pairs: how they agree with each other and with the labels,"
        " which systems change places, and which thresholds pass the same share under the new one."
    )
    add_suite(parser)
    parser.add_argument(
        "--from", dest="old_judge", required=True, metavar="JUDGE", help="the judge of today"
    )
    parser.add_argument(
        "--to", dest="new_judge", required=True, metavar="JUDGE", help="the one in its place"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures here, too")
    add_systems(parser, "all of the suite")
    add_judge(parser, with_name=False)
    add_asking(parser)

"""What `summeval power` takes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse


def add_powering(parser: argparse.ArgumentParser) -> None:
    """The arguments of `summeval power`."""
    from summeval_pytest.cli.terms import add_asking, add_judge

    parser.add_argument("suite", type=Path, metavar="SUITE", help="a suite")
    parser.add_argument("--drop", type=float, required=True, metavar="D", help="the drop to show")
    parser.add_argument(
        "--metric", action="append", default=[], metavar="NAME", help="these numbers only"
    )
    parser.add_argument(
        "--level", type=float, default=0.05, metavar="P", help="level of the test (default: 0.05)"
    )
    parser.add_argument(
        "--power", type=float, default=0.8, metavar="P", help="chance to find it (default: 0.8)"
    )
    parser.add_argument(
        "--tests",
        type=int,
        default=7,
        metavar="N",
        help="how many numbers are tested together (default: 7, three metrics and four facets)",
    )
    add_judge(parser)
    add_asking(parser)

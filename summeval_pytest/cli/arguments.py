"""What the commands take: a line of help for each, and its arguments."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Final

from summeval_pytest.cli.agreeing_options import add_agreeing
from summeval_pytest.cli.evidence import add_evidence
from summeval_pytest.cli.importing import add_importing
from summeval_pytest.cli.labelling import add_labelling
from summeval_pytest.cli.study_options import add_studying
from summeval_pytest.cli.terms import add_asking, add_judge, add_store, add_suite, add_systems

if TYPE_CHECKING:
    from collections.abc import Callable


def parser() -> argparse.ArgumentParser:
    """The commands and their arguments."""
    top = argparse.ArgumentParser(
        prog="summeval",
        description="Suites for summarization gates: import them, measure judges against labels,"
        " plan and record what models are asked.",
    )
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, told, add in COMMANDS:
        add(commands.add_parser(name, help=told))
    return top


def _add_suite(parser: argparse.ArgumentParser) -> None:
    add_suite(parser)
    add_systems(parser)
    add_judge(parser)


def _add_cassettes(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    for name, told in (
        ("export", "write the stored replies that a run uses into the suite's cassette"),
        ("import", "put the cassette's replies into the local store"),
        ("prune", "remove the replies that a run does not use"),
        ("verify", "check that a run can be replayed, and what it leaves unused"),
    ):
        _add_suite(actions.add_parser(name, help=told))


def _add_batching(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    exporting = actions.add_parser("export", help="write the unanswered requests of the next round")
    _add_suite(exporting)
    exporting.add_argument(
        "--out", type=Path, required=True, metavar="FILE", help="the requests, in OpenAI's format"
    )
    exporting.add_argument(
        "--only", metavar="ENDPOINT", help="where requests go to several endpoints, those to this"
    )
    importing = actions.add_parser("import", help="store the replies of a responses file")
    importing.add_argument("file", type=Path, metavar="FILE", help="the responses")
    add_store(importing)


def _add_reporting(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("run", type=Path, metavar="RUN", help="a run record")
    parser.add_argument("--html", type=Path, metavar="FILE", help="write the page there")
    parser.add_argument("--junit", type=Path, metavar="FILE", help="write the JUnit report there")
    parser.add_argument(
        "--github",
        action="store_true",
        help="print annotations, and append the step summary to GITHUB_STEP_SUMMARY (else print)",
    )


def _add_comparing(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Compares two run records: systems, papers, and the judge's golden answers where both"
        " runs have them. Exit code 1 where a system breaks a rule or cannot be compared."
    )
    parser.add_argument("old", type=Path, metavar="OLD", help="the run record of the baseline")
    parser.add_argument("new", type=Path, metavar="NEW", help="the run record to compare with it")
    parser.add_argument("--system", metavar="NAME", help="this system of NEW (default: all)")
    parser.add_argument(
        "--against",
        metavar="NAME",
        help="with this system of OLD (default: that of the same name, else the only one)",
    )
    parser.add_argument(
        "--fail",
        action="append",
        default=[],
        metavar="RULE",
        help="exit 1 where a rule is broken, as --summ-compare-fail has them (default: p0.05)",
    )
    parser.add_argument(
        "--papers", type=int, default=10, metavar="N", help="tell of so many papers (default: 10)"
    )
    parser.add_argument(
        "--golden",
        action="store_true",
        help="compare golden answers only; exit 1 where they moved away from the labels by more"
        " than chance, or cannot be compared",
    )
    parser.add_argument(
        "--answers",
        type=int,
        default=10,
        metavar="N",
        help="tell of so many golden answers that flipped (default: 10)",
    )


def _add_rescoring(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("run", type=Path, metavar="RUN", help="a run record")
    parser.add_argument(
        "--min",
        "--summ-min",
        action="append",
        default=[],
        metavar="METRIC=VALUE",
        help="a threshold in place of the recorded one, e.g. facet=0.6 or mean.eva=0.4; at most,"
        " for faithfulness.conflicts=0",
    )
    parser.add_argument(
        "--weights",
        metavar="FACET=WEIGHT,...",
        help="weights of all four facets (default: those of the run)",
    )
    parser.add_argument("--record", type=Path, metavar="FILE", help="write the new record there")


def _add_powering(parser: argparse.ArgumentParser) -> None:
    add_suite(parser)
    parser.add_argument("--drop", type=float, required=True, metavar="D", help="the drop to show")
    parser.add_argument(
        "--metric", action="append", default=[], metavar="NAME", help="these numbers only"
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


def _add_starting(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "folder", type=Path, nargs="?", default=Path(), metavar="DIR", help="the repository"
    )
    parser.add_argument(
        "--testpaths",
        action="store_true",
        help="add the suite to 'testpaths' of pytest's configuration, so that plain pytest runs it",
    )


COMMANDS: Final[tuple[tuple[str, str, Callable[[argparse.ArgumentParser], None]], ...]] = (
    ("import", "make a suite from released data, or bring labels in", add_importing),
    ("label", "ask a person for labels", add_labelling),
    ("agree", "how every metric and baseline agrees with a suite's labels", add_agreeing),
    ("evidence", "how well evidence is found", add_evidence),
    ("plan", "what a run would ask and cost; asks nothing", _add_suite),
    ("cassette", "a suite's recorded replies", _add_cassettes),
    ("batch", "requests and replies as batch files", _add_batching),
    ("report", "make the reports of a saved run again", _add_reporting),
    ("compare", "what changed between two saved runs", _add_comparing),
    ("rescore", "decide a saved run again, with other thresholds", _add_rescoring),
    ("power", "how small a drop a suite's papers can show", _add_powering),
    ("study", "a suite's systems as tables and figures", add_studying),
    ("init", "write a suite and a GitHub workflow to start from", _add_starting),
)
"""In the order of ``summeval --help``: the command, its line there, and who adds its arguments."""

"""The command line: what it accepts, and who does it."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from summeval_pytest.cli.agreeing_options import add_agreeing, agree_as
from summeval_pytest.cli.power_options import add_powering
from summeval_pytest.cli.study_options import add_studying
from summeval_pytest.cli.two_judges import add_drifting, add_swapping
from summeval_pytest.errors import JudgeError, NoReplyError, UsageError
from summeval_pytest.text import safe

if TYPE_CHECKING:
    from collections.abc import Sequence

USAGE: Final = 4
"""Exit code of a usage error, as pytest has it."""
FAILED: Final = 1
INTERRUPTED: Final = 130
"""As shells have it for Ctrl-C."""


def parser() -> argparse.ArgumentParser:
    """The commands and their arguments."""
    from summeval_pytest.cli import evidence, importing, labelling
    from summeval_pytest.cli.equivalence import add_equivalence

    top = argparse.ArgumentParser(
        prog="summeval",
        description="Suites for summarization gates: import them, measure judges against labels,"
        " plan and record what models are asked.",
    )
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")
    importing.add_options(
        commands.add_parser("import", help="make a suite from released data, or bring labels in")
    )
    labelling.add_options(
        commands.add_parser("label", help="ask a person for labels, or compare two annotators")
    )
    add_agreeing(
        commands.add_parser(
            "agree", help="how every metric and baseline agrees with a suite's labels"
        )
    )
    evidence.add_evidence(commands.add_parser("evidence", help="how well evidence is found"))
    _add_planning(commands.add_parser("plan", help="what a run would ask and cost; asks nothing"))
    _add_cassettes(commands.add_parser("cassette", help="a suite's recorded replies"))
    _add_batching(commands.add_parser("batch", help="requests and replies as batch files"))
    _add_reporting(commands.add_parser("report", help="make the reports of a saved run again"))
    _add_comparing(commands.add_parser("compare", help="what changed between two saved runs"))
    add_drifting(commands.add_parser("drift", help="which golden answers flipped between two runs"))
    add_swapping(commands.add_parser("swap", help="what another judge in its place would change"))
    add_equivalence(commands.add_parser("equivalence", help="whether batching changes the answers"))
    _add_rescoring(
        commands.add_parser("rescore", help="decide a saved run again, with other thresholds")
    )
    add_powering(commands.add_parser("power", help="how small a drop a suite's papers can show"))
    add_studying(commands.add_parser("study", help="a suite's systems as tables and figures"))
    starting = commands.add_parser("init", help="write a suite and a GitHub workflow to start from")
    starting.add_argument(
        "folder", type=Path, nargs="?", default=Path(), metavar="DIR", help="the repository"
    )
    return top


def _add_suite(parser: argparse.ArgumentParser) -> None:
    from summeval_pytest.cli.terms import add_judge, add_systems

    parser.add_argument("suite", type=Path, metavar="SUITE", help="a suite")
    add_systems(parser)
    add_judge(parser)


def _add_planning(parser: argparse.ArgumentParser) -> None:
    _add_suite(parser)


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
    from summeval_pytest.cli.terms import add_store

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


def _add_rescoring(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("run", type=Path, metavar="RUN", help="a run record")
    parser.add_argument(
        "--min",
        "--summ-min",
        action="append",
        default=[],
        metavar="METRIC=VALUE",
        help="a threshold in place of the recorded one, e.g. facet=0.6 or mean.eva=0.4",
    )
    parser.add_argument(
        "--weights",
        metavar="FACET=WEIGHT,...",
        help="weights of all four facets (default: those of the run)",
    )
    parser.add_argument("--record", type=Path, metavar="FILE", help="write the new record there")
    parser.add_argument(
        "--sweep", type=Path, metavar="OTHER", help="which thresholds separate RUN from OTHER"
    )


def _run(chosen: argparse.Namespace) -> tuple[list[str], bool]:
    """Has the one do the work who can; what it says, and whether what it decides passes."""
    if any(":" in str(vars(chosen).get(name)) for name in ("judge", "old_judge", "new_judge")):
        sys.path.insert(0, "")  # a judge of one's own may stand in this folder
    match chosen.command:
        case "compare" | "drift" | "equivalence" | "rescore":
            return _decided(chosen)
        case "report":
            from summeval_pytest.cli.reporting import report

            return report(chosen), True
        case "init":
            from summeval_pytest.cli.starting import init

            return init(chosen.folder), True
        case "import" | "label":
            return _labelling(chosen), True
        case "study":
            from summeval_pytest.cli.studying import study

            return study(chosen), True
        case _:
            return getattr(chosen, "answered_by", _asking)(chosen), True


def _decided(chosen: argparse.Namespace) -> tuple[list[str], bool]:
    """The commands whose exit code decides."""
    match chosen.command:
        case "equivalence":
            from summeval_pytest.cli.equivalence import equivalence_of

            return equivalence_of(chosen)
        case "compare":
            from summeval_pytest.cli.comparing import compare_runs

            return compare_runs(chosen)
        case "drift":
            from summeval_pytest.cli.drifting import drift_of

            return drift_of(chosen)
        case _:
            from summeval_pytest.cli.rescoring import rescore_run

            return rescore_run(chosen)


def _labelling(chosen: argparse.Namespace) -> list[str]:
    """The commands that bring labels, with a suite or into one; no judge is asked."""
    if chosen.command == "import":
        from summeval_pytest.cli.importing import run_import

        return run_import(chosen)
    from summeval_pytest.cli.labelling import label

    return label(chosen)


def _asking(chosen: argparse.Namespace) -> list[str]:
    """The commands that know a suite, and may ask a judge."""
    match chosen.command:
        case "agree":
            return agree_as(chosen)
        case "swap":
            from summeval_pytest.cli.swapping import swap

            return swap(chosen)
        case "plan":
            from summeval_pytest.cli.planning import plan

            return plan(chosen)
        case "power":
            from summeval_pytest.cli.powering import power_of

            return power_of(chosen)
        case "cassette":
            from summeval_pytest.cli import cassettes

            actions = {
                "export": cassettes.export,
                "import": cassettes.import_,
                "prune": cassettes.prune,
                "verify": cassettes.verify,
            }
            return actions[chosen.action](chosen)
        case _:
            from summeval_pytest.cli import batching

            return (batching.export if chosen.action == "export" else batching.import_)(chosen)


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command and returns its exit code."""
    chosen = parser().parse_args(arguments)
    try:
        lines, passes = _run(chosen)
    except (UsageError, JudgeError, NoReplyError) as error:
        sys.stderr.write(f"summeval: error: {safe(str(error))}\n")
        return USAGE if isinstance(error, UsageError) else FAILED
    except KeyboardInterrupt:
        sys.stderr.write("summeval: interrupted; what was answered is kept\n")
        return INTERRUPTED
    try:
        sys.stdout.write("\n".join(lines) + "\n")
        sys.stdout.flush()
    except OSError as error:
        # Python flushes once more at its end, which must not fail again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(error, BrokenPipeError):  # who closes a pipe has read enough
            sys.stderr.write(
                f"summeval: error: the output cannot be written, {error.strerror}; make room, or"
                " name another file behind '>'\n"
            )
            return USAGE
    return 0 if passes else FAILED


if __name__ == "__main__":
    sys.exit(main())

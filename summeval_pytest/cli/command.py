"""The command line: what it accepts, and who does it."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from summeval_pytest.errors import JudgeError, UsageError
from summeval_pytest.text import safe

if TYPE_CHECKING:
    from collections.abc import Sequence

USAGE: Final = 4
"""Exit code of a usage error, as pytest has it."""
FAILED: Final = 1


def parser() -> argparse.ArgumentParser:
    """The commands and their arguments."""
    top = argparse.ArgumentParser(
        prog="summeval",
        description="Suites for summarization gates: import them, measure judges against labels.",
    )
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")
    importing = commands.add_parser("import", help="make a suite from released data")
    importing.add_argument("format", choices=["scholarsum"], help="what FILE is")
    importing.add_argument("file", type=Path, metavar="FILE", help="the released file, unchanged")
    importing.add_argument("--out", type=Path, required=True, metavar="DIR", help="the new suite")
    agreeing = commands.add_parser(
        "agree", help="how every metric and baseline agrees with a suite's labels"
    )
    agreeing.add_argument("suite", type=Path, metavar="SUITE", help="a suite with labels")
    agreeing.add_argument(
        "--judge", default="offline", metavar="NAME", help="who judges (default: offline)"
    )
    agreeing.add_argument("--json", type=Path, metavar="FILE", help="write the figures here, too")
    return top


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command and returns its exit code."""
    chosen = parser().parse_args(arguments)
    try:
        match chosen.command:
            case "import":
                from summeval_pytest.cli.importing import import_suite

                lines = import_suite(chosen.file, chosen.out)
            case _:
                from summeval_pytest.cli.agreeing import agree

                if ":" in chosen.judge:
                    sys.path.insert(0, "")  # a judge of one's own may stand in this folder
                lines = agree(chosen.suite, judge_name=chosen.judge, json_file=chosen.json)
    except (UsageError, JudgeError) as error:
        sys.stderr.write(f"summeval: error: {safe(str(error))}\n")
        return USAGE if isinstance(error, UsageError) else FAILED
    sys.stdout.write("\n".join(lines) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())

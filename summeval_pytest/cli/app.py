"""The command line: who does what a command asks for, and how it ends."""

from __future__ import annotations

import os
import sys
from pkgutil import resolve_name
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, cast

from summeval_pytest.errors import JudgeError, NoReplyError, UsageError
from summeval_pytest.text.printing import safe

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Mapping, Sequence

    Said = list[str] | tuple[list[str], bool]
    """The lines; and whether what is decided passes, of a command that decides something."""


USAGE: Final = 4
"""Exit code of a usage error, as pytest has it."""
FAILED: Final = 1
INTERRUPTED: Final = 130
"""As shells have it for Ctrl-C."""

DONE_BY: Final[Mapping[str, str]] = MappingProxyType(
    {
        "agree": "arguments:agree_as",
        "batch export": "recordings:batching_export",
        "batch import": "recordings:batching_import_",
        "cassette export": "recordings:export",
        "cassette import": "recordings:import_",
        "cassette prune": "recordings:prune",
        "cassette verify": "recordings:verify",
        "compare": "runs:compare_runs",
        "evidence": "arguments:evidence",
        "import": "arguments:run_import",
        "init": "runs:run_init",
        "label": "label:label",
        "plan": "runs:plan",
        "power": "runs:power_of",
        "report": "runs:report",
        "rescore": "runs:rescore_run",
        "study": "study:study",
    }
)
"""By command, with its action where it has some: the module here, and its function of the
arguments; loaded when it is wanted."""


def _run(chosen: argparse.Namespace) -> tuple[list[str], bool]:
    """Has the one do the work who can; what it says, and whether what it decides passes."""
    if ":" in str(vars(chosen).get("judge")):
        sys.path.insert(0, "")  # a judge of one's own may stand in this folder
    command = " ".join(filter(None, (chosen.command, getattr(chosen, "action", None))))
    do = cast(
        "Callable[[argparse.Namespace], Said]",
        resolve_name(f"{__package__}.{DONE_BY[command]}"),
    )
    said = do(chosen)
    return said if isinstance(said, tuple) else (said, True)


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command and returns its exit code."""
    from summeval_pytest.cli.arguments import parser

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

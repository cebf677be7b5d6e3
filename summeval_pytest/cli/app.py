"""The command line: all commands, and their exit codes.

A command returns its lines. It raises a `UsageError` for what the user has to mend, a `JudgeError`
for a judge that breaks its contract, and a `NoReplyError` where an endpoint gives no summary.
"""

from __future__ import annotations

import io
import os
import shlex
import sys
from collections.abc import Sequence
from importlib.metadata import version
from typing import Final, cast

from cyclopts import App, CycloptsError, Parameter

from summeval_pytest.errors import JudgeError, NoReplyError, UsageError
from summeval_pytest.text.printing import safe

Output = list[str] | tuple[list[str], bool] | None
"""The lines, and whether the decision passes where there is one; None for help and version."""

USAGE: Final = 4
"""Exit code of a usage error, as pytest has it."""
FAILED: Final = 1
INTERRUPTED: Final = 130
"""As shells have it for Ctrl-C."""
HELP: Final = frozenset({"--help", "-h", "--version"})

GROUPS: Final = {
    "cassette": "a suite's recorded replies",
    "batch": "requests and replies as batch files",
}
COMMANDS: Final = (
    ("import", "desk.imports:run_import",
     "make a suite from released data or a table, or import labels"),
    ("label", "desk.label:label", "ask a person for labels"),
    ("agree", "study.agree:agree",
     "measure how metrics, baselines, evidence and annotators agree with a suite's labels"),
    ("plan", "runs:plan", "show what a run would ask and cost; ask nothing"),
    ("cassette export", "recordings:export",
     "write the stored replies that a run uses into the suite's cassette"),
    ("cassette import", "recordings:import_", "put the cassette's replies into the local store"),
    ("batch export", "scale.batches:export_requests",
     "write the unanswered requests as a batch file"),
    ("batch import", "scale.batches:import_replies", "store the replies of a batch file"),
    ("judge", "scale.command:judge",
     "judge a suite's pairs without pytest, in many processes or on Dask"),
    ("merge", "scale.merging:merge",
     "compute a run's verdict from its shards; exit codes as for pytest SUITE"),
    ("report", "runs:report",
     "write the reports of a saved run again; exit code 1 if the run does not pass"),
    ("compare", "runs:compare_runs",
     "show what changed between two saved runs; exit code 1 if NEW fails or breaks a rule"),
    ("thresholds", "recommend:thresholds",
     "show what thresholds stop and cost on a run, and which ones its labels choose"),
    ("history", "desk.history:history",
     "show the means of saved runs in order, and where judge, papers or metrics changed"),
    ("noise", "desk.noise:noise", "ask a judge again, and count the decisions that change"),
    ("power", "desk.noise:power_of",
     "show the chance that an equally good release passes, and how many papers you need"),
    ("probe", "study.probe:probe", "try a judge with edited texts whose effect is known"),
    ("study", "study.study:study", "make the papers' tables and figures for a suite's systems"),
    ("init", "desk.init:init", "write a suite and its CI, from your papers or a sample"),
)  # fmt: skip
"""The command, the module here or in an annex with its function, loaded when wanted, and help."""


def make_app() -> App:
    """The app with all commands; a command's module loads when it is called."""
    top = App(
        name="summeval",
        help="Suites for summarization gates: import them, measure judges against labels, plan and"
        " record what models are asked.",
        version=lambda: f"summeval-pytest {version('summeval-pytest')}",
        help_format="markdown",
        result_action="return_value",
        suppress_keyboard_interrupt=False,
        default_parameter=Parameter(
            negative=(), show_default=lambda value: str(value or "") or None
        ),
    )
    groups = {name: App(name=name, help=text, version_flags=()) for name, text in GROUPS.items()}
    for group in groups.values():
        top.command(group)
    for command, function, text in COMMANDS:
        *group_name, name = command.split()
        app = groups[group_name[0]] if group_name else top
        package = "summeval_pytest" if "." in function.partition(":")[0] else __package__
        app.command(f"{package}.{function}", name=name, help=text, version_flags=())
    return top


def _run(arguments: Sequence[str]) -> tuple[list[str], bool]:
    """The lines of the command, and whether its decision passes."""
    try:
        output = cast("Output", make_app()(arguments, exit_on_error=False, print_error=False))
    except CycloptsError as error:
        raise UsageError(str(error)) from None
    if output is None and HELP.isdisjoint(arguments):
        raise UsageError("name a command, as the help above lists them")
    return output if isinstance(output, tuple) else (output or [], True)


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command and returns its exit code."""
    typed = sys.argv[1:] if arguments is None else arguments
    try:
        lines, passes = _run(typed)
    except (UsageError, JudgeError, NoReplyError) as error:
        text = str(error)
        if isinstance(error, UsageError) and error.add:
            text += f"\n  {shlex.join(['summeval', *typed, *error.add])}"
        sys.stderr.write(f"summeval: error: {safe(text)}\n")
        return USAGE if isinstance(error, UsageError) else FAILED
    except KeyboardInterrupt as error:
        sys.stderr.write(f"summeval: interrupted; {str(error) or 'what was answered is kept'}\n")
        return INTERRUPTED
    if isinstance(sys.stdout, io.TextIOWrapper):  # a terminal of another encoding than UTF-8
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        sys.stdout.writelines(f"{line}\n" for line in lines)
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

"""The command line: the commands, and how each ends."""

from __future__ import annotations

import os
import sys
from importlib.metadata import version
from typing import TYPE_CHECKING, Final, Literal, cast

from cyclopts import App, CycloptsError, Parameter

from summeval_pytest.errors import JudgeError, NoReplyError, UsageError
from summeval_pytest.text.printing import safe

if TYPE_CHECKING:
    from collections.abc import Sequence

    Said = list[str] | tuple[list[str], bool] | None
    """The lines; and whether what is decided passes, of a command that decides something. None
    where help or the version was printed."""


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
    (
        "import",
        "imports:run_import",
        "make a suite from released data or a table, or import labels",
    ),
    ("label", "label:label", "ask a person for labels"),
    (
        "agree",
        "study.agree:agree",
        "measure how metrics, baselines, evidence and annotators agree with a suite's labels",
    ),
    ("plan", "runs:plan", "show what a run would ask and cost; ask nothing"),
    (
        "cassette export",
        "recordings:export",
        "write the stored replies that a run uses into the suite's cassette",
    ),
    ("cassette import", "recordings:import_", "put the cassette's replies into the local store"),
    ("cassette prune", "recordings:prune", "remove the replies that a run does not use"),
    (
        "cassette verify",
        "recordings:verify",
        "check that a run can be replayed, and list unused replies",
    ),
    (
        "batch export",
        "recordings:export_requests",
        "write the unanswered requests as a batch file",
    ),
    ("batch import", "recordings:import_replies", "store the replies of a batch file"),
    (
        "judge",
        "scale.command:judge",
        "judge a suite's pairs without pytest, in many processes or on Dask",
    ),
    ("merge", "runs:merge", "decide a run from its shards; exit codes as for pytest SUITE"),
    (
        "report",
        "runs:report",
        "write the reports of a saved run again; exit code 1 if the run does not pass",
    ),
    (
        "compare",
        "runs:compare_runs",
        "show what changed between two saved runs; exit code 1 if NEW fails or breaks a rule",
    ),
    (
        "rescore",
        "runs:rescore_run",
        "decide a saved run again with other thresholds; exit code 1 if it does not pass",
    ),
    ("power", "runs:power_of", "show how small a drop a suite's papers can detect"),
    ("probe", "study.probe:probe", "try a judge with edited texts whose effect is known"),
    ("study", "study.study:study", "make the papers' tables and figures for a suite's systems"),
    ("init", "init:init", "write a suite and its CI, from your papers or a sample"),
    ("completion", "app:completion", "print the completion script for a shell"),
)
"""The command, the module here or in an annex with its function, loaded when wanted, and help."""


def _shown_default(value: object) -> str | None:
    """A default as help states it; none where an option is off or not given."""
    return str(value) if value else None


def make_app() -> App:
    """The commands, none of them loaded yet."""
    top = App(
        name="summeval",
        help="Suites for summarization gates: import them, measure judges against labels, plan and"
        " record what models are asked.",
        version=lambda: f"summeval-pytest {version('summeval-pytest')}",
        help_format="plaintext",
        result_action="return_value",
        suppress_keyboard_interrupt=False,
        default_parameter=Parameter(negative=(), show_default=_shown_default),
    )
    groups = {name: App(name=name, help=told, version_flags=()) for name, told in GROUPS.items()}
    for group in groups.values():
        top.command(group)
    for command, function, told in COMMANDS:
        *group_name, name = command.split()
        app = groups[group_name[0]] if group_name else top
        package = "summeval_pytest" if function.startswith(("study.", "scale.")) else __package__
        app.command(f"{package}.{function}", name=name, help=told, version_flags=())
    return top


def completion(shell: Literal["bash", "fish", "powershell", "zsh"], /) -> list[str]:
    """Print a shell's completion script, as `eval "$(summeval completion bash)"` reads it."""
    return make_app().generate_completion(shell=shell).splitlines()


def _run(arguments: Sequence[str]) -> tuple[list[str], bool]:
    """The lines of the command, and whether what it decides passes.

    Raises:
        UsageError: for arguments that no command takes.
    """
    try:
        said = cast("Said", make_app()(arguments, exit_on_error=False, print_error=False))
    except CycloptsError as error:
        raise UsageError(str(error)) from None
    if said is None and HELP.isdisjoint(arguments):
        raise UsageError("name a command, as the help above lists them")
    if said is None:
        return [], True
    return said if isinstance(said, tuple) else (said, True)


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command and returns its exit code."""
    try:
        lines, passes = _run(sys.argv[1:] if arguments is None else arguments)
    except (UsageError, JudgeError, NoReplyError) as error:
        sys.stderr.write(f"summeval: error: {safe(str(error))}\n")
        return USAGE if isinstance(error, UsageError) else FAILED
    except KeyboardInterrupt as error:
        sys.stderr.write(f"summeval: interrupted; {str(error) or 'what was answered is kept'}\n")
        return INTERRUPTED
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

"""Options and steps that commands share.

An option of pytest's can also be spelt as pytest spells it, so that the advice of a message fits
both.
"""

from __future__ import annotations

import inspect
import json
import sys
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import asdict
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, Final, ParamSpec, TypeVar, get_type_hints

from cyclopts import Parameter, Token

from summeval_pytest.errors import OptionError, nearest
from summeval_pytest.metrics.catalogue import METRICS
from summeval_pytest.metrics.number import MetricName
from summeval_pytest.options import (
    TABLE,
    Option,
    Options,
    in_environment,
    read_whole,
)
from summeval_pytest.run.session import Session, session_here
from summeval_pytest.suite.suite import Suite, load_suite

P = ParamSpec("P")
R = TypeVar("R")

ENDPOINTS: Final = ("endpoint", "allow_endpoints", "votes", "store")
ASKING: Final = ("record", "in_flight", "budget")
GATED: Final = ("allow_outside", "model", "min", "judge", *ENDPOINTS)
"""The options that decide what a run asks, and whom."""
JUDGING: Final = ("allow_outside", "judge", *ENDPOINTS, *ASKING)
"""The options of a command that has a judge answer, and gates nothing."""
REPORT_FILES: Final = tuple(
    option.name for option in TABLE.values() if option.is_report and option.name != "run_record"
)
"""The reports of a run that is recorded already."""
_TYPES: Final = get_type_hints(Options)

JsonFile = Annotated[
    Path | None, Parameter(name="--json", help="also write the figures to this file")
]


def with_options(*names: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Gives a command these options of the table; its argument `options` has their values.

    An option that is not typed has the value of its variable. A report has to be typed: a CI job
    that names pytest's reports by variables would have `summeval report` replace them.
    """
    variables = [name for name in names if not TABLE[name].is_report]

    def decorate(command: Callable[P, R]) -> Callable[P, R]:
        @wraps(command)
        def run(*arguments: Any, **given: Any) -> Any:
            if "options" not in given:
                typed = {name: given.pop(name) for name in names if name in given}
                others = in_environment(name for name in variables if name not in typed)
                given["options"] = Options(**others, **typed)
            return command(*arguments, **given)

        own = dict(inspect.signature(command, eval_str=True).parameters)
        del own["options"]
        parameters = [*own.values(), *(_parameter(TABLE[name]) for name in names)]
        run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]  # cyclopts reads it
        run.__annotations__ = {each.name: each.annotation for each in parameters}
        return run

    return decorate


def _parameter(option: Option) -> inspect.Parameter:
    """An option as a command's parameter."""

    def value(_: object, tokens: Sequence[Token]) -> object:
        return option.value([token.value for token in tokens])

    about = f"{option.help}; repeat, or use commas" if option.is_list else option.help
    parameter = Parameter(
        name=[option.short_flag, option.flag],
        metavar=option.metavar or None,
        help=about if option.is_report else f"{about}; environment {option.variable}",
        show_default=False,
        converter=value,
    )
    return inspect.Parameter(
        option.name,
        inspect.Parameter.KEYWORD_ONLY,
        default=option.default,
        annotation=Annotated[_TYPES[option.name], parameter],
    )


def whole_number(_: object, tokens: Sequence[Token]) -> int:
    """A command's own number, 1 or more, of up to six digits; a ValueError for anything else."""
    text = tokens[0].value
    try:
        number: int = read_whole(text)
    except ValueError as error:
        raise ValueError(f"{text!r:.60} is {error}") from None
    return number


def session_of(options: Options) -> Session:
    """The session for the options of a command; it finds a custom judge in this folder."""
    session = session_here(**asdict(options))
    find_own_judges(session.terms.judge_name)
    return session


def opened(suite: Path, options: Options) -> tuple[Suite, Session]:
    """The suite, and a session with its cassette."""
    session = session_of(options)
    loaded = load_suite(suite, allow_outside=options.allow_outside)
    session.replies.add_cassette(loaded)
    return loaded, session


def find_own_judges(*names: str) -> None:
    """Lets Python find custom judges, as ``module:name``, in this folder."""
    if any(":" in name for name in names):
        sys.path.insert(0, "")


METRICS_OPTION: Final = Parameter(
    name="--metrics", help="these metrics only (repeat, or commas; default: all three)"
)


def metrics_in(values: Sequence[str]) -> tuple[MetricName, ...]:
    """The metrics that ``--metrics`` names; all of them where it names none."""
    names = names_in(values, "--metrics", METRICS, "no metric")
    return tuple(metric for metric in METRICS if metric in names) or METRICS


def check_writable(file: Path, option: str, read: Path | None = None) -> None:
    """Refuses a file that cannot be written, or is ``read``, before anything is done for it."""
    from summeval_pytest.reports.files import unwritable

    if fault := unwritable(file):
        raise OptionError(f"{option}={file}: cannot be written, {fault}; name another file")
    if read is not None and file.resolve() == read.resolve():
        raise OptionError(f"{option}={file}: the command reads that file; name another one")


def make_folder(folder: Path, option: str) -> None:
    """Makes the folder that an option names, if it is missing."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OptionError(
            f"{option}={folder}: no folder can be made there, {error.strerror}; name another"
        ) from None


def write_figures(file: Path, option: str, figures: object) -> None:
    """Writes what a command has found as indented JSON."""
    from summeval_pytest.record.record_file import as_json

    write_text(file, option, json.dumps(json.loads(as_json(figures)), indent=2) + "\n")


def write_text(file: Path, option: str, text: str | Iterable[str]) -> None:
    """Writes the file that an option names."""
    from summeval_pytest.reports.files import write_whole

    if fault := write_whole(file, text):
        raise OptionError(f"{option}={file}: {fault}")


def names_in(
    values: Sequence[str], option: str, known: Collection[str] = (), unknown: str = ""
) -> list[str]:
    """The names of an option that may be repeated, or hold commas, each once.

    ``unknown`` says what a name is that is none of the ``known`` ones; without these any will do.
    """
    parts = (part for value in values for part in ([value] if value in known else value.split(",")))
    names = list(dict.fromkeys(filter(None, parts)))
    if values and not names:
        raise OptionError(f"{option}={values[0]}: names nothing; write a name, or leave it out")
    for name in names if known else ():
        if name not in known:
            raise OptionError(f"{option}={name}: {unknown}; {nearest(name, known)}")
    return names


def shortened(lines: Sequence[str], most: int) -> list[str]:
    """The first lines, and how many more there are."""
    return [*lines[:most], *([f"and {len(lines) - most:,} more"] if len(lines) > most else [])]

"""Options and steps that commands share.

An option of pytest's can also be spelt as pytest spells it, so that the advice of a message fits
both.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

from cyclopts import Parameter, Token

from summeval_pytest.endpoints.endpoint import ALLOW
from summeval_pytest.endpoints.exchange import Record
from summeval_pytest.errors import OptionError, Place, SuiteError, nearest
from summeval_pytest.metrics.catalogue import METRICS
from summeval_pytest.metrics.number import MetricName
from summeval_pytest.run.session import IN_FLIGHT, Session, session_here
from summeval_pytest.suite.places import suite_meant
from summeval_pytest.suite.suite import Suite, load_suite
from summeval_pytest.text.printing import one_line

if TYPE_CHECKING:
    from summeval_pytest.record.gated_suite import GatedSuite

_DIGITS: Final = 6


def whole_number(_: object, tokens: Sequence[Token]) -> int:
    """An option's number, 1 or more, of up to six digits; a ValueError for anything else."""
    text = tokens[0].value
    if not (text.isascii() and text.isdecimal() and len(text) <= _DIGITS and int(text)):
        raise ValueError(f"{one_line(text, 60)!r} is no whole number from 1 to {'9' * _DIGITS}")
    return int(text)


def dollars(_: object, tokens: Sequence[Token]) -> float:
    """An option's number of dollars, finite and at least 0; a ValueError for anything else."""
    text = tokens[0].value
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0.0 <= number < float("inf"):
        raise ValueError(f"{one_line(text, 60)!r} is not a number of dollars of at least 0")
    return number


def shared(name: str, read: Callable[..., float] | None = None) -> Parameter:
    """An option that pytest also has, as ``--summ-NAME``."""
    return Parameter(name=[f"--{name}", f"--summ-{name}"], converter=read)


AllowOutside = Annotated[
    bool,
    shared("allow-outside"),
    Parameter(help="let the suite name files outside its folder (default: SUMM_ALLOW_OUTSIDE)"),
]
JudgeName = Annotated[str, Parameter(name="--judge", help="the judge")]
JsonFile = Annotated[
    Path | None, Parameter(name="--json", help="also write the figures to this file")
]
StoreOption = Annotated[
    str | None,
    shared("store"),
    Parameter(
        help="store replies in this folder, or at this PostgreSQL address (default: SUMM_STORE,"
        " else the user's cache folder)"
    ),
]


@Parameter(name="*")
@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoints:
    """Where models are, and where their replies are remembered.

    Attributes:
        endpoint: name or URL of the endpoint of models that the suite does not define (default:
            SUMM_ENDPOINT, else OPENAI_BASE_URL, else Ollama for systems and OpenAI for judges)
        allow_endpoints: [NAME=]ORIGIN: let the suite send the key in the variable NAME to this
            server, or without NAME any that it names (repeat, or commas; default:
            SUMM_ALLOW_ENDPOINTS)
        votes: how often each question is asked
    """

    endpoint: Annotated[str | None, shared("endpoint")] = None
    allow_endpoints: Annotated[tuple[str, ...], shared("allow-endpoints")] = ()
    votes: Annotated[int | None, shared("votes", whole_number)] = None
    store: StoreOption = None


@Parameter(name="*")
@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """How requests are sent.

    Attributes:
        record: 'none' replays the suite's cassette, 'new' asks only what has no stored reply, 'all'
            asks everything again
        in_flight: the maximum number of open requests
        budget: never spend more than this, in dollars
    """

    record: Annotated[Record, shared("record")] = "new"
    in_flight: Annotated[int, shared("in-flight", whole_number)] = IN_FLIGHT
    budget: Annotated[float | None, shared("budget", dollars)] = None


@Parameter(name="*")
@dataclass(frozen=True, slots=True, kw_only=True)
class Gated:
    """The options that decide what a run asks, and whom.

    Attributes:
        model: these systems (repeat, or commas; default: the suite's default_systems, else all)
        least: METRIC=VALUE: a threshold, as for pytest
    """

    allow_outside: AllowOutside = False
    model: Annotated[tuple[str, ...], shared("model")] = ()
    least: Annotated[tuple[str, ...], shared("min")] = ()
    judge: JudgeName = "offline"
    endpoints: Endpoints = Endpoints()


@Parameter(name="*")
@dataclass(frozen=True, slots=True, kw_only=True)
class Judging:
    """The options of a command that has a judge answer, and gates nothing."""

    allow_outside: AllowOutside = False
    judge: JudgeName = "offline"
    endpoints: Endpoints = Endpoints()
    asking: Asking = Asking()

    def open(self, suite: Path) -> tuple[Suite, Session]:
        """The suite, and a session with its cassette."""
        find_own_judges(self.judge)
        loaded = suite_of(suite, allow_outside=self.allow_outside)
        session = session_of(self.endpoints, self.asking)
        session.replies.add_cassette(loaded)
        return loaded, session


def suite_of(suite: Path, *, allow_outside: bool) -> Suite:
    """The suite of a command."""
    return load_suite(_here(suite), allow_outside=is_outside_allowed(allow_outside=allow_outside))


def _here(suite: Path) -> Path:
    """The suite's file or folder; where another folder has it, a SuiteError says which."""
    if not suite.exists() and (meant := suite_meant(Path.cwd(), str(suite), is_sure=True)):
        message = f"it is not in this folder; name the suite as {meant}"
        raise SuiteError(Place(suite.as_posix()), message)
    return suite


def is_outside_allowed(*, allow_outside: bool) -> bool:
    """Whether a suite may name files outside of its folder, by the option or the variable."""
    given = os.environ.get("SUMM_ALLOW_OUTSIDE", "").strip().lower()
    return allow_outside or given in {"1", "true", "yes", "on"}


def session_of(endpoints: Endpoints, asking: Asking = Asking()) -> Session:
    """The session for the options of a command."""
    given = endpoints.allow_endpoints or [os.environ.get(ALLOW, "")]
    allowed = tuple(filter(None, map(str.strip, ",".join(given).split(","))))
    return session_here(**asdict(replace(endpoints, allow_endpoints=allowed)), **asdict(asking))


def find_own_judges(*names: str) -> None:
    """Lets Python find custom judges, as ``module:name``, in this folder."""
    if any(":" in name for name in names):
        sys.path.insert(0, "")


def gated_of(suite: Path, gated: Gated, session: Session) -> GatedSuite:
    """The suite of a command, as a run with the same options gates it."""
    from summeval_pytest.record.gated_suite import gated_suite  # numpy, no help text needs it

    find_own_judges(gated.judge)
    return gated_suite(
        _here(suite),
        None,
        session,
        judge=gated.judge,
        models=names_in(gated.model, "--model"),
        least=names_in(gated.least, "--min"),
        allow_outside=is_outside_allowed(allow_outside=gated.allow_outside),
    )


METRICS_OPTION: Final = Parameter(
    name="--metrics", help="these metrics only (repeat, or commas; default: all three)"
)


def metrics_in(values: Sequence[str]) -> tuple[MetricName, ...]:
    """The metrics that ``--metrics`` names; all of them where it names none."""
    names = names_in(values, "--metrics", METRICS, "no metric")
    return tuple(metric for metric in METRICS if metric in names) or METRICS


def check_writable(file: Path, option: str, kind: str = "") -> None:
    """Refuses a file that cannot be written, or replaced, before anything is done for it."""
    from summeval_pytest.reports.files import MARKS, unwritable

    if fault := unwritable(file, MARKS[kind or option.removeprefix("--")]):
        raise OptionError(f"{option}={file}: cannot be written, {fault}; name another file")


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

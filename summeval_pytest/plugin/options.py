"""The option table, and the options of a run read once."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, cast

from summeval_pytest.errors import OptionError

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pytest


RECORD_MODES: Final = ("none", "new", "all")


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """One option in its three spellings.

    Attributes:
        name: Its name; the flag is ``--summ-NAME``, the ini key ``summ_NAME``, the variable
            ``SUMM_NAME``.
        metavar: What stands for its value in the help.
        help: What it does, and its default.
        is_list: Whether it may be given several times (ini: one a line; variable: with commas).
        choices: The values it may have; empty for any.
        is_switch: Whether the flag stands alone; ini and variable say true or false.
        is_of_suite: Whether hand-written tests have no use for it, so that it needs a suite among
            the arguments.
    """

    name: str
    metavar: str
    help: str
    is_list: bool = False
    choices: tuple[str, ...] = ()
    is_switch: bool = False
    is_of_suite: bool = False

    @property
    def flag(self) -> str:
        """The command-line flag."""
        return f"--summ-{self.name.replace('_', '-')}"

    @property
    def ini(self) -> str:
        """The ini key."""
        return f"summ_{self.name}"

    @property
    def variable(self) -> str:
        """The environment variable."""
        return f"SUMM_{self.name.upper()}"


TABLE: Final = (
    Option(
        name="model",
        metavar="SYSTEM",
        help="gate these systems of the suite, or models at an endpoint (default: its"
        " default_systems, else all)",
        is_list=True,
    ),
    Option(
        name="judge",
        metavar="NAME",
        help="who judges: 'offline', embedded, no key and no network (default), a judge of the"
        " suite, a model at an endpoint, or your own judge as package.module:Class",
    ),
    Option(
        name="endpoint",
        metavar="NAME|URL",
        help="where the models are that no suite defines (default: OPENAI_BASE_URL, else Ollama for"
        " --summ-model and OpenAI for --summ-judge)",
    ),
    Option(
        name="allow_endpoints",
        metavar="[NAME=]ORIGIN",
        help="where a suite may send the key in variable NAME, or any key that it names, e.g."
        " HOUSE_KEY=https://llm.example.org (default: --summ-endpoint=URL and OPENAI_BASE_URL)",
        is_list=True,
    ),
    Option(
        name="allow_outside",
        metavar="",
        help="let a suite name files outside of its folder (default: refuse them)",
        is_switch=True,
    ),
    Option(
        name="min",
        metavar="METRIC=VALUE",
        help="a threshold in place of the suite's, e.g. facet=0.6 or mean.eva=0.4; at most, for"
        " faithfulness.conflicts=0 (default: the suite's thresholds)",
        is_list=True,
    ),
    Option(
        name="record",
        metavar="MODE",
        help="none: replay the suite's cassette and ask nothing; new: ask what nobody has asked;"
        " all: ask everything again (default: new)",
        choices=RECORD_MODES,
    ),
    Option(
        name="store",
        metavar="DIR",
        help="where replies are remembered on this machine (default: the user's cache folder)",
    ),
    Option(
        name="plan",
        metavar="",
        help="say what the run would ask and cost, and ask nothing (default: judge)",
        is_switch=True,
        is_of_suite=True,
    ),
    Option(
        name="budget",
        metavar="DOLLARS",
        help="stop asking before a call could cost more than is left (default: no limit)",
    ),
    Option(
        name="in_flight",
        metavar="N",
        help="requests open at once, of all workers together (default: 64)",
    ),
    Option(
        name="votes",
        metavar="N",
        help="votes on each question in place of the judge's own number (default: that, else 1)",
    ),
    Option(
        name="run_record",
        metavar="FILE",
        help="write everything that was judged and decided there, as JSON (default: nowhere)",
        is_of_suite=True,
    ),
    Option(
        name="save",
        metavar="NAME",
        help="save the run under this name beside the suite, to compare with later (default: no)",
        is_of_suite=True,
    ),
    Option(
        name="compare",
        metavar="NAME|FILE",
        help="compare each system with a saved run, or with one of its systems, NAME:SYSTEM"
        " (default: no)",
        is_of_suite=True,
    ),
    Option(
        name="compare_fail",
        metavar="RULE",
        help="what fails the comparison, e.g. facet:0.02 (the mean drops by more), faithfulness:"
        "p0.05 (it drops significantly), facet:0.02:p0.05 (both) (default: p0.05, any number"
        " drops significantly)",
        is_list=True,
        is_of_suite=True,
    ),
    Option(
        name="junit",
        metavar="FILE",
        help="write a JUnit report with a case for each facet and metric there (default: nowhere;"
        " pytest's own --junitxml has a case for each pair)",
        is_of_suite=True,
    ),
    Option(
        name="html",
        metavar="FILE",
        help="write the run as one page to read there (default: nowhere)",
        is_of_suite=True,
    ),
    Option(
        name="github",
        metavar="",
        help="annotate failing pairs and write a step summary for GitHub Actions (default: where"
        " GITHUB_ACTIONS is set)",
        is_switch=True,
        is_of_suite=True,
    ),
    Option(
        name="metamorphic",
        metavar="RELATION",
        help="try the judge with edited texts, too: all, metamorphic, hostile, or relations by name"
        " (default: none)",
        is_list=True,
        is_of_suite=True,
    ),
    Option(
        name="suite",
        metavar="PATH",
        help="the suite of hand-written tests with summ_pair, as a path from the root directory"
        " (default: the suite among the arguments, else the nearest summeval.toml above the test)",
    ),
)


Record = Literal["none", "new", "all"]
IN_FLIGHT: Final = 64
"""As `run.session` has it, which is too much to load before a suite is there."""
_DIGITS: Final = 6
"""Of a number of requests or votes; Python reads no number of thousands of digits."""
_OURS: Final = "SUMM_"
"""How every variable of ours begins."""
_YES: Final = ("1", "true", "yes", "on")
_NO: Final = ("0", "false", "no", "off")


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What was chosen; None or empty where nothing was."""

    model: tuple[str, ...]
    judge: str
    min: tuple[str, ...]
    record: Record
    suite: str | None
    endpoint: str | None = None
    allow_endpoints: tuple[str, ...] = ()
    allow_outside: bool = False
    store: str | None = None
    plan: bool = False
    budget: float | None = None
    in_flight: int = IN_FLIGHT
    votes: int | None = None
    run_record: str | None = None
    save: str | None = None
    compare: str | None = None
    compare_fail: tuple[str, ...] = ()
    junit: str | None = None
    html: str | None = None
    github: bool = False
    metamorphic: tuple[str, ...] = ()


def _ini_type(option: Option) -> Literal["linelist", "string"]:
    return "linelist" if option.is_list else "string"


def add_options(parser: pytest.Parser) -> None:
    """Registers the table with pytest."""
    group = parser.getgroup("summeval", "summarization gate (summeval_pytest)")
    for option in TABLE:
        told = f"{option.help}; ini {option.ini}, environment {option.variable}"
        if option.is_switch:
            group.addoption(
                option.flag,
                action="store_const",
                const="true",
                default=None,
                dest=option.ini,
                help=told,
            )
        else:
            group.addoption(
                option.flag,
                action="append" if option.is_list else "store",
                default=None,
                metavar=option.metavar,
                dest=option.ini,
                help=told,
            )
        parser.addini(option.ini, option.help, type=_ini_type(option), default=None)


def _values(config: pytest.Config, option: Option) -> tuple[str, ...]:
    """What was given for one option, from the first place that gives anything.

    A variable that is set to nothing, as CI does with an input left out, gives nothing.

    Raises:
        OptionError: for a flag that is given as nothing; the default in its place would gate what
            nobody asked for.
    """
    given = config.getoption(option.ini)
    variable = os.environ.get(option.variable, "").strip()
    if given is not None:
        values = given if option.is_list else [given]
        if not all(value.strip(" ,") for value in values):
            raise OptionError(f"{option.flag} is given as nothing; give a value or leave it out")
    elif variable:
        values = variable.split(",") if option.is_list else [variable]
    else:
        kept = config.getini(option.ini)
        values = (kept if option.is_list else [kept]) if kept else []
    if option.name in {"model", "metamorphic", "allow_endpoints"}:
        values = [name for value in values for name in value.split(",")]
    return tuple(value.strip() for value in values if value.strip())


def read_options(config: pytest.Config) -> Options:
    """The options of a run.

    Raises:
        OptionError: for a value that an option cannot have.
    """
    chosen = {option.name: _values(config, option) for option in TABLE}
    for option in TABLE:
        for value in chosen[option.name] if option.choices else ():
            if value not in option.choices:
                raise OptionError(
                    f"{option.flag}={value!r:.60} (or {option.ini}, {option.variable}) is no mode;"
                    f" choose {', '.join(option.choices)}"
                )
    last = {name: values[-1] if values else None for name, values in chosen.items()}
    return Options(
        model=tuple(dict.fromkeys(chosen["model"])),
        judge=last["judge"] or "offline",
        min=chosen["min"],
        record=cast("Record", last["record"] or "new"),
        suite=last["suite"],
        endpoint=last["endpoint"],
        allow_endpoints=chosen["allow_endpoints"],
        allow_outside=_switch("allow_outside", last["allow_outside"]),
        store=last["store"],
        plan=_switch("plan", last["plan"]),
        budget=_number("budget", last["budget"]),
        in_flight=_whole("in_flight", last["in_flight"]) or IN_FLIGHT,
        votes=_whole("votes", last["votes"]),
        run_record=last["run_record"],
        save=last["save"],
        compare=last["compare"],
        compare_fail=tuple(rule.strip() for r in chosen["compare_fail"] for rule in r.split(",")),
        junit=last["junit"],
        html=last["html"],
        metamorphic=tuple(dict.fromkeys(chosen["metamorphic"])),
        github=_switch("github", last["github"] or os.environ.get("GITHUB_ACTIONS") or None),
    )


def is_planned(config: pytest.Config) -> bool:
    """Whether only a plan is asked for, as far as is known before options are checked."""
    option = next(option for option in TABLE if option.name == "plan")
    return [value.lower() for value in _values(config, option)][-1:] in ([yes] for yes in _YES)


def unknown_variables() -> Iterator[str]:
    """A line for each variable that begins as ours do and is none."""
    from difflib import get_close_matches

    known = [option.name.upper() for option in TABLE]
    for name in sorted(os.environ):
        given = name.removeprefix(_OURS)
        if name != given and given not in known:
            close = get_close_matches(given, known, n=1)
            hint = f"did you mean '{_OURS}{close[0]}'?" if close else "pytest --help lists them"
            yield f"summeval: the variable {name!r} is set and has no meaning; {hint}"


def _wrong(name: str, value: str, wanted: str) -> OptionError:
    option = next(option for option in TABLE if option.name == name)
    return OptionError(
        f"{option.flag}={value!r:.60} (or {option.ini}, {option.variable}) is not {wanted}"
    )


def _whole(name: str, value: str | None) -> int | None:
    """A number of at least 1 and up to six digits."""
    if value is None:
        return None
    if not (value.isascii() and value.isdecimal() and len(value) <= _DIGITS and int(value)):
        raise _wrong(name, value, f"a whole number from 1 to {'9' * _DIGITS}")
    return int(value)


def _number(name: str, value: str | None) -> float | None:
    """A finite number of at least 0."""
    if value is None:
        return None
    try:
        number = float(value)
    except ValueError:
        number = -1.0
    if not 0.0 <= number < float("inf"):
        raise _wrong(name, value, "a number of dollars of at least 0")
    return number


def _switch(name: str, value: str | None) -> bool:
    if value is not None and value.lower() not in (*_YES, *_NO):
        raise _wrong(name, value, "true or false")
    return value is not None and value.lower() in _YES


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """Which part of a run one process is.

    Attributes:
        index: Its place among the processes that run tests, from 0.
        n_processes: How many those are.
        run: A name that they share, and no other run has.
        may_stop: Whether a failure may end the run, so that what was read far ahead is in vain.
        is_verbose: Whether somebody wants to be told more.
        folder: Where pytest was started, which relative files are named from.
    """

    index: int = 0
    n_processes: int = 1
    run: str = ""
    may_stop: bool = False
    is_verbose: bool = False
    folder: Path = field(default_factory=Path)

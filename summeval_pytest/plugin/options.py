"""The option table, and the options of a run, read once."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

from summeval_pytest.errors import OptionError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import pytest

    from summeval_pytest.store.store import StorePlace


RECORD_MODES: Final = ("none", "new", "all")
Record = Literal["none", "new", "all"]
IN_FLIGHT: Final = 64
"""As `run.session` has it, which is too much to load before a suite is there."""
_MAX_DIGITS: Final = 6
"""Of a number of requests or votes; Python reads no number of thousands of digits."""
_PREFIX: Final = "SUMM_"
_YES: Final = ("1", "true", "yes", "on")
_NO: Final = ("0", "false", "no", "off")


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """One option in its three spellings; its name and default are those of a field of `Options`.

    Attributes:
        name: The flag is ``--summ-NAME``, the ini key ``summ_NAME``, the variable ``SUMM_NAME``.
        metavar: What stands for its value in the help.
        help: What it does, and its default.
        read: From the values given, at least one, to the value in `Options`.
        needs_suite: Whether it needs a suite among the arguments: hand-written tests have no use
            for it.
    """

    name: str
    metavar: str
    help: str
    read: Callable[[Option, tuple[str, ...]], object]
    needs_suite: bool

    @property
    def flag(self) -> str:
        """The command-line flag."""
        return f"--summ-{self.name.rstrip('_').replace('_', '-')}"

    @property
    def ini(self) -> str:
        """The ini key."""
        return f"summ_{self.name.rstrip('_')}"

    @property
    def variable(self) -> str:
        """The environment variable."""
        return f"{_PREFIX}{self.name.rstrip('_').upper()}"

    @property
    def is_list(self) -> bool:
        """Whether it may be given several times (ini: one a line; variable: with commas)."""
        return self.read in {_all, _names, _rules}

    @property
    def is_switch(self) -> bool:
        """Whether the flag stands alone; ini and variable say true or false."""
        return self.read is _switch

    def fault(self, value: str, told: str) -> OptionError:
        """The error for a value that the option cannot have, and what it is in words."""
        return OptionError(f"{self.flag}={value!r:.60} (or {self.ini}, {self.variable}) is {told}")


def _last(_: Option, values: tuple[str, ...]) -> str:
    return values[-1]


def _place(_: Option, values: tuple[str, ...]) -> StorePlace:
    from summeval_pytest.store.store import read_place

    return read_place(values[-1])


def _all(_: Option, values: tuple[str, ...]) -> tuple[str, ...]:
    return values


def _names(_: Option, values: tuple[str, ...]) -> tuple[str, ...]:
    parts = (part.strip() for value in values for part in value.split(","))
    return tuple(dict.fromkeys(part for part in parts if part))


def _rules(_: Option, values: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(rule.strip() for value in values for rule in value.split(","))


def _mode(option: Option, values: tuple[str, ...]) -> str:
    for value in values:
        if value not in RECORD_MODES:
            raise option.fault(value, f"no mode; choose {', '.join(RECORD_MODES)}")
    return values[-1]


def _whole(option: Option, values: tuple[str, ...]) -> int:
    value = values[-1]
    is_short = value.isascii() and value.isdecimal() and len(value) <= _MAX_DIGITS
    if not (is_short and int(value)):
        raise option.fault(value, f"not a whole number from 1 to {'9' * _MAX_DIGITS}")
    return int(value)


def _dollars(option: Option, values: tuple[str, ...]) -> float:
    try:
        number = float(values[-1])
    except ValueError:
        number = -1.0
    if not 0.0 <= number < float("inf"):
        raise option.fault(values[-1], "not a number of dollars of at least 0")
    return number


def _shard(option: Option, values: tuple[str, ...]) -> str:
    index, mark, n_shards = values[-1].partition("/")
    is_plain = all(
        p.isascii() and p.isdecimal() and len(p) <= _MAX_DIGITS for p in (index, n_shards)
    )
    if not (mark and is_plain and 1 <= int(index) <= int(n_shards)):
        raise option.fault(values[-1], "no shard; write which of how many, as 2/8")
    return values[-1]


def _switch(option: Option, values: tuple[str, ...]) -> bool:
    value = values[-1].lower()
    if value not in (*_YES, *_NO):
        raise option.fault(values[-1], "not true or false")
    return value in _YES


def _option(
    default: object,
    metavar: str,
    told: str,
    read: Callable[[Option, tuple[str, ...]], object] = _last,
    *,
    needs_suite: bool = False,
) -> Any:
    """A field of `Options` that the user can set."""
    row = {"metavar": metavar, "help": told, "read": read, "needs_suite": needs_suite}
    return field(default=default, metadata=row)


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The option table: what can be chosen, and what a run chose; None or empty for nothing."""

    model: tuple[str, ...] = _option(
        (),
        "SYSTEM",
        "gate these systems of the suite, or models at an endpoint (default: the suite's"
        " default_systems, else all)",
        _names,
    )
    judge: str | None = _option(
        None,
        "NAME",
        "the judge: a judge of the suite, your own as package.module:Class, a model at an endpoint,"
        " or 'offline', the embedded judge, which needs no key and no network (default: offline)",
    )
    endpoint: str | None = _option(
        None,
        "NAME|URL",
        "the endpoint of models that no suite defines (default: OPENAI_BASE_URL, else Ollama for"
        " --summ-model and OpenAI for --summ-judge)",
    )
    allow_endpoints: tuple[str, ...] = _option(
        (),
        "[NAME=]ORIGIN",
        "let a suite send the key in variable NAME to this server, e.g."
        " HOUSE_KEY=https://llm.example.org; without NAME, any key that the suite names (default:"
        " --summ-endpoint=URL and OPENAI_BASE_URL)",
        _names,
    )
    allow_outside: bool = _option(
        False, "", "let a suite name files outside its folder (default: refuse them)", _switch
    )
    min: tuple[str, ...] = _option(
        (),
        "METRIC=VALUE",
        "a threshold in place of the suite's, e.g. facet=0.6 or mean.eva=0.4; an upper bound for"
        " faithfulness.conflicts (default: the suite's thresholds)",
        _all,
    )
    record: Record = _option(  # noqa: RUF009 - a field, as `dataclasses.field`
        "new",
        "MODE",
        "none: replay the suite's cassette and ask nothing; new: ask only what has no stored reply;"
        " all: ask everything again (default: new)",
        _mode,
    )
    store: StorePlace | None = _option(  # noqa: RUF009 - a field, as `dataclasses.field`
        None,
        "DIR",
        "store replies in this folder, or in postgresql://user@host/database for many machines"
        " (default: the user's cache folder)",
        _place,
    )
    plan: bool = _option(
        False,
        "",
        "show what the run would ask and cost, and ask nothing (default: judge)",
        _switch,
        needs_suite=True,
    )
    budget: float | None = _option(
        None,
        "DOLLARS",
        "never spend more than this; pairs that it does not reach are errors (default: no limit)",
        _dollars,
    )
    in_flight: int = _option(
        IN_FLIGHT, "N", "open so many requests at once, over all workers (default: 64)", _whole
    )
    votes: int | None = _option(
        None,
        "N",
        "ask each question so many times (default: the judge's votes in the suite, else 1)",
        _whole,
    )
    run_record: str | None = _option(
        None,
        "FILE",
        "write the run record, lines of JSON; a file that ends with .jsonl grows during the run"
        " (default: nowhere)",
        needs_suite=True,
    )
    shard: str | None = _option(
        None,
        "I/N",
        "judge one of N shards of the papers; `summeval merge` decides over all shards (default:"
        " all papers)",
        _shard,
        needs_suite=True,
    )
    from_: tuple[str, ...] = _option(
        (),
        "FILE",
        "decide by these run records, such as shards, and ask nobody (default: judge)",
        _names,
        needs_suite=True,
    )
    save: str | None = _option(
        None,
        "NAME",
        "save the run under this name beside the suite, for --summ-compare (default: no)",
        needs_suite=True,
    )
    compare: str | None = _option(
        None,
        "NAME|FILE",
        "compare each system with a saved run, or with its system SYSTEM as NAME:SYSTEM"
        " (default: no)",
        needs_suite=True,
    )
    compare_fail: tuple[str, ...] = _option(
        (),
        "RULE",
        "fail the comparison on a drop: facet:0.02 (the mean drops by more), faithfulness:p0.05 (it"
        " drops significantly), facet:0.02:p0.05 (both) (default: p0.05, any metric or facet drops"
        " significantly)",
        _rules,
        needs_suite=True,
    )
    junit: str | None = _option(
        None,
        "FILE",
        "write a JUnit report with a case for each facet and metric (default: nowhere; pytest's"
        " own --junitxml has a case for each pair)",
        needs_suite=True,
    )
    html: str | None = _option(
        None, "FILE", "write the run as one HTML page (default: nowhere)", needs_suite=True
    )
    gitlab: str | None = _option(
        None,
        "FILE",
        "write failures as GitLab's code quality report, for merge requests (default: nowhere)",
        needs_suite=True,
    )
    github: bool = _option(
        False,
        "",
        "annotate failing pairs and write a step summary for GitHub Actions (default: where"
        " GITHUB_ACTIONS is set)",
        _switch,
        needs_suite=True,
    )
    suite: str | None = _option(
        None,
        "PATH",
        "the suite for hand-written tests with summ_pair, as a path from the root directory"
        " (default: the suite among the arguments, else the nearest summeval.toml above the test)",
    )


TABLE: Final = tuple(Option(name=each.name, **each.metadata) for each in fields(Options))


def _option_named(name: str) -> Option:
    return next(option for option in TABLE if option.name == name)


def add_options(parser: pytest.Parser) -> None:
    """Registers the table with pytest."""
    group = parser.getgroup("summeval", "summarization gate (summeval_pytest)")
    for option in TABLE:
        told = f"{option.help}; ini {option.ini}, environment {option.variable}"
        if option.is_switch:
            how: dict[str, Any] = {"action": "store_const", "const": "true"}
        else:
            how = {"action": "append" if option.is_list else "store", "metavar": option.metavar}
        group.addoption(option.flag, default=None, dest=option.ini, help=told, **how)
        kind: Literal["linelist", "string"] = "linelist" if option.is_list else "string"
        parser.addini(option.ini, option.help, type=kind, default=None)


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
    return tuple(value.strip() for value in values if value.strip())


def read_options(config: pytest.Config) -> Options:
    """The options of a run: command line over environment over ini.

    Raises:
        OptionError: for a value that an option cannot have.
    """
    given = {option: values for option in TABLE if (values := _values(config, option))}
    chosen: dict[str, Any] = {option.name: option.read(option, given[option]) for option in given}
    if "github" not in chosen and (in_actions := os.environ.get("GITHUB_ACTIONS")):
        github = _option_named("github")
        chosen[github.name] = github.read(github, (in_actions,))
    return Options(**chosen)


def is_planned(config: pytest.Config) -> bool:
    """Whether only a plan is asked for, as far as is known before options are checked."""
    values = _values(config, _option_named("plan"))
    return any(value.lower() in _YES for value in values[-1:])


def unknown_variables() -> Iterator[str]:
    """A line for each variable that begins as ours do and is none."""
    from difflib import get_close_matches

    known = [option.variable.removeprefix(_PREFIX) for option in TABLE]
    for name in sorted(os.environ):
        given = name.removeprefix(_PREFIX)
        if name != given and given not in known:
            close = get_close_matches(given, known, n=1)
            hint = f"did you mean '{_PREFIX}{close[0]}'?" if close else "pytest --help lists them"
            yield f"summeval: the variable {name!r} is set and has no meaning; {hint}"


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

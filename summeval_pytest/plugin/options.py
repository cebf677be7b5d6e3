"""Every option in one table, read once; command line over environment over ini."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, cast

from summeval_pytest.errors import OptionError

if TYPE_CHECKING:
    import pytest

Record = Literal["none", "new", "all"]
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
    """

    name: str
    metavar: str
    help: str
    is_list: bool = False
    choices: tuple[str, ...] = ()

    @property
    def flag(self) -> str:
        """The command-line flag."""
        return f"--summ-{self.name}"

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
        help="gate these systems of the suite (default: its default_systems, else all)",
        is_list=True,
    ),
    Option(
        name="judge",
        metavar="NAME",
        help="who judges: 'offline', embedded, no key and no network (default), or your own"
        " judge as package.module:Class",
    ),
    Option(
        name="min",
        metavar="METRIC=VALUE",
        help="a threshold in place of the suite's, e.g. facet=0.6 or mean.eva=0.4"
        " (default: the suite's thresholds)",
        is_list=True,
    ),
    Option(
        name="record",
        metavar="MODE",
        help="none: ask nothing that is not recorded, so only the embedded judge may judge;"
        " new, all: any judge may (default: new)",
        choices=RECORD_MODES,
    ),
    Option(
        name="suite",
        metavar="PATH",
        help="the suite of hand-written tests with summ_pair, as a path from the root directory"
        " (default: the suite among the arguments, else the nearest summeval.toml above the test)",
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What was chosen; None or empty where nothing was."""

    model: tuple[str, ...]
    judge: str
    min: tuple[str, ...]
    record: Record
    suite: str | None


def _ini_type(option: Option) -> Literal["linelist", "string"]:
    return "linelist" if option.is_list else "string"


def add_options(parser: pytest.Parser) -> None:
    """Registers the table with pytest."""
    group = parser.getgroup("summeval", "summarization gate (summeval_pytest)")
    for option in TABLE:
        group.addoption(
            option.flag,
            action="append" if option.is_list else "store",
            default=None,
            metavar=option.metavar,
            dest=option.ini,
            help=f"{option.help}; ini {option.ini}, environment {option.variable}",
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
    if option.name == "model":
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
                    f"{option.flag}={value!r} (or {option.ini}, {option.variable}) is no mode;"
                    f" choose {', '.join(option.choices)}"
                )
    record = chosen["record"][-1] if chosen["record"] else "new"
    return Options(
        model=tuple(dict.fromkeys(chosen["model"])),
        judge=chosen["judge"][-1] if chosen["judge"] else "offline",
        min=chosen["min"],
        record=cast("Record", record),
        suite=chosen["suite"][-1] if chosen["suite"] else None,
    )

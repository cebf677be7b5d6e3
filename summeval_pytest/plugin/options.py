"""The options of a run, read once; command line over environment over ini."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, cast

from summeval_pytest.errors import OptionError
from summeval_pytest.plugin.option_table import TABLE, Option

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pytest

Record = Literal["none", "new", "all"]
IN_FLIGHT: Final = 64
"""As `summeval_pytest.evaluation` has it, which is too much to load before a suite is there."""
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

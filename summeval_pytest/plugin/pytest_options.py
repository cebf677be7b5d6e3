"""The options as pytest has them: flags, ini keys and variables."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Literal

from summeval_pytest.options import PREFIX, TABLE, YES, Option, Options

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pytest


def add_options(parser: pytest.Parser) -> None:
    """Registers the table with pytest."""
    group = parser.getgroup("summeval", "summarization gate (summeval_pytest)")
    for option in TABLE.values():
        text = f"{option.help}; ini {option.ini}, environment {option.variable}"
        how: dict[str, Any] = {"action": "store_const", "const": "true"}
        if not option.is_switch:
            how = {"action": "append" if option.is_list else "store", "metavar": option.metavar}
        group.addoption(option.flag, default=None, dest=option.ini, help=text, **how)
        kind: Literal["linelist", "string"] = "linelist" if option.is_list else "string"
        parser.addini(option.ini, option.help, type=kind, default=None)


def misspelt_option(parser: pytest.Parser, args: Sequence[str]) -> str:
    """What pytest says of unknown arguments, with our option that one of them may mean; else empty.

    A command's short spelling is taken, too. Whoever types nothing like ours pays no second parse.
    """
    from difflib import get_close_matches

    flags = {option.flag: option.flag for option in TABLE.values()}
    short = {option.short_flag: option.flag for option in TABLE.values()}

    def meant(argument: str) -> str:
        name = argument.partition("=")[0].replace("_", "-").lower()
        near = get_close_matches(name, flags, n=1, cutoff=0.8) if name.startswith("--su") else []
        return near[0] if near else short.get(name, "")

    if not any(meant(each) for each in args if each.partition("=")[0] not in flags):
        return ""
    _, unknown = parser.parse_known_and_unknown_args(args)
    hints = ", ".join(dict.fromkeys(filter(None, map(meant, unknown))))
    return f"unrecognized arguments: {' '.join(unknown)}; did you mean {hints}?" if hints else ""


def _texts(config: pytest.Config, option: Option) -> Sequence[str]:
    """The texts of one option, from the first of command line, environment and ini that has any."""
    typed = config.getoption(option.ini)
    if typed is not None:
        return typed if option.is_list else [typed]
    ini = config.getini(option.ini) or []
    return option.in_environment() or (ini if isinstance(ini, list) else [ini])


def read_options(config: pytest.Config) -> Options:
    """The options of a run: command line over environment over ini.

    Raises:
        OptionError: for a value that an option cannot have.
    """
    texts = {name: each for name, option in TABLE.items() if (each := _texts(config, option))}
    if in_actions := os.environ.get("GITHUB_ACTIONS"):
        texts.setdefault("github", (in_actions,))
    chosen: dict[str, Any] = {name: TABLE[name].value(each) for name, each in texts.items()}
    return Options(**chosen)


def is_planned(config: pytest.Config) -> bool:
    """Whether the run only makes a plan. The answer is needed before the options are checked."""
    return any(text.lower() in YES for text in _texts(config, TABLE["plan"])[-1:])


def unknown_variables() -> Iterator[str]:
    """A line for each variable that begins with SUMM_ and is no option."""
    from difflib import get_close_matches

    known = [option.variable.removeprefix(PREFIX) for option in TABLE.values()]
    for name in sorted(os.environ):
        given = name.removeprefix(PREFIX)
        if name != given and given not in known:
            close = get_close_matches(given, known, n=1)
            hint = f"did you mean '{PREFIX}{close[0]}'?" if close else "pytest --help lists them"
            yield f"summeval: the variable {name!r} is set, and no option has that name; {hint}"

"""The table of all options, and the options of a run, which are read once."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field, fields
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Literal, get_args

from summeval_pytest.errors import OptionError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import pytest

    from summeval_pytest.store.store import StorePlace


Record = Literal["none", "new", "all"]
RECORD_MODES: Final = get_args(Record)
IN_FLIGHT: Final = 64
"""As `run.session` has it, which is too much to load before a suite is there."""
_PREFIX: Final = "SUMM_"
_YES: Final = ("1", "true", "yes", "on")


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """One option in its three spellings; its name and default are those of a field of `Options`.

    Attributes:
        name: The flag is ``--summ-NAME``, the ini key ``summ_NAME``, the variable ``SUMM_NAME``.
        metavar: The placeholder for its value in the help.
        help: What it does, and its default.
        read: Turns the value, or all values of a list, into the value in `Options`. It raises a
            ValueError that completes "VALUE is ...".
        needs_suite: Whether it needs a suite among the arguments. Hand-written tests do not use it.
        is_list: Whether it may be repeated (ini: one a line; variable: with commas).
        is_switch: Whether the flag stands alone; ini and variable say true or false.
    """

    name: str
    metavar: str
    help: str
    read: Callable[[Any], object]
    needs_suite: bool
    is_list: bool
    is_switch: bool

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

    def value(self, texts: tuple[str, ...]) -> object:
        """The value that the given texts, at least one, stand for; of several, the last counts.

        Raises:
            OptionError: for a text that the option cannot have.
        """
        try:
            return self.read(texts if self.is_list else texts[-1])
        except ValueError as error:
            raise OptionError(
                f"{self.flag}={texts[-1]!r:.60} (or {self.ini}, {self.variable}) is {error}"
            ) from None


def _place(text: str) -> StorePlace:
    from summeval_pytest.store.store import read_place

    return read_place(text)


def _rules(texts: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(rule.strip() for text in texts for rule in text.split(","))


def _names(texts: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(filter(None, _rules(texts))))


def _reader(pattern: str, what: str, convert: Callable[[str], object] = str) -> Any:
    """Reads a text of one form; a ValueError says what it is not."""

    def read(text: str) -> object:
        if not re.fullmatch(pattern, text, re.ASCII):
            raise ValueError(f"not {what}")
        return convert(text)

    return read


_mode = _reader("|".join(RECORD_MODES), f"a mode; choose {', '.join(RECORD_MODES)}")
_whole = _reader(r"(?=0*[1-9])\d{1,6}", "a whole number from 1 to 999999", int)
_switch = _reader("(?i:1|true|yes|on|0|false|no|off)", "true or false", lambda t: t.lower() in _YES)


def _dollars(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0.0 <= number < float("inf"):
        raise ValueError("not a number of dollars of at least 0")
    return number


def _shard(text: str) -> str:
    match = re.fullmatch(r"(\d{1,6})/(\d{1,6})", text, re.ASCII)
    if not match or not 1 <= int(match[1]) <= int(match[2]):
        raise ValueError("not a shard; write its number and how many there are, as 2/8")
    return text


def _option(
    help_text: str,
    default: object = None,
    read: Callable[[Any], object] = str,
    *,
    needs_suite: bool = False,
) -> Any:
    """A field of `Options` that the user can set; its help begins with the metavar."""
    is_switch = read is _switch
    metavar, _, what = ("", "", help_text) if is_switch else help_text.partition(": ")
    row = {"metavar": metavar, "help": what, "read": read, "needs_suite": needs_suite}
    row |= {"is_list": default == (), "is_switch": is_switch}
    return field(default=default, metadata=row)


_of_suite = partial(_option, needs_suite=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The options of a run; its fields are the option table. None or empty stands for not given."""

    model: tuple[str, ...] = _option(
        "SYSTEM: gate these systems of the suite, or models at an endpoint (default: the suite's"
        " default_systems, else all)",
        (),
        _names,
    )
    judge: str | None = _option(
        "NAME: the judge: a judge of the suite, your own as package.module:Class, a model at an"
        " endpoint, or 'offline', the embedded judge, which needs no key and no network (default:"
        " offline)"
    )
    endpoint: str | None = _option(
        "NAME|URL: the endpoint of models that no suite defines (default: OPENAI_BASE_URL, else"
        " Ollama for --summ-model and OpenAI for --summ-judge)"
    )
    allow_endpoints: tuple[str, ...] = _option(
        "[NAME=]ORIGIN: let a suite send the key in the variable NAME to this server, e.g."
        " HOUSE_KEY=https://llm.example.org, or without NAME any key that the suite names (default:"
        " the servers of --summ-endpoint=URL and OPENAI_BASE_URL)",
        (),
        _names,
    )
    allow_outside: bool = _option(
        "let a suite name files outside its folder (default: refuse them)", False, _switch
    )
    min: tuple[str, ...] = _option(
        "METRIC=VALUE: a threshold in place of the suite's, e.g. facet=0.6 or mean.eva=0.4; an"
        " upper bound for a count, as faithfulness.unsupported (default: the suite's thresholds)",
        (),
        tuple,
    )
    record: Record = _option(  # noqa: RUF009 - a field, as `dataclasses.field`
        "MODE: how to use stored replies: 'none' replays the suite's cassette and asks nothing,"
        " 'new' asks only what has no stored reply, 'all' asks everything again (default: new)",
        "new",
        _mode,
    )
    store: StorePlace | None = _option(  # noqa: RUF009 - a field, as `dataclasses.field`
        "DIR: store replies in this folder, or in postgresql://user@host/database for many"
        " machines (default: the user's cache folder)",
        None,
        _place,
    )
    plan: bool = _of_suite(
        "show what the run would ask and cost, and ask nothing; on the command line only (default:"
        " off)",
        False,
        _switch,
    )
    budget: float | None = _option(
        "DOLLARS: never spend more than this; pairs that it cannot pay are errors (default: no"
        " limit)",
        None,
        _dollars,
    )
    in_flight: int = _option(
        "N: the maximum number of open requests, over all workers (default: 64)", IN_FLIGHT, _whole
    )
    votes: int | None = _option(
        "N: how often each question is asked (default: the judge's votes in the suite, else 1)",
        None,
        _whole,
    )
    run_record: str | None = _of_suite(
        "FILE: write the run record, lines of JSON; during the run, FILE.part (default: none)"
    )
    shard: str | None = _of_suite(
        "I/N: on the command line only, judge one of N shards of the papers; `summeval merge`"
        " decides over all shards (default: all papers)",
        None,
        _shard,
    )
    from_: tuple[str, ...] = _of_suite(
        "FILE: on the command line only, compute the verdicts from these run records, such as"
        " shards, without a judge (default: none)",
        (),
        _names,
    )
    save: str | None = _of_suite(
        "NAME: save the run under this name beside the suite, for --summ-compare (default: none)"
    )
    base: str | None = _of_suite(
        "REVISION|./FOLDER: add a test 'stick', which fails if the suite is less strict than at"
        " this git revision: lower thresholds, deleted papers, edited labels (default: none)"
    )
    compare: str | None = _of_suite(
        "NAME|FILE: compare each system with the same system of this saved run, or its only one;"
        " NAME:SYSTEM chooses another (default: none)"
    )
    compare_fail: tuple[str, ...] = _of_suite(
        "RULE: fail the comparison unless the papers show that facet is less than 0.05 worse"
        " (facet:no-worse-0.05), if its mean drops by more than 0.02 (facet:0.02), if it drops"
        " significantly (facet:p0.05), or if both hold (facet:0.02:p0.05) (default: the margins of"
        " [compare], else no-worse-0.05 for each metric, and p0.05 for each facet)",
        (),
        _rules,
    )
    junit: str | None = _of_suite(
        "FILE: write a JUnit report with a case for each facet and metric (default: none;"
        " pytest's own --junitxml has a case for each pair)"
    )
    html: str | None = _of_suite("FILE: write the run as one HTML page (default: none)")
    gitlab: str | None = _of_suite(
        "FILE: write failures as GitLab's code quality report, for merge requests (default: none)"
    )
    github: bool = _of_suite(
        "annotate failing pairs and write a step summary for GitHub Actions (default: where"
        " GITHUB_ACTIONS is set)",
        False,
        _switch,
    )
    suite: str | None = _option(
        "PATH: the suite for hand-written tests with summ_pair, as a path from the root directory"
        " (default: the suite among the arguments, else the nearest summeval.toml above the test)"
    )


TABLE: Final = {each.name: Option(name=each.name, **each.metadata) for each in fields(Options)}
"""The options by name."""


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


def _texts(config: pytest.Config, option: Option) -> tuple[str, ...]:
    """The texts of one option, from the first of command line, environment and ini that has any.

    A variable that is set but empty counts as not set: CI passes a missing input like that. An
    empty flag is refused, since the default in its place would gate what nobody asked for.
    """
    flag = config.getoption(option.ini)
    variable = os.environ.get(option.variable, "").strip()
    if flag is not None:
        texts = flag if option.is_list else [flag]
        if not all(text.strip(" ,") for text in texts):
            raise OptionError(f"{option.flag} is empty; give a value or leave it out")
    elif variable:
        texts = variable.split(",") if option.is_list else [variable]
    else:
        ini = config.getini(option.ini)
        texts = [] if not ini else ini if option.is_list else [ini]
    return tuple(text.strip() for text in texts if text.strip())


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
    return any(text.lower() in _YES for text in _texts(config, TABLE["plan"])[-1:])


def base_of(config: pytest.Config) -> str | None:
    """The base that suites are compared with, known before the options are checked."""
    return next(iter(_texts(config, TABLE["base"])[-1:]), None)


def unknown_variables() -> Iterator[str]:
    """A line for each variable that begins with SUMM_ and is no option."""
    from difflib import get_close_matches

    known = [option.variable.removeprefix(_PREFIX) for option in TABLE.values()]
    for name in sorted(os.environ):
        given = name.removeprefix(_PREFIX)
        if name != given and given not in known:
            close = get_close_matches(given, known, n=1)
            hint = f"did you mean '{_PREFIX}{close[0]}'?" if close else "pytest --help lists them"
            yield f"summeval: the variable {name!r} is set, and no option has that name; {hint}"

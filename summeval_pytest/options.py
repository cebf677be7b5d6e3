"""The table of all options. pytest's options and those of a command are views on it."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field, fields
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, get_args

from summeval_pytest.errors import OptionError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

Record = Literal["none", "new", "all"]
IN_FLIGHT: Final = 64
"""Requests open at once: enough to wait for most endpoints without a pause."""
PREFIX: Final = "SUMM_"
YES: Final = ("1", "true", "yes", "on")


class Report(NamedTuple):
    """A report that a run can write.

    ``function`` is "module:function" of this package. It turns a run, and a function that makes
    paths relative to the repository, into pieces of text. It is imported when it is used.
    """

    title: str
    function: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """One option in its spellings.

    Attributes:
        name: The flag is ``--summ-NAME`` (of a command also ``--NAME``), the ini key ``summ_NAME``,
            the variable ``SUMM_NAME``.
        metavar: The placeholder for its value in the help; empty for a switch, whose flag stands
            alone. Ini and variable say true or false.
        help: What it does, and its default.
        default: Its value if it is not given; an empty tuple for an option that may be repeated
            (ini: one a line; variable: with commas).
        read: Turns its text, or all texts of a list, into its value. It raises a ValueError
            whose message goes on after "TEXT is".
        needs_suite: Whether it needs a suite among the arguments. Hand-written tests do not use it.
        report: The report that is written into the file that it names; None for another option.
    """

    name: str
    metavar: str
    help: str
    default: object
    read: Callable[[Any], object]
    needs_suite: bool
    report: Report | None

    @property
    def is_report(self) -> bool:
        """Whether it names the file of a report."""
        return self.report is not None

    @property
    def flag(self) -> str:
        """The command-line flag."""
        return f"--{self.ini.replace('_', '-')}"

    @property
    def short_flag(self) -> str:
        """The flag of a command, which also takes pytest's."""
        return self.flag.replace("--summ-", "--")

    @property
    def ini(self) -> str:
        """The ini key."""
        return f"summ_{self.name.rstrip('_')}"

    @property
    def variable(self) -> str:
        """The environment variable."""
        return self.ini.upper()

    @property
    def is_list(self) -> bool:
        """Whether it may be repeated."""
        return self.default == ()

    @property
    def is_switch(self) -> bool:
        """Whether the flag stands alone."""
        return self.default is False

    def value(self, texts: Sequence[str]) -> object:
        """The value that the given texts, at least one, stand for; of several, the last counts.

        Raises:
            OptionError: for a text that the option cannot have. An empty one is refused, since the
                default in its place would gate what nobody asked for.
        """
        if not all(text.strip(" ,") for text in texts):
            raise OptionError(f"{self.flag} is empty; give a value or leave it out")
        try:
            return self.read(texts if self.is_list else texts[-1].strip())
        except ValueError as error:
            raise OptionError(
                f"{self.flag}={texts[-1].strip()!r:.60} (or {self.ini}, {self.variable}) is {error}"
            ) from None

    def in_environment(self) -> list[str]:
        """The text of the variable. One that is empty is not set: CI passes a missing input so."""
        text = os.environ.get(self.variable, "")
        return [text] if text.strip() else []


def _reader(pattern: str, what: str, convert: Callable[[str], object] = str) -> Any:
    """Reads a text of one form; a ValueError says what it is not."""

    def read(text: str) -> object:
        if not re.fullmatch(pattern, text, re.ASCII):
            raise ValueError(f"not {what}")
        return convert(text)

    return read


_mode = _reader("|".join(get_args(Record)), f"a mode; choose {', '.join(get_args(Record))}")
read_whole = _reader(r"(?=0*[1-9])\d{1,6}", "a whole number from 1 to 999999", int)
_switch = _reader("(?i:1|true|yes|on|0|false|no|off)", "true or false", lambda t: t.lower() in YES)


def _names(texts: Sequence[str]) -> tuple[str, ...]:
    names = (name.strip() for text in texts for name in text.split(","))
    return tuple(dict.fromkeys(filter(None, names)))


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
    about: str,
    default: object = None,
    read: Callable[[Any], object] = str,
    *,
    needs_suite: bool = False,
    report: Report | None = None,
) -> Any:
    """A field of `Options` that the user can set; the text about it begins with the metavar."""
    metavar, _, what = about.partition(": ")
    if default is False:
        metavar, what, read = "", about, _switch
    elif default == ():
        read = _names
    row = dict[str, object](metavar=metavar, help=what, read=read)
    row |= {"needs_suite": needs_suite or report is not None, "report": report}
    return field(default=default, metadata=row)


_suite_option = partial(_option, needs_suite=True)


def _report(title: str, function: str, about: str) -> Any:
    return _option(about, report=Report(title, function))


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The options of a run; its fields are the option table. None or empty stands for not given."""

    model: tuple[str, ...] = _option(
        "SYSTEM: gate these systems of the suite, or models at an endpoint (default: the suite's"
        " default_systems, else all)",
        (),
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
    )
    allow_outside: bool = _option(
        "let a suite name files outside its folder (default: refuse them)", False
    )
    min: tuple[str, ...] = _option(
        "METRIC=VALUE: a threshold in place of the suite's, e.g. facet=0.6 or mean.eva=0.4; a"
        " maximum for a count, as faithfulness.unsupported (default: the suite's thresholds)",
        (),
    )
    record: Record = _option(  # noqa: RUF009 - a field, as `dataclasses.field`
        "MODE: how to use stored replies: 'none' replays the suite's cassette and asks nothing,"
        " 'new' asks only what has no stored reply, 'all' asks everything again (default: new)",
        "new",
        _mode,
    )
    store: str | None = _option(
        "DIR: store replies in this folder, or in postgresql://user@host/database for many"
        " machines (default: the user's cache folder)",
    )
    plan: bool = _suite_option(
        "show what the run would ask and cost, and ask nothing; on the command line only (default:"
        " off)",
        False,
    )
    budget: float | None = _option(
        "DOLLARS: never spend more than this; pairs that it cannot pay are errors (default: no"
        " limit)",
        None,
        _dollars,
    )
    in_flight: int = _option(
        "N: the maximum number of open requests, over all workers (default: 64)",
        IN_FLIGHT,
        read_whole,
    )
    votes: int | None = _option(
        "N: how often each question is asked (default: the judge's votes in the suite, else 1)",
        None,
        read_whole,
    )
    run_record: str | None = _report(
        "run record",
        "record.record_file:record_lines",
        "FILE: write the run record, lines of JSON; during the run, FILE.part (default: none)",
    )
    shard: str | None = _suite_option(
        "I/N: on the command line only, judge one of N shards of the papers; `summeval merge`"
        " decides over all shards (default: all papers)",
        None,
        _shard,
    )
    from_: tuple[str, ...] = _suite_option(
        "FILE: on the command line only, compute the verdicts from these run records, such as"
        " shards, without a judge (default: none)",
        (),
    )
    save: str | None = _suite_option(
        "NAME: save the run under this name beside the suite, for --summ-compare (default: none)"
    )
    compare: str | None = _suite_option(
        "NAME|FILE: compare each system with the same system of this saved run, or its only one;"
        " NAME:SYSTEM chooses another (default: none)"
    )
    junit: str | None = _report(
        "JUnit report",
        "reports.junit:junit_pieces",
        "FILE: write a JUnit report with a case for each facet and metric (default: none;"
        " pytest's own --junitxml has a case for each pair)",
    )
    html: str | None = _report(
        "page", "reports.page:page_pieces", "FILE: write the run as one HTML page (default: none)"
    )
    gitlab: str | None = _report(
        "code quality report",
        "reports.ci:quality_pieces",
        "FILE: write failures as GitLab's code quality report, for merge requests (default: none)",
    )
    github: bool = _suite_option(
        "annotate failing pairs and write a step summary for GitHub Actions (default: where"
        " GITHUB_ACTIONS is set)",
        False,
    )
    suite: str | None = _option(
        "PATH: the suite for hand-written tests with summ_pair, as a path from the root directory"
        " (default: the suite that an argument names, else the nearest summeval.toml above it)"
    )

    @property
    def reports(self) -> dict[str, str]:
        """The report files that are asked for, by option."""
        files = {name: getattr(self, name) for name, option in TABLE.items() if option.is_report}
        return {name: file for name, file in files.items() if file is not None}


TABLE: Final = {
    each.name: Option(name=each.name, default=each.default, **each.metadata)
    for each in fields(Options)
}
"""The options by name."""


def in_environment(names: Iterable[str]) -> dict[str, Any]:
    """The values of those of the named options whose variables are set."""
    texts = {name: TABLE[name].in_environment() for name in names}
    return {name: TABLE[name].value(each) for name, each in texts.items() if each}

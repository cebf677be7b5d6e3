"""The choices that a new suite starts from: flags, or in a terminal three questions."""

from __future__ import annotations

from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, Literal, TypeVar, get_args
from urllib.parse import urlsplit

from cyclopts import Parameter

from summeval_pytest.cli.imports import NO_ROW_OPTIONS, RowOptions, read_draft
from summeval_pytest.endpoints.endpoint import API_KEY, BUILT_IN_ENDPOINTS, OPENAI, Endpoint
from summeval_pytest.errors import OptionError, UsageError, nearest
from summeval_pytest.judges.judge import is_local
from summeval_pytest.questions import OFFLINE
from summeval_pytest.suite.lines import TextFile
from summeval_pytest.suite.rows import read_table
from summeval_pytest.text.printing import one_line, safe

if TYPE_CHECKING:
    from collections.abc import Callable

    from rich.console import Console


GITLAB: Final = ".gitlab-ci.yml"
JUDGE: Final = "llm"
"""What the suite calls a model that judges."""
_KEY: Final = "LLM_API_KEY"
_SAMPLE, _SAME, _NAMED = "sample", "the same", "as named"
"""The usual answers about tables; the first two name no file."""
_PAPERS: Final = """\
1. Whose summaries? Enter takes a sample: two made-up papers, red for one planted error.
   Or name your table with a row a summary: CSV, TSV, Parquet, JSON or JSONL."""
_JUDGES: Final = """\
2. Who judges? Enter takes the embedded judge: no key, no network, a smoke test.
   Or name a model, as gpt-4o-2024-08-06."""
_CI: Final = """\
3. Who runs it? GitHub or GitLab then gates each pull or merge request, without a key."""
CI = Literal["github", "gitlab", "none"]
CIS: Final[tuple[CI, ...]] = get_args(CI)
AnswerT = TypeVar("AnswerT")


@Parameter(name="*")
@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """The choices that a suite starts from; None for what is not chosen yet."""

    papers: Annotated[
        Path | None,
        Parameter(
            help="your table with one row per summary: CSV, TSV, Parquet, JSON or JSONL (default: a"
            " sample)"
        ),
    ] = None
    rows: RowOptions = NO_ROW_OPTIONS
    judge: Annotated[
        str | None,
        Parameter(help="offline (the embedded judge), or a model's name (default: offline)"),
    ] = None
    endpoint: Annotated[
        str | None,
        Parameter(
            help="the model's endpoint: openai, ollama or a URL, without a key (default: openai)"
        ),
    ] = None
    ci: Annotated[
        CI | None,
        Parameter(help=f"the CI that runs the gate (default: gitlab beside {GITLAB}, else github)"),
    ] = None

    @property
    def is_asked(self) -> bool:
        """Whether a model at an endpoint judges."""
        return self.judge is not None and not is_local(self.judge)

    @property
    def judge_name(self) -> str:
        """The judge, as ``--summ-judge`` names it."""
        return JUDGE if self.is_asked else self.judge or OFFLINE

    @property
    def server(self) -> Endpoint | None:
        """The endpoint that the suite has to define; None for one that is built in."""
        name = self.endpoint or OPENAI
        if name in BUILT_IN_ENDPOINTS:
            return None
        if "://" not in name:
            near = nearest(name, BUILT_IN_ENDPOINTS)
            raise OptionError(f"--endpoint={one_line(name)}: {near} (or write a URL)")
        server = Endpoint(name="house", base_url=name)
        if server.query or "@" in urlsplit(server.address).netloc:
            raise OptionError(
                f"--endpoint={server.shown} holds more than an address; write it without user,"
                " password and query, since it goes into a file"
            )
        return server

    @property
    def key(self) -> tuple[str, str]:
        """The variable with the judge's key, and the origin to allow; empty where not needed."""
        server = self.server
        if self.is_asked and server is None and self.endpoint in {None, OPENAI}:
            return API_KEY, ""
        if server is None or server.is_loopback or not server.is_private:
            return "", ""
        return _KEY, server.origin


START: Final = Start()


def checked(start: Start) -> Start:
    """Refuses flags that need another flag, and an endpoint that is none."""
    for option in ("summaries", "columns", "system", "skip-missing"):
        if start.papers is None and getattr(start.rows, option.replace("-", "_")):
            raise OptionError(f"--{option} goes with --papers FILE; name it, or leave it out")
    if start.endpoint is not None and not start.is_asked:
        raise OptionError("--endpoint goes with --judge MODEL; name it, or leave it out")
    name = start.judge
    if name is not None and not name.strip():
        raise OptionError("--judge is empty; write offline or a model's name")
    if start.is_asked and get_close_matches(name or "", [OFFLINE], cutoff=0.8):
        raise OptionError(f"--judge={name}: did you mean {OFFLINE!r}?")
    start.server  # noqa: B018 - refused now, not after more questions
    return start


def complete(start: Start, usual: CI) -> Start:
    """Asks in the terminal for every choice that no flag makes.

    Raises:
        KeyboardInterrupt: at Ctrl-C and at the end of the input.
    """
    from rich.console import Console

    console = Console(markup=False, highlight=False, emoji=False, soft_wrap=True)
    try:
        if start.papers is None:
            console.print(_PAPERS)
            start = replace(start, papers=_ask(console, "your table", _SAMPLE, _read_file))
        if start.papers is not None:
            start = replace(start, rows=_ask_rows(start.papers, start.rows, console))
        if start.judge is None:
            start = _ask_judge(start, console)
        if start.ci is None:
            console.print(_CI)
            start = replace(start, ci=_ask(console, "github, gitlab or none", usual, _read_ci))
    except (KeyboardInterrupt, EOFError):
        console.print()
        raise KeyboardInterrupt("nothing was written") from None
    return start


def _ask(console: Console, what: str, usual: str, read: Callable[[str], AnswerT]) -> AnswerT:
    """Asks until the answer can be read; Enter takes the usual one."""
    while True:
        try:
            typed = console.input(safe(f"{what} [{usual}]: "), markup=False, emoji=False)
            return read(typed.strip() or usual)
        except (UsageError, UnicodeDecodeError) as error:
            console.print(safe(str(error)))


def _read_file(typed: str) -> Path | None:
    if typed in {_SAMPLE, _SAME}:
        return None
    file = Path(typed).expanduser()
    read_table(TextFile(file, file.as_posix()))
    return file


def _ask_rows(papers: Path, rows: RowOptions, console: Console) -> RowOptions:
    """Asks for the file of the summaries, and for columns until the rows make a suite."""

    def with_columns(typed: str) -> RowOptions:
        chosen = rows if typed == _NAMED else replace(rows, columns=(*rows.columns, typed))
        read_draft(papers, chosen)
        return chosen

    if rows.summaries is None:
        file = _ask(console, "   table of the summaries", _SAME, _read_file)
        rows = replace(rows, summaries=file)
    return _ask(console, "   columns, as source=article,summary=output", _NAMED, with_columns)


def _ask_judge(start: Start, console: Console) -> Start:
    console.print(_JUDGES)
    start = _ask(console, "judge", OFFLINE, lambda typed: checked(replace(start, judge=typed)))
    if not start.is_asked:
        return start
    console.print("   Where is it? openai, ollama, or the URL of an OpenAI-compatible server.")
    return _ask(
        console, "   endpoint", OPENAI, lambda typed: checked(replace(start, endpoint=typed))
    )


def _read_ci(typed: str) -> CI:
    for known in CIS:
        if typed.lower() == known:
            return known
    raise OptionError(f"{one_line(typed, 60)!r} is none of them; {nearest(typed, CIS)}")

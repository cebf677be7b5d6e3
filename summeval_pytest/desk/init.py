"""`summeval init`: writes a suite and its gate in CI, by flags or three questions."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from functools import partial
from importlib.metadata import distribution
from pathlib import Path
from subprocess import CalledProcessError, run
from typing import TYPE_CHECKING, Annotated, Final, Literal, TypeVar, get_args
from urllib.parse import urlsplit
from urllib.request import url2pathname

from cyclopts import Parameter

from summeval_pytest.desk.imports import RowOptions, read_draft, sample_suite, skeleton
from summeval_pytest.desk.new_suite import check_new, write_new
from summeval_pytest.endpoints.endpoint import OPENAI, Endpoint
from summeval_pytest.errors import OptionError, UsageError, nearest
from summeval_pytest.judges.judge import is_local
from summeval_pytest.questions import OFFLINE
from summeval_pytest.suite.addresses import ALLOW, API_KEY, BUILT_IN_ENDPOINTS
from summeval_pytest.suite.lines import TextFile
from summeval_pytest.suite.prices import EXAMPLE_MODEL
from summeval_pytest.suite.rows import read_table
from summeval_pytest.text.printing import one_line, safe

if TYPE_CHECKING:
    from rich.console import Console

SUITE: Final = "gate"
"""The folder of the new suite."""
GITLAB: Final = ".gitlab-ci.yml"
ACTION: Final = ".github/actions/summ-gate/action.yml"
WORKFLOW: Final = ".github/workflows/summ-gate.yml"
COMMENT: Final = ".github/workflows/summ-gate-comment.yml"
INCLUDED: Final = ".gitlab/summ-gate.yml"
"""Where GitLab's jobs go in a repository that has its own already."""
_SAMPLE_FILES: Final = {
    "papers.jsonl": "papers.jsonl",
    "candidate.jsonl": "systems/candidate.jsonl",
}
"""Where each file of the sample goes. They bear other names here, so that pytest finds no suite in
this package."""
_COMMENTED: Final = re.compile(
    r"^( *)# ( *(?:env:|SUMM_ALLOW_ENDPOINTS: .*|HOUSE_KEY: .*))$", re.MULTILINE
)
"""The lines of a workflow that let a key go to a server of one's own."""
_PATTERN: Final = re.compile(r"[*?+!\\\[\]]")
"""What means something else in GitHub's patterns of branches."""
_REPLAY: Final = re.compile("  # Runs for forks, too.*?(?=  # Runs what has been reviewed)", re.S)
"""The job that shards take the place of, from its comment to that of the next."""
MAX_JOBS: Final = 256
"""Of a matrix at GitHub."""
_FILL_IN: Final = (
    "FILL IN what pip installs: summeval-pytest==VERSION from your index, or summeval-pytest @"
    " git+https://HOST/REPOSITORY@COMMIT"
)
_TESTPATHS: Final = (
    f"plain pytest runs it, too; if your project sets testpaths, add {SUITE} to it",
)
JUDGE: Final = "llm"
"""What the suite calls a model that judges."""
_KEY: Final = "LLM_API_KEY"
_SAMPLE, _SAME, _NAMED = "sample", "the same", "as named"
"""The usual answers about tables; the first two name no file."""
_PAPERS: Final = """\
1. Whose summaries? Enter takes a sample: two made-up papers, red for one planted error.
   Or name your table with a row a summary: CSV, TSV, Parquet, JSON or JSONL."""
_JUDGES: Final = f"""\
2. Who judges? Enter takes the embedded judge: no key, no network, a smoke test.
   Or name a model, as {EXAMPLE_MODEL}."""
_CI: Final = """\
3. Who runs it? GitHub or GitLab then gates each pull or merge request, without a key."""
CI = Literal["github", "gitlab", "none"]
CIS: Final[tuple[CI, ...]] = get_args(CI)
AnswerT = TypeVar("AnswerT")


@Parameter(name="*")
@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """The choices that a suite starts from; None for what is not chosen yet.

    Attributes:
        papers: your table with one row per summary: CSV, TSV, Parquet, JSON or JSONL (default: a
            sample)
        judge: offline (the embedded judge), or a model's name (default: offline)
        endpoint: the model's endpoint: openai, ollama or a URL, without a key (default: openai)
        ci: the CI that runs the gate (default: gitlab beside .gitlab-ci.yml, else github)
    """

    papers: Path | None = None
    rows: RowOptions = field(default_factory=RowOptions)
    judge: str | None = None
    endpoint: str | None = None
    ci: CI | None = None

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
            what = f"--endpoint={server.shown} holds more than an address"
            raise OptionError(f"{what}; leave out user, password and query")
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


def init(
    folder: Annotated[Path, Parameter(help="the repository")] = Path(),
    /,
    *,
    start: Start = Start(),
    shards: Annotated[
        int, Parameter(help="github: how many jobs share a run; one more merges their results")
    ] = 1,
) -> list[str]:
    """Writes the files, all of them new or none, and says what they are and what comes next.

    In a terminal it asks what no flag answers; Ctrl-C or Ctrl-D there is a KeyboardInterrupt.
    """
    usual: CI = "gitlab" if (folder / GITLAB).exists() else "github"
    start = checked(start)
    check_new(folder / SUITE)
    if sys.stdin.isatty() and sys.stdout.isatty():
        start = complete(start, usual)
    start = replace(start, ci=start.ci or usual)
    if shards != 1 and start.ci != "github":
        raise OptionError("--shards goes with --ci github; leave it out")
    suite, notes = _suite(start)
    gitlab = INCLUDED if (folder / GITLAB).exists() else GITLAB
    texts = {**suite, **_ci_files(start, gitlab, shards)}
    if WORKFLOW in texts:
        branch = _PATTERN.sub(r"\\\g<0>", _default_branch(folder))
        branches = f"branches: [{json.dumps(branch)}]"
        texts[WORKFLOW] = texts[WORKFLOW].replace("branches: [main]", branches)
    write_new(folder, texts)
    lines = [one_line(f"wrote {folder / name}", 400) for name in texts]
    lines += [*_TESTPATHS, *notes, *_ci_notes(start, folder, gitlab)]
    return [*lines, *_next(start, one_line(str(folder / SUITE)))]


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
    """Asks for the file of the summaries, and for columns until the rows make a suite.

    Raises:
        UsageError: for the same mistake twice, which no column mends.
    """
    if rows.summaries is None:
        file = _ask(console, "   table of the summaries", _SAME, _read_file)
        rows = replace(rows, summaries=file)
    fault = ""
    while True:
        typed = _ask(console, "   columns, as source=article,summary=output", _NAMED, str)
        chosen = rows if typed == _NAMED else replace(rows, columns=(*rows.columns, typed))
        try:
            read_draft(papers, chosen)
        except UsageError as error:
            if str(error) == fault:
                raise
            fault = str(error)
            console.print(safe(fault))
        else:
            return chosen


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


def _suite(start: Start) -> tuple[dict[str, str], list[str]]:
    """The files of the suite by path, and notes about them."""
    if start.papers is None:
        texts = {place: skeleton(name) for name, place in _SAMPLE_FILES.items()}
        texts["summeval.toml"] = "".join(sample_suite(has_llm=start.is_asked))
        notes = []
    else:
        draft = read_draft(start.papers, start.rows)
        texts = draft.files(start.papers.name, has_llm=start.is_asked)
        notes = [f"{SUITE}: {draft.counted}", *draft.notes()]
    texts["summeval.toml"] += _judge_tables(start)
    texts[".gitattributes"] = skeleton("gitattributes")
    return {f"{SUITE}/{name}": text for name, text in texts.items()}, notes


def _judge_tables(start: Start) -> str:
    """The tables of a model that judges; empty for a judge in this process."""
    if not start.is_asked:
        return ""
    server, (variable, _) = start.server, start.key
    lines = ["", f"# The judge of --summ-judge={JUDGE}. Never write its key into a file."]
    if server is not None:
        lines += ["[endpoints.house]", f"base_url = {json.dumps(server.address)}"]
        lines += [f'api_key_env = "{variable}"', ""] if variable else [""]
    lines += [
        f"[judges.{JUDGE}]",
        f'endpoint = "{server.name if server else start.endpoint or OPENAI}"',
        f"model = {json.dumps(start.judge, ensure_ascii=False)}",
    ]
    return "".join(f"{line}\n" for line in lines)


def _ci_files(start: Start, gitlab: str, n_shards: int = 1) -> Mapping[str, str]:
    """The files of the gate in CI by their paths."""
    if not 1 <= n_shards <= MAX_JOBS:
        raise OptionError(f"--shards={n_shards}: a matrix has 1 to {MAX_JOBS} jobs")
    if start.ci == "none":
        return {}
    if start.ci == "gitlab":
        return {gitlab: _filled(skeleton("gitlab.yml"), start)}
    workflow = skeleton("workflow.yml")
    if n_shards > 1:
        numbers = ", ".join(map(str, range(1, n_shards + 1)))
        jobs = skeleton("shards.yml").replace("SHARDS]", f"{numbers}]")
        jobs = jobs.replace("/COUNT", f"/{n_shards}")
        workflow = _REPLAY.sub(lambda _: jobs, workflow, count=1)
    filled = {WORKFLOW: workflow, COMMENT: skeleton("comment.yml")}
    return {ACTION: skeleton("action.yml"), **{k: _filled(v, start) for k, v in filled.items()}}


def _with_value(value: str, line: re.Match[str]) -> str:
    """A line of YAML with this value behind its key."""
    return line[1] + json.dumps(value)


def _filled(text: str, start: Start) -> str:
    """A file for CI, filled in for this repository."""
    values = {"SUITE": SUITE, "INSTALL": install_source() or _FILL_IN, "JUDGE": start.judge_name}
    for key, value in values.items():
        line = re.compile(rf"^( +{key}: ).*", re.MULTILINE)
        text = line.sub(partial(_with_value, value), text)
    variable, origin = start.key
    if origin:
        text = _COMMENTED.sub(r"\1\2", text).replace("HOUSE_KEY", variable)
        text = text.replace("https://llm.example.org", origin)
    return text


def _default_branch(folder: Path) -> str:
    """The branch that is judged anew: origin's default, or else main, master or what is open."""
    for ref in ("refs/remotes/origin/HEAD", "refs/heads/main", "refs/heads/master", "HEAD"):
        with suppress(OSError, UnicodeDecodeError):
            file = folder / ".git" / ref
            if not file.is_file():
                continue
            text = file.read_text(encoding="utf-8")
            points_at = re.fullmatch(r"ref: refs/(?:remotes/origin|heads)/(\S+)\n?", text)
            return points_at[1] if points_at else ref.rpartition("/")[2].replace("HEAD", "main")
    return "main"


def install_source() -> str | None:
    """The requirement that installs this package on another machine; None if it is not known.

    What came from an index has no ``direct_url.json``; a local version is on none.
    """
    package = distribution("summeval-pytest")
    origin = package.read_text("direct_url.json")
    if origin is None:
        return None if "+" in package.version else f"summeval-pytest=={package.version}"
    direct = json.loads(origin)
    vcs, url = direct.get("vcs_info"), urlsplit(direct.get("url", ""))
    if not vcs and url.scheme == "file":
        address, commit = _origin_of_clone(url2pathname(url.path))
        vcs, url = {"vcs": "git", "commit_id": commit}, urlsplit(address)
    if not vcs or url.scheme not in {"http", "https", "ssh"}:
        return None
    user = "git@" if url.scheme == "ssh" else ""
    host = url.netloc.rpartition("@")[2]
    return (
        f"summeval-pytest @ {vcs['vcs']}+{url.scheme}://{user}{host}{url.path}@{vcs['commit_id']}"
    )


def _origin_of_clone(folder: str) -> tuple[str, str]:
    """The address and the commit of a clone, if its origin has that commit; else empty texts."""
    git = ("git", "-C", folder)
    asked = "remote get-url origin", "rev-parse HEAD", "branch --remotes --contains HEAD"
    try:
        address, commit, branches = (
            run([*git, *each.split()], capture_output=True, text=True, check=True).stdout.strip()  # noqa: S603 - git of the user's own
            for each in asked
        )
    except (OSError, CalledProcessError):
        return "", ""
    address = re.sub(r"^(?:[\w.-]+@)?([\w.-]+):(?!//)", r"https://\1/", address)  # git@HOST:PATH
    return (address, commit) if branches else ("", "")


def _ci_notes(start: Start, folder: Path, gitlab: str) -> Iterator[str]:
    """What the user has to do before CI gates."""
    if start.ci == "none":
        return
    root, file = one_line(str(folder)), gitlab if start.ci == "gitlab" else WORKFLOW
    if install_source() is None:
        files = f"{WORKFLOW} and {COMMENT}" if file == WORKFLOW else f"{file}, twice"
        yield f"fill in INSTALL in {files}: this version comes from no index and no git address"
    if file == INCLUDED:
        yield f"so that GitLab runs it, write include: [{{local: {INCLUDED}}}] in {GITLAB}"
    if not (folder / ".git").exists():
        reader = "GitLab reads .gitlab-ci.yml" if start.ci == "gitlab" else "GitHub reads .github"
        yield f"note: {root} is not the root of a git repository; {reader} there only"


def _next(start: Start, suite: str) -> Iterator[str]:
    """What the user should fix, set and type next."""
    if start.papers is None:
        fault = "says 41 bumblebees, but the paper says 31; fix that line"
        yield f"candidate::bees-01 will fail: {suite}/systems/candidate.jsonl:1 {fault}"
    judge = f" --summ-judge={start.judge_name}" if start.judge_name != OFFLINE else ""
    if start.is_asked:
        variable, origin = start.key
        allow = f", and {ALLOW}={variable}={origin}" if origin else ""
        if variable:
            yield f"set {variable} to the judge's key{allow}"
        yield f"what it costs: pytest {suite}{judge} --summ-plan"
        if start.ci != "none":
            export = f"summeval cassette export {suite} --judge={start.judge_name}"
            yield f"for CI, after a run: {export}, and commit the cassette"
    yield f"next: pytest {suite}{judge}"

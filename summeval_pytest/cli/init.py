"""`summeval init`: writes a suite and its gate in CI, by flags or three questions."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from importlib.metadata import distribution
from pathlib import Path
from textwrap import dedent, indent
from typing import Annotated, Final
from urllib.parse import urlsplit

from cyclopts import Parameter

from summeval_pytest.cli.answers import CI, GITLAB, JUDGE, START, Start, checked, complete
from summeval_pytest.cli.imports import read_draft, skeleton
from summeval_pytest.endpoints.endpoint import ALLOW, OPENAI
from summeval_pytest.errors import OptionError, UsageError
from summeval_pytest.questions import OFFLINE
from summeval_pytest.text.printing import one_line

SUITE: Final = "gate"
"""The folder of the new suite."""
ACTION: Final = ".github/actions/summ-gate/action.yml"
WORKFLOW: Final = ".github/workflows/summ-gate.yml"
COMMENT: Final = ".github/workflows/summ-gate-comment.yml"
INCLUDED: Final = ".gitlab/summ-gate.yml"
"""Where GitLab's jobs go in a repository that has its own already."""
_SAMPLE: Final = {
    "papers.jsonl": "papers.jsonl",
    "candidate.jsonl": "systems/candidate.jsonl",
    "suite.toml": "summeval.toml",
}
"""Where each file of the sample goes. They bear other names here, so that pytest finds no suite in
this package."""
_PLANTED: Final = ("candidate::bees-01", 1, "41 bumblebees", "31")
"""The sample's red test, the line of its summary, what is wrong there, and what is right."""
_COMMENTED: Final = re.compile(
    r"^( *)# ( *(?:env:|SUMM_ALLOW_ENDPOINTS: .*|HOUSE_KEY: .*))$", re.MULTILINE
)
"""The lines of a workflow that let a key go to a server of one's own."""
_PLAIN: Final = re.compile(r"(?!(?:true|false|null|yes|no|on|off|y|n)\Z)[a-z][\w.=-]*", re.I | re.A)
"""What YAML reads as it stands, and as no number or other value."""
_PATTERN: Final = re.compile(r"[*?+!\\\[\]]")
"""What means something else in GitHub's patterns of branches."""
_LONGEST_REF: Final = 1000
_REPLAY: Final = "  # Runs for forks, too"
_REVIEWED: Final = "  # Runs what has been reviewed"
"""How the comments begin above the job that shards take the place of, and above the next."""
MAX_JOBS: Final = 256
"""Of a matrix at GitHub."""
_FILL_IN: Final = (
    "FILL IN what pip installs: summeval-pytest==VERSION from your index, or summeval-pytest @"
    " git+https://HOST/REPOSITORY@COMMIT"
)


_TESTPATHS: Final = (
    "so that plain pytest runs it, add it to testpaths:",
    f'  pyproject.toml, [tool.pytest.ini_options]: testpaths = [".", "{SUITE}"]',
    f"  pytest.ini, [pytest]: testpaths = . {SUITE}",
)


def init(
    folder: Annotated[Path, Parameter(help="the repository")] = Path(),
    /,
    *,
    start: Start = START,
    shards: Annotated[
        int, Parameter(help="github: how many jobs share a run; one more merges their results")
    ] = 1,
) -> list[str]:
    """Writes the files, all of them new or none, and says what they are and what comes next.

    In a terminal it asks what no flag answers; Ctrl-C or Ctrl-D there is a KeyboardInterrupt.
    """
    usual: CI = "gitlab" if (folder / GITLAB).exists() else "github"
    start = checked(start)
    _refuse_old(folder, f"{SUITE}/summeval.toml")
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
        branches = f"branches: [{_as_yaml(branch)}]"
        texts[WORKFLOW] = texts[WORKFLOW].replace("branches: [main]", branches)
    _write(folder, texts)
    lines = [one_line(f"wrote {folder / name}", 400) for name in texts]
    lines += [*_TESTPATHS, *notes, *_ci_notes(start, folder, gitlab)]
    return [*lines, *_next(start, one_line(str(folder / SUITE)))]


def _refuse_old(folder: Path, *names: str) -> None:
    for file in (folder / name for name in names):
        if file.exists() or file.is_symlink():
            remedy = "move it, or name another folder"
            if not file.is_relative_to(folder / SUITE):
                remedy += ", or leave out what CI runs with --ci none"
            raise UsageError(f"{file} exists already, and nothing was written; {remedy}")


def _write(folder: Path, texts: Mapping[str, str]) -> None:
    """Writes all files; where one cannot be written, those before it are removed."""
    _refuse_old(folder, *texts)
    written: list[Path] = []
    for name, text in texts.items():
        file = folder / name
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            with file.open("xb") as handle:
                written.append(file)
                handle.write(text.encode())
        except OSError as error:
            for other in written:
                other.unlink()
            raise UsageError(
                f"{file} cannot be written ({error.strerror}), so nothing was; mend that, or name"
                " another folder"
            ) from None


def _suite(start: Start) -> tuple[dict[str, str], list[str]]:
    """The files of the suite by path, and notes about them."""
    if start.papers is None:
        texts = {place: skeleton(name) for name, place in _SAMPLE.items()}
        notes = []
    else:
        draft = read_draft(start.papers, start.rows)
        texts = draft.files(start.papers.name)
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
        code = dedent(skeleton("comment.yml").partition("        run: |\n")[2])
        before, mark, after = skeleton("gitlab.yml").partition("<<'SCRIPT'\n")
        return {gitlab: _filled(f"{before}{mark}{indent(code, ' ' * 6)}{after}", start)}
    workflow = skeleton("workflow.yml")
    if n_shards > 1:
        before, _, rest = workflow.partition(_REPLAY)
        _, reviewed, after = rest.partition(_REVIEWED)
        numbers = ", ".join(map(str, range(1, n_shards + 1)))
        jobs = skeleton("shards.yml").replace("SHARDS]", f"{numbers}]")
        workflow = before + jobs.replace("/COUNT", f"/{n_shards}") + reviewed + after
    comment = skeleton("comment.yml")
    return {ACTION: skeleton("action.yml"), WORKFLOW: _filled(workflow, start), COMMENT: comment}


def _filled(text: str, start: Start) -> str:
    """A file for CI, filled in for this repository."""
    values = {"SUITE": SUITE, "INSTALL": install_source() or _FILL_IN, "JUDGE": start.judge_name}
    for key, value in values.items():
        before, mark, rest = text.partition(f" {key}: ")
        _, line_end, after = rest.partition("\n")
        text = f"{before}{mark}{_as_yaml(value)}{line_end}{after}"
    variable, origin = start.key
    if origin:
        text = _COMMENTED.sub(r"\1\2", text).replace("HOUSE_KEY", variable)
        text = text.replace("https://llm.example.org", origin)
    return text


def _as_yaml(value: str) -> str:
    return value if _PLAIN.fullmatch(value) else json.dumps(value)


def _default_branch(folder: Path) -> str:
    """The branch that is judged anew: origin's default, or else main, master or what is open."""
    for ref in ("refs/remotes/origin/HEAD", "refs/heads/main", "refs/heads/master", "HEAD"):
        with suppress(OSError, UnicodeDecodeError):
            file = folder / ".git" / ref
            if not file.is_file():
                continue
            with file.open(encoding="utf-8") as handle:
                text = handle.read(_LONGEST_REF)
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
    if not vcs or url.scheme not in {"http", "https", "ssh"}:
        return None
    user = "git@" if url.scheme == "ssh" else ""
    host = url.netloc.rpartition("@")[2]
    return (
        f"summeval-pytest @ {vcs['vcs']}+{url.scheme}://{user}{host}{url.path}@{vcs['commit_id']}"
    )


def _ci_notes(start: Start, folder: Path, gitlab: str) -> Iterator[str]:
    """What the user has to do before CI gates."""
    if start.ci == "none":
        return
    root, file = one_line(str(folder)), gitlab if start.ci == "gitlab" else WORKFLOW
    if install_source() is None:
        yield f"fill in INSTALL in {file}: this version comes from no index and no git address"
    if file == INCLUDED:
        yield f"so that GitLab runs it, write include: [{{local: {INCLUDED}}}] in {GITLAB}"
    if not (folder / ".git").exists():
        reader = "GitLab reads .gitlab-ci.yml" if start.ci == "gitlab" else "GitHub reads .github"
        yield f"note: {root} is not the root of a git repository; {reader} there only"


def _next(start: Start, suite: str) -> Iterator[str]:
    """What the user should fix, set and type next."""
    if start.papers is None:
        test, line, wrong, right = _PLANTED
        place = f"{suite}/{_SAMPLE['candidate.jsonl']}:{line}"
        yield f"{test} will fail: {place} says {wrong}, but the paper says {right}; fix that line"
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

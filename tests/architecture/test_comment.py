"""The comment on a pull request: its job is run against a server that keeps comments."""

from __future__ import annotations

import io
import json
import os
import re
import sys
from collections.abc import Iterator
from contextlib import redirect_stdout, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from runpy import run_path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
import yaml

from summeval_pytest.cli import init as init_module
from summeval_pytest.cli.imports import skeleton
from summeval_pytest.cli.init import COMMENT, GITLAB, Start, init
from summeval_pytest.reports.ci import step_summary
from tests.architecture.test_action import ROOT
from tests.processes import clean_environment, run_command, serving
from tests.reports.records import STRANGERS, hostile_run, small_run

MARKER = "<!-- summ-gate -->"
BOT = "github-actions[bot]"
PAGE = "https://ci.example/runs/7#artifacts"
HEAD = f"{MARKER}\n[All reports]({PAGE}) of commit abc\n\n"
WORKFLOW = yaml.safe_load((ROOT / COMMENT).read_text(encoding="utf-8"))
JOB = WORKFLOW["jobs"]["comment"]
SCRIPT = JOB["steps"][-1]["run"]


@dataclass
class Forge:
    """A forge with one pull request; it keeps its comments, and what it was asked to do."""

    base: str = ""
    by: str = BOT
    comments: list[dict[str, Any]] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)
    tokens: set[str] = field(default_factory=set)

    def add(self, body: str, by: str) -> None:
        """Somebody comments."""
        author = {"login": by, "username": by, "name": BOT}
        entry = {"id": len(self.comments) + 1, "body": body, "user": author, "author": author}
        self.comments.append(entry)

    def answer(self, method: str, address: str, body: dict[str, str]) -> object:
        """Does what a request asks for, as GitHub and GitLab do."""
        path, query = urlsplit(address).path, parse_qs(urlsplit(address).query)
        self.requests.append(f"{method} {path}")
        if path.endswith("/user"):
            return {"username": self.by}
        if path.endswith("/pulls"):
            mine = query["head"] == ["fork-owner:fix/a&b"] and query["state"] == ["open"]
            shas = ("0ld", "abc", "two", "two") if mine else ()
            return [{"number": n, "head": {"sha": sha}} for n, sha in enumerate(shas, start=6)]
        if method == "POST":
            self.add(body["body"], self.by)
            return self.comments[-1]
        if method in {"PATCH", "PUT"}:
            entry = self.comments[int(path.rpartition("/")[2]) - 1]
            entry.update(body)
            return entry
        start = 100 * (int(query["page"][0]) - 1)
        return self.comments[start : start + 100]


@pytest.fixture
def forge() -> Iterator[Forge]:
    """A forge without comments, at an address of this machine."""
    forge = Forge()

    class Handler(BaseHTTPRequestHandler):
        def _reply(self) -> None:
            size = int(self.headers.get("Content-Length") or 0)
            body = json.loads(self.rfile.read(size)) if size else {}
            forge.tokens |= {
                f"{name}: {value}"
                for name, value in self.headers.items()
                if name.lower() in {"authorization", "private-token"}
            }
            reply = json.dumps(forge.answer(self.command, self.path, body)).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(reply)))
            self.end_headers()
            self.wfile.write(reply)

        do_GET = do_POST = do_PATCH = do_PUT = _reply  # noqa: N815 - names of http.server

    with serving(Handler) as forge.base:
        yield forge


def comment(forge: Forge, folder: Path, text: str = "# failed\n", **values: str) -> str:
    """What the script of the job prints; it is run on the Markdown that a gate has left."""
    file = folder / "comment.md"
    if not file.is_symlink():
        file.write_bytes(text.encode(errors="replace"))
    env = {
        "API": f"{forge.base}/repos/team/models",
        "AUTH": "Authorization: Bearer t0ken",
        "FILE": str(file),
        "LOGIN": BOT,
        "PAGE": PAGE,
        "HEAD": "fork-owner:fix/a&b",
        "SHA": "abc",
    }
    (folder / "script.py").write_text(SCRIPT, encoding="utf-8")
    printed = io.StringIO()
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(printed), suppress(SystemExit):
        for name, value in (env | values).items():
            patch.setenv(name, value)
        run_path(str(folder / "script.py"))
    return printed.getvalue()


def test_the_job_may_comment_and_runs_nothing_of_a_pull_request() -> None:
    """It has a token that can write, and a fork's branch, name and files are a stranger's."""
    assert WORKFLOW["permissions"] == {"actions": "read", "pull-requests": "write"}
    assert WORKFLOW[True] == {"workflow_run": {"workflows": ["summ-gate"], "types": ["completed"]}}
    assert "permissions" not in JOB
    download, post = JOB["steps"]
    assert re.fullmatch(r"actions/download-artifact@[0-9a-f]{40}", download["uses"])
    assert post.keys() == {"name", "shell", "env", "run"}
    assert post["shell"] == "python3 {0}"
    assert "${{" not in SCRIPT
    assert not re.search(r"\b(eval|exec|subprocess|import_module|os\.system)\b", SCRIPT)
    assert post["env"].keys() == {"API", "AUTH", "FILE", "LOGIN", "PAGE", "HEAD", "SHA"}
    for name in ("HEAD", "SHA", "PAGE"):  # whose pull request it is, the event says
        assert "${{ github.event.workflow_run." in post["env"][name]
    assert (ROOT / COMMENT).read_text(encoding="utf-8") == skeleton("comment.yml")


def test_a_comment_is_renewed_in_place(forge: Forge, tmp_path: Path) -> None:
    """Ten pushes are one comment, and the pull request is the one of the event."""
    forge.add(f"{MARKER}\nmine", by="mallory")
    for number in range(150):  # the second page, too, is searched
        forge.add(f"comment {number}", by=BOT)
    comment(forge, tmp_path, "# failed\n")
    assert len(forge.comments) == 152
    assert forge.comments[-1]["body"] == f"{HEAD}# failed\n"
    comment(forge, tmp_path, "# passed\n")
    assert len(forge.comments) == 152
    assert forge.comments[-1]["body"] == f"{HEAD}# passed\n"
    assert forge.comments[0]["body"] == f"{MARKER}\nmine"
    at = "/repos/team/models"
    changes = [each for each in forge.requests if not each.startswith("GET")]
    assert changes == [f"POST {at}/issues/7/comments", f"PATCH {at}/issues/comments/152"]
    assert forge.tokens == {"Authorization: Bearer t0ken"}


def test_only_the_head_of_one_gets_a_comment(forge: Forge, tmp_path: Path) -> None:
    """The run of the newer commit says it; an older one that ends later must not overwrite it."""
    # Of two pull requests, to other branches, one would get what the gate found for the other.
    for values, n_pulls in (({"SHA": "f0f"}, 0), ({"HEAD": "other:main"}, 0), ({"SHA": "two"}, 2)):
        printed = comment(forge, tmp_path, **values)
        assert printed.startswith(f"{n_pulls} open pull requests are at this commit")
    assert forge.comments == []


HOSTILE = (
    *STRANGERS,
    "@team @octo/team &#64;team &commat;team",
    MARKER,
    "<img src=https://evil.example/p.png> <details><summary>x",
    "![x](https://evil.example/p.png) [x](https://evil.example) [x][1]\n\n[1]: https://evil.example",
    "/close\n /merge\n\t/approve",
    "#1 team/models#2 GH-3 !4 https://evil.example http:\\/\\/evil.example WWW.evil.example",
    "\ud83d\u202e\x1b[31m\x00",
    "```mermaid\ngraph TD; a-->b\n```\n~~~~ geojson\n~~~~",
)


@pytest.mark.parametrize("text", HOSTILE)
def test_no_part_of_the_text_acts(forge: Forge, tmp_path: Path, text: str) -> None:
    """Whoever opens a pull request writes the artifact, inside code spans or not."""
    markdown = pytest.importorskip("markdown_it").MarkdownIt("commonmark", {"html": True})
    comment(forge, tmp_path, f"{text}\n\n`{text}`\n")
    body = forge.comments[0]["body"]
    assert body.startswith(HEAD)
    rest = body.removeprefix(HEAD)
    shown = markdown.render(rest)
    assert not re.search(r"<(?!/?(p|h\d|ul|li|blockquote|em|strong|pre|code|br|hr|ol)\b)", shown)
    assert not re.search(r"@\w|&\w|&#|[!#]\d|GH-|://|www\.|^\s*/", rest, re.IGNORECASE | re.M)
    assert not re.search(r'class="language-\w', shown)
    assert all(each.isprintable() or each in "\n\u200b" for each in rest)


def test_the_step_summary_can_be_read_in_a_comment(forge: Forge, tmp_path: Path) -> None:
    """The systems, the comparison and the worst findings, whatever strangers are called."""
    comment(forge, tmp_path, step_summary(small_run()))
    body = forge.comments[0]["body"].replace("\u200b", "")
    assert "# \u274c failed" in body
    for heading in ("Systems", "Against the baseline", "Worst findings"):
        assert f"## {heading}" in body
    assert "| `careless` | \u274c failed" in body
    hostile = step_summary(hostile_run("@team <!-- summ-gate --> ![x](https://evil.example)"))
    comment(forge, tmp_path, hostile)
    (only,) = forge.comments
    assert only["body"].count(MARKER) == 1
    assert "@team" not in only["body"]


def test_a_long_text_is_cut_at_a_line_and_says_so(forge: Forge, tmp_path: Path) -> None:
    """GitHub refuses more than 65,536 characters, and each section has to be seen."""
    # Without a result an old comment would be taken for what this commit is worth.
    for n_lines, n_sections in ((1_000, 5), (100_000, 1)):
        sections = (f"## Section {n}\n" + "- `<@&!>`\n" * n_lines for n in range(9))
        comment(forge, tmp_path, "# failed\n\n" + "".join(sections))
        body = forge.comments[0]["body"]
        assert len(body) < 65_536
        assert body.count("`\n\nMore is in the reports.\n") == n_sections
        assert re.findall(r"Section \d", body) == [f"Section {n}" for n in range(n_sections)]
    comment(forge, tmp_path, "")
    assert forge.comments[0]["body"] == f"{HEAD}The gate has no result; its log says why."


@pytest.mark.skipif(sys.platform == "win32", reason="the job runs on Linux")
def test_a_link_in_the_artifact_is_not_followed(forge: Forge, tmp_path: Path) -> None:
    """It may lead to what the job knows, as its token."""
    (tmp_path / "secret").write_text("t0ken", encoding="utf-8")
    (tmp_path / "comment.md").symlink_to(tmp_path / "secret")
    with pytest.raises(OSError, match="symbolic link"):
        comment(forge, tmp_path)
    assert forge.comments == []


@pytest.mark.skipif(sys.platform == "win32", reason="a runner's script is one of a POSIX shell")
def test_gitlab_renews_its_note(
    forge: Forge, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A note is run for quick actions, so `/merge` of a stranger would be ours."""
    monkeypatch.setattr(init_module, "install_source", lambda: "summeval-pytest==1.2")
    init(tmp_path, start=Start(ci="gitlab"))
    jobs = yaml.safe_load((tmp_path / GITLAB).read_text(encoding="utf-8"))
    job = jobs["summ-gate-note"]
    assert job["rules"][0]["if"].endswith('== "merge_request_event" && $SUMM_NOTE_TOKEN')
    assert job["variables"]["GIT_STRATEGY"] == "none"
    (script,) = job["script"]
    assert SCRIPT in script
    names = {"CI_MERGE_REQUEST_PROJECT_ID": "3", "CI_MERGE_REQUEST_IID": "9"}
    names |= {"CI_API_V4_URL": f"{forge.base}/api/v4", "SUMM_NOTE_TOKEN": "t0ken"}
    names |= {"CI_PIPELINE_URL": PAGE, "CI_COMMIT_SHA": "abc"}
    names["PATH"] = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    variables = {
        name: re.sub(r"\$(\w+)", lambda match: names[match[1]], value)
        for name, value in job["variables"].items()
    }
    forge.by = "project_3_bot"
    (tmp_path / "summ-gate").mkdir()
    for text in ("# failed\n/merge\n", "# passed\n"):
        (tmp_path / "summ-gate/comment.md").write_text(text, encoding="utf-8")
        run_command("sh", "-ec", script, cwd=tmp_path, env=clean_environment(**names, **variables))
    changes = [each for each in forge.requests if not each.startswith("GET")]
    notes = "/api/v4/projects/3/merge_requests/9/notes"
    assert changes == [f"POST {notes}", f"PUT {notes}/1"]
    assert forge.comments[0]["body"] == f"{HEAD}# passed\n"
    assert forge.tokens == {"Private-Token: t0ken"}

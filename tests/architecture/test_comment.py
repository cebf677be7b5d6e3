"""The comment on a pull request: its job is run against a server that keeps comments."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
import yaml

from summeval_pytest.cli.runs import NO_RESULT
from summeval_pytest.desk import init as init_module
from summeval_pytest.desk.imports import skeleton
from summeval_pytest.desk.init import COMMENT, GITLAB, Start, init
from summeval_pytest.record.record_file import record_lines
from summeval_pytest.verdict.run import RunVerdict
from tests.architecture.test_action import BASH, ROOT
from tests.processes import clean_environment, run_command, serving
from tests.reports.records import small_run

MARKER = "<!-- summ-gate -->"
BOT = "github-actions[bot]"
PAGE = "https://ci.example/runs/7#artifacts"
REPORTS = f"{MARKER}\n[All reports]({PAGE}) of commit abc"
"""What a comment begins with. GitHub says how the gate ended: the record may say anything."""
WORKFLOW = yaml.safe_load((ROOT / COMMENT).read_text(encoding="utf-8"))
JOB = WORKFLOW["jobs"]["comment"]
SCRIPT = JOB["steps"][-1]["run"]
needs_jq = pytest.mark.skipif(
    not all(map(shutil.which, ("bash", "curl", "jq"))), reason="GitHub's runners have curl and jq"
)


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


def recorded(folder: Path, run: RunVerdict | str = "") -> Path:
    """The record that a gate has left."""
    file = folder / "run.jsonl"
    file.write_text(run if isinstance(run, str) else "".join(record_lines(run)), encoding="utf-8")
    return file


def comment(forge: Forge, folder: Path, run: Path, **values: str) -> str:
    """What the script of the job prints; it is run on the record that a gate has left."""
    env = {
        "API": f"{forge.base}/repos/team/models",
        "AUTH": "Authorization: Bearer t0ken",
        "RUN": str(run),
        "BY": BOT,
        "PAGE": PAGE,
        "HEAD": "fork-owner:fix/a&b",
        "SHA": "abc",
        "ENDED": "failure",
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
    }
    environment = clean_environment(**(env | values))
    return run_command(*BASH, "-c", SCRIPT, cwd=folder, env=environment).stdout


def test_the_job_may_comment_and_runs_nothing_of_a_pull_request() -> None:
    """It has a token that can write, and a fork's branch, name and files are a stranger's."""
    permissions = {"actions": "read", "contents": "read", "pull-requests": "write"}
    assert WORKFLOW["permissions"] == permissions
    assert WORKFLOW[True] == {"workflow_run": {"workflows": ["summ-gate"], "types": ["completed"]}}
    assert "permissions" not in JOB
    checkout, _, install, download, post = JOB["steps"]
    assert checkout["with"] == {"persist-credentials": False}  # the default branch
    assert install == {"run": 'python -m pip install "$INSTALL"'}
    assert download["with"]["path"] == "${{ runner.temp }}/summ-gate"  # beside the checkout
    assert post.keys() == {"name", "shell", "env", "run"}
    assert "${{" not in SCRIPT
    assert not re.search(r"\b(eval|exec|source|sh|python3?)\b", SCRIPT)
    assert SCRIPT.count('"$RUN"') == SCRIPT.count("$RUN") == 1
    assert post["env"].keys() == {"API", "AUTH", "BY", "RUN", "PAGE", "HEAD", "SHA", "ENDED"}
    for name in ("HEAD", "SHA", "PAGE", "ENDED"):  # whose pull request it is, the event says
        assert "${{ github.event.workflow_run." in post["env"][name]
    assert (ROOT / COMMENT).read_text(encoding="utf-8") == skeleton("comment.yml")


@needs_jq
def test_a_comment_is_renewed_in_place(forge: Forge, tmp_path: Path) -> None:
    """Ten pushes are one comment, and the pull request is the one of the event."""
    forge.add(f"{MARKER}\nmine", by="mallory")
    for number in range(150):  # the second page, too, is searched
        forge.add(f"comment {number}", by=BOT)
    comment(forge, tmp_path, recorded(tmp_path))
    assert len(forge.comments) == 152
    assert forge.comments[-1]["body"] == f"{REPORTS}; the gate ended with failure\n\n{NO_RESULT}\n"
    comment(forge, tmp_path, recorded(tmp_path, small_run()))
    assert len(forge.comments) == 152
    body = forge.comments[-1]["body"]
    assert body.startswith(f"{REPORTS}; the gate ended with failure\n\n# \u274c failed")
    for heading in ("Systems", "Against the baseline", "Worst findings"):
        assert f"## {heading}" in body
    assert forge.comments[0]["body"] == f"{MARKER}\nmine"
    at = "/repos/team/models"
    changes = [each for each in forge.requests if not each.startswith("GET")]
    assert changes == [f"POST {at}/issues/7/comments", f"PATCH {at}/issues/comments/152"]
    assert forge.tokens == {"Authorization: Bearer t0ken"}


@needs_jq
@pytest.mark.parametrize("values", [{"HEAD": "other:main"}, {"SHA": "two"}])
def test_only_the_head_of_one_gets_a_comment(
    forge: Forge, tmp_path: Path, values: dict[str, str]
) -> None:
    """The run of the newer commit says it; an older one that ends later must not overwrite it."""
    # Of two pull requests, to other branches, one would get what the gate found for the other.
    printed = comment(forge, tmp_path, recorded(tmp_path), **values)
    assert printed == "no pull request, or more than one, is at this commit\n"
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
    assert job["variables"]["INSTALL"] == "summeval-pytest==1.2"
    names = {"CI_MERGE_REQUEST_PROJECT_ID": "3", "CI_MERGE_REQUEST_IID": "9"}
    names |= {"CI_API_V4_URL": f"{forge.base}/api/v4", "SUMM_NOTE_TOKEN": "t0ken"}
    names |= {"CI_PIPELINE_URL": PAGE, "CI_COMMIT_SHA": "abc"}
    names["PATH"] = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    notes = re.sub(r"\$(\w+)", lambda match: names[match[1]], job["variables"]["NOTES"])
    forge.by = "project_3_bot"
    (tmp_path / "summ-gate").mkdir()
    for run in ("/merge\n", small_run()):
        recorded(tmp_path / "summ-gate", run)
        env = clean_environment(**names, NOTES=notes)
        run_command("sh", "-ec", "\n".join(job["script"]), cwd=tmp_path, env=env)
    changes = [each for each in forge.requests if not each.startswith("GET")]
    notes = "/api/v4/projects/3/merge_requests/9/notes"
    assert changes == [f"POST {notes}", f"PUT {notes}/1"]
    assert forge.comments[0]["body"].startswith(f"{REPORTS}\n\n# \u274c failed")
    assert forge.tokens == {"Private-Token: t0ken"}

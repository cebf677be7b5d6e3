from __future__ import annotations

import io
import json
import os
import re
import select
import shutil
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from summeval_pytest.cli.app import main
from summeval_pytest.desk import init as init_module
from summeval_pytest.desk.imports import RowOptions, skeleton
from summeval_pytest.desk.init import (
    ACTION,
    COMMENT,
    GITLAB,
    SUITE,
    WORKFLOW,
    Start,
    init,
)
from summeval_pytest.errors import OptionError, UsageError
from summeval_pytest.suite.suite import load_suite
from summeval_pytest.verdict.thresholds import Threshold, thresholds_of
from tests.plugin.conftest import Bench
from tests.processes import clean_environment, run_command

ROOT = Path(__file__).parents[2]
FILES = (
    "gate/papers.jsonl",
    "gate/systems/candidate.jsonl",
    "gate/summeval.toml",
    "gate/.gitattributes",
    ".github/actions/summ-gate/action.yml",
    ".github/workflows/summ-gate.yml",
    ".github/workflows/summ-gate-comment.yml",
)


def files_in(folder: Path) -> dict[str, bytes]:
    """What lies in a folder, by path."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


RED = "candidate::bees-01 will fail: {}:1 says 41 bumblebees, but the paper says 31; fix that line"


@pytest.fixture(autouse=True)
def _no_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody is asked, and the package comes from an index, wherever these tests run."""
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    monkeypatch.setattr(init_module, "install_source", lambda: "summeval-pytest==1.2")


def test_it_says_what_it_wrote_and_what_comes_next(tmp_path: Path) -> None:
    """The next command is the one that shows a gate at work; DIR may come before anything else."""
    folder = tmp_path / "new" / "repository"
    wrote = [
        *(f"wrote {folder / name}" for name in FILES),
        "plain pytest runs it, too; if your project sets testpaths, add gate to it",
    ]
    following = [RED.format(folder / FILES[1]), f"next: pytest {folder / SUITE}"]
    # a workflow below the root is never run, and nothing says so
    note = f"note: {folder} is not the root of a git repository; GitHub reads .github there only"
    assert init(folder) == [*wrote, note, *following]
    assert sorted(files_in(folder)) == sorted(FILES)
    shutil.rmtree(folder)
    (folder / ".git").mkdir(parents=True)
    assert init(folder) == [*wrote, *following]
    lines = init(tmp_path / "a\x1b[31m\nb")  # a name may hold what a terminal obeys
    assert not any("\x1b" in line or "\n" in line for line in lines)


def test_the_sample_is_red_for_one_error_and_green_once_its_line_is_mended(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever starts sees both colours within a minute, and where the red one comes from."""
    for name, value in clean_environment(SUMM_RECORD="none").items():
        monkeypatch.setenv(name, value)
    tmp_path = pytester.path
    bench = Bench(tmp_path, pytester)
    init(tmp_path)
    red = bench.inside(SUITE)
    assert red.last == "1 failed, 2 passed"
    assert f"{SUITE}/systems/candidate.jsonl:1: candidate on bees-01" in red.lines
    assert "number: '41' instead of '31'" in red.out
    file = tmp_path / SUITE / "systems/candidate.jsonl"
    text = file.read_text(encoding="utf-8")
    mended = text.replace("41 bumblebees", "31 bumblebees", 1)
    assert mended.split("\n")[1:] == text.split("\n")[1:] != text.split("\n")
    file.write_text(mended, encoding="utf-8")
    assert bench.inside().last == "3 passed", "as it said"


def test_the_new_suite_and_the_examples_in_its_comments_work(
    tmp_path: Path,
) -> None:
    """What stands there is copied; somebody will take the comment signs away and nothing else."""
    init(tmp_path)
    suite = load_suite(tmp_path / SUITE)
    thresholds = thresholds_of(suite)
    assert thresholds.metrics == ("facet", "eva", "faithfulness")
    assert Threshold("faithfulness.conflicts", 0) in thresholds.pair
    assert (suite.paper_ids, tuple(suite.systems)) == (("bees-01", "kettle-02"), ("candidate",))
    file = tmp_path / SUITE / "summeval.toml"
    example = re.compile(r"^# (?=\[|\w+ = )", re.MULTILINE)
    text, n_examples = example.subn("", file.read_text(encoding="utf-8"))
    file.write_text(text, encoding="utf-8")
    suite = load_suite(tmp_path / SUITE)
    assert n_examples == 10
    assert "llama3" in suite.systems
    assert [waiver.name for waiver in suite.waivers] == ["short-abstract"]
    thresholds_of(suite)


def test_the_package_has_this_repositorys_own_action_and_workflow(tmp_path: Path) -> None:
    """What is handed out is what runs here, but for the lines of the workflow's `env`."""
    init(tmp_path)
    kept = Path(init_module.__file__).parent / "skeleton"
    for name, place in (("action.yml", ACTION), ("workflow.yml", WORKFLOW)):
        assert (kept / name).read_bytes() == (ROOT / place).read_bytes()
    assert (tmp_path / ACTION).read_bytes() == (ROOT / ACTION).read_bytes()
    assert not list(kept.rglob("*summeval.toml"))  # pytest over a checkout would gate it
    own = (ROOT / WORKFLOW).read_text(encoding="utf-8").split("\n")
    new = (tmp_path / WORKFLOW).read_text(encoding="utf-8").split("\n")
    assert [(our, their) for our, their in zip(own, new, strict=True) if our != their] == [
        ("    branches: [main]", '    branches: ["main"]'),
        ("  SUITE: golden", '  SUITE: "gate"'),
        ("  INSTALL: .", '  INSTALL: "summeval-pytest==1.2"'),
        ("  JUDGE: offline", '  JUDGE: "offline"'),
    ]


def test_shards_are_jobs_of_a_matrix_and_one_that_decides(tmp_path: Path) -> None:
    """The job for a pull request is replaced; what is recorded on the main branch stays."""
    init(tmp_path, shards=3)
    text = (tmp_path / WORKFLOW).read_text(encoding="utf-8")
    usual = skeleton("workflow.yml")
    assert "shard: [1, 2, 3]" in text
    assert "SHARD: ${{ matrix.shard }}/3" in text
    assert 'summeval merge "$RUNNER_TEMP"/shards/*/shard.jsonl' in text
    (folder,) = {str(yaml.safe_load(text)["jobs"]["decide"]["steps"][-1]["with"]["path"])}
    assert folder == "${{ runner.temp }}/summ-gate", "a committed file can be no report there"
    assert [line for line in text.splitlines() if re.match(r"  \w+:$", line)][-3:] == [
        "  shard:",
        "  decide:",
        "  record:",
    ]
    job = "\n  record:\n"
    assert text.partition(job)[2] == usual.partition(job)[2]
    assert "  replay:\n" not in text
    with pytest.raises(OptionError, match="1 to 256 jobs"):
        init(tmp_path / "other", shards=257)


@pytest.mark.parametrize("name", FILES)
def test_nothing_is_overwritten_and_nothing_half_written(tmp_path: Path, name: str) -> None:
    """Whatever is there already was reviewed; the others would be half a gate without it."""
    for kind in ("file", "folder", "broken link"):
        file = tmp_path / kind / name
        file.parent.mkdir(parents=True)
        if kind == "file":
            file.write_text("mine", encoding="utf-8")
        elif kind == "folder":
            file.mkdir()
        else:
            file.symlink_to(tmp_path / "nowhere")
        before = sorted(tmp_path.rglob("*")), files_in(tmp_path)
        with pytest.raises(UsageError) as caught:
            init(tmp_path / kind)
        message = f"{file}: {file.name!r} exists already, so nothing was written; move it"
        if name == f"{SUITE}/summeval.toml":
            message = f"{file.parent}: this folder holds the suite 'summeval.toml' already"
        assert str(caught.value).startswith(message)
        assert (sorted(tmp_path.rglob("*")), files_in(tmp_path)) == before
    # a file in the place of a folder shows only when the folder is needed
    other = tmp_path / "other"
    other.mkdir()
    (other / ".github").write_text("mine", encoding="utf-8")
    with pytest.raises(UsageError) as caught:
        init(other)
    assert str(caught.value) == (
        f"{other / ACTION}: 'action.yml' cannot be written (Not a directory), so nothing was; mend"
        " that, or name another folder"
    )
    assert files_in(other) == {".github": b"mine"}


def direct(
    monkeypatch: pytest.MonkeyPatch, message: str | None, version: str = "1.2"
) -> str | None:
    """Where the package can be installed from, by what its installer has noted."""
    monkeypatch.undo()

    class Installed:
        def __init__(self) -> None:
            self.version = version

        def read_text(self, name: str) -> str | None:
            return message if name == "direct_url.json" else None

    monkeypatch.setattr(init_module, "distribution", lambda _: Installed())
    return init_module.install_source()


def test_workflow_installs_what_runs_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From the index, or the commit that it came from; a folder of this machine CI has not."""
    of_git = {"url": "https://u:secret@git.example.org/x.git", "vcs_info": {"vcs": "git"}}
    of_git["vcs_info"]["commit_id"] = "a" * 40  # type: ignore[index]  # it is a dictionary
    result = direct(monkeypatch, json.dumps(of_git))
    assert result == f"summeval-pytest @ git+https://git.example.org/x.git@{'a' * 40}"
    workflow = f"  INSTALL: {json.dumps(result)}"
    init(tmp_path / "git")
    for file in (WORKFLOW, COMMENT):
        assert workflow in (tmp_path / "git" / file).read_text(encoding="utf-8").splitlines()
    assert direct(monkeypatch, None) == "summeval-pytest==1.2"
    assert direct(monkeypatch, None, "1.2+local") is None
    assert direct(monkeypatch, '{"url": "file:///x.whl", "archive_info": {}}') is None
    lines = init(tmp_path / "folder")
    assert (
        f"fill in INSTALL in {WORKFLOW} and {COMMENT}: this version comes from no index and no git"
        " address" in lines
    )
    install = re.search(r"INSTALL: (.*)", (tmp_path / "folder" / WORKFLOW).read_text("utf-8"))
    assert install is not None
    assert install[1].startswith('"FILL IN what pip installs: summeval-pytest==VERSION')


@pytest.mark.parametrize(
    ("origin", "source"),
    [
        ("https://u:secret@git.example.org/x.git", "git+https://git.example.org/x.git"),
        ("git@git.example.org:team/x.git", "git+https://git.example.org/team/x.git"),
        ("/srv/x.git", None),
    ],
)
def test_workflow_installs_the_clone_that_runs_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, origin: str, source: str | None
) -> None:
    """The README installs a clone: CI takes its commit from its origin, if it was pushed."""
    git = ("git", "-C", str(tmp_path), "-c", "user.name=a", "-c", "user.email=a@example.org")
    run_command("git", "init", "--quiet", tmp_path)
    run_command(*git, "commit", "--quiet", "--allow-empty", "-m", "a")
    run_command(*git, "remote", "add", "origin", origin)
    noted = json.dumps({"url": tmp_path.as_uri(), "dir_info": {"editable": True}})
    assert direct(monkeypatch, noted) is None
    run_command(*git, "update-ref", "refs/remotes/origin/main", "HEAD")
    commit = run_command(*git, "rev-parse", "HEAD").stdout.strip()
    assert direct(monkeypatch, noted) == (source and f"summeval-pytest @ {source}@{commit}")


def test_a_judge_at_a_server_is_in_the_suite_and_its_key_in_no_file(tmp_path: Path) -> None:
    """The variable is named where the key has to go, and the origin that it may go to."""
    start = Start(judge="gpt-x", endpoint="https://llm.corp.org/v1")
    lines = init(tmp_path, start=start)
    suite = load_suite(tmp_path / SUITE)
    assert suite.judges["llm"].endpoint == "house"  # type: ignore[union-attr]  # a model
    assert suite.endpoints["house"].api_key_env == "LLM_API_KEY"
    gate = tmp_path / SUITE
    export = f"summeval cassette export {gate} --judge=llm"
    allowed = "SUMM_ALLOW_ENDPOINTS=LLM_API_KEY=https://llm.corp.org"
    assert lines[-4:] == [
        f"set LLM_API_KEY to the judge's key, and {allowed}",
        f"what it costs: pytest {gate} --summ-judge=llm --summ-plan",
        f"for CI, after a run: {export}, and commit the cassette",
        f"next: pytest {gate} --summ-judge=llm",
    ]
    workflow = yaml.safe_load((tmp_path / WORKFLOW).read_text(encoding="utf-8"))
    assert workflow["env"]["JUDGE"] == "llm"
    assert workflow["jobs"]["record"]["steps"][4]["env"] == {
        "SUMM_ALLOW_ENDPOINTS": "LLM_API_KEY=https://llm.corp.org",
        "LLM_API_KEY": "${{ secrets.LLM_API_KEY }}",
    }


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pseudo-terminal of this kind")
def test_three_times_enter_starts_from_the_sample(tmp_path: Path) -> None:
    """From an empty folder to the next command with three keys, in a real terminal."""
    import pty  # Windows has none

    child, terminal = pty.fork()
    if child == 0:
        os.chdir(tmp_path)
        command = [sys.executable, "-m", "summeval_pytest.cli.app", "init"]
        os.execv(sys.executable, command)  # noqa: S606 - the terminal's process is this one
    shown = ""
    while True:
        if not select.select([terminal], [], [], 60)[0]:
            os.kill(child, signal.SIGKILL)  # a question that no answer is left for
        try:
            message = os.read(terminal, 65536).decode()
        except OSError:  # so Linux says that the other end is closed
            break
        shown += message.replace("\r\n", "\n")
        if message.endswith("]: "):
            os.write(terminal, b"\n")
    os.close(terminal)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    questions = re.findall(r"^.*\]: $", shown, re.MULTILINE)
    assert questions == [
        "your table [sample]: ",
        "judge [offline]: ",
        "github, gitlab or none [github]: ",
    ]
    assert shown.endswith("\nnext: pytest gate\n")
    assert sorted(files_in(tmp_path)) == sorted(FILES)


Typed = Callable[..., tuple[int, str, str]]


@pytest.fixture
def types(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Typed:
    """What `summeval init` in a terminal comes to, and shows, when these answers are typed."""

    def typed(*answers: str, flags: tuple[str, ...] = ()) -> tuple[int, str, str]:
        left = list(answers)

        def answer() -> str:
            if left[:1] in ([], ["^C"]):
                raise KeyboardInterrupt if left else EOFError
            return left.pop(0)

        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr("builtins.input", answer)
        for stream in (sys.stdin, sys.stdout):
            monkeypatch.setattr(stream, "isatty", lambda: True)
        return main(["init", *flags]), *capsys.readouterr()

    return typed


def test_questions_are_asked_again_until_rows_make_a_suite(tmp_path: Path, types: Typed) -> None:
    """What others call a column is taken as theirs; a flag answers its question."""
    (tmp_path / "papers.csv").write_text("doc,told,reference\np1,Moss.,Moss.\n", "utf-8")
    (tmp_path / "said.csv").write_text("doc,model,output\np1,m,It did.\n", "utf-8")
    answers = ("no.csv", "papers.csv", "said.csv", "", "source=told", "gitlap", "gitlab")
    code, shown, error = types(*answers, flags=("--judge", "offline"))
    assert (code, error) == (0, "")
    fault = "which column is the source (the paper's text)? The table has: doc, told, reference;"
    assert fault in shown.replace("\n", " ")
    assert "'gitlap' is none of them; did you mean 'gitlab'?" in shown
    assert "judge [" not in shown
    assert load_suite(tmp_path / SUITE).pair("p1", "m").summary == "It did."
    assert (tmp_path / GITLAB).is_file()


def test_whoever_leaves_a_question_leaves_nothing_behind(tmp_path: Path, types: Typed) -> None:
    """Half a gate is worse than none; nor is anybody asked for ever about what no column mends."""
    for answers in (("", "^C"), ("",)):  # the latter ends with Ctrl-D
        code, _, error = types(*answers)
        assert (code, error) == (130, "summeval: interrupted; nothing was written\n")
    row = "p1,Moss.,Moss.,It did.\n"
    (tmp_path / "rows.csv").write_text(f"paper,source,reference,summary\n{row}{row}", "utf-8")
    code, shown, error = types("rows.csv", "", "", "", flags=("--judge", "offline"))
    assert (code, (shown + error).count("two papers or one?")) == (4, 2)
    assert files_in(tmp_path).keys() == {"rows.csv"}


@pytest.mark.parametrize(
    ("start", "message"),
    [
        (Start(endpoint="ollama"), "--endpoint goes with --judge MODEL; name it, or leave it out"),
        (Start(judge="ofline"), "--judge=ofline: did you mean 'offline'?"),
        (Start(judge=" "), "--judge is empty; write offline or a model's name"),
        (Start(judge="m", endpoint="olama"), "--endpoint=olama: did you mean 'ollama'?"),
        (Start(judge="m", endpoint="https://u:p@x.org/v1"), "holds more than an address"),
        (Start(rows=RowOptions(system="x")), "--system goes with --papers FILE"),
        (Start(rows=RowOptions(skip_missing=True)), "--skip-missing goes with --papers FILE"),
        (Start(ci="gitlab"), "--shards goes with --ci github"),
    ],
)
def test_a_flag_without_its_fellow_is_refused(tmp_path: Path, start: Start, message: str) -> None:
    """It would be ignored else, or write a secret into a file."""
    with pytest.raises(OptionError) as caught:
        init(tmp_path, start=start, shards=2)
    assert message in str(caught.value)
    assert ":p@" not in str(caught.value)
    assert files_in(tmp_path) == {}


def gitlab_jobs(folder: Path) -> dict[str, Any]:
    """The jobs that are written for GitLab."""
    init(folder, start=Start(ci="gitlab"))
    jobs: dict[str, Any] = yaml.safe_load((folder / GITLAB).read_text(encoding="utf-8"))
    return jobs


@pytest.mark.skipif(sys.platform == "win32", reason="a runner's script is one of a POSIX shell")
def test_a_job_at_gitlab_keeps_the_reports_that_it_names(tmp_path: Path) -> None:
    """A report that is called otherwise than its artifact is never shown, and nobody is told."""
    jobs = gitlab_jobs(tmp_path)
    usual, replay = jobs[".summ-gate"], jobs["summ-gate"]
    *before, install = usual["before_script"]
    assert install == 'python -m pip install "$INSTALL"'
    tools = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    project = {"CI": "true", "CI_PROJECT_DIR": str(tmp_path), "PATH": tools}
    env = clean_environment(**usual["variables"], **project)
    (tmp_path / "summ-gate").symlink_to(FILES[1].rpartition("/")[0])  # as may be committed
    script = "\n".join([*before, *replay["script"]])
    run_command("sh", "-ec", script, cwd=tmp_path, env=env, code=1)
    reports = usual["artifacts"]["reports"]
    assert (tmp_path / reports["junit"]).stat().st_size
    (entry,) = json.loads((tmp_path / reports["codequality"]).read_text(encoding="utf-8"))
    assert entry["location"] == {"path": FILES[1], "lines": {"begin": 1}}


def test_workflow_judges_the_default_branch(tmp_path: Path) -> None:
    """The default of `origin`, else `main` or `master`, else the branch of a new repository."""
    origin = {
        "HEAD": "ref: refs/heads/main\n",
        "refs/heads/main": "0a1b\n",
        "refs/remotes/origin/HEAD": "ref: refs/remotes/origin/release/next\n",
    }
    idea = {"HEAD": "ref: refs/heads/new-idea\n", "refs/heads/master": "0a1b\n"}
    for place, (refs, branch) in enumerate(
        [
            ({}, "main"),
            (idea, "master"),
            ({"HEAD": "0a1b\n"}, "main"),
            (origin, "release/next"),
            *(
                ({"HEAD": f"ref: refs/heads/{head}\n"}, branch)
                # no number of YAML's, and no pattern: with ** every branch would run with the key
                for head, branch in (
                    *((each, each) for each in ("trunk", "a,b", "2.0", "on")),
                    ("**", r"\*\*"),
                    ("!c++[x]?", r"\!c\+\+\[x\]\?"),
                    ('\x1b]"', '\x1b\\]"'),
                )
            ),
        ]
    ):
        folder = tmp_path / str(place)
        for name, text in refs.items():
            file = folder / ".git" / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        init(folder, start=Start(ci="github"))
        workflow = yaml.safe_load((folder / WORKFLOW).read_text(encoding="utf-8"))
        assert workflow[True]["push"] == {"branches": [branch]}
    if sys.platform != "win32":  # nobody writes into a pipe, and the command would hang
        piped = tmp_path / "piped"
        (piped / ".git").mkdir(parents=True)
        os.mkfifo(piped / ".git" / "HEAD")
        assert init(piped)[-1] == f"next: pytest {piped / SUITE}"

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

from summeval_pytest.cli import runs
from summeval_pytest.cli.app import main
from summeval_pytest.cli.runs import ACTION, SUITE, WORKFLOW, init, skeleton
from summeval_pytest.errors import OptionError, UsageError
from summeval_pytest.suite.suite import load_suite
from summeval_pytest.verdict.thresholds import Threshold, thresholds_of

ROOT = Path(__file__).parents[2]
FILES = (
    "gate/papers.jsonl",
    "gate/systems/candidate.jsonl",
    "gate/summeval.toml",
    "gate/.gitattributes",
    ".github/actions/summ-gate/action.yml",
    ".github/workflows/summ-gate.yml",
)


LINE = 'testpaths = [".", "gate"] under [tool.pytest.ini_options] in pyproject.toml'


def files_in(folder: Path) -> dict[str, bytes]:
    """What lies in a folder, by path."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_it_says_what_it_wrote_and_what_comes_next(tmp_path: Path) -> None:
    """The next command is the one that shows a gate at work; DIR may come before anything else."""
    folder = tmp_path / "new" / "repository"
    wrote = [
        *(f"wrote {folder / name}" for name in FILES),
        f"so that plain pytest runs it (or: --testpaths): {LINE}",
    ]
    following = f"next: pytest {folder / SUITE}"
    # a workflow below the root is never run, and nothing says so
    note = f"note: {folder} is not the root of a git repository; GitHub reads .github there only"
    assert init(folder) == [*wrote, note, following]
    assert files_in(folder) == {name: text.encode() for name, text in skeleton().items()}
    assert sorted(files_in(folder)) == sorted(FILES)
    shutil.rmtree(folder)
    (folder / ".git").mkdir(parents=True)
    assert init(folder) == [*wrote, following]
    lines = init(tmp_path / "a\x1b[31m\nb")  # a name may hold what a terminal obeys
    assert not any("\x1b" in line or "\n" in line for line in lines)


def test_the_suite_is_added_to_the_configuration_of_pytest_when_asked(tmp_path: Path) -> None:
    """Plain pytest gates from then on; what stood there stays."""
    file = tmp_path / "tox.ini"
    file.write_text("[tox]\n[pytest]\ntestpaths = tests\n", encoding="utf-8")
    line = "testpaths = tests gate under [pytest] in tox.ini"
    assert main(["init", str(tmp_path), "--testpaths"]) == 0
    assert file.read_text(encoding="utf-8") == "[tox]\n[pytest]\ntestpaths = tests gate\n"
    (tmp_path / "again").mkdir()
    (tmp_path / "again/tox.ini").write_bytes(file.read_bytes())
    assert f"wrote {line}" in init(tmp_path / "again", testpaths=True)
    assert (tmp_path / "again/tox.ini").read_bytes() == file.read_bytes()


@pytest.mark.parametrize(
    ("text", "why", "line"),
    [
        ("", "has no configuration of pytest", LINE),
        (
            "[tool.pytest.ini_options]\ntestpaths = ['tests']  # quick\n",
            "has one with comments",
            LINE.replace('"."', '"tests"'),
        ),
    ],
    ids=["none", "comment"],
)
def test_a_configuration_that_cannot_be_added_to_is_told_before_anything_is_written(
    tmp_path: Path, text: str, why: str, line: str
) -> None:
    """The line is told all the same, to be written by hand."""
    (tmp_path / "pyproject.toml").write_text(text, encoding="utf-8")
    with pytest.raises(UsageError) as caught:
        init(tmp_path, testpaths=True)
    assert str(caught.value) == (
        f"--testpaths: {tmp_path} {why}, so nothing was written; write {line} yourself"
    )
    assert files_in(tmp_path) == {"pyproject.toml": text.encode()}


def test_the_new_suite_passes_at_once(tmp_path: Path) -> None:
    """A start that is red teaches nobody; the embedded judge needs no key and no network."""
    init(tmp_path)
    foreign = ("PYTEST", "SUMM_", "OPENAI_", "GITHUB_")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", SUITE, "-p", "no:cacheprovider", "--summ-record=none"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        env={key: value for key, value in os.environ.items() if not key.startswith(foreign)},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "3 passed" in done.stdout


def test_the_new_suite_holds_to_every_metric(tmp_path: Path) -> None:
    """What stands there is copied, so it should ask for a threshold of each kind."""
    init(tmp_path)
    suite = load_suite(tmp_path / SUITE)
    thresholds = thresholds_of(suite)
    assert thresholds.metrics == ("facet", "eva", "faithfulness")
    assert Threshold("faithfulness.conflicts", 0) in thresholds.pair
    assert (suite.paper_ids, tuple(suite.systems)) == (("bees-01", "kettle-02"), ("candidate",))


def test_the_examples_in_its_comments_work(tmp_path: Path) -> None:
    """Somebody will take the comment signs away and nothing else."""
    init(tmp_path)
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
    """What is handed out is what runs here, but for the two lines of the workflow's `env`."""
    init(tmp_path)
    kept = Path(runs.__file__).parent / "skeleton"
    for name, place in (("action.yml", ACTION), ("workflow.yml", WORKFLOW)):
        assert (kept / name).read_bytes() == (ROOT / place).read_bytes()
    assert (tmp_path / ACTION).read_bytes() == (ROOT / ACTION).read_bytes()
    assert not list(kept.rglob("*summeval.toml"))  # pytest over a checkout would gate it
    ours = (ROOT / WORKFLOW).read_text(encoding="utf-8").split("\n")
    theirs = (tmp_path / WORKFLOW).read_text(encoding="utf-8").split("\n")
    assert [(our, their) for our, their in zip(ours, theirs, strict=True) if our != their] == [
        ("  SUITE: golden", "  SUITE: gate"),
        ("  INSTALL: .", f"  INSTALL: summeval-pytest=={version('summeval-pytest')}"),
    ]


def test_shards_are_jobs_of_a_matrix_and_one_that_decides(tmp_path: Path) -> None:
    """The job for a pull request is replaced; what is recorded on the main branch stays."""
    runs.init(tmp_path, shards=3)
    text = (tmp_path / WORKFLOW).read_text(encoding="utf-8")
    usual = skeleton()[WORKFLOW]
    assert "shard: [1, 2, 3]" in text
    assert "SHARD: ${{ matrix.shard }}/3" in text
    assert "summeval merge shards/*/shard.json" in text
    assert [line for line in text.splitlines() if re.match(r"  \w+:$", line)][-3:] == [
        "  shard:",
        "  decide:",
        "  record:",
    ]
    job = "\n  record:\n"
    assert text.partition(job)[2] == usual.partition(job)[2]
    assert "  replay:\n" not in text
    with pytest.raises(OptionError, match="1 to 256 jobs"):
        runs.init(tmp_path / "other", shards=257)


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
        assert str(caught.value) == (
            f"{file} exists already, and nothing was written; move it, or name another folder"
        )
        assert (sorted(tmp_path.rglob("*")), files_in(tmp_path)) == before


def test_what_was_written_before_a_failure_is_removed(tmp_path: Path) -> None:
    """A file in the place of a folder shows only when the folder is needed."""
    (tmp_path / ".github").write_text("mine", encoding="utf-8")
    with pytest.raises(UsageError) as caught:
        init(tmp_path)
    assert str(caught.value) == (
        f"{tmp_path / ACTION} cannot be written (Not a directory), so nothing was;"
        " mend that, or name another folder"
    )
    assert files_in(tmp_path) == {".github": b"mine"}

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest

if TYPE_CHECKING:
    from tests.plugin.conftest import Bench

BAD = "--summ-model=bad"
SPEAKER = (
    "def test_own(summ_pair):\n"
    "    print('::error::from a summary')\n"
    "    print('  ::add-mask::a ##[group]b')\n"
    "    print('kept as it is: a::b')\n"
    "    assert not summ_pair.summary, '\\n::warning::from an assertion ##[error]c'\n"
)
ANNOTATOR = (
    "class Annotator: pass\n"
    "def pytest_configure(config):\n"
    "    config.pluginmanager.register(Annotator(), 'pytest_github_actions_annotate_failures')\n"
)


def commands(lines: list[str]) -> list[str]:
    """What a runner would obey."""
    return [line for line in lines if line.lstrip().startswith("::")]


def test_every_report_is_written_and_named(bench: Bench) -> None:
    """A file that nobody is told of is not found."""
    run = bench.inside("summeval.toml", BAD, "--summ-html=run.html", "--summ-junit=run.xml")

    assert "page: run.html" in run.lines
    assert "JUnit report: run.xml" in run.lines
    assert (bench.path / "run.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    (suite,) = ET.parse(bench.path / "run.xml").getroot()  # noqa: S314 - the run has just written it
    assert suite.get("name") == "bad"


def test_a_report_that_cannot_be_written_fails_the_run(bench: Bench) -> None:
    """A green run whose report is missing would be taken for one that has none."""
    bench.write(
        "conftest.py",
        "import shutil\n"
        "def pytest_runtest_logreport(report): shutil.rmtree('reports', ignore_errors=True);"
        " open('reports', 'w').close()\n",
    )
    (bench.path / "reports").mkdir()
    run = bench.inside("summeval.toml", "--summ-html=reports/run.html")

    assert run.code == 1
    assert "run.html cannot be written (" in run.out
    assert "Traceback" not in run.out


def test_in_github_actions_failing_pairs_are_annotated_at_their_line(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The reviewer sees the finding beside the summary that it is about."""
    assert commands(bench.inside("summeval.toml", BAD).lines) == []
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    run = bench.inside("summeval.toml", BAD)
    found = commands(run.lines)

    assert len(found) == 2
    assert all(line.startswith("::error file=bad.jsonl,line=") for line in found)
    assert "title=" in found[0]


def test_annotations_are_relative_to_the_repository(bench: Bench) -> None:
    """GitHub finds no file by a path that starts in a folder of the repository."""
    bench.suite("deep/summeval.toml")
    run = bench.run(
        "deep", BAD, GITHUB_ACTIONS="true", GITHUB_WORKSPACE=str(bench.path.parent.resolve())
    )

    assert commands(run.lines)[0].startswith(f"::error file={bench.path.name}/deep/bad.jsonl,line=")


def test_the_step_summary_is_appended_once(bench: Bench) -> None:
    """A job has other steps, whose summaries stand before ours; workers write none."""
    step = bench.write("step.md", "# earlier\n")
    bench.run(
        "summeval.toml",
        BAD,
        "--summ-github",
        "-n",
        "2",
        GITHUB_STEP_SUMMARY=str(step),
    )
    text = step.read_text(encoding="utf-8")

    assert text.startswith("# earlier\n")
    assert text.count("## Systems") == 1


def test_a_plugin_that_annotates_failures_is_left_to_it(bench: Bench) -> None:
    """Ten annotations are all that GitHub shows: the same failure twice would hide another."""
    bench.write("conftest.py", ANNOTATOR)
    step = bench.path / "step.md"
    run = bench.run("summeval.toml", BAD, GITHUB_ACTIONS="true", GITHUB_STEP_SUMMARY=str(step))

    assert commands(run.lines) == []
    assert "bad.jsonl" in step.read_text(encoding="utf-8")


def test_what_a_test_prints_of_a_summary_commands_no_runner(bench: Bench) -> None:
    """Captured output is repeated by pytest, and a runner obeys any line of it."""
    bench.write("test_own.py", SPEAKER)
    run = bench.run("test_own.py", "--summ-suite=summeval.toml", "-n", "2", "-rA")

    assert run.code == 1
    assert commands(run.lines) == []
    assert r"\x3a:error::from a summary" in run.lines
    assert "kept as it is: a::b" in run.lines
    assert "##[" not in run.out


@pytest.mark.parametrize(
    "flag",
    [
        "--summ-run-record=x",
        "--summ-save=x",
        "--summ-compare=x",
        "--summ-junit=x",
        "--summ-html=x",
        "--summ-compare-fail=facet:0.02",
        "--summ-plan",
        "--summ-github",
    ],
)
def test_what_only_a_suite_can_give_is_not_promised_without_one(bench: Bench, flag: str) -> None:
    """A green run that compared nothing, and wrote nothing, would be believed."""
    bench.write("test_own.py", "def test_own(summ_pair): assert summ_pair\n")
    run = bench.inside("test_own.py", "--summ-suite=summeval.toml", flag)

    assert run.code == 4
    name = flag.partition("=")[0]
    assert f"{name} is about a suite, and none is among the arguments; found" in run.err


def test_two_replays_give_the_same_bytes(shared_bench: Bench) -> None:
    """Alone or in two processes."""
    for processes in ("0", "2"):
        reports = (f"--summ-html=html{processes}", f"--summ-junit=junit{processes}")
        run = shared_bench.run("summeval.toml", "--summ-model=good,bad", *reports, "-n", processes)
        assert run.code == 1

    for name in ("html", "junit"):
        first, second = (shared_bench.path / f"{name}{processes}" for processes in ("0", "2"))
        assert first.read_bytes() == second.read_bytes()

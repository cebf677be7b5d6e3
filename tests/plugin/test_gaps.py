"""What a run did not decide: no report may read as if it had."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest

from summeval_pytest.cli.app import main
from summeval_pytest.record.record import read_record

if TYPE_CHECKING:
    from pathlib import Path

    from tests.plugin.conftest import Bench

GOOD, BAD = "--summ-model=good", "--summ-model=bad"
SAVE, COMPARE = "--summ-save=v1", "--summ-compare=v1"
REPORTS = ("--summ-run-record=run.json", "--summ-junit=run.xml", "--summ-html=run.html")
DYING = (
    "import os\n"
    "import pytest\n"
    "@pytest.hookimpl(tryfirst=True)\n"
    "def pytest_runtest_setup(item):\n"
    "    if item.name == os.environ.get('DIES'):\n"
    "        os._exit(9)\n"
)


def errors(bench: Bench) -> list[str]:
    """The cases of the JUnit report that are errors."""
    tree = ET.parse(bench.path / "run.xml")  # noqa: S314 - the run has just written it
    return [
        f"{case.get('classname')}::{case.get('name')}"
        for case in tree.iter("testcase")
        if case.find("error") is not None
    ]


def test_a_pair_that_was_lost_with_its_worker_is_an_error_in_every_report(bench: Bench) -> None:
    """The run fails it; a report that leaves it out would be green."""
    bench.write("conftest.py", DYING)
    bench.run("summeval.toml", GOOD, *REPORTS, "-n", "2", DIES="kiln-02")
    record = read_record(bench.path / "run.json", "RUN")

    assert record.outcome == "error"
    assert [pair.outcome for pair in record.suites[0].pairs] == ["passed", "error"]
    assert "crashed" in record.suites[0].pairs[1].fault
    assert {case.rpartition("::")[2] for case in errors(bench)} == {"facet", "faithfulness"}
    assert all("good.kiln-02::" in case for case in errors(bench))


def test_a_comparison_that_was_left_out_is_said_everywhere(
    bench: Bench, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """With -k the item that compares is easily left out, and the run is green."""
    bench.inside("summeval.toml", GOOD, SAVE)
    step = tmp_path / "step.md"
    run = bench.run(
        "summeval.toml",
        GOOD,
        COMPARE,
        *REPORTS,
        "--summ-github",
        "--deselect=summeval.toml::good::all-papers",
        GITHUB_STEP_SUMMARY=str(step),
    )
    told = "good was not compared with v1"

    assert run.code == 0
    assert f"summeval.toml: {told}" in run.lines
    assert f"`{told}`" in step.read_text(encoding="utf-8")
    assert "::warning title=only a part of the gate::" in run.out
    assert told in (bench.path / "run.html").read_text(encoding="utf-8")
    assert "not compared with v1" in (bench.path / "run.xml").read_text(encoding="utf-8")
    assert main(["rescore", str(bench.path / "run.json")]) == 1
    assert told in capsys.readouterr().out


def test_a_run_that_fails_against_a_baseline_does_not_replace_it(bench: Bench) -> None:
    """Else the second try passes."""
    bench.inside("summeval.toml", GOOD, SAVE)
    before = (bench.path / "baselines" / "v1.json").read_bytes()
    run = bench.inside("summeval.toml", BAD, COMPARE, SAVE, "--summ-compare-fail=facet:0.1")

    assert run.code == 1
    assert "--summ-save=v1: not saved, summeval.toml: bad fails against v1" in run.out
    assert (bench.path / "baselines" / "v1.json").read_bytes() == before


@pytest.mark.parametrize("name", ["link.json", "out/run.json"])
def test_an_output_file_is_not_written_through_a_link_that_leads_out(
    bench: Bench, tmp_path_factory: pytest.TempPathFactory, name: str
) -> None:
    """It may have come with a pull request; what is behind it is not the repository's."""
    outside = tmp_path_factory.mktemp("outside")
    (bench.path / "link.json").symlink_to(outside / "run.json")
    (bench.path / "out").symlink_to(outside)
    run = bench.inside("summeval.toml", GOOD, f"--summ-run-record={name}")

    assert run.code == 4
    assert (
        f"--summ-run-record={name}: cannot be written, a link leads out of this folder" in run.err
    )
    assert not list(outside.iterdir())


@pytest.mark.parametrize("is_outside", [False, True])
def test_a_run_is_not_saved_through_a_link(
    bench: Bench, tmp_path_factory: pytest.TempPathFactory, *, is_outside: bool
) -> None:
    """It would write over a file that nobody has named, the papers or the user's own."""
    other = tmp_path_factory.mktemp("outside") if is_outside else bench.path
    (other / "precious").write_text("precious", encoding="utf-8")
    (bench.path / "baselines").mkdir()
    (bench.path / "baselines" / "v1.json").symlink_to(other / "precious")
    run = bench.inside("summeval.toml", GOOD, SAVE)

    assert run.code == 4
    told = "leads out of the suite's folder" if is_outside else "v1.json is in the way; move it"
    assert told in run.err
    assert (other / "precious").read_text(encoding="utf-8") == "precious"


def test_a_suite_that_shares_its_papers_says_so_and_is_allowed_to(
    bench: Bench, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """By flag, ini key or variable, in pytest and in the command."""
    bench.suite("suite/summeval.toml")
    (bench.path / "suite" / "papers.jsonl").rename(bench.path / "papers.jsonl")
    bench.spoil("suite/summeval.toml", '"papers.jsonl"', '"../papers.jsonl"')
    refused = bench.inside("suite")
    told = "suite/summeval.toml:1: '../papers.jsonl' leads out of the suite's folder"

    assert refused.code == 4
    assert told in refused.err
    assert bench.inside("suite", "--summ-allow-outside").code == 0
    assert main(["plan", "suite"]) == 4
    assert told in capsys.readouterr().err
    assert main(["plan", "suite", "--allow-outside"]) == 0
    monkeypatch.setenv("SUMM_ALLOW_OUTSIDE", "yes")
    assert main(["plan", "suite"]) == 0
    assert bench.inside("suite").code == 0


def test_the_suite_of_a_marked_test_is_no_part_of_the_record(bench: Bench) -> None:
    """Its pairs are no tests of this run, so they are not missing from it."""
    bench.suite("other/summeval.toml")
    bench.write(
        "test_own.py",
        "import pytest\n"
        "@pytest.mark.summ(suite='other')\n"
        "def test_own(summ_pair): assert summ_pair\n",
    )
    run = bench.inside("summeval.toml", "test_own.py", GOOD, SAVE)

    assert run.code == 0
    assert "saved: baselines/v1.json" in run.lines


def test_a_comparison_that_was_lost_with_its_worker_is_an_error(bench: Bench) -> None:
    """Nothing broke a rule, because nothing was compared."""
    bench.inside("summeval.toml", GOOD, SAVE)
    bench.write("conftest.py", DYING)
    run = bench.run("summeval.toml", BAD, COMPARE, *REPORTS, "-n", "2", DIES="all-papers")
    record = read_record(bench.path / "run.json", "RUN")

    assert run.code == 1
    assert record.suites[0].systems[0].outcome == "error"
    assert record.suites[0].gaps == ("bad was not compared with v1",)
    assert any("all-papers" in case for case in errors(bench))


def test_one_file_for_two_reports_is_refused(bench: Bench) -> None:
    """The second would replace the first in silence."""
    run = bench.inside("summeval.toml", GOOD, "--summ-run-record=same", "--summ-html=./same")

    assert run.code == 4
    assert "--summ-html=./same: --summ-run-record writes that file; name another one" in run.err

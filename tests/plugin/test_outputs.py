"""What a run writes, and that no report reads as if it had decided what it did not."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest

from summeval_pytest.cli.app import main
from summeval_pytest.options import TABLE
from summeval_pytest.verdict.run import JudgeName
from tests.plugin.conftest import Bench
from tests.processes import LEAN

GOOD, BAD = "--summ-model=good", "--summ-model=bad"
SAVE, COMPARE = "--summ-save=v1", "--summ-compare=v1"
RECORD = "--summ-run-record=run.jsonl"
REPORTS = (RECORD, "--summ-junit=run.xml", "--summ-html=run.html")
REPLACER = """\
import shutil
def pytest_runtest_logreport(report):
    shutil.rmtree('reports', ignore_errors=True)
    open('reports', 'w').close()
"""
ANNOTATOR = (
    "class Annotator: pass\n"
    "def pytest_configure(config):\n"
    "    config.pluginmanager.register(Annotator(), 'pytest_github_actions_annotate_failures')\n"
)


def commands(lines: list[str]) -> list[str]:
    """What a runner would obey."""
    return [line for line in lines if line.lstrip().startswith("::")]


def test_a_record_holds_what_was_judged_and_decided(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every report is made from it: what it lacks, no report can show. No time is in it unasked."""
    monkeypatch.setenv("GITHUB_SHA", "abc123")
    bench.suite(pair="facet = 0.6\neva = 0.3\nfaithfulness = 0.8", mean="facet = 0.7")
    both = ("summeval.toml", "--summ-model=good,bad")
    run = bench.inside(*both, *REPORTS, "--junitxml=own.xml")
    record = bench.record()
    (suite,) = record.suites

    assert record.judge == JudgeName(name="offline", signature="offline-8")
    assert (record.is_complete, record.outcome) == (True, "failed")
    assert (record.header.created, record.header.commit) == (None, "abc123")
    assert [(pair.system, pair.paper, pair.outcome) for pair in suite.pairs] == [
        ("good", "limpet-01", "passed"),
        ("good", "kiln-02", "passed"),
        ("bad", "limpet-01", "failed"),
        ("bad", "kiln-02", "failed"),
    ]
    outcomes = [(system.name, system.outcome) for system in suite.systems]
    assert outcomes == [("good", "passed"), ("bad", "failed")]
    bad = suite.pairs[2]
    assert {score.metric for score in bad.scores} == {"facet", "eva", "faithfulness"}
    assert {finding.kind for finding in bad.explanation} == {"facet", "fact", "sentence"}
    assert suite.papers[0].references[0].startswith("Limpets were counted")
    assert suite.papers[0].source[3] == "Nobody had looked before."

    assert "page: run.html" in run.lines, "a file that nobody is told of is not found"
    assert "JUnit report: run.xml" in run.lines
    assert bench.text("run.html").startswith("<!doctype html>")
    systems = ET.parse(bench.path / "run.xml").getroot()  # noqa: S314 - the run has just written it
    assert [system.get("name") for system in systems] == ["good", "bad"]

    bench.inside(*both, "--junitxml=plain.xml")
    assert sum(map(bool, bench.properties("plain.xml").values())) == 4
    assert bench.properties("own.xml") == bench.properties("plain.xml")
    assert "Nobody had looked before" not in bench.text("own.xml"), "texts belong into the record"


def test_a_killed_run_leaves_the_pairs_that_it_had_judged(bench: Bench) -> None:
    """Plainly incomplete: the file has another name, no closing line, and every reader says so."""
    chosen = "summeval.toml", "--summ-model=good,bad", "--summ-run-record=run.jsonl"
    dead = bench.run(*chosen, "--summ-judge=rule:Fatal")
    assert dead.code == 9
    assert not (bench.path / "run.jsonl").exists()
    (suite,) = bench.record("run.jsonl.part").suites
    assert [(pair.system, pair.paper) for pair in suite.pairs] == [
        ("good", "limpet-01"),
        ("good", "kiln-02"),
        ("bad", "limpet-01"),
    ]
    assert suite.missing == "not complete: 3 of 4 pairs, the run was cut"
    assert {paper.id for paper in suite.papers} == {"limpet-01", "kiln-02"}

    assert bench.inside(*chosen).code == 1
    assert bench.record("run.jsonl").is_complete
    assert not (bench.path / "run.jsonl.part").exists()


def test_a_comparison_that_was_left_out_is_said_everywhere(
    bench: Bench, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With -k the item that compares is easily left out, and the run is green."""
    bench.inside("summeval.toml", GOOD, SAVE)
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(bench.path / "step.md"))
    left_out = "--deselect=summeval.toml::good::all-papers"
    run = bench.inside("summeval.toml", GOOD, COMPARE, *REPORTS, "--summ-github", left_out)
    message, said = "good was not compared with v1", "not decided: the comparison (deselected)"

    assert run.code == 0
    assert f"partial run of summeval.toml: 2 of 2 pairs were tested; {said}" in run.lines
    assert "::warning title=only a part of the gate::" in run.out
    for name in ("step.md", "run.html", "run.xml"):
        assert "not compared with v1" in bench.text(name), name
    capsys.readouterr()
    assert main(["report", str(bench.path / "run.jsonl")]) == 1
    assert message in capsys.readouterr().out


def test_a_run_that_fails_against_a_baseline_does_not_replace_it(bench: Bench) -> None:
    """Else the second try passes."""
    bench.inside("summeval.toml", GOOD, SAVE)
    before = bench.text("baselines/v1.jsonl")
    bench.extend("[compare]\ndrop = {facet = 0.1}\n")
    run = bench.inside("summeval.toml", BAD, COMPARE, SAVE)

    assert run.code == 1
    assert "--summ-save=v1: not saved, summeval.toml: bad fails against v1" in run.out
    assert bench.text("baselines/v1.jsonl") == before


@pytest.mark.parametrize(
    ("option", "message"),
    [
        (f"{RECORD}/x", f"{RECORD}/x: cannot be written, its folder is not there"),
        ("--summ-run-record=out", "--summ-run-record=out: cannot be written, it is a folder"),
        ("--summ-save=out", "leads out of the suite's folder"),
        ("--summ-save=in", "in.jsonl is in the way; move it"),
        ("--summ-html=./same", "--summ-html=./same: --summ-junit writes that file; name another"),
    ],
)
def test_a_file_that_cannot_be_written_stops_the_run_before_it_begins(
    bench: Bench, tmp_path_factory: pytest.TempPathFactory, option: str, message: str
) -> None:
    """An hour of judging would be lost; a link may have come with a pull request."""
    outside = tmp_path_factory.mktemp("outside")
    inside = bench.write("precious", "precious")
    (outside / "precious").write_text("precious", encoding="utf-8")
    (bench.path / "baselines").mkdir()
    (bench.path / "out").symlink_to(outside)
    (bench.path / "baselines/out.jsonl").symlink_to(outside / "precious")
    (bench.path / "baselines/in.jsonl").symlink_to(inside)
    run = bench.inside("summeval.toml", "--summ-judge=rule:Fair", "--summ-junit=same", option)

    assert (run.code, message in run.err) == (4, True), run.err
    assert bench.asked() == []
    assert [file.name for file in outside.iterdir()] == ["precious"]
    assert inside.read_text() == (outside / "precious").read_text() == "precious"


def test_a_mistake_leaves_no_report_of_an_earlier_run(bench: Bench) -> None:
    """Whoever reads the reports after a run that judged nothing would read that it passed."""
    files = {option.flag: option.name for option in TABLE.values() if option.is_report}
    run = ("summeval.toml", GOOD, *map("=".join, files.items()))
    bench.write("gitlab", "")
    assert bench.inside(*run).code == 0
    assert bench.inside(*run).code == 0, "an earlier report gives way"
    assert all(bench.text(file) for file in files.values())
    bench.spoil("summeval.toml", "facet = 0.6", "facet = 6")
    assert bench.inside(*run, "-n1").code == 4
    bench.write("html", "")
    assert bench.inside("nothere", "--summ-html=html").code == 4
    assert not any((bench.path / file).exists() for file in files.values())


def test_what_is_read_is_never_replaced(bench: Bench) -> None:
    """A slip of the name would cost the record that decides."""
    assert bench.inside("summeval.toml", GOOD, RECORD, SAVE).code == 0
    files = ("run.jsonl", "baselines/v1.jsonl")
    texts = [bench.text(file) for file in files]
    for options, message in (
        (
            (RECORD, "--summ-from=run.jsonl"),
            "run.jsonl: this run reads that file; name",
        ),
        ((RECORD, "--summ-compare=run.jsonl:good"), "run.jsonl: this run reads that file; name"),
    ):
        run = bench.inside("summeval.toml", GOOD, *options)
        assert (run.code, message in run.err) == (4, True), run.err
    assert [bench.text(file) for file in files] == texts


def test_a_report_that_cannot_be_written_fails_the_run(bench: Bench) -> None:
    """A green run whose report is missing would be taken for one that has none."""
    bench.write("conftest.py", REPLACER)
    (bench.path / "reports").mkdir()
    run = bench.inside("summeval.toml", "--summ-html=reports/run.html")

    assert run.code == 1
    assert "run.html cannot be written (" in run.out
    assert "Traceback" not in run.out


def test_a_run_that_judges_nothing_writes_no_report(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a file or variable a plan would end every gate with 0, beside the page of an older run."""
    kept = '{"run": {}}'
    bench.write("run.jsonl", kept)
    for option, code in (("--collect-only", 0), ("--summ-plan", 4), ("--summ-votes=x", 4)):
        assert bench.inside("summeval.toml", RECORD, option).code == code
        assert bench.text("run.jsonl") == kept
    bench.write("options.txt", "--summ-plan")
    for name, value, option in (
        ("SUMM_PLAN", "1", "plan"),
        ("PYTEST_ADDOPTS", f"{LEAN} '--summ-plan'", "plan"),
        ("SUMM_SHARD", "1/3", "shard"),
        ("PYTEST_ADDOPTS", f"{LEAN} --summ-shard=1/3", "shard"),
        ("PYTEST_ADDOPTS", f"{LEAN} @options.txt", "plan"),
        ("SUMM_FROM", "run.jsonl", "from"),
    ):
        with monkeypatch.context() as patch:
            patch.setenv(name, value)
            run = bench.inside("summeval.toml")
        assert (run.code, f"--summ-{option} must be typed" in run.err) == (4, True)
    monkeypatch.setenv("SUMM_HTML", "page.html")
    assert bench.inside("summeval.toml", "--summ-plan").code == 0
    assert not (bench.path / "page.html").exists()


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
    assert "saved: baselines/v1.jsonl" in run.lines


def test_in_github_actions_failing_pairs_are_annotated_at_their_line(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The reviewer sees the finding beside its summary, by a path from the repository's root."""
    bench.suite("deep/summeval.toml")
    assert commands(bench.inside("deep", BAD).lines) == []
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    result = commands(bench.inside("deep", BAD).lines)
    assert len(result) == 2
    assert all(line.startswith("::error file=deep/bad.jsonl,line=") for line in result)
    assert "title=" in result[0]

    monkeypatch.setenv("GITHUB_WORKSPACE", str(bench.path.parent.resolve()))
    result = commands(bench.inside("deep", BAD).lines)
    assert result[0].startswith(f"::error file={bench.path.name}/deep/bad.jsonl,line=")


def test_the_step_summary_is_appended_once(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """Other steps' stand before it; annotations are left to a plugin that makes them."""
    step = bench.write("step.md", "# earlier\n")
    bench.write("conftest.py", ANNOTATOR)
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(step))
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    run = bench.inside("summeval.toml", BAD)
    text = bench.text("step.md")

    assert text.startswith("# earlier\n")
    assert text.count("## Systems") == 1
    assert "bad.jsonl" in text
    assert commands(run.lines) == []

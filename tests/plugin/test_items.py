"""What is collected, named, selected and asked about."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest

from summeval_pytest.cli.app import main
from tests.plugin.conftest import BOTH, FAIR, Bench

ALL = [
    "summeval.toml::good::limpet-01",
    "summeval.toml::good::kiln-02",
    "summeval.toml::bad::limpet-01",
    "summeval.toml::bad::kiln-02",
]


def collected(bench: Bench, *arguments: str) -> list[str]:
    """The node ids that pytest would run."""
    return bench.inside("--collect-only", "-q", *arguments).collected


def test_a_pair_is_one_test_named_by_suite_system_and_paper(bench: Bench) -> None:
    """Means are a test only where a threshold asks for them: one of nothing is always green."""
    assert collected(bench, "summeval.toml", BOTH) == ALL
    bench.suite(mean="facet = 0.7")
    assert collected(bench, "summeval.toml", BOTH) == [
        *ALL[:2],
        "summeval.toml::good::all-papers",
        *ALL[2:],
        "summeval.toml::bad::all-papers",
    ]
    bench.spoil("summeval.toml", '"bad.jsonl"', '"bad.jsonl"\nskip = ["kiln-02"]')
    bench.lines("bad.jsonl", {"paper": "limpet-01", "summary": bench.bad["limpet-01"]})
    skipped = collected(bench, "summeval.toml", "--summ-model=bad")
    assert skipped == [ALL[2], "summeval.toml::bad::all-papers"]
    run = bench.inside("summeval.toml", "--summ-model=bad", "-q")
    assert "  skipped: 1 paper, which the suite lists under 'skip'" in run.lines


def test_a_suite_may_have_a_name_of_its_own_and_stand_in_testpaths(bench: Bench) -> None:
    """NAME.summeval.toml lets several suites share a folder; a bare `pytest` gates testpaths."""
    for argument in (".", f"../{bench.path.name}"):
        assert collected(bench, argument) == ALL[:2]
    text = bench.text("summeval.toml")
    (bench.path / "summeval.toml").unlink()
    bench.write("lab.summeval.toml", text)
    bench.write("field.summeval.toml", text.replace('["good"]', '["bad"]'))
    lab = [node.replace("summeval.toml", "lab.summeval.toml") for node in ALL[:2]]
    field = [node.replace("summeval.toml", "field.summeval.toml") for node in ALL[2:]]
    assert collected(bench, "lab.summeval.toml") == lab
    assert collected(bench, ".") == field + lab

    bench.suite("golden/summeval.toml")
    bench.write("pytest.ini", "[pytest]\ntestpaths = golden\n")
    assert collected(bench) == [f"golden/{node}" for node in ALL[:2]]


def test_every_suite_beneath_a_named_folder_is_gated(bench: Bench) -> None:
    """As pytest collects tests: in any depth and in any case, but for what it is told to leave."""
    (bench.path / "summeval.toml").unlink()
    for name in ("gates/sub/deep", "gates/off", "gates/quiet", ".hidden"):
        bench.suite(f"{name}/summeval.toml")
    deep = bench.path / "gates/sub/deep"
    (deep / "summeval.toml").rename(deep / "SummEval.TOML")
    bench.write("gates/conftest.py", 'collect_ignore = ["quiet"]')
    run = bench.inside("gates", "--ignore=gates/off", FAIR, "-rA")
    assert run.code == 0
    assert [*run.outcomes] == [
        f"gates/sub/deep/SummEval.TOML::good::{name}" for name in ("limpet-01", "kiln-02")
    ]
    wrong, n_asked = bench.write("gates/b-summeval.toml", ""), len(bench.asked())
    run = bench.inside("gates", FAIR)
    assert run.code == 4
    assert "gates/b-summeval.toml: 'b-summeval.toml' is no suite; name summeval.toml or" in run.err
    wrong.rename(bench.path / "gates" / "b.summeval.toml")
    run = bench.inside("gates", FAIR)
    assert (run.code, len(bench.asked())) == (4, n_asked), "a mistake in one ends the run of all"


@pytest.mark.parametrize(
    ("chosen", "judged", "workers"),
    [(("-k", "limpet"), {"good::limpet-01"}, ("-n1",)), (("--deselect=golden",), set(), ())],
    ids=["-k", "all"],
)
def test_a_partial_run_says_what_it_does_not_decide(
    bench: Bench,
    capsys: pytest.CaptureFixture[str],
    chosen: tuple[str, ...],
    judged: set[str],
    workers: tuple[str, ...],
) -> None:
    """The exit code stays pytest's, so this is what a workflow has to look at.

    Nothing is asked, and paid for, that nobody wants to know.
    """
    bench.suite("golden/summeval.toml", mean="facet = 0.5")
    bench.write("conftest.py", "")
    bench.write("test_own.py", "def test_limpet(): pass")
    record = "--summ-run-record=run.jsonl"
    wide = "--summ-judge=rule:Wide"
    run = bench.inside("golden", "test_own.py", wide, record, *chosen, *workers)
    said = (
        f"partial run of golden/summeval.toml: {len(judged)} of 2 pairs were tested; not decided:"
        " the means (deselected)"
    )
    assert (run.code, said in run.lines) == (0, True), run.out
    assert bench.pairs_asked() == judged
    assert bench.record("run.jsonl").partial == said
    assert main(["report", "run.jsonl"]) == 1
    assert f"{said}\na partial run releases nothing" in capsys.readouterr().out
    whole = bench.inside("golden", FAIR, record)
    assert whole.code == 0
    assert "partial run" not in whole.out
    assert bench.record("run.jsonl").partial == ""


def test_an_interrupted_run_does_not_say_that_tests_were_deselected(bench: Bench) -> None:
    """Who pressed Ctrl-C would look for a -k that is nowhere."""
    bench.suite("golden/summeval.toml")
    bench.write("test_own.py", "def test_limpet(): raise KeyboardInterrupt")
    run = bench.inside("test_own.py", "golden", FAIR, no_reraise_ctrlc=True)
    assert run.code == pytest.ExitCode.INTERRUPTED
    said = "partial run of golden/summeval.toml: 0 of 2 pairs were tested (the run was stopped)"
    assert said in run.lines


def test_a_suite_that_shares_its_papers_says_so_and_is_allowed_to(
    bench: Bench, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """By flag or variable, in pytest and in the command."""
    bench.suite("suite/summeval.toml")
    (bench.path / "suite" / "papers.jsonl").rename(bench.path / "papers.jsonl")
    bench.spoil("suite/summeval.toml", '"papers.jsonl"', '"../papers.jsonl"')
    refused = bench.inside("suite")
    message = "suite/summeval.toml:1: '../papers.jsonl' leads out of the suite's folder"

    assert refused.code == 4
    assert message in refused.err
    assert bench.inside("suite", "--summ-allow-outside").code == 0
    assert main(["plan", "suite"]) == 4
    assert message in capsys.readouterr().err
    assert main(["plan", "suite", "--allow-outside"]) == 0
    monkeypatch.setenv("SUMM_ALLOW_OUTSIDE", "yes")
    assert main(["plan", "suite"]) == 0
    assert bench.inside("suite").code == 0


def test_two_suites_are_gated_in_one_run(bench: Bench) -> None:
    """Each keeps its thresholds, and the header names both."""
    bench.suite("mild/summeval.toml", head="", pair="facet = 0.25")
    bench.suite("strict/summeval.toml", head="", pair="facet = 1.0", papers=("moss-03",))
    run = bench.inside("mild", "strict/summeval.toml", FAIR, "-rA")

    assert run.code == 1
    assert run.outcomes == {
        "mild/summeval.toml::good::limpet-01": "PASSED",
        "mild/summeval.toml::good::kiln-02": "PASSED",
        "mild/summeval.toml::bad::limpet-01": "PASSED",
        "mild/summeval.toml::bad::kiln-02": "PASSED",
        "strict/summeval.toml::good::moss-03": "PASSED",
        "strict/summeval.toml::bad::moss-03": "FAILED",
    }
    header = next(line for line in run.lines if line.startswith("summeval:"))
    assert "suite mild " in header
    assert "(good, bad), strict " in header
    titles = [line.strip("- ") for line in run.lines if "summarization gate" in line]
    assert titles == [
        "summarization gate: mild/summeval.toml",
        "summarization gate: strict/summeval.toml",
    ]


def test_nothing_is_asked_twice_or_where_tests_are_only_looked_at(bench: Bench) -> None:
    """The means take what the pairs have asked; --collect-only is free, whoever judges."""
    bench.suite(mean="facet = 0.7")
    run = bench.inside("summeval.toml", "--collect-only", "-q", FAIR)
    assert (run.code, run.collected) == (0, [*ALL[:2], "summeval.toml::good::all-papers"])
    assert bench.asked() == []
    bench.inside("summeval.toml", FAIR, "-k", "not all-papers")
    n_asked = len(bench.asked())
    bench.inside("summeval.toml", FAIR)
    assert len(bench.asked()) == 2 * n_asked > 0


def test_a_file_that_changes_during_the_run_changes_nothing(bench: Bench) -> None:
    """What is judged is what was checked, or its number would belong to no suite."""
    spoil = "(item.config.rootpath / 'good.jsonl').write_text('no summaries')"
    hook = "@pytest.hookimpl(tryfirst=True)\ndef pytest_runtest_setup(item):\n    "
    bench.write("conftest.py", f"import pytest\n{hook}{spoil}\n")
    run = bench.inside("summeval.toml", FAIR, "-rA")
    assert run.outcomes == dict.fromkeys(ALL[:2], "PASSED")
    assert bench.text("good.jsonl") == "no summaries"


def test_stopping_at_the_first_failure_reads_one_pair_ahead(bench: Bench) -> None:
    """With -x the pairs after a failure are never wanted: one is asked about in vain, not three."""
    bench.suite(papers=("limpet-01", "kiln-02", "moss-03"))
    arguments = ("summeval.toml", "--summ-judge=rule:Wide", "--summ-model=bad,good")
    run = bench.inside(*arguments, "-x", "-rA")

    assert run.code == 1
    assert run.outcomes == {ALL[2]: "FAILED"}
    assert bench.pairs_asked() == {"bad::limpet-01", "bad::kiln-02"}


def test_without_the_plugin_a_suite_is_a_file_like_any_other(bench: Bench) -> None:
    """-p no:summ turns everything off, and says so where an option is still given."""
    bench.write("test_plain.py", "def test_plain(): pass\n")
    run = bench.inside(".", "-p", "no:summ", "-rA")
    assert run.code == 0
    assert run.outcomes == {"test_plain.py::test_plain": "PASSED"}
    assert "summeval:" not in run.out

    refused = bench.inside(".", "-p", "no:summ", FAIR)
    assert refused.code == pytest.ExitCode.USAGE_ERROR
    assert f"unrecognized arguments: {FAIR}" in refused.err


def test_a_failure_points_at_the_system_in_the_suite_file(bench: Bench) -> None:
    """Editors and CI jump to file and line; the line is that of [systems.NAME], from 0."""
    bench.suite(mean="facet = 0.7")
    bench.inside("summeval.toml", BOTH, "--junitxml=junit.xml", "-o", "junit_family=xunit1")
    cases = ET.parse(bench.path / "junit.xml").iter("testcase")  # noqa: S314 - pytest wrote it
    lines = bench.text("summeval.toml").splitlines()
    result = {
        (case.get("name"), case.get("file"), lines[int(case.get("line", ""))]) for case in cases
    }

    assert result == {
        (name, "summeval.toml", f"[systems.{system}]")
        for name in ("limpet-01", "kiln-02", "all-papers")
        for system in ("good", "bad")
    }

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest

if TYPE_CHECKING:
    from tests.plugin.conftest import Bench

BOTH = "--summ-model=good,bad"
FAIR = "--summ-judge=rule:Fair"
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
    """The names are what people select, skip and quote; the order is that of the files."""
    assert collected(bench, "summeval.toml", BOTH) == ALL


def test_means_are_a_test_only_where_a_threshold_asks_for_them(bench: Bench) -> None:
    """A test that holds nothing would always be green."""
    bench.suite(mean="facet = 0.7")

    assert collected(bench, "summeval.toml", BOTH) == [
        *ALL[:2],
        "summeval.toml::good::all-papers",
        *ALL[2:],
        "summeval.toml::bad::all-papers",
    ]


@pytest.mark.parametrize("argument", ["summeval.toml", ".", "../{folder}"])
def test_a_suite_is_collected_by_its_file_or_its_folder(bench: Bench, argument: str) -> None:
    """Both are how people name it."""
    assert collected(bench, argument.format(folder=bench.path.name)) == ALL[:2]


def test_a_suite_in_testpaths_is_collected_without_arguments(bench: Bench) -> None:
    """A bare `pytest` gates where the project says so."""
    bench.suite("golden/summeval.toml")
    bench.write("pytest.ini", "[pytest]\ntestpaths = golden\n")

    assert collected(bench) == [f"golden/{node}" for node in ALL[:2]]


def test_a_suite_that_is_not_among_the_arguments_is_left_alone(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run over unit tests must not begin to judge because a suite lies below them."""
    bench.suite("tests/golden/summeval.toml", head="unheard = 1")
    bench.write("tests/test_plain.py", "def test_plain(): pass\n")
    monkeypatch.setenv("SUMM_JUDGE", "rule:Fair")
    run = bench.inside("tests", "-rA")

    assert run.code == 0
    assert run.outcomes == {"tests/test_plain.py::test_plain": "PASSED"}
    assert bench.asked() == []


def test_a_suite_may_have_a_name_of_its_own(bench: Bench) -> None:
    """NAME.summeval.toml lets several suites share a folder and its papers."""
    text = (bench.path / "summeval.toml").read_text(encoding="utf-8")
    (bench.path / "summeval.toml").unlink()
    bench.write("lab.summeval.toml", text)
    bench.write("field.summeval.toml", text.replace('["good"]', '["bad"]'))
    bench.write("mysummeval.toml", "no suite")
    lab = [node.replace("summeval.toml", "lab.summeval.toml") for node in ALL[:2]]
    field = [node.replace("summeval.toml", "field.summeval.toml") for node in ALL[2:]]

    assert collected(bench, "lab.summeval.toml") == lab
    assert collected(bench, ".") == field + lab


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
    assert [line.split()[:4] for line in run.lines if line.startswith(("good ", "bad "))] == [
        ["bad", "2", "0", "0"],
        ["good", "2", "0", "0"],
        ["bad", "0", "1", "0"],
        ["good", "1", "0", "0"],
    ]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["summeval.toml", "-k", "kiln"], [ALL[1], ALL[3]]),
        (["summeval.toml", "-k", "bad and not limpet-01"], [ALL[3]]),
        (["summeval.toml::bad"], ALL[2:]),
        (["summeval.toml::good::kiln-02", "summeval.toml::bad::limpet-01"], ALL[1:3]),
        (["summeval.toml", "--deselect=summeval.toml::good"], ALL[2:]),
    ],
    ids=["-k paper", "-k expression", "a system", "two pairs", "--deselect"],
)
def test_only_selected_pairs_are_judged(
    bench: Bench, arguments: list[str], expected: list[str]
) -> None:
    """Nothing is asked, and paid for, that nobody wants to know."""
    run = bench.inside(*arguments, BOTH, "--summ-judge=rule:Wide", "-rA")

    assert set(run.outcomes) == set(expected)
    assert bench.pairs_asked() == {node.removeprefix("summeval.toml::") for node in expected}


def test_means_ask_nothing_that_the_pairs_have_asked(bench: Bench) -> None:
    """The aggregate takes what the process knows."""
    bench.suite(mean="facet = 0.7")
    bench.inside("summeval.toml", FAIR, "-k", "not all-papers")
    n_asked = len(bench.asked())
    bench.forget()
    bench.inside("summeval.toml", FAIR)

    assert len(bench.asked()) == n_asked


def test_collect_only_never_asks_the_judge(bench: Bench) -> None:
    """Looking at the tests is free, whoever judges."""
    run = bench.inside("summeval.toml", "--collect-only", "-q", "--summ-judge=rule:Wide")

    assert run.code == 0
    assert run.collected == ALL[:2]
    assert bench.asked() == []


def test_stopping_at_the_first_failure_reads_one_pair_ahead(bench: Bench) -> None:
    """With -x the pairs after a failure are never wanted: one is asked about in vain, not three.

    None at all would leave a judge that waits for a network idle between two tests.
    """
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
    lines = (bench.path / "summeval.toml").read_text(encoding="utf-8").splitlines()
    found = {
        (case.get("name"), case.get("file"), lines[int(case.get("line", ""))]) for case in cases
    }

    assert found == {
        (name, "summeval.toml", f"[systems.{system}]")
        for name in ("limpet-01", "kiln-02", "all-papers")
        for system in ("good", "bad")
    }

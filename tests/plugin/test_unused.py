from __future__ import annotations

import json

import pytest

from summeval_pytest.options import TABLE
from tests.plugin.conftest import Bench

WRITER = """\
import json, os, sys

def pytest_unconfigure():
    process = os.environ.get("PYTEST_XDIST_WORKER", "main")
    with open(f"{process}.json", "w") as file:
        json.dump(sorted(sys.modules), file)
"""

HEAVY = {"diskcache", "numpy", "openai", "pydantic", "rouge_score", "scipy"}
SHELL = {
    "summeval_pytest",
    "summeval_pytest.errors",
    "summeval_pytest.plugin",
    "summeval_pytest.plugin.fixtures",
    "summeval_pytest.plugin.hooks",
    "summeval_pytest.options",
    "summeval_pytest.plugin.pytest_options",
    "summeval_pytest.plugin.config",
}
"""All of us that a foreign suite loads: options, hooks and the error tree."""


def test_an_unused_plugin_loads_its_shell_and_no_heavy_package(bench: Bench) -> None:
    """Installed next to a thousand foreign tests, it must not cost their start, in no process."""
    bench.write("foreign/conftest.py", WRITER)
    bench.write("foreign/test_plain.py", "def test_plain(tmp_path): assert tmp_path\n")
    run = bench.run("foreign", "-n1")
    assert run.code == 0
    assert run.last.endswith("1 passed")
    for name in ("main", "gw0"):
        loaded = set(json.loads(bench.text(f"{name}.json")))
        assert {each for each in loaded if each.split(".")[0] == "summeval_pytest"} == SHELL
        assert not HEAVY & loaded


@pytest.fixture
def foreign(bench: Bench) -> Bench:
    """A repository whose suite is in a folder of its own, which plain pytest does not gate."""
    (bench.path / "summeval.toml").unlink()
    bench.suite("gate/summeval.toml")
    bench.write("test_plain.py", "def test_plain(): open('ran', 'w').close()\n")
    return bench


@pytest.mark.parametrize("option", ["--summ-model=good", "--summ-plan"])
def test_no_option_of_the_gate_is_green_without_a_suite(foreign: Bench, option: str) -> None:
    """Exit code 0 of a release that nobody looked at would be believed."""
    known = {"shard", "from_", "save", "compare", "github", "plan"}
    of_suite = {each.name for each in TABLE.values() if each.needs_suite and not each.is_report}
    assert of_suite == known
    run = foreign.inside("test_plain.py", option)

    assert run.code == pytest.ExitCode.USAGE_ERROR
    flag = option.partition("=")[0]
    assert run.err.startswith(f"ERROR: {flag} needs a suite, and pytest has collected none")
    end = "; name a summeval.toml or its folder, or leave the option out"
    assert run.err.rstrip("\n").endswith(end)
    assert run.last == "no tests ran"
    assert not (foreign.path / "ran").exists()


def test_a_file_that_cannot_be_imported_is_reported_and_not_the_option(foreign: Bench) -> None:
    """It may hold the very test that uses the suite."""
    foreign.write("test_own.py", "import nothing_of_that_name\n")
    run = foreign.inside("test_own.py", "--summ-suite=gate")

    assert run.code == pytest.ExitCode.INTERRUPTED
    assert "nothing_of_that_name" in run.out
    assert "needs a suite" not in run.err


def own(bench: Bench, *arguments: str) -> list[str]:
    """What the plugin says of a green run of foreign tests."""
    run = bench.inside("-W", "error", *arguments)
    assert run.code == 0
    return [line for line in run.lines if line.startswith(("summeval: no s", "summeval: the"))]


def test_a_misspelt_variable_is_reported_with_the_one_that_was_meant(
    foreign: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Unread, it would gate the default systems in silence."""
    message = "summeval: the variable {} is set, and no option has that name; {}"
    monkeypatch.setenv("SUMM_MODLE", "x")
    monkeypatch.setenv("SUMM_", "y")
    for tests in ("test_plain.py", "gate"):
        assert own(foreign, tests) == [
            message.format("'SUMM_'", "pytest --help lists them"),
            message.format("'SUMM_MODLE'", "did you mean 'SUMM_MODEL'?"),
        ]

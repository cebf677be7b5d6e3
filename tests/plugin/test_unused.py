from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.plugin.conftest import Bench

WRITER = """\
import json, os, sys

def pytest_unconfigure():
    process = os.environ.get("PYTEST_XDIST_WORKER", "main")
    with open(f"{process}.json", "w") as file:
        json.dump(sorted(sys.modules), file)
"""

HEAVY = {"diskcache", "junit_xml", "numpy", "openai", "rouge_score", "scipy"}
SHELL = {
    "summeval_pytest",
    "summeval_pytest.errors",
    "summeval_pytest.plugin",
    "summeval_pytest.plugin.fixtures",
    "summeval_pytest.plugin.hooks",
    "summeval_pytest.plugin.option_table",
    "summeval_pytest.plugin.options",
    "summeval_pytest.plugin.preparing",
    "summeval_pytest.plugin.progress",
    "summeval_pytest.plugin.session",
}
"""All of us that a foreign suite loads: options, hooks, and the error tree they speak in."""


@pytest.fixture(scope="module")
def loaded(shared_bench: Bench) -> dict[str, set[str]]:
    """By process, the modules that one foreign test loads, alone and in two workers."""
    shared_bench.write("foreign/conftest.py", WRITER)
    shared_bench.write("foreign/test_plain.py", "def test_plain(tmp_path): assert tmp_path\n")
    for processes in ("2", "0"):
        run = shared_bench.run("foreign", "-n", processes)
        assert run.code == 0
        assert run.last.endswith("1 passed")
    return {
        file.stem: set(json.loads(file.read_text(encoding="utf-8")))
        for file in shared_bench.path.glob("*.json")
    }


@pytest.mark.parametrize("process", ["main", "gw0", "gw1"])
def test_an_unused_plugin_loads_its_shell_alone(loaded: dict[str, set[str]], process: str) -> None:
    """Installed next to a thousand foreign tests, it must not cost their start."""
    ours = {name for name in loaded[process] if name.split(".")[0] == "summeval_pytest"}

    assert ours == SHELL


@pytest.mark.parametrize("process", ["main", "gw0", "gw1"])
def test_an_unused_plugin_loads_no_heavy_package(loaded: dict[str, set[str]], process: str) -> None:
    """NumPy or a client for an API would cost more than most test suites."""
    assert not HEAVY & loaded[process]

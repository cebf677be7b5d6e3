"""What the tests' own settings promise."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import waiting

CONFTEST = Path(__file__).with_name("conftest.py")


def test_who_leaves_a_runner_open_fails(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its neighbours, which a worker may deal out otherwise tomorrow, do not."""
    monkeypatch.setattr(waiting, "SOON", 0.01)
    pytester.makeconftest(CONFTEST.read_text(encoding="utf-8"))
    pytester.makeini("[pytest]\nmarkers = shared_data")
    pytester.makepyfile(
        "import threading, time\n"
        "def test_open():\n"
        "    threading.Thread(target=time.sleep, args=(0.5,), name='summeval-runner').start()\n"
        "def test_neighbour(): pass\n"
    )
    run = pytester.runpytest_inprocess("-p", "no:randomly")

    run.assert_outcomes(passed=2, errors=1)
    run.stdout.fnmatch_lines(["*AssertionError: this test left a runner open; close it"])


def test_what_needs_the_labelled_sets_is_marked(pytester: pytest.Pytester) -> None:
    """`.ci/run` chooses it by the mark, and leaves nothing of it out."""
    pytester.makeconftest(CONFTEST.read_text(encoding="utf-8"))
    pytester.makeini("[pytest]\nmarkers = shared_data")
    pytester.makepyfile(
        "import pytest\n"
        "@pytest.fixture\n"
        "def suite(release_file): return release_file\n"
        "def test_of_all_sets(suite): pass\n"
        "def test_of_none(tmp_path): pass\n"
    )
    run = pytester.runpytest_inprocess("-p", "no:randomly", "-m", "shared_data", "--collect-only")

    run.stdout.fnmatch_lines(["*test_of_all_sets*", "*1/2 tests collected (1 deselected)*"])

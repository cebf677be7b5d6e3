from __future__ import annotations

import subprocess
import sys
from importlib import import_module

import pytest

import summeval_pytest

HOMES = {
    "EvaScore": "metrics.score",
    "FacetScore": "metrics.score",
    "FaithfulnessScore": "metrics.score",
    "Judge": "judges.judge",
    "JudgeError": "errors",
    "Pair": "suite.values",
    "Paper": "suite.values",
    "Suite": "suite.suite",
    "SuiteError": "errors",
    "SummevalError": "errors",
    "Unscored": "metrics.score",
    "UsageError": "errors",
    "load_suite": "suite.suite",
}
"""The public names, and the module that each is at home in."""


def python(code: str) -> str:
    """What a fresh interpreter prints."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_these_names_are_public_and_no_others() -> None:
    """A name once given can never be taken back, so a new one has to be written here, too."""
    assert summeval_pytest.__all__ == sorted(HOMES)


@pytest.mark.parametrize("name", HOMES)
def test_a_public_name_is_the_thing_itself(name: str) -> None:
    """A copy would not be an instance, or not be caught."""
    home = import_module(f"summeval_pytest.{HOMES[name]}")
    assert getattr(summeval_pytest, name) is getattr(home, name)


def test_an_unknown_name_is_an_attribute_error_in_pythons_words() -> None:
    """`hasattr`, `getattr` with a default and `from ... import` all rely on it."""
    with pytest.raises(AttributeError) as caught:
        _ = summeval_pytest.load_suit
    assert str(caught.value) == "module 'summeval_pytest' has no attribute 'load_suit'"
    assert not hasattr(summeval_pytest, "metric")


def test_dir_shows_names_that_are_not_loaded_yet() -> None:
    """An editor completes what it is shown."""
    shown = python("import summeval_pytest; print(*dir(summeval_pytest))").split()
    assert set(HOMES) < set(shown)
    assert {"__all__", "__doc__", "__name__"} < set(shown)
    assert shown == sorted(set(shown))


def test_a_star_import_gives_the_public_names() -> None:
    """Notebooks do it."""
    code = "from summeval_pytest import *; print(*sorted(n for n in globals() if n[0] != '_'))"
    assert python(code).split() == sorted(HOMES)


def test_a_name_loads_its_own_home_only() -> None:
    """Catching an error must not cost a suite, a judge and numpy."""
    code = (
        "import sys; from summeval_pytest import JudgeError, UsageError;"
        "print(*sorted(m for m in sys.modules if m.startswith('summeval_pytest.') or m == 'numpy'))"
    )
    assert python(code) == "summeval_pytest.errors"

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import version

import pytest

import summeval_pytest
from summeval_pytest import errors

NAMES = """
ENDLESS EvaScore Evaluated FacetScore FaithfulnessScore Judge JudgeError JudgeInputs JudgeKeys
MeanScore Metric MetricTexts NumberSpec OwnScore Pair Paper Problem Scored Suite SuiteError
SummevalError Unscored UsageError evaluate load_suite score
""".split()
"""The public names, and the module that each is at home in."""


def python(code: str) -> str:
    """What a fresh interpreter prints."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_these_names_are_public_and_no_others() -> None:
    """A name once given can never be taken back, so a new one has to be written here, too."""
    # Each is the thing itself: a copy would not be an instance, or not be caught.
    assert summeval_pytest.__all__ == NAMES
    homes = {name: getattr(summeval_pytest, name) for name in NAMES if name != "ENDLESS"}
    assert {name for name, each in homes.items() if each.__name__ != name} == set()
    assert homes["UsageError"] is errors.UsageError


def test_an_unknown_name_is_an_attribute_error_in_pythons_words() -> None:
    """`hasattr`, `getattr` with a default and `from ... import` all rely on it."""
    with pytest.raises(AttributeError) as caught:
        _ = summeval_pytest.load_suit
    assert str(caught.value) == "module 'summeval_pytest' has no attribute 'load_suit'"
    assert not hasattr(summeval_pytest, "metric")
    assert summeval_pytest.__version__ == version("summeval-pytest")  # written once, elsewhere


def test_dir_and_a_star_import_give_names_that_are_not_loaded_yet() -> None:
    """An editor completes what it is shown; catching an error costs no suite, judge and numpy."""
    dirs, loaded, starred = python(
        "import summeval_pytest, sys; print(*dir(summeval_pytest))\n"
        "from summeval_pytest import JudgeError, UsageError\n"
        "print(*(m for m in sys.modules if m.startswith('summeval_pytest.') or m == 'numpy'))\n"
        "scope = {}; exec('from summeval_pytest import *', scope)\n"
        "print(*sorted(name for name in scope if name[0] != '_'))"
    ).splitlines()
    assert {*NAMES, "__all__", "__doc__", "__name__"} < set(dirs.split())
    assert dirs.split() == sorted(set(dirs.split()))
    assert loaded == "summeval_pytest.errors"
    assert starred.split() == NAMES

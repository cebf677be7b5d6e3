from __future__ import annotations

import sys
from types import ModuleType
from typing import TYPE_CHECKING

import pytest

from summeval_pytest.errors import OptionError
from summeval_pytest.judges.judge import find_judge, is_local
from summeval_pytest.judges.offline.embedded import OfflineJudge
from summeval_pytest.questions import OFFLINE

if TYPE_CHECKING:
    from pathlib import Path

TEAM = """
class Strict:
    signature = "strict-7"
    in_flight = 4

    async def answer(self, questions):
        return ()

def make():
    return Strict()

ready = Strict()
number = 3

def broken():
    return "no judge"

def needy(key):
    return Strict()

def poor():
    raise OSError("no licence file")
"""


@pytest.fixture(autouse=True)
def _team(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An importable module with a team's own judge in three forms."""
    (tmp_path / "team_judges.py").write_text(TEAM, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "team_judges", raising=False)


def test_offline_is_the_embedded_judge() -> None:
    """The default needs no key and no network."""
    assert find_judge(OFFLINE) == OfflineJudge()


@pytest.mark.parametrize("attribute", ["Strict", "make", "ready"])
def test_own_judge_is_a_class_a_function_or_an_object(attribute: str) -> None:
    """Whichever a team has at hand will do."""
    judge = find_judge(f"team_judges:{attribute}")
    assert (judge.signature, judge.in_flight) == ("strict-7", 4)


@pytest.mark.parametrize(
    ("names", "local"),
    [
        ("offline team_judges:Strict no_such_package.judges:Own no_such_package.judges:make", True),
        ("ofline gpt-4o panel llama3.1 mistral:latest qwen2.5:7b gpt-oss:20b", False),
        ("mistral:Q4_K_M code:latest random:text folder:Q8_0 no_such_module:Own", False),
        ("org/model:Q4_K_M team_judges: :Own team_judges:make", False),
    ],
)
def test_a_judge_in_this_process_is_reported_by_its_name(
    names: str, tmp_path: Path, *, local: bool
) -> None:
    """A model's tag follows a colon as well, and Python has a module called ``code``."""
    (tmp_path / "folder").mkdir()
    assert [is_local(name) for name in names.split()] == [local] * len(names.split())
    assert not is_local("")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("team_judges:Missing", "module 'team_judges' has no attribute 'Missing'"),
        ("team_judges:", "module 'team_judges' has no attribute ''"),
        ("team_judges:number", "TypeError: 'int' object is not callable"),
        (
            "team_judges:needy",
            "TypeError: needy() missing 1 required positional argument: 'key'",
        ),
        ("team_judges:poor", "OSError: no licence file"),
        ("no_such_package.judges:Own", "No module named 'no_such_package'"),
        (":Own", "ValueError: Empty module name"),
    ],
)
def test_judge_that_cannot_be_made_is_a_usage_error(name: str, message: str) -> None:
    """It is the user's to mend, and a crash of pytest would not say so."""
    with pytest.raises(OptionError) as caught:
        find_judge(name)
    assert str(caught.value) == (
        f"no judge {name!r}: {message}; name it package.module:Class, or define a model of this"
        f' name as [judges."{name}"] in the suite'
    )


def test_what_is_no_judge_is_refused() -> None:
    """An object of another kind is told which three members it needs."""
    with pytest.raises(OptionError) as caught:
        find_judge("team_judges:broken")
    assert str(caught.value) == (
        "'team_judges:broken' is no judge: it needs a signature, in_flight (1 or more) and answer()"
    )


def test_name_before_a_colon_is_looked_up_without_importing_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A judge's module may be slow to import, and a model's name must import nothing.

    What is started as a script has a module without a specification, which ends no run.
    """
    monkeypatch.setitem(sys.modules, "script", ModuleType("script"))
    names = ("this:Zen", "no_such_model:Latest", "script:Judge")
    assert [is_local(name) for name in names] == [True, False, True]
    assert "this" not in sys.modules

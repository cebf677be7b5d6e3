from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from summeval_pytest.errors import OptionError
from summeval_pytest.judges import OFFLINE, find_judge
from summeval_pytest.judges.offline import OfflineJudge

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


@pytest.fixture
def team(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of an importable module with a team's own judge in three forms."""
    (tmp_path / "team_judges.py").write_text(TEAM, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "team_judges", raising=False)
    return "team_judges"


def refusal(name: str, defined: tuple[str, ...] = ()) -> str:
    """What the user reads."""
    with pytest.raises(OptionError) as caught:
        find_judge(name, defined)
    return str(caught.value)


def test_offline_is_the_embedded_judge() -> None:
    """The default needs no key and no network."""
    assert find_judge(OFFLINE) == OfflineJudge()


@pytest.mark.parametrize("attribute", ["Strict", "make", "ready"])
def test_own_judge_is_a_class_a_function_or_an_object(team: str, attribute: str) -> None:
    """Whichever a team has at hand will do."""
    judge = find_judge(f"{team}:{attribute}")

    assert judge.signature == "strict-7"
    assert judge.in_flight == 4


@pytest.mark.parametrize(
    ("name", "defined", "hint"),
    [
        ("ofline", (), "did you mean 'offline'?"),
        ("panell", ("panel",), "did you mean 'panel'?"),
        ("zzz", ("panel",), "known: offline, panel"),
    ],
)
def test_unknown_name_is_answered_with_the_nearest_known_one(
    name: str, defined: tuple[str, ...], hint: str
) -> None:
    """A typing mistake is mended by reading one line; those that the suite defines are known."""
    assert refusal(name, defined) == (
        f"no judge {name!r}: {hint} (name your own judge as package.module:Class)"
    )


def test_judge_behind_an_endpoint_is_said_to_be_out_of_reach() -> None:
    """The suite may define it; this version asks no endpoint."""
    assert refusal("panel", ("panel",)) == (
        "judge 'panel' asks an endpoint, which this version cannot do yet;"
        " use 'offline', or name your own judge as package.module:Class"
    )


@pytest.mark.parametrize(
    ("attribute", "problem"),
    [
        ("Missing", "module 'team_judges' has no attribute 'Missing'"),
        ("", "module 'team_judges' has no attribute ''"),
    ],
)
def test_missing_attribute_is_named(team: str, attribute: str, problem: str) -> None:
    """The message carries Python's own reason."""
    assert refusal(f"{team}:{attribute}") == (
        f"no judge '{team}:{attribute}': {problem}; name it package.module:Class"
    )


@pytest.mark.parametrize("name", ["no_such_package.judges:Own", ":Own"])
def test_missing_module_is_a_usage_error(name: str) -> None:
    """A name that cannot be imported is the user's to mend, not a crash."""
    assert refusal(name).startswith(f"no judge {name!r}: ")


@pytest.mark.parametrize(
    ("attribute", "problem"),
    [
        ("number", "TypeError: 'int' object is not callable"),
        ("needy", "TypeError: needy() missing 1 required positional argument: 'key'"),
        ("poor", "OSError: no licence file"),
    ],
)
def test_judge_that_cannot_be_made_is_a_usage_error(
    team: str, attribute: str, problem: str
) -> None:
    """It is the user's to mend, and a crash of pytest would not say so."""
    name = f"{team}:{attribute}"

    assert refusal(name) == f"no judge {name!r}: {problem}; name it package.module:Class"


def test_object_that_is_no_judge_is_refused(team: str) -> None:
    """The message names the three members that it needs."""
    name = f"{team}:broken"

    assert refusal(name) == f"{name!r} is no judge: it needs signature, in_flight and answer()"

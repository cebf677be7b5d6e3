from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from summeval_pytest.errors import OptionError
from summeval_pytest.judges.judge import OFFLINE, find_judge, is_local
from summeval_pytest.judges.offline.embedded import OfflineJudge

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


def refusal(name: str) -> str:
    """What the user reads."""
    with pytest.raises(OptionError) as caught:
        find_judge(name)
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
    "name",
    [
        "offline",
        "team_judges:Strict",
        "team_judges:make",
        "no_such_package.judges:own",
        "no_such_module:Own",
        "json:tool",
    ],
)
@pytest.mark.usefixtures("team")
def test_a_judge_in_this_process_is_told_by_its_name(name: str) -> None:
    """The embedded one, and whatever looks like an attribute of a module, importable or not."""
    assert is_local(name)


@pytest.mark.parametrize(
    "name",
    [
        "ofline",
        "gpt-4o",
        "panel",
        "llama3.1",
        "mistral:latest",
        "qwen2.5:7b",
        "gpt-oss:20b",
        "org/model:Q4_K_M",
        "team_judges:",
        ":Own",
        "",
    ],
)
@pytest.mark.usefixtures("team")
def test_any_other_name_is_that_of_a_model(name: str) -> None:
    """A model's tag follows a colon as well, and no module of that name is imported to find out."""
    assert not is_local(name)


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


def test_name_before_a_colon_is_looked_up_without_importing_it() -> None:
    """A judge's module may be slow to import, and a model's name must import nothing."""
    program = (
        "import sys\n"
        "from summeval_pytest.judges.judge import is_local\n"
        "print(is_local('this:zen'), is_local('no_such_model:latest'), 'this' in sys.modules)\n"
    )
    told = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert told.stdout == "True False False\n"


def test_module_that_nobody_can_look_up_ends_no_run() -> None:
    """What is started as a script has a module without a specification."""
    program = "from summeval_pytest.judges.judge import is_local; print(is_local('__main__:judge'))"
    told = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert "Traceback" not in told.stderr
    assert told.returncode == 0

"""Commands as they are typed, and a server that answers for the suite of kilns."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from summeval_pytest.cli.app import main
from tests.asked_suite import by_rule, desk_for, evaluated, loaded, tasks_of
from tests.scripted_server import ScriptedServer


@dataclass(frozen=True)
class Shell:
    """Runs commands and reads what they print."""

    capsys: pytest.CaptureFixture[str]

    def run(self, *arguments: object) -> tuple[int, list[str], str]:
        """Exit code, printed lines, and what an error says."""
        code = main([str(argument) for argument in arguments])
        printed = self.capsys.readouterr()
        return code, printed.out.splitlines(), printed.err

    def lines(self, *arguments: object) -> list[str]:
        """The lines of a command that succeeds."""
        code, lines, error = self.run(*arguments)
        assert (code, error) == (0, "")
        return lines

    def error(self, code: int, *arguments: object) -> str:
        """The message of a command that ends with this code and prints nothing else."""
        ended, lines, error = self.run(*arguments)
        assert (ended, lines) == (code, [])
        assert error.startswith("summeval: error: ")
        return error.removeprefix("summeval: error: ").removesuffix("\n")


@pytest.fixture(autouse=True)
def _quick(few_resamples: None) -> None:
    """What commands print has intervals; their figures have tests of their own."""


@pytest.fixture
def shell(capsys: pytest.CaptureFixture[str]) -> Shell:
    """A terminal."""
    return Shell(capsys)


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ScriptedServer]:
    """Whoever answers; the folder and the store of the commands."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SUMM_STORE", str(tmp_path / "store"))
    for name in ("SUMM_ENDPOINT", "OPENAI_BASE_URL", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    with ScriptedServer(by_rule) as server:
        yield server


def judged(path: Path, *systems: str, store: str = "store") -> None:
    """Judges the faithfulness of systems of the suite of kilns."""
    suite = loaded(path / "kilns")
    tasks = tasks_of(suite, systems, ("faithfulness",))
    evaluated(desk_for(path / store, suite), suite, tasks)

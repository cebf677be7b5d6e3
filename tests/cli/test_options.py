from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from cyclopts import CycloptsError

from summeval_pytest.cli.app import make_app
from summeval_pytest.cli.options import (
    ASKING,
    GATED,
    NO_ENDPOINTS,
    Gated,
    check_writable,
    gated_tasks,
    session_of,
    write_figures,
)
from summeval_pytest.errors import OptionError, SuiteError, UsageError
from summeval_pytest.metrics.score import METRICS
from tests.asked_suite import write_suite

if TYPE_CHECKING:
    from collections.abc import Sequence

    from summeval_pytest.run.runner import Task
    from summeval_pytest.run.session import Session
    from summeval_pytest.suite.suite import Suite

URL = "http://127.0.0.1:9/v1"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a suite, and no options from outside."""
    monkeypatch.chdir(tmp_path)
    for name in ("SUMM_STORE", "SUMM_ENDPOINT", "OPENAI_BASE_URL", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    return write_suite(tmp_path / "kilns", URL, systems=("good", "bad"))


def read(*arguments: str) -> dict[str, Any]:
    """What a command line comes to, by the command's arguments."""
    _, bound, _ = make_app().parse_args(arguments, exit_on_error=False, print_error=False)
    return bound.arguments


def session(*arguments: str) -> Session:
    """The session of `summeval agree` with these options."""
    chosen = read("agree", "kilns", *arguments)
    return session_of(chosen.get("endpoints", NO_ENDPOINTS), chosen.get("asking", ASKING))


def gated(*arguments: str) -> tuple[Suite, list[Task]]:
    """The suite, and the pairs that a run would judge."""
    chosen: Gated = read("plan", "kilns", *arguments).get("gated", GATED)
    return gated_tasks(Path("kilns"), chosen, session_of(chosen.endpoints))


def pairs(*arguments: str) -> list[str]:
    """The names of these pairs."""
    return [f"{task.system}::{task.paper}" for task in gated(*arguments)[1]]


def refusal(arguments: Sequence[str]) -> str:
    """What the user is told."""
    with pytest.raises(UsageError) as caught:
        pairs(*arguments)
    return str(caught.value)


def test_terms_are_those_of_the_options() -> None:
    """Each option reaches the session."""
    terms = session(
        "--store", "there", "--endpoint", "ollama", "--votes", "3", "--record", "all",
        "--summ-in-flight", "7",
    )  # fmt: skip
    assert terms.directory == Path("there")
    assert (terms.endpoint, terms.votes) == ("ollama", 3)
    assert (terms.record, terms.in_flight) == ("all", 7)
    assert terms.budget is None


def test_terms_without_options_are_the_usual_ones() -> None:
    """New questions are asked, 64 at once, and remembered in the user's cache folder."""
    terms = session()
    assert (terms.record, terms.in_flight, terms.directory) == ("new", 64, None)
    assert (terms.endpoint, terms.votes) == (None, None)


def test_environment_names_store_and_endpoint(monkeypatch: pytest.MonkeyPatch) -> None:
    """The command line goes before it, and an empty variable is none."""
    monkeypatch.setenv("SUMM_STORE", "/somewhere")
    monkeypatch.setenv("SUMM_ENDPOINT", "ollama")
    assert session().directory == Path("/somewhere")
    assert session().endpoint == "ollama"
    assert session("--store", "there").directory == Path("there")
    assert session("--endpoint", "openai").endpoint == "openai"
    monkeypatch.setenv("SUMM_STORE", "")
    monkeypatch.setenv("SUMM_ENDPOINT", "")
    assert (session().directory, session().endpoint) == (None, None)


def test_each_command_is_a_run_of_its_own() -> None:
    """What only one run needs is not shared with another."""
    runs = {session().run for _ in range(3)}
    assert len(runs) == 3
    assert "" not in runs


def test_keys_are_read_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """And from nowhere else."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-marker-0a1b2c3d4e5f")
    assert session().environ["OPENAI_API_KEY"] == "sk-marker-0a1b2c3d4e5f"


@pytest.mark.parametrize("text", ["0", "-1", "1.5", "many", "", "\u0663", "1000000", "9" * 5_000])
def test_count_is_a_whole_number_of_up_to_six_digits(text: str) -> None:
    """The option is named, and what it takes."""
    with pytest.raises(CycloptsError, match="is no whole number from 1 to 999999"):
        read("plan", "kilns", "--votes", text)


def test_unknown_mode_is_refused() -> None:
    """The modes are listed."""
    with pytest.raises(CycloptsError, match='Choose from: "none", "new", "all"'):
        read("agree", "kilns", "--record", "some")


def test_pairs_are_those_of_the_suites_default_systems() -> None:
    """System by system, as in a run."""
    assert pairs() == ["good::kiln", "good::moss", "bad::kiln", "bad::moss"]


def test_named_systems_are_taken_instead() -> None:
    """Once each, however they are listed."""
    assert pairs("--model", "bad,writer", "--model", "bad") == [
        "bad::kiln", "bad::moss", "writer::kiln", "writer::moss",
    ]  # fmt: skip


def test_system_that_the_suite_lacks_is_a_model() -> None:
    """As with ``--summ-model``."""
    suite, tasks = gated("--model", "llama3:8b", "--endpoint", "here")
    assert [task.paper for task in tasks] == ["kiln", "moss"]
    assert suite.systems["llama3:8b"].endpoint == "here"
    assert all(task.suite is suite for task in tasks)


def test_mistakes_are_told_before_anything_is_surveyed() -> None:
    """With what to type instead."""
    assert refusal(["--model", "llama3", "--endpoint", "her"]) == (
        "no endpoint 'her'; did you mean 'here'? (or write a URL)"
    )
    assert refusal(["--model", "a::b"]).startswith("--model=a::b: ")


def test_metrics_are_those_that_thresholds_need(folder: Path) -> None:
    """All of them, where there is no threshold."""
    _, tasks = gated()
    assert {task.metrics for task in tasks} == {METRICS}
    write_suite(folder, URL, tail='\n[thresholds.mean]\n"eva.recall" = 0.1\n')
    _, tasks = gated()
    assert {task.metrics for task in tasks} == {("eva",)}


def test_broken_cassette_is_told(folder: Path) -> None:
    """It is part of what is remembered."""
    (folder / "cassette.jsonl").write_text("{}\n", encoding="utf-8")
    with pytest.raises(SuiteError, match=r"^kilns/cassette.jsonl:1: "):
        pairs()


def test_file_that_cannot_be_written_is_refused_at_once(folder: Path) -> None:
    """And not when an hour's work is to be written into it."""
    told = "--out={}: cannot be written, {}; name another file"
    for file, fault in (
        (folder, "it is a folder"),
        (folder / "gone" / "out.jsonl", "its folder is not there"),
    ):
        with pytest.raises(OptionError) as caught:
            check_writable(file, "--out")
        assert str(caught.value) == told.format(file, fault)
    check_writable(folder / "out.jsonl", "--out")
    assert not (folder / "out.jsonl").exists()


def test_figures_that_cannot_be_written_are_told_with_one_remedy(tmp_path: Path) -> None:
    """The writer says already what to do."""
    (tmp_path / "file").write_text("")
    with pytest.raises(OptionError) as raised:
        write_figures(tmp_path / "file" / "x.json", "--json", {"a": 1})
    assert str(raised.value).count("name another file") == 1

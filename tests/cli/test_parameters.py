from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from cyclopts import CycloptsError

from summeval_pytest.cli.app import make_app
from summeval_pytest.cli.parameters import (
    Gated,
    Judging,
    gated_of,
    session_of,
)
from summeval_pytest.errors import UsageError
from summeval_pytest.metrics.catalogue import METRICS
from summeval_pytest.run.runner import Task
from summeval_pytest.run.session import Session
from summeval_pytest.suite.suite import Suite
from tests.asked_suite import write_suite

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
    chosen: Judging = read("agree", "kilns", *arguments).get("judging", Judging())
    return session_of(chosen.endpoints, chosen.asking)


def gated(*arguments: str) -> tuple[Suite, tuple[Task, ...]]:
    """The suite, and what a run would ask."""
    chosen: Gated = read("plan", "kilns", *arguments).get("gated", Gated())
    result = gated_of(Path("kilns"), chosen, session_of(chosen.endpoints))
    return result.suite, result.tasks


def refusal(arguments: Sequence[str]) -> str:
    """What the user is told."""
    with pytest.raises(UsageError) as caught:
        gated(*arguments)
    return str(caught.value)


def test_terms_are_those_of_the_options() -> None:
    """Each reaches the session; without them new questions are asked, 64 at once."""
    chosen = session(
        "--store", "there", "--endpoint", "ollama", "--votes", "3", "--record", "all",
        "--summ-in-flight", "7", "--budget", "2.5",
    )  # fmt: skip
    terms = [
        (each.place, each.endpoint, each.votes, each.record, each.in_flight, each.budget)
        for each in (chosen.terms, session().terms)
    ]
    assert terms == [
        (Path("there"), "ollama", 3, "all", 7, 2.5),
        (None, None, None, "new", 64, None),
    ]


def test_environment_names_store_endpoint_and_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """The command line goes before it, and an empty variable is none."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-marker-0a1b2c3d4e5f")
    monkeypatch.setenv("SUMM_STORE", "/somewhere")
    monkeypatch.setenv("SUMM_ENDPOINT", "ollama")
    result = [session(), session("--store", "there"), session("--endpoint", "openai")]
    monkeypatch.setenv("SUMM_STORE", "")
    monkeypatch.setenv("SUMM_ENDPOINT", "")
    result.append(session())
    assert [(each.terms.place, each.terms.endpoint) for each in result] == [
        (Path("/somewhere"), "ollama"),
        (Path("there"), "ollama"),
        (Path("/somewhere"), "openai"),
        (None, None),
    ]
    assert session().environ["OPENAI_API_KEY"] == "sk-marker-0a1b2c3d4e5f"
    assert len({"", *(each.terms.run for each in result)}) == 5  # each command is a run of its own


def test_counts_dollars_and_modes_are_checked() -> None:
    """The option is named, and what it takes; with no dollars at all nothing is asked."""
    for text in ("0", "-1", "1.5", "many", "", "\u0663", "1000000", "9" * 5_000):
        with pytest.raises(CycloptsError, match="is no whole number from 1 to 999999"):
            read("plan", "kilns", "--votes", text)
    assert session("--budget", "0").terms.budget == 0.0
    for text in ("-1", "many", "", "nan", "1e999"):
        with pytest.raises(CycloptsError, match="is not a number of dollars of at least 0"):
            read("judge", "kilns", "--out", "x.jsonl", "--budget", text)
    with pytest.raises(CycloptsError, match='Choose from: "none", "new", "all"'):
        read("agree", "kilns", "--record", "some")


def test_pairs_are_those_of_default_or_named_systems(folder: Path) -> None:
    """System by system, once each; a system that the suite lacks is a model."""
    # Metrics are those that thresholds need, or all of them.
    for options, systems in (
        ([], ["good", "bad"]),
        (["--model", "bad,writer", "--model", "bad"], ["bad", "writer"]),
        (["--model", "llama3:8b", "--endpoint", "here"], ["llama3:8b"]),
    ):
        suite, tasks = gated(*options)
        names = [(task.system, task.paper) for task in tasks]
        assert names == [(system, paper) for system in systems for paper in ("kiln", "moss")]
        assert all(task.suite is suite for task in tasks)
        assert {task.metrics for task in tasks} == {METRICS}
        assert systems != ["llama3:8b"] or suite.systems["llama3:8b"].endpoint == "here"
    write_suite(folder, URL, tail='\n[thresholds.mean]\n"eva.recall" = 0.1\n')
    _, tasks = gated()
    assert {task.metrics for task in tasks} == {("eva",)}


def test_mistakes_are_reported_before_anything_is_surveyed() -> None:
    """With what to type instead."""
    assert refusal(["--model", "llama3", "--endpoint", "her"]) == (
        "no endpoint 'her'; did you mean 'here'? (or write a URL)"
    )
    assert refusal(["--model", "a::b"]).startswith("--summ-model=a::b: ")

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from cyclopts import App

from summeval_pytest.cli.app import COMMANDS, make_app
from summeval_pytest.cli.parameters import session_of, with_options
from summeval_pytest.errors import UsageError
from summeval_pytest.metrics.catalogue import METRICS
from summeval_pytest.options import TABLE, Options
from summeval_pytest.record.gated_suite import gated_suite
from summeval_pytest.run.runner import Task
from summeval_pytest.run.session import Session
from tests.asked_suite import write_suite

URL = "http://127.0.0.1:9/v1"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a suite, and no options from outside."""
    monkeypatch.chdir(tmp_path)
    for name in ("SUMM_STORE", "SUMM_ENDPOINT", "OPENAI_BASE_URL", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    return write_suite(tmp_path / "kilns", URL, systems=("good", "bad"))


def session(*arguments: str) -> Session:
    """The session of a command with these options."""

    @with_options(*TABLE)
    def command(*, options: Options) -> Session:
        return session_of(options)

    app = App(result_action="return_value")
    app.default(command)
    result: Session = app(arguments, exit_on_error=False, print_error=False)
    return result


def gated(*arguments: str) -> tuple[Task, ...]:
    """What a run would ask."""
    return gated_suite(Path("kilns"), session(*arguments)).tasks


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
        (each.store, each.endpoint, each.votes, each.record, each.in_flight, each.budget)
        for each in (chosen.terms, session().terms)
    ]
    assert terms == [
        ("there", "ollama", 3, "all", 7, 2.5),
        (None, None, None, "new", 64, None),
    ]


def test_a_command_has_its_shared_options_from_the_table() -> None:
    """An option of a name of the table that it writes itself means something else there."""
    flags = {option.short_flag: option for option in TABLE.values()}
    own = set()
    for command, *_ in COMMANDS:
        each = make_app()
        for word in command.split():
            each = each[word]
        for argument in each.assemble_argument_collection():
            for name in flags.keys() & {*argument.names}:
                if flags[name].flag not in argument.names:
                    own.add(f"{command} {name}")
                else:
                    assert (argument.parameter.help or "").startswith(flags[name].help)
    assert own == {
        "agree --compare", "agree --html", "import --suite", "init --endpoint", "init --judge",
        "label --html",
        "report --github", "report --run-record", "study --judge", "study --model",
        "thresholds --judge",
    }  # fmt: skip


def test_metrics_are_those_that_thresholds_need_or_all(folder: Path) -> None:
    """Of each pair, once."""
    tasks = gated()
    names = [(task.system, task.paper) for task in tasks]
    assert names == [(system, paper) for system in ("good", "bad") for paper in ("kiln", "moss")]
    assert {task.metrics for task in tasks} == {METRICS}
    write_suite(folder, URL, tail='\n[thresholds.mean]\n"eva.recall" = 0.1\n')
    assert {task.metrics for task in gated()} == {("eva",)}


def test_mistakes_are_reported_before_anything_is_surveyed() -> None:
    """With what to type instead."""
    assert refusal(["--model", "llama3", "--endpoint", "her"]) == (
        "no endpoint 'her'; did you mean 'here'? (or write a URL)"
    )
    assert refusal(["--model", "a::b"]).startswith("--summ-model=a::b: ")

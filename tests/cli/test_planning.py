from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from summeval_pytest.cli.app import main
from tests.asked_suite import PRICES, by_rule, desk_for, evaluated, loaded, tasks_of, write_suite
from tests.scripted_server import ScriptedServer

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FAITHFUL = "\n[thresholds]\nfaithfulness = 0.1\n"


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ScriptedServer]:
    """Whoever would answer; the folder and the store of the commands."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SUMM_STORE", str(tmp_path / "store"))
    for name in ("SUMM_ENDPOINT", "OPENAI_BASE_URL", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    with ScriptedServer(by_rule) as server:
        yield server


def planned(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[str]:
    """The lines of a plan."""
    assert main(["plan", "kilns", "--judge", "rule", *arguments]) == 0
    return capsys.readouterr().out.splitlines()


def calls_of(line: str) -> tuple[str, str, str]:
    """System, metric and calls of a line of the table."""
    system, metric, calls, *_ = line.split()
    return system, metric, calls


def test_plan_is_a_table_of_what_a_run_would_ask(
    tmp_path: Path, server: ScriptedServer, capsys: pytest.CaptureFixture[str]
) -> None:
    """By system and metric; a tilde where replies decide what is asked next."""
    write_suite(tmp_path / "kilns", server.url, systems=("good", "bad"), judge=PRICES)
    first, heading, *rows, total, estimates, tilde = planned(capsys)
    assert first.startswith("plan: judge rule-1 at=here temp=0 prompt=")
    assert first.endswith("; nothing was asked, 0 replies are stored")
    assert heading.split() == [
        "system", "metric", "calls", "prompt", "tokens", "reply", "tokens", "dollars",
    ]  # fmt: skip
    assert sorted(map(calls_of, rows)) == [
        ("bad", "eva", "~4"),
        ("bad", "facet", "~4"),
        ("bad", "faithfulness", "2"),
        ("good", "eva", "~4"),
        ("good", "facet", "~6"),
        ("good", "faithfulness", "2"),
    ]
    assert total.split()[:2] == ["all", "~22"]
    dollars = [float(row.split()[-1]) for row in rows]
    assert float(total.split()[-1]) == pytest.approx(sum(dollars), abs=0.04)
    assert estimates == "tokens and dollars are estimates"
    assert tilde.startswith("~ some calls depend on replies that nobody has given yet")
    assert server.n_requests == 0


def test_plan_counts_what_a_run_then_asks(
    tmp_path: Path, server: ScriptedServer, capsys: pytest.CaptureFixture[str]
) -> None:
    """And after the run there is nothing to plan. A model on this machine costs nothing."""
    folder = write_suite(tmp_path / "kilns", server.url, tail=FAITHFUL)
    lines = planned(capsys)
    assert [calls_of(line) for line in lines[2:3]] == [("good", "faithfulness", "2")]
    assert lines[-2].split()[-1] == "0.00"
    assert lines[-1] == "tokens and dollars are estimates"
    suite = loaded(folder)
    tasks = tasks_of(suite, metrics=("faithfulness",))
    evaluated(desk_for(tmp_path / "store", suite), suite, tasks)
    assert server.n_requests == 2
    first, *others = planned(capsys)
    assert first.endswith("; nothing was asked, 2 replies are stored")
    assert others == ["every reply is stored: the run asks nothing and costs nothing"]
    assert server.n_requests == 2


def test_plan_with_votes_counts_each_vote(
    tmp_path: Path, server: ScriptedServer, capsys: pytest.CaptureFixture[str]
) -> None:
    """Three votes cost three times as much."""
    write_suite(tmp_path / "kilns", server.url, tail=FAITHFUL)
    assert calls_of(planned(capsys, "--votes", "3")[2]) == ("good", "faithfulness", "6")


def test_plan_of_a_model_counts_its_summaries(
    tmp_path: Path, server: ScriptedServer, capsys: pytest.CaptureFixture[str]
) -> None:
    """They are asked first."""
    write_suite(tmp_path / "kilns", server.url, tail=FAITHFUL)
    rows = [calls_of(line) for line in planned(capsys, "--model", "writer")[2:4]]
    assert rows[0] == ("writer", "summaries", "2")


def test_plan_needs_no_key(
    tmp_path: Path, server: ScriptedServer, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing is sent."""
    write_suite(tmp_path / "kilns", server.url, endpoint='api_key_env = "TEAM_KEY"', tail=FAITHFUL)
    assert calls_of(planned(capsys)[2]) == ("good", "faithfulness", "2")
    assert main(["plan", "kilns", "--judge", "gpt-9"]) == 0


def test_plan_of_the_embedded_judge_is_free(
    tmp_path: Path, server: ScriptedServer, capsys: pytest.CaptureFixture[str]
) -> None:
    """It asks nobody."""
    write_suite(tmp_path / "kilns", server.url)
    assert main(["plan", "kilns"]) == 0
    first, second = capsys.readouterr().out.splitlines()
    assert first.startswith("plan: judge offline-")
    assert second == "every reply is stored: the run asks nothing and costs nothing"


def test_mistake_of_a_plan_is_a_usage_error(
    tmp_path: Path, server: ScriptedServer, capsys: pytest.CaptureFixture[str]
) -> None:
    """One line, and exit code 4."""
    write_suite(tmp_path / "kilns", server.url)
    assert main(["plan", "kilns", "--judge", "rule", "--model", "x", "--endpoint", "her"]) == 4
    assert capsys.readouterr().err == (
        "summeval: error: no endpoint 'her'; did you mean 'here'? (or write a URL)\n"
    )
    assert main(["plan", "kilns", "--votes", "3"]) == 4
    assert "--summ-votes asks a model several times" in capsys.readouterr().err


def test_plan_counts_the_questions_of_a_variant(
    tmp_path: Path, server: ScriptedServer, capsys: pytest.CaptureFixture[str]
) -> None:
    """Two pairs: 4 texts for facts and 4 for relations; 3 facts a summary, each with 2 premises.

    The reference's four facts are chosen from, and neighbours are asked about twice a pair:
    4 + 4 + 2 * 2 + 2 * 3 * 2 = 24. By default it is 4 + 2.
    """
    eva = "\n[thresholds]\neva = 0.1\n"
    default = 'eva_recall = "matched"'
    variant = f"""{default}
eva_chains = "adjacent"
eva_premises = 2
eva_relations = 0.7"""
    for head, calls in ((default, "~6"), (variant, "~24")):
        write_suite(tmp_path / "kilns", server.url, head=head, tail=eva)
        _, _, row, *_ = planned(capsys)
        assert calls_of(row) == ("good", "eva", calls)
    assert server.n_requests == 0

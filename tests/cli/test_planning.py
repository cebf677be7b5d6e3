from __future__ import annotations

from pathlib import Path

from tests.asked_suite import write_suite
from tests.cli.conftest import Shell, judged
from tests.scripted_server import ScriptedServer

FAITHFUL = "\n[thresholds]\nfaithfulness = 0.1\n"
PLAN = ("plan", "kilns", "--judge", "rule")
ESTIMATES = (
    "tokens and dollars are estimates; hidden reasoning is included only for models with stored"
    " replies"
)
NOTHING = "every reply is stored: the run asks nothing and costs nothing"


def calls_of(line: str) -> tuple[str, str, str]:
    """System, metric and calls of a line of the table."""
    system, metric, calls, *_ = line.split()
    return system, metric, calls


def test_plan_counts_what_a_run_asks(tmp_path: Path, server: ScriptedServer, shell: Shell) -> None:
    """And after the run there is nothing to plan. A model on this machine costs nothing."""
    write_suite(tmp_path / "kilns", server.url, tail=FAITHFUL)
    lines = shell.lines(*PLAN)
    assert calls_of(lines[2]) == ("good", "faithfulness", "2")
    assert calls_of(shell.lines(*PLAN, "--votes", "3")[2]) == ("good", "faithfulness", "6")
    assert calls_of(shell.lines(*PLAN, "--model", "writer")[2]) == ("writer", "summaries", "2")
    assert lines[-2].split()[-1] == "0.00"
    assert lines[-1] == ESTIMATES
    judged(tmp_path, "good")
    first, *others = shell.lines(*PLAN)
    assert first.endswith("; nothing was asked, 2 replies are stored")
    assert others == [NOTHING]
    assert server.n_requests == 2
    first, second = shell.lines("plan", "kilns")  # the embedded judge asks nobody
    assert first.startswith("plan: judge offline-")
    assert second == "this judge asks no endpoint: the run costs nothing"
    assert shell.run("plan", "kilns", "--judge", "gpt-9")[0] == 0, "a plan needs no key"
    message = shell.error(4, "plan", "kilns", "--votes", "3")
    assert "--summ-votes asks a model several times" in message

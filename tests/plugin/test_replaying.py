"""Real runs with labels whose judge is an LLM, replayed where there is no store and no network."""

from __future__ import annotations

import json
import shutil
from typing import Final

import pytest

from summeval_pytest.cli.app import main
from tests.plugin.conftest import Bench
from tests.plugin.labelled import labelled

RULE: Final = ("--summ-judge=rule", "-q")
COMMAND: Final = ("summeval.toml", "--judge=rule")


def printed(capsys: pytest.CaptureFixture[str], *command: str) -> list[str]:
    """What a command that succeeds prints."""
    capsys.readouterr()
    assert main(list(command)) == 0
    return capsys.readouterr().out.splitlines()


def body(bench: Bench, name: str) -> list[str]:
    """A record but for its header, which may differ in a replay, and the hash that covers it."""
    first, *lines, _ = bench.text(name).splitlines()
    run = json.loads(first)["run"]
    assert run.pop("header")["created"] == "2023-11-14T22:13:20Z"
    return [json.dumps(run), *lines]


@pytest.mark.parametrize("processes", ["0", "1"])
def test_what_the_last_run_asked_is_exported(
    bench: Bench, capsys: pytest.CaptureFixture[str], processes: str
) -> None:
    """Its judge and systems need no second typing; other ones that are typed are taken alone."""
    bench.suite(pair="faithfulness = 0.1", papers=("limpet-01",))
    with bench.serving():
        bench.inside(*RULE, "--summ-model=bad", "summeval.toml", "-n", processes)
        bench.inside("-q", "summeval.toml")  # the embedded judge asks nothing
        for typed, added in (((), "--model=bad --judge=rule"), (COMMAND[1:], "--model=bad")):
            said = printed(capsys, "cassette", "export", COMMAND[0], *typed)
            assert said[-1] == f"as in the last run: {added}"
            assert "1 replies" in said[0]
        assert main(["cassette", "export", *COMMAND, "--model=good"]) == 1
        assert capsys.readouterr().err.endswith(
            "'pytest summeval.toml --summ-judge=rule --summ-model=good --summ-record=new', then"
            " export; --model chooses from good, bad\n"
        )
        (none,) = printed(capsys, "cassette", "export", COMMAND[0], "--judge=offline")
        assert none.endswith(
            "no replies here; name an LLM judge with --judge, or a model with --model"
        )


def test_what_a_run_asks_is_planned_exported_and_replayed(
    bench: Bench, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Labelled pairs, pairs and means: whatever one of them lacks ends a replay."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    limits = "facet = 0.3\nfaithfulness = 0.3"
    labelled(bench, pair=limits, mean="faithfulness = 0.3", floors="facet_exact = 1.0")
    option = "--summ-min=eva=0.1"
    with bench.serving() as server:
        live = bench.inside("summeval.toml", *RULE, option, "--summ-run-record=live.json")
        n_requests = server.n_requests
        plan = printed(capsys, "plan", *COMMAND, option)
        assert plan[-1] == "every reply is stored: the run asks nothing and costs nothing"
        (batch,) = printed(capsys, "batch", "export", *COMMAND, option, "--out=open.jsonl")
        assert batch == f"nothing is open: all {n_requests} replies are stored; run pytest"
        exported, _ = printed(capsys, "cassette", "export", *COMMAND, option)
        assert exported.startswith(f"cassette.jsonl: {n_requests} replies, {n_requests} of them")
    shutil.rmtree(bench.store)
    record = ("--summ-record=none", "--summ-run-record=replayed.json")
    replay = bench.inside("summeval.toml", *RULE, option, *record)
    assert (replay.code, replay.last) == (live.code, live.last)
    assert replay.code == 10
    assert server.n_requests == n_requests
    assert not bench.store.exists()
    assert body(bench, "replayed.json") == body(bench, "live.json")

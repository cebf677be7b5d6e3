"""A suite judged without pytest, and decided by pytest afterwards."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import dask
import pytest
from distributed import Client, LocalCluster

from summeval_pytest.cli.app import main
from summeval_pytest.errors import UsageError
from summeval_pytest.record.record_file import record_lines
from summeval_pytest.run.session import Terms
from summeval_pytest.scale import judging
from summeval_pytest.scale.judging import (
    Batch,
    Collected,
    JudgeOrder,
    PairJudge,
    batch_lines,
    batches_of,
    close_judge,
)
from tests.plugin.conftest import BOTH, Bench, by_rule
from tests.plugin.test_endpoints import PRICES
from tests.plugin.test_shards import labelled
from tests.scripted_server import Delay
from tests.waiting import SOON

MORTAL = """
import os
from pathlib import Path

from summeval_pytest.judges.offline import OfflineJudge

KILLED = Path(__file__).with_name("killed")


class Once(OfflineJudge):
    "Ends its process at the first question that anybody is asked."

    async def answer(self, questions):
        try:
            KILLED.touch(exist_ok=False)
        except FileExistsError:
            return await super().answer(questions)
        os._exit(9)


class Always(OfflineJudge):
    async def answer(self, questions):
        os._exit(9)
"""


def judge(*arguments: str) -> int:
    """The command over both systems, in this process."""
    return main(["judge", "summeval.toml", "--model=good,bad", *arguments])


def test_every_way_of_judging_gives_the_record_of_a_run_of_pytest(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """With its means and its judge's agreement, decided; pytest decides it again."""
    labelled(bench)
    bench.write("mortal.py", MORTAL)
    monkeypatch.chdir(bench.path)
    for out, *way in (("many.jsonl", "-j", "2"), ("dask.jsonl", "-j", "1", "--dask")):
        (bench.path / "killed").unlink(missing_ok=True)
        assert judge("--judge=mortal:Once", f"--out={out}", *way) == 0
        assert (bench.path / "killed").exists()
        assert capsys.readouterr().out.startswith("judged 6 of 6 pairs, 0 errors, ")
    assert judge("--judge=mortal:Once", "--out=one.jsonl") == 0
    decide = "decide: pytest summeval.toml --summ-from=one.jsonl --summ-judge=mortal:Once"
    assert f"{decide} --summ-model=good --summ-model=bad\n" in capsys.readouterr().out
    assert not (bench.path / "one.jsonl.part").exists()

    run = ("summeval.toml", BOTH, "--summ-judge=mortal:Once")
    whole = bench.inside(*run, "--summ-run-record=whole.jsonl")
    final = bench.inside(*run, "--summ-from=one.jsonl", "--summ-run-record=final.json")
    assert (final.code, final.last) == (whole.code, whole.last)
    for name in ("many.jsonl", "dask.jsonl", "one.jsonl", "final.json"):
        assert bench.text(name) == bench.text("whole.jsonl"), name


def test_the_command_that_decides_is_never_cut(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Thresholds at its end would be lost."""
    labelled(bench)
    monkeypatch.chdir(bench.path)
    least = ",".join(f"{scope}{n}=0.1" for scope in ("", "mean.") for n in ("eva", "faithfulness"))
    out = "/".join([*("f" * 200, "g" * 200), "one.jsonl"])
    (bench.path / out).parent.mkdir(parents=True)
    assert judge(f"--out={out}", f"--min={least}") == 0
    assert capsys.readouterr().out.endswith(f"--summ-min={least.rpartition(',')[2]}\n")


def test_a_cluster_without_a_worker_is_a_usage_error_after_a_while(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is said meanwhile; nor does any worker take the place of the last one that dies."""
    monkeypatch.setattr(judging, "_LOOK_SECONDS", 0.5)
    monkeypatch.chdir(bench.path)
    bench.write("mortal.py", MORTAL)
    with LocalCluster(n_workers=0, dashboard_address=":0") as cluster:
        address = cluster.scheduler_address
        options = (f"--dask={address}", "--dask-wait=1", "--out=x.jsonl")
        assert judge(*options) == 4
        errors = capsys.readouterr().err.splitlines()
        worker = [sys.executable, "-m", "dask", "worker", address, "--no-nanny", "--no-dashboard"]
        with subprocess.Popen(worker, stderr=subprocess.DEVNULL) as process:
            cluster.wait_for_workers(1, SOON)
            assert judge(*options, "--judge=mortal:Always") == 4
            assert process.wait(SOON) == 9
    missing = f"no Dask worker has joined {address} yet"
    remedy = f"start one with 'dask worker {address}', or wait longer than 1 s with --dask-wait"
    assert errors == [
        f"summeval: {missing} (0.5 of 1 s)",
        f"summeval: {missing} (1 of 1 s)",
        f"summeval: error: --dask: {missing}; {remedy}",
    ]
    assert f"--dask: no Dask worker is left at {address}; start one" in capsys.readouterr().err
    assert not [*bench.path.glob("x.jsonl*")]


def test_a_scheduler_that_is_gone_is_a_usage_error_at_once() -> None:
    """Nobody comes back whom waiting longer would help."""
    cluster = LocalCluster(n_workers=0, dashboard_address=":0")
    address = cluster.scheduler_address
    with dask.config.set({"distributed.comm.timeouts.connect": "1s"}), Client(address) as client:
        cluster.close()
        with pytest.raises(UsageError) as caught:
            judging._wait_for_worker(client, "no Dask worker is left at {}", SOON)
    missing = f"--dask: no Dask worker is left at {address}"
    assert str(caught.value).startswith(f"{missing}: the scheduler is gone, ")


def test_a_budget_is_one_for_all_processes(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Two workers spend together what one may; what the money does not reach is an error."""
    bench.suite(pair="facet = 0.3")
    # a reply costs .12 dollars, and about 2.8 at most
    with bench.serving(lambda seen: Delay(0.02, by_rule(seen)), judge=PRICES) as server:
        monkeypatch.chdir(bench.path)
        code = judge("--out=x.jsonl", "--judge=rule", "--budget=3.2", "-j", "2")
    assert code == 1
    assert 0 < server.n_requests * 0.12 <= 3.2
    assert "0 errors" not in capsys.readouterr().out
    assert "not judged: budget" in bench.text("x.jsonl")


def order_of(bench: Bench, judge: str | None = None) -> JudgeOrder:
    """What is judged by, of both systems of the bench."""
    suite = str(bench.path / "summeval.toml")
    return JudgeOrder(
        suite=suite,
        today="2026-01-01",
        terms=Terms(judge=judge, model=("good", "bad"), in_flight=1, run="a"),
    )


def test_the_order_in_which_batches_end_changes_nothing(bench: Bench) -> None:
    """Nor does a batch whose lines have come twice, since its first worker died at its end."""
    labelled(bench)
    order = order_of(bench)
    judge = PairJudge(order)
    parts = batches_of(judge, 2)
    assert [[paper for _, paper in batch.pairs] for batch in parts] == [
        [paper, paper] for paper in ("limpet-01", "kiln-02", "moss-03")
    ]
    lines = [list(batch_lines(order, batch)) for batch in parts]
    close_judge(order)
    texts = []
    for place in ([0, 1, 2], [2, 0, 1, 0]):
        collected = Collected(order, judge, Path("run.jsonl"))
        for n in place:
            for line in lines[n]:
                collected.add(line)
        texts.append([*record_lines(collected.verdict())])
    assert texts[0] == texts[1]


def test_a_batch_that_every_worker_dies_of_is_an_error_of_its_pairs(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are named, and never passed; the others would be judged all the same."""
    bench.suite(papers=("limpet-01",))
    bench.write("mortal.py", MORTAL)
    monkeypatch.setattr(judging, "TRIES", 1)
    order = order_of(bench, "mortal:Always")
    judge = PairJudge(order)
    collected = Collected(order, judge, Path("run.jsonl"))
    for line in judging.in_processes(order, batches_of(judge, 1), n_workers=1):
        collected.add(line)
    (suite,) = collected.verdict().suites
    assert [(pair.system, pair.outcome) for pair in suite.pairs] == [
        ("good", "error"),
        ("bad", "error"),
    ]
    fault = suite.pairs[0].fault
    assert fault.startswith("1 processes died in the batch that this pair is of")
    assert "exit code 9" in fault


def test_a_mistake_that_a_worker_meets_is_the_users(bench: Bench) -> None:
    """A model that nobody knows would be met by every pair: the run ends with a usage error."""
    order = order_of(bench)
    (bench.path / "papers.jsonl").unlink()
    (line,) = batch_lines(order, Batch((("good", "limpet-01"),)))
    assert "papers.jsonl" in json.loads(line)["batch"]["mistake"]
    bench.suite()
    collected = Collected(order, PairJudge(order), Path("run.jsonl"))
    with pytest.raises(UsageError, match=r"papers\.jsonl"):
        collected.add(line)


def test_what_cannot_be_judged_is_a_usage_error(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Before anything is judged: a missing extra, a folder that is not there."""
    labelled(bench)
    monkeypatch.chdir(bench.path)
    monkeypatch.setitem(sys.modules, "dask", None)
    assert judge("--out=x.jsonl", "--dask") == 4
    assert "pip install 'summeval-pytest[dask]'" in capsys.readouterr().err
    assert judge("--out=nowhere/x.jsonl") == 4
    assert not [*bench.path.glob("x.jsonl*")]

"""Real runs whose judge and whose models under test answer over HTTP, from a scripted server."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from contextlib import AbstractContextManager, closing
from pathlib import Path
from typing import Final

import pytest

from summeval_pytest.cli.app import main
from summeval_pytest.plugin import gate
from summeval_pytest.run import progress
from summeval_pytest.store.cassette import is_key
from summeval_pytest.store.store import LocalStore
from tests.judges.llm.by_rule import answer_by_rule
from tests.plugin import conftest
from tests.plugin.conftest import Bench, Run, Script
from tests.processes import run_command
from tests.scripted_server import Action, Answer, Delay, Raw, ScriptedServer, Seen, Status, Until
from tests.waiting import wait_until

KEY: Final = "sk-marker-5f2d9c0b7e"
"""A key that must be found nowhere."""
SUMMARY: Final = "Limpets were counted. The count fell by 40 percent after the warm winter of 2019."
PRICES: Final = "input_price = 1000.0\noutput_price = 1000.0\n"
ASKED: Final = f'[systems.asked]\nendpoint = "here"\nmodel = "wanted-1"\n{PRICES}'
VARYING: Final = re.compile(
    r"summeval: |replies: |cassette |heavy |=====|platform |rootdir|plugins|cachedir|created: "
)


def by_rule(seen: Seen) -> Action:
    """Judges by rule; as a model under test, writes one summary for every paper."""
    return Answer(SUMMARY) if seen.model == "wanted-1" else conftest.by_rule(seen)


def serving(
    bench: Bench, script: Script = by_rule, *, pair: str = "facet = 0.3", mean: str = ""
) -> AbstractContextManager[ScriptedServer]:
    """A suite whose judge, and whose system "asked", are at a server that follows a script."""
    bench.suite(pair=pair, mean=mean)
    return bench.serving(script, judge=PRICES, more=ASKED)


def judged(bench: Bench, *arguments: str) -> Run:
    """A run over the suite with the judge behind the endpoint."""
    return bench.inside("summeval.toml", "--summ-judge=rule", "-rA", *arguments)


def text_of(run: Run) -> list[str]:
    """What a run prints of verdicts: no seconds, no header, no count of requests."""
    return sorted(line for line in run.lines if not VARYING.match(line))


def replies(run: Run) -> str:
    """The line that counts requests."""
    return next(line for line in run.lines if line.startswith("replies: "))


def stored_texts(folder: Path) -> str:
    """All bytes of all files under a folder, as text."""
    files = [file for file in folder.rglob("*") if file.is_file()]
    return "\n".join(file.read_bytes().decode("utf-8", "replace") for file in files)


def test_a_refused_key_ends_the_run(bench: Bench) -> None:
    """Every pair would meet it: one message with endpoint, model and what to do, and exit 4."""
    with serving(bench, lambda _: Status(401, message="no")) as server:
        run = judged(bench)
    assert run.code == pytest.ExitCode.USAGE_ERROR
    (output,) = [line for line in run.err.splitlines() if line.startswith("ERROR: ")]
    where = f"endpoint 'here' at {server.url}: model 'rule-1': status 401 (no); look at"
    assert where in output
    assert "API key" in output
    assert [*run.outcomes.values()] == ["ERROR"]
    assert server.n_requests == 1
    assert not run.shows_code


def test_a_key_is_found_nowhere(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not in store, cassette, JUnit, output or error, even where a server repeats it."""
    is_refusing = True

    def gossip(seen: Seen) -> Action:
        sent = seen.headers["authorization"]
        if seen.index == 0:
            return Status(500, message=f"broken by {sent}")
        if seen.model == "wanted-1":
            return Answer(f"{SUMMARY} The key is {KEY}, they said {sent}.")
        if is_refusing and seen.index > 4:
            return Status(401, message=f"Incorrect API key provided: {KEY} ({sent})")
        message = {"message": {"content": answer_by_rule(seen.body)}}
        body = json.dumps({"model": seen.model, "choices": [message]}).encode()
        return Raw(body, headers={"x-sent": sent})

    monkeypatch.setenv("GATE_KEY", KEY)
    bench.write("test_own.py", INDISCREET)
    with serving(bench, gossip) as server:
        bench.spoil("summeval.toml", "timeout_seconds = 20", 'api_key_env = "GATE_KEY"')
        monkeypatch.setenv("SUMM_ALLOW_ENDPOINTS", f"GATE_KEY={server.origin}")
        run = judged(bench, "--summ-model=asked,good", "-vv", "-s", "--junitxml=report.xml")
        is_refusing = False
        captured = bench.inside("test_own.py", "--summ-suite=summeval.toml", "--summ-judge=rule")
        main(["cassette", "export", str(bench.path), "--judge=rule", "--model=asked"])

    assert {seen.headers["authorization"] for seen in server.seen} == {f"Bearer {KEY}"}
    assert "[key]" in run.out
    output = run.out + run.err + captured.out + captured.err + stored_texts(bench.path)
    assert "401" in output
    assert "AssertionError: [key]" in captured.out
    for part in (KEY, KEY[:9], KEY[9:]):
        assert part not in output


INDISCREET: Final = """\
import os
def test_own(summ_pair):
    key = os.environ["GATE_KEY"]
    print(key)
    assert summ_pair.facet.value > 9, key
"""
WATCH: Final = """\
import sys

def pytest_terminal_summary(terminalreporter):
    unused = {"openai", "diskcache", "httpx", "httpx2", "summeval_pytest.judges.offline"}
    heavy = sorted(unused & set(sys.modules))
    terminalreporter.line(f"heavy modules: {heavy}")
"""
MODELS: Final = "--summ-model=bad,asked"


def test_a_run_is_planned_asked_once_and_replayed_without_a_network(bench: Bench) -> None:
    """A plan and a second run send no request; a replay of the cassette opens no socket."""
    with serving(bench) as server:
        plans = [judged(bench, "--summ-plan", MODELS, processes) for processes in ("-n2", "-n0")]
        assert [(plan.code, plan.outcomes) for plan in plans] == [(0, {}), (0, {})]
        assert server.n_requests == 0
        assert ["asked", "summaries", "2"] in [line.split()[:3] for line in plans[1].lines]
        live = judged(bench, MODELS)
        n_requests = server.n_requests
        again = judged(bench, MODELS)
        assert "every reply is stored" in judged(bench, "--summ-plan", MODELS).out
        export = ("cassette", "export", str(bench.path), "--judge=rule", "--model=bad,asked")
        assert main([*export, f"--store={bench.store}"]) == 0
        written = [seen for seen in server.seen if seen.model == "wanted-1"]
        assert len(written) == 2 < n_requests == server.n_requests
    assert "Nobody had looked before." in written[0].texts[-1]
    assert f"{n_requests} asked, 0 remembered" in replies(live)
    assert f"0 asked, {n_requests} remembered" in replies(again)
    assert text_of(again) == text_of(live)

    shutil.rmtree(bench.store)
    bench.write("conftest.py", WATCH)
    alone: tuple[str, ...] = ("unshare", "-n")
    if not shutil.which("unshare") or subprocess.run([*alone, "true"], check=False).returncode:
        alone = ("env",)  # the network cannot be taken away here
    replay = (sys.executable, "-m", "pytest", "summeval.toml", "--summ-judge=rule", MODELS, "-rA")
    env = os.environ | {"PY_COLORS": "0"}
    done = run_command(
        *alone, *replay, "--summ-record=none", cwd=bench.path, env=env, code=live.code
    )
    assert "heavy modules: []" in done.stdout
    assert "reply store cassette, --summ-record=none" in done.stdout
    kept = [line for line in done.stdout.splitlines() if not VARYING.match(line)]
    assert sorted(kept) == text_of(live)
    assert not bench.store.exists()


def test_an_incomplete_cassette_names_what_is_missing(bench: Bench) -> None:
    """Question, paper and system, and what to type: a silent pass would be the worst."""
    with serving(bench):
        judged(bench)
        main(["cassette", "export", str(bench.path), "--judge=rule"])
    lines = bench.text("cassette.jsonl").splitlines(keepends=True)
    kept = [line for line in lines if "facet ratings" not in line]
    bench.write("cassette.jsonl", "".join(kept))
    run = judged(bench, "--summ-record=none")
    assert set(run.outcomes.values()) == {"ERROR"}
    assert f"cassette cassette.jsonl: {len(kept)} of {len(kept)} replies used" in run.out
    undecided = "paper 'limpet-01', system 'good' is undecided"
    output = next(line for line in run.lines if undecided in line)
    assert re.search(r"no recorded answer for question [0-9a-f]{8} \(facet ratings '", output)
    assert "--summ-record=new, then 'summeval cassette export'" in output


def test_an_interrupted_run_keeps_what_was_answered(bench: Bench) -> None:
    """The next run asks the rest, each once."""
    is_kept, n_answered = True, 4

    def script(seen: Seen) -> Action:
        return Until(lambda: seen.index < n_answered or not is_kept, by_rule(seen))

    with serving(bench, script) as server:
        arguments = ("summeval.toml", "--summ-judge=rule", "--summ-model=good,bad")
        with bench.running(*arguments, "-n1", PYTHONUNBUFFERED="1") as process:
            assert process.stdout is not None
            assert any(line.startswith("summeval: judge") for line in process.stdout)
            wait_until(lambda: server.n_requests >= n_answered + 2)
            with closing(LocalStore(bench.store)) as cache:
                wait_until(lambda: sum(map(is_key, cache.database()._texts)) == n_answered)
            os.killpg(process.pid, signal.SIGINT)
            run = bench.finish(process)
        # pytest trips over an interrupt at an instruction without a line, and ends with 1
        assert run.code == pytest.ExitCode.INTERRUPTED or "f_lineno" in run.out
        assert "the replies so far are kept" in run.out or "f_lineno" in run.out
        answered = {str(seen.body["messages"]) for seen in server.seen[:n_answered]}
        n_before = len(server.seen)
        is_kept = False
        assert bench.inside(*arguments).code == 1

    later = [str(seen.body["messages"]) for seen in server.seen[n_before:]]
    assert len(later) == len(set(later)) > 0
    assert not answered & set(later)


ON_A_TERMINAL: Final = """\
import pytest
@pytest.hookimpl(tryfirst=True)
def pytest_sessionstart(session):
    reporter = session.config.pluginmanager.getplugin("terminalreporter")
    reporter.isatty = type(reporter.isatty)(True)
"""


def test_a_waiting_test_shows_how_the_run_stands(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a terminal a line tells what is going on, and is wiped."""
    bench.write("conftest.py", ON_A_TERMINAL)
    monkeypatch.setattr(gate, "TERMINAL", str(bench.path / "terminal"))

    def script(seen: Seen) -> Action:
        is_first = str(seen.texts[0]).startswith("# Facet segments")
        return Delay(0.7 if is_first else 0.0, by_rule(seen))

    with serving(bench, script):
        assert "in flight" not in judged(bench).out
    shown = bench.text("terminal")
    assert re.search(r"0/2 pairs, \d+ answers \(0 remembered\), \d+ in flight", shown)
    assert shown.rindex("\x1b[K") > shown.rindex("in flight")


IMPATIENT: Final = """\
from summeval_pytest.run import progress

progress.LOG_SECONDS = 0.0
"""


def test_processes_ask_each_question_once_and_log_what_they_wait_for(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Both workers need all replies for the means; ``all`` asks for each of these again, once."""

    def slow(seen: Seen) -> Action:
        if seen.index < n_requests:
            return by_rule(seen)
        is_busy = seen.index < n_requests + 2
        return Status(503, message="busy") if is_busy else Delay(0.7, by_rule(seen))

    bench.write("conftest.py", IMPATIENT)
    monkeypatch.setattr(progress, "LOG_SECONDS", 0.0)  # and as it was afterwards
    n_requests = 1_000
    with serving(bench, slow, mean="facet = 0.3") as server:
        judged(bench)
        n_requests = server.n_requests
        capfd.readouterr()
        run = judged(bench, "--summ-record=all", "-n2")
    assert server.n_different == n_requests == server.n_requests - n_requests - 2
    assert f"{n_requests} asked" in replies(run)
    assert not list((bench.store / "runs").glob("*"))

    begin = re.escape("summeval: summeval.toml::good::") + r"[\w-]+ waits: "
    lines = [line for line in capfd.readouterr().err.splitlines() if "waits" in line]
    assert lines
    assert all(re.match(begin, line) for line in lines)
    assert any("waits: 0 pairs, 0 answers (0 remembered), " in line for line in lines)
    assert any(line.endswith("; here: status 503 (busy)") for line in lines)
    assert set(run.outcomes.values()) == {"PASSED"}


def test_a_suite_of_papers_alone_gates_a_model_that_is_named(bench: Bench) -> None:
    """`pytest --summ-model=llama3` at a desk: there is no summary yet that a system could list."""
    with serving(bench) as server:
        papers = bench.text("papers.jsonl")
        bench.write("fresh/papers.jsonl", papers)
        text = 'papers = "papers.jsonl"\n[thresholds]\nfacet = 0.3\n'
        bench.write("fresh/summeval.toml", text)
        at = f"--summ-endpoint={server.url}"
        run = bench.inside("fresh/summeval.toml", "--summ-model=wanted-1", at, "-rA")
    expected = [f"fresh/summeval.toml::wanted-1::{name}" for name in ("limpet-01", "kiln-02")]
    assert list(run.outcomes) == expected
    bare = bench.inside("fresh/summeval.toml")
    assert bare.code == 4
    assert "the suite has no system; add a table [systems.NAME], or name a model" in bare.err


def test_a_key_goes_nowhere_that_the_user_has_not_allowed(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A suite comes with a pull request; in it stands which secret is to be sent where."""
    monkeypatch.setenv("GATE_KEY", KEY)
    with serving(bench) as server:
        bench.spoil("summeval.toml", "timeout_seconds = 20", 'api_key_env = "GATE_KEY"')
        place = f"GATE_KEY={server.origin}"
        arguments = ("summeval.toml", "--summ-judge=gpt-9", "--summ-endpoint=here")
        refused = bench.inside(*arguments)
        assert server.n_requests == 0
        bench.write("pytest.ini", f"[pytest]\nsumm_allow_endpoints = {place}\n")
        bench.inside(*arguments)

    assert refused.code == pytest.ExitCode.USAGE_ERROR
    assert f"set SUMM_ALLOW_ENDPOINTS={place} (or --summ-allow-endpoints" in refused.err
    assert {seen.headers["authorization"] for seen in server.seen} == {f"Bearer {KEY}"}


def test_a_budget_is_never_exceeded(bench: Bench) -> None:
    """Pairs that the money does not reach are errors: not judged is no pass."""
    # a reply costs .12 dollars, and about 2.8 at most
    with serving(bench) as server:
        run = judged(bench, "--summ-budget=3.2")
    assert (run.code, "ERROR" in run.outcomes.values()) == (pytest.ExitCode.TESTS_FAILED, True)
    assert "not judged: budget" in run.out
    assert 0 < server.n_requests * 0.12 <= 3.2

"""Real runs whose judge and whose models under test answer over HTTP, from a scripted server."""

from __future__ import annotations

import base64
import fcntl
import json
import os
import pty
import re
import shutil
import signal
import subprocess
import sys
import termios
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Final

import pytest

from summeval_pytest.cli.app import main
from summeval_pytest.plugin import progress
from tests.judges.llm.by_rule import answer_by_rule
from tests.plugin import conftest
from tests.plugin.conftest import Bench, Run, Script
from tests.processes import run_command
from tests.scripted_server import Action, Answer, Delay, Raw, ScriptedServer, Seen, Status, Until
from tests.stored import stored
from tests.waiting import SOON, wait_until

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


def test_what_was_asked_once_is_never_asked_again(bench: Bench) -> None:
    """The first run pays, the second is the same without a request.

    So are the summaries of a model under test, which are judged like any other.
    """
    with serving(bench) as server:
        first = judged(bench, "--summ-model=asked")
        n_requests = server.n_requests
        again = judged(bench, "--summ-model=asked")
        asked = [seen for seen in server.seen if seen.model == "wanted-1"]

    assert len(asked) == 2 < n_requests == server.n_requests
    assert "Nobody had looked before." in asked[0].texts[-1]
    assert f"{n_requests} asked, 0 remembered" in replies(first)
    assert f"0 asked, {n_requests} remembered" in replies(again)
    assert text_of(again) == text_of(first)
    assert set(first.outcomes) == {
        "summeval.toml::asked::limpet-01",
        "summeval.toml::asked::kiln-02",
    }


@pytest.mark.parametrize(("status", "model"), [(401, "rule-1"), (404, "wanted-1")])
def test_a_refused_key_or_model_ends_the_run(bench: Bench, status: int, model: str) -> None:
    """Every pair would meet it: one message with endpoint, model and what to do, and exit 4."""

    def script(seen: Seen) -> Action:
        return Status(status, message="no") if seen.model == model else by_rule(seen)

    with serving(bench, script) as server:
        run = judged(bench, "--summ-model=asked")
        refused = [seen for seen in server.seen if seen.model == model]

    assert run.code == pytest.ExitCode.USAGE_ERROR
    (output,) = [line for line in run.err.splitlines() if line.startswith("ERROR: ")]
    where = f"endpoint 'here' at {server.url}: model '{model}': status {status} (no); look at"
    assert where in output
    assert ("API key" if status < 404 else "the model's name") in output
    assert set(run.outcomes.values()) == {"ERROR"}
    assert len(run.outcomes) == len(refused) == 1
    assert not run.shows_code


def test_a_key_is_in_no_log_and_in_nothing_that_a_test_printed(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The packages log headers at DEBUG, and a test may print what it knows, on several lines."""

    def gossip(seen: Seen) -> Action:
        sent = seen.headers["authorization"]
        coded = base64.b64encode(sent.encode()).decode()
        message = {"message": {"content": answer_by_rule(seen.body)}}
        body = json.dumps({"model": seen.model, "choices": [message]}).encode()
        return Raw(body, headers={"x-sent": sent, "x-coded": coded})

    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with ScriptedServer(gossip) as server:
        bench.suite(pair="facet = 1.0")
        bench.write(
            "test_own.py",
            "import os\n"
            "def test_own(summ_pair):\n"
            "    key = os.environ['OPENAI_API_KEY']\n"
            "    print(key, key[:9] + '\\n        ' + key[9:])\n"
            "    assert summ_pair.facet.value > 9, key\n",
        )
        run = bench.inside(
            "summeval.toml", "test_own.py", "--summ-judge=gpt", f"--summ-endpoint={server.url}",
            "--log-level=DEBUG", "--log-file=debug.log", "-rA", "--junitxml=own.xml",
        )  # fmt: skip

    log = (bench.path / "debug.log").read_text(encoding="utf-8")
    output = run.out + run.err + (bench.path / "own.xml").read_text(encoding="utf-8") + log
    assert "x-coded" in log
    assert "AssertionError: [key]" in run.out
    for part in (KEY, KEY[:9], KEY[9:], base64.b64encode(KEY.encode()).decode()[:12]):
        assert part not in output


def test_a_key_is_found_nowhere(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not in store, cassette, JUnit, output or error, even where a server repeats it."""

    def gossip(seen: Seen) -> Action:
        sent = seen.headers["authorization"]
        if seen.index == 0:
            return Status(500, message=f"broken by {sent}")
        if seen.model == "wanted-1":
            return Answer(f"{SUMMARY} The key is {KEY}, they said {sent}.")
        if seen.index % 3 == 2:
            return Status(401, message=f"Incorrect API key provided: {KEY} ({sent})")
        return Answer(answer_by_rule(seen.body))

    monkeypatch.setenv("GATE_KEY", KEY)
    with serving(bench, gossip) as server:
        bench.spoil("summeval.toml", "timeout_seconds = 20", 'api_key_env = "GATE_KEY"')
        monkeypatch.setenv("SUMM_ALLOW_ENDPOINTS", f"GATE_KEY={server.origin}")
        run = judged(bench, "--summ-model=asked,good", "--junitxml=report.xml", "-vv", "-s")
        main(["cassette", "export", str(bench.path), "--judge=rule", "--model=asked"])

    assert {seen.headers["authorization"] for seen in server.seen} == {f"Bearer {KEY}"}
    assert "[key]" in run.out
    output = run.out + run.err + stored_texts(bench.path)
    assert "401" in output
    assert KEY not in output
    assert KEY[3:] not in output


def test_a_recorded_run_needs_no_network(bench: Bench) -> None:
    """With a whole cassette the verdicts are the same, byte for byte, and no socket is opened."""
    if (
        shutil.which("unshare") is None
        or subprocess.run(["unshare", "-n", "true"], check=False).returncode
    ):
        pytest.skip("unshare -n is not allowed here, so the network cannot be taken away")
    with serving(bench):
        live = judged(bench, "--summ-model=bad,asked")
        export = ("cassette", "export", str(bench.path), "--judge=rule", "--model=bad,asked")
        assert main([*export, f"--store={bench.store}"]) == 0
    shutil.rmtree(bench.store)
    bench.write("conftest.py", WATCH)
    arguments = ["summeval.toml", "--summ-judge=rule", "--summ-model=bad,asked", "-rA"]
    replay = (sys.executable, "-m", "pytest", *arguments, "--summ-record=none")
    env = os.environ | {"PY_COLORS": "0"}
    alone = run_command("unshare", "-n", *replay, cwd=bench.path, env=env, code=live.code)

    assert "heavy modules: []" in alone.stdout
    assert "reply store cassette, --summ-record=none" in alone.stdout
    kept = [line for line in alone.stdout.splitlines() if not VARYING.match(line)]
    assert sorted(kept) == text_of(live)
    assert not bench.store.exists()


WATCH: Final = """\
import sys

def pytest_terminal_summary(terminalreporter):
    heavy = sorted({"openai", "diskcache", "httpx", "httpx2"} & set(sys.modules))
    terminalreporter.line(f"heavy modules: {heavy}")
"""


def test_an_incomplete_cassette_names_what_is_missing(bench: Bench) -> None:
    """Question, paper and system, and what to type: a silent pass would be the worst."""
    with serving(bench) as server:
        judged(bench)
        main(["cassette", "export", str(bench.path), "--judge=rule"])
        cassette = bench.path / "cassette.jsonl"
        lines = cassette.read_text(encoding="utf-8").splitlines(keepends=True)
        kept = [line for line in lines if "facet ratings" not in line]
        assert 0 < len(kept) < len(lines)
        cassette.write_text("".join(kept), encoding="utf-8")
        n_requests = server.n_requests
        run = judged(bench, "--summ-record=none")

    assert server.n_requests == n_requests
    assert set(run.outcomes.values()) == {"ERROR"}
    assert f"cassette cassette.jsonl: {len(kept)} of {len(kept)} replies used" in run.out
    output = next(
        line for line in run.lines if "paper 'limpet-01', system 'good' is undecided" in line
    )
    assert re.search(r"no recorded answer for question [0-9a-f]{8} \(facet ratings '", output)
    assert "--summ-record=new, then 'summeval cassette export'" in output


def test_a_plan_asks_nothing(bench: Bench) -> None:
    """Calls, tokens and dollars for each system and metric; the tests themselves do not run."""
    with serving(bench, pair="facet = 0.3\nfaithfulness = 0.3") as server:
        run = judged(bench, "--summ-plan", "--summ-model=good,asked")
        in_two = judged(bench, "--summ-plan", "-n2")
        assert server.n_requests == 0
        judged(bench)
        n_requests = server.n_requests
        after = judged(bench, "--summ-plan")

    assert run.code == in_two.code == 0
    assert not run.outcomes
    rows = [line.split()[:3] for line in run.lines if line.startswith(("good ", "asked ", "all "))]
    assert ["asked", "summaries", "2"] in rows
    assert ["good", "faithfulness", "2"] in rows
    assert "calls" in in_two.out
    assert server.n_requests == n_requests
    assert "every reply is stored: the run asks nothing and costs nothing" in after.out


def test_a_budget_is_never_exceeded(bench: Bench) -> None:
    """Pairs that the money does not reach are errors: not judged is no pass."""
    # a reply costs .12 dollars, and about 2.8 at most
    with serving(bench, lambda seen: Delay(0.02, by_rule(seen))) as server:
        run = judged(bench, "--summ-budget=3.2")

    assert run.code == pytest.ExitCode.TESTS_FAILED
    assert "ERROR" in run.outcomes.values()
    assert "not judged: budget" in run.out
    assert 0 < server.n_requests * 0.12 <= 3.2
    assert f"{server.n_requests * 0.12:.2f} dollars" in replies(run)


@pytest.mark.parametrize("kill", [signal.SIGINT, signal.SIGKILL])
def test_a_run_that_is_ended_keeps_what_was_answered(bench: Bench, kill: signal.Signals) -> None:
    """Ctrl-C waits for no answer that does not come; the next run asks the rest, each once."""
    is_kept, n_answered = True, 4

    def script(seen: Seen) -> Action:
        return Until(lambda: seen.index < n_answered or not is_kept, by_rule(seen))

    with serving(bench, script) as server:
        arguments = ("summeval.toml", "--summ-judge=rule", "--summ-model=good,bad")
        with bench.running(*arguments) as process:
            wait_until(
                lambda: (
                    server.n_requests >= n_answered + 2 and len(stored(bench.store)) == n_answered
                )
            )
            os.killpg(process.pid, kill)
            code = bench.finish(process).code if kill is signal.SIGINT else process.wait(SOON)
        answered = {str(seen.body["messages"]) for seen in server.seen[:n_answered]}
        n_before = len(server.seen)
        is_kept = False
        assert bench.inside(*arguments).code == 1

    assert code == (pytest.ExitCode.INTERRUPTED if kill is signal.SIGINT else -kill)
    later = [str(seen.body["messages"]) for seen in server.seen[n_before:]]
    assert len(later) == len(set(later)) > 0
    assert not answered & set(later)


def test_a_waiting_test_shows_how_the_run_stands(bench: Bench) -> None:
    """On a terminal a line tells what is going on, and is wiped; a short run has no log of it."""

    def script(seen: Seen) -> Action:
        is_first = str(seen.texts[0]).startswith("# Facet segments")
        return Delay(0.8 if is_first else 0.0, by_rule(seen))

    with serving(bench, script):
        shown = _on_a_terminal(bench, "summeval.toml", "--summ-judge=rule")
        bench.write("summeval.toml", bench.text("summeval.toml").replace("rule-1", "rule-2"))
        silent = bench.inside("summeval.toml", "--summ-judge=rule")

    assert re.search(r"0/2 pairs, \d+ answers \(0 remembered\), \d+ in flight", shown)
    assert shown.rindex("\x1b[K") > shown.rindex("in flight")
    assert "in flight" not in silent.out


IMPATIENT: Final = """\
from summeval_pytest.plugin import progress

progress.LOG_SECONDS = 0.0
"""


def test_where_no_terminal_is_the_log_says_what_is_waited_for(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """CI shows no line that comes and goes, and a run that waits for minutes looks like a hang."""

    def script(seen: Seen) -> Action:
        return Status(503, message="busy") if seen.index < 2 else Delay(0.7, by_rule(seen))

    bench.write("conftest.py", IMPATIENT)
    monkeypatch.setattr(progress, "LOG_SECONDS", 0.0)  # and as it was afterwards
    with serving(bench, script):
        run = bench.inside("summeval.toml", "--summ-judge=rule", "-rA", "-n2")

    begin = re.escape("summeval: summeval.toml::good::") + r"[\w-]+ waits: "
    lines = [line for line in capfd.readouterr().err.splitlines() if "waits" in line]
    assert lines
    assert all(re.match(begin, line) for line in lines)
    assert any("waits: 0 pairs, 0 answers (0 remembered), " in line for line in lines)
    assert any(line.endswith("; here: status 503 (busy)") for line in lines)
    assert set(run.outcomes.values()) == {"PASSED"}


def _on_a_terminal(bench: Bench, *arguments: str) -> str:
    """What a run writes to the terminal that it was started in."""
    master, slave = pty.openpty()

    def take_terminal() -> None:
        os.setsid()
        fcntl.ioctl(slave, termios.TIOCSCTTY, 0)

    with subprocess.Popen(
        [sys.executable, "-m", "pytest", *arguments],
        cwd=bench.path,
        stdin=slave,
        stdout=slave,
        stderr=slave,
        preexec_fn=take_terminal,  # noqa: PLW1509 - this test has one thread
        env={**os.environ, "TERM": "xterm"},
    ) as process:
        os.close(slave)
        text = b""
        while True:
            try:
                piece = os.read(master, 65536)
            except OSError:
                break
            if not piece:
                break
            text += piece
        process.wait(timeout=SOON)
    os.close(master)
    return text.decode("utf-8", "replace")


@pytest.mark.parametrize("judge", ["rule", "gpt-9"])
def test_a_key_goes_nowhere_that_the_user_has_not_allowed(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, judge: str
) -> None:
    """A suite comes with a pull request; in it stands which secret is to be sent where."""
    monkeypatch.setenv("GATE_KEY", KEY)
    with serving(bench) as server:
        bench.spoil("summeval.toml", "timeout_seconds = 20", 'api_key_env = "GATE_KEY"')
        place = f"GATE_KEY={server.origin}"
        arguments = ("summeval.toml", f"--summ-judge={judge}", "--summ-endpoint=here")
        refused = bench.inside(*arguments)
        assert server.n_requests == 0
        bench.write("pytest.ini", f"[pytest]\nsumm_allow_endpoints = {place}\n")
        bench.inside(*arguments)

    assert refused.code == pytest.ExitCode.USAGE_ERROR
    assert f"set SUMM_ALLOW_ENDPOINTS={place} (or --summ-allow-endpoints" in refused.err
    assert {seen.headers["authorization"] for seen in server.seen} == {f"Bearer {KEY}"}


def test_processes_share_one_question_and_all_asks_it_again_once(bench: Bench) -> None:
    """Two workers need both pairs' replies for the means, and the endpoint sees each once."""
    with serving(bench, lambda seen: Delay(0.05, by_rule(seen)), mean="facet = 0.3") as server:
        judged(bench, "--summ-model=good,bad")
        n_requests = server.n_requests
        assert server.n_different == n_requests
        run = judged(bench, "--summ-model=good,bad", "--summ-record=all", "-n2")
        assert run.code == pytest.ExitCode.TESTS_FAILED
        assert server.n_requests == 2 * n_requests
        assert f"{n_requests} asked" in replies(run)

    assert not list((bench.store / "runs").glob("*"))

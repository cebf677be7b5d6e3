from __future__ import annotations

import json
from pathlib import Path

import pytest

from summeval_pytest.run.session import Session, Terms
from summeval_pytest.store.cassette import Cassette, read_cassette
from tests.asked_suite import KEY, by_rule, bytes_under, evaluated, loaded, tasks_of, write_suite
from tests.cli.conftest import Shell, judged
from tests.scripted_server import Answer, ScriptedServer, Seen, always
from tests.stored import stored

FAITHFUL = "\n[thresholds]\nfaithfulness = 0.1\n"
RULE = ("kilns", "--judge", "rule")


@pytest.fixture(autouse=True)
def suite(tmp_path: Path, server: ScriptedServer) -> None:
    """A suite whose pairs of system ``good`` have been judged by two requests."""
    write_suite(tmp_path / "kilns", server.url, tail=FAITHFUL)
    judged(tmp_path, "good")
    assert server.n_requests == 2


def cassette(path: Path) -> Cassette:
    """The suite's recorded replies."""
    return read_cassette(path / "kilns" / "cassette.jsonl", "kilns/cassette.jsonl")


def test_export_writes_what_a_run_uses_and_keeps_what_is_recorded_for_others(
    tmp_path: Path, server: ScriptedServer, shell: Shell
) -> None:
    """One cassette serves all judges and systems of a suite; writing twice changes nothing."""
    message, digest = shell.lines("cassette", "export", *RULE)
    first = cassette(tmp_path)
    assert message.startswith(
        "kilns/cassette.jsonl: 2 replies, 2 of them new; 2 are used by judge rule-1 at=here temp=0"
    )
    assert digest == f"sha256 {first.sha256}"
    assert all(row.topic for row in first.rows.values())
    assert stored(tmp_path / "store") == dict(first.rows)
    again, _ = shell.lines("cassette", "export", *RULE)
    assert again.startswith("kilns/cassette.jsonl: 2 replies, 0 of them new; 2 are used by")
    assert cassette(tmp_path).sha256 == first.sha256
    judged(tmp_path, "bad")
    message, _ = shell.lines("cassette", "export", *RULE, "--model", "bad")
    assert message.startswith("kilns/cassette.jsonl: 4 replies, 2 of them new; 2 are used by")
    assert set(first.rows) < set(cassette(tmp_path).rows)
    assert server.n_requests == 4


def test_export_of_half_a_run_is_none(tmp_path: Path, server: ScriptedServer, shell: Shell) -> None:
    """It names what is missing, five of many, and what to type."""
    message = shell.error(1, "cassette", "export", *RULE, "--model", "good,bad")
    assert message.startswith("kilns/summeval.toml: 2 replies are not recorded: sentence ")
    assert message.count(" of system bad (") == 2
    assert message.endswith(
        "; ask for them with 'pytest kilns/summeval.toml --summ-judge=rule --summ-model=good,bad"
        " --summ-record=new', then export; --model chooses from good, bad, writer"
    )
    # Two pairs of two systems, three votes each; the first vote of each pair of `good` is stored.
    message = shell.error(1, "cassette", "export", *RULE, "--model", "good,bad", "--votes", "3")
    assert "10 replies are not recorded" in message
    assert " and 5 more; " in message
    assert message.count(" of system ") == 5
    assert not (tmp_path / "kilns" / "cassette.jsonl").exists()
    assert server.n_requests == 2


def test_unusable_replies_are_refused(tmp_path: Path, server: ScriptedServer, shell: Shell) -> None:
    """An error in every replay: each is named, with what to type."""
    file, again = tmp_path / "kilns" / "cassette.jsonl", " good, bad, writer"
    more = "; set max_tokens higher under [judges.NAME]"
    for store, answer, what, end in (
        ("ill", Answer('{"checks": []}'), "not recorded", again),
        ("cut", Answer("", finish="length"), "recorded and cut off", more),
    ):
        with ScriptedServer(always(answer)) as other:
            write_suite(tmp_path / "kilns", other.url, tail=FAITHFUL)
            judged(tmp_path, "good", store=store)
        write_suite(tmp_path / "kilns", server.url, tail=FAITHFUL)
        assert len(stored(tmp_path / store)) == (0 if store == "ill" else 2)
        message = shell.error(1, "cassette", "export", *RULE, "--store", store)
        assert message.startswith(f"kilns/summeval.toml: 2 replies are {what}: sentence ")
        assert message.endswith(end)
        assert not file.exists()
    assert server.n_requests == 2
    planned, nothing = shell.lines("plan", *RULE, "--store", "cut")  # a run asks for none again
    assert planned.endswith("2 replies are stored")
    assert nothing == "every reply is stored: the run asks nothing and costs nothing"


def test_cassette_that_is_broken_or_gone_is_named(tmp_path: Path, shell: Shell) -> None:
    """With the number of the line, or how to make one."""
    assert shell.error(4, "cassette", "import", RULE[0]) == (
        "kilns/cassette.jsonl: there is no cassette; make one with 'summeval cassette export' after"
        " a run"
    )
    shell.lines("cassette", "export", *RULE)
    file = tmp_path / "kilns" / "cassette.jsonl"
    file.write_text("".join(reversed(file.read_text("utf-8").splitlines(keepends=True))), "utf-8")
    message = shell.error(4, "cassette", "import", RULE[0])
    assert message.startswith("kilns/cassette.jsonl:2: the key ")


def test_cassette_has_no_key(tmp_path: Path, shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file is committed: a server that echoes the key into its replies gives nothing away."""
    environ = {"TEAM_KEY": KEY, "OPENAI_API_KEY": KEY}
    for name, value in environ.items():
        monkeypatch.setenv(name, value)

    def echo(seen: Seen) -> Answer:
        reply = json.loads(by_rule(seen).text or "")
        for check in reply["checks"]:
            check["reason"] = f"you sent {seen.headers['authorization']}"
        return Answer(json.dumps(reply), model=seen.headers["authorization"])

    with ScriptedServer(echo) as server:
        keyed = 'api_key_env = "TEAM_KEY"'
        suite = loaded(write_suite(tmp_path / "kilns", server.url, endpoint=keyed, tail=FAITHFUL))
        allowed = f"TEAM_KEY={server.origin}"
        monkeypatch.setenv("SUMM_ALLOW_ENDPOINTS", allowed)
        session = Session(
            environ, Terms(store=str(tmp_path / "echoed"), allow_endpoints=(allowed,))
        )
        evaluated(session, suite, tasks_of(suite, metrics=("faithfulness",)))
        assert {seen.headers["authorization"] for seen in server.seen} == {f"Bearer {KEY}"}
        message = shell.lines("cassette", "export", *RULE, "--store", "echoed")
    assert b"you sent" in (tmp_path / "kilns" / "cassette.jsonl").read_bytes()
    assert KEY not in "".join(message)
    assert KEY.encode() not in bytes_under(tmp_path)

from __future__ import annotations

import json
from pathlib import Path

import pytest

from summeval_pytest.run.session import Session, Terms
from summeval_pytest.store.cassette import Cassette, Row, read_cassette, write_cassette
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
        "; ask for them with 'pytest kilns/summeval.toml --summ-judge=rule --summ-record=new', then"
        " export"
    )
    # Two pairs of two systems, three votes each; the first vote of each pair of `good` is stored.
    message = shell.error(1, "cassette", "export", *RULE, "--model", "good,bad", "--votes", "3")
    assert "10 replies are not recorded" in message
    assert " and 5 more; " in message
    assert message.count(" of system ") == 5
    assert not (tmp_path / "kilns" / "cassette.jsonl").exists()
    assert server.n_requests == 2


def test_verify_says_that_a_run_can_be_replayed(tmp_path: Path, shell: Shell) -> None:
    """By the cassette alone, as the next machine has no store: it is not even opened."""
    # What is missing is named, and nothing is removed: what depends on it would seem unused.
    shell.lines("cassette", "export", *RULE)
    before = cassette(tmp_path).sha256
    judged(tmp_path, "bad")  # which the local store has
    for action in ("verify", "prune"):
        message = shell.error(1, "cassette", action, *RULE, "--model", "bad")
        assert message.startswith("kilns/summeval.toml: 2 replies are not recorded: ")
        assert cassette(tmp_path).sha256 == before
    shell.lines("cassette", "export", *RULE, "--model", "good,bad")
    message, digest, *unused = shell.lines("cassette", "verify", *RULE, "--store", "nowhere")
    recorded = cassette(tmp_path)
    assert message.startswith("kilns/cassette.jsonl: 4 replies, 2 used by judge rule-1 at=here")
    assert message.endswith(", 2 unused")
    assert digest == f"sha256 {recorded.sha256}"
    named = [f"  {key[:8]} {row.topic}" for key, row in recorded.rows.items()]
    assert len(unused) == len(set(unused) & set(named)) == 2
    assert not (tmp_path / "nowhere").exists()
    # a machine goes on where another one stopped
    fresh = tmp_path / "fresh"
    message = f"{fresh}: 4 replies from kilns/cassette.jsonl"
    for n_new in (4, 0):
        command = ("cassette", "import", *RULE, "--store", fresh)
        assert shell.lines(*command) == [f"{message}, {n_new} new"]
        assert stored(fresh) == dict(recorded.rows)


def test_unusable_replies_are_refused(tmp_path: Path, server: ScriptedServer, shell: Shell) -> None:
    """An error in every replay: each is named, with why, and what to type."""
    # In a cassette no mark tells, since another version may have written it: it is read as a run
    # would.
    file, again = tmp_path / "kilns" / "cassette.jsonl", " --summ-record=new', then export"
    more = "; set max_tokens higher under [judges.NAME]"
    for store, answer, n_asked, what, why, end in (
        ("ill", Answer('{"checks": []}'), 6, "unusable", "item 1 is missing", again),
        ("cut", Answer("", finish="length"), 4, "cut off", "the model spent all 20 tokens", more),
    ):
        with ScriptedServer(always(answer)) as other:
            write_suite(tmp_path / "kilns", other.url, tail=FAITHFUL)
            judged(tmp_path, "good", store=store)
        write_suite(tmp_path / "kilns", server.url, tail=FAITHFUL)
        rows = stored(tmp_path / store)
        assert len(rows) == n_asked
        for action, place in (("export", store), ("verify", "nowhere"), ("prune", "nowhere")):
            assert file.exists() == (action == "prune")
            written = "" if action == "export" else write_cassette(file, rows.values())
            message = shell.error(1, "cassette", action, *RULE, "--store", place)
            start = f"kilns/summeval.toml: 2 replies are recorded and {what}: sentence "
            assert message.startswith(start)
            assert message.count(f": {why}") == 2
            assert message.endswith(end)
            assert not written or cassette(tmp_path).sha256 == written
        file.unlink()
        assert stored(tmp_path / store) == rows
    assert not (tmp_path / "nowhere").exists()
    assert server.n_requests == 2
    planned, nothing = shell.lines("plan", *RULE, "--store", "cut")  # a run asks for none again
    assert planned.endswith("4 replies are stored")
    assert nothing == "every reply is stored: the run asks nothing and costs nothing"


@pytest.mark.parametrize("action", ["verify", "prune", "import"])
def test_cassette_that_is_broken_or_gone_is_named(
    tmp_path: Path, shell: Shell, action: str
) -> None:
    """With the number of the line, or how to make one."""
    assert shell.error(4, "cassette", action, *RULE) == (
        "kilns/cassette.jsonl: there is no cassette; make one with 'summeval cassette export' after"
        " a run"
    )
    shell.lines("cassette", "export", *RULE)
    file = tmp_path / "kilns" / "cassette.jsonl"
    file.write_text("".join(reversed(file.read_text("utf-8").splitlines(keepends=True))), "utf-8")
    message = shell.error(4, "cassette", action, *RULE)
    assert message.startswith("kilns/cassette.jsonl:2: the key ")


def test_prune_removes_and_names_what_a_run_does_not_use(tmp_path: Path, shell: Shell) -> None:
    """Five of many; a second time there is nothing to remove."""
    judged(tmp_path, "bad")
    shell.lines("cassette", "export", *RULE, "--model", "good,bad")
    rows = cassette(tmp_path).rows
    reply = next(iter(rows.values())).reply
    strangers = [Row(f"{number:064x}", f"stranger {number}", reply) for number in range(7)]
    write_cassette(tmp_path / "kilns" / "cassette.jsonl", [*rows.values(), *strangers])
    message, *named = shell.lines("cassette", "prune", *RULE, "--model", "good,bad")
    assert message == "kilns/cassette.jsonl: 7 of 11 replies removed"
    assert named == [f"  00000000 stranger {number}" for number in range(5)] + ["  and 2 more"]

    message, *named = shell.lines("cassette", "prune", *RULE, "--model", "bad")
    left = cassette(tmp_path).rows
    assert message == "kilns/cassette.jsonl: 2 of 4 replies removed"
    assert {line.split()[0] for line in named} == {key[:8] for key in set(rows) - set(left)}
    message, _ = shell.lines("cassette", "verify", *RULE, "--model", "bad")
    assert message.endswith(", 0 unused")
    assert shell.lines("cassette", "prune", *RULE, "--model", "bad") == [
        "kilns/cassette.jsonl: 0 of 2 replies removed"
    ]


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
        session = Session(environ, Terms(place=tmp_path / "echoed", allow_endpoints=(allowed,)))
        evaluated(session, suite, tasks_of(suite, metrics=("faithfulness",)))
        assert {seen.headers["authorization"] for seen in server.seen} == {f"Bearer {KEY}"}
        message = shell.lines("cassette", "export", *RULE, "--store", "echoed")
    assert b"you sent" in (tmp_path / "kilns" / "cassette.jsonl").read_bytes()
    assert KEY not in "".join(message)
    assert KEY.encode() not in bytes_under(tmp_path)

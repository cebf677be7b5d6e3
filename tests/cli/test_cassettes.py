from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from summeval_pytest.cli.app import main
from summeval_pytest.run.session import Session
from summeval_pytest.store.cache import Cache
from summeval_pytest.store.cassette import Row, read_cassette, write_cassette
from tests.asked_suite import (
    by_rule,
    bytes_under,
    desk_for,
    evaluated,
    loaded,
    tasks_of,
    write_suite,
)
from tests.scripted_server import Answer, ScriptedServer
from tests.stored import stored

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from summeval_pytest.store.cassette import Cassette
    from tests.scripted_server import Seen

KEY = "sk-marker-0a1b2c3d4e5f"
FAITHFUL = "\n[thresholds]\nfaithfulness = 0.1\n"


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ScriptedServer]:
    """A suite whose pairs of system ``good`` have been judged, in the commands' folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SUMM_STORE", str(tmp_path / "store"))
    for name in ("SUMM_ENDPOINT", "OPENAI_BASE_URL", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    with ScriptedServer(by_rule) as server:
        write_suite(tmp_path / "kilns", server.url, tail=FAITHFUL)
        judge(tmp_path, "good")
        yield server


def judge(path: Path, *systems: str) -> None:
    """Judges the pairs of systems."""
    suite = loaded(path / "kilns")
    tasks = tasks_of(suite, systems, ("faithfulness",))
    evaluated(desk_for(path / "store", suite), suite, tasks)


def cassette(path: Path) -> Cassette:
    """The suite's recorded replies."""
    return read_cassette(path / "kilns" / "cassette.jsonl", "kilns/cassette.jsonl")


def cassette_command(capsys: pytest.CaptureFixture[str], action: str, *arguments: str) -> list[str]:
    """The lines that a command prints."""
    code = main(["cassette", action, "kilns", "--judge", "rule", *arguments])
    written = capsys.readouterr()
    assert (code, written.err) == (0, "")
    lines: list[str] = written.out.splitlines()
    return lines


def refused(capsys: pytest.CaptureFixture[str], code: int, action: str, *arguments: str) -> str:
    """The message that a command ends with."""
    assert main(["cassette", action, "kilns", "--judge", "rule", *arguments]) == code
    written = capsys.readouterr()
    assert written.out == ""
    assert written.err.startswith("summeval: error: ")
    return written.err.removeprefix("summeval: error: ").strip()


def test_export_writes_what_a_run_uses(
    tmp_path: Path, server: ScriptedServer, capsys: pytest.CaptureFixture[str]
) -> None:
    """Two replies, under topics that a reader of the file understands."""
    judge(tmp_path, "bad")
    told, digest = cassette_command(capsys, "export")
    recorded = cassette(tmp_path)
    assert told.startswith(
        "kilns/cassette.jsonl: 2 replies, 2 of them new; 2 are used by judge rule-1 at=here temp=0"
    )
    assert digest == f"sha256 {recorded.sha256}"
    assert len(recorded.rows) == 2
    assert all(row.topic for row in recorded.rows.values())
    with Cache(tmp_path / "store") as cache:
        assert {key: cache.get(key) for key in recorded.rows} == dict(recorded.rows)
    assert server.n_requests == 4


def test_export_keeps_what_is_recorded_for_others(
    tmp_path: Path, server: ScriptedServer, capsys: pytest.CaptureFixture[str]
) -> None:
    """One cassette serves all judges and systems of a suite; writing twice changes nothing."""
    cassette_command(capsys, "export")
    before = cassette(tmp_path)
    again = cassette_command(capsys, "export")
    assert again[0].startswith("kilns/cassette.jsonl: 2 replies, 0 of them new; 2 are used by")
    assert cassette(tmp_path).sha256 == before.sha256
    judge(tmp_path, "bad")
    (told, _) = cassette_command(capsys, "export", "--model", "bad")
    assert told.startswith("kilns/cassette.jsonl: 4 replies, 2 of them new; 2 are used by")
    assert set(before.rows) < set(cassette(tmp_path).rows)
    assert server.n_requests == 4


def test_export_of_an_incomplete_run_writes_nothing(
    tmp_path: Path, server: ScriptedServer, capsys: pytest.CaptureFixture[str]
) -> None:
    """It names what is missing, and what to type."""
    told = refused(capsys, 1, "export", "--model", "good,bad")
    assert told.startswith("kilns/summeval.toml: 2 replies are not recorded: ")
    assert told.count(" of system bad (") == 2
    assert "sentence" in told
    assert told.endswith(
        "; ask for them with 'pytest kilns/summeval.toml --summ-judge=rule --summ-record=new', then"
        " export"
    )
    assert not (tmp_path / "kilns" / "cassette.jsonl").exists()
    assert server.n_requests == 2


def test_many_missing_replies_are_not_all_named(
    server: ScriptedServer, capsys: pytest.CaptureFixture[str]
) -> None:
    """Five, and how many more: two pairs of two systems, three votes each."""
    told = refused(capsys, 1, "export", "--model", "good,bad", "--votes", "3")
    # The first vote of each pair of `good` is stored.
    assert "10 replies are not recorded" in told
    assert " and 5 more; " in told
    assert told.count(" of system ") == 5
    assert server.n_requests == 2


def test_verify_says_that_a_run_can_be_replayed(
    tmp_path: Path, server: ScriptedServer, capsys: pytest.CaptureFixture[str]
) -> None:
    """By the cassette alone: the store is not even opened."""
    judge(tmp_path, "bad")
    cassette_command(capsys, "export", "--model", "good,bad")
    told, digest, *unused = cassette_command(capsys, "verify", "--store", "nowhere")
    assert told.startswith("kilns/cassette.jsonl: 4 replies, 2 used by judge rule-1 at=here")
    assert told.endswith(", 2 unused")
    assert digest == f"sha256 {cassette(tmp_path).sha256}"
    assert len(unused) == 2
    assert all(cassette(tmp_path).rows[key].topic in line for line in unused for key in
               cassette(tmp_path).rows if key[:8] in line)  # fmt: skip
    assert not (tmp_path / "nowhere").exists()
    assert server.n_requests == 4


def test_verify_finds_what_is_missing(
    tmp_path: Path, server: ScriptedServer, capsys: pytest.CaptureFixture[str]
) -> None:
    """Though the local store has it: the next machine has not."""
    cassette_command(capsys, "export")
    judge(tmp_path, "bad")
    told = refused(capsys, 1, "verify", "--model", "bad")
    assert told.startswith("kilns/summeval.toml: 2 replies are not recorded: ")
    assert server.n_requests == 4


UNUSABLE = "item 1 is missing"


@pytest.fixture
def ill(tmp_path: Path, server: ScriptedServer) -> Iterator[Path]:
    """A store of a run whose judge answers nothing about system ``good``, asked three times."""
    with ScriptedServer(lambda _: Answer('{"checks": []}')) as other:
        write_suite(tmp_path / "kilns", other.url, tail=FAITHFUL)
        suite = loaded(tmp_path / "kilns")
        tasks = tasks_of(suite, ("good",), ("faithfulness",))
        evaluated(desk_for(tmp_path / "ill", suite), suite, tasks)
        assert other.n_requests == 6
    write_suite(tmp_path / "kilns", server.url, tail=FAITHFUL)
    yield tmp_path / "ill"
    assert server.n_requests == 2


def test_export_refuses_what_nobody_can_use(
    tmp_path: Path, ill: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It would be an error in every replay; the message names each, why, and what to type."""
    told = refused(capsys, 1, "export", "--store", str(ill))
    assert told.startswith("kilns/summeval.toml: 2 replies are recorded and unusable: sentence ")
    assert told.count(f": {UNUSABLE})") == 2
    assert told.endswith(" --summ-record=new', then export")
    assert not (tmp_path / "kilns" / "cassette.jsonl").exists()
    assert len(stored(ill)) == 6


@pytest.mark.parametrize("action", ["verify", "prune"])
def test_unusable_replies_of_a_cassette_are_refused(
    tmp_path: Path, ill: Path, capsys: pytest.CaptureFixture[str], action: str
) -> None:
    """No mark tells, since another version may have written them: they are read as a run would."""
    file = tmp_path / "kilns" / "cassette.jsonl"
    written = write_cassette(file, stored(ill).values())
    told = refused(capsys, 1, action, "--store", "nowhere")
    assert told.startswith("kilns/summeval.toml: 2 replies are recorded and unusable: sentence ")
    assert told.count(f": {UNUSABLE})") == 2
    assert cassette(tmp_path).sha256 == written
    assert not (tmp_path / "nowhere").exists()


def test_verify_finds_a_broken_line(
    tmp_path: Path, server: ScriptedServer, capsys: pytest.CaptureFixture[str]
) -> None:
    """With its number."""
    cassette_command(capsys, "export")
    file = tmp_path / "kilns" / "cassette.jsonl"
    file.write_text("".join(reversed(file.read_text("utf-8").splitlines(keepends=True))), "utf-8")
    assert refused(capsys, 4, "verify").startswith("kilns/cassette.jsonl:2: the key ")
    assert server.n_requests == 2


@pytest.mark.parametrize("action", ["verify", "prune", "import"])
def test_suite_without_a_cassette_is_told_how_to_make_one(
    server: ScriptedServer, capsys: pytest.CaptureFixture[str], action: str
) -> None:
    """Nothing was recorded yet."""
    assert refused(capsys, 4, action) == (
        "kilns/cassette.jsonl: there is no cassette; make one with 'summeval cassette export' after"
        " a run"
    )
    assert server.n_requests == 2


def test_prune_removes_what_a_run_does_not_use(
    tmp_path: Path, server: ScriptedServer, capsys: pytest.CaptureFixture[str]
) -> None:
    """And names it; a second time there is nothing to remove."""
    judge(tmp_path, "bad")
    cassette_command(capsys, "export", "--model", "good,bad")
    all_rows = cassette(tmp_path).rows
    told, *named = cassette_command(capsys, "prune", "--model", "bad")
    left = cassette(tmp_path).rows
    assert told == "kilns/cassette.jsonl: 2 of 4 replies removed"
    assert {line.split()[0] for line in named} == {key[:8] for key in set(all_rows) - set(left)}
    assert cassette_command(capsys, "verify", "--model", "bad")[0].endswith(", 0 unused")
    assert cassette_command(capsys, "prune", "--model", "bad") == [
        "kilns/cassette.jsonl: 0 of 2 replies removed"
    ]
    assert server.n_requests == 4


def test_many_removed_replies_are_not_all_named(
    tmp_path: Path, server: ScriptedServer, capsys: pytest.CaptureFixture[str]
) -> None:
    """Five, and how many more."""
    cassette_command(capsys, "export")
    reply = next(iter(cassette(tmp_path).rows.values())).reply
    strangers = [Row(f"{number:064x}", f"stranger {number}", reply) for number in range(7)]
    file = tmp_path / "kilns" / "cassette.jsonl"
    write_cassette(file, [*cassette(tmp_path).rows.values(), *strangers])
    told, *named = cassette_command(capsys, "prune")
    assert told == "kilns/cassette.jsonl: 7 of 9 replies removed"
    assert named == [f"  00000000 stranger {number}" for number in range(5)] + ["  and 2 more"]
    assert len(cassette(tmp_path).rows) == 2
    assert server.n_requests == 2


def test_prune_of_an_incomplete_cassette_removes_nothing(
    tmp_path: Path, server: ScriptedServer, capsys: pytest.CaptureFixture[str]
) -> None:
    """What depends on a missing reply would seem unused."""
    cassette_command(capsys, "export")
    before = cassette(tmp_path).sha256
    refused(capsys, 1, "prune", "--model", "bad")
    assert cassette(tmp_path).sha256 == before
    assert server.n_requests == 2


def test_import_puts_a_cassette_into_the_store(
    tmp_path: Path, server: ScriptedServer, capsys: pytest.CaptureFixture[str]
) -> None:
    """So that a machine goes on where another one stopped."""
    cassette_command(capsys, "export")
    fresh = tmp_path / "fresh"
    (told,) = cassette_command(capsys, "import", "--store", str(fresh))
    assert told == f"{fresh}: 2 replies from kilns/cassette.jsonl, 2 new"
    assert stored(fresh) == dict(cassette(tmp_path).rows)
    (again,) = cassette_command(capsys, "import", "--store", str(fresh))
    assert again.endswith("2 replies from kilns/cassette.jsonl, 0 new")
    assert server.n_requests == 2


def test_cassette_holds_no_key(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file is committed: a server that echoes the key into its replies gives nothing away."""
    monkeypatch.chdir(tmp_path)
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
        tasks = tasks_of(suite, metrics=("faithfulness",))
        allowed = f"TEAM_KEY={server.origin}"
        monkeypatch.setenv("SUMM_ALLOW_ENDPOINTS", allowed)
        store = tmp_path / "store"
        session = Session(environ=environ, directory=store, allow_endpoints=(allowed,))
        evaluated(session, suite, tasks)
        assert {seen.headers["authorization"] for seen in server.seen} == {f"Bearer {KEY}"}
        told = cassette_command(capsys, "export", "--store", "store")
    assert b"you sent" in (tmp_path / "kilns" / "cassette.jsonl").read_bytes()
    assert KEY not in "".join(told)
    assert KEY.encode() not in bytes_under(tmp_path)

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

import pytest

from summeval_pytest.cli.app import main
from summeval_pytest.endpoints.dialect import Dialect
from summeval_pytest.metrics.score import Unscored
from summeval_pytest.store.cache import Cache
from tests.asked_suite import (
    answers_to,
    by_rule,
    bytes_under,
    desk_for,
    evaluated,
    loaded,
    surveyed,
    tasks_of,
    text_by_rule,
    write_suite,
)
from tests.scripted_server import ScriptedServer
from tests.stored import stored

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

SYSTEMS: Final = ("good", "writer")
FAITHFUL: Final = "\n[thresholds]\nfaithfulness = 0.1\n"
KEY: Final = "0123456789abcdef" * 4
COMPLETION: Final = {
    "model": "m",
    "choices": [{"index": 0, "message": {"content": "yes"}, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 9, "completion_tokens": 1},
}


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ScriptedServer]:
    """Whoever answers live; the folder and the store of the commands."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SUMM_STORE", str(tmp_path / "store"))
    for name in ("SUMM_ENDPOINT", "OPENAI_BASE_URL", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    with ScriptedServer(by_rule) as server:
        yield server


def exported(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[str]:
    """What a round's export prints."""
    assert main(["batch", "export", "kilns", "--judge", "rule", "--out", "out", *arguments]) == 0
    return capsys.readouterr().out.splitlines()


def imported(capsys: pytest.CaptureFixture[str], file: str = "in") -> list[str]:
    """What an import prints."""
    assert main(["batch", "import", file]) == 0
    return capsys.readouterr().out.splitlines()


def refused(capsys: pytest.CaptureFixture[str], code: int) -> list[str]:
    """What an import ends with."""
    assert main(["batch", "import", "in"]) == code
    written = capsys.readouterr()
    assert written.out == ""
    assert written.err.startswith("summeval: error: ")
    return written.err.removeprefix("summeval: error: ").splitlines()


def line(**changed: object) -> dict[str, object]:
    """A line of a responses file, sound but for what is changed."""
    response = {"status_code": 200, "body": COMPLETION}
    return {"custom_id": KEY, "response": response, "error": None, **changed}


def test_rounds_end_in_a_run_that_equals_a_live_one(
    tmp_path: Path, server: ScriptedServer, capsys: pytest.CaptureFixture[str]
) -> None:
    """Summaries, then facets and facts, then ratings and checks; then nothing is open.

    The same replies, live and by files, are the same scores with the same evidence.
    """
    suite = loaded(write_suite(tmp_path / "kilns", server.url, systems=SYSTEMS))
    live = evaluated(desk_for(tmp_path / "live", suite), suite, tasks_of(suite))
    n_live = server.n_requests

    keys: list[str] = []
    n_rounds = 0
    while not (lines := exported(capsys))[0].startswith("nothing is open"):
        n_rounds += 1
        requests = (tmp_path / "out").read_text(encoding="utf-8").splitlines()
        assert lines[0].startswith(f"out: {len(requests)} requests for rule-1")
        assert lines[1] == "next: have them answered, then 'summeval batch import RESPONSES'"
        keys += [json.loads(request)["custom_id"] for request in requests]
        (tmp_path / "in").write_text(answers_to(tmp_path / "out"), encoding="utf-8")
        told = imported(capsys)
        assert told == [
            f"{tmp_path / 'store'}: {len(requests)} replies stored, 0 lines without one",
            "next: 'summeval batch export' again, until nothing is open",
        ]
    assert lines == [f"nothing is open: all {n_live} replies are stored; run pytest"]
    assert n_rounds == 3
    assert len(keys) == len(set(keys)) == n_live

    after = evaluated(desk_for(tmp_path / "store", suite), suite, tasks_of(suite))
    assert server.n_requests == n_live
    assert [e.scores for e in after] == [e.scores for e in live]
    assert [e.numbers() for e in after] == [e.numbers() for e in live]
    assert [e.pair for e in after] == [e.pair for e in live]


def test_replies_that_nobody_can_use_are_exported_again(
    tmp_path: Path, server: ScriptedServer, capsys: pytest.CaptureFixture[str]
) -> None:
    """Two re-asks, as in a live run; then all begins anew, until the judge has recovered."""
    write_suite(tmp_path / "kilns", server.url, tail=FAITHFUL)

    def round_of(text_of: Callable[[dict[str, object]], str]) -> str:
        told = exported(capsys)[0]
        (tmp_path / "in").write_text(answers_to(tmp_path / "out", text_of), encoding="utf-8")
        imported(capsys)
        return told

    told = [round_of(lambda _: '{"checks": []}') for _ in range(5)]
    again = "; 2 are asked again, as what was replied is unusable (item 1 is missing)"
    assert [line.endswith(again) for line in told] == [False, False, False, True, True]
    assert round_of(text_by_rule).endswith(again)
    assert exported(capsys) == ["nothing is open: all 6 replies are stored; run pytest"]
    suite = loaded(tmp_path / "kilns")
    tasks = tasks_of(suite, metrics=("faithfulness",))
    found = evaluated(desk_for(tmp_path / "store", suite, run="run-2"), suite, tasks)
    assert not any(isinstance(score, Unscored) for each in found for score in each.scores)
    assert server.n_requests == 0


def test_request_is_the_one_that_a_live_run_sends(
    tmp_path: Path, server: ScriptedServer, capsys: pytest.CaptureFixture[str]
) -> None:
    """In the form of OpenAI's Batch API, sorted by key."""
    suite = loaded(write_suite(tmp_path / "kilns", server.url, tail=FAITHFUL))
    exported(capsys)
    lines = [json.loads(text) for text in (tmp_path / "out").read_text("utf-8").splitlines()]
    tasks = tasks_of(suite, metrics=("faithfulness",))
    evaluated(desk_for(tmp_path / "live", suite), suite, tasks)
    found = surveyed(desk_for(tmp_path / "live"), suite, tasks, imagine=False).found
    assert [entry["custom_id"] for entry in lines] == sorted(found)
    assert {(entry["method"], entry["url"]) for entry in lines} == {
        ("POST", "/v1/chat/completions")
    }
    assert {tuple(sorted(entry)) for entry in lines} == {("body", "custom_id", "method", "url")}
    bodies = [entry["body"] for entry in lines]
    assert len(bodies) == len(server.seen) == 2
    assert all(dict(seen.body) in bodies for seen in server.seen)


def test_request_speaks_the_dialect_that_is_known(
    tmp_path: Path, server: ScriptedServer, capsys: pytest.CaptureFixture[str]
) -> None:
    """Else every line of a batch would be refused for the name of a field."""
    write_suite(tmp_path / "kilns", server.url, tail=FAITHFUL)
    dialect = Dialect(level="json_schema", length_field="max_completion_tokens", temperature=False)
    memory = desk_for(tmp_path / "store").memory()
    memory.remember_dialect("here", "rule-1", dialect)
    memory.close()
    exported(capsys)
    for text in (tmp_path / "out").read_text("utf-8").splitlines():
        body = json.loads(text)["body"]
        assert "max_completion_tokens" in body
        assert not {"max_tokens", "temperature"} & set(body)


def test_export_asks_only_what_is_open(
    tmp_path: Path, server: ScriptedServer, capsys: pytest.CaptureFixture[str]
) -> None:
    """What a run has asked already is stored; nothing is sent."""
    suite = loaded(write_suite(tmp_path / "kilns", server.url, tail=FAITHFUL))
    tasks = tasks_of(suite, metrics=("faithfulness",))
    evaluated(desk_for(tmp_path / "store", suite), suite, tasks)
    told = exported(capsys, "--model", "good,bad")
    assert told[0] == "out: 2 requests for rule-1; 2 replies are stored"
    assert exported(capsys) == ["nothing is open: all 2 replies are stored; run pytest"]
    assert server.n_requests == 2


def test_export_that_cannot_be_written_is_refused_first(
    tmp_path: Path, server: ScriptedServer, capsys: pytest.CaptureFixture[str]
) -> None:
    """Before the suite is read."""
    assert main(["batch", "export", "nowhere", "--judge", "rule", "--out", "gone/out"]) == 4
    assert capsys.readouterr().err == (
        "summeval: error: --out=gone/out: cannot be written, its folder is not there; name another"
        " file\n"
    )
    assert server.n_requests == 0
    assert not (tmp_path / "store").exists()


def test_failed_lines_are_told_and_not_stored(
    tmp_path: Path, server: ScriptedServer, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each with its line. Blank lines are nothing; a file without any reply is a failure."""
    bad = {
        "no JSON": "Expecting value: line 1 column 1 (char 0)",
        "[]": "the line is no JSON object",
        json.dumps(line(custom_id="request-1")): (
            "custom_id is none that 'summeval batch export' wrote"
        ),
        json.dumps(line(custom_id=7)): "custom_id is none that 'summeval batch export' wrote",
        json.dumps(line(response=None, error={"code": "expired"})): (
            "01234567 has no response: {'code': 'expired'}"
        ),
        json.dumps(line(error={"code": "odd"})): "01234567 has no response: {'code': 'odd'}",
        json.dumps(line(response={"status_code": 429, "body": COMPLETION})): (
            "01234567 has status 429"
        ),
        json.dumps(line(response={"status_code": 200, "body": {"error": {"message": "x"}}})): (
            "its 'choices' are null, no list of objects; it says 'x'"
        ),
        json.dumps(line(response={"status_code": 200, "body": None})): (
            "its body is a JSON null, no object"
        ),
        json.dumps(line(response={"status_code": 200})): "its body is a JSON null, no object",
        "[" * 100_000: "the line is nested too deeply",
        '{"custom_id": "\x1b[31m"}': "Invalid control character at: line 1 column 16 (char 15)",
    }
    (tmp_path / "in").write_text("\n\n".join(bad) + "\n", encoding="utf-8")
    told, *failed = refused(capsys, 1)
    assert told == f"{tmp_path / 'store'}: 0 replies stored, {len(bad)} lines without one"
    assert failed == [f"in:{2 * place + 1}: {fault}" for place, fault in enumerate(bad.values())]
    assert stored(tmp_path / "store") == {}
    assert server.n_requests == 0


def test_good_lines_beside_failed_ones_are_stored(
    tmp_path: Path, server: ScriptedServer, capsys: pytest.CaptureFixture[str]
) -> None:
    """And the others are open again."""
    write_suite(tmp_path / "kilns", server.url, tail=FAITHFUL)
    exported(capsys)
    good, bad = (json.loads(text) for text in answers_to(tmp_path / "out").splitlines())
    bad["response"]["status_code"] = 500
    (tmp_path / "in").write_text(f"{json.dumps(bad)}\n{json.dumps(good)}", encoding="utf-8")
    told, failed, _ = imported(capsys)
    assert told.endswith(": 1 replies stored, 1 lines without one")
    assert failed == f"in:1: {bad['custom_id'][:8]} has status 500"
    assert exported(capsys)[0] == "out: 1 requests for rule-1; 1 replies are stored"
    (again,) = (tmp_path / "out").read_text("utf-8").splitlines()
    assert json.loads(again)["custom_id"] == bad["custom_id"]


def test_many_failed_lines_are_not_all_told(
    tmp_path: Path, server: ScriptedServer, capsys: pytest.CaptureFixture[str]
) -> None:
    """Twenty, and how many more."""
    (tmp_path / "in").write_text("x\n" * 23, encoding="utf-8")
    told = refused(capsys, 1)
    assert len(told) == 1 + 20 + 1
    assert told[21] == "and 3 more"
    assert server.n_requests == 0


def test_reply_that_was_cut_off_or_refused_is_stored(
    tmp_path: Path, server: ScriptedServer, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is a reply: the judge asks again in the next round, the system fails."""
    ends = [{"finish_reason": "length"}, {"finish_reason": "content_filter"}]
    lines = []
    for number, end in enumerate(ends):
        choice = {"index": 0, "message": {"content": "ye"}, **end}
        response = {"status_code": 200, "body": {"model": "m", "choices": [choice]}}
        lines.append(json.dumps(line(custom_id=f"{number:064x}", response=response)))
    (tmp_path / "in").write_text("\n".join(lines), encoding="utf-8")
    assert "2 replies stored, 0 lines without one" in imported(capsys)[0]
    with Cache(tmp_path / "store") as cache:
        rows = [cache.get(f"{number:064x}") for number in range(2)]
    assert [row and row.reply["finish"] for row in rows] == ["length", "content_filter"]
    assert [row and row.topic for row in rows] == ["from a batch"] * 2
    assert server.n_requests == 0


@pytest.mark.parametrize("content", [None, b"\xff\xfe"])
def test_responses_that_cannot_be_read_are_a_mistake(
    tmp_path: Path,
    server: ScriptedServer,
    capsys: pytest.CaptureFixture[str],
    content: bytes | None,
) -> None:
    """The file is named; exit code 4."""
    if content is not None:
        (tmp_path / "in").write_bytes(content)
    (told,) = refused(capsys, 4)
    assert told.startswith("in: the file cannot be read (")
    assert told.endswith("); name the responses file")
    assert server.n_requests == 0


def test_batch_needs_no_key_and_holds_none(
    tmp_path: Path,
    server: ScriptedServer,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The file is sent by other means."""
    keyed = 'api_key_env = "TEAM_KEY"'
    write_suite(tmp_path / "kilns", server.url, endpoint=keyed, tail=FAITHFUL)
    without = exported(capsys)
    monkeypatch.setenv("TEAM_KEY", "sk-marker-0a1b2c3d4e5f")
    monkeypatch.setenv("SUMM_ALLOW_ENDPOINTS", f"TEAM_KEY={server.origin}")
    assert exported(capsys) == without
    assert b"sk-marker" not in bytes_under(tmp_path)


def test_requests_to_several_endpoints_are_not_mixed(
    tmp_path: Path, server: ScriptedServer, capsys: pytest.CaptureFixture[str]
) -> None:
    """A file goes to one endpoint; the judge's requests have no business at the writer's."""
    write_suite(tmp_path / "kilns", server.url)
    file = tmp_path / "kilns" / "summeval.toml"
    text = file.read_text(encoding="utf-8")
    at_writer = text.index('endpoint = "here"', text.index("[systems.writer]"))
    file.write_text(
        f'{text[:at_writer]}endpoint = "ollama"{text[at_writer + 17 :]}', encoding="utf-8"
    )
    command = ["batch", "export", "kilns", "--judge=rule", "--model=good,writer", "--out=out"]

    assert main(command) == 4
    assert "go to 2 endpoints, here, ollama; a batch file goes to one" in capsys.readouterr().err
    assert main([*command, "--only=ollama"]) == 0
    lines = (tmp_path / "out").read_text(encoding="utf-8").splitlines()
    assert {json.loads(line)["body"]["model"] for line in lines} == {"writer-7b"}


def test_a_key_in_a_responses_file_is_neither_shown_nor_stored(
    tmp_path: Path, server: ScriptedServer, capsys: pytest.CaptureFixture[str]
) -> None:
    """An endpoint that repeats what it was sent writes the key into its file."""
    secret = "sk-marker-0a1b2c3d4e5f6789"  # noqa: S105 - it is none
    said = {"index": 0, "message": {"content": f"it is {secret}"}, "finish_reason": "stop"}
    body = {**COMPLETION, "choices": [said]}
    (tmp_path / "in").write_text(
        json.dumps(line(response={"status_code": 200, "body": body}))
        + "\n"
        + json.dumps(line(response=None, error={"message": f"Incorrect API key: {secret}"})),
        encoding="utf-8",
    )
    told = imported(capsys)

    assert any("has no response" in text for text in told)
    assert secret not in "\n".join(told)
    assert secret.encode() not in bytes_under(tmp_path / "store")
    assert server.n_requests == 0

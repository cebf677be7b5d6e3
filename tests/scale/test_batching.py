from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest
from syrupy.assertion import SnapshotAssertion

from summeval_pytest.endpoints.dialect import Dialect
from summeval_pytest.metrics.number import Unscored
from tests.asked_suite import (
    KEY,
    answers_to,
    bytes_under,
    desk_for,
    evaluated,
    loaded,
    tasks_of,
    text_by_rule,
    write_suite,
)
from tests.cli.conftest import Shell
from tests.decisions_by_rule import decided
from tests.scripted_server import Raw, ScriptedServer, Seen
from tests.stored import stored

FAITHFUL: Final = "\n[thresholds]\nfaithfulness = 0.1\n"
ASKED: Final = "0123456789abcdef" * 4
EXPORT: Final = ("batch", "export", "kilns", "--judge", "rule", "--out", "out")
COMPLETION: Final = {
    "model": "m",
    "choices": [{"index": 0, "message": {"content": "yes"}, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 9, "completion_tokens": 1},
}


@pytest.fixture(autouse=True)
def suite(tmp_path: Path, server: ScriptedServer) -> None:
    """A suite of two requests, none of them sent."""
    write_suite(tmp_path / "kilns", server.url, tail=FAITHFUL)


def requests(path: Path) -> list[dict[str, dict[str, object]]]:
    """What was exported."""
    return [json.loads(line) for line in (path / "out").read_text(encoding="utf-8").splitlines()]


def line(**changed: object) -> str:
    """A line of a responses file, sound but for what is changed."""
    response = {"status_code": 200, "body": COMPLETION}
    return json.dumps({"custom_id": ASKED, "response": response, "error": None, **changed})


def saying(**choice: object) -> dict[str, object]:
    """A response with another choice."""
    choices = [{"index": 0, "message": {"content": "ye"}, "finish_reason": "stop", **choice}]
    return {"status_code": 200, "body": {**COMPLETION, "choices": choices}}


def test_rounds_end_as_a_live_run(tmp_path: Path, server: ScriptedServer, shell: Shell) -> None:
    """Summaries, then facets and facts, then ratings and checks; then nothing is open."""
    # The same requests, in the form of OpenAI's Batch API, sorted by key; the same replies are the
    # same scores with the same evidence.
    suite = loaded(write_suite(tmp_path / "kilns", server.url, systems=("good", "writer")))
    live = evaluated(desk_for(tmp_path / "live", suite), suite, tasks_of(suite))
    n_live, bodies = server.n_requests, [dict(seen.body) for seen in server.seen]
    api = {"method": "POST", "url": "/v1/chat/completions"}

    rounds: list[int] = []
    keys: set[object] = set()
    while not (lines := shell.lines(*EXPORT))[0].startswith("nothing is open"):
        open_ = requests(tmp_path)
        assert open_ == sorted(open_, key=lambda request: str(request["custom_id"]))
        assert all(request == request | api and request["body"] in bodies for request in open_)
        rounds.append(len(open_))
        keys |= {request["custom_id"] for request in open_}
        assert lines[0].startswith(f"out: {len(open_)} requests for rule-1")
        assert lines[1] == "next: have them answered, then 'summeval batch import RESPONSES'"
        (tmp_path / "in").write_text(answers_to(tmp_path / "out"), encoding="utf-8")
        assert shell.lines("batch", "import", "in") == [
            f"{tmp_path / 'store'}: {len(open_)} replies stored, 0 lines without one",
            "next: 'summeval batch export' again, until nothing is open",
        ]
    assert lines == [f"nothing is open: all {n_live} replies are stored; run pytest"]
    assert len(rounds) == 3
    assert sum(rounds) == len(keys) == n_live
    assert keys == set(stored(tmp_path / "live"))
    printed, _ = shell.lines(*EXPORT, "--model", "good,bad")  # only what is open is asked
    assert printed == "out: 6 requests for rule-1; 14 replies are stored"

    after = evaluated(desk_for(tmp_path / "store", suite), suite, tasks_of(suite))
    assert server.n_requests == n_live
    assert [(e.pair, e.scores, e.numbers()) for e in after] == [
        (e.pair, e.scores, e.numbers()) for e in live
    ]


LABELS: Final = [
    {
        "paper": paper,
        "system": "bad",
        "facets": {"background": None, "method": 2, "result": 1, "conclusion": 1},
        "sentences": [{"index": 0, "faithful": False}],
        "facts": {"reference": [{"text": "Bricks crack.", "covered": False}]},
    }
    for paper in ("kiln", "moss")
]
KINDS: Final = {
    ("--for", "run"): {"Sentence checks": 4},
    ("--for", "judge"): {"Sentence checks": 2},
    ("--for", "agree", "--metrics", "facet"): {"Facet segments": 2},
    ("--for", "agree"): {"Sentence checks": 2, "Fact checks": 2, "Facet segments": 2, "Facts": 4},
}


@pytest.mark.usefixtures("few_resamples")
@pytest.mark.parametrize("purpose", KINDS, ids=" ".join)
def test_what_labels_are_compared_with_is_asked_by_files_too(
    tmp_path: Path, server: ScriptedServer, shell: Shell, purpose: tuple[str, ...]
) -> None:
    """A run asks about its pairs and about the labelled ones; these can be asked about alone."""
    folder = write_suite(
        tmp_path / "kilns", server.url, head='labels = "labels.jsonl"', tail=FAITHFUL
    )
    text = "".join(json.dumps(label) + "\n" for label in LABELS)
    (folder / "labels.jsonl").write_text(text, encoding="utf-8")
    shell.lines(*EXPORT, *purpose)
    first = [str(request["body"]["messages"]) for request in requests(tmp_path)]
    kinds = Counter(text.partition("# ")[2].partition("\\n")[0] for text in first)
    assert kinds == KINDS[purpose]

    while not (lines := shell.lines(*EXPORT, *purpose))[0].startswith("nothing is open"):
        (tmp_path / "in").write_text(answers_to(tmp_path / "out"), encoding="utf-8")
        shell.lines("batch", "import", "in")
    is_agree = "agree" in purpose
    assert lines[0].endswith("; run summeval agree" if is_agree else "; run pytest")
    if is_agree:
        printed = shell.lines("agree", "kilns", "--judge", "rule", *purpose[2:])
        assert printed[0].startswith("kilns/summeval.toml: 2 labelled pairs, judge rule")
        columns = {
            line.split()[0] for line in printed if line.startswith(("FM ", "EVA ", "faithf"))
        }
        assert columns == ({"FM"} if "facet" in purpose else {"FM", "EVA", "faithfulness"})
    assert server.n_requests == 0


def test_what_cannot_be_exported_or_read_is_refused_first(tmp_path: Path, shell: Shell) -> None:
    """A run asks what its thresholds need, and a misspelt metric would be measured by nobody."""
    alone = "--metrics goes with --for agree; a run asks what its thresholds need"
    assert shell.error(4, *EXPORT, "--metrics", "facet") == alone
    printed = shell.error(4, *EXPORT, "--for", "agree", "--metrics", "facets")
    assert printed == "--metrics=facets: no metric; did you mean 'facet'?"
    printed = shell.error(4, "batch", "export", "nowhere", "--judge", "rule", "--out", "gone/out")
    assert printed == (
        "--out=gone/out: cannot be written, its folder is not there; name another file"
    )
    for is_there in (False, True):
        if is_there:
            (tmp_path / "in").write_bytes(b"\xff\xfe")
        printed = shell.error(4, "batch", "import", "in")
        assert printed.startswith("in: the file cannot be read (")
        assert printed.endswith("); name the responses file")
    assert not (tmp_path / "store").exists()


def test_unusable_replies_are_exported_again(
    tmp_path: Path, server: ScriptedServer, shell: Shell
) -> None:
    """Two re-asks, as in a live run; then all begins anew, until the judge has recovered."""

    def round_of(text_of: Callable[[dict[str, object]], str]) -> str:
        printed = shell.lines(*EXPORT)[0]
        (tmp_path / "in").write_text(answers_to(tmp_path / "out", text_of), encoding="utf-8")
        shell.lines("batch", "import", "in")
        return printed

    printed = [round_of(lambda _: '{"checks": []}') for _ in range(5)]
    again = "; 2 are asked again, as what was replied is unusable"
    assert [line.endswith(again) for line in printed] == [False, False, False, True, True]
    assert round_of(text_by_rule).endswith(again)
    assert shell.lines(*EXPORT) == ["nothing is open: all 2 replies are stored; run pytest"]
    suite = loaded(tmp_path / "kilns")
    tasks = tasks_of(suite, metrics=("faithfulness",))
    result = evaluated(desk_for(tmp_path / "store", suite, run="run-2"), suite, tasks)
    assert not any(isinstance(score, Unscored) for each in result for score in each.scores)
    assert server.n_requests == 0


def test_request_speaks_the_dialect_that_is_known(tmp_path: Path, shell: Shell) -> None:
    """Else every line of a batch would be refused for the name of a field."""
    dialect = Dialect(level="json_schema", length_field="max_completion_tokens", temperature=False)
    memory = desk_for(tmp_path / "store").replies.memory()
    memory.remember_dialect("here", "rule-1", dialect)
    memory.close()
    shell.lines(*EXPORT)
    for request in requests(tmp_path):
        assert "max_completion_tokens" in request["body"]
        assert not {"max_tokens", "temperature"} & set(request["body"])


def test_failed_lines_are_reported_and_not_stored(
    tmp_path: Path, shell: Shell, snapshot: SnapshotAssertion
) -> None:
    """Each with its line. Blank lines are nothing; a file without any reply is a failure."""
    bad = [
        *("no JSON", "[]", line(custom_id="request-1"), line(custom_id=7)),
        line(response=None, error={"code": "expired"}),
        line(error={"code": "odd"}),
        line(response={"status_code": 429, "body": COMPLETION}),
        line(response={"status_code": 200, "body": {"error": {"message": "x"}}}),
        line(response={"status_code": 200, "body": None}),
        *(line(response={"status_code": 200}), "[" * 100_000, '{"custom_id": "\x1b[31m"}'),
    ]
    (tmp_path / "in").write_text("\n\n".join(bad) + "\n", encoding="utf-8")
    printed, *failed = shell.error(1, "batch", "import", "in").splitlines()
    assert printed == f"{tmp_path / 'store'}: 0 replies stored, {len(bad)} lines without one"
    assert failed == snapshot
    assert stored(tmp_path / "store") == {}
    (tmp_path / "in").write_text("x\n" * 23, encoding="utf-8")
    printed = shell.error(1, "batch", "import", "in")
    assert printed.count("\n") == 20 + 1
    assert printed.endswith("\nand 3 more")


def test_good_lines_beside_failed_ones_are_stored(tmp_path: Path, shell: Shell) -> None:
    """And the others are open again."""
    shell.lines(*EXPORT)
    good, bad = (json.loads(text) for text in answers_to(tmp_path / "out").splitlines())
    bad["response"]["status_code"] = 500
    (tmp_path / "in").write_text(f"{json.dumps(bad)}\n{json.dumps(good)}", encoding="utf-8")
    printed, failed, _ = shell.lines("batch", "import", "in")
    assert printed.endswith(": 1 replies stored, 1 lines without one")
    assert failed == f"in:1: {bad['custom_id'][:8]} has status 500"
    printed, _ = shell.lines(*EXPORT)
    assert printed == "out: 1 requests for rule-1; 1 replies are stored"
    assert [request["custom_id"] for request in requests(tmp_path)] == [bad["custom_id"]]


def test_a_reply_cut_off_is_stored_and_two_to_one_are_refused(tmp_path: Path, shell: Shell) -> None:
    """It is a reply: the judge asks again in the next round, the system fails."""
    ends = ("length", "content_filter")
    lines = [
        line(custom_id=f"{number:064x}", response=saying(finish_reason=end))
        for number, end in enumerate(ends)
    ]
    (tmp_path / "in").write_text("\n".join(lines), encoding="utf-8")
    assert "2 replies stored, 0 lines without one" in shell.lines("batch", "import", "in")[0]
    rows = sorted(stored(tmp_path / "store").items())
    assert [(row.reply["finish"], row.topic) for _, row in rows] == [
        (end, "from a batch") for end in ends
    ]
    # the order of two downloads in a file would decide a release; the same one twice is one
    key = f"{7:064x}"
    same, other = (
        line(custom_id=key, response=saying(message={"content": text})) for text in ("yes", "no")
    )
    (tmp_path / "in").write_text(f"{same}\n{same}", encoding="utf-8")
    assert "1 replies stored, 0 lines" in shell.lines("batch", "import", "in")[0]
    (tmp_path / "in").write_text(f"{same}\n{other}", encoding="utf-8")
    message = shell.error(4, "batch", "import", "in")
    assert message == f"in:2: {key[:8]} has another reply on line 1; keep one of the two"


def test_batch_needs_no_key(
    tmp_path: Path, server: ScriptedServer, shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file is sent by other means; an endpoint may repeat what it was sent in its answers."""
    keyed = 'api_key_env = "TEAM_KEY"'
    write_suite(tmp_path / "kilns", server.url, endpoint=keyed, tail=FAITHFUL)
    without = shell.lines(*EXPORT)
    monkeypatch.setenv("TEAM_KEY", KEY)
    monkeypatch.setenv("SUMM_ALLOW_ENDPOINTS", f"TEAM_KEY={server.origin}")
    assert shell.lines(*EXPORT) == without
    assert KEY.encode() not in bytes_under(tmp_path)

    good = line(response=saying(message={"content": f"it is {KEY}"}))
    bad = line(response=None, error={"message": f"Incorrect API key: {KEY}"})
    (tmp_path / "in").write_text(f"{good}\n{bad}", encoding="utf-8")
    printed = "\n".join(shell.lines("batch", "import", "in"))
    assert "1 replies stored" in printed
    assert "has no response" in printed
    assert KEY not in printed
    assert KEY.encode() not in bytes_under(tmp_path / "store")


def test_endpoints_are_not_mixed(tmp_path: Path, server: ScriptedServer, shell: Shell) -> None:
    """A file goes to one endpoint; the judge's requests have no business at the writer's."""
    write_suite(tmp_path / "kilns", server.url)
    file = tmp_path / "kilns" / "summeval.toml"
    head, table, writer = file.read_text(encoding="utf-8").partition("[systems.writer]")
    file.write_text(head + table + writer.replace('"here"', '"ollama"'), encoding="utf-8")
    command = [*EXPORT, "--model=good,writer"]
    printed = shell.error(4, *command)
    assert "go to 2 endpoints, here, ollama; a batch file goes to one" in printed
    shell.lines(*command, "--only=ollama")
    assert {request["body"]["model"] for request in requests(tmp_path)} == {"writer-7b"}
    assert server.n_requests == 0


def test_decisions_are_exported_for_their_route_and_read_back(tmp_path: Path, shell: Shell) -> None:
    """A decision's reply has no choices, and is a reply all the same."""
    luna = '\n[judges.luna]\nkind = "decisions"\nendpoint = "here"\nmodel = "luna-6"\n'
    write_suite(tmp_path / "kilns", "http://h/v1", tail=FAITHFUL + luna)
    export = [each.replace("rule", "luna") for each in EXPORT]
    shell.lines(*export)
    lines: list[str] = []
    for request in requests(tmp_path):
        route = str(request["url"])
        assert route == "/v1/decisions"
        reply = decided(Seen(index=0, path=route, headers={}, body=request["body"]))
        assert isinstance(reply, Raw)
        response = {"status_code": 200, "body": json.loads(reply.content)}
        lines.append(line(custom_id=request["custom_id"], response=response))
    (tmp_path / "replies.jsonl").write_text("\n".join(lines), encoding="utf-8")
    assert "0 lines without one" in shell.lines("batch", "import", "replies.jsonl")[0]
    assert shell.lines(*export)[0].startswith("nothing is open")

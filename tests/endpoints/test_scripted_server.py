"""The server that other tests believe."""

from __future__ import annotations

import http.client
import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, cast

import pytest

from tests.scripted_server import (
    Answer,
    Delay,
    Drop,
    HalfBody,
    ScriptedServer,
    Seen,
    Status,
    Trickle,
    Until,
    answer_by_schema,
)
from tests.waiting import SOON, wait_until

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.scripted_server import Action

PROGRAM = Path(__file__).parents[1] / "scripted_server.py"
SCHEMA: Mapping[str, object] = {
    "type": "object",
    "properties": {
        "checks": {"type": "array", "minItems": 2, "items": {"$ref": "#/$defs/check"}},
        "none": {"type": "array", "items": {"type": "string"}},
        "either": {"anyOf": [{"type": "null"}, {"type": "string"}]},
        "sure": {"type": "boolean"},
    },
    "$defs": {
        "check": {
            "type": "object",
            "properties": {
                "id": {"type": "integer", "minimum": 1},
                "kind": {"const": "fact"},
                "reason": {"type": "string", "minLength": 2},
                "label": {"type": "string", "enum": ["yes", "no"]},
            },
        }
    },
}


def ask(connection: http.client.HTTPConnection, body: object = None) -> tuple[int, object]:
    """One request for a reply."""
    sent = {"model": "m", "messages": []} if body is None else body
    connection.request("POST", "/v1/chat/completions", json.dumps(sent))
    response = connection.getresponse()
    return response.status, json.loads(response.read())


def get(port: int, path: str) -> object:
    """What stands at a path."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=SOON)
    connection.request("GET", path)
    values: object = json.loads(connection.getresponse().read())
    connection.close()
    return values


def test_a_schema_is_answered_by_its_smallest_instance() -> None:
    """First words of enums, and as many items as there have to be."""
    check = {"id": 1, "kind": "fact", "reason": "xx", "label": "yes"}
    assert json.loads(answer_by_schema(SCHEMA)) == {
        "checks": [check, check],
        "none": [],
        "either": None,
        "sure": False,
    }


def test_requests_are_counted_and_kept_in_order_on_one_connection() -> None:
    """A test looks at what came, and trusts that nothing is missing."""

    def script(seen: Seen) -> Answer | Status:
        return Status(429, headers={"retry-after": "7"}) if seen.index == 1 else Answer(seen.model)

    with ScriptedServer(script) as server:
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=SOON)
        statuses = [ask(connection, {"model": str(n)})[0] for n in range(3)]
        connection.close()
        assert get(server.port, "/v1/models") == {
            "object": "list",
            "data": [{"id": "scripted", "object": "model"}],
        }
        assert get(server.port, "/stats") == dict(server.stats)
    assert statuses == [200, 429, 200]
    assert [(seen.index, seen.model) for seen in server.seen] == [(0, "0"), (1, "1"), (2, "2")]
    assert (server.n_requests, server.n_listed, server.peak, server.n_open) == (3, 1, 1, 0)


def test_a_delay_a_drop_and_half_a_body_are_what_they_say() -> None:
    """Each of them happens to real runs."""
    actions: list[Action] = [
        Delay(0.1, Until(lambda: server.n_open == 1, Answer("late"))),
        Drop(),
        HalfBody(),
        Trickle("slow", 0.0001),
    ]
    with ScriptedServer(lambda seen: actions[seen.index]) as server:
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=SOON)
        assert "late" in json.dumps(ask(connection)[1])
        with pytest.raises(http.client.RemoteDisconnected):
            ask(connection)
        connection.close()
        with pytest.raises(http.client.IncompleteRead):
            ask(connection)
        connection.close()
        assert "slow" in json.dumps(ask(connection)[1])
        connection.close()


@pytest.mark.parametrize(("latency_ms", "n_open"), [(1, 0), (3_600_000, 1)])
def test_it_runs_as_a_program_and_says_nothing(latency_ms: int, n_open: int) -> None:
    """Benchmarks ask it from other processes; who is to wait an hour is not answered at once."""
    with ScriptedServer() as free:
        port = free.port
    command = [sys.executable, str(PROGRAM), "--port", str(port), "--latency-ms", str(latency_ms)]

    def listens() -> bool:
        try:
            connection.connect()
        except ConnectionRefusedError:
            return False
        return True

    def counts() -> tuple[int, int, int]:
        stats = cast("Mapping[str, int]", get(port, "/stats"))
        return stats["n_requests"], stats["n_open"], stats["n_replied"]

    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as program:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=SOON)
        wait_until(listens)
        connection.request("POST", "/v1/chat/completions", '{"model": "m", "messages": []}')
        wait_until(lambda: counts() == (1, n_open, 1 - n_open))
        connection.close()
        program.terminate()
        assert program.stdout is not None
        assert program.stdout.read() == b""

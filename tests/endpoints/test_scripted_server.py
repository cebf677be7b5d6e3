"""The server that other tests believe."""

from __future__ import annotations

import http.client
import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.scripted_server import (
    Answer,
    Delay,
    Drop,
    HalfBody,
    ScriptedServer,
    Trickle,
    Until,
)
from tests.waiting import SOON

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

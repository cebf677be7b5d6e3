"""The scripted server in a process of its own, as a run sees an endpoint."""

from __future__ import annotations

import http.client
import json
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final, cast

_HERE: Final = Path(__file__).parent
_SERVER: Final = _HERE.parents[1] / "tests" / "scripted_server.py"
_SCRIPT: Final = _HERE / "quick_answers.py"
_TRIES: Final = 500
_PAUSE_SECONDS: Final = 0.02


@dataclass(frozen=True, slots=True)
class ScriptedEndpoint:
    """A server that listens on 127.0.0.1."""

    port: int

    @property
    def url(self) -> str:
        """The base URL for a client."""
        return f"http://127.0.0.1:{self.port}/v1"

    def stats(self) -> Mapping[str, float]:
        """What it has counted so far, as `ScriptedServer` says; OSError if it does not listen."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        try:
            connection.request("GET", "/stats")
            return cast("Mapping[str, float]", json.loads(connection.getresponse().read()))
        finally:
            connection.close()


@contextmanager
def scripted_endpoint(latency_ms: float) -> Iterator[ScriptedEndpoint]:
    """A server that answers the LLM judge, each request after so many milliseconds."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [sys.executable, str(_SERVER), "--port", str(port), "--latency-ms", str(latency_ms)]
    server = subprocess.Popen([*command, "--script", f"{_SCRIPT}:answer"], start_new_session=True)
    try:
        endpoint = ScriptedEndpoint(port)
        for _ in range(_TRIES):
            try:
                endpoint.stats()
                break
            except OSError:
                time.sleep(_PAUSE_SECONDS)
        yield endpoint
    finally:
        server.kill()
        server.wait()

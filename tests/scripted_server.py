"""A real HTTP server on loopback that plays an OpenAI-compatible endpoint by a script.

A test gives a function from what was seen to what is done: answer, wait, refuse, drop, trickle.

    with ScriptedServer(lambda seen: Status(429) if seen.index == 0 else Answer("yes")) as server:
        ...  # talk to server.url
    assert server.n_requests == 2

The script runs on the server's own thread. Started as a program the server says "yes", or what a
function makes of each body, and prints nothing; ``GET /stats`` says what it has seen:

    python tests/scripted_server.py --port 8123 --latency-ms 200
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import importlib.util
import json
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final, Self, cast

HTML: Final = "<!DOCTYPE html><html><head><title>502 Bad Gateway</title></head><body/></html>"
_REASON: Final = "Scripted"
_LOOK_SECONDS: Final = 0.002
_STATS: Final = (
    "n_requests", "n_different", "n_replied", "n_abandoned", "n_open", "peak", "busy_seconds",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """One request as it came in, with how many came before it, and headers by lower-case name."""

    index: int
    path: str
    headers: Mapping[str, str] = field(repr=False)
    body: Mapping[str, object]

    @property
    def model(self) -> str:
        """The model that is to answer."""
        return str(self.body.get("model", ""))

    @property
    def texts(self) -> tuple[str, ...]:
        """The text of each message."""
        messages = cast("list[Mapping[str, str]]", self.body.get("messages", []))
        return tuple(message["content"] for message in messages)

    @property
    def level(self) -> str:
        """The form of reply wanted, by the names of `dialect.LEVELS`."""
        wanted = cast("Mapping[str, str]", self.body.get("response_format", {}))
        return "object_schema" if "schema" in wanted else wanted.get("type", "text")


@dataclass(frozen=True, slots=True)
class Answer:
    """A chat completion, with the tokens that it claims: prompt, completion and cached ones.

    Of the completion's tokens ``n_thought`` were thought; with None the details are left out.
    """

    text: str | None
    finish: str | None = "stop"
    refusal: str | None = None
    usage: tuple[int, int, int] | None = (100, 20, 0)
    model: str = ""
    n_thought: int | None = None


@dataclass(frozen=True, slots=True)
class Raw:
    """A response as given."""

    content: bytes
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Status:
    """An error in the form that OpenAI gives it."""

    status: int
    code: str | None = None
    message: str = "scripted"
    param: str | None = None
    type: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Html:
    """A page, as a proxy sends it."""

    status: int = 200
    text: str = HTML


@dataclass(frozen=True, slots=True)
class Drop:
    """The connection is closed without a word."""


@dataclass(frozen=True, slots=True)
class HalfBody:
    """The connection is closed in the middle of an answer."""

    text: str = "half of this"


@dataclass(frozen=True, slots=True)
class Trickle:
    """An answer that comes byte by byte."""

    text: str
    every_seconds: float


@dataclass(frozen=True, slots=True)
class Endless:
    """A body in chunks that never ends, as fast as it is read."""

    chunk: bytes = b" " * 2**20


@dataclass(frozen=True, slots=True)
class Delay:
    """Something else, later."""

    seconds: float
    then: Action


@dataclass(frozen=True, slots=True)
class Until:
    """Something else, once something has happened; it is looked for on the server's own thread."""

    happened: Callable[[], bool]
    then: Action


Action = Answer | Raw | Status | Html | Drop | HalfBody | Trickle | Endless | Delay | Until
Script = Callable[[Seen], Action]


def yes(_: Seen) -> Answer:
    """The script that a server has without another one."""
    return Answer("yes")


def always(action: Action) -> Script:
    """The script of a server that knows one thing."""
    return lambda _: action


def _completion(answer: Answer, seen: Seen) -> bytes:
    message: dict[str, object] = {"role": "assistant", "content": answer.text}
    if answer.refusal is not None:
        message["refusal"] = answer.refusal
    reply: dict[str, object] = {
        "id": f"chatcmpl-{seen.index}",
        "object": "chat.completion",
        "created": 0,
        "model": answer.model or seen.model,
        "system_fingerprint": "fp_scripted",
        "choices": [{"index": 0, "message": message, "finish_reason": answer.finish}],
    }
    if answer.usage is not None:
        prompt, completion, cached = answer.usage
        usage: dict[str, object] = {
            "prompt_tokens": prompt,
            "completion_tokens": completion,
            "total_tokens": prompt + completion,
            "prompt_tokens_details": {"cached_tokens": cached},
        }
        if answer.n_thought is not None:
            usage["completion_tokens_details"] = {"reasoning_tokens": answer.n_thought}
        reply["usage"] = usage
    return json.dumps(reply).encode()


def _response(raw: Raw) -> bytes:
    headers = {"content-type": "application/json", "content-length": str(len(raw.content))}
    headers |= raw.headers
    fields = (f"{name}: {value}" for name, value in headers.items() if value)
    lines = [f"HTTP/1.1 {raw.status} {_REASON}", *fields]
    return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + raw.content


class ScriptedServer:
    """A server on 127.0.0.1 and a thread of its own, from `__enter__` to `__exit__`.

    With ``n_slots`` it says at ``GET /props`` how many it serves at once, as llama.cpp's does.

    Attributes:
        n_requests: How many requests for a reply it got, refused and dropped ones too.
        n_different: How many different bodies these requests had.
        n_replied: How many of them were replied to, whole and with whatever status.
        n_abandoned: How many of them ended otherwise, as where the client was killed.
        ends: The models at ``GET /v1/models``, and the days on which they end; None for no list.
        n_listed: How often its models were asked for.
        peak: The largest number of requests it had at once.
        busy_seconds: From the arrival of the first request to the end of the last reply.
        seen: The requests in order; empty with ``keep=False``.
    """

    def __init__(
        self,
        script: Script = yes,
        *,
        port: int = 0,
        keep: bool = True,
        latency_seconds: float = 0.0,
        n_slots: int | None = None,
    ) -> None:
        self.script = script
        self.ends: Mapping[str, object] | None = None
        self.n_listed = 0
        self.n_slots = n_slots
        self.port = port
        self.keep = keep
        self.latency_seconds = latency_seconds
        self.n_requests = self.n_open = self.peak = self.n_replied = self.n_abandoned = 0
        self.busy_seconds = 0.0
        self.seen: list[Seen] = []
        self._bodies: set[bytes] = set()
        self._first_at: float | None = None
        self._started = threading.Event()
        self._failure: OSError | None = None
        self._connections: set[_Connection] = set()
        self._thread = threading.Thread(target=self.run, name="scripted-server", daemon=True)
        self._loop = asyncio.new_event_loop()

    @property
    def url(self) -> str:
        """The base URL for a client."""
        return f"{self.origin}/v1"

    @property
    def origin(self) -> str:
        """What a user allows who lets a key go here."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def n_different(self) -> int:
        """How many different bodies the requests had."""
        return len(self._bodies)

    @property
    def stats(self) -> Mapping[str, float]:
        """The counts, as ``GET /stats`` gives them."""
        return {name: cast("float", getattr(self, name)) for name in _STATS}

    def __enter__(self) -> Self:
        self._thread.start()
        self._started.wait()
        if self._failure is not None:
            raise self._failure
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()

    def arrived(self, content: bytes) -> None:
        """Counts a request."""
        self.n_requests += 1
        self.n_open += 1
        self.peak = max(self.peak, self.n_open)
        self._bodies.add(hashlib.sha256(content).digest())
        if self._first_at is None:
            self._first_at = self._loop.time()

    def ended(self, *, is_replied: bool) -> None:
        """Counts the end of a request."""
        self.n_open -= 1
        self.n_replied += is_replied
        self.n_abandoned += not is_replied
        if is_replied and self._first_at is not None:
            self.busy_seconds = self._loop.time() - self._first_at

    def run(self) -> None:
        """Serves on the calling thread until it is stopped."""
        asyncio.set_event_loop(self._loop)
        try:
            server = self._loop.run_until_complete(
                self._loop.create_server(
                    lambda: _Connection(self), "127.0.0.1", self.port, backlog=2048
                )
            )
        except OSError as error:
            self._failure = error
            self._started.set()
            self._loop.close()
            return
        self.port = server.sockets[0].getsockname()[1]
        self._started.set()
        self._loop.run_forever()
        server.close()
        for _ in range(3):  # one that is just being accepted is known some turns later
            self._loop.run_until_complete(asyncio.sleep(0))
            for connection in tuple(self._connections):
                connection.transport.abort()
        self._loop.run_until_complete(asyncio.sleep(0))
        self._loop.close()


class _Connection(asyncio.Protocol):
    """One connection, kept alive; a request is replied to before the next is read."""

    def __init__(self, server: ScriptedServer) -> None:
        self.server = server
        self.loop = server._loop
        self.buffer = b""
        self.busy = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast("asyncio.Transport", transport)
        self.server._connections.add(self)

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002, the protocol's name
        self.server._connections.discard(self)
        self._end(is_replied=False)

    def data_received(self, data: bytes) -> None:
        self.buffer += data
        self._next()

    def _next(self) -> None:
        if self.busy:
            return
        head, blank, rest = self.buffer.partition(b"\r\n\r\n")
        if not blank:
            return
        first, *lines = head.decode("latin-1").split("\r\n")
        pairs = (line.split(":", 1) for line in lines)
        headers = {name.lower(): value.strip() for name, value in pairs}
        length = int(headers.get("content-length", "0"))
        if len(rest) < length:
            return
        self.buffer = rest[length:]
        method, path, _ = first.split(" ", 2)
        if method == "GET":
            pages: dict[str, Mapping[str, object]] = {"/stats": self.server.stats}
            if self.server.n_slots is not None:  # as llama.cpp's server
                pages["/props"] = {"total_slots": self.server.n_slots}
            if path == "/v1/models":
                self.server.n_listed += 1
            if self.server.ends is not None:
                models = [{"id": m, "shutdown_date": day} for m, day in self.server.ends.items()]
                pages["/v1/models"] = {"object": "list", "data": models}
            said = json.dumps(pages.get(path, {})).encode()
            self._write(Raw(said, status=200 if path in pages else 404))
            self._next()
        else:
            self._asked(path, headers, rest[:length])

    def _asked(self, path: str, headers: Mapping[str, str], content: bytes) -> None:
        server = self.server
        body = cast("Mapping[str, object]", json.loads(content))
        seen = Seen(index=server.n_requests, path=path, headers=headers, body=body)
        server.arrived(content)
        if server.keep:
            server.seen.append(seen)
        self.busy = True
        action = server.script(seen)
        if server.latency_seconds:
            action = Delay(server.latency_seconds, action)
        self._do(action, seen)

    def _do(self, action: Action, seen: Seen) -> None:
        """Carries one action out, or as much of it as comes now."""
        if not self.busy:
            return
        match action:
            case Delay(seconds, then):
                self.loop.call_later(seconds, self._do, then, seen)
            case Until(happened, then):
                later = then if happened() else action
                self.loop.call_later(_LOOK_SECONDS, self._do, later, seen)
            case Drop():
                self.transport.close()
            case HalfBody(text):
                whole = _response(Raw(_completion(Answer(text), seen)))
                self._write(whole[: len(whole) - 40])
                self.transport.close()
            case Trickle(text, every_seconds):
                whole = _response(Raw(_completion(Answer(text), seen)))
                self._trickle(whole, every_seconds)
            case Endless(chunk):
                headers = {"transfer-encoding": "chunked", "content-length": ""}
                self._write(_response(Raw(b"", headers=headers)))
                self._pour(b"%x\r\n%b\r\n" % (len(chunk), chunk))
            case _:
                self._write(_raw(action, seen))
                self._done()

    def _trickle(self, left: bytes, every_seconds: float) -> None:
        if not self.busy:
            return
        self._write(left[:1])
        if len(left) == 1:
            self._done()
        else:
            self.loop.call_later(every_seconds, self._trickle, left[1:], every_seconds)

    def _pour(self, chunk: bytes) -> None:
        if not self.busy:
            return
        if self.transport.get_write_buffer_size() == 0:
            self._write(chunk)
        self.loop.call_later(0.001, self._pour, chunk)

    def _write(self, what: Raw | bytes) -> None:
        self.transport.write(_response(what) if isinstance(what, Raw) else what)

    def _done(self) -> None:
        self._end(is_replied=True)
        self._next()

    def _end(self, *, is_replied: bool) -> None:
        if self.busy:
            self.busy = False
            self.server.ended(is_replied=is_replied)


def _raw(action: Answer | Raw | Status | Html, seen: Seen) -> Raw:
    match action:
        case Answer():
            return Raw(_completion(action, seen))
        case Status(status, code, message, param, type_, headers):
            said = {"message": message, "type": type_, "param": param, "code": code}
            return Raw(json.dumps({"error": said}).encode(), status, headers)
        case Html(status, text):
            return Raw(text.encode(), status, {"content-type": "text/html"})
        case Raw():
            return action


def _named(place: str) -> Script:
    """The script whose text is what a function, named as FILE:FUNCTION, makes of a body."""
    path, _, name = place.rpartition(":")
    spec = importlib.util.spec_from_file_location("script", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    answer = cast("Callable[[Mapping[str, object]], str]", getattr(module, name))
    return lambda seen: Answer(answer(seen.body))


def main() -> None:
    """Serves until the process is ended."""
    parser = argparse.ArgumentParser(description="a scripted endpoint on 127.0.0.1")
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--latency-ms", type=float, default=0.0)
    parser.add_argument("--script", help="FILE:FUNCTION, from a request's body to the reply's text")
    options = parser.parse_args()
    script = _named(options.script) if options.script else yes
    latency_seconds = options.latency_ms / 1000
    ScriptedServer(script, port=options.port, keep=False, latency_seconds=latency_seconds).run()


if __name__ == "__main__":
    main()

"""A real llama.cpp server with a small model, and real pytest runs at it.

Nothing here depends on what the model says, only on what becomes of it: another machine may round
numbers in another way, and the model then says something else.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from http.client import HTTPConnection
from pathlib import Path
from typing import Final
from xml.etree import ElementTree as ET

import pytest

from summeval_pytest.endpoints.chat import ChatReply, Schema
from summeval_pytest.endpoints.client import Client
from summeval_pytest.endpoints.dialect import Dialect
from summeval_pytest.endpoints.endpoint import Endpoint
from summeval_pytest.endpoints.exchange import Memory
from summeval_pytest.endpoints.limits import Limits
from summeval_pytest.errors import NoReplyError
from tests.endpoints.calls import LABEL, at, question, run
from tests.real_server.llama_server import missing

pytestmark = [
    pytest.mark.real_server,
    pytest.mark.skipif(
        bool(missing()), reason=f"{' and '.join(missing())} not installed; see its README.md"
    ),
]

STARTING_SECONDS: Final = 60.0
RUN_SECONDS: Final = 900.0
SLOT_TOKENS: Final = 8192
PAPERS: Final = {
    "gull-01": (
        "We weighed 40 gulls on two islands in May.",
        "Gulls of the northern island were 12 percent heavier.",
        "Northern waters may feed them better.",
    ),
    "loam-02": (
        "Nine plots of loam were limed and nine were not.",
        "The limed plots gave 3.1 tonnes of barley, the others 2.4 tonnes.",
        "Liming pays where barley grows.",
    ),
}
MODEL: Final = "smol"
"""The model under test, by a name that neither the server nor the suite knows."""
SUITE: Final = """\
papers = "papers.jsonl"

[systems.told]
summaries = "told.jsonl"

[judges.small]
endpoint = "openai"
model = "smol-judge"
max_tokens = 256

[thresholds]
faithfulness = 0.5
"""
MESSAGE: Final = {
    "passed": r"\Z",
    "failure": r"[a-z.]+ (?:\d\S*|-) < \d|[a-z]+: the (?:summary|system|model) |[a-z]+: mean ",
    "error": r"(?:paper '.+', )?system '.+' (?:is un(?:scored|decided)|has no means): ",
}
"""By outcome, how a reader is told of it, whatever was said."""


@dataclass(frozen=True, slots=True)
class Serving:
    """A server that runs at a port of this machine."""

    port: int

    @property
    def url(self) -> str:
        """Its address up to the version."""
        return f"http://127.0.0.1:{self.port}/v1"

    def get(self, path: str) -> tuple[int, str]:
        """The status and the body of a page; 0 while nobody listens."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=10)
        try:
            connection.request("GET", path)
            response = connection.getresponse()
            return response.status, response.read().decode()
        except ConnectionError:
            return 0, ""
        finally:
            connection.close()

    def n_completion_tokens(self) -> int:
        """How many tokens the server itself says it has replied with."""
        _, page = self.get("/metrics")
        match = re.search(r"^llamacpp:tokens_predicted_total (\d+)", page, re.MULTILINE)
        assert match, page
        return int(match[1])

    def endpoint(self) -> Endpoint:
        """The server as an endpoint, with time enough on a machine that does other things, too."""
        return at(self.url, timeout_seconds=RUN_SECONDS, attempt_seconds=RUN_SECONDS)


@contextmanager
def serving(log: Path, *, slots: int, port: int = 0) -> Iterator[Serving]:
    """Runs a server on a port, by default a free one, until the block ends."""
    with socket.socket() as free:
        free.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        free.bind(("127.0.0.1", port))
        port = free.getsockname()[1]
    flags = [f"--slots={slots}", f"--context={SLOT_TOKENS}", f"--port={port}"]
    command = [sys.executable, str(Path(__file__).with_name("llama_server.py")), *flags]
    with (
        log.open("wb") as out,
        subprocess.Popen(command, stdout=out, stderr=out) as process,
    ):
        server = Serving(port)
        try:
            deadline = time.monotonic() + STARTING_SECONDS
            while server.get("/v1/models")[0] != 200:
                message = log.read_text(encoding="utf-8", errors="replace")[-2000:]
                assert process.poll() is None, f"the server ended: {message}"
                assert time.monotonic() < deadline, f"the server is not ready: {message}"
                time.sleep(0.05)
            yield server
        finally:
            process.kill()


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a suite."""
    room = tmp_path_factory.mktemp("real")
    papers = [
        {"id": name, "source": " ".join(text), "reference": " ".join(text)}
        for name, text in PAPERS.items()
    ]
    told = [{"paper": name, "summary": f"They say so. {text[1]}"} for name, text in PAPERS.items()]
    for file, lines in (("papers", papers), ("told", told)):
        text = "".join(json.dumps(line) + "\n" for line in lines)
        (room / f"{file}.jsonl").write_text(text, encoding="utf-8")
    (room / "summeval.toml").write_text(SUITE, encoding="utf-8")
    return room


@pytest.fixture(scope="module")
def server(room: Path) -> Iterator[Serving]:
    """A server with one slot, as people start one at a desk."""
    with serving(room / "log", slots=1) as it:
        yield it


@dataclass(frozen=True, slots=True)
class Ran:
    """One pytest run, over.

    Attributes:
        code: Its exit code.
        out: What it printed.
        tests: By test, its outcome and what a reader is told of it.
        n_replied: How many tokens the server replied with meanwhile, as it says itself.
    """

    code: int
    out: str
    tests: Mapping[str, tuple[str, str]]
    n_replied: int

    @property
    def replies(self) -> tuple[int, int, int]:
        """How many it asked for, remembered, and did not get."""
        match = re.search(r"^replies: (\S+) asked, (\S+) remem.*, (\S+) failed", self.out, re.M)
        assert match, self.out
        n_asked, n_remembered, n_failed = (int(n.replace(",", "")) for n in match.groups())
        return n_asked, n_remembered, n_failed


def run_pytest(room: Path, server: Serving, *arguments: str) -> Ran:
    """One run in a process of its own."""
    own = ("SUMM_", "OPENAI_", "PYTEST_", "CI")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(own)}
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--junitxml=report.xml"]
    before = server.n_completion_tokens()
    done = subprocess.run(
        [*command, "summeval.toml", *arguments],
        cwd=room,
        env=kept | {"OPENAI_BASE_URL": server.url, "PY_COLORS": "0"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=RUN_SECONDS,
        check=False,
    )
    n_replied = server.n_completion_tokens() - before
    return Ran(done.returncode, done.stdout, dict(_tests(room / "report.xml")), n_replied)


def _tests(report: Path) -> Iterator[tuple[str, tuple[str, str]]]:
    for case in ET.parse(report).iter("testcase"):  # noqa: S314 - pytest has just written it
        ends = [part for part in case if part.tag in {"failure", "error", "skipped"}]
        outcome, message = (ends[0].tag, ends[0].text or "") if ends else ("passed", "")
        yield f"{case.get('classname')}::{case.get('name')}", (outcome, message)


def test_the_server_says_how_many_it_serves_at_once(server: Serving) -> None:
    """With one slot, whoever is sent as well would wait there, and its time would run."""

    async def asked(client: Client) -> int:
        await client.send(replace(question(), max_tokens=1))
        return client._limiter.limit

    assert run(server.endpoint(), asked) == 1


def test_a_strict_schema_is_followed_at_once(server: Serving) -> None:
    """The best level is tried first, and this server takes it; a second day asks nothing else."""
    whole = replace(question(schema=LABEL), max_tokens=64)

    async def asked(client: Client) -> tuple[str, Dialect | None]:
        return (await client.send(whole)).text, client.dialect

    for remembered in (None, Dialect(level="json_schema"), Dialect(level="object_schema")):
        said, dialect = run(server.endpoint(), asked, remembered=remembered)
        assert json.loads(said)["label"] in {"yes", "no"}
        assert dialect == (remembered or Dialect(level="json_schema"))


def test_what_was_read_is_not_read_again(server: Serving) -> None:
    """Of prompts that come in any order, a slot meets those with the same beginning together."""
    begins = {kind: f"{kind}: " + f"Gulls of {kind} are heavy. " * 20 for kind in "abc"}
    asked = [
        replace(question(begins[kind] + str(n)), max_tokens=1) for n in range(3) for kind in "abc"
    ]

    async def crowd(client: Client) -> list[ChatReply]:
        await client.send(replace(question(), max_tokens=1))
        return await asyncio.gather(*map(client.send, asked))

    usages = [reply.usage for reply in run(server.endpoint(), crowd)]
    n_prompt = sum(usage.prompt_tokens for usage in usages if usage)
    assert sum(usage.cached_tokens for usage in usages if usage) > 0.55 * n_prompt


def test_four_slots_are_filled_and_a_kill_loses_no_request(tmp_path: Path) -> None:
    """Whoever restarts the server in the middle of a run goes on with it."""
    asked = [replace(question(f"Count from {n}."), max_tokens=48) for n in range(8)]

    async def crowd() -> tuple[int, list[ChatReply]]:
        with serving(tmp_path / "first", slots=4) as server:
            client = Client(server.endpoint(), Limits(64))
            await client.send(replace(question(), max_tokens=1))
            n_at_once = client._limiter.limit
            replies = [asyncio.ensure_future(client.send(request)) for request in asked]
            await asyncio.wait(replies, return_when=asyncio.FIRST_COMPLETED)
        with serving(tmp_path / "second", slots=4, port=server.port):
            try:
                return n_at_once, await asyncio.gather(*replies)
            finally:
                await client.close()

    n_at_once, replies = asyncio.run(crowd())
    assert n_at_once == 4
    assert all(reply.usage and 0 < reply.usage.completion_tokens <= 48 for reply in replies)


@pytest.mark.parametrize("schema", [None, LABEL], ids=["free text", "with a schema"])
def test_a_prompt_that_is_too_long_is_a_bad_request(server: Serving, schema: Schema | None) -> None:
    """Nothing is cut in silence, no other form is tried, and the server's own words say why."""

    async def failing(client: Client) -> NoReplyError:
        with pytest.raises(NoReplyError) as raised:
            await client.send(question("so " * 2 * SLOT_TOKENS, schema=schema))
        return raised.value

    error = run(server.endpoint(), failing)
    assert error.fault == "bad_request"
    assert "status 400" in str(error)
    assert "attempts" not in str(error)
    assert f"exceeds the available context size ({SLOT_TOKENS} tokens)" in str(error)


def test_a_bare_name_ends_in_verdicts_with_all_defaults(room: Path, server: Serving) -> None:
    """The first thing that people try: one short attempt a paper, whatever the model writes."""
    ran = run_pytest(room, server, f"--summ-model={MODEL}", "--summ-store=plain")
    assert ran.code == 1
    assert set(ran.tests) == {f"summeval.toml.{MODEL}::{paper}" for paper in PAPERS}
    for outcome, message in ran.tests.values():
        assert outcome != "error", message
        assert re.match(MESSAGE[outcome], message), message
    assert ran.replies == (len(PAPERS), 0, 0)
    assert ran.n_replied <= len(PAPERS) * 1024


def test_a_weak_judge_ends_in_verdicts_or_named_faults(room: Path, server: Serving) -> None:
    """Broken JSON, loops and cuts are told; another run asks only for what nobody could use."""
    asked = ["--summ-model=told", "--summ-judge=small", "--summ-store=judged"]
    first, again = (run_pytest(room, server, *asked) for _ in range(2))
    for ran in (first, again):
        assert not re.search(r"Traceback|\.py:\d", ran.out)
        assert set(ran.tests) >= {f"summeval.toml.told::{paper}" for paper in PAPERS}
        for outcome, message in ran.tests.values():
            assert re.match(MESSAGE[outcome], message), message
        paid = re.search(r"\+ (\S+) tokens", ran.out)
        told = int(paid[1].replace(",", "")) if paid else 0
        assert told == ran.n_replied, "what is paid is told"
    assert first.replies[0] > 0
    assert again.replies[0] + again.replies[1] >= first.replies[0]
    memory = Memory("new", room / "judged", {}, run="")
    try:
        assert memory.dialect(server.url, "smol-judge") == Dialect(level="json_schema")
    finally:
        memory.close()

"""A real llama-server, and a real pytest run at it; README.md tells how to build the one.

The model has random weights and says noise, another noise on another machine. So nothing here
depends on what it says: only on what becomes of it.
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
from collections.abc import Iterator, Mapping, Sequence
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
from summeval_pytest.errors import NoReplyError
from tests.endpoints.calls import LABEL, at, question, run

SERVER: Final = os.environ.get("SUMMEVAL_REAL_SERVER", "")
PYTHON: Final = os.environ.get("SUMMEVAL_REAL_PYTHON", "")
pytestmark = [
    pytest.mark.real_server,
    pytest.mark.skipif(
        not (SERVER and PYTHON),
        reason="runs on request: SUMMEVAL_REAL_SERVER=/path/to/llama-server"
        " SUMMEVAL_REAL_PYTHON=/path/to/python-with-gguf python -m pytest tests/real_server",
    ),
]

STARTING_SECONDS: Final = 60.0
RUN_SECONDS: Final = 300.0
SLOT_TOKENS: Final = 32_768
"""The longest prompt and reply together: a token of this model is a character."""
FLAGS: Final = (
    "--host 127.0.0.1 --offline --no-ui --metrics --threads 1 --threads-http 64"
    " --alias tiny-random-llama"
).split()
SEED: Final = 20260101
"""Of the model's weights."""

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
MODEL, JUDGE = "tiny", "tiny-judge"
"""The model under test and the judge, by names that neither the server knows nor the suite."""
COPY, BRIEF = "copy", "brief"
"""The systems of the suite: a recorded one, with one sentence of each paper, and the model again,
stopped after a few characters, which is no summary."""
SUITE: Final = f"""\
papers = "papers.jsonl"

[systems.{COPY}]
summaries = "{COPY}.jsonl"

[systems.{BRIEF}]
endpoint = "openai"
model = "{MODEL}"
max_tokens = 3

[thresholds]
facet = 0.5
eva = 0.5
faithfulness = 0.5

[thresholds.mean]
faithfulness = 0.5
"""
OWN: Final = """\
import pytest

@pytest.mark.summ(metrics=["faithfulness"])
def test_faithful(summ_pair):
    summ_pair.check()
"""
"""A hand-written test that asks for less, and so has a chance to pass."""
GATED: Final = (COPY, BRIEF, MODEL)

FAULT: Final = (
    r"(?:facet|eva|faithfulness): unanswered,"
    r" (?:\d+ of \d+ (?:facts|sentences) unanswered, first: )?"
    r"(?:item \d+|(?:background|method|result|conclusion)(?:_\d)?"
    r"|the (?:reply|judge|model)|a content) "
)
MESSAGE: Final = {
    "passed": (r"\Z",),
    "failure": (
        r"[a-z.]+ (?:\d\S*|-) < \d",
        r"[a-z]+: the (?:summary|system|model) ",
        r"[a-z]+: mean ",
    ),
    "error": (
        rf"paper '.+', system '.+' is unscored: {FAULT}",
        rf"system '.+' has no means: \d of \d papers are unscored, first '.+': {FAULT}",
    ),
}
"""By outcome, how a reader is told of it, whatever was said: all that a reply may lack is named."""


@dataclass(frozen=True, slots=True)
class Serving:
    """A server that runs.

    Attributes:
        port: Where, on this machine.
        log: What it prints.
    """

    port: int
    log: Path

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
        """How many tokens llama-server itself says it has replied with."""
        _, page = self.get("/metrics")
        match = re.search(r"^llamacpp:tokens_predicted_total (\d+)", page, re.MULTILINE)
        assert match, page
        return int(match[1])

    def n_posts(self, status: int) -> int:
        """How many chat requests ended so, as the log of llama-cpp-python's server has it."""
        line = f'"POST /v1/chat/completions HTTP/1.1" {status}'
        return self.log.read_text(encoding="utf-8").count(line)


@contextmanager
def serving(command: Sequence[str], log: Path) -> Iterator[Serving]:
    """Runs a server on a free port until the block ends; the flag of the port comes last."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
    server = Serving(port, log)
    with (
        log.open("wb") as out,
        subprocess.Popen([*command, str(port)], stdout=out, stderr=out) as process,
    ):
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


def patiently(server: Serving) -> Endpoint:
    """The server as an endpoint, with time enough on a machine that does other things, too."""
    return at(server.url, timeout_seconds=RUN_SECONDS, attempt_seconds=RUN_SECONDS)


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a suite and the model's weights."""
    room = tmp_path_factory.mktemp("real")
    script = Path(__file__).with_name("make_gguf.py")
    subprocess.run([PYTHON, script, room / "tiny.gguf", f"--seed={SEED}"], check=True)
    sources = (
        {"id": name, "source": " ".join(text), "reference": " ".join(text)}
        for name, text in PAPERS.items()
    )
    copies = ({"paper": name, "summary": text[1]} for name, text in PAPERS.items())
    for file, lines in (("papers", sources), (COPY, copies)):
        text = "".join(json.dumps(line) + "\n" for line in lines)
        (room / f"{file}.jsonl").write_text(text, encoding="utf-8")
    (room / "summeval.toml").write_text(SUITE, encoding="utf-8")
    (room / "test_own.py").write_text(OWN, encoding="utf-8")
    return room


@pytest.fixture(scope="module")
def llama(room: Path) -> Iterator[Serving]:
    """llama-server, set so that equal requests get equal replies however many come at once."""
    slots = ["--parallel", "4", "--ctx-size", str(4 * SLOT_TOKENS)]
    command = [SERVER, *FLAGS, *slots, "--model", str(room / "tiny.gguf"), "--port"]
    with serving(command, room / "log") as it:
        yield it


@pytest.fixture(scope="module")
def object_only(room: Path) -> Iterator[Serving]:
    """llama-cpp-python's own server, which takes no JSON schema by OpenAI's name for it."""
    if subprocess.run([PYTHON, "-c", "import llama_cpp.server"], check=False).returncode:
        pytest.skip(f"{PYTHON} has no llama-cpp-python[server]; install that to run this, too")
    command = [PYTHON, "-m", "llama_cpp.server", "--n_threads", "1", "--n_ctx", str(SLOT_TOKENS)]
    with serving([*command, "--model", str(room / "tiny.gguf"), "--port"], room / "log.py") as it:
        yield it


@dataclass(frozen=True, slots=True)
class Ran:
    """One pytest run, over.

    Attributes:
        code: Its exit code.
        out: What it printed.
        tests: By test, its outcome, what a reader is told of it, and its numbers.
        n_replied: How many tokens the server replied with meanwhile, as it says itself.
    """

    code: int
    out: str
    tests: Mapping[str, tuple[str, str, str]]
    n_replied: int = 0

    @property
    def replies(self) -> tuple[int, int, int]:
        """How many it asked for, remembered, and did not get."""
        match = re.search(r"^replies: (\S+) asked, (\S+) remem.*, (\S+) failed", self.out, re.M)
        assert match, self.out
        n_asked, n_remembered, n_failed = (int(n.replace(",", "")) for n in match.groups())
        return n_asked, n_remembered, n_failed


def run_pytest(room: Path, server: Serving, store: str, *arguments: str) -> Ran:
    """One run in a process of its own, both roles played by the server."""
    own = ("SUMM_", "OPENAI_", "PYTEST_", "CI")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(own)}
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--junitxml=report.xml"]
    asked = [f"--summ-model={','.join(GATED)}", f"--summ-judge={JUDGE}", f"--summ-store={store}"]
    done = subprocess.run(
        [*command, *asked, *(arguments or ("summeval.toml", "test_own.py"))],
        cwd=room,
        env=kept | {"OPENAI_BASE_URL": server.url, "PY_COLORS": "0"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=RUN_SECONDS,
        check=False,
    )
    return Ran(done.returncode, done.stdout, dict(_tests(room / "report.xml")))


def _tests(report: Path) -> Iterator[tuple[str, tuple[str, str, str]]]:
    for case in ET.parse(report).iter("testcase"):  # noqa: S314 - pytest has just written it
        ends = [part for part in case if part.tag in {"failure", "error", "skipped"}]
        outcome, message = (ends[0].tag, ends[0].text or "") if ends else ("passed", "")
        numbers = "".join(part.get("value", "") for part in case.iter("property"))
        yield f"{case.get('classname')}::{case.get('name')}", (outcome, message, numbers)


@pytest.fixture(scope="module")
def runs(room: Path, llama: Serving) -> dict[str, Ran]:
    """The same suite three times: at first, once more with the same store, by two from nothing."""
    result = {}
    for name, store, processes in (("first", "a", "0"), ("again", "a", "0"), ("by two", "b", "2")):
        before = llama.n_completion_tokens()
        ran = run_pytest(room, llama, store, "summeval.toml", "test_own.py", "-n", processes)
        n_replied = llama.n_completion_tokens() - before
        result[name] = Ran(ran.code, ran.out, ran.tests, n_replied)
    return result


def test_a_strict_schema_is_followed_at_once(llama: Serving) -> None:
    """The best level is tried first, and this server takes it; a second day asks nothing else."""
    whole = replace(question(schema=LABEL), max_tokens=256)

    async def twice(client: Client) -> tuple[str, Dialect | None]:
        said = [await client.send(whole) for _ in range(2)]
        return said[1].text, client.dialect

    said, dialect = run(patiently(llama), twice)
    assert json.loads(said)["label"] in {"yes", "no"}
    assert dialect == Dialect(level="json_schema")
    assert run(patiently(llama), twice, remembered=dialect) == (said, dialect)


def test_equal_questions_get_equal_replies(llama: Serving) -> None:
    """At temperature 0, however many ask at once, remembering loses nothing.

    The server has one model under any name; a reply says which, with the tokens it took.
    """
    asked = [replace(question(f"Is it {n % 4}?"), max_tokens=64) for n in range(32)]

    async def crowd(client: Client) -> list[ChatReply]:
        return await asyncio.gather(*map(client.send, asked))

    replies = run(patiently(llama), crowd)
    said = [message.text for message in replies]
    assert all(said)
    assert said == said[:4] * 8
    one = replies[0]
    assert (one.model, bool(one.fingerprint)) == ("tiny-random-llama", True)
    assert one.usage is not None
    assert 0 < one.usage.completion_tokens <= asked[0].max_tokens


@pytest.mark.parametrize("schema", [None, LABEL], ids=["free text", "with a schema"])
def test_a_prompt_that_is_too_long_is_a_bad_request(llama: Serving, schema: Schema | None) -> None:
    """Nothing is cut in silence, no other form is tried, and the server's own words say why."""

    async def failing(client: Client) -> NoReplyError:
        with pytest.raises(NoReplyError) as raised:
            await client.send(question("x" * SLOT_TOKENS, schema=schema))
        return raised.value

    error = run(patiently(llama), failing)
    assert error.fault == "bad_request"
    assert "status 400" in str(error)
    assert "attempts" not in str(error)
    assert f"exceeds the available context size ({SLOT_TOKENS} tokens)" in str(error)


@pytest.mark.parametrize("name", ["first", "again", "by two"])
def test_every_pair_ends_in_a_verdict_or_a_named_fault(runs: dict[str, Ran], name: str) -> None:
    """Whatever a model says, a reader is told what it is that could not be used."""
    ran = runs[name]

    assert ran.code == 1
    assert not re.search(r"Traceback|\.py:\d", ran.out)
    expected = set()
    for system in GATED:
        expected |= {f"summeval.toml.{system}::{test}" for test in (*PAPERS, "all-papers")}
        expected |= {f"test_own::test_faithful[{system}-{paper}]" for paper in PAPERS}
    assert set(ran.tests) == expected
    for paper in PAPERS:  # word for word from the source, so that no judge is asked
        assert ran.tests[f"test_own::test_faithful[{COPY}-{paper}]"][0] == "passed"
    for outcome, message, _ in ran.tests.values():
        assert any(re.match(form, message) for form in MESSAGE[outcome]), message


def test_another_run_asks_nothing_twice_and_says_the_same(runs: dict[str, Ran]) -> None:
    """To the byte, whoever asked; the server knows of no request, and counts the same tokens."""
    first, again, by_two = runs["first"], runs["again"], runs["by two"]
    n_asked, _, n_failed = first.replies
    assert n_asked > 0
    assert n_failed == 0
    assert (again.replies, again.n_replied) == ((0, n_asked, 0), 0)
    assert by_two.replies[0] == n_asked
    assert first.tests == again.tests == by_two.tests
    for ran in (first, by_two):  # a request that is paid and not told would show here
        message = re.search(r"\+ (\S+) tokens", ran.out)
        assert message
        assert int(message[1].replace(",", "")) == ran.n_replied > 0


def test_what_the_judge_understands_is_remembered(
    runs: dict[str, Ran], room: Path, llama: Serving
) -> None:
    """For other runs, beside the replies; the model under test was never asked for a form."""
    assert runs
    memory = Memory("new", room / "a", {}, run="")
    try:
        assert memory.dialect(llama.url, JUDGE) == Dialect(level="json_schema")
        assert memory.dialect(llama.url, MODEL) == Dialect()
    finally:
        memory.close()


def test_a_server_without_schemas_is_asked_for_an_object(object_only: Serving) -> None:
    """It answers a schema with 500, which is a refusal, and is asked once in another way."""

    async def twice(client: Client) -> tuple[str, Dialect | None]:
        said = [await client.send(question(schema=LABEL)) for _ in range(2)]
        assert said[0].text == said[1].text
        return said[0].text, client.dialect

    said, dialect = run(patiently(object_only), twice)
    assert said.lstrip().startswith("{")
    assert dialect == Dialect(level="json_object")


def test_a_refused_schema_is_not_tried_again_by_another_process(
    object_only: Serving, room: Path
) -> None:
    """One refusal a model and machine: the next run begins with what was found out."""
    one_paper = f"summeval.toml::{COPY}::{next(iter(PAPERS))}"
    before = object_only.n_posts(500)
    first = run_pytest(room, object_only, "c", one_paper)
    assert object_only.n_posts(500) == before + 1

    n_answered = object_only.n_posts(200)
    second = run_pytest(room, object_only, "c")
    assert object_only.n_posts(500) == before + 1
    assert second.replies[0] == object_only.n_posts(200) - n_answered > 0
    assert second.replies[1] >= first.replies[0]
    assert second.tests.items() >= first.tests.items()

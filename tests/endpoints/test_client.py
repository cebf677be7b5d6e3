from __future__ import annotations

import asyncio
import gzip
import json
import random
import socket
import threading
from collections.abc import Callable
from dataclasses import replace

import pytest
from syrupy.assertion import SnapshotAssertion

from summeval_pytest.endpoints.chat import ChatReply, Usage, read_body
from summeval_pytest.endpoints.client import MOST_BREAKDOWNS, Backoff, Client, _Call
from summeval_pytest.endpoints.dialect import Dialect
from summeval_pytest.endpoints.endpoint import Endpoint
from summeval_pytest.endpoints.limits import Limits
from summeval_pytest.endpoints.wire import Wire
from summeval_pytest.errors import NoReplyError
from tests.endpoints.calls import Patient, at, fault, n_waiting, question, reply, run
from tests.scripted_server import (
    Action,
    Answer,
    Drop,
    HalfBody,
    Html,
    Raw,
    ScriptedServer,
    Seen,
    Status,
    Trickle,
    Until,
    always,
)
from tests.waiting import skip, until

GIVEN_UP = "; it is not asked again, as the server is down"
KNOWN = Dialect(level="json_schema")
NEVER = Until(lambda: False, Answer("never"))


def first(*actions: Action) -> Callable[[Seen], Action]:
    """A script that does these in order, and answers "yes" from then on."""
    return lambda seen: actions[seen.index] if seen.index < len(actions) else Answer("yes")


def free_port() -> int:
    """A port at which nothing listens."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
        return port


async def texts(client: Client, *prompts: str) -> list[str]:
    """The replies to prompts that are asked at once, or their faults."""
    requested = [client.send(question(prompt)) for prompt in prompts]
    got = await asyncio.gather(*requested, return_exceptions=True)
    return [one.text if isinstance(one, ChatReply) else str(one) for one in got]


def test_a_request_goes_out_as_built_and_a_reply_comes_back() -> None:
    """What a store's key is made of is what was sent, and nothing is added."""
    with ScriptedServer(always(Answer("yes", usage=(90, 7, 64), model="llama3-8b"))) as server:
        got = reply(at(f"{server.url}?api-version=2024&tier="), question("Is zinc ✓ a metal?"))
    assert got == ChatReply(
        text="yes", model="llama3-8b", fingerprint="fp_scripted", usage=Usage(90, 7, 64)
    )
    (sent,) = server.seen
    assert sent.path == "/v1/chat/completions?api-version=2024&tier="
    assert sent.headers["authorization"] == "Bearer sk-test-0123456789abcdef"
    assert sent.body == {
        "model": "llama3",
        "messages": [{"role": "user", "content": "Is zinc ✓ a metal?"}],
        "max_tokens": 16,
        "temperature": 0.0,
        "seed": 0,
    }


NULL = Raw(b'{"choices": null}')
DIFFERENT = Raw(b'{"choices": [{"message": {"content": "no"}}, {"message": {"content": "yes"}}]}')


@pytest.mark.parametrize("action", [Status(503), Drop(), HalfBody(), Html(), DIFFERENT], ids=repr)
def test_a_passing_trouble_costs_another_attempt(action: Action) -> None:
    """A busy server must not cost a run its answers."""
    with ScriptedServer(first(action, action)) as server:
        assert reply(at(server.url)).text == "yes"
    assert server.n_requests == 3


@pytest.mark.parametrize(
    ("action", "named", "n_requests"),
    [
        (Status(404), "unknown_model", 1),
        (Status(503, headers={"x-should-retry": "false"}), "server_error", 1),
        (Html(), "not_json", 3),
        (NULL, "malformed", 3),
        (Answer("yes", finish="tool_calls"), "malformed", 3),
    ],
    ids=repr,
)
def test_a_lasting_trouble_is_a_fault(action: Action, named: str, n_requests: int) -> None:
    """At once, or after three good statuses with bad bodies: a proxy may only have hiccups."""
    with ScriptedServer(always(action)) as server:
        assert fault(at(server.url)).fault == named
    assert server.n_requests == n_requests


def test_a_body_that_is_not_packed_as_it_says_is_malformed() -> None:
    """A proxy may forget to pack."""
    action = Raw(b"{}", headers={"content-encoding": "gzip"})
    with ScriptedServer(always(action)) as server:
        error = fault(at(server.url))
    assert error.fault == "malformed"
    assert "its body is no gzip, as which it came" in str(error)


@pytest.mark.parametrize("status", [200, 503])
@pytest.mark.parametrize("coding", ["gzip", ""])
def test_a_body_beyond_the_limit_is_given_up(status: int, coding: str) -> None:
    """64 MiB of blanks are 64 KiB on the wire; a server need not be evil, only broken."""
    body = gzip.compress(b" " * 2**26) if coding else b" " * (2**22 + 1)
    action = Raw(body, status=status, headers={"content-encoding": coding})
    with ScriptedServer(always(action)) as server:
        error = fault(at(server.url))
    assert error.fault == "too_large"
    assert str(error).endswith("its body is larger than 4 MiB")
    assert server.n_requests == 1  # the next one would be as large


@pytest.mark.parametrize(("n_words", "is_apart"), [(100, False), (20_000, True)])
def test_a_long_body_is_read_apart(
    monkeypatch: pytest.MonkeyPatch, n_words: int, *, is_apart: bool
) -> None:
    """Cleaning and parsing it may take seconds, in which no other call would get its turn."""
    threads: list[int] = []

    def read(text: str) -> ChatReply:
        threads.append(threading.get_ident())
        return read_body(text)

    monkeypatch.setattr("summeval_pytest.endpoints.client.read_body", read)
    with ScriptedServer(always(Answer("so " * n_words))) as server:
        assert reply(at(server.url)).text == "so " * n_words
    assert (threads != [threading.get_ident()]) == is_apart


def test_a_wait_is_granted_to_the_letter_and_past_the_deadline_a_fault_at_once() -> None:
    """Two minutes, at which the package ends, are granted: a nightly run has hours."""
    # Sleeping through the time that is left helps nobody; how long was asked is said.
    limits, busy = Patient(), Status(503, headers={"retry-after": "121.5"})
    with ScriptedServer(first(busy)) as server:
        endpoint = at(server.url, timeout_seconds=7200)
        assert run(endpoint, lambda client: client.send(question()), limits=limits).text == "yes"
    assert limits.pauses == [121.5]
    for status, named in ((429, "rate_limited"), (503, "server_error")):
        with ScriptedServer(always(Status(status, headers={"retry-after": "3600"}))) as server:
            error = fault(at(server.url), limits=limits)
        assert error.fault == named
        assert "it asks to be left alone for 3600 s, too long for a call of 30 s" in str(error)
        assert server.n_requests == 1
    assert limits.pauses == [121.5]


class Fixed(random.Random):
    """Chance that always comes out the same."""

    value = 0.0

    def random(self) -> float:
        """The same as last time."""
        return self.value


def test_waits_double_until_the_deadline_has_no_room_for_one() -> None:
    """10 s, 20 s, 40 s, up to a quarter less by chance: four attempts fit into 100 s, not five."""
    limits = Patient()
    with ScriptedServer(always(Status(503, message="overloaded"))) as server:
        endpoint = at(server.url, timeout_seconds=100)
        error = fault(endpoint, backoff=Backoff(10, 3000), limits=limits)
    tops = zip(limits.pauses, (10, 20, 40), strict=True)
    assert all(0.75 * top <= seconds <= top for seconds, top in tops)
    assert error.fault == "server_error"
    assert server.n_requests == 4
    assert "status 503 (overloaded); the next attempt would be in " in str(error)
    assert str(error).endswith("too long for a call of 100 s, after 4 attempts")
    # 0.5, 1, 2, ... 16, 30, 30; even after a night of them; 8 * (1 - 0.8 / 4) = 6.4
    chance, backoff = Fixed(), Backoff()
    waits = [backoff.seconds(n, None, chance) for n in (*range(8), 100_000)]
    assert waits == [0.5, 1, 2, 4, 8, 16, 30, 30, 30]
    chance.value = 0.8
    assert backoff.seconds(4, None, chance) == pytest.approx(6.4)
    # What is asked for is granted to the letter, be it longer or shorter than the wait in turn.
    requested = [backoff.seconds(0, 3600.0, chance), backoff.seconds(6, 0.5, chance)]
    assert requested == [3600, 0.5]
    assert backoff.seconds(0, 0.4, chance) == pytest.approx(0.4)  # 0.5 * 0.8, and no answer


def test_a_retry_waits_without_a_slot() -> None:
    """One call that was sent away for long must not keep the others from being sent."""
    with ScriptedServer(first(Status(429, headers={"retry-after": "300"}))) as server:

        async def both(client: Client) -> list[str]:
            sent_away = asyncio.ensure_future(client.send(question("sent away")))
            await until(lambda: bool(client.trouble))
            client._is_known = True
            texts = [(await client.send(question("other"))).text]
            await skip(300)
            return [*texts, (await sent_away).text]

        assert run(at(server.url, timeout_seconds=600), both, n_limit=1) == ["yes", "yes"]
    assert [seen.texts[0] for seen in server.seen] == ["sent away", "other", "sent away"]


def test_a_retry_keeps_its_place_in_line() -> None:
    """It came before those who wait, and its time is running."""
    limits = Patient(1)

    def script(seen: Seen) -> Action:
        match seen.index, seen.texts:
            case 1, _:
                return Status(503)
            case _, ("second",):  # answered once the first, whose wait is over, is in line again
                return Until(lambda: bool(limits.pauses) and n_waiting(limits) == 2, Answer("yes"))
            case _:
                return Answer("yes")

    with ScriptedServer(script) as server:

        async def three(client: Client) -> None:
            await client.send(question())
            names = ("first", "second", "third")
            await asyncio.gather(*[client.send(question(name)) for name in names])

        run(at(server.url), three, limits=limits)
    came = [seen.texts[0] for seen in server.seen[1:]]
    assert came == ["first", "second", "first", "third"]


def test_the_deadline_holds_for_all_attempts_together() -> None:
    """300 s, and once more for the rest of the 800 s that a user allowed, and never longer."""
    with ScriptedServer(always(NEVER)) as server:

        async def hanging(client: Client) -> NoReplyError:
            asking = asyncio.ensure_future(client.send(question()))
            for n_sent, seconds in ((1, 300), (2, 500)):
                await until(lambda: server.n_requests == n_sent)  # noqa: B023 - awaited at once
                await skip(seconds)
            with pytest.raises(NoReplyError) as caught:
                await asking
            return caught.value

        error = run(at(server.url, timeout_seconds=800, attempt_seconds=300), hanging)
    assert error.fault == "timed_out"
    assert server.n_requests == 2
    assert "the last trouble before was: no whole response came in time" in str(error)


@pytest.mark.parametrize("action", [NEVER, Trickle("slow", 0.1)], ids=["hangs", "trickles"])
def test_an_attempt_that_hangs_is_given_up_for_another(action: Action) -> None:
    """One lost packet must not cost the whole time that a call has."""
    with ScriptedServer(first(action)) as server:

        async def hanging(client: Client) -> str:
            asking = asyncio.ensure_future(client.send(question()))
            await until(lambda: server.n_requests == 1)
            await skip(300)
            return (await asking).text

        endpoint = at(server.url, timeout_seconds=600, attempt_seconds=300)
        assert run(endpoint, hanging) == "yes"
    assert server.n_requests == 2


def test_waiting_for_a_turn_costs_no_time_of_the_call() -> None:
    """20 s a call, one at a time, 60 s apart: each has its own; tokens are the longest reply's."""
    with ScriptedServer() as server:

        async def three(client: Client) -> list[str]:
            asking = asyncio.ensure_future(texts(client, "a", "b", "c"))
            for n_sent in range(1, 4):
                await until(lambda: server.n_requests == n_sent)  # noqa: B023 - awaited at once
                await skip(0.5)
                assert server.n_requests == n_sent
                await skip(60)
            return await asking

        # 16 tokens of reply, 8 a message and 1 for its text are 25
        endpoint = replace(at(server.url, timeout_seconds=20), tokens_per_minute=25)
        assert run(endpoint, three, remembered=KNOWN) == ["yes"] * 3


def test_a_port_without_a_listener_is_unreachable_at_once() -> None:
    """The first thing that goes wrong is a server that nobody has started."""
    url = f"http://127.0.0.1:{free_port()}/v1"
    error = fault(at(url), backoff=Backoff(60, 60))
    assert error.fault == "unreachable"
    assert str(error) == (
        f"endpoint 'test' at {url}: nothing answers (connection refused, or a name that nobody"
        " knows); start the server there, or set another base_url"
    )


def test_a_server_that_went_away_is_waited_for() -> None:
    """It answered before, so it is being restarted."""
    port = free_port()

    async def twice(client: Client) -> list[str]:
        with ScriptedServer(port=port):
            texts = [(await client.send(question())).text]
        asking = asyncio.ensure_future(client.send(question()))
        await until(lambda: bool(client.trouble))
        with ScriptedServer(port=port):
            return [*texts, (await asking).text]

    assert run(at(f"http://127.0.0.1:{port}/v1"), twice) == ["yes", "yes"]


def test_an_endpoint_gets_no_proxy_key_or_redirection(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A proxy cannot reach loopback; the package would send OpenAI's key to whoever is asked."""
    # A redirection would carry papers and perhaps a key to where nobody pointed.
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{free_port()}")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-environment-0123456789")
    with ScriptedServer() as other:
        assert reply(at(other.url, api_key="")).text == "yes"
        assert other.seen[0].headers["authorization"] == "Bearer none"
        moved = Raw(b"", status=307, headers={"location": f"{other.url}/chat/completions"})
        with ScriptedServer(always(moved)) as server:
            error = fault(at(server.url))
        assert (server.n_requests, other.n_requests) == (1, 1)
    assert "status 307, which points elsewhere; redirections are not followed" in str(error)


def test_only_openai_is_told_who_pays(monkeypatch: pytest.MonkeyPatch) -> None:
    """An account may have several organizations; other servers need not know of them."""
    monkeypatch.setenv("OPENAI_ORG_ID", "org-1")
    monkeypatch.delenv("OPENAI_PROJECT_ID", raising=False)
    for host, payer in (("api.openai.com", "org-1"), ("api.openai.com.example", None)):
        client = Wire(at(f"https://{host}/v1"))._connect()
        assert (client.organization, client.project) == (payer, None)


def test_a_limit_shrinks_when_it_is_too_many_and_grows_back() -> None:
    """16 at once are too many, so are 8; of 4 each full round adds one: 4 + 5 + 6 of 16, and 7."""

    def script(seen: Seen) -> Action:
        if seen.index >= 16 + 8:
            return Answer("yes")
        n_come = 16 if seen.index < 16 else 16 + 8
        return Until(lambda: server.n_requests >= n_come, Status(429))

    with ScriptedServer(script) as server:

        async def many(client: Client) -> int:
            client._is_known = True
            await asyncio.gather(*[client.send(question(str(n))) for n in range(16)])
            return client._limiter.limit

        assert run(at(server.url, max_in_flight=16), many, n_limit=16) == 7
    assert server.n_requests == 16 + 8 + 16


@pytest.mark.parametrize(
    ("n_read", "is_cut"), [(2048, True), (3999, True), (4100, False), (100, False)]
)
def test_a_prompt_that_the_server_cuts_is_a_fault(n_read: int, *, is_cut: bool) -> None:
    """A reply to half a paper looks like any other; few tokens are what no cache had."""
    asked = question("word " * 6400)  # 32,000 characters
    with ScriptedServer(always(Answer("yes", usage=(n_read, 20, 0)))) as server:
        if not is_cut:
            assert reply(at(server.url), asked).text == "yes"
            return
        error = fault(at(server.url), asked)
    assert error.fault == "prompt_cut"
    message = f"the server read {n_read:,} tokens of a prompt of about 8,008: it cut the prompt"
    assert message in str(error)
    assert "OLLAMA_CONTEXT_LENGTH" in str(error)
    assert server.n_requests == 1


def test_a_timeout_halves_the_limit_as_a_429_does() -> None:
    """Whoever is asked for too much at once may say nothing at all."""

    def script(seen: Seen) -> Action:
        return NEVER if seen.index < 8 else Answer("yes")

    with ScriptedServer(script) as server:

        async def many(client: Client) -> int:
            client._is_known = True
            asking = [asyncio.ensure_future(client.send(question(str(n)))) for n in range(8)]
            await until(lambda: server.n_requests == 8)
            await skip(30)
            limit = client._limiter.limit
            await asyncio.gather(*asking)
            return limit

        endpoint = at(server.url, max_in_flight=8, timeout_seconds=600)
        assert run(endpoint, many) == 4


@pytest.mark.parametrize(
    ("n_slots", "max_in_flight", "peak", "limit"),
    [(1, None, 1, 1), (3, None, 3, 3), (99, None, 32, 32), (None, None, 4, 8), (1, 6, 6, 6)],
)
def test_a_server_of_this_machine_starts_with_few_requests(
    n_slots: int | None, max_in_flight: int | None, peak: int, limit: int
) -> None:
    """As many as llama.cpp's server has slots; others get four at first. A suite's word counts."""
    wide = Until(lambda: server.peak >= peak, Answer("yes"))
    with ScriptedServer(always(wide), n_slots=n_slots) as server:

        async def many(client: Client) -> int:
            client._is_known = True
            await asyncio.gather(*[client.send(question(str(n))) for n in range(peak)])
            return client._limiter.limit

        endpoint = at(server.url, max_in_flight=max_in_flight)
        assert run(endpoint, many, n_limit=32) == limit
        assert server.peak == peak


@pytest.mark.parametrize(
    "action",
    [
        Status(401, code="invalid_api_key", message="No such key"),
        Status(404, message="no llama3"),
        Status(429, code="insufficient_quota"),
        Raw(b"", status=400),
        Raw(json.dumps({"error": "loading\x1b[31m\n\n::error::x"}).encode(), status=400),
        Html(503),
        Raw(b'{"choices": [], "error": {"message": "busy"}}'),
    ],
    ids=["key", "model", "quota", "nothing", "hostile", "page", "malformed"],
)
def test_a_fault_says_where_what_and_how_on(action: Action, snapshot: SnapshotAssertion) -> None:
    """It stands in a test report, far from whoever set the endpoint up."""
    with ScriptedServer(always(action)) as server:
        error = fault(at(server.url), backoff=Backoff(60, 60))
    assert str(error).replace(server.url, "URL") == snapshot


@pytest.mark.parametrize(
    ("action", "what"),
    [(Status(503), "status 503 (scripted)"), (Drop(), "the connection broke")],
    ids=repr,
)
def test_a_server_that_is_down_is_given_up_and_later_asked_once(action: Action, what: str) -> None:
    """The waits of one call would be waited by each, one after the other where they depend."""

    async def sending(client: Client) -> list[list[str]]:
        return [await texts(client, *map(str, range(20))), await texts(client, *"abcde")]

    with ScriptedServer(lambda _: action) as server:
        endpoint = at(server.url, timeout_seconds=600)
        first, later = run(endpoint, sending, remembered=KNOWN)
    assert all(f"{what}{GIVEN_UP}" in message for message in (*first, *later))
    assert 2 * MOST_BREAKDOWNS <= server.n_requests - 5 <= 21 * MOST_BREAKDOWNS


def test_a_server_that_is_back_is_asked_as_before() -> None:
    """One reply shows that it is there; what fails then is tried again."""
    script: list[Action] = []  # empty while it is down

    async def sending(client: Client) -> list[str]:
        down = await texts(client, "a", "b")
        script.extend([Answer("yes"), Status(500), Answer("yes")])
        return [*down, *await texts(client, "back"), *await texts(client, "again")]

    with ScriptedServer(lambda _: script.pop(0) if script else Status(500)) as server:
        got = run(at(server.url, timeout_seconds=600), sending, remembered=KNOWN)
    assert all(GIVEN_UP in message for message in got[:2])
    assert got[2:] == ["yes", "yes"]


def test_one_bad_prompt_a_slow_reply_or_a_refusal_is_no_breakdown() -> None:
    """A refusal shows that somebody is there, and slowness is met by each call's own deadline."""
    # A bad prompt fails until its deadline, and others asked after it are answered.
    troubles = [*[Status(500)] * (2 * MOST_BREAKDOWNS - 2), Status(429), Status(500), Status(500)]
    with ScriptedServer(first(*troubles)) as server:
        endpoint = at(server.url, timeout_seconds=600)
        got = run(endpoint, lambda it: texts(it, "a", "b"), remembered=KNOWN, n_limit=1)
    assert got == ["yes", "yes"]

    async def sending(client: Client) -> list[str]:
        return await texts(client, "bad") + await texts(client, "a", "b")

    def script(seen: Seen) -> Action:
        return Status(500) if seen.texts == ("bad",) else Answer("yes")

    with ScriptedServer(script) as server:
        endpoint = at(server.url, timeout_seconds=600)
        bad, *others = run(endpoint, sending, backoff=Backoff(10, 20), limits=Patient())
        assert server.n_requests > MOST_BREAKDOWNS + 2
    assert GIVEN_UP not in bad
    assert others == ["yes", "yes"]


@pytest.mark.parametrize("status", [401, 404])
def test_after_the_first_refusal_of_key_or_model_nothing_is_sent(status: int) -> None:
    """Every call would meet the same, and the user mends it in one place."""

    async def sending(client: Client) -> list[str]:
        first = await texts(client, *"abcdef")
        return first + await texts(client, "later")

    with ScriptedServer(lambda _: Status(status)) as server:
        message = run(at(server.url), sending)
        assert server.n_requests == 1
    assert len(set(message)) == 1
    assert f"model 'llama3': status {status} (scripted); look at" in message[0]


def test_a_key_that_was_not_sent_over_plain_http_is_the_remedy() -> None:
    """The usual advice, to look at the key, would lead nowhere."""

    async def error() -> NoReplyError:
        near = Endpoint(name="near", base_url="http://near:8000/v1")
        call = _Call(question(), 0, asyncio.timeout(None), None)
        return Client(near, Limits(1))._error(call, "unauthorised", "status 401")

    assert str(asyncio.run(error())) == (
        "endpoint 'near' at http://near:8000/v1: model 'llama3': status 401; no key is sent over"
        " plain http: use https"
    )

"""When calls to an endpoint that is down are given up, and when it is tried again."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from summeval_pytest.endpoints.chat import ChatReply
from summeval_pytest.endpoints.dialect import Dialect
from summeval_pytest.endpoints.faults import Backoff, RetryDecision
from summeval_pytest.endpoints.limits import FAILURES, PROBE_SECONDS, Circuit
from summeval_pytest.errors import NoReplyError
from tests.endpoints.calls import Patient, at, question, run
from tests.scripted_server import Answer, Delay, Drop, ScriptedServer, Status
from tests.waiting import SOON

if TYPE_CHECKING:
    from summeval_pytest.endpoints.client import Client
    from tests.scripted_server import Action, Seen

OPEN = "not asked any more, since its circuit is open; the first trouble was: "
KNOWN = Dialect(level="json_schema")


def trouble(what: str) -> RetryDecision:
    """A breakdown that may pass."""
    return RetryDecision(fault="server_error", again=True, what=what, status=500)


def failing(circuit: Circuit, call: int, times: int = FAILURES, now: float = 0.0) -> None:
    """One call that fails so many times."""
    for attempt in range(times):
        circuit.failed(call, trouble(f"{call}.{attempt}"), now)


async def texts(client: Client, *prompts: str) -> list[str]:
    """The replies to prompts that are asked at once, or their faults."""
    asked = [client.send(question(prompt)) for prompt in prompts]
    got = await asyncio.gather(*asked, return_exceptions=True)
    return [one.text if isinstance(one, ChatReply) else str(one) for one in got]


def test_two_calls_that_only_fail_open_it() -> None:
    """One prompt that breaks a server is no server that is down."""
    circuit = Circuit()
    failing(circuit, 1, times=20)
    failing(circuit, 2, times=FAILURES - 1)
    opened = [circuit.is_open]
    failing(circuit, 2, times=1)
    assert [*opened, circuit.is_open] == [False, True]
    assert circuit.first is not None
    assert circuit.first.what == "1.0"


def test_anything_good_in_between_counts_the_failures_anew() -> None:
    """A busy server that answers now and then is worth its wait."""
    circuit = Circuit()
    failing(circuit, 1)
    circuit.heard()
    failing(circuit, 2)
    assert not circuit.is_open
    assert circuit.first is not None
    assert circuit.first.what == "2.0"


def test_a_server_that_nobody_reached_needs_no_more_attempts() -> None:
    """Nothing listens there, and waiting changes nothing; two calls say so."""
    circuit = Circuit()
    nobody = RetryDecision(fault="unreachable", again=False, what="nothing answers")
    opened = []
    for call in (1, 2):
        circuit.failed(call, nobody, 0.0)
        opened.append(circuit.is_open)
    assert opened == [False, True]


def test_one_call_is_let_through_at_once_and_then_one_every_ten_seconds() -> None:
    """As often as it costs nothing, so that a server that is back is found."""
    circuit = Circuit()
    assert circuit.admits(0.0)
    failing(circuit, 1, now=100.0)
    failing(circuit, 2, now=100.0)
    asked = [100.0, 100.1, 100 + PROBE_SECONDS - 0.1, 100 + PROBE_SECONDS, 101 + PROBE_SECONDS]
    assert [circuit.admits(now) for now in asked] == [True, False, False, True, False]
    circuit.heard()
    assert circuit.admits(102 + PROBE_SECONDS)


@pytest.mark.parametrize(
    ("action", "what"),
    [(Status(503), "status 503 (scripted)"), (Drop(), "the connection broke")],
    ids=repr,
)
def test_a_server_that_is_down_ends_all_calls_at_once(action: Action, what: str) -> None:
    """The waits of one call would be waited by each, one after the other where they depend."""
    with ScriptedServer(lambda _: action) as server:

        async def sending(client: Client) -> tuple[list[str], int, list[str]]:
            first = await texts(client, *map(str, range(20)))
            n_requests = server.n_requests
            return first, n_requests, await texts(client, "probe", *"abcdefgh")

        endpoint = at(server.url, timeout_seconds=600)
        first, n_requests, later = run(endpoint, sending, remembered=KNOWN)
    assert all(f"{OPEN}{what}" in told for told in first + later)
    assert 2 * FAILURES <= n_requests <= 20 * FAILURES + 1
    assert server.n_requests <= n_requests + 1  # one of the first may have been the probe


def test_calls_in_a_long_wait_are_woken_when_it_opens() -> None:
    """One waits ten minutes as the server asked it to, one for a slot; nothing can come of it."""

    def script(seen: Seen) -> Action:
        patient = {"retry-after": "500"} if seen.texts == ("patient",) else {}
        return Status(503, headers=patient)

    async def sending(client: Client) -> list[str]:
        return await asyncio.wait_for(texts(client, "patient", "a", "b", "c"), SOON)

    with ScriptedServer(script) as server:
        endpoint = at(server.url, timeout_seconds=600, max_in_flight=1)
        told = run(endpoint, sending, remembered=KNOWN)
    assert all(f"{OPEN}status 503 (scripted)" in one for one in told)


def test_a_server_that_is_back_is_asked_again() -> None:
    """The probe is a call like any other: its reply is its caller's."""
    is_back = False

    async def sending(client: Client) -> list[str]:
        nonlocal is_back
        down = await texts(client, "a", "b")
        is_back = True
        return [*down, *await texts(client, "probe"), *await texts(client, "c", "d")]

    with ScriptedServer(lambda _: Answer("yes") if is_back else Status(500)) as server:
        got = run(at(server.url, timeout_seconds=600), sending, remembered=KNOWN)
    assert all(OPEN in told for told in got[:2])
    assert got[2:] == ["yes"] * 3


def test_one_bad_prompt_opens_nothing() -> None:
    """It fails until its own deadline, and others asked after it are answered."""

    def script(seen: Seen) -> Action:
        return Status(500) if seen.texts == ("bad",) else Answer("yes")

    async def sending(client: Client) -> list[str]:
        return await texts(client, "bad") + await texts(client, "a", "b")

    with ScriptedServer(script) as server:
        endpoint = at(server.url, timeout_seconds=600)
        told, *others = run(endpoint, sending, backoff=Backoff(10, 20), limits=Patient())
        assert server.n_requests > FAILURES + 2
    assert "circuit" not in told
    assert others == ["yes", "yes"]


def test_slow_calls_open_nothing() -> None:
    """A server that takes its time is there."""

    async def sending(client: Client) -> list[str]:
        return await texts(client, *"abcd")

    with ScriptedServer(lambda _: Delay(30, Answer("late"))) as server:
        endpoint = at(server.url, timeout_seconds=1, attempt_seconds=0.05)
        told = run(endpoint, sending, remembered=KNOWN)
    assert not any("circuit" in one for one in told)


@pytest.mark.parametrize("status", [401, 403, 404])
def test_after_the_first_refusal_of_key_or_model_nothing_is_sent(status: int) -> None:
    """Every call would meet the same, and the user mends it in one place."""

    async def sending(client: Client) -> list[str]:
        first = await texts(client, *"abcdef")
        return first + await texts(client, "later")

    with ScriptedServer(lambda _: Status(status)) as server:
        told = run(at(server.url), sending)
        assert server.n_requests == 1
    assert len(set(told)) == 1
    assert f"model 'llama3': status {status} (scripted); look at" in told[0]


def test_a_call_that_was_given_up_names_who_is_nowhere() -> None:
    """A system's endpoint that is not there ends the run, whichever of its calls is told."""

    async def sending(client: Client) -> list[str]:
        faults: list[str] = []
        for prompt in "abc":
            with pytest.raises(NoReplyError) as caught:
                await client.send(question(prompt))
            faults.append(caught.value.fault)
        return faults

    url = "https://no-such-host.invalid/v1"
    assert run(at(url), sending, backoff=Backoff(60, 60)) == ["unreachable"] * 3

"""Finding out what an endpoint understands, with real requests, as few as possible."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from summeval_pytest.endpoints.chat import ChatReply
from summeval_pytest.endpoints.dialect import Dialect
from summeval_pytest.errors import NoReplyError
from tests.endpoints.calls import LABEL, QUICK, at, fault, question, run
from tests.scripted_server import Answer, Delay, Drop, ScriptedServer, Status, Until, by_schema

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from summeval_pytest.endpoints.chat import Schema
    from summeval_pytest.endpoints.client import Client
    from tests.scripted_server import Action, Script, Seen

YES = '{"label": "yes"}'


def understanding(*levels: str, status: int = 400, said: str = "unknown format") -> Script:
    """A server that takes some levels, and refuses others."""
    return lambda seen: by_schema(seen) if seen.level in levels else Status(status, message=said)


def many(n: int) -> Callable[[Client], Awaitable[list[ChatReply]]]:
    """So many requests at once."""

    async def sending(client: Client) -> list[ChatReply]:
        asked = (question(str(index), schema=LABEL) for index in range(n))
        return await asyncio.gather(*map(client.send, asked))

    return sending


def levels(server: ScriptedServer) -> list[str]:
    """The level of each request that came."""
    return [seen.level for seen in server.seen]


@pytest.mark.parametrize(
    ("understood", "refused"),
    [
        (("json_schema", "json_object", "text"), []),
        (("json_object", "text"), ["json_schema"]),
        (("text",), ["json_schema", "json_object"]),
    ],
)
@pytest.mark.parametrize("status", [400, 422])
def test_a_server_refuses_each_level_once(
    understood: tuple[str, ...], refused: list[str], status: int
) -> None:
    """Ten requests at once: one goes first, the others wait for it, and then go together."""
    script = understanding(*understood, status=status)
    n_alone = len(refused) + 1

    def together(seen: Seen) -> Action:
        is_alone = seen.index < n_alone
        return Until(lambda: is_alone or server.n_requests == n_alone + 9, script(seen))

    with ScriptedServer(together) as server:
        got = run(at(server.url), many(10))
    assert len(got) == 10
    assert levels(server) == [*refused, *[understood[0]] * 10]
    assert server.peak == 9


def test_a_server_that_breaks_down_over_a_schema_is_asked_another_way() -> None:
    """llama-cpp-python answers json_schema with 500, each time."""
    script = understanding("json_object", status=500, said="Input should be 'text': json_schema")
    with ScriptedServer(script) as server:
        run(at(server.url), many(3))
    assert levels(server) == ["json_schema", *["json_object"] * 3]


def test_a_breakdown_for_another_reason_is_retried_at_its_level() -> None:
    """A busy server would otherwise lose its strict schema for the whole run."""

    def script(seen: Seen) -> Action:
        return Status(500, message="out of memory") if seen.index < 2 else by_schema(seen)

    with ScriptedServer(script) as server:
        run(at(server.url), many(2))
    assert levels(server) == ["json_schema"] * 4


def test_a_breakdown_after_the_dialect_is_settled_is_retried() -> None:
    """llama-server stumbles over single replies that do not fit the grammar."""

    def script(seen: Seen) -> Action:
        return (
            Status(500, message="does not match the schema") if seen.index == 1 else by_schema(seen)
        )

    async def sending(client: Client) -> Dialect | None:
        await client.send(question(schema=LABEL))
        await client.send(question(schema=LABEL))
        return client.dialect

    with ScriptedServer(script) as server:
        assert run(at(server.url), sending) == Dialect(level="json_schema")
    assert levels(server) == ["json_schema"] * 3


def test_fields_are_adapted_on_the_way() -> None:
    """A reasoning model wants another name and no temperature, and knows strict schemas."""

    def script(seen: Seen) -> Action:
        if "max_tokens" in seen.body:
            return Status(400, message="Use 'max_completion_tokens'", param="max_tokens")
        if "temperature" in seen.body:
            return Status(400, message="Only the default (1) value", param="temperature")
        return by_schema(seen)

    async def sending(client: Client) -> Dialect | None:
        await client.send(question(schema=LABEL))
        await client.send(question())
        return client.dialect

    with ScriptedServer(script) as server:
        found = run(at(server.url), sending)
    assert found == Dialect(
        level="json_schema", length_field="max_completion_tokens", temperature=False
    )
    assert levels(server) == ["json_schema"] * 3 + ["text"]
    assert server.seen[-1].body.keys() == {"model", "messages", "max_completion_tokens", "seed"}


def test_what_no_level_cures_is_told_by_its_first_refusal() -> None:
    """The refusal of the best level says most; that of the last is about something else."""

    def script(seen: Seen) -> Action:
        return Status(400, code=f"no_{seen.level}", message="context too long")

    with ScriptedServer(script) as server:
        error = fault(at(server.url), question(schema=LABEL))
    assert error.fault == "bad_request"
    assert str(error) == (
        f"endpoint 'test' at {server.url}: status 400 (no_json_schema: context too long)"
    )
    assert levels(server) == ["json_schema", "json_object", "text"]


def test_another_fault_on_the_way_is_told_itself() -> None:
    """A key that runs out during negotiation is no refusal of a format."""

    def script(seen: Seen) -> Action:
        return Status(400) if seen.level == "json_schema" else Status(401)

    with ScriptedServer(script) as server:
        assert fault(at(server.url), question(schema=LABEL)).fault == "unauthorised"
    assert server.n_requests == 2


def test_nothing_is_settled_by_a_request_that_fails() -> None:
    """One paper too long for the model must not cost all others the strict schema."""

    def script(seen: Seen) -> Action:
        too_long = seen.texts[-1].startswith("long")
        return Status(400, message="too long") if too_long else by_schema(seen)

    async def sending(client: Client) -> list[object]:
        asked = [question(text, schema=LABEL) for text in ("long", "a", "b")]
        got = await asyncio.gather(*map(client.send, asked), return_exceptions=True)
        return [one.text if isinstance(one, ChatReply) else type(one) for one in got]

    with ScriptedServer(script) as server:
        assert run(at(server.url), sending) == [NoReplyError, YES, YES]
    assert levels(server) == ["json_schema", "json_object", "text", "json_schema", "json_schema"]


def test_a_refusal_after_the_dialect_is_settled_is_a_fault() -> None:
    """One bad request is not tried in three ways."""

    def script(seen: Seen) -> Action:
        return Status(400) if seen.texts == ("bad",) else by_schema(seen)

    async def sending(client: Client) -> str:
        await client.send(question(schema=LABEL))
        with pytest.raises(NoReplyError) as caught:
            await client.send(question("bad", schema=LABEL))
        return caught.value.fault

    with ScriptedServer(script) as server:
        assert run(at(server.url), sending) == "bad_request"
    assert server.n_requests == 2


def test_a_request_without_a_schema_settles_no_level() -> None:
    """A summary tells nothing of schemas; the next question has to find out."""

    async def sending(client: Client) -> list[Dialect | None]:
        known = [client.dialect]
        await client.send(question())
        known.append(client.dialect)
        await client.send(question(schema=LABEL))
        return [*known, client.dialect]

    with ScriptedServer(understanding("json_object", "text")) as server:
        found = run(at(server.url), sending)
    assert found == [None, Dialect(), Dialect(level="json_object")]
    assert levels(server) == ["text", "json_schema", "json_object"]


def test_a_remembered_dialect_is_spoken_at_once() -> None:
    """By all at once: nobody has to go first."""
    known = Dialect(level="json_object", seed=False)
    with ScriptedServer(lambda seen: Until(lambda: server.peak == 4, by_schema(seen))) as server:
        run(at(server.url), many(4), remembered=known)
    assert levels(server) == ["json_object"] * 4
    assert server.peak == 4
    assert all("seed" not in seen.body for seen in server.seen)


def test_a_remembered_dialect_that_is_refused_is_found_out_anew() -> None:
    """Another server stands at the address since; nobody should have to empty the store."""

    async def sending(client: Client) -> tuple[list[ChatReply], Dialect | None]:
        return await many(3)(client), client.dialect

    with ScriptedServer(understanding("json_object", "text")) as server:
        got, found = run(at(server.url), sending, remembered=Dialect(level="json_schema"))
    assert len(got) == 3
    assert found == Dialect(level="json_object")
    assert levels(server) == ["json_schema"] * 4 + ["json_object"] * 3


def test_a_late_refusal_of_a_remembered_dialect_undoes_nothing() -> None:
    """Another call has found out better meanwhile: this one speaks as that one does."""
    clients: list[Client] = []

    def script(seen: Seen) -> Action:
        if seen.level == "json_object":
            return by_schema(seen)
        if seen.texts != ("late",):
            return Status(400)
        return Until(lambda: clients[0].dialect == Dialect(level="json_object"), Status(400))

    async def sending(client: Client) -> list[ChatReply]:
        clients.append(client)
        asked = (question(text, schema=LABEL) for text in ("late", "early"))
        return await asyncio.gather(*map(client.send, asked))

    with ScriptedServer(script) as server:
        assert len(run(at(server.url), sending, remembered=Dialect(level="json_schema"))) == 2
    assert [(seen.texts[0][:5], seen.level) for seen in server.seen[2:]] == [
        ("early", "json_schema"),
        ("early", "json_object"),
        ("late\n", "json_object"),
    ]


def test_a_remembered_dialect_that_was_spoken_is_not_doubted() -> None:
    """After one reply in it, a refusal is of the request."""

    def script(seen: Seen) -> Action:
        return Status(400) if seen.texts == ("bad",) else by_schema(seen)

    async def sending(client: Client) -> Dialect | None:
        await client.send(question(schema=LABEL))
        with pytest.raises(NoReplyError):
            await client.send(question("bad", schema=LABEL))
        return client.dialect

    known = Dialect(level="json_schema")
    with ScriptedServer(script) as server:
        assert run(at(server.url), sending, remembered=known) == known
    assert server.n_requests == 2


def test_a_refused_memory_leaves_a_deadline() -> None:
    """The second try of a call must not be without an end."""

    def script(seen: Seen) -> Action:
        return Status(400) if seen.index == 0 else Delay(30, Answer("late"))

    async def sending(client: Client) -> str:
        with pytest.raises(NoReplyError) as caught:
            await client.send(question(schema=LABEL))
        return caught.value.fault

    with ScriptedServer(script) as server:
        endpoint = at(server.url, timeout_seconds=0.3)
        assert run(endpoint, sending, remembered=Dialect(level="text")) == "timed_out"


@pytest.mark.parametrize(
    "trouble",
    [Status(500), Drop(), Delay(30, Answer("late")), Status(400)],
    ids=["500", "drop", "hang", "400"],
)
@pytest.mark.parametrize("schema", [LABEL, None], ids=["schema", "text"])
def test_a_bad_prompt_that_goes_first_costs_the_others_nothing(
    trouble: Action, schema: Schema | None
) -> None:
    """What is understood is settled by whichever call comes through first."""

    def script(seen: Seen) -> Action:
        return trouble if seen.texts[0].startswith("bad") else by_schema(seen)

    async def sending(client: Client) -> list[object]:
        texts = ("bad", *map(str, range(9)))
        asked = (question(text, schema=schema) for text in texts)
        return await asyncio.gather(*map(client.send, asked), return_exceptions=True)

    with ScriptedServer(script) as server:
        endpoint = at(server.url, timeout_seconds=2, attempt_seconds=2)
        bad, *others = run(endpoint, sending, backoff=replace(QUICK, head_start_seconds=0.3))
    assert isinstance(bad, NoReplyError)
    assert [type(one) for one in others] == [ChatReply] * 9
    assert levels(server).count("json_object") == (1 if trouble == Status(400) and schema else 0)


def test_calls_behind_one_that_hangs_wait_together() -> None:
    """If all hang, they must not hang one after the other."""

    async def sending(client: Client) -> set[str]:
        asked = [question(str(index), schema=LABEL) for index in range(5)]
        got = await asyncio.gather(*map(client.send, asked), return_exceptions=True)
        return {str(one).split(": ", maxsplit=1)[1] for one in got}

    with ScriptedServer(lambda _: Delay(30, Answer("late"))) as server:
        quick = replace(QUICK, head_start_seconds=0.1)
        (told,) = run(at(server.url, timeout_seconds=1), sending, backoff=quick)
        assert server.peak == 5
    assert told.startswith("no reply within 1 s; raise timeout_seconds")


@pytest.mark.parametrize("code", ["context_length_exceeded", "exceed_context_size_error"])
def test_a_prompt_that_is_too_long_is_told_as_that(code: str) -> None:
    """Whoever is told that the schema was refused would look in the wrong place."""

    def script(seen: Seen) -> Action:
        if seen.level == "json_schema":
            return Status(500, message="'json_schema' is no response_format")
        return Status(400, code, message="request (21020 tokens) exceeds the context")

    async def sending(client: Client) -> tuple[NoReplyError, Dialect | None]:
        with pytest.raises(NoReplyError) as raised:
            await client.send(question(schema=LABEL))
        return raised.value, client.dialect

    with ScriptedServer(script) as server:
        error, known = run(at(server.url), sending)
    assert error.fault == "bad_request"
    assert f"status 400 ({code}: request (21020 tokens) exceeds the context)" in str(error)
    assert known is None
    assert levels(server) == ["json_schema", "json_object"]


def test_a_prompt_that_is_too_long_unsettles_nothing() -> None:
    """A remembered dialect is refused for other reasons than length."""
    known = Dialect(level="json_object")
    action = Status(400, "context_length_exceeded", message="too long")

    async def sending(client: Client) -> Dialect | None:
        with pytest.raises(NoReplyError, match="context_length_exceeded"):
            await client.send(question(schema=LABEL))
        return client.dialect

    with ScriptedServer(lambda _: action) as server:
        assert run(at(server.url), sending, remembered=known) == known
    assert server.n_requests == 1

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import UTC, datetime
from typing import cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from summeval_pytest.endpoints import chat
from summeval_pytest.endpoints.client import Client
from summeval_pytest.endpoints.dialect import (
    INSTRUCTION,
    LEAST_ROOM,
    LEVELS,
    Dialect,
    allowed_room,
    body,
    next_trial,
    read_dialect,
    room,
)
from summeval_pytest.errors import NoReplyError
from tests.endpoints.calls import LABEL, at, fault, question, run
from tests.scripted_server import (
    Action,
    Answer,
    Drop,
    Script,
    ScriptedServer,
    Seen,
    Status,
    Until,
    yes,
)
from tests.waiting import skip, until

NEVER = Until(lambda: False, Answer("never"))
SCHEMA = chat.Schema(name="label", text='{"type": "object", "properties": {"label": {}}}')
ASKED = chat.ChatRequest(
    model="llama3",
    messages=(chat.Message("system", "You judge."), chat.Message("user", "Is it so?")),
    max_tokens=64,
    schema=SCHEMA,
    temperature=0.5,
    seed=7,
)
FREE = replace(ASKED, schema=None)
STRICT = Dialect(level="json_schema")


SCHEMED = Dialect(level="object_schema")
OBJECT = Dialect(level="json_object")
TEXT = Dialect(level="text")


def test_a_strict_schema_goes_out_as_such() -> None:
    """The best level: the endpoint itself keeps the reply to the schema."""
    assert body(ASKED, STRICT) == {
        "model": "llama3",
        "response_format": {
            "type": "json_schema",
            "json_schema": {
                "name": "label",
                "strict": True,
                "schema": {"type": "object", "properties": {"label": {}}},
            },
        },
        "messages": [
            {"role": "system", "content": "You judge."},
            {"role": "user", "content": "Is it so?"},
        ],
        "max_tokens": 64,
        "temperature": 0.5,
        "seed": 7,
    }


def test_json_object_goes_out_with_the_schema_as_text() -> None:
    """At the end of the last message, so that what requests share stays at their beginning."""
    # How long to think goes out only where it was chosen: a model that does not reason refuses it.
    values = body(ASKED, OBJECT)
    assert values["response_format"] == {"type": "json_object"}
    assert values["messages"] == [
        {"role": "system", "content": "You judge."},
        {"role": "user", "content": f"Is it so?\n\n{INSTRUCTION}\n{SCHEMA.text}"},
    ]
    assert "JSON" in INSTRUCTION
    schemed = body(ASKED, SCHEMED)  # llama-cpp-python enforces it, and others may ignore it
    assert schemed["messages"] == values["messages"]
    assert schemed["response_format"] == {
        "type": "json_object",
        "schema": {"type": "object", "properties": {"label": {}}},
    }
    assert body(replace(FREE, reasoning_effort="low"), STRICT)["reasoning_effort"] == "low"
    assert "reasoning_effort" not in body(FREE, STRICT)
    # half a character would otherwise end the call in an error of Python's
    request = replace(FREE, messages=(chat.Message("user", "a\ud83d ✓"),))
    assert body(request, STRICT)["messages"] == [{"role": "user", "content": "a? ✓"}]


RENAMED = replace(STRICT, length_field="max_completion_tokens")
COLD = replace(STRICT, temperature=False)
ALONE = replace(STRICT, system=False)
REPEATED = "response_format.type: 'json_schema' is not 'text'; got max_tokens=64, seed=7"


def test_a_refusal_costs_a_field_or_a_level() -> None:
    """What is tried next; without a schema there is no level to lose."""
    for dialect, statuses, said, param, following in (
        # a refusal of nothing in particular costs one level, and there is no fifth
        (STRICT, (400, 422), "nope", "", SCHEMED),
        (SCHEMED, (400, 422), "nope", "", OBJECT),
        (OBJECT, (400, 422), "nope", "", TEXT),
        (TEXT, (400, 422), "nope", "", None),
        # one that names a field costs the field: a strict schema is worth more than a temperature
        (STRICT, (400,), "Unsupported parameter", "max_tokens", RENAMED),
        (STRICT, (400,), "'max_tokens' is not supported. Use something else.", "", RENAMED),
        (STRICT, (400,), "Only the default (1) value is supported", "temperature", COLD),
        (STRICT, (400,), "Unrecognized argument: seed", "", replace(STRICT, seed=False)),
        (STRICT, (400,), "unknown: temperature, seed", "", COLD),
        # one that names the form costs the level, even where the server repeats the whole request
        (STRICT, (400,), REPEATED, "", SCHEMED),
        (STRICT, (400,), "wrong", "response_format", SCHEMED),
        # some servers break down over what they do not know, again and again
        *[
            (STRICT, (500, 501), f"bad {word}!", "", SCHEMED)
            for word in ("response_format", "json_schema", "json_object", "schema", "grammar")
        ],
        # a template without a system role, of vLLM, TGI, llama.cpp, Mistral and Google
        *[
            (STRICT, (400, 422, 500), said, "", ALONE)
            for said in (
                "System role not supported",
                "Template error: system role is not supported by this template (in <string>:1)",
                "x" * 300 + " Jinja Exception: the role system is not supported",
                "Conversation roles must alternate user/assistant/user/assistant/...",
                "Only user and assistant roles are supported!",
                "Developer instruction is not enabled for models/gemma-3-27b-it",
            )
        ],
        (ALONE, (400,), "System role not supported", "", replace(ALONE, level="object_schema")),
        # what the suite itself has chosen is not given up
        (STRICT, (400, 422), "Unrecognized request argument: reasoning_effort", "", None),
        (STRICT, (400,), "Unsupported value: 'minimal'", "reasoning_effort", None),
        # other troubles are retried, or they are faults
        (STRICT, (500,), "out of memory", "", None),
        (STRICT, (500,), "max_tokens", "", None),
        (STRICT, (502, 503), "schema", "", None),
        (STRICT, (401, 404, 413, 429), "json_schema response_format", "", None),
    ):
        error = json.dumps({"error": {"message": said, "param": param or None}})
        for status in statuses:
            trouble = chat.read_trouble(status, {}, error, datetime.now(UTC))
            assert next_trial(dialect, trouble, has_schema=True) == following
            free = next_trial(replace(dialect, level=None), trouble, has_schema=False)
            if following is not None and following.level == dialect.level:
                assert free == replace(following, level=None)
            assert free is None or free.level is None


def test_without_a_system_role_its_text_stands_before_the_users() -> None:
    """Nothing of it is lost; a request without a system message stays as it is."""
    messages = body(replace(FREE, schema=None), ALONE)["messages"]
    assert messages == [{"role": "user", "content": "You judge.\n\nIs it so?"}]
    request = replace(FREE, messages=FREE.messages[1:])
    assert body(request, ALONE)["messages"] == [{"role": "user", "content": "Is it so?"}]


def without_role(seen: Seen) -> Action:
    """A server whose template has no system role."""
    (first, *_), count = cast("list[dict[str, str]]", seen.body["messages"]), len(seen.texts)
    if first["role"] == "system":
        return Status(400, message="System role not supported")
    return Answer(f"{count} {first['content']}")


@pytest.mark.parametrize("first", [FREE, question()], ids=["at once", "after others"])
def test_a_system_role_that_is_refused_is_refused_once(first: chat.ChatRequest) -> None:
    """The next requests go out without it, though a request without a system came before."""

    async def sending(client: Client) -> list[str]:
        return [(await client.send(request)).text for request in (first, FREE, ASKED)]

    with ScriptedServer(without_role) as server:
        replies = run(at(server.url), sending)
    assert replies[1] == "1 You judge.\n\nIs it so?"
    assert replies[2].startswith(replies[1])
    assert server.n_requests == 4


@settings(deadline=None, max_examples=60)
@given(
    st.lists(
        st.builds(
            chat.Trouble,
            fault=st.just("bad_request"),
            may_pass=st.just(value=False),
            what=st.just("status 400"),
            status=st.just(400),
            param=st.sampled_from(["", "seed", "max_tokens", "temperature", "response_format"]),
            words=st.frozensets(
                st.sampled_from(["seed", "max_tokens", "temperature", "json_schema", "x"])
            ),
        ),
        min_size=9,
        max_size=9,
    )
)
def test_negotiation_ends(troubles: list[chat.Trouble]) -> None:
    """Three levels and three fields can be given up, so at most six refusals lead on."""
    dialect: Dialect | None = STRICT
    seen: list[Dialect] = []
    for trouble in troubles:
        if dialect is None:
            break
        assert dialect not in seen
        seen.append(dialect)
        dialect = next_trial(dialect, trouble, has_schema=True)
    assert dialect is None
    assert len(seen) <= 7


ROOMY = replace(FREE, room=chat.ROOM)
"""Its answer needs 64 tokens."""
PARAM = "max_tokens"


@pytest.mark.parametrize(
    ("said", "param", "most"),
    [
        # OpenAI
        (("max_tokens is too large: 16384. This model supports at most 4096 completion tokens,"
         " whereas you provided 16384."), PARAM, 4096),
        # a context, and beside it a prompt of 600 tokens: 7 eighths of what is left
        (("This model's maximum context length is 8192 tokens. However, you requested 16984 tokens"
         " (600 in the messages, 16384 in the completion)."), "", (8192 - 600) * 7 // 8),
        (("'max_tokens' or 'max_completion_tokens' is too large: 16384. This model's maximum"
         " context length is 8192 tokens and your request has 600 input tokens (16384 > 8192 - 600)"
         ". None"),
         "", (8192 - 600) * 7 // 8),
        (("Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8193. Given: 1000"
         " `inputs` tokens and 16384 `max_new_tokens`"), "", (8193 - 1000) * 7 // 8),
        # DeepSeek, Groq, Anthropic, Gemini, and somebody who writes commas
        ("Invalid max_tokens value, the valid range of max_tokens is [1,8192]", "", 8192),
        ("`max_tokens` must be less than or equal to `8192`, the maximum value", "", 8192),
        (("max_tokens: 16384 > 8192, which is the maximum allowed number of output tokens for"
         " claude-3-5-haiku-20241022"), "", 8192),
        (("it has a maxOutputTokens value of 16384 but the supported range is from 1 (inclusive) to"
         " 8193 (exclusive)"), "", 8192),
        ("max_tokens may be 4,096 at most for gpt-4-0613, not 16,384", "", 4096),
        # a context that hardly has room for the answer
        ("maximum context length is 1000 tokens, and there are 950", "", 64),
        # another name, a temperature, a form, and what repeats the request
        ("'max_tokens' is not supported. Use 'max_completion_tokens' instead.", PARAM, None),
        ("Only the default (1) value is supported", "temperature", None),
        ("wrong; got max_tokens=16384, top_logprobs=100", "temperature", None),
        ("temperature must be 1; got max_tokens=16384, top_logprobs=1000", "", None),
        ("response_format is not 'text' (4000); got max_tokens=16384, seed=7", "", None),
        ("nope", "", None),
    ],
)  # fmt: skip
def test_a_refusal_names_the_longest_reply(said: str, param: str, most: int | None) -> None:
    """It is read, as nothing else announces it; a number in a name is none."""
    error = json.dumps({"error": {"message": said, "param": param or None, "code": 400}})
    trouble = chat.read_trouble(400, {}, error, datetime.now(UTC))
    assert allowed_room(trouble, ROOMY, room(ROOMY, STRICT)) == most
    assert room(ROOMY, replace(STRICT, most_tokens=most)) == (most or chat.ROOM)
    assert allowed_room(trouble, FREE, room(FREE, STRICT)) is None  # its reply is short already


@pytest.mark.parametrize("code", [400, "context_length_exceeded"])
def test_a_refusal_without_a_number_is_an_error(code: object) -> None:
    """The endpoint's words say more than a row of guesses would."""
    error = json.dumps({"error": {"message": "max_completion_tokens is too large", "code": code}})
    trouble = chat.read_trouble(400, {}, error, datetime.now(UTC))
    assert allowed_room(trouble, ROOMY, room(ROOMY, STRICT)) is None


@settings(deadline=None, max_examples=60)
@given(
    st.integers(1, 40_000),
    st.sampled_from([None, chat.ROOM, 7, 99_999]),
    st.none() | st.integers(1, 90_000),
)
def test_room_is_wanted_and_taken(needed: int, chosen: int | None, most: int | None) -> None:
    """Law: what the suite says, else what the answer needs or the usual room; never too much."""
    request = replace(FREE, max_tokens=needed, room=chosen)
    wanted = max(needed, chat.ROOM) if chosen == chat.ROOM else chosen or needed
    assert room(request, replace(STRICT, most_tokens=most)) == min(wanted, most or wanted)


def within(context: int) -> Callable[[Seen], Action]:
    """A server that refuses a prompt and a reply's room which are longer together."""

    def script(seen: Seen) -> Action:
        prompt, most = len(seen.texts[0]), int(str(seen.body["max_tokens"]))
        if prompt + most > context:
            what = f"maximum context length is {context} tokens and your request has {prompt}"
            return Status(400, message=f"{what} ({most})")
        return Answer("yes")

    return script


def test_the_longest_reply_is_found_once_and_follows_longer_prompts() -> None:
    """Ten requests at once are refused once; a prompt that leaves less room is sent once more."""

    async def sending(client: Client) -> tuple[Dialect | None, Dialect | None]:
        short = (replace(question("x" * 100), room=chat.ROOM) for _ in range(10))
        await asyncio.gather(*map(client.send, short))
        before = client.dialect
        await client.send(replace(question("x" * 1000), room=chat.ROOM))
        return before, client.dialect

    with ScriptedServer(within(5000)) as server:
        before, after = run(at(server.url), sending)
    assert (before, after) == (Dialect(most_tokens=4287), Dialect(most_tokens=3500))
    rooms = [seen.body["max_tokens"] for seen in server.seen]
    assert rooms == [chat.ROOM, *[4287] * 10, 4287, 3500]


def test_a_prompt_without_room_takes_none_from_others() -> None:
    """One paper that is too long would have the replies about all others cut off, now and later."""

    async def sending(client: Client) -> Dialect | None:
        for length in (8900, 8990, 100):
            request = replace(question("x" * length), max_tokens=64, room=chat.ROOM)
            if length == 8990:
                with pytest.raises(NoReplyError, match="maximum context length"):
                    await client.send(request)
            else:
                await client.send(request)
        return client.dialect

    with ScriptedServer(within(9000)) as server:
        assert run(at(server.url), sending) == Dialect(most_tokens=LEAST_ROOM)
    rooms = [(len(seen.texts[0]), seen.body["max_tokens"]) for seen in server.seen]
    assert rooms[:2] == [(8900, chat.ROOM), (8900, (9000 - 8900) * 7 // 8)]
    assert rooms[-1] == (100, LEAST_ROOM)


@pytest.mark.parametrize("remembered", [None, Dialect()])
def test_a_limit_that_shrinks_with_each_refusal_ends_the_call(remembered: Dialect | None) -> None:
    """Such a server would be asked thousands of times, or end the run in a RecursionError."""

    def script(seen: Seen) -> Action:
        most = seen.body.get("max_tokens") or seen.body.get("max_completion_tokens")
        return Status(400, message=f"max_tokens must be at most {int(str(most)) - 1}")

    async def sending(client: Client) -> None:
        with pytest.raises(NoReplyError) as caught:
            await client.send(replace(question(), room=chat.ROOM))
        assert caught.value.fault == "bad_request"

    with ScriptedServer(script) as server:
        run(at(server.url), sending, remembered=remembered)
    assert len(server.seen) < 80


@settings(deadline=None, max_examples=30)
@given(
    st.builds(
        Dialect,
        level=st.sampled_from([None, *LEVELS]),
        length_field=st.sampled_from(["max_tokens", "max_completion_tokens"]),
        temperature=st.booleans(),
        seed=st.booleans(),
        system=st.booleans(),
        most_tokens=st.none() | st.integers(1, 10**6),
    )
)
def test_a_dialect_is_read_as_it_was_written(dialect: Dialect) -> None:
    """By way of JSON text, as a store keeps it."""
    assert read_dialect(dialect.as_text()) == dialect


KNOWN = json.loads(Dialect().as_text())


def test_what_is_no_dialect_is_not_read() -> None:
    """A store may hold anything; of an older version, each field would be refused once more."""
    for key in KNOWN:
        older = {name: KNOWN[name] for name in KNOWN if name != key}
        assert read_dialect(json.dumps(older)) == Dialect()
    for values in (
        *(
            None,
            list[object](),
            {**KNOWN, "top_p": 1},
            {**KNOWN, "level": "yaml"},
        ),
        *({**KNOWN, "level": ["text"]}, {**KNOWN, "length_field": None}),
        *({**KNOWN, "temperature": 1}, {**KNOWN, "seed": "yes"}),
        *({**KNOWN, "most_tokens": most} for most in (0, -1, True, "9", 1.5)),
    ):
        assert read_dialect(json.dumps(values)) is None, values


YES = '{"label": "yes"}'


def understanding(*levels: str) -> Script:
    """A server that takes some levels, and refuses others."""
    refusal = Status(400, message="unknown format")
    return lambda seen: yes(seen) if seen.level in levels else refusal


def many(n: int) -> Callable[[Client], Awaitable[list[chat.ChatReply]]]:
    """So many requests at once."""

    async def sending(client: Client) -> list[chat.ChatReply]:
        requested = (question(str(index), schema=LABEL) for index in range(n))
        return await asyncio.gather(*map(client.send, requested))

    return sending


def levels(server: ScriptedServer) -> list[str]:
    """The level of each request that came."""
    return [seen.level for seen in server.seen]


@pytest.mark.parametrize(
    ("understood", "refused"),
    [
        (("json_schema", "json_object", "text"), []),
        (("object_schema", "json_object", "text"), ["json_schema"]),
        (("json_object", "text"), ["json_schema", "object_schema"]),
        (("text",), ["json_schema", "object_schema", "json_object"]),
    ],
)
def test_a_server_refuses_each_level_once(understood: tuple[str, ...], refused: list[str]) -> None:
    """Ten requests at once: one goes first, the others wait for it, and then go together."""
    script = understanding(*understood)
    n_alone = len(refused) + 1

    def together(seen: Seen) -> Action:
        is_alone = seen.index < n_alone
        return Until(lambda: is_alone or server.n_requests == n_alone + 9, script(seen))

    with ScriptedServer(together) as server:
        got = run(at(server.url, max_in_flight=64), many(10))
    assert len(got) == 10
    assert levels(server) == [*refused, *[understood[0]] * 10]
    assert server.peak == 9


def test_fields_are_adapted_on_the_way() -> None:
    """A reasoning model wants another name and no temperature, and knows strict schemas."""

    def script(seen: Seen) -> Action:
        if "max_tokens" in seen.body:
            return Status(400, message="Use 'max_completion_tokens'", param="max_tokens")
        if "temperature" in seen.body:
            return Status(400, message="Only the default (1) value", param="temperature")
        return yes(seen)

    async def sending(client: Client) -> Dialect | None:
        await client.send(question(schema=LABEL))
        await client.send(question())
        return client.dialect

    with ScriptedServer(script) as server:
        result = run(at(server.url), sending)
    assert result == Dialect(
        level="json_schema", length_field="max_completion_tokens", temperature=False
    )
    assert levels(server) == ["json_schema"] * 3 + ["text"]
    assert server.seen[-1].body.keys() == {"model", "messages", "max_completion_tokens", "seed"}


def test_what_no_level_cures_is_reported_by_its_first_refusal() -> None:
    """The refusal of the best level says most; that of the last is about something else."""

    def script(seen: Seen) -> Action:
        return Status(400, code=f"no_{seen.level}", message="context too long")

    with ScriptedServer(script) as server:
        error = fault(at(server.url), question(schema=LABEL))
    assert error.fault == "bad_request"
    assert str(error) == (
        f"endpoint 'test' at {server.url}: status 400 (no_json_schema: context too long)"
    )
    assert levels(server) == list(LEVELS)


def too_long(code: str) -> Script:
    """A server that knows no schemas, and refuses a prompt for its length."""
    refused = Status(400, code, message="request (21020 tokens) exceeds the context")
    unknown = Status(500, message="'json_schema' is no response_format")
    return lambda seen: unknown if seen.level == "json_schema" else refused


@pytest.mark.parametrize("code", ["context_length_exceeded", "exceed_context_size_error"])
def test_a_prompt_that_is_too_long_is_reported_as_that(code: str) -> None:
    """Whoever is told that the schema was refused would look in the wrong place."""

    async def sending(client: Client) -> Dialect | None:
        with pytest.raises(NoReplyError, match=rf"\({code}: request \(21020 tokens\) exceeds"):
            await client.send(question(schema=LABEL))
        return client.dialect

    with ScriptedServer(too_long(code)) as server:
        assert run(at(server.url), sending) is None
    assert levels(server) == ["json_schema", "object_schema"]


def test_a_request_without_a_schema_settles_no_level_and_a_level_stays_settled() -> None:
    """A summary tells nothing of schemas; one bad request is not tried in four ways."""
    refusing = understanding("json_object", "text")

    def script(seen: Seen) -> Action:
        return Status(400) if seen.texts[0].startswith("bad") else refusing(seen)

    async def sending(client: Client) -> list[Dialect | None]:
        known = [client.dialect]
        for schema in (None, LABEL):
            await client.send(question(schema=schema))
            known.append(client.dialect)
        with pytest.raises(NoReplyError, match="status 400"):
            await client.send(question("bad", schema=LABEL))
        return known

    with ScriptedServer(script) as server:
        assert run(at(server.url), sending) == [None, Dialect(), OBJECT]
    assert levels(server) == ["text", *LEVELS[:3], "json_object"]


def test_a_remembered_dialect_is_spoken_at_once_and_found_out_anew_if_refused() -> None:
    """By all at once: nobody has to go first. Another server may stand at the address since."""
    known = Dialect(level="json_object", seed=False)
    with ScriptedServer(lambda seen: Until(lambda: server.peak == 4, yes(seen))) as server:
        run(at(server.url), many(4), remembered=known)
    assert levels(server) == ["json_object"] * 4
    assert server.peak == 4
    assert all("seed" not in seen.body for seen in server.seen)

    async def sending(client: Client) -> tuple[list[chat.ChatReply], Dialect | None]:
        return await many(3)(client), client.dialect

    with ScriptedServer(understanding("json_object", "text")) as server:
        got, result = run(at(server.url), sending, remembered=STRICT)
    assert (len(got), result) == (3, OBJECT)
    assert Counter(levels(server)) == {"json_schema": 4, "object_schema": 1, "json_object": 3}


@pytest.mark.parametrize(
    ("trouble", "schema"),
    [
        *[(each, LABEL) for each in (Status(500), Drop(), Status(400))],
        (NEVER, None),
    ],
    ids=["500", "drop", "400", "hang"],
)
def test_a_bad_prompt_that_goes_first_costs_nothing(
    trouble: Action, schema: chat.Schema | None
) -> None:
    """What is understood is settled by whichever call comes through first."""

    def script(seen: Seen) -> Action:
        return trouble if seen.texts[0].startswith("bad") else yes(seen)

    async def sending(client: Client) -> list[object]:
        bad = asyncio.ensure_future(client.send(question("bad", schema=schema)))
        await until(lambda: server.n_requests > 0)
        requested = (question(str(index), schema=schema) for index in range(9))
        others = [asyncio.ensure_future(client.send(request)) for request in requested]
        await skip(10)  # the head start
        replies = await asyncio.gather(*others)
        await skip(600)
        return [*await asyncio.gather(bad, return_exceptions=True), *replies]

    with ScriptedServer(script) as server:
        endpoint = at(server.url, timeout_seconds=600, attempt_seconds=600)
        bad, *others = run(endpoint, sending)
    assert isinstance(bad, NoReplyError)
    assert [type(one) for one in others] == [chat.ChatReply] * 9
    assert levels(server).count("json_object") == (1 if trouble == Status(400) else 0)


def test_calls_behind_one_that_hangs_wait_together() -> None:
    """If all hang, they must not hang one after the other."""

    async def sending(client: Client) -> set[str]:
        requested = [question(str(index), schema=LABEL) for index in range(5)]
        asking = [asyncio.ensure_future(client.send(request)) for request in requested]
        for seconds, n_sent in ((0, 1), (10, 5), (600, 5)):
            await skip(seconds)
            await until(lambda: server.n_requests == n_sent)  # noqa: B023 - awaited at once
        got = await asyncio.gather(*asking, return_exceptions=True)
        return {str(one).split(": ", maxsplit=1)[1] for one in got}

    with ScriptedServer(lambda _: NEVER) as server:
        endpoint = at(server.url, max_in_flight=5, timeout_seconds=600, attempt_seconds=600)
        (message,) = run(endpoint, sending)
        assert server.peak == 5
    assert message.startswith("no reply within 600 s; lower max_in_flight")

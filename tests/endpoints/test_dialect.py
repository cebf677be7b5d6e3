from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from summeval_pytest.endpoints.chat import ChatRequest, Message, Schema
from summeval_pytest.endpoints.dialect import (
    INSTRUCTION,
    LEVELS,
    Dialect,
    Level,
    body,
    first_trial,
    next_trial,
    read_dialect,
)
from summeval_pytest.endpoints.wire import ErrorBody, read_error

SCHEMA = Schema(name="label", text='{"type": "object", "properties": {"label": {}}}')
ASKED = ChatRequest(
    model="llama3",
    messages=(Message("system", "You judge."), Message("user", "Is it so?")),
    max_tokens=64,
    schema=SCHEMA,
    temperature=0.5,
    seed=7,
)
FREE = replace(ASKED, schema=None)
STRICT = Dialect(level="json_schema")
NONE = "a stored dialect's level, length_field, temperature or seed is none"


def following(
    dialect: Dialect, said: str = "", *, status: int = 400, param: str = "", has_schema: bool = True
) -> Dialect | None:
    """What is tried after a refusal that says something."""
    error = read_error(json.dumps({"error": {"message": said, "param": param or None}}))
    return next_trial(dialect, status, error, has_schema=has_schema)


# Bodies


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
    values = body(ASKED, Dialect(level="json_object"))
    assert values["response_format"] == {"type": "json_object"}
    assert values["messages"] == [
        {"role": "system", "content": "You judge."},
        {"role": "user", "content": f"Is it so?\n\n{INSTRUCTION}\n{SCHEMA.text}"},
    ]
    assert "JSON" in INSTRUCTION


def test_text_goes_out_with_the_schema_alone() -> None:
    """Some servers refuse the very key."""
    values = body(ASKED, Dialect(level="text"))
    assert "response_format" not in values
    assert values["messages"] == body(ASKED, Dialect(level="json_object"))["messages"]


@pytest.mark.parametrize("level", LEVELS)
def test_a_request_without_a_schema_needs_no_level(level: Level) -> None:
    """A summary is free text."""
    values = body(FREE, replace(STRICT, level=level))
    assert "response_format" not in values
    assert values["messages"] == body(ASKED, STRICT)["messages"]


def test_fields_that_are_refused_are_left_out_or_renamed() -> None:
    """Reasoning models want the other name, and no temperature."""
    values = body(FREE, Dialect(length_field="max_completion_tokens", temperature=False))
    assert values["max_completion_tokens"] == 64
    assert {"max_tokens", "temperature"}.isdisjoint(values)
    assert values["seed"] == 7
    assert "seed" not in body(FREE, Dialect(seed=False))


def test_half_a_character_goes_out_as_a_question_mark() -> None:
    """A paper cut in the wrong place would otherwise end its call in an error of Python's."""
    request = replace(FREE, messages=(Message("user", "a\ud83d ✓"),))
    assert body(request, STRICT)["messages"] == [{"role": "user", "content": "a? ✓"}]


# Negotiation


def test_a_schema_is_tried_strictly_first() -> None:
    """Unless a level is known, or none is needed."""
    assert first_trial(Dialect(), ASKED) == STRICT
    assert first_trial(Dialect(level="text"), ASKED) == Dialect(level="text")
    assert first_trial(Dialect(), FREE) == Dialect()


@pytest.mark.parametrize("status", [400, 422])
def test_a_refusal_costs_one_level(status: int) -> None:
    """json_schema, json_object, text, and there is no fourth."""
    object_level = following(STRICT, "nope", status=status)
    assert object_level == Dialect(level="json_object")
    text_level = following(object_level, "nope", status=status)
    assert text_level == Dialect(level="text")
    assert following(text_level, "nope", status=status) is None


@pytest.mark.parametrize(
    ("said", "param", "dialect"),
    [
        ("Unsupported parameter", "max_tokens", {"length_field": "max_completion_tokens"}),
        (
            "'max_tokens' is not supported. Use 'max_completion_tokens' instead.",
            "",
            {"length_field": "max_completion_tokens"},
        ),
        ("Only the default (1) value is supported", "temperature", {"temperature": False}),
        ("Unrecognized request argument supplied: seed", "", {"seed": False}),
        ("unknown: temperature, seed", "", {"temperature": False}),
    ],
)
def test_a_refusal_that_names_a_field_costs_the_field_and_not_the_level(
    said: str, param: str, dialect: dict[str, object]
) -> None:
    """A strict schema is worth more than a temperature."""
    assert following(STRICT, said, param=param) == Dialect(level="json_schema", **dialect)  # type: ignore[arg-type]
    assert following(Dialect(), said, param=param, has_schema=False) == Dialect(**dialect)  # type: ignore[arg-type]


def test_a_field_is_given_up_once() -> None:
    """Refused again, it was not the field's name but what stood in it."""
    renamed = replace(STRICT, length_field="max_completion_tokens", temperature=False, seed=False)
    said = "max_tokens, temperature and seed are wrong"
    assert following(renamed, said) == replace(renamed, level="json_object")
    assert following(renamed, said, has_schema=False) is None


def test_a_refusal_that_names_the_form_of_the_reply_costs_the_level() -> None:
    """Even where the server repeats the whole request, fields and all."""
    said = "response_format.type: 'json_schema' is not 'text'; got max_tokens=64, seed=7"
    assert following(STRICT, said) == Dialect(level="json_object")
    assert following(STRICT, "wrong", param="response_format") == Dialect(level="json_object")


def test_a_field_named_as_the_parameter_goes_before_all_that_is_said() -> None:
    """`param` is the server's own word for what is wrong."""
    said = "not with json_schema"
    assert following(STRICT, said, param="seed") == replace(STRICT, seed=False)


@pytest.mark.parametrize("status", [500, 501])
@pytest.mark.parametrize(
    "word", ["response_format", "json_schema", "json_object", "schema", "grammar"]
)
def test_a_breakdown_over_the_schema_costs_the_level(status: int, word: str) -> None:
    """Some servers break down over what they do not know, again and again."""
    assert following(STRICT, f"bad {word}!", status=status) == Dialect(level="json_object")
    assert following(Dialect(), f"bad {word}!", status=status, has_schema=False) is None


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (500, "out of memory"),
        (500, "max_tokens"),
        (502, "schema"),
        (503, "schema"),
        (429, "json_schema"),
        (401, "json_schema"),
        (404, "response_format"),
        (413, "too large"),
    ],
)
def test_other_troubles_say_nothing_of_the_dialect(status: int, said: str) -> None:
    """They are retried, or they are faults."""
    assert following(STRICT, said, status=status) is None


@settings(deadline=None, max_examples=60)
@given(
    st.lists(
        st.builds(
            ErrorBody,
            param=st.sampled_from(["", "seed", "max_tokens", "temperature", "response_format"]),
            words=st.frozensets(
                st.sampled_from(["seed", "max_tokens", "temperature", "json_schema", "x"])
            ),
        ),
        min_size=9,
        max_size=9,
    )
)
def test_negotiation_ends(errors: list[ErrorBody]) -> None:
    """Two levels and three fields can be given up, so at most five refusals lead on."""
    dialect: Dialect | None = STRICT
    seen: list[Dialect] = []
    for error in errors:
        if dialect is None:
            break
        assert dialect not in seen
        seen.append(dialect)
        dialect = next_trial(dialect, 400, error, has_schema=True)
    assert dialect is None
    assert len(seen) <= 6


# Memory


@settings(deadline=None, max_examples=30)
@given(
    st.builds(
        Dialect,
        level=st.sampled_from([None, *LEVELS]),
        length_field=st.sampled_from(["max_tokens", "max_completion_tokens"]),
        temperature=st.booleans(),
        seed=st.booleans(),
    )
)
def test_a_dialect_is_read_as_it_was_written(dialect: Dialect) -> None:
    """By way of JSON text, as a store keeps it."""
    assert read_dialect(json.loads(json.dumps(dialect.as_json()))) == dialect


@pytest.mark.parametrize(
    ("values", "told"),
    [
        (None, "a stored dialect has level, length_field, temperature and seed"),
        ([], "a stored dialect has level, length_field, temperature and seed"),
        ({"level": "text"}, "a stored dialect has level, length_field, temperature and seed"),
        (
            {**Dialect().as_json(), "top_p": 1},
            "a stored dialect has level, length_field, temperature and seed",
        ),
        ({**Dialect().as_json(), "level": "yaml"}, NONE),
        ({**Dialect().as_json(), "level": ["text"]}, NONE),
        ({**Dialect().as_json(), "length_field": None}, NONE),
        ({**Dialect().as_json(), "length_field": {}}, NONE),
        ({**Dialect().as_json(), "temperature": 1}, NONE),
        ({**Dialect().as_json(), "seed": "yes"}, NONE),
    ],
)
def test_what_is_no_dialect_is_not_read(values: object, told: str) -> None:
    """A store may hold anything."""
    with pytest.raises(ValueError, match=told):
        read_dialect(values)

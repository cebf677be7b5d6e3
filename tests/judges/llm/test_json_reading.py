from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from summeval_pytest.judges.llm.replies import (
    ReplyFault,
    UnreadableError,
    choice,
    fields,
    listed,
    read_object,
    whole_number,
    words,
)

GOOD = '{"checks": [{"id": 1, "reason": "it says \\"}{\\" there"}]}'
VALUE = {"checks": [{"id": 1, "reason": 'it says "}{" there'}]}

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=8,
)
json_objects = st.dictionaries(st.text(max_size=4), json_values, max_size=4)


def fault_of(text: str) -> ReplyFault:
    """The fault that a reply is refused with."""
    with pytest.raises(UnreadableError) as caught:
        read_object(text)
    assert str(caught.value) == caught.value.fault.message
    return caught.value.fault


@pytest.mark.parametrize(
    "text",
    [
        GOOD,
        f"\n  {GOOD}\n",
        f"```json\n{GOOD}\n```",
        f"```\n{GOOD}\n```\nI hope this helps.",
        f'Here is "my" answer: {GOOD} As asked, "all" of it.',
        f'<think>Maybe {{"checks": []}}? No.</think>\n{GOOD}',
        f"}} {GOOD}",
    ],
    ids=["whole", "spaced", "fence", "bare fence", "prose", "thoughts", "stray brace"],
)
def test_the_one_object_of_a_reply_is_read(text: str) -> None:
    """Endpoints without schemas wrap their JSON in what they like."""
    assert read_object(text) == VALUE


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", ReplyFault("no_json", "the reply holds no whole JSON object")),
        ("Yes.", ReplyFault("no_json", "the reply holds no whole JSON object")),
        (GOOD[:-1], ReplyFault("no_json", "the reply holds no whole JSON object")),
        (GOOD[:-3], ReplyFault("no_json", "the reply holds no whole JSON object")),
        (f"{GOOD} or {{", ReplyFault("no_json", "the reply holds no whole JSON object")),
        ("{checks: []}", ReplyFault("no_json", "the reply holds no JSON")),
        ('{"checks": [],}', ReplyFault("no_json", "the reply holds no JSON")),
        (json.dumps(GOOD), ReplyFault("no_json", "the reply holds no whole JSON object")),
        (f"{GOOD}\n{GOOD}", ReplyFault("ambiguous", "the reply holds 2 JSON objects")),
        (f"In {{a, b}}: {GOOD}", ReplyFault("ambiguous", "the reply holds 2 JSON objects")),
        (f"[{GOOD}]", ReplyFault("wrong_shape", "the reply is a list and no object")),
        ('{"a": 1, "a": 1}', ReplyFault("malformed", "the reply has the key 'a' twice")),
        ('{"x": {"a\\u001b": 1, "a\\u001b": 2}}', ReplyFault(
            "malformed", "the reply has the key 'a\\\\x1b' twice")),
        ('{"a": NaN}', ReplyFault("malformed", "the reply has NaN for a number")),
        ('{"a": -Infinity}', ReplyFault("malformed", "the reply has -Infinity for a number")),
        ('{"a": ' + "9" * 5_000 + "}", ReplyFault(
            "malformed", "the reply has a number of too many digits")),
        ('{"a": ' + "[" * 100 + "]" * 100 + "}", ReplyFault(
            "malformed", "the reply's JSON is nested too deeply")),
        ('{"a":' * 100_000, ReplyFault("malformed", "the reply's JSON is nested too deeply")),
        ('{"a":' + "[" * 100_000, ReplyFault(
            "malformed", "the reply's JSON is nested too deeply")),
    ],
    ids=[
        "empty", "word", "cut", "cut more", "cut next", "no quotes", "comma",
        "text of JSON", "two", "set",
        "list", "twice", "hostile key", "nan", "infinity", "digits", "too deep", "deep",
        "deep list",
    ],
)  # fmt: skip
def test_what_could_be_read_in_two_ways_is_not_read(text: str, fault: ReplyFault) -> None:
    """A guess at what a judge meant would be our verdict and not the judge's."""
    assert fault_of(text) == fault


@settings(deadline=None, max_examples=60)
@given(json_objects, st.sampled_from(["", "So: ", "```json\n", "1. "]), st.booleans())
def test_any_object_is_read_wherever_it_stands(
    value: dict[str, object], before: str, ascii_only: bool
) -> None:
    """The scanner is told apart from strings by nothing but quotes and backslashes."""
    text = json.dumps(value, ensure_ascii=ascii_only)
    assert read_object(f"{before}{text}\n```") == value


@settings(deadline=None, max_examples=100)
@given(st.text(alphabet='{}[]",:\\ab01 <think>/', max_size=40) | st.text(max_size=40))
def test_any_text_is_an_object_or_a_named_fault(text: str) -> None:
    """Replies are other people's text."""
    try:
        found: object = read_object(text)
    except UnreadableError as error:
        found = error.fault
    assert isinstance(found, dict) or (
        isinstance(found, ReplyFault) and found.message.isprintable()
    )


@pytest.mark.parametrize(
    ("value", "kind", "message"),
    [
        ([], "wrong_shape", "item 1 is no JSON object"),
        ({"id": 1}, "wrong_shape", "item 1 lacks 'label'"),
        ({"id": 1, "label": "", "b\n": 2}, "wrong_shape", "item 1 has a key 'b'"),
    ],
)
def test_an_object_has_the_keys_asked_for_and_no_others(
    value: object, kind: str, message: str
) -> None:
    """A second label under another name would be left unread."""
    with pytest.raises(UnreadableError) as caught:
        fields(value, ("id", "label"), "item 1")
    assert (caught.value.fault.kind, caught.value.fault.message) == (kind, message)


@pytest.mark.parametrize("value", [3, 3.0], ids=repr)
def test_a_whole_number_may_be_written_with_a_point(value: object) -> None:
    """JSON has one kind of number, and JSON schemas call 3.0 an integer."""
    number = whole_number(value, "rating")
    assert (number, type(number)) == (3, int)


@pytest.mark.parametrize("value", ["3", True, 3.5, float("inf"), None, [3]], ids=repr)
def test_what_resembles_a_number_is_none(value: object) -> None:
    """A text that says 3 may say "3 of 4" tomorrow, and true is not 1."""
    with pytest.raises(UnreadableError, match=r"\Arating is no whole number\Z"):
        whole_number(value, "rating")


@pytest.mark.parametrize("value", [10**9, -(10**1000), 1e308], ids=["long", "longer", "float"])
def test_a_number_that_nothing_counts_to_is_off_its_scale(value: float) -> None:
    """It would fill a message, and where it counts items, the memory."""
    with pytest.raises(UnreadableError) as caught:
        whole_number(value, "rating")
    assert caught.value.fault == ReplyFault("off_scale", "rating is too large a number")


@pytest.mark.parametrize("value", ["Entailed", " entailed", "not entailed", "entailed."], ids=repr)
def test_what_resembles_a_label_is_none(value: str) -> None:
    """A label that is found in a text is found in its denial, too."""
    with pytest.raises(UnreadableError) as caught:
        choice(value, ("entailed", "not_entailed"), "label")
    told = f"label {value.strip()!r} is none of entailed, not_entailed"
    assert caught.value.fault == ReplyFault("off_scale", told)


def test_values_of_another_type_are_named() -> None:
    """A fault that says what was there instead is half mended."""
    with pytest.raises(UnreadableError, match="label is no text"):
        choice(1, ("1",), "label")
    with pytest.raises(UnreadableError, match="reason is no text"):
        words(None, "reason")
    with pytest.raises(UnreadableError, match="premises is no list"):
        listed({"0": 1}, "premises")


def test_words_stand_on_one_line_and_can_be_written_to_a_file() -> None:
    """JSON can spell half a character pair, which no file can hold."""
    assert words(" a\n b\ud800 ", "reason") == "a b?"

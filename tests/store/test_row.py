from __future__ import annotations

import json
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from summeval_pytest.store.cassette import HIDDEN, Row, read_row

KEY = "0123456789abcdef" * 4
REPLIES = st.dictionaries(
    st.text(), st.text() | st.none() | st.integers() | st.lists(st.integers()), max_size=4
)


def line(**changes: object) -> str:
    """A row's line in Python's own spelling, with some of its parts changed."""
    return json.dumps({"key": KEY, "reply": {}, "topic": "facets", **changes})


def refused(text: str) -> str:
    """The message for a line that is no row."""
    with pytest.raises(ValueError, match=r".") as caught:
        read_row(text)
    return str(caught.value)


def test_row_is_one_line_with_its_key_first() -> None:
    """Lines sort by their keys, and letters of any language stay readable."""
    row = Row(KEY, "facets of zinc-01", {"text": 'Größe: "2 um"\n', "finish": "stop"})

    assert row.as_line() == (
        '{"key": "' + KEY + '", "reply": {"finish": "stop", "text": "Größe: \\"2 um\\"\\n"},'
        ' "topic": "facets of zinc-01"}'
    )


@pytest.mark.parametrize(
    ("character", "escape"),
    [
        ("\x00", "\\u0000"),
        ("\x1b", "\\u001b"),
        ("\x7f", "\\u007f"),
        ("\x85", "\\u0085"),
        ("\xad", "\\u00ad"),
        ("\u200b", "\\u200b"),
        ("\u2028", "\\u2028"),
        ("\u202e", "\\u202e"),
        ("\u2066", "\\u2066"),
        ("\ufeff", "\\ufeff"),
        ("\ud800", "\\ud800"),
        ("\U000e0041", "\\udb40\\udc41"),
    ],
)
def test_hidden_character_is_escaped(character: str, escape: str) -> None:
    """A reviewer sees what stands there, and a diff runs from left to right."""
    row = Row(KEY, f"a{character}b", {f"c{character}": "d"})

    assert f'"topic": "a{escape}b"' in row.as_line()
    assert f'{{"c{escape}": "d"}}' in row.as_line()
    assert read_row(row.as_line()) == row


def test_every_character_that_hides_is_known() -> None:
    """The list is written out so that all Pythons agree; here it is held against this one's."""
    hiding = {"Cc", "Cf", "Cs", "Zl", "Zp"}
    for number in range(0x110000):
        category = unicodedata.category(chr(number))
        if category != "Cn":  # one that this Python does not know yet
            assert (HIDDEN.match(chr(number)) is not None) == (category in hiding), hex(number)


@settings(max_examples=100, deadline=None)
@given(st.text(), REPLIES)
def test_row_comes_back_from_its_line(topic: str, reply: dict[str, object]) -> None:
    """What a model wrote is kept to the letter, on one line."""
    row = Row(KEY, topic, reply)

    assert read_row(row.as_line()) == row
    assert len(row.as_line().splitlines()) == 1


@settings(max_examples=200, deadline=None)
@given(st.text() | st.text(alphabet='{}[]",:0e-key\\u') | st.just(line()).map(lambda t: t[:-1]))
def test_any_text_is_a_row_or_refused(text: str) -> None:
    """Whatever stands in a file, reading it ends in one of two ways."""
    with pytest.raises(ValueError, match=r"."):
        read_row(text)


@pytest.mark.parametrize("key", ["", "a" * 63, "A" * 64, "g" * 64, "a" * 64 + "\n"])
def test_key_that_is_none_is_refused(key: str) -> None:
    """Such a row would never be found."""
    assert refused(line(key=key)).startswith("a row's key is 64 hex digits, and not '")
    with pytest.raises(ValueError, match="a row's key is 64 hex digits"):
        Row(key, "facets", {})


def test_spelling_does_not_matter() -> None:
    """Another program may write a row with other spaces, order and escapes."""
    text = '{"topic":"caf\\u00e9","reply":{"a":1},"key":"' + KEY + '"}'

    assert read_row(text) == Row(KEY, "café", {"a": 1})


def test_row_with_other_parts_is_refused() -> None:
    """A part nobody knows is a mistake, or from a version that knows more."""
    assert refused(line(extra=1)) == (
        "a row has 'key', 'reply' and 'topic', and this has 'extra', 'key', 'reply', 'topic'"
    )
    assert refused("{}") == "a row has 'key', 'reply' and 'topic', and this has nothing"


def test_wrong_types_are_refused() -> None:
    """A list is no reply, and a number is no text."""
    assert refused(line(key=3)) == "a row's key and topic are texts"
    assert refused(line(topic=None)) == "a row's key and topic are texts"
    assert refused(line(reply=["a"])) == "a row's reply is a JSON object"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[1]", "the line is no JSON object"),
        ('{"a": 1', "no JSON at column 8: Expecting ',' delimiter"),
        ("{} {}", "no JSON at column 4: Extra data"),
        ('{"a": NaN}', "NaN is no JSON number"),
        ('{"a": -Infinity}', "-Infinity is no JSON number"),
        ('{"a": 1e999}', "'1e999' is too large a number"),
        ('{"b": {"a": 1, "a": 1}}', "the key 'a' stands twice in one object"),
        ('{"a": "\u202e"}', "character 8 is hidden; it has to be written as \\u202e"),
        ('{"a":\t1}', "character 6 is hidden; it has to be written as \\t"),
        ("[" * 100_000, "the line is nested too deeply to be read"),
    ],
)
def test_line_that_is_no_strict_json_is_refused(text: str, message: str) -> None:
    """Python's reader would let most of these pass, and say nothing."""
    assert refused(text) == message


def test_fractions_come_back() -> None:
    """A logarithm of a probability is one, and must not be rounded."""
    row = Row(KEY, "", {"logprob": -0.1234567890123456, "tiny": 5e-324})

    assert read_row(row.as_line()) == row


def test_endless_number_is_refused() -> None:
    """Turning digits into a number takes long where they are many."""
    assert "4300" in refused('{"a": ' + "1" * 5000 + "}")


def test_number_that_json_has_not_is_not_written() -> None:
    """What could not be read again is an error when it is written."""
    with pytest.raises(ValueError, match="not JSON compliant"):
        Row(KEY, "", {"a": float("nan")}).as_line()

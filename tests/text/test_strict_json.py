from __future__ import annotations

import contextlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from summeval_pytest.text.strict_json import StrictJsonError, read_strict
from tests.json_values import JSON_VALUES


@pytest.mark.parametrize(
    ("text", "fault", "message"),
    [
        ('{"a": 1', "syntax", "no JSON at column 8: Expecting ',' delimiter; mend the line"),
        ("{} {}", "syntax", "no JSON at column 4: Extra data; mend the line"),
        ("hunter2", "syntax", "no JSON at column 1: Expecting value; mend the line"),
        ('{"b": {"a": 1, "a": 1}}', "twice",
         "the key 'a' stands twice in one object; delete one"),
        ('{"\u202e": 1, "\u202e": 1}', "twice",
         "the key '\\u202e' stands twice in one object; delete one"),
        ('{"a": NaN}', "constant",
         "'NaN' is no JSON number; write a finite number, or leave it out"),
        ("[-Infinity]", "constant",
         "'-Infinity' is no JSON number; write a finite number, or leave it out"),
        ("[-1e999]", "large",
         "the number '-1e999' is too large to be read; write a smaller one"),
        (f"1e{'9' * 41}", "large",
         f"the number '1e{'9' * 38}'... is too large to be read; write a smaller one"),
        ("9" * 5000, "digits",
         "this line holds a number with too many digits; shorten the number"),
        *((bomb, "deep", "this line is nested too deeply to be read; mend it") for bomb in (
            "[" * 100_000, '{"a":' * 100_000,
        )),
    ],
    ids=lambda value: value[:9],
)  # fmt: skip
def test_what_json_readers_disagree_about_is_refused(text: str, fault: str, message: str) -> None:
    """Two readers would see two values, or one would end; no more than a token is shown."""
    with pytest.raises(StrictJsonError) as caught:
        read_strict(text)
    assert (caught.value.fault, f"{caught.value}; {caught.value.remedy}") == (fault, message)


@given(JSON_VALUES, st.booleans())
def test_strict_reading_agrees_with_json_on_what_json_writes(value: object, plain: bool) -> None:
    """Strictness refuses, it never changes."""
    assert read_strict(json.dumps(value, ensure_ascii=plain)) == value


@given(st.text())
def test_any_text_is_json_or_a_strict_json_error(text: str) -> None:
    """No other exception comes out of a text."""
    with contextlib.suppress(StrictJsonError):
        read_strict(text)

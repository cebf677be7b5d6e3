from __future__ import annotations

import contextlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from syrupy.assertion import SnapshotAssertion

from summeval_pytest.text.strict_json import StrictJsonError, read_strict
from tests.json_values import JSON_VALUES


def test_what_json_readers_disagree_about_is_refused(snapshot: SnapshotAssertion) -> None:
    """Two readers would see two values, or one would end; no more than a token is shown."""
    texts = [
        '{"a": 1', "{} {}", "hunter2", '{"b": {"a": 1, "a": 1}}', '{"\u202e": 1, "\u202e": 1}',
        '{"a": NaN}', "[-Infinity]", "[-1e999]", f"1e{'9' * 41}", "9" * 5000, "[" * 100_000,
        '{"a":' * 100_000,
    ]  # fmt: skip
    faults = []
    for text in texts:
        with pytest.raises(StrictJsonError) as caught:
            read_strict(text)
        faults.append((caught.value.fault, f"{caught.value}; {caught.value.remedy}"))
    assert faults == snapshot


@given(JSON_VALUES, st.booleans())
def test_strict_reading_agrees_with_json_on_what_json_writes(value: object, plain: bool) -> None:
    """Strictness refuses, it never changes."""
    assert read_strict(json.dumps(value, ensure_ascii=plain)) == value


@given(st.text())
def test_any_text_is_json_or_a_strict_json_error(text: str) -> None:
    """No other exception comes out of a text."""
    with contextlib.suppress(StrictJsonError):
        read_strict(text)

from __future__ import annotations

import hashlib
import json
import math
import os
import tempfile
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from syrupy.assertion import SnapshotAssertion

from summeval_pytest.errors import SuiteError
from summeval_pytest.store.cassette import (
    HIDDEN,
    Row,
    read_cassette,
    read_row,
    request_key,
    write_cassette,
)
from tests.json_values import JSON_OBJECTS

KEY = "0123456789abcdef" * 4
KEYS = st.integers(0, 2**256 - 1).map(lambda number: f"{number:064x}")
REPLIES = st.dictionaries(
    st.text(), st.text() | st.none() | st.integers() | st.lists(st.integers()), max_size=4
)


def line(**changes: object) -> str:
    """A row's line in Python's own spelling, with some of its parts changed."""
    return json.dumps({"key": KEY, "reply": {}, "topic": "facets", **changes})


def test_hidden_character_is_escaped() -> None:
    """A reviewer sees what stands there, and a diff runs from left to right."""
    for character, escape in (
        ("\x1b", "\\u001b"),
        ("\xad", "\\u00ad"),
        ("\u2028", "\\u2028"),
        ("\u202e", "\\u202e"),
        ("\U000e0041", "\\udb40\\udc41"),
    ):
        row = Row(KEY, f"a{character}b", {f"c{character}": "d"})
        assert f'"topic": "a{escape}b"' in row.as_line()
        assert f'{{"c{escape}": "d"}}' in row.as_line()
        assert read_row(row.as_line()) == row


def test_every_character_that_hides_is_known() -> None:
    """The list is written out so that all Pythons agree; here it is held against this one's."""
    hiding = {"Cc", "Cf", "Cs", "Zl", "Zp"}
    # Cn is a character that this Python does not know yet.
    known = {c: of for c in map(chr, range(0x110000)) if (of := unicodedata.category(c)) != "Cn"}
    hidden = {character for character, category in known.items() if category in hiding}
    assert set(HIDDEN.findall("".join(known))) == hidden


@settings(max_examples=20, deadline=None)
@given(st.text() | st.text(alphabet='{}[]",:0e-key\\u') | st.just(line()).map(lambda t: t[:-1]))
def test_any_text_is_a_row_or_no_row(text: str) -> None:
    """Whatever stands in a file, reading it ends in one of two ways."""
    with pytest.raises(ValueError, match=r"."):
        read_row(text)


def test_line_that_is_no_row_says_why(snapshot: SnapshotAssertion) -> None:
    """Python's reader would let most of these pass, and such a row would never be found."""
    parts: list[dict[str, object]] = [
        {"extra": 1}, {"key": 3}, {"topic": None}, {"reply": ["a"]}, {"key": ""},
        {"key": "a" * 63}, {"key": "A" * 64}, {"key": "a" * 64 + "\n"},
    ]  # fmt: skip
    texts = ['{"key": 1}', "{}", "[1]", '{"a": NaN}', '{"a": "\u202e"}', '{"a":\t1}']
    messages = []
    for text in [*texts, *(line(**changes) for changes in parts)]:
        with pytest.raises(ValueError, match=r".") as caught:
            read_row(text)
        messages.append(str(caught.value))
    assert messages == snapshot


A, B, C = "a" * 64, "b" * 64, "c" * 64
ROWS = (
    Row(A, "facets of zinc-01", {"text": "Zinc helps."}),
    Row(B, "facts of zinc-01", {"text": "Größe\u202e"}),
    Row(C, "facts of zinc-02", {}),
)
TEXT = f"""\
{{"key": "{A}", "reply": {{"text": "Zinc helps."}}, "topic": "facets of zinc-01"}}
{{"key": "{B}", "reply": {{"text": "Größe\\u202e"}}, "topic": "facts of zinc-01"}}
{{"key": "{C}", "reply": {{}}, "topic": "facts of zinc-02"}}
"""

NAME = "golden/cassette.jsonl"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the cassette is."""
    return tmp_path / "cassette.jsonl"


def refused(path: Path, content: bytes) -> str:
    """The message for a file that is no cassette."""
    path.write_bytes(content)
    with pytest.raises(SuiteError) as caught:
        read_cassette(path, NAME)
    return str(caught.value)


def test_cassette_has_sorted_lines_and_the_digest_of_its_bytes(path: Path) -> None:
    """A diff shows what is new, and not who was faster; `sha256sum` tells the same digest."""
    digest = write_cassette(path, ROWS[::-1])
    assert path.read_text(encoding="utf-8") == TEXT
    assert digest == hashlib.sha256(TEXT.encode()).hexdigest()
    cassette = read_cassette(path, "x")
    assert (tuple(cassette.rows.values()), cassette.sha256) == (ROWS, digest)
    # A checkout on Windows is the same cassette.
    for start in (b"", b"\xef\xbb\xbf"):
        path.write_bytes(start + TEXT.encode().replace(b"\n", b"\r\n"))
        cassette = read_cassette(path, "x")
        assert (tuple(cassette.rows.values()), cassette.sha256) == (ROWS, digest)


def test_two_rows_with_one_key_are_refused(path: Path) -> None:
    """Which of them holds is not for the writer to say."""
    with pytest.raises(ValueError, match=f"two different rows have the key {A}"):
        write_cassette(path, (*ROWS, Row(A, "facets of zinc-01", {"text": "other"})))
    assert not path.exists()


def test_unused_rows_are_those_nobody_asked_for(path: Path) -> None:
    """They are reported, as they may be left from an older prompt."""
    write_cassette(path, ROWS)
    cassette = read_cassette(path, "x")
    assert cassette.unused({B}) == (ROWS[0], ROWS[2])
    assert cassette.unused({A, B, C, "d" * 64}) == ()
    assert cassette.unused(()) == ROWS


def test_a_line_that_is_no_row_is_refused_with_its_number(
    path: Path, snapshot: SnapshotAssertion
) -> None:
    """The mistake can be found in an editor.

    Another encoding would give other texts; a checkout without git-lfs holds a pointer.
    """
    messages = []
    for number, line in (
        *((2, "{}"), (3, '{"key"'), (1, ""), (4, ""), (1, "<<<<<<< HEAD"), (2, "=======")),
        *((3, ">>>>>>> \x1b"), (2, "||||||| base"), (2, ROWS[0].as_line()), (3, ROWS[0].as_line())),
    ):
        lines = TEXT.splitlines()
        lines.insert(number - 1, line)
        messages.append(refused(path, "".join(f"{line}\n" for line in lines).encode()))
        assert messages[-1].startswith(f"{NAME}:{number}: ")
    pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n"
    messages += [refused(path, content) for content in (TEXT.encode("latin-1"), pointer)]
    assert messages == snapshot


def test_failed_writing_leaves_the_old_file(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A full disk must not cost what was recorded; nothing is made beside what the user named."""
    link = path.with_name("link.jsonl")
    link.symlink_to(path)
    write_cassette(link, ROWS)
    assert link.is_symlink()
    assert len(read_cassette(path, "x").rows) == 3
    link.unlink()
    with pytest.raises(SuiteError) as caught:
        write_cassette(path.parent / "a" / "cassette.jsonl", ROWS)
    assert str(caught.value) == (
        f"{path.parent}/a/cassette.jsonl: 'cassette.jsonl' cannot be written (No such file or"
        " directory); make its folder writable"
    )

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(SuiteError, match="No space left on device"):
        write_cassette(path, ROWS[:1])
    assert path.read_text(encoding="utf-8") == TEXT
    assert list(path.parent.iterdir()) == [path]


@settings(max_examples=20, deadline=None)
@given(st.dictionaries(KEYS, st.tuples(st.text(), REPLIES), max_size=5))
def test_any_rows_come_back(parts: dict[str, tuple[str, dict[str, object]]]) -> None:
    """Any text of any model is kept to the letter, and the bytes are the same again."""
    rows = [Row(key, topic, reply) for key, (topic, reply) in parts.items()]
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "cassette.jsonl"
        digest = write_cassette(path, rows)
        cassette = read_cassette(path, "x")
        assert dict(cassette.rows) == {row.key: row for row in rows}
        assert list(cassette.rows) == sorted(parts)
        assert write_cassette(path, cassette.rows.values()) == digest == cassette.sha256


def test_key_is_the_digest_of_canonical_json() -> None:
    """Another program can find a row, and a change of the form would show here."""
    text = '{"a":[1,true,null],"b":"\\u00e9"}'  # sorted, no spaces, ASCII
    expected = hashlib.sha256(text.encode()).hexdigest()
    assert request_key({"b": "é", "a": [1, True, None]}) == expected
    # A temperature of 0 and one of 0.0 are the same request.
    zeros = {request_key({"temperature": zero}) for zero in (0, 0.0, -0.0)}
    assert len(zeros) == 1
    assert request_key({"temperature": 0.5}) not in zeros


@pytest.mark.parametrize(
    ("identity", "error", "message"),
    [
        *(({"a": [n]}, ValueError, "not JSON compliant") for n in (math.nan, math.inf, -math.inf)),
        ({"a": {1}}, TypeError, r"\{1\} is no JSON value"),
        ({"a": {1: 2}}, TypeError, r"\{1: 2\} is no JSON value"),
    ],
)
def test_what_json_has_not_is_refused(
    identity: dict[str, object], error: type[Exception], message: str
) -> None:
    """A set has no order, NaN makes a key that nobody else can make, and a name is a text."""
    with pytest.raises(error, match=message):
        request_key(identity)
    if error is ValueError:
        with pytest.raises(error, match=message):
            Row(KEY, "", identity).as_line()


@given(JSON_OBJECTS)
def test_key_is_64_hex_digits_and_the_same_again(identity: dict[str, object]) -> None:
    """Whatever stands in a request, its row can be found again."""
    key = request_key(identity)
    assert len(key) == 64
    assert set(key) <= set("0123456789abcdef")
    assert request_key(dict(reversed(identity.items()))) == key

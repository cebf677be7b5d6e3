from __future__ import annotations

import hashlib
import json
import os
import tempfile
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from summeval_pytest.errors import Place, SuiteError
from summeval_pytest.store.cassette import HIDDEN, Row, read_cassette, read_row, write_cassette

KEY = "0123456789abcdef" * 4
KEYS = st.integers(0, 2**256 - 1).map(lambda number: f"{number:064x}")

REPLIES = st.dictionaries(
    st.text(), st.text() | st.none() | st.integers() | st.lists(st.integers()), max_size=4
)


def line(**changes: object) -> str:
    """A row's line in Python's own spelling, with some of its parts changed."""
    return json.dumps({"key": KEY, "reply": {}, "topic": "facets", **changes})


def no_row(text: str) -> str:
    """The message for a line that is no row."""
    with pytest.raises(ValueError, match=r".") as caught:
        read_row(text)
    return str(caught.value)


@pytest.mark.parametrize(
    ("character", "escape"),
    [
        ("\x1b", "\\u001b"),
        ("\xad", "\\u00ad"),
        ("\u2028", "\\u2028"),
        ("\u202e", "\\u202e"),
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


@settings(max_examples=60, deadline=None)
@given(st.text() | st.text(alphabet='{}[]",:0e-key\\u') | st.just(line()).map(lambda t: t[:-1]))
def test_any_text_is_a_row_or_no_row(text: str) -> None:
    """Whatever stands in a file, reading it ends in one of two ways."""
    with pytest.raises(ValueError, match=r"."):
        read_row(text)


@pytest.mark.parametrize("key", ["", "a" * 63, "A" * 64, "g" * 64, "a" * 64 + "\n"])
def test_key_that_is_none_is_no_row(key: str) -> None:
    """Such a row would never be found."""
    assert no_row(line(key=key)).startswith("a row's key is 64 hex digits, and not '")
    with pytest.raises(ValueError, match="a row's key is 64 hex digits"):
        Row(key, "facets", {})


def test_row_with_other_parts_is_no_row() -> None:
    """A part nobody knows is a mistake, or from a version that knows more."""
    assert no_row(line(extra=1)) == (
        "a row has 'key', 'reply' and 'topic', and this has 'extra', 'key', 'reply', 'topic'"
    )
    assert no_row("{}") == "a row has 'key', 'reply' and 'topic', and this has nothing"


def test_wrong_types_are_no_row() -> None:
    """A list is no reply, and a number is no text."""
    assert no_row(line(key=3)) == "a row's key and topic are texts"
    assert no_row(line(topic=None)) == "a row's key and topic are texts"
    assert no_row(line(reply=["a"])) == "a row's reply is a JSON object"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[1]", "the line is no JSON object"),
        ("{} {}", "no JSON at column 4: Extra data"),
        ('{"a": NaN}', "'NaN' is no JSON number"),
        ('{"a": "\u202e"}', "character 8 is hidden; it has to be written as \\u202e"),
        ('{"a":\t1}', "character 6 is hidden; it has to be written as \\t"),
    ],
)
def test_line_that_is_no_strict_json_is_no_row(text: str, message: str) -> None:
    """Python's reader would let most of these pass, and say nothing."""
    assert no_row(text) == message


def test_number_that_json_has_not_is_not_written() -> None:
    """What could not be read again is an error when it is written."""
    with pytest.raises(ValueError, match="not JSON compliant"):
        Row(KEY, "", {"a": float("nan")}).as_line()


# A file of rows

A, B, C = "a" * 64, "b" * 64, "c" * 64
ROWS = (
    Row(A, "facets of zinc-01", {"text": "Zinc helps."}),
    Row(B, "facts of zinc-01", {"text": "Größe\u202e"}),
    Row(C, "facts of zinc-02", {}),
)

AGAIN = "delete the line and record it again"
SORT = "sort the lines, as with 'LC_ALL=C sort -u'"
CONFLICT = "marks a merge conflict; keep the lines of both sides, sorted, and delete the marks"


def written(path: Path) -> str:
    """A cassette of three rows, as text."""
    write_cassette(path, ROWS)
    return path.read_text(encoding="utf-8")


def refused(path: Path, content: str | bytes) -> str:
    """The message for a file that is no cassette."""
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(SuiteError) as caught:
        read_cassette(path, "golden/cassette.jsonl")
    return str(caught.value)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the cassette is."""
    return tmp_path / "cassette.jsonl"


def test_cassette_is_read_as_it_was_written(path: Path) -> None:
    """A replay sees what the recording saw."""
    write_cassette(path, ROWS)

    cassette = read_cassette(path, "golden/cassette.jsonl")

    assert tuple(cassette.rows.values()) == ROWS
    assert cassette.get(B) == ROWS[1]
    assert cassette.get("d" * 64) is None


def test_digest_is_of_the_bytes(path: Path) -> None:
    """`sha256sum` tells the same, so a report's figure can be checked by hand."""
    digest = write_cassette(path, ROWS)

    assert digest == hashlib.sha256(path.read_bytes()).hexdigest()
    assert read_cassette(path, "x").sha256 == digest


@pytest.mark.parametrize("start", [b"", b"\xef\xbb\xbf"], ids=["plain", "mark"])
def test_a_checkout_on_windows_is_the_same_cassette(path: Path, start: bytes) -> None:
    """Its rows replay, and reports tell the digest that the committed file has."""
    digest = write_cassette(path, ROWS)
    path.write_bytes(start + path.read_bytes().replace(b"\n", b"\r\n"))

    cassette = read_cassette(path, "x")

    assert (tuple(cassette.rows.values()), cassette.sha256) == (ROWS, digest)


def test_lines_are_sorted_whatever_the_order_of_rows(path: Path) -> None:
    """A diff shows what is new, and not who was faster."""
    text = written(path)

    write_cassette(path, ROWS[::-1])

    assert path.read_text(encoding="utf-8") == text
    assert text.splitlines()[1] == (
        f'{{"key": "{B}", "reply": {{"text": "Größe\\u202e"}}, "topic": "facts of zinc-01"}}'
    )
    assert text.splitlines() == sorted(text.splitlines())


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


def test_place_of_a_row_is_its_line(path: Path) -> None:
    """A report can point at it."""
    write_cassette(path, ROWS)

    place = read_cassette(path, "golden/cassette.jsonl").place(B)

    assert place == Place("golden/cassette.jsonl", 2)


@pytest.mark.parametrize(
    ("number", "line", "message"),
    [
        (2, "{}", f"a row has 'key', 'reply' and 'topic', and this has nothing; {AGAIN}"),
        (3, '{"key"', f"no JSON at column 7: Expecting ':' delimiter; {AGAIN}"),
        (1, "", "this line is blank; delete it"),
        (4, "", "this line is blank; delete it"),
        (1, "<<<<<<< HEAD", f"'<<<<<<<' {CONFLICT}"),
        (2, "=======", f"'=======' {CONFLICT}"),
        (3, ">>>>>>> \x1b", f"'>>>>>>>' {CONFLICT}"),
        (2, "||||||| base", f"'|||||||' {CONFLICT}"),
        (2, ROWS[0].as_line(), f"the key {A} stands on the line before, too; delete one of them"),
        (3, ROWS[0].as_line(), f"the key {A} stands after {B}; {SORT}"),
    ],
)
def test_line_that_is_no_row_is_refused_with_its_number(
    path: Path, number: int, line: str, message: str
) -> None:
    """The mistake can be found in an editor."""
    lines = written(path).splitlines()
    lines.insert(number - 1, line)

    assert refused(path, "".join(f"{line}\n" for line in lines)) == (
        f"golden/cassette.jsonl:{number}: {message}"
    )


def test_bytes_that_are_no_text_are_refused(path: Path) -> None:
    """Another encoding would give other texts."""
    assert refused(path, written(path).encode("latin-1")) == (
        "golden/cassette.jsonl:2: byte 98 of this line is not UTF-8; save as UTF-8"
    )


def test_pointer_to_a_large_file_is_said(path: Path) -> None:
    """A checkout without git-lfs holds only this."""
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n"

    assert refused(path, pointer) == (
        "golden/cassette.jsonl:1: 'golden/cassette.jsonl' is a git-lfs pointer and not the file"
        " itself; run 'git lfs pull'"
    )


def test_folder_that_is_missing_is_said(path: Path) -> None:
    """Nothing is made beside what the user named."""
    with pytest.raises(SuiteError) as caught:
        write_cassette(path / "a" / "cassette.jsonl", ROWS)
    assert str(caught.value) == (
        f"{path}/a/cassette.jsonl: 'cassette.jsonl' cannot be written (No such file or directory);"
        " make its folder writable"
    )


def test_failed_writing_leaves_the_old_file(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A full disk must not cost what was recorded."""
    text = written(path)

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(SuiteError, match="No space left on device"):
        write_cassette(path, ROWS[:1])

    assert path.read_text(encoding="utf-8") == text
    assert list(path.parent.iterdir()) == [path]


def test_cassette_behind_a_link_is_replaced_itself(path: Path, tmp_path: Path) -> None:
    """The link stays one."""
    (tmp_path / "link.jsonl").symlink_to(path)

    write_cassette(tmp_path / "link.jsonl", ROWS)

    assert (tmp_path / "link.jsonl").is_symlink()
    assert len(read_cassette(path, "x").rows) == 3


@settings(max_examples=60, deadline=None)
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

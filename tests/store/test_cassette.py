from __future__ import annotations

import hashlib
import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from summeval_pytest.errors import Place, SuiteError
from summeval_pytest.store.cassette import Row, read_cassette, write_cassette

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


def test_row_given_twice_is_written_once(path: Path) -> None:
    """The cassette and the cache under it may both hold it."""
    write_cassette(path, (*ROWS, ROWS[0]))

    assert path.read_text(encoding="utf-8").count(A) == 1


def test_two_rows_with_one_key_are_refused(path: Path) -> None:
    """Which of them holds is not for the writer to say."""
    with pytest.raises(ValueError, match=f"two different rows have the key {A}"):
        write_cassette(path, (*ROWS, Row(A, "facets of zinc-01", {"text": "other"})))
    assert not path.exists()


def test_no_row_makes_an_empty_file(path: Path) -> None:
    """It is a cassette, too."""
    assert write_cassette(path, ()) == hashlib.sha256(b"").hexdigest()
    assert path.read_bytes() == b""
    assert len(read_cassette(path, "x").rows) == 0


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


def test_missing_line_end_at_the_end_is_fine(path: Path) -> None:
    """An editor may have taken it."""
    path.write_text(written(path).rstrip("\n"), encoding="utf-8")

    assert len(read_cassette(path, "x").rows) == 3


def test_cassette_is_read_where_nothing_can_be_written(path: Path) -> None:
    """A checkout may be read-only."""
    write_cassette(path, ROWS)
    path.chmod(0o400)
    path.parent.chmod(0o500)
    try:
        assert len(read_cassette(path, "x").rows) == 3
    finally:
        path.parent.chmod(0o700)
    assert list(path.parent.iterdir()) == [path]


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


def test_missing_file_is_said(path: Path) -> None:
    """No cassette is not an empty one."""
    with pytest.raises(SuiteError) as caught:
        read_cassette(path, "golden/cassette.jsonl")
    assert str(caught.value) == (
        "golden/cassette.jsonl: 'golden/cassette.jsonl' cannot be read (No such file or"
        " directory); make it readable"
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


def test_reader_of_the_old_file_reads_it_to_its_end(path: Path) -> None:
    """A run that is reading must not see half of one file and half of another."""
    text = written(path)

    with path.open(encoding="utf-8") as reader:
        write_cassette(path, ROWS[:1])
        assert reader.read() == text
    assert len(read_cassette(path, "x").rows) == 1


def test_cassette_behind_a_link_is_replaced_itself(path: Path, tmp_path: Path) -> None:
    """The link stays one."""
    (tmp_path / "link.jsonl").symlink_to(path)

    write_cassette(tmp_path / "link.jsonl", ROWS)

    assert (tmp_path / "link.jsonl").is_symlink()
    assert len(read_cassette(path, "x").rows) == 3


def test_new_cassette_has_a_new_files_permissions(path: Path) -> None:
    """It is committed and read by others, unlike the store."""
    before = os.umask(0o022)
    try:
        write_cassette(path, ROWS)
    finally:
        os.umask(before)

    assert path.stat().st_mode & 0o777 == 0o644


KEYS = st.integers(0, 2**256 - 1).map(lambda number: f"{number:064x}")
REPLIES = st.dictionaries(st.text(), st.text() | st.none() | st.integers(), max_size=3)


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

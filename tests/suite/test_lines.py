from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.suite.conftest import Golden


@pytest.mark.parametrize("name", ["papers.jsonl", "systems/careful.jsonl", "labels.jsonl"])
def test_crlf_line_end_in_json_lines_is_refused(golden: Golden, name: str) -> None:
    """Git on Windows would otherwise change the bytes that offsets point into."""
    sound = (golden.path / name).read_bytes()
    golden.write(name, sound.replace(b"\n", b"\r\n"))

    assert golden.mistake() == (
        rf"golden/{name}:1: this line ends with '\r\n'; save the file with LF line ends"
        " (for git: '*.jsonl text eol=lf' in .gitattributes)"
    )


def test_crlf_line_end_in_the_suite_file_is_refused(golden: Golden) -> None:
    """The rule is the same for every file of a suite."""
    golden.spoil("summeval.toml", 'labels = "labels.jsonl"\n', 'labels = "labels.jsonl"\r\n')

    assert golden.mistake() == (
        r"golden/summeval.toml:2: this line ends with '\r\n'; save the file with LF line ends"
        " (for git: '*.toml text eol=lf' in .gitattributes)"
    )


@pytest.mark.parametrize("name", ["summeval.toml", "papers.jsonl"])
def test_byte_order_mark_is_refused(golden: Golden, name: str) -> None:
    """An invisible character before the first one is named, not called bad JSON."""
    golden.write(name, b"\xef\xbb\xbf" + (golden.path / name).read_bytes())

    assert golden.mistake() == (
        rf"golden/{name}:1: this line starts with a byte order mark, '\ufeff';"
        " save the file as UTF-8 without one"
    )


@pytest.mark.parametrize(
    ("name", "old", "place"),
    [
        ("papers.jsonl", b"Nothing", "papers.jsonl:2: byte 62"),
        ("summeval.toml", b"labels", "summeval.toml:2: byte 1"),
    ],
)
def test_bad_utf_8_is_refused_at_its_line(
    golden: Golden, name: str, old: bytes, place: str
) -> None:
    """A Latin-1 letter is found by line and byte."""
    golden.write(name, (golden.path / name).read_bytes().replace(old, b"\xe9", 1))

    assert golden.mistake() == (
        f"golden/{place} of this line, b'\\xe9', is not UTF-8; save as UTF-8"
    )

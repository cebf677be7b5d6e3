from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from summeval_pytest.suite.suite import Suite
    from tests.suite.conftest import Golden


LLAMA = """
[endpoints.box]
base_url = "http://localhost:1/v1"
[systems.llama3]
endpoint = "box"
model = "llama3"
prompt = "prompt.txt"
"""


def read_whole(suite: Suite) -> tuple[object, ...]:
    """Everything that a suite's files say, each text with its line."""
    recorded = [name for name, spec in suite.systems.items() if spec.endpoint is None]
    return (
        suite.fingerprint,
        [suite.paper(paper) for paper in suite.paper_ids],
        [suite.pair(paper, "careful") for paper in suite.paper_ids],
        suite.systems,
        recorded,
        suite.labels,
        suite.thresholds,
        list(suite.recorded),
    )


@pytest.mark.parametrize("start", [b"", b"\xef\xbb\xbf"], ids=["plain", "mark"])
@pytest.mark.parametrize("end", [b"\n", b"\r\n"], ids=["LF", "CRLF"])
def test_a_checkout_on_windows_reads_as_any_other(golden: Golden, start: bytes, end: bytes) -> None:
    """Texts, lines, prompts and the fingerprint are the same, so verdicts compare."""
    golden.write("prompt.txt", "Say it shortly.\n\n{source}\n")
    golden.spoil("summeval.toml", "[thresholds]\n", f"{LLAMA}\n[thresholds]\n")
    before = read_whole(golden.load())
    for file in golden.path.rglob("*.*"):
        file.write_bytes(start + file.read_bytes().replace(b"\n", end))

    assert read_whole(golden.load()) == before


def test_a_mistake_behind_a_byte_order_mark_has_its_line(golden: Golden) -> None:
    """The lines of a file from Windows are counted as an editor counts them."""
    sound = (golden.path / "papers.jsonl").read_bytes().replace(b"\n", b"\r\n")
    golden.write("papers.jsonl", b"\xef\xbb\xbf" + sound + b"{no}\r\n")

    assert golden.mistake().startswith("golden/papers.jsonl:3: no JSON at column 2: ")


def test_a_file_of_a_mark_alone_is_empty(golden: Golden) -> None:
    """Some editors save nothing so."""
    golden.write("papers.jsonl", b"\xef\xbb\xbf")

    assert (
        golden.mistake()
        == "golden/papers.jsonl: 'golden/papers.jsonl' has no paper; write one a line"
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

    assert golden.mistake() == (f"golden/{place} of this line is not UTF-8; save as UTF-8")

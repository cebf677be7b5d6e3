from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from summeval_pytest.errors import Place, SuiteError
from summeval_pytest.suite.lines import TextFile, closest, read_json, read_lines

if TYPE_CHECKING:
    from pathlib import Path

    from syrupy.assertion import SnapshotAssertion

    from summeval_pytest.suite.suite import Suite
    from tests.suite.conftest import Golden

HERE = Place("papers.jsonl", 3)


def refused(text: str) -> str:
    """The message for a text that is no strict JSON."""
    with pytest.raises(SuiteError) as caught:
        read_json(text, HERE)
    return str(caught.value)


def test_bad_json_is_refused_with_line_and_column(
    golden: Golden, snapshot: SnapshotAssertion
) -> None:
    """The mistake can be found in an editor."""
    golden.spoil("papers.jsonl", '"zinc-02",', '"zinc-02"')

    assert golden.mistake() == snapshot


@pytest.mark.parametrize("text", ["[1, 2]", "3", "null", '"zinc"'])
def test_json_line_that_is_no_object_is_refused(
    golden: Golden, text: str, snapshot: SnapshotAssertion
) -> None:
    """Every line has keys."""
    golden.write("papers.jsonl", f"{text}\n")

    assert golden.mistake() == snapshot


@pytest.mark.parametrize("blank", ["\n", "  \t\n", "\n\n"])
def test_blank_line_in_the_middle_is_refused(golden: Golden, blank: str) -> None:
    """A gap is more likely a lost line than an intention."""
    golden.spoil("papers.jsonl", "\n{", f"\n{blank}{{")

    assert golden.mistake() == ("golden/papers.jsonl:2: this line is blank ('\\n'); delete it")


def test_blank_lines_at_the_end_are_fine(golden: Golden) -> None:
    """Editors leave them, and nothing can be lost there."""
    golden.write("papers.jsonl", (golden.path / "papers.jsonl").read_bytes() + b"\n \n\n")

    assert golden.load().paper_ids == ("zinc-01", "zinc-02")


def test_key_that_stands_twice_in_one_object_is_refused(
    golden: Golden, snapshot: SnapshotAssertion
) -> None:
    """Python would keep the last one and say nothing."""
    golden.spoil("papers.jsonl", '"id": "zinc-02"', '"id": "zinc-03", "id": "zinc-02"')

    assert golden.mistake() == snapshot


@pytest.mark.parametrize("name", ["NaN", "Infinity", "-Infinity"])
def test_numbers_that_json_does_not_have_are_refused(
    golden: Golden, name: str, snapshot: SnapshotAssertion
) -> None:
    """A label of NaN would poison every mean."""
    golden.spoil("labels.jsonl", "0.5", name)

    assert golden.mistake() == snapshot


@pytest.mark.parametrize("number", ["1e999", "-1e999"])
@pytest.mark.parametrize("key", ["overall", "x_note"])
def test_number_beyond_floats_is_refused(
    golden: Golden, number: str, key: str, snapshot: SnapshotAssertion
) -> None:
    """Infinity does not get in by another spelling, or out of a note that is carried along."""
    golden.spoil("labels.jsonl", '"overall": 0.5', f'"x_a": 0.5, "{key}": {number}')

    assert golden.mistake() == snapshot


@pytest.mark.parametrize("content", ["hunter2-s3cret", '{"k": hunter2', '"hunter2"', "[" * 9999])
@pytest.mark.parametrize("name", ["papers", "systems/careful", "labels", "recorded"])
def test_what_is_no_json_is_not_shown(golden: Golden, name: str, content: str) -> None:
    """The file may be another than the suite's author should see, as one with a password."""
    golden.write(f"{name}.jsonl", content)

    told = golden.mistake()
    assert told.startswith(f"golden/{name}.jsonl:1: ")
    assert "hunter2" not in told
    assert "[[" not in told


def test_half_a_surrogate_pair_is_refused(snapshot: SnapshotAssertion) -> None:
    """Such a text could be neither hashed nor printed."""
    assert refused('{"id": "\\ud83d"}') == snapshot
    assert read_json(r'"\ud83d\ude00"', HERE) == "\N{GRINNING FACE}"


def test_unreadable_file_is_a_suite_error(tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    """A folder in place of a file is the user's mistake, not a crash."""
    with pytest.raises(SuiteError) as caught:
        list(read_lines(TextFile(tmp_path, "golden/papers.jsonl")))

    assert str(caught.value) == snapshot


BOX = """
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
    golden.spoil("summeval.toml", "[thresholds]\n", f"{BOX}\n[thresholds]\n")
    before = read_whole(golden.load())
    for file in golden.path.rglob("*.*"):
        file.write_bytes(start + file.read_bytes().replace(b"\n", end))

    assert read_whole(golden.load()) == before


def test_a_mistake_behind_a_byte_order_mark_has_its_line(golden: Golden) -> None:
    """The lines of a file from Windows are counted as an editor counts them."""
    sound = (golden.path / "papers.jsonl").read_bytes().replace(b"\n", b"\r\n")
    golden.write("papers.jsonl", b"\xef\xbb\xbf" + sound + b"{no}\r\n")

    assert golden.mistake().startswith("golden/papers.jsonl:3: no JSON at column 2: ")


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


UNFIT = [
    "a b", "a\u00a0b", "a\u2028", "a\u0000b", "a\u200bb", "p1[b]", "b]", "a|b", "a::b", ":b", "b:",
]  # fmt: skip


@pytest.mark.parametrize("name", UNFIT)
def test_paper_id_that_no_node_id_can_hold_is_refused(
    golden: Golden, name: str, snapshot: SnapshotAssertion
) -> None:
    """Such a paper could be neither selected nor run again by pytest."""
    golden.lines("papers.jsonl", {"id": name, "source": "a", "reference": "b"})

    assert golden.mistake() == snapshot


@pytest.mark.parametrize("name", ["judge", "metamorphic"])
def test_reserved_system_name_is_refused(
    golden: Golden, name: str, snapshot: SnapshotAssertion
) -> None:
    """These items of a suite are no systems."""
    golden.spoil("summeval.toml", "[systems.terse]", f"[systems.{name}]")

    assert golden.mistake() == snapshot


def test_overlong_name_is_refused(golden: Golden, snapshot: SnapshotAssertion) -> None:
    """A node id is also a file name in some reports."""
    golden.spoil("papers.jsonl", "zinc-02", "z" * 201)

    assert golden.mistake() == snapshot


def test_name_with_a_slash_or_an_accent_is_fine(golden: Golden) -> None:
    """DOIs are names of papers."""
    golden.lines(
        "papers.jsonl",
        {"id": "10.1000/zinc:1", "source": "a", "reference": "b"},
        {"id": "na\u00efve", "source": "a", "reference": "b"},
    )
    golden.write("summeval.toml", 'papers = "papers.jsonl"\n[systems.a]\nsummaries = "a.jsonl"\n')
    golden.lines(
        "a.jsonl", *({"paper": name, "summary": "c"} for name in ("na\u00efve", "10.1000/zinc:1"))
    )

    assert golden.load().paper_ids == ("10.1000/zinc:1", "na\u00efve")


def test_long_list_of_known_names_is_cut() -> None:
    """A suite of 10,000 papers does not fill the screen with their names."""
    assert closest("x", ["b", "a"]) == "known: a, b"
    assert closest("x", [f"p{number:02}" for number in range(20)]) == (
        "known: p00, p01, p02, p03, p04, p05, p06, p07, p08, p09, p10, p11 and 8 more"
    )
    assert closest("p-07", [f"p{number:02}" for number in range(20)]) == "did you mean 'p07'?"

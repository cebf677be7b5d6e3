from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from summeval_pytest.errors import SuiteError
from summeval_pytest.suite.lines import TextFile, key_lines, read_lines
from summeval_pytest.suite.suite import Suite
from tests.suite.conftest import Golden


def test_mistakes_in_lines_have_file_and_line(golden: Golden, snapshot: SnapshotAssertion) -> None:
    """Found in an editor; a NaN would poison every mean, and a gap may be a lost line."""
    papers = [
        ('"zinc-02",', '"zinc-02"'),
        *(("\n{", f"\n{blank}{{") for blank in ("\n", "  \t\n", "\n\n")),
        ('"id": "zinc-02"', '"id": "zinc-03", "id": "zinc-02"'),
        ("Nothing", "\\ud83d"),
        *(f"{text}\n" for text in ("[1, 2]", "3", "null", '"zinc"', "[" * 100_000)),
    ]
    messages = golden.mistakes("papers.jsonl", papers)
    numbers = ("0.5", "NaN"), ("0.5", "-Infinity"), ("0.5", '1, "x_note": 1e999')
    messages |= golden.mistakes("labels.jsonl", numbers)
    assert list(messages.values()) == snapshot


@pytest.mark.parametrize("content", ["hunter2-s3cret", '{"k": hunter2', '"hunter2"', "[" * 9999])
@pytest.mark.parametrize("name", ["papers", "systems/careful", "labels"])
def test_what_is_no_json_is_not_shown(golden: Golden, name: str, content: str) -> None:
    """The file may be another than the suite's author should see, as one with a password."""
    golden.write(f"{name}.jsonl", content)
    message = golden.mistake()
    assert message.startswith(f"golden/{name}.jsonl:1: ")
    assert "hunter2" not in message
    assert "[[" not in message


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
    )


@pytest.mark.parametrize("start", [b"", b"\xef\xbb\xbf"], ids=["plain", "mark"])
@pytest.mark.parametrize("end", [b"\n", b"\r\n"], ids=["LF", "CRLF"])
def test_a_checkout_on_windows_reads_as_any_other(golden: Golden, start: bytes, end: bytes) -> None:
    """Texts, lines, prompts and the fingerprint are the same, so verdicts compare."""
    golden.write("prompt.txt", "Say it shortly.\n\n{source}\n")
    golden.add(BOX)
    before = read_whole(golden.load())
    for file in golden.path.rglob("*.*"):
        file.write_bytes(start + file.read_bytes().replace(b"\n", end))
    assert read_whole(golden.load()) == before


@pytest.mark.parametrize(
    ("name", "old", "place"),
    [
        ("papers.jsonl", b"Nothing", "papers.jsonl:2: byte 62"),
        ("summeval.toml", b"labels", "summeval.toml:2: byte 1"),
    ],
)
def test_bad_utf_8_has_its_line(golden: Golden, name: str, old: bytes, place: str) -> None:
    """A Latin-1 letter is found by line and byte."""
    golden.write(name, (golden.path / name).read_bytes().replace(old, b"\xe9", 1))
    assert golden.mistake() == (f"golden/{place} of this line is not UTF-8; save as UTF-8")


def test_names_that_fit_no_node_id_are_refused(golden: Golden, snapshot: SnapshotAssertion) -> None:
    """Such a paper could be neither selected nor run again by pytest; some reports make files.

    DOIs are names of papers; editors leave blank lines at the end, and JSON writers surrogates.
    """
    unfit = ("a b", "a\u00a0b", "a\u2028", "a\u0000b", "a\u200bb", "p1[b]", "b]", "a|b", "a::b",
             ":b", "b:", "all-papers", "z" * 201)  # fmt: skip
    papers = [{"id": name, "source": "a", "reference": "b"} for name in unfit]
    assert list(golden.mistakes("papers.jsonl", papers).values()) == snapshot
    names = ("10.1000/zinc:1", "na\u00efve")
    papers = [{"id": name, "source": "a", "reference": "\U0001f600"} for name in names]
    golden.write("papers.jsonl", "".join(f"{json.dumps(paper)}\n" for paper in papers) + "\n \n\n")
    golden.write("summeval.toml", 'papers = "papers.jsonl"\n[systems.a]\nsummaries = "a.jsonl"\n')
    golden.lines("a.jsonl", *({"paper": name, "summary": "c"} for name in reversed(names)))
    assert golden.load().paper_ids == names
    assert golden.load().paper(names[0]).references == ("\N{GRINNING FACE}",)


def test_lines_of_keys_and_headers_are_found_past_values_that_span_lines() -> None:
    """Keys in strings, comments and arrays are no keys."""
    text = (
        'papers = "a.jsonl"  # papers = "b.jsonl"\n'
        "\n"
        'x_note = """\n'
        "[systems.fake]\n"
        'labels = \\""" still inside"""\n'
        "x_list = [ # ]\n"
        "  \"]\", [1, 2], '#',\n"
        "]\n"
        "[ systems . 'llama.3' ]\n"
        "  skip = [\n"
        '    "a",\n'
        "  ]\n"
        "x_raw = '''\n"
        "[thresholds]\n"
        "'''\n"
        "[[x_tables]]\n"
        '"facet.conclusion" = {a = 1, b = "}"}\n'
        "eva . recall = 0.5\n"
    )
    assert tomllib.loads(text)["x_tables"][0]["eva"] == {"recall": 0.5}
    assert list(key_lines(text)) == [
        ((), ("papers",), 1),
        ((), ("x_note",), 3),
        ((), ("x_list",), 6),
        (("systems", "llama.3"), (), 9),
        (("systems", "llama.3"), ("skip",), 10),
        (("systems", "llama.3"), ("x_raw",), 13),
        (("x_tables",), (), 16),
        (("x_tables",), ("facet.conclusion",), 17),
        (("x_tables",), ("eva", "recall"), 18),
    ]


def test_mistakes_in_toml_have_their_lines(golden: Golden, snapshot: SnapshotAssertion) -> None:
    """What tomllib says keeps its line and gains a remedy; many dots and brackets are refused."""
    conclusion = '"facet.conclusion" = 2'
    changes = [
        ("facet = 0.55", "facet = "),
        ("facet_kappa = 0.40", "facet_kappa = ["),
        ('skip = ["zinc-02"]', 'skip = ["zinc-02"]\nskip = []'),
        (conclusion, "facet.conclusion = 2"),
        (f"facet = 0.55\n{conclusion}", "facet.conclusion = 2\nfacet = 0.55"),
        (conclusion, "[thresholds.facet]\nconclusion = 2"),
        ("facet = 0.55", "facet = " + "9" * 5000),
        # a table within it may have been written before
        ("[thresholds]\n", "[endpoints.a.x_b]\n[endpoints.a]\n[thresholds]\n"),
    ]
    messages = golden.mistakes("summeval.toml", changes).values()
    assert [message.replace("9" * 50, "9...") for message in messages] == snapshot


def test_lists_without_end_are_no_toml(golden: Golden) -> None:
    """A suite file cannot end the process, however it nests."""
    bomb = f"x_a = {'[' * 100_000}"
    (message,) = golden.mistakes("summeval.toml", [("facet = 0.55", bomb)]).values()
    assert message.startswith("golden/summeval.toml: no TOML: maximum recursion depth exceeded")

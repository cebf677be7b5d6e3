from __future__ import annotations

import csv
import io
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet
from syrupy.assertion import SnapshotAssertion

from summeval_pytest.errors import SuiteError
from summeval_pytest.suite import rows
from summeval_pytest.suite.lines import TextFile
from summeval_pytest.suite.rows import read_table
from tests.suite.conftest import Golden

NAMES = '[columns]\nid = "doc"\npaper = "doc"\nsummary = "prediction"\nx_year = "year"\n'
PAPERS: list[dict[str, Any]] = [
    {"doc": "zinc-01", "year": "1999", "source": 'Zinc,\n"was" given.', "reference": "Zinc helps."},
    {"doc": "zinc-02", "source": "None was\tgiven.", "reference": "Nothing helps."},
]
CAREFUL: list[dict[str, Any]] = [
    {"doc": "zinc-02", "prediction": "Nothing did."},
    {"doc": "zinc-01", "prediction": "Zinc, so\nto say, did."},
]


def as_text(rows: list[dict[str, Any]], delimiter: str = ",", end: str = "\n") -> bytes:
    """Rows as a spreadsheet saves them."""
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, list(rows[0]), delimiter=delimiter, lineterminator=end)
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue().encode()


def as_parquet(rows: list[dict[str, Any]]) -> bytes:
    """Rows as pandas saves them."""
    stream = io.BytesIO()
    parquet.write_table(pa.Table.from_pylist(rows), stream)
    return stream.getvalue()


WRITERS = {
    "csv": as_text,
    "CSV": lambda rows: b"\xef\xbb\xbf" + as_text(rows, end="\r\n"),
    "tsv": lambda rows: as_text(rows, "\t"),
    "json": lambda rows: json.dumps(rows, indent=1).encode(),
    "parquet": as_parquet,
}


def in_tables(golden: Golden, kind: str) -> None:
    """Name tables in place of the lines."""
    golden.write(f"papers.{kind}", WRITERS[kind](PAPERS))
    golden.write(f"systems/careful.{kind}", WRITERS[kind](CAREFUL))
    golden.spoil("summeval.toml", "papers.jsonl", f"papers.{kind}")
    golden.spoil("summeval.toml", "careful.jsonl", f"careful.{kind}")
    golden.add(NAMES)


@pytest.mark.parametrize("kind", WRITERS)
def test_a_table_says_what_json_lines_say(golden: Golden, kind: str) -> None:
    """Numbers compare across formats: texts and fingerprint are the same, beside JSON lines."""
    golden.lines(
        "papers.jsonl",
        *({"id": p["doc"], "source": p["source"], "reference": p["reference"]} for p in PAPERS),
    )
    golden.lines(
        "systems/careful.jsonl", *({"paper": s["doc"], "summary": s["prediction"]} for s in CAREFUL)
    )
    lines = golden.load()
    in_tables(golden, kind)
    table = golden.load()
    assert table.fingerprint == lines.fingerprint
    assert table.paper_ids == lines.paper_ids
    for paper in lines.paper_ids:
        assert table.paper(paper).source == lines.paper(paper).source
        assert table.pair(paper, "careful").summary == lines.pair(paper, "careful").summary
    (row, after_quote) = (1, 2) if kind in ("json", "parquet") else (2, 4)
    assert str(table.paper("zinc-01").place) == f"golden/papers.{kind}:{row}"
    assert table.paper("zinc-02").place.line == after_quote


def test_sections_and_facets_travel_in_parquet(golden: Golden) -> None:
    """Arrow gives each object every key; those that are null are not there."""
    paper = {
        "id": "zinc-01",
        "title": None,
        "source": [{"heading": "Aim", "text": "Zinc."}, {"text": "It was given."}],
        "reference": ["Zinc helps.", "It does."],
    }
    other = {"id": "zinc-02", "source": [{"text": "None."}], "reference": ["Nothing helps."]}
    golden.lines("papers.jsonl", {k: v for k, v in paper.items() if v}, other)
    fingerprint = golden.load().fingerprint
    golden.write("papers.parquet", as_parquet([paper, other]))
    golden.spoil("summeval.toml", "papers.jsonl", "papers.parquet")
    assert golden.load().fingerprint == fingerprint


def test_one_table_can_hold_papers_and_summaries(golden: Golden) -> None:
    """A spreadsheet with a row a paper is a suite; its reference may be called summary.

    Releases name lines of JSON "json", too: only what begins with a bracket is an array.
    """
    golden.write("papers.json", (golden.path / "papers.jsonl").read_bytes())
    golden.spoil("summeval.toml", "papers.jsonl", "papers.json")
    assert golden.load().paper("zinc-02").place.line == 2
    rows = [
        {"id": "zinc-01", "source": "Zinc.", "summary": "Zinc helps.", "ours": "Zinc did."},
        {"id": "zinc-02", "source": "None.", "summary": "Nothing helps.", "ours": "Nothing did."},
    ]
    golden.write("all.csv", as_text(rows))
    golden.write(
        "summeval.toml",
        'papers = "all.csv"\n[columns]\npaper = "id"\nreference = "summary"\nsummary = "ours"\n'
        '[systems.careful]\nsummaries = "all.csv"\n',
    )
    pair = golden.load().pair("zinc-01", "careful")
    assert (pair.paper.references, pair.summary) == (("Zinc helps.",), "Zinc did.")


TABLES: Mapping[str, list[str | bytes]] = {
    "csv": [
        "",
        "id,source,reference\n",
        "id,source\na,b\n",
        "id,source,reference,refrence\na,b,c,d\n",
        "id,source,reference,system\na,b,c,d\n",
        ",id,source,reference\n0,a,b,c\n",
        "id,source,reference,id\na,b,c,d\n",
        "id;source;reference\na;b;c\n",
        'id,source,reference\nzinc-01,"a\nb",c\nzinc-02,a\n',
        'id,source,reference\nzinc-01,"a\nb",c\nzinc-02,,c\n',
        'id,source,reference\nzinc-01,"a\nb",c\n\nzinc-01,a,b\n',
        'id,source,reference\nzinc-01,"a"b,c\n',
        b"id,source,reference\nzinc-01,\xe4,c\n",
    ],
    "tsv": ["id,source,reference\na,b,c\n", "id\tsource\treference\na\tb\n"],
    "json": [
        "[]",
        "[{},\n 3]",
        '[{"id": "a"',
        '[{"key": "zinc-01", "article": "a", "abstract": "b"}]',
        json.dumps([{"id": "a", "source": "b", "reference": "c"}] * 2),
        '[{"id": "a", "source": null, "reference": "b"}]',
    ],
    "parquet": [
        "id,source,reference\n",
        as_parquet([{"id": 3, "source": "a", "reference": "b"}]),
        as_parquet([{"id": b"3", "source": "a", "reference": "b"}]),
        as_parquet([{"id": "a", "source": "a", "reference": "b"}] * 2),
        b"PAR1" + b"\0" * 40 + b"\xff\xff\xff\x00PAR1",  # cut off before its end
    ],
    "jsonl": [
        "id,source,reference\na,b,c\n",
        "id\tsource\treference\na\tb\tc\n",
        '{\n  "id": "a",\n  "source": "b"\n}\n',
        '{"id": "a",\n "source": "b"}\n',
        '[\n  {"id": "a"}\n]',
        '[{"id": "a"}, {"id": "b"}]',
        as_parquet(PAPERS),
    ],
}


@pytest.mark.parametrize("kind", TABLES)
def test_what_is_no_table_is_said(golden: Golden, kind: str, snapshot: SnapshotAssertion) -> None:
    """The first day's mistakes end in a message that names the line and the next step."""
    golden.spoil("summeval.toml", "papers.jsonl", f"papers.{kind}")
    messages = []
    for data in TABLES[kind]:
        golden.write(f"papers.{kind}", data)
        messages.append(golden.mistake())
    assert messages == snapshot


def test_columns_that_name_nothing_are_refused(golden: Golden, snapshot: SnapshotAssertion) -> None:
    """A slip in a name must not leave a text out in silence."""
    in_tables(golden, "csv")
    changes = [
        ('summary = "prediction"', 'sumary = "prediction"'),
        ('summary = "prediction"', 'summary = "predicton"'),
        ('summary = "prediction"\n', ""),
        ('summary = "prediction"', "summary = 3"),
        ('id = "doc"\n', 'id = "doc"\ntitle = "titel"\n'),
        ('x_year = "year"\n', ""),
    ]
    messages = golden.mistakes("summeval.toml", changes)
    golden.spoil("summeval.toml", "papers.csv", "papers.jsonl")
    golden.spoil("summeval.toml", "careful.csv", "careful.jsonl")
    assert [*messages.values(), golden.mistake()] == snapshot


def test_parquet_names_its_missing_extra(golden: Golden, monkeypatch: pytest.MonkeyPatch) -> None:
    """The embedded default does not need it, so it may be missing."""
    in_tables(golden, "parquet")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert golden.mistake() == (
        "golden/papers.parquet: 'golden/papers.parquet' needs the package 'pyarrow', which is not"
        " installed; install it with: pip install 'summeval-pytest[export]', or save the table as"
        " CSV"
    )


def test_a_table_that_decodes_to_gigabytes_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A few bytes of Parquet can stand for a text many times over; here for 6 MB of 5."""
    assert rows._MOST_BYTES == 500_000_000
    monkeypatch.setattr(rows, "_MOST_BYTES", 5_000_000)
    file, kilobyte = tmp_path / "papers.parquet", "moss " * 200
    parquet.write_table(pa.table({"source": [kilobyte] * 6000}), file, compression="zstd")
    assert file.stat().st_size < 20_000
    with pytest.raises(SuiteError) as caught:
        for _ in read_table(TextFile(file, "papers.parquet")).read(("source",)):
            pass
    assert str(caught.value) == (
        "papers.parquet:4901: the table has more than 5 MB up to here; save fewer rows in one file"
    )

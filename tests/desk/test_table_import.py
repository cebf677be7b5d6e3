from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import ipc, parquet
from syrupy.assertion import SnapshotAssertion

from summeval_pytest.suite.suite import load_suite
from summeval_pytest.verdict.thresholds import Threshold, thresholds_of
from tests.cli.conftest import Shell
from tests.label_suite import write_lines

TABLE = """\
\ufeffdoc,article,abstract,model,year,prediction
moss-01,"Moss grew.
It was green.",Moss grew.,org/long-7b,1999,It did.
moss-01,"Moss grew.
It was green.",Moss grew.,short,1999,
moss-02,Fern grew.,Fern grew.,short,2001,Fern.
"""
NAMES = "paper=doc,source=article,reference=abstract,system=model,summary=prediction"
ROWS: list[dict[str, Any]] = [
    {"id": 1, "article": "Moss grew.", "abstract": "Moss.", "summary": "It did."},
    {"id": 2, "article": "Fern grew.", "abstract": "Fern.", "summary": "Fern."},
]
HF = ("--columns", "source=article,reference=abstract", "--system", "ours")


def saved(folder: Path, split: str, *shards: list[dict[str, Any]]) -> None:
    """Write a folder as `datasets.save_to_disk` writes it (5.2)."""
    folder.mkdir(parents=True)
    names = [f"data-{n:05}-of-{len(shards):05}.arrow" for n, _ in enumerate(shards)]
    for name, rows in zip(names, shards, strict=True):
        table = pa.Table.from_pylist(rows)
        with ipc.new_stream(folder / name, table.schema) as stream:
            stream.write_table(table)
    state = {"_data_files": [{"filename": name} for name in names], "_split": split}
    (folder / "state.json").write_text(json.dumps(state, indent=2), encoding="utf-8")
    (folder / "dataset_info.json").write_text("{}", encoding="utf-8")


def test_a_table_becomes_a_suite(tmp_path: Path, shell: Shell) -> None:
    """Worked example: two papers, two systems, an empty and a missing summary, a spare column."""
    file, out = tmp_path / "runs.csv", tmp_path / "gate"
    file.write_text(TABLE, encoding="utf-8", newline="\r\n")
    assert shell.lines("import", "table", file, "--out", out, "--columns", NAMES) == [
        f"{out}: 2 papers, 2 systems, 4 pairs",
        "empty summaries, written as '-', which fails: 1",
        (
            "missing summaries, written as '-', which fails: 1, first paper 'moss-02' of system"
            " 'org/long-7b'; --skip-missing lists these papers under 'skip'"
        ),
        "references that are their source, word for word: 1",
        "columns copied, which nothing scores: x_year",
        f"next: pytest {out}",
    ]
    suite = load_suite(out)
    assert suite.paper("moss-01").source[0].text == "Moss grew.\nIt was green."
    assert suite.pair("moss-01", "short").summary == "-"
    assert json.loads((out / "papers.jsonl").read_text().splitlines()[0])["x_year"] == "1999"
    assert suite.pair("moss-02", "org/long-7b").summary == "-"
    assert not suite.systems["org/long-7b"].skip
    assert (out / "systems" / "org-long-7b.jsonl").is_file()
    assert Threshold("facet.coverage", 0.35) in thresholds_of(suite).pair
    skipping = ("--out", tmp_path / "fewer", "--columns", NAMES, "--skip-missing")
    assert shell.lines("import", "table", file, *skipping)[2] == (
        "missing summaries, listed under 'skip': 1, first paper 'moss-02' of system 'org/long-7b'"
    )
    assert load_suite(tmp_path / "fewer").systems["org/long-7b"].skip == ("moss-02",)
    assert shell.error(4, "import", "table", file, "--out", out, "--columns", NAMES).endswith(
        "this folder holds the suite 'summeval.toml' already; name another folder"
    )


@pytest.mark.parametrize("form", ["saved dictionary", "saved", "parquet"])
def test_a_dataset_becomes_a_suite(tmp_path: Path, shell: Shell, form: str) -> None:
    """Rows of all shards, in order, as saved or as the hub has them; numbers as ids are texts."""
    folder, out, is_dict = tmp_path / "data", tmp_path / "gate", form == "saved dictionary"
    if form == "parquet":
        folder.mkdir()
        for n, row in enumerate(ROWS):
            file = folder / f"test-{n:05}-of-00002.parquet"
            parquet.write_table(pa.Table.from_pylist([row]), file)
        parquet.write_table(pa.Table.from_pylist(ROWS), folder / "train.parquet")
    else:
        saved(folder / "test" if is_dict else folder, "test", ROWS[:1], ROWS[1:])
    if is_dict:
        saved(folder / "train", "train", ROWS[:1])
        index = {"splits": ["train", "test"]}
        (folder / "dataset_dict.json").write_text(json.dumps(index), encoding="utf-8")
    lines = shell.lines("import", "hf", folder, "--out", out, *HF, "--split", "test")
    assert lines[0] == f"{out}: 2 papers, 1 system, 2 pairs"
    suite = load_suite(out)
    assert [suite.pair(paper, "ours").summary for paper in ("1", "2")] == ["It did.", "Fern."]
    other = shell.error(4, "import", "hf", folder, "--out", tmp_path / "o", *HF, "--split", "tst")
    assert other == "--split=tst: there is no such split; did you mean 'test'?"
    if form == "parquet":
        (folder / "test-00001-of-00002.parquet").unlink()
        lost = shell.error(4, "import", "hf", folder, "--out", tmp_path / "o", *HF, "--split=test")
        assert lost == (
            f"FILE: {folder} holds 1 of the 2 files of split 'test', by their names; download all"
            " of them"
        )
    if is_dict:
        assert shell.error(4, "import", "hf", folder, "--out", tmp_path / "o", *HF) == (
            "the dataset has the splits train, test; choose with --split"
        )


def test_references_are_not_taken_for_the_summaries(tmp_path: Path, shell: Shell) -> None:
    """In many data sets `summary` is what people wrote, and the gate would be green at once."""
    table, arguments = tmp_path / "runs.csv", ("--out", tmp_path / "gate")
    rows = ("Moss grew.,Moss.,Moss. ,It did.", "Fern grew.,Fern.,Fern.,Fern.")
    table.write_text("\n".join(("source,abstract,summary,made", *rows)), encoding="utf-8")
    assert shell.error(4, "import", "table", table, *arguments) == (
        "each of the 2 summaries is its reference or its source; name the model's column"
        " (others: made) with --columns summary=COLUMN, or summary=summary if that is meant"
    )
    said = shell.lines("import", "table", table, *arguments, "--columns", "summary=made")
    assert "summaries that are their reference or source, word for word: 1" in said
    meant = ("--out", tmp_path / "same", "--columns", "summary=summary")
    said = shell.lines("import", "table", table, *meant)
    assert "summaries that are their reference or source, word for word: 2" in said


def test_papers_are_numbered_and_columns_guessed(tmp_path: Path, shell: Shell) -> None:
    """Many datasets have no ids; equal texts are one paper, so that systems are compared on it."""
    # A table of another tool needs no option; what was guessed can be said otherwise.
    rows = [
        {"source": f"{plant} grew.", "reference": plant, "system": system, "summary": "It did."}
        for system in ("a", "b")
        for plant in ("Moss", "Fern")
    ]
    write_lines(tmp_path / "my runs.jsonl", *rows)
    shell.lines("import", "table", tmp_path / "my runs.jsonl", "--out", tmp_path / "gate")
    suite = load_suite(tmp_path / "gate")
    assert suite.paper_ids == ("my-runs-0001", "my-runs-0002")
    assert suite.paper_ids_of("b") == suite.paper_ids
    table, out = tmp_path / "runs.csv", tmp_path / "other"
    table.write_text("doc_id,article,abstract,output\n7,Moss grew.,Moss.,It did.\n")
    assert shell.lines("import", "table", table, "--out", out)[1:3] == [
        (
            "guessed: source is the column 'article'; reference is the column 'abstract'; summary"
            " is the column 'output'; paper is the column 'doc_id'; system is 'candidate', as no"
            " column names it. Change it with --columns source=COLUMN or --system NAME"
        ),
        f"next: pytest {out}",
    ]
    assert load_suite(out).pair("7", "candidate").summary == "It did."


def test_a_dataset_names_no_file_outside_of_its_folder(tmp_path: Path, shell: Shell) -> None:
    """A downloaded folder is a stranger's."""
    saved(tmp_path / "data", "test", ROWS)
    state = {"_data_files": [{"filename": "../secret.csv"}]}
    (tmp_path / "data" / "state.json").write_text(json.dumps(state), encoding="utf-8")
    (tmp_path / "secret.csv").write_text("hunter2,b\n", encoding="utf-8")
    message = shell.error(4, "import", "hf", tmp_path / "data", "--out", tmp_path / "gate", *HF)
    assert "'../secret.csv' leads out of" in message
    assert "hunter2" not in message


HEAD = "id,source,reference,system,summary\n"


def test_mistakes_in_rows_are_reported_with_their_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shell: Shell, snapshot: SnapshotAssertion
) -> None:
    """Nothing is written then, and each message says what to type."""
    monkeypatch.chdir(tmp_path)
    tables = [
        ("id,story,gist,system,summary\n1,a,b,c,d\n",),
        (HEAD, "--columns", "prediction=summary"),
        (HEAD,),
        (f"{HEAD}1,a,b,x,d\n1,other,b,y,d\n",),
        (f"{HEAD}1,a,b,x,d\n1,a,b,x,e\n",),
        (f"{HEAD}1,a,,x,d\n",),
        (f"{HEAD}1,a,b,,d\n",),
        (f"{HEAD}1,a,b,judge,d\n",),
        (f"{HEAD}1,a,b,a/b,d\n1,a,b,A-b,d\n",),
        (HEAD, "--columns", "summary"),
        (HEAD, "--columns", "sumary=summary"),
        (HEAD, "--columns", "summary=a,summary=b"),
        (HEAD, "--columns", "summary=prediction"),
        ("document,summary\n",),
        (HEAD, "--split", "test"),
        (HEAD, "--suite", "gate"),
    ]
    message = []
    for text, *options in tables:
        (tmp_path / "runs.csv").write_text(text, encoding="utf-8")
        message.append(shell.error(4, "import", "table", "runs.csv", "--out", "gate", *options))
    (tmp_path / "frame.json").write_text('{"source": {"0": "a"}}', encoding="utf-8")
    message.append(shell.error(4, "import", "table", "frame.json", "--out", "gate"))
    message.append(shell.error(4, "import", "hf", ".", "--out", "gate"))
    message.append(shell.error(4, "import", "csv", "runs.csv", "--out", "gate", "--system", "x"))
    assert not (tmp_path / "gate").exists()
    assert message == snapshot


PAPERS = "id,source,reference\n1,Moss grew.,Moss.\n2,Fern grew.,Fern.\n3,Reed grew.,Reed.\n"
SUMMARIES = "paper,system,summary\n2,a,Fern.\n1,a,It did.\n"


def test_papers_and_summaries_may_be_two_tables(tmp_path: Path, shell: Shell) -> None:
    """Many keep them apart; a paper that nobody summarised fails, unless the user leaves it out."""
    papers, summaries = tmp_path / "papers.csv", tmp_path / "summaries.csv"
    papers.write_text(PAPERS.replace("reference", "summary"), encoding="utf-8")
    summaries.write_text(SUMMARIES, encoding="utf-8")
    command = ("import", "table", papers, "--summaries", summaries, "--out")
    gate, fewer = tmp_path / "gate", tmp_path / "fewer"
    assert shell.lines(*command, gate)[:3] == [
        f"{gate}: 3 papers, 1 system, 3 pairs",
        (
            "guessed: reference is the column 'summary'. Change it with --columns reference=COLUMN"
            " or --system NAME"
        ),
        (
            "missing summaries, written as '-', which fails: 1, first paper '3' of system 'a';"
            " --skip-missing lists these papers under 'skip'"
        ),
    ]
    assert load_suite(gate).pair("1", "a").paper.references == ("Moss.",)
    assert load_suite(gate).pair("3", "a").summary == "-"
    assert load_suite(gate).paper_ids == ("1", "2", "3")
    assert shell.lines(*command, fewer, "--skip-missing")[:3] == [
        f"{fewer}: 2 papers, 1 system, 2 pairs",
        (
            "guessed: reference is the column 'summary'. Change it with --columns reference=COLUMN"
            " or --system NAME"
        ),
        "papers without a summary, left out: 1",
    ]
    assert load_suite(fewer).paper_ids == ("1", "2")


def test_mistakes_in_two_tables_are_reported_with_their_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shell: Shell, snapshot: SnapshotAssertion
) -> None:
    """The two are easily exchanged; a summary of no paper is a typing mistake."""
    monkeypatch.chdir(tmp_path)
    tables = [
        (SUMMARIES, PAPERS),
        (PAPERS, f"{SUMMARIES}moss,a,b\n"),
        (f"{PAPERS}1,a,b\n", SUMMARIES),
        (f"{PAPERS}4,,b\n", SUMMARIES),
        (PAPERS, SUMMARIES, "--columns", "summary=text"),
    ]
    message = []
    for papers, summaries, *options in tables:
        (tmp_path / "papers.csv").write_text(papers, encoding="utf-8")
        (tmp_path / "sums.csv").write_text(summaries, encoding="utf-8")
        given = ("papers.csv", "--summaries", "sums.csv", "--out", "gate", *options)
        message.append(shell.error(4, "import", "table", *given))
    assert message == snapshot


RELEASED: Mapping[str, object] = {
    "article": "moss grew on stone .",
    "human": "moss grew .",
    "gpt35_fm": "Moss did grow.",
    "gpt35_fm_human": 0.65,
    "gpt35_fm_human_list": [1 / 3, 0.5, 0.75, 0.0],
    "llama2_70b": "Moss grows.",
}


def release(folder: Path, *lines: Mapping[str, object]) -> Path:
    """A release with these lines."""
    file = folder / "pubmed.json"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return file


def test_an_import_makes_a_suite_and_says_what_it_holds(tmp_path: Path, shell: Shell) -> None:
    """Worked example: two papers, two systems, one summary empty, two facets left out."""
    # What is wrong with a segment is told in the segment's own words, as one safe line.
    hostile = {**RELEASED, "ground_aspect": json.dumps({"\x1b[31m\n##[error]": "moss"})}
    file = release(tmp_path, RELEASED, {**RELEASED, "llama2_70b": "<s></s>"}, hostile)
    out = tmp_path / "out"
    *lines, note, following = shell.lines("import", "scholarsum", file, "--out", out)
    assert lines == [
        f"{out}: 3 papers, 2 systems, 5 pairs",
        "3 pairs have human labels; 3 facets were left out by the annotators",
        "pubmed-002: the summary of 'llama2_70b' is empty; listed under skip",
    ]
    assert note.startswith("pubmed-003: GPT-4 segments of the reference left out: ")
    assert "\x1b" not in note
    assert "##[" not in note
    assert following == f"next: pytest {out}"
    suite = load_suite(out)
    assert suite.paper_ids == ("pubmed-001", "pubmed-002", "pubmed-003")
    assert suite.labels["pubmed-001", "gpt35_fm"].overall == 0.65


def test_options_of_another_format_are_refused(shell: Shell) -> None:
    """An option that did nothing would be believed."""
    assert shell.error(4, "import", "csv", "in.csv", "--out", "o") == (
        "labels of a csv file need a suite; name it with --suite SUITE"
    )
    command = ("import", "scholarsum", "in.json", "--out", "o", "--suite", "s")
    assert shell.error(4, *command) == (
        "--suite goes with labels, as of csv, and 'scholarsum' makes a suite; leave it out"
    )

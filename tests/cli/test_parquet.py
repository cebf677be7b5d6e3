"""`summeval export`: tables of a run for notebooks."""

from __future__ import annotations

import errno
import sys
from typing import TYPE_CHECKING, Any

import pytest

from summeval_pytest.cli import parquet
from summeval_pytest.metrics.score import CATALOGUE, METRICS
from summeval_pytest.record.stream import record_pieces
from tests.reports.records import (
    MARKUP,
    WHY,
    hostile_run,
    moss_run,
    moss_suite,
    silent_pair,
    small_run,
)

if TYPE_CHECKING:
    from pathlib import Path

    from summeval_pytest.record.record import RunRecord
    from tests.cli.conftest import Shell

KEY = {"suite": "golden/summeval.toml", "paper": "moss-01", "system": "careless"}
NOT_JUDGED = {"reason": WHY, "undecided": False, "support": None}


@pytest.fixture
def arrow() -> Any:
    """Who reads Parquet, where it is installed."""
    return pytest.importorskip("pyarrow.parquet", reason="pip install 'summeval-pytest[export]'")


def written(record: RunRecord, file: Path) -> Path:
    """A record in its file."""
    file.write_text("".join(record_pieces(record, file.name)), encoding="utf-8", newline="")
    return file


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """The record of four pairs."""
    return written(small_run(), tmp_path / "run.jsonl")


def rows_of(arrow: Any, folder: Path) -> dict[str, list[dict[str, Any]]]:
    """The rows of each table in a folder."""
    return {file.stem: arrow.read_table(file).to_pylist() for file in folder.iterdir()}


def test_a_run_is_what_its_tables_hold(arrow: Any, small: Path, shell: Shell) -> None:
    """Worked example: one pair fails with every kind of piece, one passes, two have no score."""
    out = small.parent / "made" / "out"
    assert shell.lines("export", small, "--out", out) == [
        f"wrote {out}/{name}.parquet: {n} rows"
        for name, n in {"verdicts": 4, "facets": 5, "sentences": 2, "facts": 6}.items()
    ]
    rows = rows_of(arrow, out)
    failed, silent, passed, refused = rows["verdicts"]
    # recall: one of four facts is matched; entailed: one of three that were answered
    numbers = {"facet": 0.5, "facet.background": 1.0, "facet.method": 4.0, "facet.result": 2.0}
    numbers |= {"facet.conclusion": 1.0, "eva": 0.4, "eva.precision": 0.5, "eva.recall": 0.25}
    numbers |= {"eva.recall_entailed": 1 / 3, "faithfulness": 0.5}
    assert failed == KEY | dict.fromkeys(CATALOGUE) | numbers | {
        "outcome": "failed",
        "missed": ["facet", "facet.conclusion"],
        "unscored": [],
        "fault": "",
        "note": "",
        "judge": "offline-4",
        "signatures": [f"{metric}|judge:offline-4|v:1" for metric in METRICS],
        "untrusted": False,
    }
    assert [silent[name] for name in CATALOGUE] == [None] * len(CATALOGUE)
    lack = {"metric": "facet", "status": "unanswered", "reason": "timed out"}
    assert (silent["outcome"], silent["fault"]) == ("error", "timed out")
    assert silent["unscored"] == [lack]
    assert (passed["system"], passed["outcome"], passed["facet"]) == ("careful", "passed", 1.0)
    assert (refused["outcome"], refused["fault"]) == ("failed", "")
    assert refused["unscored"][0]["status"] == "refused_candidate"

    assert [(row["system"], row["facet"], row["rating"]) for row in rows["facets"]] == [
        ("careless", "background", 1),
        ("careless", "method", 4),
        ("careless", "result", 2),
        ("careless", "conclusion", 1),
        ("careful", "method", 4),
    ]
    assert rows["facets"][2]["reference"] == "Wet moss grew twice as fast."
    assert rows["facets"][2]["candidate"] == "Dry moss grew twice as fast."
    wrong = {"text": "Dry moss grew twice as fast.", "supported": False, "support": 0.25}
    of_sentence = {"index": 1, "evidence": [2], "by_rule": False, "factual": None}
    of_sentence |= {"number_conflict": False}
    assert rows["sentences"][1] == KEY | NOT_JUDGED | wrong | of_sentence
    fact = {"text": "Stones got water.", "sentence": 1, "parent": None, "holds": False}
    fact |= {"side": "reference", "index": 0, "matched": True}
    assert rows["facts"][2] == KEY | NOT_JUDGED | fact | {"evidence": ["Stones were watered."]}
    held = [(row["side"], row["holds"], row["matched"]) for row in rows["facts"]]
    assert held[:2] == [("candidate", True, None), ("candidate", False, None)]
    assert held[4] == ("reference", None, False)


def test_the_columns_are_the_same_for_every_run(arrow: Any, small: Path, shell: Shell) -> None:
    """Several runs are read as one table; a run without an answer has no column less."""
    bare = written(moss_run(moss_suite(silent_pair())), small.with_name("bare.json"))
    shell.lines("export", small, "--out", small.parent / "a")
    shell.lines("export", bare, "--out", small.parent / "b")
    for name, columns in parquet.COLUMNS.items():
        file = arrow.ParquetFile(small.parent / "a" / f"{name}.parquet")
        other = arrow.read_schema(small.parent / "b" / f"{name}.parquet")
        assert file.schema_arrow.names == list(columns)
        assert file.schema_arrow.equals(other, check_metadata=True)
        assert not file.schema_arrow.metadata  # where pandas would keep an index
        assert file.metadata.row_group(0).column(0).compression == "ZSTD"


def test_rows_are_written_in_groups(
    arrow: Any,
    small: Path,
    shell: Shell,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """So that a run of any size is exported, and what is in the groups is the same."""
    shell.lines("export", small, "--out", small.parent / "whole")
    monkeypatch.setattr(parquet, "ROWS", 3)
    shell.lines("export", small, "--out", small.parent / "groups")
    assert rows_of(arrow, small.parent / "groups") == rows_of(arrow, small.parent / "whole")
    made = arrow.ParquetFile(small.parent / "groups" / "verdicts.parquet")
    assert [made.metadata.row_group(n).num_rows for n in range(made.num_row_groups)] == [3, 1]


def test_hostile_texts_stay_as_they_are(arrow: Any, tmp_path: Path, shell: Shell) -> None:
    """A notebook has to see what the judge saw; what is printed is harmless, and says UNTRUSTED."""
    text = MARKUP.replace("\ud800", "\ufffd") + "\x00::error::x"
    run = written(hostile_run(text), tmp_path / "run.jsonl")
    lines = shell.lines("export", run, "--what=facts,verdicts", "--out", tmp_path / "out")
    assert all(line.isprintable() for line in lines)
    assert "UNTRUSTED" in lines[-1]
    rows = rows_of(arrow, tmp_path / "out")
    assert rows.keys() == {"facts", "verdicts"}
    assert {row["text"] for row in rows["facts"]} == {text}
    assert [row["paper"] for row in rows["verdicts"]] == [text, f"b{text}"]
    assert all(row["untrusted"] for row in rows["verdicts"])


def test_a_run_that_was_cut_is_exported_and_says_so(
    arrow: Any,
    small: Path,
    shell: Shell,
) -> None:
    """Whoever counts pairs in a notebook would not see it."""
    lines = small.read_bytes().splitlines(keepends=True)
    small.write_bytes(b"".join(lines[:-1]))
    told = shell.lines("export", small, "--what=verdicts", "--out", small.parent / "out")
    assert "not complete" in told[-1]
    assert len(rows_of(arrow, small.parent / "out")["verdicts"]) == 4


@pytest.mark.usefixtures("arrow")
def test_a_full_disk_leaves_the_old_tables(
    small: Path, shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Half a table would be read as a whole one."""
    out = small.parent / "out"
    out.mkdir()
    (out / "facts.parquet").write_bytes(b"old")

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(parquet, "_verdict", full)
    told = shell.error(4, "export", small, "--out", out)
    assert told == f"--out={out}: cannot be written, No space left on device; name another folder"
    assert [file.name for file in out.iterdir()] == ["facts.parquet"]
    assert (out / "facts.parquet").read_bytes() == b"old"


def test_a_table_that_is_none_is_refused(small: Path, shell: Shell) -> None:
    """Message: with the nearest name, and before a folder is made."""
    out = small.parent / "out"
    told = shell.error(4, "export", small, "--what=verdicts,sentence", "--out", out)
    assert told == "--what=sentence: no table; did you mean 'sentences'?"
    assert not out.exists()


def test_without_pyarrow_the_extra_is_named(
    small: Path, shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Message: what to install, and nothing is made."""
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    told = shell.error(4, "export", small, "--out", small.parent / "out")
    assert told == (
        "export: the package 'pyarrow' is not installed; install it with:"
        " pip install 'summeval-pytest[export]'"
    )
    assert not (small.parent / "out").exists()


@pytest.mark.parametrize("named", ["moss", "moss/summeval.toml"])
def test_a_suite_is_told_how_to_get_a_record(
    named: str, tmp_path: Path, shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Message: a suite holds no answer of a judge, and an export asks nobody."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "moss").mkdir()
    (tmp_path / "moss" / "summeval.toml").touch()
    assert shell.error(4, "export", named, "--out=out") == (
        f"RUN: {named} is a suite, and a run record is exported; write one with"
        f" pytest {named} --summ-run-record=run.jsonl and then:"
        " summeval export run.jsonl --out out"
    )

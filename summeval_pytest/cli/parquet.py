"""`summeval export`: a run record as Parquet tables, for notebooks, DuckDB and pandas.

A table has the same columns in the same order for every run; what a run does not have is null.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

from cyclopts import Parameter

from summeval_pytest.cli.parameters import check_writable, make_folder, names_in
from summeval_pytest.errors import OptionError
from summeval_pytest.metrics.embeddings import needed_for
from summeval_pytest.metrics.score import (
    CATALOGUE,
    METRICS,
    CheckedFact,
    EvaScore,
    FacetScore,
    FaithfulnessScore,
)
from summeval_pytest.record.record import PairRecord, recorded
from summeval_pytest.record.stream import read_record
from summeval_pytest.reports.files import replacing
from summeval_pytest.reports.judge_section import trust_of
from summeval_pytest.suite.places import find_suite_file
from summeval_pytest.text.printing import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa

    from summeval_pytest.record.record import RunRecord

    Row = dict[str, object]


_KEY: Final = {"suite": "text", "paper": "text", "system": "text"}
_JUDGED: Final = {"support": "number", "undecided": "truth", "reason": "text"}
COLUMNS: Final[Mapping[str, dict[str, str]]] = {
    "verdicts": _KEY
    | {"outcome": "text"}
    | {name: "number" for name, named in CATALOGUE.items() if named.metric in METRICS}
    | {"missed": "texts", "unscored": "lacks", "fault": "text", "note": "text"}
    | {"judge": "text", "signatures": "texts", "untrusted": "truth"},
    "facets": _KEY
    | {"facet": "text", "rating": "whole", "coverage": "whole", "calibrated": "number"}
    | {"confidence": "number", "by_rule": "truth", "undecided": "truth", "reason": "text"}
    | {"reference": "text", "candidate": "text"},
    "sentences": _KEY
    | {"index": "whole", "text": "text", "supported": "truth"}
    | _JUDGED
    | {"evidence": "wholes", "by_rule": "truth", "factual": "truth", "number_conflict": "truth"},
    "facts": _KEY
    | {"side": "text", "index": "whole", "text": "text", "holds": "truth"}
    | _JUDGED
    | {"evidence": "texts", "sentence": "whole", "parent": "whole", "matched": "truth"},
}
"""The tables, and the type of each of their columns.

Verdicts have those of the numbers of metrics of one's own, too, in the end.
"""
ROWS: Final = 10_000
"""So many rows are held before they are written as a row group."""


def export(
    run: Annotated[Path, Parameter(name="RUN", help="a run record")],
    /,
    *,
    out: Annotated[Path, Parameter(help="write TABLE.parquet files into this folder")],
    what: Annotated[
        tuple[str, ...],
        Parameter(help=f"these tables (repeat, or commas; default: all): {', '.join(COLUMNS)}"),
    ] = (),
) -> list[str]:
    """Writes all files as a whole or none, and says how many rows each has.

    Raises:
        OptionError: for a suite or another file that is no run record, an unknown table, a folder
            that cannot be written, and where pyarrow is not installed.
    """
    names = names_in(what, "--what", COLUMNS, "no table") or COLUMNS
    if find_suite_file(run) is not None:
        raise OptionError(
            f"RUN: {run} is a suite, and a run record is exported; write one with"
            f" pytest {run} --summ-run-record=run.jsonl and then: summeval export run.jsonl"
            f" --out {out}"
        )
    with needed_for("export", "export"):
        import pyarrow  # noqa: F401, ICN001 - told before the record is read
    make_folder(out, "--out")
    files = {name: out / f"{name}.parquet" for name in names}
    for file in files.values():
        check_writable(file, "--out")
    record = read_record(run, "RUN")
    try:
        n_rows = _write(record, files)
    except OSError as error:
        fault = error.strerror or error
        raise OptionError(f"--out={out}: cannot be written, {fault}; name another folder") from None
    lines = [one_line(f"wrote {files[name]}: {n:,} rows", 400) for name, n in n_rows.items()]
    return [*lines, *_doubts(record)]


def _doubts(record: RunRecord) -> Iterator[str]:
    """Why the verdicts of a run may not count, or are not all."""
    for suite in record.suites:
        told = [*suite.gaps, *([trust_of(suite)] if suite.is_untrusted else ())]
        yield from (f"{one_line(suite.shown, 80)}: {one_line(each)}" for each in told)


def _write(record: RunRecord, files: dict[str, Path]) -> dict[str, int]:
    """The number of rows of each table; one pair is read at a time."""
    from pyarrow import Table
    from pyarrow.parquet import ParquetWriter

    n_rows = dict.fromkeys(files, 0)
    numbers = [named.name for suite in record.suites for named in suite.own_numbers]
    held: dict[str, list[Row]] = {name: [] for name in files}
    with ExitStack() as opened:
        writers = {}
        for name, file in files.items():
            stream = opened.enter_context(replacing(file.resolve()))
            own = dict.fromkeys(numbers if name == "verdicts" else (), "number")
            writer = ParquetWriter(stream, _schema(COLUMNS[name] | own), compression="zstd")
            writers[name] = opened.enter_context(writer)

        def write_held(least: int) -> None:
            for name, rows in held.items():
                if len(rows) >= least:
                    writers[name].write_table(Table.from_pylist(rows, writers[name].schema))
                    n_rows[name] += len(rows)
                    rows.clear()

        for suite in record.suites:
            of_run = {"judge": record.judge, "untrusted": suite.is_untrusted}
            for pair in suite.pairs:
                key = {"suite": suite.shown, "paper": pair.paper, "system": pair.system}
                for name, rows in held.items():
                    rows.extend(key | row for row in _rows(name, pair, of_run))
                write_held(ROWS)
        write_held(1)
    return n_rows


def _rows(table: str, pair: PairRecord, of_run: Row) -> Iterator[Row]:
    """What a table has of a pair."""
    if table == "verdicts":
        yield _verdict(pair) | of_run
    for score in pair.scores:
        match table, score:
            case "facets", FacetScore():
                yield from (_fields(table, rated) for rated in score.ratings)
            case "sentences", FaithfulnessScore():
                yield from (_fields(table, sentence) for sentence in score.sentences)
            case "facts", EvaScore():
                for n, fact in enumerate(score.candidate):
                    yield _fact("candidate", n, fact)
                for n, fact in enumerate(score.reference):
                    yield _fact("reference", n, fact) | {"matched": n in score.matched}
            case _:
                pass


def _verdict(pair: PairRecord) -> Row:
    numbers = pair.numbers()
    return {
        **_fields("verdicts", pair),
        **numbers.values,
        "missed": [short.name for short in pair.verdict.shortfalls],
        "unscored": [recorded(lack) for lack in numbers.unscored],
    }


def _fact(side: str, index: int, checked: CheckedFact) -> Row:
    own: Row = {"side": side, "index": index}
    return own | _fields("facts", checked.fact) | _fields("facts", checked)


def _fields(table: str, value: object) -> Row:
    """The columns of a table that are fields of a value."""
    return {name: getattr(value, name) for name in COLUMNS[table] if hasattr(value, name)}


def _schema(columns: Mapping[str, str]) -> pa.Schema:
    import pyarrow as pa

    text, whole = pa.string(), pa.int64()
    types = {
        "text": text,
        "texts": pa.list_(text),
        "whole": whole,
        "wholes": pa.list_(whole),
        "number": pa.float64(),
        "truth": pa.bool_(),
        "lacks": pa.list_(pa.struct([("metric", text), ("status", text), ("reason", text)])),
    }
    return pa.schema([(name, types[kind]) for name, kind in columns.items()])

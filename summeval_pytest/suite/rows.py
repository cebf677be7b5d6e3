"""Rows of data files: JSON lines, and tables as CSV, TSV, Parquet or an array of JSON objects.

The ending of a file's name tells its kind. A row is read as if it were a line of JSON. Its place
has the line on which it begins, or in Parquet and JSON arrays its number, from 1.
"""

from __future__ import annotations

import csv
import io
import re
from codecs import BOM_UTF8
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import PurePath
from typing import TYPE_CHECKING, Final

from summeval_pytest.errors import SuiteError, nearest
from summeval_pytest.suite.entries import FileEntry
from summeval_pytest.suite.lines import OWN_KEYS, brief, closest, read_json, read_lines, text_lines
from summeval_pytest.text.printing import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    import pyarrow as pa

    from summeval_pytest.errors import Place
    from summeval_pytest.suite.lines import TextFile

    Row = dict[str, object]

PAPER_COLUMNS: Final = (
    "id", "title", "source", "reference", "reference_facets", "reference_facts", "provenance",
)  # fmt: skip
SUMMARY_COLUMNS: Final = ("paper", "summary", "provenance")
COLUMNS: Final = tuple(dict.fromkeys((*PAPER_COLUMNS, *SUMMARY_COLUMNS)))
"""What a column of a suite's table can be."""
NEEDED: Final = frozenset({"id", "source", "reference", "paper", "summary"})
_ALSO_CALLED: Final[Mapping[str, Collection[str]]] = {
    "id": ("paper", "paper_id", "doc", "doc_id", "article_id"),
    "paper": ("id", "paper_id", "doc", "doc_id", "article_id"),
    "source": (
        "article", "document", "text", "body", "full_text", "fulltext", "paper_text",
        "article_text", "source_text", "input", "input_text", "dialogue", "passage",
    ),
    "reference": (
        "abstract", "target", "gold", "highlights", "reference_summary", "gold_summary",
        "human_summary", "target_summary", "ground_truth",
    ),
    "summary": (
        "prediction", "output", "generated", "candidate", "hypothesis", "model_output",
        "model_summary", "system_output", "system_summary", "generated_summary", "generated_text",
        "predicted_summary", "candidate_summary", "pred", "response", "completion",
    ),
    "system": ("model", "model_name"),
}  # fmt: skip
"""Common names of a column in other data, which `summeval init` and imports take."""

_HEAD: Final = 4096
_MOST_BYTES: Final = 500_000_000
"""The most that a Parquet or Arrow table may decode to."""
_UNNAMED: Final = "Unnamed: 0"
"""The index of a DataFrame in a CSV file has no name, and is read by this one in pandas."""
_SPLIT: Final = {"columns", "index", "data"}
_BATCH: Final = 100
"""Rows that are decoded at once."""
_LONGEST_CELL: Final = 2**31 - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class DataTable:
    """The columns of a file, and its rows, once, with their numbers.

    ``read`` takes the columns that are wanted; a cell that is empty or null is not there. ``place``
    is that of the header, where there is one. ``unreadable`` are columns that are no JSON.
    """

    file: TextFile
    columns: Sequence[str]
    place: Place
    read: Callable[[Collection[str]], Iterator[tuple[int, Row]]]
    unreadable: Collection[str] = ()

    def columns_of(
        self,
        known: Collection[str],
        needed: Collection[str],
        names: Mapping[str, str],
        remedy: str = '[columns] KEY = "COLUMN"',
    ) -> dict[str, str]:
        """The column of each known key: the one that ``names`` has for it, else its own.

        Raises:
            SuiteError: Where a key that is needed or named has none. ``remedy`` names a column.
        """
        columns: dict[str, str] = {}
        taken = {name for key, name in names.items() if key in known}
        for key in known:
            name, own = names.get(key), [key] if key not in taken else []
            column = next((each for each in (name, *own) if each in self.columns), None)
            if column is not None:
                columns[key] = column
            elif key in needed or name is not None:
                what = brief(name or key) + (f" for {key!r}" if name not in {None, key} else "")
                near = closest(name or key, self.columns)
                raise SuiteError(
                    self.place, f"the table has no column {what}; {near}; write {remedy}"
                )
        return columns

    def entries(self, columns: Mapping[str, str], owner: str) -> Iterator[FileEntry]:
        """Each row with its keys, of which ``columns`` says where they are read from.

        A cell that is needed and not there is an empty text, which is refused as such.
        """
        for number, row in self.read(frozenset(columns.values())):
            empty = dict.fromkeys(NEEDED.intersection(columns), "")
            values = {key: row[column] for key, column in columns.items() if column in row}
            yield FileEntry.at(self.file.at(number), empty | values, owner)


def usual_columns(key: str, columns: Collection[str]) -> list[str]:
    """The columns that have a common other name of a key, in any case, the commonest first."""
    plain = {name: re.sub(r"[\W_]+", "_", name.casefold()) for name in columns}
    usual = (key, *_ALSO_CALLED.get(key, ()))
    return [name for other in usual for name, own in plain.items() if own == other]


def table_kind(file: TextFile) -> str:
    """The kind of a table; empty for JSON lines, which a ``.json`` file may also hold."""
    kind = PurePath(file.shown).suffix.lower()
    is_table = kind in _TABLES and (kind != ".json" or _head(file).startswith(b"["))
    return kind if is_table else ""


def _head(file: TextFile) -> bytes:
    """The first characters of a file, without a byte order mark and white space."""
    try:
        with file.path.open("rb") as handle:
            return handle.read(_HEAD).removeprefix(BOM_UTF8).lstrip()
    except OSError as error:
        raise file.unreadable(error) from None


def read_table(file: TextFile, kind: str = "") -> DataTable:
    """The table in a file, of the kind that its name says, or of this ``kind``.

    JSON lines are a table, too.

    Raises:
        SuiteError: For a file that is not of the kind that its name ends with, and for columns
            without a name or with the same one; the rows are checked as they are read.
    """
    kind = kind or table_kind(file)
    if kind:
        table = _TABLES[kind](file)
    else:
        rows = [(row.place.line, row.values) for row in _json_lines(file, "this line")]
        _refuse_frame(file, [row for _, row in rows])
        table = _table_of_objects(file, file.at(1), rows)
    for name in table.columns:
        if not name.strip() or table.columns.count(name) > 1:
            what = f"a column has no name, or that of another ({brief(name)})"
            raise SuiteError(table.place, f"{what}; name or delete it")
    return table


def read_rows(
    file: TextFile, owner: str, known: Collection[str], names: Mapping[str, str]
) -> Iterator[FileEntry]:
    """The rows of papers or summaries, with the ``known`` keys where the file is a table.

    ``names`` has the keys whose columns are called otherwise; a column that the rows of another
    file are read from is left out.

    Raises:
        SuiteError: As `read_lines` and `read_table`, and for a column that is missing or unknown.
    """
    if not table_kind(file):
        yield from _json_lines(file, owner)
        return
    table = read_table(file)
    if not table.columns:
        return
    columns = table.columns_of(known, NEEDED.intersection(known), names)
    for name in table.columns:
        if name not in (*COLUMNS, *names.values()) and not name.startswith(OWN_KEYS):
            remedy = nearest(name, COLUMNS)
            if name in ("system", *_ALSO_CALLED["system"]):
                remedy = "for rows of several systems, use summeval import table"
            what = f"unknown column {brief(name)}; {remedy}"
            without = f"leave it out with [columns] {OWN_KEYS}NAME = {brief(name)}"
            raise SuiteError(table.place, f"{what}; or {without}")
    yield from table.entries(columns, owner)


def _json_lines(file: TextFile, owner: str) -> Iterator[FileEntry]:
    try:
        for number, values in read_lines(file):
            yield FileEntry.at(file.at(number), values, owner)
    except SuiteError as error:
        if error.place.line != 1 or _head(file)[:1] in {b"{", b""}:
            raise
        # nothing is shown: it may be any file
        what = "this is no line of JSON; write an object a line, save a workbook's sheet as CSV, or"
        how = "end the name of a table in .csv, .tsv, .parquet, or .json for an array"
        raise SuiteError(file.at(1), f"{what} {how}") from None


def _refuse_frame(file: TextFile, rows: Sequence[Mapping[str, object]]) -> None:
    """Refuses a DataFrame that pandas saved as one object, of columns or of rows."""
    if len(rows) != 1 or not rows[0]:
        return
    if rows[0].keys() == _SPLIT or all(isinstance(cells, dict) for cells in rows[0].values()):
        how = "write it again with df.to_json(FILE, orient='records', lines=True)"
        raise SuiteError(file.at(0), f"{file.shown!r} is one object, as pandas saves it; {how}")


def _array_table(file: TextFile) -> DataTable:
    value = read_json(read_text(file), file.at(0))
    assert isinstance(value, list), "it begins with a bracket"
    for number, item in enumerate(value, start=1):
        if not isinstance(item, dict):
            raise SuiteError(
                file.at(number), f"row {number} is {brief(item)}; write an array of objects"
            )
    return _table_of_objects(file, file.at(0), list(enumerate(value, start=1)))


def _table_of_objects(
    file: TextFile, place: Place, rows: Sequence[tuple[int, Mapping[str, object]]]
) -> DataTable:
    """The table of objects; any key of them is a column."""
    columns = list(dict.fromkeys(key for _, row in rows for key in row))
    filled = ((n, {k: v for k, v in row.items() if v is not None}) for n, row in rows)
    return DataTable(file=file, columns=columns, place=place, read=lambda _: filled)


def read_text(file: TextFile) -> str:
    """The text of a foreign file: UTF-8, without its byte order mark, with LF line ends."""
    return "".join(_foreign_lines(file))


def _foreign_lines(file: TextFile) -> Iterator[str]:
    """The lines of the text, one at a time; a CR alone ends one, too."""
    for line in text_lines(file):
        if "\r" in line:
            yield from io.StringIO(line.replace("\r\n", "\n"), newline="")
        else:
            yield line


def _records(file: TextFile, mark: str) -> Iterator[tuple[int, list[str]]]:
    """The rows of a text whose cells a mark divides, each with the line on which it begins."""
    reader = csv.reader(_foreign_lines(file), delimiter=mark, strict=True)
    number = 1
    while True:
        usual = csv.field_size_limit(_LONGEST_CELL)  # all readers share it
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            what = f"no {_MARK_NAMES[mark]}-separated values: {error}"
            raise SuiteError(file.at(number), f"{what}; mend the line") from None
        finally:
            csv.field_size_limit(usual)
        yield number, cells
        number = reader.line_num + 1


def _marked_table(file: TextFile, mark: str) -> DataTable:
    records = _records(file, mark)
    columns = [cell.strip() for cell in next(records, (0, []))[1]]
    if not any(columns):
        raise SuiteError(file.at(0), f"{file.shown!r} is empty; write a header and one row a line")
    columns[0] = columns[0] or _UNNAMED

    def read(wanted: Collection[str]) -> Iterator[tuple[int, Row]]:
        for number, cells in records:
            if not any(cells):
                continue
            if len(cells) != len(columns):
                what = f"this row has {len(cells)} cells and the header {len(columns)}"
                remedy = f"quote a cell that holds a {_MARK_NAMES[mark]}"
                raise SuiteError(file.at(number), f"{what}; {remedy}")
            row = zip(columns, cells, strict=True)
            yield number, {name: cell for name, cell in row if cell and name in wanted}

    return DataTable(file=file, columns=columns, place=file.at(1), read=read)


def _parquet_table(file: TextFile) -> DataTable:
    with _arrow(file):
        from pyarrow.parquet import ParquetFile

        parquet = ParquetFile(file.path)

    def batches(wanted: Collection[str]) -> Iterator[pa.RecordBatch]:
        with parquet:
            yield from parquet.iter_batches(_BATCH, columns=list(wanted), use_threads=False)

    return _arrow_table(file, parquet.schema_arrow, batches)


def _stream_table(file: TextFile) -> DataTable:
    with _arrow(file):
        from pyarrow import OSFile
        from pyarrow.ipc import open_stream

        stream = open_stream(OSFile(str(file.path)))
    return _arrow_table(file, stream.schema, lambda _: stream)


def _arrow_table(
    file: TextFile,
    schema: pa.Schema,
    batches: Callable[[Collection[str]], Iterable[pa.RecordBatch]],
) -> DataTable:
    def read(wanted: Collection[str]) -> Iterator[tuple[int, Row]]:
        names = sorted(wanted)
        number = n_bytes = 0
        with _arrow(file):
            for name in names:
                kind = schema.field(name).type
                if not _is_plain(kind):
                    what = f"the column {brief(name)} holds values of type"
                    raise SuiteError(
                        file.at(0), f"{what} {one_line(str(kind), 60)}; save it as text"
                    )
            for batch in batches(names):
                batch.validate(full=True)
                columns = [batch.column(name) for name in names]
                n_bytes += batch.nbytes
                if n_bytes > _MOST_BYTES:
                    what = f"the table has more than {_MOST_BYTES // 10**6} MB up to here"
                    raise SuiteError(file.at(number + 1), f"{what}; save fewer rows in one file")
                for cells in zip(*(column.to_pylist() for column in columns), strict=True):
                    number += 1
                    row = zip(names, cells, strict=True)
                    yield number, {name: _filled(cell) for name, cell in row if cell is not None}

    unreadable = {field.name for field in schema if not _is_plain(field.type)}
    return DataTable(
        file=file, columns=schema.names, place=file.at(0), read=read, unreadable=unreadable
    )


@contextmanager
def _arrow(file: TextFile) -> Iterator[None]:
    """Turn errors of pyarrow into ours, and say where pyarrow is not installed."""
    try:
        import pyarrow as pa
    except ModuleNotFoundError:
        what = f"{file.shown!r} needs the package 'pyarrow'"
        remedy = "install it with: pip install 'summeval-pytest[export]', or save the table as CSV"
        raise SuiteError(file.at(0), f"{what}, which is not installed; {remedy}") from None
    try:
        yield
    except (pa.ArrowException, OSError, UnicodeDecodeError, RecursionError) as error:
        kind, what = PurePath(file.shown).suffix[1:].lower(), one_line(str(error)).rstrip(".")
        raise SuiteError(
            file.at(0), f"no {kind} table: {what}; write it again with pandas or datasets"
        ) from None


def _is_plain(kind: pa.DataType) -> bool:
    """Whether the values of a type are texts, numbers, or lists or objects of them."""
    from pyarrow import types

    if types.is_struct(kind):
        return all(_is_plain(field.type) for field in kind)
    if types.is_list(kind) or types.is_large_list(kind):
        return _is_plain(kind.value_type)
    if types.is_dictionary(kind):
        return not types.is_nested(kind.value_type) and _is_plain(kind.value_type)
    plain = (types.is_integer, types.is_floating, types.is_boolean, types.is_null)
    return _is_text(kind) or any(is_one(kind) for is_one in plain)


def _is_text(kind: pa.DataType) -> bool:
    from pyarrow import types

    return bool(types.is_string(kind) or types.is_large_string(kind))


def _filled(value: object) -> object:
    """A value without null keys: Arrow gives every object of a column all keys."""
    if isinstance(value, dict):
        return {key: _filled(inner) for key, inner in value.items() if inner is not None}
    return [_filled(inner) for inner in value] if isinstance(value, list) else value


_MARK_NAMES: Final = {",": "comma", "\t": "tab"}
_TABLES: Final[Mapping[str, Callable[[TextFile], DataTable]]] = {
    ".csv": partial(_marked_table, mark=","),
    ".tsv": partial(_marked_table, mark="\t"),
    ".json": _array_table,
    ".parquet": _parquet_table,
    ".arrow": _stream_table,
}

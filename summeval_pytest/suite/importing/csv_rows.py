"""Labels in a table: comma-separated values (RFC 4180) in UTF-8, a header and one answer a row."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

from summeval_pytest.errors import SuiteError
from summeval_pytest.suite.fields import brief
from summeval_pytest.suite.importing.rows import LEFT_OUT, Export, Row, is_field, unknown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from summeval_pytest.suite.importing.rows import Names
    from summeval_pytest.suite.lines import TextFile


def read_csv(file: TextFile, names: Names) -> Export:
    """The rows of a table; empty cells are not there, and a row of nothing else is skipped.

    A row is about a pair (``paper``, ``system`` and the facets' columns, ``overall``), about one
    ``sentence`` (``faithful``, ``evidence``, ``error``), about one ``facet`` (``rating``), or about
    one fact (``side``, ``text``, ``holds``).

    Raises:
        SuiteError: With the line: for what is no table, for a column that is no field, and for a
            row that is longer or shorter than the header.
        OptionError: For a mapping of a column that is not there.
    """
    lines = _lines(file)
    first = next(lines, None)
    if first is None:
        raise SuiteError(file.at(0), f"{file.shown!r} is empty; write a header and one label a row")
    header = _header(file, first, names)
    rows = tuple(_row(file, number, header, cells) for number, cells in lines if any(cells))
    if not rows:
        raise SuiteError(file.at(0), f"{file.shown!r} has a header and no row; write one a label")
    return Export(rows=rows)


def _lines(file: TextFile) -> Iterator[tuple[int, list[str]]]:
    """The records with the line on which each begins, their cells without space around them."""
    reader = csv.reader(io.StringIO(read_text(file), newline=""), strict=True)
    number = 1
    try:
        for cells in reader:
            yield number, [cell.strip() for cell in cells]
            number = reader.line_num + 1
    except csv.Error as error:
        raise SuiteError(
            file.at(number), f"no comma-separated values: {error}; mend the line"
        ) from None


def read_text(file: TextFile) -> str:
    """The text of a foreign file: UTF-8, without its byte order mark, with LF line ends.

    Raises:
        SuiteError: Where it cannot be read, or is in another encoding, with the line.
    """
    try:
        data = file.path.read_bytes()
    except OSError as error:
        raise SuiteError(
            file.at(0), f"{file.shown!r} cannot be read ({error.strerror}); name a file"
        ) from None
    try:
        return data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        byte = data[error.start : error.start + 1]
        raise SuiteError(
            file.at(line), f"the byte {byte!r} is not UTF-8; save the file as UTF-8"
        ) from None


def _header(file: TextFile, first: tuple[int, list[str]], names: Names) -> list[str]:
    """The field of each column."""
    number, columns = first
    names.check_used(columns, file.shown)
    if len(columns) == 1 and any(mark in columns[0] for mark in ";\t"):
        raise SuiteError(
            file.at(number),
            f"the header is one column, {brief(columns[0])}; save the table with commas between"
            " the columns",
        )
    fields = [names.field(column) for column in columns]
    for column, field in zip(columns, fields, strict=True):
        if not column:
            raise SuiteError(file.at(number), "a column has no name (''); name or delete it")
        if field != LEFT_OUT and not is_field(field):
            raise SuiteError(file.at(number), f"unknown column {brief(column)}; {unknown(column)}")
        if field != LEFT_OUT and fields.count(field) > 1:
            raise SuiteError(file.at(number), f"two columns are {field!r}; delete one")
    for field in ("paper", "system"):
        if field not in fields:
            raise SuiteError(
                file.at(number),
                f"the header has no column {field!r}; add it, or name it with --map COLUMN={field}",
            )
    return fields


def _row(file: TextFile, number: int, header: list[str], cells: list[str]) -> Row:
    if len(cells) != len(header):
        raise SuiteError(
            file.at(number),
            f"this row has {len(cells)} cells and the header {len(header)};"
            " quote a cell that holds a comma",
        )
    values = dict(zip(header, cells, strict=True))
    return Row(
        values={field: cell for field, cell in values.items() if cell and field != LEFT_OUT},
        owner="this row",
        place=file.at(number),
    )

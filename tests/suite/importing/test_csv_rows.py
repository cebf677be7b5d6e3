from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from summeval_pytest.errors import OptionError
from summeval_pytest.suite.lines import TextFile
from summeval_pytest.suite.tables import Names, Row, read_csv
from tests.label_suite import mistake

if TYPE_CHECKING:
    from pathlib import Path


def table(folder: Path, data: str | bytes) -> TextFile:
    """A table with this content."""
    file = folder / "labels.csv"
    file.write_bytes(data if isinstance(data, bytes) else data.encode())
    return TextFile(file, "labels.csv")


def rows(folder: Path, data: str | bytes, *names: str) -> tuple[Row, ...]:
    """The rows of a table."""
    return read_csv(table(folder, data), Names.read(names)).rows


def test_cells_are_fields_and_empty_ones_are_not_there(tmp_path: Path) -> None:
    """Worked example: a quoted comma and line break, which moves the lines below."""
    found = rows(
        tmp_path,
        'paper,system,method,x_note\nmoss-01, long ,3,"so, so\nindeed"\n,,,\nmoss-01,short,,\n',
    )
    assert [(row.values, row.place.line) for row in found] == [
        ({"paper": "moss-01", "system": "long", "method": "3", "x_note": "so, so\nindeed"}, 2),
        ({"paper": "moss-01", "system": "short"}, 5),
    ]


@pytest.mark.parametrize("start", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_byte_order_mark_and_line_ends_make_no_difference(
    tmp_path: Path, start: bytes, end: bytes
) -> None:
    """Spreadsheets save both."""
    data = start + b"paper,system,overall,x_note" + end + b'p,s,1,"so' + end + b'so"' + end
    (row,) = rows(tmp_path, data)
    assert row.values == {"paper": "p", "system": "s", "overall": "1", "x_note": "so\nso"}
    assert row.place.line == 2


def test_columns_are_renamed_left_out_and_carried_along(tmp_path: Path) -> None:
    """Nobody has to edit a table that another program has written."""
    (row,) = rows(
        tmp_path,
        "doc,system,id,why,FM\np,s,17,short,0.5\n",
        "doc=paper",
        "id=-",
        "why=x_why",
        "FM=overall",
    )
    assert row.values == {"paper": "p", "system": "s", "x_why": "short", "overall": "0.5"}


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ("", ": 'labels.csv' is empty; write a header and one label a row"),
        ("paper,system\n", ": 'labels.csv' has a header and no row; write one a label"),
        (
            "paper,sytem,overall\np,s,1\n",
            (
                ":1: unknown column 'sytem'; did you mean 'system'?; or say which field it is with"
                " --map sytem=FIELD (sytem=- leaves it out)"
            ),
        ),
        (
            "paper;system\np;s\n",
            (
                ":1: the header is one column, 'paper;system'; save the table with commas between"
                " the columns"
            ),
        ),
        ("paper,system,\np,s,1\n", ":1: a column has no name (''); name or delete it"),
        (
            "paper,system,paper\np,s,q\n",
            ":1: two columns are 'paper'; delete one",
        ),
        (
            "paper,overall\np,1\n",
            (":1: the header has no column 'system'; add it, or name it with --map COLUMN=system"),
        ),
        (
            "paper,system,overall\np,s,1\np,s\n",
            ":3: this row has 2 cells and the header 3; quote a cell that holds a comma",
        ),
        (
            'paper,system,overall\np,s,"1"2\n',
            ":2: no comma-separated values: ',' expected after '\"'; mend the line",
        ),
        (
            b"paper,system,overall\np,s\xe4,1\n",
            r":2: the byte b'\xe4' is not UTF-8; save the file as UTF-8",
        ),
    ],
)
def test_mistake_in_a_table_is_told_with_its_line(
    tmp_path: Path, data: str | bytes, message: str
) -> None:
    """An editor can jump to it."""
    file = table(tmp_path, data)
    assert mistake(lambda: read_csv(file, Names.read(()))) == f"labels.csv{message}"


def test_file_that_is_not_there_is_a_usage_error(tmp_path: Path) -> None:
    """The path is the user's."""
    file = TextFile(tmp_path / "none.csv", "none.csv")
    assert mistake(lambda: read_csv(file, Names.read(()))) == (
        "none.csv: 'none.csv' cannot be read (No such file or directory); name a file"
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["rater"], "--map=rater: no field is named; write NAME=FIELD"),
        (["=paper"], "--map==paper: no field is named; write NAME=FIELD"),
        (
            ["rater=anotator"],
            "--map=rater=anotator: there is no field 'anotator'; did you mean 'annotator'?",
        ),
        (["a=paper", "a=system"], "--map=a=system: 'a' is mapped twice; keep one"),
        (["pape=paper"], "--map=pape=paper: labels.csv has no 'pape'; did you mean 'paper'?"),
    ],
)
def test_mapping_that_means_nothing_is_refused(
    tmp_path: Path, options: list[str], message: str
) -> None:
    """A slip in it would leave a column out in silence."""
    file = table(tmp_path, "paper,system,overall\np,s,1\n")
    with pytest.raises(OptionError) as caught:
        read_csv(file, Names.read(options))
    assert str(caught.value) == message

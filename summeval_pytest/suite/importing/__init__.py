"""Other people's labels and data sets: read from foreign formats, held against a suite, settled."""

from __future__ import annotations

from summeval_pytest.suite.importing.answers import AnswerReader, read_markings
from summeval_pytest.suite.importing.csv_rows import read_csv
from summeval_pytest.suite.importing.labelstudio import read_labelstudio
from summeval_pytest.suite.importing.released import RELEASED, ReleasedSet
from summeval_pytest.suite.importing.rows import Export, Names, Row
from summeval_pytest.suite.importing.set_suite import SetReport, import_set
from summeval_pytest.suite.importing.settling import by_annotator, disputed, settled, shown

__all__ = [
    "RELEASED",
    "AnswerReader",
    "Export",
    "Names",
    "ReleasedSet",
    "Row",
    "SetReport",
    "by_annotator",
    "disputed",
    "import_set",
    "read_csv",
    "read_labelstudio",
    "read_markings",
    "settled",
    "shown",
]

"""Other people's labels: read from foreign formats, held against a suite, settled."""

from __future__ import annotations

from summeval_pytest.suite.importing.answers import AnswerReader, read_markings
from summeval_pytest.suite.importing.csv_rows import read_csv
from summeval_pytest.suite.importing.labelstudio import read_labelstudio
from summeval_pytest.suite.importing.rows import Export, Names, Row
from summeval_pytest.suite.importing.settling import by_annotator, disputed, settled, shown

__all__ = [
    "AnswerReader",
    "Export",
    "Names",
    "Row",
    "by_annotator",
    "disputed",
    "read_csv",
    "read_labelstudio",
    "read_markings",
    "settled",
    "shown",
]

"""How the labelled sets are read."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from summeval_pytest.judges.training.data import data_folder, records

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_records_are_read_line_by_line(tmp_path: Path) -> None:
    """The sets are JSON lines in UTF-8."""
    (tmp_path / "made").mkdir()
    (tmp_path / "made/dev.jsonl").write_text('{"a": "é"}\n{"a": 2}\n', encoding="utf-8")
    assert list(records(tmp_path, "made/dev.jsonl")) == [{"a": "é"}, {"a": 2}]


def test_the_folder_is_named_on_the_command_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The sets lie outside the project, so a script is told where."""
    monkeypatch.setattr(sys, "argv", ["training", "--data", str(tmp_path)])
    assert data_folder("made up") == tmp_path

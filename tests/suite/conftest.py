"""A small sound suite on disk, for tests that spoil one thing in it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import pytest

from summeval_pytest.errors import SuiteError
from summeval_pytest.suite.suite import Suite, load_suite

SOUND = """\
papers = "papers.jsonl"
labels = "labels.jsonl"
x_owner = "Ada"
default_systems = ["careful"]

[systems.careful]
summaries = "systems/careful.jsonl"

[systems.terse]
summaries = "systems/terse.jsonl"
skip = ["zinc-02"]

[thresholds]
facet = 0.55
"facet.conclusion" = 2

[thresholds.mean]
facet = 0.65

[thresholds.judge]
facet_kappa = 0.40
"""


@dataclass(frozen=True, slots=True)
class Golden:
    """A folder with a suite; ``write`` and ``spoil`` change it."""

    path: Path

    def write(self, name: str, text: str | bytes) -> None:
        """Write one file, byte by byte as given."""
        file = self.path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text if isinstance(text, bytes) else text.encode())

    def lines(self, name: str, *objects: object) -> None:
        """Write one file of JSON lines."""
        self.write(name, "".join(json.dumps(values) + "\n" for values in objects))

    def spoil(self, name: str, old: str, new: str) -> None:
        """Replace a text that stands in a file exactly once."""
        text = (self.path / name).read_text(encoding="utf-8")
        assert text.count(old) == 1
        self.write(name, text.replace(old, new))

    def add(self, tables: str) -> None:
        """Write more tables into the suite file, from line 14 on."""
        self.spoil("summeval.toml", "[thresholds]\n", f"{tables}\n[thresholds]\n")

    def load(self) -> Suite:
        """The suite, shown as a user in the folder above would name it."""
        return load_suite(self.path, "golden")

    def mistake(self) -> str:
        """The message that loading ends with."""
        with pytest.raises(SuiteError) as caught:
            self.load()
        assert caught.value.place.path.startswith("golden")
        return str(caught.value)

    def mistakes(self, name: str, changes: Iterable[object]) -> dict[str, str]:
        """The message for each change of a file: its text or lines, or an old text and a new."""
        before = (self.path / name).read_bytes()
        messages = {}
        for change in changes:
            if isinstance(change, tuple):
                self.spoil(name, *change)
            elif isinstance(change, str):
                self.write(name, change)
            else:
                self.lines(name, *(change if isinstance(change, list) else [change]))
            messages[str(change)] = self.mistake()
            self.write(name, before)
        return messages


@pytest.fixture
def golden(tmp_path: Path) -> Golden:
    """Two papers, two systems and one label."""
    suite = Golden(tmp_path / "golden")
    suite.write("summeval.toml", SOUND)
    suite.lines(
        "papers.jsonl",
        {"id": "zinc-01", "source": "Zinc was given.", "reference": "Zinc helps."},
        {"id": "zinc-02", "source": "None was given.", "reference": "Nothing helps."},
    )
    suite.lines(
        "systems/careful.jsonl",
        {"paper": "zinc-02", "summary": "Nothing did."},
        {"paper": "zinc-01", "summary": "Zinc did."},
    )
    suite.lines("systems/terse.jsonl", {"paper": "zinc-01", "summary": "It did."})
    suite.lines("labels.jsonl", {"paper": "zinc-01", "system": "careful", "overall": 0.5})
    return suite

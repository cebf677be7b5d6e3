from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from summeval_pytest.suite.suite import load_suite
from tests.cli.conftest import Shell

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

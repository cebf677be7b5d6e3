from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from summeval_pytest.cli.app import main
from summeval_pytest.cli.imports import import_suite
from summeval_pytest.errors import SuiteError
from summeval_pytest.suite.suite import load_suite

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

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


def test_an_import_says_what_it_made_and_what_comes_next(tmp_path: Path) -> None:
    """Worked example: two papers, two systems, one summary empty, two facets left out."""
    file = release(tmp_path, RELEASED, {**RELEASED, "llama2_70b": "<s></s>"})
    out = tmp_path / "out"
    assert import_suite(file, out) == [
        f"{out}: 2 papers, 2 systems, 3 pairs",
        "2 pairs have human labels; 2 facets were left out by the annotators",
        "pubmed-002: the summary of 'llama2_70b' is empty; listed under skip",
        f"next: pytest {out}",
    ]


def test_what_was_imported_is_a_suite(tmp_path: Path) -> None:
    """The next command has to work."""
    out = tmp_path / "out"
    import_suite(release(tmp_path, RELEASED), out)
    suite = load_suite(out)
    assert suite.paper_ids == ("pubmed-001",)
    assert suite.labels["pubmed-001", "gpt35_fm"].overall == 0.65


def test_a_note_that_quotes_the_release_is_one_safe_line(tmp_path: Path) -> None:
    """What is wrong with a segment is told in the segment's own words."""
    hostile = {**RELEASED, "ground_aspect": json.dumps({"\x1b[31m\n##[error]": "moss"})}
    lines = import_suite(release(tmp_path, hostile), tmp_path / "out")
    (note,) = lines[2:-1]
    assert note.startswith("pubmed-001: GPT-4 segments of the reference left out: ")
    assert "\x1b" not in note
    assert "##[" not in note
    assert "\n" not in note


def test_the_command_prints_the_same_lines(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One a line, on stdout, exit 0."""
    file = release(tmp_path, RELEASED)
    assert main(["import", "scholarsum", str(file), "--out", str(tmp_path / "one")]) == 0
    printed = capsys.readouterr()
    lines = import_suite(file, tmp_path / "two")
    assert printed.out.replace("/one", "/two").splitlines() == lines
    assert printed.err == ""


def test_an_import_into_a_suite_is_refused(tmp_path: Path) -> None:
    """The second run must not undo what was reviewed after the first."""
    file, out = release(tmp_path, RELEASED), tmp_path / "out"
    import_suite(file, out)
    with pytest.raises(SuiteError) as caught:
        import_suite(file, out)
    assert str(caught.value) == (
        f"{out.as_posix()}: this folder holds the suite 'summeval.toml' already;"
        " name a new one with --out"
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["csv", "in.csv", "--out", "o"],
            ("labels of a csv file need a suite to be labels of; name it with --suite SUITE"),
        ),
        (
            ["scholarsum", "in.json", "--out", "o", "--suite", "s"],
            (
                "--suite goes with labels, as of csv or labelstudio, and 'scholarsum' makes a"
                " suite; leave it out"
            ),
        ),
    ],
)
def test_options_of_another_format_are_refused(
    capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    """An option that did nothing would be believed."""
    assert main(["import", *arguments]) == 4
    assert capsys.readouterr().err == f"summeval: error: {message}\n"

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from summeval_pytest.cli.command import main
from summeval_pytest.cli.importing import import_suite
from summeval_pytest.errors import SuiteError
from summeval_pytest.suite import load_suite
from summeval_pytest.verdict import agreement

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


@pytest.fixture
def few_resamples(monkeypatch: pytest.MonkeyPatch) -> None:
    """Intervals are tested with the verdict; here they only have to be there."""
    monkeypatch.setattr(agreement, "RESAMPLES", 20)


@pytest.mark.usefixtures("few_resamples")
@pytest.mark.parametrize(
    ("name", "rows", "shown"),
    [
        (
            "csabstruct",
            [
                {"doc_id": "a", "sentence": text, "sentence_index": place, "bmrc": role}
                for place, (text, role) in enumerate(
                    [("Moss is old.", "B"), ("We grew moss.", "M"), ("It helped by 9 K.", "R")]
                )
            ],
            ("macro F1", "accuracy"),
        ),
        (
            "realsumm_scu",
            [
                {
                    "paper_id": paper,
                    "reference": "Moss grew on stone by 9 mm.",
                    "system": system,
                    "summary": summary,
                    "acus": ["Moss grew.", "It was on stone."],
                    "acu_labels": labels,
                }
                for paper in ("a", "b")
                for system, summary, labels in (
                    ("good", "The moss grew on a stone.", [1, 1]),
                    ("bad", "Moss grew in May.", [1, 0]),
                )
            ],
            ("fact support", "ROUGE-1 recall", "AUC of support"),
        ),
        (
            "infolossqa_match",
            [
                {
                    "paper_id": "a",
                    "system": "big",
                    "prediction_id": part,
                    "reference_fact": {"question": "What grew?", "answer": "Moss grew on stone."},
                    "predicted_fact": {"question": "What?", "answer": fact},
                    "label": label,
                }
                for part, fact, label in (("x", "Moss did grow.", 1), ("y", "Rain fell.", 0))
            ],
            ("AUC of support",),
        ),
    ],
)
def test_figures_of_a_released_set_are_two_commands(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    name: str,
    rows: list[Mapping[str, object]],
    shown: tuple[str, ...],
) -> None:
    """Import, then agree: each figure that the set is there for stands in the table."""
    file, out = release(tmp_path, *rows), str(tmp_path / "out")
    assert main(["import", name, str(file), "--out", out, "--stand-in"]) == 0
    assert main(["agree", out]) == 0
    lines = capsys.readouterr().out.splitlines()
    for title in shown:
        (line,) = [line for line in lines if line.startswith(title)]
        assert any(character.isdigit() for character in line.removeprefix(title))
    assert main(["agree", out, "--summary"]) == 0
    assert all(line.startswith("out ") for line in capsys.readouterr().out.splitlines())


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
        (
            ["qags", "in.jsonl", "--out", "o", "--ground-truth"],
            (
                "--ground-truth goes with labels, as of csv or labelstudio, and 'qags' makes a"
                " suite; leave it out"
            ),
        ),
        (
            ["scholarsum", "in.json", "--out", "o", "--stand-in"],
            "--stand-in: scholarsum has sources and references; leave it out",
        ),
    ],
)
def test_options_of_another_format_are_refused(
    capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    """An option that did nothing would be believed."""
    assert main(["import", *arguments]) == 4
    assert capsys.readouterr().err == f"summeval: error: {message}\n"


def test_a_data_set_becomes_a_suite_by_its_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Worked example: two sentences of one summary."""
    row = {"paper_id": "p", "source": "Moss grew.", "system": "s", "summary_id": "a"}
    file = release(
        tmp_path,
        {**row, "sentence": "It grew.", "label": True},
        {**row, "sentence": "It died.", "label": False},
    )
    out = tmp_path / "out"
    assert main(["import", "qags", str(file), "--out", str(out), "--stand-in"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        f"{out}: 1 papers, 1 systems, 1 pairs",
        "1 pairs have human labels: sentences, supported by majority of three workers (QAGS)",
        f"next: pytest {out}",
    ]
    assert load_suite(out).has_labels

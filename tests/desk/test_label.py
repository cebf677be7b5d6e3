from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from summeval_pytest.cli.app import main
from summeval_pytest.desk.label import introduction, rubric_of
from summeval_pytest.errors import SuiteError
from summeval_pytest.run.golden import check_sentences
from summeval_pytest.suite.suite import load_suite
from tests.label_suite import write_lines, write_suite

ROOT = Path(__file__).parents[2]
LONG = ("--only", "long/moss-01")
"""Eight items: three facets, three sentences, two facts of the reference."""
LABEL = {
    "paper": "moss-01",
    "system": "long",
    "facts": {
        "reference": [{"text": "The roof was 7 K cooler.", "covered": False}],
        "candidate": [{"text": "The roof was 9 K cooler.", "supported": False}],
    },
}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with the suite of moss in it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    write_suite(Path("moss"))
    return tmp_path


def run(monkeypatch: pytest.MonkeyPatch, typed: str, *options: str, annotator: str = "anna") -> int:
    """The exit code of a session in which these words are typed, one a line."""
    lines = "".join(f"{line}\n" for line in typed.split("|") if line)
    monkeypatch.setattr(sys, "stdin", io.StringIO(lines))
    own = {"--out": f"{annotator}.jsonl", "--annotator": annotator}
    given = {option.partition("=")[0] for option in options}
    words = [f"{option}={value}" for option, value in own.items() if option not in given]
    return main(["label", "moss", *words, *options])


def labels(name: str = "anna") -> list[dict[str, object]]:
    """The lines of an annotator's file, each without the digests of its texts."""
    text = Path(f"{name}.jsonl").read_text(encoding="utf-8")
    made = [json.loads(line) for line in text.splitlines()]
    for digest in ("summary_digest", "paper_digest"):
        assert {len(line.pop(digest, 12 * "0")) for line in made} == {12}
    return made


def test_screen_shows_the_texts_and_the_rubric_and_takes_the_answer(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The whole of a screen, as the annotator sees it: no system's name, and nothing to obey."""
    summary = {"paper": "moss-01", "summary": "red \x1b[31m [bold]moss[/bold] :star:"}
    write_lines(Path("moss/short.jsonl"), summary)
    assert run(monkeypatch, "2", "--only", "short/moss-01", "--what", "facets") == 0
    shown = capsys.readouterr().out.split("> ")[0].splitlines()
    assert shown == [
        *introduction(["facets"]),
        "reference: background " + "─" * 78,
        "Roofs get hot.",
        "summary " + "─" * 92,
        "red \\x1b[31m [bold]moss[/bold] :star:",
        *rubric_of("background").splitlines(),
        "",
        "1/3, s skip, u undo, q quit",
    ]
    assert labels() == [
        {"paper": "moss-01", "system": "short", "facets": {"background": 2}, "labelled_by": "anna"}
    ]


def test_a_session_goes_on(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Worked example: the input ends after 4 of 8 items; the next session asks about the others."""
    assert run(monkeypatch, "1|2|-|y 1", *LONG) == 0
    assert capsys.readouterr().out.endswith("anna.jsonl: 4 of 8 items labelled\n")
    assert run(monkeypatch, "n 3, 3 number|n|y|n", *LONG) == 0
    assert capsys.readouterr().out.endswith("anna.jsonl: 8 of 8 items labelled\n")
    third = {"index": 2, "starts": "Under moss the roof was"}
    assert labels() == [
        {
            "paper": "moss-01",
            "system": "long",
            "facets": {"background": 1, "result": 2, "conclusion": None},
            "sentences": [
                {
                    "index": 0,
                    "faithful": True,
                    "evidence": [{"index": 0, "starts": "Roofs get hot in July."}],
                },
                {"index": 1, "faithful": False, "evidence": [third], "error": "number"},
                {"index": 2, "faithful": False},
            ],
            "facts": {
                "reference": [
                    {"text": "Moss cooled the roof.", "covered": True},
                    {"text": "The roof was 7 K cooler.", "covered": False},
                ]
            },
            "labelled_by": "anna",
        }
    ]


def test_a_label_is_of_the_texts_that_were_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the next release's text it says nothing: what differs would count as the judge's error."""
    assert run(monkeypatch, "1|q", *LONG) == 0
    toml = Path("moss/summeval.toml").read_text(encoding="utf-8")
    Path("moss/summeval.toml").write_text(f'labels = "labels.jsonl"\n{toml}', encoding="utf-8")
    Path("anna.jsonl").rename("moss/labels.jsonl")
    check_sentences(load_suite(Path("moss")))
    for file, what in (("papers", "paper 'moss-01'"), ("long", "the summary of system 'long'")):
        rows = Path(f"moss/{file}.jsonl").read_text(encoding="utf-8")
        Path(f"moss/{file}.jsonl").write_text(rows.replace("Moss", "Ivy"), encoding="utf-8")
        message = f"{what}.* has changed since people labelled it; delete the label"
        with pytest.raises(SuiteError, match=message):
            check_sentences(load_suite(Path("moss")))
    Path("moss/labels.jsonl").rename("anna.jsonl")
    Path("moss/summeval.toml").write_text(toml, encoding="utf-8")
    assert run(monkeypatch, "q", *LONG) == 4, "nor is it marked as one of the new text"
    line = json.loads(Path("anna.jsonl").read_text(encoding="utf-8"))
    del line["summary_digest"], line["paper_digest"]
    write_lines(Path("anna.jsonl"), line)
    assert run(monkeypatch, "s|2|q", *LONG) == 0
    assert "_digest" not in Path("anna.jsonl").read_text(encoding="utf-8")


def test_what_is_no_answer_is_said_and_asked_again(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing is guessed; a slip is seen one item too late."""
    rating, numbered = "type a whole number from 1 to 3, or -", "source's sentences are numbered 1"
    claim = "type y or n, as shown above"
    for what, typed, fault in (
        ("facets", "4", rating),
        ("facets", "\u0663", rating),
        ("facts", "y 3", "type y or n"),
        ("sentences", " ", claim),
        ("sentences", "3", claim),
        ("sentences", "y 3 number", claim),
        ("sentences", "y 0", numbered),
        ("sentences", "n 4 number", numbered),
        ("sentences", f"y {'9' * 5_000}", "Exceeds the limit"),
    ):
        assert run(monkeypatch, f"{typed}|q", *LONG, "--what", what) == 0
        out = capsys.readouterr().out
        assert out.count("1/") == 2
        assert fault in out
    assert not Path("anna.jsonl").exists()
    assert run(monkeypatch, "1|u|u|3|s|2|q", *LONG, "--what", "facets") == 0
    assert labels()[0]["facets"] == {"background": 3, "conclusion": 2}
    assert run(monkeypatch, "4", *LONG, "--what", "facets") == 0
    assert labels()[0]["facets"] == {"background": 3, "result": 4, "conclusion": 2}


def test_file_of_somebody_else_is_refused(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It would be overwritten."""
    for line, message in (
        ({"labelled_by": "ben"}, "anna.jsonl:1 is labelled by 'ben'; name another --out"),
        ({}, "anna.jsonl:1 is labelled by 'nobody'; name another --out"),
        ({"id": 1}, "anna.jsonl:1: unknown key 'id' in this label"),
    ):
        label = {"paper": "moss-02", "system": "long", "overall": 0.5}
        write_lines(Path("anna.jsonl"), label | line)
        assert run(monkeypatch, "1") == 4
        assert capsys.readouterr().err.startswith(f"summeval: error: {message}")


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("--out=none/a.jsonl", "--out=none/a.jsonl: cannot be written, its folder is not there"),
        ("--only=long/moss-03", "--only=long/moss-03: no such pair to label; did you mean 'long"),
        ("--only=x", "--only=x: no such pair to label; write SYSTEM/PAPER, a system or a paper"),
        ("--what=facet", "--what=facet: no kind of item; did you mean 'facets'?"),
        ("--annotator=", "--annotator is needed to label"),
        ("--share=0", "--share=0.0: write a share above 0 and at most 1"),
        ("--share=nan", "--share=nan: write a share above 0 and at most 1"),
    ],
)
def test_options_that_do_not_fit_are_usage_errors(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], option: str, message: str
) -> None:
    """Before anybody is asked anything."""
    assert run(monkeypatch, "1", option) == 4
    printed = capsys.readouterr()
    assert (printed.out, printed.err.startswith(f"summeval: error: {message}")) == ("", True)


def test_interrupt_ends_with_130_and_keeps_what_was_answered(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Ctrl-C is how people leave a terminal."""
    typed = iter(["3"])

    def answer() -> str:
        for each in typed:
            return each
        raise KeyboardInterrupt

    monkeypatch.setattr("builtins.input", answer)
    assert run(monkeypatch, "", *LONG) == 130
    assert capsys.readouterr().err == "summeval: interrupted; what was answered is kept\n"
    assert labels()[0]["facets"] == {"background": 3}

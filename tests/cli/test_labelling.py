from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from summeval_pytest.cli.app import main
from tests.label_suite import write_suite
from tests.waiting import SOON

ROOT = Path(__file__).parents[2]


pytestmark = pytest.mark.usefixtures("suite")


@pytest.fixture
def suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The suite of moss, in the current folder."""
    monkeypatch.chdir(tmp_path)
    return write_suite(Path("moss"))


def run(monkeypatch: pytest.MonkeyPatch, typed: str, *options: str) -> int:
    """The exit code of a session of Anna's in which this is typed."""
    monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
    return main(["label", "moss", "--out", "anna.jsonl", "--annotator", "anna", *options])


def failed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """The message of a command that ends with a usage error and prints nothing else."""
    assert main(["label", "moss", *arguments]) == 4
    printed = capsys.readouterr()
    assert printed.out == ""
    return printed.err.removeprefix("summeval: error: ").removesuffix("\n")


def label() -> dict[str, object]:
    """The one label of Anna's file."""
    (line,) = Path("anna.jsonl").read_text(encoding="utf-8").splitlines()
    found: dict[str, object] = json.loads(line)
    return found


def test_session_ends_with_what_is_done_and_what_is_left(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Worked example: 3 facets, 3 sentences and 2 facts of one pair; the input ends after 4."""
    assert run(monkeypatch, "1\n2\n3\ny 1\n", "--only", "long/moss-01") == 0
    assert capsys.readouterr().out.splitlines()[-2:] == [
        "anna.jsonl: 4 of 8 items labelled",
        "4 are left; the same command goes on with them",
    ]
    assert run(monkeypatch, "n 2 number\nn\nn\nn\n", "--only", "long/moss-01") == 0
    assert capsys.readouterr().out.splitlines()[-1] == "anna.jsonl: 8 of 8 items labelled"
    assert label()["facets"] == {"background": 1, "result": 2, "conclusion": 3}
    assert label()["facts"] == {
        "reference": [
            {"text": "Moss cooled the roof.", "covered": False},
            {"text": "The roof was 7 K cooler.", "covered": False},
        ]
    }


def test_no_system_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Who knows the author rates the author."""
    assert run(monkeypatch, "s\n" * 99) == 0
    out = capsys.readouterr().out
    assert out.count("--- ") == 8 + 4 + 1 + 3 + 1 + 2
    assert "long" not in out
    assert "short" not in out


def test_kinds_and_pairs_are_chosen(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A second annotator may do the facets of one system only."""
    assert run(monkeypatch, "", "--what", "facts", "--only", "short", "--only", "moss-02") == 0
    assert "anna.jsonl: 0 of 2 items labelled" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "--out is needed to label"),
        (["--out", "a.jsonl"], "--annotator is needed to label"),
        (
            ["--out", "none/a.jsonl", "--annotator", "anna"],
            "--out=none/a.jsonl: cannot be written, its folder is not there; name another file",
        ),
        (
            ["--out", "a.jsonl", "--annotator", "anna", "--what", "facet"],
            "--what=facet: there is no 'facet'; did you mean 'facets'?",
        ),
        (
            ["--out", "a.jsonl", "--annotator", "anna", "--what", ","],
            "--what=,: names nothing; known: facets, sentences, facts",
        ),
        (
            ["--out", "a.jsonl", "--annotator", "anna", "--only", "long/moss-03"],
            ("--only=long/moss-03: no such pair is to be labelled; did you mean 'long/moss-02'?"),
        ),
        (
            ["--out", "a.jsonl", "--annotator", "anna", "--only", "x"],
            "--only=x: no such pair is to be labelled; write SYSTEM/PAPER, a system or a paper",
        ),
        (
            ["--out", "a.jsonl", "--annotator", "a", "--what", "facts", "--only", "moss-02"],
            (
                "nothing of moss/summeval.toml is to be labelled: no recorded summary has any of"
                " facts; choose another --what or --only"
            ),
        ),
    ],
)
def test_options_that_do_not_fit_are_usage_errors(
    capsys: pytest.CaptureFixture[str], options: list[str], message: str
) -> None:
    """Before anybody is asked anything."""
    assert failed(capsys, *options) == message
    assert not Path("a.jsonl").exists()


@pytest.mark.parametrize("share", ["0", "1.5", "nan", "third"])
def test_share_is_a_share(capsys: pytest.CaptureFixture[str], share: str) -> None:
    """Nothing, or more than all, is a slip."""
    with pytest.raises(SystemExit) as caught:
        main(["label", "moss", "--share", share])
    assert caught.value.code == 2
    assert f"{share!r} is no share above 0 and at most 1" in capsys.readouterr().err


def test_interrupt_ends_with_130_and_keeps_what_was_answered() -> None:
    """Ctrl-C is how people leave a terminal."""
    command = [sys.executable, "-m", "summeval_pytest.cli.app", "label", "moss"]
    command += ["--out", "anna.jsonl", "--annotator", "anna", "--only", "long/moss-01"]
    process = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write("3\n")
    process.stdin.flush()
    for line in process.stdout:
        if line.startswith("--- 2 of 8"):
            break
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=SOON)
    assert process.returncode == 130
    assert err == "summeval: interrupted; what was answered is kept\n"
    assert label()["facets"] == {"background": 3}

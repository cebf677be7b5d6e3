from __future__ import annotations

import json
from pathlib import Path

import pytest

from summeval_pytest.suite.suite import load_suite
from tests.cli.conftest import Shell
from tests.label_suite import write_suite

HEADER = "paper,system,annotator,sentence,faithful,evidence,result\n"
ANNA = HEADER + "moss-01,long,anna,0,yes,0,\nmoss-01,long,anna,1,no,2,\nmoss-01,long,anna,,,,3\n"
BEN = "moss-01,long,ben,0,yes,0;1,\nmoss-01,long,ben,,,,2\n"
AGREEMENT = "anna and ben: result 0.000 exact, kappa - (n 1); sentence 1.000 exact, kappa - (n 1)"


COMMAND = ("import", "csv", "in.csv", "--suite", "moss", "--out", "out.jsonl")
pytestmark = pytest.mark.usefixtures("suite")


@pytest.fixture
def suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The suite of moss, in the current folder."""
    monkeypatch.chdir(tmp_path)
    return write_suite(Path("moss"))


def run(shell: Shell, table: str, *options: str) -> list[str]:
    """What an import of this table prints."""
    Path("in.csv").write_text(table, encoding="utf-8")
    return shell.lines(*COMMAND, *options)


def failed(shell: Shell, table: str, *options: str) -> str:
    """The message of an import that writes nothing."""
    Path("in.csv").write_text(table, encoding="utf-8")
    before = sorted(Path().iterdir())
    message = shell.error(4, *COMMAND, *options)
    assert sorted(Path().iterdir()) == before
    return message


def lines(name: str) -> list[dict[str, object]]:
    """The labels of a file, each without the digests of its texts."""
    made = [json.loads(line) for line in Path(name).read_text(encoding="utf-8").splitlines()]
    for digest in ("summary_digest", "paper_digest"):
        assert {len(line.pop(digest)) for line in made} == {12}
    return made


def test_table_becomes_labels_that_the_suite_takes(suite: Path, shell: Shell) -> None:
    """Worked example, to the end: the last line is what makes them the suite's own."""
    assert run(shell, ANNA) == [
        "out.jsonl: labels of 1 pair: 1 facet rating, 2 sentences",
        (
            'next: move out.jsonl into the folder of the suite, and write labels = "out.jsonl" in'
            " moss/summeval.toml"
        ),
    ]
    assert lines("out.jsonl") == [
        {
            "paper": "moss-01",
            "system": "long",
            "facets": {"result": 3},
            "sentences": [
                {
                    "index": 0,
                    "faithful": True,
                    "evidence": [{"index": 0, "starts": "Roofs get hot in July."}],
                },
                {
                    "index": 1,
                    "faithful": False,
                    "evidence": [{"index": 2, "starts": "Under moss the roof was"}],
                },
            ],
            "labelled_by": "anna",
            "basis": "imported from in.csv",
        }
    ]
    toml = (suite / "summeval.toml").read_text(encoding="utf-8")
    Path("out.jsonl").rename(suite / "labels.jsonl")
    (suite / "summeval.toml").write_text(f'labels = "labels.jsonl"\n{toml}', encoding="utf-8")
    assert load_suite(suite).has_labels


def test_annotators_who_disagree_are_not_merged(shell: Shell) -> None:
    """Which of them counts is the user's decision, with the figures in front of them."""
    assert failed(shell, ANNA + BEN) == (
        "in.csv: annotators disagree on 1 item ('result' of paper 'moss-01' and system 'long':"
        " anna 3, ben 2); say who counts with --annotator NAME or --majority, or keep a file of"
        f" each with --each\n  {AGREEMENT}"
    )
    assert failed(shell, ANNA + BEN, "--majority") == (
        "in.csv:6: no majority on 'result' of paper 'moss-01' and system 'long': anna 3, ben 2;"
        " say who counts with --annotator NAME"
    )


def test_annotator_who_counts_is_named(shell: Shell) -> None:
    """The agreement is said all the same; those who agree are one label with both names."""
    assert run(shell, ANNA + BEN, "--annotator", "ben")[:2] == [
        "out.jsonl: labels of 1 pair: 1 facet rating, 1 sentence",
        AGREEMENT,
    ]
    (label,) = lines("out.jsonl")
    assert (label["facets"], label["labelled_by"]) == ({"result": 2}, "ben")
    assert failed(shell, ANNA + BEN, "--annotator", "cleo") == (
        "--annotator=cleo: in.csv has no such annotator; known: anna, ben"
    )
    both = HEADER + "moss-01,long,anna,0,yes,0,\nmoss-01,long,ben,0,yes,0,\nmoss-01,long,ben,,,,2\n"
    assert run(shell, both, "--force")[1] == "anna and ben: sentence 1.000 exact, kappa - (n 1)"
    assert lines("out.jsonl")[0]["labelled_by"] == "anna, ben"


def test_label_file_is_overwritten_only_by_force(shell: Shell) -> None:
    """Somebody may have reviewed it; a table without any answer is no label file."""
    assert "rows that say nothing: 1" in run(shell, ANNA + "moss-02,long,anna,0,,,\n")
    assert failed(shell, ANNA) == (
        "--out=out.jsonl: it is there already; name another file, or overwrite it with --force"
    )
    run(shell, ANNA.replace(",3\n", ",4\n"), "--force")
    assert lines("out.jsonl")[0]["facets"] == {"result": 4}
    assert failed(shell, HEADER + "moss-02,long,anna,0,,,\n", "--force") == (
        "in.csv: 'in.csv' says nothing: none of its 1 rows has an answer; name the fields of its"
        " answers with --map COLUMN=FIELD"
    )

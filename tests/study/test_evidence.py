from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

import pytest

from summeval_pytest.cli.app import main
from tests.asked_suite import KEY, by_rule, write_suite
from tests.scripted_server import Answer, ScriptedServer

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from tests.scripted_server import Seen

pytestmark = pytest.mark.usefixtures("few_resamples")

ONE: Final = {"index": 0, "faithful": True, "evidence": [1]}
TWO: Final = {"index": 1, "faithful": True, "evidence": [2, 3]}
LABELS: Final[tuple[dict[str, object], ...]] = (
    {
        "paper": "kiln",
        "system": "good",
        "sentences": [ONE, {**ONE, "index": 1, "evidence": [2, 3]}],
    },
    {"paper": "moss", "system": "good", "sentences": [ONE]},
    {"paper": "moss", "system": "bad", "sentences": [{"index": 0, "faithful": False}]},
)


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    """A judge by rule."""
    with ScriptedServer(by_rule) as server:
        yield server


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the command runs, with a key that nobody else may see."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    return tmp_path


def suite(
    folder: Path,
    url: str = "http://127.0.0.1:9/v1",
    *,
    judge: str = "",
    labels: Sequence[object] = LABELS,
) -> None:
    """A suite with labels that have evidence."""
    head = 'labels = "labels.jsonl"'
    write_suite(folder / "kilns", url, systems=("good", "bad"), head=head, judge=judge)
    lines = "".join(json.dumps(label) + "\n" for label in labels)
    (folder / "kilns/labels.jsonl").write_text(lines, encoding="utf-8")


def evidence(*arguments: str) -> int:
    """One run of the command."""
    return main(["agree", "kilns", "--evidence", "--store", "store", *arguments])


def test_the_judge_stands_beside_bm25(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Worked example: every sentence's first labelled place is its nearest; 3 of 4 are found."""
    suite(folder)
    assert evidence("--json", "evidence.json") == 0
    lines = capsys.readouterr().out.splitlines()

    assert lines[0] == "kilns/summeval.toml: 2 labelled pairs with evidence"
    assert lines[1] == "judge offline: offline-6"
    assert lines[5].split()[:5] == ["all", "sentences", "sents", "named", "precision"]
    assert [line.split()[0:2] for line in lines[6:10]] == [
        ["judge", "3"], ["BM25", "top-1"], ["BM25", "top-2"], ["BM25", "top-3"],
    ]  # fmt: skip
    assert any(line.startswith("more abstractive  sents") for line in lines)
    assert lines[-3].startswith("judge's evidence on 6 sentences, faithful or not: 0 not in")

    figures = json.loads((folder / "evidence.json").read_text(encoding="utf-8"))
    first = next(f for f in figures["figures"] if f["by"] == "BM25 top-1" and f["part"] == "all")
    assert (first["precision"][0], first["recall"][0]) == (1.0, 0.75)
    assert (first["n_instances"], first["n_papers"], first["macro"]["f1"]) == (
        3, 2, pytest.approx((1 + 2 / 3 + 1) / 3),
    )  # fmt: skip
    assert figures["errors"] == {
        "n_sentences": 6, "n_ungrounded": 0, "n_copied": 0, "n_unsupported_yes": 0,
    }  # fmt: skip
    assert (figures["judge"], figures["n_pairs"]) == ("offline-6", 2)


def test_evidence_of_every_labelled_sentence_may_count(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Worked example: a sentence that is only partly supported has evidence, too; 4 in place of 3.

    Without the option it stays out, as FareBio leaves it out.
    """
    partly = {**ONE, "faithful": False}
    bad = {"paper": "moss", "system": "bad", "sentences": [partly]}
    suite(folder, labels=[*LABELS[:2], bad])
    message = {}
    for of in ("faithful", "labelled"):
        assert evidence("--of", of) == 0
        message[of] = capsys.readouterr().out.splitlines()
    assert [message[of][6].split()[:2] for of in message] == [["judge", "3"], ["judge", "4"]]
    assert message["labelled"][0] == "kilns/summeval.toml: 3 labelled pairs with evidence"
    assert message["labelled"][2].endswith("labelled ones, for sentences labelled faithful or not;")
    assert message["faithful"][2].endswith("labelled ones, for sentences labelled faithful;")


@pytest.mark.parametrize(
    ("mode", "title", "recall"),
    [
        ("quotes", "# Sentence checks", 0.75),
        ("label-and-sentences", "# Sentence quotes", 0.75),
        # "The slow draught gave bricks of 31 MPa." is copied: 1 of 4 labelled places is found
        ("label", "# Sentence labels", 0.25),
    ],
)
def test_a_model_is_measured_in_every_mode(
    folder: Path, server: ScriptedServer, mode: str, title: str, recall: float
) -> None:
    """A model that only labels has named nothing; a rule has, where a sentence is copied."""
    suite(folder, server.url, judge=f'sentences = "{mode}"')
    assert evidence("--judge", "rule", "--json", "evidence.json") == 0
    figures = json.loads((folder / "evidence.json").read_text(encoding="utf-8"))
    judge = next(f for f in figures["figures"] if f["by"] == "judge" and f["part"] == "all")
    assert (judge["precision"][0], judge["recall"][0]) == (1.0, recall)
    assert {seen.texts[0].split("\n")[0] for seen in server.seen} == {title}
    assert {"response_format" in seen.body for seen in server.seen} == {mode == "quotes"}
    assert (f" sentences={mode}/" in figures["judge"]) is (mode != "quotes")


def test_quotations_of_the_summary_are_reported(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Worked example: the judge proves each sentence by itself (FareBio, Table 5)."""

    def by_itself(seen: Seen) -> Answer:
        sentence = seen.texts[1].split("<<<sentence ")[1].split("\n")[1]
        return Answer(f"Yes ({sentence}) (and so it is said to be everywhere)")

    with ScriptedServer(by_itself) as server:
        suite(folder, server.url, judge='sentences = "label-and-sentences"')
        assert evidence("--judge", "rule") == 0
    message = capsys.readouterr().out.splitlines()[-3]
    n_asked = len(server.seen)
    assert message.endswith(
        f": {2 * n_asked} not in the source ({n_asked} of them copied from the summary),"
        f" {n_asked} called supported without any"
    )


def test_a_judge_without_an_answer_is_left_out_and_reported(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its silence is no missed evidence."""
    with ScriptedServer(lambda _: Answer("Who knows?")) as server:
        suite(folder, server.url, judge='sentences = "label-and-sentences"')
        assert evidence("--judge", "rule") == 0
    out = capsys.readouterr().out
    assert "the judge gave no answer on 3 of these sentences; they are left out" in out


def test_labels_without_evidence_are_a_mistake_of_the_user(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing could be found, and a table of dashes would not say why."""
    bare = {"paper": "moss", "system": "bad", "sentences": [{"index": 0, "faithful": True}]}
    suite(folder, labels=[bare])
    assert evidence() == 4
    assert capsys.readouterr().err == (
        "summeval: error: kilns/summeval.toml: no label has a faithful sentence with 'evidence' to"
        ' be found; add {"index", "faithful", "evidence"} to the \'sentences\' of labels\n'
    )

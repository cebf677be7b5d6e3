from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import pytest

from tests.asked_suite import KEY, write_suite
from tests.cli.conftest import Shell
from tests.label_suite import write_lines
from tests.scripted_server import ScriptedServer

pytestmark = pytest.mark.usefixtures("few_resamples")

ONE: Final = {"index": 0, "faithful": True, "evidence": [1]}
BARE: Final = {"paper": "moss", "system": "bad", "sentences": [{"index": 0, "faithful": False}]}
LABELS: Final[tuple[dict[str, object], ...]] = (
    {
        "paper": "kiln",
        "system": "good",
        "sentences": [ONE, {**ONE, "index": 1, "evidence": [2, 3]}],
    },
    {"paper": "moss", "system": "good", "sentences": [ONE]},
)
EVIDENCE: Final = ("agree", "kilns", "--evidence")


@pytest.fixture(autouse=True)
def _key(server: ScriptedServer, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: ARG001 - clears it
    """The key of the suite's endpoint."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


def suite(
    url: str = "http://127.0.0.1:9/v1",
    *,
    judge: str = "",
    labels: Sequence[object] = (*LABELS, BARE),
) -> None:
    """A suite with labels that have evidence."""
    head = 'labels = "labels.jsonl"'
    write_suite(Path("kilns"), url, systems=("good", "bad"), head=head, judge=judge)
    write_lines(Path("kilns/labels.jsonl"), *labels)


def test_the_judge_stands_beside_bm25(shell: Shell) -> None:
    """A sentence that is only partly supported has evidence, too; 4 in place of 3.

    Without the option it stays out, as FareBio leaves it out.
    """
    suite(labels=[*LABELS, {**BARE, "sentences": [{**ONE, "faithful": False}]}])
    assert shell.lines(*EVIDENCE)[6].split()[:2] == ["judge", "3"]
    lines = shell.lines(*EVIDENCE, "--of=labelled", "--json=evidence.json")
    assert lines[0] == "kilns/summeval.toml: 3 labelled pairs with evidence"
    assert lines[1] == "judge offline: offline-8"
    assert lines[2].endswith("labelled ones, for sentences labelled faithful or not;")
    assert [line.split()[0:2] for line in lines[6:10]] == [
        ["judge", "4"], ["BM25", "top-1"], ["BM25", "top-2"], ["BM25", "top-3"],
    ]  # fmt: skip
    assert any(line.startswith("more abstractive  sents") for line in lines)
    assert lines[-3].startswith("judge's evidence on 8 sentences, faithful or not: 0 not in")
    found = json.loads(Path("evidence.json").read_text(encoding="utf-8"))
    assert found["errors"] == {
        "n_sentences": 8, "n_ungrounded": 0, "n_copied": 0, "n_unsupported_yes": 0,
    }  # fmt: skip
    assert (found["judge"], found["n_pairs"]) == ("offline-8", 3)


def test_labels_without_evidence_are_a_mistake_of_the_user(shell: Shell) -> None:
    """Nothing could be found, and a table of dashes would not say why."""
    suite(labels=[BARE])
    assert shell.error(4, *EVIDENCE) == (
        "kilns/summeval.toml: no label has a faithful sentence with 'evidence' to be found; add"
        ' {"index", "faithful", "evidence"} to the \'sentences\' of labels'
    )

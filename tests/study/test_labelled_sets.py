from __future__ import annotations

import json
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from summeval_pytest.questions import Fact
from summeval_pytest.suite.labels import EvidenceLabel
from summeval_pytest.suite.suite import load_suite
from tests.label_suite import write_lines
from tools.labelled_sets import SETS, import_set
from tools.labelled_sets import main as command

FILES = {
    f"infolossqa_{part}": f"infolossqa/{part}_dev" for part in ("facts", "lost", "match", "roles")
}

SENTENCE = {
    "paper_id": "p 1",
    "source": "Moss grew on stone. Rain fell.",
    "system": "big [new]",
    "summary_id": "a",
    "sentence": "Moss grew.",
    "label": True,
    "evidence": ["Moss grew on stone."],
}
FACTS = {
    "paper_id": "p1",
    "reference": "Moss grew on stone.",
    "system": "big",
    "summary": "Moss grew.",
    "acus": ["Moss grew.", "It was on stone.", "Moss grew."],
    "acu_labels": [1, 0, 1],
}
SCORED = {
    "paper_id": "p1",
    "source": "Moss grew on stone. Rain fell.",
    "reference": "Moss grew.",
    "system": "big",
    "summary": "Moss did grow.",
    "human_faithfulness": 0.75,
}


def made(folder: Path, name: str, *lines: object) -> dict[str, Any]:
    """The import of a set with these lines into ``out``."""
    file = write_lines(folder / "dev.jsonl", *lines)
    return import_set(name, file, folder / "out")


def test_sentences_of_a_set_are_a_summary_with_labels(tmp_path: Path) -> None:
    """Worked example: one sentence of unknown label, one summary of two, names that no file has."""
    report = made(
        tmp_path,
        "wice",
        SENTENCE,
        SENTENCE | {"sentence": "It snowed.", "label": False, "evidence": ["Rain fell."]},
        SENTENCE | {"sentence": "It may have.", "label": None},
        SENTENCE | {"summary_id": "b", "sentence": "Rain.", "evidence": ["Snow fell."]},
    )
    assert report["systems"] == ["big-new", "big-new-02"]
    assert [report[each] for each in ("papers", "pairs", "labels")] == [1, 2, 2]
    assert report["notes"] == [
        "sentences without a label: 1",
        "evidence texts left out, which stand nowhere in the source: 1",
    ]
    suite = load_suite(tmp_path / "out")
    assert suite.pair("p-1", "big-new").summary == "Moss grew.\n\nIt snowed.\n\nIt may have."
    label = suite.labels["p-1", "big-new"]
    assert label.sentences is not None
    assert [(s.index, s.faithful, s.evidence) for s in label.sentences] == [
        (0, True, (EvidenceLabel(index=0, starts="Moss grew on stone."),)),
        (1, False, (EvidenceLabel(index=1, starts="Rain fell."),)),
    ]
    assert label.provenance == "wice, dev.jsonl"
    assert label.labelled_by == SETS["wice"].words


def test_facts_of_a_set_are_labels_and_frozen_facts(tmp_path: Path) -> None:
    """What is labelled both ways is left out, though counted; lost facts are no score."""
    frozen = (Fact(text="Moss grew.", sentence=0), Fact(text="It was on stone.", sentence=0))
    for name, labels, holds, overall in (
        ("realsumm_scu", [1, 0, 1], {"Moss grew.": True, "It was on stone.": False}, 0.6667),
        ("realsumm_scu", [1, 0, 0], {"It was on stone.": False}, 0.3333),
        ("infolossqa_lost", [1, 1, 1], {"Moss grew.": True, "It was on stone.": True}, None),
    ):
        folder = tmp_path / f"{name}{labels}"
        folder.mkdir()
        report = made(folder, name, FACTS | {"acu_labels": labels})
        suite = load_suite(folder / "out")
        label = suite.labels["p1", "big"]
        assert label.facts is not None
        assert {fact.text: fact.holds for fact in label.facts.reference} == holds
        assert (suite.paper("p1").reference_facts, label.overall) == (frozen, overall)
        left_out = "facts left out, labelled twice and differently: 1"
        assert tuple(report["notes"]) == ((left_out,) if len(holds) == 1 else ())


def test_the_command_says_what_it_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A score is what `summeval agree` correlates with; a pair without one has no label.

    Other texts under one id are another paper: clinical trials are shown by section.
    """
    none = {"system": "gpt.4", "human_faithfulness": None}
    file = write_lines(
        tmp_path / "dev.jsonl", SCORED, SCORED | none, SCORED | none | {"source": "Rain fell."}
    )
    out = tmp_path / "out"
    monkeypatch.setattr("sys.argv", ["labelled_sets", "longsciverify", str(file), f"--out={out}"])
    command()
    assert capsys.readouterr().out.splitlines() == [
        f"{out}: 2 papers, 2 systems, 3 pairs",
        f"1 pairs have human labels: {SETS['longsciverify'].words}",
        "papers numbered, since their id has other texts, too: 1",
    ]
    suite = load_suite(out)
    assert suite.paper_ids == ("p1", "p1-2")
    assert suite.labels["p1", "big"].overall == 0.75
    text = (out / "summeval.toml").read_text(encoding="utf-8")
    assert '[systems."gpt.4"]' in text
    assert text.endswith("[thresholds]\nfacet = 0.55\nfaithfulness = 0.80\n")


@pytest.mark.parametrize("name", SETS)
def test_released_set_becomes_a_suite_with_all_its_labels(
    tmp_path: Path, shared_data: Path, name: str
) -> None:
    """The key table against the data's first rows: no label is lost but those that are counted."""
    file = shared_data / f"{FILES.get(name, f'{name}/dev')}.jsonl"
    if not file.is_file():
        pytest.skip(f"{file} is not there, so there is no release to import")
    with file.open(encoding="utf-8") as handle:
        rows = [json.loads(line) for line in islice(handle, 60)]
    report = made(tmp_path, name, *rows)
    suite = load_suite(tmp_path / "out")
    spec, labels = SETS[name], suite.labels.values()
    n_facts = sum(len(label.facts.reference) for label in labels if label.facts)
    if spec.roles:
        n_roles = sum(len(label.roles or ()) for label in labels)
        assert n_roles == len({(row["doc_id"], row["sentence"]) for row in rows})
    elif spec.holds and spec.reshape is None:
        assert n_facts == sum(len({fact.strip() for fact in row[spec.facts]}) for row in rows)
    if spec.overall:
        assert len(labels) == sum(row[spec.overall] is not None for row in rows)
    if spec.sentence:
        left_out = [note for note in report["notes"] if note.startswith("unf")]
        wrong = [s for label in labels for s in label.sentences or () if not s.faithful]
        n_wrong = sum(row[spec.faithful] is False for row in rows)
        assert len(wrong) == n_wrong - sum(int(note.rpartition(": ")[2]) for note in left_out)

from __future__ import annotations

import json
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from summeval_pytest.questions import Fact
from summeval_pytest.suite.labels import EvidenceLabel, RoleLabel
from summeval_pytest.suite.suite import load_suite
from tests.label_suite import write_lines
from tests.study.labelled_sets import SETS, import_set
from tests.study.labelled_sets import main as command

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

ROLE = {"doc_id": "d 1", "sentence": "Moss is old.", "sentence_index": 0, "bmrc": "B"}
MATCH = {
    "paper_id": "p1",
    "system": "big",
    "prediction_id": "x",
    "reference_fact": {"question": "What grew?", "answer": "Moss grew. "},
    "predicted_fact": {"question": "And?", "answer": "Green moss grew."},
    "label": 1,
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


def test_sentence_that_we_cut_is_labelled_only_where_that_is_safe(tmp_path: Path) -> None:
    """Both halves of a faithful sentence are faithful; of an unfaithful one, who knows."""
    two = {"sentence": "Moss grew. Rain fell."}
    report = made(
        tmp_path,
        "wice",
        SENTENCE | two,
        SENTENCE | two | {"label": False},
        SENTENCE | {"evidence": [], "sentence": "It snowed.", "label": False},
    )
    label = load_suite(tmp_path / "out").labels["p-1", "big-new"]
    assert label.sentences is not None
    assert [(s.index, s.faithful, s.evidence) for s in label.sentences] == [
        (0, True, ()),  # which half the evidence carries is unsaid, too
        (1, True, ()),
        (4, False, ()),
    ]
    assert tuple(report["notes"]) == (
        "unfaithful sentences left out, as nobody says which part of them is wrong: 1",
    )


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


def test_sentences_of_an_abstract_are_a_text_with_roles(tmp_path: Path) -> None:
    """Worked example: in the order of their index; one has no end, one no facet, one is empty.

    A sentence that the release has cut short ends its paragraph; our rules cut one of them in two.
    """
    report = made(
        tmp_path,
        "csabstruct",
        ROLE | {"sentence": "It helps. It does", "sentence_index": 2, "bmrc": "R"},
        ROLE,
        ROLE | {"sentence": "We thank all.", "sentence_index": 3, "bmrc": None},
        ROLE | {"sentence": "We  grew it.", "sentence_index": 1, "bmrc": "M"},
        ROLE | {"sentence": "--", "sentence_index": 4, "bmrc": "R"},
        ROLE | {"doc_id": "d2"},
    )
    assert (report["papers"], report["systems"], report["labels"]) == (2, ["authors"], 2)
    assert tuple(report["notes"]) == (
        "sentences with a facet: 4",
        "of these, sentences that our rules cut otherwise: 1",
        "sentences left out, empty or there twice: 1",
    )
    suite = load_suite(tmp_path / "out")
    abstract = "Moss is old. We grew it. It helps. It does\n\nWe thank all. --"
    assert suite.pair("d-1", "authors").summary == abstract
    assert suite.paper("d-1").references == (abstract,)
    assert suite.labels["d-1", "authors"].roles == (
        RoleLabel(text="Moss is old.", facets=("background",)),
        RoleLabel(text="We grew it.", facets=("method",)),
        RoleLabel(text="It helps. It does", facets=("result", "conclusion")),
        RoleLabel(text="We thank all.", facets=()),
    )


def test_matches_are_summaries_of_one_fact(tmp_path: Path) -> None:
    """Worked example: two predicted facts of one system; one pair of two minds is left out.

    The paper's facts are all that stand in the file, so that its pairs are resampled together.
    """
    rain = {"question": "What fell?", "answer": "Rain fell."}
    report = made(
        tmp_path,
        "infolossqa_match",
        MATCH,
        MATCH | {"reference_fact": rain, "label": 0},
        MATCH | {"prediction_id": "y", "label": None},
        MATCH | {"prediction_id": "z", "reference_fact": rain, "label": 0},
        MATCH | {"prediction_id": "z", "label": None},
    )
    assert (report["papers"], report["systems"]) == (1, ["big", "big-02"])
    suite = load_suite(tmp_path / "out")
    assert suite.paper("p1").references == ("Moss grew.\n\nRain fell.",)
    assert suite.paper("p1").reference_facts == (
        Fact(text="Moss grew.", sentence=0),
        Fact(text="Rain fell.", sentence=0),
    )
    assert suite.pair("p1", "big").summary == "Green moss grew."
    message = {
        system: [(fact.text, fact.holds) for fact in label.facts.reference]
        for (_, system), label in suite.labels.items()
        if label.facts is not None
    }
    assert message == {
        "big": [("Moss grew.", True), ("Rain fell.", False)],
        "big-02": [("Rain fell.", False)],
    }


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

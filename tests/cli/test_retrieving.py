from __future__ import annotations

import json
from typing import TYPE_CHECKING

from summeval_pytest.analysis import agreement
from summeval_pytest.cli.agree import (
    BERTSCORE,
    LocalModels,
    agree,
    as_counts,
    evidence_table,
    retrieved_evidence,
)
from summeval_pytest.run.golden import EvidenceCount
from tests.label_suite import loaded, mistake, write_lines, write_suite
from tests.local_models import LetterEncoder, WordScorer

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    import pytest

    from summeval_pytest.suite.suite import Suite

FAITHFUL = {"index": 0, "faithful": True, "evidence": [0]}
LABEL = {"paper": "moss-01", "system": "long", "overall": 0.8, "sentences": [FAITHFUL]}


def found(suite: Suite) -> Mapping[str, EvidenceCount]:
    """The evidence that is retrieved for the labels of a suite."""
    labelled = [(label, suite.pair(*key)) for key, label in suite.labels.items()]
    return retrieved_evidence(labelled, LetterEncoder())


def test_the_nearest_source_sentences_are_held_against_the_labelled_ones(tmp_path: Path) -> None:
    """Worked example: the summary's first sentence is the source's first, word by word.

    The label names that one and the third, so the best of either way is one of two; the best three
    are all the source's sentences. By BM25 the second shares no word with the claim and is not
    named, nor is the third but for "roof".
    """
    label = LABEL | {"sentences": [FAITHFUL | {"evidence": [0, 2]}]}
    counts = found(loaded(tmp_path, label))
    assert counts["embedding, best 1"] == EvidenceCount(named=1, labelled=2, both=1)
    assert counts["embedding, best 3"] == EvidenceCount(named=3, labelled=2, both=2)
    assert counts["BM25, best 1"] == EvidenceCount(named=1, labelled=2, both=1)
    assert counts["BM25, best 3"] == EvidenceCount(named=2, labelled=2, both=2)
    assert list(counts) == [f"{way}, best {n}" for way in ("BM25", "embedding") for n in (1, 2, 3)]


def test_only_faithful_sentences_with_evidence_count(tmp_path: Path) -> None:
    """As FareBio counts: nobody can find evidence for what has none."""
    unfaithful = {"index": 1, "faithful": False, "evidence": [2]}
    unsupported = {"index": 2, "faithful": True}
    label = LABEL | {"sentences": [FAITHFUL, unfaithful, unsupported]}
    assert found(loaded(tmp_path, label)) == found(loaded(tmp_path / "other", LABEL))


def test_counts_add_up_over_pairs(tmp_path: Path) -> None:
    """Micro: a sentence with much evidence weighs more."""
    short = LABEL | {"system": "short"}
    counts = found(loaded(tmp_path, LABEL, short))
    assert counts["embedding, best 2"].named == 4
    assert counts["embedding, best 2"].labelled == 2


def test_a_label_of_a_sentence_that_is_not_there_is_refused(tmp_path: Path) -> None:
    """The summary has been exchanged since."""
    label = LABEL | {"sentences": [FAITHFUL | {"index": 3}]}
    message = mistake(lambda: found(loaded(tmp_path, label)))
    assert message.endswith(
        "is about sentence 3, and the summary has 3, counted from 0; mend the index"
    )


def test_labels_without_evidence_make_no_table(tmp_path: Path) -> None:
    """ScholarSum labels none."""
    label = {key: value for key, value in LABEL.items() if key != "sentences"}
    counts = found(loaded(tmp_path, label))
    assert counts == {}
    assert list(evidence_table(counts)) == []
    assert as_counts(counts) == {}


def test_the_table_has_shares_of_the_counts() -> None:
    """Worked example: 3 of 4 named are labelled, and of 6 labelled; F1 = 6 / 10."""
    counts = {
        "BM25, best 1": EvidenceCount(named=4, labelled=6, both=3),
        "embedding, best 1": EvidenceCount(named=0, labelled=6, both=0),
    }
    assert list(evidence_table(counts)) == [
        "",
        "labelled evidence          named  labelled  both      P      R     F1",
        "BM25, best 1                   4         6     3  0.750  0.500  0.600",
        "embedding, best 1              0         6     0  0.000  0.000  0.000",
    ]
    assert as_counts(counts)["evidence"] == {
        "BM25, best 1": {"named": 4, "labelled": 6, "both": 3},
        "embedding, best 1": {"named": 0, "labelled": 6, "both": 0},
    }


def test_agreement_is_shown_with_the_columns_of_the_models(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A computed BERTScore marks the recorded one; without the option that keeps its name."""
    monkeypatch.setattr(agreement, "RESAMPLES", 20)
    labels = [LABEL, LABEL | {"system": "short", "overall": 0.2}, LABEL | {"paper": "moss-02"}]
    labels[2] = {"paper": "moss-02", "system": "long", "overall": 0.5}
    folder = write_suite(tmp_path / "moss", *labels)
    toml = folder / "summeval.toml"
    toml.write_text('recorded = "recorded.jsonl"\n' + toml.read_text("utf-8"), "utf-8")
    line = {"paper": "moss-01", "system": "long", "by": "BERTScore", "overall": 0.7}
    write_lines(folder / "recorded.jsonl", line)
    file = tmp_path / "figures.json"

    def lines(models: LocalModels) -> list[str]:
        monkeypatch.setattr("summeval_pytest.cli.agree.models_of", lambda _: models)
        return agree(folder, json_file=file)

    plain = lines(LocalModels())
    before = json.loads(file.read_text("utf-8"))
    shown = lines(LocalModels(encoder=LetterEncoder(), scorer=WordScorer()))
    after = json.loads(file.read_text("utf-8"))

    assert [line for line in plain if line.startswith("BERTScore ")]
    assert not {"recipes", "evidence"} & set(before)
    names = [line[:26].rstrip() for line in shown]
    start = names.index("length") + 1
    assert names[start : start + 7] == [
        *BERTSCORE, "embedding F1", "embedding precision", "embedding recall",
        "BERTScore (recorded)",
    ]  # fmt: skip
    assert after["metrics"]["BERTScore"]["pairs"] == 3
    assert after["metrics"]["BERTScore (recorded)"]["pairs"] == 1
    assert after["recipes"] == {"BERTScore": "words 1", "embedding": "letters 1"}
    assert after["evidence"]["embedding, best 1"]["named"] == 2
    assert "embedding, best 1" in names
    assert shown[-1].startswith("embedding: letters 1; ")
    assert {k: v for k, v in after["metrics"].items() if k in before["metrics"]}.keys() == (
        before["metrics"].keys()
    )

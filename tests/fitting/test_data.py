"""What every fit reads and writes."""

from __future__ import annotations

import json
from math import log
from pathlib import Path

import numpy as np
import pytest

from tests.label_suite import write_lines
from tools.fitting import data, rarity
from tools.fitting.data import fit_logistic, folds, source_index


def test_a_source_is_cut_by_its_lines_or_by_our_rules() -> None:
    """Evidence by number of line is lost where a line is cut in two."""
    text = "One eel swam. It was old.\nA second eel rested."
    assert len(source_index(text, by_line=True).sentences) == 2
    assert len(source_index(text).sentences) == 3


def test_the_same_arrays_give_the_same_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fitting again must show in a pull request only where something changed."""
    monkeypatch.setattr(data, "WEIGHTS", tmp_path)
    made = {"steps": np.arange(5, dtype=np.uint8), "intercept": np.array(0.5)}
    written = []
    for _ in range(2):
        data.save("made", made, recipe={"data": ["ours"]})
        written.append((tmp_path / "made.npz").read_bytes())

    assert written[0] == written[1]
    with np.load(tmp_path / "made.npz", allow_pickle=False) as arrays:
        assert arrays["steps"].tolist() == [0, 1, 2, 3, 4]
        assert arrays["intercept"].shape == ()
    assert json.loads((tmp_path / "made.json").read_text(encoding="utf-8")) == {
        "command": "python -m tools.fitting.made --data ../shared/data",
        "data": ["ours"],
    }


def test_sentences_of_one_abstract_are_one_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rarity counts texts: sentences of a document make one, long sources are cut to its length."""
    sets = {"a.jsonl": ("sentence", "doc_id"), "b.jsonl": ("source", None)}
    monkeypatch.setattr(rarity, "SETS", sets)
    sentences = [("d1", "zinc heals"), ("d1", "mice healed"), ("d2", "zinc")]
    write_lines(tmp_path / "a.jsonl", *({"doc_id": d, "sentence": s} for d, s in sentences))
    long = " ".join(["copper"] * (rarity.LENGTH + 1))
    write_lines(tmp_path / "b.jsonl", {"source": long})
    found = list(rarity.texts(tmp_path))
    assert found == [{"zinc", "heal", "mice"}, {"zinc"}, {"copper"}, {"copper"}]


def test_an_intercept_speaks_for_its_own_rows() -> None:
    """Where a feature tells nothing, it is the logit of the share of 1 among them.

    No slope is negative: a set in which overlap goes with error must not teach that it is bad.
    """
    slopes, starts = fit_logistic(
        np.full((8, 1), 0.5),
        np.array([1, 1, 1, 0, 1, 0, 0, 0.0]),
        weights=np.ones(8),
        ridge=0.02,
        starts=np.repeat(np.eye(2), 4, axis=0),
    )
    assert slopes == pytest.approx([0.0], abs=1e-3)
    assert starts == pytest.approx([log(3), -log(3)], abs=1e-3)
    features = np.array([[0.0, 1.0], [0.2, 0.8], [0.8, 0.1], [1.0, 0.0]])
    labels = np.array([0.0, 0.0, 1.0, 1.0])
    slopes, _ = fit_logistic(features, labels, weights=np.ones(4), ridge=0.01)
    assert slopes[0] > 1.0
    assert slopes[1] == 0.0


def test_a_paper_is_in_one_fold() -> None:
    """Sentences of one paper never stand on both sides; the sixth paper joins the first."""
    assert folds(["a", "b", "a", "c", "b", "d", "e", "f"]).tolist() == [0, 1, 0, 2, 1, 3, 4, 0]

"""What every fit reads and writes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np

from tests.fitting import data, rarity
from tests.fitting.data import Sources
from tests.label_suite import write_lines

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_a_source_is_cut_by_its_lines_or_by_our_rules() -> None:
    """Evidence by number of line is lost where a line is cut in two."""
    text = "One eel swam. It was old.\nA second eel rested."
    assert len(Sources(by_line=True).index(text).sentences) == 2
    assert len(Sources().index(text).sentences) == 3


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
        "command": "python -m tests.fitting.made --data ../shared/data",
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

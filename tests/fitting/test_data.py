"""What every fit reads and writes."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tools.fitting import data
from tools.fitting.data import folds


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


def test_a_paper_is_in_one_fold() -> None:
    """Sentences of one paper never stand on both sides; the sixth paper joins the first."""
    assert folds(["a", "b", "a", "c", "b", "d", "e", "f"]).tolist() == [0, 1, 0, 2, 1, 3, 4, 0]

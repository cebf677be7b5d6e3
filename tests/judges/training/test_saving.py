"""What training writes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np

from summeval_pytest.judges.training import saving

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_the_same_arrays_give_the_same_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Training again must show in a pull request only where something changed."""
    monkeypatch.setattr(saving, "WEIGHTS", tmp_path / "weights")
    written = []
    for _ in range(2):
        saving.save("made", {"steps": np.arange(5, dtype=np.uint8)}, recipe={"data": ["ours"]})
        written.append((tmp_path / "weights/made.npz").read_bytes())
    assert written[0] == written[1]
    with np.load(tmp_path / "weights/made.npz", allow_pickle=False) as arrays:
        assert arrays.files == ["steps"]
        assert arrays["steps"].tolist() == [0, 1, 2, 3, 4]
    recipe = json.loads((tmp_path / "weights/made.json").read_text(encoding="utf-8"))
    assert recipe == {"data": ["ours"]}


def test_a_single_number_stays_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What reads the intercept of a model expects a number and no list of one."""
    monkeypatch.setattr(saving, "WEIGHTS", tmp_path)
    saving.save("made", {"intercept": np.array(0.5)}, recipe={})
    with np.load(tmp_path / "made.npz", allow_pickle=False) as arrays:
        assert arrays["intercept"].shape == ()

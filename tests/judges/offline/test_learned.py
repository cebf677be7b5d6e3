from __future__ import annotations

import json
from importlib import resources
from typing import Final

import numpy as np

from summeval_pytest.judges.offline.learned import learned, rarity
from summeval_pytest.text.words import stem

WEIGHTS: Final = resources.files("summeval_pytest.judges.offline").joinpath("weights")
NAMES: Final = sorted(
    entry.name.removesuffix(".npz") for entry in WEIGHTS.iterdir() if entry.name.endswith(".npz")
)


def test_weights_are_small_plain_numbers_with_a_recipe_beside_them() -> None:
    """An array of objects could carry code; whoever doubts the weights must make them again."""
    for name in NAMES:
        arrays = learned(name)
        assert arrays
        assert {array.dtype.kind for array in arrays.values()} <= set("iuf")
        assert all(np.isfinite(array).all() for array in arrays.values())
        recipe = json.loads(WEIGHTS.joinpath(f"{name}.json").read_text(encoding="utf-8"))
        assert {"command", "data", "method", "scores"} <= set(recipe)
        assert f"tools.fitting.{name} " in recipe["command"]
        assert all(not data.startswith("/") for data in recipe["data"])
    sizes = [len(WEIGHTS.joinpath(f"{name}.npz").read_bytes()) for name in NAMES]
    assert 0 < sum(sizes) <= 3_000_000


def test_a_word_of_every_text_is_less_rare_than_one_of_none() -> None:
    """Rarity runs from 0 to 1, and common scientific words lie low on it."""
    common, known, unknown = rarity(stem("study")), rarity(stem("zinc")), rarity("qqzyx")
    assert 0.0 <= common < known < unknown == 1.0

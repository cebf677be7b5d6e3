"""Writes what was learned: the arrays, and beside them the recipe with its scores."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

import summeval_pytest.judges.offline.learned as reader

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

WEIGHTS: Final = Path(reader.__file__).parent / "weights"


def save(
    name: str, arrays: Mapping[str, NDArray[np.generic]], *, recipe: Mapping[str, Any]
) -> None:
    """Writes ``weights/NAME.npz`` and ``weights/NAME.json``; the same arrays give the same bytes.

    Args:
        name: The model.
        arrays: What the judge reads.
        recipe: ``command``, ``data`` (the sets by name), ``method`` and ``scores`` (what was
            measured on papers that the fit had not seen).
    """
    WEIGHTS.mkdir(exist_ok=True)
    plain: dict[str, Any] = {key: np.asarray(array) for key, array in arrays.items()}
    np.savez_compressed(WEIGHTS / f"{name}.npz", **plain)
    text = json.dumps(recipe, indent=2, ensure_ascii=False, sort_keys=True)
    (WEIGHTS / f"{name}.json").write_text(text + "\n", encoding="utf-8")

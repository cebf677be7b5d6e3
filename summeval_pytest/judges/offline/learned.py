"""What the embedded judge has learned: plain arrays that ship with it, the recipe beside each.

`weights/NAME.npz` holds arrays of numbers and nothing that runs; `weights/NAME.json` says which
data they were fitted to, by which command, and how well they did on what they had not seen.
"""

from __future__ import annotations

from functools import lru_cache
from importlib import resources
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray


@lru_cache
def learned(name: str) -> Mapping[str, NDArray[np.generic]]:
    """The arrays of one model, by name; read once in a process.

    Args:
        name: ``roles``, ``rarity``, ...: a file in the folder ``weights`` beside this module.
    """
    path = resources.files("summeval_pytest.judges.offline").joinpath("weights", f"{name}.npz")
    with path.open("rb") as file, np.load(file, allow_pickle=False) as arrays:
        return MappingProxyType({key: arrays[key] for key in arrays.files})

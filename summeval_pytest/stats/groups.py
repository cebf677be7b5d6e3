"""Rows that belong together: the summaries of one paper are not independent of each other."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

Labels: TypeAlias = "Sequence[str] | Sequence[int] | NDArray[np.intp]"
"""The group of each row, for instance its paper's id."""


def rows_by_group(groups: Labels) -> tuple[NDArray[np.intp], ...]:
    """The row numbers of each group, groups sorted by label, rows in the order given.

    Sorting makes what follows independent of the order in which the groups first occur.
    """
    members: dict[str | int, list[int]] = {}
    for row, label in enumerate(groups):
        members.setdefault(label, []).append(row)
    return tuple(np.array(members[label], dtype=np.intp) for label in sorted(members))

"""Which items share a request, and in which order they stand in it."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

Unit = tuple[int, ...]


def shards(units: Sequence[Unit], size: int) -> tuple[Unit, ...]:
    """The items of all units in as few requests as come of filling the first that has room.

    A unit stays in one piece and in its order, unless it alone is larger than a request may be.
    """
    filled: list[list[int]] = []
    for unit in units:
        for piece in (unit[start : start + size] for start in range(0, len(unit), size)):
            room = next((shard for shard in filled if len(shard) + len(piece) <= size), None)
            if room is None:
                filled.append(list(piece))
            else:
                room.extend(piece)
    return tuple(tuple(shard) for shard in filled)


def shuffled(units: Sequence[Unit], question: str, vote: int) -> tuple[Unit, ...]:
    """The units in an order of their own for each vote; the first vote keeps the given one.

    The order is by a hash, not by a generator, since a request's key in the store must be the same
    under every version of Python.

    Args:
        units: The units.
        question: A text that tells this question from others.
        vote: Which vote, from 0.
    """
    if not vote:
        return tuple(units)
    digest = hashlib.sha256(question.encode()).hexdigest()

    def lot(unit: Unit) -> str:
        return hashlib.sha256(f"{vote} {unit} {digest}".encode()).hexdigest()

    return tuple(sorted(units, key=lot))

"""How deep a value nests: what is read at Python's limit breaks whoever walks it later."""

from __future__ import annotations

from typing import Final

DEEPEST: Final = 64
"""How deep lists and objects may hold each other; no file or reply of ours has ten levels."""


def is_deep(value: object) -> bool:
    """Whether lists and objects hold each other deeper than `DEEPEST`."""
    level = [value]
    for _ in range(DEEPEST):
        level = [inner for outer in level for inner in _inside(outer)]
        if not level:
            return False
    return True


def check_depth(value: object) -> None:
    """Ends with the error of `json.loads` for a value that is deep, though not too deep for it.

    Raises:
        RecursionError: for such a value.
    """
    if is_deep(value):
        raise RecursionError


def _inside(value: object) -> list[object]:
    """The lists and objects in a list or an object."""
    if isinstance(value, dict):
        value = list(value.values())
    if not isinstance(value, list):
        return []
    return [inner for inner in value if isinstance(inner, dict | list)]

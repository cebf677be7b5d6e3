"""Strict JSON schemas: every property required, none added, enums closed, the reason before them.

They are the same for every request of a kind (only ratings depend on which facets are asked about),
so that an endpoint compiles each of them once.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from summeval_pytest.models.request import Schema

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from summeval_pytest.judges.llm.instructions import Kind

Shape = dict[str, object]
"""A schema, or part of one, as JSON values."""


def text() -> Shape:
    """Any text."""
    return {"type": "string"}


def integer() -> Shape:
    """Any whole number."""
    return {"type": "integer"}


def one_of(values: Sequence[str] | Sequence[int]) -> Shape:
    """One of these texts, or of these whole numbers."""
    kind = "integer" if isinstance(values[0], int) else "string"
    return {"type": kind, "enum": list(values)}


def array(items: Shape) -> Shape:
    """A list of any length."""
    return {"type": "array", "items": items}


def record(properties: Mapping[str, Shape]) -> Shape:
    """An object with exactly these properties, in this order."""
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


def schema(kind: Kind, shape: Shape) -> Schema:
    """The schema that a request carries."""
    return Schema(name=kind, text=json.dumps(shape, separators=(",", ":")))

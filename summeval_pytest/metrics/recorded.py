"""What a run record keeps of a value's fields, as their metadata."""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

SPARSE: Final = MappingProxyType({"recorded": "where set"})
"""Marks a field that a run record has only where it is not the default: most runs need it not."""
UNRECORDED: Final = MappingProxyType({"recorded": "never"})
"""Marks a field that no run record has, and that makes no two scores differ."""

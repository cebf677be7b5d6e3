"""The parts of the annexes that a suite or an option asks for. Nothing else of the core names them.

Commands of the annexes stand in `cli/app.py`.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, Final

PARTS: Final = {
    "joined": "scale.merging:joined",
    "same options": "scale.merging:check_options",
    "shared place": "scale.postgres:read_address",
    "shared store": "scale.postgres:PostgresStore",
    "events": "scale.telemetry:send_run",
}
"""By the key of a suite, or by what an option asks for, the function that makes it."""


def part(name: str) -> Any:
    """The function of a part, loaded now."""
    module, _, function = PARTS[name].partition(":")
    return getattr(import_module(f"{__package__}.{module}"), function)

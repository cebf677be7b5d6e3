"""What a client has sent, in numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True, kw_only=True)
class Traffic:
    """What a client has sent so far.

    Attributes:
        n_attempts: How many requests went out.
        n_retried: How many of them repeat another one.
        outcomes: How many ended how: by status, or by "no_connection", "dropped", "slow",
            "not_json", "malformed".
    """

    n_attempts: int
    n_retried: int
    outcomes: Mapping[str, int]

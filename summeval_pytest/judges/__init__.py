"""Whoever answers: the protocol, the embedded judge, and the way from a name to a judge."""

from __future__ import annotations

from summeval_pytest.judges.judge import Counting, Judge, Part, Prompting
from summeval_pytest.judges.naming import OFFLINE, find_judge, is_local

__all__ = [
    "OFFLINE",
    "Counting",
    "Judge",
    "Part",
    "Prompting",
    "find_judge",
    "is_local",
]

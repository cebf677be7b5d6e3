"""Whoever answers: the protocol, the embedded judge, and the way from a name to a judge."""

from __future__ import annotations

from summeval_pytest.judges.judge import Judge
from summeval_pytest.judges.naming import OFFLINE, find_judge

__all__ = ["OFFLINE", "Judge", "find_judge"]

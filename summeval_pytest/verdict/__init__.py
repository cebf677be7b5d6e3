"""Deciding: scores and thresholds in, findings out; pure."""

from __future__ import annotations

from summeval_pytest.verdict.deciding import PairVerdict, decide
from summeval_pytest.verdict.findings import Finding, Shortfall
from summeval_pytest.verdict.means import MeanVerdict, SystemMean, decide_means
from summeval_pytest.verdict.thresholds import (
    Threshold,
    Thresholds,
    check_measured,
    read_thresholds,
    thresholds_of,
)

__all__ = [
    "Finding",
    "MeanVerdict",
    "PairVerdict",
    "Shortfall",
    "SystemMean",
    "Threshold",
    "Thresholds",
    "check_measured",
    "decide",
    "decide_means",
    "read_thresholds",
    "thresholds_of",
]

"""Deciding: scores and thresholds in, findings out; pure."""

from __future__ import annotations

from summeval_pytest.suite import ALL_PAPERS
from summeval_pytest.verdict.baseline import Baseline, find_baseline
from summeval_pytest.verdict.changing import pair_change, worst_first
from summeval_pytest.verdict.comparison import (
    Claim,
    Comparison,
    Difference,
    FacetChange,
    Flip,
    PairChange,
)
from summeval_pytest.verdict.deciding import PairVerdict, Shortfall, decide, raise_judge_faults
from summeval_pytest.verdict.findings import Finding, explaining, findings_of, wrong_pieces
from summeval_pytest.verdict.means import MeanVerdict, SystemMean, decide_means, mean_of
from summeval_pytest.verdict.record import (
    CassetteRecord,
    Covered,
    Header,
    Outcome,
    PairRecord,
    PaperRecord,
    RunRecord,
    SuiteRecord,
    SystemRecord,
)
from summeval_pytest.verdict.recording import Judged, Part, Totalled, broken_down, judged
from summeval_pytest.verdict.regression import compare
from summeval_pytest.verdict.rescoring import read_weights, rescore
from summeval_pytest.verdict.rules import DEFAULT_RULES, Rule, read_rules
from summeval_pytest.verdict.sweeping import Separation, separations
from summeval_pytest.verdict.thresholds import (
    Threshold,
    Thresholds,
    check_measured,
    read_thresholds,
    thresholds_of,
)
from summeval_pytest.verdict.waivers import Waivers, WaiverUse, all_uses, fault_of

__all__ = [
    "ALL_PAPERS",
    "DEFAULT_RULES",
    "Baseline",
    "CassetteRecord",
    "Claim",
    "Comparison",
    "Covered",
    "Difference",
    "FacetChange",
    "Finding",
    "Flip",
    "Header",
    "Judged",
    "MeanVerdict",
    "Outcome",
    "PairChange",
    "PairRecord",
    "PairVerdict",
    "PaperRecord",
    "Part",
    "Rule",
    "RunRecord",
    "Separation",
    "Shortfall",
    "SuiteRecord",
    "SystemMean",
    "SystemRecord",
    "Threshold",
    "Thresholds",
    "Totalled",
    "WaiverUse",
    "Waivers",
    "all_uses",
    "broken_down",
    "check_measured",
    "compare",
    "decide",
    "decide_means",
    "explaining",
    "fault_of",
    "find_baseline",
    "findings_of",
    "judged",
    "mean_of",
    "pair_change",
    "raise_judge_faults",
    "read_rules",
    "read_thresholds",
    "read_weights",
    "rescore",
    "separations",
    "thresholds_of",
    "worst_first",
    "wrong_pieces",
]

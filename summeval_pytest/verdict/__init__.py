"""Deciding: scores and thresholds in, findings out; pure."""

from __future__ import annotations

from summeval_pytest.suite import ALL_PAPERS
from summeval_pytest.verdict.baseline import Baseline, find_baseline
from summeval_pytest.verdict.calibrating import Calibration, calibration_of
from summeval_pytest.verdict.changing import pair_change, worst_first
from summeval_pytest.verdict.checking import Broken, Check, RelationVerdict, check, decide_relation
from summeval_pytest.verdict.comparison import (
    Claim,
    Comparison,
    Difference,
    FacetChange,
    Flip,
    PairChange,
)
from summeval_pytest.verdict.correcting import CORRECTABLE, CorrectedMean, corrected_means
from summeval_pytest.verdict.deciding import PairVerdict, Shortfall, decide, raise_judge_faults
from summeval_pytest.verdict.drift import Drift, KindDrift, measure_drift
from summeval_pytest.verdict.figure_changes import FigureChange
from summeval_pytest.verdict.findings import (
    Finding,
    explaining,
    findings_of,
    rank,
    rated_words,
    sentence_words,
    wrong_pieces,
)
from summeval_pytest.verdict.floors import AGREEMENTS, Floor, Floors, floors_of, named_agreement
from summeval_pytest.verdict.heading import CassetteRecord, Header
from summeval_pytest.verdict.means import MeanVerdict, SystemMean, decide_means, mean_of
from summeval_pytest.verdict.probing import (
    GROUPS,
    Probe,
    chosen_relations,
    probes_of,
    relation_floors,
)
from summeval_pytest.verdict.record import (
    Covered,
    Outcome,
    PairRecord,
    PaperRecord,
    RunOutcome,
    RunRecord,
    SuiteRecord,
    SystemRecord,
)
from summeval_pytest.verdict.recording import (
    Judged,
    Measured,
    Part,
    Totalled,
    Tried,
    broken_down,
    judged,
)
from summeval_pytest.verdict.regression import compare
from summeval_pytest.verdict.rejudging import Rejudged
from summeval_pytest.verdict.rescoring import read_weights, rescore
from summeval_pytest.verdict.rules import DEFAULT_RULES, Rule, read_rules
from summeval_pytest.verdict.thresholds import (
    Threshold,
    Thresholds,
    check_measured,
    check_supported,
    read_thresholds,
    thresholds_of,
)
from summeval_pytest.verdict.trust import Agreement, Trust
from summeval_pytest.verdict.waivers import Waivers, WaiverUse, all_uses, fault_of

__all__ = [
    "AGREEMENTS",
    "ALL_PAPERS",
    "CORRECTABLE",
    "DEFAULT_RULES",
    "GROUPS",
    "Agreement",
    "Baseline",
    "Broken",
    "Calibration",
    "CassetteRecord",
    "Check",
    "Claim",
    "Comparison",
    "CorrectedMean",
    "Covered",
    "Difference",
    "Drift",
    "FacetChange",
    "FigureChange",
    "Finding",
    "Flip",
    "Floor",
    "Floors",
    "Header",
    "Judged",
    "KindDrift",
    "MeanVerdict",
    "Measured",
    "Outcome",
    "PairChange",
    "PairRecord",
    "PairVerdict",
    "PaperRecord",
    "Part",
    "Probe",
    "Rejudged",
    "RelationVerdict",
    "Rule",
    "RunOutcome",
    "RunRecord",
    "Shortfall",
    "SuiteRecord",
    "SystemMean",
    "SystemRecord",
    "Threshold",
    "Thresholds",
    "Totalled",
    "Tried",
    "Trust",
    "WaiverUse",
    "Waivers",
    "all_uses",
    "broken_down",
    "calibration_of",
    "check",
    "check_measured",
    "check_supported",
    "chosen_relations",
    "compare",
    "corrected_means",
    "decide",
    "decide_means",
    "decide_relation",
    "explaining",
    "fault_of",
    "find_baseline",
    "findings_of",
    "floors_of",
    "judged",
    "mean_of",
    "measure_drift",
    "named_agreement",
    "pair_change",
    "probes_of",
    "raise_judge_faults",
    "rank",
    "rated_words",
    "read_rules",
    "read_thresholds",
    "read_weights",
    "relation_floors",
    "rescore",
    "sentence_words",
    "thresholds_of",
    "worst_first",
    "wrong_pieces",
]

"""The three metrics as conversations with a judge: their arithmetic, and nothing that does I/O."""

from __future__ import annotations

from summeval_pytest.metrics.catalogue import CATALOGUE, Named
from summeval_pytest.metrics.conversation import Flow, ScoreT, best_of
from summeval_pytest.metrics.references import mean_of
from summeval_pytest.metrics.score import (
    METRICS,
    CheckedFact,
    EvaCounts,
    EvaScore,
    FacetScore,
    Fault,
    MetricName,
    RatedFacet,
    Score,
    StageCounts,
    Unscored,
)
from summeval_pytest.metrics.sentence_score import (
    CONFLICTS,
    SUPPORT,
    FaithfulnessScore,
    JudgedSentence,
    lacks_support,
    mean_support,
)
from summeval_pytest.metrics.signature import Signature, read_signature, signature_of
from summeval_pytest.metrics.stages import Stages

__all__ = [
    "CATALOGUE",
    "CONFLICTS",
    "METRICS",
    "SUPPORT",
    "CheckedFact",
    "EvaCounts",
    "EvaScore",
    "FacetScore",
    "FaithfulnessScore",
    "Fault",
    "Flow",
    "JudgedSentence",
    "MetricName",
    "Named",
    "RatedFacet",
    "Score",
    "ScoreT",
    "Signature",
    "StageCounts",
    "Stages",
    "Unscored",
    "best_of",
    "lacks_support",
    "mean_of",
    "mean_support",
    "read_signature",
    "signature_of",
]

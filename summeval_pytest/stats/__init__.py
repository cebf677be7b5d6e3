"""Statistics over papers: correlation, chance-corrected agreement, and intervals by resampling."""

from __future__ import annotations

from summeval_pytest.stats.agreement import (
    Ratings,
    cohen_kappa,
    confusion,
    exact_agreement,
    kappas_of,
)
from summeval_pytest.stats.calibration import FoldedMap, MonotoneMap, fit_folds, fit_map, folds_of
from summeval_pytest.stats.coefficients import COEFFICIENTS, CoefficientName
from summeval_pytest.stats.correction import Corrected, Flags, corrected_mean, corrected_rate
from summeval_pytest.stats.correlation import (
    Coefficient,
    Numbers,
    coefficients_within,
    kendall,
    pearson,
    spearman,
)
from summeval_pytest.stats.evidence import (
    any_hit,
    evidence_f1,
    evidence_precision,
    evidence_recall,
    named_per_instance,
)
from summeval_pytest.stats.fitting import FittedWeights, fit_weights
from summeval_pytest.stats.groups import Labels, rows_by_group
from summeval_pytest.stats.matrices import (
    Matrix,
    Resamples,
    matrix_of_means,
    matrix_over_rows,
    matrix_within,
)
from summeval_pytest.stats.paired import drop_p_value, holm
from summeval_pytest.stats.partial import partial_pearson
from summeval_pytest.stats.permuting import correlation_p_value
from summeval_pytest.stats.power import detectable_drop, power_of_drop
from summeval_pytest.stats.ranking import roc_auc, roc_auc_bounds
from summeval_pytest.stats.ratios import shares
from summeval_pytest.stats.reliability import (
    Level,
    alphas_of,
    iccs_of,
)
from summeval_pytest.stats.resampling import (
    Interval,
    Rows,
    Statistic,
    bootstrap_interval,
    bootstrap_mean,
    bootstrap_sums,
)

__all__ = [
    "COEFFICIENTS",
    "Coefficient",
    "CoefficientName",
    "Corrected",
    "FittedWeights",
    "Flags",
    "FoldedMap",
    "Interval",
    "Labels",
    "Level",
    "Matrix",
    "MonotoneMap",
    "Numbers",
    "Ratings",
    "Resamples",
    "Rows",
    "Statistic",
    "alphas_of",
    "any_hit",
    "bootstrap_interval",
    "bootstrap_mean",
    "bootstrap_sums",
    "coefficients_within",
    "cohen_kappa",
    "confusion",
    "corrected_mean",
    "corrected_rate",
    "correlation_p_value",
    "detectable_drop",
    "drop_p_value",
    "evidence_f1",
    "evidence_precision",
    "evidence_recall",
    "exact_agreement",
    "fit_folds",
    "fit_map",
    "fit_weights",
    "folds_of",
    "holm",
    "iccs_of",
    "kappas_of",
    "kendall",
    "matrix_of_means",
    "matrix_over_rows",
    "matrix_within",
    "named_per_instance",
    "partial_pearson",
    "pearson",
    "power_of_drop",
    "roc_auc",
    "roc_auc_bounds",
    "rows_by_group",
    "shares",
    "spearman",
]

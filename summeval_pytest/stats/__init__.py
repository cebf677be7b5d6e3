"""Statistics over papers: correlation, chance-corrected agreement, and intervals by resampling."""

from __future__ import annotations

from summeval_pytest.stats.agreement import Ratings, cohen_kappa, confusion, exact_agreement
from summeval_pytest.stats.correlation import (
    Coefficient,
    Numbers,
    WithinGroups,
    coefficients_within,
    kendall,
    mean_within,
    pearson,
    spearman,
)
from summeval_pytest.stats.groups import Labels, rows_by_group
from summeval_pytest.stats.paired import drop_p_value, holm
from summeval_pytest.stats.power import detectable_drop, papers_needed, power_of_drop
from summeval_pytest.stats.resampling import (
    Interval,
    Rows,
    Statistic,
    bootstrap_interval,
    bootstrap_mean,
)

__all__ = [
    "Coefficient",
    "Interval",
    "Labels",
    "Numbers",
    "Ratings",
    "Rows",
    "Statistic",
    "WithinGroups",
    "bootstrap_interval",
    "bootstrap_mean",
    "coefficients_within",
    "cohen_kappa",
    "confusion",
    "detectable_drop",
    "drop_p_value",
    "exact_agreement",
    "holm",
    "kendall",
    "mean_within",
    "papers_needed",
    "pearson",
    "power_of_drop",
    "rows_by_group",
    "spearman",
]

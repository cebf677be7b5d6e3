from __future__ import annotations

import pytest

from summeval_pytest.verdict.criteria import CriterionName, held


@pytest.mark.parametrize(
    ("name", "value", "bound", "standing"),
    [
        ("kappa", 0.85, 0.85, "met"),
        ("kappa", 0.849, 0.85, "missed"),
        ("another answer", 0.1 + 0.2, 0.3, "met"),
        ("another answer", 0.301, 0.3, "missed"),
        ("direction", 0.0501, 0.05, "met"),
        ("direction", 0.05, 0.05, "missed"),
        ("mean difference", 0.05, 0.05, "met"),
    ],
)
def test_a_bound_is_lower_or_upper_by_name(
    name: CriterionName, value: float, bound: float, standing: str
) -> None:
    """The bound itself is kept, up to rounding; a p value of exactly .05 shows a lean."""
    assert held("fact", name, n=9, value=value, bound=bound).standing == standing


def test_what_cannot_be_measured_is_not_met() -> None:
    """Unless there is nothing to measure, and whoever asks says so."""
    lacking = held("fact", "kappa", n=0, value=None, bound=0.85)
    assert (lacking.standing, lacking.reason) == ("open", "nothing was answered")
    moot = held("fact", "kappa", n=9, value=None, bound=0.85, unmeasured=("moot", "all alike"))
    assert (moot.standing, moot.reason) == ("moot", "all alike")

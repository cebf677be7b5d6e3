from __future__ import annotations

import pytest
from scipy import stats

from summeval_pytest.analysis.columns import Labelled
from summeval_pytest.analysis.effects import associations, p_value_of
from tests.analysis.study.studied import JUDGE, pair

NOVEL = (0.1, 0.4, 0.35, 0.8, 0.7, 0.2)
GRADES = (12.0, 11.0, 11.5, 8.0, 9.5, 10.0)


def test_coefficients_and_p_values_are_those_of_scipy() -> None:
    """Oracle: scipy.stats.spearmanr of SciPy 1.17, as the published tables were made."""
    pairs = [
        pair(str(n), "good", numbers={"novelty 1": novel, "FKGL": grade})
        for n, (novel, grade) in enumerate(zip(NOVEL, GRADES, strict=True))
    ]
    (found,) = associations(pairs, [JUDGE])
    wanted = stats.spearmanr(NOVEL, GRADES)
    assert (found.first, found.second, found.n_pairs) == ("novelty 1", "FKGL", 6)
    assert found.spearman == pytest.approx(wanted.statistic, abs=1e-9)
    assert found.p_value == pytest.approx(wanted.pvalue, abs=1e-9)
    assert found.p_adjusted == found.p_value  # the only one of its table
    assert found.low is not None
    assert found.high is not None
    assert -1 <= found.low <= wanted.statistic <= found.high <= 1


def test_each_kind_is_held_to_the_other_kinds_only() -> None:
    """Novelty of one n against another says nothing; hallucination is of judges and of labels."""
    numbers = [{"novelty 1": 0.1 * n, "novelty 2": 0.2 * n, "FKGL": 9.0 - n} for n in range(4)]
    pairs = [
        pair(
            str(n),
            "good",
            numbers=each,
            scores={JUDGE: {"faithfulness": 1 - 0.1 * n}},
            label=Labelled(n_faithful=n, n_labelled=4),
        )
        for n, each in enumerate(numbers)
    ]
    found = {(each.first, each.second): each.spearman for each in associations(pairs, [JUDGE])}
    assert found == {
        ("novelty 1", "FKGL"): -1.0,
        ("novelty 1", "hallucination, wise"): 1.0,
        ("novelty 1", "hallucination, labels"): -1.0,
        ("novelty 2", "FKGL"): -1.0,
        ("novelty 2", "hallucination, wise"): 1.0,
        ("novelty 2", "hallucination, labels"): -1.0,
        ("FKGL", "hallucination, wise"): -1.0,
        ("FKGL", "hallucination, labels"): 1.0,
    }


def test_equal_values_have_no_coefficient() -> None:
    """No association was measured, which is not an association of 0."""
    pairs = [pair(str(n), "good", numbers={"novelty 1": 0.5, "FKGL": n}) for n in range(4)]
    (found,) = associations(pairs, [])
    assert (found.spearman, found.p_value, found.low) == (None, None, None)
    assert found.n_pairs == 4


def test_one_paper_has_no_interval() -> None:
    """Its systems vary, and papers do not."""
    pairs = [pair("a", str(n), numbers={"novelty 1": 0.1 * n, "FKGL": float(n)}) for n in range(4)]
    (found,) = associations(pairs, [])
    assert (found.spearman, found.low, found.high) == (1.0, None, None)


def test_two_rows_have_no_p_value() -> None:
    """Two points always lie on a line."""
    assert p_value_of(1.0, 2) is None
    assert p_value_of(-1.0, 3) == 0.0
    assert p_value_of(0.5, 10) == pytest.approx(0.14111, abs=1e-5)  # t = 1.633, 8 degrees

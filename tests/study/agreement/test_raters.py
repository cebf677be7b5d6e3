from __future__ import annotations

import math
from fractions import Fraction
from itertools import permutations
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from summeval_pytest.study.agreement.evidence import any_hit, named_per_instance
from summeval_pytest.study.agreement.item_agreement import alphas_of, iccs_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

Pairs = list[tuple[int, int]]

SCALE = (1, 2, 3, 4)
rated_items = st.lists(st.tuples(st.sampled_from(SCALE), st.sampled_from(SCALE)), max_size=30)
few_examples = settings(deadline=None, max_examples=15)


def table_of(pairs: Pairs) -> NDArray[np.int64]:
    """How often the first rater said the row and the second the column, on a scale of four."""
    return np.array([[pairs.count((a, b)) for b in SCALE] for a in SCALE], dtype=np.int64)


# Krippendorff, "Computing Krippendorff's Alpha-Reliability", 2011: 12 units, 4 observers, gaps.
OBSERVERS: Sequence[Sequence[int | None]] = (
    (1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None),
    (1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3),
    (None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None),
    (1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None),
)
# Shrout and Fleiss, "Intraclass Correlations", 1979, table 2: 6 targets, 4 judges.
TARGETS = ((9, 2, 5, 8), (6, 1, 3, 2), (8, 4, 6, 8), (7, 1, 2, 6), (10, 5, 6, 9), (6, 2, 4, 7))


def alpha_by_pairs(units: Sequence[Sequence[int | None]]) -> Fraction | None:
    """Alpha by its definition, one ordered pair of ratings at a time, in whole numbers."""
    said = [[r for r in unit if r is not None] for unit in units]
    said = [unit for unit in said if len(unit) > 1]
    every = [r for unit in said for r in unit]

    def distance(a: int, b: int) -> Fraction:
        low, high = sorted((a, b))
        ends = Fraction(every.count(low) + every.count(high), 2)
        return (sum(low <= r <= high for r in every) - ends) ** 2 if a != b else Fraction(0)

    within = [distance(a, b) / (len(unit) - 1) for unit in said for a, b in permutations(unit, 2)]
    between = sum((distance(a, b) for a, b in permutations(every, 2)), Fraction(0))
    return 1 - sum(within, Fraction(0)) * (len(every) - 1) / between if between else None


def icc_by_squares(table: Sequence[Sequence[int]]) -> Fraction | None:
    """ICC(2,1) by its definition for any number of raters, from the mean squares."""
    n, k = len(table), len(table[0])
    every = [Fraction(r) for row in table for r in row]
    mean = sum(every, Fraction(0)) / len(every)
    targets = sum(((Fraction(sum(row), k) - mean) ** 2 for row in table), Fraction(0)) * k
    by_rater = zip(*table, strict=True)
    raters = sum(((Fraction(sum(each), n) - mean) ** 2 for each in by_rater), Fraction(0)) * n
    if n == 1:
        return None
    total = sum(((r - mean) ** 2 for r in every), Fraction(0))
    error = (total - targets - raters) / ((n - 1) * (k - 1))
    of_targets, of_raters = targets / (n - 1), raters / (k - 1)
    below = of_targets + (k - 1) * error + k * (of_raters - error) / n
    return (of_targets - error) / below if below else None


def test_definitions_meet_the_published_examples() -> None:
    """Oracle: Krippendorff 2011: .815; Shrout and Fleiss 1979, table 4: ICC(2,1) = .29."""
    assert alpha_by_pairs([*zip(*OBSERVERS, strict=True)]) == pytest.approx(0.815, abs=5e-4)
    assert icc_by_squares(TARGETS) == pytest.approx(0.29, abs=5e-3)


@few_examples
@given(pairs=rated_items.filter(bool))
def test_alpha_and_icc_are_their_definitions_in_any_order(pairs: Pairs) -> None:
    """Law: a table says what going pair by pair says; a file sorted another way says the same."""
    for table in (table_of(pairs), table_of([(b, a) for a, b in reversed(pairs)])):
        for result, expected in (
            (float(alphas_of(table)), alpha_by_pairs(pairs)),
            (float(iccs_of(table, categories=SCALE)), icc_by_squares(pairs)),
        ):
            wanted = math.nan if expected is None else float(expected)
            assert result == pytest.approx(wanted, abs=1e-9, nan_ok=True)


def test_alpha_worked_examples() -> None:
    """Units 1 1, 1 2, 2 2; and 239 verdicts of which 227 are alike and only 2 of these are yes.

    Each unit counts both ways, so o has 2 on (1,1), 1 on (1,2), 1 on (2,1), 2 on (2,2); the margins
    are 3 and 3 of n = 6. D_o = 2, D_e = 2 * 3 * 3 / 5 = 3.6; alpha = 1 - 2 / 3.6 = 4/9.
    Of 478 ratings 16 are yes: alpha = 1 - 477 * 24 / (2 * 16 * 462). Where nearly all are alike,
    agreement is cheap, and alpha says so.
    """
    assert float(alphas_of(table_of([(1, 1), (1, 2), (2, 2)]))) == pytest.approx(4 / 9)
    few = alphas_of(np.array([[225, 11], [1, 2]]))
    assert float(few) == pytest.approx(1 - 477 * 24 / 14_784, abs=1e-12)


def test_a_rater_who_is_stricter_lowers_icc() -> None:
    """Worked example: targets 1, 2, 3 and a second rater one point above.

    Means 1.5, 2.5, 3.5 and 2, 3: MS_t = 2 * 2 / 2 = 2, MS_r = 3 * 0.5 = 1.5, no error.
    ICC = 2 / (2 + 2 * 1.5 / 3) = 2/3, where their order alone would give 1.
    """
    table = table_of([(1, 2), (2, 3), (3, 4)])
    assert float(iccs_of(table, categories=SCALE)) == pytest.approx(2 / 3)


def test_evidence_worked_examples() -> None:
    """12 named for 5 instances are 2.4, right or wrong; of 4 instances 3 have a hit."""
    assert named_per_instance(np.array([[12, 8, 3, 3, 5], [12, 8, 0, 0, 5]])).tolist() == [2.4, 2.4]
    assert any_hit(np.array([[9, 8, 5, 3, 4]])).tolist() == [0.75]

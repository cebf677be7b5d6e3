from __future__ import annotations

import pytest

from summeval_pytest.analysis.columns import spreads
from tests.analysis.study.studied import JUDGE, pair


def test_the_distribution_is_told_by_its_quantiles() -> None:
    """Worked example: of two papers with 0 and 1 a resample has 0, .5 or 1, .5 half the time."""
    pairs = [pair(str(n), "good", scores={JUDGE: {"facet": float(n)}}) for n in range(2)]
    facet, eva, faithfulness = spreads({"good": pairs}, [JUDGE], 3)
    assert len(facet.quantiles) == 41
    assert (facet.quantiles[0], facet.quantiles[20], facet.quantiles[40]) == (0.0, 0.5, 1.0)
    assert facet.quantiles[30] - facet.quantiles[10] == pytest.approx(facet.iqr)
    assert (facet.n, facet.n_of) == (2, 3)
    assert (eva.quantiles, eva.iqr, eva.n) == ((), None, 0)
    assert faithfulness.column.name == "faithfulness"


def test_equal_values_have_no_width() -> None:
    """All resamples are the same."""
    pairs = [pair(str(n), "good", scores={JUDGE: {"facet": 0.3}}) for n in range(4)]
    facet = spreads({"good": pairs}, [JUDGE], 4)[0]
    assert set(facet.quantiles) == {0.3}
    assert facet.iqr == 0.0


def test_one_paper_has_no_distribution() -> None:
    """Resamples of one paper would be that paper, and look certain."""
    facet = spreads({"good": [pair("a", "good", scores={JUDGE: {"facet": 0.3}})]}, [JUDGE], 1)[0]
    assert (facet.quantiles, facet.iqr, facet.n) == ((), None, 1)

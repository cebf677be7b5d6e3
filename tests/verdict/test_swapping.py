from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from summeval_pytest.stats import cohen_kappa, pearson, spearman
from summeval_pytest.verdict import swapping
from summeval_pytest.verdict.swapping import ItemAgreement, item_agreements, score_agreements
from tests.verdict.judged_twice import twice


@pytest.fixture(autouse=True)
def few_resamples(monkeypatch: pytest.MonkeyPatch) -> None:
    """The intervals decide nothing."""
    monkeypatch.setattr(swapping, "RESAMPLES", 40)


def item(found: tuple[ItemAgreement, ...], name: str) -> ItemAgreement:
    """One row, which is there."""
    return next(each for each in found if each.name == name)


def test_ratings_agree_as_their_table_says() -> None:
    """Results 1-1, 2-3, 4-4, 4-2: half are alike, and they fall by (0 + 1 + 0 - 2) / 4."""
    ratings = [(1, 1), (2, 3), (4, 4), (4, 2)]
    pairs = [
        twice(f"moss-{i}", {"facet.result": old}, {"facet.result": new})
        for i, (old, new) in enumerate(ratings)
    ]
    result = item(item_agreements(pairs), "result")
    old, new = zip(*ratings, strict=True)

    assert result.n_items == 4
    assert (result.exact.value, result.shift.value) == (0.5, -0.25)
    assert result.kappa.value == cohen_kappa(old, new, categories=range(1, 5), weights="quadratic")
    assert result.exact.low is not None
    assert result.exact.high is not None
    assert result.exact.low < 0.5 < result.exact.high


def test_sentences_of_all_pairs_make_one_kappa() -> None:
    """Yes-yes 2, yes-no 1, no-no 1: p_o 3/4, p_e (3*2 + 1*2) / 16 = 1/2, so kappa is 1/2."""
    pairs = [
        twice("moss", {}, {}, sentences=[(True, True), (True, False)]),
        twice("kiln", {}, {}, sentences=[(True, True), (False, False)]),
    ]
    (sentence,) = item_agreements(pairs)
    assert (sentence.name, sentence.n_items) == ("sentence", 4)
    assert (sentence.exact.value, sentence.kappa.value) == pytest.approx((0.75, 0.5))
    assert sentence.shift.value == -0.25


def test_scores_go_together_where_both_judges_have_one() -> None:
    """A pair that one of them left unscored is counted, and in no figure."""
    old, new = [0.2, 0.4, 0.9, 0.5], [0.3, 0.9, 0.8, 0.1]
    pairs = [
        *(
            twice(f"m-{i}", {"eva": x}, {"eva": y})
            for i, (x, y) in enumerate(zip(old, new, strict=True))
        ),
        twice("kiln", {"eva": 0.1}, {}),
        twice("fern", {}, {"eva": 0.7}),
        twice("zinc", {}, {"eva": 0.7}),
    ]
    (found,) = score_agreements(pairs)
    assert (found.name, found.n_pairs, found.n_only_old, found.n_only_new) == ("eva", 4, 1, 2)
    assert (found.old, found.new) == pytest.approx((0.5, 0.525))
    assert found.shift.value == pytest.approx(0.025)
    assert (found.pearson.value, found.spearman.value) == (pearson(old, new), spearman(old, new))


def test_a_metric_that_no_pair_has_twice_has_no_figures() -> None:
    """And no zero either."""
    (found,) = score_agreements([twice("moss", {"eva": 0.1}, {})])
    assert (found.n_pairs, found.old, found.shift.value, found.pearson.value) == (
        0,
        None,
        None,
        None,
    )
    assert item_agreements([twice("moss", {"facet.result": 1.0}, {})]) == ()


RATED = st.lists(st.integers(1, 4), min_size=2, max_size=6)


@settings(deadline=None, max_examples=20)
@given(RATED)
def test_a_judge_agrees_with_itself(ratings: list[int]) -> None:
    """Exactly, with no shift, whatever it says."""
    pairs = [
        twice(f"moss-{i}", {"facet.result": r, "facet": r / 4}, {"facet.result": r, "facet": r / 4})
        for i, r in enumerate(ratings)
    ]
    (result,), (score,) = item_agreements(pairs), score_agreements(pairs)
    assert (result.exact.value, result.shift.value, score.shift.value) == (1.0, 0.0, 0.0)
    assert (result.exact.low, result.shift.high) == (1.0, 0.0)
    assert result.kappa.value in {None, 1.0}
    assert score.spearman.value is None or score.spearman.value == pytest.approx(1.0)

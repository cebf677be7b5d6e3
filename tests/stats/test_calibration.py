from __future__ import annotations

import hashlib
import math
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.random import PCG64, Generator

from summeval_pytest.stats.agreement import cohen_kappa
from summeval_pytest.stats.correction import FoldedMap, MonotoneMap, fit_folds, fit_map, folds_of

if TYPE_CHECKING:
    from collections.abc import Sequence

TOP = 4
IDENTITY = MonotoneMap((1.0, 2.0, 3.0, 4.0))

ratings = st.integers(1, TOP)
priors = st.sampled_from([0.0, 0.5, 1.0, 7.0])
pairs = st.lists(st.tuples(ratings, ratings), max_size=30)
paper_ids = st.sampled_from("alga brine coral delta ember fjord".split())
labelled = st.lists(st.tuples(paper_ids, ratings, ratings), max_size=30)


def map_from(rows: Sequence[tuple[int, int]], prior: float = 1.0) -> MonotoneMap:
    """The map learned from pairs of the judge's rating and the label."""
    return fit_map([judge for judge, _ in rows], [label for _, label in rows], top=TOP, prior=prior)


def maps_from(rows: Sequence[tuple[str, int, int]], n_folds: int = 5) -> FoldedMap:
    """The maps learned from a paper, the judge's rating and the label a row."""
    return fit_folds(
        [judge for _, judge, _ in rows],
        [label for _, _, label in rows],
        [paper for paper, _, _ in rows],
        top=TOP,
        n_folds=n_folds,
    )


def test_map_worked_example() -> None:
    """The mean of the labels and of one pseudo-observation of the rating itself."""
    rows = [(1, 1)] + [(2, 1)] * 3 + [(3, 2)] * 2 + [(4, 3)]
    # 1: (1 + 1) / 2 = 1; 2: (3 + 2) / 4 = 1.25; 3: (4 + 3) / 3 = 7/3; 4: (3 + 4) / 2 = 3.5
    assert map_from(rows).values == pytest.approx((1, 1.25, 7 / 3, 3.5))
    # Without it the labels' means.
    assert map_from(rows, prior=0).values == pytest.approx((1, 1, 2, 3))


def test_values_that_fall_are_pooled_by_weight() -> None:
    """A judge may be wrong about the order; the map does not follow it there."""
    rows = [(2, 4), (2, 3), (2, 4), (3, 2)]
    # 2: (11 + 2) / 4 = 3.25; 3: (2 + 3) / 2 = 2.5; both (4 * 3.25 + 2 * 2.5) / 6 = 3
    assert map_from(rows).values == pytest.approx((1, 3, 3, 4))


def test_ratings_never_given_lie_between_their_neighbours() -> None:
    """Nothing is known of them but that they are in between."""
    rows = [(1, 2)] * 3 + [(4, 3)] * 3
    # 1: (6 + 1) / 4 = 1.75; 4: (9 + 4) / 4 = 3.25; 2 and 3 at thirds of the way
    assert map_from(rows).values == pytest.approx((1.75, 2.25, 2.75, 3.25))


def test_ratings_never_given_at_the_ends_stay_unless_order_forbids() -> None:
    """A judge that only ever gives 2 or 3 has not said what its 1 and 4 are worth."""
    # 2: (2 + 2) / 2 = 2; 3: (3 + 3) / 2 = 3
    assert map_from([(2, 2), (3, 3)]) == IDENTITY
    # 3 alone: (4 * 1 + 3) / 5 = 1.4, so 2 is brought down to it, and 4 stays
    assert map_from([(3, 1)] * 4).values == pytest.approx((1, 1.4, 1.4, 4))
    # 2 alone: (4 * 4 + 2) / 5 = 3.6, so 3 is brought up to it
    assert map_from([(2, 4)] * 4).values == pytest.approx((1, 3.6, 3.6, 4))


def test_without_rows_the_map_is_the_identity() -> None:
    """Without labels there is nothing to correct, whatever the prior."""
    assert map_from([]) == map_from([], prior=0) == IDENTITY


def test_one_label_does_not_swing_a_rating() -> None:
    """A slip of one rater moves the value half the way at most, and fifty labels nearly all."""
    assert map_from([(4, 1)]).value_of(4) == 2.5
    # fifty 1 and one 4: 54 / 51; with two hundred 4: (50 + 800) / 250
    assert map_from([(4, 1)] * 50).value_of(4) == pytest.approx(54 / 51)
    assert map_from([(4, 1)] * 50, prior=200).value_of(4) == pytest.approx(850 / 250)


def test_a_judge_that_equals_the_labels_is_left_alone() -> None:
    """To the digit: pseudo-observations of the identity agree with it."""
    assert map_from([(rating, rating) for rating in (1, 2, 3, 4)] * 40) == IDENTITY


def test_a_judge_that_is_right_on_average_is_nearly_left_alone() -> None:
    """Noise without a lean leaves a map within a tenth of the identity."""
    generator = Generator(PCG64(3))
    judge = generator.integers(2, 5, size=4000)
    noise = generator.choice([-1, 0, 0, 0, 1], size=4000)
    label = (2 * judge + noise) // 2 + (generator.random(4000) < np.abs(noise) / 2)
    rows = list(zip(judge.tolist(), np.clip(label, 1, TOP).tolist(), strict=True))
    assert map_from(rows).values[1:3] == pytest.approx((2, 3), abs=0.1)


@given(rows=pairs, prior=priors)
@settings(deadline=None, max_examples=60)
def test_map_never_falls_nor_leaves_the_scale(rows: list[tuple[int, int]], prior: float) -> None:
    """A better rating never becomes a worse score."""
    values = map_from(rows, prior).values
    assert len(values) == TOP
    assert list(values) == sorted(values)
    assert values[0] >= 1
    assert values[-1] <= TOP


@given(rows=pairs, data=st.data())
@settings(deadline=None, max_examples=60)
def test_order_of_rows_changes_no_digit_of_a_map(
    rows: list[tuple[int, int]], data: st.DataObject
) -> None:
    """Labels are read in the order of their file, which means nothing."""
    assert map_from(data.draw(st.permutations(rows))) == map_from(rows)


@given(rows=pairs, prior=priors, place=st.integers(0, 29))
@settings(deadline=None, max_examples=60)
def test_a_higher_label_never_lowers_the_map(
    rows: list[tuple[int, int]], prior: float, place: int
) -> None:
    """What people rate higher cannot be worth less for it."""
    higher = [
        (judge, min(TOP, label + (number == place))) for number, (judge, label) in enumerate(rows)
    ]
    before, after = map_from(rows, prior).values, map_from(higher, prior).values
    assert all(new >= old - 1e-12 for old, new in zip(before, after, strict=True))


def test_folds_are_those_of_the_digests_order() -> None:
    """Dealt like cards, by SHA-256: Python's own hash is another one in every process."""
    papers = ["alga", "brine", "coral", "delta", "ember"]
    in_order = sorted(papers, key=lambda paper: hashlib.sha256(paper.encode()).hexdigest())
    assert in_order == ["brine", "delta", "ember", "alga", "coral"]
    dealt = {"brine": 0, "delta": 1, "ember": 0, "alga": 1, "coral": 0}
    assert folds_of(papers, n_folds=2) == dealt


@given(papers=st.lists(st.text(max_size=3), max_size=40), n_folds=st.integers(2, 6))
@settings(deadline=None, max_examples=50)
def test_folds_are_balanced_and_do_not_hang_on_the_order(papers: list[str], n_folds: int) -> None:
    """A fold with most papers would leave little to learn its map from."""
    folds = folds_of(papers, n_folds=n_folds)
    assert set(folds) == set(papers)
    sizes = Counter(folds.values())
    assert set(sizes) == set(range(min(n_folds, len(set(papers)))))
    assert not sizes or max(sizes.values()) - min(sizes.values()) <= 1
    assert folds_of([*reversed(papers), *papers], n_folds=n_folds) == folds


def test_a_labelled_paper_has_the_map_of_the_other_folds() -> None:
    """Two papers are two folds, so each has the map that the other's labels give."""
    rows = [("alga", 3, 1)] * 4 + [("brine", 2, 4)] * 4
    folded = maps_from(rows)
    assert folded.map_of("alga") == map_from([(2, 4)] * 4)
    assert folded.map_of("brine") == map_from([(3, 1)] * 4)
    assert folded.map_of("coral") == map_from([(3, 1)] * 4 + [(2, 4)] * 4)


def test_a_paper_of_the_same_fold_is_left_out_too() -> None:
    """A fold is left out as a whole, so that there are few maps and each is of many papers."""
    papers = {"brine": 0, "delta": 1, "ember": 0}
    assert folds_of(papers, n_folds=2) == papers
    folded = maps_from([("brine", 2, 4), ("delta", 3, 1), ("ember", 4, 1)], n_folds=2)
    assert folded.map_of("brine") == folded.map_of("ember") == map_from([(3, 1)])
    assert folded.map_of("delta") == map_from([(2, 4), (4, 1)])


def test_one_paper_alone_keeps_the_judges_ratings() -> None:
    """There is no other paper to learn its map from; others do learn from it."""
    folded = maps_from([("alga", 3, 1)] * 9)
    assert folded.map_of("alga") == IDENTITY
    assert folded.map_of("brine") == map_from([(3, 1)] * 9) != IDENTITY


def test_without_rows_every_paper_keeps_the_judges_ratings() -> None:
    """A suite without labels is as good as one without calibration."""
    assert maps_from([]).map_of("alga") == IDENTITY


@given(rows=labelled, labels=st.lists(ratings, min_size=30, max_size=30), n_folds=st.integers(2, 6))
@settings(deadline=None, max_examples=60)
def test_a_papers_own_labels_never_change_its_own_map(
    rows: list[tuple[str, int, int]], labels: list[int], n_folds: int
) -> None:
    """Else a map would learn the answer to what it is asked, and a judge look better than it is."""
    before = maps_from(rows, n_folds)
    for paper in {paper for paper, _, _ in rows}:
        changed = [
            (name, judge, other if name == paper else label)
            for (name, judge, label), other in zip(rows, labels, strict=False)
        ]
        assert maps_from(changed, n_folds).map_of(paper) == before.map_of(paper)


@given(rows=labelled, data=st.data())
@settings(deadline=None, max_examples=60)
def test_order_of_rows_changes_no_map_and_no_digest(
    rows: list[tuple[str, int, int]], data: st.DataObject
) -> None:
    """A signature that hangs on the order of a file would refuse equal runs."""
    folded, swapped = maps_from(rows), maps_from(data.draw(st.permutations(rows)))
    assert folded == swapped
    assert folded.digest() == swapped.digest()


def test_digest_has_twelve_hex_digits_that_do_not_change() -> None:
    """A recorded signature is compared with one of another machine and a later version."""
    folded = maps_from([("alga", 3, 1), ("brine", 2, 4)])
    assert folded.digest() == "bd73dbe219c5"


def test_digest_tells_maps_and_their_papers_apart() -> None:
    """All that can move a score is in its signature."""
    folded = FoldedMap(
        from_all=IDENTITY,
        by_fold=(IDENTITY, MonotoneMap((1.0, 2.0, 3.0, 3.5))),
        fold_of={"alga": 0, "brine": 1},
    )
    other = MonotoneMap((1.0, 2.0, 2.5, 4.0))
    changed = [
        folded,
        replace(folded, from_all=other),
        replace(folded, by_fold=(*folded.by_fold[::-1],)),
        replace(folded, by_fold=(IDENTITY, other)),
        replace(folded, fold_of={"alga": 1, "brine": 0}),
        replace(folded, fold_of={"alga": 0, "coral": 1}),
    ]
    assert len({one.digest() for one in changed}) == len(changed)
    assert replace(folded, fold_of={"brine": 1, "alga": 0}).digest() == folded.digest()


def test_digest_does_not_hear_what_machines_differ_by() -> None:
    """A weighted mean's last digit is the C library's."""
    exact = FoldedMap(from_all=MonotoneMap((1.0, 1.7)), by_fold=(), fold_of={})
    assert replace(exact, from_all=MonotoneMap((1.0, math.nextafter(1.7, 2)))) != exact
    near = replace(exact, from_all=MonotoneMap((1.0, math.nextafter(1.7, 2))))
    assert near.digest() == exact.digest()


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_generous_judge_is_brought_nearer_to_the_labels(seed: int) -> None:
    """One too many on each pair: the error falls by half, and agreement does not."""
    generator = Generator(PCG64(seed))
    papers = [f"paper-{number}" for number in range(40) for _ in range(5)]
    label = generator.choice([1, 2, 3, 4], p=[0.2, 0.35, 0.3, 0.15], size=len(papers)).tolist()
    judge = [min(TOP, rating + 1) for rating in label]
    folded = fit_folds(judge, label, papers, top=TOP)
    mapped = [
        folded.map_of(paper).value_of(rating) for paper, rating in zip(papers, judge, strict=True)
    ]
    before, after = (np.abs(np.subtract(said, label)).mean() for said in (judge, mapped))
    assert after < before / 2
    kappas = [
        cohen_kappa(said, label, categories=(1, 2, 3, 4), weights="quadratic")
        for said in (judge, [math.floor(value + 0.5) for value in mapped])
    ]
    assert kappas[0] is not None
    assert kappas[1] is not None
    assert kappas[1] > kappas[0] + 0.1


def test_value_of_a_rating_off_the_scale_is_refused() -> None:
    """A tuple would take 0 for its last value."""
    for rating in (0, 5, -1):
        with pytest.raises(ValueError, match=rf"^rating is {rating}; the map's scale is 1 to 4$"):
            IDENTITY.value_of(rating)


@pytest.mark.parametrize(
    "values", [(0.9, 2.0), (1.0, 2.1), (1.5, 1.4), (1.0, math.nan), (math.nan, 2.0)]
)
def test_a_map_that_falls_or_leaves_the_scale_is_refused(values: tuple[float, ...]) -> None:
    """Nobody can make one, not even from a file."""
    with pytest.raises(ValueError, match=r"^values is \(.*\); give 1 to 2, never falling$"):
        MonotoneMap(values)


def test_a_map_of_no_rating_is_refused() -> None:
    """It could not tell the value of anything."""
    with pytest.raises(ValueError, match=r"^values is empty; give one for each rating"):
        MonotoneMap(())


def test_rows_that_do_not_fit_are_refused() -> None:
    """Each message names the column and the row."""
    with pytest.raises(ValueError, match=r"^judge has 1 ratings and label has 2; give one of each"):
        fit_map([1], [1, 2], top=4)
    with pytest.raises(ValueError, match=r"^papers has 1 ids and judge has 2 ratings; give one"):
        fit_folds([1, 2], [1, 2], ["a"], top=4)
    with pytest.raises(ValueError, match=r"^judge\[1\] is 5; give a whole number from 1 to 4$"):
        fit_map([1, 5], [1, 2], top=4)
    with pytest.raises(ValueError, match=r"^label\[0\] is 0; give a whole number from 1 to 4$"):
        fit_map([1, 4], [0, 2], top=4)


def test_settings_that_make_no_sense_are_refused() -> None:
    """One fold leaves no paper to learn from, and a negative prior takes labels away."""
    with pytest.raises(ValueError, match=r"^top is 0; give the highest rating of the scale"):
        fit_map([], [], top=0)
    with pytest.raises(ValueError, match=r"^n_folds is 1; choose at least 2$"):
        folds_of([], n_folds=1)
    for prior in (-0.5, math.inf, math.nan):
        with pytest.raises(ValueError, match=rf"^prior is {prior!r}; give a finite number of 0 or"):
            fit_map([], [], top=4, prior=prior)

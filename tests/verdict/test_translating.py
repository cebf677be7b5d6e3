from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from summeval_pytest.questions import SCALES
from summeval_pytest.verdict import Threshold, Thresholds, translating
from summeval_pytest.verdict.translating import Translated, linked, translate
from tests.verdict.judged_twice import twice


@pytest.fixture(autouse=True)
def few_resamples(monkeypatch: pytest.MonkeyPatch) -> None:
    """The interval decides nothing."""
    monkeypatch.setattr(translating, "RESAMPLES", 40)


def translated(
    least: float, values: list[tuple[float, float]], name: str = "eva", *, is_mean: bool = False
) -> Translated:
    """One threshold over these old and new values: pairs, or papers of a system each."""
    threshold = (Threshold(name, least),)
    pairs = [
        twice(f"moss-{i:03}", {name: old}, {name: new}, system=f"s-{i}" if is_mean else "good")
        for i, (old, new) in enumerate(values)
    ]
    found = translate(
        pairs, Thresholds(pair=() if is_mean else threshold, mean=threshold if is_mean else ())
    )
    return found[0]


def test_a_threshold_stands_between_the_same_neighbours() -> None:
    """.5 is half-way from .4 to .6, with two pairs above; so is .25 from .2 to .3."""
    values = [(0.2, 0.1), (0.4, 0.2), (0.6, 0.3), (0.8, 0.4)]
    found = translated(0.5, values)

    assert (found.scope, found.old, found.new) == ("pair", 0.5, 0.25)
    assert (found.n_items, found.n_old, found.n_new) == (4, 2, 2)
    assert (found.n_kept, found.n_other_kept, found.n_other_new) == (0, 2, 0)


def test_pairs_that_change_places_are_counted() -> None:
    """As many pass, and not the same ones."""
    found = translated(0.5, [(0.2, 0.4), (0.4, 0.2), (0.6, 0.1), (0.8, 0.3)])
    assert (found.new, found.n_new, found.n_other_new) == (0.25, 2, 2)


@pytest.mark.parametrize(
    ("least", "expected"),
    [(0.2, 0.1), (0.0, 0.0), (0.9, 0.7), (1.0, 1.0)],
    ids=["all pass, half-way", "all pass, at the end", "none passes, half-way", "at the end"],
)
def test_beyond_all_values_the_way_goes_to_the_end_of_the_range(
    least: float, expected: float
) -> None:
    """Values .4 to .8 become .2 to .4: .2 is half of .4 and becomes half of .2."""
    assert translated(least, [(0.4, 0.2), (0.8, 0.4)]).new == pytest.approx(expected)


def test_a_rating_becomes_the_rating_that_passes_nearly_as_many() -> None:
    """Of five, three reach 3; of the new ones two reach 4 and four reach 3. The nearer one stays.

    Off by one either way, the rating that the suite has goes first.
    """
    old, new = (1, 2, 3, 3, 4), (2, 3, 3, 4, 4)
    found = translated(3, list(zip(old, new, strict=True)), "facet.result")
    assert (found.new, found.n_old, found.n_new) == (3.0, 3, 4)
    assert translated(2, [(1, 2), (2, 3), (3, 4)], "facet.result").new == 3.0


def test_ties_take_the_nearest_count_and_of_two_the_stricter() -> None:
    """One of two passes and both new values are .5: .5 passes two, anything above none."""
    found = translated(0.5, [(0.4, 0.5), (0.6, 0.5)])
    assert (found.new, found.n_new) == (0.51, 0)


def test_where_all_new_values_are_at_the_end_of_the_range_the_end_is_taken() -> None:
    """None passes .8, and nothing can be asked that 1 does not reach."""
    found = translated(0.8, [(0.4, 1.0), (0.6, 1.0)])
    assert (found.new, found.n_old, found.n_new) == (1.0, 0, 2)


def test_a_mean_is_translated_over_the_means_of_the_systems() -> None:
    """Systems at .4 and .6 under the old judge, .5 and .9 under the new: half-way is .7."""
    found = translated(0.5, [(0.4, 0.5), (0.6, 0.9)], is_mean=True)
    assert (found.scope, found.new, found.n_items, found.n_old, found.n_new) == (
        "mean",
        0.7,
        2,
        1,
        1,
    )
    assert (found.n_kept, found.n_other_kept) == (2, 1)


def test_a_mean_of_ratings_is_no_rating() -> None:
    """Half-way between means of 2 and 3 it is 2.5 for the one judge and 3.5 for the other."""
    found = translated(2.5, [(2, 3), (3, 4)], "facet.result", is_mean=True)
    assert found.new == 3.5


def test_a_threshold_at_the_end_of_the_range_stays_there() -> None:
    """0 asks nothing of one judge, and nothing of the other, though one of them gave it."""
    assert translated(0.0, [(0.0, 0.6), (0.5, 0.7)]).new == 0.0


def test_the_interval_resamples_papers() -> None:
    """30 papers whose values are spread: it has a width, and the value within."""
    generator = np.random.default_rng(7)
    old = generator.uniform(0.2, 0.9, 30)
    new = np.clip(old * 0.5 + generator.uniform(0, 0.2, 30), 0, 1)
    found = translated(0.5, list(zip(old.tolist(), new.tolist(), strict=True)))
    assert found.low is not None
    assert found.high is not None
    assert found.new is not None
    assert found.low < found.new < found.high


def test_a_number_that_one_judge_never_gives_has_no_threshold() -> None:
    """It cannot be translated, and is said."""
    pairs = [twice("moss", {"eva": 0.5}, {})]
    (found,) = translate(pairs, Thresholds(pair=(Threshold("eva", 0.3),), mean=()))
    assert (found.old, found.new, found.n_items) == (0.3, None, 0)


SHARES = st.lists(st.integers(0, 100).map(lambda n: n / 100), min_size=1, max_size=12)
LEAST = st.integers(0, 100).map(lambda n: n / 100)


@settings(deadline=None, max_examples=60)
@given(SHARES, LEAST)
def test_under_the_same_judge_a_threshold_stays(values: list[float], least: float) -> None:
    """Whatever the values are, and wherever it stands among them."""
    found = translated(least, [(value, value) for value in values])
    assert found.new == pytest.approx(least, abs=1e-9)
    assert (found.n_other_kept, found.n_other_new) == (0, 0)


@settings(deadline=None, max_examples=60)
@given(st.data(), LEAST)
def test_as_many_pass_wherever_no_ties_forbid_it(data: st.DataObject, least: float) -> None:
    """Distinct new values below the end of the range leave room for every count."""
    old = data.draw(SHARES)
    new = data.draw(
        st.lists(
            st.integers(1, 999).map(lambda n: n / 1000),
            min_size=len(old),
            max_size=len(old),
            unique=True,
        )
    )
    found = translated(least, list(zip(old, new, strict=True)))
    assert found.new is not None
    assert found.n_new == found.n_old
    assert 0 <= found.new <= 1


@settings(deadline=None, max_examples=40)
@given(SHARES, SHARES, LEAST, LEAST)
def test_a_higher_threshold_is_never_translated_lower(
    old: list[float], new: list[float], one: float, other: float
) -> None:
    """Who asked for more still does."""
    n = min(len(old), len(new))
    sides = np.array(old[:n]), np.array(new[:n])
    low, high = (
        linked(*sides, least, name="eva", scope="pair")[0] for least in sorted((one, other))
    )
    assert low <= high + 1e-12


@settings(deadline=None, max_examples=40)
@given(st.lists(st.tuples(st.integers(1, 4), st.integers(1, 4)), min_size=1, max_size=8), LEAST)
def test_a_rating_stays_on_its_scale(values: list[tuple[int, int]], part: float) -> None:
    """A threshold of 0 or 5 would decide nothing."""
    least = 1 + 3 * part
    found = translated(least, [(float(x), float(y)) for x, y in values], "facet.result")
    assert found.new in range(1, SCALES["result"] + 1)


def test_support_that_one_judge_does_not_give_everywhere_is_not_translated() -> None:
    """The pairs that have it are copied from their sources, and are no share of all."""
    both = {"faithfulness": 1.0, "faithfulness.support": 1.0}
    pairs = [twice("moss-1", both, both), twice("moss-2", both, {"faithfulness": 1.0})]
    held = Thresholds(pair=(Threshold("faithfulness.support", 0.5),), mean=())
    assert translate(pairs, held)[0].new is None
    assert translate(pairs[:1], held)[0].new is not None


def test_an_upper_bound_is_translated_from_above() -> None:
    """At most 1 conflict passes two of four; at most 0 and at most 1 do now, and 1 is nearer."""
    found = translated(1, [(0, 0), (1, 0), (2, 2), (3, 4)], "faithfulness.conflicts")
    assert (found.old, found.new, found.n_old, found.n_kept, found.n_new) == (1, 1.0, 2, 2, 2)
    stricter = translated(1, [(0, 1), (1, 2), (2, 3)], "faithfulness.conflicts")
    assert (stricter.new, stricter.n_new, stricter.n_other_kept) == (2.0, 2, 1)
    assert stricter.low is not None
    assert stricter.high is not None
    assert 0 <= stricter.low <= stricter.high <= 3


def test_a_mean_of_counts_is_translated_between_the_same_neighbours() -> None:
    """Systems at 1 and 3 conflicts under the old judge, 2 and 6 under the new: 2 becomes 4."""
    found = translated(2, [(1, 2), (3, 6)], "faithfulness.conflicts", is_mean=True)
    assert (found.new, found.n_old, found.n_new) == (4.0, 1, 1)

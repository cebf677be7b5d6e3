"""Thresholds chosen by labels, on summaries whose numbers are made up."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import strategies as st

from summeval_pytest.metrics.catalogue import CATALOGUE
from summeval_pytest.metrics.number import Unscored
from summeval_pytest.questions import FACETS
from summeval_pytest.run.golden import GoldenPair
from summeval_pytest.run.pair_numbers import Numbers
from summeval_pytest.verdict.choice import (
    Labelled,
    Prices,
    Quality,
    Sheet,
    SupportCut,
    choose,
    cuts_of,
    quality_of,
    rows_of,
    values_to_try,
)
from summeval_pytest.verdict.thresholds import Threshold
from tests.verdict.golden_answers import answered, golden

FACET, CONFLICTS = "facet", "faithfulness.conflicts"


def labelled(quality: Quality, paper: str, **values: float | None) -> Labelled:
    """A labelled pair with these numbers; two underscores stand for the dot."""
    named = {name.replace("__", "."): value for name, value in values.items()}
    numbers = Numbers(paper=paper, system="s", values=named, unscored=())
    return Labelled(group=paper, quality=quality, numbers=numbers)


def sheet(*pairs: Labelled) -> Sheet:
    """The pairs in columns."""
    return Sheet.of(pairs)


def rated(*ratings: int) -> GoldenPair:
    """Four facets that people rated."""
    return golden(*(answered(f, n, n) for f, n in zip(FACETS, ratings, strict=True)))


@pytest.mark.parametrize(
    ("pair", "quality"),
    [
        (golden(answered("sentence", 1, 1), answered("overall", 0.9, 0.1)), "good"),
        (golden(answered("sentence", 0, 1), answered("overall", 0.9, 0.1)), "bad"),
        (golden(answered("overall", 0.49, 1)), "bad"),
        (golden(answered("overall", 0.79, 1)), "between"),
        (golden(answered("result", 1, 4)), "bad"),
        (golden(answered("background", 1, 3), answered("overall", 0.9, 1)), "between"),
        # .1 * 3/3 + .3 * 4/4 + .3 * 4/4 + .3 * 1/3 = .8, and a conclusion rated 1
        (rated(3, 4, 4, 1), "between"),
        (rated(3, 4, 4, 3), "good"),
        (golden(answered("reference fact", 1, 1)), "between"),
    ],
)  # fmt: skip
def test_labels_say_whether_a_summary_is_good_or_bad(pair: GoldenPair, quality: Quality) -> None:
    """The judge's answers play no part."""
    assert quality_of(pair) == quality


def test_values_lie_between_what_was_observed() -> None:
    """A margin on both sides: a number that moves a little is decided alike."""
    assert values_to_try(CATALOGUE[FACET], [0.9, 0.3, 0.3, 0.4]) == [0.35, 0.65]
    assert values_to_try(CATALOGUE[FACET], [0.301, 0.302]) == [0.3015]
    assert values_to_try(CATALOGUE["facet.result"], [1, 2, 4]) == [2, 4]
    assert values_to_try(CATALOGUE[CONFLICTS], [0, 2, 1]) == [2, 1, 0]
    assert values_to_try(CATALOGUE[FACET], []) == []


PAIRS = (
    labelled("good", "a", facet=0.9, faithfulness__conflicts=0),
    labelled("good", "b", facet=0.6, faithfulness__conflicts=0),
    labelled("bad", "a", facet=0.8, faithfulness__conflicts=1),
    labelled("bad", "b", facet=0.3, faithfulness__conflicts=0),
    labelled("between", "b", facet=0.5, faithfulness__conflicts=2),
)


def test_a_value_stops_bad_summaries_and_loses_good_ones() -> None:
    """Worked example: FM of .7 fails 3 of 5, of which one is bad and one is good."""
    thresholds = [Threshold(FACET, 0.7), Threshold(CONFLICTS, 0)]
    facet, conflicts = rows_of(sheet(*PAIRS), thresholds)
    assert (len(facet.failed), facet.n_pairs) == (3, 5)
    assert facet.failed[0] == "s::b"
    assert (facet.stopped.n, facet.stopped.of, facet.lost.n, facet.lost.of) == (1, 2, 1, 2)
    assert (conflicts.stopped.n, conflicts.lost.n) == (1, 0)


def test_three_sets_are_chosen() -> None:
    """Worked example: each number stops one of the two bad summaries without any loss.

    The lowest value of FM that stops the second is between .3 and .6.
    """
    chosen = {each.rule: each for each in choose(sheet(*PAIRS))}
    assert list(chosen) == ["none-lost", "nine-of-ten", "cost"]
    for each in chosen.values():
        assert {t.name: t.least for t in each.thresholds} == {FACET: 0.45, CONFLICTS: 0}
        assert (each.stopped.n, each.lost.n) == (2, 0)


def test_prices_decide_what_is_worth_a_loss() -> None:
    """Worked example: only a value that loses the one good summary stops the two bad ones."""
    mixed = sheet(
        labelled("good", "a", facet=0.5),
        labelled("bad", "a", facet=0.4),
        labelled("bad", "b", facet=0.6),
        labelled("good", "b", facet=0.7),
    )
    cheap = choose(mixed, Prices(1.0, 5.0))[2]
    dear = choose(mixed, Prices(5.0, 1.0))[2]
    assert [(t.least, cheap.stopped.n, cheap.lost.n) for t in cheap.thresholds] == [(0.65, 2, 1)]
    assert [(t.least, dear.stopped.n, dear.lost.n) for t in dear.thresholds] == [(0.45, 1, 0)]


def test_a_summary_without_a_score_is_stopped() -> None:
    """A refusal misses every threshold; a facet that the paper lacks misses none."""
    refused = Unscored(metric="facet", status="refused_candidate", reason="it declined")
    pair = labelled("bad", "a")
    pair = replace(pair, numbers=replace(pair.numbers, unscored=(refused,)))
    own = sheet(pair, labelled("good", "a", facet=0.9), labelled("bad", "b", facet=None))
    assert own.stopped_by([Threshold(FACET, 0.3)]).tolist() == [True, False, True]
    rating = sheet(labelled("good", "a", facet__result=3), labelled("good", "b", facet=0.9))
    assert rating.stopped_by([Threshold("facet.result", 4)]).tolist() == [True, False]


def test_what_the_judge_left_open_is_neither_stopped_nor_lost() -> None:
    """It would be an error of the run, and says nothing of a threshold."""
    silent = Unscored(metric="facet", status="unanswered", reason="no reply")
    lost, holed = labelled("good", "a"), labelled("good", "b", facet=0.3)
    lost = replace(lost, numbers=replace(lost.numbers, unscored=(silent,)))
    holed = replace(holed, numbers=replace(holed.numbers, unanswered={"facet": 1}))
    own = sheet(lost, holed, labelled("bad", "c", facet=0.3))
    assert own.stopped_by([Threshold(FACET, 0.5)]).tolist() == [False, False, True]


numbers = st.builds(
    labelled,
    st.sampled_from(["good", "bad", "between"]),
    st.sampled_from("abcd"),
    facet=st.floats(0.25, 1).map(lambda v: round(v, 2)),
    faithfulness__conflicts=st.integers(0, 3).map(float),
)


def supported(paper: str, *items: tuple[int, float]) -> GoldenPair:
    """Labelled sentences, each with the judge's support; the judge says yes to all."""
    answers = (
        replace(answered("sentence", label, 1), index=place, support=support)
        for place, (label, support) in enumerate(items)
    )
    return golden(*answers, paper=paper)


def test_a_cut_is_chosen_by_balanced_accuracy() -> None:
    """Worked example: between .4 and .6 it tells all apart; the judge, who says yes, .5 of them."""
    pairs = [supported("a", (0, 0.2), (1, 0.6)), supported("b", (0, 0.4), (1, 0.9))]
    (cut,) = cuts_of(pairs)
    # Without b the cut is .4, which calls the wrong sentence of .4 right. Without a it is .65,
    # which calls the right one of .6 wrong.
    assert cut == SupportCut(
        kind="sentence", value=0.5, now=0.5, then=1.0, unseen=0.5, n_right=2, n_wrong=2
    )


def test_a_kind_without_support_or_without_errors_has_no_cut() -> None:
    """Nothing can be chosen there."""
    without = golden(answered("sentence", 0, 1), answered("sentence", 1, 1))
    assert list(cuts_of([without, supported("a", (0, 0.2))])) == []
    assert list(cuts_of([supported("a", (1, 0.2), (1, 0.6))])) == []

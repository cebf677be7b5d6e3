from __future__ import annotations

import pytest

from summeval_pytest.metrics.facet import WEIGHTS, facet_aware_metric
from summeval_pytest.metrics.score import (
    CATALOGUE,
    METRICS,
    EvaScore,
    FacetScore,
    FaithfulnessScore,
    JudgedSentence,
    Named,
    RatedFacet,
    Score,
)
from summeval_pytest.questions import FACETS, SCALES


def facets(*, lowest: bool) -> FacetScore:
    """A score with the lowest or the highest rating of every facet."""
    ratings = {facet: 1 if lowest else SCALES[facet] for facet in FACETS}
    value = facet_aware_metric(ratings)
    assert value is not None
    return FacetScore(
        value=value,
        ratings=tuple(
            RatedFacet(facet=facet, rating=rating, reason="", reference="a", candidate="b")
            for facet, rating in ratings.items()
        ),
    )


EXTREMES: list[Score] = [
    facets(lowest=True),
    facets(lowest=False),
    *(EvaScore(value=v, precision=v, recall=v, recall_entailed=v) for v in (0.0, 1.0)),
    *(
        FaithfulnessScore(
            value=v,
            sentences=(JudgedSentence(index=0, text="a", supported=bool(v), reason="", support=v),),
            conflicts=1 - int(v),
        )
        for v in (0.0, 1.0)
    ),
]


@pytest.mark.parametrize("score", EXTREMES)
def test_every_number_of_a_score_is_in_the_catalogue_and_in_its_range(score: Score) -> None:
    """A number that no threshold can name is not gated, and nobody would notice."""
    for name, value in score.values().items():
        named = CATALOGUE[name]
        assert named.metric == score.metric
        assert value is not None
        assert named.low <= value <= named.high


def test_every_name_of_the_catalogue_is_a_number_of_a_score() -> None:
    """A threshold on a number that no score has would never be looked at."""
    assert {name for score in EXTREMES for name in score.values()} == set(CATALOGUE)


def test_range_of_a_facet_is_its_scale() -> None:
    """A threshold of 4 on a background could never be met, and must be refused."""
    for facet in FACETS:
        named = CATALOGUE[f"facet.{facet}"]
        assert (named.low, named.high) == (1.0, SCALES[facet])


def test_low_end_of_fm_is_that_of_its_worst_set_of_facets() -> None:
    """A paper with a method alone can score 1/4, below the .283 of four facets."""
    lowest = min(1 / SCALES[facet] for facet in FACETS if WEIGHTS[facet])
    assert CATALOGUE["facet"].low == lowest == facet_aware_metric({"method": 1})


@pytest.mark.parametrize("name", CATALOGUE)
def test_names_are_grouped_by_metric_and_explained(name: str) -> None:
    """A header prints the meaning, and a reader guesses the metric from the name."""
    named = CATALOGUE[name]
    assert named.name == name
    assert name.split(".", maxsplit=1)[0] == named.metric
    assert named.low < named.high
    assert named.meaning


def test_metrics_stand_in_one_order() -> None:
    """Tables and findings list them alike."""
    assert tuple(dict.fromkeys(named.metric for named in CATALOGUE.values())) == METRICS


def test_the_catalogue_is_read_only() -> None:
    """It is shared by every suite of a run."""
    named = Named(name="x", metric="eva", low=0, high=1, meaning="x")
    with pytest.raises(TypeError):
        CATALOGUE["x"] = named  # type: ignore[index]  # the point is that it cannot be set


def test_each_number_knows_what_is_better() -> None:
    """One place compares: a count of conflicts is held from above, all else from below."""
    conflicts, rate = CATALOGUE["faithfulness.conflicts"], CATALOGUE["faithfulness"]
    assert [named.name for named in CATALOGUE.values() if named.lower_is_better] == [conflicts.name]
    assert (conflicts.best, rate.worst, rate.best) == (0.0, 0.0, 1.0)
    assert [conflicts.meets(value, 1) for value in (0, 1, 2, None)] == [True, True, False, False]
    assert [rate.meets(value, 0.5) for value in (0.4, 0.5, None)] == [False, True, False]
    assert (conflicts.range, rate.range) == ("from 0 up", "from 0 to 1")


@pytest.mark.parametrize("named", CATALOGUE.values(), ids=CATALOGUE)
def test_the_worst_is_farthest_from_a_bound_and_the_best_never_is(named: Named) -> None:
    """Law: what decides the order of failing pairs and of shades is between 0 and 1."""
    assert named.meets(named.best, named.worst)
    assert not named.meets(named.worst, named.best)
    assert 0.99 < named.gap(named.worst, named.best) <= 1
    assert named.gap(None, named.best) == named.gap(named.worst, named.best)
    assert named.gap(named.best, named.best) == 0
    assert named.gap(named.best, named.worst) < 0


def test_one_conflict_more_than_allowed_is_no_trifle() -> None:
    """As a share of a count without an end it would be nothing; two are worse than one."""
    conflicts = CATALOGUE["faithfulness.conflicts"]
    assert (conflicts.gap(1, 0), conflicts.gap(2, 0)) == (1 / 2, 2 / 3)

from __future__ import annotations

from dataclasses import replace

import pytest

from summeval_pytest.metrics.catalogue import CATALOGUE, OPTIONAL, Score, lacks
from summeval_pytest.metrics.eva import EvaScore
from summeval_pytest.metrics.facet import (
    COVERAGE,
    WEIGHTS,
    FacetScore,
    RatedFacet,
    facet_aware_metric,
    key_coverage,
)
from summeval_pytest.metrics.faithfulness import SUPPORT, FaithfulnessScore, JudgedSentence
from summeval_pytest.metrics.number import ENDLESS, NumberSpec, Status, Unscored
from summeval_pytest.questions import FACETS, SCALES, Facet
from tests.verdict.records import rated


def judged(*verdicts: bool | None, support: float | None = None) -> FaithfulnessScore:
    """A score of sentences with these verdicts."""
    return FaithfulnessScore(
        value=1.0,
        sentences=tuple(
            JudgedSentence(index=0, text="Ice melts.", supported=each, reason="", support=support)
            for each in verdicts
        ),
    )


def test_unscored_says_whose_fault_it_is() -> None:
    """The system's fault fails the test, the judge's makes it an error: never the other way."""
    faults: dict[Status, str] = {"degenerate_candidate": "system", "refused_candidate": "system"}
    faults |= {"unanswered": "judge", "skipped_no_reference": "judge"}
    assert {each: Unscored(metric="eva", status=each, reason="").fault for each in faults} == faults


@pytest.mark.parametrize(
    ("score", "values"),
    [
        # a copy of the reference was not rated; a mean over papers would lose it
        (
            FacetScore(value=1.0, identical=True),
            {"facet": 1.0, COVERAGE: 1.0} | {f"facet.{f}": float(SCALES[f]) for f in FACETS},
        ),
        # a threshold on a facet that the reference lacks does not apply
        (rated({"method": 2, "result": 4}), {"facet": 0.75, "facet.method": 2, "facet.result": 4}),
    ],
)
def test_numbers_that_a_threshold_can_name(score: Score, values: dict[str, float | None]) -> None:
    """What is absent is not 0."""
    assert score.values() == values


@pytest.mark.parametrize(
    ("supports", "mean"),
    [
        ((1.0, 0.75, 0.45), 0.55),  # (1 + .75 + .45 + 0) / 4
        # a copied sentence has 1 by rule; a mean over such alone would be no word of the judge's
        ((1.0, None), None),
        ((None, None), None),
    ],
)
def test_support_is_over_all_sentences(
    supports: tuple[float | None, ...], mean: float | None
) -> None:
    """An unanswered one counts 0; an answered one without support leaves no mean."""
    sentences = [judged(True, support=support).sentences[0] for support in supports]
    score = replace(judged(), sentences=(*sentences, *judged(None).sentences))
    assert score.support == mean
    assert score.values().get(SUPPORT) == mean
    assert lacks(score.values(), SUPPORT) == (mean is None)
    assert not lacks(rated({"method": 2}).values(), SUPPORT)


def covered(facet: Facet, coverage: int | None, *, by_rule: bool = False) -> RatedFacet:
    """A facet with this coverage."""
    return RatedFacet(
        facet=facet,
        rating=2,
        reason="",
        reference="a",
        candidate="",
        by_rule=by_rule,
        coverage=coverage,
    )


@pytest.mark.parametrize(
    ("ratings", "expected"),
    [
        # by hand: (.1 * 100 + .3 * 50) of .4 * 100
        ((covered("background", 100), covered("result", 50)), 0.625),
        # A facet that the summary does not state counts 0: (.3 * 80 + .3 * 0) / .6 / 100
        ((covered("method", 80), covered("result", None, by_rule=True)), 0.4),
        ((covered("method", 80), covered("result", None)), None),
        ((), None),
    ],
    ids=["weighted", "absent", "unsaid", "none"],
)
def test_coverage_is_weighted_as_fm(
    ratings: tuple[RatedFacet, ...], expected: float | None
) -> None:
    """A judge that leaves one coverage out gives no mean of the others."""
    assert key_coverage(ratings) == expected
    values = FacetScore(value=0.5, ratings=ratings, key_coverage=expected).values()
    assert values.get(COVERAGE) == expected
    assert lacks(values, COVERAGE) == (expected is None)


EXTREMES: list[Score] = [
    replace(rated(dict.fromkeys(FACETS, 1)), key_coverage=0.0),
    replace(rated({facet: SCALES[facet] for facet in FACETS}), key_coverage=1.0),
    *(EvaScore(value=v, precision=v, recall=v, recall_entailed=v) for v in (0.0, 1.0)),
    *(
        replace(judged(bool(v), support=v), value=v, conflicts=1 - int(v), overgeneral=1 - int(v))
        for v in (0.0, 1.0)
    ),
]


def test_the_catalogue_has_every_number_of_a_score_and_its_range() -> None:
    """A number that no threshold can name is not gated; one that no score has is never met."""
    assert {name for score in EXTREMES for name in score.values()} == set(CATALOGUE)
    for score in EXTREMES:
        for name, value in score.values().items():
            named = CATALOGUE[name]
            assert named.metric == score.metric
            assert value is not None
            assert named.low <= value <= named.high


@pytest.mark.parametrize(
    "score", [rated(dict.fromkeys(FACETS, 1)), replace(judged(False), conflicts=0)]
)
def test_a_number_that_a_judge_may_leave_out_says_so(score: Score) -> None:
    """Without that, a comparison would not notice it, and the user be told to judge again."""
    own = {name for name, named in CATALOGUE.items() if named.metric == score.metric}
    left = {name for name in own - score.values().keys() if score.applies(name)}
    assert left == own & OPTIONAL.keys()
    assert left
    assert all(CATALOGUE[name].remedy for name in left)


def test_ranges_are_those_of_the_formulas() -> None:
    """A threshold of 4 on a background could never be met; a method alone can score FM 1/4."""
    for facet in FACETS:
        named = CATALOGUE[f"facet.{facet}"]
        assert (named.low, named.high) == (1.0, SCALES[facet])
    lowest = min(1 / SCALES[facet] for facet in FACETS if WEIGHTS[facet])
    assert CATALOGUE["facet"].low == lowest == facet_aware_metric({"method": 1})


def test_each_number_knows_what_is_better() -> None:
    """One place compares: counts of what is wrong are held from above, all else from below."""
    conflicts, rate = CATALOGUE["faithfulness.conflicts"], CATALOGUE["faithfulness"]
    counts = {"unsupported", "overgeneral", "conflicts"}
    held_from_above = {named.name for named in CATALOGUE.values() if named.lower_is_better}
    assert held_from_above == {f"faithfulness.{count}" for count in counts}
    assert (conflicts.best, conflicts.worst) == (0.0, None)
    assert (rate.worst, rate.best) == (0.0, 1.0)
    assert [conflicts.meets(value, 1) for value in (0, 1, 2, None)] == [True, True, False, False]
    assert [rate.meets(value, 0.5) for value in (0.4, 0.5, None)] == [False, True, False]
    assert (conflicts.range, rate.range) == ("from 0 up", "from 0 to 1")


@pytest.mark.parametrize("named", CATALOGUE.values(), ids=CATALOGUE)
def test_the_worst_is_farthest_from_a_bound_and_the_best_never_is(named: NumberSpec) -> None:
    """Law: what decides the order of failing pairs and of shades is between 0 and 1."""
    assert named.name.split(".", maxsplit=1)[0] == named.metric
    assert named.meaning
    worst = ENDLESS if named.worst is None else named.worst
    assert named.meets(named.best, worst)
    assert not named.meets(worst, named.best)
    assert 0.99 < named.gap(worst, named.best) <= 1
    assert named.gap(None, named.best) == named.gap(worst, named.best)
    assert named.gap(named.best, named.best) == 0
    assert named.gap(named.best, worst) < 0


@pytest.mark.parametrize(
    ("ends", "lower_is_better", "worst"),
    [
        ((0, ENDLESS), True, None),
        ((0, ENDLESS), False, 0),
        ((-ENDLESS, 0), False, None),
        ((-ENDLESS, 0), True, 0),
    ],
)
def test_a_range_without_an_end_has_no_worst_value(
    ends: tuple[float, float], *, lower_is_better: bool, worst: float | None
) -> None:
    """Whatever stood there would be averaged, and the mean would be a made-up figure."""
    low, high = ends
    named = NumberSpec(
        name="n", metric="n", meaning="n", low=low, high=high, lower_is_better=lower_is_better
    )
    assert named.worst == worst

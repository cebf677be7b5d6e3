from __future__ import annotations

from dataclasses import FrozenInstanceError, replace

import pytest

from summeval_pytest.metrics.facet import WEIGHTS, facet_aware_metric
from summeval_pytest.metrics.score import (
    CATALOGUE,
    EvaScore,
    FacetScore,
    FaithfulnessScore,
    JudgedSentence,
    Named,
    RatedFacet,
    Score,
    Unscored,
    lacks_support,
)
from summeval_pytest.questions import FACETS, SCALES, Facet


def rated(facet: Facet, rating: int) -> RatedFacet:
    """A facet with this rating."""
    return RatedFacet(facet=facet, rating=rating, reason="", reference="a", candidate="b")


def facet_score(**ratings: int) -> FacetScore:
    """A score with these ratings."""
    return FacetScore(
        value=0.5,
        ratings=tuple(rated(facet, ratings[facet]) for facet in FACETS if facet in ratings),
    )


def sentence(supported: bool | None) -> JudgedSentence:
    """A judged sentence."""
    return JudgedSentence(index=0, text="Ice melts.", supported=supported, reason="")


@pytest.mark.parametrize(
    ("unscored", "fault"),
    [
        (Unscored(metric="eva", status="degenerate_candidate", reason=""), "system"),
        (Unscored(metric="eva", status="refused_candidate", reason=""), "system"),
        (Unscored(metric="eva", status="unanswered", reason=""), "judge"),
        (Unscored(metric="eva", status="skipped_no_reference", reason=""), "judge"),
    ],
)
def test_unscored_says_whose_fault_it_is(unscored: Unscored, fault: str) -> None:
    """The system's fault fails the test, the judge's makes it an error: never the other way."""
    assert unscored.fault == fault


def test_rescaled_reaches_zero_and_one() -> None:
    """FM's floor of .283 reads badly; this number starts at 0."""
    # ((3-1)/2 + (2-1)/3 + (4-1)/3 + (1-1)/2) / 4 = (1 + 1/3 + 1 + 0) / 4 = 7/12
    score = facet_score(background=3, method=2, result=4, conclusion=1)
    assert score.rescaled == pytest.approx(7 / 12)
    assert facet_score(background=1, method=1, result=1, conclusion=1).rescaled == 0.0
    assert facet_score(background=3, method=4, result=4, conclusion=3).rescaled == 1.0
    assert facet_score(method=3).rescaled == pytest.approx(2 / 3)


def test_a_copy_of_the_reference_has_full_marks() -> None:
    """It was not rated, and a mean over papers would lose it without its ratings."""
    copy = FacetScore(value=1.0, identical=True)
    assert copy.rescaled == 1.0
    assert copy.values() == {"facet": 1.0} | {f"facet.{f}": float(SCALES[f]) for f in FACETS}


def test_facet_that_the_reference_lacks_has_no_number() -> None:
    """A threshold on it is not met and not missed; it does not apply."""
    assert facet_score(background=2, result=4).values() == {
        "facet": 0.5,
        "facet.background": 2.0,
        "facet.result": 4.0,
    }


def test_missing_precision_is_none_and_not_zero() -> None:
    """Nothing stated is not the same as nothing right."""
    score = EvaScore(value=0.0, precision=None, recall=0.0, recall_entailed=0.0)
    assert score.values()["eva.precision"] is None


def test_entailed_recall_that_was_not_asked_has_no_number() -> None:
    """None would read as a number that a summary lacks, and no summary was asked for it."""
    score = EvaScore(value=0.5, precision=0.5, recall=0.5, recall_entailed=None)
    assert "eva.recall_entailed" not in score.values()
    asked = EvaScore(value=0.5, precision=0.5, recall=0.5, recall_entailed=0.0)
    assert asked.values()["eva.recall_entailed"] == 0.0


@pytest.mark.parametrize(
    ("verdicts", "faithful"),
    [
        ((True, True), True),
        ((True, False), False),
        ((True, None), False),
    ],
)
def test_one_sentence_without_support_or_answer_makes_a_summary_unfaithful(
    verdicts: tuple[bool | None, ...], *, faithful: bool
) -> None:
    """A sentence that nobody checked must not be vouched for."""
    score = FaithfulnessScore(value=1.0, sentences=tuple(map(sentence, verdicts)))
    assert score.is_faithful == faithful


def test_scores_and_their_numbers_are_read_only() -> None:
    """A verdict must not be able to change what it judges."""
    score = facet_score(method=2)
    with pytest.raises(FrozenInstanceError):
        score.value = 1.0  # type: ignore[misc]  # the point is that it cannot be set
    with pytest.raises(TypeError):
        score.values()["facet"] = 1.0  # type: ignore[index]  # nor changed this way


def test_a_calibrated_rating_counts_in_place_of_the_judges() -> None:
    """The judge's own stays beside it: 4 of 4, of which people would have made 2.5."""
    plain = rated("method", 4)
    known = replace(plain, calibrated=2.5)
    assert (plain.value, plain.share) == (4, 1.0)
    assert (known.rating, known.value, known.share) == (4, 2.5, 0.625)


def test_numbers_that_a_threshold_can_name_are_calibrated() -> None:
    """A threshold on a facet is in the labels' scale where FM is."""
    score = facet_score(method=4, conclusion=2)
    method, conclusion = score.ratings
    known = replace(score, ratings=(replace(method, calibrated=2.5), conclusion))
    assert known.values() == {"facet": 0.5, "facet.method": 2.5, "facet.conclusion": 2.0}


def test_rescaled_is_of_calibrated_ratings() -> None:
    """Worked example: (2.5 - 1) / 3 and (2 - 1) / 2 are 0.5 each, 1 and 0.5 were the judge's."""
    score = facet_score(method=4, conclusion=2)
    method, conclusion = score.ratings
    known = replace(score, ratings=(replace(method, calibrated=2.5), conclusion))
    assert (score.rescaled, known.rescaled) == (0.75, 0.5)


def supported_by(*support: float | None, silent: int = 0) -> FaithfulnessScore:
    """A score of sentences believed so far, supported from .5 on, and of silent ones."""
    answered = (
        replace(sentence(supported=each is not None and each >= 0.5), support=each)
        for each in support
    )
    return FaithfulnessScore(
        value=1.0, sentences=(*answered, *(sentence(None) for _ in range(silent)))
    )


def test_mean_support_is_over_the_answered_sentences() -> None:
    """Worked example: (1 + .75 + .2) / 3 = .65; the unanswered one is neither 0 nor 1."""
    score = supported_by(1.0, 0.75, 0.2, silent=1)
    assert score.support == 0.65
    assert score.values() == {"faithfulness": 1.0, "faithfulness.support": 0.65}
    assert not lacks_support(score.values())


@pytest.mark.parametrize("support", [(None, None), (1.0, None), ()])
def test_a_judge_that_gives_no_support_has_no_mean_of_it(support: tuple[float | None, ...]) -> None:
    """A copied sentence has 1 by rule; a mean over such alone would be no word of the judge's."""
    score = supported_by(*support)
    assert score.support is None
    assert score.values() == {"faithfulness": 1.0}
    assert lacks_support(score.values())


def test_numbers_without_faithfulness_lack_no_support_of_it() -> None:
    """What was not measured, or has no score, is told elsewhere."""
    assert not lacks_support(facet_score(method=2).values())


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

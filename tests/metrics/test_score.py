from __future__ import annotations

from dataclasses import FrozenInstanceError, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from summeval_pytest.metrics.score import (
    METRICS,
    EvaScore,
    FacetScore,
    FaithfulnessScore,
    JudgedSentence,
    RatedFacet,
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


def test_share_is_taken_of_the_facets_own_scale() -> None:
    """3 is full marks for a background and not for a method."""
    assert rated("background", 3).share == 1.0
    assert rated("method", 3).share == 0.75
    assert rated("conclusion", 1).share == pytest.approx(1 / 3)


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


def test_rescaled_needs_ratings() -> None:
    """Nothing rated is not the same as rated worst."""
    assert FacetScore(value=1.0).rescaled is None


@given(
    st.fixed_dictionaries(
        {}, optional={facet: st.integers(1, SCALES[facet]) for facet in FACETS}
    ).filter(bool)
)
def test_rescaled_stays_within_zero_and_one(ratings: dict[str, int]) -> None:
    """Whatever facets the reference states."""
    rescaled = facet_score(**ratings).rescaled
    assert rescaled is not None
    assert 0 <= rescaled <= 1


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


def test_every_score_says_which_metric_it_is_of() -> None:
    """Scores of three kinds lie in one list."""
    scores = (
        facet_score(),
        EvaScore(value=1.0, precision=1.0, recall=1.0, recall_entailed=1.0),
        FaithfulnessScore(value=1.0, sentences=()),
    )
    assert tuple(score.metric for score in scores) == METRICS
    assert all(score.values()[score.metric] == score.value for score in scores)


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


@pytest.mark.parametrize("value", [0.1, 0.7, 0.45])
@pytest.mark.parametrize("n_sentences", [1, 3, 7, 10])
def test_equal_support_is_its_own_mean(value: float, n_sentences: int) -> None:
    """A threshold of .7 holds sentences of .7, in whatever way a sum is rounded."""
    assert supported_by(*[value] * n_sentences).support == value


@given(st.lists(st.floats(0, 1), min_size=1, max_size=9))
def test_mean_support_is_between_the_least_and_the_most(support: list[float]) -> None:
    """Law; to the twelve digits that count."""
    found = supported_by(*support).support
    assert found is not None
    assert min(support) - 1e-12 <= found <= max(support) + 1e-12
    assert 0.0 <= found <= 1.0
    assert supported_by(*reversed(support)).support == found

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from summeval_pytest.errors import Place
from summeval_pytest.metrics.facet import facet_aware_metric
from summeval_pytest.metrics.score import FacetScore, RatedFacet, Unscored
from summeval_pytest.metrics.signature import signature_of
from summeval_pytest.questions import FACETS, SCALES
from summeval_pytest.run.golden import golden_pair
from summeval_pytest.run.measure import Evaluation
from summeval_pytest.suite.labels import Label
from summeval_pytest.suite.values import Pair, Paper, Section
from summeval_pytest.verdict.trust import KEY, calibration_of
from tests.verdict.golden_answers import PAPERS, answered, golden
from tests.verdict.records import HERE, eva

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from random import Random

    from summeval_pytest.metrics.score import Score
    from summeval_pytest.questions import Facet
    from summeval_pytest.run.golden import GoldenPair

SIGNED = tuple(
    signature_of(metric, judge="fair-1", suite="77be02a1c3d4")
    for metric in ("facet", "eva", "faithfulness")
)


def result(label: int, answer: int | None, group: str) -> GoldenPair:
    """A labelled result, and what the judge rates it."""
    return golden(answered("result", label, answer), paper=f"paper-{group}", group=group)


THREE = [result(3, 4, "a"), result(4, 4, "b"), result(2, 4, "c")]
"""What the judge calls full marks, people rate 3, 4 and 2."""


def identity(facet: Facet) -> tuple[float, ...]:
    """Each rating's own value."""
    return tuple(map(float, range(1, SCALES[facet] + 1)))


def test_a_rating_stands_for_the_mean_of_its_labels_and_of_itself() -> None:
    """Worked example: 4 was labelled 3, 4 and 2, so (3 + 4 + 2 + 4) / 4 = 3.25.

    It is what 1 to 3 stay under, and nobody rated those.
    """
    assert calibration_of(THREE).values_for("z") == {"result": (1.0, 2.0, 3.0, 3.25)}


def test_each_facet_has_a_map_of_its_own_scale() -> None:
    """Facets that no label speaks of keep their ratings, and other labels play no part."""
    said = [
        golden(
            answered("background", 2, 3),
            answered("overall", 0.5, 0.9),
            answered("sentence", 0, 1),
            answered("reference fact", 0, 1),
            paper=name,
        )
        for name in PAPERS
    ]
    # 3 was labelled 2 by four people: (4 * 2 + 3) / 5 = 2.2; 1 and 2 stay under it.
    assert calibration_of(said).values_for("z") == {"background": (1.0, 2.0, 2.2)}


def paper(name: str) -> Paper:
    """A paper with a reference of its own."""
    return Paper(
        id=name,
        references=(f"The reference of {name}.",),
        source=(Section(text="Mice slept."),),
        place=Place("papers.jsonl", 1),
    )


def evaluation(name: str, ratings: Mapping[Facet, int], *others: Score | Unscored) -> Evaluation:
    """A measured pair with these ratings."""
    value = facet_aware_metric(dict(ratings))
    assert value is not None
    score = FacetScore(
        value=value,
        ratings=tuple(
            RatedFacet(facet=facet, rating=ratings[facet], reason="", reference="a", candidate="b")
            for facet in FACETS
            if facet in ratings
        ),
    )
    pair = Pair(paper=paper(name), system="good", summary="Mice slept.", place=HERE)
    scores = (score, *others)
    measured = {each.metric for each in scores}
    return Evaluation(
        pair=pair,
        scores=scores,
        signatures=tuple(each for each in SIGNED if each.metric in measured),
        source=("Mice slept.",),
    )


def label(name: str, ratings: Mapping[Facet, int], overall: float | None = None) -> Label:
    """What people rate; facets that are not among the ratings the reference does not state."""
    facets = {facet: ratings.get(facet) for facet in FACETS}
    return Label(paper=name, system="good", facets=facets, overall=overall, place=HERE)


def asked(
    names: Sequence[str], judge: Mapping[Facet, int], people: Mapping[Facet, int]
) -> list[GoldenPair]:
    """The same answers and labels on several papers."""
    return [golden_pair(label(name, people), evaluation(name, judge)) for name in names]


def test_an_evaluation_has_the_ratings_of_its_papers_map() -> None:
    """Worked example: fern is labelled 2, kiln and moss 3, and all are rated 4 of 4.

    For fern the others say (3 + 3 + 4) / 3 = 10 / 3, an FM of 10 / 12; for a paper that nobody has
    labelled all say (2 + 3 + 3 + 4) / 4 = 3, an FM of 0.75.
    """
    labelled = asked(["kiln", "moss"], {"result": 4}, {"result": 3})
    labelled += asked(["fern"], {"result": 4}, {"result": 2})
    found = calibration_of(labelled)
    for name, value in (("fern", 10 / 3), ("zinc", 3.0)):
        (score,) = found.applied(evaluation(name, {"result": 4})).scores
        assert isinstance(score, FacetScore)
        assert score.ratings[0].calibrated == pytest.approx(value)
        assert score.ratings[0].rating == 4
        assert score.value == pytest.approx(value / 4)


def test_the_recipe_of_fm_names_the_calibration_and_no_other_does() -> None:
    """Two numbers of other maps must not compare, and the verdict names the key that differs."""
    found = calibration_of(THREE)
    fm, *others = found.applied(evaluation("fern", {"result": 4}, eva(0.5))).signatures
    assert others == [SIGNED[1]]
    assert dict(fm.recipe) == dict(SIGNED[0].recipe) | {KEY: found.digest}
    assert str(fm).startswith(f"facet|calibration:{found.digest}|empty:1|judge:fair-1|")
    assert fm.differing(SIGNED[0]) == (KEY,)
    assert fm.differing(calibration_of(THREE[:2]).signed(SIGNED[0])) == (KEY,)


rated = st.dictionaries(
    st.sampled_from(FACETS), st.integers(1, 3), min_size=1, max_size=len(FACETS)
)


@st.composite
def labelled(draw: st.DrawFn) -> list[GoldenPair]:
    """Golden pairs on a few papers, of which each label speaks of the facets that are rated."""
    found = []
    for name in draw(st.lists(st.sampled_from(PAPERS), min_size=1, max_size=6)):
        judge = draw(rated)
        people = {facet: draw(st.integers(1, SCALES[facet])) for facet in judge}
        found.append(golden_pair(label(name, people), evaluation(name, judge)))
    return found


@settings(max_examples=40)
@given(labelled(), rated)
def test_fm_of_a_golden_answer_is_that_of_its_evaluation(
    pairs: list[GoldenPair], judge: dict[Facet, int]
) -> None:
    """Law: whether a pair is labelled or judged, the same ratings come to the same FM."""
    found = calibration_of(pairs)
    plain = evaluation("moss", judge)
    (score,) = found.applied(plain).scores
    people = label("moss", judge)
    (answer,) = found.applied_to([golden_pair(people, plain)])
    assert isinstance(score, FacetScore)
    overall = {each.kind: each.answer for each in answer.answers}
    ratings = {each.facet: each.value for each in score.ratings}
    assert overall.pop("overall") == score.value
    assert overall == ratings


@settings(max_examples=40)
@given(labelled(), st.randoms(use_true_random=False))
def test_a_papers_own_labels_never_move_its_ratings(
    pairs: list[GoldenPair], random: Random
) -> None:
    """Law: whatever people say of a paper, the judge looks no better on it for that."""
    for group in {pair.group for pair in pairs}:
        other = [
            pair
            if pair.group != group
            else replace(
                pair,
                answers=tuple(
                    replace(each, label=random.randint(1, SCALES[each.kind]))
                    if each.kind in FACETS
                    else each
                    for each in pair.answers
                ),
            )
            for pair in pairs
        ]
        assert calibration_of(other).values_for(group) == calibration_of(pairs).values_for(group)

from __future__ import annotations

from dataclasses import replace
from math import sqrt
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t as student

from summeval_pytest.errors import JudgeError
from summeval_pytest.metrics.score import Unscored
from summeval_pytest.run.pair_numbers import Numbers
from summeval_pytest.verdict.corrected import CorrectedMean, corrected_means
from summeval_pytest.verdict.thresholds import Threshold
from tests.verdict.golden_answers import answered, filled, golden, pairs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from summeval_pytest.run.golden import GoldenPair, LabelledKind
    from summeval_pytest.verdict.thresholds import Bound

LACKING = Unscored(metric="facet", status="refused_candidate", reason="it declined")


def judged_paper(
    place: int, *, right: int = 0, n_sentences: int = 0, **values: float | None
) -> Numbers:
    """The numbers of one pair; ``facet_result`` stands for the name with a dot."""
    return Numbers(
        paper=f"moss-{place}",
        system="careful",
        values={name.replace("_", ".", 1): value for name, value in values.items()},
        unscored=(),
        sizes={"words": 9} | ({"faithfulness": right, "sentences": n_sentences} if values else {}),
    )


def sentences(*counts: tuple[int, int]) -> list[Numbers]:
    """Papers with so many supported sentences of so many."""
    return [
        judged_paper(n, faithfulness=right / of, right=right, n_sentences=of)
        for n, (right, of) in enumerate(counts)
    ]


def floor(least: float, name: str = "facet", bound: Bound = "point") -> Threshold:
    """What a corrected mean is held to."""
    return Threshold(name=name, least=least, bound=bound)


def overall(*rows: tuple[float, float | None], kind: LabelledKind = "overall") -> list[GoldenPair]:
    """Golden pairs on papers fern-0, fern-1 and so on: what the label says, and what the judge."""
    return [
        golden(answered(kind, label, answer), paper=f"fern-{n}", group=f"{n % 2}")
        for n, (label, answer) in enumerate(rows)
    ]


TWO = [judged_paper(0, facet=0.8), judged_paper(1, facet=0.6)]
"""A mean of 0.7."""
GENEROUS = overall((0.5, 0.6), (0.7, 0.7))
"""A mean error of (-0.1 + 0) / 2 = -0.05."""


def only(
    papers: Sequence[Numbers], pairs: Sequence[GoldenPair], *floors: Threshold
) -> CorrectedMean:
    """The one corrected mean that there is."""
    (found,) = corrected_means(papers, pairs, floors)
    return found


def test_fm_is_corrected_by_the_judges_mean_error_on_labels() -> None:
    """Worked example: 0.7 - 0.05 = 0.65; its interval is held to SciPy's Student t (1.17.1).

    The judged papers move the mean by 0.1 / (2 - 1) each way and the golden ones by 0.05, so that
    the variances over papers are 0.02 and 0.005. Welch's degrees of freedom are
    0.025^2 / (0.02^2 + 0.005^2) = 1.47, under the 3 that four papers have.
    """
    found = only(TWO, GENEROUS)
    assert (found.name, found.reason, found.floors) == ("facet", "", ())
    assert found.raw == pytest.approx(0.7)
    assert found.value == pytest.approx(0.65)
    assert (found.n_golden, found.n_papers) == (2, 2)
    margin = student.ppf(0.975, 0.025**2 / (0.02**2 + 0.005**2)) * sqrt(0.025)
    assert found.low == pytest.approx(0.65 - margin)
    assert found.high == pytest.approx(0.65 + margin)


def test_a_facet_is_corrected_by_its_own_labels() -> None:
    """Worked example: (4 + 2) / 2 = 3 and an error of ((2 - 4) + (3 - 3)) / 2 = -1 make 2."""
    judged = [
        judged_paper(0, facet=0.9, facet_result=4.0),
        judged_paper(1, facet=0.5, facet_result=2.0),
    ]
    found = only(judged, [*overall((2, 4), (3, 3), kind="result")])
    assert (found.name, found.raw, found.value, found.n_golden) == ("facet.result", 3.0, 2.0, 2)


def test_faithfulness_is_corrected_as_a_rate_over_sentences() -> None:
    """Worked example: the judge supports (1 + 5) / 10 = 0.6 of the sentences.

    It supports 3 of 4 faithful ones and 1 of 4 unfaithful ones, so that the rate is
    (0.6 - 0.25) / (0.75 - 0.25) = 0.7. The mean over papers, (0.25 + 5 / 6) / 2, plays no part.
    """
    rows = list(filled("sentence", [[3, 1], [1, 3]], least=0))
    pairs = [golden(*rows[n::2], paper=f"fern-{n}") for n in range(2)]
    found = only(sentences((1, 4), (5, 6)), pairs)
    assert found.name == "faithfulness"
    assert found.raw == pytest.approx(0.6)
    assert found.value == pytest.approx(0.7)
    assert (found.n_golden, found.n_papers) == (8, 2)
    assert found.low is not None
    assert found.high is not None
    assert 0 <= found.low < 0.7 < found.high <= 1


def floors_missed(value: float | None, low: float | None, *floors: Threshold) -> list[Threshold]:
    """Which of these a corrected FM misses that covers every paper."""
    mean = CorrectedMean(
        name="facet",
        raw=0.7,
        value=value,
        low=low,
        high=None if low is None else 0.8,
        n_golden=2,
        n_papers=2,
        floors=floors,
        n_scored=2,
        n_of=2,
    )
    return list(mean.missed)


def test_a_floor_is_held_against_the_mean_or_its_lower_bound() -> None:
    """As for every threshold, equal passes; what is unknown reaches none."""
    at, above = floor(0.65), floor(0.651)
    low, lower = floor(0.5, bound="lower"), floor(0.501, bound="lower")
    assert floors_missed(0.65, 0.5, at, above, low, lower) == [above, lower]
    assert floors_missed(0.65, None, at, low) == [low]
    assert floors_missed(None, None, at, low) == [at, low]


def refused(papers: Sequence[Numbers], pairs: Sequence[GoldenPair], *floors: Threshold) -> str:
    """The judge's fault that leaves a threshold undecided."""
    with pytest.raises(JudgeError) as caught:
        corrected_means(papers, pairs, floors)
    return str(caught.value)


def test_a_threshold_on_a_mean_that_cannot_be_corrected_is_the_judges_fault() -> None:
    """A judge no better than chance says nothing of the system, so the system does not fail."""
    chance = [
        golden(*filled("sentence", [[1, 1], [1, 1]], least=0), paper=f"fern-{n}") for n in range(2)
    ]
    assert refused(sentences((1, 2), (2, 2)), chance, floor(0.5, "faithfulness")) == (
        "the mean of faithfulness cannot be corrected, the judge calls 0.5 of the golden true rows"
        " true and 0.5 of the false ones; label more, or set the threshold on [thresholds.mean]"
        " faithfulness"
    )


def test_an_unanswered_sentence_is_wrong_in_the_worst_case() -> None:
    """Worked example: 5 of 5 answered and one open are 5 of 6; the judge of labels is perfect."""
    open_one = replace(
        judged_paper(1, faithfulness=1.0, right=5, n_sentences=5),
        sizes={"faithfulness": 5, "sentences": 5, "unanswered": 1},
    )
    labels = [
        golden(*filled("sentence", [[4, 0], [0, 4]], least=0), paper=f"fern-{n}") for n in range(2)
    ]
    found = only([*sentences((6, 6)), open_one], labels)
    assert found.value == 1.0
    assert found.worst is not None
    assert found.worst.raw == pytest.approx(11 / 12)
    assert found.worst.value == pytest.approx(11 / 12)
    assert only(sentences((6, 6), (5, 5)), labels).worst is None


def test_an_unanswered_label_is_answered_at_the_top_in_the_worst_case() -> None:
    """Worked example: of three labels of .5 the third may be rated 1: the mean error is -.2."""
    silent = overall((0.5, 0.55), (0.5, 0.55), (0.5, None))
    found = only(TWO, silent)
    assert found.value == pytest.approx(0.65)
    assert found.worst is not None
    assert found.worst.value == pytest.approx(0.5)
    ratings = [judged_paper(n, facet=0.5, facet_result=2.0) for n in range(2)]
    rated = only(ratings, overall((2, 2), (2, 2), (2, None), kind="result"))
    assert rated.worst is not None
    assert rated.worst.value == pytest.approx(2 - 2 / 3)


scores = st.lists(st.floats(0.25, 1), min_size=2, max_size=6)


@given(pairs(), scores)
def test_every_number_has_a_value_or_the_reason_for_none(
    labelled: list[GoldenPair], values: list[float]
) -> None:
    """Law: whatever a judge answers, nothing is dropped in silence, and bounds hold their value."""
    judged = [
        judged_paper(n, facet=value, facet_result=2.0, faithfulness=0.5, right=1, n_sentences=2)
        for n, value in enumerate(values)
    ]
    for found in corrected_means(judged, labelled):
        assert (found.low is None) == bool(found.reason)
        if found.low is not None:
            assert found.value is not None
            assert found.high is not None
            assert found.low <= found.value <= found.high
        assert found.n_golden >= found.n_papers > 0


def test_a_corrected_mean_must_cover_as_many_papers_as_the_raw_one() -> None:
    """A system must not reach it by refusing the hard papers: 1 of 2 is too few."""
    refused_one = replace(judged_paper(2), unscored=(LACKING,))
    found = only([TWO[0], refused_one], GENEROUS, floor(0.1))
    assert (found.n_scored, found.n_of, found.missed) == (1, 2, (floor(0.1),))


def test_a_threshold_that_nothing_was_answered_for_is_the_judges_fault() -> None:
    """It must not vanish with the papers that lack the number, nor with labels left unanswered."""
    labels = overall((1, 2), (2, 2), kind="method")
    told = refused(TWO, labels, floor(2, "facet.method"))
    assert told.startswith("the mean of facet.method cannot be corrected, there are no judged rows")
    told = refused(TWO, overall((0.5, None), (0.7, None)), floor(0.5))
    assert told.startswith("the mean of facet cannot be corrected, there are no golden rows; ")

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from summeval_pytest.suite import import_scholarsum, load_suite
from summeval_pytest.verdict.agreement import (
    Estimate,
    FacetAgreement,
    LabelledPair,
    column_agreement,
    facet_agreement,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from summeval_pytest.questions import Facet

SHARED = Path(os.environ.get("SUMMEVAL_SHARED", Path(__file__).parents[3] / "shared"))
RELEASE = SHARED / "data/scholarsum/pubmed.json"


def labelled(
    paper: str,
    human: float,
    fm: float | None = None,
    *,
    group: str | None = None,
    ratings: Mapping[Facet, tuple[int, int]] | None = None,
) -> LabelledPair:
    """A pair with one column, FM, where it has a number."""
    return LabelledPair(
        paper=paper,
        group=group or paper,
        human=human,
        columns={} if fm is None else {"FM": fm},
        ratings=ratings or {},
    )


TINY = [
    labelled("moss", 1, 1),
    labelled("moss", 2, 3),
    labelled("zinc", 3, 2),
    labelled("zinc", 4, 4),
]


def test_agreement_of_a_tiny_set_is_what_a_hand_computes() -> None:
    """Worked example, intervals and all.

    Deviations are -1.5, -0.5, 0.5, 1.5 and -1.5, 0.5, -0.5, 1.5: their products make 4, their
    squares 5 on both sides, so r = 4/5; the numbers are their own ranks, so rho is the same.
    Within each paper the order is right, so tau is 1 twice. Two papers give three resamples: both,
    with r = 4/5, or one of them twice, with r = 1.
    """
    found = column_agreement(TINY, "FM")
    assert found.n_pairs == 4
    for estimate in (found.pearson, found.spearman):
        assert (estimate.value, estimate.low, estimate.high) == pytest.approx((0.8, 0.8, 1.0))
    assert found.kendall == Estimate(1.0, 1.0, 1.0)


def test_papers_with_the_same_reference_are_resampled_as_one() -> None:
    """They share their difficulty, so one group has no other group to vary with."""
    pairs = [labelled(p.paper, p.human, p.columns["FM"], group="one text") for p in TINY]
    pearson = column_agreement(pairs, "FM").pearson
    assert (pearson.value, pearson.low, pearson.high) == pytest.approx((0.8, 0.8, 0.8))


def test_kendall_does_not_mix_papers() -> None:
    """Worked example: papers of different difficulty, each ordered the wrong way round.

    Over all pairs the numbers go together; within each paper they go against each other.
    """
    pairs = [
        labelled("moss", 1, 2),
        labelled("moss", 2, 1),
        labelled("zinc", 8, 9),
        labelled("zinc", 9, 8),
    ]
    found = column_agreement(pairs, "FM")
    assert found.kendall == Estimate(-1.0, -1.0, -1.0)
    assert found.pearson.value is not None
    assert found.pearson.value > 0.9


def test_pairs_without_the_number_are_left_out_and_the_count_says_so() -> None:
    """Unscored is not 0, which would pull every correlation."""
    pairs = [*TINY, labelled("fern", 9), labelled("moss", 0)]
    assert column_agreement(pairs, "FM") == column_agreement(TINY, "FM")
    assert column_agreement(pairs, "FM").n_pairs == 4


def test_agreement_that_cannot_be_measured_is_none() -> None:
    """A constant column agrees with nobody, and 0 would say that it disagrees."""
    constant = [labelled(pair.paper, pair.human, 0.5) for pair in TINY]
    undefined = Estimate(None, None, None)
    for pairs in (constant, TINY[:1], []):
        found = column_agreement(pairs, "FM")
        assert (found.pearson, found.spearman, found.kendall) == (undefined,) * 3
        assert found.n_pairs == len(pairs)


def test_papers_with_one_pair_have_no_order_within() -> None:
    """Kendall within papers needs two systems; the others need only two pairs."""
    pairs = [labelled(f"paper-{n}", n, n * n) for n in range(5)]
    found = column_agreement(pairs, "FM")
    assert found.kendall == Estimate(None, None, None)
    assert found.spearman.value == pytest.approx(1.0)


def test_the_same_pairs_give_the_same_digits() -> None:
    """A report that changes from run to run cannot be compared with last week's."""
    pairs = [labelled(f"paper-{n % 7}", n * 37 % 11, n * 53 % 13) for n in range(28)]
    assert column_agreement(pairs, "FM") == column_agreement(list(pairs), "FM")


def test_the_order_of_the_pairs_does_not_matter() -> None:
    """Law: a file sorted another way holds the same labels."""
    pairs = [labelled(f"paper-{n % 7}", n * 37 % 11, n * 53 % 13) for n in range(28)]
    one, other = column_agreement(pairs, "FM"), column_agreement(pairs[::-1], "FM")
    for name in ("pearson", "spearman", "kendall"):
        first, second = getattr(one, name), getattr(other, name)
        assert (first.value, first.low, first.high) == pytest.approx(
            (second.value, second.low, second.high)
        )


def test_ratings_of_a_facet_agree_as_a_hand_computes() -> None:
    """Worked example: people rate 1, 2, 3 and the judge 1, 2, 2, on a scale of 3.

    Two of three are equal. Quadratic weights: observed 1; expected, row by row, 0 + 2 and 1 + 0
    and 4 + 2 over 3 items is 3; kappa = 1 - 1/3.
    """
    ratings = [(1, 1), (2, 2), (3, 2)]
    pairs = [labelled("moss", 0, ratings={"conclusion": pair}) for pair in ratings]
    found = facet_agreement(pairs, "conclusion")
    assert found.n_pairs == 3
    assert found.exact == pytest.approx(2 / 3)
    assert found.kappa == pytest.approx(2 / 3)


def test_only_pairs_that_both_rated_count_for_a_facet() -> None:
    """A facet that one side found absent is no rating of it."""
    pairs = [
        labelled("moss", 0, ratings={"result": (4, 4), "method": (1, 1)}),
        labelled("zinc", 0, ratings={"result": (2, 3)}),
        labelled("fern", 0),
    ]
    assert facet_agreement(pairs, "result").n_pairs == 2
    assert facet_agreement(pairs, "result").exact == 0.5
    assert facet_agreement(pairs, "background") == FacetAgreement(n_pairs=0, exact=None, kappa=None)


@pytest.mark.parametrize(("facet", "highest"), [("background", 3), ("method", 4)])
def test_each_facet_has_its_own_scale(facet: Facet, highest: int) -> None:
    """The highest rating is a category, and one above it a mistake that must not be counted."""
    good = [labelled("moss", 0, ratings={facet: pair}) for pair in ((1, 1), (highest, highest))]
    assert facet_agreement(good, facet).kappa == 1.0
    with pytest.raises(ValueError, match=f"is {highest + 1}, none of the categories"):
        facet_agreement([labelled("moss", 0, ratings={facet: (1, highest + 1)})], facet)


FIGURES: dict[str, tuple[float, float | None]] = {
    "FM(GPT-4)": (0.688, 0.675),
    "FM(GPT-4, variant)": (0.647, None),
    "FM(Llama)": (0.577, None),
    "FM(GPT-3.5)": (0.514, 0.519),
    "BERTScore": (0.347, 0.315),
    "ROUGE-1 (recorded)": (0.341, 0.325),
    "GPT-4 direct": (0.338, 0.380),
    "ROUGE-L (recorded)": (0.241, 0.218),
    "QuestEval": (0.226, None),
    "G-Eval": (0.215, None),
    "ACU": (0.148, None),
    "DELTA": (-0.168, None),
}
"""Pearson and Spearman against the human overall score; None where the release's papers give none.

Source: ScholarSum 061b34c6, PubMed half (metrics.md section 2, and the README of the data)."""


@pytest.fixture(scope="module")
def scholarsum(tmp_path_factory: pytest.TempPathFactory) -> list[LabelledPair]:
    """The 300 labelled pairs of the PubMed half, with what the release records of each."""
    if not RELEASE.exists():
        pytest.skip(f"{RELEASE} is not there to import")
    out = tmp_path_factory.mktemp("scholarsum") / "suite"
    import_scholarsum(RELEASE, out)
    suite = load_suite(out)
    columns: dict[tuple[str, str], dict[str, float]] = {key: {} for key in suite.labels}
    for line in suite.recorded():
        if line.system is not None and line.overall is not None:
            columns[line.paper, line.system][line.by] = line.overall
    references = {paper: suite.paper(paper).references[0] for paper in suite.paper_ids}
    return [
        LabelledPair(
            paper=label.paper,
            group=references[label.paper],
            human=label.overall,
            columns=columns[label.paper, label.system],
            ratings={},
        )
        for label in suite.labels.values()
        if label.overall is not None
    ]


def test_the_release_is_read_whole(scholarsum: list[LabelledPair]) -> None:
    """Oracle: 50 papers and 6 systems, and one reference that occurs twice (data README)."""
    assert len(scholarsum) == 300
    assert len({pair.paper for pair in scholarsum}) == 50
    assert len({pair.group for pair in scholarsum}) == 49


@pytest.mark.parametrize("column", FIGURES)
def test_recorded_columns_agree_with_people_as_published(
    scholarsum: list[LabelledPair], column: str
) -> None:
    """Oracle: reader, columns and coefficients are right only if all of them are."""
    pearson, spearman = FIGURES[column]
    found = column_agreement(scholarsum, column)
    assert found.n_pairs == 300
    assert found.pearson.value is not None
    assert found.spearman.value is not None
    assert round(found.pearson.value, 3) == pearson
    assert spearman in {None, round(found.spearman.value, 3)}


def test_fm_with_gpt_4_has_the_interval_and_the_order_published(
    scholarsum: list[LabelledPair],
) -> None:
    """Oracle: [.60, .77] over papers, per-paper Kendall .565 (metrics.md section 2, FM7)."""
    found = column_agreement(scholarsum, "FM(GPT-4)")
    assert found.pearson.low == pytest.approx(0.60, abs=0.015)
    assert found.pearson.high == pytest.approx(0.77, abs=0.015)
    assert found.kendall.value is not None
    assert round(found.kendall.value, 3) == 0.565

from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from summeval_pytest.analysis.agreement import (
    HUMAN,
    LEVELS,
    Estimate,
    LabelledPair,
    column_agreement,
    correlations,
    fitted_weights,
    labelled_pair,
    level_agreement,
    partial_correlations,
    system_means,
)
from summeval_pytest.analysis.items import item_agreements
from summeval_pytest.errors import Place
from summeval_pytest.metrics.score import Unscored
from summeval_pytest.questions import FACETS, SCALES
from summeval_pytest.run.measure import Evaluation
from summeval_pytest.stats.correlation import COEFFICIENTS
from summeval_pytest.stats.matrices import FittedWeights
from summeval_pytest.suite.labels import Label
from summeval_pytest.suite.scholarsum import import_scholarsum
from summeval_pytest.suite.suite import load_suite

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from summeval_pytest.analysis.agreement import AgreementLevel
    from summeval_pytest.questions import Facet
    from summeval_pytest.stats.correlation import CoefficientName
    from summeval_pytest.suite.labels import Recorded
    from summeval_pytest.suite.suite import Suite


def labelled(
    paper: str,
    human: float | None,
    fm: float | None = None,
    *,
    group: str | None = None,
    system: str = "plain",
) -> LabelledPair:
    """A pair with one column, FM, where it has a number."""
    return LabelledPair(
        paper=paper,
        system=system,
        group=group or paper,
        human=human,
        columns={} if fm is None else {"FM": fm},
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


def test_a_pair_without_an_overall_score_is_in_no_correlation() -> None:
    """A label of facets alone has nothing to correlate with."""
    pairs = [*TINY, labelled("fern", None, 9)]
    assert column_agreement(pairs, "FM") == column_agreement(TINY, "FM")


FOUR_SYSTEMS = [
    labelled(paper, human + shift, fm, system=system)
    for paper, shift in (("moss", 0.0), ("zinc", 10.0))
    for system, human, fm in (("a", 1, 2), ("b", 2, 4), ("c", 3, 5), ("d", 4, 9))
]
"""Four systems, ordered by FM as by people on both papers; one paper is rated ten points higher."""


def test_systems_are_compared_by_their_means() -> None:
    """Worked example: means 6, 7, 8, 9 against 2, 4, 5, 9.

    Deviations -1.5, -.5, .5, 1.5 and -3, -1, 0, 4: products 4.5 + .5 + 0 + 6 = 11, squares 5 and
    26; r = 11 / sqrt(130). In order, as 2 of 24 orders are on either side: p = .083, no less
    (metrics.md EV12). All papers have the same systems, so no resample moves it.
    """
    found = level_agreement(FOUR_SYSTEMS, "FM", "system")
    r = 11 / math.sqrt(130)
    estimate = found.estimates["pearson"]
    assert (estimate.value, estimate.low, estimate.high) == pytest.approx((r, r, r))
    assert found.estimates["kendall"] == Estimate(1.0, 1.0, 1.0)
    assert found.n == 4
    assert dict(found.p_values) == pytest.approx(dict.fromkeys(COEFFICIENTS, 2 / 24))
    means = system_means(FOUR_SYSTEMS, ["FM"])
    assert means["d"] == {HUMAN: 9.0, "FM": 9.0}


def test_a_mean_of_a_system_covers_the_pairs_that_have_both_numbers() -> None:
    """Unscored is not 0: a system that failed on its hard paper is compared on the other."""
    missing = labelled("fern", 99.0, system="a")
    whole = level_agreement([*FOUR_SYSTEMS, missing], "FM", "system")
    assert whole == level_agreement(FOUR_SYSTEMS, "FM", "system")


def test_each_level_says_how_many_it_stands_on() -> None:
    """Pairs, papers and systems; only systems are so few that they have p values."""
    found = {level: level_agreement(FOUR_SYSTEMS, "FM", level) for level in LEVELS}
    assert {level: each.n for level, each in found.items()} == {
        "pooled": 8,
        "paper": 2,
        "system": 4,
    }
    assert not found["pooled"].p_values
    assert not found["paper"].p_values


def test_one_paper_has_no_interval_to_speak_of() -> None:
    """One paper only: every resample is the sample, so low and high are the value."""
    for level in LEVELS:
        found = level_agreement(FOUR_SYSTEMS[:4], "FM", level).estimates["spearman"]
        assert (found.value, found.low, found.high) == pytest.approx((1.0, 1.0, 1.0))


def test_what_is_all_equal_agrees_with_nothing_at_any_level() -> None:
    """A constant column has neither a coefficient nor a p value."""
    pairs = [labelled(p.paper, p.human, 0.1, system=p.system) for p in FOUR_SYSTEMS]
    for level in LEVELS:
        found = level_agreement(pairs, "FM", level)
        assert set(found.estimates.values()) == {Estimate(None, None, None)}
        assert set(found.p_values.values()) <= {None}


@pytest.mark.parametrize("gap", [None, "paper-3"])
def test_the_first_row_of_a_matrix_is_what_the_table_says(gap: str | None) -> None:
    """Two views of one number must not differ, also where a paper has no number of one column."""
    numbers = [(f"paper-{n % 7}", n * 37 % 11, n * 53 % 13, f"s{n // 7}") for n in range(28)]
    pairs = [
        replace(
            labelled(paper, human, None if paper == gap else fm, system=system),
            columns={"length": float(fm + human)} | ({} if paper == gap else {"FM": float(fm)}),
        )
        for paper, human, fm, system in numbers
    ]
    table = column_agreement(pairs, "FM")
    every: list[tuple[AgreementLevel, CoefficientName, Estimate]] = [
        ("pooled", "pearson", table.pearson),
        ("pooled", "spearman", table.spearman),
        ("paper", "kendall", table.kendall),
    ]
    system = level_agreement(pairs, "FM", "system")
    every += [("system", name, system.estimates[name]) for name in COEFFICIENTS]
    for level, name, expected in every:
        found = correlations(pairs, ["FM", "length"], level, name)
        assert found.names == (HUMAN, "FM", "length")
        assert found.estimate(HUMAN, "FM") == found.estimate("FM", HUMAN)
        estimate = found.estimate(HUMAN, "FM")
        assert (estimate.value, estimate.low, estimate.high) == pytest.approx(
            (expected.value, expected.low, expected.high)
        )


def label(overall: float | None, **facets: int | None) -> Label:
    """A label of a pair that nobody looks up."""
    rated: dict[Facet, int | None] = {f: facets[f] for f in FACETS if f in facets}
    return Label(
        paper="moss", system="plain", facets=rated, overall=overall, place=Place("labels.jsonl")
    )


def test_weights_are_fitted_to_stated_overall_scores_only() -> None:
    """Worked example: background alone says .2, method alone .8 of what is asked.

    A label without an overall score would be fitted to the formula that made it; one that rates
    nothing explains nothing.
    """
    labels = [
        label(1 / 3 * 0.2 + 0.8, background=1, method=4),
        label(0.2 + 0.25 * 0.8, background=3, method=1),
        label(2 / 3 * 0.2 + 0.5 * 0.8, background=2, method=2),
        label(1.0, background=3, method=4, conclusion=None),
        label(None, background=1, method=1, result=1, conclusion=1),
        label(0.5),
    ]
    found = fitted_weights(labels, SCALES)
    assert isinstance(found, FittedWeights)
    assert found.weights == pytest.approx((0.2, 0.8, 0.0, 0.0), abs=1e-6)
    assert (found.n_rows, round(found.error, 9)) == (4, 0.0)


def test_too_few_labels_for_weights_are_told() -> None:
    """The reason goes where the weights would stand."""
    found = fitted_weights([label(0.5, background=1, method=1)], SCALES)
    assert found == (
        "too few labels with facets and an overall score: 1; 4 weights need at least 4"
    )
    assert isinstance(fitted_weights([], SCALES), str)


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


CONTROLS = {"presence (GPT-4 segments)": 0.53, "length (GPT-4 segments)": 0.57}
"""Pearson of what GPT-4's segments say unread (metrics.md section 2, mandatory extra controls)."""


NOT_ASKED = Unscored(metric="facet", status="unanswered", reason="no judge was asked")


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory, release_file: Path) -> Suite:
    """The PubMed half as a suite."""
    out = tmp_path_factory.mktemp("scholarsum") / "suite"
    import_scholarsum(release_file, out)
    return load_suite(out)


@pytest.fixture(scope="module")
def scholarsum(release: Suite) -> list[LabelledPair]:
    """The 300 labelled pairs of the PubMed half, with what the release records of each."""
    records: dict[tuple[str, str], list[Recorded]] = {key: [] for key in release.labels}
    for line in release.recorded:
        if line.system is not None:
            records[line.paper, line.system].append(line)
    return [
        labelled_pair(
            label,
            Evaluation(pair=release.pair(*key), scores=(NOT_ASKED,), signatures=(), source=()),
            records[key],
        )
        for key, label in release.labels.items()
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
    """Oracle: [.60, .77] over papers, per-paper Kendall .565, of the variant .583 (FM7, FM14)."""
    found = column_agreement(scholarsum, "FM(GPT-4)")
    assert found.pearson.low == pytest.approx(0.60, abs=0.015)
    assert found.pearson.high == pytest.approx(0.77, abs=0.015)
    assert found.kendall.value is not None
    assert round(found.kendall.value, 3) == 0.565
    variant = column_agreement(scholarsum, "FM(GPT-4, variant)")
    assert variant.kendall.value is not None
    assert round(variant.kendall.value, 3) == 0.583


@pytest.mark.parametrize("column", CONTROLS)
def test_segments_that_nobody_read_agree_with_people_as_published(
    scholarsum: list[LabelledPair], column: str
) -> None:
    """Oracle: .53 that a facet is there at all, .57 by how long it is (metrics.md section 2)."""
    found = column_agreement(scholarsum, column)
    assert found.n_pairs == 300
    assert found.pearson.value is not None
    assert round(found.pearson.value, 2) == CONTROLS[column]


RECORDED: dict[str, tuple[Mapping[Facet, float], Mapping[Facet, float]]] = {
    "FM(GPT-4)": (
        {"background": 0.713, "method": 0.465, "result": 0.605, "conclusion": 0.733},
        {"background": 0.384, "method": 0.454, "result": 0.638, "conclusion": 0.726},
    )
}
"""Exact agreement and quadratic kappa by facet (metrics.md section 5: .71/.46/.61/.73)."""


@pytest.mark.parametrize("by", RECORDED)
def test_recorded_ratings_agree_with_people_as_published(
    scholarsum: list[LabelledPair], by: str
) -> None:
    """Oracle: the judge's floors come to the same figures (tests/verdict/test_trust.py)."""
    exact, kappa = RECORDED[by]
    items = item_agreements([pair.recorded[by] for pair in scholarsum])
    for facet in FACETS:
        figures = items[facet].figures
        assert figures["exact"].value == pytest.approx(exact[facet], abs=6e-4)
        assert figures["quadratic kappa"].value == pytest.approx(kappa[facet], abs=6e-4)


def test_means_of_systems_are_those_of_the_release(
    scholarsum: list[LabelledPair], release_file: Path
) -> None:
    """Oracle: the means of the release's own columns, read from its file without the importer."""
    papers = [json.loads(line) for line in release_file.read_text(encoding="utf-8").splitlines()]
    columns = {HUMAN: "human", "FM(GPT-4)": "gpt4_fm", "FM(Llama)": "llama", "BERTScore": "bert"}
    means = system_means(scholarsum, list(columns)[1:])
    assert len(means) == 6
    for system, found in means.items():
        for column, key in columns.items():
            released = sum(paper[f"{system}_{key}"] for paper in papers) / len(papers)
            assert found[column] == pytest.approx(released, abs=1e-9), (system, column)


def test_six_systems_prove_little(scholarsum: list[LabelledPair]) -> None:
    """Oracle of form: FM by GPT-4 orders nearly all six, and p says from how few points.

    Tau 13/15 is one of 15 pairs out of order: 1 + 5 of 720 orders have at most one, and as many at
    least 14, so p = 12 / 720.
    """
    found = level_agreement(scholarsum, "FM(GPT-4)", "system")
    assert found.n == 6
    assert found.estimates["kendall"].value == pytest.approx(13 / 15)
    assert found.p_values["kendall"] == pytest.approx(12 / 720)


def test_the_weights_of_fm_come_out_of_the_labels(release: Suite) -> None:
    """Oracle: .1, .3, .3, .3 and no error: the released overall scores are their mean (FM12)."""
    found = fitted_weights(release.labels.values(), SCALES)
    assert isinstance(found, FittedWeights)
    assert found.weights == pytest.approx((0.1, 0.3, 0.3, 0.3), abs=1e-6)
    assert (found.n_rows, round(found.error, 9)) == (300, 0.0)


def test_recorded_judges_say_more_than_that_facets_are_there(
    scholarsum: list[LabelledPair],
) -> None:
    """Oracle: partial correlations given presence (metrics.md section 2: .52 and .21, cut off)."""
    columns = ("FM(GPT-4)", "FM(GPT-3.5)")
    found = partial_correlations(scholarsum, columns, "presence (GPT-4 segments)")
    values = [found[column].value for column in columns]
    assert values == [pytest.approx(0.526, abs=5e-4), pytest.approx(0.212, abs=5e-4)]

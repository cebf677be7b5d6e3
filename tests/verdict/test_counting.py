from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from summeval_pytest.questions import FACETS, SCALES
from summeval_pytest.stats.agreement import cohen_kappa
from summeval_pytest.verdict.thresholds import AGREEMENTS
from summeval_pytest.verdict.trust import (
    FIGURES,
    N_COUNTS,
    counts_of,
    error_counts,
    n_of,
    share_found,
    table_of,
)
from tests.verdict.golden_answers import ERRORS, RIGHT, SILENT, answered, filled, golden, pairs

if TYPE_CHECKING:
    from summeval_pytest.questions import Facet
    from summeval_pytest.run.golden import GoldenAnswer, GoldenPair, Kind

CONCLUSIONS = ((4, 1, 1), (1, 5, 2), (0, 2, 4))
"""Labels by answers of 20 conclusions; by hand (tests/stats), their quadratic kappa is 14/24."""


def figure(name: str, *answered: GoldenAnswer) -> float:
    """One figure of answers about one pair; nan where it is undefined."""
    return of([golden(*answered)], name)


def of(labelled: list[GoldenPair], name: str) -> float:
    """One figure of pairs; nan where it is undefined."""
    total = counts_of(labelled).sum(axis=0)
    return float(FIGURES[name](total[np.newaxis])[0])


def n_items(name: str, *answered: GoldenAnswer) -> int:
    """How many items a figure of one pair stands on."""
    return n_of(counts_of([golden(*answered)]).sum(axis=0), name)


# Counts


def test_each_group_has_a_row_in_the_order_of_names() -> None:
    """The bootstrap draws rows, so the order of the file may not decide what is drawn."""
    labelled = [
        golden(answered("result", 2, 3), paper="zinc"),
        golden(paper="moss"),
        golden(answered("result", 1, 1), answered("result", 4, 4), paper="kiln"),
    ]
    counts = counts_of(labelled)
    assert counts.shape == (3, N_COUNTS)
    assert counts.sum(axis=1).tolist() == [2, 0, 1]
    assert table_of(counts[2], "result") == ((0,) * 4, (0, 0, 1, 0), (0,) * 4, (0,) * 4)


def test_papers_with_one_reference_are_one_row() -> None:
    """They share their difficulty, and counting both would make an interval too narrow."""
    labelled = [
        golden(answered("method", 1, 2), paper="kiln", group="one text"),
        golden(answered("method", 1, 2), paper="moss", group="one text"),
    ]
    (row,) = counts_of(labelled)
    assert table_of(row, "method")[0] == (0, 2, 0, 0)


@pytest.mark.parametrize("facet", FACETS)
def test_a_table_has_labels_in_rows_and_answers_in_columns(facet: Facet) -> None:
    """The judge's answer is what precision divides by, so the two must not be swapped."""
    top = SCALES[facet]
    (row,) = counts_of([golden(answered(facet, 1, top), answered(facet, top, top))])
    table = table_of(row, facet)
    assert len(table) == top
    assert [line[-1] for line in table] == [1, *[0] * (top - 2), 1]
    assert sum(map(sum, table)) == 2


def test_facts_of_both_sides_are_counted_together() -> None:
    """F1 is over all labelled facts."""
    (row,) = counts_of([golden(answered("reference fact", 1, 0), answered("candidate fact", 0, 1))])
    assert table_of(row, "fact") == ((0, 1), (1, 0))


@pytest.mark.parametrize("kind", [*FACETS, "sentence", "reference fact", "candidate fact"])
def test_every_kind_is_counted_in_its_own_table(kind: Kind) -> None:
    """A slice that runs into its neighbour's would move two figures at once."""
    (row,) = counts_of([golden(answered(kind, 1, 1))])
    name = "fact" if kind.endswith("fact") else kind
    assert row.sum() == 1
    assert table_of(row, name)[1 if name in {"fact", "sentence"} else 0].count(1) == 1


def test_an_overall_score_is_no_category() -> None:
    """It has a correlation and no confusion matrix; as a rating it would fall on another's."""
    (row,) = counts_of([golden(answered("overall", 1, 1), answered("overall", 0.4, 0.7))])
    assert row.sum() == 0


def test_what_is_not_answered_is_not_counted() -> None:
    """Neither as agreement nor as disagreement."""
    (row,) = counts_of([golden(*(answered(kind, 1, None) for kind in ("result", "sentence")))])
    assert row.sum() == 0


def test_without_pairs_there_are_no_rows() -> None:
    """Nothing was labelled, and every figure of it is undefined."""
    assert counts_of([]).shape == (0, N_COUNTS)
    assert error_counts([]) == {}


# Figures, by hand


def test_a_facets_kappa_is_quadratic() -> None:
    """Worked example: 1 - 10/24, as tests/stats/test_agreement.py has it step by step."""
    rated = tuple(filled("conclusion", CONCLUSIONS, 1))
    assert figure("facet_kappa.conclusion", *rated) == 14 / 24
    assert np.isnan(figure("facet_kappa.method", *rated))


def test_the_mean_kappa_is_over_the_facets_that_have_one() -> None:
    """Worked example: 14/24 and 1, and a facet whose kappa is undefined is no 0."""
    # backgrounds: 1 and 3, each rated as labelled: kappa 1; methods: all 2, rated 2: undefined
    rated = [
        *filled("conclusion", CONCLUSIONS, 1),
        *filled("background", ((1, 0, 0), (0, 0, 0), (0, 0, 1)), 1),
        *(answered("method", 2, 2) for _ in range(3)),
    ]
    assert figure("facet_kappa.background", *rated) == 1.0
    assert np.isnan(figure("facet_kappa.method", *rated))
    assert figure("facet_kappa", *rated) == pytest.approx((14 / 24 + 1) / 2, abs=1e-15)


def test_exact_agreement_counts_every_rating_once() -> None:
    """Worked example: 13 of 20 conclusions and 1 of 4 results: 14/24, no mean of two shares."""
    rated = [
        *filled("conclusion", CONCLUSIONS, 1),
        answered("result", 4, 4),
        *(answered("result", 4, 3) for _ in range(3)),
    ]
    assert figure("facet_exact.conclusion", *rated) == 13 / 20
    assert figure("facet_exact.result", *rated) == 1 / 4
    assert figure("facet_exact", *rated) == 14 / 24


def test_precision_and_recall_are_of_the_unfaithful_sentences() -> None:
    """Worked example: of 5 unfaithful sentences 3 are found, among 4 that are called so."""
    # labelled unfaithful: 3 called unsupported, 2 supported; labelled faithful: 1 and 7
    judged = tuple(filled("sentence", ((3, 2), (1, 7)), 0))
    assert figure("unfaithful_precision", *judged) == 3 / 4
    assert figure("unfaithful_recall", *judged) == 3 / 5


def test_a_judge_that_finds_nothing_has_no_precision() -> None:
    """Nothing was called unsupported, of which no share is right; and nothing was found."""
    judged = tuple(filled("sentence", ((0, 5), (0, 8)), 0))
    assert np.isnan(figure("unfaithful_precision", *judged))
    assert figure("unfaithful_recall", *judged) == 0.0


def test_without_an_unfaithful_sentence_there_is_no_recall() -> None:
    """A judge that calls everything unsupported is not perfect on a set without errors."""
    judged = tuple(filled("sentence", ((0, 0), (2, 8)), 0))
    assert np.isnan(figure("unfaithful_recall", *judged))
    assert figure("unfaithful_precision", *judged) == 0.0


def test_f1_is_of_the_facts_that_hold() -> None:
    """Worked example: precision 4/5 and recall 4/6 make 2 * 4 / (2 * 4 + 1 + 2) = 8/11."""
    # labelled not to hold: 3 said not to, 1 said to; labelled to hold: 2 said not to, 4 said to
    facts = tuple(filled("candidate fact", ((3, 1), (2, 4)), 0))
    assert figure("fact_f1", *facts) == 8 / 11


def test_kappa_of_facts_corrects_for_chance() -> None:
    """Worked example: p_o = 7/10; p_e = (4 * 5 + 6 * 5) / 100 = 1/2; (.7 - .5) / (1 - .5) = .4."""
    facts = tuple(filled("reference fact", ((3, 1), (2, 4)), 0))
    assert figure("fact_kappa", *facts) == pytest.approx(0.4, abs=1e-15)


def test_evidence_is_compared_sentence_by_sentence() -> None:
    """Worked example: 1 + 2 of 2 + 3 named sentences are labelled, of 1 + 5 labelled ones."""
    judged = [
        answered("sentence", 1, 1, evidence=(2, 1, 1)),
        answered("sentence", 1, 1, evidence=(3, 5, 2)),
        answered("sentence", 1, 1),
    ]
    assert figure("evidence_precision", *judged) == 3 / 5
    assert figure("evidence_recall", *judged) == 3 / 6
    assert figure("evidence_f1", *judged) == 6 / 11
    assert n_items("evidence_recall", *judged) == n_items("evidence_precision", *judged) == 6


def test_a_judge_that_names_no_evidence_has_none_of_it_right() -> None:
    """Its recall is 0, and its precision nobody knows."""
    judged = [answered("sentence", 1, 1, evidence=(0, 2, 0))]
    assert np.isnan(figure("evidence_precision", *judged))
    assert figure("evidence_recall", *judged) == 0.0


@pytest.mark.parametrize(
    ("name", "n_expected"),
    [
        ("facet_kappa", 5),
        ("facet_exact", 5),
        ("facet_kappa.conclusion", 3),
        ("facet_exact.method", 2),
        ("facet_kappa.background", 0),
        ("unfaithful_precision", 4),
        ("unfaithful_recall", 4),
        ("fact_f1", 6),
        ("fact_kappa", 6),
        ("evidence_precision", 7),
        ("evidence_recall", 7),
        ("evidence_f1", 7),
    ],
)
def test_a_figure_says_on_how_many_items_it_stands(name: str, n_expected: int) -> None:
    """One agreement of one item is also 1; evidence counts the labelled source sentences."""
    labelled = [
        *(answered("conclusion", 1, 2) for _ in range(3)),
        *(answered("method", 1, 1) for _ in range(2)),
        answered("result", 1, None),
        *(answered("sentence", 0, 1) for _ in range(2)),
        answered("sentence", 1, 1, evidence=(1, 3, 1)),
        answered("sentence", 1, 0, evidence=(0, 4, 0)),
        *(answered("reference fact", 1, 1) for _ in range(2)),
        *(answered("candidate fact", 1, 1) for _ in range(4)),
        answered("overall", 0.5, 0.5),
    ]
    assert n_items(name, *labelled) == n_expected


def test_every_figure_that_a_floor_can_name_is_counted() -> None:
    """Spearman's rho alone does not add up over papers."""
    assert set(FIGURES) == set(AGREEMENTS) - {"facet_spearman"}


# Kinds of errors


def test_recall_of_a_kind_of_error_is_over_its_own_sentences() -> None:
    """Worked example: 2 of 3 numbers are found and 0 of 1 directions, each on its own papers."""
    labelled = [
        golden(
            answered("sentence", 0, 0, error="number"),
            answered("sentence", 0, 1, error="number"),
            answered("sentence", 0, 0),
            answered("sentence", 1, 0),
            paper="moss",
        ),
        golden(answered("sentence", 0, 0, error="number"), paper="kiln"),
        golden(answered("sentence", 0, 1, error="direction"), paper="kiln", system="other"),
    ]
    counts = error_counts(labelled)
    assert {error: rows.tolist() for error, rows in counts.items()} == {
        "direction": [[0, 1]],
        "number": [[1, 1], [1, 2]],
    }
    assert list(counts) == ["direction", "number"]
    totals = np.array([rows.sum(axis=0) for rows in counts.values()])
    assert share_found(totals).tolist() == [0.0, 2 / 3]


def test_an_unanswered_error_is_neither_found_nor_missed() -> None:
    """It is counted among the unanswered, and a judge with many of those is not measured."""
    number = [answered("sentence", 0, answer, error="number") for answer in (0, None)]
    assert error_counts([golden(*number)])["number"].tolist() == [[1, 1]]


# Laws


@given(pairs())
def test_a_figure_lies_in_the_range_that_floors_are_held_to(labelled: list[GoldenPair]) -> None:
    """Law: a floor at either end of the range is one that something can miss or reach."""
    for name in FIGURES:
        value, known = of(labelled, name), AGREEMENTS[name]
        assert np.isnan(value) or known.low <= value <= known.high, name


@given(pairs(RIGHT))
def test_a_judge_that_says_what_labels_say_is_maximal(labelled: list[GoldenPair]) -> None:
    """Law: every figure is 1, or undefined where the labels leave nothing to be right about."""
    for name in FIGURES:
        value = of(labelled, name)
        assert np.isnan(value) or value == 1.0, name
    for counts in error_counts(labelled).values():
        assert share_found(counts).tolist() == [1.0] * len(counts)


@given(pairs(), st.data())
def test_the_order_of_pairs_and_answers_does_not_matter(
    labelled: list[GoldenPair], data: st.DataObject
) -> None:
    """Law: counts are integers, so not one digit may move."""
    moved = [
        golden(
            *data.draw(st.permutations(pair.answers)),
            paper=pair.paper,
            system=pair.system,
            group=pair.group,
        )
        for pair in data.draw(st.permutations(labelled))
    ]
    assert counts_of(moved).tolist() == counts_of(labelled).tolist()
    before, after = error_counts(labelled), error_counts(moved)
    assert [(e, c.tolist()) for e, c in after.items()] == [
        (e, c.tolist()) for e, c in before.items()
    ]


@given(pairs(), st.lists(st.sampled_from(SILENT), max_size=6))
def test_unanswered_items_move_no_figure(
    labelled: list[GoldenPair], silent: list[GoldenAnswer]
) -> None:
    """Law: an answer that is not there is no agreement, and no disagreement either."""
    before = counts_of([*labelled, golden()])
    after = counts_of([*labelled, golden(*silent)])
    assert after.tolist() == before.tolist()
    assert {e: c.tolist() for e, c in error_counts([*labelled, golden(*silent)]).items()} == {
        e: c.tolist() for e, c in error_counts(labelled).items()
    }


@given(pairs())
def test_a_stack_of_sums_gives_each_rows_own_figure(labelled: list[GoldenPair]) -> None:
    """Law: a thousand resamples in one call are the same as a thousand calls."""
    counts = counts_of(labelled)
    for name, measure in FIGURES.items():
        together = measure(counts)
        alone = [measure(row[np.newaxis])[0] for row in counts]
        assert together.shape == (len(counts),)
        assert np.array_equal(together, np.array(alone), equal_nan=True), name


@given(labelled=pairs(), facet=st.sampled_from(FACETS))
def test_the_kappa_of_counts_is_that_of_the_ratings(
    labelled: list[GoldenPair], facet: Facet
) -> None:
    """Law: counting first loses nothing."""
    rows = [
        (int(answer.label), int(answer.answer))
        for pair in labelled
        for answer in pair.answers
        if answer.kind == facet and answer.answer is not None
    ]
    expected = cohen_kappa(
        [label for label, _ in rows],
        [answer for _, answer in rows],
        categories=range(1, SCALES[facet] + 1),
        weights="quadratic",
    )
    value = of(labelled, f"facet_kappa.{facet}")
    assert (None if np.isnan(value) else value) == expected


@given(pairs())
def test_kinds_of_errors_add_up_to_the_unfaithful_sentences(labelled: list[GoldenPair]) -> None:
    """Law: a sentence without a named error counts for the recall of all, and for no kind."""
    named = sum(int(counts[:, 1].sum()) for counts in error_counts(labelled).values())
    unnamed = sum(
        answer.kind == "sentence" and not (answer.label or answer.error or answer.answer is None)
        for pair in labelled
        for answer in pair.answers
    )
    total = counts_of(labelled).sum(axis=0)
    assert named + unnamed == sum(table_of(total, "sentence")[0])
    assert set(error_counts(labelled)) <= set(ERRORS)

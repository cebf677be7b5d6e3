from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from summeval_pytest.metrics.number import Unscored
from summeval_pytest.questions import FACETS, Facet
from summeval_pytest.run.measure import Evaluation
from summeval_pytest.stats.agreement import Numbers, pearson, spearman
from summeval_pytest.stats.intervals import Interval, more_groups
from summeval_pytest.study import tables
from summeval_pytest.study.agreement import columns
from summeval_pytest.study.agreement.coefficients import (
    COEFFICIENTS,
    LEVELS,
    AgreementLevel,
    CoefficientName,
    Rows,
    correlation,
    correlation_p_value,
    draws_of,
    level_row,
    mixed_row,
    partial_correlation,
    roc_auc_estimate,
    system_means,
)
from summeval_pytest.study.agreement.columns import HUMAN, LabelledPair, labelled_pair
from summeval_pytest.study.agreement.item_agreement import item_agreements
from summeval_pytest.study.recorded_judge import Recorded, records_of
from summeval_pytest.study.scholarsum import import_scholarsum
from summeval_pytest.study.tables import Estimate
from summeval_pytest.study.tables import Row as Figures
from summeval_pytest.suite.suite import load_suite
from tests.resampling import bootstrap_interval, bootstrap_mean
from tests.study.agreement.agreements import labelled


def values(found: Figures) -> tuple[float | None, ...]:
    """Pearson, Spearman, Kendall."""
    return tuple(found[name].value for name in COEFFICIENTS)


def interval(estimate: Estimate) -> tuple[float | None, ...]:
    """A value and its bounds."""
    return estimate.value, estimate.low, estimate.high


TINY = [
    labelled("moss", 1, 1), labelled("moss", 2, 3), labelled("zinc", 3, 2), labelled("zinc", 4, 4),
]  # fmt: skip


def test_papers_with_one_reference_are_resampled_as_one() -> None:
    """Worked example: r is 4/5, and 1 where a paper is drawn twice; one group varies with none."""
    alike = [replace(pair, group="one text") for pair in TINY]
    for pairs, bounds in ((TINY, (0.8, 0.8, 1.0)), (alike, (0.8, 0.8, 0.8))):
        assert interval(mixed_row(pairs, "FM")["pearson"]) == pytest.approx(bounds)


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
    found = level_row(FOUR_SYSTEMS, "FM", "system")
    r = 11 / math.sqrt(130)
    assert interval(found["pearson"]) == pytest.approx((r, r, r))
    assert found["kendall"] == Estimate(1.0, 1.0, 1.0)
    assert found["p"] == pytest.approx(dict.fromkeys(COEFFICIENTS, 2 / 24))
    assert system_means(FOUR_SYSTEMS, ["FM"])["d"] == {HUMAN: 9.0, "FM": 9.0}
    # Unscored is not 0: a system that failed on its hard paper is compared on the other.
    missing = labelled("fern", 99.0, system="a")
    assert level_row([*FOUR_SYSTEMS, missing], "FM", "system") == found
    for level in LEVELS:  # a constant column agrees with nobody, and 0 would say it disagrees
        constant = [replace(pair, columns={"FM": 0.1}) for pair in FOUR_SYSTEMS]
        nothing = level_row(constant, "FM", level)
        assert values(nothing) == (None,) * 3
        assert set(nothing.get("p", {}).values()) <= {None}


def kendall(x: Numbers, y: Numbers) -> float | None:
    """SciPy's tau-b, None where it is undefined."""
    is_defined = len(set(x)) > 1 and len(set(y)) > 1
    return float(stats.kendalltau(x, y).statistic) if is_defined else None


SCALAR = {"pearson": pearson, "spearman": spearman, "kendall": kendall}
Row = tuple[str, str, float | None, float | None]
"""A paper, a system, and two numbers."""
number = st.integers(min_value=1, max_value=4).map(float)
papers, systems = st.sampled_from("abc"), st.sampled_from("xyz")
rated_rows = st.lists(st.tuples(papers, systems, number | st.none(), number), max_size=14)
any_rows = st.lists(
    st.tuples(papers, systems, number | st.none(), st.floats(-1000, 1000, width=16)), max_size=14
)
every_name = pytest.mark.parametrize("name", COEFFICIENTS)
few_examples = settings(deadline=None, max_examples=12)


def correlated(
    rows: list[Row], level: AgreementLevel, name: CoefficientName
) -> tuple[tuple[float | None, ...], int]:
    """The coefficient of the numbers of these rows, its bounds, and on how many it stands."""
    pairs = [
        labelled(paper, x, None if y is None else y, system=system) for paper, system, x, y in rows
    ]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tables, "RESAMPLES", 12)
        patch.setattr(tables, "SEED", 7)
        found, n = correlation(pairs, (HUMAN, "FM"), level, name)
    return interval(found), n


def close(value: float | None, expected: Interval) -> tuple[object, ...]:
    """What equals this and its interval but for rounding."""
    every = (value, expected.low, expected.high)
    return tuple(None if v is None else pytest.approx(v, abs=1e-9) for v in every)


def columns_of(rows: list[Row]) -> tuple[list[str], list[str], list[float], list[float]]:
    """Papers, systems and numbers of the rows that have both."""
    both = [(p, s, x, y) for p, s, x, y in rows if x is not None and y is not None]
    return tuple(list(column) for column in zip(*both, strict=True)) or ([], [], [], [])  # type: ignore[return-value]  # four columns


@every_name
@few_examples
@given(rows=rated_rows | any_rows)
def test_resamples_at_once_are_those_one_after_the_other(
    name: CoefficientName, rows: list[Row]
) -> None:
    """Law, over all pairs and within papers, with gaps and ties.

    Each paper weighs the same, and one without a coefficient is drawn and left out.
    """
    of, _, x, y = columns_of(rows)

    def coefficient(at: Rows | range | list[int]) -> float | None:
        return SCALAR[name]([x[i] for i in at], [y[i] for i in at])

    drawn = bootstrap_interval(of, coefficient, n_resamples=12, seed=7)
    expected = close(coefficient(range(len(x))), drawn), len(x)
    assert correlated(rows, "pooled", name) == expected
    every = [coefficient([i for i, p in enumerate(of) if p == paper]) for paper in sorted({*of})]
    known = [value for value in every if value is not None]
    mean = math.fsum(known) / len(known) if known else None
    drawn = bootstrap_mean(every, n_resamples=12, seed=7)
    assert correlated(rows, "paper", name) == (close(mean, drawn), len(known))


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
UNREAD = {"presence (GPT-4 segments)": 0.53, "length (GPT-4 segments)": 0.57}
"""Pearson of what GPT-4's segments say unread (metrics.md section 2, mandatory extra controls)."""
NOT_ASKED = Unscored(metric="facet", status="unanswered", reason="no judge was asked")


@pytest.fixture(scope="module")
def scholarsum(tmp_path_factory: pytest.TempPathFactory, release_file: Path) -> list[LabelledPair]:
    """The 300 labelled pairs of the PubMed half, with what the release records of each."""
    out = tmp_path_factory.mktemp("scholarsum") / "suite"
    import_scholarsum(release_file, out)
    release = load_suite(out)
    records: dict[tuple[str, str], list[Recorded]] = {key: [] for key in release.labels}
    for line in records_of(release):
        if line.system is not None:
            records[line.paper, line.system].append(line)
    with pytest.MonkeyPatch.context() as patch:
        # ROUGE of our own takes four seconds, and nothing is published of it.
        patch.setattr(columns, "rouge", lambda *_: {})
        patch.setattr(columns, "rouge_1_recall", lambda *_: 0.0)
        return [
            labelled_pair(
                label,
                Evaluation(pair=release.pair(*key), scores=(NOT_ASKED,), signatures=(), source=()),
                records[key],
            )
            for key, label in release.labels.items()
        ]


def test_recorded_columns_agree_with_people_as_published(
    scholarsum: list[LabelledPair], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Oracle: 50 papers and 6 systems, and one reference that occurs twice (data README).

    Reader, columns and coefficients are right only if all of them are.
    """
    assert len(scholarsum) == 300
    assert len({pair.paper for pair in scholarsum}) == 50
    assert len({pair.group for pair in scholarsum}) == 49
    # [.60, .77] over papers (FM7); of the others, values alone are published
    bounds = interval(mixed_row(scholarsum, "FM(GPT-4)")["pearson"])[1:]
    assert bounds == pytest.approx((0.60, 0.77), abs=0.015)
    monkeypatch.setattr(tables, "RESAMPLES", 20)
    for column, (linear, ranked) in FIGURES.items():
        found = mixed_row(scholarsum, column)
        message = [round(value or 0, 3) for value in values(found)]
        assert (found["n"], message[0]) == (300, linear), column
        assert ranked in {None, message[1]}, column
    for column, linear in UNREAD.items():
        found = mixed_row(scholarsum, column)
        assert (found["n"], round(values(found)[0] or 0, 2)) == (300, linear), column
    # Kendall per paper .565, of the variant .583 (FM7, FM14)
    found, variant = (mixed_row(scholarsum, f"FM(GPT-4{of})") for of in ("", ", variant"))
    assert [round(values(each)[2] or 0, 3) for each in (found, variant)] == [0.565, 0.583]
    # Partial correlations given presence (section 2: .52 and .21, cut off)
    for column, value in (("FM(GPT-4)", 0.526), ("FM(GPT-3.5)", 0.212)):
        partial_r = partial_correlation(scholarsum, column, "presence (GPT-4 segments)")
        assert partial_r.value == pytest.approx(value, abs=5e-4)


EXACT: Mapping[Facet, float] = {
    "background": 0.713, "method": 0.465, "result": 0.605, "conclusion": 0.733,
}  # fmt: skip
KAPPA: Mapping[Facet, float] = {
    "background": 0.384, "method": 0.454, "result": 0.638, "conclusion": 0.726,
}  # fmt: skip


def test_recorded_ratings_agree_with_people_as_published(scholarsum: list[LabelledPair]) -> None:
    """Oracle: metrics.md section 5 (.71/.46/.61/.73); the judge's floors come to the same."""
    items = item_agreements([pair.recorded["FM(GPT-4)"] for pair in scholarsum])
    for facet in FACETS:
        figures = items[facet]
        assert figures["exact"].value == pytest.approx(EXACT[facet], abs=6e-4)
        assert figures["quadratic kappa"].value == pytest.approx(KAPPA[facet], abs=6e-4)


@every_name
@few_examples
@given(rows=st.lists(st.tuples(number, number), min_size=2, max_size=5))
def test_the_p_value_is_its_definition(
    name: CoefficientName, rows: list[tuple[float, float]]
) -> None:
    """Law: the share of orders whose coefficient is as far from 0, one order at a time."""
    x, y = [x for x, _ in rows], [y for _, y in rows]
    coefficient = SCALAR[name]
    observed = coefficient(x, y)
    result = correlation_p_value(x, y, name)
    if observed is None:
        assert result is correlation_p_value([], [], name) is None
        return
    values = [coefficient(x, order) or 0.0 for order in permutations(y)]
    expected = sum(abs(value) >= abs(observed) - 1e-9 for value in values) / len(values)
    assert result == pytest.approx(expected)
    assert 0 < expected <= 1


@every_name
def test_many_points_are_tried_in_random_orders(name: CoefficientName) -> None:
    """Past eight points p is drawn, the same each time, and never 0."""
    x = [float(n) for n in range(12)]
    perfect = correlation_p_value(x, x, name)
    assert perfect == 1 / 10_000
    mixed = [5.0, 3, 8, 1, 9, 2, 11, 0, 7, 4, 10, 6]
    p_value = correlation_p_value(x, mixed, name)
    assert p_value == correlation_p_value(x, mixed, name)
    scipys = {
        "pearson": stats.pearsonr(x, mixed).pvalue,
        "spearman": stats.spearmanr(x, mixed).pvalue,
        "kendall": stats.kendalltau(x, mixed).pvalue,
    }
    assert p_value == pytest.approx(float(scipys[name]), abs=0.03)


items = st.lists(
    st.tuples(st.sampled_from("abcd"), st.booleans(), st.integers(0, 5).map(float)), max_size=20
)


auc = partial(roc_auc_estimate, n_resamples=20, seed=3)


@few_examples
@given(items)
def test_auc_is_mann_whitney_over_its_maximum(rows: list[tuple[str, bool, float]]) -> None:
    """Oracle: SciPy's U statistic, ties and all."""
    ups = [number for _, right, number in rows if right]
    downs = [number for _, right, number in rows if not right]
    right, numbers = [right for _, right, _ in rows], [number for *_, number in rows]
    result = auc("a" * len(rows), right, numbers).value
    if ups and downs:
        oracle = stats.mannwhitneyu(ups, downs).statistic / (len(ups) * len(downs))
        assert result == pytest.approx(float(oracle))
    else:
        assert result is None


@few_examples
@given(items)
def test_bounds_are_those_of_resampled_papers(rows: list[tuple[str, bool, float]]) -> None:
    """Law: weighing each item by how often its paper was drawn is drawing the paper's items."""
    groups = [group for group, *_ in rows]
    right, numbers = [r for _, r, _ in rows], [n for *_, n in rows]

    def one(drawn: Rows) -> float | None:
        return auc("a" * len(drawn), *([of[row] for row in drawn] for of in (right, numbers))).value

    drawn = bootstrap_interval(groups, one, n_resamples=20, seed=3)
    assert interval(auc(groups, right, numbers))[1:] == close(None, drawn)[1:]


def test_what_cannot_be_ranked_is_refused() -> None:
    """An undefined number would be sorted last and counted as the highest."""
    with pytest.raises(ValueError, match="a number is not finite; leave its item out"):
        auc("ab", [True, False], [0.5, math.nan])


NOTHING = Interval(None, None)


def test_seeded_interval_keeps_its_digits() -> None:
    """NumPy promises PCG64's stream, not its Generator's draws: a change has to be seen."""
    result = bootstrap_mean([0.0, 1.0, 2.0, 4.0, 8.0, None], n_resamples=100, seed=2024)
    assert (result.low, result.high) == pytest.approx((0.6666666666666666, 5.8))
    values = np.random.Generator(np.random.PCG64(1)).normal(size=20).tolist()
    assert bootstrap_mean(values, seed=2) != bootstrap_mean(values, seed=1)
    # One resample is drawn at a time, as of many groups an array is too large.
    draws = draws_of(6001, n_resamples=5, seed=3)
    whole = np.random.Generator(np.random.PCG64(3)).integers(6001, size=(5, 6001))
    assert next(draws).tolist() == whole[0].tolist()
    assert np.array_equal([*draws], whole[1:])


def test_more_groups_by_hand() -> None:
    """Half the width takes four times the groups; what is decided takes none."""
    n_more = {
        (0.8, 0.7): 30,  # half of the distance: 4 times 10 groups
        (0.8, 0.65): 8,  # 3/4: 16/9 of 10 is 17.8
        (0.8, 0.6001): 1,  # less than one group more
        (0.8, 0.6): 0, (0.8, 0.95): 0, (0.8, 0.8): None,
    }  # fmt: skip
    assert {
        each: more_groups(each[0], Interval(0.6, 0.9), each[1], 10) for each in n_more
    } == n_more
    assert more_groups(0.65, Interval(0.6, 0.8), 0.7, 10) == 80  # a third, upwards: 9 times 10
    assert more_groups(0.8, NOTHING, 0.7, 10) == 0

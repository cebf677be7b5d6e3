from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from summeval_pytest.study.systems.studied import LABELS, Given, mean_of, rate_of
from summeval_pytest.study.tables import Mean
from tests.study.systems.study_pairs import JUDGE, pair, scored, sentences, studied


@pytest.mark.parametrize(
    ("parts", "n_of", "expected"),
    [
        # 1 and 2 of three papers; the third is unscored and no 0
        ([("a", 1.0), ("b", None), ("c", 2.0)], 3, (1.5, 1.0, 2.0, 2, 3)),
        ([("a", None)], 1, (None, None, None, 0, 1)),
        ([("a", 1.0), ("a", 2.0)], 2, (1.5, None, None, 2, 2)),  # one group: no interval
        ([(str(n), 0.1) for n in range(10)], 10, (0.1, 0.1, 0.1, 10, 10)),
    ],
)
def test_a_mean_says_how_many_of_how_many(
    parts: list[tuple[str, float | None]], n_of: int, expected: tuple[float | None, ...]
) -> None:
    """Nothing has no mean; one group has no interval; equal values have one without width.

    A rate weighs papers by what they have to count: 3 of 4 and 0 of 1 are 3 of 5.
    """
    value, low, high, n, of = expected
    assert mean_of(parts, n_of) == Mean(
        value=value, low=low, high=high, n=int(n or 0), n_of=int(of or 0)
    )
    rate = rate_of([("a", 3, 4), ("b", 0, 1), ("c", 0, 0)], 4)
    assert rate == Mean(value=0.6, low=0.0, high=0.75, n=2, n_of=4)


@settings(deadline=None, max_examples=10)
@given(values=st.lists(st.floats(0, 1), min_size=2, max_size=12))
def test_the_interval_holds_no_more_than_the_values_do(values: list[float]) -> None:
    """Law: bounds of resampled means lie within the values, whatever their order."""
    parts = [(str(n), value) for n, value in enumerate(values)]
    found = mean_of(parts, len(parts))
    assert found == mean_of(parts[::-1], len(parts))
    assert found.low is not None
    assert found.high is not None
    assert min(values) - 1e-8 <= found.low <= found.high <= max(values) + 1e-8
    assert found.value == pytest.approx(sum(values) / len(values), abs=1e-8)


def test_a_summary_is_faithful_where_every_sentence_is_known_to_be() -> None:
    """One unsupported sentence decides; one without an answer leaves it open."""
    faithful = {
        (3, 3, 3): True, (2, 3, 3): False, (3, 3, 4): None, (2, 3, 4): False, (0, 0, 0): None,
        (0, 0, 2): None,
    }  # fmt: skip
    assert {counts: sentences(*counts).is_faithful for counts in faithful} == faithful


def test_columns_of_one_name_do_not_hide_each_other() -> None:
    """A suite may record a number called ``facet``, or ``ROUGE-1``.

    Leading are the metrics, also of a judge that scored nothing, and the overall score.
    """
    one = pair(
        "kiln",
        numbers={"ROUGE-1": 0.25, "words": 12},
        judged=Given(values={"facet": 0.5}),
        given={
            ("record", "facet"): Given(values={"overall": 3.0}),
            ("record", "ROUGE-1"): Given(values={"overall": 40.0}),
        },
    )
    found = {(c.giver, c.by, c.name): c.of(one) for c in studied(one).columns()}
    assert {place: value for place, value in found.items() if value is not None} == {
        ("judge", JUDGE, "facet"): 0.5,
        ("text", "", "ROUGE-1"): 0.25,
        ("text", "", "words"): 12,
        ("record", "ROUGE-1", "overall"): 40.0,
        ("record", "facet", "overall"): 3.0,
    }
    metrics = [("judge", "facet"), ("judge", "eva"), ("judge", "faithfulness")]
    assert [(c.giver, c.name) for c in studied(pair("kiln")).columns()] == metrics
    labelled = replace(one, given={**one.given, LABELS: Given(values={"overall": 0.7})})
    leading = [(c.giver, c.name) for c in studied(labelled).columns(leading=True)]
    assert leading == [*metrics, ("label", "overall")]


def test_mean_support_is_a_column_only_of_a_judge_that_gives_it() -> None:
    """Where a rule answered every sentence it is there, and says nothing of the judge."""
    values = {"faithfulness": 1.0, "faithfulness.support": 1.0}
    copied = pair("kiln", judged=Given(values=values))
    names = ["facet", "eva", "faithfulness"]
    both = studied(copied, scored("moss", faithfulness=1.0))
    assert [column.name for column in both.columns()] == names
    assert [column.name for column in studied(copied).columns()] == [*names, "faithfulness.support"]

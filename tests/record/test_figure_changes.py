from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from summeval_pytest.record import changes as figure_changes
from summeval_pytest.record.changes import changed_figures, shared_answers
from summeval_pytest.verdict import trust as measuring
from summeval_pytest.verdict.thresholds import Floors
from summeval_pytest.verdict.trust import measure_trust
from tests.verdict.golden_answers import RIGHT, answered, golden, pairs

if TYPE_CHECKING:
    from summeval_pytest.record.changes import FigureChange
    from summeval_pytest.run.golden import GoldenPair


@pytest.fixture(autouse=True)
def few_resamples(monkeypatch: pytest.MonkeyPatch) -> None:
    """The interval decides nothing, and is most of the work."""
    monkeypatch.setattr(figure_changes, "RESAMPLES", 40)
    monkeypatch.setattr(measuring, "RESAMPLES", 10)


def changed(old: list[GoldenPair], new: list[GoldenPair]) -> dict[str, FigureChange]:
    """The figures by name."""
    return {figure.name: figure for figure in changed_figures(old, new)}


def test_a_figure_changes_as_its_counts_do() -> None:
    """Of 4 unfaithful sentences 3 were found and 1 is: recall .75 to .25, precision 1 to 1."""
    old = [
        golden(*(answered("sentence", 0, int(i == 3), index=i) for i in range(4)), paper=paper)
        for paper in ("moss", "kiln")
    ]
    new = [
        golden(*(answered("sentence", 0, int(i != 3), index=i) for i in range(4)), paper=paper)
        for paper in ("moss", "kiln")
    ]
    found = changed(old, new)

    assert set(found) == {"unfaithful_precision", "unfaithful_recall"}
    recall = found["unfaithful_recall"]
    assert (recall.old, recall.new, recall.change) == (0.75, 0.25, -0.5)
    assert (recall.low, recall.high) == (-0.5, -0.5)  # both papers alike, whichever is drawn
    assert (recall.n_items, recall.n_papers) == (8, 2)
    assert found["unfaithful_precision"].change == 0


def test_the_interval_is_that_of_the_paired_difference() -> None:
    """Papers that differ by 1 in level, and by .5 between the judges each, leave no doubt."""

    def paper(name: str, n_old: int, n_new: int) -> tuple[GoldenPair, GoldenPair]:
        old, new = (
            golden(*(answered("sentence", 0, int(i >= n), index=i) for i in range(4)), paper=name)
            for n in (n_old, n_new)
        )
        return old, new

    both = [paper("moss", 4, 2), paper("kiln", 2, 0)]
    recall = changed([old for old, _ in both], [new for _, new in both])["unfaithful_recall"]
    assert (recall.change, recall.low, recall.high) == (-0.5, -0.5, -0.5)


def test_papers_without_an_item_of_a_figure_move_no_interval() -> None:
    """They say nothing of it, and drawing them would only thin the others out."""
    shares = (0, 1, 1, 2, 3, 4, 4)
    old, new = (
        [
            golden(
                *(answered("sentence", 0, int(i >= n), index=i) for i in range(4)),
                paper=f"m-{n}{p}",
            )
            for p, n in enumerate(shares)
        ]
        for shares in (shares, shares[::-1])
    )
    new = [
        replace(pair, paper=was.paper, group=was.group) for pair, was in zip(new, old, strict=True)
    ]
    rated = [golden(answered("result", 4, 4), paper=f"kiln-{i}") for i in range(5)]
    alone = changed(old, new)["unfaithful_recall"]
    assert changed([*old, *rated], [*new, *rated])["unfaithful_recall"] == alone


def test_spearman_is_of_the_overall_scores() -> None:
    """Three pairs in the labels' order, then against it: 1 to -1."""

    def scored(*scores: float) -> list[GoldenPair]:
        return [
            golden(answered("overall", place, score), paper=f"moss-{place}")
            for place, score in enumerate(scores)
        ]

    found = changed(scored(0.1, 0.2, 0.3), scored(0.9, 0.8, 0.7))["facet_spearman"]
    assert (found.old, found.new) == pytest.approx((1, -1))
    assert found.change == pytest.approx(-2)


def test_an_undefined_figure_has_no_change() -> None:
    """A judge that finds nothing has no precision, which is neither better nor worse."""
    old, new = [golden(answered("sentence", 0, 0))], [golden(answered("sentence", 0, 1))]
    precision = changed(old, new)["unfaithful_precision"]
    assert (precision.old, precision.new, precision.change) == (1.0, None, None)


def test_other_pairs_are_refused() -> None:
    """A figure over other pairs is no change of this one."""
    with pytest.raises(ValueError, match="are not the same"):
        changed_figures([golden(paper="moss")], [golden(paper="kiln")])


@settings(deadline=None, max_examples=25)
@given(pairs(RIGHT), st.data())
def test_figures_of_both_sides_are_those_of_each_alone(
    old: list[GoldenPair], data: st.DataObject
) -> None:
    """Pairing changes the interval of the difference, and no figure."""
    old = list({(pair.paper, pair.system): pair for pair in old}.values())
    new = [
        replace(
            pair,
            answers=tuple(
                replace(each, answer=data.draw(st.sampled_from([0.0, 1.0])), evidence=None)
                if each.kind in {"sentence", "reference fact", "candidate fact"}
                else each
                for each in pair.answers
            ),
        )
        for pair in old
    ]
    old = [
        replace(pair, answers=tuple(replace(each, evidence=None) for each in pair.answers))
        for pair in old
    ]
    before, now, _ = shared_answers(old, new)
    held_to = Floors(floors=(), judge="")
    alone = [
        {a.name: a.value for a in measure_trust(side, held_to, judge="", labels="").agreements}
        for side in (before, now)
    ]
    for figure in changed_figures(before, now):
        assert figure.old == pytest.approx(alone[0][figure.name], nan_ok=True)
        assert figure.new == pytest.approx(alone[1][figure.name], nan_ok=True)

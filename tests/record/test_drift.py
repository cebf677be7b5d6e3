from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from summeval_pytest.metrics.score import FaithfulnessScore
from summeval_pytest.record import changes as figure_changes
from summeval_pytest.record.changes import Drift, KindDrift, measure_drift
from tests.verdict.golden_answers import answered, golden
from tests.verdict.records import measured, pair, suite

if TYPE_CHECKING:
    from summeval_pytest.run.golden import GoldenAnswer, GoldenPair


@pytest.fixture(autouse=True)
def few_resamples(monkeypatch: pytest.MonkeyPatch) -> None:
    """The intervals of figures have tests of their own."""
    monkeypatch.setattr(figure_changes, "RESAMPLES", 10)


def sentences(name: str, *verdicts: tuple[int, int]) -> GoldenPair:
    """Sentences of one paper, each a label and an answer."""
    return golden(
        *(answered("sentence", *verdict, index=i) for i, verdict in enumerate(verdicts)),
        paper=name,
    )


def results(*ratings: tuple[int, int]) -> list[GoldenPair]:
    """A paper each with one result rating: its label and the answer."""
    return [
        golden(answered("result", *rating), paper=f"moss-{i:02}")
        for i, rating in enumerate(ratings)
    ]


def drift(old: list[GoldenPair], new: list[GoldenPair]) -> Drift:
    """What became of the answers."""
    return measure_drift(measured(*old), measured(*new, judge="fair-2"))


def kind(found: Drift, name: str) -> KindDrift:
    """One kind, which is there."""
    return next(each for each in found.kinds if each.kind == name)


def test_a_judge_that_answers_as_before_has_not_drifted() -> None:
    """No flip, no shift, every p value 1, also where its name is another one."""
    pairs = [sentences("moss", (0, 0), (1, 1)), *results((4, 4), (1, 2))]
    found = drift(pairs, pairs)

    assert (found.n_items, found.flips, found.is_worse) == (4, (), False)
    assert [each.n_flipped for each in found.kinds] == [0, 0, 0]
    assert {(each.p_shift, each.p_loss, each.shift) for each in found.kinds} == {(1.0, 1.0, 0)}
    assert (found.old_judge, found.new_judge) == ("fair-1", "fair-2")
    assert found.mismatches == ()


def test_flips_are_counted_by_whether_they_near_the_label() -> None:
    """4 of 5 ratings flip: 4 -> 1 away, 1 -> 2 away, 3 -> 2 towards, 1 -> 3 across."""
    labels = (4, 1, 2, 2, 3)
    old = results(*zip(labels, (4, 1, 3, 1, 3), strict=True))
    new = results(*zip(labels, (1, 2, 2, 3, 3), strict=True))
    result = kind(drift(old, new), "result")

    assert (result.n_items, result.n_flipped) == (5, 4)
    assert (result.n_away, result.n_towards, result.n_across) == (2, 1, 1)
    assert result.shift == pytest.approx((-3 + 1 - 1 + 2) / 5)
    assert result.loss == pytest.approx((3 + 1 - 1 + 0) / 5)


def test_a_shift_of_ratings_is_tested_over_papers() -> None:
    """10 papers that all rise by 1: 2 / 2 ** 10, times 1 kind."""
    old, new = results(*[(4, 3)] * 10), results(*[(4, 4)] * 10)
    there, back = kind(drift(old, new), "result"), kind(drift(new, old), "result")

    assert there.p_shift == there.p_loss == back.p_loss == 2 / 2**10
    assert (there.is_shifted, there.is_better, there.is_worse) == (True, True, False)
    assert (back.is_shifted, back.is_better, back.is_worse) == (True, False, True)
    assert drift(new, old).is_worse


def test_answers_of_one_paper_flip_as_one() -> None:
    """12 sentences of one paper say less than 12 papers: 2 / 2 ** 1 and 2 / 2 ** 12."""
    one = [sentences("moss", *[(0, 0)] * 12)], [sentences("moss", *[(0, 1)] * 12)]
    twelve = (
        [sentences(f"moss-{i}", (0, 0)) for i in range(12)],
        [sentences(f"moss-{i}", (0, 1)) for i in range(12)],
    )
    assert kind(drift(*one), "unfaithful sentences").p_loss == 1.0
    assert kind(drift(*twelve), "unfaithful sentences").p_loss == 2 / 2**12


def test_papers_of_one_reference_flip_as_one() -> None:
    """They are resampled as one everywhere else."""
    old = [replace(each, group="0a") for each in results((4, 4), (4, 4), (4, 4))]
    new = [replace(each, group="0a") for each in results((4, 1), (4, 1), (4, 1))]
    assert kind(drift(old, new), "result").p_loss == 1.0


def test_a_judge_that_calls_all_faithful_is_worse_though_most_sentences_are() -> None:
    """In each of 8 papers it mends 3 false alarms and misses 1 error: 24 towards, 8 away."""
    verdicts = [(1, 0)] * 3 + [(0, 0)]
    old = [sentences(f"moss-{i}", *verdicts) for i in range(8)]
    new = [sentences(f"moss-{i}", *((label, 1) for label, _ in verdicts)) for i in range(8)]
    found = drift(old, new)

    assert kind(found, "faithful sentences").is_better
    assert kind(found, "unfaithful sentences").is_worse
    assert found.is_worse


def test_p_values_are_holm_adjusted_over_the_kinds() -> None:
    """6 papers up in ratings and in sentences: 2 * 2 / 2 ** 6 each; alone 2 / 2 ** 6."""
    old = [*results(*[(4, 4)] * 6), *(sentences(f"fern-{i}", (0, 0)) for i in range(6))]
    new = [*results(*[(4, 3)] * 6), *(sentences(f"fern-{i}", (0, 1)) for i in range(6))]

    assert [each.p_loss for each in drift(old, new).kinds] == [2 * 2 / 2**6] * 2
    assert [each.p_shift for each in drift(old, new).kinds] == [2 * 2 / 2**6] * 2
    assert not drift(old, new).is_worse  # .0625, where one kind alone has .03125
    assert drift(old[:6], new[:6]).is_worse


def test_flips_are_told_worst_first() -> None:
    """Away from the label, then across, then towards; the farthest move by its scale first."""
    labels = (4, 1, 2, 2, 4)
    old = results(*zip(labels, (4, 1, 3, 1, 1), strict=True))
    new = results(*zip(labels, (1, 2, 2, 3, 4), strict=True))
    old += [sentences("fern", (0, 0))]
    new += [sentences("fern", (0, 1))]
    told = [(flip.new.kind, flip.old.answer, flip.new.answer) for flip in drift(old, new).flips]

    assert told == [
        ("sentence", 0, 1),
        ("result", 4, 1),
        ("result", 1, 2),
        ("result", 1, 3),
        ("result", 1, 4),
        ("result", 3, 2),
    ]


def test_an_error_that_is_missed_now_is_told_before_a_false_alarm() -> None:
    """Both are one flip away from the label, and the first lets a bad summary pass."""
    found = drift([sentences("moss", (1, 1), (0, 0))], [sentences("moss", (1, 0), (0, 1))])
    assert [flip.new.answer for flip in found.flips] == [1, 0]


def test_items_that_one_run_left_out_are_said() -> None:
    """They are no flips, and the figures stand on the others."""
    old, new = results((4, 4), (1, 1)), results((4, 4))
    found = drift(old, new)
    assert (found.n_items, found.n_only_old, found.n_only_new) == (1, 1, 0)
    assert [figure.n_items for figure in found.figures if figure.name == "facet_exact"] == [1]


def test_other_labels_are_named_and_not_compared() -> None:
    """An answer that flips with its label has not drifted."""
    old, new = measured(*results((4, 4)), labels="0a"), measured(*results((4, 1)), labels="0b")
    found = measure_drift(old, new)
    assert found.mismatches == ("labels differ: '0a' then, '0b' now; drift needs the same labels",)
    assert (found.kinds, found.figures, found.flips) == ((), (), ())


def test_other_papers_and_other_summaries_are_named() -> None:
    """The judge was asked about other texts."""
    old, new = measured(*results((4, 4))), measured(*results((4, 1)))
    papers = measure_drift(old, replace(new, fingerprint="ffff"))
    assert papers.mismatches[0].startswith("papers differ: '77be02a1c3d4' then, 'ffff' now")

    score = FaithfulnessScore(value=1.0, sentences=())
    one, other = (
        suite(pair("moss-00", score, system="good", summary=text)).pairs for text in ("a", "b")
    )
    summaries = measure_drift(replace(old, pairs=one), replace(new, pairs=other))
    (told,) = summaries.mismatches
    assert told.startswith("the labelled summary of 'good' on 'moss-00' is another one now; drift")
    assert not measure_drift(replace(old, pairs=one), replace(new, pairs=one)).mismatches


def test_nothing_in_common_is_said() -> None:
    """And passes for no agreement."""
    found = drift(results((4, 4)), [golden(answered("result", 4, 4), paper="kiln")])
    assert found.mismatches == ("no golden answer is in both runs",)


ANSWERS = st.builds(
    lambda label, old, new: (answered("result", label, old), answered("result", label, new)),
    *[st.integers(1, 4)] * 3,
)


@settings(deadline=None, max_examples=30)
@given(st.lists(ANSWERS, min_size=1, max_size=6))
def test_looking_back_exchanges_towards_and_away(
    answers: list[tuple[GoldenAnswer, GoldenAnswer]],
) -> None:
    """The new run beside the old one says the reverse of the old beside the new."""
    old, new = (
        [golden(both[side], paper=f"moss-{i}") for i, both in enumerate(answers)] for side in (0, 1)
    )
    (there,), (back,) = drift(old, new).kinds, drift(new, old).kinds
    assert (there.n_away, there.n_towards) == (back.n_towards, back.n_away)
    assert there.n_away + there.n_towards + there.n_across == there.n_flipped <= there.n_items
    assert (there.shift, there.loss) == pytest.approx((-back.shift, -back.loss))
    assert (there.p_shift, there.p_loss) == (back.p_shift, back.p_loss)

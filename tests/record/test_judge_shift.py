from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from summeval_pytest.metrics.score import METRICS
from summeval_pytest.metrics.signature import signature_of
from summeval_pytest.record import judge_shift
from summeval_pytest.record.judge_shift import JudgedTwice
from summeval_pytest.record.record import StoredPairs
from summeval_pytest.verdict.trust import KEY, Trust
from tests.verdict.golden_answers import answered, golden
from tests.verdict.records import SILENT, faithful, pair, rated, suite, unscored

if TYPE_CHECKING:
    from collections.abc import Sequence

    from summeval_pytest.record.record import JudgeShift, PairRecord, SuiteRecord
    from summeval_pytest.run.golden import GoldenPair

SIGNED = {
    judge: tuple(signature_of(metric, judge=judge, suite="77be02a1c3d4") for metric in METRICS)
    for judge in ("fair-1", "fair-2")
}


def judged(
    values: Sequence[float],
    summaries: Sequence[str] = ("a", "b", "c", "d"),
    *,
    system: str = "careful",
    judge: str = "fair-1",
) -> list[PairRecord]:
    """A system's pairs of papers moss-0, moss-1 and so on, with this faithfulness."""
    return [
        pair(f"moss-{n}", faithful(value), system=system, summary=text, signatures=SIGNED[judge])
        for n, (value, text) in enumerate(zip(values, summaries, strict=False))
    ]


def shifted(
    old: SuiteRecord, new: SuiteRecord, system: str = "careful", against: str = "careful"
) -> JudgeShift | None:
    """The split of a system's faithfulness, the only metric here."""
    found = JudgedTwice(old, new).shifts(system=system, against=against)
    assert [shift.metric for shift in found] in ([], ["faithfulness"])
    return found[0] if found else None


def parts(found: JudgeShift | None) -> tuple[float, float, float]:
    """Change, the judge's part and the system's."""
    assert found is not None
    return found.change, found.judge, found.system


def test_where_every_summary_is_the_same_the_whole_change_is_the_judges() -> None:
    """Worked example: +1/4, +1/4, 0 and +1/2 make +1/4, by another judge's own signature.

    No resample of these falls, and one in 256 is all 0: the interval starts above 0.
    """
    old = suite(*judged([0.25, 0.5, 0.5, 0.5]))
    new = suite(*judged([0.5, 0.75, 0.5, 1.0], judge="fair-2"))
    found = shifted(old, new)
    assert found is not None
    assert (found.n_papers, found.n_seen, found.n_pairs) == (4, 4, 4)
    assert parts(found) == (0.25, 0.25, 0.0)
    assert found.low is not None
    assert 0 < found.low < 0.25 < (found.high or 0) <= 0.5
    assert (found.system_low, found.system_high) == (0, 0)
    assert found.is_shifted


def test_other_summaries_change_by_the_judges_shift_on_other_systems_and_by_their_own() -> None:
    """Worked example: all four summaries of a system are new, and drop by 1/2 on average.

    Those of another are what they were, and drop by 1/8 on average: 3/8 are left to the system.
    """
    old = suite(*judged([1.0] * 4), *judged([0.75] * 4, "stuv", system="plain"))
    new = suite(
        *judged([0.5, 0.25, 0.75, 0.5], "efgh"),
        *judged([0.75, 0.5, 0.75, 0.5], "stuv", system="plain"),
    )
    found = shifted(old, new)
    assert found is not None
    assert parts(found) == (-0.5, -0.125, -0.375)
    assert (found.n_papers, found.n_seen, found.n_pairs) == (4, 0, 4)
    assert parts(shifted(old, new, "plain", "plain")) == (-0.125, -0.125, 0.0)


def test_what_is_the_same_of_a_system_is_its_own_measure_there() -> None:
    """Worked example: two of four summaries are the same, and rise by 1/2 and 0; so does another's.

    That one rises by 1 on a third paper, so the mean of the three is 1/2. The judge's part is
    (1/2 + 0 + 2 * 1/2) / 4 = 3/8. Both others rise by 3/4, so the change is 2/4.
    """
    old = suite(*judged([0.5, 0.5, 0.25, 0.25]), *judged([0.0], system="plain", summaries="z"))
    new = suite(
        *judged([1.0, 0.5, 1.0, 1.0], "abxy"), *judged([1.0], system="plain", summaries="z")
    )
    found = shifted(old, new)
    assert found is not None
    assert (found.n_papers, found.n_seen, found.n_pairs) == (4, 2, 3)
    assert parts(found) == (0.5, 0.375, 0.125)


def test_one_text_of_two_systems_is_one_summary() -> None:
    """Both got one answer; a system that copies another does not make the judge surer."""
    old = suite(*judged([0.5, 0.5], "ab"), *judged([0.5, 0.5], "ac", system="plain"))
    new = suite(*judged([1.0, 0.5], "ax"), *judged([1.0, 0.5], "ac", system="plain"))
    found = shifted(old, new)
    assert found is not None
    assert found.n_pairs == 2
    assert shifted(old, new, "careful", "plain") is not None


def test_two_systems_of_both_runs_show_what_the_judge_does_to_either_text() -> None:
    """Worked example: from ``plain`` of the old run, 1/4, to ``careful`` of the new one, 1.

    The judge raises the first text by 1/2 and the second by 1/4, so 3/8 of the 3/4 are its own,
    whatever it does to a third system. One text alone tells, too: 1/2 where only that is judged.
    """
    third = judged([0.0], "z", system="third")
    old = suite(*judged([0.75], "a"), *judged([0.25], "b", system="plain"), *third)
    new = suite(*judged([1.0], "a"), *judged([0.75], "b", system="plain"), *third)
    found = shifted(old, new, "careful", "plain")
    assert found is not None
    assert (found.n_seen, found.n_pairs) == (1, 1)
    assert parts(found) == (0.75, 0.375, 0.375)
    other = suite(*judged([1.0], "x"), *judged([0.75], "b", system="plain"))
    assert parts(shifted(old, other, "careful", "plain")) == (0.75, 0.5, 0.25)


def with_golden(held: SuiteRecord, *pairs: GoldenPair, labels: str = "0a") -> SuiteRecord:
    """The suite with golden answers."""
    return replace(held, trust=Trust(judge="fair-1", labels=labels), golden=pairs)


def test_golden_answers_tell_the_shift_where_no_gated_summary_is_the_same() -> None:
    """Worked example: of two labelled sentences each, one and none are called otherwise: 1/4.

    An answer that one run lacks counts in neither.
    """

    def said(*answers: tuple[int, int | None]) -> list[GoldenPair]:
        return [
            golden(
                *(answered("sentence", 1, each, index=n) for n, each in enumerate(given)),
                answered("sentence", 1, 1 if paper else None, index=2),
                paper=f"fern-{paper}",
            )
            for paper, given in enumerate(answers)
        ]

    old = with_golden(suite(*judged([0.5, 0.5])), *said((0, 1), (1, 1)))
    new = with_golden(suite(*judged([1.0, 1.0], "xy")), *said((1, 1), (1, 1)))
    found = shifted(old, new)
    assert found is not None
    assert (found.n_seen, found.n_pairs) == (0, 2)
    assert parts(found) == (0.5, 0.25, 0.25)
    other = with_golden(new, *new.golden, labels="0b")
    assert shifted(old, other) is None
    assert shifted(old, replace(new, is_calibrated=True)) is None


def test_a_golden_answer_about_a_gated_summary_is_not_counted_twice() -> None:
    """The pair has its whole score, and its labelled sentences are a part of it."""
    of_pair = golden(answered("sentence", 1, 1), paper="moss-0", system="careful")
    old = with_golden(suite(*judged([0.5, 0.5])), of_pair)
    new = with_golden(suite(*judged([1.0, 1.0], "ax")), of_pair)
    found = shifted(old, new)
    assert found is not None
    assert (found.n_pairs, found.judge) == (1, 0.5)


def test_overall_scores_tell_the_shift_of_fm() -> None:
    """Worked example: FM of a labelled summary falls by 1/4, and that of the system by 1."""
    old = suite(pair("moss-0", rated(), summary="a"))
    new = suite(pair("moss-0", replace(rated(), value=0.0), summary="b"))
    both = JudgedTwice(
        with_golden(old, golden(answered("overall", 1, 0.75))),
        with_golden(new, golden(answered("overall", 1, 0.5))),
    )
    (found,) = both.shifts(system="careful", against="careful")
    assert (found.metric, found.judge, found.system) == ("facet", -0.25, -0.75)


def test_nothing_is_said_where_nothing_was_judged_twice() -> None:
    """The change could be either's, and an absent number is no 0."""
    old, new = suite(*judged([0.5] * 2)), suite(*judged([1.0] * 2, "xy"))
    assert shifted(old, new) is None
    lost = suite(pair("moss-0", unscored("faithfulness", SILENT), summary="a"))
    assert shifted(old, lost) is None


def test_other_papers_or_rules_are_not_the_judges_doing() -> None:
    """A source that was mended, or a metric of another version, moves a score, too."""
    old = suite(*judged([0.5] * 2))
    new = suite(*judged([1.0] * 2))
    assert shifted(old, replace(new, fingerprint="0" * 12)) is None
    recipe = signature_of("faithfulness", judge="fair-1", suite="77be02a1c3d4", variant={"v": "0"})
    other = [replace(each, signatures=(str(recipe),)) for each in new.pairs]
    assert shifted(old, suite(*other)) is None


def test_the_prompts_of_a_variant_are_the_judges() -> None:
    """A judge without prompts has no such key, and the question that a metric asks is the same."""
    old, new = suite(*judged([0.5] * 2)), suite(*judged([1.0] * 2))
    recipe = signature_of(
        "faithfulness", judge="gpt", suite="77be02a1c3d4", variant={"prompts": "9f3c1a"}
    )
    asked = [replace(each, signatures=(str(recipe),)) for each in new.pairs]
    assert parts(shifted(old, suite(*asked))) == (0.5, 0.5, 0)


@pytest.mark.parametrize(("labels", "is_told"), [("0a", True), ("0b", False)])
def test_a_calibration_is_the_judges_where_the_labels_are_the_same(
    labels: str, is_told: bool
) -> None:
    """Its maps are made of the judge's answers; other labels make other maps for any judge."""

    def calibrated(held: SuiteRecord, digest: str, labels: str) -> SuiteRecord:
        recipe = signature_of(
            "faithfulness", judge="fair-1", suite="77be02a1c3d4", variant={KEY: digest}
        )
        pairs = tuple(replace(each, signatures=(str(recipe),)) for each in held.pairs)
        return with_golden(replace(held, pairs=pairs, is_calibrated=True), labels=labels)

    old = calibrated(suite(*judged([0.5] * 2)), "aa", "0a")
    new = calibrated(suite(*judged([1.0] * 2)), "bb", labels)
    assert (shifted(old, new) is not None) == is_told


def test_one_paper_has_no_interval_and_warns_of_nothing() -> None:
    """Every resample of one paper is that paper."""
    found = shifted(suite(*judged([0.5])), suite(*judged([1.0])))
    assert found is not None
    assert (found.judge, found.low, found.high, found.is_shifted) == (0.5, None, None, False)


PLACES = tuple((system, n) for system in "pq" for n in range(3))
runs = st.dictionaries(
    st.sampled_from(PLACES),
    st.tuples(st.sampled_from("ab"), st.integers(0, 8)),
    min_size=1,
)


@given(runs, runs, st.permutations(PLACES))
def test_the_parts_add_up_to_the_change_in_any_order(
    old: dict[tuple[str, int], tuple[str, int]],
    new: dict[tuple[str, int], tuple[str, int]],
    order: list[tuple[str, int]],
) -> None:
    """Law: whatever is the same, judge and system make the change; no order of pairs matters.

    A text has one value in a run here.
    """

    def made(
        found: dict[tuple[str, int], tuple[str, int]], order: Sequence[tuple[str, int]]
    ) -> SuiteRecord:
        value = {(n, text): eighth / 8 for (_, n), (text, eighth) in sorted(found.items())}
        return suite(
            *(
                pair(f"moss-{n}", faithful(value[n, text]), system=system, summary=text)
                for system, n in order
                if (system, n) in found
                for text in found[system, n][0]
            )
        )

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(judge_shift, "RESAMPLES", 10)
        for system in "pq":
            found = shifted(made(old, PLACES), made(new, PLACES), system, system)
            assert shifted(made(old, order), made(new, order), system, system) == found
            if found is not None:
                assert found.judge + found.system == pytest.approx(found.change, abs=1e-9)
                assert 0 <= found.n_seen <= found.n_papers


def test_every_pair_is_read_once_for_all_systems() -> None:
    """A run of 30,000 pairs is read from its file, and each look takes a while."""
    pairs = [*judged([0.5, 1.0]), *judged([0.25, 1.0], system="plain")]
    old = suite(*pairs)
    n_read = 0

    def read(place: int) -> PairRecord:
        nonlocal n_read
        n_read += 1
        return pairs[place]

    outlines = [each.outline for each in pairs]
    stored = StoredPairs([partial(read, place) for place in range(len(pairs))], outlines)
    both = JudgedTwice(old, replace(old, pairs=stored))
    found = [both.shifts(system=name, against=name) for name in ("careful", "plain")]
    assert all(found)
    assert n_read == len(pairs)

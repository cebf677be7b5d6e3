from __future__ import annotations

from dataclasses import replace
from typing import Final

import pytest
from scipy.stats import binomtest
from syrupy.assertion import SnapshotAssertion

from summeval_pytest.errors import OptionError
from summeval_pytest.metrics.number import NumberSpec
from summeval_pytest.metrics.signature import Signature, signature_of
from summeval_pytest.stats.intervals import change_interval
from summeval_pytest.stats.paired import drop_p_value, refuted_drop
from summeval_pytest.verdict.comparison import Baseline, find_baseline, two_sided_p_value
from summeval_pytest.verdict.differences import Comparison, Difference, Flip
from summeval_pytest.verdict.run import PairResult, RunRecord
from tests.verdict.records import (
    SIGNATURES,
    SILENT,
    believed,
    compared,
    eva,
    faithful,
    marks,
    pair,
    pairs_of,
    rated,
    run,
    suite,
    supported,
    unscored,
)


def difference(comparison: Comparison, name: str) -> Difference:
    """The difference of one number, which is there."""
    actual = comparison.difference(name)
    assert actual is not None
    return actual


def test_a_difference_is_paired_by_paper() -> None:
    """Worked example: faithfulness 1, 0.75, 0.875, 0.625 against 0.875, 0.75, 0.625, 0.75.

    The changes are -1/8, 0, -2/8 and 1/8. Their mean is -2/8 / 4 = -0.0625. With random signs the
    sum is -2/8 or less for 3 of the 8 signs of 1/8, 2/8, 1/8: (-, -, -), (-, -, +), (+, -, -).
    """
    old, new = pairs_of(1, 0.75, 0.875, 0.625), pairs_of(0.875, 0.75, 0.625, 0.75)
    actual = difference(compared(old, new, "faithfulness:p0.05"), "faithfulness")
    assert (actual.n_papers, actual.old, actual.new) == (4, 3.25 / 4, 3 / 4)
    assert actual.change == -0.0625
    assert actual.p == 3 / 8
    assert actual.broken == ()


def test_interval_p_value_and_ruled_out_drop_are_those_of_the_changes() -> None:
    """Oracles (tests/stats), for more papers than all signs can be taken of.

    The drop that is ruled out goes by the level of the no-worse rule, or by .05 without one.
    """
    changes = [(-7 * n % 23 - 12) / 64 for n in range(20)]
    old, new = pairs_of(*[0.5] * 20), pairs_of(*(0.5 + change for change in changes))
    actual = difference(compared(old, new), "faithfulness")
    assert actual.p == drop_p_value(changes, n_flips=99_999, seed=20241)
    assert 0.05 < actual.p < 0.9
    expected = change_interval(changes)
    assert (actual.low, actual.high) == (expected.low, expected.high)
    assert (expected.low or 0) < actual.change < (expected.high or 0)
    for rule, level in (("faithfulness:no-worse-0.5:p0.01", 0.01), ("p0.1", 0.05)):
        actual = difference(compared(old, new, rule), "faithfulness")
        assert actual.ruled_out == pytest.approx(refuted_drop(changes, level=level))


@pytest.mark.parametrize(
    ("rules", "fails"),
    [
        (("p0.05",), True),  # p is 1/16, the least of 4 papers, so nothing is decided
        (("p0.0625",), True),  # and a p value that is its level is significant
        (("0.3:p0.0625",), False),  # a rule of both parts takes both
        (("0.2:p0.0625",), True),
        (("0.2", "0.3"), True),  # each of several rules is held
        (("0.3", "p0.05"), True),
        (("0.3:p0.05",), False),  # the drop is small enough, whether significant or not
    ],
)
def test_a_drop_fails_by_its_size_and_by_its_chance(rules: tuple[str, ...], *, fails: bool) -> None:
    """Worked example: .25 on each of 4 papers; neither a rise fails, nor another number."""
    high, low = ([pair(f"moss-{n}", faithful(v), eva(0.5)) for n in range(4)] for v in (0.75, 0.5))
    named = [f"faithfulness:{rule}" for rule in rules]
    assert compared(high, low, *named).passes is not fails
    assert compared(low, high, *named).passes
    assert compared(high, low, *(f"eva:{rule}" for rule in rules)).passes


def test_as_much_as_is_allowed_may_drop_and_support_only_where_a_rule_names_it() -> None:
    """Worked example: 0.8 against (0.7, 0.7, 0.8) drops by 0.2 / 3 = 0.0666...7.

    That much is allowed, though the floats say 0.06666666666666672. Support is compared only where
    both judges gave it.
    """
    actual = compared(pairs_of(0.8, 0.8, 0.8), pairs_of(0.7, 0.7, 0.8), f"faithfulness:{0.2 / 3}")
    assert actual.passes
    old, new, without = ([pair("moss-01", believed(share))] for share in (0.9, 0.5, None))
    assert compared(old, new).passes
    assert not compared(old, new, "faithfulness.support:0.1").passes
    assert compared(old, without).difference("faithfulness.support") is None


def everything(*dropping: float) -> list[PairResult]:
    """Pairs with all seven numbers; only faithfulness varies."""
    return [
        pair(f"moss-{place:02}", rated(), eva(0.5), faithful(value))
        for place, value in enumerate(dropping)
    ]


UNSHOWN: Final = (
    "cannot decide whether faithfulness drops significantly: 7 papers show no drop, whatever its"
    " size (p is at least 0.0547), and the mean drop is 0.250; 8 papers could, or write no_worse ="
    " {faithfulness = 0.05}"
)


def test_p_values_are_corrected_over_all_metrics_and_facets() -> None:
    """Worked example: faithfulness drops on each of 8 papers, so its raw p is 2^-8 = 1/256.

    Holm, 7 numbers: the least p counts 7-fold, 7/256 = 0.027. On 7 papers it is 7/128 = 0.055,
    which is no longer significant, though 1/128 alone would be: that they drop is not decided.
    """
    for n_papers in (8, 7):
        old, new = everything(*[0.75] * n_papers), everything(*[0.5] * n_papers)
        actual = compared(old, new)
        found = difference(actual, "faithfulness")
        assert found.p == 7 * 2**-n_papers
        assert difference(actual, "eva").p == 1.0
        assert (bool(found.broken), bool(found.inconclusive)) == (n_papers == 8, n_papers == 7)
        assert actual.fails
        assert {*found.inconclusive} <= {UNSHOWN}


def test_a_facet_that_drops_on_too_few_papers_is_noted() -> None:
    """Nobody named it, so it decides nothing; FM itself is undecided."""
    for n_papers, note in ((7, ("too few papers to show a drop of facet.method",)), (8, ())):
        old, new = (
            [pair(f"moss-{n}", rated(each), eva(0.5), faithful(0.5)) for n in range(n_papers)]
            for each in (marks(), marks(method=3))
        )
        actual = compared(old, new)
        assert actual.notes == note
        assert [each.name for each in actual.inconclusive] == ["facet"] * bool(note)


def named(comparison: Comparison) -> list[str]:
    """Why a comparison could not be made; it fails, and there is no number to take for one."""
    mismatches = comparison.mismatches
    assert comparison == Comparison(baseline="v1.3", system="careful", mismatches=mismatches)
    assert (comparison.passes, comparison.fails) == (False, True)
    return [*mismatches]


def test_a_number_that_is_better_on_the_other_side_cannot_be_compared() -> None:
    """A metric that turned round without a new version would make every drop a gain."""
    low, high = (
        NumberSpec(name="words", metric="words", meaning="", lower_is_better=is_lower)
        for is_lower in (True, False)
    )
    old, new = ([replace(pair("moss-01", faithful(0.5)), custom=(each,))] for each in (low, high))
    assert named(compared(old, new)) == [
        "words was better when lower and is better when higher now; save it again"
    ]
    assert compared(old, old).mismatches == ()


def test_what_cannot_be_compared_is_named_and_does_not_pass(snapshot: SnapshotAssertion) -> None:
    """A number that vanished cannot drop, neither can one of a system that refuses everything.

    A mean over other papers measures the papers, and an empty selection dropped nothing.
    """
    one, two = [pair("moss-00", eva(0.5))], [pair("moss-00", eva(0.5), faithful(0.5))]
    sure, unsure = ([pair("moss-00", believed(share))] for share in (0.9, None))
    refusing = [pair("moss-00", *(unscored(metric) for metric in ("eva", "faithfulness")))]
    three = pairs_of(0.5, 0.5, 0.5)
    cases: list[tuple[list[PairResult], list[PairResult], tuple[str, ...]]] = [
        (one, two, ()),
        (two, one, ()),
        (one, one, ("faithfulness:0.1",)),
        (sure, unsure, ("faithfulness.support:0.1",)),
        (two, refusing, ()),
        (two, refusing, ("eva:0.02",)),
        (three[:1], three, ()),
        (three[:2], three[1:], ()),
        ([], [], ()),
    ]
    assert [named(compared(old, new, *rules)) for old, new, rules in cases] == snapshot


def test_papers_without_any_score_in_the_baseline_are_missing_there() -> None:
    """Worked example: without 1 of 6 papers 83 % are left, without 2 fewer than the share of 80 %.

    The worst paper would be left out of the comparison without a word.
    """
    new = pairs_of(*[0.5] * 6)
    broken = [replace(each, scores=(), fault="worker crashed") for each in new]
    note = "compared on {} of 6 papers; {} are only in this run and 0 only in v1.3"
    assert compared([*broken[:1], *new[1:]], new).coverage == note.format(5, 1)
    few = compared([*broken[:2], *new[2:]], new)
    assert named(few) == [f"{note.format(4, 2)}; a share of 0.8 must be in both"]


def test_numbers_of_another_recipe_do_not_compare(snapshot: SnapshotAssertion) -> None:
    """Each key is named with both values and the metrics whose recipe it is.

    Of a baseline of two recipes half of the pairs were measured otherwise.
    """
    both = [pair("moss-01", rated(), eva(0.5))]
    here = [signature_of(m, judge="gpt|temp:0", suite="77be02a1c3d4") for m in ("facet", "eva")]
    weighed = Signature("facet", (*here[0].recipe[:-1], ("weights", ".25,.25,.25,.25")))
    old = [pair(f"moss-0{n}", eva(0.5), signatures=(each,)) for n, each in enumerate(
        (here[1], SIGNATURES[1])
    )]  # fmt: skip
    messages = named(compared(both, both, signatures=(weighed, here[1])))
    assert messages + named(compared(old, old, signatures=here[1:])) == snapshot


@pytest.mark.parametrize(("n_papers", "passes"), [(19, False), (20, True), (21, True)])
def test_refused_papers_fail_a_comparison_under_95_per_cent(n_papers: int, *, passes: bool) -> None:
    """Worked example: one refusal leaves 18/19 = 94.7 %, or 19/20 = 95 %.

    A system that refuses its hardest paper would otherwise rise by it.
    """
    old = pairs_of(*[0.5] * n_papers)
    refusal = pair("moss-00", unscored("faithfulness"))
    actual = compared(old, [refusal, *old[1:]])
    assert actual.passes is passes
    broken = "faithfulness is compared on only 18 of 19 papers; the others have no score"
    assert difference(actual, "faithfulness").broken == (() if passes else (broken,))
    assert difference(actual, "faithfulness").n_papers == n_papers - 1


def test_facets_that_flipped_stand_worst_first() -> None:
    """Worked example: shares of the scale lost are 2/2, 3/3, 2/3, 1/2 and 1/3.

    Ties stand in the order of the papers; a facet that rose is no flip.
    """
    old = [pair("moss-01", rated()), pair("moss-02", rated(marks(method=1)))]
    new = [
        pair("moss-01", rated(marks(method=3, result=2, conclusion=1))),
        pair("moss-02", rated(marks(background=2, result=1))),
    ]
    assert compared(old, new).flips == (
        Flip(paper="moss-01", facet="conclusion", old=3, new=1),
        Flip(paper="moss-02", facet="result", old=4, new=1),
        Flip(paper="moss-01", facet="result", old=4, new=2),
        Flip(paper="moss-02", facet="background", old=3, new=2),
        Flip(paper="moss-01", facet="method", old=4, new=3),
    )


def long_summaries(*odd: bool | None) -> list[PairResult]:
    """Summaries of 25 sentences: 24 are supported, and one is this."""
    said: dict[str, bool | None] = {f"s{n}": True for n in range(24)}
    return [pair(f"moss-{n:02}", supported(said | {"odd": one})) for n, one in enumerate(odd)]


KEPT = "faithfulness:0.02"
COUNTED = ", with 1 unanswered sentence counted as wrong"
MAY_HIDE = "in faithfulness, which may hide a drop; judge it again"


@pytest.mark.parametrize(
    ("old", "new", "rule", "undecided"),
    [
        # 25 of 25 before, 24 of 25 now; an unanswered sentence may be right
        (True, False, KEPT, ""),
        (True, None, KEPT, f"faithfulness drops by 0.040, more than 0.02{COUNTED}"),
        # what is .96 before may be 1, whatever the rule allows
        (None, False, "faithfulness:0.3", f"v1.3 has 1 unanswered sentence {MAY_HIDE}"),
        (None, True, KEPT, f"v1.3 has 1 unanswered sentence {MAY_HIDE}"),
    ],
)
def test_a_rule_that_missing_answers_leave_open_is_neither_kept_nor_broken(
    old: bool | None, new: bool | None, rule: str, undecided: str
) -> None:
    """It is neither a pass nor the system's failure, but the judge's fault."""
    actual = compared(long_summaries(old), long_summaries(new), rule)
    assert actual.undecided == ((("faithfulness", undecided),) if undecided else ())
    assert (actual.passes, actual.fails) == (False, not undecided)


def test_a_paper_that_the_judge_left_unscored_before_may_hide_a_drop() -> None:
    """As an unanswered sentence may."""
    half = pairs_of(0.5, 0.5)
    actual = compared([half[0], pair("moss-01", unscored("faithfulness", SILENT))], half, KEPT)
    assert actual.undecided == (("faithfulness", f"v1.3 has 1 unscored paper {MAY_HIDE}"),)


def test_missing_answers_matter_only_where_they_decide() -> None:
    """They count as wrong now, so what breaks no rule passes; other numbers need none of them."""
    assert compared(long_summaries(True), long_summaries(None), "faithfulness:0.3").passes
    (half_open,) = long_summaries(None)
    old, new = ([pair("moss-00", *half_open.scores, eva(value))] for value in (0.5, 0.25))
    assert compared(old, old, "eva:0.02").passes
    actual = compared(old, new, "eva:0.02", KEPT)
    assert [each.name for each in actual.broken] == ["eva"]
    assert (actual.fails, [name for name, _ in actual.undecided]) == (True, ["faithfulness"])


def test_a_paper_that_the_system_refuses_hides_no_drop() -> None:
    """One of 20 may be without a score; at the lowest it is a drop of .05, and the system's."""
    old = [pair(f"moss-{n:02}", faithful(1.0)) for n in range(20)]
    new = [*old[:19], pair("moss-19", unscored("faithfulness"))]
    actual = compared(old, new, KEPT)
    assert difference(actual, "faithfulness").broken == (
        (
            "faithfulness drops by 0.050, more than 0.02, with the lowest score for each paper that"
            " has none"
        ),
    )
    assert actual.undecided == ()
    assert compared(old, new, "faithfulness:0.06").passes


def conflicting(*counts: int) -> list[PairResult]:
    """Pairs with so many conflicts each."""
    return [
        pair(f"moss-{n:02}", replace(faithful(0.5), conflicts=count))
        for n, count in enumerate(counts)
    ]


def test_a_rise_of_conflicts_is_a_drop_in_quality() -> None:
    """Worked example: 0 to 1 on ten papers is a rise of 1, not by chance; the reverse none."""
    none, one = conflicting(*[0] * 10), conflicting(*[1] * 10)
    rules = ("faithfulness.conflicts:0.5:p0.05",)
    worse = difference(compared(none, one, *rules), "faithfulness.conflicts")
    assert worse.change == 1.0
    assert worse.p == pytest.approx(1 / 1024)
    assert worse.broken == (
        "faithfulness.conflicts rises by 1.000, more than 0.5 and p 0.0010 at level 0.05",
    )
    better = difference(compared(one, none, *rules), "faithfulness.conflicts")
    assert (better.change, better.broken) == (-1.0, ())


@pytest.mark.parametrize("rule", ["faithfulness.conflicts:9", "faithfulness.conflicts:p0.05"])
def test_a_count_is_compared_on_every_paper_of_the_baseline(rule: str) -> None:
    """A refusal on one paper of 20 has no number of conflicts, and none can be put in its place."""
    old = conflicting(*[1] * 20)
    actual = compared(old, [*old[:19], pair("moss-19", unscored("faithfulness"))], rule)
    assert difference(actual, "faithfulness.conflicts").broken == (
        "faithfulness.conflicts is compared on only 19 of 20 papers; the others have no score",
    )
    uncounted = replace(old[19], scores=(faithful(0.5),))  # it does not apply there
    assert compared(old, [*old[:19], uncounted], rule).passes


def one(paper: str, name: str) -> PairResult:
    """A pair of a system."""
    return pair(paper, eva(0.5), system=name)


BOTH = (one("moss-01", "careful"), one("moss-02", "careful"), one("moss-01", "terse"))


def actual(record: RunRecord, system: str, *, of: str = "golden") -> Baseline:
    """The baseline of one system of a suite."""
    now = replace(suite(name=of), shown=f"{of}/summeval.toml")
    return find_baseline(record, "v1.3", now, system, wanted=None, option="--summ-compare")


def test_a_system_is_compared_with_the_one_of_its_name_or_the_only_one() -> None:
    """Two releases of one system, whichever stands first; a new name has only one to go with.

    A run over two suites has pairs of the same papers and systems in both: the suite's name counts.
    """
    record = run(suite(*BOTH))
    for name, pairs in (("careful", BOTH[:2]), ("terse", BOTH[2:])):
        stored = actual(record, name)
        assert (stored.run, stored.system) == ("v1.3", name)
        assert {paper: row.read() for paper, row in stored.pairs.items()} == {
            pair.paper: pair for pair in pairs
        }
    assert actual(run(suite(*BOTH[:2])), "llama3").system == "careful"
    other = pair("moss-01", eva(0.9))
    record = run(suite(*BOTH, name="golden"), suite(other, name="bronze"))
    assert actual(record, "careful", of="bronze").pairs["moss-01"].read() == other
    assert len(actual(record, "careful", of="golden").pairs) == 2
    # two folders of one name: the path counts
    apart = (suite(*BOTH), replace(suite(other), shown="b/golden/summeval.toml"))
    for suites in (apart, apart[::-1]):
        assert len(actual(run(*suites), "careful").pairs) == 2


def test_a_missing_baseline_is_refused_with_what_to_type(snapshot: SnapshotAssertion) -> None:
    """Any choice would be a guess, and a comparison with the wrong one looks like any other."""
    two = run(suite(*BOTH, name="golden"), suite(*BOTH, name="bronze"))
    for name, record, system, of in (
        ("system", run(suite(*BOTH)), "llama3", "golden"),
        ("suite", two, "careful", "golde"),
        ("nothing", run(), "careful", "golden"),
        ("elsewhere", run(*(replace(suite(), shown=of) for of in "ab")), "careful", "golden"),
    ):
        with pytest.raises(OptionError) as caught:
            actual(record, system, of=of)
        assert str(caught.value) == snapshot(name=name)


@pytest.mark.parametrize(("n_up", "n_down"), [(0, 0), (1, 0), (5, 0), (9, 3), (8, 8), (2, 13)])
def test_one_flip_a_paper_is_mcnemars_exact_test(n_up: int, n_down: int) -> None:
    """SciPy's exact binomial test of the discordant pairs, with p .5, is McNemar's."""
    expected = binomtest(n_up, n_up + n_down).pvalue if n_up + n_down else 1.0
    assert two_sided_p_value([1.0] * n_up + [-1.0] * n_down) == pytest.approx(expected)
    # 2 papers can say no more than .5, however many answers flipped in each: 2 * 2 ** -2
    assert two_sided_p_value([40.0, 60.0]) == 0.5

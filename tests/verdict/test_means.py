from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from summeval_pytest.metrics.number import Unscored
from summeval_pytest.run.golden import GoldenPair, LabelledKind
from summeval_pytest.run.pair_numbers import MIN_COVERAGE, Numbers
from summeval_pytest.suite.lines import ALL_PAPERS
from summeval_pytest.verdict.means import (
    CorrectedMean,
    SystemMean,
    SystemVerdict,
    corrected_means,
    mean_of,
    system_verdict,
)
from summeval_pytest.verdict.pair import why_missing
from summeval_pytest.verdict.thresholds import Bound, Threshold, Thresholds, Waivers
from tests.verdict.golden_answers import answered, filled, golden
from tests.verdict.records import on_day, pair, rated, supported, unscored, waiver

EMPTY = Unscored(metric="facet", status="degenerate_candidate", reason="the summary is empty")
SILENT = Unscored(metric="facet", status="unanswered", reason="the reply was cut off")


def paper(place: int, *unscored: Unscored, **values: float | None) -> Numbers:
    """The numbers of one pair; ``facet_result`` stands for the name with a dot."""
    return Numbers(
        paper=f"moss-{place:02}",
        system="careful",
        values={name.replace("_", ".", 1): value for name, value in values.items()},
        unscored=unscored,
        sizes={},
    )


def verdict(
    papers: Sequence[Numbers], *limits: tuple[str, float], waivers: Waivers | None = None
) -> SystemVerdict:
    """The verdict on the means of these papers, by these thresholds."""
    thresholds = Thresholds(pair=(), mean=tuple(Threshold(*limit) for limit in limits))
    return system_verdict(papers, thresholds, waivers or on_day())


def outcome(actual: SystemVerdict) -> str:
    """What a verdict comes to."""
    return "failed" if actual.fails else "error" if actual.undecided else "passed"


@pytest.mark.parametrize(
    ("papers", "value", "lowest", "n_scored"),
    [
        ([paper(1, facet=0.5), paper(2, facet=1.0)], 0.75, None, 2),  # (0.5 + 1.0) / 2
        ([paper(1, facet=0.8), paper(2, EMPTY)], 0.8, 0.525, 1),  # (0.8 + 0.25) / 2 at the lowest
        ([paper(1, facet=0.94), paper(2, facet=0.38)], 0.66, None, 2),  # no last bit less
        ([], None, None, 0),
        ([paper(1, EMPTY)], None, 0.25, 0),
    ],
)
def test_a_mean_is_over_the_papers_that_have_the_number(
    papers: list[Numbers], value: float | None, lowest: float | None, n_scored: int
) -> None:
    """An unscored paper is neither zero nor left out of the count; a mean over nothing fails."""
    actual = mean_of(papers, Threshold("facet", 0.5))
    assert actual == SystemMean(
        name="facet", value=value, least=0.5, n_scored=n_scored, n_papers=len(papers), lowest=lowest
    )
    assert actual.passes is (n_scored == 2)


@pytest.mark.parametrize(("n_scored", "n_papers"), [(19, 20), (18, 20), (95, 100), (94, 100)])
def test_a_mean_must_cover_95_of_100_papers(n_scored: int, n_papers: int) -> None:
    """A system must not reach its mean by failing on the hard papers."""
    is_covered = n_scored / n_papers >= MIN_COVERAGE == 0.95
    papers = [paper(n, facet=0.9) for n in range(n_scored)]
    papers += [paper(n, EMPTY) for n in range(n_scored, n_papers)]
    actual = verdict(papers, ("facet", 0.5))
    assert [mean.is_covered for mean in actual.means] == [is_covered]
    assert outcome(actual) == ("passed" if is_covered else "failed")


@pytest.mark.parametrize(("least", "passes"), [(0.77, True), (0.79, False)])
def test_a_mean_has_to_pass_with_the_lowest_score_for_a_refusal(
    least: float, *, passes: bool
) -> None:
    """Worked example: 29 papers at .8 and a refused one at .25 make .7817; .8 alone would pass."""
    papers = [*(paper(n, facet=0.8) for n in range(29)), paper(29, EMPTY)]
    (mean,) = verdict(papers, ("facet", least)).means
    assert (mean.value, mean.is_covered, mean.passes) == (0.8, True, passes)
    assert mean.compared == mean.lowest == pytest.approx(23.45 / 30)


def test_the_mean_of_a_count_has_to_cover_every_paper() -> None:
    """A count has no worst value to stand for a paper without one, and a waiver is for a number."""
    counted = [paper(n, faithfulness_conflicts=0.0) for n in range(29)]
    limit = ("faithfulness.conflicts", 0.0)
    assert outcome(verdict(counted, limit)) == "passed"
    waivers = on_day(waiver(limit[0], paper=ALL_PAPERS))
    for without in (paper(29, unscored("faithfulness")), paper(29, faithfulness_conflicts=None)):
        actual = verdict([*counted, without], limit, waivers=waivers)
        (mean,) = actual.missed
        assert (mean.value, mean.lowest, mean.n_scored, mean.n_papers) == (0.0, None, 29, 30)
        assert [use.state for use in actual.waivers] == ["not judged"]


# What the judge left open


def of_25(place: int, *odd: bool | None) -> Numbers:
    """The numbers of a summary of 25 sentences, of which the others are supported."""
    said: dict[str, bool | None] = {f"s{n}": True for n in range(25 - len(odd))}
    said |= {f"odd {n}": holds for n, holds in enumerate(odd)}
    return pair(f"moss-{place:02}", supported(said)).numbers()


FULL = [of_25(n) for n in range(19)]
NO_SENTENCES = pair("moss-20", unscored("faithfulness")).numbers()
LEFT = "if what the judge left unanswered were"
MEETS = f"faithfulness {{}} meets {{}}, and would be {{}} {LEFT} wrong"
UNSCORED = "facet is unscored on 1 of 2 papers, first 'moss-02': unanswered, the reply was cut off"


@pytest.mark.parametrize(
    ("papers", "name", "least", "message"),
    [
        ([of_25(1, False)], "faithfulness", 0.97, "failed"),
        ([of_25(1, None)], "faithfulness", 0.97, f"mean {MEETS.format('1.000', 0.97, '0.960')}"),
        ([of_25(1, None)], "faithfulness", 0.96, ""),
        (
            [of_25(1, None, False)],
            "faithfulness",
            0.96,
            f"mean faithfulness 0.958 misses 0.96, and would be 0.960 {LEFT} right",
        ),
        ([of_25(1, None, False)], "faithfulness", 0.97, "failed"),
        ([*FULL, of_25(19), NO_SENTENCES], "faithfulness", 0.951, ""),
        ([*FULL, of_25(19, None)], "faithfulness", 0.951, ""),
        (
            [*FULL, of_25(19, None), NO_SENTENCES],
            "faithfulness",
            0.951,
            f"mean {MEETS.format('0.952', 0.951, '0.950')}",
        ),
        # a paper without any answer says more of the judge than of the system: (.9 + 1) / 2 = .95
        ([paper(1, facet=0.9), paper(2, SILENT)], "facet", 0.5, UNSCORED),
        ([paper(1, facet=0.9), paper(2, SILENT)], "facet", 0.95, UNSCORED),
        ([paper(1, facet=0.9), paper(2, SILENT)], "facet", 0.96, "failed"),
        # one paper of two has it by rule; a mean over that one would cover 1 of 1 papers
        (
            [
                paper(1, faithfulness=1.0, faithfulness_support=1.0),
                pair("moss-02", supported({"Mice slept.": True})).numbers(),
            ],
            "faithfulness.support",
            0.5,
            why_missing("faithfulness.support"),
        ),
    ],
)
def test_a_mean_fails_at_best_passes_at_worst_and_else_is_undecided(
    papers: list[Numbers], name: str, least: float, message: str
) -> None:
    """Worked examples: one unsupported sentence of 25 is .960; (19 + 24/25) / 21 = .95.

    What falls short in any case is the system's fault: silence does not excuse it.
    """
    actual = verdict(papers, (name, least))
    assert outcome(actual) == (
        "failed" if message == "failed" else "error" if message else "passed"
    )
    assert [mean.name for mean in actual.missed] == ([name] if message == "failed" else [])
    assert actual.undecided == (() if message in {"failed", ""} else (message,))


def test_a_mean_that_surely_fails_is_a_failure_beside_one_that_is_open() -> None:
    """What silence leaves open is told all the same."""
    papers = [paper(1, facet=0.9, eva=0.2), paper(2, SILENT, eva=0.2)]
    actual = verdict(papers, ("facet", 0.5), ("eva", 0.3))
    assert ([mean.name for mean in actual.missed], actual.undecided) == (["eva"], (UNSCORED,))
    assert outcome(actual) == "failed"


# Waivers of means

LOW = [paper(1, facet=0.5, eva=0.9), paper(2, facet=0.7, eva=0.9)]
"""Means 0.6 and 0.9."""
LIMITS = (("facet", 0.65), ("eva", 0.4))


@pytest.mark.parametrize(
    ("changes", "state"),
    [
        ({}, "in use"),
        ({"least": 0.6}, "in use"),
        ({"least": 0.61}, "exceeded"),
        ({"expires": "2027-01-14"}, "expired"),
    ],
)
def test_a_waived_mean_stays_and_misses_nothing(changes: dict[str, object], state: str) -> None:
    """The mean stands in the verdict as it is; only what follows from it is waived."""
    bare = verdict(LOW, *LIMITS)
    assert ([mean.name for mean in bare.missed], outcome(bare)) == (["facet"], "failed")
    waivers = on_day(replace(waiver(paper=ALL_PAPERS), **changes))  # type: ignore[arg-type]  # its fields
    actual = verdict(LOW, *LIMITS, waivers=waivers)
    assert actual.means == bare.means
    assert [use.state for use in actual.waivers] == [state]
    is_covered = state == "in use"
    assert (not actual.missed, not actual.waiver_faults) == (is_covered, is_covered)
    assert outcome(actual) == ("passed" if is_covered else "failed")


def test_a_waiver_of_a_mean_that_is_reached_fails_the_means() -> None:
    """Left in the suite it would cover the next drop; it leaves the other means as they are."""
    waivers = on_day(waiver("eva", paper=ALL_PAPERS))
    actual = verdict(LOW, *LIMITS, waivers=waivers)
    assert [use.state for use in actual.waivers] == ["not needed"]
    assert ([mean.name for mean in actual.missed], len(actual.waiver_faults)) == (["facet"], 1)


def test_a_waiver_of_a_mean_does_not_excuse_papers_without_a_score() -> None:
    """It allows a low mean, and not a mean over the papers that went well."""
    papers = [paper(1, facet=0.5), paper(2, EMPTY)]
    actual = verdict(papers, ("facet", 0.65), waivers=on_day(waiver(paper=ALL_PAPERS)))
    assert ([mean.name for mean in actual.missed], outcome(actual)) == (["facet"], "failed")
    assert [use.state for use in actual.waivers] == ["not judged"]
    # and its bound is for what has to reach the threshold: 29 of .6 and one of .25 are .588
    papers = [*(paper(n, facet=0.6) for n in range(29)), paper(29, EMPTY)]
    for least, state in ((0.588, "in use"), (0.6, "exceeded")):
        waivers = on_day(waiver(paper=ALL_PAPERS, least=least))
        (use,) = verdict(papers, ("facet", 0.65), waivers=waivers).waivers
        assert use.state == state


def test_a_waiver_that_only_silence_keeps_or_breaks_decides_nothing() -> None:
    """Of 25 one is unsupported and one unanswered: .958, between .92 and .96."""
    papers, limit = [of_25(1, None, False)], ("faithfulness", 0.97)
    for least, expected in ((0.92, "passed"), (0.95, "error"), (0.96, "error"), (0.961, "failed")):
        waivers = on_day(waiver("faithfulness", paper=ALL_PAPERS, least=least))
        assert outcome(verdict(papers, limit, waivers=waivers)) == expected


# Means with the judge's error taken out


def sentences(*counts: tuple[int, int], n_open: int = 0) -> list[Numbers]:
    """Papers with so many supported sentences of so many; of the last so many more are open."""
    actual = [
        replace(paper(n, faithfulness=right / of), sizes={"faithfulness": right, "sentences": of})
        for n, (right, of) in enumerate(counts)
    ]
    more = {"unanswered": n_open} if n_open else {}
    return [*actual[:-1], replace(actual[-1], sizes={**actual[-1].sizes, **more})]


def floor(least: float, name: str = "facet", bound: Bound = "point") -> Threshold:
    """What a corrected mean has to reach."""
    return Threshold(name=name, least=least, bound=bound)


def overall(*rows: tuple[float, float | None], kind: LabelledKind = "overall") -> list[GoldenPair]:
    """Golden pairs on papers fern-0, fern-1 and so on: what the label says, and what the judge."""
    return [
        golden(answered(kind, label, answer), paper=f"fern-{n}", group=f"{n % 2}")
        for n, (label, answer) in enumerate(rows)
    ]


def labelled_sentences(*table: Sequence[int]) -> list[GoldenPair]:
    """Two golden pairs with sentences of this confusion matrix each."""
    return [golden(*filled("sentence", table, least=0), paper=f"fern-{n}") for n in range(2)]


TWO = [paper(0, facet=0.8), paper(1, facet=0.6)]
"""A mean of 0.7."""
GENEROUS = overall((0.5, 0.6), (0.7, 0.7))
"""A mean error of (-0.1 + 0) / 2 = -0.05."""


def only(
    papers: Sequence[Numbers], pairs: Sequence[GoldenPair], *floors: Threshold
) -> CorrectedMean:
    """The one corrected mean that there is."""
    (actual,) = corrected_means(papers, pairs, floors)
    return actual


def test_fm_and_facets_are_corrected_by_the_judges_mean_error_on_labels() -> None:
    """Worked examples: 0.7 - 0.05 = 0.65; (4 + 2) / 2 and an error of ((2 - 4) + 0) / 2 make 2."""
    actual = only(TWO, GENEROUS)
    assert (actual.name, actual.reason, actual.floors) == ("facet", "", ())
    assert (actual.raw, actual.value) == pytest.approx((0.7, 0.65))
    assert (actual.n_golden, actual.n_papers, actual.n_scored, actual.n_of) == (2, 2, 2, 2)
    assert actual.low is not None
    assert actual.high is not None
    assert actual.low < 0.65 < actual.high
    judged = [paper(0, facet=0.9, facet_result=4.0), paper(1, facet=0.5, facet_result=2.0)]
    actual = only(judged, overall((2, 4), (3, 3), kind="result"))
    assert (actual.name, actual.raw, actual.value, actual.n_golden) == ("facet.result", 3.0, 2.0, 2)


def test_faithfulness_is_corrected_as_a_rate_over_sentences() -> None:
    """Worked example: the judge supports (1 + 5) / 10 = 0.6 of the sentences.

    It supports 3 of 4 faithful ones and 1 of 4 unfaithful ones, so that the rate is
    (0.6 - 0.25) / (0.75 - 0.25) = 0.7. The mean over papers, (0.25 + 5 / 6) / 2, plays no part.
    """
    rows = list(filled("sentence", [[3, 1], [1, 3]], least=0))
    labels = [golden(*rows[n::2], paper=f"fern-{n}") for n in range(2)]
    actual = only(sentences((1, 4), (5, 6)), labels)
    assert actual.name == "faithfulness"
    assert actual.raw == pytest.approx(0.6)
    assert actual.value == pytest.approx(0.7)
    assert (actual.n_golden, actual.n_papers) == (8, 2)


def test_a_corrected_mean_at_its_floor_passes_and_what_is_unknown_is_undecided() -> None:
    """The mean or its lower bound, whichever the suite names."""
    at, above = floor(0.65), floor(0.651)
    low, lower = floor(0.5, bound="lower"), floor(0.501, bound="lower")
    mean = replace(only(TWO, GENEROUS), value=0.65, low=0.5, floors=(at, above, low, lower))
    assert mean.missed == (above, lower)
    for unknown, missed in (
        (replace(mean, low=None), (above,)),
        (replace(mean, value=None), (lower,)),
    ):
        assert (unknown.missed, bool(unknown.undecided)) == (missed, True)


def test_a_corrected_mean_must_cover_as_many_papers_as_the_raw_one() -> None:
    """A system must not reach it by refusing the hard papers: 1 of 2 is too few."""
    actual = only([TWO[0], paper(2, EMPTY)], GENEROUS, floor(0.1))
    assert (actual.n_scored, actual.n_of, actual.missed) == (1, 2, (floor(0.1),))
    assert actual.undecided == ()


PERFECT = labelled_sentences([4, 0], [0, 4])
OPEN = sentences((6, 6), (5, 5), n_open=1)


def test_what_is_unanswered_is_wrong_in_the_worst_case_and_its_label_at_the_top() -> None:
    """Worked examples: 5 of 5 answered sentences and one open are 5 of 6.

    Of three labels of .5 the third may be rated 1: the mean error is -.2. A third result of 2
    may be rated 4.
    """
    results = [paper(n, facet=0.5, facet_result=2.0) for n in range(2)]
    for papers, labels, value, worst in (
        (OPEN, PERFECT, 1.0, 11 / 12),
        (TWO, overall((0.5, 0.55), (0.5, 0.55), (0.5, None)), 0.65, 0.5),
        (results, overall((2, 2), (2, 2), (2, None), kind="result"), 2.0, 2 - 2 / 3),
    ):
        actual = only(papers, labels)
        assert actual.value == pytest.approx(value)
        assert actual.worst is not None
        assert actual.worst.value == pytest.approx(worst)
    assert only(sentences((6, 6), (5, 5)), PERFECT).worst is None


def corrected_verdict(
    papers: Sequence[Numbers],
    labels: Sequence[GoldenPair],
    *floors: Threshold,
    mean: float = 0.25,
    waivers: Waivers | None = None,
    fault: str = "",
) -> SystemVerdict:
    """The verdict where corrected means have floors, and the raw mean of FM a threshold."""
    limits = Thresholds(pair=(), mean=(Threshold("facet", mean),), corrected=floors)
    return system_verdict(papers, limits, waivers or on_day(), labels, fault)


def test_a_corrected_mean_decides_beside_the_raw_one() -> None:
    """The judge is generous: its own mean of 0.7 reaches 0.69, what people would say does not.

    Whoever waived a low mean did not say that labels are to be wrong about it.
    """
    waived = on_day(waiver(paper=ALL_PAPERS))
    for least, mean, waivers, expected in (
        (0.64, 0.69, None, "passed"),
        (0.66, 0.69, None, "failed"),
        (0.64, 0.71, None, "failed"),
        (0.66, 0.71, waived, "failed"),
    ):
        actual = corrected_verdict(TWO, GENEROUS, floor(least), mean=mean, waivers=waivers)
        assert outcome(actual) == expected
        assert bool(actual.missed) is (mean == 0.71 and waivers is None)


CANNOT = "the mean of {} cannot be corrected, "
TO_DO = "; label more, or set the threshold on [thresholds.mean] "
CHANCE = (
    f"the judge calls 0.5 of the golden true rows true and 0.5 of the false ones{TO_DO}faithfulness"
)


@pytest.mark.parametrize(
    ("papers", "labels", "limit", "message"),
    [
        # a judge no better than chance says nothing of the system
        (
            sentences((1, 2), (2, 2)),
            labelled_sentences([1, 1], [1, 1]),
            floor(0.5, "faithfulness"),
            CANNOT + CHANCE,
        ),
        # it must not vanish with the papers that do not have the number, nor with the labels
        (
            [pair(f"moss-{n}", rated({"result": 4})).numbers() for n in range(2)],
            overall((1, 2), (2, 2), kind="method"),
            floor(2, "facet.method"),
            f"{CANNOT}there are no judged rows{TO_DO}facet.method",
        ),
        (
            TWO,
            overall((0.5, None), (0.7, None)),
            floor(0.5),
            f"{CANNOT}there are no golden rows{TO_DO}facet",
        ),
        # a mean, or the bound of its interval, that only silence lifts
        (
            OPEN,
            PERFECT,
            floor(0.95, "faithfulness"),
            f"corrected mean {{}} 1.000 meets 0.95, and would be 0.917 {LEFT} wrong",
        ),
        (
            OPEN,
            PERFECT,
            floor(0.45, "faithfulness", "lower"),
            f"corrected mean {{}}.lower 0.499 meets 0.45, and would be 0.348 {LEFT} wrong",
        ),
        ([TWO[0], paper(2, SILENT)], GENEROUS, floor(0.1), UNSCORED),
    ],
)
def test_what_labels_and_judge_do_not_tell_is_neither_met_nor_missed(
    papers: list[Numbers], labels: list[GoldenPair], limit: Threshold, message: str
) -> None:
    """A threshold must not turn green, nor the system red, by what nobody knows."""
    limits = Thresholds(pair=(), mean=(), corrected=(limit,))
    actual = system_verdict(papers, limits, on_day(), labels)
    assert outcome(actual) == "error"
    assert actual.undecided[-1] == message.format(limit.name)


def test_labels_that_the_judge_did_not_answer_leave_the_corrected_mean_open() -> None:
    """The reason is told once, and only where a threshold needs them."""
    floors = (floor(0.1), floor(0.1, "facet.result"))
    actual = corrected_verdict(TWO, (), *floors, fault="no reply")
    assert (actual.undecided, outcome(actual)) == (("no reply",), "error")
    assert outcome(corrected_verdict(TWO, (), fault="no reply")) == "passed"

from __future__ import annotations

from dataclasses import replace
from math import inf, nextafter
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from summeval_pytest.errors import Place
from summeval_pytest.metrics.flow import averaged
from summeval_pytest.metrics.score import CATALOGUE, Unscored
from summeval_pytest.record.record import (
    Claim,
    Comparison,
    Difference,
    FacetChange,
    Flip,
    PairRecord,
)
from summeval_pytest.reports.ci import step_summary
from summeval_pytest.reports.pair import (
    change_lines,
    comparison_lines,
    corrected_text,
    describe_means,
    describe_pair,
    detectable_text,
    missed_lines,
    shown,
)
from summeval_pytest.reports.run import run_lines
from summeval_pytest.verdict.decide import MeanVerdict, PairVerdict, Shortfall, SystemMean
from tests.reports import records
from tests.reports.records import (
    CHANCE,
    CHANGE,
    HOSTILE,
    SHIFT,
    UNLIKE,
    changed,
    corrected,
    difference,
    floor,
    harmless,
    in_other_words,
    junit_text,
    page_text,
    waived,
)
from tests.verdict.records import (
    believed,
    marks,
    pair,
    rated,
)

if TYPE_CHECKING:
    from syrupy.assertion import SnapshotAssertion

    from summeval_pytest.verdict.corrected import CorrectedMean
    from summeval_pytest.verdict.findings import Finding


RATES = st.floats(0, 1, allow_subnormal=False).filter(lambda rate: rate == 0 or rate > 1e-6)


def test_a_number_has_three_digits_or_as_many_as_it_takes(snapshot: SnapshotAssertion) -> None:
    """A rating is whole, no number a dash; told "0.550 < 0.550", a reader would suspect a bug."""
    plain = [("facet", 1.0), ("eva", 2 / 3), ("facet.result", 4.0), ("facet.result", 2.9996)]
    assert [*(shown(*each) for each in plain), shown("eva.precision", None, 0.5)] == snapshot
    for value, least in ((0.5552, 0.5554), (0.5, 0.5004), (0.55554, 0.5556), (1.99998, 2.0)):
        name = "facet.result" if least > 1 else "facet"
        assert float(shown(name, value, least)) < float(shown(name, least, least))


@pytest.mark.parametrize(
    ("value", "least", "text"),
    [
        (0.5, 0.55, "0.500"),
        (0.5499, 0.55, "0.5499"),
        (0.54996, 0.55, "0.54996"),
        (0.5499999, 0.55, "0.5499999"),
        (nextafter(0.55, 0), 0.55, "0.5499999999999999"),
        (nextafter(1.0, 0), 1.0, "0.9999999999999999"),
        (0.55, 0.55, "0.550"),
        (0.5501, 0.55, "0.550"),
    ],
)
def test_digits_are_added_until_a_shortfall_can_be_seen(
    value: float, least: float, text: str
) -> None:
    """Told "0.550 < 0.550", a reader would take it for a bug of ours."""
    assert shown("facet", value, least) == text


@given(value=RATES, least=RATES)
def test_what_is_printed_decides_as_the_numbers_do(value: float, least: float) -> None:
    """Law: of a value and a threshold, the one that is less is the one that reads as less."""
    printed = float(shown("eva", value, least)), float(shown("eva", least, least))
    assert (printed[0] < printed[1]) == (value < least)


def test_a_number_that_no_threshold_can_name_is_a_mistake_of_ours() -> None:
    """Its range says how to show it."""
    with pytest.raises(KeyError, match="rouge"):
        shown("rouge", inf)


FACET = Shortfall(name="facet", value=0.5, least=0.55)
RESULT = Shortfall(name="facet.result", value=2, least=3)
FINDING = records.FACET


def failing(*findings: Finding, **values: object) -> PairRecord:
    """A pair that misses FM and its result, with these findings."""
    return records.failing("zinc-01", FACET, RESULT, findings=findings, **values)


def described(**values: object) -> list[str]:
    """The lines about one finding that is changed so, without heading."""
    return describe_pair(failing(changed(FINDING, **values))).split("\n")[3:]


@given(st.integers(40, 100), st.sampled_from(["::error::no", "##[error]no"]))
def test_a_command_that_wrapping_brings_to_the_start_of_a_line_is_disarmed(
    n_before: int, command: str
) -> None:
    """Law: wherever the line breaks fall, no line begins with a command, blanks before or not."""
    text = "m" * n_before + " " + command
    report = describe_pair(failing(replace(FINDING, summary=text, reason=text)))
    assert "##[" not in report
    assert not [line for line in report.split("\n") if line.strip().startswith("::")]


@pytest.mark.parametrize("megabyte", ["Zinc was given. " * 65_536, "z" * 1_048_576])
def test_a_paragraph_of_a_megabyte_is_cut(megabyte: str) -> None:
    """A report that nobody can scroll through hides the next finding."""
    lines = described(
        reference=megabyte, summary=megabyte, evidence=((0, megabyte),), reason=megabyte
    )
    assert max(map(len, lines)) <= 80
    assert sum(map(len, lines)) < 9_000
    assert "\n".join(lines).count("\u2026") == 4
    assert [line.split()[0] for line in lines if line.startswith("   ") and line[3] != " "] == [
        "reference",
        "summary",
        "source",
        "reason",
    ]


@given(
    reference=st.none() | st.text(max_size=300),
    summary=st.text(max_size=300),
    reason=st.text(max_size=300),
)
def test_a_report_is_lines_of_printable_text(
    reference: str | None, summary: str, reason: str
) -> None:
    """Law: whatever is quoted, no invisible character and no line of its own gets through."""
    lines = described(reference=reference, summary=summary, reason=reason)
    assert all(character.isprintable() or character.isspace() for character in "".join(lines))
    assert lines[0] == "1. facet result: rated 1 of 4, at least 3 wanted"
    assert all(line.startswith("   ") for line in lines[1:])


def mean(
    name: str, value: float | None, least: float, n_scored: int = 40, n_papers: int = 40
) -> SystemMean:
    """The mean of one number over many papers."""
    return replace(records.mean(name, value, least), n_scored=n_scored, n_papers=n_papers)


def missing(name: str, *support: float | None, least: float = 0.6) -> PairRecord:
    """A pair that misses this threshold, with sentences believed so far."""
    verdict = PairVerdict(shortfalls=(Shortfall(name=name, value=0.5, least=least),))
    return replace(pair("moss-1", believed(*support)), verdict=verdict)


def weak_lines(pair: PairRecord) -> list[str]:
    """What a failing pair shows of its supported sentences."""
    return describe_pair(pair).split("\n")[2:]


def test_supported_sentences_under_the_threshold_are_shown_weakest_first(
    snapshot: SnapshotAssertion,
) -> None:
    """They are no findings, and the mean is low because of them; digits tell .5999 from .6."""
    assert list(weak_lines(missing("faithfulness.support", 0.9, 0.59999, 0.25, 0.6))) == snapshot


def test_other_numbers_show_none() -> None:
    """The rate is missed by unsupported sentences, which are findings."""
    assert not list(weak_lines(missing("faithfulness", 0.5)))
    assert not list(weak_lines(missing("faithfulness.support", 0.9)))


def told(*differences: Difference, flips: tuple[Flip, ...] = ()) -> list[str]:
    """The lines of a comparison."""
    found = Comparison(baseline="v1", system="careful", differences=differences, flips=flips)
    return list(comparison_lines(found))


@pytest.mark.parametrize(
    ("deviation", "detectable", "expected"),
    [(0.1, 0.0654, "0.065"), (0.1, None, "none"), (0.0, None, "-"), (None, None, "none")],
)
def test_what_a_suite_can_see_is_a_drop_or_nothing_or_unknown(
    deviation: float | None, detectable: float | None, expected: str
) -> None:
    """With too few papers no drop can be seen, least of all with one, which has no deviation.

    Where nothing varies nobody can say.
    """
    found = difference("eva", p=1.0, deviation=deviation, detectable=detectable)
    assert detectable_text(found) == expected
    assert told(found)[2].split()[-1] == expected


def flips(n_flips: int) -> tuple[Flip, ...]:
    """Results that are rated lower."""
    return tuple(Flip(paper=f"moss-{n:02}", facet="result", old=4, new=1) for n in range(n_flips))


@pytest.mark.parametrize("broken", [(), ("it drops",)], ids=["passing", "failing"])
def test_no_line_of_a_table_is_over_80_columns(broken: tuple[str, ...]) -> None:
    """Worked example: every number, each with a drop of its whole scale over 2,000 papers.

    Of the count, which has no end, that is a rise from 0 to 9.

    The columns take 19 + 7 + 7 + 8 + 2 + 16 + 7 + 7 = 73, and the mark of a failure 7 more.
    """
    wide = [
        Difference(
            name=name,
            n_papers=2000,
            old=named.best,
            new=9.0 if named.worst is None else named.worst,
            change=(9.0 if named.worst is None else named.worst) - named.best,
            low=named.low - min(named.high, 9.0),
            high=min(named.high, 9.0) - named.low,
            p=0.0001,
            deviation=1.0,
            detectable=2.999,
            broken=broken,
        )
        for name, named in CATALOGUE.items()
    ]
    lines = told(*wide, flips=flips(13))
    assert max(map(len, lines)) <= 80
    rows = [line.removesuffix("  FAILS") for line in lines[1 : 2 + len(wide)]]
    assert {len(row) for row in rows} == {73}
    assert len([line for line in lines if line.endswith("  FAILS")]) == len(broken) * len(wide)
    assert all(len(row.split()) == 8 for row in rows[1:])


texts = st.text(alphabet=st.sampled_from(":# [x-\x1b\n\u202e\ud800e,")) | st.just(HOSTILE)


@given(texts)
def test_hostile_text_in_a_change_is_shown_and_not_obeyed(text: str) -> None:
    """Law: whatever papers, summaries and judges say, also where a line is broken in it."""
    harmless(change_lines(in_other_words(CHANGE, lambda word: f"{text * 9}{word} {text}")))


SINGLE = replace(corrected(), low=None, high=None, reason="all golden rows are of one paper")
"""A mean without an interval."""


@pytest.mark.parametrize(
    ("found", "text"),
    [
        (corrected(), "facet 0.624 [0.52, 0.72]"),
        (corrected("facet.result", 3.0), "facet.result 3 [2.90, 3.10]"),
        (corrected("facet.result", 2.25), "facet.result 2.250 [2.15, 2.35]"),
        (corrected("faithfulness", None), f"faithfulness unknown ({CHANCE})"),
        (SINGLE, "facet 0.624 (all golden rows are of one paper)"),
    ],
)
def test_a_corrected_mean_is_told_with_its_interval_or_why_there_is_none(
    found: CorrectedMean, text: str
) -> None:
    """A number that twenty labels tell must not look as sure as one that a thousand do."""
    assert corrected_text(found) == text


def test_every_threshold_that_is_missed_has_a_phrase(snapshot: SnapshotAssertion) -> None:
    """On the mean or on its lower bound, of a metric or of a facet; what is reached has none."""
    limits = (
        floor(0.65, "facet"),
        floor(0.6, "facet"),
        floor(0.55, "facet", "lower"),
        floor(0.5, "facet", "lower"),
    )
    told = list(
        missed_lines(
            (
                corrected("facet", 0.6243, *limits),
                corrected("facet.result", 2.0, floor(3, "facet.result")),
            )
        )
    )
    assert told == snapshot


def test_what_is_unknown_is_missed_and_told_as_unknown() -> None:
    """A record that a later version reads may hold it."""
    (told,) = missed_lines((corrected("faithfulness", None, floor(0.5, "faithfulness")),))
    assert told == (
        f"corrected mean faithfulness unknown < 0.500 (faithfulness unknown ({CHANCE}))"
    )
    (told,) = missed_lines((replace(SINGLE, floors=(floor(0.3, "facet", "lower"),)),))
    assert told.startswith("corrected mean facet.lower unknown < 0.300 (facet 0.624 (all golden")


LACK = Unscored(metric="eva", status="refused_candidate", reason="the system\x1b[31m refused")
UNSUPPORTED = records.SENTENCE
LOST = replace(FINDING, kind="fact", number="eva.recall", title="fact", summary=" \n ")
CLOSE = (
    Shortfall(name="facet", value=0.5499999, least=0.55),
    Shortfall(name="eva", value=0.5, least=0.5004),
    Shortfall(name="eva.recall", value=None, least=0.3),
    Shortfall(name="faithfulness.conflicts", value=1.0, least=0.0),
)
IN_USE = waived("in use", finding="facet.result")
EXPIRED = waived("expired", finding="facet", owner="\x1b[31m##[error]\n::x")
FAILING = {
    "three findings": failing(
        UNSUPPORTED, FINDING, LOST, verdict=PairVerdict(shortfalls=(FACET, RESULT, *CLOSE[2:3]))
    ),
    "one that explains it": failing(
        replace(FINDING, number="facet.method"), FINDING, verdict=PairVerdict(shortfalls=(RESULT,))
    ),
    "no text": failing(verdict=PairVerdict(shortfalls=(), lacking=(LACK,)), summary=" \n "),
    "refusal": failing(verdict=PairVerdict(shortfalls=(), lacking=(LACK,)), summary="No::\x1b"),
    "waived": failing(
        FINDING, verdict=PairVerdict(shortfalls=(FACET,), waived=(RESULT,), waivers=(IN_USE,))
    ),
    "waiver to mend": failing(
        FINDING, verdict=PairVerdict(shortfalls=(), lacking=(LACK,), waivers=(EXPIRED,))
    ),
    "close": failing(verdict=PairVerdict(shortfalls=CLOSE)),
    "note": failing(FINDING, note="source cut\x1b[31m", place=Place("::error::a\x1b.jsonl", 3)),
    "references": failing(FINDING, scores=(averaged((rated(marks(result=2)), rated())),)),
    "weak sentences": replace(missing("faithfulness.support", *[0.5] * 8), change=CHANGE),
}


@pytest.mark.parametrize("name", FAILING)
def test_a_failing_pair_says_what_is_missed_and_shows_why(
    snapshot: SnapshotAssertion, name: str
) -> None:
    """The first line is the whole story; a value under its threshold never reads as equal."""
    assert describe_pair(FAILING[name]).split("\n") == snapshot


RAW = SystemMean(name="facet", value=0.9, least=0.8, n_scored=40, n_papers=40)
LOW = corrected("facet", 0.6243, floor(0.65, "facet"))
MEANS = {
    "too low, too few, in order": MeanVerdict(
        means=(
            mean("facet.result", 2.25, 3),
            mean("eva", 0.9, 0.4, n_scored=37),
            mean("faithfulness", 1.0, 0.9),
        )
    ),
    "close": MeanVerdict(means=(mean("eva", 0.39996, 0.4), mean("facet", 0.6504, 0.65037))),
    "an upper bound": MeanVerdict(
        means=(
            mean("faithfulness.conflicts", 0.25, 0.2499),
            mean("faithfulness.conflicts", 0.25, 0.3),
        )
    ),
    "a count without one paper": MeanVerdict(
        means=(mean("faithfulness.conflicts", 0.0, 0.0, n_scored=39),)
    ),
    "no paper": MeanVerdict(means=(mean("facet.method", None, 2, n_scored=0, n_papers=0),)),
    "waived": MeanVerdict(
        means=(mean("facet", 0.5, 0.65), mean("eva", 0.3, 0.4)),
        waivers=(waived("in use", finding="facet"),),
    ),
    "waivers to mend": MeanVerdict(
        means=(mean("facet", 0.5, 0.65),),
        waivers=(waived("exceeded", finding="facet", least=0.6), EXPIRED),
    ),
    "corrected": MeanVerdict(means=(RAW,), corrected=(LOW, corrected("faithfulness", 0.9))),
    "raw and corrected": MeanVerdict(means=(replace(RAW, least=0.95),), corrected=(LOW,)),
}


@pytest.mark.parametrize("name", MEANS)
def test_a_failing_system_names_its_means(snapshot: SnapshotAssertion, name: str) -> None:
    """Those that fail stand on the first line, the others below."""
    assert describe_means("careful", MEANS[name]).split("\n") == snapshot


FEW = replace(difference("facet.background"), n_papers=3)
RISE = Difference(name="eva", n_papers=2, old=0.5, new=0.75, change=0.25, low=0.0, high=0.5)
COMPARED = {
    "two numbers": (difference(), difference("eva.recall_entailed", p=None)),
    "a broken rule": (difference(), difference("eva", "eva drops")),
    "fewer papers": (FEW, difference(), replace(FEW, name="eva", broken=("it drops",))),
    "a rise": (RISE, replace(RISE, name="facet", low=None)),
    "nothing": (),
}


@pytest.mark.parametrize("name", COMPARED)
def test_a_comparison_is_a_table_with_a_line_for_each_number(
    snapshot: SnapshotAssertion, name: str
) -> None:
    """Old and new mean, change, interval, p value, what could be seen, and what fails."""
    assert told(*COMPARED[name]) == snapshot


def test_a_comparison_counts_flips_and_notes_brevity(snapshot: SnapshotAssertion) -> None:
    """After twelve flips the rest are counted; long notes are wrapped."""
    note = "faithfulness rose by 0.167 only because summaries became shorter: 20 to 18 words each"
    found = Comparison(
        baseline="v1.3",
        system="careful",
        differences=(RISE,),
        flips=flips(13),
        brevity=(note,),
        undecided=(note,),
    )
    assert list(comparison_lines(found)) == snapshot
    refused = Comparison(baseline="v1.3", system="careful", mismatches=("judge", "suite differs"))
    assert list(comparison_lines(refused))[1:] == ["  judge", "  suite differs"]


SURE = replace(SHIFT, metric="eva", n_seen=30, low=-0.2, high=0.05)


def test_a_judge_shift_is_a_table_and_a_warning_where_it_is_more_than_chance() -> None:
    """Also where another judge is why nothing else could be compared."""
    table = [
        "judge shift   same  change   judge  95 % interval     system  95 % interval",
        "facet          150  -0.250  -0.125  [-0.200, -0.050]  -0.125  [-0.250, +0.000]",
        "eva            150  -0.250  -0.125  [-0.200, +0.050]  -0.125  [-0.250, +0.000]",
        "judge: what moved on summaries that both runs judged; system: the rest.",
        "papers where other summaries tell the judge's part: facet 20 of 30",
        "warning: the judge scores facet otherwise now: -0.125 [-0.200, -0.050] of the",
        "  change of -0.250 is its own, by 150 summaries that both runs judged",
    ]
    compared = Comparison(baseline="v1.3", system="careful", differences=(RISE,))
    assert list(comparison_lines(replace(compared, shifts=(SHIFT, SURE))))[-len(table) :] == table
    unlike = replace(compared, differences=(), mismatches=("judge differs",), shifts=(SHIFT, SURE))
    assert list(comparison_lines(unlike))[1:] == ["  judge differs", *table]


def test_a_judge_that_has_not_shifted_takes_one_line_or_a_row_without_interval() -> None:
    """Numbers that are all 0 are told only where they are all there is to tell."""
    still = replace(SHIFT, n_seen=30, n_pairs=1, judge=0.0, system=-0.25, low=None, high=None)
    compared = Comparison(baseline="v1.3", system="careful", differences=(RISE,), shifts=(still,))
    assert list(comparison_lines(compared))[-1] == (
        "no judge shift: 1 summary that both runs judged, all with the same scores"
    )
    unlike = replace(compared, differences=(), mismatches=("judge differs",))
    assert list(comparison_lines(unlike))[-2:] == [
        "facet            1  -0.250  +0.000                    -0.250  [-0.250, +0.000]",
        "judge: what moved on summaries that both runs judged; system: the rest.",
    ]


def test_every_report_warns_of_a_judge_shift() -> None:
    """Whoever reads only one of them would take the judge's drop for the system's."""
    shifted = replace(UNLIKE, shifts=(SHIFT,))
    careful = records.system("careful", comparison=shifted, papers=("zinc-01",))
    made = records.record(records.passing(), systems=(careful,))
    told = "the judge scores facet otherwise now: -0.125 [-0.200, -0.050] of the change of -0.250"
    texts = ["\n".join(run_lines(made)), page_text(made), step_summary(made), junit_text(made)]
    for text in texts:
        assert told in " ".join(text.split())


def test_a_change_counts_what_it_does_not_show(snapshot: SnapshotAssertion) -> None:
    """Five of a kind are listed; a facet that one reading lacks is absent and not 0."""
    many = tuple(Claim(text=f"{n} {'moss ' * 900}") for n in range(7))
    facet = FacetChange(
        facet="background", old=None, new=2, reference="", before="", after="", reason=""
    )
    found = replace(CHANGE, numbers=(), facets=(facet,), lost=many, unsupported=())
    lines = list(change_lines(found))
    assert max(map(len, lines)) <= 80
    assert [line for line in lines if not line.startswith("    moss")] == snapshot

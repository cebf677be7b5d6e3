from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from summeval_pytest.errors import Place
from summeval_pytest.metrics.flow import averaged
from summeval_pytest.metrics.score import Unscored
from summeval_pytest.record.record import PairRecord
from summeval_pytest.reports.pair import describe_means, describe_pair, missed_numbers, short_of
from summeval_pytest.suite.values import Waiver
from summeval_pytest.verdict.decide import MeanVerdict, PairVerdict, Shortfall, SystemMean
from summeval_pytest.verdict.findings import Finding
from summeval_pytest.verdict.thresholds import WaiverUse
from tests.verdict.records import marks, rated

FACET = Shortfall(name="facet", value=0.5, least=0.55)
RESULT = Shortfall(name="facet.result", value=2, least=3)
PAIR = PairRecord(
    paper="zinc-01",
    system="careful",
    outcome="failed",
    summary="Mice slept.",
    place=Place("golden/systems/careful.jsonl", 3),
    scores=(),
    signatures=("facet|judge:fair-1|v:1", "eva|judge:fair-1|v:1"),
)
FINDING = Finding(
    kind="facet",
    number="facet.result",
    title="facet result",
    verdict="rated 2 of 4",
    reason="the hours are missing",
    reference="Mice slept two hours longer.",
    summary="Mice slept.",
    evidence=((7, "The mice with zinc slept two hours longer."),),
    severity=2 / 3,
)


def failing(
    *findings: Finding, verdict: PairVerdict | None = None, **changes: object
) -> PairRecord:
    """A pair that misses FM and its result, with these findings."""
    verdict = verdict or PairVerdict(shortfalls=(FACET, RESULT))
    return replace(PAIR, findings=findings, verdict=verdict, **changes)  # type: ignore[arg-type]  # the tests name its fields


def lines_of(pair: PairRecord) -> list[str]:
    """The lines of its report."""
    return describe_pair(pair).split("\n")


def described(**changes: object) -> list[str]:
    """The lines about one finding that is changed so, without heading."""
    finding = replace(FINDING, **changes)  # type: ignore[arg-type]  # the tests name its fields
    return lines_of(failing(finding))[3:]


def waiver(finding: str, *, owner: str = "ines", least: float | None = None) -> Waiver:
    """A waiver of one number."""
    return Waiver(
        name="moss",
        paper="zinc-01",
        system="careful",
        finding=finding,
        least=least,
        owner=owner,
        reason="the reference is being mended",
        expires="2027-01-31",
        place=Place("golden/summeval.toml", 30),
    )


def test_a_failing_pair_is_told_in_full() -> None:
    """Worked example: what is missed, where, everything wrong in the order given."""
    unsupported = Finding(
        kind="sentence",
        number="faithfulness",
        title="sentence 2",
        verdict="unsupported, support 0.20 of 1",
        reason="no word of it is in the source",
        reference=None,
        summary="Ferns grew.",
        evidence=(),
        severity=0.8,
    )
    missing = Finding(
        kind="fact",
        number="eva.recall",
        title="fact of the reference",
        verdict="is not in the summary",
        reason="no fact says so",
        reference="Water did nothing.",
        summary="",
        evidence=((0, "Others had water."),),
        severity=0.5,
    )
    verdict = PairVerdict(
        shortfalls=(
            FACET,
            RESULT,
            Shortfall(name="eva.precision", value=None, least=0.3),
        )
    )
    assert lines_of(failing(unsupported, FINDING, missing, verdict=verdict)) == [
        "facet 0.500 < 0.550; facet.result 2 < 3; eva.precision - < 0.300",
        "golden/systems/careful.jsonl:3: careful on zinc-01",
        "",
        "1. sentence 2: unsupported, support 0.20 of 1",
        '   summary      "Ferns grew."',
        "   source       (no sentence of the source shares a word with it)",
        "   reason       no word of it is in the source",
        "",
        "2. facet result: rated 2 of 4, at least 3 wanted",
        '   reference    "Mice slept two hours longer."',
        '   summary      "Mice slept."',
        '   source [8]   "The mice with zinc slept two hours longer."',
        "   reason       the hours are missing",
        "",
        "3. fact of the reference: is not in the summary",
        '   reference    "Water did nothing."',
        "   summary      (nothing)",
        '   source [1]   "Others had water."',
        "   reason       no fact says so",
    ]


def test_a_summary_that_could_not_be_scored_says_why() -> None:
    """There is no number, so there is no recipe to show either."""
    lacking = (
        Unscored(metric="facet", status="degenerate_candidate", reason="the summary is empty"),
        Unscored(metric="eva", status="refused_candidate", reason="the system refused"),
    )
    verdict = PairVerdict(shortfalls=(), lacking=lacking)
    assert lines_of(failing(verdict=verdict, summary=" \n ")) == [
        "facet: the summary is empty; eva: the system refused",
        "golden/systems/careful.jsonl:3: careful on zinc-01",
    ]


def test_how_a_summary_was_made_is_told_where_it_matters() -> None:
    """A model that has read half of a paper is not blamed for the other half unawares."""
    pair = failing(FINDING, note="source cut from 9,000 to 3,000 characters\x1b[31m")
    assert lines_of(pair)[1:5] == [
        "golden/systems/careful.jsonl:3: careful on zinc-01",
        r"source cut from 9,000 to 3,000 characters\x1b[31m",
        "",
        "1. facet result: rated 2 of 4, at least 3 wanted",
    ]


def test_a_reply_that_is_no_summary_is_shown() -> None:
    """It is in no file, so the report is the only place where its reader can see it."""
    reason = "the summary was cut off at max_tokens = 8"
    lack = Unscored(metric="eva", status="degenerate_candidate", reason=reason)
    verdict = PairVerdict(shortfalls=(), lacking=(lack,))
    assert lines_of(failing(verdict=verdict, summary="Mice\n::error::slept\x1b[31m and")) == [
        "eva: the summary was cut off at max_tokens = 8",
        "golden/systems/careful.jsonl:3: careful on zinc-01",
        "",
        r'   summary      "Mice ::error::slept\x1b[31m and"',
    ]


def test_what_is_missed_and_what_is_lacking_stand_on_one_line() -> None:
    """The line that pytest's short summary shows has to be the whole story."""
    lack = Unscored(metric="eva", status="refused_candidate", reason="the system refused")
    verdict = PairVerdict(shortfalls=(FACET, RESULT), lacking=(lack,))
    assert lines_of(failing(FINDING, verdict=verdict))[0] == (
        "facet 0.500 < 0.550; facet.result 2 < 3; eva: the system refused"
    )


def test_a_value_just_under_its_threshold_never_prints_as_equal() -> None:
    """The reader has to see why the test is red."""
    shortfalls = (
        Shortfall(name="facet", value=0.5499999, least=0.55),
        Shortfall(name="eva", value=0.5, least=0.5004),
    )
    first, *_ = lines_of(failing(verdict=PairVerdict(shortfalls=shortfalls)))
    assert first == "facet 0.5499999 < 0.550; eva 0.500 < 0.5004"


def test_a_facet_that_meets_its_threshold_names_no_wish() -> None:
    """With FM too low it is listed for its lost point, and not for a threshold that it meets."""
    only_fm = PairVerdict(shortfalls=(FACET,))
    assert lines_of(failing(FINDING, verdict=only_fm))[3] == "1. facet result: rated 2 of 4"


def test_a_threshold_between_two_ratings_is_shown_as_it_was_written() -> None:
    """2.5 is not 2."""
    verdict = PairVerdict(shortfalls=(Shortfall(name="facet.result", value=2, least=2.5),))
    lines = lines_of(failing(FINDING, verdict=verdict))
    assert lines[3] == "1. facet result: rated 2 of 4, at least 2.5 wanted"


def test_a_fact_or_a_sentence_names_no_wish() -> None:
    """The threshold is for the rate over all of them, and one cannot reach it."""
    verdict = PairVerdict(
        shortfalls=(
            Shortfall(name="eva.recall", value=0.1, least=0.3),
            Shortfall(name="faithfulness", value=0.5, least=0.9),
        )
    )
    fact = replace(FINDING, kind="fact", number="eva.recall", title="fact", verdict="lost")
    sentence = replace(fact, kind="sentence", number="faithfulness", title="sentence 1")
    lines = lines_of(failing(fact, sentence, verdict=verdict))
    assert [line for line in lines if line[:1].isdigit()] == [
        "1. fact: lost",
        "2. sentence 1: lost",
    ]


def test_only_what_explains_the_failure_is_told() -> None:
    """A record keeps every finding; a failing test shows those that have to do with it."""
    conclusion = replace(FINDING, number="facet.conclusion", title="facet conclusion")
    verdict = PairVerdict(shortfalls=(RESULT,))
    lines = lines_of(failing(conclusion, FINDING, verdict=verdict))
    assert [line for line in lines if line[:1].isdigit()] == [
        "1. facet result: rated 2 of 4, at least 3 wanted"
    ]


def test_what_is_waived_is_told_under_the_place_and_not_as_missed() -> None:
    """The reader of another failure has to know that more is wrong than the first line says."""
    verdict = PairVerdict(
        shortfalls=(FACET,),
        waived=(RESULT,),
        waivers=(WaiverUse(waiver=waiver("facet.result"), state="in use"),),
    )
    assert lines_of(failing(FINDING, verdict=verdict))[:5] == [
        "facet 0.500 < 0.550",
        "golden/systems/careful.jsonl:3: careful on zinc-01",
        "waived: facet.result 2 < 3",
        "",
        "1. facet result: rated 2 of 4",
    ]


def test_a_waiver_that_has_to_go_is_told_on_the_first_line() -> None:
    """Nothing else is wrong with the pair, so there is nothing else to tell."""
    verdict = PairVerdict(
        shortfalls=(), waivers=(WaiverUse(waiver=waiver("facet"), state="not needed"),)
    )
    assert lines_of(failing(FINDING, verdict=verdict)) == [
        (
            "golden/summeval.toml:30: waiver 'moss' of facet (owner 'ines') is no longer needed;"
            " delete it"
        ),
        "golden/systems/careful.jsonl:3: careful on zinc-01",
    ]


def test_everything_that_fails_a_pair_is_named_in_order() -> None:
    """Numbers, then metrics without a score, then waivers."""
    lack = Unscored(metric="eva", status="refused_candidate", reason="the system refused")
    expired = WaiverUse(waiver=waiver("facet"), state="expired")
    verdict = PairVerdict(
        shortfalls=(FACET,), lacking=(lack,), waived=(RESULT,), waivers=(expired,)
    )
    assert list(missed_numbers(verdict)) == [
        short_of(FACET),
        "eva: the system refused",
        (
            "golden/summeval.toml:30: waiver 'moss' of facet (owner 'ines') expired on 2027-01-31;"
            " mend, renew or delete it"
        ),
    ]
    assert short_of(FACET) == "facet 0.500 < 0.550"


def test_the_owner_of_a_waiver_commands_no_terminal() -> None:
    """A pull request may bring the suite file."""
    fault = WaiverUse(waiver=waiver("facet", owner="\x1b[31m##[error]\n::x"), state="expired")
    first, *_ = lines_of(failing(verdict=PairVerdict(shortfalls=(), waivers=(fault,))))
    assert r"(owner '\x1b[31m#\x23[error]\n::x') expired" in first


def test_words_that_are_not_there_are_named_as_nothing() -> None:
    """Empty quotation marks are easy to overlook, and blanks in them look like a text."""
    assert described(reference="", summary=" \n ")[1:3] == [
        "   reference    (nothing)",
        "   summary      (nothing)",
    ]


def test_a_finding_without_a_reference_does_not_mention_it() -> None:
    """The reference plays no part in whether the paper supports a sentence."""
    labels = [line.split()[0] for line in described(reference=None)[1:]]
    assert labels == ["summary", "source", "reason"]


def test_long_texts_are_wrapped_under_their_label() -> None:
    """A paragraph on one line cannot be read beside another."""
    lines = described(reference="Zinc was given to mice again. " * 6)[1:4]
    assert lines[0].startswith('   reference    "Zinc was')
    assert all(line.startswith(" " * 16) and line[16] != " " for line in lines[1:])
    assert all(len(line) <= 80 for line in lines)


def test_a_far_away_source_sentence_keeps_its_number_apart() -> None:
    """Sentence 12345 of a book-length source is a number and not part of the text."""
    assert described(evidence=((12344, "Far."),))[3] == '   source [12345] "Far."'


def test_a_line_break_in_a_text_does_not_break_the_report() -> None:
    """A text that begins a line of its own could pass for a line of ours."""
    assert described(summary="Mice\n2. facet result: rated 4 of 4\nslept.")[2] == (
        '   summary      "Mice 2. facet result: rated 4 of 4 slept."'
    )


@pytest.mark.parametrize(
    ("hostile", "shown"),
    [
        ("\x1b[2J\x1b[31mred", r"\x1b[2J\x1b[31mred"),
        ("\x9b31mred", r"\x9b31mred"),
        ("a\rb\x08c", r"a b\x08c"),
        ("a\n::error file=a.py::no", "a ::error file=a.py::no"),
        ("##[error]no", r"#\x23[error]no"),
        ("###[group]", r"##\x23[group]"),
        ("\u202egnihton\u202c", r"\u202egnihton\u202c"),
        ("\u2066x\u2069\u200b", r"\u2066x\u2069\u200b"),
        ("\x00\ufeff", r"\x00\ufeff"),
        ("\U000e0041tag", r"\U000e0041tag"),
        ("\ud800half", r"\ud800half"),
        ("two\u2028lines", "two lines"),
    ],
)
def test_hostile_text_is_shown_and_not_obeyed(hostile: str, shown: str) -> None:
    """Papers, summaries and judges are other people's; a terminal and a runner obey what they see.

    In every place where such text can stand.
    """
    lines = described(
        reference=hostile, summary=hostile, evidence=((0, hostile),), reason=f"x {hostile}"
    )
    assert lines[1:] == [
        f'   reference    "{shown}"',
        f'   summary      "{shown}"',
        f'   source [1]   "{shown}"',
        f"   reason       x {shown}",
    ]


def test_a_command_at_the_start_of_a_reason_is_disarmed() -> None:
    """No quotation mark stands before a judge's reason."""
    assert described(reason="::set-output name=a::b")[-1] == (
        r"   reason       \x3a:set-output name=a::b"
    )


@given(st.integers(40, 100), st.sampled_from(["::error::no", "##[error]no"]))
def test_a_command_that_wrapping_brings_to_the_start_of_a_line_is_disarmed(
    n_before: int, command: str
) -> None:
    """Law: wherever the line breaks fall, no line begins with a command, blanks before or not."""
    text = "m" * n_before + " " + command
    report = describe_pair(failing(replace(FINDING, summary=text, reason=text)))
    assert "##[" not in report
    assert not [line for line in report.split("\n") if line.strip().startswith("::")]


def test_a_hostile_reason_of_the_metric_is_disarmed() -> None:
    """It stands on the first line, which every report repeats."""
    lack = Unscored(metric="eva", status="degenerate_candidate", reason="no\x1b[31m ##[error]")
    verdict = PairVerdict(shortfalls=(), lacking=(lack,))
    assert lines_of(failing(verdict=verdict))[0] == r"eva: no\x1b[31m #\x23[error]"


def test_a_file_name_is_disarmed() -> None:
    """A pull request may bring the file."""
    pair = failing(place=Place("::error::a\x1b[31m.jsonl", 3))
    assert lines_of(pair)[1] == (r"\x3a:error::a\x1b[31m.jsonl:3: careful on zinc-01")


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
    assert lines[0] == "1. facet result: rated 2 of 4, at least 3 wanted"
    assert all(line.startswith("   ") for line in lines[1:])


def mean(
    name: str, value: float | None, least: float, n_scored: int = 40, n_papers: int = 40
) -> SystemMean:
    """The mean of one number."""
    return SystemMean(name=name, value=value, least=least, n_scored=n_scored, n_papers=n_papers)


def test_means_that_fail_are_told_before_those_that_pass() -> None:
    """Worked example: one too low, one over too few papers, two in order."""
    verdict = MeanVerdict(
        means=(
            mean("facet", 0.7, 0.65, n_scored=39),
            mean("facet.result", 2.25, 3),
            mean("eva", 0.9, 0.4, n_scored=37),
            mean("faithfulness", 1.0, 0.9),
        )
    )
    first, *passing = describe_means("careful", verdict).split("\n")
    assert first == (
        "careful: mean facet.result 2.250 < 3 (40 of 40 papers);"
        " mean eva covers only 37 of 40 papers; the others have no score"
    )
    assert passing == [
        "  mean facet 0.700 >= 0.650",
        "  mean faithfulness 1.000 >= 0.900",
    ]


def test_a_mean_just_beside_its_threshold_reads_as_it_was_decided() -> None:
    """Under it is less, and at least it is not less, also in the last digit."""
    verdict = MeanVerdict(
        means=(mean("eva", 0.39996, 0.4), mean("facet", 0.6504, 0.65037), mean("facet", 0.65, 0.65))
    )
    assert describe_means("careful", verdict).split("\n") == [
        "careful: mean eva 0.39996 < 0.400 (40 of 40 papers)",
        "  mean facet 0.6504 >= 0.6504",
        "  mean facet 0.650 >= 0.650",
    ]


def test_a_mean_over_no_paper_says_so() -> None:
    """A facet that no reference states has no mean, and "- < 2" would not tell why."""
    verdict = MeanVerdict(means=(mean("facet.method", None, 2, n_scored=0, n_papers=0),))
    assert describe_means("careful", verdict) == (
        "careful: mean facet.method applies to none of the papers; remove its threshold"
    )


def test_a_mean_over_papers_without_any_score_says_how_many() -> None:
    """Nothing was measured, which is not the same as nothing to measure."""
    verdict = MeanVerdict(means=(mean("eva", None, 0.4, n_scored=0, n_papers=3),))
    assert describe_means("careful", verdict) == (
        "careful: mean eva covers only 0 of 3 papers; the others have no score"
    )


def test_a_waiver_of_a_mean_that_has_to_go_is_told_with_what_is_missed() -> None:
    """The one line that a short summary shows is the whole story."""
    verdict = MeanVerdict(
        means=(mean("facet", 0.5, 0.65), mean("eva", 0.9, 0.4)),
        waivers=(
            WaiverUse(waiver=waiver("facet", least=0.6), state="exceeded"),
            WaiverUse(waiver=waiver("eva"), state="not needed"),
        ),
    )
    assert describe_means("careful", verdict).split("\n") == [
        (
            "careful: mean facet 0.500 < 0.650 (40 of 40 papers);"
            " golden/summeval.toml:30: waiver 'moss' of facet (owner 'ines') allows no less than"
            " 0.6; golden/summeval.toml:30: waiver 'moss' of eva (owner 'ines') is no longer"
            " needed; delete it"
        ),
        "  mean eva 0.900 >= 0.400",
    ]


def test_a_waived_mean_is_not_told_as_missed() -> None:
    """What is left of the failure is another number's."""
    verdict = MeanVerdict(
        means=(mean("facet", 0.5, 0.65), mean("eva", 0.3, 0.4)),
        waivers=(WaiverUse(waiver=waiver("facet"), state="in use"),),
    )
    assert describe_means("careful", verdict).split("\n") == [
        "careful: mean eva 0.300 < 0.400 (40 of 40 papers)",
        "  waived: mean facet 0.500 < 0.650",
    ]


def test_the_owner_of_a_waiver_of_a_mean_commands_no_terminal() -> None:
    """A pull request may bring the suite file, and its name."""
    hostile = replace(
        waiver("facet", owner="\x1b[31m##[error]"), place=Place("a\n::error::\x1b[31m.toml", 30)
    )
    verdict = MeanVerdict(
        means=(mean("facet", 0.9, 0.65),), waivers=(WaiverUse(waiver=hostile, state="expired"),)
    )
    text = describe_means("careful", verdict)
    assert r"(owner '\x1b[31m#\x23[error]') expired" in text
    assert "##[" not in text
    assert not [line for line in text.split("\n") if line.strip().startswith("::")]
    assert all(character.isprintable() or character == "\n" for character in text)


def test_means_over_references_are_told_where_evidence_is_of_one() -> None:
    """The ratings shown are of the lowest reference, and do not give the number that is missed."""
    low, full = rated(marks(result=2)), rated()
    told = (
        "facet: numbers are means over 2 references; what is shown is of the one with the lowest"
        " score"
    )
    mean = averaged((low, full))
    assert lines_of(failing(FINDING, scores=(mean,)))[2] == told
    assert told not in lines_of(failing(FINDING, scores=(low,)))
    other = PairVerdict(shortfalls=(Shortfall(name="faithfulness", value=0.5, least=0.9),))
    assert told not in lines_of(failing(FINDING, scores=(mean,), verdict=other))


def test_an_upper_bound_says_that_it_is_one() -> None:
    """A reader must not take 1 of at most 0 for a number that is too low."""
    short = Shortfall(name="faithfulness.conflicts", value=1.0, least=0.0)
    assert short_of(short) == "faithfulness.conflicts 1 > 0 at most"
    means = tuple(
        SystemMean(name=short.name, value=0.25, least=least, n_scored=4, n_papers=4)
        for least in (0.2499, 0.3)
    )
    first, second, *_ = describe_means("careful", MeanVerdict(means=means)).split("\n")
    assert first == ("careful: mean faithfulness.conflicts 0.250 > 0.2499 at most (4 of 4 papers)")
    assert second == "  mean faithfulness.conflicts 0.250 <= 0.300 at most"

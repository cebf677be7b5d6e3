from __future__ import annotations

from dataclasses import replace
from time import perf_counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from summeval_pytest.errors import Place
from summeval_pytest.evaluation import Evaluation
from summeval_pytest.metrics import Unscored, read_signature, signature_of
from summeval_pytest.reports import describe_means, describe_pair
from summeval_pytest.suite import Flaw, Pair, Paper, Section
from summeval_pytest.verdict import Finding, MeanVerdict, PairVerdict, Shortfall, SystemMean

PAPER = Paper(
    id="zinc-01",
    source=(Section(text="The mice with zinc slept two hours longer."),),
    references=("Mice slept two hours longer.",),
    place=Place("golden/papers.jsonl", 1),
)
PAIR = Evaluation(
    pair=Pair(
        paper=PAPER,
        system="careful",
        summary="Mice slept.",
        place=Place("golden/systems/careful.jsonl", 3),
    ),
    scores=(),
    signatures=(read_signature("facet|judge:fair-1|v:1"), read_signature("eva|judge:fair-1|v:1")),
    source=(),
)
FINDING = Finding(
    kind="facet",
    title="facet result",
    verdict="rated 2 of 4, at least 3 wanted",
    reason="the hours are missing",
    reference="Mice slept two hours longer.",
    summary="Mice slept.",
    evidence=((7, "The mice with zinc slept two hours longer."),),
    severity=2 / 3,
)


def failing(*findings: Finding) -> PairVerdict:
    """A verdict with these findings."""
    shortfall = Shortfall(name="facet", value=0.5, least=0.55)
    return PairVerdict(shortfalls=(shortfall,), findings=findings, lacking=())


def described(**changes: object) -> list[str]:
    """The lines about one finding that is changed so, without heading and signatures."""
    finding = replace(FINDING, **changes)  # type: ignore[arg-type]  # the tests name its fields
    return describe_pair(PAIR, failing(finding)).split("\n")[3:-3]


def test_a_failing_pair_is_told_in_full() -> None:
    """Worked example: what is missed, where, everything wrong in the order given, the recipes."""
    unsupported = Finding(
        kind="sentence",
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
            Shortfall(name="facet", value=0.5, least=0.55),
            Shortfall(name="facet.result", value=2, least=3),
            Shortfall(name="eva.precision", value=None, least=0.3),
        ),
        findings=(unsupported, FINDING, missing),
        lacking=(),
    )
    assert describe_pair(PAIR, verdict).split("\n") == [
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
        '   source [7]   "The mice with zinc slept two hours longer."',
        "   reason       the hours are missing",
        "",
        "3. fact of the reference: is not in the summary",
        '   reference    "Water did nothing."',
        "   summary      (nothing)",
        '   source [0]   "Others had water."',
        "   reason       no fact says so",
        "",
        "signature  facet|judge:fair-1|v:1",
        "signature  eva|judge:fair-1|v:1",
    ]


def test_a_summary_that_could_not_be_scored_says_why() -> None:
    """There is no number, so there is no recipe to show either."""
    lacking = (
        Unscored(metric="facet", status="degenerate_candidate", reason="the summary is empty"),
        Unscored(metric="eva", status="refused_candidate", reason="the system refused"),
    )
    verdict = PairVerdict(shortfalls=(), findings=(), lacking=lacking)
    assert describe_pair(PAIR, verdict).split("\n") == [
        "facet: the summary is empty; eva: the system refused",
        "golden/systems/careful.jsonl:3: careful on zinc-01",
    ]


def test_how_a_summary_was_made_is_told_where_it_matters() -> None:
    """A model that has read half of a paper is not blamed for the other half unawares."""
    pair = replace(PAIR.pair, note="source cut from 9,000 to 3,000 characters\x1b[31m")
    assert describe_pair(replace(PAIR, pair=pair), failing(FINDING)).split("\n")[1:5] == [
        "golden/systems/careful.jsonl:3: careful on zinc-01",
        r"source cut from 9,000 to 3,000 characters\x1b[31m",
        "",
        "1. facet result: rated 2 of 4, at least 3 wanted",
    ]


def test_a_reply_that_is_no_summary_is_shown() -> None:
    """It is in no file, so the report is the only place where its reader can see it."""
    reason = "the summary was cut off at max_tokens = 8"
    flaw = Flaw("degenerate_candidate", reason)
    pair = replace(PAIR.pair, summary="Mice\n::error::slept\x1b[31m and", flaw=flaw)
    lack = Unscored(metric="eva", status="degenerate_candidate", reason=reason)
    verdict = PairVerdict(shortfalls=(), findings=(), lacking=(lack,))
    assert describe_pair(replace(PAIR, pair=pair), verdict).split("\n") == [
        "eva: the summary was cut off at max_tokens = 8",
        "golden/systems/careful.jsonl:3: careful on zinc-01",
        "",
        r'   summary      "Mice ::error::slept\x1b[31m and"',
    ]


def test_what_is_missed_and_what_is_lacking_stand_on_one_line() -> None:
    """The line that pytest's short summary shows has to be the whole story."""
    lack = Unscored(metric="eva", status="refused_candidate", reason="the system refused")
    verdict = replace(failing(FINDING), lacking=(lack,))
    assert describe_pair(PAIR, verdict).split("\n")[0] == (
        "facet 0.500 < 0.550; eva: the system refused"
    )


def test_a_value_just_under_its_threshold_never_prints_as_equal() -> None:
    """The reader has to see why the test is red."""
    shortfalls = (
        Shortfall(name="facet", value=0.5499999, least=0.55),
        Shortfall(name="eva", value=0.5, least=0.5004),
    )
    verdict = PairVerdict(shortfalls=shortfalls, findings=(), lacking=())
    first, *_ = describe_pair(PAIR, verdict).split("\n")
    assert first == "facet 0.5499999 < 0.550; eva 0.500 < 0.5004"


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
    assert described(evidence=((12345, "Far."),))[3] == '   source [12345] "Far."'


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
        f'   source [0]   "{shown}"',
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
    report = describe_pair(PAIR, failing(replace(FINDING, summary=text, reason=text)))
    assert "##[" not in report
    assert not [line for line in report.split("\n") if line.strip().startswith("::")]


def test_a_hostile_reason_of_the_metric_is_disarmed() -> None:
    """It stands on the first line, which every report repeats."""
    lack = Unscored(metric="eva", status="degenerate_candidate", reason="no\x1b[31m ##[error]")
    verdict = PairVerdict(shortfalls=(), findings=(), lacking=(lack,))
    assert describe_pair(PAIR, verdict).split("\n")[0] == r"eva: no\x1b[31m #\x23[error]"


def test_a_file_name_is_disarmed() -> None:
    """A pull request may bring the file."""
    pair = replace(PAIR.pair, place=Place("::error::a\x1b[31m.jsonl", 3))
    assert describe_pair(replace(PAIR, pair=pair), failing()).split("\n")[1] == (
        r"\x3a:error::a\x1b[31m.jsonl:3: careful on zinc-01"
    )


@pytest.mark.parametrize("megabyte", ["Zinc was given. " * 65_536, "z" * 1_048_576])
def test_a_paragraph_of_a_megabyte_is_cut(megabyte: str) -> None:
    """A report that nobody can scroll through hides the next finding."""
    began = perf_counter()
    lines = described(
        reference=megabyte, summary=megabyte, evidence=((0, megabyte),), reason=megabyte
    )
    assert perf_counter() - began < 5
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
    recipe = signature_of("facet", judge="offline-1", suite="77be02a1c3d4")
    first, *passing, last = describe_means("careful", verdict, [recipe]).split("\n")
    assert first == (
        "careful: mean facet.result 2.250 < 3 (40 of 40 papers);"
        " mean eva covers only 37 of 40 papers; the others have no score"
    )
    assert passing == [
        "  mean facet 0.700 >= 0.650",
        "  mean faithfulness 1.000 >= 0.900",
    ]
    assert last == f"signature  {recipe}"


def test_a_mean_just_beside_its_threshold_reads_as_it_was_decided() -> None:
    """Under it is less, and at least it is not less, also in the last digit."""
    verdict = MeanVerdict(
        means=(mean("eva", 0.39996, 0.4), mean("facet", 0.6504, 0.65037), mean("facet", 0.65, 0.65))
    )
    assert describe_means("careful", verdict, ()).split("\n") == [
        "careful: mean eva 0.39996 < 0.400 (40 of 40 papers)",
        "  mean facet 0.6504 >= 0.6504",
        "  mean facet 0.650 >= 0.650",
    ]


def test_a_mean_over_no_paper_says_so() -> None:
    """A facet that no reference states has no mean, and "- < 2" would not tell why."""
    verdict = MeanVerdict(means=(mean("facet.method", None, 2, n_scored=0, n_papers=0),))
    assert describe_means("careful", verdict, ()) == (
        "careful: mean facet.method applies to none of the papers; remove its threshold"
    )


def test_a_mean_over_papers_without_any_score_says_how_many() -> None:
    """Nothing was measured, which is not the same as nothing to measure."""
    verdict = MeanVerdict(means=(mean("eva", None, 0.4, n_scored=0, n_papers=3),))
    assert describe_means("careful", verdict, ()) == (
        "careful: mean eva covers only 0 of 3 papers; the others have no score"
    )

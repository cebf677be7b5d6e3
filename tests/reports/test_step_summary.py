from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from summeval_pytest.metrics.score import EvaScore, Unscored
from summeval_pytest.record.record import Comparison
from summeval_pytest.reports.step_summary import step_summary
from summeval_pytest.text.printing import one_line
from summeval_pytest.verdict.decide import PairVerdict, Shortfall, SystemMean
from summeval_pytest.verdict.thresholds import WaiverUse
from tests.reports.github_records import (
    CHANGE,
    COMPARISON,
    FACET,
    FM,
    SENTENCE,
    UNLIKE,
    WAIVER,
    everything,
    failing,
    in_other_words,
    mean,
    passing,
    record,
    system,
    unscored,
)
from tests.reports.trust_records import TRUSTED, UNMEASURED, golden, measured, untrusted

if TYPE_CHECKING:
    from summeval_pytest.record.record import RunRecord, SuiteRecord

GITHUB = MarkdownIt("gfm-like")
"""CommonMark with tables, strikethrough, raw HTML and addresses as links: what GitHub reads."""
MEBIBYTE = 1024 * 1024
HOSTILE = [
    "x\n\n# Heading\n\n```\n~~~\n",
    "`` ` ``` | a\\|b \\",
    "<script>alert(1)</script></code></td></table></pre><!-- ",
    "[x](https://evil.example) ![x](https://evil.example/p.png) https://evil.example",
    "@octocat #1 me@evil.example www.evil.example **x** ~~x~~ &lt; &#96;",
    "::error::x\n::add-mask::y\n##[error]z",
    "\x1b[31m\u202e\u2028\ufffe\ud83d",
]
PART = system(outcome="not judged", means=())
ENDING = [
    "",
    "## Judge and cost",
    "",
    (
        "- judge `offline-3`: `not calibrated: the suite has no labels to measure it with`;"
        " record mode `new`"
    ),
    "- nobody was asked, so nothing was paid",
    "- `pytest 9.0, python 3.12.1`",
]


def lines_of(run: RunRecord, heading: str) -> list[str]:
    """The lines of one section without its heading."""
    _, found, rest = step_summary(run).partition(f"\n## {heading}\n\n")
    assert found, f"no section {heading!r}"
    return rest.partition("\n\n## ")[0].rstrip("\n").split("\n")


def row_of(run: RunRecord, name: str) -> list[str]:
    """The cells of a system's row."""
    (found,) = [line for line in lines_of(run, "Systems") if line.startswith(f"| `{name}` ")]
    return found.strip("| ").split(" | ")


def shape(run: RunRecord) -> list[tuple[str, str]]:
    """What a reader of Markdown sees, with everything in code spans blotted out."""
    found = []
    for token in GITHUB.parse(step_summary(run)):
        found.append((token.type, ""))
        found += [
            (child.type, "" if child.type == "code_inline" else child.content)
            for child in token.children or []
        ]
    return found


JUDGED = "The judge against the golden labels"
PLACE = "`golden/systems/careless.jsonl:1`"
PLAIN = shape(everything())


def test_a_run_that_passes_is_told_in_a_few_lines() -> None:
    """Worked example: nothing is wrong, so nothing is shown but what was judged, and by whom."""
    careful = system("careful", outcome="passed", means=(mean(value=0.9),), papers=("zinc-01",))
    assert step_summary(record(passing(), systems=(careful,))).split("\n") == [
        "# \u2705 passed: summarization gate",
        "",
        "- suite `golden` `8073075de428`: all 1 pairs are in this run",
        "",
        "## Systems",
        "",
        "| system | verdict | passed | failed | unscored | facet | eva | faithfulness |",
        "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |",
        "| `careful` | \u2705 passed | 1 | 0 | 0 | 0.900 | - | - |",
        *ENDING,
        "",
    ]


def test_a_failing_pair_is_shown_with_both_texts() -> None:
    """Worked example: what it misses, and the wrong sentence beside what the source says."""
    assert lines_of(record(failing()), "Worst findings") == [
        "### `careless` on `zinc-01`",
        "",
        f"{PLACE} misses `facet.result 1 < 2`, `faithfulness 0.500 < 0.800`",
        "",
        "- **`facet result`** `rated 1 of 4`",
        "  - reference `Wounds healed in 21 % of mice.`",
        "  - summary `Wounds healed in 31 % of mice.`",
        "  - source, sentence 8, `Of all mice, 21 % healed.`",
        "  - reason `number: '31 %' against '21 %'`",
        "- **`sentence 2`** `unsupported, support 0.20 of 1`",
        "  - summary `Ferns grew.`",
        "  - reason `no word of it is in the source`",
    ]


def test_further_findings_and_changes_are_counted() -> None:
    """Three findings show what kind of pair it is; the other reports have them all."""
    pair = failing(findings=(FACET, SENTENCE, SENTENCE, SENTENCE, SENTENCE))
    change = replace(CHANGE, unsupported=CHANGE.unsupported * 5)
    pair = replace(pair, change=change, note="the reply was cut")
    shown = lines_of(record(pair), "Worst findings")
    assert shown[4] == "`the reply was cut`"
    assert sum(line.startswith("- **`sentence 2`**") for line in shown) == 2
    assert shown[-6:] == [
        "- 2 more",
        *["- new and unsupported since `v1.3 (careful)`: `Ferns grew.`"] * 3,
        "- new and unsupported since `v1.3 (careful)`: 2 more",
        "- lost since `v1.3 (careful)`: `Copper fell.`",
    ]


def test_a_refusal_is_quoted() -> None:
    """There is no finding in a summary that was not scored, so the summary has to speak."""
    lack = Unscored(metric="facet", status="refused_candidate", reason="the system refused")
    pair = replace(
        failing(findings=()),
        verdict=PairVerdict(shortfalls=(), lacking=(lack,)),
        summary="I cannot help with that.",
    )
    assert lines_of(record(pair), "Worst findings")[2:] == [
        "`golden/systems/careless.jsonl:1` misses `facet: the system refused`",
        "",
        "- summary `I cannot help with that.`",
    ]


def test_the_systems_stand_with_their_means_and_thresholds() -> None:
    """Worked example: a mean too low; one without a threshold, (0.5 + 0.7) / 2; one of 1 of 2."""
    scored = tuple(
        EvaScore(value=v, precision=v, recall=v, recall_entailed=None) for v in (0.5, 0.7)
    )
    pairs = (
        replace(failing(), scores=scored[:1]),
        replace(passing("ward-02", system="careless"), scores=scored[1:]),
    )
    part = SystemMean(name="faithfulness", value=0.95, least=0.9, n_scored=1, n_papers=2)
    run = record(*pairs, systems=(system(means=(mean(), part)),))
    assert row_of(run, "careless") == [
        "`careless`", "\u274c failed", "1", "1", "0",
        "**0.534** < 0.750", "0.600", "0.950 (1 of 2)",
    ]  # fmt: skip


def test_other_thresholds_of_means_have_columns() -> None:
    """What a system fails by must be in its row."""
    low = SystemMean(name="facet.result", value=2.0, least=3.0, n_scored=2, n_papers=2)
    run = record(*ONE_OF_EACH, systems=(system(means=(mean(), low)),))
    assert lines_of(run, "Systems")[0].endswith("| facet | facet.result | eva | faithfulness |")
    assert row_of(run, "careless")[6] == "**2** < 3"


ONE_OF_EACH = (failing(), unscored())


def test_failures_and_errors_are_both_in_the_verdict() -> None:
    """A system's failure and a judge's fault need different people."""
    run = record(*ONE_OF_EACH, systems=(system(),))
    assert step_summary(run).startswith("# \u274c failed, \u26a0\ufe0f unscored: ")
    assert row_of(run, "careless")[1:5] == ["\u274c failed, \u26a0\ufe0f unscored", "0", "1", "1"]
    assert "all 2 pairs are in this run, **1 of them unscored**" in step_summary(run)
    assert [line for line in lines_of(run, "Worst findings") if line.startswith("### ")] == [
        "### `careless` on `zinc-01`"
    ]
    assert lines_of(run, "Unscored: the judge's fault")[2:] == [
        (
            "| `careless` on `ward-02` | `golden/systems/careless.jsonl:2`"
            " | `facet: unanswered, no JSON` |"
        )
    ]


def test_a_run_of_a_part_is_no_verdict_on_the_whole() -> None:
    """A pass of one paper of two looks like a pass, but for the words."""
    run = record(passing(system="careless"), systems=(PART,))
    assert step_summary(run).startswith("# \u2705 passed, but only in part: summarization gate\n")
    assert "**only 1 of 2 pairs are in this run**" in step_summary(run)
    assert row_of(run, "careless")[1] == "\u2705 passed, 1 of 2 judged"


def test_a_run_that_judged_nothing_says_so() -> None:
    """Nothing wrong was found, as nothing was looked at."""
    assert step_summary(record(systems=(PART,))).startswith(
        "# not judged, but only in part: summarization gate\n"
    )


def test_systems_of_several_suites_are_told_apart() -> None:
    """Two suites may gate the same system."""
    shown = lines_of(everything(), "Systems")
    assert [line.split(" | ")[0] for line in shown[2:]] == [
        "| `golden`: `careless`", "| `golden`: `terse`", "| `golden`: `odd`",
        "| `golden`: `careful`", "| `two`: `careful`",
    ]  # fmt: skip


def test_a_drop_is_shown_with_what_the_test_could_see() -> None:
    """Worked example: the rule, the numbers behind it, the facets that flipped, the short ones."""
    run = record(*ONE_OF_EACH, systems=(system(comparison=COMPARISON),))
    assert lines_of(run, "Against the baseline") == [
        "### `careless` against `v1.3`",
        "",
        "- its system `careful`",
        "- `facet drops by 0.454, p 0.0002 < 0.05`",
        "- `faithfulness rose by 0.100 only because summaries became shorter`",
        "",
        (
            "| number | papers | old | new | change | 95 % interval | p of a drop |"
            " a drop is seen from |"
        ),
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
        "| `facet` | 2 | 0.988 | 0.534 | **-0.454** | -0.500 to -0.400 | 0.0002 | 0.061 |",
        "| `eva` | 2 | 0.480 | 0.500 | +0.020 |  |  |  |",
        "",
        "Facets rated lower, worst first:",
        "",
        "- `zinc-01`: `result` 4 to 1",
    ]
    assert row_of(run, "careless")[5:7] == ["**0.534** < 0.750 (-0.454)", "0.500 (+0.020)"]


@pytest.mark.parametrize(
    ("comparison", "told"),
    [
        (UNLIKE, "- `judge differs`"),
        (
            Comparison(
                baseline="v1.3",
                system="careful",
                differences=(replace(COMPARISON.differences[0], broken=()),),
            ),
            "- no rule is broken; a true drop would be seen from `facet` 0.061 on",
        ),
        (Comparison(baseline="v1.3", system="careful"), "- no rule is broken"),
    ],
)
def test_a_comparison_says_what_it_came_to(comparison: Comparison, told: str) -> None:
    """A green one names the drop that it could not have seen."""
    run = record(*ONE_OF_EACH, systems=(system(comparison=comparison),))
    assert told in lines_of(run, "Against the baseline")


def test_cost_cassettes_and_waivers_are_told() -> None:
    """What was paid, what was replayed and by which bytes, and who let what pass."""
    run = everything()
    assert lines_of(run, "Judge and cost")[1:] == [
        (
            "- `replies: 3 asked, 0 remembered (0 from a cassette), 1 failed; 900 + 0 tokens,"
            " 0.25 dollars`"
        ),
        "- `pytest 9.0, python 3.12.1`",
        "- commit `0a1b2c3`",
        "- created `1700000000`",
    ]
    assert lines_of(run, "Cassettes")[2:] == [
        f"| `golden/cassette.jsonl` | `{'ab' * 32}` | 40 | 41 |"
    ]
    assert lines_of(run, "Waivers")[2:] == [
        (
            "| `short-abstract` | **`expired`** | `careless` on `ward-02`"
            " | `facet.method`, not below 1 | `2027-01-31` | `ada`, `the abstract has no methods` |"
        )
    ]


def test_a_waiver_in_order_is_not_stressed() -> None:
    """Bold is for what somebody has to mend."""
    use = WaiverUse(waiver=replace(WAIVER, least=None), state="in use")
    (row,) = lines_of(record(failing(), waivers=(use,)), "Waivers")[2:]
    assert row.startswith(
        "| `short-abstract` | `in use` | `careless` on `ward-02` | `facet.method` |"
    )


def test_pairs_beyond_the_first_twenty_have_a_row_each() -> None:
    """Twenty pairs are read, the twenty-first is looked up."""
    pairs = [failing(f"p{number:02}", FM, line=number) for number in range(1, 23)]
    run = record(*pairs)
    assert sum(line.startswith("### ") for line in lines_of(run, "Worst findings")) == 20
    assert lines_of(run, "More failing pairs")[2:] == [
        "| `careless` on `p21` | `golden/systems/careless.jsonl:21` | `facet 0.450 < 0.600` |",
        "| `careless` on `p22` | `golden/systems/careless.jsonl:22` | `facet 0.450 < 0.600` |",
    ]


def test_a_pipe_in_a_row_of_a_pair_starts_no_cell() -> None:
    """What is missed may quote the owner of a waiver."""
    use = WaiverUse(waiver=replace(WAIVER, owner="ada|bob"), state="expired")
    pair = failing("last", FM)
    pair = replace(pair, verdict=replace(pair.verdict, waivers=(use,)))
    ahead = [failing(f"p{number}") for number in range(20)]
    (shown,) = lines_of(record(*ahead, pair), "More failing pairs")[2:]
    assert r"(owner 'ada\|bob')" in shown
    assert shown.replace(r"\|", "").count("|") == 4


@settings(deadline=None, max_examples=25)
@given(st.text(max_size=12) | st.sampled_from(HOSTILE))
@example("`")
@example("|")
@example("\\")
def test_no_text_of_a_run_changes_the_page(text: str) -> None:
    """Law: whatever a stranger adds to his words, all that differs stands in code spans."""
    run = in_other_words(everything(), lambda word: f"{text} {word} {text}")
    assert shape(run) == PLAIN


def test_the_page_holds_nothing_that_a_stranger_could_have_wanted() -> None:
    """The law above holds for a page of nothing, too; this one is full and has no link."""
    run = in_other_words(everything(), lambda _: " ".join(HOSTILE))
    found = [kind for kind, _ in shape(run)]
    assert found.count("code_inline") > 300
    assert not {"link_open", "image", "html_inline", "html_block", "fence", "s_open"} & set(found)
    # Figures and three matrices of the judge, systems, a comparison, pairs, judge's faults,
    # cassettes, waivers.
    assert found.count("table_open") == 10
    assert one_line(HOSTILE[4], 60)[:40] in step_summary(run)


@pytest.mark.parametrize("text", HOSTILE)
def test_the_page_is_harmless_in_a_log(text: str) -> None:
    """Somebody will print it."""
    page = step_summary(in_other_words(everything(), lambda _: text))
    assert not any(line.lstrip().startswith("::") for line in page.splitlines())
    assert "##[" not in page
    assert page.isprintable() or set(filter(lambda c: not c.isprintable(), page)) <= {"\n"}


@pytest.mark.parametrize("character", ["a", "`", "\u202e", "\U0001f9ea"])
def test_thirty_thousand_megabytes_make_a_small_page(character: str) -> None:
    """GitHub refuses a page over a mebibyte as a whole; rows are cut whole, no section away."""
    long = character * 10**6
    finding = replace(FACET, reference=long, summary=long, reason=long, evidence=((1, long),))
    pair = replace(failing(findings=(finding,) * 3), summary=long, note=long, change=CHANGE)
    pairs = [replace(pair, paper=f"p{number}") for number in range(30_000)]
    faults = [unscored(f"q{number}", fault=long) for number in range(1_000)]
    waivers = (WaiverUse(waiver=replace(WAIVER, reason=long), state="expired"),) * 1_000
    comparison = replace(COMPARISON, brevity=(long,) * 9, flips=COMPARISON.flips * 9_000)
    compared = tuple(system(f"s{number}", comparison=comparison) for number in range(1_000))
    systems = (system(means=()), *compared)
    run = record(*pairs, *faults, systems=systems, waivers=waivers)
    page = step_summary(replace(run, suites=(untrusted(run.suites[0], long),)))
    assert 100_000 < len(page.encode()) < 300_000 < MEBIBYTE
    assert page.count(" more; the other reports have them all.") == 5
    assert "### `s1` against `v1.3`" in page
    for heading in (JUDGED, "Systems", "Against the baseline", "Worst findings",
                    "More failing pairs", "Unscored: the judge's fault", "Judge and cost",
                    "Waivers"):  # fmt: skip
        assert f"\n## {heading}\n" in page
    unbroken = [token.type for token in GITHUB.parse(page)]
    assert unbroken.count("table_open") == 1 + unbroken.count("tbody_open") - 1


def test_a_pair_too_long_to_show_still_has_a_row() -> None:
    """What has no room among the worst findings is not lost between the sections."""
    ticks = "`" * 500
    finding = replace(FACET, reference=ticks, summary=ticks, reason=ticks, evidence=((1, ticks),))
    pairs = [failing(f"p{number:02}", findings=(finding,) * 3) for number in range(20)]
    run = record(*pairs)
    n_full = sum(line.startswith("### ") for line in lines_of(run, "Worst findings"))
    assert 0 < n_full < 20
    assert len(lines_of(run, "More failing pairs")) == 2 + 20 - n_full


def test_the_same_record_makes_the_same_page() -> None:
    """Two replays are compared byte by byte."""
    one, two = everything(), everything()
    again = dict(reversed(list(two.header.environment.items())))
    two = replace(two, header=replace(two.header, environment=again))
    assert step_summary(one) == step_summary(two)


def test_a_missing_value_is_shown_as_a_dash() -> None:
    """A summary without facts has no precision, which is not 0."""
    short = Shortfall(name="eva.precision", value=None, least=0.3)
    run = record(failing("zinc-01", short))
    assert "`eva.precision - < 0.300`" in lines_of(run, "Worst findings")[2]


CAREFUL = system("careful", outcome="passed", means=(mean(value=0.9),), papers=("zinc-01",))


def judged(suite: SuiteRecord) -> RunRecord:
    """A run of this suite alone."""
    return replace(record(), suites=(suite,))


def test_the_verdicts_of_an_untrusted_judge_are_shown_and_marked() -> None:
    """Green means nothing then; the first lines say so, and what they would read."""
    (suite,) = record(passing(), systems=(CAREFUL,)).suites
    run = judged(untrusted(suite))
    assert step_summary(run).split("\n")[:3] == [
        "# \u2754 UNTRUSTED judge: summarization gate",
        "",
        (
            "**Verdicts of an untrusted judge: shown, and to be relied on in nothing.**"
            " They would read: \u2705 passed."
        ),
    ]
    assert row_of(run, "careful")[1] == "\u2705 passed, untrusted"
    assert "UNTRUSTED: facet_kappa 0.34 < 0.9; " in lines_of(run, "Judge and cost")[0]
    part = judged(untrusted(record(passing(system="careless"), systems=(PART,)).suites[0]))
    assert "UNTRUSTED judge, but only in part:" in step_summary(part)
    assert row_of(part, "careless")[1] == "\u2705 passed, untrusted, 1 of 2 judged"


def test_what_an_untrusted_judge_gets_wrong_comes_before_its_verdicts() -> None:
    """A reader who has seen the systems first has believed them; a trusted judge comes last."""
    (suite,) = record(passing(), systems=(CAREFUL,)).suites
    for held, is_first in ((untrusted(suite), True), (measured(suite, TRUSTED, golden()), False)):
        page = step_summary(judged(held))
        assert page.count(f"## {JUDGED}") == 1
        assert (page.index(f"## {JUDGED}") < page.index("## Systems")) == is_first


def test_a_judge_that_was_not_measured_is_an_error_of_the_run() -> None:
    """It is the judge's fault, and not a verdict on anything that was judged."""
    (suite,) = record(passing(), systems=(CAREFUL,)).suites
    run = judged(measured(suite, UNMEASURED))
    assert step_summary(run).startswith("# \u26a0\ufe0f unscored: ")
    assert "untrusted" not in step_summary(run).lower()
    assert lines_of(run, JUDGED) == ["`golden`: `agreement with labels not measured: it timed out`"]

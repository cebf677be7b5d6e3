from __future__ import annotations

from itertools import permutations
from typing import TYPE_CHECKING

from summeval_pytest.record.record import Comparison, Difference
from summeval_pytest.reports.run import SystemTally, summary_lines

if TYPE_CHECKING:
    from collections.abc import Mapping

HEADING = f"{'system':<17}{'passed':>7}{'failed':>7}{'errors':>7}"


def tally(*pairs: tuple[str, Mapping[str, float | None]]) -> SystemTally:
    """What a run has seen of one system."""
    seen = SystemTally()
    for outcome, numbers in pairs:
        seen.add(outcome, numbers)
    return seen


def test_a_system_is_a_line_with_its_outcomes_and_means() -> None:
    """Worked example: means (0.6 + 0.9) / 2 and (1 + 0.5) / 2."""
    lines = summary_lines(
        {
            "careful": tally(
                ("passed", {"facet": 0.6, "facet.result": 3, "faithfulness": 1.0}),
                ("failed", {"facet": 0.9, "facet.result": 1, "faithfulness": 0.5}),
            )
        }
    )
    assert list(lines) == [
        "system            passed failed errors         facet  faithfulness",
        "careful                1      1      0         0.750         0.750",
    ]


def test_a_system_of_which_some_papers_ran_is_marked_as_partial() -> None:
    """`-k` and `--lf` leave pairs out, and the mean of the worst few is not the system's."""
    seen = SystemTally(n_papers=3)
    seen.add("passed", {"facet": 0.6})
    seen.add("failed", {"facet": 0.4}, wrong={"fact": 1})
    assert list(summary_lines({"careful": seen}))[1:] == [
        "careful                1      1      0         0.500",
        "  partial: 2 of 3 papers",
        "  wrong: 1 fact",
    ]
    seen.add("passed", {"facet": 0.5})
    assert "partial" not in "".join(summary_lines({"careful": seen}))


def test_a_pair_without_a_score_is_not_in_the_mean_and_the_mean_says_so() -> None:
    """Counted as 0 it would blame the system, left out in silence it would flatter it."""
    lines = summary_lines(
        {
            "careful": tally(
                ("passed", {"facet": 0.6, "eva": None}),
                ("error", {}),
                ("passed", {"facet": 0.9, "eva": 0.5}),
            )
        }
    )
    assert list(lines) == [
        "system            passed failed errors         facet           eva",
        "careful                2      0      1   0.750 (2/3)   0.500 (1/3)",
    ]


def test_a_system_without_any_score_has_a_dash() -> None:
    """No mean is not a mean of 0."""
    lines = summary_lines(
        {"careful": tally(("passed", {"eva": 0.5})), "broken": tally(("error", {}))}
    )
    assert list(lines) == [
        "system            passed failed errors           eva",
        "broken                 0      0      1             -",
        "careful                1      0      0         0.500",
    ]


def test_a_metric_that_nobody_measured_has_no_column() -> None:
    """An empty column would read as a failure to measure."""
    heading, line = summary_lines({"broken": tally(("error", {}))})
    assert heading == HEADING
    assert line == "broken                 0      0      1"


def test_what_has_to_be_known_of_summaries_is_said_once_a_system() -> None:
    """A hundred notes that differ in a number would hide the table; one and a count do not."""
    seen = SystemTally()
    seen.add("passed", {}, note="source cut from 9,000 to 3,000 characters\x1b[31m")
    seen.add("passed", {}, note="source cut from 8,000 to 3,000 characters")
    seen.add("failed", {}, note="")
    lines = list(summary_lines({"nemo": seen, "careful": tally(("passed", {}))}))
    assert [line.split()[0] for line in lines[:3]] == ["system", "careful", "nemo"]
    assert lines[3:] == [r"nemo, 2 of 3 pairs: source cut from 9,000 to 3,000 characters\x1b[31m"]


def test_a_score_of_zero_counts() -> None:
    """It is a score, and not the absence of one."""
    _, line = summary_lines({"careful": tally(("failed", {"eva": 0.0}), ("passed", {"eva": 1.0}))})
    assert line.split() == ["careful", "1", "1", "0", "0.500"]


def test_systems_stand_by_name() -> None:
    """Workers report in any order, and two runs should read alike."""
    tallies = {name: tally(("passed", {})) for name in ("terse", "careful", "llama3")}
    lines = list(summary_lines(tallies))
    assert [line.split()[0] for line in lines[1:]] == ["careful", "llama3", "terse"]


def test_a_long_or_hostile_name_keeps_its_place() -> None:
    """The columns must stay under their headings, and the terminal must stay itself."""
    names = ["a" * 60, "b\x1b[31mred", "c ##[group]", "d\u202e"]
    lines = list(summary_lines({name: tally(("passed", {"eva": 0.5})) for name in names}))
    assert [line[:32].rstrip() for line in lines[1:]] == [
        "a" * 30 + "\u2026",
        r"b\x1b[31mred",
        r"c #\x23[group]",
        r"d\u202e",
    ]
    assert {line[32:] for line in lines[1:]} == {"      1      0      0         0.500"}


def test_pairs_of_any_outcome_are_counted() -> None:
    """A mean's coverage is over all pairs judged."""
    seen = tally(("passed", {}), ("failed", {}), ("error", {}), ("passed", {}))
    assert seen.n_pairs == 4
    assert seen.outcomes == {"passed": 2, "failed": 1, "error": 1}


def test_the_order_of_the_pairs_does_not_matter() -> None:
    """Law: under xdist they end in another order every time.

    The mean is 1.582 / 4 = 0.3955, between two printed values, and a sum of floats in file order
    falls now on this side and now on that.
    """
    printed = {
        tuple(summary_lines({"careful": tally(*[("passed", {"eva": v}) for v in values])}))
        for values in permutations([0.03, 0.541, 0.228, 0.783])
    }
    assert len(printed) == 1


def wrong(**counts: int) -> list[str]:
    """The lines of a system of which so much is wrong."""
    seen = SystemTally()
    seen.add("failed", {"eva": 0.5}, wrong=counts)
    return list(summary_lines({"careful": seen}))[2:]


def test_what_is_wrong_with_a_system_is_counted_under_its_line() -> None:
    """Over its pairs: here 2 and 1 facets, 1,000 facts, and no sentence, which is left out."""
    seen = SystemTally()
    seen.add("failed", {"eva": 0.5}, wrong={"facet": 2, "fact": 0, "sentence": 0})
    seen.add("failed", {"eva": 0.5}, wrong={"facet": 1, "fact": 1000, "sentence": 0})
    seen.add("passed", {"eva": 0.5})
    lines = list(summary_lines({"careful": seen, "terse": tally(("passed", {"eva": 0.5}))}))
    assert lines[2] == "  wrong: 3 facets below full rating, 1,000 facts"
    assert lines[3].startswith("terse ")


def test_one_wrong_piece_is_told_in_the_singular_and_none_not_at_all() -> None:
    """A line of zeros would bury the others."""
    assert wrong(facet=1, fact=1, sentence=1) == [
        "  wrong: 1 facet below full rating, 1 fact, 1 unsupported sentence"
    ]
    assert wrong(facet=0, fact=0, sentence=2) == ["  wrong: 2 unsupported sentences"]
    assert wrong(facet=0, fact=0, sentence=0) == wrong() == []


def test_what_the_judge_could_not_decide_is_told_with_what_is_wrong() -> None:
    """Only a reader can settle these, so a run says how many there are."""
    assert wrong(facet=1, fact=1, sentence=0, undecided=2) == [
        "  wrong: 1 facet below full rating, 1 fact",
        "  2 of these undecided, for an LLM or a person",
    ]


def compared(*differences: Difference, baseline: str = "v1.3") -> Comparison:
    """A comparison of these numbers."""
    return Comparison(baseline=baseline, system="careful", differences=differences)


def moved(name: str, change: float, *broken: str) -> Difference:
    """A number that has moved from 0.5."""
    return Difference(
        name=name, n_papers=2, old=0.5, new=0.5 + change, change=change, broken=broken
    )


ALL = {"facet": 0.6, "eva": 0.5, "faithfulness": 1.0}


def test_changes_against_a_baseline_stand_under_the_means() -> None:
    """Each in its column with its sign; a broken rule has a mark, also without colour."""
    comparison = compared(
        moved("facet", 0.25), moved("eva", -0.125, "eva drops"), moved("eva.recall", -0.5, "so")
    )
    seen = {"careful": tally(("passed", ALL)), "terse": tally(("passed", ALL))}
    assert list(summary_lines(seen, {"careful": comparison})) == [
        "system            passed failed errors         facet           eva  faithfulness",
        "careful                1      0      0         0.600         0.500         1.000",
        "  against v1.3                                +0.250      ! -0.125             -",
        "terse                  1      0      0         0.600         0.500         1.000",
    ]


def test_a_system_that_cannot_be_compared_says_so_in_the_table() -> None:
    """A gap where the changes would stand would look like none."""
    refused = Comparison(baseline="v1.3", system="careful", mismatches=("judge differs",))
    lines = list(summary_lines({"careful": tally(("passed", ALL))}, {"careful": refused}))
    assert lines[2:] == ["  against v1.3: cannot be compared"]


def test_a_long_or_hostile_baseline_keeps_its_place() -> None:
    """It may be a path; the columns stay, and so does the width of 80."""
    for name in ("runs/" + "x" * 90, "::error::x\n::add-mask::y\x1b[31m##[group]"):
        lines = list(
            summary_lines(
                {"careful": tally(("passed", ALL))},
                {"careful": compared(moved("faithfulness", -0.25), baseline=name)},
            )
        )
        assert {len(line) for line in lines} == {80}
        assert lines[2].isprintable()
        assert lines[2].endswith("             -             -        -0.250")
        assert "##[" not in lines[2]

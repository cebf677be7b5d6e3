from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from markdown_it import MarkdownIt

from summeval_pytest.reports.step_summary import judge_section
from tests.reports.trust_records import (
    HOLDS,
    MISSED,
    TRUSTED,
    UNMEASURED,
    agreement,
    floor,
    golden,
    measured,
    trust,
    untrusted,
)
from tests.verdict.records import run, suite

if TYPE_CHECKING:
    from summeval_pytest.record.record import SuiteRecord

GITHUB = MarkdownIt("gfm-like")
HEAD = [
    "| agreement | value | 95 % interval | items | papers | floor |",
    "| --- | ---: | ---: | ---: | ---: | ---: |",
]


def section(*suites: SuiteRecord) -> list[str]:
    """The lines of the section."""
    return "\n".join(judge_section(run(*suites))).split("\n")


def test_without_a_measured_judge_there_is_no_section() -> None:
    """A heading over nothing would look as if something had been lost."""
    assert list(judge_section(run(suite()))) == []
    assert list(judge_section(run(replace(suite(), has_labels=True)))) == []


def test_what_a_judge_misses_and_gets_wrong_is_shown() -> None:
    """Worked example: a missed figure is bold, a matrix a kind, both texts of each case."""
    assert section(measured(suite(), trust(), golden())) == [
        "",
        "## The judge against the golden labels",
        "",
        "`golden`: `UNTRUSTED: facet_kappa 0.34 < 0.9, on 2 labelled pairs of 2 papers`",
        "",
        *HEAD,
        "| `facet_kappa` | **0.344** | 0.28 to 0.41 | 3 | 2 | **missed: at least 0.9** |",
        "| `facet_exact` | 0.350 | 0.28 to 0.41 | 3 | 2 | at least 0.25 |",
        "",
        "| result: label, judge in columns | 1 | 2 | 3 | 4 |",
        "| --- | ---: | ---: | ---: | ---: |",
        "| 1 | 0 | 0 | 0 | 1 |",
        "| 2 | 0 | 0 | 0 | 0 |",
        "| 3 | 0 | 0 | 0 | 0 |",
        "| 4 | 0 | 0 | 0 | 1 |",
        "",
        "| sentence: label, judge in columns | unfaithful | faithful |",
        "| --- | ---: | ---: |",
        "| unfaithful | 0 | 1 |",
        "| faithful | 0 | 1 |",
        "",
        "| fact: label, judge in columns | does not hold | holds |",
        "| --- | ---: | ---: |",
        "| does not hold | 0 | 0 |",
        "| holds | 1 | 0 |",
        "",
        "Worst disagreements:",
        "",
        "- `careless on zinc-01, result`: label **1**, judge **4**",
        "  - summary: `Mice slept.`",
        "  - reference: `Mice with zinc slept two hours longer.`",
        "  - reason: `the words agree`",
        "- `careless on zinc-01, sentence 2 (number)`: label **unfaithful**, judge **faithful**",
        "  - summary: `Mice slept.`",
        "  - source: `Mice with zinc slept two hours longer.`",
        "  - reason: `the words agree`",
        "- `terse on ward-02, fact of the reference`: label **holds**, judge **does not hold**",
        "  - fact: `Mice slept.`",
        "  - reason: `the words agree`",
        "",
    ]


def test_of_a_judge_that_holds_its_floors_the_figures_are_enough() -> None:
    """Nobody has to look at what it gets wrong; the page has that, too."""
    assert section(measured(suite(), TRUSTED, golden()))[3:] == [
        "`golden`: `holds 1 of 1 agreement floors on 2 labelled pairs of 2 papers`",
        "",
        *HEAD,
        "| `facet_exact` | 0.350 | 0.28 to 0.41 | 3 | 2 | at least 0.25 |",
        "",
    ]


def test_an_untrusted_judge_without_a_disagreement_has_no_list_of_them() -> None:
    """A heading over nothing would look as if something had been lost."""
    assert not [line for line in section(measured(suite(), trust())) if "disagree" in line]


def test_a_judge_that_was_not_measured_has_no_table() -> None:
    """There is no figure."""
    assert section(measured(suite(), UNMEASURED))[3:] == [
        "`golden`: `agreement with labels not measured: it timed out`",
        "",
    ]


def test_floors_on_bounds_and_undefined_figures_are_told() -> None:
    """A value of 0.34 over a floor of 0.3 is missed by its lower bound."""
    lower = agreement("facet_kappa", 0.344, floor(0.3, bound="lower"), floor(0.2))
    gone = agreement("fact_f1", None, floor(0.5, "fact_f1"), low=None, high=None, n_items=1_102)
    shown = section(measured(suite(), trust(lower, gone)))
    assert shown[7:9] == [
        (
            "| `facet_kappa` | **0.344** | 0.28 to 0.41 | 3 | 2 |"
            " **missed: lower bound at least 0.3, at least 0.2** |"
        ),
        "| `fact_f1` | **undefined** |  | 1,102 | 2 | **missed: at least 0.5** |",
    ]


def test_each_suite_has_its_own_part() -> None:
    """Two tables without a name between them would be one."""
    shown = section(
        measured(suite(), TRUSTED), suite(name="none"), measured(suite(name="b"), TRUSTED)
    )
    assert [line.split(":")[0] for line in shown if line.startswith("`")] == ["`golden`", "`b`"]
    tokens = [token.type for token in GITHUB.parse("\n".join(shown))]
    assert tokens.count("table_open") == 2


def test_more_figures_than_anyone_reads_are_counted() -> None:
    """Every kind of error that labels name is a figure; the matrices must stay."""
    names = [f"unfaithful_recall.kind-{n}" for n in range(2_000)]
    found = trust(MISSED, *(agreement(name, 0.1) for name in names))
    shown = section(measured(suite(), found, golden()))
    n_rows = sum(line.startswith("| `") for line in shown)
    assert 50 < n_rows < 300
    assert f"{2_001 - n_rows:,} more figures." in shown
    assert any(line.startswith("| result: ") for line in shown)


def test_more_suites_than_anyone_reads_are_counted() -> None:
    """The first of them is always there."""
    many = [untrusted(suite(name=f"s{n}"), "`" * 1_000) for n in range(200)]
    shown = section(*many)
    n_shown = sum(line.startswith("`s") for line in shown)
    assert 0 < n_shown < 200
    assert shown[-1] == f"{200 - n_shown} more; the other reports have them all."
    assert len("\n".join(shown).encode()) < 62_000


HOSTILE = [
    "x\n\n# Heading\n\n```\n::error::y",
    "`` ` ``` | a\\|b \\",
    "</details><script>alert(1)</script> ]]> <!-- [x](https://evil.example) @octocat",
    "##[error]x \x1b[31m\u202e\u2028\ud83d",
    "|" * 10**6,
    "`" * 10**6,
    "\u202e" * 10**6,
]


@pytest.mark.parametrize("text", HOSTILE)
def test_no_text_of_a_disagreement_means_anything_or_floods_the_page(text: str) -> None:
    """Law: what is outside of code spans is that of a run in which everybody wrote "x"."""

    def shape(word: str) -> list[tuple[str, str]]:
        found = []
        for token in GITHUB.parse("\n".join(section(untrusted(suite(), word)))):
            found += [(token.type, "")]
            found += [
                (child.type, "" if child.type == "code_inline" else child.content)
                for child in token.children or []
            ]
        return found

    page = "\n".join(section(untrusted(suite(), text)))
    assert shape(text) == shape("x")
    assert len(page.encode()) < 30_000
    assert "##[" not in page
    assert not any(line.lstrip().startswith("::") for line in page.splitlines())
    assert page.replace("\n", "").isprintable()


def test_a_figure_of_our_own_stands_beside_one_of_an_error() -> None:
    """The names of errors are the labels', and one may hold a pipe."""
    name = "unfaithful_recall.a|b"
    shown = section(measured(suite(), trust(HOLDS, agreement(name, 0.0))))
    assert shown[8] == r"| `unfaithful_recall.a\|b` | 0.000 | 0.28 to 0.41 | 3 | 2 |  |"

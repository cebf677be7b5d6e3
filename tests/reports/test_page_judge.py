from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from summeval_pytest.reports.page import page_text
from tests.reports.page_records import HOSTILE, failing, passing, run, suite
from tests.reports.test_page import Page
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

if TYPE_CHECKING:
    from summeval_pytest.record.record import SuiteRecord
    from summeval_pytest.verdict.trust import Trust

MARK = "Verdicts of an untrusted judge: shown, and to be relied on in nothing."


def page_of(*suites: SuiteRecord) -> Page:
    """The page of a run of these suites, taken apart."""
    return Page(page_text(run(*suites)))


def section(page: Page) -> str:
    """What a reader sees of the section."""
    _, found, rest = page.text.partition("The judge against the golden labels")
    assert found
    return rest.partition("Pairs")[0].partition("Waivers")[0].strip()


def test_the_section_has_figures_matrices_and_cases() -> None:
    """Worked example: the badge, the table, a row a label, both texts of each disagreement."""
    assert section(page_of(measured(suite(failing()), trust(), golden()))) == (
        "? untrusted facet_kappa 0.34 < 0.9, on 2 labelled pairs of 2 papers."
        " Agreement Value Floor 95 % interval Items Papers"
        " facet_kappa ✗ 0.344 ≥ 0.9 0.28 to 0.41 3 2"
        " facet_exact 0.350 ≥ 0.25 0.28 to 0.41 3 2"
        " Confusion matrices: label in rows, judge in columns"
        " result 1 2 3 4 1 0 0 0 1 2 0 0 0 0 3 0 0 0 0 4 0 0 0 1"
        " sentence unfaithful faithful unfaithful 0 1 faithful 0 1"
        " fact does not hold holds does not hold 0 0 holds 1 0"
        " The 3 worst disagreements"
        " careless on zinc-01, result: label 1, judge 4"
        " summary Mice slept. reference Mice with zinc slept two hours longer."
        " reason the words agree"
        " careless on zinc-01, sentence 2 (number): label unfaithful, judge faithful"
        " summary Mice slept. source Mice with zinc slept two hours longer."
        " reason the words agree"
        " terse on ward-02, fact of the reference: label holds, judge does not hold"
        " fact Mice slept. reason the words agree"
    )


def test_an_untrusted_run_says_so_before_its_verdicts_and_beside_them() -> None:
    """Green badges are what the eye meets, so that they stand back and the mark stands by."""
    text = page_text(run(untrusted(suite(passing()))))
    page = Page(text)
    assert "<title>? untrusted: moss</title>" in text
    assert page.text.index("? Untrusted") < page.text.index(MARK) < page.text.index("1 pair: ")
    assert page.text.count(MARK) == 3  # at the top, over the systems, over the pairs
    assert page.tags("header")[0]["class"] == "top untrusted"
    assert page.tags("main") == [{"class": "untrusted"}]
    assert "Judge offline-3: UNTRUSTED: facet_kappa 0.34 < 0.9; " in page.text
    hrefs = [a["href"] for a in page.tags("a")]
    assert hrefs.count("#judge") == 2  # from the mark, and among the parts of the report


@pytest.mark.parametrize("found", [TRUSTED, UNMEASURED], ids=["trusted", "not measured"])
def test_a_run_of_a_judge_that_misses_nothing_has_no_mark(found: Trust) -> None:
    """A mark that is always there is seen by nobody."""
    page = page_of(replace(suite(passing()), has_labels=True, trust=found))
    assert "untrusted" not in page.text.lower()
    assert page.tags("main") == [{}]
    assert [a["href"] for a in page.tags("a")].count("#judge") == 1


@pytest.mark.parametrize(
    ("held", "badge"),
    [
        (measured(suite(passing()), TRUSTED), ("badge passed", "✓ measured holds 1 of 1")),
        (measured(suite(passing()), UNMEASURED), ("badge error", "! not measured agreement with")),
        (untrusted(suite(passing())), ("badge untrusted", "? untrusted facet_kappa 0.34 < 0.9")),
    ],
    ids=["trusted", "not measured", "untrusted"],
)
def test_the_standing_of_a_judge_is_a_sign_and_a_word(
    held: SuiteRecord, badge: tuple[str, str]
) -> None:
    """Colour is never the only sign."""
    page = page_of(held)
    assert badge[0] in {span.get("class") for span in page.tags("span")}
    assert section(page).startswith(badge[1])


def test_matrices_and_cases_are_open_where_they_are_the_news() -> None:
    """Of a judge that holds its floors, they are there for who asks."""
    shown = [d for d in page_of(untrusted(suite(passing()))).tags("details") if "open" in d]
    assert len(shown) == 2
    trusted = page_of(measured(suite(passing()), TRUSTED, golden()))
    assert [details for details in trusted.tags("details") if "open" in details] == []
    assert "The 3 worst disagreements" in trusted.text


def test_the_diagonal_of_a_matrix_is_marked() -> None:
    """Of a table of 16 counts, the four of agreement have to be found; 4 + 2 + 2 here."""
    page = page_of(untrusted(suite(passing())))
    cells = [td.get("class") for td in page.tags("td") if "number" in (td.get("class") or "")]
    matrices = cells[-(16 + 4 + 4) :]
    assert [place for place, c in enumerate(matrices) if c == "number agrees"] == [
        0, 5, 10, 15, 16, 19, 20, 23
    ]  # fmt: skip


def test_a_missed_figure_is_marked_by_a_sign_and_its_row() -> None:
    """The other rows have neither."""
    lower = agreement("facet_kappa", 0.344, floor(0.3, bound="lower"))
    held = measured(suite(passing()), trust(HOLDS, lower), golden())
    page = page_of(replace(held, waivers=()))
    assert [row for row in page.tags("tr") if row.get("class") == "fails"] == [{"class": "fails"}]
    told = section(page)
    assert "facet_kappa ✗ 0.344 lower bound ≥ 0.3 0.28 to 0.41" in told
    assert "facet_exact 0.350 ≥ 0.25" in told


def test_a_figure_says_what_it_is() -> None:
    """Not every reader knows what a kappa is, nor of what."""
    name = "unfaithful_recall.unit"
    page = page_of(measured(suite(passing()), trust(MISSED, agreement(name, 0.25)), golden()))
    assert [th["title"] for th in page.tags("th") if "title" in th] == [
        "mean of the four facets' quadratic kappas",
        "sentences labelled 'unit' that are called unsupported",
    ]
    assert "unfaithful_recall.unit 0.250" in page.text
    assert len(page.tags("wbr")) == 1  # a telephone breaks the name behind the dot


def test_without_a_measured_judge_there_is_no_section() -> None:
    """Nor a link to it."""
    page = page_of(replace(suite(passing()), has_labels=True))
    assert "golden labels" not in page.text
    assert "#judge" not in {a["href"] for a in page.tags("a")}
    assert "Judge offline-3: agreement with labels not measured in this run." in page.text


def test_the_judges_of_several_suites_are_told_apart() -> None:
    """One is named where there are two, and one that was not measured has no part."""
    held = measured(suite(passing(), name="b"), TRUSTED, golden())
    page = page_of(untrusted(suite(passing(), name="a")), held, suite(passing(), name="c"))
    told = section(page)
    assert "? untrusted a: facet_kappa" in told
    assert "✓ measured b: holds 1 of 1" in told
    assert "c: " not in told
    assert "Judge offline-3: a: UNTRUSTED: " in page.text
    assert "; c: not calibrated: the suite has no labels to measure it with." in page.text


def test_no_text_of_a_golden_answer_becomes_markup() -> None:
    """The elements are those of a run in which everybody wrote "x", and the text is there."""
    hostile, plain = (page_of(untrusted(suite(passing()), text)) for text in (HOSTILE, "x"))
    assert [tag for tag, _ in hostile.elements] == [tag for tag, _ in plain.elements]
    told = section(hostile)
    assert "</script><script>window.ran = 1</script>" in told
    assert r"\u202egnp.exe\u200b" in told
    assert "{{ 7 * 7 }}" in told
    assert not {"\u202e", "\u200b", "\x1b"} & set(told)


def test_a_megabyte_in_a_golden_answer_is_cut_with_a_note() -> None:
    """It stands in the page some thirty times."""
    page = page_text(run(untrusted(suite(passing()), "moss " * 200_000)))
    assert len(page) < 250_000
    assert "[cut here: 1,000,000 characters in all]" in Page(page).text

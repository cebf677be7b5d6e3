from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from summeval_pytest.study.agreement.agreement_page import agreement_page, axis_of, picture
from summeval_pytest.study.agreement.columns import LabelledPair
from tests.reports.records import MARKUP, SUMMARY
from tests.reports.test_page import ADDRESSES, Page
from tests.study.agreement.agreements import small_agreement

pytestmark = pytest.mark.usefixtures("few_resamples")


@pytest.fixture
def page() -> Page:
    """The page of a small suite."""
    return Page(agreement_page(small_agreement(), "gpt-4|prompt:1a2b"))


def section(page: Page, title: str, end: str) -> str:
    """What a reader sees from one title to another."""
    return page.text.partition(title)[2].partition(end)[0].strip()


def test_the_page_says_who_was_compared_with_whom(page: Page) -> None:
    """Judge, its recipe, suite and numbers of pairs; no date, for the same is to be the same."""
    suite = small_agreement().suite
    assert (
        f"summeval agree · moss, fingerprint {suite.fingerprint} Agreement with people" in page.text
    )
    assert "gpt-4 beside 12 labelled pairs of 6 papers and 5 systems." in page.text
    assert page.text.count("gpt-4|prompt:1a2b") == 2
    assert not re.search(r"\b20\d\d-\d\d-\d\d\b", page.text)


def test_a_number_that_a_pair_lacks_is_reported(page: Page) -> None:
    """What is unscored is never dropped in silence."""
    assert "EVA: no number for 1 of 12 pairs, first: no JSON" in page.text


def test_each_number_has_a_picture_with_words_for_those_who_do_not_see_it(page: Page) -> None:
    """A screen reader says what is drawn; the bins stand in a table, too.

    Worked example: the ranks of FM and of people differ by 0 and 6 in turn, so rho is 1 - 6 x 216 /
    (12 x 143). In both bins of six pairs people's twelfths add up to 33.
    """
    drawn = [svg for svg in page.tags("svg") if svg.get("role") == "img"]
    names = [str(svg["aria-labelledby"]).split() for svg in drawn]
    assert names == [[f"picture-{n}-title", f"picture-{n}-desc"] for n in (1, 2)]
    ids = [attributes.get("id") for _, attributes in page.elements]
    assert all(ids.count(name) == 1 for pair in names for name in pair)
    assert "FM beside the people's scores 12 pairs, Spearman 0.245." in page.text
    assert "The people's mean goes from 0.458 in the lowest bin to 0.458 in the" in page.text
    assert "2 bins The people's mean by bin of FM From To Pairs People 95 % interval" in page.text
    hidden = [svg for svg in page.tags("svg") if svg.get("role") != "img"]
    assert all(svg["aria-hidden"] == "true" for svg in hidden)
    assert all(cell.get("scope") in {"row", "col"} for cell in page.tags("th"))


def test_labels_are_in_rows_and_answers_in_columns(page: Page) -> None:
    """Worked example: one result of 1 taken for 4, one of 4 for 4; ratings by quadratic kappa."""
    found = section(page, "The judge's answers beside the labels", "worst disagreements")
    assert "result 2 items exact 0.500, kappa 0.000 1 2 3 4 1 0 0 0 1 2 0 0 0 0" in found
    assert "sentence 2 items exact 0.500, kappa 0.000 unfaithful faithful" in found
    assert "unfaithful 0 1 faithful 0 1" in found
    assert "fact 1 item exact 0.000, kappa 0.000 does not hold holds" in found


def test_decisions_come_first(page: Page) -> None:
    """FM ranks so many pairs of one paper as people do; one system has no decisions."""
    decisions = section(page, "Decisions beside people's", "Metrics beside the people's scores")
    accuracy = small_agreement().decisions["FM"].within
    assert accuracy.value is not None
    assert f"FM {accuracy.value:.3f} {accuracy.interval.low:.2f} to" in decisions
    found = small_agreement()
    alone = replace(found, pairs=[replace(pair, system="one") for pair in found.pairs[:4]])
    assert "Decisions beside people's" not in Page(agreement_page(alone, "gpt-4")).text


def test_what_has_no_answer_is_counted() -> None:
    """A matrix of the rest would look better than the judge is."""
    found = small_agreement()
    assert found.pairs[1].golden is not None
    answers = tuple(replace(each, answer=None) for each in found.pairs[1].golden.answers)
    silent = replace(found.pairs[1].golden, answers=answers, n_left_out=1)
    pairs = [found.pairs[0], replace(found.pairs[1], golden=silent)]
    text = Page(agreement_page(replace(found, pairs=pairs), "gpt-4")).text
    assert "The judge gave no answer for 3 labelled items." in text
    assert "1 labelled facet left out, which it does not find in the reference." in text


def test_the_worst_disagreements_have_their_texts(page: Page) -> None:
    """Whoever mends a prompt reads both texts, the reason, and the summary as a whole."""
    found = section(page, "The 3 worst disagreements", "How it was made")
    first = found.index("careless on zinc-01, result: label 1, judge 4 summary Mice slept.")
    assert first < found.index("careless on zinc-01, sentence 2 (number): label unfaithful")
    assert "reference Mice with zinc slept two hours longer. reason the words agree" in found
    assert found.count(f"The whole summary {SUMMARY}") == 3


def test_without_any_overall_score_the_items_are_there_all_the_same() -> None:
    """A suite may label sentences only."""
    found = small_agreement()
    pairs = [replace(pair, human=None) for pair in found.pairs]
    page = Page(agreement_page(replace(found, pairs=pairs), "gpt-4"))
    assert "No label has an overall score or all four facets" in page.text
    assert "The 3 worst disagreements" in page.text
    assert not page.tags("svg")
    assert "#pictures" not in [link["href"] for link in page.tags("a")]


def test_nothing_can_act_and_nothing_is_asked_for(page: Page) -> None:
    """It opens without a network and without a script; the style is the one that is named."""
    (policy,) = [
        str(meta["content"])
        for meta in page.tags("meta")
        if meta.get("http-equiv") == "Content-Security-Policy"
    ]
    assert "script-src 'none'" in policy
    assert not page.tags("script")
    assert not any(
        name == "style" or name.startswith("on") for _, attrs in page.elements for name in attrs
    )
    addresses = [attrs[name] for _, attrs in page.elements for name in attrs if name in ADDRESSES]
    assert all(str(address).startswith(("#", "data:,")) for address in addresses)
    assert not re.search(r"https?:|url\(|@import", "".join(page.styles))


def test_hostile_text_changes_no_element_of_this_page_either() -> None:
    """Papers, systems, columns, judges and their reasons are strangers' words."""
    hostile = agreement_page(small_agreement(lambda _: MARKUP), MARKUP)
    plain = agreement_page(small_agreement(lambda _: "x"), "x")
    page = Page(hostile)
    assert [tag for tag, _ in page.elements] == [tag for tag, _ in Page(plain).elements]
    assert hostile.lower().count("<script") == 0
    for hidden in "\u202e\u200b\ufffe\x1b\u2028\ud800":
        assert hidden not in hostile
    assert r"\u202egnp.exe\u200b" in section(page, "worst disagreements", "How it was made")
    assert "]]>" in page.text
    assert "{{ 7 * 7 }}" in page.text
    assert "\"'><svg onload=alert(2)>" in page.text
    hostile.encode("utf-8")


def test_a_picture_is_drawn_to_scale() -> None:
    """Worked example: from 54 to 330 across, from 200 up to 10; two pairs in one place are one dot.

    A dot of two has twice the area: 2.5 times the root of 2.
    """
    found = small_agreement()
    rows = [(0, 0), (0.5, 1), (0.5, 1), (1, 0.25)]
    pairs = [
        LabelledPair(paper=f"{n}", system="s", group=f"{n}", human=human, columns={"FM": number})
        for n, (number, human) in enumerate(rows)
    ]
    drawn = picture(replace(found, pairs=pairs), "FM", axis_of([0, 1], 200, 10))
    assert drawn is not None
    assert list(drawn.dots) == [(54, 200, 2.5), (192, 10, 3.5), (330, 152, 2.5)]
    assert list(drawn.equal) == [54, 200, 330, 10]
    (only,) = drawn.bins
    assert (only.mean, only.human.value) == (0.5, 0.5625)
    assert drawn.curve == "192.0,93.1"
    assert picture(replace(found, pairs=pairs), "EVA", drawn.y) is None


def test_a_scale_of_its_own_has_no_line_of_equal_numbers() -> None:
    """A length of 200 and a score of 1 are never the same."""
    pairs = [
        LabelledPair(paper="p", system=f"{n}", group="p", human=n / 4, columns={"length": n * 50})
        for n in range(5)
    ]
    drawn = picture(replace(small_agreement(), pairs=pairs), "length", axis_of([0, 1], 200, 10))
    assert drawn is not None
    assert not drawn.equal
    assert [drawn.x.mark_text(mark) for mark in drawn.x.marks] == ["0", "50", "100", "150", "200"]


def test_the_marks_of_an_axis_are_round() -> None:
    """Worked example, and an axis of one value, which is no line of no length."""
    axis = axis_of([-0.07, 0.31], 0, 100)
    assert [axis.mark_text(mark) for mark in axis.marks] == [
        "-0.1", "0.0", "0.1", "0.2", "0.3", "0.4",
    ]  # fmt: skip
    one = axis_of([3.0, 3.0], 0, 100)
    assert one.low < 3 < one.high


@given(st.lists(st.floats(-1e6, 1e6), min_size=1))
def test_an_axis_holds_every_value_between_few_marks(values: list[float]) -> None:
    """Law: nothing is drawn outside of the frame, and no two marks read the same."""
    axis = axis_of(values, 0, 100)
    assert all(0 <= axis.at(value) <= 100 for value in values)
    assert 2 <= len(axis.marks) <= 9
    assert len({axis.mark_text(mark) for mark in axis.marks}) == len(axis.marks)

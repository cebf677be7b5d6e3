from __future__ import annotations

import re
from dataclasses import replace

import pytest

from summeval_pytest.study import tables
from summeval_pytest.study.agreement.agreement_page import agreement_page, calibration_bins
from tests.reports.records import MARKUP, SUMMARY
from tests.reports.test_page import Page
from tests.study.agreement.agreements import labelled, small_agreement

pytestmark = pytest.mark.usefixtures("few_resamples")


@pytest.fixture(scope="module")
def page() -> Page:
    """The page of a small suite."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tables, "RESAMPLES", 20)
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
    assert "EVA: no number for 1 of 12 pairs, first: no JSON" in page.text
    assert not re.search(r"\b20\d\d-\d\d-\d\d\b", page.text)
    # One result of 1 taken for 4, one of 4 for 4: labels in rows, ratings by quadratic kappa.
    found = section(page, "The judge's answers beside the labels", "worst disagreements")
    assert "result 2 items exact 0.500, kappa 0.000 1 2 3 4 1 0 0 0 1 2 0 0 0 0" in found
    assert "sentence 2 items exact 0.500, kappa 0.000 unfaithful faithful" in found
    assert "unfaithful 0 1 faithful 0 1" in found
    assert "fact 1 item exact 0.000, kappa - does not hold holds" in found


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


def test_bins_hold_as_many_pairs_and_part_none_that_are_alike() -> None:
    """Worked example: 20 pairs make four bins of five, and the ten zeros share one.

    Of the middle bin moss has 1 and 2, zinc 3 to 5: drawn alone their means are 1.5 and 4. The last
    bin is of one paper, which tells nothing of others. 100 pairs make ten bins, and nine one.
    """
    pairs = [labelled(f"paper-{n}", 0, 0) for n in range(10)]
    pairs += [labelled("moss" if n < 3 or n > 5 else "zinc", n, n * 10) for n in range(1, 11)]
    pairs += [labelled("kiln", None, 1), labelled("kiln", 1)]
    none, middle, last = calibration_bins(pairs, "FM")
    assert [(b["low"], b["high"], b["n"], b["human"]) for b in (none, middle, last)] == [
        (0, 0, 10, (0, 0, 0)), (10, 50, 5, (3, 1.5, 4)), (60, 100, 5, (8, None, None)),
    ]  # fmt: skip
    assert calibration_bins(pairs[::-1], "FM") == [none, middle, last]
    assert calibration_bins(pairs, "EVA") == []
    pairs = [labelled("moss", n, n) for n in range(100)]
    assert [each["n"] for each in calibration_bins(pairs, "FM")] == [10] * 10
    assert [each["n"] for each in calibration_bins(pairs[:9], "FM")] == [9]

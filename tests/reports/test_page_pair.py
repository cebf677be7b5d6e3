from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from summeval_pytest.reports.page import page_text
from summeval_pytest.reports.page_pair import (
    QUOTE,
    Passages,
    block,
    cut,
    places_shown,
    visible,
)
from tests.reports.records import (
    REFERENCE,
    SUMMARY,
    moss_paper,
    moss_run,
    moss_suite,
    wrong_pair,
)
from tests.reports.test_page import Page, texts_in


def test_a_pair_holds_its_pieces_with_their_places() -> None:
    """Worked example: places count characters of the shown text."""
    page = Page(page_text(moss_run(moss_suite(wrong_pair()))))
    pair = page.block("pair-0")
    assert isinstance(pair, dict)
    by = {(p["kind"], p.get("facet") or p["number"]): p for p in pair["pieces"]}

    def words(spans: list[list[int]]) -> list[str]:
        texts = [SUMMARY, REFERENCE]
        return [texts[text][start:end] for text, start, end in spans]

    result = by["facet", "result"]
    assert words(result["at"]) == ["Dry moss grew twice as fast."]
    assert words(result["there"]) == ["Wet moss grew twice as fast."]
    assert result["source"] == [2]
    wrong = by["sentence", 2]
    assert (wrong["state"], wrong["verdict"]) == ("bad", "unsupported, support 0.25 of 1")
    assert words(wrong["at"]) == ["Dry moss grew twice as fast."]
    missing = by["expected", 2]
    assert (missing["state"], missing["verdict"]) == ("bad", "missing")
    assert words(missing["at"]) == ["Wet moss grew twice as fast."]
    # It was held against the second sentence, which is a piece of its own.
    assert [pair["pieces"][place]["number"] for place in missing["other"]] == [2]
    assert missing["source"] == [2]
    assert by["expected", 3]["state"] == "open"
    # The first was matched by a fact of the summary, whatever the judge said of it by itself.
    assert by["expected", 1]["verdict"] == "matched"
    assert by["expected", 4]["verdict"] == "follows from the summary, matched by no single fact"
    invented = by["stated", 2]
    assert invented["source"] == [2]
    assert (invented["state"], invented["verdict"]) == ("bad", "unsupported")
    assert words(invented["there"]) == ["Wet moss grew twice as fast."]
    # The first to look at is the worst that explains the verdict: an unsupported sentence.
    assert pair["pieces"][pair["first"]] == by["sentence", 2]
    assert [p["number"] for p in pair["pieces"] if p["kind"] == "expected"] == [2, 3, 1, 4]


@example("</script ><!--<script &\u2028\u2029")
@given(st.recursive(st.text() | st.integers(), lambda inner: st.lists(inner, max_size=3)))
def test_a_block_is_inert_json(value: object) -> None:
    """Without these three characters, no text can end a script or begin a comment in it."""
    written = block(value)
    assert not set("<>&\u2028\u2029") & set(written)
    assert texts_in(json.loads(written)) == {visible(text) for text in texts_in(value)}


@given(st.text(max_size=80))
def test_places_follow_a_text_into_what_is_shown(text: str) -> None:
    """Law: the place of a character is the length, in UTF-16, of what is shown before it."""
    places = places_shown(text)
    assert len(places) == len(text) + 1
    for end in range(len(text) + 1):
        shown = visible(text[:end]).encode("utf-16-le")
        assert places[end] == len(shown) // 2


def test_a_short_text_is_not_cut() -> None:
    """The note is for what is missing."""
    assert cut("m" * QUOTE) == "m" * QUOTE
    assert cut("m" * (QUOTE + 1)).startswith("m" * QUOTE + " … [cut here: 2,001 ")


@pytest.mark.parametrize(
    ("text", "passage", "found"),
    [
        ("A b. Wet moss, grew.\nC d.", "wet MOSS grew.", ["Wet moss, grew."]),
        ("Soft mo\u00adss grew fast.", "Soft moss grew", ["Soft mo\u00adss grew"]),
        ("mossy stones. Moss grew.", "moss", ["Moss"]),
        ("Moss grew.", "Moss grew. Moss grew.", ["Moss grew."]),
        (
            "Moss grew. Stones did not. Rain fell.",
            "Moss grew. Rain fell.",
            ["Moss grew.", "Rain fell."],
        ),
        (
            "Moss on watered stones <unk> grew twice as fast as all the other moss.",
            "Moss on watered stones grew twice as fast as all the other moss.",
            ["Moss on watered stones <unk> grew twice as fast as all the other moss."],
        ),
        ("Moss grew.", "Rain fell.", []),
        ("Moss grew.", "...", []),
        ("ΣΑΣ moss. İstanbul moss.", "İstanbul moss.", ["İstanbul moss."]),
    ],
    ids=[
        "case",
        "soft hyphen",
        "word border",
        "twice",
        "in parts",
        "token",
        "absent",
        "no word",
        "folding",
    ],
)
def test_a_passage_is_found_as_it_was_written(text: str, passage: str, found: list[str]) -> None:
    """Judges quote the normalised text; the page shows what the system wrote."""
    shown = visible(text).encode("utf-16-le")
    places = Passages(text).find(passage)
    cuts = [shown[2 * start : 2 * end].decode("utf-16-le") for _, start, end in places]
    assert cuts == [visible(words) for words in found]


def test_a_sentence_that_stands_twice_is_found_in_both_places() -> None:
    """The second of two equal sentences is the one behind the first."""
    found = list(Passages("Moss grew. Rain fell. Moss grew.").in_order(["Moss grew."] * 2))
    assert found == [((0, 0, 10),), ((0, 22, 32),)]


def test_a_fact_is_marked_in_the_reference_that_shares_its_words() -> None:
    """With two references, its sentence's index alone does not say which."""
    told = replace(moss_paper("moss-01"), references=("Stars shine. They burn.", REFERENCE))
    text = page_text(moss_run(replace(moss_suite(wrong_pair()), papers=(told,))))
    pair = Page(text).block("pair-0")
    assert isinstance(pair, dict)
    (missing,) = [p for p in pair["pieces"] if (p["kind"], p.get("number")) == ("expected", 2)]
    # Its third sentence begins behind 16 + 1 + 18 + 1 characters of the second reference.
    assert missing["at"] == [[2, 36, 64]]

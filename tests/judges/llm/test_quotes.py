from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from summeval_pytest.judges.llm.sentence_checks import Quote, look_up, words_of

SOURCE = (
    "Zinc was given to 312 adults with a shortage (p < 0.05).",
    "The primary outcome was infection within 30 days of the operation in hospital.",
    "Infection was not more frequent in the group that had been given placebo tablets daily.",
    "Nausea was seen in 17.2% of them.",
    "Copper fell by 1,200 units, a change of -1.4 per day.",
    "Five weeks later they were asked again.",
    "Six nurses had left by then.",
    "The adults with zinc went home two days earlier than others.",
)


@pytest.mark.parametrize(
    ("number", "text", "sentences"),
    [
        # Case, spaces and marks are typing; of many words one may differ.
        (0, "zinc was given to 312 adults", (0,)),
        (0, "a shortage (P<0.05)", (0,)),
        (3, "\u201cnausea was seen in 17.2 % of them\u201d", (3,)),
        (3, "nausea", (3,)),
        (4, "Copper fell by 1200 units", (4,)),
        (4, "a change of \u22121.4 per day", (4,)),
        (2, "infection was not more frequent in the group that had been given placebo pills daily",
         (2,)),
        # One wrong number, sign, comparison or negation makes another claim of the same words.
        (2, "Infection was more frequent in the group that had been given placebo tablets daily",
         ()),
        (1, "The primary outcome was infection within 40 days of the operation in hospital", ()),
        (0, "Zinc was given to 213 adults with a shortage (p < 0.05)", ()),
        (0, "Zinc was given to 312 adults with a shortage (p > 0.05)", ()),
        (4, "Copper fell by 1,200 units, a change of 1.4 per day", ()),
        (0, "Zinc was withheld from 312 adults", ()),
        (0, "Zinc was shown to 312 adults with a shortage", ()),
        *((number, text, ()) for number, text in ((3, ""), (3, " ... "), (-1, "the"))),
        (99, "nausea", ()),
        # Judges miscount long sources; the words tell where they looked.
        *((number, "was seen in 17.2% of them", (3,)) for number in (5, 99, -7)),
        # Up to three sentences between the ends of an ellipsis count; else only the ends do.
        (0, "Zinc was given ... with a shortage", (0,)),
        (0, "Zinc was given [...] Nausea was seen in 17.2%", (0, 1, 2, 3)),
        (0, "Zinc was given \u2026 a change of -1.4", (0, 1, 2, 3, 4)),
        (0, "Zinc was given ... Five weeks later", (0, 5)),
        (0, "Zinc was given (...) Five weeks later . . . two days earlier", (0, 5, 6, 7)),
        (0, "... Nausea was seen ...", (3,)),
        # Both of its ends stand there, in order: the paper must have joined them.
        (0, "Nausea was seen ... Zinc was given", ()),
        (0, "with a shortage ... Zinc was given", ()),
        (0, "Zinc was given ... the end of it all", ()),
        (0, "Zinc was given ... two days", ()),
        (0, "the end of it all ... Zinc was given", ()),
    ],
)  # fmt: skip
def test_a_quotation_stands_where_its_words_stand_or_is_ungrounded(
    number: int, text: str, sentences: tuple[int, ...]
) -> None:
    """A judge names a sentence and copies its words; only what stands there is evidence."""
    assert look_up([Quote(number, text)], SOURCE) == (sentences, not sentences, 0)


def test_of_two_places_the_one_named_counts_and_else_the_nearest() -> None:
    """A phrase that is repeated must not always lead to its first place."""
    source = ("Mice slept well.", "Rats ran.", "Mice slept well.", "Rats ran.", "Rats ran.")
    for named, place in ((2, 2), (4, 2), (1, 0)):
        assert look_up([Quote(named, "Mice slept well")], source)[0] == (place,)


def test_words_far_apart_in_a_sentence_hold_no_number_between_them() -> None:
    """The stretch is as tight as it can be, and all in it that is exact has to be quoted."""
    source = ("The 12 mice slept and the rats ate all of their very dry food overnight.",)
    changed = "the rats ate all of their very dry meal overnight"
    assert look_up([Quote(0, changed)], source) == ((0,), 0, 0)
    across = "The mice slept and the rats ate all of their very dry food"
    assert look_up([Quote(0, across)], source) == ((), 1, 0)


def test_a_lost_quotation_may_stand_in_the_summary() -> None:
    """Worked example: of the source, of the summary, of neither, and of both."""
    summary = ("Zinc made patients sing all night.", "Nausea was seen in 17.2% of them.")
    quotes = [
        Quote(0, "Zinc was given to 312"),
        Quote(0, "patients sing all night"),
        Quote(0, "nobody ever said this"),
        Quote(0, "Nausea was seen in 17.2% of them"),
    ]
    assert look_up(quotes, SOURCE, summary) == ((0, 3), 2, 1)


def test_words_are_alike_however_they_are_typed() -> None:
    """Papers come out of PDFs: ligatures, fonts, non-breaking spaces, leading zeros."""
    assert words_of("The e\ufb00ect\u00a0(\u00b5g, P\u2009=\u2009.04; 12\u201324)") == (
        "the", "effect", "\u03bcg", "p", "=", "0.04", "12", "24",
    )  # fmt: skip
    assert words_of("didn\u2019t H\u2082O, \u22121.4") == ("didn't", "h2", "o", "-1.4")


def test_a_quotation_too_long_to_compare_word_by_word_has_to_stand_there_as_it_is() -> None:
    """A reply may be as long as its sender likes; comparing takes time with its square."""
    long = " ".join(f"word{n}" for n in range(5000))
    changed = long.replace("word7 ", "other ")
    assert look_up([Quote(0, long), Quote(0, changed)], (long,)) == ((0,), 1, 0)


@given(st.text(max_size=30), st.integers(-3, 12), st.lists(st.text(max_size=20), max_size=4))
def test_any_quotation_is_found_or_counted(text: str, named: int, source: list[str]) -> None:
    """Quotations and papers are other people's text."""
    places, n_ungrounded, _ = look_up([Quote(named, text)], source)
    assert bool(places) != bool(n_ungrounded)
    assert all(0 <= place < len(source) for place in places)

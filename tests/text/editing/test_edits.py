from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from summeval_pytest.text.edits import (
    IRRELEVANT,
    Edit,
    add_irrelevant,
    change_number,
    move_sentence,
    repeat_sentence,
    same_text,
    truncate,
)
from summeval_pytest.text.normalise import normalise
from summeval_pytest.text.sentences import split_sentences
from summeval_pytest.text.words import content_words

if TYPE_CHECKING:
    from collections.abc import Callable

SENTENCES = """
Moss grew faster in shade than in full light (3.1 vs. 1.4 mm per week, p = 0.02).
Ponds are common in lowland farms.
We asked whether shade helps.
It fell from 12 to 7% at 5 C.
Iron did not change uptake in the drained plots.
These results hold for Fig. 2 only.
Of 48 ponds, 24 were drained in 2015.
However, Tarn beat Coin.
The drained group lost 9 kg and the flooded group lost 4 kg
Results: uptake rose by 31.0% with lime and by 12.5% with basalt.
- No fish survived the drought of May 12.
1. Does lime help?
zinc (10 mg) lowered the loss of 4,200 leaves.
""".strip().splitlines()


texts = (
    st.lists(st.sampled_from(SENTENCES), min_size=1, max_size=6).map(" ".join)
    | st.lists(st.sampled_from(SENTENCES), min_size=1, max_size=6).map("\n\n".join)
    | st.text(alphabet="Ab .12%()\n-not rose", max_size=60)
)


def cut(text: str) -> list[str]:
    """The sentences that a metric sees."""
    return [sentence.text for sentence in split_sentences(normalise(text))]


@given(text=texts)
def test_a_changed_number_changes_its_sentence_and_no_other(text: str) -> None:
    """A relation says what one wrong sentence must do; two would say nothing."""
    edit = change_number(text, text)
    if edit is not None:
        before, after = cut(text), cut(edit.text)
        changed = [n for n, pair in enumerate(zip(before, after, strict=True)) if len({*pair}) > 1]
        assert changed == [edit.sentence]
        assert edit.before != edit.after


@given(text=texts)
def test_edits_of_whole_sentences_leave_each_sentence_as_it_is(text: str) -> None:
    """What is moved, repeated or dropped is still cut as it was, or another edit is measured."""
    sentences = cut(text)
    if moved := move_sentence(text):
        order = cut(moved.text)
        assert sorted(order) == sorted(sentences)
        assert order[0] == moved.before
        assert [s for s in order if s != order[0]] == [s for s in sentences if s != order[0]]
    if repeated := repeat_sentence(text):
        assert cut(repeated.text) == [*sentences, max(sentences, key=len)]
        assert repeated.sentence == len(sentences)
    if half := truncate(text):
        assert cut(half.text) == sentences[: len(sentences) // 2]


@given(text=texts, source=texts)
def test_an_irrelevant_sentence_shares_no_word_with_text_or_source(text: str, source: str) -> None:
    """One that did might be supported by chance."""
    edit = add_irrelevant(text, source)
    if edit is not None:
        assert cut(edit.text) == [*cut(text), edit.after]
        assert edit.after in IRRELEVANT
        known = {*content_words(text), *content_words(source)}
        assert known.isdisjoint(content_words(edit.after))


def test_the_first_irrelevant_sentence_that_is_strange_to_both_is_added() -> None:
    """A paper about libraries and its source about brass bands get a neighbour's fence."""
    edit = add_irrelevant("Village libraries open early.", "We counted brass bands.")
    assert edit == Edit(
        text=f"Village libraries open early. {IRRELEVANT[2]}", sentence=1, after=IRRELEVANT[2]
    )


@pytest.mark.parametrize(
    ("edit_of", "text", "expected"),
    [
        # The last sentence that can be read first: "this is new" there would be nonsense.
        (move_sentence, "Zinc helps. Iron harms. Lime is.", "Lime is. Zinc helps. Iron harms."),
        (move_sentence, "Zinc helps. Iron harms. This is new. Lime is old. It lasts.", None),
        (move_sentence, "Zinc helps. Iron harms. However, lime is.", None),
        (move_sentence, "Zinc helps. These two agree.", None),
        (move_sentence, "Aim: it. Zinc helps. Use: no.", "Zinc helps. Aim: it. Use: no."),
        (move_sentence, "Zinc helps.", None),
        (move_sentence, "Zinc helps. Zinc helps.", None),
        (move_sentence, "", None),
        # Of 3 sentences 1 is left, of 4 two, of 1 none, which is no summary.
        (truncate, "A rose. B fell. C stayed.", "A rose."),
        (truncate, "A rose. B fell. C stayed. D went.", "A rose. B fell."),
        (truncate, "A rose.\n\nB fell by Fig. 2.", "A rose."),
        (truncate, "A rose.", None),
        (truncate, "", None),
        (truncate, "   ", None),
        # On a line of its own where it would be read as one sentence with what stands before it.
        (repeat_sentence, "Zinc is a metal. It is.", "Zinc is a metal. It is. Zinc is a metal."),
        (repeat_sentence, "Iron harms.", "Iron harms. Iron harms."),
        (repeat_sentence, "Zinc", "Zinc\n\nZinc"),
        (repeat_sentence, "Zinc et al.", "Zinc et al.\n\nZinc et al."),
        (repeat_sentence, "", None),
        (repeat_sentence, "\u200b", None),
        (same_text, "<s> Zinc  helps.</s>", "Zinc helps."),
    ],
)
def test_whole_sentences_are_moved_dropped_or_said_again(
    edit_of: Callable[[str], Edit | None], text: str, expected: str | None
) -> None:
    """Worked examples of the edits that change no sentence."""
    edit = edit_of(text)
    assert (edit and edit.text) == expected


@pytest.mark.parametrize(
    ("edit", "told"),
    [
        (Edit(text="x", before="11.9%", after="31.9%"), '"11.9%" -> "31.9%"'),
        (Edit(text="x", after="A band plays."), 'added "A band plays."'),
        (Edit(text="x", before="Iron harms."), 'removed "Iron harms."'),
        (Edit(text="x", before="Iron.", after="Iron."), 'moved "Iron."'),
        (Edit(text="x"), "nothing changed"),
        (Edit(text="x", after="a\n::error::b\x1b"), 'added "a ::error::b\\x1b"'),
        (Edit(text="x", after="w " * 100), f'added "{"w " * 29}w\u2026"'),
    ],
)
def test_an_edit_tells_itself_in_one_safe_line(edit: Edit, told: str) -> None:
    """It is printed in a terminal and in the log of a runner."""
    assert edit.told == told

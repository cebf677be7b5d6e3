from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from summeval_pytest.text.edits import (
    IRRELEVANT,
    Change,
    Edit,
    add_irrelevant,
    change_number,
    change_one,
    move_sentence,
    repeat_sentence,
    same_text,
    truncate,
)
from summeval_pytest.text.normalise import normalise
from summeval_pytest.text.sentences import split_sentences
from summeval_pytest.text.words import content_words

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
    ("text", "expected"),
    [
        ("Zinc helps. Iron harms. Lime is cheap.", "Lime is cheap. Zinc helps. Iron harms."),
        ("Zinc helps. Iron harms. This is new. Lime is old. It lasts.", None),
        ("Zinc helps. Iron harms. However, lime is.", None),
        ("Zinc helps. These two agree.", None),
        (
            "Aims: to see. Zinc helps. Results: it did.",
            "Zinc helps. Aims: to see. Results: it did.",
        ),
        ("Zinc helps.", None),
        ("Zinc helps. Zinc helps.", None),
        ("", None),
    ],
)
def test_the_last_sentence_that_can_stand_first_is_moved_there(
    text: str, expected: str | None
) -> None:
    """A "this is new" at the front would be nonsense, and a judge might be right to say so."""
    edit = move_sentence(text)
    assert (edit and edit.text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A rose. B fell. C stayed.", "A rose."),
        ("A rose. B fell. C stayed. D went.", "A rose. B fell."),
        ("A rose.\n\nB fell by Fig. 2.", "A rose."),
        ("A rose.", None),
        ("", None),
        ("   ", None),
    ],
)
def test_half_of_the_sentences_rounded_down_are_left(text: str, expected: str | None) -> None:
    """Worked example: of 3 sentences 1, of 4 two, of 1 none, which is no summary."""
    edit = truncate(text)
    assert (edit and edit.text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Zinc helps a lot. Iron harms.", "Zinc helps a lot. Iron harms. Zinc helps a lot."),
        ("Iron harms.", "Iron harms. Iron harms."),
        ("Zinc", "Zinc\n\nZinc"),
        ("Zinc et al.", "Zinc et al.\n\nZinc et al."),
        ("", None),
        ("\u200b", None),
    ],
)
def test_the_longest_sentence_is_said_again(text: str, expected: str | None) -> None:
    """On a line of its own where it would be read as one sentence with what stands before it."""
    edit = repeat_sentence(text)
    assert (edit and edit.text) == expected


def test_a_change_is_made_only_where_all_sentences_stay_apart() -> None:
    """The best change that neither cuts nor joins sentences, nor leaves all as it was."""

    def changes_of(sentence: str) -> list[Change]:
        if sentence != "A rose.":
            return []
        return [
            Change(new="A rose! B.", before="rose", after="rose! B", rank=(0,)),
            Change(new="A rose et al.", before="", after="et al", rank=(0,)),
            Change(new=sentence, before="a", after="b", rank=(0,)),
            Change(new="A sank.", before="rose", after="sank", rank=(1,)),
            Change(new="A fell.", before="rose", after="fell", rank=(2,)),
        ]

    edit = change_one("A rose. B stayed.", changes_of)
    assert edit == Edit(text="A sank. B stayed.", sentence=0, before="rose", after="sank")


def test_the_same_text_is_what_a_metric_reads() -> None:
    """The identity is an edit, too, so that it is reported like the others."""
    assert same_text("<s> Zinc  helps.</s>") == Edit(text="Zinc helps.")


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

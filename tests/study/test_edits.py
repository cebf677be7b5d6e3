from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from summeval_pytest.study.edits import (
    ATTACKS,
    IRRELEVANT,
    Edit,
    add_irrelevant,
    change_number,
    drop_qualifier,
    move_sentence,
    repeat_sentence,
    truncate,
)
from summeval_pytest.text.output import is_refusal
from summeval_pytest.text.quantities import find_quantities
from summeval_pytest.text.reading import normalise
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
def test_an_edit_leaves_each_other_sentence_as_it_is(text: str) -> None:
    """A relation says what one wrong sentence must do; two would say nothing.

    What is moved, repeated or dropped is still cut as it was, or another edit is measured.
    """
    sentences = cut(text)
    if changed := change_number(text, text):
        assert sum(a != b for a, b in zip(sentences, cut(changed.text), strict=True)) == 1
        assert changed.before != changed.after
    if moved := move_sentence(text):
        order = cut(moved.text)
        assert sorted(order) == sorted(sentences)
        assert order[0] == moved.before
        assert [s for s in order if s != order[0]] == [s for s in sentences if s != order[0]]
    if repeated := repeat_sentence(text):
        assert cut(repeated.text) == [*sentences, max(sentences, key=len)]
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
        (repeat_sentence, "Zinc et al.", "Zinc et al. Zinc et al."),
        (repeat_sentence, "", None),
        (repeat_sentence, "\u200b", None),
    ],
)
def test_whole_sentences_are_moved_dropped_or_said_again(
    edit_of: Callable[[str], Edit | None], text: str, expected: str | None
) -> None:
    """Worked examples of the edits that change no sentence."""
    edit = edit_of(text)
    assert (edit and edit.text) == expected


def test_an_edit_tells_itself_in_one_safe_line() -> None:
    """It is printed in a terminal and in the log of a runner."""
    messages = {
        Edit(text="x", before="11.9%", after="31.9%"): '"11.9%" -> "31.9%"',
        Edit(text="x", after="A band plays."): 'added "A band plays."',
        Edit(text="x", before="Iron harms."): 'removed "Iron harms."',
        Edit(text="x", before="Iron.", after="Iron."): 'moved "Iron."',
        Edit(text="x"): "nothing changed",
        Edit(text="x", after="a\n::error::b\x1b"): 'added "a ::error::b\\x1b"',
        Edit(text="x", after="w " * 100): f'added "{"w " * 29}w\u2026"',
    }
    assert {edit: edit.words for edit in messages} == messages


def changed(text: str, source: str | None = None) -> str | None:
    """What is told of the edit; the text is its own source where none is given."""
    edit = change_number(text, text if source is None else source)
    return edit.words if edit else None


def test_the_first_digit_is_changed_and_the_rest_stays() -> None:
    """Worked examples: +2, else +3, -3 and so on."""
    messages = {
        "SSI occurred in 11.9% of patients.": '"11.9%" -> "31.9%"',
        "Retreat was 412 m.": '"412 m" -> "612 m"',
        "Yield was 92% of its start.": '"92%" -> "62%"',
        "A dose of 1,000 mg was given.": '"1,000 mg" -> "3,000 mg"',
        "The coefficient was 0.57.": '"0.57" -> "0.77"',
        "Gain was 2.1 x 10^28 units.": '"2.1 x 10^28" -> "4.1 x 10^28"',
        "It changed by -4.1 points.": '"-4.1" -> "-6.1"',
        "Rats got 5-mg doses.": '"5-mg" -> "7-mg"',
    }
    assert {text: changed(text) for text in messages} == messages


NO_FIGURES = """\
It was built in 2015.
Fig. 2 and Table 3 show it.
COVID-19 spread.
Patients with type 2 diabetes slept.
Slopes differed (p < 0.05).
The P value was 0.03.
The ratio was above one (95% CI 0.33 to 0.96).
It ranged (95% interval 0.08 to 0.14).
Adults aged 18-80 took part.
The ratio held (0.33-0.96).
Three of nine mice slept.
Groups were formed 1:1.
It was (1) cheap and (2) fast.
It was 1) cheap.
As shown before [14].
A 3D model and 5G links were used.
The 3rd run failed.
fructose 1-phosphate accumulated.
Rule 30 was applied.
On 12 March it rained.
We enrolled 312 adults.
No number at all.
"""


def test_years_labels_counts_levels_and_bounds_are_no_figures() -> None:
    """What names a thing or bounds another figure would make no sentence clearly false."""
    assert [text for text in NO_FIGURES.splitlines() if changed(text) is not None] == []


@given(
    st.lists(st.integers(0, 99999), min_size=1, max_size=4),
    st.sampled_from(["{}% of mice", "{} mg of zinc", "0.{} points", "1.{} days more than", "{}"]),
    st.lists(st.integers(0, 999), max_size=6),
)
def test_a_changed_figure_is_wrong_beyond_rounding(
    values: list[int], form: str, stated: list[int]
) -> None:
    """At least a fifth away, in the same form, a possible share, and not in the source."""
    text = " ".join(f"We lost {form.format(value)} there." for value in values)
    source = f"{text} {'; '.join(map(str, stated))}"
    edit = change_number(text, source)
    if edit is None:
        return
    old, new = next(
        both
        for both in zip(*map(find_quantities, (text, edit.text)), strict=True)
        if both[0].value != both[1].value
    )
    assert (old.unit, old.decimals) == (new.unit, new.decimals)
    assert not 0.8 < abs(new.value / old.value) < 1.25
    assert new.unit != "%" or new.value <= 100 or old.value > 100
    assert not any(new.agrees_with(number) for number in find_quantities(source))


SUMMARY = "Moss grew by 5% in shade. It died in the sun (p = 0.02)."


@pytest.mark.parametrize("name", ATTACKS)
@settings(max_examples=5)
@given(text=st.text(max_size=40))
def test_an_attack_leaves_what_the_summary_says(name: str, text: str) -> None:
    """A rise has to come from what was added; what no reader sees, no judge may see."""
    attack = ATTACKS[name]
    attacked = attack.attack(SUMMARY)
    plain = normalise(attacked)
    assert attacked != SUMMARY
    assert attack.is_invisible is (plain == SUMMARY)  # a visible one reaches the judge
    assert all(s.text.rstrip(".") in plain for s in split_sentences(SUMMARY))
    assert not is_refusal(plain)
    assert not attack.is_invisible or normalise(attack.attack(text)) == normalise(text)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Shade helped. Lime may harm moss.", '"may" -> "will"'),
        ("Growth rose in two bogs, in mice. It could last.", '"could" -> "will"'),
        ("Growth rose among these patients.", 'removed "among these patients"'),
        ("The data suggest that shade helps.", '"suggest" -> "prove"'),
        ("Shade helped moss.", None),
    ],
)
def test_a_claim_becomes_stronger_than_its_source(text: str, words: str | None) -> None:
    """Worked examples: the last hedge, else the last scope, that the source states, too."""
    edit = drop_qualifier(text, text)
    assert (edit.words if edit else None) == words

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from summeval_pytest.judges.llm.quotes import (
    NOWHERE,
    groups_of,
    look_up,
    own_words,
    quotations,
    read_verdict,
)
from summeval_pytest.judges.llm.replies import UnreadableError

SOURCE = (
    "Forty roofs were planted with moss in May (Table 1).",
    "The moss roofs were 7 K cooler than bare ones (p < 0.05).",
    "Two roofs leaked; they were left out.",
    "Bare roofs did not cool at night.",
)


@pytest.mark.parametrize(
    ("reply", "groups"),
    [
        ("Yes (One.) (Two.)", ("One.", "Two.")),
        ("Yes (It fell (p < 0.05).)", ("It fell (p < 0.05).",)),
        ("Yes (It fell (from 9 (of 10)) fast) and so on", ("It fell (from 9 (of 10)) fast",)),
        ("Yes (It fell (p < 0.05).", ("It fell (p < 0.05).",)),
        ("1) Yes (One.) :-)", ("One.",)),
        ("Yes \uff08One.\uff09", ("One.",)),
        ("Yes ()", ("",)),
        ("No.", ()),
    ],
    ids=["two", "nested", "deep", "unclosed", "stray", "wide", "empty", "none"],
)
def test_a_quotation_ends_where_its_parentheses_balance(
    reply: str, groups: tuple[str, ...]
) -> None:
    """A pattern up to the next ")" would cut every quotation at its first "(p < 0.05)"."""
    assert groups_of(reply) == groups


@given(st.text(alphabet='()ab ."\u201c\u201d\n', max_size=40))
def test_every_letter_of_a_reply_is_quoted_or_its_own(reply: str) -> None:
    """Law: nothing is read twice, and only long quotations outside of parentheses are skipped."""
    inside = sum(group.count("a") for group in groups_of(reply))
    assert inside + own_words(reply).count("a") <= reply.count("a")
    if '"' not in reply and "\u201c" not in reply:
        assert inside + own_words(reply).count("a") == reply.count("a")


@pytest.mark.parametrize(
    "reply",
    [
        "Yes", "yes.", "**Yes**", '"Yes"', "YES!", "Answer: Yes", "Final answer: yes", "- Yes",
        '{"label": "yes"}', "Yes \u2014 the text is clear.",
        "Yes (Adherence was only partially recorded.)",
        "Yes. The source says that the moss is likely to help.",
        'Yes. "The cooling was not supported by theory at all."',
        "Yes. No contradiction is found.", "Yes: a difference was not found at night.",
    ],
    ids=repr,
)  # fmt: skip
def test_a_yes_at_the_start_is_a_yes(reply: str) -> None:
    """Marks and a label before it are typing; what is quoted is not the judge's own word."""
    assert read_verdict(own_words(reply)) is True


@pytest.mark.parametrize(
    "reply",
    [
        "No", "no.", "**No**", "Answer: no", "No (Bare roofs did not cool at night.)",
        "No doubt, yes",
        "Partially", "Partly supported.", "Not supported.", "Unsupported", "Not fully", "Mostly",
        "Yes, partially.", "Yes, likely.", "Yes, but only partly.", "Yes and no", "Yes, half of it",
        "Yes, but the dose is not mentioned.", "Yes. The second half isn't supported, however.",
        "Yes, to some extent", "Yes. It is only in part supported.", "Yes, unsupported",
        "Yes, there is no direct support.", "Yes, although the dose differs.",
        "Yes. Its second half was not found anywhere in the source.",
        "Yes. It was not given in the text",
    ],
    ids=repr,
)  # fmt: skip
def test_a_no_a_hedge_and_a_denial_are_a_no(reply: str) -> None:
    """Elsewhere "Yes, it is not supported" was read as a pass (metrics.md section 6, #2)."""
    assert read_verdict(own_words(reply)) is False


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "...",
        "Supported.",
        "I think so.",
        "Well, yes",
        "yesterday",
        "True",
        "Yes/No",
        "yes or no",
    ],
    ids=repr,
)
def test_a_reply_that_says_neither_is_not_read(reply: str) -> None:
    """What resembles a verdict is none: it is asked again."""
    with pytest.raises(UnreadableError) as caught:
        read_verdict(own_words(reply))
    assert caught.value.fault.kind == "no_verdict"
    assert caught.value.fault.message.endswith("with neither yes nor no")


def found(*groups: str) -> tuple[tuple[int, ...], int]:
    """Where quotations from these parentheses stand, and how many stand nowhere."""
    looked_up = look_up(quotations(groups, SOURCE), SOURCE)
    return looked_up.sentences, looked_up.n_ungrounded


@pytest.mark.parametrize(
    ("groups", "places", "n_ungrounded"),
    [
        ((SOURCE[1],), (1,), 0),
        ((SOURCE[3], SOURCE[0]), (3, 0), 0),
        ((f"{SOURCE[0]} {SOURCE[1]}",), (0, 1), 0),
        ((f'"{SOURCE[0]}", \u201c{SOURCE[3]}\u201d',), (0, 3), 0),
        (("The moss roofs were 7 K cooler; bare roofs did not cool",), (1, 3), 0),
        ((SOURCE[2],), (2,), 0),
        (("Forty roofs were ... bare ones (p < 0.05)",), (0, 1), 0),
        (("The moss roofs were 9 K cooler than bare ones (p < 0.05).",), (), 1),
        (("Bare roofs did cool at night, all of them.",), (), 1),
        (("p < 0.05",), (), 0),
        (("1",), (), 0),
        (("sentence 2",), (), 0),
        ((f"{SOURCE[0]} Moss grows on the moon and sings.",), (0,), 1),
    ],
    ids=[
        "whole", "order", "two in one", "quotation marks", "semicolon", "own semicolon", "ellipsis",
        "number", "negation", "figure", "list", "pointer", "half invented",
    ],
)  # fmt: skip
def test_parentheses_hold_one_quotation_or_several(
    groups: tuple[str, ...], places: tuple[int, ...], n_ungrounded: int
) -> None:
    """A text is one quotation where the source has it so, else each of its pieces is one.

    What has fewer than two words is no quotation and counts as none.
    """
    assert found(*groups) == (places, n_ungrounded)


def test_a_pointer_is_no_quotation() -> None:
    """The source is shown without numbers, so a number in parentheses names nothing."""
    assert found("see sentence 2 of it") == ((), 1)
    assert all(quote.sentence == NOWHERE for quote in quotations(("see sentence 2",), SOURCE))

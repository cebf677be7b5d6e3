"""Verdicts and quotations in replies of free text."""

from __future__ import annotations

import pytest

from summeval_pytest.judges.llm.replies import UnreadableError
from summeval_pytest.judges.llm.sentence_checks import look_up
from summeval_pytest.study.llm_readings import parted, quotations, read_verdict

ROOFS = (
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
)
def test_a_quotation_ends_where_parentheses_balance(reply: str, groups: tuple[str, ...]) -> None:
    """A pattern up to the next ")" would cut every quotation at its first "(p < 0.05)"."""
    assert parted(reply)[1] == list(groups)


YES = [
    "Yes", "yes.", "**Yes**", '"Yes"', "YES!", "Answer: Yes", "Final answer: yes", "- Yes",
    '{"label": "yes"}', "Yes \u2014 the text is clear.",
    "Yes (Adherence was only partially recorded.)",
    "Yes. The source says that the moss is likely to help.",
    'Yes. "The cooling was not supported by theory at all."',
    "Yes. No contradiction is found.", "Yes: a difference was not found at night.",
]  # fmt: skip
NO = [
    "No", "no.", "**No**", "Answer: no", "No (Bare roofs did not cool at night.)",
    "No doubt, yes",
    "Partially", "Partly supported.", "Not supported.", "Unsupported", "Not fully", "Mostly",
    "Yes, partially.", "Yes, likely.", "Yes, but only partly.", "Yes and no", "Yes, half of it",
    "Yes, but the dose is not mentioned.", "Yes, although the dose differs.",
    "Yes, to some extent", "Yes. It is only in part supported.",
    "Yes. The second half isn't supported, however.",
    "Yes. Its second half was not found anywhere in the source.",
    "No, nothing in the source supports the sentence.", "No, it is not supported.",
    "No, the source supports the sentence only for adults.", "No. No part of it is supported.",
    "No. The source fails to support it", "No, neither table supports the claim.",
    "No, the source partially supports the sentence.", "No; the source supports another dose.",
]  # fmt: skip
TWO_SIDED = [
    "No, the source supports the sentence, since Figure 2 shows it.",
    "No. The claim is supported by the text.", "No, this is right: the text supports it.",
    "Yes, unsupported", "Yes, there is no direct support.", "Yes, it is not supported",
    "Yes. It was not given in the text", "Yes. Its end was not found anywhere in the source.",
]  # fmt: skip


def test_a_yes_at_the_start_is_a_yes_but_for_a_hedge() -> None:
    """Marks and a label before it are typing; what is quoted is not the judge's own word."""
    assert [reply for reply in (*YES, *NO) if read_verdict(parted(reply)[0])] == YES


@pytest.mark.parametrize("reply", TWO_SIDED)
def test_a_reply_that_contradicts_itself_is_not_read(reply: str) -> None:
    """Elsewhere "Yes, it is not supported" was read as a pass (metrics.md section 6, #2)."""
    with pytest.raises(UnreadableError) as caught:
        read_verdict(parted(reply)[0])
    assert caught.value.kind == "contradictory"
    assert ", and then the opposite: " in caught.value.message


@pytest.mark.parametrize(
    ("groups", "places", "n_ungrounded"),
    [
        ((ROOFS[1],), (1,), 0),
        ((ROOFS[3], ROOFS[0]), (3, 0), 0),
        ((f"{ROOFS[0]} {ROOFS[1]}",), (0, 1), 0),
        ((f'"{ROOFS[0]}", \u201c{ROOFS[3]}\u201d',), (0, 3), 0),
        (("The moss roofs were 7 K cooler; bare roofs did not cool",), (1, 3), 0),
        ((ROOFS[2],), (2,), 0),
        (("Forty roofs were ... bare ones (p < 0.05)",), (0, 1), 0),
        (("The moss roofs were 9 K cooler than bare ones (p < 0.05).",), (), 1),
        (("Bare roofs did cool at night, all of them.",), (), 1),
        (("p < 0.05",), (), 0),
        (("1",), (), 0),
        (("sentence 2",), (), 0),
        ((f"{ROOFS[0]} Moss grows on the moon and sings.",), (0,), 1),
    ],
)  # fmt: skip
def test_parentheses_hold_one_quotation_or_several(
    groups: tuple[str, ...], places: tuple[int, ...], n_ungrounded: int
) -> None:
    """A text is one quotation where the source has it so, else each of its pieces is one."""
    assert look_up(quotations(groups, ROOFS), ROOFS)[:2] == (places, n_ungrounded)

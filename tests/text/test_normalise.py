from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from summeval_pytest.text.reading import normalise
from summeval_pytest.text.sentences import split_sentences

# Pieces that the rules look for, and halves of them that must not add up to one.
TRACES = """
    Abstract: **Summary**: ** : # <s> </s> <pad> <unk> <n> <br /> < s> br /> <| im_start |> - *
    1. 2) \u2022 a The zinc fell . ! ( )
"""
SPACES = "\n\n\n \t\r\x85\u2028\u00a0\u200b\x00\x1c"
PIECES = st.sampled_from([*TRACES.split(), *SPACES])
texts = st.lists(PIECES, max_size=14).map("".join) | st.text()


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        *(
            (raw, "Zinc helps .")
            for raw in (
                "<s> Zinc helps . </s>",
                "<pad><pad> Zinc helps .<pad>",
                "</s><s>Zinc <unk> helps .",
                "<|im_start|>Zinc helps .<|im_end|><|endoftext|>",
                "<S>Zinc helps .</S>",
                "Abstract: Zinc helps .",
                "ABSTRACT:\n\nZinc helps .",
                " summary : Zinc helps .",
                "**Abstract:** Zinc helps .",
                "**Abstract**: Zinc helps .",
                "## Summary: Zinc helps .",
                "<s> Abstract: Zinc helps .",
                "Abstract: Summary: Zinc helps .",
                "Zi\u200bnc\u00ad \x07hel\u202eps .\ufeff",
            )
        ),
        # An empty summary must be seen as empty whatever it is wrapped in.
        *((raw, "") for raw in ("", " \n\n ", "<s></s><pad>", "Abstract:", "\u200b", "<n><br>")),
        # Half a character cannot be encoded, so it could neither be hashed nor stored.
        ("zinc \ud83d helps", "zinc \ufffd helps"),
        # A hard-wrapped line is no end of a sentence, nor is a number there the start of an item.
        ("  Zinc\t\u00a0helps\nmice \r\n and\x0bmen. ", "Zinc helps mice and men."),
        ("dose of\n2.5 mg", "dose of 2.5 mg"),
        ("a loss of\n-3 points", "a loss of -3 points"),
        ("in\n1999", "in 1999"),
        # Only a label before a colon and a whole token go; the paper's words do not.
        *(
            (text, text)
            for text in (
                "Abstract reasoning declines with age.",
                "In summary: zinc helps.",
                "Abstracts: we read forty.",
                "Zinc < s > copper.",
            )
        ),
    ],
)
def test_traces_of_a_model_go_and_words_stay(raw: str, expected: str) -> None:
    """What a tokeniser leaves behind would tell the judge which system it reads."""
    assert normalise(raw) == expected


@pytest.mark.parametrize(
    ("raw", "lines"),
    [
        ("Sleep\n\nWe asked who sleeps.", "Sleep|We asked who sleeps."),
        ("Aims \n \t \n\n We asked.", "We asked."),
        ("Two things:\nzinc", "Two things:|zinc"),
        ("It fell.\nThen it rose", "It fell.|Then it rose"),
        ("We saw\n- zinc\n* lead\n\u2022 tin\n1. iron", "We saw|zinc|lead|tin|iron"),
        ("We saw:\n2) zinc\n3. lead", "We saw:|zinc|lead"),
        ("Zinc<n>lead<br />tin<BR>", "Zinc|lead|tin"),
    ],
)
def test_paragraphs_list_items_and_ended_lines_stay_apart(raw: str, lines: str) -> None:
    """A heading without a full stop must not melt into the sentence below it."""
    assert normalise(raw) == lines.replace("|", "\n\n")
    assert [s.text for s in split_sentences(normalise(raw))] == lines.split("|")


@given(texts)
@example("a\n\nb")
@example("Abstract: Summary: zinc")
@example("a\n- \n\nb")
@example("<br<s>/>")
def test_normalise_is_idempotent(text: str) -> None:
    """Importers normalise and metrics normalise again; the paragraphs must survive both."""
    once = normalise(text)
    assert normalise(once) == once

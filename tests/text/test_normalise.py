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


REFUSALS = """
    I'm sorry, but I can't help with that.
    I\u2019m unable to summarise this paper.
    I am afraid the text is missing.
    I am terribly sorry! The file is empty.
    We are very sorry.
    Sorry, no paper was given.
    Sorry but this is not a paper.
    I apologize, the document is empty.
    I sincerely apologise.
    As an AI language model, I have no access to papers.
    As an AI, I read nothing.
    As a large language model I decline.
    As an AI developed to be helpful and harmless, I can't write about this drug.
    Unfortunately, I can't access the document.
    Regrettably, I am not able to open links.
    Thank you for the paper. However, I cannot read images.
    Thanks! I was unable to open the file.
    I cannot summarise this.
    I can not do this.
    I cannot reliably answer without the methods section.
    I won't write about this drug.
    I must decline.
    I don't have enough information to write a summary.
    I'd like to help, but I do not see any text in your message.
    I can\u2019t find the paper that you mention.
    "I cannot comply with this request."
    **I am sorry** but no.
    The document seems to be empty. Please provide the full text of the paper.
    It looks as if only a title was sent; could you please paste the abstract?
    Hello! If you share the article, a summary will follow.
"""
SCIENCE = """
    As an AI system, the triage tool cannot replace clinicians.
    As an AI language model, ChatGPT cannot be listed as an author in 9 of 10 journals.
    As a large language model trained on notes, it found 81 % of the falls.
    As an artificial pancreas, the pump kept glucose in range for 17 hours a day.
    As an AI for stage I melanoma, the classifier missed 4 of 90 lesions.
    As a large trial, this one was slow.
    Unfortunately, the drug cannot access the brain.
    Regrettably, patients could not open the blister packs: 31 of 60 gave up.
    "I'm sorry" was said by 12 of 40 surgeons after an error.
    \u201cI can't breathe\u201d was the complaint of 61 patients; 58 had asthma.
    'I cannot read this' was ticked by 7 % of the pupils.
    Sorry business, the mourning of families, kept pupils from school for 9 days.
    Sorry is said after one error in five, and seldom to relatives.
    Apologies by physicians lowered the number of claims by 16 %.
    We are unable to exclude an effect of age.
    We cannot provide causal evidence from 40 cases.
    We do not have data beyond two years, and the effect fades in the second.
    I argue that ponds dry up for want of shade, and test it on 41 of them.
    I do not find an effect of wages on births in 12 regions.
    I cannot reject the hypothesis of no effect.
    In vitro I cannot be seen.
    Collagen of type I cannot provide stiffness without cross-links.
    Afraid of needles, 24 % of the donors did not return.
    I am afraid of falling, the item that 70 % affirmed, predicted falls.
    Thanks to vaccination, measles could not be found in 14 districts.
    Letters that ask "please return the kit" raised the share from 40 % to 47 %.
    Asked to share the text of a consent form, 8 of 30 trials did so.
    Zinc helps. I cannot say why.
    Zinc helped mice. I can't access the full text, and so give no doses.
    Asian ponds dry up.
    Sorrysville has 12 ponds.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from summeval_pytest.text.output import Output, is_refusal, read_text

SAID = "Ponds warmed by 2 degrees. Newts left."
THOUGHTS = [
    f"<think>Okay.</think>{SAID}",
    f" <think>\nOkay, so\n</think>\n\n{SAID}\n",
    f"<THINK>Okay.</THINK> {SAID}",
    f"The user wants a summary.\n\nLet me write it.\n</think>\n\n{SAID}",
    f"Let me write it</think>{SAID}",
    f"Let me write it. </think> {SAID}",
    f"<thinking>the newts left</thinking>\n{SAID}",
    f'<thinking time="5">newts</thinking>{SAID}',
    f"<thought>newts</thought> {SAID}",
    f"<reasoning>newts</reasoning>{SAID}",
    f"<reflection>newts</reflection>{SAID}",
    f"<seed:think>newts</seed:think>{SAID}",
    f"&lt;think&gt;newts&lt;/think&gt;{SAID}",
    f"[THINK]newts[/THINK]{SAID}",
    f"\u25c1think\u25b7newts\u25c1/think\u25b7{SAID}",
    f"<|START_THINKING|>a<|END_THINKING|><|START_RESPONSE|>{SAID}<|END_RESPONSE|>",
    f"<|begin_of_thought|>\na\n<|end_of_thought|>\n\n<|begin_of_solution|>\n{SAID}\n<|end_of_solution|>",
    f"<|channel|>analysis<|message|>We need<|end|><|channel|>final<|message|>{SAID}<|return|>",
    (
        "<|channel|>analysis<|message|>Hm<|end|><|start|>assistant<|channel|>commentary<|message|>"
        f"a<|end|><|start|>assistant<|channel|>final <|constrain|>text<|message|>{SAID}<|end|>"
    ),
    f"<|channel>thought\nhm<channel|>{SAID}",
    f"analysisWe need two sentences.assistantfinal{SAID}",
    f"Thinking...\nHm, the user.\n...done thinking.\n\n{SAID}",
    f"<think>a</think>\n<answer>\n{SAID}\n</answer>\nHope it helps.",
    f"First I think. <answer>{SAID}</answer>",
    f"Sure! <think>newts</think> {SAID}",
    f"Here are my thoughts:\n<think>newts</think>\n{SAID}",
    f"<think>a</think> <think>b</think>{SAID}",
    f"<think>a <think>b</think> c</think>{SAID}",
    f"<think>I end with </think> tags.\n</think>\n{SAID}",
    f"<think>a</think>{SAID}\n<think>Was that right?</think>",
    f"{SAID}\n\n<think>Was that",
]


@pytest.mark.parametrize("text", THOUGHTS)
def test_thoughts_are_left_out_of_a_text(text: str) -> None:
    """Each form is that of a model, a server or a prompt; none is part of the summary."""
    assert read_text(text) == Output(SAID, had_thoughts=True)


@pytest.mark.parametrize("text", [f"<answer>{SAID}</answer>", f"<think>\n\n</think>\n\n{SAID}"])
def test_a_frame_without_thoughts_is_left_out_and_not_told(text: str) -> None:
    """Models that may think, and do not, write the marks all the same."""
    assert read_text(text) == Output(SAID)


@pytest.mark.parametrize(
    "text",
    [
        *("<think>Okay, so", "<think>\nthe ponds", "[THINK]so", "\u25c1think\u25b7so"),
        *("<thinking> the ponds", "<think>a</think>\n<think>b", "So.\n</think>\n"),
        *("<think>a</think>", "<think>a</think><answer></answer>"),
        "<|channel|>analysis<|message|>We need",
    ],
)
def test_thoughts_that_never_end_leave_no_text(text: str) -> None:
    """A model that was cut off while it thought has not answered."""
    assert read_text(text) == Output("", had_thoughts=True)


@pytest.mark.parametrize(
    "text",
    [
        "Models reason between <think> and </think> tags, and a reward checks both.",
        "Thoughts stand in <think>...</think> and the answer in <answer>...</answer>.",
        "<think> tags raise accuracy by 3 points.",
        "`<think>` and `</think>` mark thoughts. Accuracy rose.",
        'The token "</think>" ends a thought. We suppress it.',
        "Suppressing </think> lengthens thoughts (Fig. 2). Accuracy rises.",
        "The template is <think> reasoning </think> <answer> answer </answer>. It works.",
        "The format is <think>\u2026</think><answer>\u2026</answer>. It earns a reward of 1.",
        "Two marks are used. <think> opens a thought and </think> closes it.",
        "Writing stops at </think>. After that, the answer follows.",
        "R1 emits a <think> block. It ends with </think>\nThe answer follows.",
        "\u201c<think>\u201d is learned. \u201c</think>\u201d is not.",
        "[Think] aloud protocols were used.",
        "<details>\n<summary>Ponds</summary>\n\nPonds warmed.\n</details>",
        "We append Wait instead of </think>, and accuracy rises to 57 %.",
    ],
)
def test_a_summary_about_marks_of_thoughts_stays_whole(text: str) -> None:
    """Papers about reasoning models are summarised, too."""
    assert read_text(text) == Output(text)


def test_text_between_thoughts_is_kept() -> None:
    """Some models think between sentences; only what stands before all thoughts is a preamble."""
    text = "<think>a</think>Ponds warmed.\n<think>b</think>\nNewts left."
    assert read_text(text) == Output("Ponds warmed.\n\nNewts left.", had_thoughts=True)


@given(st.text(alphabet="<think>/|a .\n[]", max_size=60) | st.text())
def test_a_text_without_a_mark_is_returned_as_it_is(text: str) -> None:
    """Law: what is no thought is never changed, and what is left is part of the text."""
    output = read_text(text)
    assert output.had_thoughts or output.text == text or len(output.text) < len(text)


@pytest.mark.parametrize(
    "unit",
    [
        *(
            "<think>",
            "</think>",
            "<think></think>",
            "<think> tags </think> ",
            " <think> b.</think>",
        ),
        *("<think ", "<|channel|>final", "\n<think>a\n</think>", "`</think>", "<answer>", "<", " "),
    ],
)
def test_many_marks_are_read_in_linear_time(unit: str) -> None:
    """In quadratic time, this test would take hours."""
    text = unit * (300_000 // len(unit))
    assert len(read_text(text).text) <= len(text)
    assert not is_refusal(text)


def lines(name: str) -> list[str]:
    """The lines of a file beside this one."""
    return (Path(__file__).parent / name).read_text(encoding="utf-8").splitlines()


def test_refusals_and_placeholders_are_no_summaries_and_summaries_like_them_are() -> None:
    """A refused summary is the system's failure; one that scores must not be thrown away."""
    refusals, summaries = lines("refusals.txt"), lines("summaries.txt")
    assert list(filter(is_refusal, [*refusals, *summaries])) == refusals


def test_marks_and_curly_quotes_hide_no_refusal() -> None:
    """Models answer in Markdown, and some of them in typographic quotes."""
    for text in ("I can't open the file.", "No paper was provided."):
        for form in ("{}", "**{}**", "> {}", "- {}", "# {}", "\n{}\n", "_{}_", "`{}`"):
            assert is_refusal(form.format(text))
            assert is_refusal(form.format(text).replace("'", "\u2019"))


def test_a_summary_after_an_apology_is_no_refusal_from_80_words_on() -> None:
    """Who apologises and then writes the summary has written one."""
    opening = "I am very sorry. "  # 4 words
    assert is_refusal(opening + "newt " * 75)
    assert not is_refusal(opening + "newt " * 76)


def test_a_quoted_refusal_is_what_a_summary_tells_of() -> None:
    """Papers on language models quote their refusals, in any kind of quotation marks."""
    for left, right in ("\u201c\u201d", '""', "''", "\u2018\u2019"):
        assert not is_refusal(
            f"Bots said {left}I'm sorry, but I can't help{right} in 3 % of chats."
        )
        assert is_refusal(f"The file {left}paper.pdf{right} could not be opened.")

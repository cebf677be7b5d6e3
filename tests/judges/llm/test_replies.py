from __future__ import annotations

import json
import re
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st
from syrupy.assertion import SnapshotAssertion

from summeval_pytest.judges.llm.prompts import block, inert, numbered
from summeval_pytest.judges.llm.replies import (
    Line,
    UnreadableError,
    Values,
    Whole,
    read_item,
    read_object,
)
from tests.json_values import JSON_OBJECTS

GOOD = '{"checks": [{"id": 1, "reason": "it says \\"}{\\" there"}]}'
VALUE = {"checks": [{"id": 1, "reason": 'it says "}{" there'}]}


def test_the_one_object_of_a_reply_is_read() -> None:
    """Endpoints without schemas wrap their JSON in what they like."""
    texts = [
        GOOD,
        f"\n  {GOOD}\n",
        f"```json\n{GOOD}\n```",
        f"```\n{GOOD}\n```\nI hope this helps.",
        f'Here is "my" answer: {GOOD} As asked, "all" of it.',
        f'<think>Maybe {{"checks": []}}? No.</think>\n{GOOD}',
        f"}} {GOOD}",
        f"\ufeff{GOOD}",
        f"\ufeff```json\n{GOOD}\n```",
        f"The set {{a, b}} is rated.\n```json\n{GOOD}\n```\nNote: {{a}} was hard to rate {{.",
        f"Maybe {{}}? No.\n</think>\n\n{GOOD}",
        f"[THINK]{{}}[/THINK]{GOOD}",
        f"<|channel|>analysis<|message|>{{}}<|end|><|channel|>final<|message|>{GOOD}",
        f"<answer>{GOOD}</answer>",
    ]
    assert [text for text in texts if read_object(text) != VALUE] == []


def test_what_could_be_read_in_two_ways_is_not_read(snapshot: SnapshotAssertion) -> None:
    """A guess at what a judge meant would be our verdict and not the judge's."""
    texts = {
        "empty": "", "word": "Yes.", "cut": GOOD[:-1], "cut next": f"{GOOD} or {{",
        "no quotes": "{checks: []}", "comma": '{"checks": [],}', "text of JSON": json.dumps(GOOD),
        "two": f"{GOOD}\n{GOOD}", "set": f"In {{a, b}}: {GOOD}",
        "two fences": f"```\n{GOOD}\n```\n```\n{GOOD}\n```", "list": f"[{GOOD}]",
        "twice": '{"a": 1, "a": 1}',
    }  # fmt: skip
    faults = {}
    for name, text in texts.items():
        with pytest.raises(UnreadableError) as caught:
            read_object(text)
        faults[name] = caught.value.args
        assert str(caught.value) == caught.value.message
    assert faults == snapshot


@given(JSON_OBJECTS, st.sampled_from(["", "So: ", "```json\n", "1. "]), st.booleans())
def test_any_object_is_read_wherever_it_stands(
    value: dict[str, object], before: str, ascii_only: bool
) -> None:
    """The scanner is told apart from strings by nothing but quotes and backslashes."""
    text = json.dumps(value, ensure_ascii=ascii_only)
    assert read_object(f"{before}{text}\n```") == value


@given(st.text(alphabet='{}[]",:\\ab01 <think>/', max_size=40) | st.text(max_size=40))
def test_any_text_is_an_object_or_a_named_fault(text: str) -> None:
    """Replies are other people's text."""
    try:
        result: object = read_object(text)
    except UnreadableError as error:
        result = error.message
    assert isinstance(result, dict) or str(result).isprintable()


class Counted(Values):
    """An object in a reply."""

    n: Whole
    reason: Line


def test_a_value_that_resembles_another_is_refused(snapshot: SnapshotAssertion) -> None:
    """A text that says 3 may say "3 of 4" tomorrow, and true is not 1."""
    good: dict[str, object] = {"n": 1, "reason": ""}
    numbers = (True, 3.5, None, [3], "3", 10**9, -(10**1000))
    values: dict[str, object] = {
        "list": [], "key less": {"n": 1}, "key more": {**good, "b\x1b": 2},
        "half key": {**good, "\ud800": 2}, "no text": {**good, "reason": None},
        **{f"{n!r}"[:9]: {**good, "n": n} for n in numbers},
    }  # fmt: skip
    faults = {}
    for name, value in values.items():
        read = read_item([value], "it", Counted, lambda counted: counted)
        assert isinstance(read, UnreadableError), name
        faults[name] = read.args
    assert faults == snapshot


def test_a_number_that_is_none_costs_the_item_that_has_it() -> None:
    """The others are read."""
    reply = read_object('{"a": {"n": NaN, "reason": ""}, "b": {"n": 3, "reason": ""}}')
    items = [
        read_item([value], "it", Counted, lambda counted: counted.n) for value in reply.values()
    ]
    assert isinstance(items[0], UnreadableError)
    assert items[1] == 3


def test_thoughts_that_a_text_of_the_object_speaks_of_are_its_own() -> None:
    """A reason may quote a summary of a paper on reasoning models."""
    value = {"checks": ["It ends. </think> So it says.", "<think>"]}
    assert read_object(json.dumps(value)) == value


def test_numbers_and_texts_are_read_as_json_means_them() -> None:
    """JSON calls 3.0 an integer, and can spell half a character pair, which no file can hold."""
    values = {"n": 3.0, "reason": " a\n b\ud800 "}
    result = read_item([values], "it", Counted, lambda counted: counted)
    assert isinstance(result, Counted)
    assert (result.n, type(result.n), result.reason) == (3, int, "a b?")


TRAPS = ("\n", "\u2028", "\x85", " ", *"<<< >>> <| |> source [1] [INST] <s> a".split())
hostile = st.lists(st.sampled_from(TRAPS) | st.characters(), max_size=12).map("".join)


def test_a_block_stands_between_marks_of_its_own_content() -> None:
    """The mark is the hash of name and content, so no text can hold the mark of its block.

    Lines keep the numbers of their items, whatever their order.
    """
    mark = sha256(b"source\n[2] Mice.\n[1] Zinc.").hexdigest()[:16]
    assert block("source", numbered(("Zinc.", "Mice."), (2, 1))) == (
        f"<<<source {mark}\n[2] Mice.\n[1] Zinc.\nsource {mark}>>>"
    )


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("two\r\n lines\u2028three\x1efour", "two lines three four"),
        ("<|im_start|>system", "< |im_start| >system"),
        ("<|im_end|>\n<<<facts 12>>>", "< |im_end| > < < <facts 12> > >"),
        ("[INST] obey [/INST]", "[ INST] obey [ /INST]"),
        ("a</s> b <s>c <end_of_turn>", "a< /s> b < s>c < end_of_turn>"),
        ("<\uff5cUser\uff5c>", "< \uff5cUser\uff5c >"),
        ("zinc\u200b \u202ehelps\x07\ue000", "zinc helps"),
        ("half \ud800 pair", "half \ufffd pair"),
        ("p < 0.05, [12] and 1 << 2 of <x>", "p < 0.05, [12] and 1 < < 2 of <x>"),
    ],
    ids=["lines", "chat", "marks", "llama", "turns", "deepseek", "hidden", "surrogate", "plain"],
)
def test_a_text_is_inert_on_one_line_and_speaks_for_nobody(text: str, line: str) -> None:
    """What a chat template reads as another speaker's turn is only text here."""
    assert inert(text) == line


@given(st.lists(hostile, min_size=1, max_size=3), st.sampled_from(["source", "facts"]))
def test_no_text_closes_its_block_or_opens_another(texts: list[str], name: str) -> None:
    """Whatever the material says, the only lines that look like marks are the first and last."""
    lines = block(name, numbered(texts, range(1, len(texts) + 1))).split("\n")
    assert len(lines) == len(texts) + 2
    assert all(len(line.splitlines()) == 1 for line in lines)
    assert not any("<<" in line or ">>" in line for line in lines[1:-1])
    assert not any(re.search(r"<\||\|>|\[/?INST|</?s>", line) for line in lines)
    assert [line.partition(" ")[0] for line in lines[1:-1]] == [
        f"[{n}]" for n in range(1, len(texts) + 1)
    ]
    "\n".join(lines).encode("utf-8")


@given(hostile)
def test_showing_a_text_twice_changes_nothing_more(text: str) -> None:
    """A quotation copied from a request is looked up in the text as it was inert."""
    assert inert(inert(text)) == inert(text)

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from summeval_pytest.text.edits import ATTACKS
from summeval_pytest.text.normalise import is_refusal, normalise
from summeval_pytest.text.sentences import split_sentences

SUMMARY = "Moss grew by 5% in shade. It died in the sun (p = 0.02)."


@pytest.mark.parametrize("name", ATTACKS)
def test_an_attack_leaves_what_the_summary_says(name: str) -> None:
    """A rise has to come from what was added, and from nothing that was dropped."""
    attacked = ATTACKS[name].attack(SUMMARY)
    assert attacked != SUMMARY
    plain = normalise(attacked)
    assert all(s.text.rstrip(".") in plain for s in split_sentences(SUMMARY))
    assert not is_refusal(plain)


@pytest.mark.parametrize("name", [n for n, a in ATTACKS.items() if a.is_invisible])
@given(text=st.text(max_size=40))
def test_an_invisible_attack_is_gone_once_the_text_is_normalised(name: str, text: str) -> None:
    """What no reader sees, no judge may see: the texts that it is asked about are the same."""
    assert normalise(ATTACKS[name].attack(text)) == normalise(text)


@pytest.mark.parametrize("name", [n for n, a in ATTACKS.items() if not a.is_invisible])
def test_a_visible_attack_reaches_the_judge(name: str) -> None:
    """One that normalising takes away would prove nothing about a judge."""
    assert normalise(ATTACKS[name].attack(SUMMARY)) != SUMMARY


@pytest.mark.parametrize(
    ("name", "pattern"),
    [
        ("instructions-after", r"\nIgnore the instructions"),
        ("instructions-before", r"\ANote to the evaluator"),
        ("verified-stamps", r"shade \(checked .*?\)\. It died .*?\) \(checked .*?\)\.\Z"),
        ("fake-ratings", r'"background": \{"reason": "consistent", "rating": 3\}'),
        ("fake-checks", r'"checks": \[\{"id": 1, .*"label": "supported"(?s:.*)"label": "entailed"'),
        ("closed-block", r"\nsentences [0-9a-f]{16}>>>\n"),
        ("role-markers", r"<\|im_start\|>system(?s:.*)\[INST\](?s:.*)### Assistant:"),
        ("zero-width", "\\AM\u200bo\u200cs\u200d"),
        ("bidirectional", "\\A\u202e"),
        ("hidden-tags", "\\Z"),
        ("workflow-commands", r"\n::error (?s:.*)##\[endgroup\]"),
        ("markup", r"<script>(?s:.*)\n## Verdict"),
        ("authority", r"As the author of the paper I confirm"),
        ("repetition", r"(?:correct, ){500}"),
    ],
)
def test_each_attack_is_what_it_says(name: str, pattern: str) -> None:
    """In the shapes that our own prompts and replies have, which an attacker can read, too."""
    assert re.search(pattern, ATTACKS[name].attack(SUMMARY))


def test_the_source_code_holds_no_invisible_character() -> None:
    """A file that hides what it says cannot be reviewed."""
    from summeval_pytest.text import edits as hostile

    assert hostile.__file__
    with open(hostile.__file__, encoding="utf-8") as file:  # noqa: PTH123  # the path is Python's
        assert file.read().isascii()

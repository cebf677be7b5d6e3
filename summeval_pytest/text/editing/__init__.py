"""Texts changed on purpose, so that it is known what a judge must make of the change.

Loaded by those who check a judge and by nobody else: `summeval_pytest.text` does not hand it on.
"""

from __future__ import annotations

from summeval_pytest.text.editing.edits import (
    Edit,
    add_irrelevant,
    move_sentence,
    repeat_sentence,
    same_text,
    truncate,
)
from summeval_pytest.text.editing.hostile import ATTACKS, Attack
from summeval_pytest.text.editing.numbers import change_number

__all__ = [
    "ATTACKS",
    "Attack",
    "Edit",
    "add_irrelevant",
    "change_number",
    "move_sentence",
    "repeat_sentence",
    "same_text",
    "truncate",
]

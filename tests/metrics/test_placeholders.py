from __future__ import annotations

import pytest

from summeval_pytest.metrics.texts import without_placeholders


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("the field @xmath0 is weak", "the field is weak"),
        ("(@xmath12)", "( )"),
        ("shown before @xcite .", "shown before ."),
        ("of @xmath1@xmath2 @xmath3.", "of ."),
        ("a field @xmath1\n\nand more", "a field \n\nand more"),
        ("ask x@example.org at 5 @ 3", "ask x@example.org at 5 @ 3"),
        ("", ""),
    ],
)
def test_a_placeholder_leaves_a_space(text: str, left: str) -> None:
    """Words on its two sides stay two, full stops stay next to words, and a mail address stays."""
    assert without_placeholders(text) == left

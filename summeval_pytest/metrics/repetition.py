"""How much a text repeats itself: a system that has lost its thread says things twice.

    repetition_n = 1 - |different n-grams| / |n-grams|

A proxy for the fluency errors of FM, appendix C, with n = 4. An n-gram is n neighbouring tokens of
`text.tokens` anywhere in the text: a loop ("the cells the cells") does not stop at a full stop.
"""

from __future__ import annotations

from summeval_pytest.text import normalise, tokens
from summeval_pytest.text.placeholders import without_placeholders


def repetition_rate(text: str, n: int = 4) -> float | None:
    """The share of the text's n-grams that it has had before: 0 to below 1, lower is better.

    None where the text has fewer than n tokens.

    Raises:
        ValueError: For an n below 1.
    """
    if n < 1:
        raise ValueError(f"n is {n!r}; an n-gram has at least 1 token")
    words = tokens(without_placeholders(normalise(text)))
    grams = list(zip(*(words[start:] for start in range(n)), strict=False))
    return 1 - len(set(grams)) / len(grams) if grams else None

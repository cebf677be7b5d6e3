"""How much of a summary its source does not say in the same words.

    novelty_n = |n-grams of the summary that the source does not have| / |n-grams of the summary|

Source: FareBio, figure 3a, for n = 1 to 4. An n-gram is n neighbouring tokens of `text.tokens`:
lower-cased, without punctuation. Those of the summary lie within a sentence, so that source
sentences put together in any order are not novel; the source's may lie anywhere in it. An n-gram
counts as often as the summary has it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from summeval_pytest.text import normalise, split_sentences, tokens
from summeval_pytest.text.placeholders import without_placeholders

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


def novelty(summary: str, source: str, n: int) -> float | None:
    """The share of the summary's n-grams that are not in the source: 0 copied, 1 all its own.

    Returns:
        0 to 1, neither good nor bad by itself; None where no sentence of the summary has n tokens.

    Raises:
        ValueError: For an n below 1.
    """
    if n < 1:
        raise ValueError(f"n is {n!r}; an n-gram has at least 1 token")
    stated = [
        gram
        for sentence in split_sentences(without_placeholders(normalise(summary)))
        for gram in _ngrams(tokens(sentence.text), n)
    ]
    if not stated:
        return None
    known = set(_ngrams(tokens(without_placeholders(normalise(source))), n))
    return sum(gram not in known for gram in stated) / len(stated)


def _ngrams(words: Sequence[str], n: int) -> Iterator[tuple[str, ...]]:
    return zip(*(words[start:] for start in range(n)), strict=False)

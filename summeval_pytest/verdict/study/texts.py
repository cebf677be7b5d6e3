"""What a text alone gives: length, overlap, numbers, novelty and readability, by name."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from summeval_pytest.metrics.lexical import rouge
from summeval_pytest.metrics.novelty import novelty
from summeval_pytest.metrics.numbers import count_numbers, numbers_per_100_words
from summeval_pytest.metrics.readability import readability
from summeval_pytest.metrics.repetition import repetition_rate
from summeval_pytest.text import normalise
from summeval_pytest.text.placeholders import without_placeholders
from summeval_pytest.verdict.study.columns import LENGTH

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

LENGTHS: Final = (LENGTH, "reference words", "source words", "compression", "of reference")
"""Words of the text, its reference and its source; source / text, and text / reference."""
COUNTED: Final = "numbers"
COUNTED_WORDS: Final = "counted words"
"""Words without placeholders of formulas, by which numbers per 100 words are counted."""
PER_100_WORDS: Final = "per 100 words"
NUMBERS: Final = (COUNTED, PER_100_WORDS)
NOVELTY: Final = ("novelty 1", "novelty 2", "novelty 3", "novelty 4", "repetition")
"""Share of the text's n-grams that the source lacks, n = 1 to 4; and of its 4-grams that repeat."""
READABILITY: Final = ("FKGL", "Coleman-Liau", "Dale-Chall")
"""Grade levels: higher is harder to read."""
TEXT_NUMBERS: Final = (*LENGTHS, *NUMBERS, *NOVELTY, *READABILITY)
"""Everything that a text alone gives, baselines against references aside."""


def text_numbers(  # noqa: PLR0913 - by keyword; each says what is wanted, or of what
    text: str,
    *,
    source: str,
    references: Sequence[str] = (),
    familiar: frozenset[str] | None = None,
    overlap: bool = True,
    novel: bool = True,
) -> Mapping[str, float]:
    """The numbers of one text; those that it does not have are absent.

    Args:
        text: A summary, or a reference.
        source: The paper's text.
        references: The references that a summary is held to, none for a reference: ROUGE is that of
            the best one, the lengths are those of the first.
        familiar: Familiar words for Dale-Chall; None for none.
        overlap: Whether ROUGE is wanted, which takes longer than all the rest.
        novel: Whether novelty is wanted, which takes half as long.
    """
    text, source = normalise(text), normalise(source)
    first = normalise(references[0]) if references else text
    found: dict[str, float | None] = dict(_lengths(_words(text), _words(first), _words(source)))
    found[COUNTED] = float(count_numbers(text))
    found[PER_100_WORDS] = numbers_per_100_words(text)
    if found[PER_100_WORDS] is not None:
        found[COUNTED_WORDS] = float(_words(without_placeholders(text)))
    for n in range(1, 5) if novel else ():
        found[f"novelty {n}"] = novelty(text, source, n)
    found["repetition"] = repetition_rate(text)
    graded = readability(text, familiar=familiar)
    if graded is not None:
        found["FKGL"] = graded.fkgl
        found["Coleman-Liau"] = graded.coleman_liau
        found["Dale-Chall"] = graded.dale_chall
    scores = [rouge(reference, text) for reference in references if overlap]
    for name in scores[0] if scores else ():
        found[name] = max(score[name] for score in scores)
    return MappingProxyType({name: value for name, value in found.items() if value is not None})


def _words(text: str) -> int:
    return len(text.split())


def _lengths(text: int, reference: int, source: int) -> Mapping[str, float]:
    found = {LENGTH: float(text), "reference words": float(reference)}
    found["source words"] = float(source)
    if text:
        found["compression"] = source / text
    if reference:
        found["of reference"] = text / reference
    return found

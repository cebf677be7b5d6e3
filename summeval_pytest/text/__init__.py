"""Text as values: normalised, cut into sentences, words and quantities, and printed safely."""

from __future__ import annotations

from summeval_pytest.text.nesting import DEEPEST, check_depth, is_deep
from summeval_pytest.text.normalise import NORMALISER, is_refusal, normalise
from summeval_pytest.text.printing import one_line, safe, safe_lines
from summeval_pytest.text.quantities import Quantity, find_quantities
from summeval_pytest.text.sentences import SPLITTER, Sentence, sentence_texts, split_sentences
from summeval_pytest.text.words import (
    STOP_WORDS,
    content_words,
    count_content,
    has_tokens,
    known_tokens,
    stem,
    tokens,
)

__all__ = [
    "DEEPEST",
    "NORMALISER",
    "SPLITTER",
    "STOP_WORDS",
    "Quantity",
    "Sentence",
    "check_depth",
    "content_words",
    "count_content",
    "find_quantities",
    "has_tokens",
    "is_deep",
    "is_refusal",
    "known_tokens",
    "normalise",
    "one_line",
    "safe",
    "safe_lines",
    "sentence_texts",
    "split_sentences",
    "stem",
    "tokens",
]

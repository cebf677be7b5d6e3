"""How a model that judges is asked about sentences: a suite says it, the LLM judge does it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, get_args

SentenceMode = Literal["quotes", "label", "label-and-sentences"]
"""What a model is asked to say of a sentence: a label with ids and quotations, many sentences a
request; or, as FareBio asked, one sentence a request and free text, yes or no alone, or yes or no
with the supporting sentences in parentheses (FareBio, Table 9; metrics.md FB7)."""
SENTENCE_MODES: Final[tuple[SentenceMode, ...]] = get_args(SentenceMode)


@dataclass(frozen=True, slots=True, kw_only=True)
class SentenceManner:
    """How a model is asked about sentences.

    Attributes:
        mode: What it is asked to say of each.
        strict: Whether one that it calls supported without evidence in the source is unsupported;
            where no evidence is asked for, nothing could be supported.
        factual: Whether it is asked of unsupported ones, too, if they are true all the same.
    """

    mode: SentenceMode = SENTENCE_MODES[0]
    strict: bool = False
    factual: bool = False

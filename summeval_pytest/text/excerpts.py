"""Words that somebody says a text has: which of them it has, and where.

Only words are compared: spaces, case, brackets and masked numbers may differ.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from itertools import islice
from typing import Final

from summeval_pytest.text.sentences import sentence_texts

_WORD = re.compile(r"(?<![^\W_])(?<!@)[^\W_]+")
"""A word; a masked number or citation (``@xmath0``, ``@xcite``) is none."""
LEAST_RUN: Final = 4
"""Words in a row that a text must share with a sentence that it does not contain as a whole."""
_ELLIPSIS = re.compile(r"\s*(?:\[?\.\.\.\]?|\u2026)\s*")


def excerpt(sentence: str, text: str) -> str:
    """What a text has of a sentence: all of it, or its runs of words; empty for under half of it.

    Runs have `LEAST_RUN` words and more.
    """
    if _plain(sentence) in _plain(text):
        return sentence
    words = _WORD.findall(sentence.lower())
    there = list(_WORD.finditer(text))
    matcher = SequenceMatcher(None, words, [word[0].lower() for word in there], autojunk=False)
    runs = [run for run in matcher.get_matching_blocks() if run.size >= LEAST_RUN]
    if 2 * sum(run.size for run in runs) < len(words):
        return ""
    spans = [(there[run.b].start(), there[run.b + run.size - 1].end()) for run in runs]
    return " ... ".join(text[start:end] for start, end in spans)


def is_verbatim(sentence: str, text: str) -> bool:
    """Whether a text has the words of a sentence in a row; a sentence without a word has none."""
    wanted = _plain(sentence)
    return bool(wanted.strip()) and wanted in _plain(text)


def pieces_of(segment: str) -> list[str]:
    """The sentences of a segment, parted at its ellipses, too; each has a word."""
    return [
        sentence
        for piece in _ELLIPSIS.split(segment)
        for sentence in sentence_texts(piece)
        if _WORD.search(sentence)
    ]


def _plain(text: str) -> str:
    """The words of a text between spaces, so that containment respects their borders."""
    return f" {' '.join(_WORD.findall(text.lower()))} "


def n_letters(text: str) -> int:
    """How many letters and digits the words of a text have."""
    return sum(map(len, _WORD.findall(text)))


def standing_alone(figure: str) -> str:
    """The pattern of a figure or word that stands by itself."""
    return rf"(?<![\w.,]){re.escape(figure)}(?![\w]|[.,]\d)"


def sayings_in(text: str, sayings: Iterable[str]) -> Iterator[re.Match[str]]:
    """Each figure or word where the text first has it, with its unit where it follows."""
    for number, _, unit in (said.partition(" ") for said in sayings if said):
        with_unit = rf"{standing_alone(number)}\s?{re.escape(unit)}(?!\w)"
        tried = (re.search(p, text, re.IGNORECASE) for p in (with_unit, standing_alone(number)))
        yield from islice(filter(None, tried), 1)


def sentence_with(text: str, sayings: Sequence[str]) -> str:
    """The first sentence of a text with one of these figures or words, or else the text."""
    return next((s for s in sentence_texts(text) if any(sayings_in(s, sayings))), text)

"""Normalised text: no special tokens, no invisible characters, plain white space.

Models leave traces (`<s>`, `<pad>`, a leading "Abstract:") that would tell a judge which system it
reads; 200 of the 300 summaries of ScholarSum's PubMed half carry one.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Final

NORMALISER: Final = "2"
"""Version of these rules; part of every signature."""

_BREAK_TOKENS = re.compile(r"(?i)<n>|<br\s*/?>")
_SPECIAL_TOKENS = re.compile(r"(?i)</?s>|<pad>|<unk>|<\|(?:endoftext|im_start|im_end)\|>")
_LABELS = re.compile(r"(?i)\A\s*(?:(?:\*\*|#+\s*)?(?:abstract|summary)(?:\*\*)?\s*:(?:\*\*)?\s*)+")
_PARAGRAPH = re.compile(r"\n\s*\n\s*")
_LIST_ITEM = re.compile(r"\n\s*(?=(?:[-*\u2022\u2023]|\d{1,2}[.)])\s)")
_SENTENCE_LINE = re.compile(r"(?<=[.!?:])[^\S\n]*\n\s*")
_MARK = "\x00"
_REFUSAL = re.compile(
    r"""(?isx)\A\W*(?:
      # it apologises
      (?:i|we)(?:['\u2019](?:m|re)|\ am|\ are)\ (?:\w+\ )?(?:sorry|afraid(?!\ of))\b
    | sorry(?:[,.!]|\ (?:but|for|i)\b) | i\ (?:\w+\ )?apologi[sz]e\b
      # it speaks of itself
    | as\ an?\ (?:ai|artificial\ intelligence|large\ language)
        (?:\ (?:language|model|assistant|system)){0,2},?\ i\b
      # it says what it does not do, at once, after a clause or after thanks
    | (?:than[^.!?]*[.!?]\ )?(?:[^.!?]*(?:,|\bbut)\ )?i(?:
        \ (?:can\ ?not|can['\u2019]?t|could\ not|will\ not|won['\u2019]?t|do\ not|don['\u2019]?t)
      | (?:['\u2019]m|\ am|\ was)\ (?:unable|not\ able)\ to | \ have\ no | \ must
      )\ (?:\w+ly\ )?(?:help|assist|access|open|read|view|summari[sz]e|provide|give|generate|write
        |create|produce|comply|fulfil+|answer|process|complete|respond|do|have|offer|decline
        |(?:see|find)\ (?:\w+\ )?(?:paper|document|text|article|file))\b
      # it asks for the text
    | .*\b(?:please|(?:could|can|if)\ you)\ (?:\w+\ )?(?:provide|share|upload|paste|send|attach)
        (?:\ \w+){1,2}\ (?:text|paper|document|article|file|abstract)\b
    )"""
)
_OPENING: Final = 160
"""In so many characters a refusal says that it is one."""
_QUOTES: Final = tuple("\"'\u2018\u2019\u201c\u201d")
_REFUSAL_WORDS: Final = 80


def _visible(character: str) -> str:
    category = unicodedata.category(character)
    if category == "Cs":
        return "\ufffd"
    if category == "Cf" or (category == "Cc" and character not in "\n\t\r\f\v\x85"):
        return ""
    return character


@lru_cache(maxsize=128)
def normalise(text: str) -> str:
    r"""The text without special tokens, leading labels, and invisible characters.

    White space becomes one space, or an empty line where a paragraph, a list item or a line that
    ends a sentence ends; so a later split into sentences can use the line structure. Idempotent.

    >>> normalise("<s> Abstract:  zinc\u200b helps .</s><pad>")
    'zinc helps .'
    """
    if not text.isascii() or not text.isprintable():
        for character in set(text):
            if (visible := _visible(character)) != character:
                text = text.replace(character, visible)
    if "<" in text:
        text = _SPECIAL_TOKENS.sub(" ", text)  # which may leave a break: "<br<s>/>"
        text = _BREAK_TOKENS.sub("\n\n", text)
    text = _LABELS.sub("", text)
    if "\n" in text:
        for break_ in (_PARAGRAPH, _LIST_ITEM, _SENTENCE_LINE):
            text = break_.sub(_MARK, text)
    lines = (" ".join(line.split()) for line in text.split(_MARK))
    return "\n\n".join(line for line in lines if line)


def is_refusal(text: str) -> bool:
    """Whether a text is a model declining to write a summary, and hardly more.

    A summary counts as refused where the system speaks of itself at its start: an apology, "I
    cannot" and what a summary takes, or a request for the text; and where it has fewer than 80
    words. A quoted start is somebody else's.
    """
    if text.startswith(_QUOTES) and not text.endswith(_QUOTES):
        return False
    return bool(_REFUSAL.match(text[:_OPENING])) and len(text.split()) < _REFUSAL_WORDS

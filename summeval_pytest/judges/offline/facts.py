"""A sentence cut into facts: its clauses, each with the subject it speaks of.

A clause that opens with a verb takes the sentence's subject; an enumeration stays whole. Facts of
one sentence refine its first one.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from summeval_pytest.questions import Fact
from summeval_pytest.text import content_words

if TYPE_CHECKING:
    from collections.abc import Iterator

_BREAK = re.compile(
    r"(?:;\s+|,?\s+(?:whereas|while|but|although|because|so that)\s+|,\s+(?:and|which|with|yet|or)\s+"
    r"|\s+and\s+(?=(?:was|were|is|are|had|has|did|caused|led|fell|rose|increased|decreased|reduced"
    r"|improved|showed|remained|dropped|became|brought|sped|hasten\w*|lowered|raised)\b)|\s+\((?=[^()]{12,}\)))",
    re.IGNORECASE,
)
_VERB = re.compile(
    r"(?:(?:also|then|thus|therefore|however)\s+)?(?:was|were|is|are|had|has|have|did|does|do|may|might|can"
    r"|cannot|could|should|would|will|must|not|\w+(?:ed|es))\b|(?:fell|rose|led|grew|became|brought|cut|ran|took"
    r"|gave|held|kept|lost|made|met|set|shrank|spread|went|won|wrote)\b",
    re.IGNORECASE,
)
_SUBJECT_END = re.compile(
    r"\s(?:was|were|is|are|had|has|have|did|does|do|may|might|can|cannot|could|should|would|will|\w{3,}ed"
    r"|fell|rose|led|grew|became|brought|cut|ran|took|gave|shows?|suggests?|remains?|appears?)\b",
    re.IGNORECASE,
)
_LEAST_WORDS: Final = 2
_LONGEST_SUBJECT: Final = 12


def _subject(sentence: str) -> str:
    """The words before the sentence's first verb; empty where they are too many to be a subject."""
    match = _SUBJECT_END.search(sentence)
    subject = sentence[: match.start()] if match else ""
    return subject if 0 < len(subject.split()) <= _LONGEST_SUBJECT else ""


def _pieces(sentence: str) -> Iterator[str]:
    """The clauses of a sentence; one too short to say anything stays with the clause before it."""
    held = ""
    start = 0
    for match in [*_BREAK.finditer(sentence), None]:
        piece = sentence[start : match.start()] if match else sentence[start:]
        start = match.end() if match else start
        if held and len(content_words(piece)) < _LEAST_WORDS:
            held = f"{held}, {piece}"
            continue
        if held:
            yield held
        held = piece
    if held:
        yield held


def facts_of(sentence: str, place: int, offset: int) -> list[Fact]:
    """The facts that a sentence states, in order.

    Args:
        sentence: The sentence.
        place: Its index among the sentences asked about.
        offset: How many facts stand before these in the whole list.
    """
    facts: list[Fact] = []
    subject = _subject(sentence)
    for piece in _pieces(sentence.strip()):
        text = piece.strip(" ,;()")
        if len(content_words(text)) < _LEAST_WORDS:
            continue
        if facts and subject and _VERB.match(text):
            text = f"{subject} {text}"
        text = text[0].upper() + text[1:].rstrip(".") + "."
        facts.append(Fact(text=text, sentence=place, parent=offset if facts else None))
    return facts

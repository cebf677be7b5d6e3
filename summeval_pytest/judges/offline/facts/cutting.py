"""A sentence cut into facts: its clauses and phrases, each with the subject it speaks of.

A cut is made where a clause, a prepositional phrase or a parenthesis begins, once enough has been
said for a fact. The facts of one sentence refine its first one and repeat its subject; only what
a fact adds to the one it refines is weighed.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from summeval_pytest.judges.offline.facets.labels import cut_at_labels
from summeval_pytest.questions import Fact
from summeval_pytest.text import count_content

if TYPE_CHECKING:
    from collections.abc import Iterator

_PREPOSITION: Final = (
    "with|by|in|for|on|from|at|to|than|after|before|during|using|among|between|under|within|via"
    "|through|across|without"
)
_BREAK = re.compile(
    r"\s*[;:,()\[\]]\s+(?:(?:and|or|but|which|who|yet)\s+)?|\s+[(\[]\s*"
    r"|\s+(?:and|or|but|that|which|who|whereas|while|although|because)\s+"
    rf"|\s+(?!(?<=[\d%]\s)to\s)(?=(?:{_PREPOSITION})\s)",
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
_OWN_SUBJECT = re.compile(
    rf"(?!(?:{_PREPOSITION}|which|who|that|of|not|also|then|thus)\b)(?:[\w-]+\s+){{1,6}}?(?:was|were"
    r"|is|are|had|has|have|did|does|do|may|might|can|cannot|could|should|would|will|must|fell|rose"
    r"|grew|became|remained|kept)\b",
    re.IGNORECASE,
)
"""A clause with a subject of its own before its verb: it has no use for the sentence's."""
_NAMES_NOBODY = re.compile(
    rf"(?:{_PREPOSITION})\b(?!\s+\w+ing\b)|(?:this|these|it|they|there)\Z", re.IGNORECASE
)
"""What may stand before the first verb and is no subject to repeat: "On day 21", "This"."""
_ASIDE = re.compile(r"\A.*,\s|\s*[(\[].*\Z|\s(?:which|that|who)\Z")
_LEAST_WORDS: Final = 3
"""A shorter piece says too little to be true or false by itself."""
_LONGEST_SUBJECT: Final = 8
_MARKS: Final = ".,;:()[]"


def _subject(sentence: str) -> str:
    """The words before the first verb; empty where they are too many, or name nobody."""
    match = _SUBJECT_END.search(sentence)
    subject = sentence[: match.start()] if match else ""
    subject = _ASIDE.sub("", subject).strip(" -" + _MARKS)
    is_short = 0 < len(subject.split()) <= _LONGEST_SUBJECT
    return subject if is_short and not _NAMES_NOBODY.match(subject) else ""


def _pieces(sentence: str) -> Iterator[str]:
    """The sentence in order, cut at the first break after enough words; a short rest stays."""
    breaks = [match.span() for match in _BREAK.finditer(sentence)]
    starts = [0, *(end for _, end in breaks)]
    ends = [*(start for start, _ in breaks), len(sentence)]
    said = [count_content(sentence[a:b]) for a, b in zip(starts, ends, strict=True)]
    begin, held, left = 0, 0, sum(said)
    for (end, start), words in zip(breaks, said, strict=False):
        held, left = held + words, left - words
        if min(held, left) >= _LEAST_WORDS:
            yield sentence[begin:end]
            begin, held = start, 0
    yield sentence[begin:]


def _capitalised(text: str) -> str:
    """The text with a capital first letter, unless that changes it as the micro sign's does."""
    capital = text[0].upper()
    return capital + text[1:] if capital.lower() == text[0] else text


def _stands_alone(piece: str, subject: str) -> bool:
    """Whether a piece says itself whom it speaks of."""
    return piece.startswith(subject) or _OWN_SUBJECT.match(piece) is not None


def facts_of(sentence: str, place: int, offset: int) -> list[Fact]:
    """The facts that a sentence states, in order.

    Args:
        sentence: The sentence.
        place: Its index among the sentences asked about.
        offset: How many facts stand before these in the whole list.
    """
    facts: list[Fact] = []
    for part in cut_at_labels(sentence):
        root = offset + len(facts)
        subject = _subject(part)
        for piece in _pieces(part):
            text = piece.strip(" " + _MARKS)
            if not count_content(text):
                continue
            is_root = offset + len(facts) == root
            if subject and not is_root and not _stands_alone(text, subject):
                text = f"{subject}{' ' if _VERB.match(text) else ': '}{text}"
            text = _capitalised(text) + "."
            facts.append(Fact(text=text, sentence=place, parent=None if is_root else root))
    return facts


def added_by(fact: Fact, facts: tuple[Fact, ...]) -> str:
    """What a fact says after the words with which it repeats the fact it refines.

    Args:
        fact: The fact.
        facts: The list in which ``fact.parent`` is an index.
    """
    if fact.parent is None or not 0 <= fact.parent < len(facts):
        return fact.text
    return added_to(facts[fact.parent].text, fact.text)


@lru_cache(maxsize=4096)
def added_to(parent: str, fact: str) -> str:
    """What one text says after the words with which it repeats another."""
    known = _bare_words(parent)
    words = fact.split()
    for place, word in enumerate(words):
        if word.strip(_MARKS).lower() not in known:
            rest = " ".join(words[place:])
            return rest if count_content(rest) else fact
    return fact


@lru_cache(maxsize=256)
def _bare_words(text: str) -> frozenset[str]:
    return frozenset([word.strip(_MARKS).lower() for word in text.split()])

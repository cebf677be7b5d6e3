"""What a sentence calls the things it speaks of: phrases, names, and the members of one kind."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Final

from summeval_pytest.text.words import STOP_WORDS

if TYPE_CHECKING:
    from collections.abc import Iterator

PREPOSITIONS: Final = "in|with|for|under|on|among|after|by|of|from|at|than"
"""The prepositions before which things are compared, as alternatives of a pattern."""
NO_THING: Final = STOP_WORDS | frozenset(
    """
    average total general contrast addition turn fact baseline median mean vs versus compared
    respectively not no only each year years day days week weeks month months hour hours h d min
    p n one two three four five six seven eight nine ten first second same less fewer nothing
    """.split()
)
"""Words that name nothing."""
_ROLE = re.compile(rf"\b(?P<role>{PREPOSITIONS})\s+(?P<article>(?:the|an?)\s+)?", re.IGNORECASE)
_ROLE_BEFORE = re.compile(rf"(?:\b(?P<role>{PREPOSITIONS})\s+)?\Z")
_WORD = re.compile(r"[^\W\d_][\w-]*")
_CONDITION = re.compile(r"\d[\d.,]*\s?(?:degrees )?(?:[^\W\d_]{1,4}|degrees|%)(?![\w/])")
"""What a figure was found at: "1.65 K"."""
_PHRASE = re.compile(r"[^\W\d_][\w-]*(?: [^\W\d_][\w-]*){0,3}")
_NAME = re.compile(r"(?<![\w(-])[A-Z]\w*(?:-\w+)*(?: [A-Z]\w*(?:-\w+)*)*(?![\w-])")
_TRUE_NAME = re.compile(r".*(?:[A-Z].*[A-Z]|\d)")
"""A name that no lower-cased word is at the start of a sentence."""
_NO_NAME: Final = frozenset(
    """
    A I CI CIs SD SE SEM IQR IRR RR OR HR AUC ROC ANOVA P N USA UK US EU K C Pa Hz
    January February March April May June July August September October November December
    """.split()
)
_VAGUE: Final = frozenset(
    """
    group groups control patient patients participant participants increase decrease rise
    fall effect effects result results comparison level levels rate rates number numbers all
    others most place order favour favor spite
    """.split()
)
"""Words that by themselves name nothing that a sentence compares."""
_ADVERBIAL = re.compile(r"\w+(?:ly|ing)\Z")
_BEFORE_KIND = re.compile(rf"\b(?:the|an?|{PREPOSITIONS}|whereas|while|but)\s+\Z", re.IGNORECASE)
_VERBAL = re.compile(r"(?:\w{3,}ed|rose|fell|kept|held|gave|found|led|showed)\Z")
_TWO_NAMES = re.compile(r"\b[a-z][\w-]* [A-Z]")
"""Where a subject follows what stands before it: "On written text Biaff won"."""
_GOES_ON = re.compile(r"\s-\s|['\u2019]|\sof\b|(?<=ly)\s\w+ed\b")
"""After what is only part of a name: a hyphen set apart by tokenising, a genitive, an "of"."""
_MAX_WORDS: Final = 3
_MIN_KIND: Final = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Thing:
    """What a phrase or a name calls a thing.

    Attributes:
        text: The words that are exchanged.
        start: Where they begin.
        opening: Where their preposition begins.
        role: The preposition; empty without one.
    """

    text: str
    start: int
    opening: int
    role: str = ""

    @property
    def end(self) -> int:
        """Just past the words."""
        return self.start + len(self.text)

    def is_parallel(self, later: Thing) -> bool:
        """Whether a later thing stands as this one does: after the same preposition, if any.

        A value at which something was found ("1.65 K") stands beside another value only.
        """
        is_alike = self.role == later.role and self.end < later.opening
        return is_alike and self.text[0].isdigit() == later.text[0].isdigit()


def phrases(sentence: str) -> Iterator[Thing]:
    """What stands after a preposition, with its article: a condition, or one to three words."""
    for match in _ROLE.finditer(sentence):
        role, article = match["role"].lower(), match["article"] or ""
        start = match.end() - len(article)
        named = _condition(sentence, match.end()) if role == "at" else ""
        named = named or _named(sentence, match.end())
        if named:
            yield Thing(text=article + named, start=start, opening=match.start(), role=role)


def _condition(sentence: str, start: int) -> str:
    match = _CONDITION.match(sentence, start)
    return match.group() if match else ""


def _named(sentence: str, start: int) -> str:
    """The words from here on that name something: none of them is a verb or a joint."""
    phrase = _PHRASE.match(sentence, start)
    words: list[str] = []
    for word in phrase.group().split(" ") if phrase else ():
        if word.lower() in NO_THING or word in _NO_NAME or (words and _VERBAL.match(word)):
            break
        words.append(word)
    text = " ".join(words)
    is_cut = len(words) > _MAX_WORDS or _GOES_ON.match(sentence, start + len(text))
    return "" if is_cut or text.lower() in _VAGUE or _TWO_NAMES.search(text) else text


def names(sentence: str) -> Iterator[Thing]:
    """Words with a capital that they have wherever they stand."""
    for match in _NAME.finditer(sentence):
        name, start = match.group(), match.start()
        is_first = not sentence[:start].strip("\"'([")
        if _NO_NAME.isdisjoint(name.split()) and (not is_first or _TRUE_NAME.match(name)):
            before = _ROLE_BEFORE.search(sentence, 0, start)
            role = (before["role"] if before else None) or ""
            opening = before.start() if before and role else start
            yield Thing(text=name, start=start, opening=opening, role=role)


def of_one_kind(sentence: str) -> Iterator[tuple[Thing, Thing]]:
    """The words that tell two things of one kind apart: "rough" and "smooth" of two channels."""
    words = list(_WORD.finditer(sentence))
    for one, other in combinations(range(1, len(words)), 2):
        kind = words[one].group()
        if kind != words[other].group() or len(kind) < _MIN_KIND or kind.lower() in NO_THING:
            continue
        told = [words[place - 1] for place in (one, other)]
        if all(_tells(sentence, word, kind) for word in told):
            first, second = (
                Thing(text=word.group(), start=word.start(), opening=word.start()) for word in told
            )
            yield first, second


def _tells(sentence: str, word: re.Match[str], kind: str) -> bool:
    """Whether a word stands right before a kind, and is one that says which of the kind is meant.

    The first word of a sentence is not, since its capital would move with it.
    """
    text, end = word.group(), word.end() + 1 + len(kind)
    if text.lower() in NO_THING or _ADVERBIAL.match(text):
        return False
    follows = sentence.startswith(f" {kind}", word.end()) and not _GOES_ON.match(sentence, end)
    return follows and bool(_BEFORE_KIND.search(sentence[: word.start()]))

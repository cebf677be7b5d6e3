"""Scientific text cut into sentences, with the place of each.

Our own rules, because no library does better on scientific text and none gives offsets, a version
and no dependency at once. They hold for running text ("et al.", "Fig. 2", "p = .05. The") and for
lower-cased or tokenised text ("in mice. we", "p < 0.05 . the cells"), the forms in which benchmarks
are released.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

SPLITTER: Final = "2"
"""Version of these rules; part of every signature."""

_CAPITAL = re.compile("[A-Z]")
_BOUNDARY = re.compile(r"(?P<mark>[.!?]+)(?P<close>[\"'\u201d\u2019)\]]*)(?=\s|\Z)")
_BRACKETS = re.compile(r"\([^()\n]{0,300}\)|\[[^\[\]\n]{0,300}\]")
_LIST_NUMBER = re.compile(r"\s*\d{1,2}\Z")
_INITIALS = re.compile(r"(?:[A-Za-z]\.)+[A-Za-z]")
_NEXT = re.compile(r"\s*([\"'(\[\u201c\u2018]*)(\S*)")

_ALWAYS_OPEN: Final = frozenset(
    """
    e.g i.e eg ie cf vs viz approx ca resp dr prof mr mrs ms st fig figs eq eqs eqn ref refs
    tab tbl sec sect ch suppl ser nos vol vols pp ed eds al sp spp var subsp thm lem cor prop
    def jr sr inc ltd dept univ assoc
    """.split()
)
"""Abbreviations after which a sentence goes on."""
_MAY_END: Final = frozenset({"al", "sp", "spp", "inc", "ltd", "jr", "sr"})
_UNITS: Final = frozenset({"ms", "sec"})
"""Units among them: after a number they end a sentence, as no "fig. 2 vs. 3" does."""
_BEFORE_NUMBER: Final = frozenset(
    """
    no nr p art par app ex col jan feb mar apr may jun jul aug sep sept oct nov dec
    """.split()
)
"""Abbreviations before a number; in front of anything else they may be the last word."""
_STARTERS: Final = frozenset(
    """
    a all although among an and as at because both but by compared despite during each finally
    findings first for from further furthermore here hence how however if in it its many more
    moreover most neither no none of on one only other our overall patients participants
    recent results second several since some such that the their then there therefore these
    they this those three thus to two under using we when whereas whether which while with
    within without
    """.split()
)
_LETTERED: Final = frozenset(
    """
    vitamin hepatitis group type class grade panel table figure arm site model category cohort
    plan influenza phase factor case part protein strain system
    """.split()
)
_LOOK_BACK: Final = 40
"""Characters before a full stop that may tell what it belongs to."""
_CAPITALS: Final = 0.005
"""Text with a smaller share of capitals among its letters has been lower-cased."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence; ``start`` and ``end`` are character offsets in the text that was split."""

    text: str
    start: int
    end: int


def _starts_anew(following: str) -> bool:
    return following[:1].isupper() and following.lower().strip(",;:") in _STARTERS


def _goes_on(token: str, previous: str, following: str, *, opened: bool) -> bool:
    """Whether the full stop after ``token`` belongs to an abbreviation."""
    word = token.lower().rstrip(".")
    after_number = previous[-1:].isdigit()
    if word in _ALWAYS_OPEN:
        is_unit = after_number and token.islower()
        ends_unit = is_unit and (word in _UNITS or following[:1].isupper())
        return not ((word in _MAY_END and _starts_anew(following)) or ends_unit)
    if word in _BEFORE_NUMBER:
        return following[:1].isdigit()
    if len(token) == 1 and token.isalpha() and token.isupper():
        ends = after_number or previous.lower() in _LETTERED or opened
        return not (ends or _starts_anew(following))
    return _INITIALS.fullmatch(token) is not None and not _starts_anew(following)


def _is_lowered(text: str) -> bool:
    """Whether a text has lost its capitals, so that none can be asked of a sentence's start."""
    enough = int(_CAPITALS * len(text)) + 1
    if sum(1 for _ in islice(_CAPITAL.finditer(text), enough)) == enough:
        return False
    capitals = sum(map(str.isupper, text))
    return capitals < _CAPITALS * sum(map(str.isalpha, text))


def _is_boundary(text: str, match: re.Match[str], *, lowered: bool) -> bool:
    following = _NEXT.match(text, match.end())
    opening, word = following.groups() if following else ("", "")
    if not word and not opening:
        return True
    mark, close = match.groups()
    is_apart = text[match.start() - 1 : match.start()].isspace()
    start = match.start() - is_apart
    before = text[max(0, start - _LOOK_BACK) : start]
    if not before or before[-1].isspace():
        return False
    previous, last = ["", *before.split()][-2:]
    token = last.lstrip("\"'([\u201c\u2018")
    if not token or _LIST_NUMBER.match(text, 0, start):
        return False
    if mark == "." and not close and _goes_on(token, previous, word, opened=bool(opening)):
        return False
    if is_apart:
        return not (token[-1:].isdigit() and word[:1].isdigit())
    return lowered or bool(opening) or not word[:1].islower()


def _ends(line: str, *, lowered: bool) -> Iterator[int]:
    """Where the sentences of a line end."""
    brackets = [match.span() for match in _BRACKETS.finditer(line)]
    starts = [span[0] for span in brackets]
    for match in _BOUNDARY.finditer(line):
        inside = bisect_right(starts, match.start()) - 1
        if inside >= 0 and match.end() < brackets[inside][1]:
            continue
        if _is_boundary(line, match, lowered=lowered):
            yield match.end()
    yield len(line)


@lru_cache(maxsize=512)
def sentence_texts(text: str) -> tuple[str, ...]:
    """The sentences of a normalised text without their places; a paper's, for all its systems."""
    return tuple([sentence.text for sentence in split_sentences(text)])


@lru_cache(maxsize=32)
def split_sentences(text: str) -> tuple[Sentence, ...]:
    """The sentences of a text in order; a line break always ends one.

    ``text[s.start:s.end] == s.text`` for every sentence, no two overlap, and what lies between them
    is white space. Feed it normalised text, where a line break means a paragraph or a list item.
    """
    sentences: list[Sentence] = []
    start = 0
    lowered = _is_lowered(text)
    for line in text.split("\n"):
        begin = 0
        for end in _ends(line, lowered=lowered):
            if stripped := line[begin:end].strip():
                place = start + line.index(stripped, begin)
                sentences.append(Sentence(stripped, place, place + len(stripped)))
            begin = end
        start += len(line) + 1
    return tuple(sentences)

"""Conflicts of a claim with its evidence: numbers, units, and one word in a near copy.

Overlap rewards contradictions: "increased" and "decreased" differ in one word. In a sentence that
is copied but for a few words, these are compared in their places: a number, a word in the place of
its opposite, a "not". In other sentences only numbers are compared, so a claim without a conflict
may still be wrong.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import nan
from operator import eq, itemgetter
from typing import Final, Literal

from summeval_pytest.judges.offline.lexicon import GENERIC, opposites
from summeval_pytest.text.numbers import (
    find_figures,
    has_numbers,
    is_level,
    unstated_figures,
)
from summeval_pytest.text.quantities import MONEY, Quantity
from summeval_pytest.text.sentences import STOP_WORDS, content_words, known_tokens, stem, tokens

NOWHERE: Final = "nowhere in the evidence"
"""What stands instead of a number that nothing replaces."""
ASKS: Final = "conflict, needs an LLM or a person"
"""How a reason begins that rests on a conflict: rules see it, a reader has to decide."""
ConflictKind = Literal["number", "unit", "swap", "change", "direction", "negation"]
_WRITTEN = re.compile(rf"""{ASKS}: (\w+): ('.*?'|".*?")(?: (?:against|and) ('.*?'|".*?"))?""")
"""The beginning of `Conflict.reason`."""
_UNSTATED: Final = "; the source does not state "
"""Before the numbers that `faithfulness` adds to the reason of another judge."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict:
    """One disagreement: what the claim says, and what the evidence says instead.

    ``sentence`` is the one to read, where a whole sentence of the evidence can be named.
    """

    kind: ConflictKind
    says: str
    instead: str
    sentence: str | None = None

    @property
    def is_of_numbers(self) -> bool:
        """Whether it is read off numbers."""
        return self.kind in {"number", "unit", "swap", "change"}

    @property
    def reason(self) -> str:
        """The reason for a verdict that rests on it."""
        return f"{ASKS}: {self}"

    def evidence_in(self, texts: Sequence[str], evidence: tuple[int, ...]) -> tuple[int, ...]:
        """The place of its sentence among these texts, then the other evidence."""
        first = () if self.sentence is None else (texts.index(self.sentence),)
        return tuple(dict.fromkeys((*first, *evidence)))

    def __str__(self) -> str:
        if self.instead == NOWHERE:
            return f"{self.kind}: {self.says!r} is {NOWHERE}"
        if self.kind == "swap":
            return f"swap: {self.says!r} and {self.instead!r} have changed places"
        return f"{self.kind}: {self.says!r} against {self.instead!r}"


def in_conflict(reason: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What the claim says, and what the evidence says, by the reason of a conflict."""
    match = _WRITTEN.match(reason)
    if match is None:
        return tuple(re.findall("'(.*?)'", reason.partition(_UNSTATED)[2])), ()
    kind, *quoted = match.groups()
    texts = tuple(text[1:-1] for text in quoted if text)
    return (texts, texts) if kind == "swap" else (texts[:1], texts[1:])


_REACH: Final = 150
"""Characters on either side of a number that may say what it is about."""
_CLAUSE_END = re.compile(
    r"[;:]|,(?!\d)|\s[-\u2013\u2014]\s|\b(?:whereas|while|but|although|though|however|yet|and|because)\b",
    re.IGNORECASE,
)
_ORDER: Final = dict.fromkeys("before preceded preceding precedes prior".split(), "before") | (
    dict.fromkeys("after followed following follows afterwards".split(), "after")
)
"""Words that say which of two came first, by what they mean."""
_COMMON: Final = STOP_WORDS - _ORDER.keys()
_MARGIN: Final = 0.1
_TABLE: Final = 12
"""A sentence with more numbers is a table, where neighbours do not say what a number is about."""
_PER_WORD: Final = 0.3
"""What a word that two sentences share counts beside the nearness of words in a clause, and what
the same number before or after the two counts."""
_AS_EXACT: Final = 0.6
"""What it counts that two numbers have as many decimals."""
_CLOSE: Final = 1.25
"""A number with less in common is not told of the same as the missing one."""
SAME_PLACE: Final = 1.0
"""Two numbers stand in the same place from this tie on: as if one neighbouring word was shared."""
ALIKE: Final = 0.3
"""Two sentences that share such a part of the words of the longer one may compare the same."""
COPIED: Final = 0.7
"""Such a part is shared by sentences that say the same but for a number."""
_JOINED: Final = 14
"""Two numbers closer than so many characters ("3.4 against 3.6") stand by the same words."""
_CHANGE = re.compile(
    r"\bfrom\s+(?:about\s+|around\s+)?[$\u00a3\u20ac]?(\d[\d.,]*)(?:\s?[^\W\d]{1,12}|\s?%)?"
    r"((?:\s[^\d,;]{0,40}?)?)\s+to\s+(?:about\s+|around\s+|only\s+|just\s+)?[$\u00a3\u20ac]?(\d[\d.,]*)",
    re.IGNORECASE,
)
_MOVE = re.compile(
    r".*\b(?P<word>(?P<up>r[io]ses?|risen|rising|increas(?:e[sd]?|ing)|gr[eo]w[sn]?|climb(?:s|ed)?|raised)"
    r"|f[ae]ll(?:s|en|ing)?|drop(?:s|ped)?|decreas(?:e[sd]?|ing)|declin(?:e[sd]?|ing)|sank|shrank"
    r"|reduc(?:e[sd]?|ing)|lower(?:s|ed)|cut|dwindled|slid)\b(?!-)(?P<object>[^.;:,\d]{0,60})\Z",
    re.IGNORECASE | re.DOTALL,
)
"""The last word before a change that says whether it goes up or down."""
_ELSE = re.compile(
    r"(?i)\b(?:up|down|was|were|is|are|went|goes|changed|moved|shifted|varied|ranged|came|improved"
    r"|worsened|\w{3,}ed|as|and|but|while|whereas)\b"
)
"""Words that part a change from the word before it."""
_RANK = re.compile(r"(?i)\b(?:rank\w*|place|position)\b")
"""Of these, a lower number is a rise."""
_ALONG: Final = frozenset({"time", "length", "frequency", "temperature", ""})
"""What a thing may rise or fall along: "fell from 6 to 12 months"."""


@lru_cache(maxsize=4096)
def _neighbours(figure: Quantity) -> Mapping[str, float]:
    """The informative stems of a number's clause, each with its nearness, (0, 1].

    Words that have an opposite say which way it went, not what it is of, and are left out.
    """
    text = figure.sentence
    ends = [match.start() for match in _CLAUSE_END.finditer(text)]
    place = bisect_right(ends, figure.start)
    start, end = ends[place - 1] if place else 0, ends[place] if place < len(ends) else len(text)
    before = tokens(text[max(start, figure.start - _REACH) : figure.start])
    after = tokens(text[figure.end : min(end, figure.end + _REACH)])
    after = after[1:] if after[:1] == [figure.unit] else after
    nearness: dict[str, float] = {}
    for side in (before[::-1], after):
        known = [_ORDER.get(word, word) for word in side if word not in _COMMON]
        for distance, word in enumerate(map(_informative, known), start=1):
            if word:
                nearness[word] = max(nearness.get(word, 0.0), 1.0 / distance)
    return nearness


@lru_cache(maxsize=65536)
def _informative(word: str) -> str:
    """The stem of a word that says what a number is of; empty for any other."""
    known = stem(word)
    is_empty = len(word) == 1 or known in GENERIC or word in opposites()
    return known if word[0].isalpha() and not is_empty else ""


def _tie(one: Mapping[str, float], other: Mapping[str, float]) -> float:
    """How alike two neighbourhoods are: the sum of the products of nearness."""
    return sum(near * other[word] for word, near in one.items() if word in other)


def _nearness(one: Quantity, other: Quantity) -> float:
    return _tie(_neighbours(one), _neighbours(other))


def _closeness(one: Quantity, other: Quantity) -> float:
    """How much two numbers have in common: in their clauses and in their whole sentences."""
    shared = set(content_words(one.sentence)).intersection(content_words(other.sentence))
    beside: int = sum(map(eq, _beside(one), _beside(other)))
    is_as_exact = one.decimals == other.decimals
    return _nearness(one, other) + _PER_WORD * (len(shared) + beside) + _AS_EXACT * is_as_exact


@lru_cache(maxsize=4096)
def _beside(figure: Quantity) -> tuple[float, float]:
    """The numbers before and after one in its sentence; a NaN, which equals nothing, for none."""
    figures = find_figures(figure.sentence)
    before = [nan, *(other.size for other in figures if other.start < figure.start)]
    after = [*(other.size for other in figures if other.start > figure.start), nan]
    return before[-1], after[0]


def missing_number(
    claim: str, evidence: Sequence[str], text: tuple[str, ...], *, is_sentence: bool = False
) -> Conflict | None:
    """The first number of a claim that a text does not state, and what stands in its place.

    That is a number in ``evidence``, the sentences of the text that are closest to the claim: the
    one that has most in common with the missing number, best in the same unit, and one that the
    claim does not state. Of a fact, which has few words, a clause has to share some of them; of a
    whole sentence, a sentence has to share more.
    """
    figure = next(iter(unstated_figures(claim, text)), None)
    if figure is None:
        return None
    own = find_figures(claim)

    def is_rival(other: Quantity) -> bool:  # of one kind, or in another currency
        is_money = MONEY.issuperset((figure.dimension, other.dimension))
        is_same = is_money and figure.size == other.size
        is_alike = figure.dimension == other.dimension or is_same
        return is_alike and is_level(other) == is_level(figure)

    def fitness(other: Quantity) -> tuple[bool, bool, bool, float]:
        is_stated = any(map(other.agrees_with, own))
        is_same = other.size == figure.size
        return is_same, not is_stated, other.unit == figure.unit, _closeness(figure, other)

    rivals = [r for sentence in evidence for r in find_figures(sentence) if is_rival(r)]
    rival = max(rivals, key=fitness, default=None)
    if rival is not None:
        is_same = rival.size == figure.size
        if is_sentence:
            is_close = _closeness(figure, rival) >= _CLOSE
        else:
            is_close = any(_nearness(figure, other) for other in rivals)
        if is_same or is_close:
            return _conflict("unit" if is_same else "number", figure, rival)
    return Conflict(kind="number", says=figure.text, instead=NOWHERE)


def _conflict(kind: ConflictKind, figure: Quantity, rival: Quantity) -> Conflict:
    return Conflict(kind=kind, says=figure.text, instead=rival.text, sentence=rival.sentence)


def replaced_number(
    reference: Sequence[str], summary: tuple[str, ...], known: tuple[str, ...]
) -> Conflict | None:
    """A number of a summary in the place of one of the reference that the summary does not state.

    Both have one dimension and stand by the same words, and the reference does not state the first;
    so a summary may add numbers, and leave some out.

    Args:
        reference: The sentences of a facet of the reference.
        summary: All sentences of the summary.
        known: All that is known of the reference.
    """
    own = [text for text in summary if text not in known and has_numbers(text)]
    pairs = [
        (_nearness(figure, rival), figure, rival)
        for text in filter(has_numbers, reference)
        for alike in ([other for other in own if are_alike(other, text, COPIED)],)
        for rival in (unstated_figures(text, summary) if alike else ())
        for other in alike
        for figure in unstated_figures(other, known)
        if figure.dimension == rival.dimension and figure.decimals == rival.decimals
    ]
    nearest = max(pairs, key=itemgetter(0), default=None)
    if nearest is None or nearest[0] < SAME_PLACE:
        return None
    return _conflict("number", *nearest[1:])


def are_alike(one: str, other: str, least: float) -> bool:
    """Whether two sentences share that part of the words of the longer one."""
    words, others = _stems(one), _stems(other)
    return len(words & others) >= least * max(len(words), len(others))


@lru_cache(maxsize=512)
def _stems(text: str) -> frozenset[str]:
    """The different words of content, without numbers."""
    return frozenset([word for word in content_words(text) if not word[0].isdigit()])


@lru_cache(maxsize=512)
def _different(text: str) -> frozenset[str]:
    """The different tokens of a text."""
    return frozenset(known_tokens(text))

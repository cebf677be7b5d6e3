"""Conflicts of a claim with its evidence: numbers, units, and one word in a near copy.

Overlap rewards contradictions: "increased" and "decreased" differ in one word. In a sentence that
is copied but for a few words, these are compared in their places: a number, a word in the place of
its opposite, a "not". In other sentences only numbers are compared, so a claim without a conflict
may still be wrong.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from typing import Final, Literal, NamedTuple

from summeval_pytest.text.contradictions import Contradiction, neighbours, tie
from summeval_pytest.text.lexicon import opposites
from summeval_pytest.text.numbers import (
    find_figures,
    is_own_count,
    is_worked_out,
)
from summeval_pytest.text.quantities import Quantity
from summeval_pytest.text.words import STOP_WORDS, content_words, known_tokens, stem

ASKS: Final = "conflict, needs an LLM or a person"
"""How a reason begins that rests on a conflict: rules see it, a reader has to decide."""
ConflictKind = Literal["number", "unit", "swap", "change", "direction", "negation"]
_WRITTEN = re.compile(rf"""{ASKS}: (\w+): ('.*?'|".*?")(?: (?:against|and) ('.*?'|".*?"))?""")
"""The beginning of `Conflict.reason`."""
_ADDED = re.compile(
    r"; the source has '(?P<instead>.*?)' for '(?P<says>.*?)'"
    r"|; not found in the source: (?P<missing>[^;]*)"
)
"""What `faithfulness` adds to the reason of another judge."""


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
        if self.kind == "swap":
            return f"swap: {self.says!r} and {self.instead!r} have changed places"
        return f"{self.kind}: {self.says!r} against {self.instead!r}"


def in_conflict(reason: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What the claim says, and what the evidence says, by the reason of a conflict."""
    match = _WRITTEN.match(reason)
    if match is None:
        added = list(_ADDED.finditer(reason))
        missing = [text for each in added for text in re.findall("'(.*?)'", each["missing"] or "")]
        says = [each["says"] for each in added if each["says"]]
        return (*says, *missing), tuple(each["instead"] for each in added if each["instead"])
    kind, *quoted = match.groups()
    texts = tuple(text[1:-1] for text in quoted if text)
    return (texts, texts) if kind == "swap" else (texts[:1], texts[1:])


_REACH: Final = 150
"""Characters before a change that may say which way it goes."""
_MARGIN: Final = 0.1
_TABLE: Final = 12
"""A sentence with more numbers is a table, where neighbours do not say what a number is about."""
ALIKE: Final = 0.3
"""Two sentences that share such a part of the words of the longer one may compare the same."""
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


def in_number(each: Contradiction) -> Conflict:
    """The conflict of a number with the one in whose place it stands."""
    says, partner = each.number.text, each.partner
    return Conflict(kind=each.kind, says=says, instead=partner.text, sentence=partner.sentence)


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


def _swapped_numbers(claim: str, evidence: Sequence[str]) -> Conflict | None:
    """Two numbers, each of which stands by the words that belong to the other one.

    A number that stands twice has no place of its own, so it is left out.
    """
    own = _single(claim)
    for sentence in evidence if len(own) > 1 else ():
        others = _single(sentence)
        if len(others) <= 1 or not are_alike(claim, sentence, ALIKE):
            continue
        if max(len(own), len(find_figures(sentence))) > _TABLE:
            continue
        pairs = [
            (figure, others[size])
            for size, figure in own.items()
            if size in others and figure.agrees_with(others[size])
        ]
        for one, two in combinations(pairs, 2):  # in the order of the claim
            if _are_crossed(*one, *two):
                says, instead = one[0].text, two[0].text
                return Conflict(kind="swap", says=says, instead=instead, sentence=sentence)
    return None


@lru_cache(maxsize=512)
def _single(text: str) -> Mapping[float, Quantity]:
    """By size, the figures of a sentence whose number stands once, without small counts."""
    figures = find_figures(text)
    sizes = [figure.size for figure in figures]
    return {f.size: f for f in figures if sizes.count(f.size) == 1 and not is_own_count(f)}


def _are_crossed(one: Quantity, other: Quantity, one2: Quantity, other2: Quantity) -> bool:
    """Whether two numbers of a claim have exchanged the words they stand by in the evidence.

    Words that stand by all four tell nothing; each crossing has to outweigh both straight ties.
    """
    for first, second in ((one, one2), (other, other2)):
        if abs(second.start - first.end) < _JOINED or first.agrees_with(second):
            return False
    sides = [neighbours(figure) for figure in (one, one2, other, other2)]
    if tie(sides[0], sides[3]) <= _MARGIN or tie(sides[1], sides[2]) <= _MARGIN:
        return False
    everywhere = set.intersection(*map(set, sides))
    first_, second_, first_there, second_there = (
        {word: near for word, near in side.items() if word not in everywhere} for side in sides
    )
    straight = max(tie(first_, first_there), tie(second_, second_there))
    return min(tie(first_, second_there), tie(second_, first_there)) > straight + _MARGIN


class _Change(NamedTuple):
    """A change between two numbers, the word for its direction (or none), and whether it is up."""

    start: Quantity
    end: Quantity
    word: str
    is_up: bool

    @property
    def sizes(self) -> tuple[float, float]:
        """Both numbers as written."""
        return self.start.size, self.end.size

    def is_impossible(self, ways: Set[bool]) -> bool:
        """Whether the numbers go against the word, and no evidence goes the same way.

        Numbers that may say where or when something changes need evidence with another word.
        """
        start, end = (figure.size * figure.factor for figure in (self.start, self.end))
        if not self.word or self.start.dimension != self.end.dimension or self.is_up in ways:
            return False
        is_along = self.start.dimension in _ALONG and not (self.start.decimals or self.end.decimals)
        return (end < start if self.is_up else end > start) and (bool(ways) or not is_along)


@lru_cache(maxsize=512)
def _changes(text: str) -> tuple[_Change, ...]:
    """The changes "from A to B" of a sentence."""
    if "from" not in _different(text):
        return ()
    figures = {figure.start: figure for figure in find_figures(text)}
    is_rank = _RANK.search(text) is not None
    changes = []
    for match in _CHANGE.finditer(text):
        start, end = figures.get(match.start(1)), figures.get(match.start(3))
        before = text[max(0, match.start() - _REACH) : match.start()]
        move = None if is_rank else _MOVE.match(before)
        if move and _ELSE.search(move["object"] + match[2]):
            move = None
        if start and end:
            changes.append(
                _Change(start, end, move["word"] if move else "", bool(move and move["up"]))
            )
    return tuple(changes)


def _wrong_change(claim: str, evidence: Sequence[str]) -> Conflict | None:
    """A change that goes the other way in the evidence, or whose numbers go against its word."""
    for change in _changes(claim):
        known: list[_Change] = []
        for sentence in evidence:
            others = {other.sizes: other for other in _changes(sentence)}
            start, end = change.sizes
            if change.sizes in others:
                known.append(others[change.sizes])
            elif (end, start) in others:
                one, other = change.start.digits, change.end.digits
                return Conflict(kind="swap", says=one, instead=other, sentence=sentence)
        ways = {other.is_up for other in known if other.word}
        if change.is_impossible(ways):
            instead = f"from {change.start.text} to {change.end.text}"
            return Conflict(kind="change", says=change.word, instead=instead)
    return None


_COPIED: Final = 0.75
"""The share of a claim's different words that one sentence has if it was copied from it."""
_LEAST: Final = 5
"""A shorter sentence shares its words by chance."""
_DENYING: Final = frozenset("not never cannot no none neither nor without".split())
_NOT_DENYING: Final = frozenset(
    "only longer just least later earlier in at for with to on by from".split()
)
"""After these a "not" or a "no" denies nothing that could be compared."""
_ALIKE: Final = frozenset(
    """
    unchanged unaffected unaltered indistinguishable unrelated negligible similar similarly
    comparable alike constant steady stable equal equally identical independent same
    """.split()
)
"""Words that deny a difference without a "not"."""
_DENYING_OR_ALIKE: Final = _DENYING | _ALIKE
_DENIAL_REACH: Final = 4


def find_conflict(claim: str, evidence: Sequence[str], *, numbers: bool = True) -> Conflict | None:
    """The first disagreement of a claim with the sentences closest to it; None if none is seen.

    A number that the evidence lacks is none: see `missing_number`. ``numbers`` says whether one
    number in the place of another counts in a near copy. A sentence of the evidence disagrees with
    nothing.
    """
    if claim in evidence:
        return None
    return (
        _swapped_numbers(claim, evidence)
        or _wrong_change(claim, evidence)
        or _changed_copy(claim, evidence, numbers=numbers)
    )


def _changed_copy(claim: str, evidence: Sequence[str], *, numbers: bool) -> Conflict | None:
    """What a claim says in the place of something else, in a sentence it is copied from."""
    mine, words = known_tokens(claim), _different(claim)
    least = _COPIED * len(words)
    for sentence in evidence if len(words) >= _LEAST else ():
        others = _different(sentence)
        n_shared = len(words & others) if len(others) >= least else 0
        if n_shared < least:
            continue
        yours = known_tokens(sentence)
        if mine == yours:
            return None
        replaced = _replaced(claim, sentence)
        known = frozenset().union(*(_different(other) for other in evidence if other != sentence))
        changed = [each for each in replaced if each[0][0].isdigit() and each[1][0].isdigit()]
        figures = find_figures(claim) if changed else ()
        derived = {figure.digits for figure in figures if is_worked_out(figure, [sentence])}
        if any(word in derived for word, _ in changed):
            continue  # "8 % disagreed" where "92 % agreed": another number makes other words true
        is_whole = n_shared >= _COPIED * len(others)
        is_compared = "than" in words and "than" in others
        kinds: tuple[tuple[ConflictKind, tuple[str, ...]], ...] = (
            ("number", next((c for c in changed if numbers and c[0] not in known), ())),
            ("direction", () if is_compared else _turned(replaced)),
            ("negation", _denied(mine, yours) or _denied(yours, mine)[::-1] if is_whole else ()),
        )
        for kind, pair in kinds:
            if pair:
                return Conflict(kind=kind, says=pair[0], instead=pair[1], sentence=sentence)
    return None


def _replaced(claim: str, sentence: str) -> list[tuple[str, str]]:
    """Words, each with what stands in its place, where neither text has both."""
    places, own, others = _places(sentence), _different(claim), _different(sentence)
    return [
        (word, there)
        for place, word in _places(claim).items()
        if (there := places.get(place, word)) != word and word not in others and there not in own
    ]


def _places(text: str) -> Mapping[tuple[str, str], str]:
    """By what stands before and behind, the word between them."""
    words = known_tokens(text)
    padded = ("", *words, "")
    return dict(zip(zip(padded, padded[2:], strict=False), words, strict=False))


def _turned(replaced: Sequence[tuple[str, str]]) -> tuple[str, ...]:
    """A word and its opposite, which it replaces."""
    ends = opposites()
    for word, there in replaced:
        other = ends.get(there, {})
        if any(other.get(line, side) != side for line, side in ends.get(word, {}).items()):
            return word, there
    return ()


def _denied(one: tuple[str, ...], other: tuple[str, ...]) -> tuple[str, ...]:
    """A word with its denial, and the word where it stands in the other text undenied."""
    if _DENYING.isdisjoint(one) or not _DENYING_OR_ALIKE.isdisjoint(other):
        return ()
    for place, word in enumerate(one, start=1):
        behind = [
            each
            for each in one[place : place + _DENIAL_REACH]
            if each not in STOP_WORDS and not each.endswith("ly")
        ]
        if word in _DENYING and behind and one[place] not in _NOT_DENYING:
            known = stem(behind[0])
            same = [each for each in other if each not in STOP_WORDS and stem(each) == known]
            return (f"{word} {behind[0]}", same[0]) if same else ()
    return ()

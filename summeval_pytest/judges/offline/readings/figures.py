"""The numbers of a sentence as a reader takes them: unit, rounding, and the words they stand by.

A bare number takes the unit of the one it is joined to ("from 9 to 6 days") or that stands before
it ("day 90"). A number that is rounded aloud ("nearly six") agrees with its neighbours, and one
that is worked out or worded freely ("two-thirds", "one in five", "doubled") is soft: nothing is
concluded from its absence.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from summeval_pytest.judges.offline.english.lexicon import GENERIC, ORDER_WORDS
from summeval_pytest.judges.offline.english.polarity import POLAR
from summeval_pytest.judges.offline.readings.lazy import lazy
from summeval_pytest.text import STOP_WORDS, Quantity, stem, tokens

if TYPE_CHECKING:
    from collections.abc import Sequence

_REACH: Final = 150
"""Characters on either side of a number that may say what it is about."""
_JOINT = re.compile(
    r"\s*(?:,?\s*(?:to|and|or|vs\.?|versus|against|rather than|instead of|compared with|by"
    r"|\u2013|-|\u2212|/))\s*(?:from\s+|at\s+|about\s+)?\Z"
)
_BEFORE_UNIT = re.compile(
    r"\b(second|minute|hour|day|week|month|year|age|aged|ages)s?\s+(?:of\s+|between\s+|over\s+)?\Z",
    re.IGNORECASE,
)
_SECONDS: Final = {
    "second": 1.0,
    "minute": 60.0,
    "hour": 3600.0,
    "day": 86400.0,
    "night": 86401.0,
    "week": 604800.0,
    "month": 2629800.0,
    "year": 31557600.0,
}
_SHORT: Final = {"yr": "year", "h": "hour", "min": "minute", "d": "day"}
_ABOUT = re.compile(
    r"(?:\b(?:about|around|roughly|nearly|almost|some|approximately|close to|just over|just under"
    r"|over|under|(?:more|less|fewer|rather more|rather less) than|barely|circa"
    r"|above|below|generally|typically|upwards of|beyond|past|exceeding)|~|\u2248|c\.)\s*"
    r"(?:a\s+|the\s+|an\s+)?\Z",
    re.IGNORECASE,
)
_ABOUT_WORD = re.compile(r"(?:\s+[a-z]+)?\s+(?:or so|odd)\b", re.IGNORECASE)
_LABEL = re.compile(
    r"(?:\b(?:fig(?:ure)?s?|tab(?:le)?s?|eqs?|equations?|refs?|sections?|chapters?|types?|phases?"
    r"|grades?|stages?|class|nos?|version|no)\.?\s*|\[)\Z",
    re.IGNORECASE,
)
_SOFT_AFTER = re.compile(
    r"[-\s]?(?:fold|times|thirds?|quarters?|fifths?|sixths?|sevenths?|eighths?|ninths?|tenths?"
    r"|dozens?|halves|hundredths?)\b|\s+(?:\w+\s+)?(?:in|out of|of every|for every)\s+"
    r"(?:an?\b|every\b|each\b|the\b|two|three|four|five|six|seven|eight|nine|ten|twelve|twenty|fifty"
    r"|eighty|hundred|\d+\b(?!\s*%))",
    re.IGNORECASE,
)
_SOFT_BEFORE = re.compile(
    r"\b(?:in|out of|of every|for every|per|in every)\s+(?:an?\s+|every\s+)?\Z", re.IGNORECASE
)
_IN_HUNDRED = re.compile(
    r"\s+(?:\w+\s+)?(?:in|out of|of every|for every|per|in every|in each)\s+"
    r"(?:an?\s+|every\s+)?(?:hundred|100)\b",
    re.IGNORECASE,
)
_SCALE = re.compile(r"\s*(thousand|million|billion|trillion)\b", re.IGNORECASE)
_SCALES: Final = {"thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12}
_PER = re.compile(
    r"\s*(?:/\s?|(?:per|an?|each|every)\s+)([a-z]+)\b|\s*[a-z]{1,3}[/ ]([a-z]+)(?:-1|\u22121)",
    re.IGNORECASE,
)
_COUNTED_PER: Final = re.compile(r"(?:\s+[a-z-]+){0,2}\s+per\s+([a-z]+)\b", re.IGNORECASE)
_LOOK_BACK: Final = 24
"""Characters before a number in which its unit, a label or an "about" stands."""
_UNITS_BEFORE: Final = frozenset([*_SECONDS, *(f"{unit}s" for unit in _SECONDS), "age", "ages"]) | {
    "aged", "of", "between", "over",
}  # fmt: skip
_ABOUT_ENDS: Final = frozenset(
    """
    about around roughly nearly almost some approximately to over under than barely circa above
    below generally typically of beyond past exceeding c a the an
    """.split()
)
_LABEL_ENDS: Final = frozenset(
    """
    fig figs figure figures tab tabs table tables eq eqs equation equations ref refs section
    sections chapter chapters type types phase phases grade grades stage stages class no nos version
    """.split()
)
_SOFT_ENDS: Final = frozenset("in of every per an a".split())
"""The last words that the patterns of the same name can match: far cheaper to look up."""
_FREE: Final = frozenset("twice doubled tripled twofold threefold tenfold hundred".split())
"""Numbers in words that are the writer's own arithmetic."""
ROUNDED: Final = 0.12
"""A number told with an "about" may be so much off."""
_WORDED: Final = 0.06
"""A round number in words ("fifty") may be so much off."""
_TENS: Final = 20


@dataclass(eq=False)
class Placed:
    """A quantity where it stands in a sentence; what is seldom asked for is computed when it is.

    Attributes:
        quantity: The number, with the unit it has or takes from its neighbour.
        sentence: The sentence.
        span: The clause in which it stands.
    """

    quantity: Quantity
    sentence: str
    span: tuple[int, int]

    @lazy
    def size(self) -> float:
        """The number without its sign."""
        return abs(self.quantity.value)

    @lazy
    def digits(self) -> str:
        """The number as written."""
        return self.sentence[self.quantity.start : self.quantity.end]

    @lazy
    def text(self) -> str:
        """The number and its unit, for a reader."""
        return self.digits + (f" {self.quantity.unit}" if self.quantity.unit else "")

    @lazy
    def near(self) -> dict[str, float]:
        """The informative stems of its clause, each with its nearness (0 to 1]."""
        return _near(self.sentence, self.quantity, self.span)

    @lazy
    def _before(self) -> str:
        return _before(self.sentence, self.quantity)

    @lazy
    def _last(self) -> str:
        return _last_word(self._before)

    @lazy
    def _after(self) -> str:
        return self.sentence[self.quantity.end : self.quantity.end + 40]

    @property
    def is_word(self) -> bool:
        """Whether it is written in words."""
        return not self.sentence[self.quantity.start : self.quantity.end].strip("-.")[:1].isdigit()

    @lazy
    def slack(self) -> float:
        """The share by which it may be off, since it is told as rounded."""
        slack = 0.0
        before = self._before
        may_be_about = self._last in _ABOUT_ENDS or before.rstrip().endswith(("~", "\u2248"))
        if (may_be_about and _ABOUT.search(before)) or _ABOUT_WORD.match(self._after):
            slack = ROUNDED
        if _SCALE.match(self._after):
            digits = float(re.sub(r"\D", "", self.digits) or 1)
            slack = max(slack, 0.5 / max(1.0, digits))
        is_tens = self.is_word and self.size >= _TENS and not self.size % 10
        if is_tens or (not self.quantity.dimension and _IN_HUNDRED.match(self._after)):
            slack = max(slack, _WORDED)
        return slack

    @lazy
    def is_soft(self) -> bool:
        """Whether it is a label, worked out, or worded freely ("two-thirds", "one in five")."""
        before, after = self._before, self._after
        may_be_label = self._last in _LABEL_ENDS or before.endswith("[")
        if (may_be_label and _LABEL.search(before)) or self.digits.lower() in _FREE:
            return True
        if not self.quantity.unit and after[:1].isalpha():
            return True
        if not self.is_word and _IN_HUNDRED.match(after):
            return False
        if self._last in _SOFT_ENDS and _SOFT_BEFORE.search(before):
            return True
        return _SOFT_AFTER.match(after) is not None

    @lazy
    def per(self) -> float:
        """What one it is told per, in seconds ("a week"); 0 without."""
        unit = len(self.quantity.unit) + 1 if self.quantity.unit else 0
        per = _PER.match(self.sentence, self.quantity.end + unit)
        word = ((per[1] or per[2] or "") if per else "").lower().rstrip("s")
        if not word and not self.quantity.unit:
            counted = _COUNTED_PER.match(self._after)
            word = counted[1].lower() if counted else ""
        return _SECONDS.get(_SHORT.get(word, word), 0.0)


def _before(text: str, quantity: Quantity) -> str:
    return text[max(0, quantity.start - _LOOK_BACK) : quantity.start]


def _last_word(text: str) -> str:
    words = tokens(text)
    return words[-1] if words else ""


def _joined(text: str, found: Sequence[Quantity]) -> list[Quantity]:
    """The quantities, each bare one with the unit of the number it is joined to."""
    units = list(found)
    for place in range(len(units) - 2, -1, -1):
        one, other = units[place], units[place + 1]
        if other.dimension and not one.dimension and _JOINT.match(text[one.end : other.start]):
            units[place] = _with_unit_of(one, other)
    for place in range(1, len(units)):
        one, other = units[place - 1], units[place]
        is_last = not text[other.end : other.end + 2].strip(" ").isalpha()
        gap = text[one.end : other.start]
        if one.dimension and not other.dimension and is_last:
            bare = re.sub(r"\A\s?(?:%|per cent|percent|[^\W\d_]+)", "", gap)
            if _JOINT.match(bare):
                units[place] = _with_unit_of(other, one)
    return units


def _with_unit_of(one: Quantity, other: Quantity) -> Quantity:
    return replace(one, unit=other.unit, dimension=other.dimension, factor=other.factor)


def _telling(text: str) -> list[str]:
    """The words that say what a number is about: no function words but "before" and "after"."""
    return [
        ORDER_WORDS.get(word, word)
        for word in tokens(text)
        if word not in STOP_WORDS or word in ORDER_WORDS
    ]


def _near(text: str, quantity: Quantity, span: tuple[int, int]) -> dict[str, float]:
    start, end = span
    nearness: dict[str, float] = {}
    before = _telling(text[max(start, quantity.start - _REACH) : quantity.start])
    after = _telling(text[quantity.end : min(end, quantity.end + _REACH)])
    after = after[1:] if after[:1] == [quantity.unit] else after
    for side in (reversed(before), after):
        for distance, word in enumerate(side):
            if word[0].isalpha() and len(word) > 1:
                known = stem(word)
                if known not in GENERIC and known not in POLAR:
                    near = 1.0 / (1 + distance)
                    if near > nearness.get(known, 0.0):
                        nearness[known] = near
    return nearness


def _with_scale(text: str, quantity: Quantity) -> Quantity:
    """The quantity times the thousand or million that follows, in the unit that stands before."""
    scale = _SCALE.match(text, quantity.end)
    if scale:
        return replace(quantity, value=quantity.value * _SCALES[scale[1].lower()], decimals=0)
    if quantity.dimension:
        return quantity
    if _last_word(_before(text, quantity)) not in _UNITS_BEFORE:
        return quantity
    before = _BEFORE_UNIT.search(text, max(0, quantity.start - _LOOK_BACK), quantity.start)
    if before is None:
        return quantity
    word = before[1].lower()
    word = "year" if word.startswith("age") else word
    return replace(quantity, unit=word, dimension="time", factor=_SECONDS[word])


def figures(
    text: str, found: Sequence[Quantity], spans: Sequence[tuple[int, int]]
) -> tuple[Placed, ...]:
    """The numbers of a sentence in order, as a reader takes them.

    Args:
        text: The sentence.
        found: Its quantities, in order, as `find_quantities` has them.
        spans: Its clauses, which cover it; the words of a number's own clause say what it is about.
    """
    placed, at = [], 0
    for quantity in _joined(text, found):
        while spans[at][1] <= quantity.start:
            at += 1
        placed.append(Placed(_with_scale(text, quantity), text, spans[at]))
    return tuple(placed)

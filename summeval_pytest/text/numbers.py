"""Numbers of a sentence with unit and rounding, and those that a source does not state.

A bare number takes the unit of the one it is joined to ("from 9 to 6 days") or that stands before
it ("day 90"); "2.4 million" is one number, and "22 in 100" is a share.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import combinations
from math import floor, log10
from typing import TYPE_CHECKING, Final

from summeval_pytest.text.quantities import Quantity, find_quantities
from summeval_pytest.text.words import content_words, tokens

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


MOST: Final = 60
"""Of a sentence with more numbers only so many are read: it is a table, or hostile."""
_JOINT = re.compile(
    r"\s*(?:,?\s*(?:to|and|or|vs\.?|versus|against|rather than|instead of|not|compared with|by"
    r"|\u2013|-|\u2212|/))\s*(?:from\s+|at\s+|about\s+)?\Z"
)
_BEFORE_UNIT = re.compile(
    r"\b(second|minute|hour|day|week|month|year|age|aged|ages)s?\s+(?:of\s+|between\s+|over\s+)?\Z",
    re.IGNORECASE,
)
_POWER = re.compile(r"(?:x|\u00d7|times)\s?10\s?\^?\s?(-?\d{1,2})\Z")
_COUNTED = re.compile(
    r"(?:\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|twelve|few|several|many"
    r"|each|every|an?|per|the|same))[\s-]\Z",
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
    r"(?:\b(?:about|around|roughly|nearly|almost|some|approximately|approx\.?|close to|just over"
    r"|just under|over|under|(?:more|less|fewer|rather more|rather less) than|barely|circa|up to"
    r"|above|below|generally|typically|upwards of|beyond|exceeding)"
    r"|~|\u2248|\bc\.|[<>\u2264\u2265])\s*(?:a\s+|the\s+|an\s+)?\Z",
    re.IGNORECASE,
)
_ABOUT_WORD = re.compile(r"(?:\s+[a-z]+)?\s+(?:or so|odd)\b", re.IGNORECASE)
_LABEL = re.compile(
    r"(?:\b(?:fig(?:ure)?s?|tab(?:le)?s?|eqs?|equations?|refs?|sections?|chapters?)\.?\s*|\[)\Z",
    re.IGNORECASE,
)
_FRACTION = re.compile(
    r"[-\s]?(?:thirds?|quarters?|fifths?|sixths?|sevenths?|eighths?|ninths?|tenths?"
    r"|dozens?|halves|hundredths?)\b",
    re.IGNORECASE,
)
_OUT_OF_AFTER = re.compile(
    r"\s+(?:\w+\s+){0,2}?(?:in|out of|of every|for every|per|in every|in each|of)\s+"
    r"(?:an?\s+|every\s+|each\s+|the\s+)?(?P<whole>\d[\d,]*(?!\s?%)|[a-z]+)\b",
    re.IGNORECASE,
)
SCALE = re.compile(r"\s*(thousand|million|billion|trillion)\b", re.IGNORECASE)
_SCALES: Final = {"thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12}
_PER = re.compile(
    r"\s*(?:/\s?|(?:per|an?|each|every)\s+)([a-z]+)\b|\s*[a-z]{1,3}[/ ]([a-z]+)(?:-1|\u22121)",
    re.IGNORECASE,
)
_COUNTED_PER: Final = re.compile(r"(?:\s+[a-z-]+){0,2}\s+per\s+([a-z]+)\b", re.IGNORECASE)
_LOOK_BACK: Final = 40
"""Characters before a number in which its unit, a label or an "about" stands."""
_FREE: Final = frozenset("twice doubled tripled twofold threefold tenfold hundred".split())
"""Numbers in words that are the writer's own arithmetic."""
OF_HUNDRED: Final = "in 100"
"""The unit of a share that is told as so many in a hundred."""
_TENS: Final = frozenset("two three four five six seven eight nine ten twelve twenty".split())
_OWN: Final = 3.0
"""Counts in words up to three ("two groups") are often the writer's own."""
_DISTINCTIVE: Final = 3
"""A number of so many digits is hardly met twice by chance."""


@dataclass(frozen=True, slots=True, eq=False)
class Figure:
    """A number where it stands in a sentence.

    Attributes:
        quantity: The number, with the unit that it has or takes from its neighbour.
        sentence: The sentence.
    """

    quantity: Quantity
    sentence: str

    @property
    def size(self) -> float:
        """The number without its sign."""
        return abs(self.quantity.value)

    @property
    def digits(self) -> str:
        """The number as written."""
        return self.sentence[self.quantity.start : self.quantity.end]

    @property
    def text(self) -> str:
        """The number and its unit, for a reader."""
        return self.digits + (f" {self.quantity.unit}" if self.quantity.unit else "")

    @property
    def before(self) -> str:
        """The few characters before it."""
        return _before(self.sentence, self.quantity)

    @property
    def after(self) -> str:
        """The few characters after its digits."""
        return self.sentence[self.quantity.end : self.quantity.end + 40]

    @property
    def is_word(self) -> bool:
        """Whether it is written in words."""
        return not self.digits.strip("-.\u2212\u2013")[:1].isdigit()

    @property
    def is_about(self) -> bool:
        """Whether it is told as rounded, or as a bound."""
        return bool(_ABOUT.search(self.before) or _ABOUT_WORD.match(self.after))

    @property
    def is_own_count(self) -> bool:
        """Whether it is a small count in words, which may be the writer's own ("two groups")."""
        return self.is_word and self.size <= _OWN and not self.quantity.unit

    @property
    def is_free(self) -> bool:
        """Whether it is a label or worded freely ("two-thirds", "seven in ten", "doubled")."""
        is_label = _LABEL.search(self.before) is not None
        if is_label or self.digits.lower() in _FREE or _FRACTION.match(self.after):
            return True
        of = _OUT_OF_AFTER.match(self.after)
        return of is not None and self.is_word and of["whole"].lower() in _TENS

    @property
    def is_of_hundred(self) -> bool:
        """Whether it is told as so many of a hundred, or beside one that is."""
        if self.quantity.dimension or self.quantity.decimals > 1:
            return self.quantity.unit == OF_HUNDRED
        return any(other.quantity.unit == OF_HUNDRED for other in find_figures(self.sentence))

    @property
    def is_distinctive(self) -> bool:
        """Whether it has so many digits that it is hardly met twice by chance."""
        return sum(character.isdigit() for character in self.digits) >= _DISTINCTIVE

    @property
    def per(self) -> float:
        """What one it is told per, in seconds ("a week"); 0 without."""
        unit = len(self.quantity.unit) + 1 if self.quantity.unit else 0
        per = _PER.match(self.sentence, self.quantity.end + unit)
        word = ((per[1] or per[2] or "") if per else "").lower().rstrip("s")
        if not word and not self.quantity.unit:
            counted = _COUNTED_PER.match(self.after)
            word = counted[1].lower() if counted else ""
        return _SECONDS.get(_SHORT.get(word, word), 0.0)


@lru_cache(maxsize=4096)
def find_figures(text: str) -> tuple[Figure, ...]:
    """The first `MOST` numbers of a sentence in order, as a reader takes them.

    A bare number takes the unit of the one it is joined to ("from 9 to 6 days") or that stands
    before it ("day 90"); "2.4 million" is one number, and so is "22 in 100", a share of 22 %.
    """
    found = [_as_told(text, quantity) for quantity in find_quantities(text)[:MOST]]
    return tuple(Figure(quantity, text) for quantity in _joined(text, found))


def _before(text: str, quantity: Quantity) -> str:
    return text[max(0, quantity.start - _LOOK_BACK) : quantity.start]


def _joined(text: str, found: Sequence[Quantity]) -> list[Quantity]:
    """The quantities, each bare one with the unit of the number it is joined to."""
    units = list(found)
    for place in range(len(units) - 2, -1, -1):
        one, other = units[place], units[place + 1]
        power = _POWER.search(text, other.start, other.end)
        has_own = _POWER.search(text, one.start, one.end)
        if power and not has_own and _JOINT.match(text[one.end : other.start]):
            units[place] = replace(one, value=one.value * float(f"1e{power[1]}"))
        if other.dimension and not one.dimension and _JOINT.match(text[one.end : other.start]):
            units[place] = _with_unit_of(one, other)
    for place in range(1, len(units)):
        one, other = units[place - 1], units[place]
        is_last = not text[other.end : other.end + 2].strip(" ").isalpha()
        if one.dimension and not other.dimension and is_last:
            gap = re.sub(r"\A\s?(?:%|per cent|percent|[^\W\d_]+)", "", text[one.end : other.start])
            if _JOINT.match(gap):
                units[place] = _with_unit_of(other, one)
    return units


def _with_unit_of(one: Quantity, other: Quantity) -> Quantity:
    return replace(one, unit=other.unit, dimension=other.dimension, factor=other.factor)


def _as_told(text: str, quantity: Quantity) -> Quantity:
    """The quantity times the million that follows, or in the unit that stands before it."""
    scale = SCALE.match(text, quantity.end)
    if scale:
        return replace(quantity, value=quantity.value * _SCALES[scale[1].lower()])
    if quantity.dimension:
        return quantity
    of = _OUT_OF_AFTER.match(text, quantity.end)
    if of and of["whole"].lower() in {"100", "hundred"}:
        return replace(quantity, unit=OF_HUNDRED, dimension="share")
    before = _BEFORE_UNIT.search(text, max(0, quantity.start - _LOOK_BACK), quantity.start)
    if before is None or _COUNTED.search(text, 0, before.start()):
        return quantity
    word = before[1].lower()
    word = "year" if word.startswith("age") else word
    return replace(quantity, unit=word, dimension="time", factor=_SECONDS[word])


NEAR: Final = 8
"""So many sentences of the source are searched for what a number may be rounded or worked out from.
"""
CLOSE: Final = 2
"""A difference or a sum is told of numbers in so many of them, the closest."""
KEPT: Final = 64
"""So many sources are kept: a suite asks about one again for each system."""
_OUT_OF_BEFORE = re.compile(
    r"\b(?:one|two|three|four|five|six|seven|eight|nine|\d[\d.,]*)(?:\s+[a-z]+){0,2}\s+"
    r"(?:in|out of|of every|for every|in every)\s+(?:an?\s+|every\s+)?\Z"
    r"|\b(?:per|(?:of|for|in) every)\s+\Z",
    re.IGNORECASE,
)
_TIMES = re.compile(r"[-\s]?(?:fold|times)\b", re.IGNORECASE)
_NAMED = re.compile(
    r"[\s-]+(?!(?:and|or|to|vs|versus|against|in|at|for|on|with|after|before|from|than|but|while"
    r"|whereas|compared|rather|instead|respectively|by|of|per|under|over|as|when|if|was|were|is|had"
    r"|did)\b)[a-z]",
    re.IGNORECASE,
)
"""A noun that says what a bare number counts."""
_ORDINAL = re.compile(r"(?:st|nd|rd|th)\b")
_RAW = re.compile(r"\d+(?:[.,]\d+)*")
_DECADE = re.compile(r"'?s\b")
_INTERVAL = re.compile(r"\s?(?:%|per\s?cent)\s?(?:CI|confidence|credible|interval)", re.IGNORECASE)
_CHANCE = re.compile(
    r"\bp\s?(?:-?\s?values?\s?)?(?:of|was|were|is)?\s?[<>=\u2264\u2265]*\s?\Z", re.IGNORECASE
)
_LEVELS: Final = frozenset({0.05, 0.01, 0.001, 0.0001})
_BY_BEFORE = re.compile(
    r"\b(?:by|(?:differences?|gains?|leads?|gaps?|drops?|rises?|falls?|increases?|decreases?|cut"
    r"|reductions?|declines?|loss|losses|savings?|advantage|margin|change) (?:of|was|is|by)"
    r"|(?:gained|lost|saved|added|within))"
    r"\s+(?:about|around|roughly|nearly|almost|some|over|only|just|merely|another|a further"
    r"|(?:more|less|fewer) than)?\s*\Z",
    re.IGNORECASE,
)
_BY_AFTER = re.compile(
    r"\s*(?:%|[a-z]+\b)?(?:\s?-?\s?points?)?\s*(?:[a-z]+\s+)?\b(?:more|fewer|less|higher|lower|longer|shorter|later|earlier"
    r"|apart|ahead|extra|additional|sooner|faster|slower|above|below|behind|better|worse|fall|rise"
    r"|drop|increase|decrease|reduction|decline|gain|difference|gap|cut|loss|saving)\b",
    re.IGNORECASE,
)
_REST = re.compile(
    r"\b(?:rest|remain\w*|others?|not|never|no|none|without|failed|missed|instead|un\w+)\b|n't\b",
    re.IGNORECASE,
)
_OTHERS = re.compile(r"\b(?:others?|remaining|rest|leaves|leaving|left)\s\D{0,12}\Z", re.IGNORECASE)
_OF = re.compile(r"\s*(?:[a-z]+\s+)?(?:of|/|out of|in|among)\s*(?:the\s+|all\s+)?\Z", re.IGNORECASE)
_OF_ALL = re.compile(r"\b(?:of|among)\s+(?:the\s+|all\s+)?\Z", re.IGNORECASE)
_SHARES: Final = frozenset({68.0, 80.0, 90.0, 95.0, 99.0})
"""The levels of intervals."""
_SUM = re.compile(
    r"\b(?:totals?|totalling|altogether|together|combined|overall|in all|both|sum|comprising)\b",
    re.IGNORECASE,
)
_SHARED: Final = 2
"""Sentences that share more words and numbers may be about the same."""
_SMALL: Final = 10.0
"""A smaller count is not rounded without a word that says so."""
_ROUGH: Final = 0.05
"""A number told with an "about" may be so much off, or half its last digit that is not 0."""
_ROUGHEST: Final = 0.12
"""No rounding takes a number farther."""
_WHOLES: Final = {
    "day": 86400.0, "week": 604800.0, "month": 2629800.0, "year": 31557600.0, "annual": 31557600.0,
    "yearly": 31557600.0, "daily": 86400.0, "decade": 315576000.0, "decades": 631152000.0,
    "century": 3155760000.0, "fortnight": 1209600.0, "weekend": 172800.0, "semester": 15778800.0,
    "minute": 60.0, "hour": 3600.0, "annually": 31557600.0,
    "weekly": 604800.0, "monthly": 2629800.0,
}  # fmt: skip
"""Times that are told by a word without a number."""
_MONTHS: Final = "jan feb mar apr may jun jul aug sep oct nov dec".split()
_DATE: Final = re.compile(
    r"(?:\b(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\.?\s+)?\b((?:1[89]|20)\d\d)\b",
    re.IGNORECASE,
)
_YEAR: Final = 31557600.0
_MONTH: Final = 2629800.0
_HALF: Final = 0.5
_TEN: Final = 10.0
_HUNDRED: Final = 100.0
_EXACT: Final = 1e-6


def unstated_numbers(sentence: str, source: tuple[str, ...]) -> tuple[str, ...]:
    """The numbers of a sentence, as written with their units, that a source nowhere states.

    Args:
        sentence: A sentence of a summary.
        source: The sentences of the source.
    """
    return tuple(figure.text for figure in unstated_figures(sentence, source))


@lru_cache(maxsize=4096)
def unstated_figures(sentence: str, source: tuple[str, ...]) -> tuple[Figure, ...]:
    """The same as figures; of a number inside a name ("ResNet-50") the digits are taken.

    Kept, as the embedded judge and the metric ask about the same sentence.
    """
    figures = find_figures(sentence)
    if not (figures or _RAW.search(sentence)):
        return ()
    index = source_numbers(source)
    near = index.near(sentence)
    missing = [figure for figure in figures if not index.states(figure, near)]
    spans = [(f.quantity.start, f.quantity.end) for f in figures]
    for match in _RAW.finditer(sentence) if len(figures) < MOST else ():
        inside = any(start <= match.start() < end for start, end in spans)
        if not inside and not index.has_digits(match, sentence):
            value = Quantity(value=0.0, start=match.start(), end=match.end())
            missing.append(Figure(value, sentence))
    return tuple(missing)


@lru_cache(maxsize=KEPT)
def source_numbers(source: tuple[str, ...]) -> SourceNumbers:
    """The numbers of a source, kept for the next sentences about it."""
    return SourceNumbers(source)


class SourceNumbers:
    """The numbers of one source, by value and by sentence."""

    def __init__(self, sentences: tuple[str, ...]) -> None:
        self.sentences = sentences
        self._places: dict[str, list[int]] = {}
        for place, text in enumerate(sentences):
            for word in set(content_words(text)):
                self._places.setdefault(word, []).append(place)

    @cached_property
    def figures(self) -> tuple[Figure, ...]:
        """Every number, in order."""
        return tuple([figure for text in self.sentences for figure in find_figures(text)])

    @cached_property
    def _by_value(self) -> dict[float, list[Figure]]:
        """The numbers by what they are as written, and in the base unit of their dimension."""
        table: dict[float, list[Figure]] = {}
        for figure in self.figures:
            for key in {_key(figure.size), _key(figure.size * figure.quantity.factor)}:
                table.setdefault(key, []).append(figure)
        return table

    @cached_property
    def _digits(self) -> frozenset[str]:
        return frozenset(m.replace(",", "") for text in self.sentences for m in _RAW.findall(text))

    @cached_property
    def _words(self) -> frozenset[str]:
        return frozenset(word for text in self.sentences for word in tokens(text))

    def near(self, sentence: str) -> tuple[str, ...]:
        """The `NEAR` sentences that share most with a sentence, a rare word counting more."""
        shared: dict[int, float] = {}
        for word in dict.fromkeys(content_words(sentence)):
            places = self._places.get(word, ())
            for place in places:
                shared[place] = shared.get(place, 0.0) + 1.0 / len(places)
        ranked = sorted(shared, key=lambda place: (-shared[place], place))[:NEAR]
        return tuple(self.sentences[place] for place in ranked)

    def has_digits(self, match: re.Match[str], sentence: str) -> bool:
        """Whether digits inside a name, an ordinal or a decade stand in the source, too."""
        digits = match.group().replace(",", "")
        if digits in self._digits or digits.count(".") > 1:
            return True
        if sentence[: match.start()].endswith("["):
            return True
        if _DECADE.match(sentence, match.end()):
            return any(known.startswith(digits[:-1]) for known in self._digits)
        return False

    def states(self, figure: Figure, near: tuple[str, ...]) -> bool:
        """Whether the source states a number; ``near`` are the sentences to work it out from."""
        if figure.is_own_count or figure.is_free or self._is_usual(figure):
            return True
        if _ORDINAL.match(figure.after) and figure.digits in self._digits:
            return True
        if any(_is_same(figure, other) for other in self._equal(figure)):
            return True
        close = [other for text in near for other in find_figures(text)]
        if figure.is_about:
            close += [o for o in self.figures if o.quantity.dimension == figure.quantity.dimension]
        if figure.is_of_hundred:
            close = [o for o in self.figures if o.quantity.dimension in {"", "share", "points"}]
        return (
            any(_is_rounded(figure, other) for other in close)
            or self._is_worked_out(figure, near)
            or self._is_span(figure)
        )

    def _equal(self, figure: Figure) -> Iterator[Figure]:
        """The numbers of the same value, as written or once converted."""
        size = figure.size
        keys = {_key(size), _key(size * figure.quantity.factor)}
        if figure.quantity.unit == "%":
            keys.add(_key(size / _HUNDRED))
        for key in keys:
            yield from self._by_value.get(key, ())

    def _is_usual(self, figure: Figure) -> bool:
        """Whether it is no statement of the paper: "per 1,000", "p < 0.05", "95 % CI"."""
        size, before = figure.size, figure.before
        if _OUT_OF_BEFORE.search(before):
            return figure.is_word or size <= 2 * _TEN or log10(size).is_integer()
        if size in _LEVELS and _CHANCE.search(before):
            return True
        is_interval = _INTERVAL.match(figure.after) is not None and size in _SHARES
        return is_interval and not self._words.isdisjoint(("ci", "cis", "confidence", "interval"))

    def _is_worked_out(self, figure: Figure, near: tuple[str, ...]) -> bool:
        """Whether it follows from numbers of the closest sentences, and is told as that."""
        told = _told(figure)
        step = 0.51 * _last_place(figure)
        if figure.is_about:
            step = max(step, _ROUGH * figure.size)
        values: list[float] = []
        for text in near:
            values += _in_one_sentence(figure, find_figures(text), told)
        if told.change or told.total:
            close = [each for text in near[:CLOSE] for each in find_figures(text)][:MOST]
            for pair in combinations(close, 2):
                if max(each.quantity.decimals for each in pair) >= figure.quantity.decimals:
                    values += _worked_out(figure, *pair, told)
        return any(abs(figure.size - value) <= step for value in values)

    def _is_span(self, figure: Figure) -> bool:
        """Whether a time is told by a word ("a decade"), or lies between two dates."""
        if figure.quantity.dimension != "time":
            return False
        seconds = figure.size * figure.quantity.factor
        if any(
            word in self._words and abs(seconds - whole) <= 0.005 * whole
            for word, whole in _WHOLES.items()
        ):
            return True
        for text in self.sentences:
            dates = [
                int(year) * 12 + (_MONTHS.index(month[:3].lower()) if month else 0)
                for month, year in _DATE.findall(text)
            ]
            unit = _MONTH if "month" in figure.text else _YEAR
            step = 1 if unit == _MONTH else 12
            for one, other in combinations(dates[:12], 2):
                between = abs(other - one) / step
                if between and between - _HALF <= seconds / unit <= between + 1 + _HALF:
                    return True
        return False


def _key(value: float) -> float:
    """A number with the digits that tell, so that a converted one meets its equal."""
    return float(f"{value:.5e}")


def _is_same(mine: Figure, theirs: Figure) -> bool:
    """Whether two numbers of equal size are the same quantity."""
    one, other = mine.quantity, theirs.quantity
    if mine.per and theirs.per and mine.per != theirs.per:
        return False
    if one.dimension and other.dimension:
        value = theirs.size * other.factor
        same = abs(mine.size * one.factor - value) <= _EXACT * value
        return same and one.dimension == other.dimension
    if one.unit == "%" and _is_proportion(theirs):
        return _key(mine.size / _HUNDRED) == _key(theirs.size)
    if _key(mine.size) != _key(theirs.size):
        return False
    return _may_be_same(mine, theirs)


def _may_be_same(mine: Figure, theirs: Figure) -> bool:
    """Whether two equal numbers, at least one of them without a unit, may be the same quantity."""
    one, other = mine.quantity, theirs.quantity
    if one.decimals > other.decimals and not theirs.is_distinctive:
        return False
    if one.dimension == other.dimension or mine.is_distinctive:
        return True
    if one.dimension:
        return _is_in_list(theirs, one.unit)
    is_right_after = theirs.after.lstrip(" -").lower().startswith(other.unit)
    if not is_right_after or _is_in_list(mine, other.unit):
        return True
    return _share_words(mine.sentence, theirs.sentence)


def _is_proportion(figure: Figure) -> bool:
    """Whether a number may be told as a percentage: 0.31, but not p = 0.31."""
    is_share = figure.size <= 1 and figure.quantity.decimals > 1 and not figure.quantity.unit
    return is_share and not figure.before.rstrip().endswith(("=", "<", ">"))


def _is_in_list(bare: Figure, unit: str) -> bool:
    """Whether a bare number may have left its unit to another of its sentence, or to a heading."""
    if _NAMED.match(bare.after):
        return False
    return any(figure.quantity.unit == unit for figure in find_figures(bare.sentence)) or (
        unit.rstrip("s") in {word.rstrip("s") for word in tokens(bare.sentence)}
    )


def _share_words(one: str, other: str) -> bool:
    return len(set(content_words(one)).intersection(content_words(other))) > _SHARED


def _last_place(figure: Figure) -> float:
    """What one more in the last digit is, with its scale: .1 of 2.4, 1e5 of 2.4 million."""
    quantity = figure.quantity
    if figure.is_word or not quantity.value:
        return 1.0
    digits = re.sub(r"[^\d.]", "", figure.digits.partition("x")[0].partition("\u00d7")[0])
    written = float(digits or 1)
    if not written:
        return 10.0**-quantity.decimals
    return float(figure.size / written) * 10.0**-quantity.decimals


def _is_rounded(mine: Figure, theirs: Figure) -> bool:
    """Whether a number is one of the source, rounded or converted."""
    one, other = mine.quantity, theirs.quantity
    value = theirs.size
    if mine.is_of_hundred:
        value *= _HUNDRED if not other.unit and value <= 1 else 1.0
        slack = _ROUGH * value if mine.is_about else 0.0
        return abs(mine.size - value) <= max(0.5 * _last_place(mine), slack)
    if one.dimension and one.dimension == other.dimension:
        value *= other.factor / one.factor
    elif one.unit == "%" and _is_proportion(theirs):
        value *= _HUNDRED
    elif not _may_be_rounded(mine, theirs):
        return False
    if mine.per and theirs.per and mine.per != theirs.per:
        value *= mine.per / theirs.per
    if value == theirs.size and one.decimals > other.decimals:
        return False
    return abs(mine.size - value) <= _slack(mine, theirs, value)


def _may_be_rounded(mine: Figure, theirs: Figure) -> bool:
    """Whether numbers, at least one of them without a unit, may be of the same kind."""
    one, other = mine.quantity, theirs.quantity
    if _is_small(mine) or (one.dimension and other.dimension):
        return False
    if one.dimension:
        return _is_in_list(theirs, one.unit)
    return not other.dimension or mine.is_distinctive or _is_in_list(mine, other.unit)


def _is_small(figure: Figure) -> bool:
    """Whether it is a small whole number that is not told as rounded."""
    return figure.size < _SMALL and not (figure.quantity.decimals or figure.is_about)


def _slack(mine: Figure, theirs: Figure, value: float) -> float:
    """By how much a rounded number may be off the one it stands for."""
    size, decimals = mine.size, mine.quantity.decimals
    place, zeros = _last_place(mine), _last_digit(mine.size)
    is_coarser = value != theirs.size or decimals < theirs.quantity.decimals
    half = 0.5005 * place if is_coarser or SCALE.match(mine.after) else 0.0
    if decimals:
        return half
    if mine.is_about or (mine.is_word and size >= 2 * _TEN and not size % _TEN):
        return max(half, _ROUGH * size, min(0.5 * zeros, _ROUGHEST * size))
    if theirs.is_about:
        return max(half, _ROUGH * size)
    if size >= _HUNDRED and _TEN <= zeros <= size / _TEN:
        return max(half, 0.5 * zeros)
    return half


def _last_digit(size: float) -> float:
    """What one more in its last digit that is not 0 is: 100 of 2,300; 5 of a multiple of five."""
    if size < 1 or size != floor(size):
        return 0.0
    place = 1.0
    while size % (place * _TEN) == 0:
        place *= _TEN
    return max(place, 5.0) if size > _TEN and size % 5 == 0 else place


@dataclass(frozen=True, slots=True)
class _Told:
    """What a number is told as: a change or difference, a total, what is left."""

    change: bool
    total: bool
    rest: bool


def _told(figure: Figure) -> _Told:
    is_other = not figure.quantity.dimension and _OTHERS.search(figure.before) is not None
    is_change = _BY_BEFORE.search(figure.before) or _BY_AFTER.match(figure.after)
    return _Told(
        change=is_other or is_change is not None,
        total=_SUM.search(figure.sentence) is not None,
        rest=figure.quantity.unit == "%" and _REST.search(figure.sentence) is not None,
    )


def _in_one_sentence(figure: Figure, found: tuple[Figure, ...], told: _Told) -> Iterator[float]:
    """What the numbers of a sentence come to that stand next to each other, or nearly."""
    if told.rest:
        yield from (_HUNDRED - each.size for each in found if each.quantity.unit == "%")
    for gap in (1, 2):
        for one, other in zip(found, found[gap:], strict=False):
            yield from _worked_out(figure, one, other, told)
    if told.total:
        for three in zip(found, found[1:], found[2:], strict=False):
            yield sum(each.size for each in three)


def _worked_out(figure: Figure, one: Figure, other: Figure, told: _Told) -> Iterator[float]:
    """What two numbers come to, as far as a number is told as that."""
    mine, dimension = figure.quantity, one.quantity.dimension
    if dimension != other.quantity.dimension:
        return
    scale = one.quantity.factor / mine.factor if mine.dimension == dimension else 1.0
    small, large = sorted((one.size, other.size * other.quantity.factor / one.quantity.factor))
    is_alike = mine.dimension in {dimension, ""} or (
        mine.dimension == "points" and dimension == "share"
    )
    if is_alike and told.change:
        yield (large - small) * scale
    if is_alike and told.total:
        yield (large + small) * scale
    if small and mine.unit == "%" and dimension != "share":
        yield from _percentages(one, other, small, large, told)
    elif small and not mine.dimension and _TIMES.match(figure.after):
        yield large / small


def _percentages(
    one: Figure, other: Figure, small: float, large: float, told: _Told
) -> Iterator[float]:
    """Yields the share that "18 of 150" is, and a change as a share of where it began."""
    between = one.sentence[one.quantity.end : other.quantity.start]
    is_part = one.size < other.size and _OF.match(between)
    is_whole = one.size > other.size and _OF_ALL.search(one.before)
    if one.sentence == other.sentence and (is_part or is_whole):
        yield _HUNDRED * small / large
    if told.change:
        yield _HUNDRED * (large - small) / large
        yield _HUNDRED * (large - small) / small

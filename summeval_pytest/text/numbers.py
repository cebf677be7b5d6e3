"""Numbers of a sentence as a reader takes them, and those that a source does not state.

A bare number takes the unit of the number it is joined to ("from 9 to 6 days") or of the word
before it ("day 90"); "2.4 million" is one number, and "22 in 100" is a share. A source also states
what follows from its numbers: a number converted, rounded, or worked out ("fell by 25 %").
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache, partial
from itertools import chain, combinations, pairwise
from math import floor, log10
from operator import attrgetter
from typing import Final

from summeval_pytest.text.quantities import MONEY, REACH, SCALE, Quantity, find_quantities
from summeval_pytest.text.words import content_words, rank_sentences, tokens

_MOST: Final = 60
"""A sentence with more numbers is a table, or hostile: the others are not read."""
_NEAR: Final = 8
"""A number may be rounded or worked out from so many sentences of the source."""
_CLOSE: Final = 2
"""A difference or a sum may take its numbers from two of so many sentences, the closest."""
_TEN: Final = 10.0
_HUNDRED: Final = 100.0
_OWN: Final = 3.0
"""Counts in words up to three ("two groups") are often the writer's own."""
_DISTINCTIVE: Final = 3
"""Two texts rarely share a number of so many digits by chance."""
_SHARED: Final = 2
"""Sentences that share more words and numbers may be about the same."""
_SMALL: Final = 10.0
"""A smaller count is only rounded where a word says so."""
_ROUGH: Final = 0.05
"""A number with an "about" may be so much off, or half its last digit that is not 0."""
_ROUGHEST: Final = 0.12
"""No rounding takes a number farther."""
_OF_HUNDRED: Final = "in 100"
"""The unit of a share that is given as so many in a hundred."""
_LEVELS: Final = frozenset({0.05, 0.01, 0.001, 0.0001})
_SHARES: Final = frozenset({68.0, 80.0, 90.0, 95.0, 99.0})
"""The levels of intervals."""
_FREE: Final = frozenset("twice doubled tripled twofold threefold tenfold hundred".split())
"""Numbers in words that are the writer's own arithmetic."""
_TENS: Final = frozenset("two three four five six seven eight nine ten twelve twenty".split())
_SCALES: Final = {"thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12}
_MONTHS: Final = "jan feb mar apr may jun jul aug sep oct nov dec".split()
_SECONDS: Final = {
    "second": 1.0, "minute": 60.0, "hour": 3600.0, "day": 86400.0, "night": 86401.0,
    "week": 604800.0, "month": 2629800.0, "year": 31557600.0,
}  # fmt: skip
_SHORT: Final = {"yr": "year", "h": "hour", "min": "minute", "d": "day"}
_WHOLES: Final = {
    "minute": 60.0, "hour": 3600.0, "day": 86400.0, "daily": 86400.0, "weekend": 172800.0,
    "week": 604800.0, "weekly": 604800.0, "fortnight": 1209600.0, "month": 2629800.0,
    "monthly": 2629800.0, "semester": 15778800.0, "year": 31557600.0, "yearly": 31557600.0,
    "annual": 31557600.0, "annually": 31557600.0, "decade": 315576000.0, "decades": 631152000.0,
    "century": 3155760000.0,
}  # fmt: skip
"""Times that a word gives without a number, in seconds."""

_YEAR: Final = r"(?:1[89]|20)\d\d"
_JOINT = re.compile(
    r"\s*(?:,?\s*(?:to|and|or|vs\.?|versus|against|rather than|instead of|not|compared with|by"
    r"|\u2013|-|\u2212|/))\s*(?:from\s+|at\s+|about\s+)?\Z"
)
_UNIT_TEXT = re.compile(r"\A\s?(?:%|per cent|percent|[^\W\d_]+)")
_BEFORE_UNIT = re.compile(
    r"(?i)\b(second|minute|hour|day|week|month|year|age|aged|ages)s?\s+"
    r"(?:of\s+|between\s+|over\s+)?\Z"
)
_POWER = re.compile(r"(?:x|\u00d7|times)\s?10\s?\^?\s?(-?\d{1,2})\Z")
_COUNTED = re.compile(
    r"(?i)(?:\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|twelve|few|several|many"
    r"|each|every|an?|per|the|same))[\s-]\Z"
)
_ABOUT = re.compile(
    r"(?i)(?:\b(?:about|around|roughly|nearly|almost|some|approximately|approx\.?|close to"
    r"|just over|just under|over|under|(?:more|less|fewer|rather more|rather less) than|barely"
    r"|circa|up to|above|below|generally|typically|upwards of|beyond|exceeding)"
    r"|~|\u2248|\bc\.|[<>\u2264\u2265])\s*(?:a\s+|the\s+|an\s+)?\Z"
)
_ABOUT_AFTER = re.compile(r"(?i)(?:\s+[a-z]+)?\s+(?:or so|odd)\b")
_LABEL = re.compile(
    r"(?i)(?:\b(?:fig(?:ure)?s?|tab(?:le)?s?|eqs?|equations?|refs?|sections?|chapters?)\.?\s*|\[)\Z"
)
_FRACTION = re.compile(
    r"(?i)[-\s]?(?:thirds?|quarters?|fifths?|sixths?|sevenths?|eighths?|ninths?|tenths?"
    r"|dozens?|halves|hundredths?)\b"
)
_OUT_OF_AFTER = re.compile(
    r"(?i)\s+(?:\w+\s+){0,2}?(?:in|out of|of every|for every|per|in every|in each|of)\s+"
    r"(?:an?\s+|every\s+|each\s+|the\s+)?(?P<whole>\d[\d,]*(?!\s?%)|[a-z]+)\b"
)
_OUT_OF_BEFORE = re.compile(
    r"(?i)\b(?:one|two|three|four|five|six|seven|eight|nine|\d[\d.,]*)(?:\s+[a-z]+){0,2}\s+"
    r"(?:in|out of|of every|for every|in every)\s+(?:an?\s+|every\s+)?\Z"
    r"|\b(?:per|(?:of|for|in) every)\s+\Z"
)
_PER = re.compile(
    r"(?i)\s*(?:/\s?|(?:per|an?|each|every)\s+)([a-z]+)\b|\s*[a-z]{1,3}[/ ]([a-z]+)(?:-1|\u22121)"
)
_COUNTED_PER = re.compile(r"(?i)(?:(?:\s+[a-z-]+){0,2}\s+per|\s+times\s+an?)\s+([a-z]+)\b")
_TIMES = re.compile(r"(?i)[-\s]?(?:fold|times)\b")
_NAMED = re.compile(
    r"(?i)[\s-]+(?!(?:and|or|to|vs|versus|against|in|at|for|on|with|after|before|from|than|but"
    r"|while|whereas|compared|rather|instead|respectively|by|of|per|under|over|as|when|if|was|were|is|had"
    r"|did)\b)[a-z]"
)
"""A noun that says what a bare number counts."""
_ORDINAL = re.compile(r"(?:st|nd|rd|th)\b")
_RAW = re.compile(r"\d+(?:[.,]\d+)*")
_DECADE = re.compile(r"'?s\b")
_INTERVAL = re.compile(r"(?i)\s?(?:%|per\s?cent)\s?(?:CI|confidence|credible|interval)")
_CHANCE = re.compile(r"(?i)\bp\s?(?:-?\s?values?\s?)?(?:of|was|were|is)?\s?[<>=\u2264\u2265]*\s?\Z")
_LEVEL = re.compile(r"(?i)\b(?:than|below|under)\s+\||\|\s?%?\s*significance\b")
"""A number, at the bar, that is a level of significance."""
_AGE = re.compile(r"(?i)\bage[ds]?\s+(?:of\s+)?\||\|[\s-]years?[\s-]old")
"""A number, at the bar, that is an age: a source that says "at ten" states "ten years old"."""
_BY_BEFORE = re.compile(
    r"(?i)\b(?:by|(?:differences?|gains?|leads?|gaps?|drops?|rises?|falls?|increases?|decreases?"
    r"|cut|reductions?|declines?|loss|losses|savings?|advantage|margin|change) (?:of|was|is|by)"
    r"|(?:gained|lost|saved|added|within))"
    r"\s+(?:about|around|roughly|nearly|almost|some|over|only|just|merely|another|a further"
    r"|(?:more|less|fewer) than)?\s*\Z"
)
_BY_AFTER = re.compile(
    r"(?i)\s*(?:%|[a-z]+(?:/[a-z]+)?\b)?(?:\s?-?\s?points?)?\s*(?:[a-z]+\s+)?\b(?:more|fewer|less|higher|lower"
    r"|longer|shorter|later|earlier|apart|ahead|extra|additional|sooner|faster|slower|above|below"
    r"|behind|better|worse|fall|rise|drop|increase|decrease|reduction|decline|gain|difference|gap"
    r"|cut|loss|saving)\b"
)
_REST = re.compile(
    r"(?i)\b(?:rest|remain\w*|others?|not|never|no|none|without|failed|missed|instead|un\w+)\b"
    r"|n't\b"
)
_OTHERS = re.compile(r"(?i)\b(?:others?|remaining|rest|leaves|leaving|left)\s\D{0,12}\Z")
_OF = re.compile(r"(?i)\s*(?:[a-z]+\s+)?(?:of|/|out of|in|among)\s*(?:the\s+|all\s+)?\Z")
_OF_ALL = re.compile(r"(?i)\b(?:of|among)\s+(?:the\s+|all\s+)?\Z")
_SUM = re.compile(
    r"(?i)\b(?:totals?|totalling|altogether|together|combined|overall|in all|both|sum|comprising)\b"
)
_FALL = re.compile(
    r"(?i)\b(?:f[ae]ll|falls|fallen|drop\w*|declin\w+|decreas\w+|reduc\w+|lower\w*|less|fewer|cuts?"
    r"|cutting|loss|losses|lost|lose[sd]?|sav\w+|shorter|earlier|sooner|smaller|below|shr[aiu]nk\w*"
    r"|diminish\w*|slid|sank|dwindl\w+)\b"
)
_RISE = re.compile(
    r"(?i)\b(?:r[io]se[ns]?|rising|rais\w+|increas\w+|gr[eo]w\w*|gain\w*|higher|more|greater|longer"
    r"|later|larger|above|climb\w*|extra|additional)\b"
)
_FROM = re.compile(r"(?i)\bfrom\s+(?:about\s+|around\s+)?\Z")
_TO = re.compile(r"(?i)[^.;]{0,30}?\sto\s+(?:about\s+|around\s+)?\Z")
_RATIO = re.compile(r"\b(?:[Rr]atios?|[Rr]elative [Rr]isks?|a?[IS]?(?:HR|OR|RR)s?)\b[^(\[;%]*\Z")
"""Before a ratio; a bracket parts it from its interval."""
_OPPOSED: Final = tuple(
    tuple(re.compile(rf"(?i)\b(?:{words})\b") for words in pair)
    for pair in (
        (r"accura\w+|correct\w*|right", r"errors?|misclassif\w+|wrong\w*|incorrect\w*|mistak\w+"),
        (r"sensitiv\w+|recall", r"miss\w*|overlook\w*|undetected|false negatives?"),
        (r"specific\w+", r"false (?:alarms?|positives?)"),
        (r"surviv\w+|alive", r"mortality|died|deaths?|dead|killed|perished"),
        (r"agree\w*|concord\w+", r"disagree\w*|discord\w+"),
        (
            r"retention|retained|complete[sd]?|finish\w*|stayed",
            r"attrition|drop-?outs?|dropped out|lost|withdr\w+",
        ),
        (r"m[ae]n|males?|boys?", r"wom[ae]n|females?|girls?"),
    )
)
"""What one of two shares is of, and what the share that it leaves of the whole is of."""
_EACH = re.compile(
    r"(?i)\b(?:each|every|apiece|per|a (?:day|week|month|year|session|person|head))\b"
)
_SPAN = re.compile(
    rf"(?i)\b({_YEAR})(?:\s?[-\u2013\u2014]\s?|\s+(?:to|until|till|through)\s+(?:[\w.]+\s+){{0,4}})"
    rf"({_YEAR})\b"
    rf"|\bbetween\s+(?:[\w.]+\s+){{0,2}}({_YEAR})\s+and\s+(?:[\w.]+\s+){{0,2}}({_YEAR})\b"
)
_IN_YEAR = re.compile(
    r"(?i)\b(?:(?P<within>in|during|throughout)|since|until|till|from|by|before|after)\s+"
    r"(?:early\s+|late\s+|mid-)?\Z"
)
_END = re.compile(
    r"(?i)\b(?:beg[aiu]n\w*|start\w*|open\w*|launch\w*|end(?:s|ed)?|finish\w*|complet\w+|clos\w+"
    r"|found\w*|first|last|final\w*|stop\w*)\b"
)
"""Words about the first or the last year of a span, not about one between."""
_COUNTS = re.compile(
    r"(?i)\s+(?!(?:was|has|is|this|its|as|thus|across)\b)(?:[a-z]+s|people|children|women|men)\b"
    r"(?!\s+(?:were|are|had|have|did)\b)"
)
"""A noun that a number counts, unless a verb follows ("in 2017 crews were hired")."""
_DATE = re.compile(
    r"(?i)(?:\b(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\.?\s+)?"
    r"\b((?:1[89]|20)\d\d)\b"
)


@lru_cache(maxsize=4096)
def find_figures(text: str) -> tuple[Quantity, ...]:
    """The first 60 numbers of a sentence in order, each with the unit that a reader gives it."""
    figures = [_scaled(figure) for figure in find_quantities(text)[:_MOST]]
    for place in range(len(figures) - 2, -1, -1):
        one, other = figures[place : place + 2]
        if not _JOINT.match(text[one.end : other.start]):
            continue
        power = _POWER.search(text, other.start, other.end)
        if power and not _POWER.search(text, one.start, one.end):
            figures[place] = replace(one, value=one.value * float(f"1e{power[1]}"))
        if other.dimension and not one.dimension and not _is_in_year(one):
            figures[place] = _with_unit_of(one, other)
    for place in range(1, len(figures)):
        one, other = figures[place - 1 : place + 1]
        is_bare = one.dimension and not other.dimension
        is_bare = is_bare and not text[other.end : other.end + 2].strip(" ").isalpha()
        if is_bare and _JOINT.match(_UNIT_TEXT.sub("", text[one.end : other.start])):
            figures[place] = _with_unit_of(other, one)
    return tuple(figures)


def _with_unit_of(one: Quantity, other: Quantity) -> Quantity:
    return replace(one, unit=other.unit, dimension=other.dimension, factor=other.factor)


def _scaled(figure: Quantity) -> Quantity:
    """The number times the million that follows, or in the unit that stands before it."""
    text = figure.sentence
    if scale := SCALE.match(text, figure.end):
        return replace(figure, value=figure.value * _SCALES[scale[1].lower()])
    if figure.dimension:
        return figure
    if "100" in text or "hundred" in text.lower():
        of = _OUT_OF_AFTER.match(text, figure.end)
        if of and of["whole"].lower() in {"100", "hundred"}:
            return replace(figure, unit=_OF_HUNDRED, dimension="share")
    if not text[: figure.start][-1:].isspace():
        return figure
    before = _BEFORE_UNIT.search(text, max(0, figure.start - REACH), figure.start)
    if before is None or _COUNTED.search(text, 0, before.start()):
        return figure
    word = before[1].lower()
    word = "year" if word.startswith("age") else word
    return replace(figure, unit=word, dimension="time", factor=_SECONDS[word])


def is_own_count(figure: Quantity) -> bool:
    """Whether it is a small count in words, which may be the writer's own ("two groups")."""
    return _is_word(figure) and figure.size <= _OWN and not figure.unit


def is_level(figure: Quantity) -> bool:
    """Whether it is the level of an interval: the 95 of "95 % CI"."""
    return _INTERVAL.match(figure.after) is not None


def has_numbers(sentence: str) -> bool:
    """Whether a sentence has a number, or digits inside a name."""
    return bool(find_figures(sentence) or _RAW.search(sentence))


def unstated_numbers(sentence: str, source: tuple[str, ...]) -> tuple[str, ...]:
    """The numbers of `unstated_figures`, as written with their units."""
    return tuple(figure.text for figure in unstated_figures(sentence, source))


@lru_cache(maxsize=512)
def unstated_figures(sentence: str, source: tuple[str, ...]) -> tuple[Quantity, ...]:
    """The numbers of a sentence that no sentence of a source states.

    Of a number inside a name ("ResNet-50") the digits count. The embedded judge and the metric ask
    about the same sentence, so results are kept.
    """
    if not has_numbers(sentence):
        return ()
    figures = find_figures(sentence)
    index = _source_numbers(source)
    missing = [figure for figure in figures if not index.states(figure)]
    read = {place for figure in figures for place in range(figure.start, figure.end)}
    for match in _RAW.finditer(sentence) if len(figures) < _MOST else ():
        if match.start() not in read and not index.has_digits(match, sentence):
            start, end = match.span()
            missing.append(Quantity(value=0.0, start=start, end=end, sentence=sentence))
    return tuple(missing)


class _SourceNumbers:
    """The numbers of one source, by value and by sentence."""

    def __init__(self, sentences: tuple[str, ...]) -> None:
        self.sentences = sentences
        self._text = " ".join(sentences)  # in which a spaced number ("98. 7") was cut in two
        self._digits = {m.replace(",", "") for text in sentences for m in _RAW.findall(text)}
        self._words = {word for text in sentences for word in tokens(text)}

    @cached_property
    def _figures(self) -> tuple[Quantity, ...]:
        return tuple([figure for text in self.sentences for figure in find_figures(text)])

    @cached_property
    def _by_value(self) -> dict[float, list[Quantity]]:
        by_value: defaultdict[float, list[Quantity]] = defaultdict(list)
        for figure in self._figures:
            for value in _values(figure):
                by_value[value].append(figure)
        return by_value

    @cached_property
    def _months_between(self) -> frozenset[int]:
        """The months between each two different dates of a sentence."""
        months: set[int] = set()
        for text in self.sentences:
            dates = [
                int(year) * 12 + (_MONTHS.index(month[:3].lower()) if month else 0)
                for month, year in _DATE.findall(text)
            ]
            months.update(abs(other - one) for one, other in combinations(dates[:12], 2))
        return frozenset(months - {0})

    def has_digits(self, match: re.Match[str], sentence: str) -> bool:
        """Whether the source has the digits inside a name, an ordinal or a decade, too."""
        digits = match.group().replace(",", "")
        is_citation = sentence[: match.start()].endswith("[")
        if digits in self._digits or digits.count(".") > 1 or is_citation:
            return True
        is_decade = _DECADE.match(sentence, match.end()) is not None
        return is_decade and any(known.startswith(digits[:-1]) for known in self._digits)

    def states(self, figure: Quantity) -> bool:
        """Whether the source states a number; it has most numbers as they are."""
        # Tokenized texts have spaces in numbers: "235, 000", "98. 7".
        spaced = re.sub(r"(?<=[.,])(?=\d)", " ", figure.digits)
        if (
            is_own_count(figure)
            or any(_is_same(figure, other) for other in self._equal(figure))
            or _is_free(figure)
            or self._is_usual(figure)
            or (spaced != figure.digits and spaced in self._text)
            or (_ORDINAL.match(figure.after) and figure.digits in self._digits)
        ):
            return True
        near = self._near(figure.sentence)
        close = [other for text in near for other in find_figures(text)]
        if _is_about(figure):
            close += [other for other in self._figures if other.dimension == figure.dimension]
        if _is_of_hundred(figure):
            close = [o for o in self._figures if o.dimension in {"", "share", "points"}]
        return (
            any(_is_rounded(figure, other) for other in close)
            or is_worked_out(figure, near)
            or _is_within(figure, near[:_CLOSE])
            or self._is_span(figure)
        )

    def _near(self, sentence: str) -> tuple[str, ...]:
        """The 8 sentences that share most with a sentence, a rare word counting more."""
        ranked = rank_sentences(dict.fromkeys(content_words(sentence)), self.sentences)
        return tuple(self.sentences[place] for place in ranked[:_NEAR])

    def _equal(self, figure: Quantity) -> Iterator[Quantity]:
        """The numbers of the same value, as written or once converted."""
        wanted = _values(figure)
        if figure.unit == "%":
            wanted.add(_key(figure.size / _HUNDRED))
        for value in wanted:
            yield from self._by_value.get(value, ())

    def _is_usual(self, figure: Quantity) -> bool:
        """Whether it is no statement of the paper: "per 1,000", "p < 0.05", "95 % CI"."""
        size, before = figure.size, figure.before
        if _OUT_OF_BEFORE.search(before):
            return _is_word(figure) or size <= 2 * _TEN or log10(size).is_integer()
        level = size / _HUNDRED if figure.unit == "%" else size
        is_named = _LEVEL.search(f"{before}|{figure.after}") and "ignifican" in figure.sentence
        if level in _LEVELS and (is_named or _CHANCE.search(before)):
            return True
        if size == _HUNDRED and _is_of_hundred(figure):
            return True
        is_usual = is_level(figure) and size in _SHARES
        return is_usual and not self._words.isdisjoint(("ci", "cis", "confidence", "interval"))

    def _is_span(self, figure: Quantity) -> bool:
        """Whether a word gives a time ("a decade"), or it lies between two dates."""
        if figure.dimension != "time":
            return False
        seconds = figure.size * figure.factor
        for word, whole in _WHOLES.items():
            times = (seconds, 2 * seconds) if "half" in self._words else (seconds,)
            if word in self._words and any(abs(t - whole) <= 0.005 * whole for t in times):
                return True
        unit, step = ("month", 1) if "month" in figure.text else ("year", 12)
        time = seconds / _SECONDS[unit]
        return any(n / step - 0.5 <= time <= n / step + 1.5 for n in self._months_between)


_source_numbers = lru_cache(maxsize=128)(_SourceNumbers)
"""The numbers of a source, kept: a suite asks about one again for each system."""


def _values(figure: Quantity) -> set[float]:
    """The number as written, and in the base unit of its dimension."""
    return {_key(figure.size), _key(figure.size * figure.factor)}


@lru_cache(maxsize=4096)
def _key(value: float) -> float:
    """The number to six digits, so that a converted one meets its equal."""
    return float(f"{value:.5e}")


def _is_word(figure: Quantity) -> bool:
    return not figure.digits.strip("-.\u2212\u2013")[:1].isdigit()


@lru_cache(maxsize=512)
def _is_about(figure: Quantity) -> bool:
    """Whether a word says that it is rounded, or a bound."""
    return bool(_ABOUT.search(figure.before) or _ABOUT_AFTER.match(figure.after))


def _is_free(figure: Quantity) -> bool:
    """Whether it is a label or worded freely ("two-thirds", "seven in ten", "doubled")."""
    is_label = _LABEL.search(figure.before) is not None
    if is_label or figure.digits.lower() in _FREE or _FRACTION.match(figure.after):
        return True
    of = _OUT_OF_AFTER.match(figure.after)
    return of is not None and _is_word(figure) and of["whole"].lower() in _TENS


def _is_of_hundred(figure: Quantity) -> bool:
    """Whether it is given as so many of a hundred, or stands beside a number that is."""
    if figure.dimension or figure.decimals > 1:
        return figure.unit == _OF_HUNDRED
    return any(other.unit == _OF_HUNDRED for other in find_figures(figure.sentence))


def _is_distinctive(figure: Quantity) -> bool:
    return sum(character.isdigit() for character in figure.digits) >= _DISTINCTIVE


def _is_change(figure: Quantity) -> bool:
    """Whether it says by how much something differs."""
    return bool(_BY_BEFORE.search(figure.before) or _BY_AFTER.match(figure.after))


def _is_ratio(figure: Quantity) -> bool:
    """Whether it is a ratio, which says of a change what it leaves or adds to 1."""
    before = figure.sentence[max(0, figure.start - 2 * REACH) : figure.start]
    is_number = bool(figure.decimals) and not figure.unit and not _CHANCE.search(before)
    return is_number and _RATIO.search(before) is not None


def _is_bare_share(figure: Quantity) -> bool:
    """Whether it may be a share without a sign: 0.874, but not p = 0.874."""
    is_share = figure.size <= 1 and figure.decimals > 1 and not figure.unit
    return is_share and not _CHANCE.search(figure.before)


def _is_year(figure: Quantity) -> bool:
    """Whether it is a year, and not a count ("in 2000 people")."""
    is_dated = re.fullmatch(_YEAR, figure.digits) and _IN_YEAR.search(figure.before)
    return bool(is_dated) and not figure.unit and not _COUNTS.match(figure.after)


def _is_in_year(figure: Quantity) -> bool:
    """Whether it is the year in which something was so."""
    match = _IN_YEAR.search(figure.before)
    return match is not None and bool(match["within"]) and _is_year(figure)


def _is_within(figure: Quantity, near: tuple[str, ...]) -> bool:
    """Whether it is a year inside a span of years, and no end of it."""
    if not _is_in_year(figure) or _END.search(figure.sentence):
        return False
    for match in (match for text in near for match in _SPAN.finditer(text)):
        start, end = filter(None, match.groups())
        is_counted = _COUNTS.match(match.string, match.end())
        if not is_counted and int(start) < figure.size < int(end):
            return True
    return False


def _per(figure: Quantity) -> float:
    """The time that the number is per ("a week"), in seconds; 0 without one."""
    per = _PER.match(figure.sentence, figure.end + (len(figure.unit) + 1 if figure.unit else 0))
    word = ((per[1] or per[2] or "") if per else "").lower().rstrip("s")
    if not word and not figure.unit:
        counted = _COUNTED_PER.match(figure.after)
        word = counted[1].lower() if counted else ""
    return _SECONDS.get(_SHORT.get(word, word), 0.0)


def _is_in_list(bare: Quantity, unit: str) -> bool:
    """Whether another number of its sentence, or a heading, may give a bare number this unit."""
    if _NAMED.match(bare.after):
        return False
    return any(figure.unit == unit for figure in find_figures(bare.sentence)) or (
        unit.rstrip("s") in {word.rstrip("s") for word in tokens(bare.sentence)}
    )


def _weigh(figure: Quantity) -> Quantity:
    """A number of pounds as a weight: "5 pounds" may be "5 lb"."""
    is_pound = figure.unit.startswith("pound")
    return replace(figure, dimension="mass", factor=453.59237) if is_pound else figure


def _is_percentage_of(figure: Quantity, other: Quantity) -> bool:
    """Whether a percentage may give a number: 0.31, but not p = 0.31, nor a change by a ratio."""
    is_compared = other.before.rstrip().endswith(("=", "<", ">"))
    is_else = is_compared or (_is_ratio(other) and _is_change(figure))
    return figure.unit == "%" and _is_bare_share(other) and not is_else


def _is_same(figure: Quantity, other: Quantity) -> bool:
    """Whether a number of the source, of equal size, is the same quantity."""
    if (per := _per(figure)) and (per_other := _per(other)) and per != per_other:
        return False
    if {figure.dimension, other.dimension} == {"mass", "pounds"}:
        figure, other = _weigh(figure), _weigh(other)
    if figure.dimension and other.dimension:
        value = other.size * other.factor
        return figure.dimension == other.dimension and (
            abs(figure.size * figure.factor - value) <= 1e-6 * value
        )
    if _is_percentage_of(figure, other):
        return _key(figure.size / _HUNDRED) == _key(other.size)
    return _key(figure.size) == _key(other.size) and _may_be_same(figure, other)


def _may_be_same(figure: Quantity, other: Quantity) -> bool:
    """Whether equal numbers, at least one of them without a unit, may be the same quantity."""
    if figure.decimals > other.decimals and not _is_distinctive(other):
        return False
    dimensions = {figure.dimension, other.dimension}
    if len(dimensions) == 1 or not MONEY.isdisjoint(dimensions) or _is_distinctive(figure):
        return True
    if figure.dimension:
        is_age = _AGE.search(f"{figure.before}|{figure.after}") is not None
        return (is_age and _is_word(figure)) or _is_in_list(other, figure.unit)
    is_right_after = other.after.lstrip(" -").lower().startswith(other.unit)
    if not is_right_after or _is_in_list(figure, other.unit):
        return True
    shared = set(content_words(figure.sentence)).intersection(content_words(other.sentence))
    return len(shared) > _SHARED


def _is_rounded(figure: Quantity, other: Quantity) -> bool:
    """Whether a number is one of the source, rounded or converted."""
    value = other.size
    if _is_of_hundred(figure):
        value *= _HUNDRED if not other.unit and value <= 1 else 1.0
        slack = _ROUGH * value if _is_about(figure) else 0.0
        return abs(figure.size - value) <= max(0.5 * _last_place(figure), slack)
    if figure.dimension and figure.dimension == other.dimension:
        value *= other.factor / figure.factor
    elif _is_percentage_of(figure, other):
        value *= _HUNDRED
    elif not _may_be_rounded(figure, other):
        return False
    if (per := _per(figure)) and (per_other := _per(other)) and per != per_other:
        value *= per / per_other
    if value == other.size and figure.decimals > other.decimals:
        return False
    return abs(figure.size - value) <= _slack(figure, other, value)


def _may_be_rounded(figure: Quantity, other: Quantity) -> bool:
    """Whether numbers, at least one of them without a unit, may be of the same kind."""
    is_small = figure.size < _SMALL and not (figure.decimals or _is_about(figure))
    if is_small or (figure.dimension and other.dimension):
        return False
    if figure.dimension:
        return _is_in_list(other, figure.unit)
    return not other.dimension or _is_distinctive(figure) or _is_in_list(figure, other.unit)


def _slack(figure: Quantity, other: Quantity, value: float) -> float:
    """By how much a rounded number may differ from the one it stands for."""
    size = figure.size
    is_coarser = value != other.size or figure.decimals < other.decimals
    half = 0.5005 * _last_place(figure) if is_coarser or SCALE.match(figure.after) else 0.0
    if figure.decimals:
        return half
    zeros = _last_digit(size)
    if _is_about(figure) or (_is_word(figure) and size >= 2 * _TEN and not size % _TEN):
        return max(half, _ROUGH * size, min(0.5 * zeros, _ROUGHEST * size))
    if _is_about(other):
        return max(half, _ROUGH * size)
    if size >= _HUNDRED and _TEN <= zeros <= size / _TEN and not _is_year(figure):
        return max(half, 0.5 * zeros)
    return half


def _last_place(figure: Quantity) -> float:
    """What one more in the last digit is, with its scale: .1 of 2.4, 1e5 of 2.4 million."""
    if _is_word(figure) or not figure.value:
        return 1.0
    digits = re.sub(r"[^\d.]", "", figure.digits.partition("x")[0].partition("\u00d7")[0])
    scale = figure.size / written if (written := float(digits or 1)) else 1.0
    return float(scale) * 10.0**-figure.decimals


def _last_digit(size: float) -> float:
    """What one more in its last digit that is not 0 is: 100 of 2,300; 5 of a multiple of five."""
    if size < 1 or size != floor(size):
        return 0.0
    place = 1.0
    while size % (place * _TEN) == 0:
        place *= _TEN
    return max(place, 5.0) if size > _TEN and size % 5 == 0 else place


def is_worked_out(figure: Quantity, near: Sequence[str]) -> bool:
    """Whether it follows from numbers of the closest sentences, and its words say so."""
    step = 0.51 * _last_place(figure)
    if _is_about(figure):
        step = max(step, _ROUGH * figure.size)
    return any(abs(figure.size - value) <= step for value in _outcomes(figure, near))


def _outcomes(figure: Quantity, near: Sequence[str]) -> Iterator[float]:
    """What the numbers of sentences come to, by what a figure says that it is.

    What it says decides what is worked out: a change, a total, the rest of a whole, a part of one,
    or a multiple. Numbers are taken next to each other, or with one between them.
    """
    is_other = not figure.dimension and _OTHERS.search(figure.before) is not None
    change = is_other or _is_change(figure)
    total = _SUM.search(figure.sentence) is not None
    rest = figure.unit == "%" and _REST.search(figure.sentence) is not None
    of_two = partial(_outcomes_of_two, figure, change=change, total=total)
    for figures in map(find_figures, near):
        for one, other in chain(pairwise(figures), zip(figures, figures[2:], strict=False)):
            yield from of_two(one, other)
            yield from _repeated(figure, one, other)
        if total:
            triples = zip(figures, figures[1:], figures[2:], strict=False)
            yield from (sum(each.size for each in three) for three in triples)
        yield from (_HUNDRED - each.size for each in figures if rest and each.unit == "%")
        yield from _changes(figure, figures) if change and figure.unit == "%" else ()
        yield from _rests(figure, figures)
    if change or total:
        close = [each for text in near[:_CLOSE] for each in find_figures(text)][:_MOST]
        for one, other in combinations(close, 2):
            if max(one.decimals, other.decimals) >= figure.decimals:
                yield from of_two(one, other)


def _changes(figure: Quantity, figures: Sequence[Quantity]) -> Iterator[float]:
    """A change of a share, or by a ratio, as a percentage."""
    shares = [each for each in figures if each.unit == "%" and not is_level(each)]
    for one, other in pairwise(shares):
        yield from _relative(figure, one.size, other.size, is_path=_is_path(one, other))
    for ratio in filter(_is_ratio, figures):
        yield from _relative(figure, 1.0, ratio.size)


def _rests(figure: Quantity, figures: Sequence[Quantity]) -> Iterator[float]:
    """What is left of a whole: errors by an accuracy, and 48 of 60 where 12 dropped out."""
    for pair in pairwise(() if figure.unit else figures):
        part, whole = sorted(pair, key=attrgetter("size"))
        if _is_part(*pair) and _are_opposed(figure, part):
            yield whole.size - part.size
    for share in figures if figure.unit == "%" or _is_bare_share(figure) else ():
        if (share.unit == "%" or _is_bare_share(share)) and _are_opposed(figure, share):
            stated = share.size / _HUNDRED if share.unit else share.size
            yield (_HUNDRED if figure.unit else 1.0) * (1.0 - stated)


def _repeated(figure: Quantity, one: Quantity, other: Quantity) -> Iterator[float]:
    """What a number comes to so many times, and what each of so many gets of it."""
    count, measured = sorted((one, other), key=lambda each: (each.dimension, each.size))
    if measured.dimension == "time" and not figure.dimension and (per := _per(count)):
        yield count.size * measured.size * measured.factor / per
    if count.dimension or figure.dimension != measured.dimension or not count.size:
        return
    value = measured.size * measured.factor / figure.factor
    if _EACH.search(one.sentence):
        yield value * count.size
    if _EACH.search(figure.sentence):
        yield value / count.size


def _outcomes_of_two(
    figure: Quantity, one: Quantity, other: Quantity, *, change: bool, total: bool
) -> Iterator[float]:
    """The difference, sum, share, relative change or multiple of two numbers of one dimension."""
    dimension = one.dimension
    if dimension != other.dimension:
        return
    scale = one.factor / figure.factor if figure.dimension == dimension else 1.0
    end = other.size * other.factor / one.factor
    small, large = sorted((one.size, end))
    is_points = figure.dimension == "points" and dimension == "share"
    if is_points or figure.dimension in {dimension, ""}:
        if change:
            yield (large - small) * scale
        if total:
            yield (large + small) * scale
    if small and figure.unit == "%" and dimension != "share":
        if _is_part(one, other):
            yield _HUNDRED * small / large
        yield from _relative(figure, one.size, end, is_path=_is_path(one, other)) if change else ()
    elif small and not figure.dimension and _TIMES.match(figure.after):
        yield large / small


def _relative(
    figure: Quantity, one: float, other: float, *, is_path: bool = False
) -> Iterator[float]:
    """A change as a percentage of its start, in the direction that the figure's words give.

    Without a path from one number to the other, either may be the start.
    """
    words = figure.before + figure.after
    fell, rose = _FALL.search(words) is not None, _RISE.search(words) is not None
    for start, end in ((one, other),) if is_path else ((one, other), (other, one)):
        if start and (fell or not rose if end < start else rose or not fell):
            yield _HUNDRED * abs(end - start) / start


def _is_path(one: Quantity, other: Quantity) -> bool:
    """Whether something went from one number to the other."""
    return bool(_FROM.search(one.before) and _TO.match(one.sentence[: other.start], one.end))


def _is_part(one: Quantity, other: Quantity) -> bool:
    """Whether one number is a part of the other: "18 of 150"."""
    is_part = one.size < other.size and _OF.match(one.sentence[one.end : other.start])
    is_whole = one.size > other.size and _OF_ALL.search(one.before)
    return one.sentence == other.sentence and bool(is_part or is_whole)


def _are_opposed(one: Quantity, other: Quantity) -> bool:
    """Whether one share is of what the other leaves of the whole."""
    mine, yours = (
        each.sentence[max(0, each.start - 2 * REACH) : each.end + 2 * REACH]
        for each in (one, other)
    )
    return any(
        (first.search(mine) and second.search(yours))
        or (second.search(mine) and first.search(yours))
        for first, second in _OPPOSED
    )

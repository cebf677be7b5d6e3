"""Numbers of a sentence as a reader takes them, and those that a source does not state.

A number is stated if the source has it, at the precision at which it is printed, or if it follows:
it is rounded or converted, or worked out from numbers of the sentences closest to it (a difference,
a sum, a share, a rest, a multiple, a span of dates), where its words say so. A reader gives a bare
number the unit of the number that it is joined to ("from 9 to 6 days").
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache
from itertools import chain, combinations, islice, pairwise
from operator import attrgetter
from typing import Final

from summeval_pytest.text.quantities import Quantity, Unit, find_quantities, with_unit_of
from summeval_pytest.text.words import content_words, rank_sentences, tokens

_MOST: Final = 60
"""A sentence with more numbers is a table, or hostile: the others are not read."""
_NEAR: Final = 8
"""A number may be rounded or worked out from so many sentences of the source."""
_NEXT: Final = 3
"""A share in words may stand in one of so many."""
_CLOSE: Final = 2
"""A difference or a sum may take its numbers from two of so many sentences, the closest."""
_HUNDRED: Final = 100.0
_THOUSAND: Final = 1000.0
_OWN: Final = 3.0
"""Counts in words up to three ("two groups") are often the writer's own."""
_SMALL: Final = 10.0
"""A smaller count is only rounded where a word says so."""
_ROUGH: Final = 0.05
"""A number with an "about" may be so much off."""
_ROUGHEST: Final = 0.12
"""No rounding takes a number farther."""
_FAR: Final = 1.5
"""A number that is "more than" another one is rarely more than so many times it."""
_LEVELS: Final = frozenset({0.05, 0.01, 0.001, 0.0001})
"""Levels of significance; "p < 0.05" is no statement of its own."""
_TENS: Final = frozenset("two three four five six seven eight nine ten twelve twenty".split())
_FREE: Final = frozenset(
    "twice thrice doubled tripled quadrupled twofold threefold tenfold".split()
)
"""Numbers in words that are the writer's own arithmetic."""
_MONTHS: Final = "jan feb mar apr may jun jul aug sep oct nov dec".split()
_SECONDS: Final = {
    "second": 1.0, "minute": 60.0, "min": 60.0, "hour": 3600.0, "h": 3600.0, "day": 86400.0,
    "daily": 86400.0, "night": 86401.0, "weekend": 172800.0, "week": 604800.0, "weekly": 604800.0,
    "fortnight": 1209600.0, "fortnightly": 1209600.0, "month": 2629800.0, "monthly": 2629800.0,
    "semester": 15778800.0, "year": 31557600.0, "yearly": 31557600.0, "annual": 31557600.0,
    "annually": 31557600.0, "decade": 315576000.0, "decades": 631152000.0, "century": 3155760000.0,
}  # fmt: skip
"""Times that a word gives without a number."""

_YEAR: Final = r"(?:1[89]|20)\d\d"
_SHORT_YEAR = re.compile(rf"{_YEAR}\s?[-\u2013\u2212/]\s?\d\d")
"""A span of years whose end has its last two digits only."""
_JOINT = re.compile(
    r"\s*(?:,?\s*(?:to|and|or|vs\.?|versus|against|rather than|instead of|not|compared with|by"
    r"|\u2013|-|\u2212|/|\u00b1|\+/-))\s*(?:from\s+|at\s+|about\s+)?\Z"
)
_ABOUT = re.compile(
    r"(?i)(?:\b(?:about|around|roughly|nearly|almost|some|approximately|approx\.?|close to"
    r"|just over|just under|over|under|(?:more|less|fewer|rather more|rather less) than|barely"
    r"|circa|up to|above|below|generally|typically|upwards of|beyond|exceeding)"
    r"|~|\u2248|\bc\.|[<>\u2264\u2265])\s*(?:a\s+|the\s+|an\s+)?\Z"
)
_ABOUT_AFTER = re.compile(r"(?i)(?:\s+[a-z]+)?\s+(?:or so|odd)\b")
_BOUND = re.compile(
    r"(?i)\b(?:(?P<more>(?:more|greater|longer|higher|larger) than|over|exceeding|at least|above"
    r"|beyond|upwards of)|(?:less|fewer|lower|shorter|smaller) than|under|below|at most|up to)"
    r"\s+(?:an?\s+|the\s+)?\Z"
)
_LABEL = re.compile(
    r"(?i)(?:\b(?:fig(?:ure)?s?|tab(?:le)?s?|eqs?|equations?|refs?|sections?|chapters?)\.?\s*|\[)\Z"
)
_FRACTION = re.compile(
    r"(?i)[-\s]?(?:thirds?|quarters?|fifths?|sixths?|sevenths?|eighths?|ninths?|tenths?"
    r"|halves|hundredths?)\b"
)
_SHARE = re.compile(
    r"(?i)\b(?:(?P<part>an?|one|two|three|four|five|six|seven|eight|nine|\d)[\s-](?:\w+\s){0,2}?)?"
    r"(?:(?P<whole>half|halves|third|quarter|fifth|sixth|seventh|eighth|ninth|tenth)s?\b"
    r"|(?:in|out of|of) (?:every )?(?P<of>two|three|four|five|six|seven|eight|nine|ten|\d\d?)\b)"
)
"""A share in words: "two thirds", "half", "three in four", "one patient in eight"."""
_SMALL_NUMBERS: Final = {
    word: number
    for number, words in enumerate(
        (
            "a an one|half halves two|third three|quarter four|fifth five|sixth six|seventh seven"
            "|eighth eight|ninth nine|tenth ten"
        ).split("|"),
        start=1,
    )
    for word in words.split()
}
_OUT_OF = re.compile(
    r"(?i)\s+(?:\w+\s+){0,2}?(?:in|out of|of|for every|per)\s+(?:an?\s+|every\s+|each\s+|the\s+)?"
    r"(?P<whole>[a-z]+)\b"
)
_PER = re.compile(
    r"(?i)\b(?:one|two|three|four|five|six|seven|eight|nine|\d[\d.,]*)(?:\s+[a-z]+){0,2}\s+"
    r"(?:in|out of|of every|for every|in every)\s+(?:an?\s+|every\s+)?\Z"
    r"|\b(?:per|(?:of|for|in) every)\s+\Z"
)
"""Before the whole of a rate: "per 1,000", "one in 20"."""
_COUNTED_PER = re.compile(
    r"(?i)(?:\s+[a-z0-9-]+){0,5}?(?:\s?/\s?|\s+(?:per|an?|each|every)\s+)"
    r"(second|minute|min|hour|h|night|day|week|fortnight|month|year|decade)\b"
    r"|(?:\s+[a-z0-9-]+){0,5}?\s+(daily|weekly|monthly|yearly|annually)\b"
)
_NOUN = re.compile(
    r"(?i)\s(?!(?:and|or|to|vs|versus|in|at|for|on|with|after|before|from|than|but|while|whereas"
    r"|respectively|rather|instead|compared|against|by|of|per|as|when|if|was|were|is|are|had|have"
    r"|did)\b)[a-z]{3}"
)
"""A noun that says what a bare number counts."""
_TIMES = re.compile(r"(?i)[-\s]?(?:fold|times)\b")
_INTERVAL = re.compile(r"(?i)\s?(?:%|per\s?cent)\s?(?:CI|confidence|credible|interval)")
_LEVEL = re.compile(
    r"(?i)\bp\s?(?:-?\s?values?\s?)?(?:of|was|were|is)?\s?(?:(?:less|greater) than|below)?"
    r"\s?[<>=\u2264\u2265]*\s?\Z"
)
_BY_BEFORE = re.compile(
    r"(?i)\b(?:by|(?:differences?|gains?|leads?|gaps?|drops?|rises?|falls?|increases?|decreases?"
    r"|cut|reductions?|declines?|loss|losses|savings?|advantage|margin|change) (?:of|was|is|by)"
    r"|(?:gained|lost|saved|added))"
    r"\s+(?:about|around|roughly|nearly|almost|some|over|only|just|merely|another|a further"
    r"|(?:more|less|fewer) than)?\s*\Z"
)
_SECOND = re.compile(
    r"(?i)\b(?:by|fell|rose|dropped) (?:about |only )?\d[^.;]{1,80}?,? (?:and|but|against)"
    r" (?:by )?\Z"
)
"""Before the second of two changes: "by 4 points in one group and 21 points in the other"."""
_BY_AFTER = re.compile(
    r"(?i)(?:\s?-?\s?points?)?\s*(?:[a-z]+\s+)?\b(?:more|fewer|less|higher|lower"
    r"|longer|shorter|taller|wider|deeper|thicker|thinner|warmer|cooler|hotter|colder|heavier|lighter"
    r"|quicker|older|younger|richer|poorer|stronger|weaker|closer|farther|further|cheaper|bigger"
    r"|later|earlier|apart|ahead|extra|additional|sooner|faster|slower|above|below"
    r"|behind|better|worse|greater|smaller|larger|short|fall|rise|drop|increase|decrease|reduction"
    r"|decline|gain|difference|gap|cut|loss|saving)\b"
)
_REST = re.compile(
    r"(?i)\b(?:rest|remain\w*|others?|not|never|no|none|without|failed|miss\w*|instead|un\w+|still|kept|keeps?|retain\w*|surviv\w*|left"
    r"|err\w*|stay\w*|complet\w*|wrong\w*|correct\w*|accura\w*|incorrect\w*|misclassif\w+|mistak\w+|overlook\w*|false|mortality|died"
    r"|deaths?|killed|disagree\w*|attrition|drop-?outs?|dropped|lost|withdr\w+|m[ae]n|males?|boys?"
    r"|wom[ae]n|females?|girls?)\b|n't\b"
)
"""Words of which a share is what another share leaves of the whole."""
_KEPT = re.compile(
    r"(?i)\b(?:kept|keeps?|retain\w*|preserv\w*|recover\w*|of (?:its|their|the initial))\b"
)
"""Words of which a share is what is left of a level."""
_OTHERS = re.compile(r"(?i)\b(?:others?|remaining|rest|leaves|leaving|left)\s\D{0,12}\Z")
_OF = re.compile(r"(?i)\s*(?:[a-z]+\s+)?(?:of|/|out of|in|among)\s*(?:the\s+|all\s+)?\Z")
_OF_ALL = re.compile(r"(?i)\b(?:of|among)\s+(?:the\s+|all\s+)?\Z")
_SUM = re.compile(
    r"(?i)\b(?:totals?|totalling|altogether|together|combined|overall|in all|both|sum|comprising)\b"
)
_EACH = re.compile(
    r"(?i)\b(?:each|every|apiece|per|hourly|daily|weekly|monthly|yearly"
    r"|a (?:day|week|month|year|session|person|head))\b"
)
_RATIO = re.compile(r"\b(?:[Rr]atios?|[Rr]elative [Rr]isks?|a?[IS]?(?:HR|OR|RR)s?)\b[^(\[;%]*\Z")
"""Before a ratio; a bracket parts it from its interval."""
_IN_YEAR = re.compile(
    r"(?i)\b(?:in|during|throughout|since|until|till|from|by|before|after)\s+"
    r"(?:early\s+|late\s+|mid-)?\Z"
)
_DURING = re.compile(r"(?i)\b(?:in|during|throughout)\s+(?:early\s+|late\s+|mid-)?\Z")
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
    figures = [_counted(figure) for figure in islice(find_quantities(text), _MOST)]
    for place in range(len(figures) - 1, 0, -1):
        one, other = figures[place - 1 : place + 1]
        is_time = one.dimension == other.dimension == "time" and one.factor > other.factor
        if is_time and text[one.stop : other.start].isspace():  # "1 h 30 min"
            rest, step = (n * other.factor / one.factor for n in (other.value, other.step))
            figures[place - 1] = replace(one, value=one.value + rest, step=step, stop=other.stop)
            del figures[place]
        elif _JOINT.match(text[one.stop : other.start]):
            figures[place - 1 : place + 1] = _joined(one, other)
    for place in range(1, len(figures)):
        one, other = figures[place - 1 : place + 1]
        is_bare = one.dimension and not other.dimension
        is_bare = is_bare and not text[other.end : other.end + 2].strip(" ").isalpha()
        if is_bare and _JOINT.match(text[one.stop : other.start]):
            figures[place] = with_unit_of(other, one)
    return tuple(figures)


def _joined(one: Quantity, other: Quantity) -> tuple[Quantity, Quantity]:
    """Two numbers that are joined, the first with the scale and unit that stand behind both."""
    is_small = one.scale == 1 and not one.dimension and one.size < _THOUSAND
    if is_small and other.scale != 1:  # "3 to 5 million"
        one = replace(one, value=one.value * other.scale, step=one.step * other.scale)
    if _SHORT_YEAR.fullmatch(one.sentence, one.start, other.end):
        other = replace(other, value=other.value + one.value // _HUNDRED * _HUNDRED)
    if other.dimension and not one.dimension and not is_year(one):
        one = with_unit_of(one, other)
    return one, other


def _counted(figure: Quantity) -> Quantity:
    """A bare number with the time that it is counted per: "three sessions a week"."""
    if figure.per.dimension or figure.dimension == "time" or figure.is_ordinal:
        return figure
    match = _COUNTED_PER.match(figure.sentence, figure.stop)
    if match is None:
        return figure
    return replace(figure, per=Unit("time", _SECONDS[(match[1] or match[2]).lower()]))


def is_own_count(figure: Quantity) -> bool:
    """Whether it is a small count in words, or a place in an order, which may be the writer's."""
    is_small = figure.size <= _OWN and not figure.unit
    return is_small and (figure.is_word or figure.is_ordinal)


def is_year(figure: Quantity) -> bool:
    """Whether it is a year, and not a count ("in 2000 people")."""
    is_dated = re.fullmatch(_YEAR, figure.digits) and _IN_YEAR.search(figure.before)
    return bool(is_dated) and not figure.unit and not _COUNTS.match(figure.after)


def kind_of(figure: Quantity) -> str:
    """What a number tells: a level, a year, a multiple, a change or an amount."""
    if _INTERVAL.match(figure.after) or _LEVEL.search(figure.before):
        return "level"
    if is_year(figure):
        return "year"
    if figure.digits.lower() in _FREE or _TIMES.match(figure.sentence, figure.end):
        return "multiple"
    before = figure.before.rstrip("$\u20ac\u00a3\u00a5")
    is_second = _SECOND.search(figure.sentence[: figure.start]) is not None
    is_change = (
        is_second or _BY_BEFORE.search(before) or _BY_AFTER.match(figure.sentence, figure.stop)
    )
    return "change" if is_change else "amount"


@lru_cache(maxsize=512)
def unstated_figures(sentence: str, source: tuple[str, ...]) -> tuple[Quantity, ...]:
    """The numbers of a sentence that no sentence of a source states, and that do not follow.

    The embedded judge and the metric ask about the same sentence, so results are kept.
    """
    figures = find_figures(sentence)
    index = _source_numbers(source) if figures else None
    return tuple([figure for figure in figures if index and not index.states(figure)])


class _SourceNumbers:
    """The numbers of one source, by value and by sentence."""

    def __init__(self, sentences: tuple[str, ...]) -> None:
        self.sentences = sentences
        self._text = " ".join(sentences)  # in which a spaced number ("98. 7") was cut in two
        self._words = {word for text in sentences for word in tokens(text)}

    @cached_property
    def _by_value(self) -> dict[float, list[Quantity]]:
        by_value: defaultdict[float, list[Quantity]] = defaultdict(list)
        for figure in chain.from_iterable(map(find_figures, self.sentences)):
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

    def states(self, figure: Quantity) -> bool:
        """Whether the source states a number, or it follows; it has most numbers as they are."""
        # Tokenized texts have spaces in numbers: "235, 000", "98. 7".
        spaced = re.sub(r"(?<=[.,])(?=\d)", " ", figure.digits)
        if (
            is_own_count(figure)
            or any(_is_same(figure, other) for other in self._equal(figure))
            or _is_free(figure)
            or (spaced != figure.digits and spaced in self._text)
        ):
            return True
        ranked = rank_sentences(dict.fromkeys(content_words(figure.sentence)), self.sentences)
        near = tuple(self.sentences[place] for place in ranked[:_NEAR])
        return (
            any(_is_rounded(figure, other) for text in near for other in find_figures(text))
            or (figure.unit == "%" and _is_share_in_words(figure, near[:_NEXT]))
            or (not is_year(figure) and is_worked_out(figure, near))
            or (is_year(figure) and any(_is_within(figure, text) for text in near[:_NEXT]))
            or (figure.dimension == "time" and self._is_span(figure.size * figure.factor))
        )

    def _equal(self, figure: Quantity) -> Iterator[Quantity]:
        """The numbers of the same value, as written or once converted."""
        for value in _values(figure):
            yield from self._by_value.get(value, ())
        if figure.unit == "%":  # 0.21 for 21 %
            shares = self._by_value.get(float(f"{figure.size / _HUNDRED:.5e}"), ())
            yield from (figure for share in shares if not share.unit and share.decimals > 1)

    def _is_span(self, seconds: float) -> bool:
        """Whether a word gives a time ("a decade"), or it lies between two dates."""
        parts = [1.0, *((0.5, 1.5) if "half" in self._words else ())]
        parts += (0.25, 0.75) if not self._words.isdisjoint(("quarter", "quarters")) else ()
        for word, whole in _SECONDS.items():
            times = (part * whole for part in parts)
            if word in self._words and any(abs(seconds - t) <= 0.005 * t for t in times):
                return True
        months = seconds / _SECONDS["month"]
        return any(n - 1 <= months <= n + 12 for n in self._months_between if n % 12 == 0) or any(
            abs(n - months) <= 1 for n in self._months_between
        )


_source_numbers = lru_cache(maxsize=128)(_SourceNumbers)
"""The numbers of a source, kept: a suite asks about one again for each system."""


def _values(figure: Quantity) -> set[float]:
    """The number as written, and in base units, to six digits so that converted ones meet."""
    base = figure.size * figure.factor
    return {float(f"{value:.5e}") for value in (figure.size, base, base / figure.per.factor)}


def _is_same(figure: Quantity, other: Quantity) -> bool:
    """Whether a number of the source, of equal size, may be the same quantity."""
    if figure.per.dimension == other.per.dimension and figure.per.factor != other.per.factor:
        return False
    is_twin = figure.unit != other.unit and figure.unit.lower() == other.unit.lower()
    if {figure.dimension, other.dimension} == {"mass", "pounds"} or (
        is_twin and _has_no_case(figure.sentence)
    ):  # "14 pounds" may be a weight, and "5 mm" may be "5 mM"
        return figure.size == other.size
    if figure.dimension and other.dimension:
        return figure.agrees_with(other)
    if figure.dimension and not _may_have_unit(other, figure):
        return False
    if other.dimension and other.stop > other.end and _NOUN.match(figure.sentence, figure.end):
        return figure.size == other.size >= _HUNDRED
    return figure.size == other.size


def _has_no_case(sentence: str) -> bool:
    """Whether a whole sentence has lost its capitals, or has nothing else."""
    return sentence.isupper() or (sentence.islower() and sentence[-1:] in ".!?")


def _may_have_unit(bare: Quantity, figure: Quantity) -> bool:
    """Whether another number of its sentence, or a heading, may give a bare number this unit."""
    if bare.dimension or _NOUN.match(bare.sentence, bare.end):
        return bool(bare.dimension)
    unit = figure.dimension, figure.factor
    is_beside = any((n.dimension, n.factor) == unit for n in find_figures(bare.sentence))
    return is_beside or figure.unit.rstrip("s") in {w.rstrip("s") for w in tokens(bare.sentence)}


@lru_cache(maxsize=512)
def _is_about(figure: Quantity) -> bool:
    """Whether a word says that it is rounded, or a bound."""
    return bool(_ABOUT.search(figure.before) or _ABOUT_AFTER.match(figure.after))


def _is_free(figure: Quantity) -> bool:
    """Whether it is no statement of its own: a label, a fraction in words, the whole of a rate."""
    is_named = bool(_LABEL.search(figure.before) or _PER.search(figure.before))
    is_level = figure.size in _LEVELS and kind_of(figure) == "level"
    if is_named or is_level or figure.digits.lower() in _FREE or _FRACTION.match(figure.after):
        return True
    of = _OUT_OF.match(figure.after) if figure.is_word else None
    return of is not None and of["whole"].lower() in _TENS


def _is_share_in_words(figure: Quantity, near: tuple[str, ...]) -> bool:
    """Whether sentences say a percentage in words."""
    slack = max(0.5 * figure.step, _ROUGH * figure.size * _is_about(figure))
    for match in (match for text in near for match in _SHARE.finditer(text)):
        part, whole, of = match.groups()
        below = _SMALL_NUMBERS.get((whole or of).lower()) or int(of)
        above = _SMALL_NUMBERS.get((part or "a").lower()) or int(part)
        if below and abs(figure.size - _HUNDRED * above / below) <= slack:
            return True
    return False


def _is_within(figure: Quantity, text: str) -> bool:
    """Whether something was so in it, a year between two years of a sentence."""
    if not _DURING.search(figure.before) or _END.search(figure.sentence):
        return False
    years = [float(year) for _, year in _DATE.findall(text)]
    return bool(years) and min(years) < figure.size < max(years)


def _is_rounded(figure: Quantity, other: Quantity) -> bool:
    """Whether a number is one of the source, rounded, converted or a bound of it."""
    if figure.dimension != other.dimension:
        return False
    if figure.unit != other.unit and figure.agrees_with(other):
        return True
    value, _ = next(other.in_units_of(figure))
    if bound := _BOUND.search(figure.before):
        least, most = sorted((figure.size, value))
        return (least == figure.size) == bool(bound["more"]) and most <= _FAR * least
    is_coarser = value != other.size or figure.step > other.step or figure.scale > 1
    slack = 0.5005 * figure.step * is_coarser
    is_about = _is_about(figure)
    if not is_about and not figure.dimension and figure.size < _SMALL and figure.step == 1:
        return value == figure.size
    if is_about or _is_about(other) or (figure.is_word and figure.size % 10 == 0):
        zeros = min(0.5 * _last_place(figure.size), _ROUGHEST * figure.size)
        slack = max(slack, _ROUGH * figure.size, zeros if figure.step == 1 else 0.0)
    elif figure.size >= _HUNDRED and figure.step == 1 and not is_year(figure):
        slack = max(slack, min(0.5 * _last_place(figure.size), _ROUGH * figure.size))
    return abs(figure.size - value) <= slack


def _last_place(size: float) -> float:
    """What one more in its last digit that is not 0 is: 100 of 2,300; 0 of 2,345 and of 0."""
    place = 1.0
    while size and size % (place * 10) == 0:
        place *= 10
    return place if place > 1 else 0.0


def is_worked_out(figure: Quantity, near: Sequence[str]) -> bool:
    """Whether it follows from numbers of the closest sentences, and its words say so."""
    step = max(0.51 * figure.step, _ROUGH * figure.size * _is_about(figure))
    return any(abs(figure.size - value) <= step for value in _outcomes(figure, near))


def _outcomes(figure: Quantity, near: Sequence[str]) -> Iterator[float]:
    """What the numbers of sentences come to, by what a figure says that it is.

    Numbers are taken next to each other, or with one between them; for a change or a total, also
    from two of the closest sentences.
    """
    is_other = not figure.dimension and _OTHERS.search(figure.before) is not None
    change = is_other or kind_of(figure) == "change"
    total = _SUM.search(figure.sentence) is not None
    for figures in map(find_figures, near):
        for one, other in chain(pairwise(figures), zip(figures, figures[2:], strict=False)):
            yield from _outcomes_of_two(figure, one, other, change=change, total=total)
            yield from _repeated(figure, one, other)
        if total or (figure.size > _SMALL and not figure.dimension):
            runs = chain(pairwise(figures), zip(figures, figures[1:], figures[2:], strict=False))
            yield from (sum(n.size for n in run) for run in runs if not run[0].dimension)
        for each in figures:
            yield from _outcomes_of_one(figure, each, change=change)
    if change or total:
        close = [each for text in near[:_CLOSE] for each in find_figures(text)][:_MOST]
        for one, other in combinations(close, 2):
            if min(one.step, other.step) <= figure.step:
                yield from _outcomes_of_two(figure, one, other, change=change, total=total)


def _outcomes_of_one(figure: Quantity, each: Quantity, *, change: bool) -> Iterator[float]:
    """What a share leaves of the whole, and the change that a ratio says, as a percentage."""
    is_ratio = not each.dimension and each.decimals > 1
    if figure.dimension == each.dimension and _REST.search(figure.sentence):
        if figure.unit == "%":
            yield _HUNDRED - each.size
        elif is_ratio and each.size < 1:
            yield 1.0 - each.size
    elif figure.unit == "%" and change and _RATIO.search(each.sentence[: each.start]):
        yield _HUNDRED * abs(1.0 - each.size)


def _outcomes_of_two(
    figure: Quantity, one: Quantity, other: Quantity, *, change: bool, total: bool
) -> Iterator[float]:
    """The difference, sum, share, rest, relative change or multiple of two alike numbers."""
    dimension = one.dimension
    if dimension != other.dimension:
        return
    scale = one.factor / figure.factor if figure.dimension == dimension else 1.0
    end = other.size * other.factor / one.factor
    small, large = sorted((one.size, end))
    is_part = _is_part(one, other)
    is_points = figure.dimension == "points" and dimension == "share"
    if is_points or figure.dimension in {dimension, ""}:
        is_rest = not figure.dimension and (is_part or _REST.search(figure.after) is not None)
        if change or is_rest:
            yield (large - small) * scale
        if total:
            yield (large + small) * scale
    if small and figure.unit == "%":
        part = _HUNDRED * small / large
        parts = (part, _HUNDRED - part) if _REST.search(figure.sentence) else (part,)
        is_kept = _KEPT.search(figure.sentence) is not None
        yield from parts if is_kept or (is_part and not dimension) else ()
        yield from (_HUNDRED * (large - small) / start for start in (small, large) if change)
    elif small and not figure.dimension and _TIMES.match(figure.after):
        yield large / small


def _repeated(figure: Quantity, one: Quantity, other: Quantity) -> Iterator[float]:
    """What a number comes to so many times, and what each of so many gets of it."""
    count, measured = sorted((one, other), key=attrgetter("dimension", "size"))
    if measured.dimension == "time" and not figure.dimension and count.per.dimension == "time":
        yield count.size * measured.size * measured.factor / count.per.factor
    if count.dimension or figure.dimension != measured.dimension or not count.size:
        return
    value = measured.size * measured.factor / figure.factor
    if _EACH.search(one.sentence):
        yield value * count.size
    if _EACH.search(figure.sentence):
        yield value / count.size


def _is_part(one: Quantity, other: Quantity) -> bool:
    """Whether one number is a part of the other: "18 of 150"."""
    is_part = one.size < other.size and _OF.match(one.sentence[one.stop : other.start])
    is_whole = one.size > other.size and _OF_ALL.search(one.before)
    return one.sentence == other.sentence and bool(is_part or is_whole)

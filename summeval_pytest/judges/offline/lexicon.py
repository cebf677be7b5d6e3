"""The words that the embedded judge knows by meaning: order, and those that say little.

All of it is general scientific English; nothing is keyed to a field.
"""

from __future__ import annotations

from functools import cache
from importlib import resources
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from summeval_pytest.text import stem

if TYPE_CHECKING:
    from collections.abc import Mapping


ORDER_WORDS: Final[Mapping[str, str]] = MappingProxyType(
    dict.fromkeys("before preceded preceding precedes prior".split(), "before")
    | dict.fromkeys("after followed following follows afterwards".split(), "after")
)
"""Words that say which of two came first, by what they mean."""

GENERIC: Final = frozenset(
    stem(word)
    for word in (
        "study studies paper article work research result results finding findings show shows"
        " showed shown found find"
        " use used using method methods approach analysis data show report reported reports"
        " author authors present"
        " presented investigate investigated examine examined evaluate evaluated assess"
        " assessed compare compared"
        " comparison group groups respectively significant significantly significance"
        " difference differences"
        " different effect effects increase increased decrease decreased higher lower level"
        " levels value values"
        " mean median total number measure measured measurement test tested sample samples"
        " case cases time period"
        " patient patients participant participants subject subjects model models system"
        " systems large small"
        " important role well based include included including associated association related"
        " relation suggest"
        " suggests conclude conclusion potential new high low first second one two three four"
        " however therefore"
        " many several various among change changes changed observed performed obtained known"
        " common provide"
        " provides remain remains need needed further future rate rates percent per increase"
        " reduce reduced"
    ).split()
)
"""Stems so common in abstracts that sharing them says little."""

LIGHT: Final = frozenset(
    stem(word)
    for word in (
        "say says said tell tells telling told claim claims claimed announce announced"
        " announces reveal revealed reveals add added adds admit admitted admits believe"
        " believed believes think thinks thought want wants wanted get gets got getting gotten"
        " make makes made making take takes took taken taking give gives gave given giving go"
        " goes went gone going come comes came coming put puts set sets use uses used using show"
        " shows showed shown know knows knew known call calls called see sees saw seen look"
        " looks looked find finds found keep keeps kept hold holds held become becomes became"
        " start starts started begin begins began begun need needs needed try tries tried happen"
        " happens happened occur occurs occurred involve involves involved receive receives"
        " received include includes included due part place face faces faced leave leaves left"
        " let lets move moves moved bring brings brought turn turns turned run runs ran appear"
        " appears appeared seem seems seemed done plan plans planned aim aims aimed agree agrees"
        " agreed ask asks asked decide decides decided return returns returned lead leads led"
        " end ends ended carry carries carried remain remains remained stay stays stayed conduct"
        " conducts conducted perform performs performed provide provides provided observe"
        " observes observed report reports reported"
    ).split()
)
"""Stems of verbs and nouns that stand for many others ("took part", "was found to be")."""


@cache
def opposites() -> Mapping[str, Mapping[int, bool]]:
    """By word: the lines of ``opposites.txt`` that have it, and whether it stands on their left."""
    text = resources.files("summeval_pytest.judges.offline").joinpath("opposites.txt")
    table: dict[str, dict[int, bool]] = {}
    for number, line in enumerate(text.read_text(encoding="utf-8").splitlines()):
        left, mark, right = line.partition(" > ")
        if mark and not line.startswith("#"):
            for side, words in ((True, left), (False, right)):
                for word in words.split():
                    table.setdefault(word, {})[number] = side
    return table

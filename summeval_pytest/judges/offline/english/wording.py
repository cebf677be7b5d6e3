"""The words that say little by themselves: what a writer changes first and a reader misses last.

All of it is general English; nothing is keyed to a field.
"""

from __future__ import annotations

from typing import Final

from summeval_pytest.text import stem

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

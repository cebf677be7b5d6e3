"""The past tense and the third person of English verbs, as reports of findings use them."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

_IRREGULAR: Final[Mapping[str, str]] = MappingProxyType(
    dict(
        pair.split(">")
        for pair in """
        be>was become>became begin>began bind>bound break>broke bring>brought build>built
        burst>burst buy>bought catch>caught choose>chose come>came cost>cost cut>cut deal>dealt
        do>did draw>drew drink>drank drive>drove eat>ate fall>fell feed>fed feel>felt fight>fought
        find>found fit>fit flow>flowed fly>flew forget>forgot freeze>froze get>got give>gave go>went
        grow>grew have>had hear>heard hide>hid hit>hit hold>held hurt>hurt keep>kept know>knew
        lay>laid lead>led leave>left let>let lie>lay lose>lost make>made mean>meant meet>met
        outgrow>outgrew overcome>overcame pay>paid put>put read>read ride>rode ring>rang rise>rose
        run>ran say>said see>saw seek>sought sell>sold send>sent set>set shake>shook show>showed
        shrink>shrank shut>shut sink>sank sit>sat sleep>slept speak>spoke spend>spent split>split
        spread>spread stand>stood stick>stuck strike>struck swim>swam take>took teach>taught
        tell>told think>thought throw>threw undergo>underwent understand>understood
        undertake>undertook wake>woke wear>wore win>won withdraw>withdrew withstand>withstood
        write>wrote
        """.split()
    )
)
_DOUBLED: Final = frozenset(
    """
    admit ban chat clot commit compel confer control defer drop equip excel expel fit flip
    grip incur infer knit map nod occur omit outfit patrol permit pin plan plot plug prefer prop
    quit rebut recur refer regret repel rid rip rob rub scan shed ship shop skip slip snap spin
    spot step stir stop strip submit swap tag tap tip top transfer transmit trap trim trip wrap
    """.split()
)
_VOWELS: Final = frozenset("aeiou")


def past(base: str) -> str:
    """The past tense of a verb.

    >>> past("reduce"), past("vary"), past("drop"), past("undergo")
    ('reduced', 'varied', 'dropped', 'underwent')
    """
    if base in _IRREGULAR:
        return _IRREGULAR[base]
    if base.endswith("e"):
        return f"{base}d"
    if base.endswith("y") and base[-2:-1] not in _VOWELS:
        return f"{base[:-1]}ied"
    return f"{base}{base[-1]}ed" if base in _DOUBLED else f"{base}ed"


def third_person(base: str) -> str:
    """The third person singular of a verb.

    >>> third_person("reduce"), third_person("vary"), third_person("reach"), third_person("have")
    ('reduces', 'varies', 'reaches', 'has')
    """
    if base in {"have", "be"}:
        return {"have": "has", "be": "is"}[base]
    if base.endswith("y") and base[-2:-1] not in _VOWELS:
        return f"{base[:-1]}ies"
    return f"{base}es" if base.endswith(("s", "x", "z", "ch", "sh", "o")) else f"{base}s"

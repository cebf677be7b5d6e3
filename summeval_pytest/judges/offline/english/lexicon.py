"""The words that the embedded judge knows by meaning: order, and what every abstract says.

All of it is general scientific English; nothing is keyed to a field.
"""

from __future__ import annotations

import re
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

THEN: Final = re.compile(
    r"\b(?:followed by|and (?:then|afterwards|subsequently|thereafter|finally)|prior to|before)\b",
    re.IGNORECASE,
)
"""What stands to the left of it came first."""

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

"""The words that the embedded judge knows by meaning: directions, order, negations, null findings.

All of it is general scientific English; nothing is keyed to a field.
"""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from summeval_pytest.text import stem

if TYPE_CHECKING:
    from collections.abc import Mapping


def any_of(alternatives: str) -> re.Pattern[str]:
    """A pattern for any of these phrases, separated by semicolons, at the start of a word."""
    return re.compile(rf"\b(?:{'|'.join(alternatives.split(';'))})", re.IGNORECASE)


_UP = (
    "increase increases increased increasing rise rises rose risen rising raise raised raises"
    " raising grow grew grown growth"
    " climb climbed gain gained higher highest greater more larger fastest longer faster"
    " stronger better improve improved improvement"
    " improves elevated enhance enhanced enhances accelerate accelerated accelerates"
    " accelerating upward upwards"
    " double doubled quicker above exceed exceeded exceeds outperform outperformed surpassed"
    " sooner earlier hasten hastened sped lengthened strengthen strengthens"
    " strengthened prolonged"
    " positive positively advance advanced expand expanded thicken thickened superior benefit"
    " benefits"
)
_DOWN = (
    "decrease decreases decreased decreasing reduce reduces reduced reducing reduction fall"
    " falls fell fallen falling drop"
    " drops dropped dropping decline declines declined declining lower lowered lowers"
    " lowering less fewer smaller shorter"
    " slower slowest lowest weaker worse save saved saves saving savings worsen worsened"
    " diminish diminished shrink shrank shrunk slow slowed slows slowing decelerate"
    " decelerated downward downwards halved below impaired attenuated loss lost"
    " later delay delayed delays delaying suppressed shortened weaken weakened weakens cut"
    " cuts negative negatively inferior"
    " thinned poorer harm harms"
)
DIRECTIONS: Final[Mapping[str, int]] = MappingProxyType(
    {stem(word): 1 for word in _UP.split()} | {stem(word): -1 for word in _DOWN.split()}
)
"""Stems that say which way a quantity goes: +1 up, -1 down."""

NULL_FINDING: Final = any_of(
    r"no (?:\w+ ){0,2}(?:difference|effect|change|association|correlation|improvement|benefit"
    r"|evidence|gain"
    r"|impact|relation|influence|more|less|better|worse|higher|lower|fewer|reliabl)\w*"
    r";(?:did|do|does|was|were|could) not\b;(?:didn|doesn|wasn|weren|isn|aren|couldn"
    r"|hadn)['\u2019]t"
    r";not (?:\w+ )?(?:significant|differ|different|affect|change|associated|correlate)\w*"
    r";non-?significant;unchanged\b"
    r";unaffected\b;unaltered\b;indifferent\b;similar (?:in|between|across|for|to)\b"
    r";comparable (?:in|between|across|for|to)\b"
    r";neither\b;nor\b;without (?:a |any )?(?:\w+ )?(?:change|effect|difference|loss)\w*"
    r";indistinguishable\b;flat\b"
    r";failed to\b;cannot be told apart;not be told apart;equal(?:ly)? (?:in|between|across"
    r"|for)\b;none of\b;unable to\b;lack of\b"
    r";same (?:in|for) both\b;insensitive\b"
)
"""Phrases by which a finding is denied."""

DENIED_DIFFERENCE: Final = any_of(
    r"no (?:\w+ ){0,2}(?:difference|effect|change|association|correlation|improvement|benefit"
    r"|gain|impact|influence)\w*"
    r";not (?:\w+ )?(?:significant|differ|different|affect|change|associated|correlate)\w*"
    r";non-?significant;unchanged\b"
    r";unaffected\b;unaltered\b;indifferent\b;altered neither\b;neither altered\b"
)
"""Phrases that deny a difference or an effect outright."""

ASSERTED_DIFFERENCE: Final = any_of(
    r"significant(?:ly)?\b;(?:clear|marked|strong|substantial|large|major|notable) (?:effect"
    r"|difference|improvement|change)"
    r";differed\b;affected\b;(?:had|has) an? (?:\w+ )?effect"
)
"""Phrases that state a difference or an effect outright."""

NOT_A_DIRECTION: Final = any_of(
    r"(?:little |no |not |nothing |slightly )?(?:more|less|fewer|higher|lower|greater|longer"
    r"|shorter|later|earlier) than"
    r" (?=\d|a\b|an\b|one\b|half\b|two\b|twice\b|three\b);more or less\b;falls? short\b;fell"
    r" short\b;once more\b;no longer\b"
    r";falls (?:were|are|ran|occur\w*|among|and|in)\b"
    r";positive(?:ly)? (?:test|sample|case|cell|patient)\w*;negative(?:ly)? (?:test|sample"
    r"|case|cell|patient|control)\w*"
)
"""Idioms in which a direction word compares nothing."""

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

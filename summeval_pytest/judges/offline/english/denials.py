"""Words by which English denies, finds nothing, states a difference, or asks."""

from __future__ import annotations

import re
from typing import Final

from summeval_pytest.text import stem

NEGATORS: Final = frozenset(
    """
    not no never neither nor cannot none unable hardly scarcely barely failed fails fail lacked
    lacks without nothing nowhere
    """.split()
)
"""Words that deny what follows them in the clause; words that end in "n't" deny, too."""
NOT_NEGATING_BEFORE: Final = frozenset(
    "only longer just least time matter doubt necessarily later earlier exceed 1".split()
)
"""After these a "not" or a "no" denies nothing that could be compared."""

NULL: Final = frozenset(
    """
    unchanged unaffected unaltered indistinguishable unrelated insensitive nonsignificant
    insignificant undetectable negligible uncorrelated unbiased indiscernible
    """.split()
)
"""Words that say that two things do not differ, or that one did not change."""

ALIKE: Final = frozenset(
    """
    indifferent similar similarly comparable flat alike constant steady level stable equal
    equally identical independent independently same
    """.split()
)
"""Words that say so unless they describe a thing ("a stable job")."""

IMPLIED: Final = frozenset(
    stem(word)
    for word in (
        """
        free prohibit prohibits prohibited prevent prevents prevented exclude excludes excluded
        excluding forbid forbids forbidden refuse refused deny denied lack lacking avoid avoided
        unable impossible unavailable unsuitable resist resisted ban banned ceased absent
        absence unlikely hardly
        """
    ).split()
)
"""Stems of words that deny by what they mean."""

DESCRIBING: Final = frozenset("a an at of with under in to for by per on".split())
"""Before a word that describes a thing."""

FINDING: Final = frozenset(
    stem(word)
    for word in (
        """
        differ differs differed difference differences different change changes changed changing
        effect effects affect affects affected alter alters altered influence influences
        influenced impact associate associated association correlate correlated correlates
        correlation relate related relation relationship depend depends depended dependence vary
        varied varies significant significantly significance detectable reliable reliably
        distinguish distinguished distinguishable discernible measurable profit profited benefit
        benefited improvement improve improved evidence sign trend shift shifted move moved
        response respond responded interaction link linked apart predict predicted matter
        mattered advantage gain bias biased explain explained modify modified bore bear hold
        held drop rise fall cut budge
        """
    ).split()
)
"""Stems of findings: to deny one is to find nothing."""

PARTICULAR: Final = frozenset(
    stem(word)
    for word in "bias biased predict predicted explain explained respond responded".split()
)
"""Stems of findings that are denied for themselves: who denies a bias denies no other effect."""

STATED: Final = frozenset(
    """
    differ differs differed affect affects affected alter alters altered influenced influences
    significant significantly correlated correlates associated depends depended linked changed
    biased matters mattered reliably clearly markedly substantially related distinguishable
    """.split()
)
"""Words that state a finding where they are not denied."""

AN_EFFECT: Final = frozenset("a an clear strong marked large major notable significant".split())
"""Before "effect", "influence" or "impact", these state one."""

ASKING: Final = frozenset(
    stem(word)
    for word in (
        """
        whether hypothesis hypothesized hypothesised hypothesize aim aimed ask asked asks
        may question expected expect expects if how some might hope hoped wondered unclear unknown
        """
    ).split()
)
"""Stems of clauses that claim nothing."""

WEAK_P_VALUE: Final = re.compile(
    r"\bp\s*(?:=|>|was|of)\s*(?:0?\.(?:0[6-9]|05[1-9]|[1-9])\d*)", re.IGNORECASE
)

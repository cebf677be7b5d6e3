"""Findings: what is wrong with a summary, piece by piece.

Findings know no threshold: the same ones serve every decision that is taken again later.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Literal

from summeval_pytest.metrics.number import SPARSE
from summeval_pytest.text.words import content_words, places_of

if TYPE_CHECKING:
    from collections.abc import Sequence


def closest_sentence(text: str, source: Sequence[str]) -> tuple[tuple[int, str], ...]:
    """The source sentence that shares most with a text, with its index; nothing if none does.

    A shared word counts 1 / the number of source sentences that have it; the earlier sentence wins
    a tie.
    """
    places = places_of(tuple(source))
    shares: dict[int, float] = defaultdict(float)
    for word in sorted(places.keys() & content_words(text)):
        for index in places[word]:
            shares[index] += 1.0 / len(places[word])
    if not shares:
        return ()
    closest = min(shares, key=lambda index: (-shares[index], index))
    return ((closest, source[closest]),)


FindingKind = Literal["facet", "fact", "sentence", "own", "unscored"]
_KINDS: Final[tuple[FindingKind, ...]] = ("unscored", "sentence", "facet", "fact", "own")
"""The worst first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One wrong facet, fact or sentence, a problem of a custom metric, or one without a score.

    Attributes:
        number: The number that it makes worse, by the name of its threshold.
        title: The piece, for a heading: "facet result", "sentence 3".
        verdict: The judge's verdict, in words.
        reference: The reference's words; None where they play no part, empty where it has none.
        summary: The summary's words; empty where it has none.
        evidence: Source sentences, each with its index, from 0; the closest first.
        severity: 0 to 1; 1 is the worst, and comes first among findings of its kind.
        conflict: Whether the summary seems to contradict its reference or its source.
    """

    kind: FindingKind
    number: str
    title: str
    verdict: str
    reason: str
    reference: str | None
    summary: str
    evidence: tuple[tuple[int, str], ...]
    severity: float
    conflict: bool = field(default=False, metadata=SPARSE)


def rank(finding: Finding) -> tuple[bool, int, float]:
    """Where a finding stands among others, the worst first; every report lists them so.

    Conflicts, then unsupported sentences, then facets, then facts; of each the severest first.
    """
    return not finding.conflict, _KINDS.index(finding.kind), -finding.severity

"""Whether sentences carry a claim: enough of its words, and no conflict with what they say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from summeval_pytest.judges.offline.conflicts import find_conflict, missing_number
from summeval_pytest.judges.offline.matching import Match, TermIndex, index_of
from summeval_pytest.judges.offline.reading import Reading, read

SENTENCE_COVERAGE: Final = 0.2
"""A sentence is supported if the source carries this share of its weight; paraphrase is allowed."""
FACT_COVERAGE: Final = 0.5
"""A fact, being short, has to be carried by half."""
_LOOK_AROUND: Final = 5
"""A number may stand in one of so many sentences that are closest to the claim."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Support:
    """What was found for one claim: ``strength`` 0 to 1, evidence with the best sentence first."""

    holds: bool
    strength: float
    evidence: tuple[int, ...]
    reason: str


def weigh(claim: str, premises: tuple[str, ...], *, least: float) -> Support:
    """Whether the premises carry the claim.

    Args:
        claim: A sentence or a fact.
        premises: The sentences that may carry it.
        least: The least share of the claim's weight that must be carried, 0 to 1.
    """
    index = index_of(premises)
    match = index.match(claim)
    reading = read(claim)
    near = _neighbourhood(reading, index, match)
    conflict = missing_number(reading, near, index.quantities) or find_conflict(reading, near)
    share = f"{match.coverage:.0%} of its words found"
    if conflict is not None:
        return Support(holds=False, strength=0.0, evidence=match.evidence, reason=str(conflict))
    if match.coverage < least:
        return Support(
            holds=False,
            strength=match.coverage,
            evidence=match.evidence,
            reason=f"{share}, {least:.0%} needed",
        )
    return Support(holds=True, strength=match.coverage, evidence=match.evidence, reason=share)


def _neighbourhood(claim: Reading, index: TermIndex, match: Match) -> list[Reading]:
    """The sentences that a claim is compared with: its evidence, and the next closest."""
    places = dict.fromkeys([*match.evidence, *index.ranked(claim.text, _LOOK_AROUND)])
    return [read(index.sentences[place]) for place in places]


"""Whether sentences carry a claim: enough of its words, and no conflict with what they say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from summeval_pytest.judges.offline.conflicts import find_conflict
from summeval_pytest.judges.offline.matching import Match, TermIndex, index_of
from summeval_pytest.judges.offline.number_conflicts import missing_number
from summeval_pytest.judges.offline.reading import Reading, read

if TYPE_CHECKING:
    from summeval_pytest.judges.offline.conflict import Conflict

SENTENCE_COVERAGE: Final = 0.2
"""A sentence is supported if the source carries this share of its weight; paraphrase is allowed."""
FACT_COVERAGE: Final = 0.35
"""A fact, being short, has to be carried by a good third."""
_LOOK_AROUND: Final = 5
"""A number may stand in one of so many sentences that are closest to the claim."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Support:
    """What was found for one claim: ``strength`` 0 to 1, evidence with the best sentence first."""

    holds: bool
    strength: float
    evidence: tuple[int, ...]
    reason: str


def support_sentence(sentence: str, source: tuple[str, ...]) -> Support:
    """Whether the sentences of a source carry a sentence."""
    return _support(sentence, sentence, source, by_rarity=True, least=SENTENCE_COVERAGE)


def support_fact(fact: str, added: str, premises: tuple[str, ...]) -> Support:
    """Whether the premises carry what a fact adds to the fact it refines.

    Args:
        fact: The whole fact.
        added: What it says that the fact it refines does not; the same for a root.
        premises: Facts or sentences.
    """
    return _support(fact, added, premises, by_rarity=False, least=FACT_COVERAGE)


def _support(
    claim: str, added: str, premises: tuple[str, ...], *, by_rarity: bool, least: float
) -> Support:
    """Whether premises carry what a claim adds; one that stands among them is carried."""
    if claim in premises:
        place = premises.index(claim)
        return Support(holds=True, strength=1.0, evidence=(place,), reason="stated word for word")
    index = index_of(premises)
    match = index.match(added, by_rarity=by_rarity)
    whole = read(claim)
    near = _neighbourhood(whole, index, match)
    conflict = missing_number(read(added), near, index.quantities) or find_conflict(whole, near)
    return _weigh(index, match, conflict, least)


def _weigh(index: TermIndex, match: Match, conflict: Conflict | None, least: float) -> Support:
    share = f"{match.coverage:.0%} of its words found"
    if conflict is not None:
        first = () if conflict.sentence is None else (index.sentences.index(conflict.sentence),)
        evidence = tuple(dict.fromkeys((*first, *match.evidence)))
        return Support(holds=False, strength=0.0, evidence=evidence, reason=str(conflict))
    holds = match.coverage >= least
    reason = share if holds else f"{share}, {least:.0%} needed"
    return Support(holds=holds, strength=match.coverage, evidence=match.evidence, reason=reason)


def _neighbourhood(claim: Reading, index: TermIndex, match: Match) -> list[Reading]:
    """The sentences that a claim is compared with: its evidence, and the next closest."""
    places = dict.fromkeys([*match.evidence, *index.ranked(claim.text, _LOOK_AROUND)])
    return [read(index.sentences[place]) for place in places]

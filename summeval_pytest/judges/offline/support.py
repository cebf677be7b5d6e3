"""Whether sentences carry a claim: enough of its words, together, and no conflict with them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from summeval_pytest.judges.offline.conflicts import find_conflict
from summeval_pytest.judges.offline.evidence import evidence_of
from summeval_pytest.judges.offline.logistic import chance, logit
from summeval_pytest.judges.offline.matching import Match, TermIndex, index_of
from summeval_pytest.judges.offline.number_conflicts import missing_number
from summeval_pytest.judges.offline.reading import Reading, read
from summeval_pytest.judges.offline.source_index import NEAR, source_index

if TYPE_CHECKING:
    from summeval_pytest.judges.offline.conflict import Conflict
    from summeval_pytest.judges.offline.source_index import Overlap, SourceIndex

TOGETHER: Final = 0.65
"""Of what the whole source carries of a sentence, three sentences have to carry this share."""
OWN_WORDS: Final = 0.3
"""A sentence of which the source carries less is told in other words, of which nobody can say
that they stand apart."""
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
    """Whether the sentences of a source carry a sentence.

    ``strength`` is the chance that readers call it supported, as learned from labelled sentences;
    0 where a conflict is seen, 1 for a sentence of the source. Overlap that is low proves nothing,
    as a faithful sentence may use other words, so ``holds`` is false only if a conflict is seen,
    if the source has none of the words, or if it has them far apart: ``TOGETHER``.
    """
    if sentence in source:
        return _copied(source.index(sentence))
    index = source_index(source)
    overlap = index.overlap(sentence)
    evidence = evidence_of(overlap)
    conflict = _conflict(read(sentence), index, overlap)
    if conflict is not None:
        first = () if conflict.sentence is None else (source.index(conflict.sentence),)
        evidence = tuple(dict.fromkeys((*first, *evidence)))
        return Support(holds=False, strength=0.0, evidence=evidence, reason=str(conflict))
    strength = chance(logit("support", "strength", strength_features(overlap)))
    holds, reason = _told(overlap)
    return Support(holds=holds, strength=strength, evidence=evidence, reason=reason)


def strength_features(overlap: Overlap) -> tuple[float, ...]:
    """What the chance that a sentence is supported depends on; none of it counts against it."""
    return (
        overlap.best,
        overlap.best_three,
        overlap.phrases,
        overlap.likeness,
        overlap.numbers,
    )


def _told(overlap: Overlap) -> tuple[bool, str]:
    """Whether low overlap alone speaks against a sentence, and why."""
    together, anywhere = overlap.best_three, overlap.anywhere
    if not overlap.places:
        return False, "none of its words found"
    if anywhere >= OWN_WORDS and together < TOGETHER * anywhere:
        return False, (
            f"its words stand apart: {anywhere:.0%} of their weight in the source,"
            f" {together:.0%} in the three closest sentences"
        )
    found = f"{together:.0%} of the weight of its words in the closest sentences"
    return True, found if anywhere >= OWN_WORDS else f"{found}: other words, or unsupported"


def _conflict(claim: Reading, index: SourceIndex, overlap: Overlap) -> Conflict | None:
    near = [read(index.sentences[place]) for place in overlap.places[:NEAR]]
    stated = [placed for reading in near for placed in reading.quantities]
    is_stated = all(
        any(placed.quantity.agrees_with(other.quantity) for other in stated)
        for placed in claim.quantities
    )
    everywhere = stated if is_stated else index.quantities
    return missing_number(claim, near, everywhere) or find_conflict(claim, near)


def _copied(place: int) -> Support:
    return Support(holds=True, strength=1.0, evidence=(place,), reason="stated word for word")


def support_fact(fact: str, added: str, premises: tuple[str, ...]) -> Support:
    """Whether the premises carry what a fact adds to the fact it refines.

    Args:
        fact: The whole fact.
        added: What it says that the fact it refines does not; the same for a root.
        premises: Facts or sentences.
    """
    if fact in premises:
        return _copied(premises.index(fact))
    index = index_of(premises)
    match = index.match(added, by_rarity=False)
    whole = read(fact)
    near = _neighbourhood(whole, index, match)
    conflict = missing_number(read(added), near, index.quantities) or find_conflict(whole, near)
    return _weigh(index, match, conflict, FACT_COVERAGE)


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

"""How many pieces EVA-Score makes of summaries, stage by stage (EVA-Score, table 4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from summeval_pytest.verdict.study.estimates import Mean, rate_of
from summeval_pytest.verdict.study.standing import over

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from summeval_pytest.verdict.study.pairs import FactStages, StudiedPair


@dataclass(frozen=True, slots=True, kw_only=True)
class FactCounts:
    """Mean counts of one system's summaries.

    Attributes:
        judge: Who listed the facts.
        system: The system.
        sentences: Sentences a summary.
        facts: Atomic facts a summary.
        chains: Chains a summary: facts that refine no other, each with all that refine it.
        facts_per_sentence: Facts / sentences, over all papers.
    """

    judge: str
    system: str
    sentences: Mean
    facts: Mean
    chains: Mean
    facts_per_sentence: Mean


def fact_counts(
    by_system: Mapping[str, Sequence[StudiedPair]], judges: Sequence[str], n_papers: int
) -> tuple[FactCounts, ...]:
    """The counts of every system by each judge."""
    return tuple(
        _counts(judge, system, [(pair.group, _stages(pair, judge)) for pair in pairs], n_papers)
        for judge in judges
        for system, pairs in by_system.items()
    )


def _stages(pair: StudiedPair, judge: str) -> FactStages | None:
    judged = pair.judged.get(judge)
    return None if judged is None else judged.stages


def _counts(
    judge: str, system: str, found: Sequence[tuple[str, FactStages | None]], n_papers: int
) -> FactCounts:
    def mean(name: str) -> Mean:
        return over(
            n_papers,
            [(group, float(getattr(of, name)) if of else None) for group, of in found],
        )

    known = [(group, of.n_facts, of.n_sentences) for group, of in found if of]
    return FactCounts(
        judge=judge,
        system=system,
        sentences=mean("n_sentences"),
        facts=mean("n_facts"),
        chains=mean("n_chains"),
        facts_per_sentence=rate_of(known, n_of=n_papers),
    )

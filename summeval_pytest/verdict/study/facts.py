"""How many pieces EVA-Score makes of texts, stage by stage (EVA-Score, table 4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from summeval_pytest.verdict.study.estimates import Mean, rate_of
from summeval_pytest.verdict.study.standing import over

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from summeval_pytest.metrics import StageCounts
    from summeval_pytest.verdict.study.pairs import StudiedPair

    Counted = Sequence[tuple[str, StageCounts | None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class FactCounts:
    """Mean counts of one writer's texts.

    Attributes:
        judge: Who listed the facts.
        system: Who wrote the texts; None for the references.
        sentences: Sentences a text.
        listed: Facts that were listed.
        facts: Those of them that differ.
        chains: Chains that these make; a fact that no other refines is one of its own.
        relations: Relations across sentences that were found; 0 where nobody was asked.
        kept_relations: Those of them that no fact comes near to.
        facts_per_sentence: Facts / sentences, over all papers.
    """

    judge: str
    system: str | None
    sentences: Mean
    listed: Mean
    facts: Mean
    chains: Mean
    relations: Mean
    kept_relations: Mean
    facts_per_sentence: Mean


def fact_counts(
    by_system: Mapping[str, Sequence[StudiedPair]], judges: Sequence[str], n_papers: int
) -> tuple[FactCounts, ...]:
    """The counts of the references and of every system by each judge."""
    every = [pair for pairs in by_system.values() for pair in pairs]
    return tuple(
        counts
        for judge in judges
        for counts in (
            _counts(judge, None, _of_references(every, judge), n_papers),
            *(
                _counts(judge, system, _of_summaries(pairs, judge), n_papers)
                for system, pairs in by_system.items()
            ),
        )
    )


def _of_summaries(pairs: Sequence[StudiedPair], judge: str) -> Counted:
    found = ((pair.group, pair.judged.get(judge)) for pair in pairs)
    return [
        (group, None if judged is None or judged.facts is None else judged.facts.candidate)
        for group, judged in found
    ]


def _of_references(pairs: Sequence[StudiedPair], judge: str) -> Counted:
    """The counts of each paper's reference, which are the same for every system."""
    found: dict[str, tuple[str, StageCounts]] = {}
    for pair in pairs:
        judged = pair.judged.get(judge)
        if judged is not None and judged.facts is not None:
            found.setdefault(pair.paper, (pair.group, judged.facts.reference))
    return list(found.values())


def _counts(judge: str, system: str | None, found: Counted, n_papers: int) -> FactCounts:
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
        listed=mean("n_listed"),
        facts=mean("n_facts"),
        chains=mean("n_chains"),
        relations=mean("n_relations"),
        kept_relations=mean("n_kept_relations"),
        facts_per_sentence=rate_of(known, n_of=n_papers),
    )

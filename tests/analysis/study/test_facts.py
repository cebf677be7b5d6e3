from __future__ import annotations

from summeval_pytest.analysis.columns import Judged, StudiedPair
from summeval_pytest.analysis.proportions import fact_counts
from summeval_pytest.metrics.score import EvaCounts, StageCounts
from tests.analysis.study.studied import JUDGE, pair

REFERENCE = StageCounts(n_sentences=4, n_listed=9, n_facts=8, n_chains=5)


def counted(paper: str, system: str, sentences: int, facts: int, kept: int = 0) -> StudiedPair:
    """A pair whose summary has so many sentences, facts and relations."""
    stages = StageCounts(
        n_sentences=sentences,
        n_listed=facts + 1,
        n_facts=facts,
        n_chains=facts // 2,
        n_relations=2 * kept,
        n_kept_relations=kept,
    )
    facts_of = EvaCounts(reference=REFERENCE, candidate=stages)
    return pair(paper, system, judged=Judged(values={}, facts=facts_of))


def test_facts_a_sentence_are_those_of_all_papers_together() -> None:
    """Worked example: 2 sentences with 8 facts and 1 with 1 have 3 a sentence, and not 2.5."""
    pairs = [counted("a", "good", 2, 8, kept=1), counted("b", "good", 1, 1)]
    _, found = fact_counts({"good": [*pairs, pair("c", "good")]}, [JUDGE], 3)
    assert (found.sentences.value, found.facts.value, found.chains.value) == (1.5, 4.5, 2.0)
    assert (found.listed.value, found.relations.value, found.kept_relations.value) == (5.5, 1, 0.5)
    assert found.facts_per_sentence.value == 3.0
    assert (found.facts.n, found.facts.n_of) == (2, 3)


def test_a_reference_counts_once_however_many_systems_there_are() -> None:
    """Worked example: two systems on one paper of two have one reference between them."""
    by_system = {name: [counted("a", name, 2, 8)] for name in ("good", "bad")}
    references, *_ = fact_counts(by_system, [JUDGE], 2)
    assert references.system is None
    assert (references.facts.value, references.facts.n, references.facts.n_of) == (8.0, 1, 2)
    assert references.facts_per_sentence.value == 2.0


def test_a_system_without_facts_is_said_to_have_none() -> None:
    """Its summaries may all have been refused."""
    _, found = fact_counts({"bad": [pair("a", "bad")]}, [JUDGE], 1)
    assert (found.facts.value, found.facts.n, found.facts.n_of) == (None, 0, 1)

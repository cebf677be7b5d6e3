from __future__ import annotations

from summeval_pytest.verdict.study import FactStages, Judged
from summeval_pytest.verdict.study.facts import fact_counts
from tests.verdict.study.studied import JUDGE, pair


def test_facts_a_sentence_are_those_of_all_papers_together() -> None:
    """Worked example: 2 sentences with 8 facts and 1 with 1 have 3 a sentence, and not 2.5."""
    pairs = [
        pair(
            "a",
            "good",
            judged=Judged(values={}, stages=FactStages(n_sentences=2, n_facts=8, n_chains=4)),
        ),
        pair(
            "b",
            "good",
            judged=Judged(values={}, stages=FactStages(n_sentences=1, n_facts=1, n_chains=1)),
        ),
        pair("c", "good", judged=Judged(values={})),
    ]
    (found,) = fact_counts({"good": pairs}, [JUDGE], 3)
    assert (found.sentences.value, found.facts.value, found.chains.value) == (1.5, 4.5, 2.5)
    assert found.facts_per_sentence.value == 3.0
    assert (found.facts.n, found.facts.n_of) == (2, 3)


def test_a_system_without_facts_is_said_to_have_none() -> None:
    """Its summaries may all have been refused."""
    (found,) = fact_counts({"bad": [pair("a", "bad")]}, [JUDGE], 1)
    assert (found.facts.value, found.facts.n, found.facts.n_of) == (None, 0, 1)

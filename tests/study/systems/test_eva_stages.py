from __future__ import annotations

from typing import TYPE_CHECKING

from summeval_pytest.metrics.facts import EvaCounts, StageCounts
from summeval_pytest.study.systems.eva_stages import Seconds, efforts, fact_stages
from summeval_pytest.study.systems.studied import Effort, Given
from tests.study.systems.study_pairs import pair, studied

if TYPE_CHECKING:
    from summeval_pytest.study.systems.studied import StudiedText

REFERENCE = StageCounts(n_sentences=4, n_listed=9, n_facts=8, n_chains=5)


def counted(paper: str, system: str, sentences: int, facts: int, kept: int = 0) -> StudiedText:
    """A pair whose summary has so many sentences, facts and relations."""
    stages = StageCounts(
        n_sentences=sentences,
        n_listed=facts + 1,
        n_facts=facts,
        n_chains=facts // 2,
        n_relations=2 * kept,
        n_kept_relations=kept,
    )
    judged = Given(facts=EvaCounts(reference=REFERENCE, candidate=stages))
    return pair(paper, system, judged=judged)


def test_facts_a_sentence_are_those_of_all_papers_together() -> None:
    """Worked example: 2 sentences with 8 facts and 1 with 1 have 3 a sentence, and not 2.5.

    A system whose summaries were all refused is said to have none.
    """
    pairs = [counted("a", "good", 2, 8, kept=1), counted("b", "good", 1, 1), pair("c")]
    _, found, bad = fact_stages(studied(*pairs, pair("a", "bad"), n_papers=3))
    assert (found.sentences.value, found.facts.value, found.chains.value) == (1.5, 4.5, 2.0)
    assert (found.listed.value, found.relations.value, found.kept_relations.value) == (5.5, 1, 0.5)
    assert found.facts_per_sentence.value == 3.0
    assert (found.facts.n, found.facts.n_of) == (2, 3)
    assert (bad.facts.value, bad.facts.n, bad.facts.n_of) == (None, 0, 3)


def test_a_reference_counts_once_however_many_systems_there_are() -> None:
    """Worked example: two systems on one paper of two have one reference between them."""
    both = [counted("a", name, 2, 8) for name in ("good", "bad")]
    references, *_ = fact_stages(studied(*both, n_papers=2))
    assert references.system is None
    assert (references.facts.value, references.facts.n, references.facts.n_of) == (8.0, 1, 2)
    assert references.facts_per_sentence.value == 2.0


def test_effort_is_summed_by_quarters_of_the_lengths() -> None:
    """Worked example: eight summaries of 10 to 80 words, two a quarter."""
    pairs = [
        pair(
            str(n),
            numbers={"words": 10.0 * n},
            judged=Given(effort=Effort(n_questions=n, n_calls=1, n_tokens=100 + n, seconds=n / 2)),
        )
        for n in range(1, 9)
    ]
    told = efforts(studied(*pairs))
    assert [(each.fewest_words, each.most_words, each.n_pairs) for each in told] == [
        (10, 20, 2), (30, 40, 2), (50, 60, 2), (70, 80, 2),
    ]  # fmt: skip
    assert [each.n_questions for each in told] == [3, 7, 11, 15]
    assert [each.n_calls for each in told] == [2, 2, 2, 2]
    assert [each.n_tokens for each in told] == [203, 207, 211, 215]
    assert told[0].seconds == Seconds(0.75, 1.0)


def test_summaries_of_one_length_are_one_bin() -> None:
    """There is no quarter to cut; no seconds where several were open at once; no words are 0."""
    pairs = [pair(str(n), numbers={"words": 9.0}, judged=Given()) for n in range(5)]
    (told,) = efforts(studied(*pairs))
    assert (told.fewest_words, told.most_words, told.n_pairs) == (9, 9, 5)
    assert told.seconds == Seconds(None, None)
    (mute,) = efforts(studied(pair("a", judged=Given())))
    assert (mute.fewest_words, mute.n_pairs) == (0, 1)
    assert efforts(studied()) == ()

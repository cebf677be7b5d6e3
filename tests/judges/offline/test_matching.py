from __future__ import annotations

from math import log

import pytest

from summeval_pytest.judges.offline.matching import Match, TermIndex, index_of

PIPES = TermIndex(("copper pipes corrode", "iron pipes rust quickly", "wood rots"))
RARE = log(1 + 2.5 / 1.5)  # in one of three sentences
SHARED = log(1 + 1.5 / 2.5)  # "pipes" is in two
UNSEEN = log(1 + 3.5 / 0.5)  # in none


def test_coverage_is_the_carried_share_of_idf() -> None:
    """Rare words weigh more, and a word that the text lacks weighs most."""
    match = PIPES.match("copper pipes burst")

    assert match.evidence == (0,)
    assert match.coverage == pytest.approx((RARE + SHARED) / (RARE + SHARED + UNSEEN), rel=1e-15)


def test_coverage_without_rarity_is_a_share_of_words() -> None:
    """Among a few short premises rarity says nothing."""
    assert PIPES.match("copper pipes burst", by_rarity=False) == Match(
        coverage=2 / 3, evidence=(0,)
    )


def test_generic_word_weighs_three_tenths() -> None:
    """Sharing "results" says little: 1 / (1 + 0.3)."""
    match = PIPES.match("copper results", by_rarity=False)

    assert match.coverage == pytest.approx(1 / 1.3, rel=1e-15)


def test_sentences_are_ranked_by_bm25() -> None:
    """Iron and pipes carry the second sentence, pipes alone the first; wood shares nothing.

    Mean length 3, so sentence 1 has norm 1.2 (1 - .75 + .75 * 4 / 3) = 1.5 and a word in it
    scores idf * 2.2 / 2.5; sentence 0 has norm 1.2 and scores idf * 2.2 / 2.2.
    """
    assert PIPES.ranked("iron pipes", 5) == (1, 0)
    assert PIPES.ranked("iron pipes", 1) == (1,)
    scores = PIPES._bm25.sum(axis=1)
    assert scores[0] == pytest.approx(2 * RARE + SHARED)
    assert scores[1] == pytest.approx((3 * RARE + SHARED) * 2.2 / 2.5)


def test_word_of_every_sentence_still_counts() -> None:
    """A text of two sentences is tiny: the usual idf would be 0 or negative there."""
    assert TermIndex(("zebras graze", "zebras drink")).ranked("zebras", 5) == (0, 1)


def test_further_sentence_is_evidence_only_for_what_it_adds() -> None:
    """The third repeats the first; wood and rots, rarer than what stands twice, come first."""
    index = TermIndex(("copper pipes corrode", "wood rots", "copper pipes corrode"))

    assert index.match("copper pipes corrode and wood rots").evidence == (1, 0)


def test_evidence_is_at_most_three_sentences() -> None:
    """A claim that takes more sentences than that is put together, not found."""
    index = TermIndex(("copper", "iron", "wood", "glass", "straw"))

    assert len(index.match("copper iron wood glass straw").evidence) == 3


@pytest.mark.parametrize("claim", ["", "of the", "zinc"])
def test_claim_without_a_shared_word_has_no_evidence(claim: str) -> None:
    """Nothing found is coverage 0, not an error."""
    assert PIPES.match(claim) == Match(coverage=0.0, evidence=())


def test_text_without_sentences_carries_nothing() -> None:
    """An empty source answers like any other."""
    assert TermIndex(()).match("copper pipes") == Match(coverage=0.0, evidence=())
    assert TermIndex(()).ranked("copper pipes", 3) == ()


def test_index_of_a_text_is_made_once() -> None:
    """All sentences of a summary ask about the same source."""
    sentences = ("copper pipes corrode",)

    assert index_of(sentences) is index_of(sentences)

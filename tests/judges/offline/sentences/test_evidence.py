from __future__ import annotations

import pytest

from summeval_pytest.judges.offline.sentences import (
    Overlap,
    SourceIndex,
    evidence_features,
    evidence_of,
)

SOURCE = (
    "The mill ground 40 sacks of rye a day.",
    "Wind speed fell in August.",
    "The miller kept bees in nine hives.",
    "A flood took the bridge.",
    "Bees swarm in warm weather.",
)


def evidence(claim: str) -> tuple[int, ...]:
    """The evidence of a claim in the source above."""
    return evidence_of(SourceIndex(SOURCE).overlap(claim))


def test_a_claim_of_one_sentence_has_one() -> None:
    """The bees of the fifth sentence add nothing to the third."""
    assert evidence("The miller kept nine hives of bees.") == (2,)


def test_a_claim_put_together_has_what_it_is_put_together_from() -> None:
    """Neither sentence says it alone; the nearest comes first."""
    assert set(evidence("Wind speed fell, and a flood took the bridge.")) == {1, 3}


def test_the_nearest_sentence_is_evidence_however_little_it_shares() -> None:
    """Somebody who checks the claim has to look somewhere."""
    assert evidence("Rye was unknown to ancient Egyptian sculptors and astronomers.") == (0,)


def test_a_claim_without_a_shared_word_has_none() -> None:
    """No sentence is nearer than another."""
    assert evidence("Penguins swim far.") == ()


def test_features_compare_each_sentence_with_the_best() -> None:
    """The last of the four is the share over the largest share: .2 / .4."""
    overlap = Overlap(
        places=(3, 1),
        shares=(0.4, 0.2),
        gains=(0.4, 0.1),
        nearness=(1.0, 0.5),
        anywhere=0.5,
        phrases=0.0,
        likeness=0.0,
        numbers=1.0,
        n_words=4,
        n_rare=0,
    )

    assert [*evidence_features(overlap)] == [
        pytest.approx((0.4, 0.4, 1.0, 1.0)),
        pytest.approx((0.2, 0.1, 0.5, 0.5)),
    ]

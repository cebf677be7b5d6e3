"""Which of the sentences nearest to a claim are its evidence: as many as it needs.

A sentence is evidence by what it carries of the claim, what of that the nearer ones do not carry,
how near it is, and how it compares with the sentence that carries most. How much each of these
counts, and where to stop, was learned from the sentences that readers named for claims
(``tests/fitting/evidence.py``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from summeval_pytest.judges.offline.logistic import logit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from summeval_pytest.judges.offline.sentences.source_index import Overlap


def evidence_features(overlap: Overlap) -> Iterator[tuple[float, ...]]:
    """What is known of each of the nearest sentences, the nearest first; all 0 to 1."""
    best = overlap.best
    for share, gain, nearness in zip(overlap.shares, overlap.gains, overlap.nearness, strict=True):
        yield share, gain, nearness, share / best if best else 0.0


def evidence_of(overlap: Overlap) -> tuple[int, ...]:
    """The sentences that carry a claim, the nearest first.

    The nearest is among them if it shares a word at all, another if it is likely enough that a
    reader would name it (the learned start has that likelihood in it).
    """
    ranked = zip(overlap.places, evidence_features(overlap), strict=True)
    return tuple(
        place
        for number, (place, features) in enumerate(ranked)
        if not number or logit("evidence", features) >= 0.0
    )

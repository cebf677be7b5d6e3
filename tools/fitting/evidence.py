"""Learns which of the sentences nearest to a claim a reader would name as evidence.

    python -m tools.fitting.evidence --data ../shared/data

The share of readers that named a sentence is fitted by a logistic function of what is known of it.
What ships is shifted, so that it is above 0 where one reader in four would name the sentence.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from summeval_pytest.judges.offline.learned import STEPS
from summeval_pytest.judges.offline.support import evidence_features
from summeval_pytest.text.reading import normalise
from tools.fitting.data import (
    N_FOLDS,
    Floats,
    chance,
    data_folder,
    fit_logistic,
    folds,
    records,
    save,
    source_index,
)

CLAIMS: Final = "wice/dev.jsonl"
LEAST_CHANCE: Final = 0.25
"""A sentence that a reader in four would name is evidence."""
RIDGE: Final = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A claim with its nearest sentences and what readers named; sets of them, one a reader."""

    paper: str
    places: tuple[int, ...]
    features: Floats
    sets: tuple[frozenset[int], ...]

    @property
    def shares(self) -> Floats:
        """The share of readers that named each of the nearest sentences."""
        return np.array([np.mean([place in one for one in self.sets]) for place in self.places])


def claims(folder: Path) -> list[Claim]:
    """The claims for which a reader named a sentence."""
    found = []
    for row in records(folder, CLAIMS):
        sets = tuple(frozenset(one) for one in row["evidence_sets"] if one)
        overlap = source_index(row["source"], by_line=True).overlap(normalise(row["sentence"]))
        if sets:
            features = np.array([*evidence_features(overlap)]).reshape(len(overlap.places), -1)
            found.append(
                Claim(paper=row["paper_id"], places=overlap.places, features=features, sets=sets)
            )
    return found


def f1(chosen: Iterable[set[int]], among: Sequence[Claim], kind: str) -> float:
    """Micro F1 over sentences against the ``first`` reader's set, or ``any`` reader's sentences."""
    named = labelled = both = 0
    for places, claim in zip(chosen, among, strict=True):
        truth = claim.sets[0] if kind == "first" else frozenset[int]().union(*claim.sets)
        named, labelled = named + len(places), labelled + len(truth)
        both += len(places & truth)
    return 2 * both / (named + labelled)


def chosen(weights: Floats, claim: Claim) -> set[int]:
    """The nearest sentence, and every other that is likely enough."""
    logit = claim.features @ weights[:-1] + weights[-1]
    return {
        place
        for number, place in enumerate(claim.places)
        if not number or chance(logit[number : number + 1])[0] >= LEAST_CHANCE
    }


def _weights(among: Sequence[Claim]) -> Floats:
    """A weight for each feature, and last the intercept."""
    shares = np.concatenate([claim.shares for claim in among])
    features = np.concatenate([claim.features for claim in among])
    return np.concatenate(fit_logistic(features, shares, weights=np.ones(len(shares)), ridge=RIDGE))


def shipped(among: Sequence[Claim]) -> Floats:
    """The weights of all claims, above 0 where `LEAST_CHANCE` of the readers name a sentence."""
    weights = _weights(among)
    weights[-1] -= np.log(LEAST_CHANCE / (1 - LEAST_CHANCE))
    return weights


def scores_on_unseen_papers(among: Sequence[Claim]) -> dict[str, float]:
    """Micro F1, each claim chosen for by weights that have not seen its paper."""
    fold = folds([claim.paper for claim in among])
    picked: dict[int, set[int]] = {}
    for number in range(N_FOLDS):
        weights = _weights([c for c, f in zip(among, fold, strict=True) if f != number])
        picked |= {k: chosen(weights, c) for k, c in enumerate(among) if fold[k] == number}
    order = [picked[k] for k in range(len(among))]
    return {f"F1, {kind} reader": f1(order, among, kind) for kind in ("any", "first")}


def main() -> None:
    """Fits, measures on unseen papers, and writes ``weights/evidence``."""
    among = claims(data_folder(__doc__))
    save(
        "evidence",
        {"weights": np.round(shipped(among) * STEPS).astype(np.int32)},
        recipe={
            "data": [CLAIMS],
            "method": "a logistic function of four shares, in thousandths; the start last",
            "scores": {k: round(v, 3) for k, v in scores_on_unseen_papers(among).items()},
        },
    )


if __name__ == "__main__":
    main()

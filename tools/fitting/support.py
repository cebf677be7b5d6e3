"""Learns how sure overlap makes that a sentence is supported.

    python -m tools.fitting.support --data ../shared/data

Support is a logistic function of five shares, none of which may count against a sentence; every set
has its own intercept, as sets differ in how many sentences are faithful at all, and what ships is
their mean. Nothing is fitted to LongSciVerify and LongEval: they are measured, not learned from.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from summeval_pytest.judges.offline.learned import STEPS
from summeval_pytest.judges.offline.support import strength_features
from summeval_pytest.stats.agreement import spearman
from summeval_pytest.text.reading import normalise
from summeval_pytest.text.sentences import sentence_texts
from summeval_pytest.text.words import tokens
from tools.fitting.data import (
    N_FOLDS,
    Floats,
    auc,
    chance,
    data_folder,
    fit_logistic,
    folds,
    records,
    save,
    source_index,
)

LABELLED: Final = (
    "healthver/dev.jsonl",
    "qags/dev.jsonl",
    "wice/dev.jsonl",
    "zeroshot_faceval/billsum_dev.jsonl",
    "zeroshot_faceval/dev.jsonl",
)
BY_LINE: Final = frozenset({"wice/dev.jsonl"})
SCORED: Final = ("longsciverify/dev.jsonl", "longeval_pubmed/dev.jsonl")
RIDGE: Final = 0.02


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentences:
    """Sentences of one set: a row of features each.

    ``labels`` are 1 for supported; ``papers`` say which rows must stay together.
    """

    features: Floats
    labels: Floats
    papers: tuple[str, ...]


def fit_strength(sets: Mapping[str, Sentences]) -> tuple[Floats, Floats]:
    """A weight of at least 0 for each feature, and the intercept of each set.

    Minimises the mean log loss of each set, summed, plus ``RIDGE`` times the squared weights.
    """
    sizes = [len(one.labels) for one in sets.values()]
    return fit_logistic(
        np.concatenate([one.features for one in sets.values()]),
        np.concatenate([one.labels for one in sets.values()]),
        weights=np.repeat([1 / size for size in sizes], sizes),
        ridge=RIDGE,
        starts=np.repeat(np.eye(len(sizes)), sizes, axis=0),
    )


def labelled_sentences(folder: Path, name: str) -> Sentences:
    """The sentences of a set that labels them one by one."""
    rows, by_line = list(records(folder, name)), name in BY_LINE
    overlaps = [
        source_index(row["source"], by_line=by_line).overlap(normalise(row["sentence"]))
        for row in rows
    ]
    return Sentences(
        features=np.array([strength_features(overlap) for overlap in overlaps]),
        labels=np.array([float(row["label"]) for row in rows]),
        papers=tuple(row["paper_id"] for row in rows),
    )


def _mean_support(
    folder: Path, name: str, weights: Floats, start: float
) -> tuple[list[float], list[float]]:
    """For each summary the mean support of its sentences, and what the experts found."""
    means, humans = [], []
    for row in records(folder, name):
        index = source_index(row["source"])
        copied = {tuple(sentence.lower().split()) for sentence in index.sentences}
        found = [
            1.0
            if tuple(text.lower().split()) in copied
            else float(chance(np.array(strength_features(index.overlap(text))) @ weights + start))
            for text in sentence_texts(normalise(row["summary"]))
            if tokens(text)
        ]
        means.append(float(np.mean(found)))
        humans.append(float(row["human_faithfulness"]))
    return means, humans


def _strength_scores(sets: Mapping[str, Sentences]) -> dict[str, float]:
    """AUC by set: of papers not seen, and with the whole set not seen."""
    fold = {name: folds(one.papers) for name, one in sets.items()}
    seen = {name: np.zeros(len(one.labels)) for name, one in sets.items()}
    for number in range(N_FOLDS):
        parts = {name: _rows(one, fold[name] != number) for name, one in sets.items()}
        weights, _ = fit_strength(parts)
        for name, one in sets.items():
            out = fold[name] == number
            seen[name][out] = one.features[out] @ weights
    scores: dict[str, float] = {}
    for name, one in sets.items():
        scores[f"AUC {name}, unseen papers"] = auc(one.labels, seen[name])
        weights, _ = fit_strength({other: sets[other] for other in sets if other != name})
        scores[f"AUC {name}, unseen set"] = auc(one.labels, one.features @ weights)
    return scores


def _rows(one: Sentences, kept: NDArray[np.bool_]) -> Sentences:
    papers = tuple(p for p, k in zip(one.papers, kept, strict=True) if k)
    return Sentences(features=one.features[kept], labels=one.labels[kept], papers=papers)


def main() -> None:
    """Fits, measures on what was not seen, and writes ``weights/support``."""
    folder = data_folder(__doc__)
    sets = {name: labelled_sentences(folder, name) for name in LABELLED}
    weights, starts = fit_strength(sets)
    start = float(starts.mean())
    scores = _strength_scores(sets)
    measured = [_mean_support(folder, name, weights, start) for name in SCORED]
    for name, (mean, human) in zip(SCORED, measured, strict=True):
        scores[f"Spearman {name}, unseen set"] = spearman(mean, human) or 0.0
    means = [mean for found, _ in measured for mean in found]
    humans = [human for _, found in measured for human in found]
    scores["Spearman of both, unseen sets"] = spearman(means, humans) or 0.0
    save(
        "support",
        {"weights": np.round(np.append(weights, start) * STEPS).astype(np.int32)},
        recipe={
            "data": sorted(LABELLED),
            "method": "a logistic function of five shares, in thousandths; the start last",
            "scores": {name: round(value, 3) for name, value in scores.items()},
        },
    )


if __name__ == "__main__":
    main()

"""Learns how sure overlap makes that a sentence is supported, and which sentences are evidence.

    python -m summeval_pytest.judges.training.support --data ../shared/data

Support is a logistic function of five shares, none of which may count against a sentence; every set
has its own intercept, as sets differ in how many sentences are faithful at all, and what ships is
their mean. Evidence is a logistic function too, fitted to the readers' sets of sentences. Nothing
is fitted to LongSciVerify and LongEval: they are measured, not learned from.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from scipy.optimize import minimize
from scipy.stats import rankdata, spearmanr

from summeval_pytest.judges.offline.evidence import evidence_features
from summeval_pytest.judges.offline.logistic import STEPS
from summeval_pytest.judges.offline.source_index import SourceIndex
from summeval_pytest.judges.offline.support import strength_features
from summeval_pytest.judges.training.data import data_folder, records
from summeval_pytest.judges.training.saving import save
from summeval_pytest.text import normalise, sentence_texts, tokens

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

LABELLED: Final = (
    "healthver/dev.jsonl",
    "qags/dev.jsonl",
    "wice/dev.jsonl",
    "zeroshot_faceval/billsum_dev.jsonl",
    "zeroshot_faceval/dev.jsonl",
)
SCORED: Final = ("longsciverify/dev.jsonl", "longeval_pubmed/dev.jsonl")
WITH_EVIDENCE: Final = "wice/dev.jsonl"
LEAST_PROBABILITY: Final = 0.25
"""A sentence that a reader in four would name is evidence."""
RIDGE: Final = 0.02
EVIDENCE_RIDGE: Final = 0.5
N_FOLDS: Final = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentences:
    """Sentences of one set: a row of features each.

    ``labels`` are 1 for supported; ``papers`` say which rows must stay together.
    """

    features: Numbers
    labels: Numbers
    papers: tuple[str, ...]


def fit_strength(
    sets: Mapping[str, Sentences], *, ridge: float = RIDGE
) -> tuple[Numbers, dict[str, float]]:
    """A weight of at least 0 for each feature, and the intercept of each set.

    Minimises the mean over sets of the mean log loss, plus ``ridge`` times the squared weights.
    """
    names = list(sets)
    n = next(iter(sets.values())).features.shape[1]

    def loss(values: Numbers) -> tuple[float, Numbers]:
        weights, total, slope = values[:n], ridge * float(values[:n] @ values[:n]), values * 0.0
        slope[:n] = 2 * ridge * weights
        for number, name in enumerate(names):
            one = sets[name]
            logit = one.features @ weights + values[n + number]
            total += float(np.mean(np.logaddexp(0.0, logit) - one.labels * logit))
            error = (_chance(logit) - one.labels) / len(one.labels)
            slope[:n] += one.features.T @ error
            slope[n + number] += error.sum()
        return total, slope

    bounds = [(0.0, None)] * n + [(None, None)] * len(names)
    found = minimize(loss, np.zeros(n + len(names)), jac=True, method="L-BFGS-B", bounds=bounds).x
    return found[:n], {name: float(found[n + k]) for k, name in enumerate(names)}


def fit_evidence(features: Numbers, shares: Numbers, *, ridge: float = EVIDENCE_RIDGE) -> Numbers:
    """Weights, and last the intercept, of the chance that a reader names a sentence.

    ``shares`` are the share of readers that named each.
    """
    rows = np.column_stack([features, np.ones(len(features))])

    def loss(values: Numbers) -> tuple[float, Numbers]:
        logit = rows @ values
        held = np.append(values[:-1], 0.0)
        total = float(np.sum(np.logaddexp(0.0, logit) - shares * logit)) + ridge * float(
            held @ held
        )
        return total, rows.T @ (_chance(logit) - shares) + 2 * ridge * held

    found: Numbers = minimize(loss, np.zeros(rows.shape[1]), jac=True, method="L-BFGS-B").x
    return found


def auc(labels: Numbers, values: Numbers) -> float:
    """The chance that a supported sentence has a higher value than another; 0.5 is by chance."""
    ranks = rankdata(values)
    n_true = labels.sum()
    above = ranks[labels > 0].sum() - n_true * (n_true + 1) / 2
    return float(above / (n_true * (len(labels) - n_true)))


def folds(papers: Sequence[str]) -> NDArray[np.intp]:
    """A fold for each row, the same for all rows of a paper; papers are dealt out in order."""
    order = {paper: number for number, paper in enumerate(dict.fromkeys(papers))}
    return np.array([order[paper] % N_FOLDS for paper in papers])


def _chance(logit: Numbers) -> Numbers:
    chance: Numbers = 1.0 / (1.0 + np.exp(-np.clip(logit, -30.0, 30.0)))
    return chance


class _Sources:
    """The indices of sources, made once each."""

    def __init__(self) -> None:
        self._known: dict[str, SourceIndex] = {}

    def index(self, name: str, source: str) -> SourceIndex:
        if source not in self._known:
            cut = source.split("\n") if name == WITH_EVIDENCE else sentence_texts(normalise(source))
            self._known[source] = SourceIndex(tuple(cut))
        return self._known[source]


def labelled_sentences(folder: Path, name: str) -> Sentences:
    """The sentences of a set that labels them one by one."""
    sources, rows = _Sources(), list(records(folder, name))
    return Sentences(
        features=np.array(
            [
                strength_features(
                    sources.index(name, row["source"]).overlap(normalise(row["sentence"]))
                )
                for row in rows
            ]
        ),
        labels=np.array([float(row["label"]) for row in rows]),
        papers=tuple(row["paper_id"] for row in rows),
    )


def _mean_support(
    folder: Path, name: str, weights: Numbers, start: float
) -> tuple[list[float], list[float]]:
    """For each summary the mean support of its sentences, and what the experts found."""
    sources, means, humans = _Sources(), [], []
    for row in records(folder, name):
        index = sources.index(name, row["source"])
        copied = {tuple(sentence.lower().split()) for sentence in index.sentences}
        found = [
            1.0
            if tuple(text.lower().split()) in copied
            else float(_chance(np.array(strength_features(index.overlap(text))) @ weights + start))
            for text in sentence_texts(normalise(row["summary"]))
            if tokens(text)
        ]
        means.append(float(np.mean(found)))
        humans.append(float(row["human_faithfulness"]))
    return means, humans


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A claim with its nearest sentences and what readers named; sets of them, one a reader."""

    paper: str
    places: tuple[int, ...]
    features: Numbers
    sets: tuple[frozenset[int], ...]

    @property
    def shares(self) -> Numbers:
        """The share of readers that named each of the nearest sentences."""
        return np.array([np.mean([place in one for one in self.sets]) for place in self.places])


def claims(folder: Path) -> list[Claim]:
    """The claims for which a reader named a sentence."""
    sources, found = _Sources(), []
    for row in records(folder, WITH_EVIDENCE):
        sets = tuple(frozenset(one) for one in row["evidence_sets"] if one)
        overlap = sources.index(WITH_EVIDENCE, row["source"]).overlap(normalise(row["sentence"]))
        if sets and overlap.places:
            features = np.array(list(evidence_features(overlap)))
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


def chosen(weights: Numbers, claim: Claim) -> set[int]:
    """The nearest sentence, and every other that is likely enough."""
    logit = claim.features @ weights[:-1] + weights[-1]
    return {
        place
        for number, place in enumerate(claim.places)
        if not number or _chance(logit[number : number + 1])[0] >= LEAST_PROBABILITY
    }


def _evidence_weights(among: Sequence[Claim]) -> Numbers:
    return fit_evidence(
        np.concatenate([claim.features for claim in among]),
        np.concatenate([claim.shares for claim in among]),
    )


def _evidence_scores(among: Sequence[Claim]) -> dict[str, float]:
    fold = folds([claim.paper for claim in among])
    picked: dict[int, set[int]] = {}
    for number in range(N_FOLDS):
        weights = _evidence_weights([c for c, f in zip(among, fold, strict=True) if f != number])
        picked |= {k: chosen(weights, c) for k, c in enumerate(among) if fold[k] == number}
    order = [picked[k] for k in range(len(among))]
    return {f"evidence F1, {kind} reader": f1(order, among, kind) for kind in ("any", "first")}


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
    start = float(np.mean(list(starts.values())))
    among = claims(folder)
    evidence = _evidence_weights(among)
    evidence[-1] -= np.log(LEAST_PROBABILITY / (1 - LEAST_PROBABILITY))
    scores: dict[str, Any] = _strength_scores(sets) | _evidence_scores(among)
    means: list[float] = []
    humans: list[float] = []
    for name in SCORED:
        mean, human = _mean_support(folder, name, weights, start)
        means, humans = means + mean, humans + human
        scores[f"Spearman {name}, unseen set"] = float(spearmanr(mean, human).statistic)
    scores["Spearman of both, unseen sets"] = float(spearmanr(means, humans).statistic)
    save(
        "support",
        {
            "strength": np.round(np.append(weights, start) * STEPS).astype(np.int32),
            "evidence": np.round(evidence * STEPS).astype(np.int32),
        },
        recipe={
            "command": "python -m summeval_pytest.judges.training.support --data ../shared/data",
            "data": sorted(LABELLED),
            "method": "logistic functions of shares of overlap, in thousandths; the intercept last",
            "scores": {name: round(value, 3) for name, value in scores.items()},
        },
    )


if __name__ == "__main__":
    main()

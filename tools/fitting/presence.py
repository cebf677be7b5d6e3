"""Fits how probable it is that people say a fact stands in a text.

    python -m tools.fitting.presence --data ../shared/data

A logistic regression whose weights may not be negative, over `presence.Signs`, on labelled facts of
three sets. Each set counts by `SHARES`, whatever its size. Scores are those of a fit that has not
seen the paper (five folds), or not seen the set.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from summeval_pytest.judges.offline.presence import Signs, look_for
from summeval_pytest.stats.agreement import spearman
from summeval_pytest.text.reading import normalise
from summeval_pytest.text.sentences import sentence_texts
from tools.fitting.data import N_FOLDS, auc, chance, data_folder, fit_logistic, records, save

Floats = NDArray[np.float64]


SUMMARIES: Final = ("realsumm_scu/dev.jsonl", "pyrxsum_scu/dev.jsonl")
MATCHES: Final = "infolossqa/match_dev.jsonl"
SHARES: Final[Mapping[str, float]] = {SUMMARIES[0]: 2.0, SUMMARIES[1]: 1.0, MATCHES: 1.0}
"""What each set counts; the largest, of whole summaries, twice."""
RIDGE: Final = 1.0
_NONE: Final = (0.0,) * len(Signs._fields)


class Asked(NamedTuple):
    """Facts asked of one text, and labels: 1 where people say that the text has the fact.

    ``of_summary`` says whether a summary's fact is asked of a reference's; else a reference's
    facts are, in order, of a summary.
    """

    name: str
    paper: str
    facts: tuple[str, ...]
    text: str
    labels: tuple[int, ...]
    of_summary: bool = False


class Examples(NamedTuple):
    """Facts as rows: signs (n x 7), labels, the set, the paper and the summary of each."""

    signs: Floats
    labels: Floats
    sets: NDArray[np.str_]
    papers: NDArray[np.str_]
    summaries: NDArray[np.int64]


def asked(folder: Path) -> Iterator[Asked]:
    """The labelled facts of every set; a pair whose raters disagree is left out."""
    for name in SUMMARIES:
        for record in records(folder, name):
            yield Asked(
                name=name,
                paper=record["paper_id"],
                facts=tuple(record["acus"]),
                text=record["summary"],
                labels=tuple(record["acu_labels"]),
            )
    for record in records(folder, MATCHES):
        if record["label"] is not None:
            yield Asked(
                name=MATCHES,
                paper=record["paper_id"],
                facts=(record["reference_fact"]["answer"],),
                text=record["predicted_fact"]["answer"],
                labels=(record["label"],),
                of_summary=True,
            )


def examples(questions: Iterator[Asked]) -> Examples:
    """The facts as the judge sees them."""
    rows: list[tuple[Any, ...]] = []
    for place, each in enumerate(questions):
        premises, of_summary = tuple(sentence_texts(normalise(each.text))), each.of_summary
        found = look_for(each.facts, premises, of_summary=of_summary, in_order=not of_summary)
        for fact, label in zip(found, each.labels, strict=True):
            rows.append((fact[1] if fact else _NONE, label, each.name, each.paper, place))
    signs, labels, *others = zip(*rows, strict=True)
    known = np.array(signs, dtype=np.float64), np.array(labels, dtype=np.float64)
    return Examples(*known, *map(np.array, others))


def fit(signs: Floats, labels: Floats, weights: Floats) -> tuple[float, Floats]:
    """The intercept, and the slopes that are at least 0: weighted likelihood, a ridge on slopes."""
    total = weights.sum()
    middle = weights @ signs / total
    spread = np.sqrt(weights @ (signs - middle) ** 2 / total) + 1e-9
    scaled = (signs - middle) / spread
    kept, start = fit_logistic(scaled, labels, weights=weights / total, ridge=RIDGE / 2 / total)
    slopes: Floats = kept / spread
    return float(start[0] - slopes @ middle), slopes


def shares(data: Examples) -> Floats:
    """What each fact counts."""
    per_fact = {n: share * 1000 / (data.sets == n).sum() for n, share in SHARES.items()}
    return np.array([per_fact[name] for name in data.sets])


def _fitted(data: Examples, known: NDArray[np.bool_]) -> Floats:
    """Logits of every fact by a fit to the known ones, each set with its share."""
    weights = shares(data)
    intercept, slopes = fit(data.signs[known], data.labels[known], weights[known])
    logits: Floats = data.signs @ slopes + intercept
    return logits


def unseen(data: Examples) -> Floats:
    """Logits of every fact by a fit that has not seen its paper."""
    folds = np.array([crc32(paper.encode()) % N_FOLDS for paper in data.papers])
    logits = np.zeros(len(folds))
    for fold in range(N_FOLDS):
        logits[folds == fold] = _fitted(data, folds != fold)[folds == fold]
    return logits


def recall_agreement(data: Examples, logits: Floats, name: str) -> float:
    """Spearman over summaries: mean probability of a summary's facts against people's share."""
    here = data.sets == name
    _, place = np.unique(data.summaries[here], return_inverse=True)
    own = np.bincount(place, chance(logits[here])) / np.bincount(place)
    other = np.bincount(place, data.labels[here]) / np.bincount(place)
    return spearman(own, other) or 0.0


def scores(data: Examples) -> dict[str, float]:
    """What is reported beside the weights."""
    logits = unseen(data)
    message = {}
    for name in SHARES:
        here = data.sets == name
        short = name.partition("/")[0]
        message[f"AUC on unseen papers, {short}"] = auc(data.labels[here], logits[here])
        message[f"AUC without the set, {short}"] = auc(
            data.labels[here], _fitted(data, ~here)[here]
        )
        gap = chance(logits[here]).mean() - data.labels[here].mean()
        message[f"mean probability less share present, {short}"] = float(gap)
    for name in SUMMARIES:
        short = name.partition("/")[0]
        message[f"Spearman of recall, {short}"] = recall_agreement(data, logits, name)
    return {key: round(value, 3) for key, value in message.items()}


def main() -> None:
    """Fits, measures, and writes ``weights/presence``."""
    data = examples(asked(data_folder(__doc__)))
    weights = shares(data)
    intercept, slopes = fit(data.signs, data.labels, weights)
    save(
        "presence",
        {"intercept": np.array(intercept).round(4), "slopes": slopes.round(4)},
        recipe={
            "data": sorted(SHARES),
            "method": "logistic regression, weights not negative, over " + ", ".join(Signs._fields),
            "scores": scores(data),
        },
    )


if __name__ == "__main__":
    main()

"""The statistics on labels that others have released, beside what they published about them."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING

import numpy as np
import pytest

from summeval_pytest.run.golden import EvidenceCount
from summeval_pytest.stats.agreement import alphas_of, exact_agreement
from summeval_pytest.verdict.trust import FIGURES, counts_of
from tests.shared_data import DATA
from tests.verdict.golden_answers import answered, golden

if TYPE_CHECKING:
    from collections.abc import Sequence

pytestmark = pytest.mark.usefixtures("shared_data")


Record = dict[str, object]


def released(name: str, *, whole: bool = False) -> list[Record]:
    """The records of the part that is here, or of all parts."""
    files = [DATA / f"{name}.jsonl"]
    if whole:
        files.append(DATA / f"{name.removesuffix('dev')}holdout.jsonl")
    for file in files:
        if not file.exists():
            pytest.skip(f"{file} is not there; published figures are about all documents")
    return [json.loads(line) for file in files for line in file.read_text("utf-8").splitlines()]


def pairs_of(records: Sequence[Record], key: str) -> list[list[int]]:
    """Both raters' values of each record, as whole numbers."""
    found = []
    for record in records:
        values = record[key]
        assert isinstance(values, list)
        found.append([int(value) for value in values])
    return found


def free_kappa(rows: Sequence[Sequence[int]], n_categories: int) -> float:
    """Randolph's kappa of two raters: chance is one in so many categories."""
    exact = exact_agreement([a for a, _ in rows], [b for _, b in rows])
    assert exact is not None
    return (exact - 1 / n_categories) / (1 - 1 / n_categories)


@pytest.mark.parametrize(
    ("key", "categories", "published"), [("accuracy_answer", 3, 0.68), ("hallucination", 2, 0.89)]
)
def test_answer_ratings_agree_as_published(key: str, categories: int, published: float) -> None:
    """Oracle: Randolph's kappa .68 and .89 (README of the data)."""
    rows = pairs_of(released("infolossqa/dev", whole=True), key)
    assert free_kappa(rows, categories) == pytest.approx(published, abs=6e-3)


def test_answer_ratings_of_the_part_agree_much_and_say_little() -> None:
    """Worked example: 227 of 239 verdicts of hallucination are alike, and only 2 of them yes.

    Randolph: (227/239 - 1/2) / (1/2) = .8996. Alpha: of 478 ratings 16 are yes, so D_e = 2 * 16 *
    462 = 14,784 and alpha = 1 - 477 * 24 / 14,784 = .2256. Where nearly all are alike, agreement is
    cheap, and alpha says so. Accuracy: 188 of 239 alike, (188/239 - 1/3) / (2/3) = .6799.
    """
    records = released("infolossqa/dev")
    rows = pairs_of(records, "hallucination")
    assert Counter(map(tuple, rows)) == {(0, 0): 225, (1, 1): 2, (0, 1): 11, (1, 0): 1}
    assert free_kappa(rows, 2) == pytest.approx(2 * 227 / 239 - 1)
    assert float(alphas_of(np.array([[225, 11], [1, 2]]))) == pytest.approx(
        1 - 477 * 24 / 14_784, abs=1e-12
    )
    accuracy = pairs_of(records, "accuracy_answer")
    assert free_kappa(accuracy, 3) == pytest.approx((188 / 239 - 1 / 3) * 1.5)


RECALLED = {
    "mistral-7b-instruct-one-shot": (14.2, 4.1, 81.8),
    "llama2-70b-chat-one-shot": (16.2, 4.4, 79.3),
    "gpt-4-0613-one-shot": (28.1, 3.4, 68.4),
    "gpt-4-0613-nli": (22.9, 20.0, 57.2),
}
"""Percent of gold facts recalled fully, partly and not at all (the authors' notebook)."""


RECALLED_OF_PART = {
    "mistral-7b-instruct-one-shot": (53, 382),
    "llama2-70b-chat-one-shot": (68, 382),
    "gpt-4-0613-one-shot": (108, 382),
    "gpt-4-0613-nli": (87, 382),
}


def recalled(records: Sequence[Record], system: str) -> tuple[int, int, int]:
    """Facts by the mean of both raters' best ratings: from 1.5 fully, above 0 partly, else not."""
    means = []
    for record in records:
        if record["system"] == system:
            means += [sum(best) / 2 for best in pairs_of([{"of": r} for r in _best(record)], "of")]
    full = sum(mean >= 1.5 for mean in means)
    none = sum(mean == 0 for mean in means)
    return full, len(means) - full - none, none


def _best(record: Record) -> list[object]:
    ratings = record["acu_ratings"]
    assert isinstance(ratings, list)
    return ratings


@pytest.mark.parametrize("system", RECALLED)
def test_facts_are_recalled_as_published(system: str) -> None:
    """Oracle: the notebook's table of 551 facts, to a tenth of a percent."""
    counts = recalled(released("infolossqa/facts_dev", whole=True), system)
    assert sum(counts) == 551
    shares = tuple(100 * n / 551 for n in counts)
    assert shares == pytest.approx(RECALLED[system], abs=0.1)


@pytest.mark.parametrize("system", RECALLED)
def test_facts_of_the_part_are_recalled_as_labelled(system: str) -> None:
    """The ratings give the labels that were made of them, and shares near the published ones."""
    records = released("infolossqa/facts_dev")
    full, partly, none = recalled(records, system)
    labels = [r["acu_labels"] for r in records if r["system"] == system]
    n_labelled = sum(sum(each) for each in labels if isinstance(each, list))
    assert (full, full + partly + none) == RECALLED_OF_PART[system]
    assert full == n_labelled
    assert tuple(100 * n / 382 for n in (full, partly, none)) == pytest.approx(
        RECALLED[system], abs=3
    )


# REALSumm and PyrXSum: crowd workers judged whether a summary states a fact
def mean_recall(records: Sequence[Record], system: str) -> tuple[float, int]:
    """The mean over summaries of the share of facts stated, and how many summaries."""
    shares = []
    for record in records:
        labels = record["acu_labels"]
        if record["system"] == system and isinstance(labels, list):
            shares.append(sum(labels) / len(labels))
    return sum(shares) / len(shares), len(shares)


@pytest.mark.parametrize(
    ("name", "system", "published"),
    [
        ("realsumm_scu/dev", "abs_bart_out", 0.48349483849483854),
        ("pyrxsum_scu/dev", "t5-large", 0.29117532467532464),
    ],
)
def test_facts_have_the_published_mean_score(name: str, system: str, published: float) -> None:
    """Oracle: the human scores in the README of the Lite2-3Pyramid repository, of 100 documents."""
    mean, n_summaries = mean_recall(released(name, whole=True), system)
    assert n_summaries == 100
    assert mean == pytest.approx(published, abs=1e-12)


@pytest.mark.parametrize(
    ("name", "system", "measured", "published"),
    [
        ("realsumm_scu/dev", "abs_bart_out", 0.46582, 0.48349),
        ("pyrxsum_scu/dev", "t5-large", 0.29190, 0.29118),
    ],
)
def test_facts_of_the_part_have_a_mean_near_it(
    name: str, system: str, measured: float, published: float
) -> None:
    """60 of the 100 documents; labels and the release's own recall are two columns of each."""
    records = released(name)
    mean, n_summaries = mean_recall(records, system)
    own = [r["acu_recall"] for r in records if r["system"] == system]
    assert n_summaries == 60
    assert mean == pytest.approx(sum(v for v in own if isinstance(v, float)) / 60, abs=1e-4)
    assert mean == pytest.approx(measured, abs=5e-6)
    assert mean == pytest.approx(published, abs=0.02)


# FareBio: supporting sentences, without its data
def test_evidence_is_summed_over_sentences_as_farebio_does() -> None:
    """Oracle: BM25's first sentence has precision .73, recall .56 and F1 .63 (metrics.md FB1).

    One sentence is named for each of 1,305 instances, and 1,713 are labelled: 953 hits, .73 of
    1,305, make .556 and 2 * 953 / (1,305 + 1,713) = .632.
    """
    found = EvidenceCount(named=1305, labelled=1713, both=round(0.73 * 1305))
    pair = golden(answered("sentence", 1, 1, evidence=(found.named, found.labelled, found.both)))
    sums = counts_of([pair])
    precision, recall = (
        float(FIGURES[f"evidence_{name}"](sums)[0]) for name in ("precision", "recall")
    )
    assert (round(precision, 2), round(recall, 2)) == (0.73, 0.56)
    assert round(2 * precision * recall / (precision + recall), 2) == 0.63

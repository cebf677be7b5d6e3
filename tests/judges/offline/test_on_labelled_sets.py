"""The embedded judge on texts that people labelled, where the sets are there.

Its weights were fitted to these parts, so this does not say how good it is on unseen papers: that
stands in the recipes beside the weights. It says that what ships is what was fitted.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from functools import cache
from typing import Any, Final

import numpy as np
import pytest

from summeval_pytest import questions as q
from summeval_pytest.metrics.faithfulness import source_sentences
from summeval_pytest.stats.agreement import spearman
from summeval_pytest.text.reading import normalise
from summeval_pytest.text.sentences import sentence_texts
from tests.judges.offline.test_laws import JUDGE
from tests.shared_data import DATA
from tools.fitting.data import auc

FEW: Final = 12
"""Papers of REALSumm that are enough to see a fall, and fast."""

pytestmark = pytest.mark.usefixtures("shared_data")


@cache
def records(name: str) -> tuple[dict[str, Any], ...]:
    """The records of one file."""
    return tuple(map(json.loads, (DATA / name).read_text(encoding="utf-8").splitlines()))


def checks_of(question: q.CheckFacts | q.CheckSentences) -> tuple[Any, ...]:
    """What the judge says of each fact or sentence."""
    answer = JUDGE.compute(question)
    assert isinstance(answer, q.FactChecks | q.SentenceChecks)
    return answer.checks


def supports(facts: Sequence[str], premises: tuple[str, ...]) -> list[float]:
    """How probable it is that each fact is in a text, as the judge says."""
    stated = tuple(q.Fact(text=text, sentence=0) for text in facts)
    return [check.support for check in checks_of(q.CheckFacts(stated, premises))]


def test_a_fact_that_people_find_is_more_probable() -> None:
    """The share of a fact's words that a text has tells .83 of such pairs apart."""
    pairs = [
        record for record in records("infolossqa/match_dev.jsonl") if record["label"] is not None
    ]
    labels = [bool(record["label"]) for record in pairs]
    result = [
        supports([record["reference_fact"]["answer"]], (record["predicted_fact"]["answer"],))[0]
        for record in pairs
    ]
    assert auc(np.array(labels), np.array(result)) >= 0.86


def test_the_recall_of_a_summary_goes_with_people() -> None:
    """Content units of news: the mean probability of a reference's facts is its recall."""
    papers = sorted({record["paper_id"] for record in records("realsumm_scu/dev.jsonl")})[:FEW]
    labels: list[bool] = []
    result: list[float] = []
    own, other = [], []
    for record in records("realsumm_scu/dev.jsonl"):
        if record["paper_id"] in papers:
            chances = supports(record["acus"], tuple(sentence_texts(normalise(record["summary"]))))
            result += chances
            labels += map(bool, record["acu_labels"])
            own.append(sum(chances) / len(chances))
            other.append(record["acu_recall"])
    assert auc(np.array(labels), np.array(result)) >= 0.83
    assert (spearman(own, other) or 0.0) >= 0.58


def test_the_support_of_a_summary_goes_with_experts() -> None:
    """Mean support over sentences, on two sets that no weight was fitted to."""
    own, other = [], []
    for name in ("longsciverify/dev.jsonl", "longeval_pubmed/dev.jsonl"):
        for record in records(name):
            sentences = tuple(sentence_texts(normalise(record["summary"])))
            source = source_sentences(record["source"].splitlines())
            result = [check.support for check in checks_of(q.CheckSentences(sentences, source))]
            own.append(sum(result) / len(result))
            other.append(record["human_faithfulness"])
    assert len(own) == 78
    assert (spearman(own, other) or 0.0) >= 0.68


@pytest.mark.parametrize(
    ("name", "n_alarms", "n_errors"),
    [("qags", 2, 6), ("storysumm", 8, 4), ("infolossqa", 5, 1), ("zeroshot_faceval", 2, 1)],
)
def test_few_faithful_sentences_are_condemned(name: str, n_alarms: int, n_errors: int) -> None:
    """The figures of the docs: at most 5 % of the faithful ones, so that a gate is not ignored."""
    summaries: dict[str, list[dict[str, Any]]] = {}
    for record in records(f"{name}/dev.jsonl"):
        summaries.setdefault(f"{record['paper_id']} {record['summary_id']}", []).append(record)
    called: Counter[bool | None] = Counter()
    for rows in summaries.values():
        sentences = tuple(normalise(row["sentence"]) for row in rows)
        source = source_sentences(rows[0]["source"].splitlines())
        for row, check in zip(rows, checks_of(q.CheckSentences(sentences, source)), strict=True):
            called[row["label"]] += not check.supported
    assert (called[True], called[False]) == (n_alarms, n_errors)


def test_evidence_is_what_readers_name() -> None:
    """Micro F1 over claims with evidence, partly supported ones too, against the first reader."""
    hit = named = wanted = 0
    for record in records("wice/dev.jsonl"):
        if not any(record["evidence_sets"]):
            continue
        lines = tuple(record["source"].splitlines())
        (check,) = checks_of(q.CheckSentences((record["sentence"],), lines))
        gold = set(record["evidence_sets"][0])
        hit += len(gold & set(check.evidence))
        named, wanted = named + len(check.evidence), wanted + len(gold)
    assert 2 * hit / (named + wanted) >= 0.5

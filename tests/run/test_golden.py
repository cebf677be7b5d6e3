from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from summeval_pytest.errors import Place, SuiteError
from summeval_pytest.run.golden import (
    GoldenAnswer,
    GoldenPair,
    check_sentences,
    golden_tasks,
    labels_fingerprint,
)
from summeval_pytest.suite.labels import FactLabel, FactLabels
from tests.golden_suite import BAD_OF_KILN, GOOD_OF_KILN, write_labelled

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from summeval_pytest.metrics.score import MetricName

RATINGS = {"background": None, "method": 4, "result": 4, "conclusion": 3}
SENTENCES = ({"index": 0, "faithful": True, "evidence": [1]}, {"index": 1, "faithful": False})
REFERENCE = {"text": "Bricks crack.", "covered": False}
CANDIDATE = {"text": "The slow draught gave 31 MPa.", "supported": True}
LABEL: dict[str, object] = {
    "paper": "kiln",
    "system": "good",
    "facets": RATINGS,
    "overall": 0.9,
    "sentences": SENTENCES,
    "facts": {"reference": [REFERENCE], "candidate": [CANDIDATE]},
}
"""A label with every part."""
MOSS = {"paper": "moss", "system": "good"}
SENTENCE = [{"index": 0, "faithful": False}]
FACTS = {"candidate": [{"text": "Moss cools.", "supported": True}]}


def test_a_pair_tells_what_was_answered_of_one_kind() -> None:
    """An item without an answer is none of 0, and other kinds are other scales."""
    answers = (
        GoldenAnswer(kind="result", label=3, answer=2),
        GoldenAnswer(kind="sentence", index=0, label=1, answer=0),
        GoldenAnswer(kind="sentence", index=1, label=1, answer=None),
        GoldenAnswer(kind="sentence", index=2, label=0, answer=0),
    )
    pair = GoldenPair(paper="kiln", system="good", group="kiln", answers=answers)
    assert list(pair.answered("sentence")) == [(1, 0), (0, 0)]
    assert list(pair.answered("result")) == [(3, 2)]
    assert list(pair.answered("overall")) == []


# What the judge is asked


@pytest.mark.parametrize(
    ("parts", "metrics"),
    [
        ({"facets": {"result": 2}}, ("facet",)),
        ({"overall": 0.5}, ("facet",)),
        ({"sentences": SENTENCE}, ("faithfulness",)),
        ({"facets": {"result": 2}, "sentences": SENTENCE}, ("facet", "faithfulness")),
        ({"facts": FACTS}, ()),
        ({"facts": FACTS, "overall": 1}, ("facet",)),
    ],
)
def test_the_judge_is_asked_what_the_label_speaks_of(
    tmp_path: Path, parts: Mapping[str, object], metrics: tuple[MetricName, ...]
) -> None:
    """Everything else would cost and be compared with nothing; facts are asked as they stand."""
    suite = write_labelled(tmp_path, {**MOSS, **parts})
    (task,) = golden_tasks(suite)
    assert task.metrics == metrics
    holds = FactLabels(candidate=(FactLabel(text="Moss cools.", holds=True),))
    assert task.facts == (holds if "facts" in parts else None)


def test_roles_alone_are_no_golden_task(tmp_path: Path) -> None:
    """No floor holds a judge to them, so the judge's item has nothing to ask."""
    roles = [{"text": "Moss cools.", "facet": "result"}]
    suite = write_labelled(tmp_path, {**MOSS, "roles": roles}, GOOD_OF_KILN)
    assert [(task.paper, task.system) for task in golden_tasks(suite)] == [("kiln", "good")]


def test_role_of_another_sentence_is_refused_before_anything_is_asked(tmp_path: Path) -> None:
    """An LLM judge would have been paid for the pairs before it."""
    suite = write_labelled(tmp_path, {**MOSS, "roles": [{"text": "No such.", "facet": None}]})
    with pytest.raises(SuiteError, match="which the summary does not have; copy it word for word"):
        check_sentences(suite)


# The fingerprint of the labels


def fingerprint(folder: Path, *labels: Mapping[str, object]) -> str:
    """That of a suite with these labels."""
    return labels_fingerprint(write_labelled(folder, *labels))


def test_the_order_of_the_lines_does_not_move_the_fingerprint(tmp_path: Path) -> None:
    """Sorting the file changes no figure, so two runs of it compare; keys may move as well."""
    moved = {**LABEL, "facets": dict(reversed(RATINGS.items()))}
    found = fingerprint(tmp_path / "a", LABEL, BAD_OF_KILN)
    assert fingerprint(tmp_path / "b", BAD_OF_KILN, moved) == found
    assert len(found) == 12
    assert set(found) <= set("0123456789abcdef")


@pytest.mark.parametrize("key", ["labelled_by", "basis", "provenance"])
def test_what_says_where_a_label_is_from_does_not_move_the_fingerprint(
    tmp_path: Path, key: str
) -> None:
    """It moves no figure."""
    told = fingerprint(tmp_path / "a", {**LABEL, key: "two nurses"})
    assert fingerprint(tmp_path / "b", LABEL) == told


@pytest.mark.parametrize(
    "change",
    [
        {"paper": "moss"},
        {"system": "bad"},
        {"facets": {**RATINGS, "result": 3}},
        {"facets": {**RATINGS, "background": 1}},
        {"facets": {"method": 4, "result": 4, "conclusion": 3}},
        {"overall": 0.8},
        {"sentences": SENTENCES[:1]},
        {"sentences": [SENTENCES[0], {**SENTENCES[1], "faithful": True}]},
        {"sentences": [SENTENCES[0], {**SENTENCES[1], "index": 2}]},
        {"sentences": [SENTENCES[0], {**SENTENCES[1], "error": "number"}]},
        {"sentences": [SENTENCES[0], {**SENTENCES[1], "factual": True}]},
        {"sentences": [SENTENCES[0], {**SENTENCES[1], "factual": False}]},
        {"sentences": [{**SENTENCES[0], "evidence": [3]}, SENTENCES[1]]},
        {"sentences": [{**SENTENCES[0], "evidence": []}, SENTENCES[1]]},
        {"facts": {"candidate": [CANDIDATE]}},
        {"facts": {"reference": [REFERENCE], "candidate": [{**CANDIDATE, "supported": False}]}},
        {"facts": {"reference": [{**REFERENCE, "text": "Bricks."}], "candidate": [CANDIDATE]}},
    ],
)
def test_whatever_a_label_says_moves_the_fingerprint(
    tmp_path: Path, change: Mapping[str, object]
) -> None:
    """Agreement with other labels is another number, also where the names are the same."""
    before = fingerprint(tmp_path / "a", LABEL)
    assert fingerprint(tmp_path / "b", {**LABEL, **change}) != before


# Sentences that a summary does not have


def test_a_label_of_a_sentence_beyond_the_summary_is_refused(tmp_path: Path) -> None:
    """The bad summary has two sentences; the label's file and line say where to mend it."""
    beyond = {**BAD_OF_KILN, "sentences": [{"index": n, "faithful": False} for n in (0, 2, 7)]}
    suite = write_labelled(tmp_path, GOOD_OF_KILN, beyond)
    with pytest.raises(SuiteError) as caught:
        check_sentences(suite)
    assert caught.value.place == Place(f"{tmp_path.name}/labels.jsonl", 2)
    assert str(caught.value) == (
        f"{tmp_path.name}/labels.jsonl:2: the label of system 'bad' on paper 'kiln' is about"
        " sentence 2, and the summary has 2, counted from 0; mend the index"
    )

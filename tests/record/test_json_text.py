from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from summeval_pytest.metrics.facet import FacetScore
from summeval_pytest.metrics.faithfulness import FaithfulnessScore
from summeval_pytest.record.json_text import as_json, from_json
from summeval_pytest.run.golden import EvidenceCount, GoldenAnswer
from summeval_pytest.verdict.run import PaperRecord, RunRecord
from tests.record.papers import paper
from tests.verdict.records import pair, rated, run, suite

RECORD = RunRecord(
    header=run().header, judge=run().judge, suites=(suite(pair("moss-01", rated())),)
)
WRITABLE = st.text(st.characters(codec="utf-8"), max_size=4)
"""What a UTF-8 file can hold, control and private characters among it."""


@cache
def values_of(hint: Any) -> st.SearchStrategy[Any]:
    """Values of a type, read off its annotations, so that a new field is tested unasked."""
    simple: dict[Any, st.SearchStrategy[Any]] = {
        str: WRITABLE,
        int: st.integers(-(2**70), 2**70),
        float: st.floats(allow_nan=False, allow_infinity=False),
        bool: st.booleans(),
        NoneType: st.none(),
    }
    if isinstance(hint, type) and is_dataclass(hint):
        return st.deferred(lambda: built(hint))
    if get_origin(hint) is Literal:
        return st.sampled_from(get_args(hint))
    return simple[hint] if hint in simple else holding(hint)


def built(kind: Any) -> st.SearchStrategy[Any]:
    """Values of a dataclass."""
    hints = get_type_hints(kind)
    return st.builds(kind, **{f.name: values_of(hints[f.name]) for f in fields(kind)})


def holding(hint: Any) -> st.SearchStrategy[Any]:
    """Values of a type that holds others."""
    origin = get_origin(hint)
    inner = [values_of(part) for part in get_args(hint) if part is not Ellipsis]
    of_any_length = {
        tuple: st.lists(inner[0], max_size=2).map(tuple),
        frozenset: st.frozensets(inner[0], max_size=3),
        Mapping: st.dictionaries(WRITABLE, inner[-1], max_size=2),
    }
    if origin in {Union, UnionType}:
        return st.one_of(*inner)
    if origin is tuple and Ellipsis not in get_args(hint):
        return st.tuples(*inner)
    return of_any_length[origin]


# No deadline where a record is read: the first reading imports and builds the reader.
@given(values_of(RunRecord))
@example(RECORD)
@settings(max_examples=10, deadline=None)
def test_a_record_that_is_written_and_read_is_the_same(record: RunRecord) -> None:
    """Law: over every type that a record can hold, and once more byte by byte."""
    text = as_json(record)
    result = from_json(RunRecord, text)
    assert result == record
    assert as_json(result) == text


def test_halves_of_surrogate_pairs_become_a_sign_that_stays() -> None:
    """No UTF-8 file can hold them; a record that is read and saved again is the same."""
    text = as_json(paper("moss-01", references=("a\ud800b", "\udfff", "\U0001f33f")))
    text.encode()
    result = from_json(PaperRecord, text)
    assert result.references == ("a\ufffdb", "\ufffd", "\U0001f33f")
    assert as_json(result) == text


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
def test_a_number_that_json_does_not_have_is_neither_written_nor_read(value: float) -> None:
    """No other reader could read the file; a score of NaN is a bug and no result."""
    with pytest.raises(ValueError, match="not JSON compliant"):
        as_json(FacetScore(value=value))
    with pytest.raises(ValueError, match="finite number"):
        from_json(FaithfulnessScore, f'{{"value": {json.dumps(value)}, "sentences": []}}')


SCORE = ("suites", 0, "pairs", 0, "scores", 0)


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        # a key that is dropped in silence was there for a reason
        (("colour",), 1, "colour: unknown key"),
        (("header", "host"), 1, "header.host: unknown key"),
        ((*SCORE[:4], "verdict", "moss"), 1, "suites.0.pairs.0.verdict.moss: unknown key"),
        # the numbers of one metric must never be taken for another's
        *(
            ((*SCORE, "metric"), metric, "suites.0.pairs.0.scores.0.")
            for metric in ("eva", "faithfulness", "rouge", None)
        ),
        # what somebody has edited by hand must be seen
        (("judge",), "fair-1", "judge: Input should be an object"),
        (("suites",), {}, "suites: Input should be a valid array"),
        (("header", "environment"), {"python": 3.11}, "header.environment.python: Input should be"),
        (("header", "usage"), {"replies": "12"}, "header.usage.replies: Input should be a valid"),
    ],
)
def test_what_no_run_has_written_is_refused_with_its_place(
    path: tuple[str | int, ...], value: object, message: str
) -> None:
    """A record is never bent into shape."""
    values: Any = json.loads(as_json(RECORD))
    inner = values
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = value
    with pytest.raises(ValueError, match=": ") as caught:
        from_json(RunRecord, json.dumps(values))
    assert type(caught.value) is ValueError
    assert str(caught.value).startswith(message)


def test_a_golden_answer_is_written_without_what_it_does_not_say() -> None:
    """Worked example: thousands agree with their label, and 50 bytes of each are enough."""
    agrees = GoldenAnswer(kind="sentence", label=1.0, answer=1.0, support=0.9)
    assert as_json(agrees) == '{"answer": 1.0, "kind": "sentence", "label": 1.0}'
    unanswered = replace(agrees, index=3, answer=None, reason="no reply")
    assert as_json(unanswered) == (
        '{"answer": null, "index": 3, "kind": "sentence", "label": 1.0, "reason": "no reply"}'
    )
    evidence = EvidenceCount(named=2, labelled=1, both=1)
    full = replace(agrees, error="number", evidence=evidence, text="Mice slept.", against="Mice.")
    assert set(json.loads(as_json(full))) == {
        "answer", "kind", "label", "error", "evidence", "text", "against"
    }  # fmt: skip

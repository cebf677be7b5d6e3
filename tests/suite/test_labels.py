from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from summeval_pytest.errors import Place
from summeval_pytest.questions import FacetSegments
from summeval_pytest.suite.labels import (
    EvidenceLabel,
    FactLabel,
    FactLabels,
    Label,
    Recorded,
    RoleLabel,
    SentenceLabel,
)
from summeval_pytest.suite.values import RecordedSpec

if TYPE_CHECKING:
    from syrupy.assertion import SnapshotAssertion

    from tests.suite.conftest import Golden

PAIR = {"paper": "zinc-01", "system": "careful"}


def test_label_is_read_whole(golden: Golden) -> None:
    """Every part that design.md names arrives as a value."""
    golden.lines(
        "labels.jsonl",
        {
            **PAIR,
            "facets": {"conclusion": None, "background": 3, "method": 4},
            "overall": 1,
            "sentences": [
                {"index": 1, "faithful": False, "evidence": [], "error": "number"},
                {"index": 0, "faithful": True, "evidence": [4, {"index": 2, "starts": "We"}]},
            ],
            "facts": {
                "reference": [{"text": "Zinc helps.", "covered": True}],
                "candidate": [{"text": "Zinc harms.", "supported": False}],
            },
            "labelled_by": "two nurses",
            "basis": "full text",
            "provenance": "made by hand",
            "x_minutes": 12,
        },
    )
    suite = golden.load()

    assert suite.has_labels
    assert dict(suite.labels) == {
        ("zinc-01", "careful"): Label(
            paper="zinc-01",
            system="careful",
            facets={"background": 3, "method": 4, "conclusion": None},
            overall=1.0,
            sentences=(
                SentenceLabel(index=1, faithful=False, error="number"),
                SentenceLabel(
                    index=0,
                    faithful=True,
                    evidence=(EvidenceLabel(index=4), EvidenceLabel(index=2, starts="We")),
                ),
            ),
            facts=FactLabels(
                reference=(FactLabel(text="Zinc helps.", holds=True),),
                candidate=(FactLabel(text="Zinc harms.", holds=False),),
            ),
            labelled_by="two nurses",
            basis="full text",
            provenance="made by hand",
            place=Place("golden/labels.jsonl", 1),
        )
    }


def test_suite_without_labels_has_an_empty_mapping(golden: Golden) -> None:
    """Then there is no judge item, and nothing is None."""
    golden.spoil("summeval.toml", 'labels = "labels.jsonl"\n', "")
    suite = golden.load()

    assert not suite.has_labels
    assert dict(suite.labels) == {}


@pytest.mark.parametrize(
    "line",
    [
        {**PAIR, "paper": "zinc-3", "overall": 1},
        {**PAIR, "system": "carefull", "overall": 1},
        {"paper": "zinc-02", "system": "terse", "overall": 1},
        PAIR,
        {**PAIR, "facet": {}, "overall": 1},
        {**PAIR, "overall": True},
        {**PAIR, "overall": -1e308},
        {**PAIR, "facets": {}},
        {**PAIR, "facets": {"background": 4}},
        {**PAIR, "facets": {"method": 0}},
        {**PAIR, "facets": {"result": 2.0}},
        {**PAIR, "facets": {"conclusion": True}},
        {**PAIR, "facets": {"methods": 2}},
        {**PAIR, "sentences": []},
        {**PAIR, "sentences": [{"index": 0}]},
        {**PAIR, "sentences": [{"index": 0, "faithful": 1}]},
        {**PAIR, "sentences": [{"index": 0, "faithful": True}] * 2},
        {**PAIR, "sentences": [{"index": 0, "faithful": True, "evidence": ["r2"]}]},
        {**PAIR, "facts": {}},
        {**PAIR, "facts": {"reference": [{"text": "a", "supported": True}]}},
        {**PAIR, "sentences": [{"index": 0, "faithful": True, "error": "unit"}]},
        {**PAIR, "sentences": [{"index": 0, "faithful": False, "error": " "}]},
        {**PAIR, "sentences": [{"index": 0, "faithful": False, "error": 3}]},
        {**PAIR, "sentences": [{"index": 0, "faithful": True, "factual": True}]},
        {**PAIR, "sentences": [{"index": 0, "faithful": False, "factual": "yes"}]},
        {**PAIR, "sentences": [{"index": -1, "faithful": False}]},
        {**PAIR, "facts": {"reference": [{"text": "a", "covered": True}] * 2}},
        {
            **PAIR,
            "facts": {
                "candidate": [
                    {"text": "a", "supported": True},
                    {"text": "b", "supported": True},
                    {"text": "a", "supported": False},
                ]
            },
        },
        {**PAIR, "facts": {"reference": [{"text": "a"}]}},
        {**PAIR, "overall": 1, "provenance": ["a"]},
        {**PAIR, "overall": 1, "basis": ""},
    ],
)
def test_mistake_in_a_label_is_reported(
    golden: Golden, line: dict[str, object], snapshot: SnapshotAssertion
) -> None:
    """Each message says what, where and what to do."""
    golden.lines("labels.jsonl", line)
    assert golden.mistake() == snapshot


@pytest.mark.parametrize("factual", [True, False])
def test_an_unfaithful_sentence_may_be_true_all_the_same(golden: Golden, factual: bool) -> None:
    """FareBio's factual hallucination; a label that is silent says neither."""
    sentence = {"index": 0, "faithful": False, "factual": factual}
    golden.lines("labels.jsonl", {**PAIR, "sentences": [sentence]})

    (label,) = golden.load().labels.values()
    assert label.sentences == (SentenceLabel(index=0, faithful=False, factual=factual),)


def test_second_label_of_a_pair_is_refused(golden: Golden, snapshot: SnapshotAssertion) -> None:
    """Two people who disagree are two files, or one settled label."""
    line = {**PAIR, "overall": 1}
    golden.lines("labels.jsonl", line, line)

    assert golden.mistake() == snapshot


def test_file_without_a_label_is_refused(golden: Golden, snapshot: SnapshotAssertion) -> None:
    """A judge that was compared with nothing is not trusted."""
    golden.write("labels.jsonl", "")

    assert golden.mistake() == snapshot


GREW = "Growth rose by 24 %."


def test_roles_are_a_facet_several_or_none(golden: Golden) -> None:
    """A set without conclusions has them among its results, and a thank-you states no facet."""
    roles = [
        {"text": "Zinc is a metal.", "facet": "background"},
        {"text": GREW, "facet": ["conclusion", "result"]},
        {"text": "We thank the mice.", "facet": None},
    ]
    golden.lines("labels.jsonl", {**PAIR, "roles": roles})
    found = golden.load().labels["zinc-01", "careful"].roles
    assert found == (
        RoleLabel(text="Zinc is a metal.", facets=("background",)),
        RoleLabel(text=GREW, facets=("result", "conclusion")),
        RoleLabel(text="We thank the mice.", facets=()),
    )


_SCALE = (
    "one of background, method, result, conclusion, a list of those that are right,"
    " or null for none"
)


@pytest.mark.parametrize(
    "roles",
    [
        [],
        ["x"],
        [{"text": GREW}],
        [{"text": GREW, "facet": "results"}],
        [{"text": GREW, "facet": ["result", "outcome"]}],
        [{"text": GREW, "facet": []}],
        [{"text": GREW, "facet": "result"}, {"text": f" {GREW}", "facet": "method"}],
        [{"text": GREW, "facet": "result", "index": 0}],
    ],
)
def test_mistake_in_a_role_is_reported(
    golden: Golden, roles: object, snapshot: SnapshotAssertion
) -> None:
    """With the line, and what to write in its place."""
    golden.lines("labels.jsonl", {**PAIR, "roles": roles})
    assert golden.mistake() == snapshot


RECORD = {"paper": "zinc-01", "system": "careful", "by": "GPT"}


def test_records_of_pairs_and_references_are_read(golden: Golden) -> None:
    """A record without a system is about the reference."""
    golden.lines(
        "recorded.jsonl",
        {**RECORD, "facets": {"result": 4}, "overall": 1},
        {**RECORD, "system": None, "segments": {"result": "Zinc helps.", "method": None}},
        {**RECORD, "by": "other", "segments": {"method": None}, "x_date": 2024},
    )

    assert list(golden.load().recorded) == [
        Recorded(paper="zinc-01", system="careful", by="GPT", facets={"result": 4}, overall=1.0),
        Recorded(
            paper="zinc-01", system=None, by="GPT", segments=FacetSegments(result="Zinc helps.")
        ),
        Recorded(paper="zinc-01", system="careful", by="other", segments=FacetSegments()),
    ]


def test_suite_without_records_yields_none(golden: Golden) -> None:
    """The key is optional."""
    golden.spoil("summeval.toml", 'recorded = "recorded.jsonl"\n', "")

    assert list(golden.load().recorded) == []


@pytest.mark.parametrize(
    "line",
    [
        RECORD,
        {**RECORD, "system": None, "overall": 1},
        {"paper": "zinc-01", "by": "GPT", "overall": 1},
        {**RECORD, "facets": {"result": None}},
        {"paper": "zinc-01", "system": "careful", "overall": 1},
        {**RECORD, "overall": 1e308},
        {**RECORD, "system": "gone", "overall": 1},
        {**RECORD, "score": 1, "overall": 1},
    ],
)
def test_mistake_in_a_record_is_reported_on_loading(
    golden: Golden, line: dict[str, object], snapshot: SnapshotAssertion
) -> None:
    """Records are read late and checked early."""
    golden.lines("recorded.jsonl", line)
    assert golden.mistake() == snapshot


def test_second_record_by_the_same_judge_is_refused(
    golden: Golden, snapshot: SnapshotAssertion
) -> None:
    """One judge has one record of a pair."""
    line = {**RECORD, "overall": 1}
    golden.lines("recorded.jsonl", line, {**line, "by": "other"}, line)

    assert golden.mistake() == snapshot


def test_file_without_a_record_is_refused(golden: Golden, snapshot: SnapshotAssertion) -> None:
    """A file that was meant to hold something does."""
    golden.write("recorded.jsonl", "\n")

    assert golden.mistake() == snapshot


JUDGE = '[judges.old]\nrecorded = "GPT"\nsegments = "other"\n'


def recorded_judge(golden: Golden, table: str) -> None:
    """A suite with records, and a table of a judge that they make."""
    golden.lines(
        "recorded.jsonl",
        {**RECORD, "facets": {"result": 4}},
        {**RECORD, "by": "other", "segments": {"method": None}},
    )
    golden.spoil("summeval.toml", "[systems.careful]", f"{table}\n[systems.careful]")


def test_records_make_a_judge(golden: Golden) -> None:
    """It is no model, so it is none of the judges that are asked."""
    recorded_judge(golden, JUDGE)
    suite = golden.load()
    assert dict(suite.judges) == {}
    assert dict(suite.recorded_judges) == {
        "old": RecordedSpec(name="old", by="GPT", segments_by="other")
    }


@pytest.mark.parametrize(
    "table",
    [
        JUDGE.replace('"GPT"', '"GTP"'),
        JUDGE.replace('"other"', '"GPT"'),
        JUDGE.replace('segments = "other"\n', ""),
        JUDGE + "votes = 3\n",
    ],
)
def test_a_judge_without_its_records_is_refused(
    golden: Golden, table: str, snapshot: SnapshotAssertion
) -> None:
    """Every question would stay unanswered."""
    recorded_judge(golden, table)
    assert golden.mistake() == snapshot


def test_a_recorded_judge_needs_a_file_of_records(
    golden: Golden, snapshot: SnapshotAssertion
) -> None:
    """The key at the top names it."""
    recorded_judge(golden, JUDGE)
    golden.spoil("summeval.toml", 'recorded = "recorded.jsonl"\n', "")
    assert golden.mistake() == snapshot

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from summeval_pytest.questions import FacetSegments
from summeval_pytest.suite.labels import Recorded
from summeval_pytest.suite.values import RecordedSpec

if TYPE_CHECKING:
    from tests.suite.conftest import Golden

PAIR = {"paper": "zinc-01", "system": "careful", "by": "GPT"}


def test_records_of_pairs_and_references_are_read(golden: Golden) -> None:
    """A record without a system is about the reference."""
    golden.lines(
        "recorded.jsonl",
        {**PAIR, "facets": {"result": 4}, "overall": 1},
        {**PAIR, "system": None, "segments": {"result": "Zinc helps.", "method": None}},
        {**PAIR, "by": "other", "segments": {"method": None}, "x_date": 2024},
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
    ("line", "message"),
    [
        (
            PAIR,
            "this record says nothing; write at least one of 'facets', 'overall', 'segments'",
        ),
        (
            {**PAIR, "system": None, "overall": 1},
            (
                "this record rates a pair, and its 'system' is null;"
                " name the system, or keep only 'segments' for the reference"
            ),
        ),
        (
            {"paper": "zinc-01", "by": "GPT", "overall": 1},
            (
                "this record has no 'system';"
                " add the key with a system's name, or null for the reference"
            ),
        ),
        (
            {**PAIR, "facets": {"result": None}},
            "'result' of 'facets' of this record is null; write a whole number from 1 to 4",
        ),
        (
            {"paper": "zinc-01", "system": "careful", "overall": 1},
            "this record has no 'by'; add the key with a text",
        ),
        (
            {**PAIR, "overall": 1e308},
            "'overall' of this record is 1e+308; write a number from -1,000,000 to 1,000,000",
        ),
        (
            {**PAIR, "system": "gone", "overall": 1},
            "this record is for the unknown system 'gone'; known: careful, terse",
        ),
        (
            {**PAIR, "score": 1, "overall": 1},
            (
                "unknown key 'score' in this record;"
                " known: by, facets, overall, paper, segments, system"
            ),
        ),
    ],
)
def test_mistake_in_a_record_is_reported_on_loading(
    golden: Golden, line: dict[str, object], message: str
) -> None:
    """Records are read late and checked early."""
    golden.lines("recorded.jsonl", line)

    assert golden.mistake() == f"golden/recorded.jsonl:1: {message}"


def test_second_record_by_the_same_judge_is_refused(golden: Golden) -> None:
    """One judge has one record of a pair."""
    line = {**PAIR, "overall": 1}
    golden.lines("recorded.jsonl", line, {**line, "by": "other"}, line)

    assert golden.mistake() == (
        "golden/recorded.jsonl:3: 'GPT' has a record of paper 'zinc-01' and system 'careful'"
        " on line 1, too; delete one"
    )


def test_file_without_a_record_is_refused(golden: Golden) -> None:
    """A file that was meant to hold something does."""
    golden.write("recorded.jsonl", "\n")

    assert golden.mistake() == (
        "golden/recorded.jsonl: 'golden/recorded.jsonl' has no record;"
        " write one a line, or delete 'recorded' from the suite"
    )


JUDGE = '[judges.old]\nrecorded = "GPT"\nsegments = "other"\n'


def recorded_judge(golden: Golden, table: str) -> None:
    """A suite with records, and a table of a judge that they make."""
    golden.lines(
        "recorded.jsonl",
        {**PAIR, "facets": {"result": 4}},
        {**PAIR, "by": "other", "segments": {"method": None}},
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
    ("table", "message"),
    [
        (
            JUDGE.replace('"GPT"', '"GTP"'),
            (
                "golden/summeval.toml:7: 'recorded' of judge 'old' is 'GTP', and the suite records"
                " no ratings of facets of that name; did you mean 'GPT'?"
            ),
        ),
        (
            JUDGE.replace('"other"', '"GPT"'),
            (
                "golden/summeval.toml:8: 'segments' of judge 'old' is 'GPT', and the suite records"
                " no segments of that name; known: other"
            ),
        ),
        (
            JUDGE.replace('segments = "other"\n', ""),
            "golden/summeval.toml:6: judge 'old' has no 'segments'; add the key with a text",
        ),
        (
            JUDGE + "votes = 3\n",
            (
                "golden/summeval.toml:9: unknown key 'votes' in judge 'old';"
                " known: recorded, segments"
            ),
        ),
    ],
)
def test_a_judge_without_its_records_is_refused(golden: Golden, table: str, message: str) -> None:
    """Every question would stay unanswered."""
    recorded_judge(golden, table)
    assert golden.mistake() == message


def test_a_recorded_judge_needs_a_file_of_records(golden: Golden) -> None:
    """The key at the top names it."""
    recorded_judge(golden, JUDGE)
    golden.spoil("summeval.toml", 'recorded = "recorded.jsonl"\n', "")
    assert golden.mistake() == (
        "golden/summeval.toml:6: judge 'old' is recorded, and the suite names no file of records;"
        ' add recorded = "recorded.jsonl" at its top'
    )

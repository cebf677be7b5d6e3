from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from summeval_pytest.errors import Place
from summeval_pytest.suite import EvidenceLabel, FactLabel, FactLabels, Label, SentenceLabel

if TYPE_CHECKING:
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
                {"index": 1, "faithful": False, "evidence": []},
                {"index": 0, "faithful": True, "evidence": [4, {"index": 2, "starts": "We"}]},
            ],
            "facts": {
                "reference": [{"text": "Zinc helps.", "covered": True}],
                "candidate": [{"text": "Zinc harms.", "supported": False}],
            },
            "labelled_by": "two nurses",
            "basis": "full text",
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
                SentenceLabel(index=1, faithful=False),
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
    ("line", "message"),
    [
        (
            {**PAIR, "paper": "zinc-3", "overall": 1},
            "this label is for the unknown paper 'zinc-3'; did you mean 'zinc-02'?",
        ),
        (
            {**PAIR, "system": "carefull", "overall": 1},
            "this label is for the unknown system 'carefull'; did you mean 'careful'?",
        ),
        (
            {"paper": "zinc-02", "system": "terse", "overall": 1},
            (
                "this label is for paper 'zinc-02', which system 'terse' lists under 'skip';"
                " delete one of the two"
            ),
        ),
        (
            PAIR,
            (
                "this label says nothing;"
                " write at least one of 'facets', 'overall', 'sentences', 'facts'"
            ),
        ),
        (
            {**PAIR, "facet": {}, "overall": 1},
            "unknown key 'facet' in this label; did you mean 'facets'?",
        ),
        ({**PAIR, "overall": True}, "'overall' of this label is true; write a finite number"),
        (
            {**PAIR, "facets": {}},
            "'facets' of this label is empty, {}; rate a facet or leave it out",
        ),
        (
            {**PAIR, "facets": {"background": 4}},
            (
                "'background' of 'facets' of this label is 4;"
                " write a whole number from 1 to 3, or null where the reference has none"
            ),
        ),
        (
            {**PAIR, "facets": {"method": 0}},
            (
                "'method' of 'facets' of this label is 0;"
                " write a whole number from 1 to 4, or null where the reference has none"
            ),
        ),
        (
            {**PAIR, "facets": {"result": 2.0}},
            (
                "'result' of 'facets' of this label is 2.0;"
                " write a whole number from 1 to 4, or null where the reference has none"
            ),
        ),
        (
            {**PAIR, "facets": {"conclusion": True}},
            (
                "'conclusion' of 'facets' of this label is true;"
                " write a whole number from 1 to 3, or null where the reference has none"
            ),
        ),
        (
            {**PAIR, "facets": {"methods": 2}},
            "unknown key 'methods' in 'facets' of this label; did you mean 'method'?",
        ),
        (
            {**PAIR, "sentences": []},
            (
                "'sentences' of this label is an empty list, [];"
                " write a list of {'index', 'faithful', 'evidence'}"
            ),
        ),
        (
            {**PAIR, "sentences": [{"index": 0}]},
            "sentence label 1 of this label has no 'faithful'; add the key with true or false",
        ),
        (
            {**PAIR, "sentences": [{"index": 0, "faithful": 1}]},
            "'faithful' of sentence label 1 of this label is 1; write true or false",
        ),
        (
            {**PAIR, "sentences": [{"index": 0, "faithful": True}] * 2},
            "sentence label 2 of this label labels sentence 0 again; delete one",
        ),
        (
            {**PAIR, "sentences": [{"index": 0, "faithful": True, "evidence": ["r2"]}]},
            (
                "'index' of 'evidence' of sentence label 1 of this label is 'r2';"
                " write a whole number of at least 0"
            ),
        ),
        (
            {**PAIR, "facts": {}},
            (
                "'facts' of this label is empty;"
                " write an object with 'reference' or 'candidate' or both"
            ),
        ),
        (
            {**PAIR, "facts": {"reference": [{"text": "a", "supported": True}]}},
            (
                "unknown key 'supported' in reference fact 1 of 'facts' of this label;"
                " known: covered, text"
            ),
        ),
        ({**PAIR, "overall": 1, "basis": ""}, "'basis' of this label is empty (''); write a text"),
    ],
)
def test_mistake_in_a_label_is_reported(
    golden: Golden, line: dict[str, object], message: str
) -> None:
    """Each message says what, where and what to do."""
    golden.lines("labels.jsonl", line)

    assert golden.mistake() == f"golden/labels.jsonl:1: {message}"


def test_second_label_of_a_pair_is_refused(golden: Golden) -> None:
    """Two people who disagree are two files, or one settled label."""
    line = {**PAIR, "overall": 1}
    golden.lines("labels.jsonl", line, line)

    assert golden.mistake() == (
        "golden/labels.jsonl:2: paper 'zinc-01' and system 'careful' have a label on line 1, too;"
        " delete one"
    )


def test_file_without_a_label_is_refused(golden: Golden) -> None:
    """A judge that was compared with nothing is not trusted."""
    golden.write("labels.jsonl", "")

    assert golden.mistake() == (
        "golden/labels.jsonl: 'golden/labels.jsonl' has no label;"
        " write one a line, or delete 'labels' from the suite"
    )

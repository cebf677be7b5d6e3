from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from summeval_pytest.errors import Place
from summeval_pytest.suite.labels import EvidenceLabel, FactLabel, FactLabels, Label, SentenceLabel

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
                " write at least one of 'facets', 'overall', 'sentences', 'facts', 'roles'"
            ),
        ),
        (
            {**PAIR, "facet": {}, "overall": 1},
            "unknown key 'facet' in this label; did you mean 'facets'?",
        ),
        ({**PAIR, "overall": True}, "'overall' of this label is true; write a finite number"),
        (
            {**PAIR, "overall": -1e308},
            ("'overall' of this label is -1e+308; write a number from -1,000,000 to 1,000,000"),
        ),
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
                " write a list of {'index', 'faithful', 'evidence', 'error', 'factual'}"
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
        (
            {**PAIR, "sentences": [{"index": 0, "faithful": True, "error": "unit"}]},
            (
                "sentence label 1 of this label is faithful and names an error;"
                " delete one of the two"
            ),
        ),
        (
            {**PAIR, "sentences": [{"index": 0, "faithful": False, "error": " "}]},
            "'error' of sentence label 1 of this label is empty (' '); write a text",
        ),
        (
            {**PAIR, "sentences": [{"index": 0, "faithful": False, "error": 3}]},
            "'error' of sentence label 1 of this label is 3; write a text",
        ),
        (
            {**PAIR, "sentences": [{"index": 0, "faithful": True, "factual": True}]},
            (
                "sentence label 1 of this label is faithful and has 'factual', which tells"
                " unfaithful sentences apart; delete it"
            ),
        ),
        (
            {**PAIR, "sentences": [{"index": 0, "faithful": False, "factual": "yes"}]},
            "'factual' of sentence label 1 of this label is 'yes'; write true or false",
        ),
        (
            {**PAIR, "sentences": [{"index": -1, "faithful": False}]},
            ("'index' of sentence label 1 of this label is -1; write a whole number of at least 0"),
        ),
        (
            {**PAIR, "facts": {"reference": [{"text": "a", "covered": True}] * 2}},
            "reference fact 2 of 'facts' of this label stands there twice, 'a'; delete one",
        ),
        (
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
            "candidate fact 3 of 'facts' of this label stands there twice, 'a'; delete one",
        ),
        (
            {**PAIR, "facts": {"reference": [{"text": "a"}]}},
            (
                "reference fact 1 of 'facts' of this label has no 'covered';"
                " add the key with true or false"
            ),
        ),
        (
            {**PAIR, "overall": 1, "provenance": ["a"]},
            "'provenance' of this label is a list of 1; write a text",
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


def test_a_mistake_is_found_on_its_own_line(golden: Golden) -> None:
    """A file of a thousand labels is searched by number."""
    sound = {**PAIR, "overall": 1}
    golden.lines("labels.jsonl", sound, {**sound, "paper": "zinc-02", "facets": {"result": 5}})

    assert golden.mistake() == (
        "golden/labels.jsonl:2: 'result' of 'facets' of this label is 5;"
        " write a whole number from 1 to 4, or null where the reference has none"
    )


def test_a_fact_may_stand_on_both_sides(golden: Golden) -> None:
    """The reference and the summary may say the same, each held against the other."""
    facts = {
        "reference": [{"text": "Zinc helps.", "covered": True}],
        "candidate": [{"text": "Zinc helps.", "supported": True}],
    }
    golden.lines("labels.jsonl", {**PAIR, "facts": facts})

    fact = FactLabel(text="Zinc helps.", holds=True)
    (label,) = golden.load().labels.values()
    assert label.facts == FactLabels(reference=(fact,), candidate=(fact,))


def test_an_unfaithful_sentence_need_not_say_why(golden: Golden) -> None:
    """Sets that name no kinds of errors are labels too."""
    golden.lines("labels.jsonl", {**PAIR, "sentences": [{"index": 0, "faithful": False}]})

    (label,) = golden.load().labels.values()
    assert label.sentences == (SentenceLabel(index=0, faithful=False, error=None),)


@pytest.mark.parametrize("factual", [True, False])
def test_an_unfaithful_sentence_may_be_true_all_the_same(golden: Golden, factual: bool) -> None:
    """FareBio's factual hallucination; a label that is silent says neither."""
    sentence = {"index": 0, "faithful": False, "factual": factual}
    golden.lines("labels.jsonl", {**PAIR, "sentences": [sentence]})

    (label,) = golden.load().labels.values()
    assert label.sentences == (SentenceLabel(index=0, faithful=False, factual=factual),)


def test_conflicting_labels_of_a_pair_are_refused(golden: Golden) -> None:
    """Which of two ratings holds cannot be guessed, also where lines stand between them."""
    golden.lines(
        "labels.jsonl",
        {**PAIR, "facets": {"result": 1}},
        {**PAIR, "paper": "zinc-02", "facets": {"result": 2}},
        {**PAIR, "facets": {"result": 4}},
    )

    assert golden.mistake() == (
        "golden/labels.jsonl:3: paper 'zinc-01' and system 'careful' have a label on line 1, too;"
        " delete one"
    )


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

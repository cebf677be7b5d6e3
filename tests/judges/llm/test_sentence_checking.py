from __future__ import annotations

import json

import pytest

from summeval_pytest.judges.llm.replies import ReplyFault
from summeval_pytest.judges.llm.sentences import SentenceSheet
from summeval_pytest.questions import SentenceCheck

SOURCE = ("Zinc was given to 40 mice.", "They slept\nmuch longer.", "Rats did not.")
SHEET = SentenceSheet(("Mice slept.", "Rats slept."), SOURCE)


def read_one(**changed: object) -> SentenceCheck | ReplyFault:
    """What is read of an entry for sentence 1 that differs so from a good one."""
    entry = {"id": 1, "reason": "it says so", "evidence": [], "label": "supported"} | changed
    return SHEET.read(json.dumps({"checks": [entry]}), (1,))[1]


def test_a_request_shows_the_source_and_then_the_sentences_asked_about() -> None:
    """The source is most of a request; requests about one paper begin alike."""
    draft = SHEET.draft((2,))
    lines = draft.user.split("\n")
    assert draft.system.startswith("# Sentence checks\n")
    assert lines[0].startswith("<<<source ")
    assert lines[1:4] == [
        "[1] Zinc was given to 40 mice.",
        "[2] They slept much longer.",
        "[3] Rats did not.",
    ]
    assert lines[6].startswith("<<<sentences ")
    assert lines[7] == "[2] Rats slept."
    assert lines[9:] == ["", "Check sentences: 2."]
    other = SentenceSheet(("Another summary.",), SOURCE).draft((1,))
    assert other.system == draft.system
    assert other.user.split("\n")[:5] == lines[:5]


def test_the_schema_asks_for_quotations_and_the_reason_before_the_label() -> None:
    """A number without words could not be verified."""
    schema = SHEET.draft((1,)).schema
    entry = json.loads(schema.text)["properties"]["checks"]["items"]
    assert schema.name == "sentence_checks"
    assert list(entry["properties"]) == entry["required"] == ["id", "reason", "evidence", "label"]
    evidence = entry["properties"]["evidence"]["items"]
    assert list(evidence["properties"]) == evidence["required"] == ["id", "quote"]
    assert entry["properties"]["label"]["enum"] == ["supported", "unsupported"]
    assert entry["additionalProperties"] is evidence["additionalProperties"] is False


def test_evidence_is_what_stands_in_the_source() -> None:
    """Worked example: the second quotation is under another's number, the third is invented."""
    evidence = [
        {"id": 2, "quote": "slept much longer"},
        {"id": 3, "quote": "zinc was given to 40"},
        {"id": 1, "quote": "zinc was given to 50 mice"},
    ]
    assert read_one(evidence=evidence) == SentenceCheck(
        reason="it says so", supported=True, evidence=(1, 0), n_ungrounded=1
    )


def test_a_sentence_supported_by_no_evidence_stays_supported() -> None:
    """The metric counts it as a yes without evidence; a quotation does not turn a verdict."""
    assert read_one(evidence=[{"id": 1, "quote": "all was well"}]) == SentenceCheck(
        reason="it says so", supported=True, n_ungrounded=1
    )


def test_evidence_against_a_sentence_does_not_turn_its_label() -> None:
    """No and evidence is no (metrics.md 1.2)."""
    found = read_one(label="unsupported", evidence=[{"id": 3, "quote": "Rats did"}])
    assert found == SentenceCheck(reason="it says so", supported=False, evidence=(2,))


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"label": "partially"}, "item 1: label 'partially' is none of supported, unsupported"),
        ({"label": "not supported"},
         "item 1: label 'not supported' is none of supported, unsupported"),
        ({"label": True}, "item 1: label is no text"),
        ({"evidence": "2"}, "item 1 is no list"),
        ({"evidence": [2]}, "item 1: evidence is no JSON object"),
        ({"evidence": [{"id": "2", "quote": ""}]}, "item 1: evidence is no whole number"),
        ({"evidence": [{"id": 2, "quote": None}]}, "item 1: quote is no text"),
        ({"reason": 1}, "item 1: reason is no text"),
        ({"confidence": 0.9}, "item 1 has a key 'confidence'"),
    ],
    ids=repr,
)  # fmt: skip
def test_a_check_that_was_not_asked_for_is_none(changed: dict[str, object], message: str) -> None:
    """Hedges, denials and texts of other shapes are asked about again."""
    found = read_one(**changed)
    assert isinstance(found, ReplyFault)
    assert found.message == message


def test_a_quotation_of_the_summary_is_counted_as_copied() -> None:
    """The judge then proves the sentence by itself."""
    sheet = SentenceSheet(("Mice slept in the old barn.",), SOURCE)
    evidence = [{"id": 1, "quote": "slept in the old barn"}, {"id": 1, "quote": "the moon is"}]
    entry = {"id": 1, "reason": "it says so", "evidence": evidence, "label": "supported"}
    assert sheet.read(json.dumps({"checks": [entry]}), (1,))[1] == SentenceCheck(
        reason="it says so", supported=True, n_ungrounded=2, n_copied=1
    )


@pytest.mark.parametrize(
    ("label", "quote", "supported"),
    [
        ("supported", "zinc was given", True),
        ("supported", "zinc was not given", False),
        ("unsupported", "zinc was given", False),
    ],
    ids=["grounded", "ungrounded", "no"],
)
def test_a_strict_sheet_wants_evidence_that_stands_in_the_source(
    label: str, quote: str, supported: bool
) -> None:
    """An invented quotation is no evidence; no and evidence stays no."""
    sheet = SentenceSheet(SHEET.sentences, SOURCE, strict=True)
    evidence = [{"id": 1, "quote": quote}]
    entry = {"id": 1, "reason": "it says so", "evidence": evidence, "label": label}
    found = sheet.read(json.dumps({"checks": [entry]}), (1,))[1]
    assert isinstance(found, SentenceCheck)
    assert found.supported is supported
    told = "it says so (called supported without evidence, which a strict judge may not)"
    assert found.reason == (told if label == "supported" and not supported else "it says so")

from __future__ import annotations

import json

import pytest

from summeval_pytest.judges.llm.replies import ReplyFault
from summeval_pytest.judges.llm.sentences import FactualCheck, FactualSheet

SHEET = FactualSheet(("Zinc is a metal.", "It is cheap.", "Mice like it."), (2, 3))


def read_one(**changed: object) -> FactualCheck | ReplyFault:
    """What is read of an entry for sentence 2 that differs so from a good one."""
    entry = {"id": 2, "reason": "well known", "label": "true"} | changed
    return SHEET.read(json.dumps({"checks": [entry]}), (2,))[2]


def test_a_request_shows_every_sentence_and_asks_about_some() -> None:
    """A pronoun is nothing by itself; the source is not shown, as it does not say so."""
    draft = SHEET.draft((3,))
    lines = draft.user.split("\n")
    assert draft.system.startswith("# Factual checks\n")
    assert lines[1:4] == ["[1] Zinc is a metal.", "[2] It is cheap.", "[3] Mice like it."]
    assert lines[-1] == "Check sentences: 3."
    assert SHEET.units == ((2,), (3,))
    assert SHEET.topic == "factual checks 'It is cheap.'"
    entry = json.loads(draft.schema.text)["properties"]["checks"]["items"]
    assert list(entry["properties"]) == ["id", "reason", "label"]


@pytest.mark.parametrize(("label", "factual"), [("true", True), ("not_true", False)])
def test_a_label_says_whether_the_sentence_is_true_all_the_same(label: str, factual: bool) -> None:
    """In doubt it is not, so that nothing is excused by chance."""
    assert read_one(label=label) == FactualCheck(reason="well known", factual=factual)


@pytest.mark.parametrize("label", ["probably", True, "True", "false"])
def test_another_label_is_asked_again(label: object) -> None:
    """What resembles a label is none."""
    assert isinstance(read_one(label=label), ReplyFault)

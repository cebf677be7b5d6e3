from __future__ import annotations

import json

import pytest

from summeval_pytest.judges.llm.facets_and_facts import CountSheet
from summeval_pytest.judges.llm.replies import ReplyFault
from summeval_pytest.questions import CountFacts, FactCounts, Unanswered
from tests.judges.llm.test_judge import ask, judge_of, kinds_sent

SHEET = CountSheet("Zinc\nhelped.", "Zinc did not help.")


def counts(**changed: object) -> str:
    """A reply, with other values in its place."""
    told = {"reason": "zinc", "reference": 3, "candidate": 2, "matched": 1}
    return json.dumps(told | changed)


def test_a_request_shows_both_texts_and_asks_for_three_counts() -> None:
    """The whole of a metric in one prompt."""
    draft = SHEET.draft((1,))
    assert draft.system.startswith("# Fact counts\n")
    assert "\nZinc helped.\nreference " in draft.user
    assert "\nZinc did not help.\nsummary " in draft.user
    assert draft.user.endswith("\n\nCount the facts.")
    assert json.loads(draft.schema.text)["required"] == [
        "reason", "reference", "candidate", "matched",
    ]  # fmt: skip


def test_a_reply_is_three_counts() -> None:
    """Worked example; 3.0 is a whole number in JSON."""
    assert SHEET.read(counts(reference=3.0), (1,)) == {
        1: FactCounts(reason="zinc", reference=3, candidate=2, matched=1)
    }


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"matched": 3}, "3 facts in both of 3 in the reference, 2 in the summary"),
        ({"reference": 0}, "1 facts in both of 0 in the reference, 2 in the summary"),
        ({"matched": -1}, "-1 facts in both of 3 in the reference, 2 in the summary"),
        ({"matched": "1"}, "the count 'matched' is no whole number"),
        ({"matched": 0.5}, "the count 'matched' is no whole number"),
        ({"f1": 0.4}, "the reply has a key 'f1'"),
    ],
)
def test_counts_that_cannot_be_are_unreadable(changed: dict[str, object], message: str) -> None:
    """More in both than in one of them is a share above 1."""
    found = SHEET.read(counts(**changed), (1,))[1]
    assert isinstance(found, ReplyFault)
    assert found.message == message


def test_text_without_counts_is_unreadable() -> None:
    """And is asked again, as every reply is."""
    found = SHEET.read("about three", (1,))[1]
    assert isinstance(found, ReplyFault)
    assert found.kind == "no_json"


@pytest.mark.parametrize("batched", [True, False])
def test_the_judge_counts_in_one_request(*, batched: bool) -> None:
    """By rule each of three content words is a fact, of which two are in the summary's three."""
    judge = judge_of(batched=batched, votes=3)
    (answer,) = ask(judge, CountFacts("Zinc helped mice.", "Zinc helped rats."))
    assert answer == FactCounts(reason="words", reference=3, candidate=3, matched=2)
    assert kinds_sent(judge) == {"fact_counts": 1}


def test_counts_that_stay_unreadable_are_unanswered() -> None:
    """After two more requests; never a zero."""
    judge = judge_of(lambda _, text: text.replace('"matched": 2', '"matched": 9'))
    (answer,) = ask(judge, CountFacts("Zinc helped mice.", "Zinc helped rats."))
    assert answer == Unanswered(
        "9 facts in both of 3 in the reference, 3 in the summary; ask again"
    )
    assert kinds_sent(judge) == {"fact_counts": 3}

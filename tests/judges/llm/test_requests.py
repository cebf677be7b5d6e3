"""What each kind of request shows and asks for, and what is read of its replies."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace

import pytest
from syrupy.assertion import SnapshotAssertion

from summeval_pytest import questions as q
from summeval_pytest.judges.llm.facet_ratings import (
    FacetsEntry,
    labels_batch,
    rating_batch,
    segments_batch,
)
from summeval_pytest.judges.llm.fact_requests import FactsEntry, fact_batch, facts_batch
from summeval_pytest.judges.llm.prompts import PromptBatch
from summeval_pytest.judges.llm.replies import UnreadableError
from summeval_pytest.judges.llm.sentence_checks import sentence_batch
from tests.judges.llm.by_rule import request_in_words

SENTENCES = (
    "Sleep was poor.",
    "We gave zinc\nto 40 mice, and it helped.",
    "They slept 20 min longer.",
)
METHOD = q.FacetPair(facet="method", reference="40 mice\nhad zinc.", candidate="Mice had zinc.")
RESULT = q.FacetPair(facet="result", reference="They slept.", candidate="They slept well.")
AIM = q.FacetPair(facet="background", reference="Sleep is poor.", candidate="Sleep is bad.")
PREMISES = ("Zinc was\ngiven.", "40 mice had it.")
MICE = ("Zinc was given to 40 mice (two cages).", "They slept\nmuch longer.", "Rats did not.")
SLEPT = q.CheckSentences(("Mice slept in the old barn.", "Rats slept."), MICE)


def chain(*parents: int | None) -> tuple[q.Fact, ...]:
    """Facts with these parents."""
    return tuple(
        q.Fact(text=f"Fact {place + 1}.", sentence=0, parent=parent)
        for place, parent in enumerate(parents)
    )


BATCHES: dict[str, PromptBatch[object]] = {
    "facets": labels_batch(SENTENCES),
    "facet segments": segments_batch("Zinc\nhelped. >>> Copy all."),
    "facts": facts_batch(SENTENCES),
    "facet ratings": rating_batch((AIM, METHOD, RESULT, METHOD)),
    "fact checks": fact_batch(q.CheckFacts(chain(None, 0, 1, None), PREMISES)),
    "enough premises": fact_batch(q.CheckFacts(chain(None, 0), PREMISES, every_premise=False)),
    "sentence checks": sentence_batch(SLEPT),
}


@pytest.mark.parametrize("name", BATCHES)
def test_what_a_request_about_some_items_shows(name: str, snapshot: SnapshotAssertion) -> None:
    """What explains an item is shown whole, first, and on lines of its own; then what is asked."""
    assert request_in_words(BATCHES[name]) == snapshot


@pytest.mark.parametrize(
    ("parents", "units"),
    [((None, 0, None, 1, 0, 2), ((1, 2, 4, 5), (3, 6))), ((1, 1, 7, -1), ((1,), (2,), (3,), (4,)))],
)
def test_a_chain_is_one_unit_from_the_root_on(
    parents: tuple[int | None, ...], units: tuple[tuple[int, ...], ...]
) -> None:
    """A parent that does not stand before its fact is none: such a chain has no root."""
    assert fact_batch(q.CheckFacts(chain(*parents), PREMISES)).units == units


FACTS = [
    {"text": " Zinc was given\nto 40 mice.", "refines": 0},
    {"text": "Zinc helped 40 mice.", "refines": 1.0},
]
LOOP = {"text": "Z", "refines": 1}
CHECK = {"reason": "both", "premises": [2, 1, 2], "label": "entailed"}
SEEN = {"reason": "it says so", "evidence": [], "label": "supported", "error": "none"}
QUOTES = [
    {"id": 2, "quote": "slept much longer"},
    {"id": 3, "quote": "zinc was given to 40"},
    {"id": 1, "quote": "zinc was given to 50 mice"},
    {"id": 1, "quote": "slept in the old barn"},
]
GOOD: Mapping[str, tuple[str, Mapping[str, object]]] = {
    "facets": ("sentences", {"facets": ["result", "method"]}),
    "facts": ("sentences", {"facts": FACTS}),
    "fact checks": ("checks", CHECK),
    "sentence checks": ("checks", SEEN),
}
"""By batch, the list of a reply and a good entry for item 2."""


def read(name: str, **changed: object) -> object:
    """What is read of an entry for item 2 that differs so from a good one."""
    key, good = GOOD[name]
    reply = {key: [{"id": 2, **good, **changed}]}
    (item,) = BATCHES[name].read(json.dumps(reply), (2,)).values()
    return item


def test_a_sentence_has_its_facets_and_facts() -> None:
    """Worked example: two facets, two facts, the second a detail of the first."""
    labelled, stated = read("facets"), read("facts")
    assert isinstance(stated, FactsEntry)
    assert isinstance(labelled, FacetsEntry)
    assert labelled.facets == ["result", "method"]
    assert [(fact.text, fact.refines) for fact in stated.facts] == [
        ("Zinc was given to 40 mice.", 0),
        ("Zinc helped 40 mice.", 1),
    ]


@pytest.mark.parametrize(
    ("name", "changed", "item"),
    [
        # Premises count from 1 in replies and from 0 in answers, each once, in the order named.
        ("fact checks", {}, q.FactCheck(reason="both", entailed=True, premises=(1, 0))),
        ("fact checks", {"label": "not_entailed", "premises": [2]},
         q.FactCheck(reason="both", entailed=False, premises=(1,))),
        # One quotation is under another's number, one invented, one the summary's own, which would
        # prove the sentence by itself.
        ("sentence checks", {"evidence": QUOTES}, q.SentenceCheck(
            reason="it says so", supported=True, evidence=(1, 0), n_ungrounded=2, n_copied=1,
            error="")),
        # An unsupported sentence without a kind of error leaves it open.
        ("sentence checks", {"evidence": QUOTES[:1], "label": "unsupported"},
         q.SentenceCheck(reason="it says so", supported=False, evidence=(1,))),
        ("sentence checks", {"evidence": QUOTES[:1], "label": "unsupported", "error": "cause"},
         q.SentenceCheck(reason="it says so", supported=False, evidence=(1,), error="cause")),
        # A supported one has none, whatever is said.
        ("sentence checks", {"error": "cause"},
         q.SentenceCheck(reason="it says so", supported=True, error="")),
    ],
)  # fmt: skip
def test_a_reply_becomes_an_item(name: str, changed: dict[str, object], item: object) -> None:
    """Worked examples; texts come on one line, and 3.0 is a whole number."""
    assert read(name, **changed) == item


def test_an_entry_that_was_not_offered_is_unusable_as_a_whole(snapshot: SnapshotAssertion) -> None:
    """Half of its facts would be a summary that says less; hedges and denials are asked again."""
    wrong: list[tuple[str, dict[str, object]]] = [
        ("facets", {"facets": ["aim"]}), ("facets", {"facets": list(q.FACETS)}),
        ("facts", {"facts": [LOOP]}), ("facts", {"facts": [{"text": "</s> .", "refines": 0}]}),
        ("fact checks", {"label": "Entailed"}), ("fact checks", {"premises": [3]}),
        ("sentence checks", {"label": "not supported"}),
        ("fact checks", {"premises": []}),  # nothing follows from nothing
    ]  # fmt: skip
    messages = []
    for name, changed in wrong:
        result = read(name, **changed)
        assert isinstance(result, UnreadableError)
        messages.append(result.message)
    assert messages == snapshot


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"rating": 0}, "rating: Input should be greater than or equal to 1, not '0'"),
        ({"rating": 5}, "rating: Input should be less than or equal to 4, not '5'"),
    ],
)  # fmt: skip
def test_a_rating_that_was_not_offered_is_none(changed: dict[str, object], message: str) -> None:
    """A rating off its scale, brought back to it, would be ours."""
    reply = json.dumps({"method": {"reason": "", "coverage": 50, "rating": 3} | changed})
    of_facet = BATCHES["facet ratings"].read(reply, (2,))[2]
    assert isinstance(of_facet, UnreadableError)
    assert of_facet.args == ("off_scale", f"method: {message}")


@pytest.mark.parametrize("coverage", [-1, 101, "all", 40.5])
def test_a_coverage_is_a_whole_number_of_per_cent(coverage: object) -> None:
    """Anything else could be read in two ways."""
    reply = json.dumps({"method": {"reason": "", "coverage": coverage, "rating": 3}})
    assert isinstance(BATCHES["facet ratings"].read(reply, (2,))[2], UnreadableError)


def test_a_summary_that_is_read_as_a_whole_is_shown_once() -> None:
    """What it says anywhere counts for every facet of the reference."""
    pairs = tuple(replace(pair, candidate="Rats were fed.") for pair in (AIM, METHOD, RESULT))
    message = rating_batch(pairs).message((1, 2, 3))
    assert message.count("Rats were fed.") == 1
    assert message.count("<<<") == len(pairs) + 1
    assert "Rate: background (1 to 3), method (1 to 4), result (1 to 4)." in message


def test_ratings_are_read_by_facet_whatever_their_order() -> None:
    """Another facet's entry rates nothing; of two pairs of a facet the second has a number."""
    text = json.dumps({
        "conclusion": {"reason": "", "coverage": 0, "rating": 9},
        "method_2": {"reason": "same", "coverage": 100, "rating": 4},
        "background": {"reason": " as\nwell", "coverage": 40.0, "rating": 2.0},
    })  # fmt: skip
    result = dict(BATCHES["facet ratings"].read(text, (1, 2, 4)))
    fault = result.pop(2)
    assert isinstance(fault, UnreadableError)
    assert fault.args == ("missing", "method is missing")
    assert result == {
        1: q.FacetRating(facet="background", reason="as well", rating=2, coverage=40),
        4: q.FacetRating(facet="method", reason="same", rating=4, coverage=100),
    }


SOURCE = tuple(f"The moss number {n} grew by {n} mm in the wet year of {n}." for n in range(200))


def quoting(*quotes: str) -> str:
    """A reply with these quotations as evidence."""
    evidence = [{"id": 1, "quote": quote} for quote in quotes]
    check = {"id": 1, "reason": "so", "evidence": evidence, "label": "supported"}
    return json.dumps({"checks": [check]}, ensure_ascii=False)


@pytest.mark.parametrize(
    "text",
    [
        "{" + ",".join(f'"k{n}":0' for n in (*range(20_000), 19_999)) + "}",
        quoting("a" + "\u0301\u0323" * 50_000),
        quoting(*(f"moss number {n} grew tall" for n in range(1_000))),
    ],
    ids=["keys", "accents", "quotations"],
)
def test_a_hostile_long_reply_is_read_in_seconds(text: str) -> None:
    """Each took minutes once, with the square of its length or once for each sentence."""
    batch = sentence_batch(q.CheckSentences(sentences=("Moss grew.",), source=SOURCE))
    begin = time.thread_time()
    with suppress(UnreadableError):
        batch.read(text, (1,))
    assert time.thread_time() - begin < 4.0


@pytest.mark.parametrize(
    ("method", "is_there"),
    [
        ("", True),
        ("six roofs were planted", True),
        ("Six roofs were planted with moss in spring, and measured.", True),
        ("The text is written in blocks.", False),
    ],
)
def test_a_copy_that_the_text_does_not_have_is_asked_for_again(
    method: str, *, is_there: bool
) -> None:
    """A weak model copies other words; only an empty facet says that the text states none."""
    text = "Bare roofs are hot. Six roofs were planted with moss in spring."
    copied = {**dict.fromkeys(("result", "conclusion"), ""), "background": "Bare roofs are hot."}
    batch = segments_batch(text)
    (item,) = batch.read(json.dumps({**copied, "method": method}), (1,)).values()
    if is_there:
        assert isinstance(item, q.FacetSegments)
        assert item.method == method
    else:
        assert isinstance(item, UnreadableError)
        assert (item.kind, item.message) == (
            "invented",
            "the words copied for 'method' do not stand in the text",
        )

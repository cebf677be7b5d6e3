"""The papers' own ways to ask an LLM judge."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from summeval_pytest import questions as q
from summeval_pytest.endpoints.chat import ChatRequest
from summeval_pytest.errors import SuiteError
from summeval_pytest.judges.llm.facet_ratings import PLAIN, Style, rating_batch
from summeval_pytest.judges.llm.llm_judge import LlmJudge, prompt_hash
from summeval_pytest.judges.llm.prompts import PromptBatch
from summeval_pytest.judges.llm.sentence_checks import sentence_batch
from summeval_pytest.run.session import Session
from summeval_pytest.study.llm_readings import (
    FacetReading,
    LlmReadings,
    ReadingJudge,
    SentenceMode,
    factual_batch,
    free_batch,
    in_reading,
    rating_by_facts,
    strictly,
)
from tests.asked_suite import loaded, write_suite
from tests.judges.llm.by_rule import (
    CLAIMS,
    SOURCE,
    Hook,
    RuleSender,
    as_it_is,
    ask,
    checks_of,
    kind_of,
    kinds_sent,
    request_in_words,
    sent_by,
)

SLEEP = (
    "Sleep was poor.",
    "We gave zinc to 40 mice, and it helped.",
    "Zinc mice slept 20 min longer.",
)
MICE = ("Zinc was given to 40 mice (two cages).", "They slept\nmuch longer.", "Rats did not.")
SLEPT = q.CheckSentences(("Mice slept in the old barn.", "Rats slept."), MICE)
METHOD = q.FacetPair(facet="method", reference="40 mice\nhad zinc.", candidate="Mice had zinc.")
RESULT = q.FacetPair(facet="result", reference="They slept.", candidate="They slept well.")
BATCHES: dict[str, PromptBatch[object]] = {
    "facet ratings": rating_batch((METHOD, RESULT), in_reading(PLAIN, "free", "paper")),
    "sentence labels": free_batch(SLEPT, "label"),
    "sentence quotes": free_batch(SLEPT, "label-and-sentences"),
    "strict": strictly(sentence_batch(SLEPT)),
    "strict quotes": strictly(free_batch(SLEPT, "label-and-sentences")),
    "factual checks": factual_batch(SLEEP, (2, 3)),
}


def reader(
    hook: Hook = as_it_is,
    *,
    votes: int = 1,
    batched: bool = True,
    examples: bool = True,
    **keys: Any,
) -> ReadingJudge:
    """A judge of these keys with a model by rule behind it."""
    return ReadingJudge(
        RuleSender(hook),
        model="m-1",
        endpoint="rule",
        votes=votes,
        batched=batched,
        style=Style(examples=examples),
        keys=LlmReadings(name="rule", endpoint="rule", model="m-1", **keys),
    )


@pytest.mark.parametrize("name", [name for name in BATCHES if "strict" not in name])
def test_what_a_request_about_some_items_shows(name: str, snapshot: SnapshotAssertion) -> None:
    """What explains an item is shown whole, first, and on lines of its own; then what is asked."""
    assert request_in_words(BATCHES[name]) == snapshot


def test_the_signature_holds_all_that_moves_the_answers() -> None:
    """Scores under two readings must not be compared in silence; the usual one has no word."""
    assert reader().signature == LlmJudge(RuleSender(), model="m-1", endpoint="rule").signature
    other = reader(
        votes=3, batched=False, examples=False, facets="free", rubric="release", strict=True
    )
    style = in_reading(Style(examples=False), "free", "release")
    assert other.signature == (
        f"m-1 at=rule temp=0 prompt={prompt_hash(style)} votes=3 calls=single rubric=release"
        " examples=0 facets=free strict=yes"
    )


def test_keys_that_do_not_go_together_have_a_line(
    tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    """A strict judge that is asked for no evidence could call nothing supported."""
    messages = []
    for keys in (
        'sentences = "label"\nstrict = true',
        'sentences = "labels"',
        'strict = "yes"',
        "factual = 1",
        'rubric = "own"',
        'facets = "gpt"',
        "sentence = 1",
    ):
        table = f'use = "summeval_pytest.study.llm_readings:LlmReadings"\n{keys}'
        suite = loaded(write_suite(tmp_path / "kilns", "http://127.0.0.1:9/v1", judge=table))
        with pytest.raises(SuiteError) as caught:
            Session({}).judge("rule", [suite])
        messages.append(str(caught.value))
    assert messages == snapshot


def test_each_sentence_has_a_request_of_its_own_and_an_answer() -> None:
    """A sentence without a reply leaves the text open: it could state any facet."""
    text = " ".join(SLEEP)
    judge = reader(batched=False, facets="sentences")
    ask(judge, q.SegmentFacets(text))
    assert kinds_sent(judge) == {"facets": 3}

    def hook(_: ChatRequest, text: str) -> str:
        return json.dumps({key: each[1:] for key, each in json.loads(text).items()})

    lost = (q.Unanswered("item 1 is missing; ask again"),)
    assert ask(reader(hook, facets="sentences"), q.SegmentFacets(text)) == lost


QUOTES = [
    {"id": 2, "quote": "slept much longer"},
    {"id": 1, "quote": "zinc was given to 50 mice"},
]


@pytest.mark.parametrize(
    ("changed", "check"),
    [
        ({"evidence": QUOTES[:1]}, {"supported": True, "evidence": (1,), "error": ""}),
        ({"evidence": QUOTES[:1], "label": "unsupported"}, {"evidence": (1,)}),
        # An invented quotation is no evidence (metrics.md 1.2).
        ({"evidence": QUOTES[1:]}, {
            "reason": "so (called supported without evidence, which a strict judge may not)",
            "n_ungrounded": 1, "error": "invented"}),
    ],
)  # fmt: skip
def test_a_strict_judge_supports_nothing_without_evidence(
    changed: dict[str, object], check: dict[str, Any]
) -> None:
    """Whatever its label; each vote is read so."""
    entry = {"id": 2, "reason": "so", "label": "supported", "error": "none"} | changed
    (item,) = BATCHES["strict"].read(json.dumps({"checks": [entry]}), (2,)).values()
    assert item == replace(q.SentenceCheck(reason="so", supported=False), **check)


@pytest.mark.parametrize(
    ("name", "reply", "check"),
    [
        ("sentence quotes",
         "Yes (Rats did not.) (Zinc was given to 40 mice (two cages).) (It was given to 50 mice.)",
         {"supported": True, "evidence": (2, 0), "n_ungrounded": 1}),
        # What a model adds unasked would be there for some sentences and not for others.
        ("sentence labels", "Yes (Rats did not.) (no such words)", {"supported": True}),
        # A model that thinks aloud says yes and no before it decides.
        ("sentence quotes", "<think>Yes? (Rats did not) No.</think>\nNo.", {"supported": False}),
        ("strict quotes", "Yes.", {"supported": False}),
    ],
)  # fmt: skip
def test_free_text_is_read_by_its_first_word_and_its_parentheses(
    name: str, reply: str, check: dict[str, Any]
) -> None:
    """A quotation may hold parentheses; one with another number stands nowhere."""
    result = BATCHES[name].read(reply, (1,))[1]
    assert isinstance(result, q.SentenceCheck)
    assert result == replace(q.SentenceCheck(reason=result.reason, supported=True), **check)
    assert reply.endswith(result.reason.partition(" (called")[0])


@pytest.mark.parametrize(
    ("reading", "of_reference", "of_summary", "of_ratings"),
    [
        ("whole", {"facet_segments": 1}, {}, {"facet_ratings": 1}),
        ("free", {"facet_segments": 1}, {"facet_segments": 1}, {"facet_ratings": 1}),
        ("sentences", {"facets": 1}, {"facets": 1}, {"facet_ratings": 1}),
        ("facts", {"facets": 1}, {}, {"facts": 1, "fact_checks": 1}),
    ],
)
def test_what_is_asked_depends_on_how_facets_are_read(
    reading: FacetReading, of_reference: object, of_summary: object, of_ratings: object
) -> None:
    """A summary that is read as a whole states each facet as a whole, and nobody is asked."""
    text = " ".join(SLEEP)
    pairs = tuple(q.FacetPair(facet=f, reference=SLEEP[1], candidate=text) for f in q.FACETS)
    requested: tuple[tuple[q.Question, object], ...] = (
        (q.SegmentFacets(text), of_reference),
        (q.SegmentFacets(text, is_summary=True), of_summary),
        (q.RateFacets(pairs, text, text), of_ratings),
    )
    for question, kinds in requested:
        judge = reader(facets=reading)
        (answer,) = ask(judge, question)
        assert kinds_sent(judge) == kinds
        if isinstance(answer, q.FacetSegments):
            result = {answer.segment(facet) for facet in q.FACETS}
            assert result == {text} if not kinds else text not in result


KEPT, AGAINST, MISSING = (
    q.FactCheck(reason="", entailed=entailed, premises=premises)
    for entailed, premises in ((True, (0,)), (False, (0,)), (False, ()))
)


@pytest.mark.parametrize(
    ("facet", "checks", "coverage", "rating"),
    [
        ("method", [KEPT] * 3 + [MISSING], 75, 4),
        ("method", [KEPT] * 2 + [MISSING] * 3, 40, 3),
        ("result", [KEPT] + [MISSING] * 2, 33, 2),
        ("result", [MISSING], 0, 2),
        ("result", [KEPT, AGAINST, AGAINST], 0, 1),
        ("background", [KEPT, MISSING], 50, 3),
        ("conclusion", [KEPT, KEPT, AGAINST], 33, 2),
        ("conclusion", [AGAINST], 0, 1),
    ],
)
def test_coverage_by_facts_becomes_a_rating(
    facet: q.Facet, checks: list[q.FactCheck], coverage: int, rating: int
) -> None:
    """A contradicted fact, which names what contradicts it, takes one that holds away."""
    rated = rating_by_facts(facet, checks)
    assert isinstance(rated, q.FacetRating)
    assert (rated.coverage, rated.rating) == (coverage, rating)
    assert rating_by_facts(facet, [*checks, q.Unanswered("lost")]) == q.Unanswered("lost")


@pytest.mark.parametrize(
    ("mode", "kind", "reason", "evidence"),
    [
        ("label-and-sentences", "sentence_quotes", f"Yes. ({SOURCE[0]})", (0,)),
        ("label", "sentence_labels", "Yes.", ()),
    ],
)
def test_free_text_is_asked_for_one_sentence_a_request_without_a_schema(
    mode: SentenceMode, kind: str, reason: str, evidence: tuple[int, ...]
) -> None:
    """FareBio's protocol, whatever the judge batches elsewhere; a label names no evidence."""
    judge = reader(sentences=mode)
    assert checks_of(judge) == (
        q.SentenceCheck(reason=reason, supported=True, evidence=evidence),
        q.SentenceCheck(reason="No.", supported=False),
        q.SentenceCheck(reason="No.", supported=False),
    )
    assert [kind_of(request) for request in sent_by(judge)] == [kind] * 3
    voted = reader(votes=3, sentences=mode)
    assert [getattr(check, "support", None) for check in checks_of(voted)] == [1.0, 0.0, 0.0]
    assert (voted.tally.n_voted, len(sent_by(voted))) == (3, 9)
    assert all(request.schema is None for request in sent_by(judge))


@pytest.mark.parametrize(
    ("has_reply", "factual"), [(True, [None, True, False]), (False, [None, None, None])]
)
def test_unsupported_sentences_are_asked_again(
    *, has_reply: bool, factual: list[bool | None]
) -> None:
    """What is true beyond the source stays unsupported, and without an answer it is open."""

    def hook(request: ChatRequest, text: str) -> str:
        return text if has_reply or kind_of(request) == "sentence_checks" else "{}"

    judge = reader(hook, factual=True)
    checks = [check for check in checks_of(judge) if isinstance(check, q.SentenceCheck)]
    assert [check.supported for check in checks] == [True, False, False]
    assert [check.factual for check in checks] == factual
    assert [kind_of(r) for r in sent_by(judge)[:2]] == ["sentence_checks", "factual_checks"]
    assert sent_by(judge)[1].messages[1].content.endswith("Check sentences: 2-3.")
    supported = reader(factual=True)
    ask(supported, q.CheckSentences(CLAIMS.sentences[:1], SOURCE))
    assert kinds_sent(supported) == {"sentence_checks": 1}

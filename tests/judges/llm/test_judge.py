from __future__ import annotations

import json
import threading
from typing import Any

import pytest

from summeval_pytest import questions as q
from summeval_pytest.endpoints.chat import ChatRequest
from summeval_pytest.errors import OptionError
from summeval_pytest.judges.llm import fact_requests
from summeval_pytest.judges.llm.asking import ReplyCounts
from summeval_pytest.judges.llm.facet_ratings import Style, rating_by_facts
from summeval_pytest.judges.llm.llm_judge import LlmJudge, prompt_hash
from tests.judges.llm.by_rule import Hook, RuleSender, ask, judge_of, kind_of, kinds_sent, sent_by

SENTENCES = (
    "Bricks crack.",
    "We fired forty bricks and weighed them.",
    "Slow firing gave bricks of 31 MPa.",
    "Slow firing is worth its fuel.",
)
TEXT = " ".join(SENTENCES)
FACTS = (
    q.Fact(text="Forty bricks were fired.", sentence=0),
    q.Fact(text="Slow firing gave 31 MPa.", sentence=1),
    q.Fact(text="Slow firing gave 22 MPa.", sentence=1, parent=1),
)
PAIRS = (
    q.FacetPair(
        facet="method", reference="We fired forty bricks.", candidate="Forty bricks fired."
    ),
    q.FacetPair(facet="result", reference="Slow firing gave 31 MPa.", candidate="Fuel was dear."),
)
NOTHING = q.FactCheck(reason="there is no premise", entailed=False)
NO_SOURCE = q.SentenceCheck(reason="there is no source", supported=False)
SLEEP = (
    "Sleep was poor.",
    "We gave zinc to 40 mice, and it helped.",
    "Zinc mice slept 20 min longer.",
)


def test_one_by_one_every_item_has_a_request_of_its_own() -> None:
    """One call for each sentence, facet and fact is how the papers' numbers were made."""
    judge = judge_of(batched=False, style=Style(facets="sentences"))
    questions = (
        q.SegmentFacets(TEXT),
        q.ListFacts(SENTENCES),
        q.RateFacets(PAIRS),
        q.CheckFacts(FACTS, SENTENCES),
        q.CheckSentences(SENTENCES[:2], SENTENCES),
    )
    together = judge_of(style=judge.style)
    assert ask(judge, *questions) == ask(together, *questions)
    assert judge.tally == together.tally == ReplyCounts()
    assert kinds_sent(together) == dict.fromkeys(
        ("facets", "facts", "facet_ratings", "fact_checks", "sentence_checks"), 1
    )
    assert kinds_sent(judge) == {
        "facets": 4, "facts": 4, "facet_ratings": 2, "fact_checks": 3, "sentence_checks": 2,
    }  # fmt: skip


def test_what_answers_itself_is_not_asked() -> None:
    """A request about nothing costs money and has no reply."""
    answers: dict[q.Question, q.Answer] = {
        q.SegmentFacets(""): q.FacetSegments(),
        q.ListFacts(()): q.FactList(()),
        q.RateFacets(()): q.FacetRatings(()),
        q.CheckFacts((), SENTENCES): q.FactChecks(()),
        q.CheckSentences((), SENTENCES): q.SentenceChecks(()),
        q.CheckFacts(FACTS[:1], ()): q.FactChecks((NOTHING,)),
        q.CheckSentences(SENTENCES[:1], ()): q.SentenceChecks((NO_SOURCE,)),
    }
    judge = judge_of()
    assert ask(judge, *answers) == tuple(answers.values())
    assert sent_by(judge) == []


def test_a_fact_with_a_number_that_its_sentence_lacks_is_unusable() -> None:
    """Fact 2 is invented; fact 3, which refines it, then refines what fact 2 refined."""
    facts = {
        1: {"Sleep was poor.": 0},
        2: {"Zinc was given.": 0, "50 mice had it.": 1, "It helped.": 2},
        3: {"Mice slept 20 h longer.": 0, "Mice slept 1200 s longer.": 0},
    }
    entries = [
        {"id": n, "facts": [{"text": text, "refines": to} for text, to in stated.items()]}
        for n, stated in facts.items()
    ]
    judge = judge_of(lambda *_: json.dumps({"sentences": entries}))
    (listed,) = ask(judge, q.ListFacts(SLEEP))
    assert judge.tally == ReplyCounts(n_dropped_facts=2)
    assert listed == q.FactList(
        (
            q.Fact(text="Sleep was poor.", sentence=0),
            q.Fact(text="Zinc was given.", sentence=1),
            q.Fact(text="It helped.", sentence=1, parent=1),
            q.Fact(text="Mice slept 1200 s longer.", sentence=2),
        ),
        unusable=(
            q.Fact(text="50 mice had it.", sentence=1),
            q.Fact(text="Mice slept 20 h longer.", sentence=2),
        ),
    )


@pytest.mark.parametrize("question", [q.ListFacts(SENTENCES), q.ListRelations(TEXT)], ids=type)
def test_numbers_of_long_statements_are_read_off_the_event_loop(
    monkeypatch: pytest.MonkeyPatch, question: q.ListFacts | q.ListRelations
) -> None:
    """A statement of a megabyte may hold half a million numbers."""
    threads: set[int] = set()

    def has_its_numbers(*_: object) -> bool:
        threads.add(threading.get_ident())
        return True

    monkeypatch.setattr(fact_requests, "has_its_numbers", has_its_numbers)
    long = "9 " * 20_000
    ask(judge_of(lambda _, text: text.replace("Bricks ", f"{long} ", 1)), question)
    assert len(threads) == 1
    assert threading.get_ident() not in threads


STEPS = ("entities", "triples", "statements")
BURNED = "Bricks often crack.\n\nForty bricks were fired. Slow firing spares 31 bricks."
RELATION = q.Relation(
    head="Bricks",
    relation="is told of with",
    tail="bricks",
    statement="Bricks and bricks are told of together.",
)


@pytest.mark.parametrize(
    ("batched", "kinds"),
    [(True, ["relations"]), (False, ["entities", "entities", "triples", "statements"])],
)
def test_relations_are_found_at_once_or_in_three_steps(*, batched: bool, kinds: list[str]) -> None:
    """Two paragraphs, one text, one triple: a request each, and each waits for the one before.

    Entities are words of five letters: bricks, often, crack, forty, fired, firing and spares.
    """
    judge = judge_of(batched=batched)
    assert ask(judge, q.ListRelations(BURNED)) == (q.RelationList((RELATION,)),)
    assert [kind_of(request) for request in sent_by(judge)] == kinds
    assert judge.tally == ReplyCounts()
    names = "\nBricks\noften\ncrack\nForty\nfired\nfiring\nspares\n"
    assert batched or names in sent_by(judge)[2].messages[1].content
    foreign = judge_of(lambda _, text: text.replace("of together", "of 99 times"), batched=batched)
    (answer,) = ask(foreign, q.ListRelations(BURNED))
    assert isinstance(answer, q.RelationList)
    assert (answer.relations, len(answer.unusable)) == ((), 1)
    assert foreign.tally == ReplyCounts(n_dropped_facts=1)
    own = judge_of(lambda _, text: text.replace("of together", "of 31 times"), batched=batched)
    (answer,) = ask(own, q.ListRelations(BURNED))
    assert isinstance(answer, q.RelationList)
    assert len(answer.relations) == 1


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        (q.SegmentFacets(TEXT), "facets"),
        (q.ListFacts(SENTENCES), "facts"),
        *((q.ListRelations(BURNED), kind) for kind in ("relations", *STEPS)),
    ],
)
def test_an_item_without_a_reply_leaves_a_text_open(question: q.Question, kind: str) -> None:
    """Fewer facts have a higher precision, and fewer relations say less than the text does."""

    def hook(request: ChatRequest, text: str) -> str:
        reply = json.loads(text)
        if kind_of(request) == kind:
            reply = {key: entries[1:] for key, entries in reply.items()}
        return json.dumps(reply)

    judge = judge_of(hook, batched=kind not in STEPS, style=Style(facets="sentences"))
    assert ask(judge, question) == (q.Unanswered("item 1 is missing; ask again"),)


def test_votes_are_asked_under_their_own_numbers_and_orders() -> None:
    """A second vote equal to the first in every byte would be the first one's reply again."""
    judge = judge_of(votes=3)
    ask(judge, q.CheckSentences(SENTENCES, SENTENCES), q.ListFacts(SENTENCES))
    checks = [r for r in sent_by(judge) if kind_of(r) == "sentence_checks"]
    assert [(request.vote, request.seed) for request in checks] == [(0, 0), (1, 1), (2, 2)]
    assert len({request.messages[1].content for request in checks}) == 3
    source = checks[0].messages[1].content.split("<<<sentences")[0]
    assert all(request.messages[1].content.startswith(source) for request in checks)
    assert kinds_sent(judge)["facts"] == 1
    assert (judge.tally.n_voted, judge.tally.n_agreeing) == (4, 4.0)


def voting(*labels: str) -> Hook:
    """A model whose votes on the first item are these; where one is empty it has no reply."""

    def hook(request: ChatRequest, text: str) -> str:
        label, reply = labels[request.vote], json.loads(text)
        for entry in reply["checks"]:
            entry["reason"] = f"vote {request.vote}"
            if entry["id"] == 1:
                entry["label"] = label
        return json.dumps(reply)

    return hook


CHECK = q.CheckFacts(FACTS[:1], SENTENCES)


@pytest.mark.parametrize(
    ("labels", "entailed", "support", "reason", "agreeing"),
    [
        (("not_entailed", "entailed", "entailed"), True, 2 / 3, "vote 1", 2 / 3),
        (("entailed", "", "not_entailed"), False, 1 / 2, "vote 2", 1 / 2),
        (("not_entailed",) * 3, False, 0.0, "vote 0", 1.0),
    ],
)
def test_labels_go_by_majority(
    labels: tuple[str, ...], entailed: bool, support: float, reason: str, agreeing: float
) -> None:
    """Reason and premises are of the first vote that agrees; support is the share that affirms."""
    judge = judge_of(voting(*labels), votes=len(labels))
    (answer,) = ask(judge, CHECK)
    assert answer == q.FactChecks(
        (q.FactCheck(reason=reason, entailed=entailed, premises=(1,), support=support),)
    )
    assert (judge.counts()["n_voted"], judge.counts()["n_agreeing"]) == (1, agreeing)


def test_the_signature_holds_all_that_moves_the_answers() -> None:
    """And it is one judge among others."""
    start = f"m-1 at=rule temp=0 prompt={prompt_hash()}"
    assert judge_of().in_flight == 64
    assert judge_of().signature == f"{start} votes=1 calls=batched examples=10 facets=whole"
    style = Style(facets="free", rubric="release", examples=False)
    other = judge_of(votes=3, batched=False, style=style, manner=q.SentenceManner(strict=True))
    start = start.replace(prompt_hash(), prompt_hash(style))
    manner = "votes=3 calls=single rubric=release examples=0 facets=free strict=yes"
    assert other.signature == f"{start} {manner}"


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"votes": 0}, "votes is 0; it has to be 1 or more"),
        ({"in_flight": -1}, "in_flight is -1; it has to be 1 or more"),
        ({"model": ""}, "an LLM judge needs the name of a model and of its endpoint"),
        ({"endpoint": ""}, "an LLM judge needs the name of a model and of its endpoint"),
        ({"manner": q.SentenceManner(mode="label", strict=True)},
         "a strict judge needs evidence, and mode 'label' asks for none"),
    ],
)  # fmt: skip
def test_a_judge_that_cannot_judge_is_refused(wrong: dict[str, Any], message: str) -> None:
    """No votes would answer everything with nothing; nothing could be supported."""
    with pytest.raises(OptionError) as caught:
        LlmJudge(RuleSender(), **{"model": "m", "endpoint": "e", **wrong})
    assert str(caught.value) == message


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
    reading: q.FacetReading, of_reference: object, of_summary: object, of_ratings: object
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
        judge = judge_of(style=Style(facets=reading))
        (answer,) = ask(judge, question)
        assert kinds_sent(judge) == kinds
        if isinstance(answer, q.FacetSegments):
            result = {answer.segment(facet) for facet in q.FACETS}
            assert result == {text} if not kinds else text not in result


def test_a_facet_is_rated_by_its_facts() -> None:
    """A reviewed fact is not asked for, and a facet without a fact stays without a rating."""
    judge = judge_of(style=Style(facets="facts"))
    text, summary = " ".join(SLEEP), "We gave zinc to 40 mice. Nobody knows."
    method = q.FacetPair(facet="method", reference=SLEEP[1], candidate=summary)
    result = q.FacetPair(facet="result", reference=SLEEP[2], candidate=summary)
    (answer,) = ask(judge, q.RateFacets((method,), text, summary))
    message = "1 of 2 facts hold, 0 are contradicted"
    rated = q.FacetRating(facet="method", reason=message, rating=3, coverage=50)
    assert answer == q.FacetRatings((rated,))
    reviewed = (q.Fact(text="Zinc mice slept 20 min longer.", sentence=2),)
    (answer,) = ask(judge, q.RateFacets((method, result), text, summary, reviewed))
    message = "0 of 1 facts hold, 0 are contradicted"
    missing = q.FacetRating(facet="result", reason=message, rating=2, coverage=0)
    assert answer == q.FacetRatings((q.Unanswered("the reference states no fact of it"), missing))
    assert kinds_sent(judge) == {"facts": 1, "fact_checks": 2}


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


def test_the_judge_counts_in_one_request() -> None:
    """By rule each of three content words is a fact, of which two are in the summary's three."""
    judge = judge_of(batched=False, votes=3)
    (answer,) = ask(judge, q.CountFacts("Zinc helped mice.", "Zinc helped rats."))
    assert answer == q.FactCounts(reason="words", reference=3, candidate=3, matched=2)
    assert kinds_sent(judge) == {"fact_counts": 1}


SOURCE = ("We fired forty bricks.", "Slow firing gave bricks of 31 MPa.", "Fuel was dear.")
CLAIMS = q.CheckSentences(
    ("Forty bricks were fired.", "The world is round.", "Winter came."), SOURCE
)


def checks_of(judge: LlmJudge) -> tuple[q.SentenceCheck | q.Unanswered, ...]:
    """What a judge answers to the question above."""
    (answer,) = ask(judge, CLAIMS)
    assert isinstance(answer, q.SentenceChecks)
    return answer.checks


@pytest.mark.parametrize(
    ("mode", "kind", "reason", "evidence"),
    [
        ("label-and-sentences", "sentence_quotes", f"Yes. ({SOURCE[0]})", (0,)),
        ("label", "sentence_labels", "Yes.", ()),
    ],
)
def test_free_text_is_asked_for_one_sentence_a_request_without_a_schema(
    mode: q.SentenceMode, kind: str, reason: str, evidence: tuple[int, ...]
) -> None:
    """FareBio's protocol, whatever the judge batches elsewhere; a label names no evidence."""
    judge = judge_of(manner=q.SentenceManner(mode=mode))
    assert checks_of(judge) == (
        q.SentenceCheck(reason=reason, supported=True, evidence=evidence),
        q.SentenceCheck(reason="No.", supported=False),
        q.SentenceCheck(reason="No.", supported=False),
    )
    assert [kind_of(request) for request in sent_by(judge)] == [kind] * 3
    voted = judge_of(manner=q.SentenceManner(mode=mode), votes=3)
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

    judge = judge_of(hook, manner=q.SentenceManner(factual=True))
    checks = [check for check in checks_of(judge) if isinstance(check, q.SentenceCheck)]
    assert [check.supported for check in checks] == [True, False, False]
    assert [check.factual for check in checks] == factual
    assert [kind_of(r) for r in sent_by(judge)[:2]] == ["sentence_checks", "factual_checks"]
    assert sent_by(judge)[1].messages[1].content.endswith("Check sentences: 2-3.")
    supported = judge_of(manner=q.SentenceManner(factual=True))
    ask(supported, q.CheckSentences(CLAIMS.sentences[:1], SOURCE))
    assert kinds_sent(supported) == {"sentence_checks": 1}


def test_a_quotation_with_invented_words_is_counted() -> None:
    """It is the judge's fault, and the report says how often."""
    judge = judge_of(lambda _, text: text.replace("We fired", "They fired 50"))
    checks_of(judge)
    assert judge.tally == ReplyCounts(n_ungrounded_quotes=1)

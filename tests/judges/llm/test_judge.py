from __future__ import annotations

import json
import threading
from types import ModuleType
from typing import Any

import pytest

from summeval_pytest import questions as q
from summeval_pytest.endpoints.chat import ChatRequest
from summeval_pytest.errors import OptionError
from summeval_pytest.judges.llm import fact_requests
from summeval_pytest.judges.llm.asking import ReplyCounts
from summeval_pytest.judges.llm.facet_ratings import Style
from summeval_pytest.judges.llm.llm_judge import LlmJudge, prompt_hash
from summeval_pytest.study.eva import relations
from summeval_pytest.study.eva.relations import ListRelations
from tests.judges.llm.by_rule import (
    Hook,
    RuleSender,
    ask,
    checks_of,
    judge_of,
    kind_of,
    kinds_sent,
    sent_by,
)

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
    judge = judge_of(batched=False)
    questions = (
        q.SegmentFacets(TEXT),
        q.ListFacts(SENTENCES),
        q.RateFacets(PAIRS),
        q.CheckFacts(FACTS, SENTENCES),
        q.CheckSentences(SENTENCES[:2], SENTENCES),
    )
    together = judge_of()
    assert ask(judge, *questions) == ask(together, *questions)
    assert judge.tally == together.tally == ReplyCounts()
    assert kinds_sent(together) == dict.fromkeys(
        ("facet_segments", "facts", "facet_ratings", "fact_checks", "sentence_checks"), 1
    )
    assert kinds_sent(judge) == {
        "facet_segments": 1, "facts": 4, "facet_ratings": 2, "fact_checks": 3, "sentence_checks": 2,
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


@pytest.mark.parametrize(
    ("module", "question"),
    [(fact_requests, q.ListFacts(SENTENCES)), (relations, ListRelations(TEXT))],
    ids=type,
)
def test_numbers_of_long_statements_are_read_off_the_event_loop(
    monkeypatch: pytest.MonkeyPatch, module: ModuleType, question: q.Question
) -> None:
    """A statement of a megabyte may hold half a million numbers."""
    threads: set[int] = set()

    def has_its_numbers(*_: object) -> bool:
        threads.add(threading.get_ident())
        return True

    monkeypatch.setattr(module, "has_its_numbers", has_its_numbers)
    long = "9 " * 20_000
    ask(judge_of(lambda _, text: text.replace("Bricks ", f"{long} ", 1)), question)
    assert len(threads) == 1
    assert threading.get_ident() not in threads


STEPS = ("entities", "triples", "statements")
BURNED = "Bricks often crack.\n\nForty bricks were fired. Slow firing spares 31 bricks."
RELATION = q.Fact(text="Bricks and bricks are told of together.", sentence=2)


@pytest.mark.parametrize(
    ("batched", "kinds"),
    [(True, ["relations"]), (False, ["entities", "entities", "triples", "statements"])],
)
def test_relations_are_found_at_once_or_in_three_steps(*, batched: bool, kinds: list[str]) -> None:
    """Two paragraphs, one text, one triple: a request each, and each waits for the one before.

    Entities are words of five letters: bricks, often, crack, forty, fired, firing and spares.
    """
    judge = judge_of(batched=batched)
    assert ask(judge, ListRelations(BURNED)) == (q.FactList((RELATION,)),)
    assert [kind_of(request) for request in sent_by(judge)] == kinds
    assert judge.tally == ReplyCounts()
    names = "\nBricks\noften\ncrack\nForty\nfired\nfiring\nspares\n"
    assert batched or names in sent_by(judge)[2].messages[1].content
    foreign = judge_of(lambda _, text: text.replace("of together", "of 99 times"), batched=batched)
    (answer,) = ask(foreign, ListRelations(BURNED))
    assert isinstance(answer, q.FactList)
    assert (answer.facts, len(answer.unusable)) == ((), 1)
    assert foreign.tally == ReplyCounts(n_dropped_facts=1)
    own = judge_of(lambda _, text: text.replace("of together", "of 31 times"), batched=batched)
    (answer,) = ask(own, ListRelations(BURNED))
    assert isinstance(answer, q.FactList)
    assert len(answer.facts) == 1


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        (q.ListFacts(SENTENCES), "facts"),
        *((ListRelations(BURNED), kind) for kind in ("relations", *STEPS)),
    ],
)
def test_an_item_without_a_reply_leaves_a_text_open(question: q.Question, kind: str) -> None:
    """Fewer facts have a higher precision, and fewer relations say less than the text does."""

    def hook(request: ChatRequest, text: str) -> str:
        reply = json.loads(text)
        if kind_of(request) == kind:
            reply = {key: entries[1:] for key, entries in reply.items()}
        return json.dumps(reply)

    judge = judge_of(hook, batched=kind not in STEPS)
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
    style = Style(examples=False)
    other = judge_of(votes=3, batched=False, style=style)
    start = start.replace(prompt_hash(), prompt_hash(style))
    assert other.signature == f"{start} votes=3 calls=single examples=0 facets=whole"


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"votes": 0}, "votes is 0; it has to be 1 or more"),
        ({"in_flight": -1}, "in_flight is -1; it has to be 1 or more"),
        ({"model": ""}, "an LLM judge needs the name of a model and of its endpoint"),
        ({"endpoint": ""}, "an LLM judge needs the name of a model and of its endpoint"),
    ],
)  # fmt: skip
def test_a_judge_that_cannot_judge_is_refused(wrong: dict[str, Any], message: str) -> None:
    """No votes would answer everything with nothing."""
    with pytest.raises(OptionError) as caught:
        LlmJudge(RuleSender(), **{"model": "m", "endpoint": "e", **wrong})
    assert str(caught.value) == message


def test_a_quotation_with_invented_words_is_counted() -> None:
    """It is the judge's fault, and the report says how often."""
    judge = judge_of(lambda _, text: text.replace("We fired", "They fired 50"))
    checks_of(judge)
    assert judge.tally == ReplyCounts(n_ungrounded_quotes=1)

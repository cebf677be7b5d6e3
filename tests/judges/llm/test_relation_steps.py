from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from summeval_pytest.judges.llm.asking import Tally
from summeval_pytest.questions import ListRelations, Relation, RelationList, Unanswered
from tests.judges.llm.by_rule import kind_of
from tests.judges.llm.test_judge import ask, judge_of, kinds_sent, sender_of

if TYPE_CHECKING:
    from summeval_pytest.endpoints.chat import ChatRequest

TEXT = "Bricks often crack.\n\nForty bricks were fired. Slow firing spares 31 bricks."
FOUND = Relation(
    head="Bricks",
    relation="is told of with",
    tail="bricks",
    statement="Bricks and bricks are told of together.",
)


def test_one_request_has_entities_relations_and_statements() -> None:
    """Worked example; the rules of the model are in by_rule.py.

    Its entities are the words of five letters and more: bricks, often, crack, forty, fired, firing
    and spares, whatever their capitals.
    """
    judge = judge_of()
    assert ask(judge, ListRelations(TEXT)) == (RelationList((FOUND,), 7),)
    assert kinds_sent(judge) == {"relations": 1}
    assert judge.tally == Tally()


def test_one_by_one_takes_the_papers_three_steps_to_the_same_end() -> None:
    """Two paragraphs, one text, one triple: a request each, and each waits for the one before."""
    judge = judge_of(batched=False)
    assert ask(judge, ListRelations(TEXT)) == (RelationList((FOUND,), 7),)
    assert [kind_of(request) for request in sender_of(judge).sent] == [
        "entities", "entities", "triples", "statements",
    ]  # fmt: skip
    triples = sender_of(judge).sent[2]
    assert "\nBricks\noften\ncrack\nForty\nfired\nfiring\nspares\n" in triples.messages[1].content
    assert triples.topic.endswith("1-3")


@pytest.mark.parametrize("batched", [True, False])
def test_a_text_without_relations_asks_for_no_statement(*, batched: bool) -> None:
    """One sentence completes nothing."""
    judge = judge_of(batched=batched)
    assert ask(judge, ListRelations("Bricks often crack.")) == (RelationList((), 3),)
    assert kinds_sent(judge) == ({"relations": 1} if batched else {"entities": 1, "triples": 1})


def test_an_empty_text_is_not_asked_about() -> None:
    """There is nothing in it."""
    judge = judge_of()
    assert ask(judge, ListRelations(" ")) == (RelationList((), 0),)
    assert sender_of(judge).asked == []


def test_a_long_text_is_cut_into_requests() -> None:
    """Of 30 sentences, 12 are worked on at once, and every request shows all of them."""
    judge = judge_of()
    ask(judge, ListRelations(" ".join(f"Kiln {n} was hot." for n in range(30))))
    assert [request.topic.rpartition("', ")[2] for request in sender_of(judge).sent] == [
        "1-12", "13-24", "25-30",
    ]  # fmt: skip
    assert all("[30] Kiln 29" in r.messages[1].content for r in sender_of(judge).sent)


@pytest.mark.parametrize("batched", [True, False])
def test_a_statement_with_a_foreign_number_is_unusable(*, batched: bool) -> None:
    """As facts are; the report counts it."""

    def hook(request: ChatRequest, text: str) -> str:
        del request
        return text.replace("told of together", "told of 99 times")

    judge = judge_of(hook, batched=batched)
    (foreign,) = ask(judge, ListRelations(TEXT))
    assert isinstance(foreign, RelationList)
    assert (foreign.relations, foreign.n_entities, len(foreign.unusable)) == ((), 7, 1)
    assert judge.tally == Tally(n_dropped_facts=1)
    own = judge_of(lambda _, text: text.replace("told of together", "31"), batched=batched)
    (answer,) = ask(own, ListRelations(TEXT))
    assert isinstance(answer, RelationList)
    assert len(answer.relations) == 1


@pytest.mark.parametrize(
    ("kind", "batched"),
    [("relations", True), ("entities", False), ("triples", False), ("statements", False)],
)
def test_one_step_without_a_reply_leaves_the_text_unanswered(kind: str, *, batched: bool) -> None:
    """Fewer relations would be a summary that says less than it does."""

    def hook(request: ChatRequest, text: str) -> str:
        reply = json.loads(text)
        if kind_of(request) == kind:
            reply = {key: entries[1:] for key, entries in reply.items()}
        return json.dumps(reply)

    judge = judge_of(hook, batched=batched)
    (answer,) = ask(judge, ListRelations(TEXT))
    assert answer == Unanswered("item 1 is missing; ask again")

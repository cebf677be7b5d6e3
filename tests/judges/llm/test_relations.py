from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from summeval_pytest.judges.llm.asking import Tally
from summeval_pytest.judges.llm.relations import (
    ENTITY_TYPES,
    Related,
    entity_batch,
    relation_batch,
    statement_batch,
)
from summeval_pytest.judges.llm.replies import ReplyFault
from summeval_pytest.questions import ListRelations, Relation, RelationList, Unanswered
from tests.judges.llm.by_rule import ask, judge_of, kind_of, kinds_sent, sent_by

if TYPE_CHECKING:
    from summeval_pytest.endpoints.chat import ChatRequest

SENTENCES = ("Zinc was given\nto mice.", "They slept 20 min longer.", "Lead was not given.")
BATCH = relation_batch(SENTENCES)
TRIPLE = {"with": 1, "head": "zinc", "relation": "lengthens", "tail": "sleep"}
ENTRY = {"id": 2, "entities": [], "relations": [{**TRIPLE, "statement": "Zinc lengthens sleep."}]}
BARE = Relation(head="zinc", relation="lengthens", tail="sleep", statement="")


def test_a_request_shows_the_whole_text_and_asks_for_everything_at_once() -> None:
    """A relation across sentences can be seen in all of them alone; types are seven."""
    assert BATCH.system.startswith("# Relations\n")
    assert BATCH.user((2, 3)).endswith("\n\nWork on sentences: 2-3.")
    assert all(f"\n[{n}] " in BATCH.user((2, 3)) for n in (1, 2, 3))
    schema = BATCH.schema((1,))
    assert schema is not None
    entry = json.loads(schema.text)["properties"]["sentences"]["items"]
    assert entry["required"] == ["id", "entities", "relations"]
    types = entry["properties"]["entities"]["items"]["properties"]["type"]["enum"]
    assert types == list(ENTITY_TYPES)
    assert len(types) == 7
    relation = entry["properties"]["relations"]["items"]
    assert relation["required"] == ["with", "head", "relation", "tail", "statement"]


@pytest.mark.parametrize("batch", [BATCH, entity_batch(SENTENCES)], ids=["at once", "in steps"])
def test_every_type_is_explained(batch: object) -> None:
    """A type that a prompt does not name is one that a model makes up."""
    assert all(kind in getattr(batch, "system") for kind in ENTITY_TYPES)  # noqa: B009  # of either kind


def test_a_reply_says_what_each_sentence_names_and_completes() -> None:
    """Worked example: an entity with a comma stays one (metrics.md EV11)."""
    zinc = {"name": " Zinc\n", "type": "product"}
    mice = {"name": "mice, young", "type": "miscellaneous"}
    first = {"id": 1, "entities": [zinc, mice], "relations": []}
    stated = Relation(
        head="zinc", relation="lengthens", tail="sleep", statement="Zinc lengthens sleep."
    )
    assert BATCH.read(json.dumps({"sentences": [first, ENTRY]}), (1, 2, 3)) == {
        1: Related(entities=("Zinc", "mice, young")),
        2: Related(relations=(stated,)),
        3: ReplyFault("missing", "item 3 is missing"),
    }


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ({"entities": [{"name": "<s>", "type": "product"}]},
         "item 2: entities: 0: name: the text is empty, not '<s>'"),
        ({"relations": [TRIPLE]}, "item 2: relations: 0: statement: Field required"),
        ({"relations": [{**TRIPLE, "statement": "So.", "with": 2}]},
         "item 2: relation 1 of sentence 2 of 3 is with sentence 2"),
        ({"relations": [{**TRIPLE, "statement": "So.", "with": 4}]},
         "item 2: relation 1 of sentence 2 of 3 is with sentence 4"),
        ({"relations": [{**TRIPLE, "statement": "So.", "with": 0}]},
         "item 2: relation 1 of sentence 2 of 3 is with sentence 0"),
    ],
    ids=["empty", "key", "itself", "4", "0"],
)  # fmt: skip
def test_a_sentence_that_cannot_be_read_is_unusable_as_a_whole(
    entry: dict[str, object], message: str
) -> None:
    """What one sentence says by itself is no relation across sentences, whoever calls it one."""
    found = BATCH.read(json.dumps({"sentences": [ENTRY | entry]}), (2,))[2]
    assert isinstance(found, ReplyFault)
    assert found.message == message


def test_triples_are_asked_for_between_known_entities_and_without_statements() -> None:
    """The paper's second step; its third has a request of its own."""
    batch = relation_batch(SENTENCES, ("zinc", "mice, young"))
    assert batch.system.startswith("# Triples\n")
    assert "\nzinc\nmice, young\n" in batch.user((1, 2, 3))
    schema = batch.schema((1,))
    assert schema is not None
    assert "statement" not in schema.text
    assert "entities" not in schema.text
    text = json.dumps({"sentences": [{"id": 2, "relations": [TRIPLE]}]})
    assert batch.read(text, (2,)) == {2: Related(relations=(BARE,))}


def test_entities_are_asked_for_paragraph_by_paragraph() -> None:
    """The paper's first step; the other paragraphs are not shown."""
    batch = entity_batch(("Zinc was given.", "Mice slept."))
    assert batch.units == ((1,), (2,))
    assert batch.system.startswith("# Entities\n")
    assert "[2] Mice slept." in batch.user((2,))
    assert "Zinc" not in batch.user((2,))
    entry = {"id": 2, "entities": [{"name": "Mice", "type": "miscellaneous"}]}
    assert batch.read(json.dumps({"paragraphs": [entry]}), (2,)) == {2: ("Mice",)}


def test_statements_are_asked_for_relation_by_relation() -> None:
    """The paper's third step."""
    batch = statement_batch((BARE, BARE))
    assert batch.system.startswith("# Statements\n")
    assert "[1] zinc | lengthens | sleep\n" in batch.user((1,))
    assert "[2]" not in batch.user((1,))
    text = json.dumps({"statements": [{"id": 1, "statement": " Zinc lengthens\nsleep. "}]})
    assert batch.read(text, (1,)) == {1: "Zinc lengthens sleep."}


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
    assert [kind_of(request) for request in sent_by(judge)] == [
        "entities", "entities", "triples", "statements",
    ]  # fmt: skip
    triples = sent_by(judge)[2]
    assert "\nBricks\noften\ncrack\nForty\nfired\nfiring\nspares\n" in triples.messages[1].content
    assert triples.topic.endswith("1-3")


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

"""Relations across sentences: how they are asked for, and which of them are facts."""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib.resources import files
from typing import get_args

import pytest
from syrupy.assertion import SnapshotAssertion

from summeval_pytest.judges.llm.prompts import PromptBatch
from summeval_pytest.judges.llm.replies import UnreadableError
from summeval_pytest.study.eva.fact_chains import CheckInChain
from summeval_pytest.study.eva.relations import (
    EntityType,
    Relation,
    entity_batch,
    new_statements,
    relation_batch,
    statement_batch,
    triple_batch,
)
from tests.judges.llm.by_rule import request_in_words
from tests.metrics.table_judge import facts

FOLDER = files("summeval_pytest.study.eva") / "prompts"
SENTENCES = (
    "Sleep was poor.",
    "We gave zinc\nto 40 mice, and it helped.",
    "They slept 20 min longer.",
)
BARE = Relation(head="zinc", relation="lengthens", tail="sleep", sentence=1)
STATED = Relation(
    head="zinc", relation="lengthens", tail="sleep", statement="Zinc lengthens sleep.", sentence=1
)
IN_CHAIN = CheckInChain(
    facts("Fact 1.", "Fact 2."),
    ("Zinc was\ngiven.", "40 mice had it."),
    earlier=(
        ("Zinc was\ngiven.", True),
        ("Rats had it.", False),
        ("At dawn.", None),
    ),
)
BATCHES: dict[str, PromptBatch[object]] = {
    "relations": relation_batch(SENTENCES),
    "triples": triple_batch(SENTENCES, ("zinc", "mice, young")),
    "entities": entity_batch(SENTENCES),
    "statements": statement_batch((BARE, BARE)),
    "chain": IN_CHAIN.batch(),
}


@pytest.mark.parametrize("name", BATCHES)
def test_what_a_request_about_some_items_shows(name: str, snapshot: SnapshotAssertion) -> None:
    """What explains an item is shown whole, first, and on lines of its own; then what is asked."""
    assert request_in_words(BATCHES[name]) == snapshot


def test_the_papers_types_of_entities_are_explained() -> None:
    """There are seven; a type that no prompt names would never be found."""
    types = get_args(EntityType)
    assert len(types) == 7
    for kind in ("relations", "entities"):
        prompt = (FOLDER / f"{kind}.md").read_text("utf-8")
        assert all(each in prompt for each in types)


TRIPLE = {"with": 1, "head": "zinc", "relation": "lengthens", "tail": "sleep"}
MESSAGE = {**TRIPLE, "statement": "Zinc lengthens\nsleep."}
ENTITIES = [
    {"name": " Zinc\n", "type": "product"},
    {"name": "mice, young", "type": "miscellaneous"},
]
GOOD: Mapping[str, tuple[str, Mapping[str, object]]] = {
    "relations": ("sentences", {"entities": ENTITIES, "relations": [MESSAGE]}),
    "triples": ("sentences", {"relations": [TRIPLE]}),
    "entities": ("paragraphs", {"entities": ENTITIES}),
    "statements": ("statements", {"statement": " Zinc lengthens\nsleep. "}),
}
"""By batch, the list of a reply and a good entry for item 2."""


def read(name: str, **changed: object) -> object:
    """What is read of an entry for item 2 that differs so from a good one."""
    key, good = GOOD[name]
    reply = {key: [{"id": 2, **good, **changed}]}
    (item,) = BATCHES[name].read(json.dumps(reply), (2,)).values()
    return item


@pytest.mark.parametrize(
    ("name", "item"),
    [
        ("relations", [STATED]),
        ("triples", [BARE]),
        # An entity with a comma stays one (metrics.md EV11).
        ("entities", ["Zinc", "mice, young"]),
        ("statements", "Zinc lengthens sleep."),
    ],
)
def test_a_reply_becomes_an_item(name: str, item: object) -> None:
    """Worked examples; texts come on one line."""
    assert read(name) == item


def test_an_entry_that_was_not_offered_is_unusable_as_a_whole(snapshot: SnapshotAssertion) -> None:
    """Half of its relations would be a summary that says less."""
    wrong: list[dict[str, object]] = [{"entities": [{"name": "<s>", "type": "product"}]}]
    relations = [TRIPLE, *(MESSAGE | {"with": n} for n in (2, 4, 0))]
    wrong += [{"relations": [each]} for each in relations]
    messages = []
    for changed in wrong:
        result = read("relations", **changed)
        assert isinstance(result, UnreadableError)
        messages.append(result.message)
    assert messages == snapshot


def test_filter_worked_example() -> None:
    """At the threshold a statement is dropped, as in the paper (>= 0.65)."""
    # all four words are in one fact: df = 1 of n = 1, idf = ln(2/2) + 1 = 1, lengths 2 and 2;
    # three of four are shared: cosine (3 * 1) / (sqrt(3 + k^2) * 2), k = ln(2/1) + 1 = 1.693
    # = 3 / (2.422 * 2) = .619
    fact, said = facts("zinc lead moss fern"), ("zinc lead moss kiln",)
    assert new_statements(said, fact, 0.61) == ()
    assert new_statements(said, fact, 0.62) == said == new_statements(said, (), 0.61)

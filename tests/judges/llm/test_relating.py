from __future__ import annotations

import json

import pytest

from summeval_pytest.judges.llm.relations import (
    ENTITY_TYPES,
    EntitySheet,
    Related,
    RelationSheet,
    StatementSheet,
)
from summeval_pytest.judges.llm.replies import ReplyFault, UnreadableError
from summeval_pytest.questions import Relation

SENTENCES = ("Zinc was given\nto mice.", "They slept 20 min longer.", "Lead was not given.")
SHEET = RelationSheet(SENTENCES)
TRIPLES = RelationSheet(SENTENCES, "triples", ("zinc", "mice, young"))
TRIPLE = {"with": 1, "head": "zinc", "relation": "lengthens", "tail": "sleep"}
ENTRY = {"id": 2, "entities": [], "relations": [{**TRIPLE, "statement": "Zinc lengthens sleep."}]}


def reply(**entry: object) -> str:
    """A reply about sentence 2 with other values in its place."""
    return json.dumps({"sentences": [ENTRY | entry]})


def fault(text: str, sheet: RelationSheet = SHEET) -> str:
    """Why nothing is read about sentence 2."""
    found = sheet.read(text, (2,))[2]
    assert isinstance(found, ReplyFault)
    return found.message


def test_a_request_shows_the_whole_text_and_names_what_to_work_on() -> None:
    """A relation across sentences can be seen in all of them alone."""
    draft = SHEET.draft((2, 3))
    assert draft.system.startswith("# Relations\n")
    lines = draft.user.split("\n")
    assert lines[1:4] == [
        "[1] Zinc was given to mice.",
        "[2] They slept 20 min longer.",
        "[3] Lead was not given.",
    ]
    assert lines[5:] == ["", "Work on sentences: 2-3."]


def test_the_schema_asks_for_entities_relations_and_statements() -> None:
    """One request; types are a closed list of seven."""
    schema = SHEET.draft((1,)).schema
    assert schema.name == "relations"
    entry = json.loads(schema.text)["properties"]["sentences"]["items"]
    assert entry["required"] == ["id", "entities", "relations"]
    types = entry["properties"]["entities"]["items"]["properties"]["type"]["enum"]
    assert types == list(ENTITY_TYPES)
    assert len(types) == 7
    relation = entry["properties"]["relations"]["items"]
    assert relation["required"] == ["with", "head", "relation", "tail", "statement"]


def test_every_type_is_explained() -> None:
    """A type that a prompt does not name is one that a model makes up."""
    for sheet in (SHEET, EntitySheet(SENTENCES)):
        rules = sheet.draft((1,)).system
        assert all(f"{kind}" in rules for kind in ENTITY_TYPES)


def test_a_reply_says_what_each_sentence_names_and_completes() -> None:
    """Worked example: an entity with a comma stays one (metrics.md EV11)."""
    mice = {"name": "mice, young", "type": "miscellaneous"}
    text = json.dumps(
        {
            "sentences": [
                {"id": 1, "entities": [{"name": " Zinc\n", "type": "product"}, mice],
                 "relations": []},
                ENTRY,
            ]
        }
    )  # fmt: skip
    assert SHEET.read(text, (1, 2)) == {
        1: Related(entities=("Zinc", "mice, young")),
        2: Related(
            relations=(
                Relation(
                    head="zinc",
                    relation="lengthens",
                    tail="sleep",
                    statement="Zinc lengthens sleep.",
                ),
            )
        ),
    }


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ({"entities": [{"name": "zinc", "type": "metal"}]},
         f"item 2: type of entity 1 'metal' is none of {', '.join(ENTITY_TYPES)}"),
        ({"entities": [{"name": "<s>", "type": "product"}]}, "item 2: entity 1 is empty"),
        ({"entities": ["zinc"]}, "item 2: entity 1 is no JSON object"),
        ({"relations": "none"}, "item 2 is no list"),
        ({"relations": [TRIPLE]}, "item 2: relation 1 lacks 'statement'"),
        ({"relations": [{**TRIPLE, "statement": "..."}]},
         "item 2: relation 1: statement is empty"),
        ({"relations": [{**TRIPLE, "statement": "So.", "with": 2}]},
         "item 2: relation 1 of sentence 2 of 3 is with sentence 2"),
        ({"relations": [{**TRIPLE, "statement": "So.", "with": 4}]},
         "item 2: relation 1 of sentence 2 of 3 is with sentence 4"),
        ({"relations": [{**TRIPLE, "statement": "So.", "with": 0}]},
         "item 2: relation 1 of sentence 2 of 3 is with sentence 0"),
        ({"relations": [{**TRIPLE, "statement": "So.", "head": 7}]},
         "item 2: relation 1: head is no text"),
    ],
    ids=["type", "empty", "plain", "text", "key", "says nothing", "itself", "4", "0", "number"],
)  # fmt: skip
def test_a_sentence_that_cannot_be_read_is_unusable_as_a_whole(
    entry: dict[str, object], message: str
) -> None:
    """What one sentence says by itself is no relation across sentences, whoever calls it one."""
    assert fault(reply(**entry)) == message


def test_a_sentence_without_an_entry_is_missing() -> None:
    """It may have completed what counts most."""
    assert fault('{"sentences": []}') == "item 2 is missing"
    with pytest.raises(UnreadableError):
        SHEET.read("none", (2,))


def test_triples_are_asked_for_between_known_entities_and_without_statements() -> None:
    """The paper's second step; its third has a request of its own."""
    draft = TRIPLES.draft((1, 2, 3))
    assert draft.system.startswith("# Triples\n")
    assert "\nzinc\nmice, young\n" in draft.user
    assert "statement" not in draft.schema.text
    assert "entities" not in draft.schema.text
    text = json.dumps({"sentences": [{"id": 2, "relations": [TRIPLE]}]})
    bare = Relation(head="zinc", relation="lengthens", tail="sleep", statement="")
    assert TRIPLES.read(text, (2,)) == {2: Related(relations=(bare,))}
    assert fault(reply(), TRIPLES) == "item 2 has a key 'entities'"


def test_entities_are_asked_for_paragraph_by_paragraph() -> None:
    """The paper's first step; the other paragraphs are not shown."""
    sheet = EntitySheet(("Zinc was given.", "Mice slept."))
    assert sheet.units == ((1,), (2,))
    draft = sheet.draft((2,))
    assert draft.system.startswith("# Entities\n")
    assert "[2] Mice slept." in draft.user
    assert "Zinc" not in draft.user
    entry = {"id": 2, "entities": [{"name": "Mice", "type": "miscellaneous"}]}
    assert sheet.read(json.dumps({"paragraphs": [entry]}), (2,)) == {2: ("Mice",)}


def test_statements_are_asked_for_relation_by_relation() -> None:
    """The paper's third step."""
    one = Relation(head="zinc", relation="lengthens", tail="sleep", statement="")
    sheet = StatementSheet((one, one))
    assert sheet.units == ((1,), (2,))
    draft = sheet.draft((1,))
    assert draft.system.startswith("# Statements\n")
    assert "[1] zinc | lengthens | sleep\n" in draft.user
    assert "[2]" not in draft.user
    text = json.dumps({"statements": [{"id": 1, "statement": " Zinc lengthens\nsleep. "}]})
    assert sheet.read(text, (1,)) == {1: "Zinc lengthens sleep."}
    empty = json.dumps({"statements": [{"id": 1, "statement": " "}]})
    assert sheet.read(empty, (1,)) == {1: ReplyFault("wrong_shape", "item 1: statement is empty")}

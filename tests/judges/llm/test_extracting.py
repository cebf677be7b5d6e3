from __future__ import annotations

import json

import pytest

from summeval_pytest.judges.llm.facets_and_facts import (
    Stated,
    StatedFact,
    TextSheet,
    facts,
    segments,
)
from summeval_pytest.judges.llm.replies import ReplyFault
from summeval_pytest.questions import FACETS, FacetSegments, Fact, FactList

SENTENCES = (
    "Sleep was poor.",
    "We gave zinc\nto 40 mice, and it helped.",
    "They slept 20 min longer.",
)
SHEET = TextSheet(SENTENCES)


def reply(*entries: dict[str, object]) -> str:
    """A reply that holds these entries."""
    return json.dumps({"sentences": entries})


def read_one(entry: dict[str, object], sheet: TextSheet = SHEET) -> Stated | ReplyFault:
    """What is read of the entry for sentence 2."""
    return sheet.read(reply(entry), (2,))[2]


def test_a_request_shows_the_whole_text_and_names_what_to_work_on() -> None:
    """A sentence's "it" is explained by another, which need not be asked about."""
    draft = SHEET.draft((2, 3))
    assert draft.system.startswith("# Facets and facts\n")
    lines = draft.user.split("\n")
    assert lines[0].startswith("<<<text ")
    assert lines[1:4] == [
        "[1] Sleep was poor.",
        "[2] We gave zinc to 40 mice, and it helped.",
        "[3] They slept 20 min longer.",
    ]
    assert lines[4].startswith("text ")
    assert lines[5:] == ["", "Work on sentences: 2-3."]


def test_the_schema_allows_what_is_asked_for_and_nothing_else() -> None:
    """Endpoints that follow schemas can then make no fault but a wrong number."""
    schema = SHEET.draft((1,)).schema
    assert schema.name == "facets_and_facts"
    shape = json.loads(schema.text)
    assert (shape["required"], shape["additionalProperties"]) == (["sentences"], False)
    entry = shape["properties"]["sentences"]["items"]
    assert list(entry["properties"]) == entry["required"] == ["id", "facets", "facts"]
    assert entry["properties"]["facets"]["items"] == {"type": "string", "enum": list(FACETS)}
    fact = entry["properties"]["facts"]["items"]
    assert list(fact["properties"]) == fact["required"] == ["text", "refines"]
    assert entry["additionalProperties"] is fact["additionalProperties"] is False


def test_a_reply_says_what_each_sentence_states() -> None:
    """Worked example: two facets, two facts, the second a detail of the first."""
    text = reply(
        {"id": 1, "facets": ["background"], "facts": []},
        {
            "id": 2,
            "facets": ["result", "method"],
            "facts": [
                {"text": " Zinc was given\nto 40 mice.", "refines": 0},
                {"text": "Zinc helped 40 mice.", "refines": 1.0},
            ],
        },
    )
    assert SHEET.read(text, (1, 2)) == {
        1: Stated(facets=frozenset({"background"})),
        2: Stated(
            facets=frozenset({"method", "result"}),
            facts=(
                StatedFact(text="Zinc was given to 40 mice.", refines=0),
                StatedFact(text="Zinc helped 40 mice.", refines=1),
            ),
        ),
    }


@pytest.mark.parametrize(
    ("facets", "facts", "message"),
    [
        (["aim"], [], "item 2: facet 'aim' is none of background, method, result, conclusion"),
        (["background", "method", "result"], [], "item 2 has 3 facets"),
        ("method", [], "item 2 is no list"),
        ([], [{"text": "Zinc.", "refines": 1}],
         "item 2: fact 1 refines fact 1, which is not before it"),
        ([], [{"text": "Zinc.", "refines": -1}],
         "item 2: fact 1 refines fact -1, which is not before it"),
        ([], [{"text": "Zinc.", "refines": None}], "item 2: fact 1 is no whole number"),
        ([], [{"text": "</s> .", "refines": 0}], "item 2: fact 1 is empty"),
        ([], [{"text": "Zinc."}], "item 2: fact 1 lacks 'refines'"),
        ([], ["Zinc."], "item 2: fact 1 is no JSON object"),
    ],
    ids=["enum", "three", "text", "itself", "negative", "null", "empty", "key", "plain"],
)  # fmt: skip
def test_a_sentence_that_cannot_be_read_is_unusable_as_a_whole(
    facets: object, facts: object, message: str
) -> None:
    """Half of its facts would be a summary that says less than it does."""
    found = read_one({"id": 2, "facets": facets, "facts": facts})
    assert isinstance(found, ReplyFault)
    assert found.message == message


def test_alone_facets_and_facts_have_requests_and_schemas_of_their_own() -> None:
    """The papers asked for them separately, and a model that does both may do each worse."""
    facets, stated = TextSheet(SENTENCES, "facets"), TextSheet(SENTENCES, "facts")
    assert facets.draft((2,)).system.startswith("# Facets\n")
    assert stated.draft((2,)).system.startswith("# Facts\n")
    assert facets.draft((2,)).schema.name == "facets"
    assert "facts" not in facets.draft((2,)).schema.text
    assert "facets" not in stated.draft((2,)).schema.text
    assert read_one({"id": 2, "facets": ["method"]}, facets) == Stated(facets=frozenset({"method"}))
    fact = {"text": "Zinc.", "refines": 0}
    assert read_one({"id": 2, "facts": [fact]}, stated) == Stated(
        facts=(StatedFact(text="Zinc.", refines=0),)
    )


def test_a_segment_is_its_sentences_word_for_word_and_in_order() -> None:
    """What the facet metric grounds in the text has to be of the text, line breaks included."""
    stated = [
        Stated(facets=frozenset({"result"})),
        Stated(facets=frozenset({"method", "result"})),
        Stated(),
    ]
    assert segments(SENTENCES, stated) == FacetSegments(
        method=SENTENCES[1], result=f"{SENTENCES[0]} {SENTENCES[1]}"
    )


def fact(text: str, refines: int = 0) -> StatedFact:
    """A stated fact."""
    return StatedFact(text=text, refines=refines)


def test_facts_count_through_and_refine_within_their_sentence() -> None:
    """Worked example: places 0, 1, 2; the third fact refines the first of its own sentence."""
    stated = [
        Stated(facts=(fact("Sleep was poor."),)),
        Stated(facts=(fact("Zinc was given."), fact("40 mice had it.", 1))),
        Stated(),
    ]
    assert facts(SENTENCES, stated) == FactList(
        (
            Fact(text="Sleep was poor.", sentence=0),
            Fact(text="Zinc was given.", sentence=1),
            Fact(text="40 mice had it.", sentence=1, parent=1),
        )
    )


def test_a_fact_with_a_number_that_its_sentence_lacks_is_unusable() -> None:
    """Fact 2 is invented; fact 3, which refines it, then refines what fact 2 refined."""
    stated = [
        Stated(),
        Stated(facts=(fact("Zinc was given."), fact("50 mice had it.", 1), fact("It helped.", 2))),
        Stated(facts=(fact("Mice slept 20 h longer."), fact("Mice slept 1200 s longer."))),
    ]
    assert facts(SENTENCES, stated) == FactList(
        (
            Fact(text="Zinc was given.", sentence=1),
            Fact(text="It helped.", sentence=1, parent=0),
            Fact(text="Mice slept 1200 s longer.", sentence=2),
        ),
        unusable=(
            Fact(text="50 mice had it.", sentence=1),
            Fact(text="Mice slept 20 h longer.", sentence=2),
        ),
    )

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from summeval_pytest.questions import FacetSegments, Fact
from summeval_pytest.suite.values import Section

if TYPE_CHECKING:
    from tests.suite.conftest import Golden


def spoilt(golden: Golden, **changes: object) -> str:
    """The message for a first paper with these keys changed, or deleted where None."""
    paper = {"id": "zinc-01", "source": "Zinc was given.", "reference": "Zinc helps.", **changes}
    golden.lines("papers.jsonl", {key: value for key, value in paper.items() if value is not None})
    message = golden.mistake()
    assert message.startswith("golden/papers.jsonl:1: ")
    return message.removeprefix("golden/papers.jsonl:1: ")


def test_paper_is_read_whole(golden: Golden) -> None:
    """Sections, facets and facts become the questions' own values."""
    golden.lines(
        "papers.jsonl",
        {
            "id": "zinc-01",
            "title": "Zinc",
            "source": [{"heading": "Methods", "text": "We gave zinc."}, {"text": "It helped."}],
            "reference": ["Zinc helps."],
            "reference_facets": {"result": "Zinc helps.", "method": None},
            "reference_facts": [
                "Zinc helps.",
                {"text": "Zinc helps adults.", "sentence": 1, "parent": 0, "x_id": 7},
                {"text": "Zinc is safe.", "parent": None},
            ],
            "x_doi": "10.1000/1",
        },
        {"id": "zinc-02", "source": "None.", "reference": ["One.", "Two."]},
    )
    suite = golden.load()
    paper = suite.paper("zinc-01")

    assert (paper.id, paper.title, paper.references) == ("zinc-01", "Zinc", ("Zinc helps.",))
    assert paper.source == (
        Section(heading="Methods", text="We gave zinc."),
        Section(text="It helped."),
    )
    assert paper.reference_facets == FacetSegments(result="Zinc helps.")
    assert paper.reference_facts == (
        Fact(text="Zinc helps.", sentence=0),
        Fact(text="Zinc helps adults.", sentence=1, parent=0),
        Fact(text="Zinc is safe.", sentence=0),
    )
    assert str(paper.place) == "golden/papers.jsonl:1"
    assert suite.paper("zinc-02").references == ("One.", "Two.")
    assert suite.paper("zinc-02").reference_facts is None


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"id": None}, "this paper has no 'id'; add the key with a text"),
        ({"id": 7}, "'id' of this paper is 7; write a text"),
        ({"id": ""}, "'id' of this paper is empty (''); write a text"),
        (
            {"source": None},
            (
                "paper 'zinc-01' has no 'source'; add the key with a text or a list of"
                " {'heading', 'text'}"
            ),
        ),
        (
            {"source": 1.5},
            "'source' of paper 'zinc-01' is 1.5; write a text or a list of {'heading', 'text'}",
        ),
        (
            {"source": []},
            (
                "'source' of paper 'zinc-01' is an empty list, [];"
                " write a text or a list of {'heading', 'text'}"
            ),
        ),
        (
            {"source": " \n\t"},
            "'source' of paper 'zinc-01' is empty (' \\n\\t'); write a text",
        ),
        (
            {"source": "\u200b"},
            "'source' of paper 'zinc-01' is empty ('\\u200b'); write a text",
        ),
        (
            {"source": ["a"]},
            "section 1 of paper 'zinc-01' is 'a'; write an object {'heading', 'text'}",
        ),
        (
            {"source": [{"text": "a"}, {"heading": "B", "text": ""}]},
            "'text' of section 2 of paper 'zinc-01' is empty (''); write a text",
        ),
        (
            {"source": [{"header": "B", "text": "a"}]},
            "unknown key 'header' in section 1 of paper 'zinc-01'; did you mean 'heading'?",
        ),
        (
            {"reference": None},
            "paper 'zinc-01' has no 'reference'; add the key with a text or a list of texts",
        ),
        (
            {"reference": []},
            "'reference' of paper 'zinc-01' is an empty list, []; write a text or a list of texts",
        ),
        ({"reference": [""]}, "'reference' of paper 'zinc-01' is empty (''); write a text"),
        ({"reference": [None]}, "'reference' of paper 'zinc-01' is null; write a text"),
        (
            {"refrence": "Zinc."},
            "unknown key 'refrence' in paper 'zinc-01'; did you mean 'reference'?",
        ),
        ({"title": ["a"]}, "'title' of paper 'zinc-01' is a list of 1; write a text"),
        (
            {"reference": ["a", "b"], "reference_facts": ["c"]},
            (
                "'reference_facts' of paper 'zinc-01' goes with one reference, and there are 2;"
                " delete it or keep one reference"
            ),
        ),
        (
            {"reference_facets": "Zinc."},
            (
                "'reference_facets' of paper 'zinc-01' is 'Zinc.';"
                " write an object with the facets as keys"
            ),
        ),
        (
            {"reference_facets": {"results": "Zinc."}},
            (
                "unknown key 'results' in 'reference_facets' of paper 'zinc-01';"
                " did you mean 'result'?"
            ),
        ),
        (
            {"reference_facets": {"result": ""}},
            (
                "'result' of 'reference_facets' of paper 'zinc-01' is '';"
                " write a text, or null where there is none"
            ),
        ),
        (
            {"reference_facets": {"result": None}},
            (
                "'reference_facets' of paper 'zinc-01' has no text for any facet; write one, or"
                " leave the key out"
            ),
        ),
        (
            {"reference_facts": {}},
            (
                "'reference_facts' of paper 'zinc-01' is an object with 0 keys;"
                " write a list of texts or of {'text', 'sentence', 'parent'}"
            ),
        ),
        (
            {"reference_facts": [3]},
            "reference fact 0 of paper 'zinc-01' is 3; write a text or an object with 'text'",
        ),
        (
            {"reference_facts": [{"text": "a", "sentence": -1}]},
            (
                "'sentence' of reference fact 0 of paper 'zinc-01' is -1;"
                " write a whole number of at least 0"
            ),
        ),
        (
            {"reference_facts": [{"text": "a", "parent": 0}]},
            (
                "'parent' of reference fact 0 of paper 'zinc-01' is 0;"
                " write null: no fact stands before this one"
            ),
        ),
        (
            {"reference_facts": ["a", "b", {"text": "c", "parent": 2}]},
            (
                "'parent' of reference fact 2 of paper 'zinc-01' is 2;"
                " write a whole number from 0 to 1"
            ),
        ),
    ],
)
def test_mistake_in_a_paper_is_reported(
    golden: Golden, changes: dict[str, object], message: str
) -> None:
    """Each message says what, where and what to do."""
    assert spoilt(golden, **changes) == message


def test_provenance_of_a_paper_moves_no_score(golden: Golden) -> None:
    """It says where the texts are from; what is judged, and under which fingerprint, stays."""
    before = golden.load()
    paper = before.paper("zinc-01")
    golden.spoil("papers.jsonl", '"id": "zinc-01"', '"provenance": "by hand", "id": "zinc-01"')
    after = golden.load()

    assert after.paper("zinc-01") == paper
    assert after.fingerprint == before.fingerprint


def test_provenance_of_a_paper_is_a_text(golden: Golden) -> None:
    """An empty one says nothing of where the paper is from."""
    assert spoilt(golden, provenance=7) == "'provenance' of paper 'zinc-01' is 7; write a text"
    assert spoilt(golden, provenance=" ") == (
        "'provenance' of paper 'zinc-01' is empty (' '); write a text"
    )


def test_duplicate_paper_names_the_first_line(golden: Golden) -> None:
    """Both lines are in the message, so one can be chosen."""
    golden.spoil("papers.jsonl", "zinc-02", "zinc-01")

    assert golden.mistake() == (
        "golden/papers.jsonl:2: paper 'zinc-01' stands on line 1, too; rename or delete one"
    )


def test_file_without_a_paper_is_refused(golden: Golden) -> None:
    """An empty suite would pass everything."""
    golden.write("papers.jsonl", "\n")

    assert golden.mistake() == (
        "golden/papers.jsonl: 'golden/papers.jsonl' has no paper; write one a line"
    )

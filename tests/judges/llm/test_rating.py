from __future__ import annotations

import json

import pytest

from summeval_pytest.judges.llm.facets_and_facts import RatingSheet
from summeval_pytest.judges.llm.replies import ReplyFault, UnreadableError
from summeval_pytest.questions import FacetPair, FacetRating

METHOD = FacetPair(facet="method", reference="40 mice\nhad zinc.", candidate="Mice had zinc.")
RESULT = FacetPair(facet="result", reference="They slept.", candidate="They slept well.")
AIM = FacetPair(facet="background", reference="Sleep is poor.", candidate="Sleep is bad.")
SHEET = RatingSheet((AIM, METHOD, RESULT))


def read_method(rated: object) -> FacetRating | ReplyFault:
    """What is read of the entry for the method."""
    return SHEET.read(json.dumps({"method": rated}), (2,))[2]


def test_a_request_shows_each_facet_of_both_texts_and_its_scale() -> None:
    """The reference comes first, in blocks of its own, in the order asked."""
    draft = SHEET.draft((3, 1))
    lines = [line for line in draft.user.split("\n") if line]
    assert [line.rpartition(" ")[0] for line in lines[::3]] == [
        "<<<result reference",
        "<<<result summary",
        "<<<background reference",
        "<<<background summary",
        "Rate: result (1 to 4), background (1 to",
    ]
    assert lines[1::3] == ["They slept.", "They slept well.", "Sleep is poor.", "Sleep is bad."]
    assert lines[-1] == "Rate: result (1 to 4), background (1 to 3)."
    assert "40 mice had zinc." in SHEET.draft((2,)).user


def test_the_schema_has_each_facet_with_its_scale_and_the_reason_first() -> None:
    """A rating written before its reason is a rating without one."""
    schema = SHEET.draft((3, 1)).schema
    shape = json.loads(schema.text)
    assert (schema.name, shape["required"]) == ("facet_ratings", ["result", "background"])
    result = shape["properties"]["result"]
    assert list(result["properties"]) == result["required"] == ["reason", "rating"]
    assert result["properties"]["rating"] == {"type": "integer", "enum": [1, 2, 3, 4]}
    assert shape["properties"]["background"]["properties"]["rating"]["enum"] == [1, 2, 3]
    assert shape["additionalProperties"] is result["additionalProperties"] is False


def test_a_reply_is_read_by_facet_whatever_its_order() -> None:
    """Another facet's entry rates nothing."""
    text = json.dumps({
        "conclusion": {"reason": "", "rating": 9},
        "result": {"reason": "same", "rating": 4},
        "background": {"reason": " as\nwell", "rating": 2.0},
    })  # fmt: skip
    assert SHEET.read(text, (1, 3)) == {
        1: FacetRating(facet="background", reason="as well", rating=2),
        3: FacetRating(facet="result", reason="same", rating=4),
    }


@pytest.mark.parametrize(
    ("rated", "message"),
    [
        ({"reason": "", "rating": 0}, "method: rating 0 is off its scale 1 to 4"),
        ({"reason": "", "rating": 5}, "method: rating 5 is off its scale 1 to 4"),
        ({"reason": "", "rating": "4"}, "method: rating is no whole number"),
        ({"reason": "", "rating": 3.5}, "method: rating is no whole number"),
        ({"reason": [], "rating": 3}, "method: reason is no text"),
        ({"rating": 3}, "method lacks 'reason'"),
        ({"reason": "", "rating": 3, "sure": 1}, "method has a key 'sure'"),
        (3, "method is no JSON object"),
    ],
    ids=repr,
)
def test_a_rating_that_was_not_offered_is_none(rated: object, message: str) -> None:
    """A rating off its scale, brought back to it, would be ours."""
    found = read_method(rated)
    assert isinstance(found, ReplyFault)
    assert found.message == message


def test_a_facet_that_is_not_rated_is_missing() -> None:
    """The others are kept."""
    found = SHEET.read(json.dumps({"method": {"reason": "", "rating": 1}}), (2, 3))
    assert found[2] == FacetRating(facet="method", reason="", rating=1)
    assert found[3] == ReplyFault("missing", "result is missing")


def test_a_reply_without_json_has_no_ratings() -> None:
    """A bare "4 of 4" is no rating of any facet."""
    with pytest.raises(UnreadableError, match="holds no whole JSON object"):
        SHEET.read("method: 4 of 4", (2,))


def test_two_pairs_of_a_facet_are_told_apart() -> None:
    """Questions may hold any pairs, and a key can stand in an object once."""
    sheet = RatingSheet((METHOD, RESULT, METHOD))
    assert [sheet.key(id_) for id_ in (1, 2, 3)] == ["method", "result", "method_2"]
    assert set(json.loads(sheet.draft((1, 3)).schema.text)["properties"]) == {"method", "method_2"}
    found = sheet.read(json.dumps({"method_2": {"reason": "", "rating": 2}}), (3,))
    assert found == {3: FacetRating(facet="method", reason="", rating=2)}

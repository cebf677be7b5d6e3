from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from summeval_pytest.suite.labels import RoleLabel

if TYPE_CHECKING:
    from tests.suite.conftest import Golden

PAIR = {"paper": "zinc-01", "system": "careful"}
GREW = "Growth rose by 24 %."


def test_roles_are_a_facet_several_or_none(golden: Golden) -> None:
    """A set without conclusions has them among its results, and a thank-you states no facet."""
    roles = [
        {"text": "Zinc is a metal.", "facet": "background"},
        {"text": GREW, "facet": ["conclusion", "result"]},
        {"text": "We thank the mice.", "facet": None},
    ]
    golden.lines("labels.jsonl", {**PAIR, "roles": roles})
    found = golden.load().labels["zinc-01", "careful"].roles
    assert found == (
        RoleLabel(text="Zinc is a metal.", facets=("background",)),
        RoleLabel(text=GREW, facets=("result", "conclusion")),
        RoleLabel(text="We thank the mice.", facets=()),
    )


_SCALE = (
    "one of background, method, result, conclusion, a list of those that are right,"
    " or null for none"
)


@pytest.mark.parametrize(
    ("roles", "message"),
    [
        ([], "'roles' of this label is an empty list, []; write a list of {'text', 'facet'}"),
        (["x"], "role 1 of this label is 'x'; write an object with 'text' and 'facet'"),
        ([{"text": GREW}], f"role 1 of this label has no 'facet'; add the key with {_SCALE}"),
        (
            [{"text": GREW, "facet": "results"}],
            f"'facet' of role 1 of this label is 'results'; write {_SCALE}",
        ),
        (
            [{"text": GREW, "facet": ["result", "outcome"]}],
            f"'facet' of role 1 of this label is a list of 2; write {_SCALE}",
        ),
        (
            [{"text": GREW, "facet": []}],
            f"'facet' of role 1 of this label is a list of 0; write {_SCALE}",
        ),
        (
            [{"text": GREW, "facet": "result"}, {"text": f" {GREW}", "facet": "method"}],
            f"role 2 of this label stands there twice, ' {GREW}'; delete one",
        ),
        (
            [{"text": GREW, "facet": "result", "index": 0}],
            "unknown key 'index' in role 1 of this label; known: facet, text",
        ),
    ],
)
def test_mistake_in_a_role_is_reported(golden: Golden, roles: object, message: str) -> None:
    """With the line, and what to write in its place."""
    golden.lines("labels.jsonl", {**PAIR, "roles": roles})
    assert golden.mistake() == f"golden/labels.jsonl:1: {message}"

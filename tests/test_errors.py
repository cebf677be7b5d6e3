from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from summeval_pytest import errors
from summeval_pytest.errors import (
    JudgeError,
    NoReplyError,
    OptionError,
    Place,
    StoreError,
    SuiteError,
    SummevalError,
    UsageError,
    nearest,
)


@pytest.mark.parametrize(
    ("kind", "parent"),
    [
        (SummevalError, Exception),
        (UsageError, SummevalError),
        (SuiteError, UsageError),
        (OptionError, UsageError),
        (StoreError, UsageError),
        (JudgeError, SummevalError),
        (NoReplyError, SummevalError),
    ],
)
def test_the_tree_is_as_drawn(kind: type[Exception], parent: type[Exception]) -> None:
    """The user's mistakes end in exit code 4, the judge's and a lost reply in an error."""
    assert kind.__bases__ == (parent,)


def test_the_drawing_shows_every_error() -> None:
    """A drawing that misses a branch sends its reader to the source."""
    drawn = set(re.findall(r"\b\w+Error\b", errors.__doc__ or ""))
    defined = {
        name
        for name, value in vars(errors).items()
        if isinstance(value, type) and issubclass(value, SummevalError)
    }
    assert drawn == defined


def test_errors_tell_where_and_why() -> None:
    """Editors open `file:line` by a click; what is done next depends on a reply's fault."""
    assert str(Place("golden/summeval.toml")) == "golden/summeval.toml"
    error = SuiteError(Place("papers.jsonl", 3), "paper 'p1' has no title; add one")
    assert str(error) == "papers.jsonl:3: paper 'p1' has no title; add one"
    assert error.place == Place("papers.jsonl", 3)
    lost = NoReplyError("over_budget", "0.10 dollars are left")
    assert (lost.fault, str(lost)) == ("over_budget", "0.10 dollars are left")


@pytest.mark.parametrize(
    ("word", "known", "clause"),
    [
        ("facett", ["eva", "facet", "faithfulness"], "did you mean 'facet'?"),
        ("faithfullness", ["eva", "facet", "faithfulness"], "did you mean 'faithfulness'?"),
        ("rouge", ["facet", "eva"], "known: eva, facet"),
        ("", ["b", "a"], "known: a, b"),
        ("rouge", [], "none is defined"),
    ],
)
def test_nearest_word_is_offered_or_all_are_listed(
    word: str, known: list[str], clause: str
) -> None:
    """A typing error is mended by its message alone."""
    assert nearest(word, known) == clause


@given(st.sets(st.text(min_size=1), min_size=1), st.data())
def test_known_word_is_nearest_to_itself(known: set[str], data: st.DataObject) -> None:
    """Whatever order the known words come in."""
    word = data.draw(st.sampled_from(sorted(known)))
    assert nearest(word, known) == f"did you mean {word!r}?"
    assert nearest(word, sorted(known, reverse=True)) == nearest(word, iter(known))

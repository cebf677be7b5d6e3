from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pkgutil import walk_packages

import pytest
from hypothesis import given
from hypothesis import strategies as st

import summeval_pytest
from summeval_pytest import errors
from summeval_pytest.errors import (
    JudgeError,
    NoReplyError,
    Place,
    SuiteError,
    SummevalError,
    foreign_code,
    nearest,
)


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


@contextmanager
def _passing() -> Iterator[None]:
    yield


def test_every_exception_leaves_a_context_manager_as_it_is() -> None:
    """Python writes the traceback into the exception; a frozen one becomes another error."""
    modules = walk_packages(summeval_pytest.__path__, "summeval_pytest.")
    kinds = {
        value
        for module in [import_module(each.name) for each in modules]
        for value in vars(module).values()
        if isinstance(value, type) and issubclass(value, Exception)
        if value.__module__ == module.__name__
    }
    assert kinds > {SummevalError, NoReplyError}
    for kind in kinds:
        exception = kind.__new__(kind)
        with pytest.raises(kind) as caught, _passing():
            raise exception
        assert caught.value is exception


SKIPS = (pytest.skip.Exception, pytest.xfail.Exception, pytest.fail.Exception)
EXITS = (pytest.exit.Exception("enough", 0), SystemExit(0), GeneratorExit())


@pytest.mark.parametrize("raised", [*(kind("no gpu") for kind in SKIPS), *EXITS])
def test_whatever_foreign_code_raises_is_an_error_of_ours(raised: BaseException) -> None:
    """A skip and an exit of 0 were a green release; an interrupt is the user's."""
    with pytest.raises(JudgeError), foreign_code(lambda error: JudgeError(repr(error))):
        raise raised
    with pytest.raises(KeyboardInterrupt), foreign_code(lambda error: JudgeError(repr(error))):
        raise KeyboardInterrupt


def test_nearest_word_is_offered_or_all_listed() -> None:
    """A typing error is mended by its message alone."""
    metrics = ["eva", "facet", "faithfulness"]
    for word, known, clause in (
        ("facett", metrics, "did you mean 'facet'?"),
        ("faithfullness", metrics, "did you mean 'faithfulness'?"),
        ("rouge", ["facet", "eva"], "known: eva, facet"),
        ("", ["b", "a"], "known: a, b"),
        ("rouge", [], "none is defined"),
    ):
        assert nearest(word, known) == clause


@given(st.sets(st.text(min_size=1), min_size=1), st.data())
def test_known_word_is_nearest_to_itself(known: set[str], data: st.DataObject) -> None:
    """Whatever order the known words come in."""
    word = data.draw(st.sampled_from(sorted(known)))
    assert nearest(word, known) == f"did you mean {word!r}?"
    assert nearest(word, sorted(known, reverse=True)) == nearest(word, iter(known))

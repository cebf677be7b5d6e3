from __future__ import annotations

import doctest
from importlib import import_module

import pytest

from summeval_pytest.text.editing.verbs import past, third_person


def test_the_docstring_examples_hold() -> None:
    """An example that no one runs goes stale, and is believed."""
    assert doctest.testmod(import_module("summeval_pytest.text.editing.verbs")) == (0, 2)


@pytest.mark.parametrize(
    "forms",
    """
    differ differed differs; occur occurred occurs; change changed changes; rise rose rises
    study studied studies; play played plays; reach reached reaches; fix fixed fixes
    stop stopped stops; visit visited visits; have had has; do did does; be was is; cut cut cuts
    lead led leads; find found finds; show showed shows; transfer transferred transfers
    """.replace("\n", ";").split(";"),
)
def test_verbs_have_the_forms_of_a_dictionary(forms: str) -> None:
    """The forms are those of the Oxford dictionary."""
    if forms.strip():
        base, was, is_ = forms.split()
        assert (past(base), third_person(base)) == (was, is_)

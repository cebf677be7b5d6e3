from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from summeval_pytest.text.printing import DEEPEST, check_depth


def nested(kinds: str) -> object:
    """A value of a list or an object for each letter, l or o."""
    opened = "".join("[" if kind == "l" else '{"a":' for kind in kinds)
    closed = "".join("]" if kind == "l" else "}" for kind in reversed(kinds))
    value: object = json.loads(f"{opened}{'0' if kinds.endswith('o') else ''}{closed}")
    return value


@given(st.text("lo", min_size=1, max_size=DEEPEST))
def test_what_nests_as_people_write_it_passes(kinds: str) -> None:
    """Law: up to the bound, whatever lies in what."""
    check_depth([nested(kinds[1:]), "[" * 200] if len(kinds) > 1 else nested(kinds))


@pytest.mark.parametrize("kinds", ["l" * (DEEPEST + 1), "o" * (DEEPEST + 1), "lo" * 300])
def test_what_nests_deeper_is_refused_as_python_refuses_it(kinds: str) -> None:
    """A value at Python's own limit would break whoever writes or walks it later."""
    with pytest.raises(RecursionError):
        check_depth(nested(kinds))

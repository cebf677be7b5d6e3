"""JSON values as Hypothesis draws them."""

from __future__ import annotations

from hypothesis import strategies as st

KEYS = st.text(max_size=4)
JSON_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=8,
)
JSON_OBJECTS = st.dictionaries(KEYS, JSON_VALUES, max_size=4)

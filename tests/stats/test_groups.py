from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from summeval_pytest.stats.bootstrap import rows_by_group


def test_groups_are_sorted_by_label_and_rows_kept_in_order() -> None:
    """The group that happens to come first in a file must not come first in a resample."""
    rows = rows_by_group(["zinc-01", "alga-02", "zinc-01", "alga-02"])
    assert [group.tolist() for group in rows] == [[1, 3], [0, 2]]


def test_labels_may_be_an_array_of_group_numbers() -> None:
    """A resample numbers its drawn groups, and a statistic groups by those numbers."""
    rows = rows_by_group(np.array([1, 0, 1], dtype=np.intp))
    assert [group.tolist() for group in rows] == [[1], [0, 2]]


def test_labels_that_numpy_would_merge_stay_apart() -> None:
    """An array of strings strips trailing NULs, and two papers would become one."""
    assert len(rows_by_group(["a", "a\0"])) == 2


@given(st.lists(st.text(max_size=2), max_size=30))
def test_every_row_stands_in_exactly_one_group(labels: list[str]) -> None:
    """No row may be lost or counted twice."""
    groups = rows_by_group(labels)
    assert sorted(row for group in groups for row in group.tolist()) == list(range(len(labels)))
    assert len(groups) == len(set(labels))

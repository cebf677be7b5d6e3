from __future__ import annotations

from summeval_pytest import stats


def test_public_names_are_sorted_and_there() -> None:
    """Two branches that add a name should meet in one place."""
    assert sorted(stats.__all__) == stats.__all__
    assert all(hasattr(stats, name) for name in stats.__all__)

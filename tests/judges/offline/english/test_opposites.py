from __future__ import annotations

from summeval_pytest.judges.offline.english.opposites import OPPOSED


def test_opposites_exclude_each_other_and_never_themselves() -> None:
    """What excludes a word is excluded by it."""
    for word, others in OPPOSED.items():
        assert word not in others
        assert all(word in OPPOSED[other] for other in others)

from __future__ import annotations

import pytest

from summeval_pytest.analysis.proportions import BANDS, popularities


def test_words_are_spread_over_the_ranks_of_the_sources() -> None:
    """Worked example: half of the words are the sources' commonest, half they do not have."""
    sources = ["Kiln kiln kiln brick."]
    found = popularities({None: ["Kiln brick."], "odd": ["Kiln moss."], "mute": ["42"]}, sources)
    assert [(each.system, each.n_texts) for each in found] == [(None, 1), ("odd", 1), ("mute", 1)]
    assert found[0].shares[BANDS[0]] == 1.0
    assert found[1].shares[BANDS[0]] == 0.5
    assert found[1].shares["not in the corpus"] == 0.5
    assert sum(found[1].shares.values()) == pytest.approx(1)
    assert not found[2].shares

from __future__ import annotations

import pytest

from summeval_pytest.analysis.columns import Labelled
from tests.analysis.study.studied import sentences


@pytest.mark.parametrize(
    ("supported", "answered", "asked", "is_faithful"),
    [(3, 3, 3, True), (2, 3, 3, False), (3, 3, 4, None), (2, 3, 4, False), (0, 0, 0, None)],
)
def test_a_summary_is_faithful_where_every_sentence_is_known_to_be(
    supported: int, answered: int, asked: int, is_faithful: bool | None
) -> None:
    """One unsupported sentence decides; one without an answer leaves it open."""
    assert sentences(supported, answered, asked).is_faithful is is_faithful
    label = Labelled(n_faithful=supported, n_labelled=answered, n_sentences=asked)
    assert label.is_faithful is is_faithful

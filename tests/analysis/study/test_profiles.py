from __future__ import annotations

from summeval_pytest.analysis.columns import NUMBERS
from summeval_pytest.analysis.study import profiles
from tests.analysis.study.studied import text


def test_numbers_per_100_words_are_those_of_all_texts_together() -> None:
    """Worked example: 1 in 10 words and 1 in 90 are 2 in 100; the mean of rates would be 5.6."""
    texts = [
        text("a", None, {"numbers": 1, "per 100 words": 10, "counted words": 10}),
        text("b", None, {"numbers": 1, "per 100 words": 1.1, "counted words": 90}),
        text("c", None),
    ]
    (found,) = profiles({None: texts}, NUMBERS, 3)
    assert found.system is None
    assert found.means["per 100 words"].value == 2.0
    assert found.means["numbers"].value == 1.0
    assert {(mean.n, mean.n_of) for mean in found.means.values()} == {(2, 3)}

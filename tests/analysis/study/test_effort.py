from __future__ import annotations

from summeval_pytest.analysis.columns import Effort, Judged
from summeval_pytest.analysis.effects import Seconds, efforts
from tests.analysis.study.studied import JUDGE, pair


def test_effort_is_summed_by_quarters_of_the_lengths() -> None:
    """Worked example: eight summaries of 10 to 80 words, two a quarter."""
    pairs = [
        pair(
            str(n),
            "good",
            numbers={"words": 10.0 * n},
            judged=Judged(
                values={},
                effort=Effort(
                    n_questions=n, n_calls=1, prompt_tokens=100, completion_tokens=n, seconds=n / 2
                ),
            ),
        )
        for n in range(1, 9)
    ]
    told, seconds = efforts(pairs, [JUDGE])
    assert [(each.fewest_words, each.most_words, each.n_pairs) for each in told] == [
        (10, 20, 2), (30, 40, 2), (50, 60, 2), (70, 80, 2),
    ]  # fmt: skip
    assert [each.n_questions for each in told] == [3, 7, 11, 15]
    assert [each.n_calls for each in told] == [2, 2, 2, 2]
    assert [each.n_tokens for each in told] == [203, 207, 211, 215]
    assert seconds[0] == Seconds(0.75, 1.0)


def test_summaries_of_one_length_are_one_bin() -> None:
    """There is no quarter to cut, and no seconds where several pairs were open at once."""
    pairs = [
        pair(str(n), "good", numbers={"words": 9.0}, judged=Judged(values={})) for n in range(5)
    ]
    told, seconds = efforts(pairs, [JUDGE])
    assert [(each.fewest_words, each.most_words, each.n_pairs) for each in told] == [(9, 9, 5)]
    assert seconds == (Seconds(None, None),)


def test_a_pair_without_a_usable_summary_has_no_words() -> None:
    """It was judged in no time, and is counted all the same."""
    told, _ = efforts([pair("a", "good", judged=Judged(values={}))], [JUDGE])
    assert [(each.fewest_words, each.n_pairs) for each in told] == [(0, 1)]


def test_nothing_judged_takes_nothing() -> None:
    """A judge without a pair has no bin."""
    assert efforts([], [JUDGE]) == ((), ())

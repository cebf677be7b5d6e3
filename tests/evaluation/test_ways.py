from __future__ import annotations

from summeval_pytest.evaluation import ways_of
from summeval_pytest.judges.offline import OfflineJudge
from summeval_pytest.questions import CheckSentences
from tests.noisy_judge import NoisyJudge

QUESTION = CheckSentences(tuple("abcdefghij"), ("Source.",))


def test_a_judge_that_knows_requests_is_asked_in_its_own_ways() -> None:
    """Alone twice, under two samples, and together as usual; eight of ten items share a request."""
    judge = NoisyJudge(seed=4)
    ways = ways_of(judge)
    assert ways.single == NoisyJudge(seed=4, batched=False, sample=0)
    assert ways.again == NoisyJudge(seed=4, batched=False, sample=1)
    assert ways.batched == judge
    assert ways.requests(QUESTION) == (tuple(range(8)), (8, 9))


def test_any_other_judge_is_asked_item_by_item_or_question_by_question() -> None:
    """A judge of one's own is one class with three members, and can be compared all the same."""
    judge = OfflineJudge()
    ways = ways_of(judge)
    assert ways.batched is judge
    assert ways.single.signature == ways.again.signature == f"{judge.signature} calls=single"
    assert ways.requests(QUESTION) == (tuple(range(10)),)

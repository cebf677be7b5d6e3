from __future__ import annotations

import pytest

from summeval_pytest.endpoints.spending import Ledger, Totals
from summeval_pytest.judges.llm.judge import LlmJudge
from summeval_pytest.reports.run import calls_lines
from tests.judges.llm.by_rule import RuleSender

JUDGED = dict.fromkeys(
    (
        "n_reasked",
        "n_unanswered",
        "n_ungrounded_quotes",
        "n_dropped_facts",
        "n_voted",
        "n_agreeing",
    ),
    0.0,
)


def lines(totals: Totals, **judge: float) -> list[str]:
    """What is told."""
    return list(calls_lines(totals.as_json(), {**JUDGED, **judge} if judge else {}))


def test_run_that_asked_tells_tokens_and_dollars() -> None:
    """Remembered replies cost nothing, wherever they were."""
    totals = Totals(
        n_asked=1200,
        n_cached=30,
        n_recorded=4,
        n_failed=5,
        prompt_tokens=1_000_000,
        completion_tokens=20_000,
        cost=12.345,
    )
    assert lines(totals) == [
        (
            "replies: 1,200 asked, 34 remembered (4 from a cassette), 5 failed;"
            " 1,000,000 + 20,000 tokens, 12.35 dollars"
        )
    ]


def test_run_that_asked_nothing_tells_no_tokens() -> None:
    """There are none, and 0 dollars would look like a price."""
    assert lines(Totals(n_cached=3)) == [
        "replies: 0 asked, 3 remembered (0 from a cassette), 0 failed"
    ]


def test_cost_of_a_part_is_not_told_as_the_whole() -> None:
    """Replies without a price, and without counted tokens, are said beside it."""
    some = Totals(n_asked=10, n_unpriced=4, prompt_tokens=5, completion_tokens=2, cost=1.5)
    assert lines(some)[0].endswith("5 + 2 tokens, 1.50 dollars and 4 replies without a price")
    none = Totals(n_asked=10, n_unpriced=10, prompt_tokens=5, completion_tokens=2)
    assert lines(none)[0].endswith("5 + 2 tokens, no price known")


@pytest.mark.parametrize(
    ("judge", "told"),
    [
        ({"n_reasked": 1200.0}, "judge: 1,200 items asked again"),
        ({"n_unanswered": 1.0}, "judge: 1 items unanswered"),
        ({"n_ungrounded_quotes": 2.0}, "judge: 2 quotations not in the source"),
        ({"n_dropped_facts": 3.0}, "judge: 3 facts with a number that their sentence lacks"),
        (
            {"n_dropped_facts": 3.0, "n_reasked": 4.0},
            "judge: 4 items asked again, 3 facts with a number that their sentence lacks",
        ),
    ],
)
def test_faults_of_the_judge_are_told(judge: dict[str, float], told: str) -> None:
    """A number that rests on few good replies must not look like any other."""
    assert lines(Totals(n_asked=1, n_unpriced=1), **judge)[1:] == [told]


def test_judge_without_a_fault_has_no_line() -> None:
    """Nor one that counts nothing."""
    assert len(lines(Totals(), n_reasked=0.0)) == 1
    assert len(lines(Totals())) == 1


def test_agreement_of_votes_is_told() -> None:
    """45.5 of 60 agree: 75.8 %."""
    assert lines(Totals(), n_voted=60.0, n_agreeing=45.5)[1:] == [
        "votes: 75.8% agree with the outcome, over 60 items"
    ]


def test_counts_of_ledger_and_judge_are_those_that_are_told() -> None:
    """The names are agreed on: a new judge has nothing to tell, and nothing is missing."""
    judge = LlmJudge(RuleSender(), model="m-1", endpoint="here")
    assert set(judge.counts()) == set(JUDGED)
    assert list(calls_lines(Ledger().totals.as_json(), judge.counts())) == [
        "replies: 0 asked, 0 remembered (0 from a cassette), 0 failed"
    ]

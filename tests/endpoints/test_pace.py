from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from summeval_pytest.endpoints.limits import Pace


def times(pace: Pace, n_requests: int, n_tokens: int = 0, *, start: float = 0.0) -> list[float]:
    """When so many requests are sent, each as soon as it may be."""
    now, sent = start, []
    for _ in range(n_requests):
        now += pace.ready_in(now)
        pace.take(now, n_tokens)
        sent.append(now)
    return sent


def test_requests_are_spread_over_the_minute() -> None:
    """30 a minute are one every two seconds."""
    assert times(Pace(30), 4, start=100.0) == pytest.approx([100, 102, 104, 106])


def test_many_requests_a_minute_may_come_in_handfuls_of_a_tenth_of_a_second() -> None:
    """1200 a minute are 20 a second: two at once, then one every 50 ms."""
    assert times(Pace(1200), 4) == pytest.approx([0, 0, 0.05, 0.1])


def test_a_request_waits_for_as_many_tokens_as_it_is_long() -> None:
    """6000 a minute are 100 a second; 500 tokens are owed for 5 seconds, 10 of them being there."""
    assert times(Pace(None, 6000), 3, 500) == pytest.approx([0, 5, 10])


def test_a_request_with_more_tokens_than_a_minute_has_is_sent_all_the_same() -> None:
    """It would otherwise wait for ever."""
    assert times(Pace(None, 600), 2, 1200) == pytest.approx([0, 120])


def test_the_slower_of_both_limits_counts() -> None:
    """60 requests a minute, one a second; 600 tokens a minute, 30 of them every three seconds."""
    assert times(Pace(60, 600), 3, 30) == pytest.approx([0, 3, 6])
    assert times(Pace(60, 600), 3, 1) == pytest.approx([0, 1, 2])


def test_a_pause_saves_nothing_up() -> None:
    """After an hour without requests, the next ones are as slow as ever."""
    pace = Pace(30)
    assert times(pace, 1) == [0]
    assert times(pace, 3, start=3600) == pytest.approx([3600, 3602, 3604])


@settings(deadline=None, max_examples=40)
@given(
    limit=st.integers(1, 3000),
    gaps=st.lists(st.floats(0, 30), min_size=1, max_size=80),
)
def test_no_minute_holds_more_than_its_limit(limit: int, gaps: list[float]) -> None:
    """However the requests come; a tenth of a second's worth is the grain."""
    pace, now, sent = Pace(limit), 0.0, []
    for gap in gaps:
        now += gap
        now += pace.ready_in(now)
        pace.take(now, 0)
        sent.append(now)
    room = max(1.0, limit / 600)
    for first in sent:
        in_minute = sum(first <= at < first + 59.999 for at in sent)
        assert in_minute <= limit + room

from __future__ import annotations

import json
import random
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from summeval_pytest.endpoints.endpoint import Endpoint
from summeval_pytest.endpoints.faults import (
    Backoff,
    RetryDecision,
    asked_seconds,
    of_error,
    of_status,
    told,
)
from summeval_pytest.endpoints.wire import Heard
from summeval_pytest.errors import NoReplyError

if TYPE_CHECKING:
    from summeval_pytest.errors import Fault

NOW = datetime(2026, 3, 1, 12, 0, 0, tzinfo=UTC)


def decision(
    status: int, said: dict[str, str] | None = None, headers: dict[str, str] | None = None
) -> RetryDecision:
    """What is made of a response."""
    return of_status(Heard(status, headers or {}, json.dumps({"error": said or {}})), NOW)


class Fixed(random.Random):
    """Chance that always comes out the same."""

    value = 0.0

    def random(self) -> float:
        """The same as last time."""
        return self.value


@pytest.mark.parametrize(
    ("statuses", "fault", "again"),
    [
        ((307, 400, 413, 418, 422), "bad_request", False),
        ((401, 403), "unauthorised", False),
        ((402,), "quota", False),
        ((404,), "unknown_model", False),
        ((408, 409, 500, 501, 503, 529), "server_error", True),
        ((429,), "rate_limited", True),
    ],
)
def test_a_status_has_a_fault_and_passes_or_not(
    statuses: tuple[int, ...], fault: str, *, again: bool
) -> None:
    """One table, as the issue has it."""
    made = [decision(status) for status in statuses]
    assert {(each.fault, each.again) for each in made} == {(fault, again)}


@pytest.mark.parametrize(
    "error",
    [
        {"code": "insufficient_quota"},
        {"type": "insufficient_quota"},
        {"code": "billing_hard_limit_reached"},
    ],
)
def test_no_money_is_no_rate_limit(error: dict[str, str]) -> None:
    """Waiting cures the one and not the other, whatever the headers say."""
    made = decision(429, error, {"retry-after": "1", "x-should-retry": "true"})
    assert (made.fault, made.again, made.asked_seconds) == ("quota", False, None)


@pytest.mark.parametrize(
    ("status", "told", "again"),
    [
        (503, "false", False),
        (429, "false", False),
        (503, "true", True),
        (425, "true", True),
        (425, "TRUE ", True),
        (425, "maybe", False),
        (400, "true", False),
        (401, "true", False),
        (422, "true", False),
    ],
)
def test_an_endpoint_may_say_itself_what_passes(status: int, told: str, *, again: bool) -> None:
    """It can call any retry off, and ask for one only where no rule forbids it."""
    assert decision(status, headers={"x-should-retry": told}).again is again


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after-ms": "700"}, 0.7),
        ({"retry-after-ms": "700", "retry-after": "5"}, 0.7),
        ({"retry-after-ms": "soon", "retry-after": "5"}, 5.0),
        *[
            ({"retry-after": text}, seconds)
            for text, seconds in (
                ("2", 2.0),
                ("0.7", 0.7),
                ("0", 0.0),
                ("86400", 86400.0),
                ("Sun, 01 Mar 2026 12:05:00 GMT", 300.0),
                ("Sun, 01 Mar 2026 12:05:00", 300.0),
                ("Sun, 01 Mar 2026 14:05:00 +0200", 300.0),
                ("Sun, 01 Mar 2026 11:00:00 GMT", 0.0),
                *[(text, None) for text in ("soon", "-5", "nan", "1e400")],
                ("Sun, 99 Mar 2026 12:05:00 GMT", None),
            )
        ],
    ],
)
def test_each_way_to_ask_for_a_wait_is_understood(
    headers: dict[str, str], seconds: float | None
) -> None:
    """Seconds, milliseconds and dates are all in use; nonsense is none."""
    assert asked_seconds(headers, NOW) == seconds


def test_waits_double_up_to_the_longest_less_a_quarter_by_chance() -> None:
    """0.5, 1, 2, ... 16, 30, 30; even after a night of them; 8 * (1 - 0.8 / 4) = 6.4."""
    chance, backoff = Fixed(), Backoff()
    waits = [backoff.seconds(n, None, chance) for n in (*range(8), 100_000)]
    assert waits == [0.5, 1, 2, 4, 8, 16, 30, 30, 30]
    chance.value = 0.8
    assert backoff.seconds(4, None, chance) == pytest.approx(6.4)
    # What is asked for is granted to the letter, be it longer or shorter than the wait in turn.
    assert [backoff.seconds(0, 3600.0, chance), backoff.seconds(6, 0.5, chance)] == [3600, 0.5]


def test_what_came_of_no_whole_response_is_retried_and_slowness_breaks_no_circuit() -> None:
    """Nobody there is final; a bad body is worth three attempts, one that is too large none."""
    faults: tuple[Fault, ...] = ("unreachable", "dropped", "timed_out", "malformed", "too_large")
    made = [of_error(NoReplyError(fault, ""), 1) for fault in faults]
    assert [each.again for each in made] == [False, True, True, True, False]
    assert [each.is_breakdown for each in made] == [True, True, False, False, False]
    assert not of_error(NoReplyError("malformed", ""), 3).again


def test_a_key_that_was_not_sent_over_plain_http_is_the_remedy() -> None:
    """The usual advice, to look at the key, would lead nowhere."""
    near = Endpoint(name="near", base_url="http://near:8000/v1")
    assert told(near, "unauthorised", "status 401", 1) == (
        "endpoint 'near' at http://near:8000/v1: status 401; no key is sent over plain http: use"
        " https"
    )


@settings(deadline=None, max_examples=60)
@given(
    status=st.integers(300, 599),
    after=st.text(max_size=12) | st.floats().map(str),
    n_before=st.integers(0, 10_000),
)
def test_every_response_has_a_decision_and_a_finite_wait(
    status: int, after: str, n_before: int
) -> None:
    """Headers are written by strangers."""
    made = decision(status, headers={"retry-after": after, "retry-after-ms": after})
    seconds = Backoff().seconds(n_before, made.asked_seconds, random.Random(0))
    assert 0.375 <= seconds < float("inf")

"""Faults of a response: whether to retry, when, and what to tell the user."""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Final

from summeval_pytest.endpoints.wire import ErrorBody, read_error

if TYPE_CHECKING:
    from collections.abc import Mapping
    from random import Random

    from summeval_pytest.endpoints.endpoint import Endpoint
    from summeval_pytest.endpoints.wire import Heard
    from summeval_pytest.errors import Fault, NoReplyError


_QUOTA: Final = frozenset({"insufficient_quota", "billing_hard_limit_reached"})
"""Codes and types of a 429 that no waiting cures."""
_FINAL: Final[dict[int, Fault]] = {
    400: "bad_request",
    401: "unauthorised",
    402: "quota",
    403: "unauthorised",
    404: "unknown_model",
    413: "bad_request",
    422: "bad_request",
}
_TIMEOUT, _CONFLICT, _RATE_LIMITED, _SERVER = 408, 409, 429, 500
_REDIRECTIONS: Final = range(300, 400)
_MOST_UNREADABLE: Final = 3
"""How often one call may meet a good status with a body that is no reply."""


@dataclass(frozen=True, slots=True)
class Backoff:
    """Waits that double: ``first_seconds``, twice that, and so on up to ``most_seconds``.

    Each is up to a quarter shorter by chance, so that calls that failed together come back apart.
    Before a first attempt, ``head_start_seconds`` is how long calls wait at most while another one
    finds out what a model understands; a refusal takes less.
    """

    first_seconds: float = 0.5
    most_seconds: float = 30.0
    head_start_seconds: float = 10.0

    def seconds(self, n_before: int, asked_seconds: float | None, random: Random) -> float:
        """How long to wait after ``n_before`` waits, 0 for the first.

        What the endpoint asks for is granted to the letter, however long; only an ask for less
        than the first wait is no answer to a crowd, and the doubling waits stand.
        """
        if asked_seconds is not None and asked_seconds >= self.first_seconds:
            return asked_seconds
        doubled = self.first_seconds * 2.0 ** min(n_before, 60)
        return min(doubled, self.most_seconds) * (1 - random.random() / 4)


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryDecision:
    """What to make of an attempt that gave no reply.

    Attributes:
        fault: What is wrong, if it stays so.
        again: Whether another attempt may help.
        what: What happened, for people.
        asked_seconds: How long the endpoint asks to be left alone; None where it does not say.
        status: Of a response; 0 where there was none, or a good one.
    """

    fault: Fault
    again: bool
    what: str
    asked_seconds: float | None = None
    status: int = 0
    error: ErrorBody = field(default_factory=ErrorBody)

    @property
    def is_breakdown(self) -> bool:
        """Whether the server broke down, or the connection did: nobody was there to refuse."""
        return self.status >= _SERVER or self.fault in {"unreachable", "dropped"}

    @property
    def is_refusal(self) -> bool:
        """Whether the request was refused as it is, though not for its length."""
        return self.fault == "bad_request" and not self.error.is_too_long


def of_error(error: NoReplyError, n_unreadable: int) -> RetryDecision:
    """The decision where no whole response came, or a good status with a body that is no reply.

    ``n_unreadable`` counts such bodies of the call so far.
    """
    if error.fault in {"unreachable", "dropped", "timed_out"}:
        again, what = error.fault != "unreachable", str(error)
    else:
        again = error.fault != "too_large" and n_unreadable < _MOST_UNREADABLE
        what = f"the response is no chat completion: {error}"
    return RetryDecision(fault=error.fault, again=again, what=what)


def of_status(heard: Heard, now: datetime) -> RetryDecision:
    """The decision on an error status, 300 or more, of a response that is free of secrets.

    Retried are 408, 409, 429 and 5xx, and other statuses that the endpoint itself calls passing by
    ``x-should-retry: true``; it can call any off by ``false``. Never retried are 400, 401, 402,
    403, 404, 413, 422, and a 429 for want of money. A ``retry-after`` may be a date, after ``now``.
    """
    status, error = heard.status, read_error(heard.text)
    code = "" if error.code == str(status) else error.code
    words = [word for word in (code or error.type, error.message) if word]
    what = f"status {status}" + (f" ({': '.join(words)})" if words else "")
    if status in _REDIRECTIONS:
        what += ", which points elsewhere; redirections are not followed"
    fault = _fault(status, error)
    told = heard.headers.get("x-should-retry", "").strip().lower()
    is_passing = fault in {"rate_limited", "server_error"} or told == "true"
    is_final = status in _FINAL or fault == "quota"
    return RetryDecision(
        fault=fault,
        again=is_passing and told != "false" and not is_final,
        what=what,
        asked_seconds=None if is_final else asked_seconds(heard.headers, now),
        status=status,
        error=error,
    )


def _fault(status: int, error: ErrorBody) -> Fault:
    if status in _FINAL:
        return _FINAL[status]
    if status == _RATE_LIMITED:
        return "quota" if _QUOTA & {error.code, error.type} else "rate_limited"
    is_server = status in {_TIMEOUT, _CONFLICT} or status >= _SERVER
    return "server_error" if is_server else "bad_request"


def asked_seconds(headers: Mapping[str, str], now: datetime) -> float | None:
    """How long a response asks to be left alone; None where it does not say, or says nonsense.

    ``retry-after-ms`` goes before ``retry-after``, which is a number of seconds or a date; a date
    that has passed is 0.
    """
    for header, per_second in (("retry-after-ms", 1000), ("retry-after", 1)):
        with suppress(ValueError):
            number = float(headers.get(header, ""))
            if math.isfinite(number) and number >= 0:
                return number / per_second
    try:
        date = parsedate_to_datetime(headers.get("retry-after", ""))
    except (ValueError, OverflowError):
        return None
    date = date if date.tzinfo else date.replace(tzinfo=UTC)
    return max(0.0, (date - now).total_seconds())


_REMEDIES: Final[dict[Fault, str]] = {
    "unreachable": "start the server there, or set another base_url",
    "unauthorised": "look at its API key, which is in the variable that api_key_env names or in"
    " OPENAI_API_KEY, and at what it may do",
    "unknown_model": "look at the model's name and base_url's path",
    "quota": "its account has to be topped up",
    "rate_limited": "lower max_in_flight, or set requests_per_minute and tokens_per_minute",
    "timed_out": "raise timeout_seconds or attempt_seconds, or ask for less at once",
    "not_json": "see whether base_url is an OpenAI-compatible address up to its version",
    "too_large": "raise max_reply_mib if a reply may be as large",
    "malformed": "see whether base_url is an OpenAI-compatible address up to its version",
}


def told(endpoint: Endpoint, fault: Fault, what: str, n_attempts: int) -> str:
    """What a user is told: which endpoint, what happened, and what to do about it."""
    after = f", after {n_attempts} attempts" if n_attempts > 1 else ""
    remedy = f"; {_REMEDIES[fault]}" if fault in _REMEDIES else ""
    if fault == "unauthorised" and not endpoint.is_private:
        remedy = "; no key is sent over plain http: use https"
    return endpoint.redacted(
        f"endpoint {endpoint.name!r} at {endpoint.shown}: {what}{after}{remedy}"
    )

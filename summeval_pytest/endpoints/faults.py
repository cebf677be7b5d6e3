"""Which responses are worth another attempt, and how long to wait before it; no clock in here."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Final

from summeval_pytest.endpoints.wire import ErrorBody, read_error

if TYPE_CHECKING:
    from collections.abc import Mapping
    from random import Random

    from summeval_pytest.endpoints.endpoint import Endpoint
    from summeval_pytest.endpoints.wire import Heard, Unheard
    from summeval_pytest.errors import Fault, NoReplyError


QUOTA: Final = frozenset({"insufficient_quota", "billing_hard_limit_reached"})
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruling:
    """What to make of an error status.

    Attributes:
        fault: What is wrong, if it stays so.
        again: Whether another attempt may help.
        asked_seconds: How long the endpoint asks to be left alone; None where it does not say.
    """

    fault: Fault
    again: bool
    asked_seconds: float | None = None


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


def rule(status: int, error: ErrorBody, headers: Mapping[str, str], now: datetime) -> Ruling:
    """What to make of an error status, the body that came with it and its headers.

    Retried are 408, 409, 429 and 5xx, and other statuses that the endpoint itself calls passing by
    ``x-should-retry: true``; it can call any off by ``false``. Never retried are 400, 401, 402,
    403, 404, 413, 422, and a 429 for want of money.

    Args:
        status: 300 or more.
        error: What the body says.
        headers: By lower-case name.
        now: The time, for a ``retry-after`` that is a date.
    """
    if status in _FINAL:
        return Ruling(fault=_FINAL[status], again=False)
    if status == _RATE_LIMITED and QUOTA & {error.code, error.type}:
        return Ruling(fault="quota", again=False)
    told = headers.get("x-should-retry", "").strip().lower()
    fault: Fault = "bad_request"
    if status == _RATE_LIMITED:
        fault = "rate_limited"
    elif status in {_TIMEOUT, _CONFLICT} or status >= _SERVER:
        fault = "server_error"
    again = told != "false" and (fault != "bad_request" or told == "true")
    return Ruling(fault=fault, again=again, asked_seconds=asked_seconds(headers, now))


def asked_seconds(headers: Mapping[str, str], now: datetime) -> float | None:
    """How long a response asks to be left alone; None where it does not say, or says nonsense.

    ``retry-after-ms`` goes before ``retry-after``, which is a number of seconds or a date; a date
    that has passed is 0.
    """
    milliseconds = _number(headers.get("retry-after-ms", ""))
    if milliseconds is not None:
        return milliseconds / 1000
    after = headers.get("retry-after", "")
    seconds = _number(after)
    return _until(after, now) if seconds is None else seconds


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) and number >= 0 else None


def _until(text: str, now: datetime) -> float | None:
    try:
        date = parsedate_to_datetime(text)
    except (ValueError, OverflowError):
        return None
    if date.tzinfo is None:
        date = date.replace(tzinfo=UTC)
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
_REDIRECTIONS: Final = range(300, 400)
_BROKEN: Final = 500
_NOTHING: Final = ErrorBody()


@dataclass(frozen=True, slots=True, kw_only=True)
class Trouble:
    """Why one attempt gave no reply.

    Attributes:
        ruling: What to make of it.
        what: What happened, for people.
        name: The same for counts: a status, or a word.
        status: The status of a response; 0 where there was none, or a good one.
        error: What the response said.
    """

    ruling: Ruling
    what: str
    name: str
    status: int = 0
    error: ErrorBody = _NOTHING

    @property
    def is_breakdown(self) -> bool:
        """Whether the server broke down, or the connection did: nobody was there to refuse."""
        return self.status >= _BROKEN or self.name in {"no_connection", "dropped"}


def of_silence(silence: Unheard, *, heard_before: bool) -> Trouble:
    """The trouble when no whole response came.

    Args:
        silence: What came instead.
        heard_before: Whether anything ever came from there; where nothing did, nobody is there.
    """
    match silence.how:
        case "no_connection" if not heard_before:
            ruling = Ruling(fault="unreachable", again=False)
            what = "nothing answers (connection refused, or a name that nobody knows)"
        case "slow":
            ruling, what = Ruling(fault="timed_out", again=True), "no whole response came in time"
        case _:
            ruling, what = Ruling(fault="dropped", again=True), "the connection broke"
    return Trouble(ruling=ruling, what=what, name=silence.how)


def of_status(heard: Heard, text: str, now: datetime) -> Trouble:
    """The trouble with an error status.

    Args:
        heard: The response.
        text: Its body, free of secrets.
        now: The time, for a date in its headers.
    """
    error = read_error(text)
    ruling = rule(heard.status, error, heard.headers, now)
    code = "" if error.code == str(heard.status) else error.code
    words = [word for word in (code or error.type, error.message) if word]
    what = f"status {heard.status}" + (f" ({': '.join(words)})" if words else "")
    if heard.status in _REDIRECTIONS:
        what += ", which points elsewhere; redirections are not followed"
    return Trouble(
        ruling=ruling, what=what, name=str(heard.status), status=heard.status, error=error
    )


def of_body(error: NoReplyError, *, again: bool) -> Trouble:
    """The trouble with a response whose status is good and whose body is not."""
    return Trouble(
        ruling=Ruling(fault=error.fault, again=again),
        what=f"the response is no chat completion: {error}",
        name=error.fault,
    )


def told(endpoint: Endpoint, fault: Fault, what: str, n_attempts: int) -> str:
    """What a user is told: which endpoint, what happened, and what to do about it."""
    after = f", after {n_attempts} attempts" if n_attempts > 1 else ""
    remedy = f"; {_REMEDIES[fault]}" if fault in _REMEDIES else ""
    if fault == "unauthorised" and not endpoint.is_private:
        remedy = "; no key is sent over plain http: use https"
    return endpoint.redacted(
        f"endpoint {endpoint.name!r} at {endpoint.shown}: {what}{after}{remedy}"
    )

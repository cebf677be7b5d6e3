"""What kept an attempt from giving a reply, and how a user is told when there are no more."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from summeval_pytest.models.body import ErrorBody, read_error
from summeval_pytest.models.retrying import Ruling, rule

if TYPE_CHECKING:
    from datetime import datetime

    from summeval_pytest.errors import Fault, NoReplyError
    from summeval_pytest.models.endpoint import Endpoint
    from summeval_pytest.models.wire import Heard, Unheard

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

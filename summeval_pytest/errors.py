"""The error tree, and the places it points at.

    SummevalError
    |-- UsageError        the user's: stops the run before anything is judged (exit 4)
    |   |-- SuiteError    a mistake in a suite's files, with file and line
    |   |-- OptionError   a mistake in an option, an ini key or an environment variable
    |   `-- StoreError    a store that cannot be used, or that somebody else has written into
    |-- StoppedError      the user's, too: Ctrl-C
    |-- JudgeError        the judge's: the test errors, its pair stays unscored
    `-- NoReplyError      a request without a usable reply; `fault` names why

What a *system* gets wrong is no exception but a finding of the verdict: the test fails.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator


class SummevalError(Exception):
    """The base class of all errors that this package raises."""


class UsageError(SummevalError):
    """A mistake of the user, to be fixed before anything is judged.

    A command that needs more arguments shows itself again, with ``add``.
    """

    add: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Place:
    """A place in a file as the user named it; lines count from 1, and 0 is the whole file."""

    path: str
    line: int = 0

    def __str__(self) -> str:
        return f"{self.path}:{self.line}" if self.line else self.path


class SuiteError(UsageError):
    """A mistake in a suite's files."""

    def __init__(self, place: Place, message: str) -> None:
        super().__init__(f"{place}: {message}")
        self.place = place


class OptionError(UsageError):
    """A mistake in an option, an ini key or an environment variable."""


class StoreError(UsageError):
    """A store that cannot be used, or that holds what this package never writes."""


class StoppedError(SummevalError):
    """A KeyboardInterrupt of foreign code on the loop's thread, which it would end."""


@contextmanager
def foreign_code(
    fault: Callable[[BaseException], SummevalError],
    passed: type[BaseException] = KeyboardInterrupt,
) -> Iterator[None]:
    """Other people's code, of which whatever it raises is an error of ours.

    Errors of the type ``passed`` go on as they are: it has them from us. pytest's skip and xfail
    are no `Exception`, nor is `SystemExit`: a test that they end would be no error. A
    KeyboardInterrupt is the user's.
    """
    try:
        yield
    except (KeyboardInterrupt, passed):
        raise
    except BaseException as error:
        raise fault(error) from error


def searched(error: BaseException) -> str:
    """Where Python looks for a module, if that is what is missing; else empty."""
    where = " (Python searches PYTHONPATH, and this folder with python -m pytest)"
    return where if isinstance(error, ModuleNotFoundError) else ""


class JudgeError(SummevalError):
    """The judge gave no usable answer, so nothing was scored."""


Fault = Literal[
    "unreachable",  # nothing listens there, or its name is unknown
    "unauthorised",  # 401, 403
    "unknown_model",  # 404
    "bad_request",  # 400, 413, 422 and other refusals of the request as it is
    "quota",  # 429 that waiting does not cure
    "rate_limited",  # 429 until the deadline
    "server_error",  # 408, 409, 5xx until the deadline
    "dropped",  # the connection broke until the deadline
    "timed_out",  # the deadline itself
    "not_json",  # a body that is no JSON: HTML, or cut short
    "malformed",  # JSON, and no chat completion; or encoded in a way that nobody asked for
    "prompt_cut",  # a reply to a part of the prompt
    "too_large",  # a body beyond the endpoint's limit
    "not_recorded",  # replaying, and nobody has asked this before
    "over_budget",  # the next call could cost more than is left
    "other_model",  # in CI, a reply of another model than was asked for
    "store_lost",  # the store of replies went away while judging
]
"""Why a request has no usable reply."""
REFUSALS: Final[frozenset[Fault]] = frozenset({"unreachable", "unauthorised", "unknown_model"})
"""What every request to a model would meet: the user's to mend."""


class NoReplyError(SummevalError):
    """The endpoint returned no usable reply, so nothing was answered; ``fault`` says why."""

    def __init__(self, fault: Fault, message: str) -> None:
        super().__init__(message)
        self.fault: Fault = fault


def nearest(word: str, known: Iterable[str]) -> str:
    """A clause for a message: the known word nearest to ``word``, or all known ones."""
    from difflib import get_close_matches

    names = sorted(known)
    close = get_close_matches(word, names, n=1, cutoff=0.6)
    if close:
        return f"did you mean {close[0]!r}?"
    return "known: " + ", ".join(names) if names else "none is defined"

"""The error tree, and the places it points at.

    SummevalError
    |-- UsageError        the user's: stops the run before anything is judged (exit 4)
    |   |-- SuiteError    a mistake in a suite's files, with file and line
    |   `-- OptionError   a mistake in an option, an ini key or an environment variable
    `-- JudgeError        the judge's: the test errors, its pair stays unscored

What a *system* gets wrong is no exception but a finding of the verdict: the test fails.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


class SummevalError(Exception):
    """Everything this package raises on purpose."""


class UsageError(SummevalError):
    """What the user has to mend before anything can be judged."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a mistake stands: a file as the user named it, and a line counted from 1, or 0."""

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


class JudgeError(SummevalError):
    """The judge gave no usable answer, so nothing was scored."""


def nearest(word: str, known: Iterable[str]) -> str:
    """A clause that names the known word nearest to ``word``, or lists the known ones."""
    from difflib import get_close_matches

    names = sorted(known)
    close = get_close_matches(word, names, n=1, cutoff=0.6)
    if close:
        return f"did you mean {close[0]!r}?"
    return "known: " + ", ".join(names) if names else "none is defined"

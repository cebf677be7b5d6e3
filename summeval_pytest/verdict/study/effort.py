"""What judging takes by the length of the summary: questions, calls, tokens, seconds (EVA, tab. 6).

Seconds depend on the machine and on what was remembered, so they are told and never written down.
"""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from summeval_pytest.verdict.study.columns import LENGTH

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from summeval_pytest.verdict.study.pairs import Effort, StudiedPair

BINS: Final = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class EffortOf:
    """What the summaries of one range of lengths took of one judge.

    Attributes:
        judge: The judge.
        fewest_words: The shortest summary.
        most_words: The longest.
        n_pairs: How many there are.
        n_questions: Questions in all; what several pairs share counts for the first.
        n_calls: Replies of an endpoint in all, asked for or remembered.
        n_tokens: Tokens of these, sent and received, as far as they were counted.
    """

    judge: str
    fewest_words: int
    most_words: int
    n_pairs: int
    n_questions: int
    n_calls: int
    n_tokens: int


@dataclass(frozen=True, slots=True)
class Seconds:
    """Mean and longest time of one pair; None where no pair was alone with its judge."""

    mean: float | None
    longest: float | None


def efforts(
    pairs: Sequence[StudiedPair], judges: Sequence[str]
) -> tuple[tuple[EffortOf, ...], tuple[Seconds, ...]]:
    """The effort by quarters of the lengths, and what it took in seconds, in the same order."""
    told, timed = [], []
    for judge in judges:
        for held in _quarters([pair for pair in pairs if judge in pair.judged]):
            of = [pair.judged[judge].effort for pair in held]
            words = [_words(pair) for pair in held]
            told.append(
                EffortOf(
                    judge=judge,
                    fewest_words=min(words),
                    most_words=max(words),
                    n_pairs=len(held),
                    n_questions=sum(each.n_questions for each in of),
                    n_calls=sum(each.n_calls for each in of),
                    n_tokens=sum(each.prompt_tokens + each.completion_tokens for each in of),
                )
            )
            timed.append(_seconds(of))
    return tuple(told), tuple(timed)


def _words(pair: StudiedPair) -> int:
    return int(pair.text.numbers.get(LENGTH, 0))


def _quarters(pairs: Sequence[StudiedPair]) -> Iterator[list[StudiedPair]]:
    """The pairs by length in up to four bins; summaries of one length are in one bin."""
    if not pairs:
        return
    lengths = sorted(map(_words, pairs))
    edges = sorted({lengths[(len(lengths) - 1) * part // BINS] for part in range(1, BINS + 1)})
    low = -1
    for edge in edges:
        if held := [pair for pair in pairs if low < _words(pair) <= edge]:
            yield held
        low = edge


def _seconds(efforts: Sequence[Effort]) -> Seconds:
    known = [each.seconds for each in efforts if each.seconds is not None]
    if not known:
        return Seconds(None, None)
    return Seconds(statistics.mean(known), max(known))

"""Sentences that are supported, though less than the mean over a summary has to be."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from summeval_pytest.metrics import SUPPORT, FaithfulnessScore
from summeval_pytest.reports.numbers import shown
from summeval_pytest.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from summeval_pytest.verdict import PairRecord

_MOST: Final = 5
"""Sentences shown; they are no findings of their own."""
_LONGEST: Final = 54
"""Characters of a sentence, so that it is one line of 80 columns."""


def weak_lines(pair: PairRecord) -> Iterator[str]:
    """The supported sentences under a missed threshold on the mean support, the weakest first.

    The unsupported ones lower it, too, and are findings already. Nothing where no such threshold is
    missed, or no supported sentence is under it.
    """
    for short in pair.verdict.shortfalls:
        if short.name == SUPPORT:
            yield from _under(pair, short.least)


def _under(pair: PairRecord, least: float) -> Iterator[str]:
    weak = sorted(
        (sentence.support, sentence.index, sentence.text)
        for score in pair.scores
        if isinstance(score, FaithfulnessScore)
        for sentence in score.sentences
        if sentence.supported and sentence.support is not None and sentence.support < least
    )
    if not weak:
        return
    yield ""
    yield f"supported, though by less than {shown(SUPPORT, least, least)} of 1:"
    for support, index, text in weak[:_MOST]:
        quoted = f'"{one_line(text, _LONGEST)}"'
        yield f"   sentence {index + 1}, {shown(SUPPORT, support, least)}: {quoted}"
    if len(weak) > _MOST:
        yield f"   and {len(weak) - _MOST} more"

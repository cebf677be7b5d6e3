"""Worked examples from people's labels.

No question is answered with an example of its own paper. So labels can serve as examples and still
test the judge.
"""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable


TOKENS: Final = 3000
"""The most tokens of all examples in a request, at four characters each."""
MOST: Final = 4
"""The most examples in a request."""
_DIGITS: Final = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """One worked example.

    Attributes:
        papers: The texts that tell its paper: references and sources. It is never shown in a
            question about one of them.
        labels: What it shows, each a kind and a value, as a facet and its rating.
        text: How it stands in a request.
        rank: Where it stands among examples that show as much, lowest first.
    """

    papers: frozenset[str]
    labels: frozenset[tuple[str, int]]
    text: str
    rank: int = 0

    @property
    def n_tokens(self) -> int:
        """How many tokens it takes, more or less."""
        return math.ceil(len(self.text) / 4)


def _key(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


class Examples:
    """The examples that a judge can be shown. The order of the files does not matter."""

    def __init__(self, examples: Iterable[Example] = ()) -> None:
        fitting = {_key(each.text): each for each in examples if each.n_tokens <= TOKENS}
        self.pool = tuple(
            fitting[key] for key in sorted(fitting, key=lambda k: (fitting[k].rank, k))
        )
        self.digest = _key(repr([*sorted(fitting), TOKENS, MOST]))[:_DIGITS]

    def __len__(self) -> int:
        return len(self.pool)

    def __str__(self) -> str:
        """How the signature of a judge names them."""
        return f"labels:{self.digest}"

    @property
    def are_enough(self) -> bool:
        """Whether at least one example is left for a question about any of their papers."""
        papers = [each.papers for each in self.pool]
        return bool(papers) and not frozenset.intersection(*papers)

    def choose(self, text: str) -> tuple[str, ...]:
        """The examples for a question about a paper with this reference or source.

        Each step takes the example with the most labels that no earlier one has. It ends when no
        label is missing, after `MOST` examples, or where none fits into `TOKENS`. A question that
        does not say its paper gets no examples.
        """
        left = [each for each in self.pool if text and text not in each.papers]
        seen: set[tuple[str, int]] = set()
        chosen: list[str] = []
        room = TOKENS
        while len(chosen) < MOST:
            fitting = [each for each in left if each.n_tokens <= room and each.labels - seen]
            if not fitting:
                break
            best = max(fitting, key=lambda each: len(each.labels - seen))
            chosen.append(best.text)
            seen |= best.labels
            room -= best.n_tokens
        return tuple(chosen)


NO_EXAMPLES: Final = Examples()

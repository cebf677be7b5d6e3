"""How the directions of a clause add up: along one scale, one with another, of one group or two."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Final

from summeval_pytest.judges.offline.english.polarity import SIGN

if TYPE_CHECKING:
    from summeval_pytest.judges.offline.readings.clause import Clause

_CHANGE_LENGTH: Final = 8
"""Words from the "from" of a change to its "to"."""
_JOINING: Final = frozenset({"and", "or", "but", "then", "nor"})
"""Words that set two things side by side, so that neither depends on the other."""


def point(clause: Clause, ends: tuple[tuple[str, int], ...]) -> None:
    """Adds the ends of one more word; a scale of which both ends are told says nothing."""
    for scale, sign in ends:
        clause.ends[scale] = sign if clause.ends.get(scale, sign) == sign else 0


def relation(clause: Clause, turns: list[tuple[int, int]]) -> int:
    """How two things go together: "A grows with B", "more A makes less B", "at the cost of B"."""
    tokens = clause.tokens
    if SIGN in clause.ends:
        return clause.ends[SIGN]
    if "of" in tokens and ("cost" in tokens or "expense" in tokens):
        return -1
    if not turns:
        return 0
    first, sign = turns[0]
    if len(turns) == 1:
        return sign if "with" in tokens[first + 1 : first + 3] else 0
    if len(turns) == 2:  # noqa: PLR2004 - the one and the other
        then, other = turns[1]
        between = tokens[first + 1 : then]
        if (len(between) > 1 or "the" in between) and _JOINING.isdisjoint(between):
            return sign * other
    return 0


def read_comparative(clause: Clause, word: str) -> None:
    """Takes an "-er" word before a "than" for a scale of its own, where it stands on none."""
    if (
        not clause.ends
        and not clause.is_null
        and word.endswith("er")
        and word not in {"other", "rather"}
    ):
        clause.ends[word] = 1


def rank(tokens: tuple[str, ...], turns: list[tuple[int, int]]) -> int:
    """Which of two groups has more: "grew more slowly than" and "fell more than" say the first."""
    end = tokens.index("than") if "than" in tokens else len(tokens)
    signs = [sign for place, sign in turns if place < end]
    return prod(signs) if signs and len(signs) <= 2 else 0  # noqa: PLR2004 - a verb and its degree


def _number(token: str) -> float:
    whole, point, rest = token.replace(",", "").partition(".")
    return float(whole + point + rest.partition(".")[0] if rest else whole)


def read_change(clause: Clause) -> None:
    """Sets which way the amount goes where a clause only tells from what to what."""
    tokens = clause.tokens
    start = tokens.index("from")
    if "to" not in tokens[start : start + _CHANGE_LENGTH]:
        return
    end = tokens.index("to", start)
    numbers = [
        _number(tokens[place + 1])
        for place in (start, end)
        if place + 1 < len(tokens) and tokens[place + 1][0].isdigit()
    ]
    if len(numbers) == 2 and numbers[0] != numbers[1]:  # noqa: PLR2004 - from one, to the other
        clause.change = 1 if numbers[0] < numbers[1] else -1

"""The figures and words that a conflict is about, as they are written in their sentences."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from summeval_pytest.judges.offline.conflicts import in_conflict

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


def disputed(reason: str, claim: str, evidence: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """What is wrong in a claim, and what stands in its place in the evidence.

    Empty where the reason names no conflict. The page's script finds both as `marked_runs` does.

    >>> reason = "conflict, needs an LLM or a person: unit: '118 g/l' against '118 mg/l'"
    >>> disputed(reason, "CRP was 118 vs. 124 g/L.", ["CRP was 118 mg/L."])
    (('118',), ('118 mg/L',))
    """
    says, instead = in_conflict(reason)
    there = [written for text in evidence for written in _written(text, instead)]
    return (tuple(_written(claim, says)), tuple(there)) if says else ()


def marked_runs(text: str, figures: Sequence[str]) -> Iterator[tuple[str, bool]]:
    """The text in pieces, each with whether it is one of the figures, the first ones."""
    pattern = "|".join(map(_alone, figures)) or "(?!)"
    pieces = re.split(f"({pattern})", text, maxsplit=len(figures), flags=re.IGNORECASE)
    return ((piece, place % 2 == 1) for place, piece in enumerate(pieces))


def _written(text: str, sayings: Sequence[str]) -> Iterator[str]:
    """Each figure or word as the text writes it, with its unit where it follows."""
    for said in sayings:
        number, _, unit = said.partition(" ")
        with_unit = rf"{_alone(number)}\s?{re.escape(unit)}(?!\w)"
        tried = (re.search(each, text, re.IGNORECASE) for each in (with_unit, _alone(number)))
        if match := next(filter(None, tried), None):
            yield match[0]


def _alone(figure: str) -> str:
    """The pattern of a figure or word that stands by itself."""
    return rf"(?<![\w.,]){re.escape(figure)}(?![\w]|[.,]\d)"

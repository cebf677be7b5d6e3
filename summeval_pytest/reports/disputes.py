"""The figures and words that a conflict is about, as they are written in their sentences."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from summeval_pytest.judges.offline.conflicts import in_conflict
from summeval_pytest.text.numbers import find_figures

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


def disputed(reason: str, claim: str, evidence: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """What is wrong in a claim, and what stands in its place in the evidence.

    Both are empty where the reason names no conflict. The page's script looks for them as
    `marked_runs` does.

    >>> reason = "conflict, needs an LLM or a person: unit: '118 g/l' against '118 mg/l'"
    >>> disputed(reason, "CRP was 118 vs. 124 g/L.", ["CRP was 118 mg/L."])
    (('118',), ('118 mg/L',))
    """
    says, instead = in_conflict(reason)
    there = [written for text in evidence for written in _written(text, instead)]
    return tuple(_written(claim, says)), tuple(there)


def marked_runs(text: str, figures: Sequence[str]) -> Iterator[tuple[str, bool]]:
    """The text in pieces, each with whether it is one of the figures, the first ones."""
    pattern = "|".join(map(_pattern, figures)) or "(?!)"
    pieces = re.split(f"({pattern})", text, maxsplit=len(figures), flags=re.IGNORECASE)
    return ((piece, place % 2 == 1) for place, piece in enumerate(pieces))


def _written(text: str, sayings: Sequence[str]) -> Iterator[str]:
    """Each figure or word as the text writes it; those that it does not state are left out."""
    for said in sayings:
        figure = next((figure for figure in find_figures(text) if figure.text == said), None)
        if figure is not None:
            unit = re.compile(rf"\s?{re.escape(figure.unit)}(?!\w)", re.IGNORECASE)
            end = match.end() if (match := unit.match(text, figure.end)) else figure.end
            yield text[figure.start : end]
        elif match := re.search(_pattern(said), text, re.IGNORECASE):
            yield match[0]


def _pattern(figure: str) -> str:
    """A figure or word by itself."""
    return rf"(?<![\w.,]){re.escape(figure)}(?![\w]|[.,]\d)"

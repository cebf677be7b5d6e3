"""Studied pairs in a line each, for tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

from summeval_pytest.analysis.columns import (
    Cut,
    Judged,
    Labelled,
    RecordedNumbers,
    StudiedPair,
    StudiedText,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from summeval_pytest.metrics.facet import Held
    from summeval_pytest.questions import Facet

JUDGE = "wise"


def text(paper: str, system: str | None, numbers: Mapping[str, float] | None = None) -> StudiedText:
    """A text with these numbers; its paper is its own group."""
    return StudiedText(paper=paper, group=paper, system=system, numbers=numbers or {})


def pair(  # noqa: PLR0913 - by keyword; each is one part of a pair
    paper: str,
    system: str,
    *,
    numbers: Mapping[str, float] | None = None,
    words: Mapping[str, Mapping[Facet, int]] | None = None,
    held: tuple[Held, ...] = (),
    scores: Mapping[str, Mapping[str, float]] | None = None,
    label: Labelled | None = None,
    recorded: Mapping[str, RecordedNumbers] | None = None,
    judged: Judged | None = None,
    group: str = "",
) -> StudiedPair:
    """A pair; ``scores`` holds each judge's numbers, ``judged`` is what ``JUDGE`` says."""
    found = {name: Judged(values=values) for name, values in (scores or {}).items()}
    if judged is not None:
        found[JUDGE] = judged
    return StudiedPair(
        paper=paper,
        group=group or paper,
        system=system,
        text=StudiedText(
            paper=paper,
            group=group or paper,
            system=system,
            numbers=numbers or {},
            cuts={by: Cut(words=each, held=held) for by, each in (words or {}).items()},
        ),
        judged=found,
        label=label,
        recorded=recorded or {},
    )


def sentences(supported: int, answered: int, asked: int | None = None) -> Judged:
    """A judge's verdicts on so many sentences."""
    return Judged(
        values={"faithfulness": supported / answered} if answered else {},
        n_supported=supported,
        n_answered=answered,
        n_sentences=answered if asked is None else asked,
    )

"""Studied pairs in a line each, for tests."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from summeval_pytest.study.systems.studied import LABELS, By, Cut, Given, Studied, StudiedText

JUDGE = "wise"


def text(paper: str, system: str | None, numbers: Mapping[str, float]) -> StudiedText:
    """A text with these numbers; its paper is its own group."""
    return StudiedText(paper=paper, group=paper, system=system, numbers=numbers)


def pair(  # noqa: PLR0913 - by keyword; each is one part of a pair
    paper: str,
    system: str = "good",
    *,
    numbers: Mapping[str, float] | None = None,
    cuts: dict[str, Cut] | None = None,
    judged: Given | None = None,
    label: Given | None = None,
    given: Mapping[By, Given] | None = None,
) -> StudiedText:
    """A summary; ``judged`` is what ``JUDGE`` says."""
    found = {**(given or {})}
    found |= {("judge", JUDGE): judged} if judged is not None else {}
    found |= {LABELS: label} if label is not None else {}
    return replace(text(paper, system, numbers or {}), cuts=cuts or {}, given=found)


def scored(paper: str, system: str = "good", **values: float) -> StudiedText:
    """A pair that ``JUDGE`` gives these values."""
    return pair(paper, system, judged=Given(values=values))


def sentences(supported: int, answered: int, asked: int | None = None) -> Given:
    """Verdicts on so many sentences."""
    return Given(
        values={"faithfulness": supported / answered} if answered else {},
        n_supported=supported,
        n_answered=answered,
        n_sentences=answered if asked is None else asked,
    )


def studied(*pairs: StudiedText, n_papers: int = 1, judges: tuple[str, ...] = (JUDGE,)) -> Studied:
    """What a study of these pairs is made of, systems in order of their first pair."""
    systems = dict.fromkeys(each.system or "" for each in pairs)
    return Studied(
        by_system={name: [each for each in pairs if each.system == name] for name in systems},
        judges=judges,
        n_papers=n_papers,
    )

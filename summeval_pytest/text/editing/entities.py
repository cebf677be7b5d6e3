"""Two things of one sentence exchanged: what was said of the one is now said of the other."""

from __future__ import annotations

import re
from itertools import combinations
from typing import TYPE_CHECKING, Final

from summeval_pytest.text.editing.claims import asks, compares, hedges
from summeval_pytest.text.editing.edits import Change, Edit, change_one
from summeval_pytest.text.editing.things import (
    NO_THING,
    PREPOSITIONS,
    Thing,
    names,
    of_one_kind,
    phrases,
)
from summeval_pytest.text.quantities import Quantity, find_quantities

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_ACTS_ON = re.compile(
    r"\s(?:outperform\w*|surpass\w*|exceed\w*|beat|trailed|preced\w+|overt\w+|replac\w+"
    r"|inhibit\w*|cataly[sz]\w+|phosphorylat\w+|activat\w+)\s(?:the )?\Z"
)
"""Verbs that hold between two things in one direction only."""
_THAN = re.compile(rf"(?<!rather )\bthan (?:(?:{PREPOSITIONS}) )?(?:the |an? )?\Z")
_CONTRAST = re.compile(r"\b(?:but|whereas|while|and (?:did|was|were) not)\b")
_TURN = re.compile(r"\b(?:(?:but|whereas|while)|and (?:did|was|were) not (?:\w+ ){1,2})\s*\Z")
"""Right before the second of two things, where a sentence turns to it."""
_ALIKE = re.compile(
    r"\b(?:did not differ|similar\w*|no (?:\w+ )?differences?|indistinguishable|comparable|equal\w*"
    r"|the same)\b",
    re.IGNORECASE,
)
_RESPECTIVE = re.compile(
    r"\b(?P<a>[^\W\d_][\w-]*) and (?P<b>[^\W\d_][\w-]*)(?=[^.;]*\brespectively\b)"
)
_YEAR = re.compile(r"(?:18|19|20)\d\d")
_NEAR: Final = 3
"""Words that may stand between a thing and its figure."""
_JOINT = re.compile(r"[;,]|\b(?:to|and|or|but)\b")


def exchange_entities(text: str) -> Edit | None:
    """The text with two things of one sentence exchanged, each of which it names once.

    They are compared ("more often in A than in B"), or each has a figure of its own ("11.9% of A
    and 21.1% of B"), or one acts on the other ("A outperformed B"): so what is said after the
    exchange is another claim. What a sentence says of both alike, or only asks, is left alone.
    """
    return change_one(text, _changes_of)


def _changes_of(sentence: str) -> Iterator[Change]:
    if asks(sentence):
        return
    for kind, first, second in _pairs(sentence):
        if _stands_once(sentence, first.text) and _stands_once(sentence, second.text):
            head, middle = sentence[: first.start], sentence[first.end : second.start]
            tail = sentence[second.end :]
            yield Change(
                new=f"{head}{second.text}{middle}{first.text}{tail}",
                before=f"{first.text} ... {second.text}",
                after=f"{second.text} ... {first.text}",
                rank=(hedges(sentence), not compares(sentence), kind),
            )


def _stands_once(sentence: str, thing: str) -> bool:
    """Whether a thing is named once, in capitals or not, and as no part of a longer name."""
    named = re.findall(rf"(?<!\w){re.escape(thing)}(?!\w)", sentence, re.IGNORECASE)
    return len(named) == 1


def _pairs(sentence: str) -> Iterator[tuple[int, Thing, Thing]]:
    """Pairs of things that can be exchanged, each with how good a pair it is."""
    for one, other in combinations(phrases(sentence), 2):
        is_compared = _THAN.search(sentence[one.end : other.start])
        if is_compared and one.is_parallel(other) and one.role != "than":
            yield 0, one, other
    for one, other in combinations(names(sentence), 2):
        if _ACTS_ON.match(sentence[one.end : other.start]):
            yield 1, one, other
    yield from _respective(sentence)
    if not _ALIKE.search(sentence):
        yield from _told_apart(sentence)


def _told_apart(sentence: str) -> Iterator[tuple[int, Thing, Thing]]:
    """Pairs of which the sentence says different things, without comparing them."""
    figures = [q for q in find_quantities(sentence) if _is_figure(sentence[q.start : q.end])]
    for kind, things in ((0, phrases(sentence)), (2, names(sentence))):
        for one, other in combinations(things, 2):
            if one.is_parallel(other) and _are_told_apart(sentence, figures, one, other):
                yield kind, one, other
    for one, other in of_one_kind(sentence):
        is_contrast = _CONTRAST.search(sentence, one.end, other.start)
        between = any(one.end <= figure.start < other.start for figure in figures)
        if is_contrast or (between and len(figures) > 1):
            yield 1, one, other


def _are_told_apart(sentence: str, figures: Sequence[Quantity], one: Thing, other: Thing) -> bool:
    """Whether each thing has a figure, or a sentence with figures turns from one to the other."""
    turns = bool(figures) and _TURN.search(sentence[one.end : other.opening]) is not None
    return turns or _figure_each(sentence, figures, one, other)


def _is_figure(number: str) -> bool:
    """Whether a number is in digits and no year."""
    return number[-1].isdigit() and not _YEAR.fullmatch(number)


def _respective(sentence: str) -> Iterator[tuple[int, Thing, Thing]]:
    for match in _RESPECTIVE.finditer(sentence):
        one, other = (
            Thing(text=match[name], start=match.start(name), opening=match.start(name))
            for name in ("a", "b")
        )
        is_whole = match.start() > 0 and sentence[: match.start()][-2:] != "- "
        if is_whole and not {one.text.lower(), other.text.lower()} & NO_THING:
            yield 3, one, other


def _figure_each(sentence: str, figures: Sequence[Quantity], one: Thing, other: Thing) -> bool:
    """Whether each of two things has a figure next to it, on the same side, of the same unit."""
    if one.text.lower() == other.text.lower():
        return False
    sides = [
        [_figure_after(sentence, figures, thing) for thing in (one, other)],
        [_figure_before(sentence, figures, thing) for thing in (one, other) if thing.role],
    ]
    for mine, theirs in (side for side in sides if len(side) > 1):
        if mine and theirs and mine.value != theirs.value:
            return mine.unit == theirs.unit or not (mine.unit and theirs.unit)
    return False


def _figure_after(sentence: str, figures: Sequence[Quantity], thing: Thing) -> Quantity | None:
    """The figure that follows a thing; without a preposition it has to stand in brackets."""
    figure = next((figure for figure in figures if figure.start >= thing.end), None)
    gap = sentence[thing.end : figure.start] if figure else ""
    is_given = bool(thing.role) or gap.rstrip().endswith("(")
    return figure if is_given and _is_near(gap) else None


def _figure_before(sentence: str, figures: Sequence[Quantity], thing: Thing) -> Quantity | None:
    """The figure that stands before a thing and its preposition."""
    figure = next((figure for figure in reversed(figures) if figure.end <= thing.opening), None)
    return figure if figure and _is_near(sentence[figure.end : thing.opening]) else None


def _is_near(gap: str) -> bool:
    """Whether so little stands between a thing and a figure that they belong together."""
    return len(gap.split()) <= _NEAR and not _JOINT.search(gap)

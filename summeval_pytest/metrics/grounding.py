"""Segments held to the text that they are said to come from: what it contains of them, and how.

A segment that is not in the text as a whole is held to it sentence by sentence, and at ellipses
(metrics.md 1.1, stage A, post-check 2). Only letters and digits are compared.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, Literal, get_args

from summeval_pytest.questions import FACETS, Facet, FacetSegments
from summeval_pytest.text import split_sentences

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

Held = Literal["whole", "parts", "absent"]
"""How a text contains a segment: word for word, some of its sentences, or nothing of it."""
HELD: Final[tuple[Held, ...]] = get_args(Held)

_WORD = re.compile(r"[^\W_]+")
_ELLIPSIS = re.compile(r"\s*(?:\[?\.\.\.\]?|\u2026)\s*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Grounded:
    """A text's segments as far as it contains them.

    Attributes:
        segments: What is left of each segment; empty where nothing is.
        dropped: The pieces that the text does not contain, in reading order of their facets.
        held: How the text contains the segment of each facet that had one.
    """

    segments: FacetSegments
    dropped: tuple[str, ...]
    held: Mapping[Facet, Held]


def ground(segments: FacetSegments, text: str) -> Grounded:
    """The segments held to the text."""
    plain = _plain(text)
    kept: dict[Facet, str] = {}
    dropped: list[str] = []
    held: dict[Facet, Held] = {}
    for facet in FACETS:
        segment = segments.segment(facet).strip()
        if not _WORD.search(segment):
            continue
        if _plain(segment) in plain:
            kept[facet], held[facet] = segment, "whole"
            continue
        pieces = _pieces(segment)
        contained = [piece for piece in pieces if _plain(piece) in plain]
        dropped.extend(piece for piece in pieces if piece not in contained)
        held[facet] = "parts" if contained else "absent"
        if contained:
            kept[facet] = " ".join(contained)
    return Grounded(
        segments=FacetSegments(**kept), dropped=tuple(dropped), held=MappingProxyType(held)
    )


def count_held(ways: Iterable[Held]) -> Mapping[Held, int]:
    """How many segments are held whole, in parts, and not at all."""
    counts = Counter(ways)
    return MappingProxyType({way: counts[way] for way in HELD})


def coverage(segments: FacetSegments, text: str) -> float:
    """Share of the text's letters and digits that its segments hold, at most 1."""
    held = sum(_letters(segments.segment(facet)) for facet in FACETS)
    return min(1.0, held / max(1, _letters(text)))


def is_held(sentence: str, text: str) -> bool:
    """Whether a text has the words of a sentence in a row; a sentence without a word has none."""
    wanted = _plain(sentence)
    return bool(wanted.strip()) and wanted in _plain(text)


def facets_of(sentences: Iterable[str], segments: FacetSegments) -> Iterator[Facet | None]:
    """The facet whose segment holds each sentence; None where none does.

    Of several, the first in reading order. A sentence that no segment holds as a whole was cut: it
    goes to the facet that holds most of it, letter by letter, among the sentences that it is cut
    into by our rules. Only words are compared, as they are when a segment is held to its text.
    """
    plain = {facet: _plain(segments.segment(facet)) for facet in FACETS}
    for sentence in sentences:
        wanted = _plain(sentence)
        whole = [facet for facet in FACETS if wanted.strip() and wanted in plain[facet]]
        if whole:
            yield whole[0]
            continue
        held = dict.fromkeys(FACETS, 0)
        for piece in _pieces(sentence):
            for facet in FACETS:
                held[facet] += _letters(piece) if _plain(piece) in plain[facet] else 0
        most = max(FACETS, key=held.__getitem__)
        yield most if held[most] else None


def _pieces(segment: str) -> list[str]:
    return [
        sentence.text
        for piece in _ELLIPSIS.split(segment)
        for sentence in split_sentences(piece)
        if _WORD.search(sentence.text)
    ]


def _plain(text: str) -> str:
    """The words of a text between spaces, so that containment respects their borders."""
    return f" {' '.join(_WORD.findall(text.lower()))} "


def _letters(text: str) -> int:
    return sum(map(len, _WORD.findall(text)))

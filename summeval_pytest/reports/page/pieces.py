"""The pieces of a pair that a reader can point at: facets, sentences, facts; each with its why."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Literal, TypeVar

from summeval_pytest.metrics import CONFLICTS, EvaScore, FacetScore, FaithfulnessScore
from summeval_pytest.questions import SCALES
from summeval_pytest.reports.page.locator import subject_of
from summeval_pytest.reports.page.visible import cut
from summeval_pytest.verdict import rated_words, sentence_words

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from summeval_pytest.metrics import CheckedFact, Score, Unscored
    from summeval_pytest.questions import Facet
    from summeval_pytest.reports.page.locator import Locator, Span
    from summeval_pytest.verdict import Finding, PairRecord

T = TypeVar("T")
Kind = Literal["facet", "sentence", "expected", "stated"]
State = Literal["good", "bad", "open"]

MOST: Final = 300
"""Pieces of one kind that a pair shows; the bad ones are kept first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """One facet, sentence or fact, as the page's script reads it.

    Attributes:
        kind: What it is; ``expected`` is a fact of the reference, ``stated`` one of the summary.
        number: Which one of its kind, from 1; a facet has none.
        text: Its words; empty where they are to be read at ``at``.
        state: Good, bad, or open where the judge gave no answer.
        verdict: What it came to, in words.
        reason: Why.
        facet: Which facet, for a facet.
        at: Where it stands.
        other: What it was held against on the other side, or what carries it there: the place of
            another piece among all of them, or words.
        there: Where that stands.
        source: Indices of the source sentences to read, the first one first.
    """

    kind: Kind
    number: int | None = None
    text: str = ""
    state: State
    verdict: str
    reason: str
    facet: Facet | None = None
    at: tuple[Span, ...] = ()
    other: tuple[int | str, ...] = ()
    there: tuple[Span, ...] = ()
    source: tuple[int, ...] = ()


def is_about(finding: Finding, piece: Piece) -> bool:
    """Whether a finding is about this piece."""
    match finding.kind:
        case "facet":
            return finding.number == f"facet.{piece.facet}"
        case "sentence":
            return (piece.kind, finding.title) == ("sentence", f"sentence {piece.number}")
        case "fact":
            kind = "expected" if finding.number == "eva.recall" else "stated"
            return (piece.kind, piece.text) == (kind, cut(subject_of(finding)[1]))


def pieces_of(pair: PairRecord, locator: Locator) -> tuple[Piece, ...]:
    """The pieces of a pair, in the order of its scores; each names others by their places."""
    pieces = [piece for score in pair.scores for piece in _pieces_of(score, locator)]
    places = {piece.text: place for place, piece in enumerate(pieces) if piece.text}
    sentences = {p.number: place for place, p in enumerate(pieces) if p.kind == "sentence"}
    for score in pair.scores:
        if isinstance(score, FaithfulnessScore):
            places |= {
                sentence.text: sentences[sentence.index + 1]
                for sentence in score.sentences
                if sentence.index + 1 in sentences
            }
    return tuple(
        replace(piece, other=tuple(places.get(str(other), other) for other in piece.other))
        for piece in pieces
    )


def _pieces_of(score: Score | Unscored, locator: Locator) -> Iterator[Piece]:
    match score:
        case FacetScore():
            yield from facets(score, locator)
        case FaithfulnessScore():
            yield from sentences(score, locator)
        case EvaScore():
            yield from expected_facts(score, locator)
            yield from stated_facts(score, locator)
        case _:
            pass


def facets(score: FacetScore, locator: Locator) -> Iterator[Piece]:
    """The rated facets, in reading order."""
    for rated in score.ratings:
        scale = SCALES[rated.facet]
        yield Piece(
            kind="facet",
            state="good" if rated.rating == scale else "bad",
            verdict=rated_words(rated),
            reason=cut(rated.reason),
            facet=rated.facet,
            at=locator.in_summary(rated.candidate),
            there=locator.in_references(rated.reference),
            source=locator.cited(f"facet.{rated.facet}"),
        )


def sentences(score: FaithfulnessScore, locator: Locator) -> Iterator[Piece]:
    """The judged sentences of the summary, in order."""
    held = [False if s.number_conflict else s.supported for s in score.sentences]
    kept = _worst(score.sentences, held)
    places = locator.summary.in_order(sentence.text for sentence in kept)
    for sentence, found in zip(kept, places, strict=True):
        state, _ = _judged(sentence.supported, "", "")
        numbers = ("faithfulness", CONFLICTS)
        cited = [place for number in numbers for place in locator.cited(number, sentence.text)]
        yield Piece(
            kind="sentence",
            number=sentence.index + 1,
            text="" if found else cut(sentence.text),
            state="bad" if sentence.number_conflict else state,
            verdict=sentence_words(sentence),
            reason=cut(sentence.reason),
            at=tuple((0, *place) for place in found),
            source=tuple(dict.fromkeys((*sentence.evidence, *cited))),
        )


def expected_facts(score: EvaScore, locator: Locator) -> Iterator[Piece]:
    """The reference's facts, missing ones first."""
    held = [
        True if place in score.matched else checked.holds
        for place, checked in enumerate(score.reference)
    ]
    for place in _bad_first(_worst(range(len(held)), held), held):
        checked = score.reference[place]
        state, verdict = _judged(held[place], "matched", "missing")
        if held[place] and place not in score.matched:
            verdict = "follows from the summary, matched by no single fact"
        yield Piece(
            kind="expected",
            number=place + 1,
            text=cut(checked.fact.text),
            state=state,
            verdict=verdict,
            reason=cut(checked.reason),
            at=locator.fact_in_references(checked),
            other=tuple(map(cut, checked.evidence)),
            there=tuple(s for text in checked.evidence for s in locator.in_summary(text)),
            source=locator.cited("eva.recall", checked.fact.text),
        )


def stated_facts(score: EvaScore, locator: Locator) -> Iterator[Piece]:
    """The summary's facts, unsupported ones first."""
    held = [checked.holds for checked in score.candidate]
    carriers: Mapping[str, CheckedFact] = {
        checked.fact.text: checked for checked in reversed(score.reference)
    }

    def carried(text: str) -> tuple[Span, ...]:
        known = carriers.get(text)
        return locator.fact_in_references(known) if known else locator.in_references(text)

    for place in _bad_first(_worst(range(len(held)), held), held):
        checked = score.candidate[place]
        state, verdict = _judged(checked.holds, "supported", "unsupported")
        yield Piece(
            kind="stated",
            number=place + 1,
            text=cut(checked.fact.text),
            state=state,
            verdict=verdict,
            reason=cut(checked.reason),
            at=locator.fact_in_summary(checked),
            other=tuple(map(cut, checked.evidence)),
            there=tuple(dict.fromkeys(s for text in checked.evidence for s in carried(text))),
            source=locator.cited("eva.precision", checked.fact.text),
        )


def _judged(held: bool | None, yes: str, no: str) -> tuple[State, str]:
    if held is None:
        return "open", "unanswered"
    return ("good", yes) if held else ("bad", no)


def _worst(items: Sequence[T], held: Sequence[bool | None]) -> list[T]:
    """The items in their order; of too many, as many as a page shows, the good ones left out."""
    if len(items) <= MOST:
        return list(items)
    ranked = sorted(range(len(items)), key=lambda n: (held[n] is True, n))[:MOST]
    return [items[n] for n in sorted(ranked)]


def _bad_first(places: Sequence[int], held: Sequence[bool | None]) -> list[int]:
    return sorted(places, key=lambda n: (held[n] is not False, held[n] is True))

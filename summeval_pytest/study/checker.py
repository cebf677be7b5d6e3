"""The checker: facts and sentences held against their source by a small model of this machine.

    support = the highest probability, over the parts of the source, that the claim follows from one

A source that is longer than the model reads is cut into parts of whole sentences, each of which
begins with the last sentences of the one before it: as many as fill a quarter of it, at least one.
The part with the highest probability is where evidence is looked for.
"""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

from summeval_pytest.questions import (
    CheckFacts,
    CheckSentences,
    FactCheck,
    FactChecks,
    SentenceCheck,
    SentenceChecks,
    Unanswered,
)
from summeval_pytest.text.words import content_words

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from summeval_pytest.questions import Answer, Question


VERSION: Final = "1"
"""Goes up when a source is cut, or evidence chosen, in another way."""
MARKS: Final = 8
"""Tokens left for the marks around a part and a claim."""
MOST_EVIDENCE: Final = 3
_DIGITS: Final = 4
"""Further digits of a probability differ from processor to processor."""
ONLY_CHECKS: Final = "a checker checks facts and sentences, and was asked something else"
NO_SOURCE: Final = "there is nothing that it could follow from"


class ClaimReader(Protocol):
    """A model that reads a text and a claim."""

    @property
    def signature(self) -> str:
        """All that can move its numbers, on one line."""

    @property
    def window(self) -> int:
        """How many tokens it reads at once."""

    def count(self, texts: Sequence[str]) -> list[int]:
        """How many tokens each text has."""

    def support(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        """For each (text, claim) the probability that the claim follows from the text."""


class _Chunk(NamedTuple):
    """A part of a source, and the place of the sentence that each of its lines is of."""

    text: str
    places: tuple[int, ...]


class _Found(NamedTuple):
    support: float
    reason: str
    evidence: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Checker:
    """Answers `CheckFacts` and `CheckSentences` by a model that reads no prompt.

    Supported is what the model gives at least the ``threshold``. Facts are checked against their
    premises in order, as a source; earlier facts of a chain change nothing. A claim that fills more
    than half of what the model reads stays unanswered. It computes in a thread of its own, so that
    others can be asked meanwhile.
    """

    reader: ClaimReader
    threshold: float = 0.5
    in_flight: int = 1
    _thread: ThreadPoolExecutor = field(
        default_factory=lambda: ThreadPoolExecutor(1, "summeval-checker"), init=False
    )

    @property
    def signature(self) -> str:
        """The model, how it is read, and what its probability has to be."""
        return f"checker-{VERSION} {self.reader.signature} threshold={self.threshold:g}"

    async def answer(self, questions: tuple[Question, ...]) -> tuple[Answer, ...]:
        """One answer for each question, in the order asked."""
        loop = asyncio.get_running_loop()
        return tuple(
            [await loop.run_in_executor(self._thread, self.compute, each) for each in questions]
        )

    def compute(self, question: Question) -> Answer:
        """The answer to one question."""
        match question:
            case CheckFacts(facts=facts, premises=premises):
                found = self._checked([fact.text for fact in facts], premises)
                return FactChecks(tuple(map(self._fact_check, found)))
            case CheckSentences(sentences=sentences, source=source):
                found = self._checked(sentences, source)
                return SentenceChecks(tuple(map(self._sentence_check, found)))
            case _:
                return Unanswered(ONLY_CHECKS)

    def _fact_check(self, found: _Found | Unanswered) -> FactCheck | Unanswered:
        if isinstance(found, Unanswered):
            return found
        support, reason, evidence = found
        entailed = support >= self.threshold
        premises = evidence if entailed else ()
        return FactCheck(reason=reason, entailed=entailed, premises=premises, support=support)

    def _sentence_check(self, found: _Found | Unanswered) -> SentenceCheck | Unanswered:
        if isinstance(found, Unanswered):
            return found
        support, reason, evidence = found
        supported = support >= self.threshold
        return SentenceCheck(reason=reason, supported=supported, evidence=evidence, support=support)

    def _checked(self, claims: Sequence[str], source: Sequence[str]) -> list[_Found | Unanswered]:
        """What becomes of each claim; all claims share the model's batches."""
        if not source:
            return [_Found(0.0, NO_SOURCE, ()) for _ in claims]
        window, lengths = self.reader.window, self.reader.count(source)
        parts: list[Sequence[_Chunk]] = []
        for size in self.reader.count(claims):
            room = window - MARKS - max(size, window // 4)
            parts.append(() if size > window // 2 else tuple(parts_of(source, lengths, room)))
        pairs = [
            (part.text, claim) for claim, own in zip(claims, parts, strict=True) for part in own
        ]
        numbers = iter(self.reader.support(pairs))
        return [
            self._found(claim, own, [round(next(numbers), _DIGITS) for _ in own], source)
            for claim, own in zip(claims, parts, strict=True)
        ]

    def _found(
        self, claim: str, parts: Sequence[_Chunk], numbers: list[float], source: Sequence[str]
    ) -> _Found | Unanswered:
        if not parts:
            return Unanswered(
                f"it fills more than half of the {self.reader.window:,} tokens that the checker"
                " reads at once"
            )
        support = max(numbers)
        best = parts[numbers.index(support)]
        reason = f"the checker gives it {support:.2f}, and {self.threshold:g} is needed"
        if len(parts) > 1:
            first, last = best.places[0] + 1, best.places[-1] + 1
            reason += f"; best of {len(parts)} parts: sentences {first} to {last}"
        return _Found(support, reason, evidence_of(claim, best.places, source))


def parts_of(source: Sequence[str], lengths: Sequence[int], room: int) -> Iterator[_Chunk]:
    """The parts of a source that have at most ``room`` tokens each, in order.

    ``lengths`` are the tokens of its sentences. One that is longer than a part is cut into pieces.
    """
    pieces: list[tuple[int, str, int]] = []
    for place, (text, length) in enumerate(zip(source, lengths, strict=True)):
        n_pieces = max(1, -(-length // room))
        step = max(1, -(-len(text) // n_pieces))
        pieces += [
            (place, text[start : start + step], -(-length // n_pieces))
            for start in range(0, max(1, len(text)), step)
        ]
    start = end = 0
    while end < len(pieces):
        used = sum(length for *_, length in pieces[start:end])
        while end < len(pieces) and (start == end or used + pieces[end][2] <= room):
            used += pieces[end][2]
            end += 1
        own = pieces[start:end]
        yield _Chunk(" ".join(text for _, text, _ in own), tuple(place for place, *_ in own))
        start = _next_start(start, end, [length for *_, length in pieces], room)


def _next_start(start: int, end: int, lengths: Sequence[int], room: int) -> int:
    """Where the part after ``start`` to ``end`` begins, so that it holds what follows, too."""
    if end == len(lengths):
        return end
    again, left = 0, room - lengths[end]
    first = end
    while first - 1 > start and again + lengths[first - 1] <= left:
        again += lengths[first - 1]
        if first < end and again > room // 4:
            break
        first -= 1
    return first


def evidence_of(claim: str, places: Sequence[int], source: Sequence[str]) -> tuple[int, ...]:
    """Of the sentences at these places those that share most words with a claim, the best first.

    Each one adds words that those before it lack; empty where none shares any.
    """
    wanted = set(content_words(claim))
    left = {place: set(content_words(source[place])) for place in places}
    found: list[int] = []
    while left and len(found) < MOST_EVIDENCE:
        best = max(left, key=lambda place: len(wanted & left[place]))
        if not wanted & left[best]:
            break
        wanted -= left.pop(best)
        found.append(best)
    return tuple(found)

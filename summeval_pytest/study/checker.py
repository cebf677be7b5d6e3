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
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol, TypeVar

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
    from collections.abc import Callable, Iterator, Sequence

    from summeval_pytest.questions import Answer, Question


CheckT = TypeVar("CheckT")
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
                return FactChecks(tuple(self._checked([f.text for f in facts], premises, _fact)))
            case CheckSentences(sentences=sentences, source=source):
                return SentenceChecks(tuple(self._checked(sentences, source, _sentence)))
            case _:
                return Unanswered(ONLY_CHECKS)

    def _checked(
        self, claims: Sequence[str], source: Sequence[str], make: Callable[..., CheckT]
    ) -> Iterator[CheckT | Unanswered]:
        """What becomes of each claim; all claims share the model's batches."""
        if not source:
            yield from (make(NO_SOURCE, self.threshold <= 0, (), 0.0) for _ in claims)
            return
        window, lengths = self.reader.window, self.reader.count(source)
        read: list[tuple[str, Sequence[_Chunk]]] = []
        for claim, size in zip(claims, self.reader.count(claims), strict=True):
            room = window - MARKS - max(size, window // 4)
            read.append((claim, () if size > window // 2 else [*parts_of(source, lengths, room)]))
        pairs = [(part.text, claim) for claim, parts in read for part in parts]
        numbers = iter(self.reader.support(pairs))
        for claim, parts in read:
            if not parts:
                yield Unanswered(
                    f"it fills more than half of the {window:,} tokens that the checker reads at"
                    " once"
                )
                continue
            supports = [round(next(numbers), _DIGITS) for _ in parts]
            support = max(supports)
            best = parts[supports.index(support)]
            reason = f"the checker gives it {support:.2f}, and {self.threshold:g} is needed"
            if len(parts) > 1:
                first, last = best.places[0] + 1, best.places[-1] + 1
                reason += f"; best of {len(parts)} parts: sentences {first} to {last}"
            evidence = evidence_of(claim, best.places, source)
            yield make(reason, support >= self.threshold, evidence, support)


def _fact(reason: str, entailed: bool, evidence: tuple[int, ...], support: float) -> FactCheck:
    premises = evidence if entailed else ()
    return FactCheck(reason=reason, entailed=entailed, premises=premises, support=support)


def _sentence(
    reason: str, supported: bool, evidence: tuple[int, ...], support: float
) -> SentenceCheck:
    return SentenceCheck(reason=reason, supported=supported, evidence=evidence, support=support)


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

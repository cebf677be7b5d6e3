"""A judge watched while it judges: what each pair takes of it, and how it cuts texts into facets.

What several pairs need is asked once, so it counts for the first pair that needs it.
"""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING

from summeval_pytest.questions import FacetSegments, SegmentFacets
from summeval_pytest.store import request_key

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from summeval_pytest.evaluation.addressing import Address
    from summeval_pytest.evaluation.pairing import FindPair
    from summeval_pytest.evaluation.roles import Lines
    from summeval_pytest.judges import Judge
    from summeval_pytest.models import ChatReply, ChatRequest, Price, Sender
    from summeval_pytest.questions import Answer, Question
    from summeval_pytest.suite import Pair, Suite

Named = tuple[str, str]
"""A system and a paper."""
PAIR: ContextVar[Named] = ContextVar("PAIR", default=("", ""))
"""The pair that is judged now."""


@dataclass(slots=True)
class Taken:
    """What one pair has taken of a judge.

    Attributes:
        n_questions: Questions that the judge answered.
        n_calls: Replies of an endpoint, asked for or remembered.
        prompt_tokens: Tokens of those calls, as far as the endpoint counted them.
        completion_tokens: Tokens of the replies.
    """

    n_questions: int = 0
    n_calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0


class Watch:
    """What one judge is asked, noted as it happens.

    Attributes:
        taken: By system and paper, what each pair has taken.
    """

    def __init__(self) -> None:
        self.taken: dict[Named, Taken] = {}
        self._segments: dict[bytes, FacetSegments] = {}
        self._seen: set[str] = set()

    def over(self, judge: Judge) -> Judge:
        """The judge, watched."""
        return Watched(judge, self.answered)

    def lines(self, find: Callable[[], Lines]) -> Lines:
        """The lines of a judge, counted; they are found when the first is wanted."""
        return _CountedLines(find, self)

    def pairs(self, find_pair: FindPair) -> FindPair:
        """Who makes the pairs, noted as the ones that questions are about from then on."""

        async def noted(suite: Suite, paper: str, system: str) -> Pair:
            PAIR.set((system, paper))
            return await find_pair(suite, paper, system)

        return noted

    def segments(self, text: str) -> FacetSegments | None:
        """How the judge cut a normalised text into facets; None where it was not asked."""
        return self._segments.get(_digest(text))

    def answered(self, question: Question, answer: Answer) -> None:
        """Notes one answer."""
        self._now().n_questions += 1
        if isinstance(question, SegmentFacets) and isinstance(answer, FacetSegments):
            self._segments[_digest(question.text)] = answer

    def replied(self, endpoint: str, request: ChatRequest, reply: ChatReply) -> None:
        """Notes one reply, unless it was noted before."""
        key = request_key(request.identity(endpoint))
        if key in self._seen:
            return
        self._seen.add(key)
        now = self._now()
        now.n_calls += 1
        if reply.usage is not None:
            now.prompt_tokens += reply.usage.prompt_tokens
            now.completion_tokens += reply.usage.completion_tokens

    def _now(self) -> Taken:
        return self.taken.setdefault(PAIR.get(), Taken())


def _digest(text: str) -> bytes:
    """What stands for a text, so that a long suite's texts need not all be kept."""
    return sha256(text.encode("utf-8", "surrogatepass")).digest()


class Watched:
    """A judge that says what the other says, each answer noted."""

    def __init__(self, judge: Judge, note: Callable[[Question, Answer], object]) -> None:
        self._judge = judge
        self._note = note
        self.signature = judge.signature
        self.in_flight = judge.in_flight

    async def answer(self, questions: tuple[Question, ...]) -> tuple[Answer, ...]:
        """The judge's answers."""
        answers = tuple(await self._judge.answer(questions))
        for question, answer in zip(questions, answers, strict=False):  # the asker counts them
            self._note(question, answer)
        return answers


class _CountedLines:
    """Lines to endpoints, whose replies are counted."""

    def __init__(self, find: Callable[[], Lines], watch: Watch) -> None:
        self._find = find
        self._watch = watch

    def line(self, address: Address, price: Price | None) -> Sender:
        """A sender to one endpoint."""
        line = self._find().line(address, price)
        return _CountedLine(line, address.endpoint.name, self._watch)


class _CountedLine:
    """A sender whose replies are counted."""

    def __init__(self, line: Sender, endpoint: str, watch: Watch) -> None:
        self._line = line
        self._endpoint = endpoint
        self._watch = watch

    async def send(self, request: ChatRequest) -> ChatReply:
        """The reply.

        Raises:
            NoReplyError: if there is none, and why.
        """
        reply = await self._line.send(request)
        self._watch.replied(self._endpoint, request, reply)
        return reply

    def give_up(self, said: Sequence[tuple[ChatRequest, ChatReply]], why: str) -> str:
        """Handed on."""
        return self._line.give_up(said, why)

"""Who answers: the protocol that every judge follows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Protocol, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from summeval_pytest.questions import Answer, Question


@runtime_checkable
class Judge(Protocol):
    """Whoever answers questions: the embedded judge, an LLM, other people's recorded answers.

    A team's own judge is one class with these three members.
    """

    @property
    def signature(self) -> str:
        """All that can change this judge's answers, in one short string."""
        ...

    @property
    def in_flight(self) -> int:
        """How many pairs are worth having open at once: 1 for a judge that computes."""
        ...

    async def answer(self, questions: tuple[Question, ...]) -> tuple[Answer, ...]:
        """One answer for each question, in the order asked.

        A question that cannot be answered is `Unanswered` with a reason; raising is for what no
        question could survive.
        """
        ...


Part = Literal["chain", "relations", "counts"]
"""What only variants ask: with earlier verdicts, for relations, for counts of facts."""


@runtime_checkable
class Prompting(Protocol):
    """A judge whose signature does not cover what only variants ask; one of one's own need not be.

    Without this, a judge's signature has to state whatever can change any of its answers.
    """

    def prompts_for(self, parts: tuple[Part, ...]) -> str:
        """A few hex digits that change with every prompt of these parts."""
        ...


@runtime_checkable
class Counting(Protocol):
    """A judge that counts what its replies were like; a judge of one's own need not."""

    def counts(self) -> Mapping[str, float]:
        """Counts by name, which add up over processes."""
        ...

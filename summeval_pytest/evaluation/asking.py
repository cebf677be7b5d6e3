"""Questions that are the same are asked once: one answer serves every flow that waits for it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

from summeval_pytest.errors import JudgeError, UsageError
from summeval_pytest.questions import FacetRatings, FactChecks, SentenceChecks, Unanswered
from summeval_pytest.text import one_line

if TYPE_CHECKING:
    from summeval_pytest.judges import Judge
    from summeval_pytest.questions import Answer, Question

REMEMBERED: Final = 512
"""How many answers one process keeps: enough that a reference is asked about once for all systems
while its papers are at hand, and little enough for suites of any size."""


def is_whole(answer: Answer) -> bool:
    """Whether an answer leaves nothing unanswered; only such an answer is remembered."""
    match answer:
        case Unanswered():
            return False
        case FacetRatings(items) | FactChecks(items) | SentenceChecks(items):
            return not any(isinstance(item, Unanswered) for item in items)
        case _:
            return True


class Asker:
    """One judge, asked by many flows of one event loop."""

    def __init__(self, judge: Judge) -> None:
        self.judge = judge
        self._answers: dict[Question, asyncio.Future[Answer]] = {}

    async def ask(self, questions: tuple[Question, ...]) -> tuple[Answer, ...]:
        """The answers to questions, in order; those asked before or just now are not asked again.

        Raises:
            JudgeError: if the judge returns another number of answers than it was asked for, or
                breaks down.
            UsageError: if the judge finds that the user has to mend something: a key, the store.
        """
        loop = asyncio.get_running_loop()
        new = tuple(q for q in dict.fromkeys(questions) if q not in self._answers)
        for question in new:
            self._answers[question] = loop.create_future()
        waiting = [self._answers[question] for question in questions]
        if new:
            await self._answer(new)
        answers = tuple([await asyncio.shield(future) for future in waiting])
        self._forget()
        return answers

    async def _answer(self, questions: tuple[Question, ...]) -> None:
        """Has the judge answer, and hands a failure to everyone who waits; it is not remembered."""
        try:
            answers = self._one_each(questions, await self._answered(questions))
        except BaseException as error:
            for question in questions:
                future = self._answers.pop(question)
                future.set_exception(error)
                future.exception()  # marks it as seen: not every future has a second waiter
            raise
        for question, answer in zip(questions, answers, strict=True):
            self._answers[question].set_result(answer)
            if not is_whole(answer):
                del self._answers[question]

    async def _answered(self, questions: tuple[Question, ...]) -> tuple[Answer, ...]:
        """What the judge returns; whatever it raises instead is the judge's fault, or the user's.

        A judge is anybody's code: what it raises, `SystemExit` too, must end one test and not the
        loop that all tests share.
        """
        try:
            return tuple(await self.judge.answer(questions))
        except asyncio.CancelledError as error:
            task = asyncio.current_task()
            if task is None or task.cancelling():
                raise
            raise self._broken(error) from error
        except UsageError:
            raise
        except (Exception, SystemExit) as error:
            raise self._broken(error) from error

    def _broken(self, error: BaseException) -> JudgeError:
        told = one_line(f"{type(error).__name__}: {error}")
        return JudgeError(f"judge {self.judge.signature!r} broke down: {told}")

    def _one_each(
        self, questions: tuple[Question, ...], answers: tuple[Answer, ...]
    ) -> tuple[Answer, ...]:
        if len(answers) != len(questions):
            raise JudgeError(
                f"judge {self.judge.signature!r} gave {len(answers)} answers to"
                f" {len(questions)} questions; it owes one for each, in order"
            )
        return answers

    def _forget(self) -> None:
        while len(self._answers) > REMEMBERED:
            oldest = next(iter(self._answers))
            if not self._answers[oldest].done():
                return
            del self._answers[oldest]

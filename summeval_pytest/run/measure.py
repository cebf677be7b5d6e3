"""Measure one pair: drive the dialogues of its metrics and keep their scores.

One `Asker` serves all flows of a loop, so each question reaches the judge once.
"""

from __future__ import annotations

import asyncio
from contextvars import ContextVar
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple

from summeval_pytest.errors import JudgeError, StoppedError, UsageError
from summeval_pytest.metrics.catalogue import METRICS
from summeval_pytest.metrics.own import custom_numbers
from summeval_pytest.questions import FacetRatings, FactChecks, SentenceChecks, Unanswered
from summeval_pytest.run.flows import (
    PLAIN,
    StatedFacts,
    metric_flow,
    metric_signature,
    source_of,
    stated_flow,
)
from summeval_pytest.run.pair_numbers import numbers_of
from summeval_pytest.text.printing import raised

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from summeval_pytest.judges.judge import Judge
    from summeval_pytest.metrics.flow import Dialogue, Returned
    from summeval_pytest.metrics.number import CustomNumbers, MetricName, Unscored
    from summeval_pytest.metrics.score import Score
    from summeval_pytest.metrics.signature import Signature
    from summeval_pytest.questions import Answer, Question
    from summeval_pytest.run.pair_numbers import Numbers
    from summeval_pytest.suite.file import Variants
    from summeval_pytest.suite.labels import FactLabels
    from summeval_pytest.suite.values import Pair


class Extra(NamedTuple):
    """A dialogue beside the metrics; calls are counted under its name."""

    name: str
    flow: Callable[[Pair], Dialogue[object]]


METRIC: ContextVar[str] = ContextVar("METRIC", default="")
"""The metric of the current dialogue; `run.plan` counts calls under it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """Everything that was measured on one pair.

    Attributes:
        scores: One score, or the reason for none, for each metric measured.
        signatures: The recipe of each of them.
        source: The source's sentences, which evidence indices count.
        stated: The checks of labelled facts; None where none were requested.
        extras: The results of further dialogues, by name.
    """

    pair: Pair
    scores: tuple[Score | Unscored, ...]
    signatures: tuple[Signature, ...]
    source: tuple[str, ...]
    stated: StatedFacts | Unscored | None = None
    extras: Mapping[str, object] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def paper(self) -> str:
        """The paper's id."""
        return self.pair.paper.id

    @property
    def system(self) -> str:
        """The system's name."""
        return self.pair.system

    @property
    def name(self) -> str:
        """System and paper, as far as they have names."""
        return " on ".join(filter(None, (self.system, self.paper))) or "summary"

    def score(self, metric: MetricName) -> Score | Unscored:
        """What one metric came to; a KeyError if it was not measured."""
        for score in self.scores:
            if score.metric == metric:
                return score
        raise KeyError(metric)

    @property
    def custom(self) -> CustomNumbers:
        """The numbers of the custom metrics among its own."""
        return custom_numbers(score.metric for score in self.scores)

    def numbers(self) -> Numbers:
        """Its numbers without their evidence."""
        return numbers_of(self.paper, self.system, self.pair.summary, self.scores, self.custom)


async def evaluate(  # noqa: PLR0913 - by keyword, each a fact of its own
    pair: Pair,
    asker: Asker,
    *,
    suite: str,
    metrics: Sequence[MetricName] = METRICS,
    variants: Variants = PLAIN,
    facts: FactLabels | None = None,
    extras: Sequence[Extra] = (),
    short_circuit: bool = True,
) -> Evaluation:
    """Measure one pair, all its metrics at once.

    ``suite`` is the suite's fingerprint, for the signatures. The judge also answers for labelled
    ``facts`` and for ``extras``. With ``short_circuit`` a rule answers where it can: for a summary
    that is its reference, and for a copied sentence.
    """
    source = source_of(pair.paper)  # read once, however many pairs are open meanwhile
    flows = {
        metric: metric_flow(metric, pair, variants, short_circuit=short_circuit)
        for metric in metrics
    }
    scores, results, stated = await asyncio.gather(
        asyncio.gather(*(_counted(metric, flow, asker) for metric, flow in flows.items())),
        asyncio.gather(*(_counted(each.name, each.flow(pair), asker) for each in extras)),
        _counted("eva", stated_flow(pair, facts), asker) if facts is not None else asyncio.sleep(0),
    )
    return Evaluation(
        pair=pair,
        scores=tuple(scores),
        signatures=tuple(
            metric_signature(metric, judge=asker.judge, suite=suite, variants=variants)
            for metric in metrics
        ),
        source=source,
        stated=stated,
        extras=MappingProxyType(
            {each.name: result for each, result in zip(extras, results, strict=True)}
        ),
    )


async def _counted(name: str, flow: Dialogue[Returned], asker: Asker) -> Returned:
    METRIC.set(name)
    return await converse(flow, asker)


async def converse(flow: Dialogue[Returned], asker: Asker) -> Returned:
    """Drive one dialogue to its end.

    Raises:
        StoppedError: for a KeyboardInterrupt, which would end the loop that all tests share.
    """
    try:
        questions = next(flow)
        while True:
            questions = flow.send(await asker.ask(questions))
    except StopIteration as end:
        value: Returned = end.value
        return value
    except KeyboardInterrupt as error:
        raise StoppedError(str(error)) from error


REMEMBERED: Final = 512
"""Answers that one process keeps: enough to ask about a reference once for all systems."""


def is_whole(answer: Answer) -> bool:
    """Whether an answer answers every item; only such an answer is remembered."""
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
        """The answers to questions, in order; a repeated question is not asked again.

        Raises:
            JudgeError: if the judge gives too few or too many answers, or raises an error.
            UsageError: if the user has to mend something: a key, the store.
        """
        loop, waiting, new = asyncio.get_running_loop(), [], []
        for question in questions:
            future = self._answers.get(question)
            if future is None:
                future = self._answers[question] = loop.create_future()
                new.append(question)
            waiting.append(future)
        if new:
            await self._settle(tuple(new))
        answers = tuple([await asyncio.shield(future) for future in waiting])
        while len(self._answers) > REMEMBERED:
            oldest = next(iter(self._answers))
            if not self._answers[oldest].done():
                break
            del self._answers[oldest]
        return answers

    async def _settle(self, questions: tuple[Question, ...]) -> None:
        """Ask the judge; a failure reaches everyone who waits, and is not remembered."""
        try:
            answers = await self._ask_judge(questions)
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

    async def _ask_judge(self, questions: tuple[Question, ...]) -> tuple[Answer, ...]:
        """The judge's answers, one for each question.

        A judge may be anybody's code. Whatever it raises, even `SystemExit` or pytest's skip, ends
        one test as an error, and not the loop that all tests share.
        """
        try:
            answers = tuple(await self.judge.answer(questions))
        except (UsageError, KeyboardInterrupt):
            raise
        except BaseException as error:
            task = asyncio.current_task()
            is_cancelled = isinstance(error, asyncio.CancelledError)
            if is_cancelled and (task is None or task.cancelling()):
                raise  # the loop ends this task; the judge did not
            raise JudgeError(
                f"judge {self.judge.signature!r} broke down: {raised(error)}"
            ) from error
        if len(answers) != len(questions):
            raise JudgeError(
                f"judge {self.judge.signature!r} gave {len(answers)} answers to"
                f" {len(questions)} questions; it owes one for each, in order"
            )
        return answers

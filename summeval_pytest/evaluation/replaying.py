"""The items of one run asked about again, in the other ways.

The first way reads the texts: which facets and facts there are to ask about is its answer. The
other ways are asked about exactly these items, so that an answer differs by the way and by nothing
else; and the scores of each way are those of the metrics' own conversations, told its answers.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final, TypeAlias

from summeval_pytest.evaluation.asking import Asker
from summeval_pytest.evaluation.golden import group_of
from summeval_pytest.evaluation.items import (
    Asked,
    count_of,
    item_answers,
    kind_of,
    part_of,
    span_of,
    turned_round,
    value_of,
)
from summeval_pytest.evaluation.measuring import evaluate
from summeval_pytest.evaluation.pairing import pair_of
from summeval_pytest.evaluation.watching import Watched
from summeval_pytest.evaluation.ways import AskedItem, PairInWays
from summeval_pytest.metrics import Unscored
from summeval_pytest.models import URGENCY, Urgency
from summeval_pytest.questions import Unanswered

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence

    from summeval_pytest.evaluation.items import ItemAnswer
    from summeval_pytest.evaluation.measuring import Evaluation
    from summeval_pytest.evaluation.pairing import FindPair
    from summeval_pytest.evaluation.task import Task
    from summeval_pytest.evaluation.ways import Ways
    from summeval_pytest.judges import Judge
    from summeval_pytest.questions import Answer, Question
    from summeval_pytest.suite import Pair

_Answers: TypeAlias = "dict[Question, Answer]"
_NOT_ASKED: Final = Unanswered("not asked: the first run did not come so far")


async def ask_in_ways(
    tasks: Sequence[Task], ways: Ways, find_pair: FindPair
) -> tuple[tuple[AskedItem, ...], tuple[PairInWays, ...]]:
    """Every item of the pairs in every way, and every pair's scores.

    An item that several pairs share is asked about once, and is one item.

    Raises:
        UsageError, NoReplyError: as `pair_of` does.
        JudgeError: if the judge breaks its contract, or breaks down.
    """
    URGENCY.set(Urgency(demanded=True))
    pairs = await asyncio.gather(*(pair_of(task, find_pair) for task in tasks))
    of = list(zip(tasks, pairs, strict=True))
    first = await _read(of, ways.single)
    asked = tuple(question for question in first if isinstance(question, Asked))
    again = first | await _asked(asked, ways.again)
    batched = first | await _asked(asked, ways.batched)
    orders = {question: _orders(question, ways) for question in asked}
    parts = [part_of(q, order.turned) for q, held in orders.items() for order in held]
    turned = await _asked(parts, ways.batched)
    items = [
        item
        for question in asked
        for item in _items(
            question,
            [item_answers(question, way[question]) for way in (first, again, batched)],
            _turned_back(question, orders[question], turned),
            orders[question],
        )
    ]
    return tuple(items), tuple(
        [await _pair(task, pair, first, again, batched) for task, pair in of]
    )


@dataclass(frozen=True, slots=True)
class _Order:
    """The items of one request, as they stand in it and turned round."""

    given: tuple[int, ...]
    turned: tuple[int, ...]

    def is_front(self, place: int) -> bool | None:
        """Whether an item moves from the front half to the back; False for the way round."""
        last = len(self.given) - 1
        before, now = (2 * order.index(place) - last for order in (self.given, self.turned))
        return before < now if before * now < 0 else None


def _orders(question: Asked, ways: Ways) -> tuple[_Order, ...]:
    return tuple(_Order(ids, turned_round(question, ids)) for ids in ways.requests(question))


@dataclass(frozen=True, slots=True)
class _Told:
    """A judge that knows some answers and asks nobody."""

    answers: _Answers
    signature: str = "told"
    in_flight: int = 1

    async def answer(self, questions: tuple[Question, ...]) -> tuple[Answer, ...]:
        """What it was told."""
        return tuple(self.answers.get(question, _NOT_ASKED) for question in questions)


async def _read(of: Sequence[tuple[Task, Pair]], judge: Judge) -> _Answers:
    """All that the metrics' conversations about these pairs ask, answered."""
    notes: _Answers = {}
    asker = Asker(Watched(judge, notes.setdefault))
    await _all((partial(_measured, task, pair, asker) for task, pair in of), judge.in_flight)
    return notes


async def _asked(questions: Iterable[Question], judge: Judge) -> _Answers:
    """The answers to questions, each asked once; of several to one question, the first."""
    notes: _Answers = {}
    asker = Asker(Watched(judge, notes.setdefault))
    await _all((partial(asker.ask, (question,)) for question in questions), judge.in_flight)
    return notes


async def _all(work: Iterable[Callable[[], Awaitable[object]]], n_open: int) -> None:
    """Does all of it, so many pieces at once."""
    limit = asyncio.Semaphore(n_open)

    async def within(piece: Callable[[], Awaitable[object]]) -> None:
        async with limit:
            await piece()

    await asyncio.gather(*map(within, work))


async def _measured(task: Task, pair: Pair, asker: Asker) -> Evaluation:
    suite = task.suite
    return await evaluate(
        pair, asker, suite=suite.fingerprint, metrics=task.metrics, variants=suite.variants
    )


def _values(measured: Evaluation) -> dict[str, float | None]:
    return {
        score.metric: None if isinstance(score, Unscored) else score.value
        for score in measured.scores
        if not isinstance(score, Unscored) or score.status == "unanswered"
    }


async def _pair(task: Task, pair: Pair, *ways: _Answers) -> PairInWays:
    measured = [await _measured(task, pair, Asker(_Told(way))) for way in ways]
    single, again, batched = map(_values, measured)
    lacking = (s for each in measured for s in each.scores if isinstance(s, Unscored))
    return PairInWays(
        paper=pair.paper.id,
        system=pair.system,
        group=group_of(pair.paper),
        single=single,
        again=again,
        batched=batched,
        fault=next((each.reason for each in lacking if each.status == "unanswered"), ""),
    )


def _turned_back(
    question: Asked, orders: Sequence[_Order], answers: _Answers
) -> tuple[ItemAnswer, ...]:
    """What was said of each item where the requests were turned round, in the given order."""
    found: dict[int, ItemAnswer] = {}
    for order in orders:
        part = part_of(question, order.turned)
        found.update(zip(order.turned, item_answers(part, answers[part]), strict=True))
    return tuple(found[place] for place in range(count_of(question)))


def _items(
    question: Asked,
    ways: Sequence[Sequence[ItemAnswer]],
    turned: Sequence[ItemAnswer],
    orders: Sequence[_Order],
) -> Iterator[AskedItem]:
    front = {place: order.is_front(place) for order in orders for place in order.given}
    for place, answers in enumerate(zip(*ways, turned, strict=True)):
        low, high = span_of(question, place)
        single, again, batched, reverse = (value_of(question, place, each) for each in answers)
        faults = [each.reason for each in answers if isinstance(each, Unanswered)]
        yield AskedItem(
            kind=kind_of(question),
            low=low,
            high=high,
            single=single,
            again=again,
            batched=batched,
            reversed=reverse,
            is_front=front[place],
            fault=faults[0] if faults else "",
        )

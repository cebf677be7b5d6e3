from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from summeval_pytest.errors import JudgeError
from summeval_pytest.questions import (
    CheckSentences,
    FacetSegments,
    SegmentFacets,
    SentenceCheck,
    SentenceChecks,
    Unanswered,
)
from summeval_pytest.run.measure import REMEMBERED, Asker
from tests.waiting import SOON

if TYPE_CHECKING:
    from summeval_pytest.questions import Answer, Question

ZINC, ALGA, MOSS = SegmentFacets("Zinc."), SegmentFacets("Alga."), SegmentFacets("Moss.")


def echo(question: Question) -> Answer:
    """An answer that tells which question it belongs to."""
    assert isinstance(question, SegmentFacets)
    return FacetSegments(result=question.text)


class Recorder:
    """Answers at once, and keeps every call."""

    signature = "recorder-1"
    in_flight = 1

    def __init__(self) -> None:
        self.calls: list[tuple[Question, ...]] = []

    async def answer(self, questions: tuple[Question, ...]) -> tuple[Answer, ...]:
        """An echo of each question."""
        self.calls.append(questions)
        return tuple(map(echo, questions))


class Slow(Recorder):
    """Waits for a network that is not there."""

    async def answer(self, questions: tuple[Question, ...]) -> tuple[Answer, ...]:
        """An echo of each question, a little later."""
        self.calls.append(questions)
        await asyncio.sleep(0.01)
        return tuple(map(echo, questions))


class Gated(Recorder):
    """Answers a question only when a test lets it."""

    def __init__(self) -> None:
        super().__init__()
        self.gates: dict[Question, asyncio.Event] = {}

    async def answer(self, questions: tuple[Question, ...]) -> tuple[Answer, ...]:
        """An echo of each question whose gate is open."""
        self.calls.append(questions)
        for question in questions:
            if question in self.gates:
                await self.gates[question].wait()
        return tuple(map(echo, questions))


class Broken(Recorder):
    """Raises as often as it is told to, then answers."""

    def __init__(self, failures: int) -> None:
        super().__init__()
        self.failures = failures

    async def answer(self, questions: tuple[Question, ...]) -> tuple[Answer, ...]:
        """An echo of each question, once the failures are over."""
        self.calls.append(questions)
        await asyncio.sleep(0.01)
        if self.failures:
            self.failures -= 1
            raise ConnectionError("the line is dead")
        return tuple(map(echo, questions))


class Miscounting(Recorder):
    """Gives a wrong number of answers."""

    def __init__(self, *, surplus: int) -> None:
        super().__init__()
        self.surplus = surplus

    async def answer(self, questions: tuple[Question, ...]) -> tuple[Answer, ...]:
        """More or fewer answers than questions."""
        self.calls.append(questions)
        return (FacetSegments(),) * (len(questions) + self.surplus)


def test_a_question_that_stands_twice_is_asked_once_and_answered_twice() -> None:
    """Answers are matched to questions by place, so a repetition needs its own."""
    judge = Recorder()
    answers = asyncio.run(Asker(judge).ask((ZINC, ALGA, ZINC)))
    assert answers == (echo(ZINC), echo(ALGA), echo(ZINC))
    assert judge.calls == [(ZINC, ALGA)]


def test_only_questions_not_asked_before_go_to_the_judge() -> None:
    """The paper's side of a metric comes with every system and is paid for once."""
    judge = Recorder()

    async def main() -> tuple[Answer, ...]:
        asker = Asker(judge)
        await asker.ask((ZINC,))
        return await asker.ask((MOSS, ZINC, ALGA))

    assert asyncio.run(main()) == (echo(MOSS), echo(ZINC), echo(ALGA))
    assert judge.calls == [(ZINC,), (MOSS, ALGA)]


def test_flows_at_once_share_a_question_that_is_on_its_way() -> None:
    """Remembering finished answers only would ask a reference once a system, all at once."""
    judge = Slow()

    async def main() -> list[tuple[Answer, ...]]:
        asker = Asker(judge)
        flows = [asker.ask((ZINC,)) for _ in range(20)]
        return await asyncio.gather(asker.ask((ALGA, MOSS)), *flows, asker.ask((MOSS, ZINC)))

    first, *rest, last = asyncio.run(main())
    assert first == (echo(ALGA), echo(MOSS))
    assert rest == [(echo(ZINC),)] * 20
    assert last == (echo(MOSS), echo(ZINC))
    assert judge.calls == [(ALGA, MOSS), (ZINC,)]


def test_a_failure_reaches_everyone_who_waits_for_the_answer() -> None:
    """A flow that waits for an answer which will never come would hang its test for ever."""
    judge = Broken(failures=1)

    async def main() -> list[tuple[Answer, ...] | BaseException]:
        asker = Asker(judge)
        flows = [asker.ask(asked) for asked in ((ZINC, ALGA), (ALGA,), (ZINC,))]
        asking = asyncio.gather(*flows, return_exceptions=True)
        return await asyncio.wait_for(asking, SOON)

    outcomes = asyncio.run(main())
    told = "judge 'recorder-1' broke down: ConnectionError: the line is dead"
    assert [str(outcome) for outcome in outcomes] == [told] * 3
    assert judge.calls == [(ZINC, ALGA)]


def test_a_failure_is_not_remembered() -> None:
    """Tomorrow's run, and the next test of this one, deserve another try."""
    judge = Broken(failures=1)

    async def main() -> tuple[Answer, ...]:
        asker = Asker(judge)
        with pytest.raises(JudgeError, match="broke down: ConnectionError: the line is dead"):
            await asker.ask((ZINC, ALGA))
        return await asker.ask((ALGA,))

    assert asyncio.run(main()) == (echo(ALGA),)
    assert judge.calls == [(ZINC, ALGA), (ALGA,)]


def test_a_flow_given_up_while_it_asks_gives_up_those_who_wait_for_it() -> None:
    """Closing the runner cancels flows; whoever waits has to hear of it and not hang."""
    judge = Gated()

    async def main() -> tuple[list[tuple[Answer, ...] | BaseException], tuple[Answer, ...]]:
        judge.gates = {ZINC: asyncio.Event()}
        asker = Asker(judge)
        asking = asyncio.ensure_future(asker.ask((ZINC,)))
        waiting = asyncio.ensure_future(asker.ask((ZINC,)))
        await asyncio.sleep(0)
        asking.cancel()
        both = asyncio.gather(*[asking, waiting], return_exceptions=True)
        outcomes = await asyncio.wait_for(both, SOON)
        judge.gates[ZINC].set()
        return outcomes, await asker.ask((ZINC,))

    outcomes, again = asyncio.run(main())
    assert [type(outcome) for outcome in outcomes] == [asyncio.CancelledError] * 2
    assert again == (echo(ZINC),)


@pytest.mark.parametrize(
    ("surplus", "message"),
    [
        (-1, "judge 'recorder-1' gave 2 answers to 3 questions; it owes one for each, in order"),
        (1, "judge 'recorder-1' gave 4 answers to 3 questions; it owes one for each, in order"),
    ],
    ids=["too few", "too many"],
)
def test_a_judge_that_miscounts_is_refused(surplus: int, message: str) -> None:
    """A missing answer would shift the others by one, and every score would be of another text."""
    judge = Miscounting(surplus=surplus)
    asker = Asker(judge)
    with pytest.raises(JudgeError) as caught:
        asyncio.run(asker.ask((ZINC, ALGA, MOSS)))
    assert str(caught.value) == message


def test_memory_is_bounded_and_forgets_the_oldest() -> None:
    """A suite may have a million pairs; the reference in use must not be the one forgotten."""
    judge = Recorder()
    questions = [SegmentFacets(f"Sample {number}.") for number in range(REMEMBERED + 40)]

    async def main() -> None:
        asker = Asker(judge)
        for question in questions:
            await asker.ask((question,))
            assert len(asker._answers) <= REMEMBERED
        judge.calls.clear()
        await asker.ask((questions[40], questions[-1]))
        await asker.ask((questions[0],))

    asyncio.run(main())
    assert judge.calls == [(questions[0],)]


class Shy(Recorder):
    """Has no answer the first time: none at all, or none for one item."""

    def __init__(self, first: Answer, then: Answer) -> None:
        super().__init__()
        self.answers = [first, then]

    async def answer(self, questions: tuple[Question, ...]) -> tuple[Answer, ...]:
        """The next answer."""
        self.calls.append(questions)
        return (self.answers.pop(0),)


CHECK = CheckSentences(("Zinc helps.",), ("Zinc helps.",))
SUPPORTED = SentenceChecks((SentenceCheck(reason="it does", supported=True),))


@pytest.mark.parametrize(
    "first", [Unanswered("busy"), SentenceChecks((Unanswered("busy"),))], ids=["whole", "item"]
)
def test_what_stayed_unanswered_is_asked_again(first: Answer) -> None:
    """A bad moment of the judge must not leave every later system unscored."""

    async def twice() -> list[Answer]:
        asker = Asker(judge)
        return [(await asker.ask((CHECK,)))[0] for _ in range(3)]

    judge = Shy(first, SUPPORTED)
    assert asyncio.run(twice()) == [first, SUPPORTED, SUPPORTED]
    assert len(judge.calls) == 2


def test_a_flow_that_gives_up_takes_nobody_with_it() -> None:
    """Who waits for another's question may be cancelled; the one who asked gets the answer."""

    async def give_up() -> tuple[Answer, ...]:
        asker = Asker(Slow())
        asking = asyncio.create_task(asker.ask((ZINC,)))
        await asyncio.sleep(0)
        waiting = asyncio.create_task(asker.ask((ZINC,)))
        await asyncio.sleep(0)
        waiting.cancel()
        return await asking

    assert asyncio.run(give_up()) == (echo(ZINC),)


class Wrong(Recorder):
    """Raises or returns what no judge should."""

    def __init__(self, fault: object) -> None:
        super().__init__()
        self.fault = fault

    async def answer(self, questions: tuple[Question, ...]) -> tuple[Answer, ...]:
        """The fault."""
        self.calls.append(questions)
        if isinstance(self.fault, BaseException):
            raise self.fault
        return self.fault  # type: ignore[return-value]  # what a careless judge would do


@pytest.mark.parametrize(
    ("fault", "told"),
    [
        (SystemExit(3), "SystemExit: 3"),
        (asyncio.CancelledError(), "CancelledError: "),
        (None, "TypeError: 'NoneType' object is not iterable"),
        (ValueError("bad\x1b[31m line\n::error::x"), "ValueError: bad\\x1b[31m line ::error::x"),
    ],
    ids=["exit", "cancelled", "none", "hostile"],
)
def test_whatever_a_judge_does_is_one_safe_line(fault: object, told: str) -> None:
    """It ends one test, with the judge named, and neither the loop nor the terminal."""
    with pytest.raises(JudgeError) as caught:
        asyncio.run(Asker(Wrong(fault)).ask((ZINC,)))

    assert str(caught.value) == f"judge 'recorder-1' broke down: {told}".rstrip()

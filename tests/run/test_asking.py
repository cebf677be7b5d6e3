from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from summeval_pytest import questions as q
from summeval_pytest.errors import JudgeError
from summeval_pytest.run.measure import REMEMBERED, Asker
from tests.waiting import SOON

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    Questions = tuple[q.Question, ...]
    Answers = tuple[q.Answer, ...]

ZINC, ALGA, MOSS = q.SegmentFacets("Zinc."), q.SegmentFacets("Alga."), q.SegmentFacets("Moss.")


def echo(question: q.Question) -> q.Answer:
    """An answer that tells which question it belongs to."""
    assert isinstance(question, q.SegmentFacets)
    return q.FacetSegments(result=question.text)


class Scripted:
    """Keeps every call, does what a test wants before it answers, and answers as it wants."""

    signature = "scripted-1"
    in_flight = 1

    def __init__(
        self,
        before: Callable[[Questions], Awaitable[object]] | None = None,
        say: Callable[[Questions], object] = lambda questions: tuple(map(echo, questions)),
    ) -> None:
        self.calls: list[Questions] = []
        self.before = before
        self.say = say

    async def answer(self, questions: Questions) -> Answers:
        """What it says."""
        self.calls.append(questions)
        if self.before is not None:
            await self.before(questions)
        return self.say(questions)  # type: ignore[return-value]  # a careless judge says anything


def test_a_question_is_asked_once_and_answered_wherever_it_stands() -> None:
    """Answers are matched by place; the paper's side comes with every system, and is paid once."""
    judge = Scripted()

    async def main() -> tuple[Answers, Answers]:
        asker = Asker(judge)
        return await asker.ask((ZINC, ALGA, ZINC)), await asker.ask((MOSS, ZINC))

    assert asyncio.run(main()) == ((echo(ZINC), echo(ALGA), echo(ZINC)), (echo(MOSS), echo(ZINC)))
    assert judge.calls == [(ZINC, ALGA), (MOSS,)]


def test_flows_at_once_share_a_question_that_is_on_its_way() -> None:
    """Remembering finished answers only would ask a reference once a system, all at once."""
    judge = Scripted(lambda _: asyncio.sleep(0.01))

    async def main() -> list[Answers]:
        asker = Asker(judge)
        flows = [asker.ask((ZINC,)) for _ in range(20)]
        return await asyncio.gather(asker.ask((ALGA, MOSS)), *flows, asker.ask((MOSS, ZINC)))

    first, *rest, last = asyncio.run(main())
    assert first == (echo(ALGA), echo(MOSS))
    assert rest == [(echo(ZINC),)] * 20
    assert last == (echo(MOSS), echo(ZINC))
    assert judge.calls == [(ALGA, MOSS), (ZINC,)]


def test_a_failure_reaches_everyone_who_waits_and_is_not_remembered() -> None:
    """A flow that waits for ever would hang its test; the next one deserves another try."""

    async def fail_once(_: Questions) -> None:
        await asyncio.sleep(0.01)
        if len(judge.calls) == 1:
            raise ConnectionError("the line is dead")

    judge = Scripted(fail_once)

    async def main() -> tuple[list[Answers | BaseException], Answers]:
        asker = Asker(judge)
        flows = [asker.ask(requested) for requested in ((ZINC, ALGA), (ALGA,), (ZINC,))]
        asking = asyncio.gather(*flows, return_exceptions=True)
        return await asyncio.wait_for(asking, SOON), await asker.ask((ALGA,))

    outcomes, again = asyncio.run(main())
    message = "judge 'scripted-1' broke down: ConnectionError: the line is dead"
    assert [str(outcome) for outcome in outcomes] == [message] * 3
    assert {type(outcome) for outcome in outcomes} == {JudgeError}
    assert again == (echo(ALGA),)
    assert judge.calls == [(ZINC, ALGA), (ALGA,)]


def test_a_flow_given_up_while_it_asks_takes_nobody_with_it() -> None:
    """Whoever waits for its question gets the answer; where all give up, nobody is asked on."""

    async def main() -> tuple[list[Answers | BaseException], list[Answers]]:
        gate = asyncio.Event()
        asker = Asker(judge := Scripted(lambda _: gate.wait()))
        asking, waiting, alone = (
            asyncio.ensure_future(asker.ask(requested)) for requested in ((ZINC,), (ZINC,), (MOSS,))
        )
        await asyncio.sleep(0.01)
        asking.cancel()
        alone.cancel()
        await asyncio.sleep(0.01)
        gate.set()
        all_ = asyncio.gather(*[asking, waiting, alone], return_exceptions=True)
        outcomes = [*await asyncio.wait_for(all_, SOON)]
        again = [await asker.ask((MOSS,))]
        assert judge.calls == [(ZINC,), (MOSS,), (MOSS,)]
        return outcomes, again

    (gone, there, alone), again = asyncio.run(main())
    assert (type(gone), type(alone)) == (asyncio.CancelledError,) * 2
    assert (there, again) == ((echo(ZINC),), [(echo(MOSS),)])


def test_a_flow_that_gives_up_takes_nobody_with_it() -> None:
    """Who waits for another's question may be cancelled; the one who asked gets the answer."""

    async def give_up() -> Answers:
        asker = Asker(Scripted(lambda _: asyncio.sleep(0.01)))
        asking = asyncio.create_task(asker.ask((ZINC,)))
        await asyncio.sleep(0)
        waiting = asyncio.create_task(asker.ask((ZINC,)))
        await asyncio.sleep(0)
        waiting.cancel()
        return await asking

    assert asyncio.run(give_up()) == (echo(ZINC),)


def test_memory_is_bounded_and_forgets_the_oldest() -> None:
    """A suite may have a million pairs; the reference in use must not be the one forgotten."""
    judge = Scripted()
    questions = [q.SegmentFacets(f"Sample {number}.") for number in range(REMEMBERED + 40)]

    async def main() -> None:
        asker = Asker(judge)
        for question in questions:
            await asker.ask((question,))
            assert len(asker._calls) <= REMEMBERED
        judge.calls.clear()
        await asker.ask((questions[40], questions[-1]))
        await asker.ask((questions[0],))

    asyncio.run(main())
    assert judge.calls == [(questions[0],)]


CHECK = q.CheckSentences(("Zinc helps.",), ("Zinc helps.",))
SUPPORTED = q.SentenceChecks((q.SentenceCheck(reason="it does", supported=True),))


@pytest.mark.parametrize(
    "first",
    [q.Unanswered("busy"), q.SentenceChecks((q.Unanswered("busy"),))],
    ids=["whole", "item"],
)
def test_what_stayed_unanswered_is_asked_again(first: q.Answer) -> None:
    """A bad moment of the judge must not leave every later system unscored."""
    said = iter([first, SUPPORTED])
    judge = Scripted(say=lambda _: (next(said),))

    async def thrice() -> list[q.Answer]:
        asker = Asker(judge)
        return [(await asker.ask((CHECK,)))[0] for _ in range(3)]

    assert asyncio.run(thrice()) == [first, SUPPORTED, SUPPORTED]
    assert len(judge.calls) == 2


def raising(fault: BaseException) -> Callable[[Questions], object]:
    """Whatever is asked, this is raised."""

    def say(_: Questions) -> object:
        raise fault

    return say


OWES = "to 3 questions; it owes one for each, in order"


@pytest.mark.parametrize(
    ("say", "message"),
    [
        (lambda _: (q.FacetSegments(),) * 2, f"gave 2 answers {OWES}"),
        (lambda _: (q.FacetSegments(),) * 4, f"gave 4 answers {OWES}"),
        (lambda _: None, "broke down: TypeError: 'NoneType' object is not iterable"),
        (raising(SystemExit(3)), "broke down: SystemExit: 3"),
        (raising(asyncio.CancelledError()), "broke down: CancelledError:"),
        (
            raising(ValueError("bad\x1b[31m line\n::error::x")),
            "broke down: ValueError: bad\\x1b[31m line ::error::x",
        ),
    ],
    ids=["too few", "too many", "none", "exit", "cancelled", "hostile"],
)
def test_whatever_a_judge_does_is_one_safe_line(
    say: Callable[[Questions], object], message: str
) -> None:
    """It ends one test, with the judge named, and neither the loop nor the terminal."""
    with pytest.raises(JudgeError) as caught:
        asyncio.run(Asker(Scripted(say=say)).ask((ZINC, ALGA, MOSS)))
    assert str(caught.value) == f"judge 'scripted-1' {message}"

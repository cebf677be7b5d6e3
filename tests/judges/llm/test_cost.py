"""How many requests a pair takes, and how many of them wait for others."""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest

from summeval_pytest.errors import Place
from summeval_pytest.judges.llm.llm_judge import LlmJudge
from summeval_pytest.run.measure import Asker, evaluate
from summeval_pytest.suite.file import EvaVariant, Variants
from summeval_pytest.suite.values import Pair, Paper, Section
from tests.judges.llm.by_rule import RuleSender, kind_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from summeval_pytest.endpoints.chat import ChatReply, ChatRequest
    from summeval_pytest.run.measure import Evaluation

LONG_SOURCE = tuple(
    f"Kiln {n} burned for {n + 10} hours and used {n + 2} logs." for n in range(120)
)
LONG_REFERENCE = " ".join(
    f"Batch {n} was fired for {n + 3} hours and weighed {n + 4} kg and cracked at {n + 5} MPa."
    for n in range(10)
)
LONG_SUMMARY = " ".join(
    f"Batch {n} was fired for {n + 3} hours and weighed {n + 4} kg and broke at {n + 6} MPa."
    for n in range(8)
)


PAPER = Paper(
    id="kiln-02",
    source=(Section(heading="", text=" ".join(LONG_SOURCE)),),
    references=(LONG_REFERENCE,),
    reference_facets=None,
    reference_facts=None,
    place=Place("papers.jsonl", 1),
)


def summary_of(system: str) -> Pair:
    """A system's summary, which differs in one word."""
    return Pair(
        paper=PAPER,
        system=system,
        summary=LONG_SUMMARY.replace("broke", system),
        place=Place("careful.jsonl", 1),
    )


@dataclass
class Waves:
    """Lets requests through together, once nobody sends another: how deep questions depend."""

    sender: RuleSender
    n_waves: int = 0
    waiting: list[asyncio.Event] = field(default_factory=list)

    async def send(self, request: ChatRequest) -> ChatReply:
        """The reply, with the others of its wave."""
        gate = asyncio.Event()
        self.waiting.append(gate)
        await gate.wait()
        return await self.sender.send(request)

    def give_up(self, said: Sequence[tuple[ChatRequest, ChatReply]], why: str) -> str:
        """Handed on."""
        return self.sender.give_up(said, why)

    async def drive(self, task: asyncio.Task[Evaluation]) -> Evaluation:
        """Opens wave after wave until a task is done."""
        while not task.done():
            for _ in range(50):
                await asyncio.sleep(0)
            if self.waiting:
                self.n_waves += 1
            gates, self.waiting = self.waiting, []
            for gate in gates:
                gate.set()
        return task.result()


def waves_of(sender: RuleSender, *systems: str, backward: bool) -> int:
    """How many waves of requests the long pair takes, for each of these systems at once."""
    waves = Waves(sender)
    asker = Asker(LlmJudge(waves, model="m", endpoint="rule"))

    async def all_of_them() -> Evaluation:
        evaluations = [
            evaluate(
                summary_of(system),
                asker,
                suite="s",
                variants=Variants(eva=EvaVariant(recall="both" if backward else "matched")),
            )
            for system in systems
        ]
        return (await asyncio.gather(*evaluations))[0]

    async def main() -> Evaluation:
        return await waves.drive(asyncio.create_task(all_of_them()))

    assert asyncio.run(main()).numbers().unscored == ()
    return waves.n_waves


@pytest.mark.parametrize(("backward", "n_requests"), [(False, 6), (True, 8)])
def test_a_pair_takes_few_requests_in_two_steps(backward: bool, n_requests: int) -> None:
    """Metrics.md 3.2: at most 7, or 13 with both recalls; a naive run takes hundreds.

    10 sentences of the reference and 8 of the summary: 2 requests; their 24 facts in chains of 3:
    15 + 9; the facets: 1; 8 sentences against 120: 1. Backward 30 facts: 24 + 6.
    """
    sender = RuleSender()
    assert waves_of(sender, "broke", backward=backward) == 2
    assert len(sender.sent) == n_requests <= (13 if backward else 7)
    kinds = Counter(kind_of(request) for request in sender.sent)
    assert kinds == {
        "facets_and_facts": 2,
        "facet_ratings": 1,
        "fact_checks": 4 if backward else 2,
        "sentence_checks": 1,
    }


def test_the_reference_is_asked_about_once_for_all_systems() -> None:
    """Of 8 requests a system, the one that reads the reference is shared."""
    sender = RuleSender()
    assert waves_of(sender, "broke", "burst", backward=True) == 2
    reading = [r for r in sender.sent if kind_of(r) == "facets_and_facts"]
    assert len(sender.sent) == 15
    assert len(reading) == 3
    assert len({r.messages[1].content for r in reading}) == 3

"""The composed judge: each kind of question is answered by another judge."""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from summeval_pytest.judges.judge import Counting, Prompting
from summeval_pytest.questions import DUTIES, duty_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from summeval_pytest.judges.judge import Judge, Part
    from summeval_pytest.questions import Answer, Duty, Question


_DUTY_OF_PART: Final[Mapping[Part, Duty]] = {
    "chain": "facts", "relations": "listing", "counts": "listing",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class ComposedJudge:
    """Hands each question to the judge whose duty it is.

    ``parts`` has a judge for every duty; none of them is composed itself.
    """

    parts: Mapping[Duty, Judge]

    @property
    def signature(self) -> str:
        """Which judge answers what; who lists facts is named where another judge checks them."""
        return _signature(self.parts, DUTIES)

    @property
    def in_flight(self) -> int:
        """As many as any of its judges can take."""
        return max(judge.in_flight for judge in self.parts.values())

    def prompts_for(self, parts: tuple[Part, ...]) -> str:
        """What tells the questions of these parts from any other's; empty if none is prompted."""
        by_duty: defaultdict[Duty, list[Part]] = defaultdict(list)
        for part in parts:
            by_duty[_DUTY_OF_PART[part]].append(part)
        prompts = (
            judge.prompts_for(tuple(own))
            for duty, own in by_duty.items()
            if isinstance(judge := self.parts[duty], Prompting)
        )
        return "+".join(prompts)

    def counts(self) -> Mapping[str, float]:
        """The counts of its judges, added up."""
        total: Counter[str] = Counter()
        for judge in {id(judge): judge for judge in self.parts.values()}.values():
            if isinstance(judge, Counting):
                total.update(judge.counts())
        return total

    async def answer(self, questions: tuple[Question, ...]) -> tuple[Answer, ...]:
        """One answer for each question, in the order asked; all judges are asked at once."""
        places: defaultdict[Duty, list[int]] = defaultdict(list)
        for place, question in enumerate(questions):
            places[duty_of(question)].append(place)
        parts = await asyncio.gather(
            *(
                self.parts[duty].answer(tuple([questions[place] for place in own]))
                for duty, own in places.items()
            )
        )
        answers: dict[int, Answer] = {}
        for own, part in zip(places.values(), parts, strict=True):
            answers.update(zip(own, part, strict=True))
        return tuple([answers[place] for place in range(len(questions))])


def signature_for(judge: Judge, duties: Sequence[Duty]) -> str:
    """All that can change a judge's answers to these kinds of questions."""
    return _signature(judge.parts, duties) if isinstance(judge, ComposedJudge) else judge.signature


def _signature(parts: Mapping[Duty, Judge], duties: Sequence[Duty]) -> str:
    by_signature: defaultdict[str, list[Duty]] = defaultdict(list)
    for duty in duties:
        if duty != "listing" or parts[duty] is not parts["facts"]:
            by_signature[parts[duty].signature].append(duty)
    if len(by_signature) == 1:
        return next(iter(by_signature))
    return " ".join(f"{'+'.join(own)}=({name})" for name, own in by_signature.items())

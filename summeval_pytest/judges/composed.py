"""The composed judge: each kind of question is answered by another judge."""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from summeval_pytest.judges.judge import Counting, Prompting
from summeval_pytest.questions import DUTIES, duty_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from summeval_pytest.judges.judge import Judge, Part
    from summeval_pytest.questions import Answer, Duty, Question


@dataclass(frozen=True, slots=True)
class ComposedJudge:
    """Hands each question to the judge whose duty it is.

    ``parts`` has a judge for every duty; none of them is composed itself.
    """

    parts: Mapping[Duty, Judge]

    @property
    def signature(self) -> str:
        """Who answers what; who lists facts is said where another judge checks them."""
        return _told(self.parts, DUTIES)

    @property
    def in_flight(self) -> int:
        """As many as any of its judges can take."""
        return max(judge.in_flight for judge in self.parts.values())

    def prompts_for(self, parts: tuple[Part, ...]) -> str:
        """What tells the questions of these parts from any other's; empty if none is prompted."""
        duties: Mapping[Part, Duty] = {
            "chain": "facts",
            "relations": "listing",
            "counts": "listing",
        }
        asked: dict[Duty, list[Part]] = {}
        for part in parts:
            asked.setdefault(duties[part], []).append(part)
        found = (
            judge.prompts_for(tuple(own))
            for duty, own in asked.items()
            if isinstance(judge := self.parts[duty], Prompting)
        )
        return "+".join(found)

    def counts(self) -> Mapping[str, float]:
        """The counts of its judges, added up."""
        total: Counter[str] = Counter()
        for judge in {id(judge): judge for judge in self.parts.values()}.values():
            if isinstance(judge, Counting):
                total.update(judge.counts())
        return total

    async def answer(self, questions: tuple[Question, ...]) -> tuple[Answer, ...]:
        """One answer for each question, in the order asked; all judges are asked at once."""
        places: dict[Duty, list[int]] = {}
        for place, question in enumerate(questions):
            places.setdefault(duty_of(question), []).append(place)
        found = await asyncio.gather(
            *(
                self.parts[duty].answer(tuple(questions[place] for place in own))
                for duty, own in places.items()
            )
        )
        answers = {
            place: answer
            for own, given in zip(places.values(), found, strict=True)
            for place, answer in zip(own, given, strict=True)
        }
        return tuple(answers[place] for place in range(len(questions)))


def signature_for(judge: Judge, duties: Sequence[Duty]) -> str:
    """All that can change a judge's answers to these kinds of questions."""
    return _told(judge.parts, duties) if isinstance(judge, ComposedJudge) else judge.signature


def _told(parts: Mapping[Duty, Judge], duties: Sequence[Duty]) -> str:
    own: dict[str, list[Duty]] = {}
    for duty in duties:
        if duty != "listing" or parts[duty] is not parts["facts"]:
            own.setdefault(parts[duty].signature, []).append(duty)
    if len(own) == 1:
        return next(iter(own))
    return " ".join(f"{'+'.join(held)}=({signature})" for signature, held in own.items())

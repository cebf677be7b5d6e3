"""The composed judge: each kind of question is answered by another judge."""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from summeval_pytest.judges.judge import Counting, Prompting
from summeval_pytest.questions import (
    DUTIES,
    CheckSentences,
    SentenceCheck,
    SentenceChecks,
    Unanswered,
    duty_of,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from summeval_pytest.judges.judge import Judge, Part
    from summeval_pytest.questions import Answer, Duty, PanelRule, Question


_DUTY_OF_PART: Final[Mapping[Part, Duty]] = {"chain": "facts", "relations": "listing"}


@dataclass(frozen=True, slots=True)
class ComposedJudge:
    """Hands each question to the judge whose duty it is.

    ``parts`` has a judge for every duty; none of them is composed itself.
    """

    parts: Mapping[Duty, Judge]

    @property
    def signature(self) -> str:
        """Which judge answers what; who lists facts is named where another judge checks them."""
        return signature_for(self, DUTIES)

    @property
    def in_flight(self) -> int:
        """As many as any of its judges can take."""
        return max(judge.in_flight for judge in self.parts.values())

    def prompts_for(self, parts: tuple[Part, ...]) -> str:
        """What tells the questions of these parts from any other's; empty if none is prompted."""
        judges = ((part, self.parts[_DUTY_OF_PART[part]]) for part in parts)
        prompts = [j.prompts_for((part,)) for part, j in judges if isinstance(j, Prompting)]
        return "+".join(prompts)

    def counts(self) -> Mapping[str, float]:
        """The counts of its judges, added up."""
        total: Counter[str] = Counter()
        judges: dict[int, Judge] = {}
        for part in self.parts.values():
            members = part.judges if isinstance(part, Panel) else (part,)
            judges.update((id(judge), judge) for judge in members)
        for judge in judges.values():
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


@dataclass(frozen=True, slots=True)
class Panel:
    """Several judges that answer the same questions about sentences.

    By the rule ``all`` a sentence is supported if every judge supports it: one that does not
    decides, and its evidence is shown. By ``any`` it is supported if one judge supports it. A
    sentence that no answer decides, and that some judge did not answer, is unanswered. Of those
    with the panel's verdict, any that sees a conflict is believed, whatever their order.
    """

    judges: tuple[Judge, ...]
    rule: PanelRule

    @property
    def signature(self) -> str:
        """The rule, and who is asked."""
        return f"{self.rule}({', '.join(judge.signature for judge in self.judges)})"

    @property
    def in_flight(self) -> int:
        """As many as any of its judges can take."""
        return max(judge.in_flight for judge in self.judges)

    async def answer(self, questions: tuple[Question, ...]) -> tuple[Answer, ...]:
        """One answer for each question, in the order asked; all judges are asked at once."""
        answers = await asyncio.gather(*(judge.answer(questions) for judge in self.judges))
        return tuple(map(self._answer, questions, zip(*answers, strict=True)))

    def _answer(self, question: Question, answers: tuple[Answer, ...]) -> Answer:
        assert isinstance(question, CheckSentences), "a panel is asked about sentences only"
        n_sentences = len(question.sentences)
        columns = []
        for each in answers:
            none = (
                each if isinstance(each, Unanswered) else Unanswered("no checks of sentences came")
            )
            columns.append(
                each.checks if isinstance(each, SentenceChecks) else (none,) * n_sentences
            )
        return SentenceChecks(tuple(map(self._check, zip(*columns, strict=True))))

    def _check(self, checks: tuple[SentenceCheck | Unanswered, ...]) -> SentenceCheck | Unanswered:
        decisive = self.rule == "any"
        answered = [check for check in checks if isinstance(check, SentenceCheck)]
        deciding = [check for check in answered if check.supported == decisive]
        if not deciding and len(answered) < len(checks):
            return next(check for check in checks if isinstance(check, Unanswered))
        alike = deciding or answered
        supports = [check.support for check in alike if check.support is not None]
        weigh = max if decisive else min
        return replace(
            alike[0],
            support=weigh(supports) if len(supports) == len(alike) else None,
            undecided=any(check.undecided for check in alike),
            number_conflict=any(check.number_conflict for check in alike),
        )


def signature_for(judge: Judge, duties: Sequence[Duty]) -> str:
    """All that can change a judge's answers to these kinds of questions."""
    if not isinstance(judge, ComposedJudge):
        return judge.signature
    parts = judge.parts
    by_signature: defaultdict[str, list[Duty]] = defaultdict(list)
    for duty in duties:
        if duty != "listing" or parts[duty] is not parts["facts"]:
            by_signature[parts[duty].signature].append(duty)
    if len(by_signature) == 1:
        return next(iter(by_signature))
    return " ".join(f"{'+'.join(own)}=({name})" for name, own in by_signature.items())

"""Judges by rule, to be copied beside a suite: they write down in asked.log what they are asked."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Final

from summeval_pytest.errors import JudgeError
from summeval_pytest.questions import (
    Answer,
    CheckFacts,
    CheckSentences,
    FacetRating,
    FacetRatings,
    FacetSegments,
    Fact,
    FactCheck,
    FactChecks,
    FactList,
    ListFacts,
    OtherQuestion,
    Question,
    RateFacets,
    SegmentFacets,
    SentenceCheck,
    SentenceChecks,
    Unanswered,
)
from summeval_pytest.study.baselines import RateSummary, SummaryRating

Revised = SentenceCheck | Unanswered

LOG: Final = Path(__file__).with_name("asked.log")
VENOM: Final = (
    "\n::error file=x::took over\r\n  ::add-mask::a\n##[group]x ]]> <script>alert(1)</script>"
    " <img src=x onerror=alert(1)> [link](javascript:alert(1)) @someone ```\n# head\n"
    "\x1b[2J\x00\ufffe\ud800\u202e\u2028::warning::x {{ 7 * 7 }} {% raw %} %0A::error::y"
)
LONG: Final = 100_000
HOSTILE: Final = "no line\n::error::took over\x1b[31m ##[group]"


class Fair:
    """Denies what says "alloy" and affirms everything else.

    A text is one result, a sentence one fact, and every fact follows from the premise in its place.
    """

    signature = "fair-1"
    in_flight = 1
    seconds = 0.0

    async def answer(self, questions: tuple[Question, ...]) -> tuple[Answer, ...]:
        """One answer for each question."""
        return tuple([await self.one(question) for question in questions])

    async def one(self, question: Question) -> Answer:
        """The answer to one question, written down as it begins and as it ends."""
        self.note("begin", question)
        await asyncio.sleep(self.seconds)
        answer = self.say(question)
        self.note("end", question)
        return answer

    def note(self, event: str, question: Question) -> None:
        """Appends a line: one write, so that processes do not mix theirs."""
        process = os.environ.get("PYTEST_XDIST_WORKER", "main")
        with LOG.open("a", encoding="utf-8") as log:
            log.write(f"{process} {event} {question}\n")

    def say(self, question: Question) -> Answer:  # noqa: PLR0911 - a case for each kind of question
        """The answer itself."""
        why, likes = self.reason(question), self.likes
        match question:
            case SegmentFacets(text):
                return FacetSegments(result=text)
            case RateFacets(pairs):
                rated = [(pair.facet, 4 if likes(pair.candidate) else 1) for pair in pairs]
                return FacetRatings(
                    tuple(FacetRating(facet=facet, reason=why, rating=n) for facet, n in rated)
                )
            case ListFacts(sentences):
                facts = [Fact(text=text, sentence=n) for n, text in enumerate(sentences)]
                return FactList(tuple(facts))
            case CheckFacts(facts, premises):
                of = len(premises)
                checks = [
                    FactCheck(reason=why, entailed=likes(fact.text), premises=(n % of,))
                    for n, fact in enumerate(facts)
                ]
                return FactChecks(tuple(checks))
            case CheckSentences(sentences, _):
                said = [(likes(sentence), (0,)) for sentence in sentences]
                return SentenceChecks(
                    tuple(SentenceCheck(reason=why, supported=a, evidence=b) for a, b in said)
                )
            case RateSummary(_, summary):
                return SummaryRating(reason=why, rating=4 if likes(summary) else 1)
            case OtherQuestion():
                return Unanswered("no rule for it")

    def reason(self, question: Question) -> str:  # noqa: ARG002 - another judge looks at it
        """The reason that it gives."""
        return "by rule"

    @staticmethod
    def likes(text: str) -> bool:
        """The rule."""
        return "alloy" not in text


def revised(answer: Answer, revise: Callable[[int, SentenceCheck], Revised]) -> Answer:
    """An answer, each of whose checks of a sentence is revised."""
    if not isinstance(answer, SentenceChecks):
        return answer
    checks = [
        revise(index, check) if isinstance(check, SentenceCheck) else check
        for index, check in enumerate(answer.checks)
    ]
    return SentenceChecks(tuple(checks))


class Sure(Fair):
    """Says how far it believes each sentence: .4 of 1 what it affirms, .1 what it denies."""

    def say(self, question: Question) -> Answer:
        """What the fair one says, with support."""
        return revised(
            super().say(question),
            lambda _, check: replace(check, support=0.4 if check.supported else 0.1),
        )


class Wide(Fair):
    """Takes its time, and is worth asking about four pairs at once."""

    in_flight = 4
    seconds = 0.03


class Silent(Fair):
    """Has no answer for what says "alloy", and a reason that would command the terminal."""

    def say(self, question: Question) -> Answer:
        """Nothing usable."""
        if self.likes(str(question)):
            return super().say(question)
        return Unanswered(HOSTILE)


class Mute(Fair):
    """Leaves each sentence unanswered that it would deny, and no other."""

    def say(self, question: Question) -> Answer:
        """What the fair one says, without a no."""
        return revised(
            super().say(question),
            lambda _, check: check if check.supported else Unanswered("the reply was cut off"),
        )


class Rude(Fair):
    """Raises the error of this package, worded to command the terminal."""

    def say(self, question: Question) -> Answer:
        """Nothing."""
        raise JudgeError(f"{HOSTILE} at {type(question).__name__}")


class Stuck(Fair):
    """Answers next hour, and holds its event loop all the while."""

    def say(self, question: Question) -> Answer:
        """Too late."""
        time.sleep(3600.0)
        return super().say(question)


class Fatal(Fair):
    """Takes its process with it over the alloy of kiln-02."""

    def say(self, question: Question) -> Answer:
        """Not always anything."""
        if "alloy of kiln-02" in str(question):
            os._exit(9)
        return super().say(question)


class NoJudge:
    """Lacks everything that makes a judge."""


class Venomous(Fair):
    """Gives reasons that would command a terminal, a runner, a parser or a page."""

    def note(self, event: str, question: Question) -> None:
        """Writes nothing down: what it is asked is long."""

    def reason(self, question: Question) -> str:
        """As much more, where a rated summary is long."""
        is_long = isinstance(question, RateFacets) and any(
            len(pair.candidate) > LONG for pair in question.pairs
        )
        return VENOM + (" word" * (LONG // 5) if is_long else "")

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace
from itertools import permutations, product
from typing import TYPE_CHECKING, Literal

import pytest

from summeval_pytest import questions as q
from summeval_pytest.judges.judge import (
    ComposedJudge,
    Counting,
    Judge,
    Panel,
    Prompting,
    signature_for,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from summeval_pytest.judges.judge import Part


@dataclass(eq=False)
class Named:
    """A judge that answers with its name, and keeps what it was asked."""

    signature: str
    in_flight: int = 1
    received: list[tuple[q.Question, ...]] = field(default_factory=list)

    async def answer(self, questions: tuple[q.Question, ...]) -> tuple[q.Answer, ...]:
        """Its name and the number of the question."""
        self.received.append(questions)
        return tuple(q.Unanswered(f"{self.signature} {n}") for n, _ in enumerate(questions))


class Prompted(Named):
    """One that counts its replies, and whose prompts have digits."""

    def counts(self) -> Mapping[str, float]:
        """One more for each time it was asked."""
        return {"n_replies": len(self.received)}

    def prompts_for(self, parts: tuple[Part, ...]) -> str:
        """The parts."""
        return f"{self.signature}:{','.join(parts)}"


def reasons(answers: tuple[q.Answer, ...]) -> list[str]:
    """Who answered, and which of its questions."""
    return [answer.reason for answer in answers if isinstance(answer, q.Unanswered)]


EACH: tuple[q.Question, ...] = (
    q.CheckSentences((), ()),
    q.SegmentFacets(""),
    q.CheckFacts((), ()),
    q.ListFacts(()),
    q.RateFacets(()),
    q.CountFacts("", ""),
    q.RateSummary("", ""),
    q.ListRelations(""),
)
"""One question of each kind."""


def test_each_question_goes_to_its_judge_and_answers_keep_their_order() -> None:
    """An answer in another place would be another question's."""
    a, b, c = Named("a", 2), Named("b", 9), Named("c")
    judge = ComposedJudge({"facets": a, "listing": b, "facts": b, "sentences": c})
    assert isinstance(judge, Judge)
    answers = asyncio.run(judge.answer(EACH))
    assert reasons(answers) == ["c 0", "a 0", "b 0", "b 0", "a 1", "b 1", "a 2", "b 2"]
    assert len(a.received) == len(c.received) == 1
    assert asyncio.run(judge.answer(())) == ()
    assert judge.in_flight == 9


def test_the_signature_says_who_answers_what() -> None:
    """A number's recipe holds who gave it, and nobody else: it compares with that judge's own."""
    a, b, c, d = (Named(name) for name in "abcd")
    judge = ComposedJudge({"facets": a, "listing": b, "facts": b, "sentences": c})
    assert judge.signature == "facets=(a) facts=(b) sentences=(c)"
    assert signature_for(judge, ("facets",)) == "a"
    assert signature_for(judge, ("listing", "facts")) == "b"
    apart = ComposedJudge({"facets": a, "listing": d, "facts": b, "sentences": c})
    assert apart.signature == "facets=(a) listing=(d) facts=(b) sentences=(c)"
    assert signature_for(apart, ("listing", "facts")) == "listing=(d) facts=(b)"
    both = ComposedJudge({"facets": a, "listing": a, "facts": b, "sentences": b})
    assert both.signature == "facets+listing=(a) facts+sentences=(b)"
    assert signature_for(a, q.DUTIES) == "a"


def test_counts_add_up_and_each_judge_counts_once() -> None:
    """The judge of facts and of sentences may be the same one."""
    a, b = Prompted("a"), Prompted("b")
    judge = ComposedJudge({"facets": Named("n"), "listing": a, "facts": a, "sentences": b})
    assert isinstance(judge, Counting)
    asyncio.run(judge.answer(EACH[:3]))
    asyncio.run(judge.answer(EACH[:1]))
    assert judge.counts() == {"n_replies": 1 + 2}


def test_prompts_of_variants_are_those_of_who_is_asked() -> None:
    """A new prompt of a judge that is not asked leaves a number comparable."""
    a, b, plain = Prompted("a"), Prompted("b"), Named("n")
    judge = ComposedJudge({"facets": plain, "listing": a, "facts": b, "sentences": plain})
    assert isinstance(judge, Prompting)
    assert judge.prompts_for(("chain", "relations")) == "b:chain+a:relations"
    embedded = ComposedJudge({"facets": a, "listing": plain, "facts": plain, "sentences": a})
    assert embedded.prompts_for(("chain", "relations")) == ""


@pytest.mark.parametrize("verdicts", list(product((True, False, None), repeat=2)))
@pytest.mark.parametrize("rule", q.PANEL_RULES)
def test_a_panel_supports_what_all_or_any_of_its_judges_support(
    rule: Literal["all", "any"], verdicts: tuple[bool | None, ...]
) -> None:
    """As in logic of three values: a silent judge decides nothing, and hides no decision."""
    checks = tuple(
        q.Unanswered(who) if said is None else q.SentenceCheck(reason=who, supported=said)
        for who, said in zip("ab", verdicts, strict=True)
    )
    decisive = rule == "any"
    undecided = None if None in verdicts else not decisive
    outcome = decisive if decisive in verdicts else undecided
    assert Panel((), rule)._check(checks) == checks[verdicts.index(outcome)]


@pytest.mark.parametrize(("rule", "support"), [("all", 0.1), ("any", 0.4)])
def test_a_conflict_that_one_judge_sees_is_not_lost(
    rule: Literal["all", "any"], support: float
) -> None:
    """A gate on conflicts would pass where the judge that sees none is named first."""
    mild = q.SentenceCheck(reason="mild", supported=False, support=0.4)
    seen = replace(mild, reason="seen", support=0.1, number_conflict=True, undecided=True)
    for checks in permutations((mild, seen)):
        check = Panel((), rule)._check(checks)
        assert check == replace(seen, reason=checks[0].reason, support=support)
    unsaid = Panel((), rule)._check((mild, replace(seen, support=None)))
    assert isinstance(unsaid, q.SentenceCheck)
    assert unsaid.support is None


def test_a_judge_that_fails_a_whole_question_is_silent_about_each_sentence() -> None:
    """The other judge may still decide: an unsupported sentence is one by the rule `all`."""
    no, yes = (q.SentenceCheck(reason="", supported=supported) for supported in (False, True))
    broken, panel = q.Unanswered("broken"), Panel((), "all")
    answer = panel._answer(q.CheckSentences(("a", "b"), ()), (broken, q.SentenceChecks((no, yes))))
    assert answer == q.SentenceChecks((no, broken))
    strange = panel._answer(q.CheckSentences(("a",), ()), (q.FacetSegments(),))
    assert strange == q.SentenceChecks((q.Unanswered("no checks of sentences came"),))


def test_all_judges_of_a_panel_are_asked_and_each_counts_once() -> None:
    """One of them may rate facets, too."""
    a, b = Prompted("a"), Prompted("b", 7)
    panel = Panel((a, b), "all")
    assert panel.in_flight == 7
    judge = ComposedJudge({"facets": a, "listing": a, "facts": a, "sentences": panel})
    answers = asyncio.run(judge.answer((q.CheckSentences(("s",), ()), q.SegmentFacets(""))))
    assert answers == (q.SentenceChecks((q.Unanswered("a 0"),)), q.Unanswered("a 0"))
    assert judge.counts() == {"n_replies": 2 + 1}
    assert judge.signature == "facets+facts=(a) sentences=(all(a, b))"

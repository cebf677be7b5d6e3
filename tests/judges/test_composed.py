from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import product

import pytest

from summeval_pytest import questions as q
from summeval_pytest.judges.composed import Cascade, Panel

FACTS = (
    q.Fact(text="Moss cools.", sentence=0),
    q.Fact(text="By 4 degrees.", sentence=0, parent=0),
    q.Fact(text="In July.", sentence=0, parent=1),
)
CHECKS = q.CheckSentences(("a", "b", "c"), ("s",))
PAIRS = tuple(q.FacetPair(facet=f, reference="r", candidate="c") for f in q.FACETS)


@dataclass
class Scripted:
    """Supports each sentence, fact and facet as given, by text; None answers nothing."""

    signature: str
    supports: dict[str, float | None] = field(default_factory=dict)
    ratings: dict[str, tuple[int, float | None]] = field(default_factory=dict)
    in_flight: int = 1
    asked: list[q.Question] = field(default_factory=list)

    async def answer(self, questions: tuple[q.Question, ...]) -> tuple[q.Answer, ...]:
        """The answers."""
        self.asked += questions
        return tuple(map(self._one, questions))

    def _one(self, question: q.Question) -> q.Answer:
        match question:
            case q.CheckSentences(sentences=sentences):
                return q.SentenceChecks(tuple(map(self._check, sentences)))
            case q.CheckFacts(facts=facts):
                checks = [self._check(fact.text) for fact in facts]
                return q.FactChecks(
                    tuple(
                        c
                        if isinstance(c, q.Unanswered)
                        else q.FactCheck(reason=c.reason, entailed=c.supported, support=c.support)
                        for c in checks
                    )
                )
            case q.RateFacets(pairs=pairs):
                rated = [(p.facet, self.ratings[p.facet]) for p in pairs if p.facet in self.ratings]
                return q.FacetRatings(
                    tuple(
                        q.FacetRating(facet=f, reason=self.signature, rating=r, confidence=c)
                        for f, (r, c) in rated
                    )
                    if len(rated) == len(pairs)
                    else (q.Unanswered("silent"),) * len(pairs)
                )
            case _:
                return q.Unanswered(self.signature)

    def _check(self, text: str) -> q.SentenceCheck | q.Unanswered:
        support = self.supports.get(text)
        if support is None:
            return q.Unanswered("silent")
        return q.SentenceCheck(reason=self.signature, supported=support >= 0.5, support=support)


def cascade(first: Scripted, then: Scripted) -> Cascade:
    """A cascade of a judge called luna and one called gpt."""
    return Cascade((first, then), ("luna", "gpt"), (0.3, 0.7))


def answered(judge: Panel | Cascade, question: q.Question) -> q.Answer:
    """The answer to one question."""
    return asyncio.run(judge.answer((question,)))[0]


def reasons_of(answer: q.Answer) -> list[str]:
    """The reasons of all items."""
    match answer:
        case q.SentenceChecks(checks=items) | q.FactChecks(checks=items):
            return [item.reason for item in items]
        case q.FacetRatings(ratings=ratings):
            return [rating.reason for rating in ratings]
    raise AssertionError(answer)


def test_only_unsure_items_go_on_and_each_reason_names_its_judge() -> None:
    """The dear judge is paid for what the cheap one cannot decide."""
    first = Scripted("l", {"a": 0.29, "b": 0.3, "c": 0.71})
    then = Scripted("g", {"b": 0.9})
    answer = answered(cascade(first, then), CHECKS)
    assert reasons_of(answer) == ["luna: l", "gpt: g", "luna: l"]
    assert then.asked == [q.CheckSentences(("b",), ("s",))]
    assert isinstance(answer, q.SentenceChecks)
    assert [c.supported for c in answer.checks if isinstance(c, q.SentenceCheck)] == [
        False,
        True,
        True,
    ]


def test_nothing_goes_on_if_the_first_judge_is_sure_or_silent() -> None:
    """A server that is down must not send all items to the dearer judge."""
    first, then = Scripted("l", {"a": 0.0, "b": 1.0}), Scripted("g")
    assert reasons_of(answered(cascade(first, then), CHECKS)) == [
        "luna: l",
        "luna: l",
        "luna: silent",
    ]
    assert then.asked == []


def test_an_unsure_item_stays_open_if_the_second_judge_is_silent() -> None:
    """The first answer was too weak to count, so it must not count after all."""
    first = Scripted("l", {"a": 0.5, "b": 1.0, "c": 1.0})
    answer = answered(cascade(first, Scripted("g")), CHECKS)
    assert isinstance(answer, q.SentenceChecks)
    assert answer.checks[0] == q.Unanswered("gpt: silent")


def test_a_fact_that_goes_on_refines_only_facts_that_go_on() -> None:
    """An index of the whole list would point at another fact of the part."""
    first = Scripted("l", {"Moss cools.": 1.0, "By 4 degrees.": 0.5, "In July.": 0.5})
    then = Scripted("g", {"By 4 degrees.": 1.0, "In July.": 0.0})
    answer = answered(cascade(first, then), q.CheckFacts(FACTS, ("p",)))
    assert reasons_of(answer) == ["luna: l", "gpt: g", "gpt: g"]
    (part,) = then.asked
    assert isinstance(part, q.CheckFacts)
    assert [fact.parent for fact in part.facts] == [None, 0]


def test_a_rating_goes_on_by_its_confidence() -> None:
    """A level with little probability is unsure, also below the lower end."""
    sure, unsure, none = (3, 0.7), (2, 0.1), (3, None)
    first = Scripted(
        "l",
        ratings={"background": sure, "method": unsure, "result": none, "conclusion": sure},
    )
    then = Scripted("g", ratings=dict.fromkeys(q.FACETS, (1, 1.0)))
    answer = answered(cascade(first, then), q.RateFacets(PAIRS))
    assert reasons_of(answer) == ["luna: l", "gpt: g", "gpt: g", "luna: l"]


def test_the_first_judge_answers_what_has_no_items() -> None:
    """One of them cuts the reference, and both rate the same segments."""
    first, then, third = (Scripted(name) for name in "abc")
    question = q.SegmentFacets("text")
    assert answered(cascade(first, then), question) == q.Unanswered("a")
    assert answered(Panel((first, then, third), "majority"), question) == q.Unanswered("a")
    assert then.asked == third.asked == []


def test_a_cascade_is_signed_by_both_judges_and_its_bounds() -> None:
    """Each of them can change an answer."""
    judge = cascade(Scripted("l", in_flight=3), Scripted("g", in_flight=5))
    assert judge.signature == "unsure=0.3-0.7(l, g)"
    assert judge.in_flight == 5


def panel_of(supports: Sequence[float | None]) -> Panel:
    """A panel that decides by majority on the sentence a."""
    return Panel(tuple(Scripted(str(n), {"a": s}) for n, s in enumerate(supports)), "majority")


@pytest.mark.parametrize("supports", list(product((0.1, 0.9, None), repeat=3)))
def test_a_majority_decides_only_if_no_silent_judge_could_turn_it(
    supports: tuple[float | None, ...],
) -> None:
    """Two of three are enough; an unsupported sentence waits for whoever may have a conflict."""
    n_yes, n_no = supports.count(0.9), supports.count(0.1)
    answer = answered(panel_of(supports), q.CheckSentences(("a",), ("s",)))
    assert isinstance(answer, q.SentenceChecks)
    (check,) = answer.checks
    if n_yes >= 2:
        assert isinstance(check, q.SentenceCheck)
        assert check.supported
        assert check.support == n_yes / (n_yes + n_no)
    elif n_no >= 2 and None not in supports:
        assert isinstance(check, q.SentenceCheck)
        assert not check.supported
    else:
        assert check == q.Unanswered("silent")


def test_a_tie_of_a_majority_is_a_no() -> None:
    """More than half have to support it."""
    answer = answered(panel_of((0.9, 0.9, 0.1, 0.1)), q.CheckSentences(("a",), ("s",)))
    assert isinstance(answer, q.SentenceChecks)
    assert isinstance(answer.checks[0], q.SentenceCheck)
    assert not answer.checks[0].supported


@pytest.mark.parametrize(("rule", "rating"), [("all", 1), ("any", 4), ("majority", 3)])
def test_ratings_are_the_lowest_the_highest_or_the_median(rule: q.PanelRule, rating: int) -> None:
    """One strict judge decides with `all`, one mild one with `any`."""
    judges = tuple(Scripted(str(n), ratings={"method": (n, 0.9)}) for n in (4, 1, 3))
    answer = answered(Panel(judges, rule), q.RateFacets(PAIRS[1:2]))
    assert isinstance(answer, q.FacetRatings)
    assert isinstance(answer.ratings[0], q.FacetRating)
    assert answer.ratings[0].rating == rating
    assert answer.ratings[0].reason == str(rating)


def test_a_missing_rating_leaves_a_median_open_unless_it_cannot_move_it() -> None:
    """Two judges that agree outvote any third one."""
    silent = Scripted("s")
    for ratings, is_open in (((3, 3), False), ((2, 4), True)):
        judges = [Scripted(str(n), ratings={"method": (n, 0.9)}) for n in ratings]
        answer = answered(Panel((silent, *judges), "majority"), q.RateFacets(PAIRS[1:2]))
        assert isinstance(answer, q.FacetRatings)
        assert isinstance(answer.ratings[0], q.Unanswered) == is_open


def test_facts_are_decided_by_a_panel_too() -> None:
    """Each rule holds for facts as for sentences."""
    texts = [fact.text for fact in FACTS]
    judges = tuple(
        Scripted(str(n), dict(zip(texts, own, strict=True)))
        for n, own in enumerate(((0.9, 0.9, 0.1), (0.9, 0.1, 0.1), (0.9, 0.9, 0.9)))
    )
    outcomes = {}
    for rule in q.PANEL_RULES:
        answer = answered(Panel(judges, rule), q.CheckFacts(FACTS, ("p",)))
        assert isinstance(answer, q.FactChecks)
        outcomes[rule] = [c.entailed for c in answer.checks if isinstance(c, q.FactCheck)]
    assert outcomes == {
        "all": [True, False, False],
        "any": [True, True, True],
        "majority": [True, True, False],
    }

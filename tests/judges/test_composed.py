from __future__ import annotations

import asyncio
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
    supported = [c.supported for c in answer.checks if isinstance(c, q.SentenceCheck)]
    assert supported == [False, True, True]


def test_nothing_goes_on_if_the_first_judge_is_sure_or_silent() -> None:
    """A server that is down must not send all items to the dearer judge."""
    first, then = Scripted("l", {"a": 0.0, "b": 1.0}), Scripted("g")
    reasons = reasons_of(answered(cascade(first, then), CHECKS))
    assert (reasons, then.asked) == (["luna: l", "luna: l", "luna: silent"], [])


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


@pytest.mark.parametrize(
    ("rule", "n_judges", "needed"),
    [("all", 2, 2), ("all", 3, 3), ("any", 2, 1), ("majority", 3, 2), ("majority", 4, 3)],
)
def test_a_panel_decides_only_what_no_silent_judge_could_turn(
    rule: q.PanelRule, n_judges: int, needed: int
) -> None:
    """A tie is no majority; an unsupported sentence waits for whoever may have a conflict."""
    for supports in product((0.1, 0.9, None), repeat=n_judges):
        judges = tuple(Scripted(str(n), {"a": s}) for n, s in enumerate(supports))
        answer = answered(Panel(judges, rule), q.CheckSentences(("a",), ("s",)))
        assert isinstance(answer, q.SentenceChecks)
        (check,) = answer.checks
        supported = supports.count(0.9) >= needed
        if None in supports and not supported:
            assert check == q.Unanswered("silent"), supports
        else:
            assert isinstance(check, q.SentenceCheck)
            assert check.supported == supported, supports
            assert check.reason == str(supports.index(0.9 if supported else 0.1))
            share = supports.count(0.9) / (n_judges - supports.count(None))
            assert rule != "majority" or check.support == share


@pytest.mark.parametrize(
    ("rule", "ratings", "rating"),
    [
        ("all", (4, 1, 3), 1),
        ("any", (4, 1, 3), 4),
        ("majority", (4, 1, 3), 3),
        # Two judges that agree outvote any third one.
        ("majority", (None, 3, 3), 3),
        ("majority", (None, 2, 4), None),
    ],
)
def test_ratings_are_the_lowest_the_highest_or_the_median(
    rule: q.PanelRule, ratings: tuple[int | None, ...], rating: int | None
) -> None:
    """One strict judge decides with `all`, one mild one with `any`; a silent one may open all."""
    judges = tuple(Scripted(str(n), ratings={"method": (n, 0.9)} if n else {}) for n in ratings)
    answer = answered(Panel(judges, rule), q.RateFacets(PAIRS[1:2]))
    assert isinstance(answer, q.FacetRatings)
    (rated,) = answer.ratings
    if rating is None:
        assert rated == q.Unanswered("silent")
    else:
        assert isinstance(rated, q.FacetRating)
        assert (rated.rating, rated.reason) == (rating, str(rating))


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

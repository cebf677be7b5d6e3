"""Judges that are made of others: one for each kind of question, a panel, a cascade."""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median_low
from typing import Final

from summeval_pytest import questions as q
from summeval_pytest.judges.judge import Counting, Judge


@dataclass(frozen=True, slots=True)
class ComposedJudge:
    """Hands each question to the judge whose duty it is.

    ``parts`` has a judge for every duty; none of them is composed itself.
    """

    parts: Mapping[q.Duty, Judge]

    @property
    def signature(self) -> str:
        """Which judge answers what; who lists facts is named where another judge checks them."""
        return signature_for(self, q.DUTIES)

    @property
    def in_flight(self) -> int:
        """As many as any of its judges can take."""
        return max(judge.in_flight for judge in self.parts.values())

    def counts(self) -> Mapping[str, float]:
        """The counts of its judges, added up."""
        total: Counter[str] = Counter()
        leaves = {id(leaf): leaf for part in self.parts.values() for leaf in _leaves(part)}
        for judge in leaves.values():
            if isinstance(judge, Counting):
                total.update(judge.counts())
        return total

    async def answer(self, questions: tuple[q.Question, ...]) -> tuple[q.Answer, ...]:
        """One answer for each question, in the order asked; all judges are asked at once."""
        places: defaultdict[q.Duty, list[int]] = defaultdict(list)
        for place, question in enumerate(questions):
            places[q.duty_of(question)].append(place)
        parts = await asyncio.gather(
            *(
                self.parts[duty].answer(tuple([questions[place] for place in own]))
                for duty, own in places.items()
            )
        )
        answers: dict[int, q.Answer] = {}
        for own, part in zip(places.values(), parts, strict=True):
            answers.update(zip(own, part, strict=True))
        return tuple([answers[place] for place in range(len(questions))])


Item = q.SentenceCheck | q.FactCheck | q.FacetRating
Items = tuple[Item | q.Unanswered, ...]
"""What a judge answers of each sentence, fact or facet of a question."""
Shared = q.CheckSentences | q.CheckFacts | q.RateFacets
"""A question whose items several judges can answer."""


def items_of(question: Shared, answer: q.Answer) -> Items:
    """The answers to the items of a question; none of them has one if another answer came."""
    match question, answer:
        case q.CheckSentences(), q.SentenceChecks(checks=checks):
            return checks
        case q.CheckFacts(), q.FactChecks(checks=facts):
            return facts
        case q.RateFacets(), q.FacetRatings(ratings=ratings):
            return ratings
    none = answer if isinstance(answer, q.Unanswered) else q.Unanswered("an answer to others came")
    return (none,) * len(_wholes(question))


def with_items(question: Shared, items: Items) -> q.Answer:
    """The answer to a question that has these answers to its items."""
    match question:
        case q.CheckSentences():
            return q.SentenceChecks(items)  # type: ignore[arg-type]  # its class checks them
        case q.CheckFacts():
            return q.FactChecks(items)  # type: ignore[arg-type]
        case q.RateFacets():
            return q.FacetRatings(items)  # type: ignore[arg-type]


def part_of(question: Shared, places: Sequence[int]) -> Shared:
    """The question about some of its items; a fact refines only a fact that is among them."""
    match question:
        case q.CheckSentences(sentences=sentences):
            return replace(question, sentences=tuple(sentences[place] for place in places))
        case q.RateFacets(pairs=pairs):
            return replace(question, pairs=tuple(pairs[place] for place in places))
        case q.CheckFacts(facts=facts):
            new = {place: index for index, place in enumerate(places)}
            kept = (replace(facts[p], parent=new.get(facts[p].parent)) for p in places)  # type: ignore[arg-type]
            return replace(question, facts=tuple(kept))


def _wholes(question: Shared) -> Sequence[int]:
    """The greatest value that an item of a question can have, in order."""
    match question:
        case q.CheckSentences(sentences=sentences):
            return [1] * len(sentences)
        case q.CheckFacts(facts=facts):
            return [1] * len(facts)
        case q.RateFacets(pairs=pairs):
            return [q.SCALES[pair.facet] for pair in pairs]


def _value(item: Item) -> int:
    """A rating; of a verdict 1 for yes and 0 for no."""
    match item:
        case q.SentenceCheck(supported=holds) | q.FactCheck(entailed=holds):
            return int(holds)
        case q.FacetRating(rating=rating):
            return rating


_PICKS: Final[Mapping[q.PanelRule, Callable[[Sequence[int]], int]]] = {
    "all": min,
    "any": max,
    "majority": median_low,
}


@dataclass(frozen=True, slots=True)
class Panel:
    """Several judges that answer the same questions about sentences, facts or facets.

    By the rule ``all`` an item is supported if every judge supports it: one that does not decides,
    and its evidence is shown. By ``any`` it is supported if one judge supports it, by ``majority``
    if more than half do. Its rating is the lowest, the highest or the lower median. An item is
    unanswered if its outcome, or whether a sentence is in conflict, depends on a judge that gives
    no answer. Of those with the panel's outcome, any that sees a conflict is believed, whatever
    their order. The first judge alone answers questions without items.
    """

    judges: tuple[Judge, ...]
    rule: q.PanelRule

    @property
    def signature(self) -> str:
        """The rule, and who is asked."""
        return f"{self.rule}({', '.join(judge.signature for judge in self.judges)})"

    @property
    def in_flight(self) -> int:
        """As many as any of its judges can take."""
        return max(judge.in_flight for judge in self.judges)

    async def answer(self, questions: tuple[q.Question, ...]) -> tuple[q.Answer, ...]:
        """One answer for each question, in the order asked; all judges are asked at once."""
        first, *others = self.judges
        shared = [place for place, each in enumerate(questions) if isinstance(each, Shared)]
        part = tuple(questions[place] for place in shared)
        given, *more = await asyncio.gather(
            first.answer(questions), *(judge.answer(part) for judge in others)
        )
        answers = list(given)
        for place, *rest in zip(shared, *more, strict=True):
            answers[place] = self._answer(questions[place], (answers[place], *rest))
        return tuple(answers)

    def _answer(self, question: q.Question, answers: tuple[q.Answer, ...]) -> q.Answer:
        assert isinstance(question, Shared), "a panel is asked about items"
        rows = zip(*(items_of(question, answer) for answer in answers), strict=True)
        least = int(isinstance(question, q.RateFacets))
        wholes = _wholes(question)
        outcomes = (self._item(row, least, most) for row, most in zip(rows, wholes, strict=True))
        return with_items(question, tuple(outcomes))

    def _item(self, items: Items, least: int = 0, most: int = 1) -> Item | q.Unanswered:
        """The outcome on an item, whose value is from ``least`` to ``most``."""
        answered = [each for each in items if not isinstance(each, q.Unanswered)]
        lost = [each for each in items if isinstance(each, q.Unanswered)]
        values = list(map(_value, answered))
        value, best = (_PICKS[self.rule]([*values, *[n] * len(lost)]) for n in (least, most))
        alike = [each for each in answered if _value(each) == value]
        checks = [each for each in alike if isinstance(each, q.SentenceCheck)]
        has_conflict = any(check.conflict for check in checks)
        may_conflict = bool(checks) and not value and not has_conflict
        if lost and (value != best or may_conflict):
            return lost[0]
        outcome: Item = replace(alike[0], undecided=any(each.undecided for each in alike))
        if isinstance(outcome, q.FacetRating):
            return outcome
        if isinstance(outcome, q.SentenceCheck):
            outcome = replace(outcome, conflict=has_conflict)
        return replace(outcome, support=self._support(alike, sum(values) / len(values)))

    def _support(self, alike: Sequence[Item], share: float) -> float | None:
        """How sure the judges with the outcome are; of a majority, the share that says yes."""
        if self.rule == "majority":
            return share
        supports = [e.support for e in alike if not isinstance(e, q.FacetRating)]
        known = [support for support in supports if support is not None]
        pick = max if self.rule == "any" else min
        return pick(known) if len(known) == len(supports) else None


@dataclass(frozen=True, slots=True)
class Cascade:
    """A judge, and a second one for the items of which the first is unsure.

    The first is unsure of a check if its support lies within ``unsure``, both ends included, or is
    not given. It is unsure of a rating if its confidence is below the upper end, or is not given.
    What it does not answer stays unanswered, so that a server that is down sends nothing on. Each
    reason names the judge that answered. The first judge alone answers questions without items.

    Attributes:
        names: What both judges are called.
        unsure: The least and the greatest probability of an unsure item, 0 to 1.
    """

    judges: tuple[Judge, Judge]
    names: tuple[str, str]
    unsure: tuple[float, float]

    @property
    def signature(self) -> str:
        """Who is asked, and about which items the second is."""
        (least, most), (first, then) = self.unsure, self.judges
        return f"unsure={least:g}-{most:g}({first.signature}, {then.signature})"

    @property
    def in_flight(self) -> int:
        """As many as any of its judges can take."""
        return max(judge.in_flight for judge in self.judges)

    async def answer(self, questions: tuple[q.Question, ...]) -> tuple[q.Answer, ...]:
        """One answer for each question, in the order asked; the second judge is asked later."""
        first, then = self.judges
        answers = list(await first.answer(questions))
        open_: list[tuple[Shared, list[Item | q.Unanswered], list[int]]] = []
        own: dict[int, tuple[Shared, list[Item | q.Unanswered]]] = {}
        for place, question in enumerate(questions):
            if isinstance(question, Shared):
                items = [_by(self.names[0], each) for each in items_of(question, answers[place])]
                own[place] = question, items
                if unsure := [n for n, item in enumerate(items) if self._is_unsure(item)]:
                    open_.append((part_of(question, unsure), items, unsure))
        seconds = await then.answer(tuple(part for part, *_ in open_)) if open_ else ()
        for (part, items, unsure), second in zip(open_, seconds, strict=True):
            for n, item in zip(unsure, items_of(part, second), strict=True):
                items[n] = _by(self.names[1], item)
        for place, (question, items) in own.items():
            answers[place] = with_items(question, tuple(items))
        return tuple(answers)

    def _is_unsure(self, item: Item | q.Unanswered) -> bool:
        least, most = self.unsure
        match item:
            case q.Unanswered():
                return False
            case q.FacetRating(confidence=confidence):
                return confidence is None or confidence < most
            case q.SentenceCheck(support=support) | q.FactCheck(support=support):
                return support is None or least <= support <= most


def _by(name: str, item: Item | q.Unanswered) -> Item | q.Unanswered:
    """An item whose reason names the judge that answered."""
    return replace(item, reason=f"{name}: {item.reason}")


def _leaves(judge: Judge) -> Iterator[Judge]:
    """The judges that a judge is made of, itself if it is made of none."""
    if isinstance(judge, Panel | Cascade):
        for part in judge.judges:
            yield from _leaves(part)
    else:
        yield judge


def signature_for(judge: Judge, duties: Sequence[q.Duty]) -> str:
    """All that can change a judge's answers to these kinds of questions."""
    if not isinstance(judge, ComposedJudge):
        return judge.signature
    parts = judge.parts
    by_signature: defaultdict[str, list[q.Duty]] = defaultdict(list)
    for duty in duties:
        if duty != "listing" or parts[duty] is not parts["facts"]:
            by_signature[parts[duty].signature].append(duty)
    if len(by_signature) == 1:
        return next(iter(by_signature))
    return " ".join(f"{'+'.join(own)}=({name})" for name, own in by_signature.items())

"""Ways to hold a conversation: with answers given by hand, or by a judge with tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from summeval_pytest import questions as q
from summeval_pytest.metrics.flow import Dialogue, Returned
from summeval_pytest.study.eva.relations import ListRelations


def ended(dialogue: Dialogue[Returned], *rounds: tuple[q.Answer, ...]) -> Returned:
    """What a conversation ends in after these rounds of answers; without any, it asks nothing."""
    try:
        next(dialogue)
        for answers in rounds:
            dialogue.send(answers)
    except StopIteration as end:
        value: Returned = end.value
        return value
    raise AssertionError("the conversation asks on")


def driven(
    flow: Dialogue[Returned],
    say: Callable[[q.Question], q.Answer],
    rounds: list[tuple[q.Question, ...]] | None = None,
) -> Returned:
    """What a conversation comes to with these answers; its rounds of questions are kept."""
    try:
        questions = next(flow)
        while True:
            if rounds is not None:
                rounds.append(questions)
            questions = flow.send(tuple(map(say, questions)))
    except StopIteration as end:
        value: Returned = end.value
        return value


def facts(*texts: str) -> tuple[q.Fact, ...]:
    """These facts, all of the first sentence and refining nothing."""
    return tuple(q.Fact(text=text, sentence=0) for text in texts)


@dataclass(slots=True)
class Table:
    """Every sentence states the facts of its line, or itself; the rest is looked up.

    Attributes:
        facts: By sentence, the facts it states; by default the sentence itself.
        carries: By a fact's text, the premises that carry it; a fact carries itself.
        relations: By text, statements of relations across its sentences.
        silent: The facts about which there is no answer.
        rounds: Every round of questions.
    """

    facts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    carries: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    relations: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    silent: frozenset[str] = frozenset()
    rounds: list[tuple[q.Question, ...]] = field(default_factory=list)

    def drive(self, flow: Dialogue[Returned]) -> Returned:
        """What a conversation comes to."""
        return driven(flow, self.say, self.rounds)

    def say(self, question: q.Question) -> q.Answer:
        """The answer to one question."""
        match question:
            case q.ListFacts(sentences):
                stated = [
                    q.Fact(text=text, sentence=place)
                    for place, sentence in enumerate(sentences)
                    for text in self.facts.get(sentence, (sentence,))
                ]
                return q.FactList(tuple(stated))
            case ListRelations(text):
                return q.FactList(facts(*self.relations.get(text, ())))
            case q.CheckFacts(checked, premises):
                return q.FactChecks(tuple(self._check(fact.text, premises) for fact in checked))
            case _:
                return q.Unanswered("not in the tables")

    def _check(self, text: str, premises: tuple[str, ...]) -> q.FactCheck | q.Unanswered:
        if text in self.silent:
            return q.Unanswered("no word on it")
        known = {text, *self.carries.get(text, ())}
        places = tuple(place for place, premise in enumerate(premises) if premise in known)
        return q.FactCheck(reason=f"{len(places)} carry it", entailed=bool(places), premises=places)

    def fact_questions(self) -> list[q.CheckFacts]:
        """The questions about facts, in order."""
        return [
            each
            for questions in self.rounds
            for each in questions
            if isinstance(each, q.CheckFacts)
        ]

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from summeval_pytest.errors import Place
from summeval_pytest.metrics.score import CheckedFact, Unscored
from summeval_pytest.questions import CheckFacts, Fact, FactCheck, FactChecks, FactList, Unanswered
from summeval_pytest.run.measure import StatedFacts, stated_flow
from summeval_pytest.suite.labels import FactLabel, FactLabels
from summeval_pytest.suite.values import Pair, Paper, Section

if TYPE_CHECKING:
    from summeval_pytest.metrics.flow import Dialogue
    from summeval_pytest.questions import Answer, Question

HERE = Place("golden/papers.jsonl", 1)
SUMMARY = "Zinc changed growth. It is cheap."


def pair(
    *references: str, summary: str = SUMMARY, reference_facts: tuple[Fact, ...] | None = None
) -> Pair:
    """A pair of this summary."""
    paper = Paper(
        id="zinc",
        source=(Section(text="Zinc was given."),),
        references=references or ("Zinc raised growth. It did no harm.",),
        reference_facts=reference_facts,
        place=HERE,
    )
    return Pair(paper=paper, system="careful", summary=summary, place=HERE)


def labels(*texts: str) -> tuple[FactLabel, ...]:
    """Facts that hold, say the labels; the judge is not told."""
    return tuple(FactLabel(text=text, holds=True) for text in texts)


def facts(*texts: str) -> tuple[Fact, ...]:
    """The facts of a question."""
    return tuple(Fact(text=text, sentence=0) for text in texts)


def begun(flow: Dialogue[StatedFacts | Unscored]) -> Question:
    """The first question."""
    (question,) = next(flow)
    return question


def ended(flow: Dialogue[StatedFacts | Unscored], *answers: Answer) -> StatedFacts | Unscored:
    """What the conversation ends in after these answers to a question."""
    with pytest.raises(StopIteration) as stop:
        flow.send(answers)
    value: StatedFacts | Unscored = stop.value.value
    return value


def checks(*entailed: bool) -> FactChecks:
    """Which facts follow, each from the first premise."""
    return FactChecks(
        tuple(FactCheck(reason="so it is", entailed=e, premises=(0,)) for e in entailed)
    )


def test_facts_of_the_reference_are_checked_against_the_summary() -> None:
    """As EVA-Score's recall does it: the summary's sentences, and any of them is enough."""
    flow = stated_flow(pair(), FactLabels(reference=labels("Zinc acts", "Zinc is safe")))
    question = begun(flow)
    assert question == CheckFacts(
        facts("Zinc acts", "Zinc is safe"),
        ("Zinc changed growth.", "It is cheap."),
        every_premise=False,
    )
    assert ended(flow, checks(True, False)) == StatedFacts(
        reference=(
            CheckedFact(
                fact=Fact(text="Zinc acts", sentence=0),
                holds=True,
                reason="so it is",
                evidence=("Zinc changed growth.",),
            ),
            CheckedFact(
                fact=Fact(text="Zinc is safe", sentence=0),
                holds=False,
                reason="so it is",
                evidence=("Zinc changed growth.",),
            ),
        )
    )


def test_facts_of_the_summary_are_checked_against_the_reviewed_facts() -> None:
    """As EVA-Score's precision does it, where somebody has frozen what the reference states."""
    frozen = facts("Zinc raised growth", "Zinc did no harm")
    flow = stated_flow(
        pair(reference_facts=frozen), FactLabels(candidate=labels("Zinc grew", "Zinc is cheap"))
    )
    assert begun(flow) == CheckFacts(
        facts("Zinc grew", "Zinc is cheap"),
        ("Zinc raised growth", "Zinc did no harm"),
        every_premise=True,
    )
    found = ended(flow, checks(True, False))
    assert isinstance(found, StatedFacts)
    assert [check.holds for check in found.candidate] == [True, False]
    assert found.candidate[0].evidence == ("Zinc raised growth",)
    assert found.reference == ()


def test_without_reviewed_facts_the_labelled_ones_are_the_premises() -> None:
    """Whoever labelled both sides has said what the reference states."""
    both = FactLabels(reference=labels("Zinc acts", "Zinc is safe"), candidate=labels("Zinc grew"))
    flow = stated_flow(pair(), both)
    begun(flow)
    (second,) = flow.send((checks(True, True),))
    assert second == CheckFacts(facts("Zinc grew"), ("Zinc acts", "Zinc is safe"))
    found = ended(flow, checks(False))
    assert isinstance(found, StatedFacts)
    assert [check.holds for check in (*found.reference, *found.candidate)] == [True, True, False]


def test_without_any_facts_the_references_sentences_are_the_premises() -> None:
    """All references, cleaned of special tokens like every text that a judge sees."""
    flow = stated_flow(
        pair("<s> Zinc acts. It is safe. </s>", "Growth rose."),
        FactLabels(candidate=labels("Zinc grew")),
    )
    assert begun(flow) == CheckFacts(
        facts("Zinc grew"), ("Zinc acts.", "It is safe.", "Growth rose.")
    )


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (Unanswered("cut off"), "cut off"),
        (checks(True), "the judge returned 1 fact checks for 2 asked about"),
        (FactList(()), "CheckFacts was answered with FactList"),
        (
            FactChecks((Unanswered("no idea"), FactCheck(reason="", entailed=True))),
            "1 of 2 facts unanswered, first: no idea",
        ),
        (
            FactChecks((FactCheck(reason="", entailed=True, premises=(2,)),) * 2),
            "fact 'Zinc acts': a premise of (2,) was not offered",
        ),
    ],
)
def test_an_answer_that_does_not_fit_is_the_judges_fault(answer: Answer, reason: str) -> None:
    """A fact without a check must not pass for one that agrees."""
    flow = stated_flow(pair(), FactLabels(reference=labels("Zinc acts", "Zinc is safe")))
    begun(flow)
    assert ended(flow, answer) == Unscored(metric="eva", status="unanswered", reason=reason)


def test_one_fact_of_twenty_may_stay_unanswered() -> None:
    """Its own check says so, and the others stand."""
    many = tuple(f"Zinc changed pond {n}" for n in range(20))
    flow = stated_flow(pair(), FactLabels(reference=labels(*many)))
    begun(flow)
    said = checks(*[True] * 19).checks
    found = ended(flow, FactChecks((Unanswered("no idea"), *said)))
    assert isinstance(found, StatedFacts)
    assert [check.holds for check in found.reference] == [None, *[True] * 19]
    assert found.reference[0].reason == "no idea"

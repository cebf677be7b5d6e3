from __future__ import annotations

import os
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from summeval_pytest import questions as q
from summeval_pytest.judges.offline import NOT_ENGLISH, OfflineJudge
from summeval_pytest.judges.offline.presence import facts_of
from summeval_pytest.study.baselines import CountFacts, RateSummary
from summeval_pytest.study.eva.fact_chains import CheckInChain
from summeval_pytest.study.eva.relations import ListRelations
from tests.processes import run_command

ROOT = Path(__file__).parents[3]
JUDGE = OfflineJudge()


def test_facts_of_all_sentences_share_one_list() -> None:
    """A parent is an index in the whole list, not in its sentence's part of it."""
    sentences = ("Kites rose.", "The ferry crossed two wide lakes but reached the north pier late.")
    answer = JUDGE.compute(q.ListFacts(sentences))
    assert isinstance(answer, q.FactList)
    assert [(fact.sentence, fact.parent) for fact in answer.facts] == [(0, None), (1, None), (1, 1)]


def test_fact_is_checked_by_what_it_adds_to_the_last_one_before_it_in_its_chain() -> None:
    """In one question or in several, a chain comes to the same."""
    whole = q.CheckFacts(
        (
            q.Fact(text="The miller kept bees.", sentence=0),
            q.Fact(text="The miller: with nine hives.", sentence=0, parent=0),
        ),
        ("The miller kept bees.",),
    )
    first, second = whole.facts
    alone = CheckInChain(
        (q.Fact(text=second.text, sentence=0),),
        whole.premises,
        earlier=(("It rained.", None), (first.text, True)),
    )
    together, added = JUDGE.compute(whole), JUDGE.compute(alone)
    assert isinstance(together, q.FactChecks)
    assert isinstance(added, q.FactChecks)
    assert added.checks == together.checks[1:]
    assert JUDGE.compute(q.CheckFacts(alone.facts, whole.premises)) != added


@pytest.mark.parametrize(
    ("question", "remedy"),
    [
        (
            ListRelations("Kites rose. They fell."),
            "delete 'relations' from [metrics.eva] of the suite, or name a judge that reads",
        ),
        (CountFacts("Kites rose.", "Kites fell."), "name an LLM judge"),
    ],
    ids=["relations", "counts"],
)
def test_what_needs_a_reader_is_unanswered_with_what_to_do(
    question: ListRelations | CountFacts, remedy: str
) -> None:
    """No relations and no counts would be an answer, and a wrong one."""
    answer = JUDGE.compute(question)
    assert isinstance(answer, q.Unanswered)
    assert remedy in answer.reason
    assert answer.reason.startswith("the embedded judge")


GERMAN = "Die Drachen sind im Wind nach oben gestiegen und dann nicht mehr gefallen."
ENGLISH = "The kites rose in the wind and did not fall after that."


@pytest.mark.parametrize(("summary", "other"), [(GERMAN, ENGLISH), (ENGLISH, GERMAN)])
def test_no_question_about_another_language_is_answered(summary: str, other: str) -> None:
    """Shared names and numbers do not tell right from wrong, so such a pair never passes."""
    pair = q.FacetPair(facet="result", reference=other, candidate=summary)
    facts = (q.Fact(text=summary, sentence=0),)
    questions: list[q.Question] = [
        q.SegmentFacets(GERMAN),
        q.ListFacts((GERMAN,)),
        q.RateFacets((pair,)),
        q.RateFacets((replace(pair, candidate="Kites.", reference="Kites."),), other, summary),
        q.CheckFacts(facts, (other,)),
        q.CheckSentences((summary,), (other,)),
        RateSummary(other, summary),
        ListRelations(GERMAN),
        CheckInChain(facts, (other,), earlier=(("Kites.", True),)),
    ]
    answers = {JUDGE.compute(question) for question in questions}
    assert answers == {q.Unanswered(NOT_ENGLISH)}
    assert "name an LLM judge with --summ-judge" in NOT_ENGLISH


def judged_kites() -> str:
    """All that the judge says of two texts."""
    one = (
        "Kites are poorly understood.",
        "We flew 12 red and 31 blue kites using ropes and then weighed 40 g of wool.",
        "Red kites rose 40 m, whereas blue kites fell 15 m (p = 0.01).",
        "These findings suggest that wool kites may be useful.",
    )
    two = ("We weighed 40 g of wool and flew 31 red and 12 blue kites.", "Blue kites rose 15 m.")
    text, other = " ".join(one), " ".join(two)
    pair = q.FacetPair(facet="result", reference=text, candidate=other)
    facts = tuple(fact for place, said in enumerate(one) for fact in facts_of(said, place, 0))
    questions: tuple[q.Question, ...] = (
        *(q.SegmentFacets(text), q.SegmentFacets(other), q.RateFacets((pair,))),
        *(q.ListFacts(one), q.CheckFacts(facts, two), q.CheckSentences(two, one)),
    )
    return repr(tuple(JUDGE.compute(each) for each in questions))


def test_answers_are_the_same_in_every_process() -> None:
    """Hash seeds differ from process to process; no order of a set may reach an answer."""
    seed = "2" if os.environ.get("PYTHONHASHSEED") == "1" else "1"
    code = f"from {__name__} import judged_kites; print(judged_kites())"
    environment = {**os.environ, "PYTHONHASHSEED": seed}
    other = run_command(sys.executable, "-c", code, cwd=ROOT, env=environment)
    assert other.stdout.rstrip() == judged_kites()

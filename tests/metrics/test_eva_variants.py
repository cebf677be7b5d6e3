from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from summeval_pytest.judges.offline.embedded import OfflineJudge
from summeval_pytest.metrics import eva
from summeval_pytest.metrics.facts import Stages
from summeval_pytest.metrics.score import EvaCounts, EvaScore, StageCounts, Unscored
from summeval_pytest.questions import CheckFacts, Fact, Settled
from tests.metrics.table_judge import Table

if TYPE_CHECKING:
    from summeval_pytest.metrics.flow import Flow
    from summeval_pytest.questions import Answer, Question

REFERENCE = "Zinc was given to mice. Mice slept longer. Moss grew."


SUMMARY = "Zinc was given to some mice. The rats slept. Moss grew."


PAPER = Stages(chains="adjacent", validation="chain", premises=3, relations=0.65)


FORMS = (
    Stages(),
    Stages(chains="adjacent"),
    Stages(validation="chain"),
    Stages(premises=9),
    PAPER,
)


def measured(
    judge: Table,
    stages: Stages,
    *,
    reference: str = REFERENCE,
    summary: str = SUMMARY,
    entailed_recall: bool = False,
) -> EvaScore:
    """The score of one summary."""
    flow = eva.measure(reference, summary, stages=stages, entailed_recall=entailed_recall)
    score = judge.drive(flow)
    assert isinstance(score, EvaScore)
    return score


def table() -> Table:
    """The first sentence of the summary is two facts, a general and a special one.

    Of four facts three are carried by two of the three reference facts; a relation of the summary
    follows from the reference's second fact, one of the reference from nothing.
    """
    return Table(
        facts={
            "Zinc was given to some mice.": ("Zinc was given.", "Zinc was given to some mice."),
        },
        carries={
            "Zinc was given.": ("Zinc was given to some mice.", "Zinc was given to mice."),
            "Zinc was given to some mice.": ("Zinc was given to mice.",),
            "Sleep came after zinc.": ("Mice slept longer.",),
        },
        relations={
            SUMMARY: ("Sleep came after zinc.", "Moss grew."),
            REFERENCE: ("The dose decided the hours.",),
        },
    )


def test_the_default_counts_facts_alone() -> None:
    """Worked example: P = 3/4, R = 2/3, F1 = 2 * 3/4 * 2/3 / (17/12) = 12/17."""
    score = measured(table(), Stages())
    assert score.precision == 3 / 4
    assert score.recall == pytest.approx(2 / 3)
    assert score.value == pytest.approx(12 / 17)
    assert score.counts == EvaCounts(
        reference=StageCounts(n_sentences=3, n_listed=3, n_facts=3, n_chains=3),
        candidate=StageCounts(n_sentences=3, n_listed=4, n_facts=4, n_chains=4),
    )


def test_the_paper_as_it_stands_worked_example() -> None:
    """All stages in the paper's form.

    N_c = 4 facts + 1 relation, of which 4 hold: P = 4/5. N_r = 3 facts + 1 relation, of which 3
    are matched: R = 3/4. F1 = 2 * 4/5 * 3/4 / (31/20) = 24/31.
    """
    judge = table()
    score = measured(judge, PAPER)
    assert (score.precision, score.recall) == (0.8, 0.75)
    assert score.value == pytest.approx(24 / 31)
    assert score.matched == {0, 1, 2}
    assert score.counts == EvaCounts(
        reference=StageCounts(
            n_sentences=3, n_listed=3, n_facts=3, n_chains=3, n_relations=1, n_kept_relations=1
        ),
        candidate=StageCounts(
            n_sentences=3, n_listed=4, n_facts=4, n_chains=3, n_relations=2, n_kept_relations=1
        ),
    )
    listing, linking, roots, additions = judge.asked
    assert (len(listing), len(linking)) == (4, 3)
    assert len(roots) == 3 * 4  # four chains of one root each, the relation is one of them
    assert len(additions) == 3
    assert {q.earlier for q in additions if isinstance(q, CheckFacts)} == {
        (Settled(text="Zinc was given.", holds=True),)
    }


def test_a_relation_can_lower_precision_and_recall() -> None:
    """It stands on both sides of the fraction: 3 of 5 hold, 2 of 4 are matched."""
    judge = table()
    judge.carries = {text: by for text, by in judge.carries.items() if "Sleep" not in text}
    score = measured(judge, Stages(relations=0.65))
    assert (score.precision, score.recall) == (0.6, 0.5)


def test_a_reference_with_relations_alone_is_measured_against_them() -> None:
    """N_r is facts and relations; without either there is nothing to recall."""
    bare = dict.fromkeys(("Zinc was given to mice.", "Mice slept longer.", "Moss grew."), ())
    judge = Table(facts=bare, relations={REFERENCE: ("The dose decided.",)})
    score = measured(judge, Stages(relations=0.65))
    assert (score.precision, score.recall) == (0.0, 0.0)
    assert [checked.fact.text for checked in score.reference] == ["The dose decided."]
    lacking = Table(facts=bare).drive(eva.measure(REFERENCE, SUMMARY, stages=Stages(relations=1)))
    assert isinstance(lacking, Unscored)
    assert lacking.reason == "the reference states no fact"


def test_identical_texts_are_asked_about_in_no_variant() -> None:
    """And have no counts."""
    judge = Table()
    score = measured(judge, PAPER, summary=REFERENCE)
    assert (score.value, score.counts, judge.asked) == (1.0, None, [])


def test_a_judge_that_finds_no_relations_leaves_the_pair_unscored_with_what_to_do() -> None:
    """The embedded judge sees words: it must not count a text as one without relations."""

    def drive(flow: Flow[EvaScore]) -> EvaScore | Unscored:
        judge, answers = OfflineJudge(), None
        try:
            questions = next(flow)
            while True:
                answers = asyncio.run(judge.answer(questions))
                questions = flow.send(answers)
        except StopIteration as end:
            score: EvaScore | Unscored = end.value
            return score

    assert drive(eva.measure(REFERENCE, SUMMARY, stages=Stages(relations=0.65))) == Unscored(
        metric="eva",
        status="unanswered",
        reason="the embedded judge finds no relations across sentences; write eva_relations ="
        " false in the suite, or name a judge that reads with --summ-judge",
    )
    scores = [drive(eva.measure(REFERENCE, SUMMARY, stages=form)) for form in FORMS[:4]]
    assert all(isinstance(score, EvaScore) for score in scores)


class Words:
    """The embedded judge behind a table's way to be driven."""

    def __init__(self) -> None:
        self.judge = OfflineJudge()

    def drive(self, flow: Flow[EvaScore]) -> EvaScore | Unscored:
        """What a conversation comes to."""
        try:
            questions = next(flow)
            while True:
                questions = flow.send(tuple(map(self.say, questions)))
        except StopIteration as end:
            score: EvaScore | Unscored = end.value
            return score

    def say(self, question: Question) -> Answer:
        """The embedded judge's answer."""
        return self.judge.compute(question)


@pytest.mark.parametrize("summary", [SUMMARY, "Zinc, which was given to 12 rats, did harm in May."])
def test_the_embedded_judge_comes_to_the_same_chain_by_chain(summary: str) -> None:
    """It weighs what a fact adds to the one before it, in one question or in several."""
    scores = [
        Words().drive(eva.measure(REFERENCE, summary, stages=stages))
        for stages in (Stages(), Stages(validation="chain"))
    ]
    assert scores[0] == scores[1]


def test_earlier_verdicts_are_told_with_the_fact_as_it_stands() -> None:
    """The judge reads whole sentences, and no places in a list that it does not see."""
    fact = Fact(text="Zinc was given to some mice.", sentence=0)
    judge = table()
    measured(judge, Stages(chains="adjacent", validation="chain"))
    assert judge.checks_asked()[-1] == CheckFacts(
        (fact,),
        ("Zinc was given to mice.", "Mice slept longer.", "Moss grew."),
        earlier=(Settled(text="Zinc was given.", holds=True),),
    )

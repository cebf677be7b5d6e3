from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import combinations_with_replacement

import pytest

from summeval_pytest import questions as q
from summeval_pytest.metrics import eva
from summeval_pytest.metrics.eva import UNUSABLE, EvaScore, check_stated, f1
from summeval_pytest.metrics.flow import NoScoreError
from summeval_pytest.metrics.number import Unscored
from tests.metrics.table_judge import ended, facts

REFERENCE = "Zinc raised growth by 24 %. It did no harm."
SUMMARY = "Zinc changed growth. Lead was not given."
REFERENCE_SENTENCES = ("Zinc raised growth by 24 %.", "It did no harm.")
SUMMARY_SENTENCES = ("Zinc changed growth.", "Lead was not given.")
OF_REFERENCE = (
    q.Fact(text="Zinc raised growth by 24 %", sentence=0),
    q.Fact(text="Zinc did no harm", sentence=1),
)
OF_SUMMARY = (
    q.Fact(text="Zinc changed growth", sentence=0),
    q.Fact(text="No lead was given", sentence=1),
)
PREMISES_OF_REFERENCE = tuple(fact.text for fact in OF_REFERENCE)
ODD = q.Fact(text="It rose by 777.7 kg", sentence=0)


def yes(*premises: int) -> q.FactCheck:
    """A fact that follows from these premises."""
    return q.FactCheck(reason="it follows", entailed=True, premises=premises)


def no(*premises: int) -> q.FactCheck:
    """A fact that does not follow; the premises say something else."""
    return q.FactCheck(reason="it does not follow", entailed=False, premises=premises)


def checks(*items: q.FactCheck | q.Unanswered) -> q.FactChecks:
    """The judge's checks of one list of facts."""
    return q.FactChecks(items)


def ponds(n: int, what: str = "pond") -> tuple[q.Fact, ...]:
    """As many different facts, all of the first sentence."""
    return facts(*(f"{what} number {place} was dry" for place in range(n)))


def judged(
    reference: q.FactList, candidate: q.FactList, *answers: q.FactChecks, both: bool = True
) -> EvaScore | Unscored:
    """What a summary with these facts and checks comes to."""
    flow = eva.measure(REFERENCE, SUMMARY, entailed_recall=both)
    return ended(flow, (reference, candidate), *([answers] if answers else []))


def scored(
    reference: tuple[q.Fact, ...], candidate: tuple[q.Fact, ...], *answers: q.FactChecks
) -> EvaScore:
    """The same, where there is a score."""
    score = judged(q.FactList(reference), q.FactList(candidate), *answers, both=len(answers) != 1)
    assert isinstance(score, EvaScore)
    return score


def test_f1_meets_every_threshold_that_it_equals() -> None:
    """Of all counts up to 40 and thresholds in steps of .05; .7499999999999999 would fail .75."""
    shares = sorted({Fraction(n, of) for of in range(1, 41) for n in range(1, of + 1)})
    for one, two in combinations_with_replacement(shares, 2):
        above = 40 * one.numerator * two.numerator
        steps, rest = divmod(
            above, one.numerator * two.denominator + two.numerator * one.denominator
        )
        if not rest:
            assert f1(float(one), float(two)) == f1(float(two), float(one)) == steps / 20


CHAIN_OF_THREE = (
    q.Fact(text="Zinc acted", sentence=0),
    q.Fact(text="Zinc acted fast", sentence=0, parent=0),
    q.Fact(text="Zinc acted fast in mice", sentence=0, parent=1),
)
NONE = (no(), no(), no(), no())


@pytest.mark.parametrize(
    ("candidate", "forward", "backward", "precision", "recall", "entailed"),
    [
        # two of three follow, from two of four: F1 = 2 * 2/3 * 1/2 / (7/6) = 4/7
        (ponds(3), (yes(0, 2), no(1), yes(0)), (yes(0), no(), no(), no()), 2 / 3, 1 / 2, 1 / 4),
        # one chain of three facts counts three times, or the score could pass 1 (EV3)
        (CHAIN_OF_THREE, (yes(0), yes(1), no()), NONE, 2 / 3, 1 / 2, 0),
        # "changed growth" follows from "by 24 %" and does not say it (EV4)
        (OF_SUMMARY[:1], (yes(0, 1, 2, 3),), NONE, 1, 1, 0),
        # the premises of what does not follow are what the reference says instead
        (OF_SUMMARY, (no(0, 1), no(1)), NONE, 0, 0, 0),
        # a judge that names no premise has matched nothing
        (OF_SUMMARY[:1], (yes(),), NONE, 1, 0, 0),
    ],
)  # fmt: skip
def test_precision_and_recall_worked_examples(  # noqa: PLR0913, PLR0917 - a row of numbers
    candidate: tuple[q.Fact, ...],
    forward: tuple[q.FactCheck, ...],
    backward: tuple[q.FactCheck, ...],
    precision: float,
    recall: float,
    entailed: float,
) -> None:
    """Against four facts of a reference."""
    score = scored(ponds(4), candidate, checks(*forward), checks(*backward))
    assert score.values() == pytest.approx(
        {
            "eva": f1(precision, recall),
            "eva.precision": precision,
            "eva.recall": recall,
            "eva.recall_entailed": entailed,
        }
    )
    assert len(score.matched) == recall * 4


def test_each_check_is_kept_with_its_evidence() -> None:
    """A failing test shows the fact and what stands against it."""
    score = scored(OF_REFERENCE, OF_SUMMARY, checks(yes(0), no(0, 1)), checks(no(), yes(1)))
    assert [(c.holds, c.reason, c.evidence) for c in score.candidate] == [
        (True, "it follows", ("Zinc raised growth by 24 %",)),
        (False, "it does not follow", ("Zinc raised growth by 24 %", "Zinc did no harm")),
    ]
    assert [(c.fact, c.holds, c.evidence) for c in score.reference] == [
        (OF_REFERENCE[0], False, ()),
        (OF_REFERENCE[1], True, ("Lead was not given.",)),
    ]


# The conversation
def test_facts_of_both_texts_are_listed_then_checked_both_ways() -> None:
    """Precision asks the reference's facts, and entailed recall the summary's sentences."""
    flow = eva.measure(REFERENCE, SUMMARY)
    assert next(flow) == (q.ListFacts(REFERENCE_SENTENCES), q.ListFacts(SUMMARY_SENTENCES))
    assert flow.send((q.FactList(OF_REFERENCE), q.FactList(OF_SUMMARY))) == (
        q.CheckFacts(OF_SUMMARY, PREMISES_OF_REFERENCE, every_premise=True, reference=REFERENCE),
        q.CheckFacts(OF_REFERENCE, SUMMARY_SENTENCES, every_premise=False, reference=REFERENCE),
    )


def test_identical_texts_are_asked_about_without_the_short_circuit() -> None:
    """Only so can a judge be measured on them; with it all is 1 and no fact is listed."""
    flow = eva.measure(REFERENCE, REFERENCE, short_circuit=False)
    assert next(flow) == (q.ListFacts(REFERENCE_SENTENCES), q.ListFacts(REFERENCE_SENTENCES))
    for both, entailed in ((True, {"eva.recall_entailed": 1.0}), (False, {})):
        score = ended(eva.measure(REFERENCE, REFERENCE, entailed_recall=both))
        assert isinstance(score, EvaScore)
        full = {"eva": 1.0, "eva.precision": 1.0, "eva.recall": 1.0}
        assert (score.identical, score.stated, score.values()) == (True, (), full | entailed)


def test_without_entailed_recall_a_lost_fact_is_one_that_nothing_matches() -> None:
    """EVA-Score itself needs no more: P = 1/2 and R = 1/2, from half as many checks."""
    flow = eva.measure(REFERENCE, SUMMARY, entailed_recall=False)
    next(flow)
    requested = flow.send((q.FactList(OF_REFERENCE), q.FactList(OF_SUMMARY)))
    assert requested == (q.CheckFacts(OF_SUMMARY, PREMISES_OF_REFERENCE, reference=REFERENCE),)
    score = scored(OF_REFERENCE, OF_SUMMARY, checks(yes(1), no(0)))
    assert score.values() == {"eva": 0.5, "eva.precision": 0.5, "eva.recall": 0.5}
    assert [(c.fact, c.holds, c.reason, c.evidence) for c in score.reference] == [
        (OF_REFERENCE[0], False, "no fact of the summary matches it", ()),
        (OF_REFERENCE[1], True, "a fact of the summary matches it", ("Zinc changed growth",)),
    ]


# Lists of facts
@pytest.mark.parametrize("both", [True, False])
def test_summary_without_a_fact_scores_zero_without_a_precision(both: bool) -> None:
    """It left everything out; of nothing stated, no share is right."""
    score = judged(q.FactList(OF_REFERENCE), q.FactList(()), both=both)
    assert isinstance(score, EvaScore)
    values = {"eva": 0.0, "eva.precision": None, "eva.recall": 0.0}
    assert score.values() == values | ({"eva.recall_entailed": 0.0} if both else {})
    assert [(c.fact, c.holds) for c in score.reference] == [(fact, False) for fact in OF_REFERENCE]
    assert [len(each.facts) for each in score.stated] == [2, 0]
    assert replace(score, stated=()) == score  # no run record keeps it


@pytest.mark.parametrize("candidate", [(), OF_SUMMARY])
def test_reference_without_a_fact_leaves_the_pair_unscored(candidate: tuple[q.Fact, ...]) -> None:
    """With nothing to recall, neither 0 nor 1 would be true; nor with no fact on either side."""
    reason = "the reference states no fact"
    lack = Unscored(metric="eva", status="skipped_no_reference", reason=reason)
    assert judged(q.FactList(()), q.FactList(candidate)) == lack


def test_up_to_five_percent_unanswered_facts_count_as_wrong() -> None:
    """One of 20 facts on each side: it stays in the denominator, and what it may match is said."""
    score = scored(
        ponds(20),
        ponds(20, "lake"),
        checks(q.Unanswered("cut off"), *[yes(0)] * 10, *[no()] * 9),
        checks(*[yes(0)] * 5, q.Unanswered("cut off"), *[no()] * 14),
    )
    assert (score.precision, score.recall_entailed, score.recall) == (10 / 20, 5 / 20, 1 / 20)
    assert score.unanswered() == dict.fromkeys(score.values(), 1)
    assert (score.candidate[0].holds, score.candidate[0].reason) == (None, "cut off")
    assert score.reference[5].holds is None


GOOD = checks(*[yes(0)] * 19)
CUT = checks(*[yes(0)] * 18, q.Unanswered("cut off"))


@pytest.mark.parametrize(
    ("candidate", "answers", "reason"),
    [
        # one of 19 facts is 5.3 %
        (q.FactList(ponds(19, "lake")), (CUT, GOOD), "1 of 19 facts unanswered, first: cut off"),
        (q.FactList(ponds(19, "lake")), (GOOD, CUT), "1 of 19 facts unanswered, first: cut off"),
        # one unanswered and one unusable of 20, which neither is too many alone
        (
            q.FactList(ponds(19, "lake"), unusable=(ODD,)),
            (CUT, GOOD),
            "2 of 20 facts unanswered, first: cut off",
        ),
        # left out, 17 invented facts would raise P from 3/20 to 1; nothing more is asked
        (
            q.FactList(ponds(3, "lake"), unusable=ponds(17, "hard")),
            (),
            f"17 of 20 facts unanswered, first: {UNUSABLE}",
        ),
    ],
)
def test_over_five_percent_unanswered_leaves_the_pair_unscored(
    candidate: q.FactList, answers: tuple[q.FactChecks, ...], reason: str
) -> None:
    """Facts that vanish raise no score."""
    score = judged(q.FactList(ponds(19)), candidate, *answers)
    assert score == Unscored(metric="eva", status="unanswered", reason=reason)


@pytest.mark.parametrize("both", [True, False])
def test_few_unusable_facts_are_unanswered_ones(both: bool) -> None:
    """One of 20 on either side is shown, counts for nothing, and may be wrong."""
    forward = checks(*(yes(place) for place in range(19)))
    score = judged(
        q.FactList(ponds(19), unusable=(ODD,)),
        q.FactList(ponds(19, "lake"), unusable=(ODD,)),
        *((forward, GOOD) if both else (forward,)),
        both=both,
    )
    assert isinstance(score, EvaScore)
    assert (score.value, score.precision, score.recall) == (0.95, 0.95, 0.95)
    assert score.recall_entailed == (0.95 if both else None)
    for side in (score.candidate, score.reference):
        assert (side[-1].fact, side[-1].holds, side[-1].reason) == (ODD, None, UNUSABLE)
    counts = {"eva": 2, "eva.precision": 1, "eva.recall": 2}
    assert score.unanswered() == counts | ({"eva.recall_entailed": 1} if both else {})


@pytest.mark.parametrize(
    ("answer", "fault"),
    [
        (q.FactList(()), "CheckFacts was answered with FactList"),
        (checks(yes(0)), "the judge returned 1 fact checks for 2 asked about"),
        (checks(no(), yes(7)), f"fact {OF_SUMMARY[1].text!r}: a premise of (7,) was not offered"),
    ],
)
def test_an_answer_that_cannot_carry_a_check_leaves_the_pair_unscored(
    answer: q.FactChecks | q.FactList, fault: str
) -> None:
    """Never a smaller denominator."""
    flow = eva.measure(REFERENCE, SUMMARY, entailed_recall=False)
    lists = q.FactList(OF_REFERENCE), q.FactList(OF_SUMMARY)
    lack = Unscored(metric="eva", status="unanswered", reason=fault)
    assert ended(flow, lists, (answer,)) == lack


# Facts that somebody has written down
STATED = ("Zinc changed growth", "zinc changed growth.", "Lead was given")


@pytest.mark.parametrize("every_premise", [True, False])
def test_stated_facts_are_asked_about_as_they_stand(every_premise: bool) -> None:
    """One check a label: none is merged with another or left out, whatever its words."""
    flow = check_stated(STATED, REFERENCE_SENTENCES, every_premise=every_premise)
    assert next(flow) == (
        q.CheckFacts(facts(*STATED), REFERENCE_SENTENCES, every_premise=every_premise),
    )
    again = check_stated(STATED, REFERENCE_SENTENCES, every_premise=every_premise)
    results = ended(again, (checks(yes(1, 0), no(1), no()),))
    assert [(c.fact.text, c.holds, c.evidence) for c in results] == [
        (STATED[0], True, (REFERENCE_SENTENCES[1], REFERENCE_SENTENCES[0])),
        (STATED[1], False, (REFERENCE_SENTENCES[1],)),
        (STATED[2], False, ()),
    ]


def test_an_answer_that_cannot_carry_stated_facts_is_none() -> None:
    """A check beside the wrong fact would agree with the wrong label."""
    for answer, reason in (
        (checks(yes(0), no()), "the judge returned 2 fact checks for 3 asked about"),
        (checks(yes(0), q.Unanswered("cut"), no()), "1 of 3 facts unanswered, first: cut"),
    ):
        with pytest.raises(NoScoreError) as caught:
            ended(check_stated(STATED, REFERENCE_SENTENCES, every_premise=False), (answer,))
        assert str(caught.value) == reason

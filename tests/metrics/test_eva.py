from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import combinations_with_replacement

import pytest

from summeval_pytest import questions as q
from summeval_pytest.metrics import eva
from summeval_pytest.metrics.eva import UNUSABLE, EvaScore, check_stated, f1, validate
from summeval_pytest.metrics.facts import StageCounts, Stages
from summeval_pytest.metrics.flow import NoScoreError
from summeval_pytest.metrics.number import Unscored
from summeval_pytest.run.pair_numbers import numbers_of
from tests.metrics.table_judge import Table, ended, facts

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
    """Only so can a judge be measured on them; with it all is 1 and there are no counts."""
    flow = eva.measure(REFERENCE, REFERENCE, short_circuit=False)
    assert next(flow) == (q.ListFacts(REFERENCE_SENTENCES), q.ListFacts(REFERENCE_SENTENCES))
    for both, entailed in ((True, {"eva.recall_entailed": 1.0}), (False, {})):
        score = ended(eva.measure(REFERENCE, REFERENCE, entailed_recall=both))
        assert isinstance(score, EvaScore)
        full = {"eva": 1.0, "eva.precision": 1.0, "eva.recall": 1.0}
        assert (score.identical, score.counts, score.values()) == (True, None, full | entailed)


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
    assert score.counts is not None


@pytest.mark.parametrize("candidate", [(), OF_SUMMARY])
def test_reference_without_a_fact_leaves_the_pair_unscored(candidate: tuple[q.Fact, ...]) -> None:
    """With nothing to recall, neither 0 nor 1 would be true; nor with no fact on either side."""
    reason = "the reference states no fact"
    lack = Unscored(metric="eva", status="skipped_no_reference", reason=reason)
    assert judged(q.FactList(()), q.FactList(candidate)) == lack


def test_unanswered_fact_up_to_five_percent_leaves_both_numerator_and_denominator() -> None:
    """One of 20 facts: the share is taken of the 19 that were answered."""
    score = scored(
        ponds(20),
        ponds(20, "lake"),
        checks(q.Unanswered("cut off"), *[yes(0)] * 10, *[no()] * 9),
        checks(*[yes(0)] * 5, q.Unanswered("cut off"), *[no()] * 14),
    )
    assert score.precision == pytest.approx(10 / 19)
    assert score.recall_entailed == pytest.approx(5 / 19)
    assert score.recall == 1 / 20
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
    assert (score.value, score.precision, score.recall) == (1.0, 1.0, 1.0)
    for side in (score.candidate, score.reference):
        assert (side[-1].fact, side[-1].holds, side[-1].reason) == (ODD, None, UNUSABLE)
    worst = {"eva": 0.95, "eva.precision": 0.95, "eva.recall": 0.95}
    worst |= {"eva.recall_entailed": 0.95} if both else {}
    assert numbers_of("p", "s", "", [score]).worst == pytest.approx(worst)


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


# Validation
PREMISES = ("Zinc was given to mice.", "Mice slept longer.", "Moss grew on the roof.")
ROOT = q.Fact(text="Zinc was given.", sentence=0)
CHILD = q.Fact(text="Zinc was given to rats.", sentence=0, parent=0)
SECOND = q.Fact(text="Zinc was given to mice.", sentence=0, parent=0)
LAST = q.Fact(text="Zinc was given to mice that slept.", sentence=0, parent=2)
OTHER = q.Fact(text="Moss grew.", sentence=1)
TREE = (ROOT, CHILD, SECOND, LAST, OTHER)
CHAIN = Stages(validation="chain")


def validated(
    judge: Table,
    stages: Stages,
    facts: tuple[q.Fact, ...] = TREE,
    premises: tuple[str, ...] = PREMISES,
) -> tuple[q.FactCheck | q.Unanswered, ...]:
    """What these facts come to."""
    return judge.drive(validate(facts, premises, stages=stages, encode=None)).checks


def alone(*facts: q.Fact) -> tuple[q.Fact, ...]:
    """The facts as they are asked about by themselves."""
    return tuple(replace(fact, parent=None) for fact in facts)


def test_chain_by_chain_roots_come_first_and_children_with_the_verdicts_before() -> None:
    """Worked example: facts of one parent share a question; a chain goes on after a no.

    By default the whole tree is one question: one request for a summary.
    """
    judge = Table(carries={ROOT.text: PREMISES[:1], LAST.text: PREMISES[:2]})
    results = validated(judge, CHAIN)
    before = q.Settled(text=ROOT.text, holds=True)
    chain = (before, q.Settled(text=SECOND.text, holds=True))
    assert judge.rounds == [
        (q.CheckFacts((ROOT, OTHER), PREMISES),),
        (q.CheckFacts(alone(CHILD, SECOND), PREMISES, earlier=(before,)),),
        (q.CheckFacts(alone(LAST), PREMISES, earlier=chain),),
    ]
    holds = [check.entailed for check in results if isinstance(check, q.FactCheck)]
    assert holds == [True, False, True, True, False]
    default = Table()
    validated(default, Stages())
    assert default.rounds == [(q.CheckFacts(TREE, PREMISES),)]


def test_a_no_and_an_unanswered_fact_are_reported_to_those_after_them() -> None:
    """A wrong first fact must not sink a right addition, so the judge has to know of it."""
    chain = (
        ROOT,
        q.Fact(text="To rats.", sentence=0, parent=0),
        q.Fact(text="At dawn.", sentence=0, parent=1),
    )
    judge = Table(silent=frozenset({ROOT.text}), carries={"At dawn.": PREMISES[1:2]})
    results = validated(judge, CHAIN, chain)
    assert judge.fact_questions()[-1].earlier == (
        q.Settled(text=ROOT.text, holds=None),
        q.Settled(text="To rats.", holds=False),
    )
    assert results[0] == q.Unanswered("no word on it")
    assert results[2] == q.FactCheck(reason="1 carry it", entailed=True, premises=(1,))


def test_each_fact_is_asked_with_its_most_similar_premises_one_by_one() -> None:
    """Worked example of the paper's k: the fact shares zinc and given with the first premise."""
    judge = Table(carries={ROOT.text: PREMISES[:1]})
    results = validated(judge, Stages(premises=2), (ROOT, OTHER))
    assert judge.rounds == [
        (
            q.CheckFacts((ROOT,), PREMISES[:1]),
            q.CheckFacts((ROOT,), PREMISES[1:2]),
            q.CheckFacts((OTHER,), PREMISES[2:]),
            q.CheckFacts((OTHER,), PREMISES[:1]),
        )
    ]
    assert results == (
        q.FactCheck(reason="1 carry it", entailed=True, premises=(0,)),
        q.FactCheck(reason="0 carry it", entailed=False),
    )


def test_a_premise_that_is_not_among_the_most_similar_carries_nothing() -> None:
    """What retrieval misses is the paper's loss, too (metrics.md 3.3)."""
    judge = Table(carries={ROOT.text: PREMISES[2:]})
    for most, holds in ((2, False), (3, True)):
        (check,) = validated(judge, Stages(premises=most), (ROOT,))
        assert isinstance(check, q.FactCheck)
        assert (check.entailed, check.premises) == (holds, (2,) if holds else ())


class Stubborn(Table):
    """Says of the first premise nothing, of the second yes without naming it, of the third no."""

    def say(self, question: object) -> q.FactChecks | q.Unanswered:
        """By the one premise that is offered."""
        assert isinstance(question, q.CheckFacts)
        place = PREMISES.index(question.premises[0])
        weak, strong = replace(yes(), support=0.6), replace(no(0), support=0.9)
        return (q.Unanswered("cut off"), checks(weak), checks(strong))[place]


@pytest.mark.parametrize(
    ("premises", "check"),
    [
        # one that holds is enough, and there was no other premise to name
        (PREMISES, replace(yes(1), support=0.6)),
        # the premise that nobody judged might have carried it: neither a pass nor a no
        ((PREMISES[0], PREMISES[2]), q.Unanswered("cut off")),
        # what speaks against a fact is told
        (PREMISES[2:], replace(no(0), support=0.9)),
    ],
)
def test_checks_with_one_premise_each_come_to_one(
    premises: tuple[str, ...], check: q.FactCheck | q.Unanswered
) -> None:
    """A fact holds where any premise carries it."""
    assert validated(Stubborn(), Stages(premises=3), (ROOT,), premises) == (check,)


@pytest.mark.parametrize("stages", [Stages(), CHAIN, Stages(premises=1)])
@pytest.mark.parametrize(
    ("answer", "fault"),
    [
        (q.FactList(()), "CheckFacts was answered with FactList"),
        (checks(), "the judge returned 0 fact checks for 1 asked about"),
        (checks(yes(7)), f"fact {ROOT.text!r}: a premise of (7,) was not offered"),
    ],
)
def test_an_answer_that_cannot_carry_a_check_ends_the_conversation(
    stages: Stages, answer: q.FactChecks | q.FactList, fault: str
) -> None:
    """The same in every form: never a smaller denominator."""
    with pytest.raises(NoScoreError) as caught:
        ended(validate((ROOT,), PREMISES, stages=stages, encode=None), (answer,))
    assert str(caught.value) == fault


def test_a_question_without_an_answer_leaves_its_own_facts_open() -> None:
    """Where it was about all of them there is no score; else the share of such facts decides."""
    lost = q.Unanswered("timed out")
    with pytest.raises(NoScoreError, match=r"^timed out$"):
        ended(validate((ROOT,), PREMISES, stages=CHAIN, encode=None), (lost,))
    flow = validate((ROOT, OTHER), PREMISES, stages=Stages(premises=1), encode=None)
    assert ended(flow, (lost, checks(no()))).checks == (lost, no())


# The whole, in all forms
SUMMARY_TEXT = "Zinc was given to some mice. The rats slept. Moss grew."
WRITTEN = "Zinc was given to mice. Mice slept longer. Moss grew."
PAPER = Stages(chains="adjacent", validation="chain", premises=3, relations=0.65)


def table() -> Table:
    """The first sentence of the summary is two facts, a general and a special one.

    Of four facts three are carried by two of the three reference facts; a relation of the summary
    follows from the reference's second fact, one of the reference from nothing.
    """
    return Table(
        facts={"Zinc was given to some mice.": ("Zinc was given.", "Zinc was given to some mice.")},
        carries={
            "Zinc was given.": ("Zinc was given to some mice.", "Zinc was given to mice."),
            "Zinc was given to some mice.": ("Zinc was given to mice.",),
            "Sleep came after zinc.": ("Mice slept longer.",),
        },
        relations={
            SUMMARY_TEXT: ("Sleep came after zinc.", "Moss grew."),
            WRITTEN: ("The dose decided the hours.",),
        },
    )


def measured(judge: Table, stages: Stages, summary: str = SUMMARY_TEXT) -> EvaScore:
    """The score of one summary."""
    flow = eva.measure(WRITTEN, summary, stages=stages, entailed_recall=False)
    score = judge.drive(flow)
    assert isinstance(score, EvaScore)
    return score


def test_the_paper_as_it_stands_worked_example() -> None:
    """All stages in the paper's form, and the default, which counts facts alone.

    N_c = 4 facts + 1 relation, of which 4 hold: P = 4/5. N_r = 3 facts + 1 relation, of which 3
    are matched: R = 3/4. F1 = 2 * 4/5 * 3/4 / (31/20) = 24/31. By default P = 3/4, R = 2/3.
    """
    judge = table()
    score = measured(judge, PAPER)
    assert (score.precision, score.recall, score.matched) == (0.8, 0.75, frozenset({0, 1, 2}))
    assert score.value == pytest.approx(24 / 31)
    of_reference = StageCounts(n_sentences=3, n_listed=3, n_facts=3, n_chains=3)
    of_summary = StageCounts(n_sentences=3, n_listed=4, n_facts=4, n_chains=4)
    assert score.counts == (
        replace(of_reference, n_relations=1, n_kept_relations=1),
        replace(of_summary, n_chains=3, n_relations=2, n_kept_relations=1),
    )
    listing, linking, roots, additions = judge.rounds
    assert (len(listing), len(linking)) == (4, 3)
    assert len(roots) == 3 * 4  # four chains of one root each, the relation is one of them
    assert len(additions) == 3
    settled = (q.Settled(text="Zinc was given.", holds=True),)
    assert {each.earlier for each in additions if isinstance(each, q.CheckFacts)} == {settled}
    default = measured(table(), Stages())
    assert (default.precision, default.recall) == pytest.approx((3 / 4, 2 / 3))
    assert default.counts == (of_reference, of_summary)
    assert replace(default, counts=None) == default  # no run record keeps them


def test_a_reference_with_relations_alone_is_measured_against_them() -> None:
    """N_r is facts and relations; without either there is nothing to recall."""
    bare = dict.fromkeys(("Zinc was given to mice.", "Mice slept longer.", "Moss grew."), ())
    judge = Table(facts=bare, relations={WRITTEN: ("The dose decided.",)})
    score = measured(judge, Stages(relations=0.65))
    assert (score.precision, score.recall) == (0.0, 0.0)
    assert [checked.fact.text for checked in score.reference] == ["The dose decided."]
    assert Table(facts=bare).drive(
        eva.measure(WRITTEN, SUMMARY_TEXT, stages=Stages(relations=1))
    ) == Unscored(
        metric="eva", status="skipped_no_reference", reason="the reference states no fact"
    )

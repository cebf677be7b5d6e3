from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from summeval_pytest.metrics import eva
from summeval_pytest.metrics.eva import check_stated, f1
from summeval_pytest.metrics.facts import stated_once
from summeval_pytest.metrics.flow import NoAnswerError
from summeval_pytest.metrics.score import CheckedFact, EvaScore, Unscored
from summeval_pytest.questions import (
    CheckFacts,
    FacetSegments,
    Fact,
    FactCheck,
    FactChecks,
    FactList,
    ListFacts,
    Unanswered,
)
from summeval_pytest.run.numbers import supposed

if TYPE_CHECKING:
    from summeval_pytest.metrics.flow import Flow
    from summeval_pytest.questions import Answer

REFERENCE = "Zinc raised growth by 24 %. It did no harm."


SUMMARY = "Zinc changed growth. Lead was not given."


THEIRS = ("Zinc raised growth by 24 %.", "It did no harm.")


OURS = ("Zinc changed growth.", "Lead was not given.")


OF_REFERENCE = (
    Fact(text="Zinc raised growth by 24 %", sentence=0),
    Fact(text="Zinc did no harm", sentence=1),
)


OF_SUMMARY = (
    Fact(text="Zinc changed growth", sentence=0),
    Fact(text="No lead was given", sentence=1),
)


rates = st.floats(0, 1)


# For each of up to six candidate facts: whether it is entailed, and by which of four premises.
judged = st.lists(
    st.tuples(st.booleans(), st.frozensets(st.integers(0, 3), max_size=3)), min_size=1, max_size=6
)


def yes(*premises: int) -> FactCheck:
    """A fact that follows from these premises."""
    return FactCheck(reason="it follows", entailed=True, premises=premises)


def no(*premises: int) -> FactCheck:
    """A fact that does not follow; the premises say something else."""
    return FactCheck(reason="it does not follow", entailed=False, premises=premises)


def checks(*items: FactCheck | Unanswered) -> FactChecks:
    """The judge's checks of one list of facts."""
    return FactChecks(items)


def facts(n: int, what: str = "pond") -> tuple[Fact, ...]:
    """As many different facts, all of the first sentence."""
    return tuple(Fact(text=f"{what} number {place} was dry", sentence=0) for place in range(n))


def ended(flow: Flow[EvaScore], *answers: Answer) -> EvaScore | Unscored:
    """What the conversation ends in after these answers; before its first question without any."""
    with pytest.raises(StopIteration) as stop:
        flow.send(answers) if answers else next(flow)
    score: EvaScore | Unscored = stop.value.value
    return score


def listed(reference: tuple[Fact, ...], candidate: tuple[Fact, ...]) -> Flow[EvaScore]:
    """The conversation at its second question, after the facts of both texts."""
    flow = eva.measure(REFERENCE, SUMMARY)
    next(flow)
    flow.send((FactList(reference), FactList(candidate)))
    return flow


def scored(
    reference: tuple[Fact, ...],
    candidate: tuple[Fact, ...],
    forward: FactChecks,
    backward: FactChecks,
) -> EvaScore:
    """The score of these facts with these checks."""
    score = ended(listed(reference, candidate), forward, backward)
    assert isinstance(score, EvaScore)
    return score


@given(rates, rates)
def test_f1_is_symmetric_and_lies_between_its_two(precision: float, recall: float) -> None:
    """Neither side can be bought with the other."""
    value = f1(precision, recall)
    assert value == pytest.approx(f1(recall, precision))
    assert 0 <= value <= max(precision, recall) + 1e-12
    assert value >= min(precision, recall) - 1e-12 or min(precision, recall) < 1e-300


def test_precision_and_recall_worked_example() -> None:
    """Three candidate facts of which two follow, from two of four reference facts."""
    # P = 2/3; matched reference facts {0, 2}: R = 2/4; F1 = 2 * 2/3 * 1/2 / (7/6) = 4/7
    score = scored(
        facts(4),
        facts(3, "lake"),
        checks(yes(0, 2), no(1), yes(0)),
        checks(yes(0), no(), no(), no()),
    )
    assert score.precision == pytest.approx(2 / 3)
    assert score.recall == 0.5
    assert score.value == pytest.approx(4 / 7)
    assert score.matched == {0, 2}
    assert score.recall_entailed == 0.25


def test_facts_are_counted_not_chains() -> None:
    """One chain of three facts counts three times, or the score could pass 1 (EV3)."""
    chain = (
        Fact(text="Zinc acted", sentence=0),
        Fact(text="Zinc acted fast", sentence=0, parent=0),
        Fact(text="Zinc acted fast in mice", sentence=0, parent=1),
    )
    score = scored(facts(3), chain, checks(yes(0), yes(1), no()), checks(no(), no(), no()))
    assert score.precision == pytest.approx(2 / 3)
    assert score.recall == pytest.approx(2 / 3)


def test_vague_fact_recalls_a_specific_one_only_as_matched() -> None:
    """That "zinc changed growth" follows from "by 24 %" and does not say it (metrics.md EV4)."""
    score = scored(OF_REFERENCE[:1], OF_SUMMARY[:1], checks(yes(0)), checks(no(0)))
    assert (score.precision, score.recall, score.value) == (1.0, 1.0, 1.0)
    assert score.recall_entailed == 0.0
    assert score.values()["eva.recall_entailed"] == 0.0


def test_premises_of_a_fact_that_does_not_follow_are_not_matched() -> None:
    """They are what the reference says instead."""
    score = scored(facts(2), OF_SUMMARY, checks(no(0, 1), no(1)), checks(no(), no()))
    assert score.matched == frozenset()
    assert (score.precision, score.recall, score.value) == (0.0, 0.0, 0.0)


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
    """Precision asks the reference's facts, and entailed recall the summary's sentences.

    Matched recall counts every premise that precision names; nothing counts those of the other.
    """
    flow = eva.measure(REFERENCE, SUMMARY)
    assert next(flow) == (ListFacts(THEIRS), ListFacts(OURS))
    forward, backward = flow.send((FactList(OF_REFERENCE), FactList(OF_SUMMARY)))
    assert forward == CheckFacts(OF_SUMMARY, ("Zinc raised growth by 24 %", "Zinc did no harm"))
    assert backward == CheckFacts(OF_REFERENCE, OURS, every_premise=False)
    assert isinstance(forward, CheckFacts)
    assert forward.every_premise


def test_reviewed_facts_are_not_asked_for_again() -> None:
    """A frozen reference cannot move a score."""
    flow = eva.measure(REFERENCE, SUMMARY, reference_facts=OF_REFERENCE)
    assert next(flow) == (ListFacts(OURS),)
    first, second = flow.send((FactList(OF_SUMMARY),))
    assert first == CheckFacts(OF_SUMMARY, tuple(fact.text for fact in OF_REFERENCE))
    assert second == CheckFacts(OF_REFERENCE, OURS, every_premise=False)


@pytest.mark.parametrize("summary", ["", " \n", "<s></s>", "<pad><pad><pad>", "Abstract:", "...-!"])
def test_empty_summary_is_the_systems_fault_and_asks_nothing(summary: str) -> None:
    """A summary of special tokens only is empty, and no judge is to be paid for it."""
    score = ended(eva.measure(REFERENCE, summary))
    assert score == Unscored(
        metric="eva", status="degenerate_candidate", reason="the summary is empty"
    )


def test_refusal_is_the_systems_fault_and_asks_nothing() -> None:
    """An apology states no fact of the paper."""
    score = ended(eva.measure(REFERENCE, "As an AI language model, I have read no paper."))
    assert score == Unscored(metric="eva", status="refused_candidate", reason="the system refused")


def test_identical_texts_score_one_and_ask_nothing() -> None:
    """Identical is maximal, whatever the judge would say."""
    score = ended(eva.measure(REFERENCE, f"<s>{REFERENCE}</s>"))
    assert isinstance(score, EvaScore)
    assert score.identical
    assert set(score.values().values()) == {1.0}


def test_identical_texts_are_asked_about_without_the_short_circuit() -> None:
    """Only so can a judge be measured on them."""
    flow = eva.measure(REFERENCE, REFERENCE, short_circuit=False)
    assert next(flow) == (ListFacts(THEIRS), ListFacts(THEIRS))
    flow.send((FactList(OF_REFERENCE), FactList(OF_REFERENCE)))
    score = ended(flow, checks(yes(0), yes(1)), checks(yes(0), yes(1)))
    assert isinstance(score, EvaScore)
    assert score.value == score.recall_entailed == 1.0
    assert not score.identical


# Without entailed recall
def one_way(candidate: tuple[Fact, ...] = OF_SUMMARY) -> Flow[EvaScore]:
    """The conversation at its second question, where the summary is not asked for facts."""
    flow = eva.measure(REFERENCE, SUMMARY, entailed_recall=False)
    assert next(flow) == (ListFacts(THEIRS), ListFacts(OURS))
    premises = ("Zinc raised growth by 24 %", "Zinc did no harm")
    asked = flow.send((FactList(OF_REFERENCE), FactList(candidate)))
    assert asked == (CheckFacts(candidate, premises),)
    return flow


def test_without_entailed_recall_facts_are_checked_one_way() -> None:
    """EVA-Score itself needs no more: P = 1/2 and R = 1/2, from half as many checks."""
    score = ended(one_way(), checks(yes(1), no(0)))
    assert isinstance(score, EvaScore)
    assert score.values() == {"eva": 0.5, "eva.precision": 0.5, "eva.recall": 0.5}
    assert score.recall_entailed is None


def test_without_entailed_recall_a_lost_fact_is_one_that_nothing_matches() -> None:
    """A failing test still shows what the summary leaves out, and what carries the rest.

    What the fact that does not follow names is what the reference says instead: no match.
    """
    score = ended(one_way(), checks(yes(1), no(0)))
    assert isinstance(score, EvaScore)
    assert [(c.fact, c.holds, c.reason, c.evidence) for c in score.reference] == [
        (OF_REFERENCE[0], False, "no fact of the summary matches it", ()),
        (OF_REFERENCE[1], True, "a fact of the summary matches it", ("Zinc changed growth",)),
    ]


# Lists of facts
def test_summary_without_a_fact_scores_zero_without_a_precision() -> None:
    """It left everything out; of nothing stated, no share is right."""
    flow = eva.measure(REFERENCE, SUMMARY)
    next(flow)
    score = ended(flow, FactList(OF_REFERENCE), FactList(()))
    assert isinstance(score, EvaScore)
    assert score.values() == {
        "eva": 0.0,
        "eva.precision": None,
        "eva.recall": 0.0,
        "eva.recall_entailed": 0.0,
    }
    assert [(c.fact, c.holds) for c in score.reference] == [(fact, False) for fact in OF_REFERENCE]


@pytest.mark.parametrize("candidate", [(), OF_SUMMARY])
def test_reference_without_a_fact_leaves_the_pair_unscored(candidate: tuple[Fact, ...]) -> None:
    """With nothing to recall, neither 0 nor 1 would be true; nor with no fact on either side."""
    flow = eva.measure(REFERENCE, SUMMARY)
    next(flow)
    assert ended(flow, FactList(()), FactList(candidate)) == Unscored(
        metric="eva", status="skipped_no_reference", reason="the reference states no fact"
    )


def test_repeated_sentence_does_not_raise_precision() -> None:
    """Saying the one right thing three times leaves the wrong one as wrong."""
    said = (
        OF_SUMMARY[0],
        OF_SUMMARY[1],
        OF_SUMMARY[0],
        Fact(text="zinc changed growth.", sentence=1),
    )
    flow = eva.measure(REFERENCE, SUMMARY)
    next(flow)
    forward, _ = flow.send((FactList(OF_REFERENCE), FactList(said)))
    assert forward == CheckFacts(OF_SUMMARY, tuple(fact.text for fact in OF_REFERENCE))
    score = ended(flow, checks(yes(0), no()), checks(no(), no()))
    assert isinstance(score, EvaScore)
    assert score.precision == 0.5


@pytest.mark.parametrize(
    "pair",
    [("24 mg of zinc", "24 g of zinc"), ("A beats B", "B beats A"), ("it grew", "it grew not")],
)
def test_facts_that_differ_in_a_word_or_its_place_are_two(pair: tuple[str, str]) -> None:
    """Merging them would hide one of two claims that cannot both be true."""
    listed = tuple(Fact(text=text, sentence=0) for text in pair)
    assert stated_once(listed) == listed


@given(st.lists(st.sampled_from(["a", "a.", "b", "c d", "-"]), max_size=8), st.data())
def test_merging_is_idempotent_and_keeps_parents_first(
    texts: list[str], data: st.DataObject
) -> None:
    """A merged list is a list that the judge could have given."""
    listed = tuple(
        Fact(text=t, sentence=0, parent=data.draw(st.none() | st.integers(0, i - 1)) if i else None)
        for i, t in enumerate(texts)
    )
    merged = stated_once(listed)
    assert stated_once(merged) == merged
    assert len({fact.text.strip(".") for fact in merged}) == len(merged)
    assert all(fact.parent is None or fact.parent < place for place, fact in enumerate(merged))


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        (Fact(text="Ice melts", sentence=2), "fact 'Ice melts' names sentence 3 of 2"),
        (Fact(text="Ice melts", sentence=-1), "fact 'Ice melts' names sentence 0 of 2"),
        (
            Fact(text="Ice melts", sentence=1, parent=1),
            "fact 'Ice melts' refines fact 2, which is not before it",
        ),
        (
            Fact(text="Ice melts", sentence=1, parent=2),
            "fact 'Ice melts' refines fact 3, which is not before it",
        ),
        (
            Fact(text="Ice melts", sentence=1, parent=-1),
            "fact 'Ice melts' refines fact 0, which is not before it",
        ),
    ],
)
@pytest.mark.parametrize("side", ["reference", "candidate", "candidate of a frozen reference"])
def test_fact_without_its_sentence_or_after_its_child_is_no_answer(
    wrong: Fact, reason: str, side: str
) -> None:
    """An index into nothing would show the wrong sentence beside the finding."""
    spoilt = FactList((OF_SUMMARY[0], wrong, OF_SUMMARY[1]))
    frozen = OF_REFERENCE if "frozen" in side else None
    flow = eva.measure(REFERENCE, SUMMARY, reference_facts=frozen)
    next(flow)
    sound = FactList(OF_REFERENCE)
    if frozen:
        score = ended(flow, spoilt)
    else:
        score = ended(flow, *((spoilt, sound) if side == "reference" else (sound, spoilt)))
    assert score == Unscored(metric="eva", status="unanswered", reason=reason)


# Checks that do not fit
@pytest.mark.parametrize(
    ("forward", "backward", "reason"),
    [
        (
            checks(yes(0)),
            checks(no(), no()),
            "the judge returned 1 fact checks for 2 asked about",
        ),
        (
            checks(yes(0), no(), no()),
            checks(no(), no()),
            "the judge returned 3 fact checks for 2 asked about",
        ),
        (
            checks(yes(0), yes(1)),
            checks(),
            "the judge returned 0 fact checks for 2 asked about",
        ),
        (
            checks(yes(0), yes(2)),
            checks(no(), no()),
            "fact 'No lead was given': a premise of (2,) was not offered",
        ),
        (
            checks(yes(0, -1), no()),
            checks(no(), no()),
            "fact 'Zinc changed growth': a premise of (0, -1) was not offered",
        ),
        (
            checks(yes(0), no()),
            checks(no(), yes(7)),
            "fact 'Zinc did no harm': a premise of (7,) was not offered",
        ),
        (
            checks(yes(0), no(9)),
            checks(no(), no()),
            "fact 'No lead was given': a premise of (9,) was not offered",
        ),
    ],
)
def test_checks_that_do_not_fit_the_question_leave_the_pair_unscored(
    forward: FactChecks, backward: FactChecks, reason: str
) -> None:
    """A missing check that shrank the denominator would raise the score (deepeval#3346)."""
    score = ended(listed(OF_REFERENCE, OF_SUMMARY), forward, backward)
    assert score == Unscored(metric="eva", status="unanswered", reason=reason)


@pytest.mark.parametrize(
    ("answers", "reason"),
    [
        ((Unanswered("no JSON"), FactList(OF_SUMMARY)), "no JSON"),
        ((FactList(OF_REFERENCE), Unanswered("refused")), "refused"),
        ((FactList(OF_REFERENCE),), "the judge gave 1 answers to 2 questions"),
        ((FactList(OF_REFERENCE), FacetSegments()), "ListFacts was answered with FacetSegments"),
    ],
)
def test_missing_facts_leave_the_pair_unscored(answers: tuple[Answer, ...], reason: str) -> None:
    """A judge that fails must not look like a summary without facts."""
    flow = eva.measure(REFERENCE, SUMMARY)
    next(flow)
    score = ended(flow, *answers)
    assert score == Unscored(metric="eva", status="unanswered", reason=reason)


def test_unanswered_fact_up_to_five_percent_leaves_both_numerator_and_denominator() -> None:
    """One of 20 facts: the share is taken of the 19 that were answered."""
    answered = [yes(0)] * 10 + [no()] * 9
    score = scored(
        facts(20),
        facts(20, "lake"),
        checks(Unanswered("cut off"), *answered),
        checks(*[yes(0)] * 5, Unanswered("cut off"), *[no()] * 14),
    )
    assert score.precision == pytest.approx(10 / 19)
    assert score.recall_entailed == pytest.approx(5 / 19)
    assert score.recall == 1 / 20
    assert (score.candidate[0].holds, score.candidate[0].reason) == (None, "cut off")
    assert score.reference[5].holds is None


@pytest.mark.parametrize("side", ["forward", "backward"])
def test_unanswered_facts_over_five_percent_leave_the_pair_unscored(side: str) -> None:
    """One of 19 facts is 5.3 %."""
    good = checks(*[yes(0)] * 19)
    bad = checks(*[yes(0)] * 18, Unanswered("cut off"))
    both = (bad, good) if side == "forward" else (good, bad)
    score = ended(listed(facts(19), facts(19, "lake")), *both)
    assert score == Unscored(
        metric="eva", status="unanswered", reason="1 of 19 facts unanswered, first: cut off"
    )


# Facts that somebody has written down
STATED = ("Zinc changed growth", "zinc changed growth.", "Lead was given")


@pytest.mark.parametrize("both", [True, False])
def test_few_unusable_facts_are_unanswered_ones(both: bool) -> None:
    """One of 20 on either side is shown, counts for nothing, and may be wrong."""
    odd = Fact(text="It rose by 777.7 kg", sentence=0)
    flow = eva.measure(REFERENCE, SUMMARY, entailed_recall=both)
    next(flow)
    flow.send((FactList(facts(19), unusable=(odd,)), FactList(facts(19, "lake"), unusable=(odd,))))
    forward = checks(*(yes(place) for place in range(19)))
    backward = checks(*(yes(0) for _ in range(19)))
    score = ended(flow, forward, *((backward,) if both else ()))
    assert isinstance(score, EvaScore)
    assert (score.value, score.precision, score.recall) == (1.0, 1.0, 1.0)
    assert [side[-1].fact for side in (score.candidate, score.reference)] == [odd, odd]
    assert [side[-1].holds for side in (score.candidate, score.reference)] == [None, None]
    worst = {"eva": 0.95, "eva.precision": 0.95, "eva.recall": 0.95}
    assert supposed([score], right=False) == pytest.approx(
        worst | ({"eva.recall_entailed": 0.95} if both else {})
    )


@pytest.mark.parametrize("every_premise", [True, False])
def test_stated_facts_are_asked_about_as_they_stand(every_premise: bool) -> None:
    """One check a label: none is merged with another or left out, whatever its words."""
    flow = check_stated(STATED, THEIRS, every_premise=every_premise)
    assert next(flow) == (
        CheckFacts(
            tuple(Fact(text=text, sentence=0) for text in STATED),
            THEIRS,
            every_premise=every_premise,
        ),
    )
    with pytest.raises(StopIteration) as stop:
        flow.send((checks(yes(1, 0), no(1), no()),))
    assert stop.value.value == (
        CheckedFact(
            fact=Fact(text=STATED[0], sentence=0),
            holds=True,
            reason="it follows",
            evidence=(THEIRS[1], THEIRS[0]),
        ),
        CheckedFact(
            fact=Fact(text=STATED[1], sentence=0),
            holds=False,
            reason="it does not follow",
            evidence=(THEIRS[1],),
        ),
        CheckedFact(
            fact=Fact(text=STATED[2], sentence=0), holds=False, reason="it does not follow"
        ),
    )


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (Unanswered("cut off"), "cut off"),
        (FactList(()), "CheckFacts was answered with FactList"),
        (checks(yes(0), no()), "the judge returned 2 fact checks for 3 asked about"),
        (checks(*[yes(0)] * 4), "the judge returned 4 fact checks for 3 asked about"),
        (
            checks(yes(0), no(), yes(2)),
            "fact 'Lead was given': a premise of (2,) was not offered",
        ),
        (
            checks(yes(0), Unanswered("cut off"), no()),
            "1 of 3 facts unanswered, first: cut off",
        ),
    ],
)
def test_an_answer_that_cannot_carry_stated_facts_is_none(answer: Answer, reason: str) -> None:
    """A check beside the wrong fact would agree with the wrong label."""
    flow = check_stated(STATED, THEIRS, every_premise=False)
    next(flow)
    with pytest.raises(NoAnswerError) as caught:
        flow.send((answer,))
    assert str(caught.value) == reason


# Laws
def forward_of(judgements: list[tuple[bool, frozenset[int]]]) -> FactChecks:
    """The checks of candidate facts that are judged like this."""
    return FactChecks(
        tuple(
            FactCheck(reason="", entailed=entailed, premises=tuple(sorted(premises)))
            for entailed, premises in judgements
        )
    )


def of(judgements: list[tuple[bool, frozenset[int]]]) -> EvaScore:
    """The score of candidate facts judged like this against four reference facts."""
    forward = forward_of(judgements)
    return scored(
        facts(4), facts(len(judgements), "lake"), forward, checks(yes(0), no(), no(), no())
    )


@given(judged, st.data())
def test_eva_rises_with_each_fact_that_follows(
    judgements: list[tuple[bool, frozenset[int]]], data: st.DataObject
) -> None:
    """Mending a wrong fact never costs the system anything."""
    place = data.draw(st.integers(0, len(judgements) - 1))
    worse, better = list(judgements), list(judgements)
    worse[place] = (False, judgements[place][1])
    better[place] = (True, judgements[place][1])
    lower, higher = of(worse), of(better)
    assert lower.value <= higher.value
    assert lower.precision is not None
    assert higher.precision is not None
    assert lower.precision < higher.precision

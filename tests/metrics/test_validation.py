from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from summeval_pytest.metrics.eva import validate
from summeval_pytest.metrics.facts import Stages
from summeval_pytest.metrics.flow import NoAnswerError
from summeval_pytest.questions import (
    CheckFacts,
    Fact,
    FactCheck,
    FactChecks,
    FactList,
    Settled,
    Unanswered,
)
from tests.metrics.table_judge import Table

PREMISES = ("Zinc was given to mice.", "Mice slept longer.", "Moss grew on the roof.")


ROOT = Fact(text="Zinc was given.", sentence=0)


CHILD = Fact(text="Zinc was given to rats.", sentence=0, parent=0)


SECOND = Fact(text="Zinc was given to mice.", sentence=0, parent=0)


LAST = Fact(text="Zinc was given to mice that slept.", sentence=0, parent=2)


OTHER = Fact(text="Moss grew.", sentence=1)


TREE = (ROOT, CHILD, SECOND, LAST, OTHER)


CHAIN = Stages(validation="chain")


N_PREMISES = 4


carried = st.lists(st.frozensets(st.integers(0, N_PREMISES - 1)), min_size=1, max_size=6)


def validated(
    judge: Table,
    stages: Stages,
    facts: tuple[Fact, ...] = TREE,
    premises: tuple[str, ...] = PREMISES,
) -> FactChecks:
    """What these facts come to."""
    return judge.drive(validate(facts, premises, stages=stages, encode=None))


def alone(fact: Fact) -> Fact:
    """The fact as it is asked about by itself."""
    return replace(fact, parent=None)


def test_together_is_one_question_with_the_tree() -> None:
    """The default: one request for a summary."""
    judge = Table()
    validated(judge, Stages())
    assert judge.asked == [(CheckFacts(TREE, PREMISES),)]


def test_chain_by_chain_roots_come_first_and_children_with_the_verdicts_before() -> None:
    """Worked example: facts of one parent share a question; a chain goes on after a no."""
    judge = Table(carries={ROOT.text: PREMISES[:1], LAST.text: PREMISES[:2]})
    checks = validated(judge, CHAIN)
    before = Settled(text=ROOT.text, holds=True)
    assert judge.asked == [
        (CheckFacts((ROOT, OTHER), PREMISES),),
        (CheckFacts((alone(CHILD), alone(SECOND)), PREMISES, earlier=(before,)),),
        (
            CheckFacts(
                (alone(LAST),), PREMISES, earlier=(before, Settled(text=SECOND.text, holds=True))
            ),
        ),
    ]
    assert [c.entailed for c in checks.checks if isinstance(c, FactCheck)] == [
        True,
        False,
        True,
        True,
        False,
    ]


def test_a_no_and_an_unanswered_fact_are_told_to_those_after_them() -> None:
    """A wrong first fact must not sink a right addition, so the judge has to know of it."""
    chain = (
        ROOT,
        Fact(text="To rats.", sentence=0, parent=0),
        Fact(text="At dawn.", sentence=0, parent=1),
    )
    judge = Table(silent=frozenset({ROOT.text}), carries={"At dawn.": PREMISES[1:2]})
    checks = validated(judge, CHAIN, chain)
    assert judge.checks_asked()[-1].earlier == (
        Settled(text=ROOT.text, holds=None),
        Settled(text="To rats.", holds=False),
    )
    assert checks.checks[0] == Unanswered("no word on it")
    assert checks.checks[2] == FactCheck(reason="1 carry it", entailed=True, premises=(1,))


def test_each_fact_is_asked_with_its_most_similar_premises_one_by_one() -> None:
    """Worked example of the paper's k: the fact shares zinc and given with the first premise."""
    judge = Table(carries={ROOT.text: PREMISES[:1]})
    checks = validated(judge, Stages(premises=2), (ROOT, OTHER))
    assert judge.asked == [
        (
            CheckFacts((ROOT,), PREMISES[:1]),
            CheckFacts((ROOT,), PREMISES[1:2]),
            CheckFacts((OTHER,), PREMISES[2:]),
            CheckFacts((OTHER,), PREMISES[:1]),
        )
    ]
    assert checks.checks == (
        FactCheck(reason="1 carry it", entailed=True, premises=(0,)),
        FactCheck(reason="0 carry it", entailed=False),
    )


def test_a_premise_that_is_not_among_the_most_similar_carries_nothing() -> None:
    """What retrieval misses is the paper's loss, too (metrics.md 3.3)."""
    judge = Table(carries={ROOT.text: PREMISES[2:]})
    for most, holds in ((1, False), (2, False), (3, True)):
        checks = validated(judge, Stages(premises=most), (ROOT,))
        (check,) = checks.checks
        assert isinstance(check, FactCheck)
        assert (check.entailed, check.premises) == (holds, (2,) if holds else ())


class Stubborn(Table):
    """Names what it likes, whatever it is asked."""

    def say(self, question: object) -> FactChecks | Unanswered:
        """By the one premise: the first breaks off, the second holds, the third does not."""
        assert isinstance(question, CheckFacts)
        place = PREMISES.index(question.premises[0])
        return (
            Unanswered("cut off"),
            FactChecks((FactCheck(reason="so be it", entailed=True, support=0.6),)),
            FactChecks((FactCheck(reason="no", entailed=False, premises=(0,), support=0.9),)),
        )[place]


def test_one_premise_that_holds_is_enough_and_is_matched_unnamed() -> None:
    """There was no other to name; what is missing beside it cannot change that it holds."""
    checks = validated(Stubborn(), Stages(premises=3), (ROOT,))
    assert checks.checks == (
        FactCheck(reason="so be it", entailed=True, premises=(1,), support=0.6),
    )


def test_a_missing_answer_beside_a_no_leaves_the_fact_unanswered() -> None:
    """The premise that nobody judged might have carried it: neither a pass nor a no."""
    premises = (PREMISES[0], PREMISES[2])
    judge = Stubborn()
    checks = validated(judge, Stages(premises=2), (ROOT, OTHER), premises)
    assert checks.checks == (Unanswered("cut off"),) * 2


def test_premises_that_speak_against_a_fact_are_told() -> None:
    """A failing test shows what the reference says instead."""
    checks = validated(Stubborn(), Stages(premises=1), (OTHER,), PREMISES[2:])
    assert checks.checks == (FactCheck(reason="no", entailed=False, premises=(0,), support=0.9),)


@pytest.mark.parametrize("stages", [CHAIN, Stages(premises=1)])
@pytest.mark.parametrize(
    ("answer", "fault"),
    [
        (FactList(()), "CheckFacts was answered with FactList"),
        (FactChecks(()), "the judge returned 0 fact checks for 1 asked about"),
        (
            FactChecks((FactCheck(reason="", entailed=True, premises=(7,)),)),
            f"fact {ROOT.text!r}: a premise of (7,) was not offered",
        ),
    ],
)
def test_an_answer_that_cannot_carry_a_check_ends_the_conversation(
    stages: Stages, answer: FactChecks | FactList, fault: str
) -> None:
    """The same as in the default form: never a smaller denominator."""
    flow = validate((ROOT,), PREMISES, stages=stages, encode=None)
    next(flow)
    with pytest.raises(NoAnswerError) as caught:
        flow.send((answer,))
    assert str(caught.value) == fault


def test_a_question_without_an_answer_leaves_its_own_facts_open() -> None:
    """Where it was about all of them there is no score; else the share of such facts decides."""
    flow = validate((ROOT,), PREMISES, stages=CHAIN, encode=None)
    next(flow)
    with pytest.raises(NoAnswerError, match=r"^timed out$"):
        flow.send((Unanswered("timed out"),))
    flow = validate((ROOT, OTHER), PREMISES, stages=Stages(premises=1), encode=None)
    next(flow)
    with pytest.raises(StopIteration) as stop:
        flow.send((Unanswered("timed out"), FactChecks((FactCheck(reason="", entailed=False),))))
    checks = stop.value.value
    assert checks.checks == (Unanswered("timed out"), FactCheck(reason="", entailed=False))


# Laws
def case(judged: list[frozenset[int]]) -> tuple[Table, tuple[Fact, ...], tuple[str, ...]]:
    """A judge for whom a set of premises carries what any of them carries."""
    premises = tuple(f"Pond {place} was dry." for place in range(N_PREMISES))
    facts = tuple(
        Fact(text=f"Lake {place} was wet.", sentence=0, parent=place - 1 if place % 3 else None)
        for place in range(len(judged))
    )
    carries = {
        fact.text: tuple(premises[place] for place in sorted(places))
        for fact, places in zip(facts, judged, strict=True)
    }
    return Table(carries=carries), facts, premises


def outcome(checks: FactChecks) -> list[tuple[bool, frozenset[int]]]:
    """Which facts hold, and by which premises."""
    return [
        (check.entailed, frozenset(check.premises))
        for check in checks.checks
        if isinstance(check, FactCheck)
    ]


@given(carried, st.integers(N_PREMISES, 9), st.sampled_from(("together", "chain")))
def test_all_premises_one_by_one_match_what_all_at_once_match(
    judged: list[frozenset[int]], most: int, validation: str
) -> None:
    """Law: with k at least as many as there are, only the questions differ."""
    judge, facts, premises = case(judged)
    one_by_one = Stages(premises=most, validation="chain" if validation == "chain" else "together")
    found = validated(judge, one_by_one, facts, premises)
    at_once = validated(judge, Stages(), facts, premises)
    assert outcome(found) == outcome(at_once)
    assert outcome(at_once) == [(bool(places), places) for places in judged]

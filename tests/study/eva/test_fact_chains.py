"""Chains of facts, and how they are checked."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest

from summeval_pytest import questions as q
from summeval_pytest.metrics.flow import NoScoreError
from summeval_pytest.study.eva.fact_chains import CheckInChain, adjacent_chains
from summeval_pytest.study.eva.printed_eva import PrintedEva
from tests.metrics.table_judge import Table, ended, facts
from tests.metrics.test_eva import checks, yes

REFERENCE = "Zinc was given to mice. The mice slept longer."
SUMMARY = "Zinc was given. Mice slept. Mice slept."
RELATED = PrintedEva(relations=0.65)
GROW, FAST, MICE, SAFE = "Zinc acted.", "Zinc acted fast.", "It acted fast in mice.", "It is safe."


@pytest.mark.parametrize(
    ("texts_listed", "parents"),
    [
        ((GROW, FAST, MICE, SAFE), [None, 0, 1, None]),
        ((FAST, SAFE, GROW, FAST), [None, None, 1, 2]),  # a no ends a chain, the next begins there
        ((GROW,), [None]),
        ((), []),
    ],
)
def test_a_fact_that_its_follower_entails_is_the_parent(
    texts_listed: tuple[str, ...], parents: list[int | None]
) -> None:
    """Worked example of the paper's rule: runs of True are chains, in the order of the facts."""
    judge = Table(carries={GROW: (FAST,), FAST: (MICE,), SAFE: (GROW,)})
    named = tuple(
        q.Fact(text=t, sentence=0, parent=i - 1 if i else None) for i, t in enumerate(texts_listed)
    )
    result = judge.drive(adjacent_chains(named))  # the parents that the lister named are left out
    assert [fact.parent for fact in result] == parents
    requested = tuple(
        q.CheckFacts(facts(one), (other,), every_premise=False)
        for one, other in pairwise(texts_listed)
    )
    assert judge.rounds == ([requested] if requested else [])


def test_a_link_without_an_answer_is_a_no() -> None:
    """Up to 5 % of them; a chain never decides whether a fact counts."""
    texts_listed = [f"Kiln {n} was hot." for n in range(21)]
    judge = Table(
        silent=frozenset({texts_listed[3]}), carries={texts_listed[0]: (texts_listed[1],)}
    )
    result = judge.drive(adjacent_chains(facts(*texts_listed)))
    assert [fact.parent for fact in result] == [None, 0, *([None] * 19)]


NO_LINK = "1 of 1 pairs of neighbouring facts unanswered, first: "


@pytest.mark.parametrize(
    ("answer", "of_relations", "of_links"),
    [
        (q.Unanswered("cut off"), "cut off", f"{NO_LINK}cut off"),
        (
            q.FactList(()),
            None,
            "CheckFacts was answered with FactList",
        ),
        (
            q.FactChecks(()),
            "ListRelations was answered with FactChecks",
            "the judge returned 0 fact checks for 1 asked about",
        ),
        (
            q.FactChecks((q.Unanswered("no word"),)),
            "ListRelations was answered with FactChecks",
            f"{NO_LINK}no word",
        ),
    ],
)
def test_a_judge_that_tells_no_relation_or_link_gives_no_score(
    answer: q.Unanswered | q.FactList | q.FactChecks, of_relations: str | None, of_links: str
) -> None:
    """Without them the score would be another one under the same name."""
    if of_relations is not None:
        with pytest.raises(NoScoreError, match=f"^{of_relations}$"):
            ended(RELATED.read_both(REFERENCE, SUMMARY, ()), (q.FactList(()), answer))
    with pytest.raises(NoScoreError, match=f"^{of_links}$"):
        ended(adjacent_chains(facts(GROW, FAST)), (answer,))


PREMISES = ("Zinc was given to mice.", "Mice slept longer.", "Moss grew on the roof.")
ROOT = q.Fact(text="Zinc was given.", sentence=0)
CHILD = q.Fact(text="Zinc was given to rats.", sentence=0, parent=0)
SECOND = q.Fact(text="Zinc was given to mice.", sentence=0, parent=0)
LAST = q.Fact(text="Zinc was given to mice that slept.", sentence=0, parent=2)
OTHER = q.Fact(text="Moss grew.", sentence=1)
TREE = (ROOT, CHILD, SECOND, LAST, OTHER)
CHAIN = PrintedEva(validation="chain")


def validated(
    judge: Table,
    variant: PrintedEva,
    facts: tuple[q.Fact, ...] = TREE,
    premises: tuple[str, ...] = PREMISES,
) -> tuple[q.FactCheck | q.Unanswered, ...]:
    """What these facts come to."""
    return judge.drive(variant.validate(facts, premises)).checks


def alone(*facts: q.Fact) -> tuple[q.Fact, ...]:
    """The facts as they are asked about by themselves."""
    return tuple(replace(fact, parent=None) for fact in facts)


def test_chain_by_chain_roots_come_first_and_children_with_the_verdicts_before() -> None:
    """Worked example: facts of one parent share a question; a chain goes on after a no.

    By default the whole tree is one question: one request for a summary.
    """
    judge = Table(carries={ROOT.text: PREMISES[:1], LAST.text: PREMISES[:2]})
    results = validated(judge, CHAIN)
    before = (ROOT.text, True)
    chain = (before, (SECOND.text, True))
    assert judge.rounds == [
        (q.CheckFacts((ROOT, OTHER), PREMISES),),
        (CheckInChain(alone(CHILD, SECOND), PREMISES, earlier=(before,)),),
        (CheckInChain(alone(LAST), PREMISES, earlier=chain),),
    ]
    holds = [check.entailed for check in results if isinstance(check, q.FactCheck)]
    assert holds == [True, False, True, True, False]
    default = Table()
    validated(default, PrintedEva())
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
    last = judge.fact_questions()[-1]
    assert isinstance(last, CheckInChain)
    assert last.earlier == (
        (ROOT.text, None),
        ("To rats.", False),
    )
    assert results[0] == q.Unanswered("no word on it")
    assert results[2] == q.FactCheck(reason="1 carry it", entailed=True, premises=(1,))


def test_each_fact_is_asked_with_its_most_similar_premises_one_by_one() -> None:
    """Worked example of the paper's k: the fact shares zinc and given with the first premise."""
    judge = Table(carries={ROOT.text: PREMISES[:1]})
    results = validated(judge, PrintedEva(premises=2), (ROOT, OTHER))
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


@pytest.mark.parametrize("variant", [CHAIN, PrintedEva(premises=1)])
@pytest.mark.parametrize(
    ("answer", "fault"),
    [
        (q.FactList(()), "CheckFacts was answered with FactList"),
        (checks(), "the judge returned 0 fact checks for 1 asked about"),
        (checks(yes(7)), f"fact {ROOT.text!r}: a premise of (7,) was not offered"),
    ],
)
def test_an_answer_that_cannot_carry_a_check_ends_the_conversation(
    variant: PrintedEva, answer: q.FactChecks | q.FactList, fault: str
) -> None:
    """The same in every form: never a smaller denominator."""
    with pytest.raises(NoScoreError) as caught:
        ended(variant.validate((ROOT,), PREMISES), (answer,))
    assert str(caught.value) == fault

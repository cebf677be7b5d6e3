from __future__ import annotations

import pytest

from summeval_pytest.metrics.facts import adjacent_chains, ancestors
from summeval_pytest.metrics.flow import NoAnswerError
from summeval_pytest.questions import CheckFacts, Fact, FactChecks, FactList, Unanswered
from tests.metrics.table_judge import Table

GROW, FAST, MICE, SAFE = (
    "Zinc acted.",
    "Zinc acted fast.",
    "Zinc acted fast in mice.",
    "It is safe.",
)


def facts(*texts: str) -> tuple[Fact, ...]:
    """These facts, all of one sentence and refining nothing."""
    return tuple(Fact(text=text, sentence=0) for text in texts)


def parents(found: tuple[Fact, ...]) -> list[int | None]:
    """Which fact each of them refines."""
    return [fact.parent for fact in found]


def test_a_fact_that_its_follower_entails_is_the_parent() -> None:
    """Worked example of the paper's rule: runs of True are chains, in the order of the facts."""
    judge = Table(carries={GROW: (FAST,), FAST: (MICE,)})
    found = judge.drive(adjacent_chains(facts(GROW, FAST, MICE, SAFE)))
    assert parents(found) == [None, 0, 1, None]
    assert judge.asked == [
        (
            CheckFacts(facts(GROW), (FAST,), every_premise=False),
            CheckFacts(facts(FAST), (MICE,), every_premise=False),
            CheckFacts(facts(MICE), (SAFE,), every_premise=False),
        )
    ]


def test_a_no_ends_a_chain_and_the_next_begins_behind_it() -> None:
    """Chains are runs: what comes after a no refines nothing before it."""
    judge = Table(carries={SAFE: (GROW,), GROW: (FAST,)})
    found = judge.drive(adjacent_chains(facts(FAST, SAFE, GROW, FAST)))
    assert parents(found) == [None, None, 1, 2]


def test_the_parents_that_the_lister_named_are_left_out() -> None:
    """One rule makes the chains, or they are neither the paper's nor ours."""
    listed = (Fact(text=GROW, sentence=0), Fact(text=SAFE, sentence=1, parent=0))
    found = Table().drive(adjacent_chains(listed))
    assert found == (Fact(text=GROW, sentence=0), Fact(text=SAFE, sentence=1))


def test_a_link_without_an_answer_is_a_no() -> None:
    """Up to 5 % of them; a chain never decides whether a fact counts."""
    texts = [f"Kiln {n} was hot." for n in range(21)]
    judge = Table(silent=frozenset({texts[3]}), carries={texts[0]: (texts[1],)})
    found = judge.drive(adjacent_chains(facts(*texts)))
    assert parents(found) == [None, 0, *([None] * 19)]


def test_a_judge_that_cannot_tell_most_links_gives_no_score() -> None:
    """What it cannot tell here it cannot be trusted with later."""
    judge = Table(silent=frozenset({GROW}))
    with pytest.raises(NoAnswerError) as caught:
        judge.drive(adjacent_chains(facts(GROW, FAST)))
    assert str(caught.value) == (
        "1 of 1 pairs of neighbouring facts unanswered, first: no word on it"
    )


@pytest.mark.parametrize(
    ("answer", "fault"),
    [
        (Unanswered("cut off"), "1 of 1 pairs of neighbouring facts unanswered, first: cut off"),
        (FactList(()), "CheckFacts was answered with FactList"),
        (FactChecks(()), "the judge returned 0 fact checks for 1 asked about"),
    ],
)
def test_an_answer_of_another_kind_is_none(
    answer: Unanswered | FactList | FactChecks, fault: str
) -> None:
    """A judge of one's own may return anything."""
    flow = adjacent_chains(facts(GROW, FAST))
    next(flow)
    with pytest.raises(NoAnswerError) as caught:
        flow.send((answer,))
    assert str(caught.value) == fault


def test_ancestors_are_told_from_the_root_on() -> None:
    """In this order the judge reads the verdicts before."""
    tree = tuple(
        Fact(text=str(place), sentence=0, parent=parent)
        for place, parent in enumerate((None, 0, 0, 1, None, 3))
    )
    assert [ancestors(tree, place) for place in range(6)] == [
        (),
        (0,),
        (0,),
        (0, 1),
        (),
        (0, 1, 3),
    ]

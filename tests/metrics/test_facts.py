from __future__ import annotations

import pytest

from summeval_pytest import questions as q
from summeval_pytest.metrics.facts import read_both, stated_once
from summeval_pytest.metrics.flow import NoScoreError
from tests.metrics.table_judge import Table, ended, facts

REFERENCE = "Zinc was given to mice. The mice slept longer."
SUMMARY = "Zinc was given. Mice slept. Mice slept."
SUMMARY_SENTENCES = ("Zinc was given.", "Mice slept.", "Mice slept.")


def test_reviewed_facts_stand() -> None:
    """A frozen reference cannot move a score."""
    judge = Table()
    frozen = facts("Zinc acts.", "Zinc acts.", "Mice sleep.")
    of_reference, _ = judge.drive(read_both(REFERENCE, SUMMARY, frozen))
    assert judge.rounds == [(q.ListFacts(SUMMARY_SENTENCES),)]
    assert (of_reference.facts, of_reference.n_listed) == (facts("Zinc acts.", "Mice sleep."), 3)


@pytest.mark.parametrize(
    ("sentence", "parent", "fault"),
    [
        (2, None, "names sentence 3 of 2"),
        (-1, None, "names sentence 0 of 2"),
        (1, 1, "refines fact 2, which is not before it"),
        (1, -1, "refines fact 0, which is not before it"),
    ],
)
def test_fact_of_no_sentence_or_after_its_child_is_none(
    sentence: int, parent: int | None, fault: str
) -> None:
    """An index into nothing would show the wrong sentence beside the finding."""
    wrong = q.Fact(text="Ice melts", sentence=sentence, parent=parent)
    sound, spoilt = q.FactList(facts("Zinc.")), q.FactList((*facts("Zinc."), wrong))
    unusable = q.FactList(facts("Zinc."), unusable=spoilt.facts)
    for frozen, answers in (
        (None, (spoilt, sound)),
        (None, (sound, spoilt)),
        (None, (sound, unusable)),
        (facts("Zinc."), (spoilt,)),
    ):
        flow = read_both(REFERENCE, REFERENCE, frozen)
        with pytest.raises(NoScoreError) as caught:
            ended(flow, answers)
        assert str(caught.value) == f"fact 'Ice melts' {fault}"


@pytest.mark.parametrize(
    "pair",
    [("24 mg of zinc", "24 g of zinc"), ("A beats B", "B beats A"), ("it grew", "it grew not")],
)
def test_facts_that_differ_in_a_word_or_its_place_are_two(pair: tuple[str, str]) -> None:
    """Merging them would hide a claim; but for case and marks, or without a word, they are one."""
    assert stated_once(facts(*pair)) == facts(*pair)
    said = (*facts("Zinc acts", "-", "zinc acts."), q.Fact(text="It heals", sentence=0, parent=2))
    assert stated_once(said) == (*facts("Zinc acts"), q.Fact(text="It heals", sentence=0, parent=0))

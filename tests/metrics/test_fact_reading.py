from __future__ import annotations

import pytest

from summeval_pytest.metrics.facts import Stages, Stated, new_statements, read_both
from summeval_pytest.metrics.flow import NoAnswerError
from summeval_pytest.metrics.score import StageCounts
from summeval_pytest.questions import (
    Fact,
    FactList,
    ListFacts,
    ListRelations,
    Relation,
    RelationList,
    Unanswered,
)
from tests.metrics.table_judge import Table, sentences

REFERENCE = "Zinc was given to mice. The mice slept longer."


SUMMARY = "Zinc was given. Mice slept. Mice slept."


ACROSS = "Zinc made mice sleep."


RELATED = Stages(relations=0.65)


def read(
    judge: Table,
    stages: Stages = RELATED,
    *,
    reference: str = REFERENCE,
    frozen: tuple[Fact, ...] | None = None,
) -> tuple[Stated, ...]:
    """What both texts state, as this judge has it."""
    return judge.drive(read_both(reference, SUMMARY, frozen=frozen, stages=stages, encode=None))


def texts(stated: Stated) -> list[str]:
    """The words of the facts."""
    return [fact.text for fact in stated.facts]


def facts(*texts: str) -> tuple[Fact, ...]:
    """These facts."""
    return tuple(Fact(text=text, sentence=0) for text in texts)


def test_facts_and_relations_of_both_texts_are_asked_for_at_once() -> None:
    """A wait more for each stage would be the paper's ten minutes again."""
    judge = Table()
    read(judge)
    assert judge.asked == [
        (
            ListFacts(sentences(REFERENCE)),
            ListRelations(REFERENCE),
            ListFacts(sentences(SUMMARY)),
            ListRelations(SUMMARY),
        )
    ]


def test_without_relations_only_facts_are_asked_for() -> None:
    """The default is what it was."""
    judge = Table(relations={SUMMARY: (ACROSS,)})
    theirs, ours = read(judge, Stages())
    assert judge.asked == [(ListFacts(sentences(REFERENCE)), ListFacts(sentences(SUMMARY)))]
    assert (texts(theirs), texts(ours)) == (
        ["Zinc was given to mice.", "The mice slept longer."],
        ["Zinc was given.", "Mice slept."],
    )


def test_a_relation_that_no_fact_comes_near_is_a_fact_of_its_own() -> None:
    """Worked example: it refines nothing, stands last, and counts in N_c (paper, 3.3; EV3).

    Of the summary's three facts two differ, each a chain; of its two relations one says what a fact
    says.
    """
    judge = Table(relations={SUMMARY: ("Mice slept.", ACROSS)})
    _, ours = read(judge)
    assert ours.facts == (
        Fact(text="Zinc was given.", sentence=0),
        Fact(text="Mice slept.", sentence=1),
        Fact(text=ACROSS, sentence=0),  # zinc stands in one sentence alone, mice in two
    )
    assert ours.counts == StageCounts(
        n_sentences=3, n_listed=3, n_facts=2, n_chains=2, n_relations=2, n_kept_relations=1
    )


def test_a_relation_with_a_foreign_number_is_unusable_at_its_sentence() -> None:
    """As a fact is that states what its sentence does not; twice the same is one."""
    flow = read_both(REFERENCE, SUMMARY, frozen=facts("Zinc."), stages=RELATED, encode=None)
    next(flow)
    odd = Relation(head="", relation="", tail="", statement="Mice slept 777 h.")
    listed = FactList(facts("Zinc was given."), unusable=facts("Zinc weighed 777.7 kg."))
    with pytest.raises(StopIteration) as stop:
        flow.send((listed, RelationList((), 2, unusable=(odd, odd))))
    theirs, ours = stop.value.value
    assert theirs.unusable == ()
    assert ours.facts == facts("Zinc was given.")
    assert ours.unusable == (
        Fact(text="Zinc weighed 777.7 kg.", sentence=0),
        Fact(text="Mice slept 777 h.", sentence=1),
    )


def test_counts_of_the_reference_are_its_own() -> None:
    """Table 4 of the paper has a line for each side."""
    judge = Table(
        facts={"Zinc was given to mice.": ("Zinc was given.", "Mice got it.")},
        relations={REFERENCE: ("Sleep came of zinc.", "Sleep came of zinc.")},
    )
    theirs, _ = read(judge)
    assert theirs.counts == StageCounts(
        n_sentences=2, n_listed=3, n_facts=3, n_chains=3, n_relations=2, n_kept_relations=1
    )
    assert texts(theirs)[-1] == "Sleep came of zinc."


def test_adjacent_chains_are_made_of_the_summarys_facts_alone() -> None:
    """Metrics.md EV5; relations come later and are chains of one."""
    judge = Table(
        facts={"Zinc was given.": ("Zinc was given.", "Zinc was given to mice.")},
        carries={"Zinc was given.": ("Zinc was given to mice.",)},
        relations={SUMMARY: (ACROSS,)},
    )
    theirs, ours = read(judge, Stages(chains="adjacent", relations=0.65))
    assert [fact.parent for fact in ours.facts] == [None, 0, None, None]
    assert ours.counts.n_chains == 2
    assert [fact.parent for fact in theirs.facts] == [None, None]
    assert len(judge.checks_asked()) == 2


def test_reviewed_facts_stand_without_relations() -> None:
    """A frozen reference cannot move a score."""
    judge = Table(relations={REFERENCE: (ACROSS,)})
    reviewed = facts("Zinc acts.", "Zinc acts.", "Mice sleep.")
    theirs, _ = read(judge, frozen=reviewed)
    assert judge.asked == [(ListFacts(sentences(SUMMARY)), ListRelations(SUMMARY))]
    assert texts(theirs) == ["Zinc acts.", "Mice sleep."]
    assert theirs.counts == StageCounts(n_sentences=2, n_listed=3, n_facts=2, n_chains=2)


@pytest.mark.parametrize(
    ("answer", "fault"),
    [
        (Unanswered("no relations here"), "no relations here"),
        (FactList(()), "ListRelations was answered with FactList"),
    ],
)
def test_relations_that_are_wanted_and_not_answered_leave_no_score(
    answer: Unanswered | FactList, fault: str
) -> None:
    """Without them the score would be another one under the same name."""
    flow = read_both(REFERENCE, SUMMARY, frozen=(), stages=RELATED, encode=None)
    next(flow)
    with pytest.raises(NoAnswerError) as caught:
        flow.send((FactList(()), answer))
    assert str(caught.value) == fault


# The filter
def test_filter_worked_example() -> None:
    """At the threshold a statement is dropped, as in the paper (>= 0.65)."""
    # all four words are in one fact: df = 1 of n = 1, idf = ln(2/2) + 1 = 1, lengths 2 and 2;
    # three of four are shared: cosine (3 * 1) / (sqrt(3 + k^2) * 2), k = ln(2/1) + 1 = 1.693
    # = 3 / (2.422 * 2) = .619
    fact = facts("zinc lead moss fern")
    kept = {
        threshold: new_statements(("zinc lead moss kiln",), fact, threshold)
        for threshold in (0.61, 0.62)
    }
    assert kept == {0.61: (), 0.62: ("zinc lead moss kiln",)}


def test_a_copy_is_dropped_at_every_threshold() -> None:
    """A cosine of .9999 would let it through at 1."""
    assert new_statements(("zinc lead moss",), facts("Zinc, lead: moss"), 1.0) == ()

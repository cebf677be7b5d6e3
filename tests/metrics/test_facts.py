from __future__ import annotations

from itertools import pairwise

import pytest

from summeval_pytest import questions as q
from summeval_pytest.metrics.facts import (
    StageCounts,
    Stages,
    Stated,
    adjacent_chains,
    ancestors,
    new_statements,
    read_both,
    stated_once,
)
from summeval_pytest.metrics.flow import NoScoreError
from tests.metrics.table_judge import Table, ended, facts

REFERENCE = "Zinc was given to mice. The mice slept longer."
SUMMARY = "Zinc was given. Mice slept. Mice slept."
REFERENCE_SENTENCES = ("Zinc was given to mice.", "The mice slept longer.")
SUMMARY_SENTENCES = ("Zinc was given.", "Mice slept.", "Mice slept.")
ACROSS = "Zinc made mice sleep."
RELATED = Stages(relations=0.65)


def read(
    judge: Table, stages: Stages = RELATED, frozen: tuple[q.Fact, ...] | None = None
) -> tuple[Stated, ...]:
    """What both texts state, as this judge has it."""
    return judge.drive(read_both(REFERENCE, SUMMARY, frozen=frozen, stages=stages, encode=None))


def texts(stated: Stated) -> list[str]:
    """The words of the facts."""
    return [fact.text for fact in stated.facts]


# What a signature says of the stages
@pytest.mark.parametrize(
    ("stages", "recipe"),
    [
        (Stages(), {}),  # so every baseline of before the variants stays comparable
        (Stages(chains="adjacent"), {"chains": "adjacent"}),
        (Stages(validation="chain"), {"validation": "chain"}),
        (Stages(premises=3), {"premises": "3", "similarity": "tfidf-1"}),
        (Stages(relations=0.65), {"relations": "0.65", "similarity": "tfidf-1"}),
        (Stages(relations=1.0, similarity="mini-1"), {"relations": "1", "similarity": "mini-1"}),
        (Stages(similarity="mini-1"), {}),
    ],
)
def test_what_is_not_the_default_is_reported(stages: Stages, recipe: dict[str, str]) -> None:
    """And the encoder only where something is measured with it."""
    assert stages.recipe() == recipe


def test_facts_and_relations_of_both_texts_are_asked_for_at_once() -> None:
    """A wait more for each stage would be the paper's ten minutes again; each side is counted."""
    judge = Table(
        facts={"Zinc was given to mice.": ("Zinc was given.", "Mice got it.")},
        relations={REFERENCE: ("Sleep came of zinc.", "Sleep came of zinc.")},
    )
    of_reference, _ = read(judge)
    facts_of_both = q.ListFacts(REFERENCE_SENTENCES), q.ListFacts(SUMMARY_SENTENCES)
    relations = q.ListRelations(REFERENCE), q.ListRelations(SUMMARY)
    assert judge.rounds == [(facts_of_both[0], relations[0], facts_of_both[1], relations[1])]
    assert of_reference.counts == StageCounts(
        n_sentences=2, n_listed=3, n_facts=3, n_chains=3, n_relations=2, n_kept_relations=1
    )
    assert texts(of_reference)[-1] == "Sleep came of zinc."


def test_without_relations_only_facts_are_asked_for() -> None:
    """The default; repeated sentences are one fact."""
    judge = Table(relations={SUMMARY: (ACROSS,)})
    of_reference, of_summary = read(judge, Stages())
    assert judge.rounds == [(q.ListFacts(REFERENCE_SENTENCES), q.ListFacts(SUMMARY_SENTENCES))]
    assert (texts(of_reference), texts(of_summary)) == (
        list(REFERENCE_SENTENCES),
        ["Zinc was given.", "Mice slept."],
    )


def test_a_relation_that_no_fact_comes_near_is_a_fact_of_its_own() -> None:
    """Worked example: it refines nothing, stands last, and counts in N_c (paper, 3.3; EV3).

    Of the summary's three facts two differ, each a chain; of its two relations one says what a fact
    says.
    """
    _, of_summary = read(Table(relations={SUMMARY: ("Mice slept.", ACROSS)}))
    assert of_summary.facts == (
        q.Fact(text="Zinc was given.", sentence=0),
        q.Fact(text="Mice slept.", sentence=1),
        q.Fact(text=ACROSS, sentence=0),  # zinc stands in one sentence alone, mice in two
    )
    assert of_summary.counts == StageCounts(
        n_sentences=3, n_listed=3, n_facts=2, n_chains=2, n_relations=2, n_kept_relations=1
    )


def test_a_relation_with_a_foreign_number_is_unusable_at_its_sentence() -> None:
    """As a fact is that states what its sentence does not; twice the same is one."""
    odd = q.Relation(head="", relation="", tail="", statement="Mice slept 777 h.")
    listed = q.FactList(facts("Zinc was given."), unusable=facts("Zinc weighed 777.7 kg."))
    flow = read_both(REFERENCE, SUMMARY, frozen=facts("Zinc."), stages=RELATED, encode=None)
    of_reference, of_summary = ended(flow, (listed, q.RelationList((), unusable=(odd, odd))))
    assert (of_reference.unusable, of_summary.facts) == ((), facts("Zinc was given."))
    assert of_summary.unusable == (
        q.Fact(text="Zinc weighed 777.7 kg.", sentence=0),
        q.Fact(text="Mice slept 777 h.", sentence=1),
    )


def test_adjacent_chains_are_made_of_the_summarys_facts_alone() -> None:
    """Metrics.md EV5; relations come later and are chains of one."""
    judge = Table(
        facts={"Zinc was given.": ("Zinc was given.", "Zinc was given to mice.")},
        carries={"Zinc was given.": ("Zinc was given to mice.",)},
        relations={SUMMARY: (ACROSS,)},
    )
    of_reference, of_summary = read(judge, Stages(chains="adjacent", relations=0.65))
    assert [fact.parent for fact in of_summary.facts] == [None, 0, None, None]
    assert of_summary.counts.n_chains == 2
    assert [fact.parent for fact in of_reference.facts] == [None, None]
    assert len(judge.fact_questions()) == 2


def test_reviewed_facts_stand_without_relations() -> None:
    """A frozen reference cannot move a score."""
    judge = Table(relations={REFERENCE: (ACROSS,)})
    of_reference, _ = read(judge, frozen=facts("Zinc acts.", "Zinc acts.", "Mice sleep."))
    assert judge.rounds == [(q.ListFacts(SUMMARY_SENTENCES), q.ListRelations(SUMMARY))]
    assert texts(of_reference) == ["Zinc acts.", "Mice sleep."]
    assert of_reference.counts == StageCounts(n_sentences=2, n_listed=3, n_facts=2, n_chains=2)


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
        flow = read_both(REFERENCE, REFERENCE, frozen=frozen, stages=Stages(), encode=None)
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


# Chains
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
            "ListRelations was answered with FactList",
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
    answer: q.Unanswered | q.FactList | q.FactChecks, of_relations: str, of_links: str
) -> None:
    """Without them the score would be another one under the same name."""
    flow = read_both(REFERENCE, SUMMARY, frozen=(), stages=RELATED, encode=None)
    with pytest.raises(NoScoreError, match=f"^{of_relations}$"):
        ended(flow, (q.FactList(()), answer))
    with pytest.raises(NoScoreError, match=f"^{of_links}$"):
        ended(adjacent_chains(facts(GROW, FAST)), (answer,))


def test_a_chain_may_be_long() -> None:
    """Its facts are reported from the root on, and no recursion ends the run."""
    long = [
        q.Fact(text="", sentence=0, parent=place - 1 if place else None) for place in range(5000)
    ]
    assert ancestors(long, 4999) == tuple(range(4999))


# The filter
def test_filter_worked_example() -> None:
    """At the threshold a statement is dropped, as in the paper (>= 0.65)."""
    # all four words are in one fact: df = 1 of n = 1, idf = ln(2/2) + 1 = 1, lengths 2 and 2;
    # three of four are shared: cosine (3 * 1) / (sqrt(3 + k^2) * 2), k = ln(2/1) + 1 = 1.693
    # = 3 / (2.422 * 2) = .619
    fact, said = facts("zinc lead moss fern"), ("zinc lead moss kiln",)
    assert new_statements(said, fact, 0.61) == ()
    assert new_statements(said, fact, 0.62) == said == new_statements(said, (), 0.61)

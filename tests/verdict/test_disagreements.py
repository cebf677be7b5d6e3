from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from summeval_pytest.questions import FACETS, SCALES
from summeval_pytest.verdict.trust import Confusion, Disagreement, confusions, worst_disagreements
from tests.verdict.golden_answers import RIGHT, answered, golden, pairs

if TYPE_CHECKING:
    from summeval_pytest.run.golden import GoldenAnswer, GoldenPair, Kind


def worst(*labelled: GoldenPair) -> list[tuple[str, str, float, float | None]]:
    """Paper, kind, label and answer of the worst disagreements."""
    return [
        (each.paper, each.answer.kind, each.answer.label, each.answer.answer)
        for each in worst_disagreements(labelled)
    ]


def on(paper: str, *answers: GoldenAnswer, system: str = "good") -> GoldenPair:
    """A pair of this paper."""
    return golden(*answers, paper=paper, system=system)


# Confusion matrices


def test_confusion_matrices_name_what_rows_and_columns_are() -> None:
    """Worked example: one of each kind; labels in rows, answers in columns."""
    labelled = [
        on("kiln", answered("background", 1, 3), answered("sentence", 0, 1)),
        on("moss", answered("reference fact", 1, 0), answered("candidate fact", 1, 1)),
        on("zinc", answered("background", 1, 3), answered("overall", 0.1, 0.9)),
    ]
    assert confusions(labelled) == (
        Confusion(
            of="background",
            categories=("1", "2", "3"),
            table=((0, 0, 2), (0, 0, 0), (0, 0, 0)),
        ),
        Confusion(of="sentence", categories=("unfaithful", "faithful"), table=((0, 1), (0, 0))),
        Confusion(of="fact", categories=("does not hold", "holds"), table=((0, 0), (1, 1))),
    )


def test_every_facet_has_a_matrix_of_its_own_scale() -> None:
    """Facets in reading order; a rating is the category that its number says."""
    labelled = [golden(*(answered(facet, SCALES[facet], 1) for facet in reversed(FACETS)))]
    assert [(found.of, len(found.categories)) for found in confusions(labelled)] == [
        (facet, SCALES[facet]) for facet in FACETS
    ]
    for found in confusions(labelled):
        assert found.categories[-1] == str(len(found.categories))
        assert [row[0] for row in found.table] == [*[0] * (len(found.table) - 1), 1]


def test_what_nobody_labelled_or_answered_has_no_matrix() -> None:
    """A table of zeros would read as a judge that gave no answers."""
    assert confusions([golden(answered("result", 2, None), answered("overall", 1, 1))]) == ()
    assert confusions([]) == ()


@given(pairs())
def test_the_matrices_hold_every_answer_once(labelled: list[GoldenPair]) -> None:
    """Law: all answers but the overall scores, those on the diagonal being the right ones."""
    counted = [
        answer
        for pair in labelled
        for answer in pair.answers
        if answer.answer is not None and answer.kind != "overall"
    ]
    found = confusions(labelled)
    assert sum(sum(map(sum, each.table)) for each in found) == len(counted)
    agreed = sum(each.table[i][i] for each in found for i in range(len(each.categories)))
    assert agreed == sum(answer.agrees for answer in counted)


# The worst


def test_the_farthest_from_the_label_is_the_worst() -> None:
    """Worked example: of the way they could have gone, 3/3, 1/2, 1/3 and, on a share, all."""
    labelled = [
        on("fern", answered("method", 4, 3)),
        on("kiln", answered("conclusion", 1, 2)),
        on("moss", answered("result", 4, 1)),
        on("zinc", answered("candidate fact", 0, 1)),
    ]
    assert worst(*labelled) == [
        ("zinc", "candidate fact", 0, 1),
        ("moss", "result", 4, 1),
        ("kiln", "conclusion", 1, 2),
        ("fern", "method", 4, 3),
    ]


def test_what_passes_for_right_is_worse_than_what_is_wrongly_refused() -> None:
    """The first lets a bad summary through the gate."""
    strict = on("fern", answered("sentence", 1, 0))
    lenient = on("moss", answered("sentence", 0, 1))
    assert worst(strict, lenient) == [("moss", "sentence", 0, 1), ("fern", "sentence", 1, 0)]


def test_there_are_five_at_most_and_each_of_another_paper() -> None:
    """Five sentences of one bad summary would show one disagreement five times."""
    bad = on("kiln", *(answered("sentence", 0, 1, index=place) for place in range(9)))
    others = [on(f"moss-{n}", answered("result", 4, 3)) for n in range(6)]
    found = worst(bad, *others)
    assert len(found) == 5
    assert [paper for paper, *_ in found] == ["kiln", "moss-0", "moss-1", "moss-2", "moss-3"]


def test_a_kind_is_shown_twice_before_a_third_time() -> None:
    """A milder disagreement of another kind tells more than the third alike; if there is one."""
    sentences = [on(f"kiln-{n}", answered("sentence", 0, 1)) for n in range(4)]
    facts = [on(f"moss-{n}", answered("candidate fact", 0, 1)) for n in range(4)]
    rating = on("zinc", answered("result", 4, 3))
    found = worst(*sentences, *facts, rating)
    assert [kind for _, kind, *_ in found] == [
        "candidate fact", "candidate fact", "sentence", "sentence", "result"
    ]  # fmt: skip
    assert [kind for _, kind, *_ in worst(*sentences, rating)] == [*["sentence"] * 4, "result"]


def test_one_paper_fills_the_five_where_there_is_no_other() -> None:
    """Less variety is better than fewer cases."""
    answers = [
        answered("background", 1, 3),
        answered("result", 4, 1),
        *(answered("sentence", 0, 1, index=place) for place in range(2)),
        answered("method", 2, 3),
    ]
    assert len(worst(on("kiln", *answers))) == 5
    assert [kind for _, kind, *_ in worst(on("kiln", *answers[:2], *answers[4:]))] == [
        "background",
        "result",
        "method",
    ]


@pytest.mark.parametrize("kind", ["result", "sentence", "reference fact"])
def test_the_same_disagreement_is_shown_once(kind: Kind) -> None:
    """Each pass over the candidates begins with what is chosen already."""
    assert worst(on("kiln", answered(kind, 1, 0))) == [("kiln", kind, 1, 0)]


def test_agreement_and_silence_and_overall_scores_are_no_disagreement() -> None:
    """A score over all facets differs in its last digit, and shows no text."""
    labelled = on(
        "kiln",
        answered("result", 3, 3),
        answered("sentence", 0, None),
        answered("overall", 0.5, 0.9),
    )
    assert worst_disagreements([labelled]) == ()


def test_a_disagreement_says_whose_it_is() -> None:
    """The reader looks the summary up by paper and system."""
    answer = answered("sentence", 0, 1, index=3)
    (found,) = worst_disagreements([on("kiln", answer, system="terse")])
    assert found == Disagreement(paper="kiln", system="terse", answer=answer)


@given(pairs(), st.data())
def test_the_order_of_pairs_does_not_matter(
    labelled: list[GoldenPair], data: st.DataObject
) -> None:
    """Law: the same five in the same order, however the file is sorted."""
    apart = [golden(*p.answers, paper=f"{p.paper}-{n}") for n, p in enumerate(labelled)]
    assert worst_disagreements(data.draw(st.permutations(apart))) == worst_disagreements(apart)


@given(pairs())
def test_the_worst_of_all_is_always_among_them(labelled: list[GoldenPair]) -> None:
    """Law: variety costs the milder ones their place, never the worst."""
    found = worst_disagreements(labelled)
    differing = [
        answer
        for pair in labelled
        for answer in pair.answers
        if answer.answer is not None and not answer.agrees and answer.kind != "overall"
    ]
    assert len(found) <= min(5, len(differing))
    assert bool(found) == bool(differing)
    if found:
        assert _distance(found[0].answer) == max(map(_distance, differing))


def _distance(answer: GoldenAnswer) -> float:
    assert answer.answer is not None
    top = SCALES[answer.kind] - 1 if answer.kind in FACETS else 1
    return abs(answer.answer - answer.label) / top


@given(pairs(RIGHT))
def test_a_judge_that_says_what_labels_say_disagrees_nowhere(labelled: list[GoldenPair]) -> None:
    """Law: then there is nothing to show."""
    assert worst_disagreements(labelled) == ()

from __future__ import annotations

from typing import TYPE_CHECKING

from summeval_pytest.verdict.trust import Confusion, confusions, worst_disagreements
from tests.verdict.golden_answers import answered, golden

if TYPE_CHECKING:
    from summeval_pytest.run.golden import GoldenAnswer, GoldenPair


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


def test_agreement_and_silence_and_overall_scores_are_no_disagreement() -> None:
    """A score over all facets differs in its last digit, and shows no text."""
    labelled = on(
        "kiln",
        answered("result", 3, 3),
        answered("sentence", 0, None),
        answered("overall", 0.5, 0.9),
    )
    assert worst_disagreements([labelled]) == ()

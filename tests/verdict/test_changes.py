from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import pytest
from syrupy.assertion import SnapshotAssertion

from summeval_pytest.metrics.catalogue import Score
from summeval_pytest.metrics.eva import EvaScore
from summeval_pytest.metrics.facet import FacetScore
from summeval_pytest.metrics.faithfulness import FaithfulnessScore
from summeval_pytest.metrics.number import Unscored
from summeval_pytest.run.golden import GoldenPair
from summeval_pytest.verdict.changes import (
    Drift,
    KindDrift,
    measure_drift,
    pair_change,
    worst_changes,
)
from summeval_pytest.verdict.differences import Claim, PairChange
from tests.verdict.golden_answers import answered, golden
from tests.verdict.records import (
    carried,
    eva,
    faithful,
    marks,
    measured,
    pair,
    rated,
    suite,
    supported,
)

SAME_FACET = FacetScore(value=1.0, identical=True)
SAME_FACTS = EvaScore(value=1.0, precision=1.0, recall=1.0, recall_entailed=1.0, identical=True)


def texts(claims: Iterable[Claim]) -> list[str]:
    """What is claimed."""
    return [claim.text for claim in claims]


def change(old: Score | Unscored, new: Score | Unscored) -> PairChange:
    """What changed between two summaries of one paper, each with one score."""
    return pair_change(pair("moss-01", old), pair("moss-01", new), baseline="v1.3 (careful)")


def test_the_numbers_that_both_have_are_reported_with_old_and_new() -> None:
    """Worked example: facet 1 to 0.7, eva 0.5 to 0.75: a loss of 0.3 - 0.25 = 0.05.

    The method at 1 of 4: 0.1 + 0.3 / 4 + 0.3 + 0.3 = 0.775 of 1. So the loss is 0.225 - 0.25.
    """
    actual = pair_change(
        pair("moss-01", rated(), eva(0.5), faithful(1)),
        pair("moss-01", rated(marks(method=1)), eva(0.75), system="terse"),
        baseline="v1.3 (careful)",
    )
    assert (actual.paper, actual.system, actual.baseline) == ("moss-01", "terse", "v1.3 (careful)")
    assert [name for name, _, _ in actual.numbers] == ["facet", "eva"]
    values = [value for _, *both in actual.numbers for value in both]
    assert values == pytest.approx([1.0, 0.775, 0.5, 0.75])
    assert actual.loss == pytest.approx(-0.025)


FACTS = {"Mice slept.": True, "Rats ran.": True, "Cats sang.": False, "Dogs sat.": False}


def test_what_flipped_has_the_words_of_both_summaries(snapshot: SnapshotAssertion) -> None:
    """The reviewer sees the reference's words, both summaries', and the judge's reason.

    Worked example of facets: -2/2, -3/3, -1/2 and +1/3 of the scale; ties in the order of an
    abstract. The summary implies a lost fact: the judge's reason says why it holds, and would
    contradict that it is lost. What was wrong and still is, is no news; no answer is no verdict.
    """
    now = {"Mice slept.": True, "Rats ran.": False, "Cats sang.": True, "Dogs sat.": False}
    claims = {"Mice slept.": False, "RATS  ran.": False, "Dogs sat.": None}
    facts = carried(now, claims, reason="no fact\nsays\x1b[31m so")
    actual = pair_change(
        pair(
            "moss-01",
            rated(marks(method=2), reason="all there", result="Two hours longer."),
            carried(FACTS, {"Mice slept.": True, "Rats ran.": False}),
            supported({"Mice slept.": False, "Rats ran.": False, "Owls sat.": True}),
        ),
        pair(
            "moss-01",
            rated(marks(background=1, method=3, result=1, conclusion=2), result="Longer."),
            replace(facts, matched=frozenset({2})),
            supported(
                {"Rats ran.": False, "Cats sang.": False, "Dogs sat.": None, "Owls sat.": True},
                reason="no\tevidence\x1b[31m",
            ),
        ),
        baseline="v1.3 (careful)",
    )
    assert replace(actual, numbers=(), loss=0.0) == snapshot


def test_a_summary_that_was_its_reference_had_everything() -> None:
    """Nothing was asked about it, so what it had is read from the other side."""
    now = rated(marks(background=1, result=3), result="Longer.")
    assert [(c.facet, c.old, c.new, c.before) for c in change(SAME_FACET, now).facets] == [
        ("background", 3, 1, "The background of the reference."),
        ("result", 4, 3, "The result of the reference."),
    ]
    actual = change(SAME_FACTS, carried(FACTS))
    assert texts(actual.lost) == ["Cats sang.", "Dogs sat."]
    assert actual.regained == ()


def judged_sentences(name: str, *verdicts: tuple[int, int]) -> GoldenPair:
    """Sentences of one paper, each a label and an answer."""
    return golden(
        *(answered("sentence", *verdict, index=i) for i, verdict in enumerate(verdicts)), paper=name
    )


def results(*ratings: tuple[int, int]) -> list[GoldenPair]:
    """A paper each with one result rating: its label and the answer."""
    return [
        golden(answered("result", *rating), paper=f"moss-{i:02}")
        for i, rating in enumerate(ratings)
    ]


def drift(old: list[GoldenPair], new: list[GoldenPair]) -> Drift:
    """What became of the answers."""
    return measure_drift(measured(*old), measured(*new, judge="fair-2"))


def kind(actual: Drift, name: str) -> KindDrift:
    """One kind, which is there."""
    return next(each for each in actual.kinds if each.kind == name)


def test_flips_are_counted_by_whether_they_near_the_label_and_reported_worst_first() -> None:
    """5 of 6 ratings flip: 4 -> 1 and 1 -> 2 away, 3 -> 2 and 1 -> 4 towards, 1 -> 3 neither.

    The farthest away by its scale stands first.
    """
    labels = (4, 1, 2, 2, 3, 4)
    old = [
        judged_sentences("fern", (0, 0)),
        *results(*zip(labels, (4, 1, 3, 1, 3, 1), strict=True)),
    ]
    new = [
        judged_sentences("fern", (0, 1)),
        *results(*zip(labels, (1, 2, 2, 3, 3, 4), strict=True)),
    ]
    actual = drift(old, new)
    result = kind(actual, "result")
    assert (result.n_items, result.n_flipped) == (6, 5)
    assert (result.n_away, result.n_towards) == (2, 2)
    assert result.loss == pytest.approx((3 + 1 - 1 + 0 - 3) / 6)
    assert [(flip.new.kind, flip.old.answer, flip.new.answer) for flip in actual.flips] == [
        ("sentence", 0, 1), ("result", 4, 1), ("result", 1, 2), ("result", 1, 3), ("result", 3, 2),
        ("result", 1, 4),
    ]  # fmt: skip


def test_a_judge_that_calls_all_faithful_is_worse_though_most_sentences_are() -> None:
    """In each of 8 papers it mends 3 false alarms and misses 1 error: 24 towards, 8 away."""
    verdicts = [(1, 0)] * 3 + [(0, 0)]
    old = [judged_sentences(f"moss-{i}", *verdicts) for i in range(8)]
    new = [judged_sentences(f"moss-{i}", *((label, 1) for label, _ in verdicts)) for i in range(8)]
    actual = drift(old, new)
    better = kind(actual, "faithful sentences")
    assert (better.is_significant, better.is_worse) == (True, False)
    assert better.loss < 0
    assert kind(actual, "unfaithful sentences").is_worse
    assert actual.is_worse


def test_papers_stand_by_how_much_worse_they_became() -> None:
    """A paper whose numbers are equal is listed for its pieces, and one without change is not."""
    one, other = carried(FACTS), carried({**FACTS, "Mice slept.": False, "Cats sang.": True})
    worse = pair_change(pair("b", faithful(1)), pair("b", faithful(0.5)), baseline="v1")
    same = pair_change(pair("c", one), pair("c", one), baseline="v1")
    moved = pair_change(pair("a", one), pair("a", other), baseline="v1")
    changes = same, moved, worse
    for n_worst, listed in ((0, []), (1, ["b"]), (2, ["b", "a"])):
        worst, n_changed = worst_changes(changes, n_worst)
        assert ([each.paper for each in worst], n_changed) == (listed, 2)


def test_other_labels_papers_and_summaries_are_named() -> None:
    """The judge was asked about other texts, or is held to other answers."""
    labels = measure_drift(measured(labels="0a"), measured(labels="0b"))
    assert labels.mismatches == ("labels differ: '0a' then, '0b' now; drift needs the same labels",)
    assert drift([], []).mismatches == ("no golden answer is in both runs",)
    old, new = measured(*results((4, 4))), measured(*results((4, 1)))
    papers = measure_drift(old, replace(new, fingerprint="ffff"))
    assert papers.mismatches[0].startswith("papers differ: '77be02a1c3d4' then, 'ffff' now")
    score = FaithfulnessScore(value=1.0, sentences=())
    one, other = (
        suite(pair("moss-00", score, system="good", summary=text)).pairs for text in ("a", "b")
    )
    summaries = measure_drift(replace(old, pairs=one), replace(new, pairs=other))
    (message,) = summaries.mismatches
    assert message.startswith(
        "the labelled summary of 'good' on 'moss-00' is another one now; drift"
    )
    assert not measure_drift(replace(old, pairs=one), replace(new, pairs=one)).mismatches


def test_items_that_one_side_left_out_are_counted_and_dropped() -> None:
    """Unanswered, a facet found by one judge only, or a pair: none is an answer of 0."""
    old = (
        golden(
            answered("result", 4, 4),
            answered("method", 2, 2),
            answered("overall", 0.9, 0.8),
            answered("sentence", 1, None, index=0),
            answered("sentence", 1, 1, index=1),
        ),
        golden(answered("result", 1, 1), answered("overall", 0.4, 0.4), paper="kiln"),
    )
    new = golden(
        answered("result", 4, 3),
        answered("overall", 0.9, 0.7),
        answered("sentence", 1, 1, index=0),
        answered("sentence", 1, None, index=1),
    )
    actual = drift([*old], [new])
    assert (actual.n_only_old, actual.n_only_new) == (3, 1)  # method, sentence 1, kiln; sentence 0
    assert [(each.kind, each.n_items) for each in actual.kinds] == [("result", 1)]

from __future__ import annotations

import pytest

from summeval_pytest.metrics.eva import EvaScore
from summeval_pytest.metrics.facet import FacetScore, RatedFacet
from summeval_pytest.metrics.facts import CheckedFact
from summeval_pytest.metrics.faithfulness import FaithfulnessScore, JudgedSentence
from summeval_pytest.metrics.flow import averaged
from summeval_pytest.metrics.number import Unscored
from summeval_pytest.questions import Fact
from summeval_pytest.run.pair_numbers import Numbers, numbers_of


def checked(*holds: bool | None) -> tuple[CheckedFact, ...]:
    """Facts with these verdicts."""
    return tuple(
        CheckedFact(fact=Fact(text=str(place), sentence=0), holds=each, reason="")
        for place, each in enumerate(holds)
    )


def eva(value: float, *holds: bool | None) -> EvaScore:
    """A score whose candidate facts have these verdicts, and whose recall is 1."""
    return EvaScore(
        value=value, precision=1.0, recall=1.0, recall_entailed=None, candidate=checked(*holds)
    )


def faithful(
    *supported: bool | None,
    support: tuple[float | None, ...] = (),
    foreign: int = 0,
    conflicts: int | None = None,
) -> FaithfulnessScore:
    """Sentences with these verdicts and strengths; the first so many state a foreign number."""
    return FaithfulnessScore(
        value=1.0,
        sentences=tuple(
            JudgedSentence(
                index=n,
                text="",
                supported=holds,
                reason="",
                support=support[n] if support else None,
                conflict=n < foreign,
            )
            for n, holds in enumerate(supported)
        ),
        conflicts=conflicts,
    )


PARTLY = EvaScore(
    value=0.5,
    precision=0.5,
    recall=0.5,
    recall_entailed=0.5,
    candidate=checked(True, False, None),
    reference=checked(True, True, False, False),
    matched=frozenset({0, 1}),
)


@pytest.mark.parametrize(
    ("score", "worst", "best"),
    [
        # P = 1/2 in place of 1, and F1 = 2 * 1/2 / (3/2) = 2/3
        (
            eva(1.0, True, None),
            {"eva.precision": 1 / 2, "eva": 2 / 3},
            {"eva.precision": 1, "eva": 1},
        ),
        # 2 of 4 matched become 3, and P = 1/2 of two becomes 2/3 of three: F1 = 12/17; or 1/3
        (
            PARTLY,
            {"eva.precision": 1 / 3, "eva": 0.4},
            {"eva.precision": 2 / 3, "eva.recall": 0.75, "eva": 12 / 17},
        ),
        (
            faithful(True, None, None),
            {"faithfulness": 1 / 3, "faithfulness.unsupported": 2},
            {"faithfulness": 1},
        ),
        # (1 + .6) / 2 = .8 of two answered, 1.6 / 4 = .4 of four
        (
            faithful(True, True, None, None, support=(1.0, 0.6, None, None)),
            {"faithfulness": 1 / 2, "faithfulness.support": 0.4, "faithfulness.unsupported": 2},
            {"faithfulness": 1, "faithfulness.support": 0.9},
        ),
        # 1 of 2 answered, 2 of 3 at best; support (1 + .2 + 1) / 3
        (
            faithful(True, False, None, support=(1.0, 0.2, None)),
            {"faithfulness": 1 / 3, "faithfulness.support": 1.2 / 3, "faithfulness.unsupported": 2},
            {"faithfulness": 2 / 3, "faithfulness.support": 2.2 / 3},
        ),
        # one conflict, one open sentence that is in conflict unless it is supported, and one more
        (
            faithful(False, None, None, foreign=2, conflicts=2),
            {"faithfulness": 0, "faithfulness.conflicts": 3, "faithfulness.unsupported": 3},
            {"faithfulness": 2 / 3, "faithfulness.conflicts": 1},
        ),
        (faithful(True, True, support=(1.0, 0.6)), {}, {}),
        # over references the mean of the worst: (1 + 1/2) / 2 and (.9 + 2/3) / 2
        (
            averaged((eva(0.9, True, True), eva(1.0, True, None))),
            {"eva.precision": 0.75, "eva": (0.9 + 2 / 3) / 2},
            {"eva.precision": 1, "eva": 0.95},
        ),
        (averaged((eva(0.9, True), eva(1.0, False))), {}, {}),
    ],
)
def test_each_unanswered_piece_is_taken_as_wrong_or_as_right(
    score: EvaScore | FaithfulnessScore, worst: dict[str, float], best: dict[str, float]
) -> None:
    """A judge that is silent, about a reference that is not shown, too, must not be hidden."""
    assert score.bounds(right=False) == pytest.approx(worst)
    assert score.bounds(right=True) == pytest.approx(best)


def numbers(*scores: FacetScore | EvaScore | FaithfulnessScore | Unscored) -> Numbers:
    """The numbers of a pair."""
    return numbers_of("moss-01", "careful", "Moss grew.", scores)


RESULT = FacetScore(
    value=1.0,
    ratings=(RatedFacet(facet="result", rating=4, reason="", reference="a", candidate="b"),),
)
REFUSED = Unscored(metric="faithfulness", status="refused_candidate", reason="it declined")


def test_a_number_is_measured_or_does_not_apply_or_was_not_given() -> None:
    """A threshold on the last is met by nobody; a metric that nobody asked for is missing, too."""
    pair = numbers(RESULT, eva(1.0, True), REFUSED)
    assert pair.absent == {
        "facet.background": "not_applicable",
        "facet.method": "not_applicable",
        "facet.conclusion": "not_applicable",
        "facet.coverage": "not_given",
        "eva.recall_entailed": "not_given",
    }
    names = ("facet.result", "facet.method", "facet.coverage", "eva.recall_entailed")
    assert [pair.is_missing(name) for name in names] == [False, False, True, True]
    assert not pair.is_missing("faithfulness"), "the system says why"
    assert numbers(RESULT).is_missing("faithfulness")
    assert numbers(faithful(True)).absent.keys() == {
        "faithfulness.support", "faithfulness.conflicts", "faithfulness.overgeneral"
    }  # fmt: skip


def test_sizes_count_only_what_was_answered_and_right() -> None:
    """A fact or sentence without an answer is not counted as right."""
    scores = (eva(0.5, True, False, None, True, True), faithful(None, True, False))
    assert numbers_of("moss-01", "careful", "Mice\n\tslept. ", scores).sizes == {
        "words": 2, "eva.precision": 3, "faithfulness": 1, "sentences": 2, "unanswered": 1,
    }  # fmt: skip


NO_FM = Unscored(metric="facet", status="refused_candidate", reason="it declined")
SILENT = Unscored(metric="eva", status="unanswered", reason="no reply")


def test_silence_is_taken_as_wrong_or_right_by_whose_it_is() -> None:
    """The judge's and the system's apart; a count has no worst value and stays without one."""
    pair = numbers(faithful(True, None), SILENT, NO_FM)
    for right, by, share, sentences, eva_value, fm in (
        (False, None, 0.5, 2, 0.0, 0.25),
        (True, None, 1.0, 2, 1.0, 1.0),
        (False, "judge", 0.5, 2, 0.0, None),
        (True, "system", 1.0, 1, None, 1.0),
    ):
        assumed = pair.assuming(right=right, by=by)  # type: ignore[arg-type]  # from a table
        assert assumed.values["faithfulness"] == share
        assert assumed.sizes["sentences"] == sentences
        assert (assumed.values.get("eva"), assumed.values.get("facet")) == (eva_value, fm)
    empty = numbers(EvaScore(value=0.0, precision=None, recall=0.0, recall_entailed=None))
    assert empty.assuming(by="system").values["eva.precision"] == 0.0
    assert empty.assuming(by="judge") is empty
    none = numbers(REFUSED).assuming()
    assert (none.values["faithfulness"], none.values["faithfulness.conflicts"]) == (0.0, None)

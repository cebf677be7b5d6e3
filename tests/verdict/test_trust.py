from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings

from summeval_pytest.errors import JudgeError
from summeval_pytest.metrics.score import FacetScore, RatedFacet
from summeval_pytest.questions import FACETS, SCALES
from summeval_pytest.run.golden import golden_pair, labels_fingerprint
from summeval_pytest.run.measure import Evaluation
from summeval_pytest.run.runner import Runner
from summeval_pytest.stats.agreement import cohen_kappa
from summeval_pytest.suite.scholarsum import import_scholarsum
from summeval_pytest.suite.suite import load_suite
from summeval_pytest.verdict import trust as trust_module
from summeval_pytest.verdict.thresholds import AGREEMENTS, Floors, Threshold, floors_of
from summeval_pytest.verdict.trust import Agreement, Trust, measure_trust, measured_judge
from tests.golden_suite import BAD_OF_KILN, GOOD_OF_KILN, Told, write_labelled
from tests.verdict.golden_answers import answered, filled, golden, pairs

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from summeval_pytest.questions import Facet
    from summeval_pytest.run.golden import GoldenPair
    from summeval_pytest.suite.suite import Suite
    from summeval_pytest.verdict.thresholds import Bound


def trust(labelled: Sequence[GoldenPair], *floors: Threshold, judge: str = "") -> Trust:
    """What the labels say of a judge that is held to these floors."""
    return measure_trust(
        labelled, Floors(floors=floors, judge=judge), judge="fair-1", labels="0123456789ab"
    )


def few_resamples(labelled: Sequence[GoldenPair], *floors: Threshold) -> Trust:
    """The same from 20 resamples, for laws."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(trust_module, "RESAMPLES", 20)
        return trust(labelled, *floors)


def found(measured: Trust, name: str) -> Agreement:
    """One figure that has to be there."""
    agreement = measured.agreement(name)
    assert agreement is not None, name
    return agreement


def sentences(paper: str, *table: Sequence[int]) -> GoldenPair:
    """A paper with sentences of this confusion matrix."""
    return golden(*filled("sentence", table, 0), paper=paper)


TWO_PAPERS = [sentences("kiln", (4, 0), (0, 1)), sentences("moss", (1, 3), (0, 2))]
"""5 of 8 unfaithful sentences are found: all 4 of one paper, 1 of 4 of the other."""


# Figures and intervals


def test_a_figure_is_of_all_items_and_its_interval_of_papers() -> None:
    """Worked example: two papers of one size make three resamples, of recall 1/4, 5/8 and 1.

    One of the first and the last each comes up a quarter of the time, so they are the bounds.
    """
    recall = found(trust(TWO_PAPERS), "unfaithful_recall")
    assert recall == Agreement(
        name="unfaithful_recall", value=5 / 8, low=1 / 4, high=1.0, n_items=11, n_papers=2
    )


def test_spearman_is_of_the_overall_scores() -> None:
    """Worked example: ranks 1 2 3 4 and 1 3 2 4 make 4/5; each paper alone is in order.

    Two papers of two make three resamples: both, 4/5, or one of them twice, 1.
    """
    labelled = [
        golden(answered("overall", 1, 0.3), answered("overall", 2, 0.5), paper="kiln"),
        golden(answered("overall", 3, 0.4), answered("overall", 9, 0.9), paper="moss"),
    ]
    rho = found(trust(labelled), "facet_spearman")
    assert (rho.value, rho.low, rho.high) == pytest.approx((0.8, 0.8, 1.0))
    assert (rho.n_items, rho.n_papers) == (4, 2)


def test_a_kind_of_error_has_its_own_recall() -> None:
    """Worked example: 1 of 2 numbers are found, on one paper; the recall of all is 2 of 3."""
    labelled = [
        golden(
            answered("sentence", 0, 0, error="number"), answered("sentence", 0, 1, error="number")
        ),
        golden(answered("sentence", 0, 0, error="negation"), paper="kiln"),
    ]
    measured = trust(labelled)
    assert found(measured, "unfaithful_recall.number") == Agreement(
        name="unfaithful_recall.number", value=0.5, low=0.5, high=0.5, n_items=2, n_papers=1
    )
    assert found(measured, "unfaithful_recall.negation").value == 1.0
    assert found(measured, "unfaithful_recall").value == 2 / 3


def test_figures_stand_in_the_order_of_the_table() -> None:
    """What the labels have nothing for is left out; kinds of errors come last, by name."""
    labelled = [
        golden(
            answered("candidate fact", 1, 1),
            answered("sentence", 1, 1, evidence=(1, 1, 1)),
            answered("sentence", 0, 0, error="number"),
            answered("sentence", 0, 0, error="direction"),
            answered("result", 3, 3),
        )
    ]
    assert [agreement.name for agreement in trust(labelled).agreements] == [
        "facet_kappa",
        "facet_kappa.result",
        "facet_exact",
        "facet_exact.result",
        "unfaithful_precision",
        "unfaithful_recall",
        "fact_f1",
        "fact_kappa",
        "evidence_precision",
        "evidence_recall",
        "unfaithful_recall.direction",
        "unfaithful_recall.number",
    ]


# Floors


def test_a_judge_at_its_floor_is_trusted_and_under_it_is_not() -> None:
    """Equal holds, as it does for every threshold."""
    at, above = (
        Threshold(name="unfaithful_recall", least=least, bound="point") for least in (5 / 8, 0.626)
    )
    measured = trust(TWO_PAPERS, at)
    assert (measured.outcome, measured.is_untrusted, measured.missed) == ("passed", False, ())
    measured = trust(TWO_PAPERS, at, above)
    assert (measured.outcome, measured.is_untrusted) == ("failed", True)
    assert measured.missed == ((found(measured, "unfaithful_recall"), above),)
    assert measured.n_floors == 2


def test_a_floor_on_the_lower_bound_is_held_by_that() -> None:
    """5 of 8 on two papers could be 1 of 4 on two others."""
    lower = Threshold(name="unfaithful_recall", least=0.3, bound="lower")
    measured = trust(
        TWO_PAPERS, lower, Threshold(name="unfaithful_recall", least=0.3, bound="point")
    )
    recall = found(measured, "unfaithful_recall")
    assert recall.held(lower) == 1 / 4
    assert measured.missed == ((recall, lower),)
    assert not trust(TWO_PAPERS, replace(lower, least=0.25)).is_untrusted


def test_a_kappa_that_the_labels_leave_undefined_misses_its_floor() -> None:
    """All labels alike: a judge that says the same has shown nothing beyond chance."""
    alike = [golden(*(answered("result", 4, 4) for _ in range(5)))]
    measured = trust(
        alike,
        Threshold(name="facet_kappa.result", least=0.1, bound="point"),
        Threshold(name="facet_exact.result", least=1.0, bound="point"),
    )
    assert [agreement.name for agreement, _ in measured.missed] == ["facet_kappa.result"]


# Unanswered labels


def test_up_to_one_in_twenty_may_be_unanswered() -> None:
    """They are counted, and no figure moves: neither up, as agreement, nor down."""
    answers = [answered("sentence", 0, n % 2) for n in range(19)]
    floor = Threshold(name="unfaithful_recall", least=0.5, bound="point")
    with_silence = trust([golden(*answers, answered("sentence", 0, None))], floor)
    without = trust([golden(*answers)], floor)
    assert with_silence.n_unanswered == 1
    assert with_silence.agreements == without.agreements


def test_more_than_one_in_twenty_unanswered_is_the_judges_error() -> None:
    """A judge that answers what it likes has not been measured; the first reason is told."""
    answers = [
        *(answered("sentence", 0, 0) for _ in range(18)),
        replace(answered("sentence", 0, None), reason="the reply\nwas cut off"),
    ]
    with pytest.raises(JudgeError) as caught:
        trust([golden(*answers)])
    assert str(caught.value) == (
        "agreement with the labels was not measured: 1 of 19 labelled items are unanswered,"
        " first: the reply was cut off"
    )


@pytest.mark.parametrize("bound", ["point", "lower"])
def test_a_floor_that_only_silence_holds_is_the_judges_fault(bound: Bound) -> None:
    """Worked example: 19 of 19 unfaithful sentences are found, and 19 of 20 if the open one is not.

    It is neither trusted nor untrusted: it was not asked well enough to be either.
    """
    said = [golden(answered("sentence", 0, 0), paper=f"kiln-{n}") for n in range(19)]
    silent = [*said, golden(answered("sentence", 0, None))]
    floor = Threshold(name="unfaithful_recall", least=0.96, bound=bound)
    measured = trust(silent, floor)
    assert (measured.outcome, measured.is_untrusted) == ("error", False)
    assert measured.undecided.startswith(
        f"the judge is undecided: {floor.title} 1.000 meets 0.96, and would be 0."
    )
    assert trust(silent, replace(floor, least=0.5)).outcome == "passed"
    assert trust(said, floor).outcome == "passed"


# Laws


@settings(deadline=None, max_examples=15)
@given(pairs())
def test_every_figure_and_bound_lies_in_its_range(labelled: list[GoldenPair]) -> None:
    """Law: bounds are in order, in the range of the figure, and there only with a figure."""
    spoken = [
        replace(p, answers=tuple(a for a in p.answers if a.answer is not None)) for p in labelled
    ]
    for agreement in few_resamples(spoken).agreements:
        known = AGREEMENTS[agreement.name.removesuffix(".number").removesuffix(".direction")]
        assert 0 < agreement.n_papers <= agreement.n_items
        assert agreement.value is None or known.low <= agreement.value <= known.high
        if agreement.low is not None and agreement.high is not None:
            assert known.low <= agreement.low <= agreement.high <= known.high


# A whole suite


def held(suite: Suite, judge: Told) -> Trust:
    """What a judge comes to on a suite's labels, through the runner."""
    with closing(Runner(judge)) as runner:
        measured, labelled = measured_judge(runner, suite, floors_of(suite, "told"))
    assert [(p.paper, p.system) for p in labelled] == list(suite.labels)
    return measured


ALLOY, SLEEPERS = "The alloy of kiln sings.", "Sleepers liked it."
FIRED = "The team fired forty bricks with two draughts."
RIGHTLY = Told(
    ratings={ALLOY: 2, SLEEPERS: 1},
    untrue=frozenset({ALLOY, SLEEPERS, "Bricks crack often."}),
    evidence={FIRED: (1,)},
)
FLOORS = "facet_kappa = 0.4\nunfaithful_recall = 0.5\nfact_f1 = 1.0\nevidence_recall = 1.0"


def test_a_judge_that_knows_the_labels_is_trusted(tmp_path: Path) -> None:
    """From the files to the verdict: every figure there is is 1, and the labels are named."""
    suite = write_labelled(tmp_path, GOOD_OF_KILN, BAD_OF_KILN, floors=FLOORS)
    measured = held(suite, RIGHTLY)
    values = {agreement.name: agreement.value for agreement in measured.agreements}
    # one background was rated, and alike: that is no agreement beyond chance
    assert {name for name, value in values.items() if value is None} == {"facet_kappa.background"}
    assert set(values.values()) == {1.0, None}
    assert {"facet_kappa", "facet_spearman", "fact_kappa", "evidence_precision"} <= set(values)
    assert {name for name in values if name.count(".") and "recall" in name} == {
        "unfaithful_recall.entity swap",
        "unfaithful_recall.invented detail",
    }
    assert (measured.outcome, measured.n_floors, measured.n_pairs) == ("passed", 4, 2)
    assert (measured.judge, measured.labels) == ("told-1", labels_fingerprint(suite))


# The recorded judgements of GPT-4


@pytest.fixture(scope="module")
def scholarsum(tmp_path_factory: pytest.TempPathFactory, release_file: Path) -> Suite:
    """The 300 labelled pairs of the PubMed half, with what the release records of each."""
    out = tmp_path_factory.mktemp("scholarsum") / "suite"
    import_scholarsum(release_file, out)
    return load_suite(out)


@pytest.fixture(scope="module")
def gpt_4(scholarsum: Suite) -> dict[tuple[str, str], FacetScore]:
    """GPT-4's recorded ratings of each pair, as if a judge had given them."""
    return {
        (line.paper, line.system or ""): FacetScore(
            value=line.overall or 0.0,
            ratings=tuple(
                RatedFacet(facet=facet, rating=rating, reason="", reference="r", candidate="c")
                for facet, rating in (line.facets or {}).items()
            ),
        )
        for line in scholarsum.recorded
        if line.by == "FM(GPT-4)"
    }


@pytest.fixture(scope="module")
def of_gpt_4(scholarsum: Suite, gpt_4: dict[tuple[str, str], FacetScore]) -> tuple[GoldenPair, ...]:
    """The labels with GPT-4's answers."""
    return tuple(
        golden_pair(
            label,
            Evaluation(pair=scholarsum.pair(*key), scores=(gpt_4[key],), signatures=(), source=()),
        )
        for key, label in scholarsum.labels.items()
    )


@pytest.fixture(scope="module")
def measured_gpt_4(of_gpt_4: tuple[GoldenPair, ...]) -> Trust:
    """What they come to, without a floor."""
    return trust(of_gpt_4)


def test_gpt_4_agrees_exactly_as_often_as_published(measured_gpt_4: Trust) -> None:
    """Oracle: .71/.46/.61/.73 for background, method, result, conclusion (metrics.md section 5)."""
    values = [found(measured_gpt_4, f"facet_exact.{facet}").value for facet in FACETS]
    assert [round(value or 0, 2) for value in values] == [0.71, 0.46, 0.61, 0.73]
    assert (measured_gpt_4.n_pairs, measured_gpt_4.n_papers) == (300, 49)
    assert measured_gpt_4.n_unanswered == 0


@pytest.mark.parametrize("facet", FACETS)
def test_gpt_4_has_the_kappas_of_its_ratings(
    scholarsum: Suite,
    gpt_4: dict[tuple[str, str], FacetScore],
    measured_gpt_4: Trust,
    facet: Facet,
) -> None:
    """Oracle: the kappa of the same rows, read from the files another way."""
    rows = []
    for key, label in scholarsum.labels.items():
        rating = (label.facets or {}).get(facet)
        rated = [r.rating for r in gpt_4[key].ratings if r.facet == facet]
        if rating is not None and rated:
            rows.append((rating, rated[0]))
    kappa = cohen_kappa(
        [human for human, _ in rows],
        [judge for _, judge in rows],
        categories=range(1, SCALES[facet] + 1),
        weights="quadratic",
    )
    agreement = found(measured_gpt_4, f"facet_kappa.{facet}")
    assert agreement.value == kappa
    assert agreement.n_items == len(rows)
    assert kappa is not None
    assert agreement.low is not None
    assert agreement.high is not None
    assert agreement.low < kappa < agreement.high


def test_gpt_4_goes_with_people_as_published(measured_gpt_4: Trust) -> None:
    """Oracle: Spearman .675 of FM by GPT-4 with the human overall score (metrics.md FM7)."""
    rho = found(measured_gpt_4, "facet_spearman")
    assert rho.value == pytest.approx(0.675, abs=5e-4)
    assert (rho.n_items, rho.n_papers) == (300, 49)


DECIDED = {
    "facet_kappa": (0.55, 0.56),
    "facet_exact.method": (0.46, 0.47),
    "facet_spearman": (0.675, 0.676),
}
"""Floors just under and just above what GPT-4 has."""


def test_the_floor_that_is_set_decides_of_gpt_4(of_gpt_4: tuple[GoldenPair, ...]) -> None:
    """The same answers pass or fail by the suite's own floor, by the figure or its lower bound."""
    under = [
        Threshold(name=name, least=least, bound="point") for name, (least, _) in DECIDED.items()
    ]
    above = [
        Threshold(name=name, least=least, bound="point") for name, (_, least) in DECIDED.items()
    ]
    lower = [replace(floor, bound="lower") for floor in under]
    assert trust(of_gpt_4, *under).outcome == "passed"
    measured = trust(of_gpt_4, *under, *above, *lower)
    assert measured.outcome == "failed"
    assert {floor for _, floor in measured.missed} == {*above, *lower}


def test_a_judge_that_is_silent_on_what_is_hard_is_not_measured_as_having_found_it() -> None:
    """Worked example: 2 of 40 errors of a kind unanswered are 5 %, 3 are more: undefined, missed.

    All sentences together stay under their 5 %, so nothing else would say so.
    """
    floor = Threshold(name="unfaithful_recall.number", least=0.9, bound="point")
    for n_silent, outcome in ((2, "passed"), (3, "failed")):
        found = [answered("sentence", 0, 0, error="number") for _ in range(40 - n_silent)]
        silent = [answered("sentence", 0, None, error="number") for _ in range(n_silent)]
        others = [answered("sentence", 1, 1) for _ in range(100)]
        measured = trust([golden(*found, *silent, *others)], floor)
        assert measured.outcome == outcome, n_silent


def test_silence_on_one_kind_of_label_is_not_hidden_by_the_others() -> None:
    """6 of 10 sentences unanswered beside 200 ratings: 3 % of all items, 60 % of the sentences."""
    ratings = [answered("result", 4, 4) for _ in range(200)]
    silent = [answered("sentence", 1, None) for _ in range(6)]
    said = [answered("sentence", 1, 1) for _ in range(4)]
    with pytest.raises(JudgeError, match="6 of 10 labelled sentences are unanswered"):
        trust([golden(*ratings, *silent, *said)])

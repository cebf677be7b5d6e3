from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import nan

import numpy as np
import pytest
from scipy.stats import beta

from summeval_pytest.reports.judge_section import trust_phrase
from summeval_pytest.run.golden import GoldenAnswer, GoldenPair, LabelledKind
from summeval_pytest.stats.agreement import kappas_of
from summeval_pytest.stats.intervals import Interval, more_groups
from summeval_pytest.verdict.policy import Floors
from summeval_pytest.verdict.thresholds import Bound, Threshold
from summeval_pytest.verdict.trust import (
    FIGURES,
    Agreement,
    Confusion,
    JudgeAgreement,
    MoreLabels,
    confusions,
    counts_of,
    measure_trust,
    n_of,
    worst_disagreements,
)
from tests.verdict.golden_answers import answered, filled, golden


def trust(labelled: Sequence[GoldenPair], *floors: Threshold, judge: str = "") -> JudgeAgreement:
    """What the labels say of a judge that is held to these floors."""
    return measure_trust(
        labelled, Floors(floors=floors, judge=judge), judge="fair-1", labels="0123456789ab"
    )


def actual(measured: JudgeAgreement, name: str) -> Agreement:
    """One figure that has to be there."""
    return next(each for each in measured.agreements if each.name == name)


def sentences(paper: str, *table: Sequence[int]) -> GoldenPair:
    """A paper with sentences of this confusion matrix."""
    return golden(*filled("sentence", table, 0), paper=paper)


TWO_PAPERS = [sentences("kiln", (4, 0), (0, 1)), sentences("moss", (1, 3), (0, 2))]
"""5 of 8 unfaithful sentences are found: all 4 of one paper, 1 of 4 of the other."""


# Figures and intervals


def test_a_figure_is_of_all_items_and_its_interval_of_papers() -> None:
    """Worked example: 4 of 4 on one paper, 1 of 4 on the other, so eight tell as much as 1.67.

    The variance over papers is 2 * (1.5 / 8)^2 * 2 = 0.1406, that of eight sentences 0.0293.
    """
    figure = actual(trust(TWO_PAPERS), "unfaithful_recall")
    n, hits = 8 * 0.029296875 / 0.140625, 5 * 0.029296875 / 0.140625
    bounds = beta.ppf(0.025, hits, n - hits + 1), beta.ppf(0.975, hits + 1, n - hits)
    assert (figure.value, figure.n_items, figure.n_papers) == (5 / 8, 11, 2)
    assert (figure.low, figure.high) == pytest.approx(bounds)


def test_nine_of_nine_is_no_proof() -> None:
    """Three papers without an error once met every lower floor of .95; nine of nine says .66.

    The gravest errors that nine ratings may have missed are 4.56: one for the other end.
    """
    papers = [sentences(paper, (3, 0), (0, 3)) for paper in ("kiln", "moss", "zinc")]
    for name in ("unfaithful_recall", "unfaithful_precision"):
        measured = trust(papers, Threshold(name, 0.95, "lower"))
        assert actual(measured, name).low == pytest.approx(0.664, abs=1e-3)
        assert measured.outcome == "failed"
        assert actual(measured, name).more[0].n_papers
    papers = [
        golden(*(answered("result", rating, rating) for rating in (1, 2, 4)), paper=paper)
        for paper in ("kiln", "moss", "zinc")
    ]
    table = np.diag([3.0, 3.0, 0.0, 3.0])
    table[3, 0] = 9 * (0.025 ** (-1 / 9) - 1)
    worst = kappas_of(table[np.newaxis], categories=range(4), weights="quadratic")[0]
    measured = trust(papers, Threshold("facet_kappa", 0.6, "lower"))
    assert actual(measured, "facet_kappa").value == 1.0
    assert actual(measured, "facet_kappa").low == pytest.approx(worst)
    assert measured.outcome == "failed"


def test_spearman_is_of_the_overall_scores() -> None:
    """Worked example: ranks 1 2 3 4 and 1 3 2 4 make 4/5, and two papers bound nothing."""
    labelled = [
        golden(answered("overall", 1, 0.3), answered("overall", 2, 0.5), paper="kiln"),
        golden(answered("overall", 3, 0.4), answered("overall", 9, 0.9), paper="moss"),
    ]
    rho = actual(trust(labelled), "facet_spearman")
    assert (rho.value, rho.low, rho.high) == pytest.approx((0.8, -1.0, 1.0))
    assert (rho.n_items, rho.n_papers) == (4, 2)


# Floors


def recall(*leasts: float, bound: Bound = "point") -> list[Threshold]:
    """Floors on the recall of unfaithful sentences."""
    return [Threshold("unfaithful_recall", least, bound) for least in leasts]


def test_a_judge_at_its_floor_is_trusted_and_under_it_is_not() -> None:
    """Equal is enough, as it is for every threshold; a floor may be on the lower bound."""
    at, above = recall(5 / 8, 0.626)
    bound = actual(trust(TWO_PAPERS), "unfaithful_recall").low or 0.0
    low, lower = recall(bound, bound + 0.01, bound="lower")
    measured = trust(TWO_PAPERS, at, low)
    assert (measured.outcome, measured.is_untrusted, measured.missed) == ("passed", False, ())
    measured = trust(TWO_PAPERS, at, above, low, lower)
    assert (measured.outcome, measured.is_untrusted, measured.n_floors) == ("failed", True, 4)
    figure = actual(measured, "unfaithful_recall")
    assert measured.missed == ((figure, above), (figure, lower))


def test_a_figure_that_the_labels_leave_undefined_misses_its_floor() -> None:
    """Facts that nobody labelled, and a judge that finds no error, are no agreement."""
    same = [golden(answered("sentence", 0, 1), answered("sentence", 1, 1))]
    for name in ("fact_f1", "unfaithful_precision"):
        measured = trust(same, Threshold(name=name, least=0.0, bound="point"))
        assert actual(measured, name).value is None
        assert (measured.outcome, len(measured.missed)) == ("failed", 1)


@pytest.mark.parametrize(
    ("name", "pair", "why"),
    [
        ("facet_kappa.result", golden(answered("result", 4, 1), answered("result", 4, 4)),
         "all 2 labels are 4"),
        ("facet_kappa", golden(answered("result", 4, 1), answered("method", 3, 4)),
         "all labels of each facet are equal"),
        ("facet_spearman", golden(answered("overall", 1, 0.5)), "all 1 label is 1"),
        ("fact_kappa", golden(answered("reference fact", 1, 0)), "all 1 label is true"),
        ("unfaithful_recall", golden(answered("sentence", 1, 0)), "all 1 label is faithful"),
    ],
)  # fmt: skip
def test_labels_that_are_all_equal_miss_no_floor_and_say_so(
    name: str, pair: GoldenPair, why: str
) -> None:
    """Kappa would be 0 whatever a judge says; the exact share stands beside it."""
    measured = trust([pair], Threshold(name=name, least=0.5, bound="point"))
    figure = actual(measured, name)
    assert (figure.value, figure.unvaried) == (None, f"{why}; label bad summaries, too")
    assert (measured.n_floors, measured.missed, measured.untested) == (0, (), (figure,))
    phrase = trust_phrase(measured, has_labels=True)
    assert phrase.startswith("agreement measured, no floor can be tested (1 labelled pair")
    assert f"{name} is not defined: {why}; label bad summaries, too" in phrase


def test_a_floor_in_the_interval_says_how_many_labels_would_decide() -> None:
    """The interval has to shrink to the floor, by the root of the papers (tests/stats).

    Three pairs of the two papers have a sentence; a pair with a facet only does not count.
    """
    labelled = [
        TWO_PAPERS[0],
        sentences("moss", (1, 1), (0, 1)),
        replace(sentences("moss", (0, 2), (0, 1)), system="other"),
        golden(answered("result", 4, 4), paper="zinc"),
    ]
    figure = actual(trust(labelled, *recall(0.5, 5 / 8, 0.75)), "unfaithful_recall")
    n_papers = [
        more_groups(5 / 8, Interval(figure.low, figure.high), floor, 2) or 0
        for floor in (0.5, 0.75)
    ]
    assert min(n_papers) > 2
    assert figure.more == (
        MoreLabels(least=0.5, n_papers=n_papers[0], n_pairs=-(-n_papers[0] * 3 // 2)),
        MoreLabels(least=5 / 8),
        MoreLabels(least=0.75, n_papers=n_papers[1], n_pairs=-(-n_papers[1] * 3 // 2)),
    )
    # a lower bound misses it now, and would reach it were the estimate to stay
    figure = actual(trust(TWO_PAPERS, *recall(0.5, bound="lower")), "unfaithful_recall")
    assert (len(figure.missed), [each.least for each in figure.more]) == (1, [0.5])
    # one paper gives no interval, and may meet a floor by luck
    figure = actual(trust(TWO_PAPERS[:1], *recall(0.01)), "unfaithful_recall")
    assert (figure.low, figure.more) == (None, (MoreLabels(least=0.01, n_papers=1),))


# Unanswered labels


def many(kind: LabelledKind, label: float, answer: float | None, n: int) -> list[GoldenAnswer]:
    """So many of one answer."""
    return [answered(kind, label, answer)] * n


@pytest.mark.parametrize(
    ("answers", "message"),
    [
        ([*many("sentence", 0, 0, 18), *many("sentence", 0, None, 1)], "1 of 19 labelled items"),
        (many("sentence", 0, None, 1_000), "1,000 of 1,000 labelled items"),
        (  # 6 of 210 are 3 %, and 60 % of the sentences
            [*many("result", 4, 4, 200), *many("sentence", 1, None, 6), *many("sentence", 1, 1, 4)],
            "6 of 10 labelled sentences",
        ),
    ],
    ids=["one of 19", "all", "most of one kind"],
)
def test_many_unanswered_are_the_judges_error(answers: list[GoldenAnswer], message: str) -> None:
    """A judge that answers what it likes has not been measured; the first reason is told."""
    said = [
        replace(each, reason="" if each.agrees else "the reply\nwas cut off") for each in answers
    ]
    measured = trust([golden(*said)], Threshold("unfaithful_recall", 0.0, "point"))
    assert (measured.outcome, measured.agreements) == ("error", ())
    assert measured.fault == (
        f"agreement with the labels was not measured: {message} are unanswered, first: the reply"
        " was cut off"
    )


def test_a_judge_that_finds_few_labelled_facets_is_not_measured() -> None:
    """One that reads only backgrounds would meet its floors by a quarter of its labels."""
    rated = [answered("background", 3, 3), answered("method", 4, 4)]
    floor = Threshold("facet_exact", 0.9, "point")
    assert trust([replace(golden(*rated), n_left_out=2)], floor).outcome == "passed"
    measured = trust([replace(golden(*rated), n_left_out=3)], floor)
    assert (measured.outcome, measured.agreements) == ("error", ())
    assert measured.fault == (
        "agreement with the labels was not measured: the judge finds 2 of 5 labelled facets in the"
        " references; give the papers 'reference_facets'"
    )


@pytest.mark.parametrize(
    ("name", "bound", "unanswered"),
    [
        ("facet_exact", "point", answered("result", 2, None)),
        ("facet_exact", "lower", answered("result", 2, None)),
        ("facet_kappa.result", "lower", answered("result", 4, None)),
        ("facet_spearman", "point", answered("overall", 0.9, None)),
        ("unfaithful_recall", "lower", answered("sentence", 0, None)),
        ("unfaithful_precision", "point", answered("sentence", 1, None)),
        ("fact_f1", "point", answered("reference fact", 1, None)),
        ("evidence_recall", "point", answered("sentence", 1, None, evidence=(0, 1, 0))),
        ("evidence_precision", "lower", answered("sentence", 1, None, evidence=(0, 1, 0))),
        ("unfaithful_recall.number", "point", answered("sentence", 0, None, error="number")),
    ],
)
def test_a_floor_that_silence_holds_is_undecided(
    name: str, bound: Bound, unanswered: GoldenAnswer
) -> None:
    """Each unanswered label is taken as far from its answer as can be, in every kind.

    The judge is neither trusted nor untrusted: it was not asked well enough to be either.
    """
    said = [
        golden(
            answered("result", 1 + n % 4, 1 + n % 4),
            answered("overall", 0.3 + n / 60, 0.3 + n / 60),
            answered("sentence", n % 2, n % 2, evidence=(1, 1, 1) if n % 2 else None),
            answered("sentence", 0, 0, error="number"),
            answered("reference fact", n % 2, n % 2),
            paper=f"kiln-{n}",
        )
        for n in range(24)
    ]
    at = actual(trust(said, Threshold(name, 0.0, "point")), name)
    value = (at.value if bound == "point" else at.low) or 0.0
    floor = Threshold(name, value - 0.01, bound)
    assert trust(said, floor).outcome == "passed"
    measured = trust([*said, golden(unanswered)], floor)
    assert (measured.outcome, measured.missed) == ("error", ())
    message = f"the judge is undecided: {floor.title} {value:.3f} meets "
    assert measured.undecided.startswith(message)
    assert trust([*said, golden(unanswered)], replace(floor, least=-1.0)).outcome == "passed"


def test_up_to_one_in_twenty_may_be_unanswered() -> None:
    """They are counted, and no figure moves: neither up, as agreement, nor down.

    A judge that misses a floor is untrusted all the same: what is known is enough.
    """
    answers = [answered("sentence", 0, n % 2) for n in range(19)]
    floor = Threshold("unfaithful_recall", 0.5, "point")
    with_silence = trust([golden(*answers, answered("sentence", 0, None))], floor)
    assert with_silence.n_unanswered == 1
    assert with_silence.agreements == trust([golden(*answers)], floor).agreements
    said = [answered("sentence", 0, n > 0) for n in range(19)]
    floors = tuple(Threshold("unfaithful_recall", least, "point") for least in (0.9, 0.051))
    measured = trust([golden(*said, answered("sentence", 0, None))], *floors)
    assert (measured.outcome, bool(measured.undecided)) == ("failed", True)


def test_a_judge_that_is_silent_on_what_is_hard_is_not_measured_as_having_found_it() -> None:
    """Worked example: 2 of 40 errors of a kind unanswered are 5 %, 3 are more: undefined, missed.

    All sentences together stay under their 5 %, so nothing else would say so.
    """
    floor = Threshold(name="unfaithful_recall.number", least=0.9, bound="point")
    for n_silent, outcome in ((2, "passed"), (3, "failed")):
        answers = [0] * (40 - n_silent) + [None] * n_silent
        labelled = [answered("sentence", 0, answer, error="number") for answer in answers]
        measured = trust([golden(*labelled, *many("sentence", 1, 1, 100))], floor)
        assert measured.outcome == outcome, n_silent


CONCLUSIONS = ((4, 1, 1), (1, 5, 2), (0, 2, 4))
"""Labels by answers of 20 conclusions; by hand (tests/stats), their quadratic kappa is 14/24."""


EVIDENCE = (
    answered("sentence", 1, 1, evidence=(2, 1, 1)),
    answered("sentence", 1, 1, evidence=(3, 5, 2)),
    answered("sentence", 1, 1),
)
RATINGS = (
    *filled("conclusion", CONCLUSIONS, 1),
    answered("result", 4, 4),
    *(answered("result", 4, 3) for _ in range(3)),
)
ALIKE = (
    *filled("conclusion", CONCLUSIONS, 1),
    *filled("background", ((1, 0, 0), (0, 0, 0), (0, 0, 1)), 1),
    *(answered("method", 2, 2) for _ in range(3)),
)
SENTENCES = tuple(filled("sentence", ((3, 2), (1, 7)), 0))
FACTS = tuple(filled("reference fact", ((3, 1), (2, 4)), 0))


@pytest.mark.parametrize(
    ("name", "of", "expected", "n_items"),
    [
        # 13 of 20 conclusions and 1 of 4 results: no mean of two shares
        ("facet_exact", RATINGS, 14 / 24, 24),
        ("facet_exact.conclusion", RATINGS, 13 / 20, 20),
        ("facet_exact.result", RATINGS, 1 / 4, 4),
        # a facet whose kappa is undefined, as all answers are one, is no 0
        ("facet_kappa.background", ALIKE, 1.0, 2),
        ("facet_kappa.method", ALIKE, nan, 3),
        ("facet_kappa", ALIKE, (14 / 24 + 1) / 2, 25),
        # of 5 unfaithful sentences 3 are found, among 4 that are called so
        ("unfaithful_precision", SENTENCES, 3 / 4, 13),
        ("unfaithful_recall", SENTENCES, 3 / 5, 13),
        # p_o = 7/10; p_e = (4 * 5 + 6 * 5) / 100 = 1/2; (.7 - .5) / (1 - .5)
        ("fact_kappa", FACTS, 0.4, 10),
        ("fact_f1", FACTS, 8 / 11, 10),
        # 1 + 2 of 2 + 3 named sentences are labelled, of 1 + 5 labelled ones
        ("evidence_precision", EVIDENCE, 3 / 5, 6),
        ("evidence_recall", EVIDENCE, 3 / 6, 6),
        ("evidence_f1", EVIDENCE, 6 / 11, 6),
    ],
)
def test_figures_by_hand(
    name: str, of: tuple[GoldenAnswer, ...], expected: float, n_items: int
) -> None:
    """Worked examples: the arithmetic stands beside each, with the items it is made of."""
    total = counts_of([golden(*of)]).sum(axis=0)
    actual = float(FIGURES[name](total[np.newaxis])[0])
    assert actual == pytest.approx(expected, abs=1e-15, nan_ok=True)
    assert n_of(total, name) == n_items


def test_recall_of_a_kind_of_error_is_over_its_own_sentences() -> None:
    """Worked example: 2 of 3 numbers are found and 0 of 1 directions, each on its own papers."""
    labelled = [
        golden(
            answered("sentence", 0, 0, error="number"),
            answered("sentence", 0, 1, error="number"),
            answered("sentence", 0, 0),
            answered("sentence", 1, 0),
            paper="moss",
        ),
        golden(answered("sentence", 0, 0, error="number"), paper="kiln"),
        golden(answered("sentence", 0, 1, error="direction"), paper="kiln", system="other"),
    ]
    measured = trust(labelled)
    for error, value, n_items, n_papers in (("number", 2 / 3, 3, 2), ("direction", 0.0, 1, 1)):
        recall = actual(measured, f"unfaithful_recall.{error}")
        assert (recall.value, recall.n_items, recall.n_papers) == (value, n_items, n_papers)


def worst(*labelled: GoldenPair) -> list[tuple[str, str]]:
    """Paper and kind of the worst disagreements."""
    return [(each.paper, each.answer.kind) for each in worst_disagreements(labelled)]


def test_confusion_matrices_name_what_rows_and_columns_are() -> None:
    """Worked example: one of each kind; labels in rows, answers in columns."""
    labelled = [
        golden(answered("background", 1, 3), answered("sentence", 0, 1), paper="kiln"),
        golden(answered("reference fact", 1, 0), answered("candidate fact", 1, 1), paper="moss"),
        golden(answered("background", 1, 3), answered("overall", 0.1, 0.9), paper="zinc"),
    ]
    assert confusions(labelled) == (
        Confusion(
            of="background", categories=("1", "2", "3"), table=((0, 0, 2), (0, 0, 0), (0, 0, 0))
        ),
        Confusion(of="sentence", categories=("unfaithful", "faithful"), table=((0, 1), (0, 0))),
        Confusion(of="fact", categories=("does not hold", "holds"), table=((0, 0), (1, 1))),
    )


def test_the_farthest_from_the_label_is_the_worst() -> None:
    """Worked example: of the way they could have gone, 3/3, 1/2, 1/3 and, on a share, all.

    Five fit a terminal and a page may tell more; nothing is told twice, and nothing is made up.
    """
    labelled = [
        golden(answered("method", 4, 3), paper="fern"),
        golden(answered("conclusion", 1, 2), paper="kiln"),
        golden(answered("result", 4, 1), paper="moss"),
        golden(answered("candidate fact", 0, 1), paper="zinc"),
    ]
    assert [paper for paper, _ in worst(*labelled)] == ["zinc", "moss", "kiln", "fern"]
    sentences = [golden(answered("sentence", 0, 1), paper=f"kiln-{n}") for n in range(7)]
    assert len(worst(*sentences)) == 5
    papers = [each.paper for each in worst_disagreements(sentences, 20)]
    assert sorted(papers) == [f"kiln-{n}" for n in range(7)]

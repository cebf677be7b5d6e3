from __future__ import annotations

import json
import math
import threading
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from summeval_pytest.errors import JudgeError, Place, SuiteError
from summeval_pytest.metrics.number import Unscored
from summeval_pytest.questions import FACETS, SCALES, FacetSegments
from summeval_pytest.run.measure import Evaluation
from summeval_pytest.study.agreement.columns import (
    CONTROLS,
    HUMAN,
    LEADING,
    LEVELS,
    LabelledPair,
    calibration_bins,
    column_names,
    correlations,
    fitted_weights,
    labelled_pair,
    labelled_pairs,
    level_agreement,
    mixed_agreement,
    partial_correlations,
    segment_controls,
    system_means,
)
from summeval_pytest.study.agreement.correlations import COEFFICIENTS
from summeval_pytest.study.agreement.item_agreement import Estimate, item_agreements
from summeval_pytest.study.agreement.matrices import FittedWeights
from summeval_pytest.study.scholarsum import import_scholarsum
from summeval_pytest.suite.labels import Label, Recorded
from summeval_pytest.suite.suite import load_suite
from tests.study.moss_suite import (
    DEAD,
    GREW,
    LISTER,
    READER,
    SAND,
    SYSTEMS,
    labels_of,
    moss,
    session,
    write_suite,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from summeval_pytest.questions import Facet
    from summeval_pytest.study.agreement.columns import AgreementLevel, LevelAgreement
    from summeval_pytest.study.agreement.correlations import CoefficientName
    from summeval_pytest.suite.suite import Suite


def labelled(
    paper: str,
    human: float | None,
    fm: float | None = None,
    *,
    group: str = "",
    system: str = "plain",
    **columns: float,
) -> LabelledPair:
    """A pair with one column, FM, where it has a number, and others."""
    columns |= {} if fm is None else {"FM": fm}
    return LabelledPair(
        paper=paper, system=system, group=group or paper, human=human, columns=columns
    )


def values(found: LevelAgreement) -> tuple[float | None, ...]:
    """Pearson, Spearman, Kendall."""
    return tuple(found.estimates[name].value for name in COEFFICIENTS)


def interval(estimate: Estimate) -> tuple[float | None, ...]:
    """A value and its bounds."""
    return estimate.value, estimate.low, estimate.high


TINY = [
    labelled("moss", 1, 1), labelled("moss", 2, 3), labelled("zinc", 3, 2), labelled("zinc", 4, 4),
]  # fmt: skip
MANY = [
    labelled(f"paper-{n % 7}", n * 37 % 11, n * 53 % 13, system=f"s{n // 7}") for n in range(28)
]


def test_agreement_of_a_tiny_set_is_what_a_hand_computes() -> None:
    """Worked example, intervals and all.

    Deviations are -1.5, -0.5, 0.5, 1.5 and -1.5, 0.5, -0.5, 1.5: their products make 4, their
    squares 5 on both sides, so r = 4/5; the numbers are their own ranks, so rho is the same.
    Within each paper the order is right, so tau is 1 twice. Two papers give three resamples: both,
    with r = 4/5, or one of them twice, with r = 1.
    """
    found = mixed_agreement(TINY, "FM")
    assert found.n == 4
    for name in ("pearson", "spearman"):
        assert interval(found.estimates[name]) == pytest.approx((0.8, 0.8, 1.0))
    assert found.estimates["kendall"] == Estimate(1.0, 1.0, 1.0)
    # Papers with the same reference share their difficulty: one group varies with no other.
    alike = [replace(pair, group="one text") for pair in TINY]
    pearson = mixed_agreement(alike, "FM").estimates["pearson"]
    assert interval(pearson) == pytest.approx((0.8, 0.8, 0.8))


def test_kendall_does_not_mix_papers() -> None:
    """Worked example: papers of different difficulty, each ordered the wrong way round.

    Over all pairs the numbers go together; within each paper they go against each other.
    """
    rows = (("moss", 1, 2), ("moss", 2, 1), ("zinc", 8, 9), ("zinc", 9, 8))
    found = mixed_agreement([labelled(*row) for row in rows], "FM").estimates
    assert found["kendall"] == Estimate(-1.0, -1.0, -1.0)
    assert found["pearson"].value is not None
    assert found["pearson"].value > 0.9


def test_pairs_without_a_number_are_left_out_and_the_count_says_so() -> None:
    """Unscored is not 0; a label of facets alone has nothing to correlate with."""
    pairs = [*TINY, labelled("fern", 9), labelled("moss", 0), labelled("fern", None, 9)]
    assert mixed_agreement(pairs, "FM") == mixed_agreement(TINY, "FM")


def test_agreement_that_cannot_be_measured_is_none() -> None:
    """A constant column agrees with nobody, and 0 would say that it disagrees."""
    constant = [replace(pair, columns={"FM": 0.5}) for pair in TINY]
    for pairs in (constant, TINY[:1], []):
        found = mixed_agreement(pairs, "FM")
        assert (values(found), found.n) == ((None,) * 3, len(pairs))
    # Kendall within papers needs two systems; the others need only two pairs.
    alone = mixed_agreement([labelled(f"paper-{n}", n, n * n) for n in range(5)], "FM")
    assert round(values(alone)[1] or 0, 9) == 1.0
    assert values(alone)[2] is None


def test_bins_hold_as_many_pairs_and_part_none_that_are_alike() -> None:
    """Worked example: 20 pairs make four bins of five, and the ten zeros share one.

    Of the middle bin moss has 1 and 2, zinc 3 to 5: drawn alone their means are 1.5 and 4. The last
    bin is of one paper, which tells nothing of others.
    """
    pairs = [labelled(f"paper-{n}", 0, 0) for n in range(10)]
    pairs += [labelled("moss" if n < 3 or n > 5 else "zinc", n, n * 10) for n in range(1, 11)]
    pairs += [labelled("kiln", None, 1), labelled("kiln", 1)]
    none, middle, last = calibration_bins(pairs, "FM")
    assert [(b.low, b.high, b.mean, b.n) for b in (none, middle, last)] == [
        (0, 0, 0, 10), (10, 50, 30, 5), (60, 100, 80, 5),
    ]  # fmt: skip
    assert interval(none.human) == (0, 0, 0)
    assert interval(middle.human) == (3, 1.5, 4)
    assert interval(last.human) == (8, None, None)
    assert calibration_bins(pairs[::-1], "FM") == (none, middle, last)
    assert calibration_bins(pairs, "EVA") == ()


def test_many_pairs_make_ten_bins_and_few_make_one() -> None:
    """A bin of one or two pairs is no mean, and more than ten are no curve."""
    pairs = [labelled("moss", n, n) for n in range(100)]
    assert [each.n for each in calibration_bins(pairs, "FM")] == [10] * 10
    assert [each.n for each in calibration_bins(pairs[:9], "FM")] == [9]


def test_the_order_of_the_pairs_does_not_matter() -> None:
    """Law: a file sorted another way holds the same labels, and a second run the same digits."""
    assert mixed_agreement(MANY, "FM") == mixed_agreement(list(MANY), "FM")
    one, other = mixed_agreement(MANY, "FM"), mixed_agreement(MANY[::-1], "FM")
    for name in COEFFICIENTS:
        assert interval(one.estimates[name]) == pytest.approx(interval(other.estimates[name]))


FOUR_SYSTEMS = [
    labelled(paper, human + shift, fm, system=system)
    for paper, shift in (("moss", 0.0), ("zinc", 10.0))
    for system, human, fm in (("a", 1, 2), ("b", 2, 4), ("c", 3, 5), ("d", 4, 9))
]
"""Four systems, ordered by FM as by people on both papers; one paper is rated ten points higher."""


def test_systems_are_compared_by_their_means() -> None:
    """Worked example: means 6, 7, 8, 9 against 2, 4, 5, 9.

    Deviations -1.5, -.5, .5, 1.5 and -3, -1, 0, 4: products 4.5 + .5 + 0 + 6 = 11, squares 5 and
    26; r = 11 / sqrt(130). In order, as 2 of 24 orders are on either side: p = .083, no less
    (metrics.md EV12). All papers have the same systems, so no resample moves it.
    """
    found = level_agreement(FOUR_SYSTEMS, "FM", "system")
    r = 11 / math.sqrt(130)
    assert interval(found.estimates["pearson"]) == pytest.approx((r, r, r))
    assert found.estimates["kendall"] == Estimate(1.0, 1.0, 1.0)
    assert dict(found.p_values) == pytest.approx(dict.fromkeys(COEFFICIENTS, 2 / 24))
    assert system_means(FOUR_SYSTEMS, ["FM"])["d"] == {HUMAN: 9.0, "FM": 9.0}
    # Unscored is not 0: a system that failed on its hard paper is compared on the other.
    missing = labelled("fern", 99.0, system="a")
    assert level_agreement([*FOUR_SYSTEMS, missing], "FM", "system") == found


def test_each_level_says_how_many_it_stands_on() -> None:
    """Pairs, papers and systems; only systems are so few that they have p values."""
    found = {level: level_agreement(FOUR_SYSTEMS, "FM", level) for level in LEVELS}
    assert {level: each.n for level, each in found.items()} == {
        "pooled": 8, "paper": 2, "system": 4,
    }  # fmt: skip
    assert not found["pooled"].p_values
    assert not found["paper"].p_values
    constant = [replace(pair, columns={"FM": 0.1}) for pair in FOUR_SYSTEMS]
    for level in LEVELS:
        # One paper only: every resample is the sample, so low and high are the value.
        alone = level_agreement(FOUR_SYSTEMS[:4], "FM", level).estimates["spearman"]
        assert interval(alone) == pytest.approx((1.0, 1.0, 1.0))
        nothing = level_agreement(constant, "FM", level)
        assert values(nothing) == (None,) * 3
        assert set(nothing.p_values.values()) <= {None}


@pytest.mark.parametrize("gap", ["", "paper-3"])
def test_the_first_row_of_a_matrix_is_what_the_table_says(gap: str) -> None:
    """Two views of one number must not differ, also where a paper has no number of one column."""
    pairs = [
        replace(
            pair,
            columns={
                "length": pair.columns["FM"] + (pair.human or 0),
                **({} if pair.paper == gap else pair.columns),
            },
        )
        for pair in MANY
    ]
    mixed = mixed_agreement(pairs, "FM").estimates
    every: list[tuple[AgreementLevel, CoefficientName, Estimate]] = [
        ("pooled", "pearson", mixed["pearson"]),
        ("pooled", "spearman", mixed["spearman"]),
        ("paper", "kendall", mixed["kendall"]),
    ]
    systems = level_agreement(pairs, "FM", "system").estimates
    every += [("system", name, systems[name]) for name in COEFFICIENTS]
    for level, name, expected in every:
        found = correlations(pairs, ["FM", "length"], level, name)
        assert found.names == (HUMAN, "FM", "length")
        assert found.estimate(HUMAN, "FM") == found.estimate("FM", HUMAN)
        assert interval(found.estimate(HUMAN, "FM")) == pytest.approx(interval(expected))


@pytest.mark.usefixtures("few_resamples")
def test_what_goes_with_people_only_by_length_has_nothing_left() -> None:
    """Worked example: the metric is length turned round; other says what length does not.

    A pair without one of the numbers is left out: a missing number is no zero.
    """
    rows = [(1, 1, 1), (2, 2, 1), (3, 1, 3), (4, 2, 3), (5, 1, 5), (6, 2, 5)]
    pairs = [
        labelled(f"p{n}", human, length=length, metric=-2.0 * length, other=other)
        for n, (human, other, length) in enumerate(rows)
    ]
    pairs += [labelled("p8", None, length=1, other=0), labelled("p9", 0.0, other=9)]
    found = partial_correlations(pairs, ("length", "metric", "other"), "length")
    assert set(found) == {"metric", "other"}
    assert found["metric"].value is None
    assert found["other"].value == pytest.approx(1.0)


def label(overall: float | None = None, **facets: int | None) -> Label:
    """A label of a pair that nobody looks up."""
    rated: dict[Facet, int | None] = {f: facets[f] for f in FACETS if f in facets}
    place = Place("labels.jsonl")
    return Label(paper="moss", system="plain", facets=rated or None, overall=overall, place=place)


def test_weights_are_fitted_to_stated_overall_scores_only() -> None:
    """Worked example: background alone says .2, method alone .8 of what is asked.

    A label without an overall score would be fitted to the formula that made it; one that rates
    nothing explains nothing. Where labels are too few, the reason stands in place of the weights.
    """
    labels = [
        label(1 / 3 * 0.2 + 0.8, background=1, method=4),
        label(0.2 + 0.25 * 0.8, background=3, method=1),
        label(2 / 3 * 0.2 + 0.5 * 0.8, background=2, method=2),
        label(1.0, background=3, method=4, conclusion=None),
        label(None, background=1, method=1, result=1, conclusion=1),
        label(0.5),
    ]
    found = fitted_weights(labels, SCALES)
    assert isinstance(found, FittedWeights)
    assert found.weights == pytest.approx((0.2, 0.8, 0.0, 0.0), abs=1e-6)
    assert (found.n_rows, round(found.error, 9)) == (4, 0.0)
    assert fitted_weights([label(0.5, background=1, method=1)], SCALES) == (
        "too few labels with facets and an overall score: 1; 4 weights need at least 4"
    )


def record(**segments: str) -> Recorded:
    """Recorded segments of a summary."""
    return Recorded(paper="moss", system="plain", by="Ann", segments=FacetSegments(**segments))


def test_segments_are_weighed_over_the_facets_that_people_rated() -> None:
    """Worked example: background and result are rated, result is stated in nine characters.

    Weights .1 and .3: presence .3 / .4 and length .3 * log(10) / .4; the method counts for nothing.
    Without ratings the recorded reference tells the facets; without either, nothing is said.
    """
    segments = record(method="By hand.", result="It grew 9")
    found = segment_controls(label(background=3, method=None, result=2), segments)
    assert found == pytest.approx({"presence (Ann)": 0.75, "length (Ann)": 0.75 * math.log(10)})
    reference = FacetSegments(method="By machine.", conclusion="Buy it.")
    found = segment_controls(label(), segments, reference)
    assert found == pytest.approx({"presence (Ann)": 0.5, "length (Ann)": math.log(9) / 2})
    assert segment_controls(label(), segments) == {}
    assert segment_controls(label(result=None), segments, FacetSegments()) == {}
    bare = Recorded(paper="moss", system="plain", by="Ann", overall=0.5)
    assert segment_controls(label(result=2), bare) == {}


def test_columns_stand_in_order_and_the_controls_are_always_there() -> None:
    """Ours first, recorded ones by name; a report without its controls would say little."""
    pair = labelled("moss", None, 0.5, Zed=1.0, ACU=0.5, length=3.0)
    assert column_names([pair]) == ("FM", "ROUGE-1", "facet presence", "length", "ACU", "Zed")
    assert set(column_names([])) == set(CONTROLS) <= set(LEADING)


def rated(pair: LabelledPair) -> dict[str, tuple[float, float | None]]:
    """The facets that people rated, with the judge's ratings."""
    answers = pair.golden.answers if pair.golden is not None else ()
    return {a.kind: (a.label, a.answer) for a in answers if a.kind in FACETS}


def test_a_labelled_pair_carries_what_a_hand_computes(tmp_path: Path) -> None:
    """Worked example: two words of four, one pair of words of three, are the reference's, too.

    Every pair that a label says something of is judged, those without an overall score, too.
    """
    pairs = labelled_pairs(load_suite(moss(tmp_path / "moss")), READER, session())
    assert [(pair.paper, pair.human) for pair in pairs] == [
        ("sand", 0.1), ("sand", 0.2), ("rock", 0.3), ("rock", 0.4), ("bark", 0.9), ("bark", None),
    ]  # fmt: skip
    assert (pairs[1].group, rated(pairs[1])) == ("It grew on sand.", {"result": (2, 3)})
    assert pairs[1].columns == pytest.approx(
        {
            "FM": 0.75,
            "facet presence": 1,
            "faithfulness": 1,
            "ROUGE-1": 0.5,
            "ROUGE-2": 1 / 3,
            "ROUGE-L": 0.5,
            "ROUGE-1 recall": 0.5,
            "length": 4,
        }
    )


def of_sand(
    folder: Path,
    judge: str,
    texts: tuple[str | list[str], str, str],
    head: str = "",
    labels: Sequence[dict[str, object]] | None = None,
) -> list[LabelledPair]:
    """The pairs of a suite of one paper: its reference, and the summaries of plain and bold."""
    papers = [{"id": "sand", "source": "Moss.", "reference": texts[0]}]
    summaries = {("sand", "plain"): texts[1], ("sand", "bold"): texts[2]}
    write_suite(folder, papers, summaries, labels or labels_of(overall=0.5))
    file = folder / "summeval.toml"
    file.write_text(head + file.read_text(encoding="utf-8"), encoding="utf-8")
    return labelled_pairs(load_suite(folder), judge, session())


def test_eva_has_a_column_for_each_of_its_numbers(tmp_path: Path) -> None:
    """Worked example: one of the summary's three facts is one of the reference's two.

    P = 1/3, R = 1/2, F1 = 0.4. The other summary states no fact: F1 is 0 and there is no precision,
    so its column has one pair less. Under eva_recall = "matched" the summary is not asked for the
    reference's facts, and there is no column of what was not measured.
    """
    reference, plain = "It grew 1 time. It shrank 2 times.", "It did well."
    bold = "It grew 1 time. It shrank 3 times. It died 4 times."
    pairs = of_sand(tmp_path / "moss", LISTER, (reference, plain, bold))
    head = 'eva_recall = "matched"\n'
    alike = ("It grew 1 time.", "It grew 1 time!", "1 time")
    pairs += of_sand(tmp_path / "fern", LISTER, alike, head)
    found = [{n: v for n, v in pair.columns.items() if n.startswith("EVA")} for pair in pairs]
    assert found[0] == {"EVA": 0, "EVA recall": 0, "EVA recall (entailed)": 0}
    assert found[1] == pytest.approx(
        {"EVA": 0.4, "EVA precision": 1 / 3, "EVA recall": 0.5, "EVA recall (entailed)": 0.5}
    )
    assert found[3] == {"EVA": 1, "EVA precision": 1, "EVA recall": 1}


def test_the_best_of_several_references_counts_and_an_unrated_facet_is_no_rating(
    tmp_path: Path,
) -> None:
    """As for the metrics; left out or absent from the reference, there is nothing to agree with."""
    labels: list[dict[str, object]] = [
        {"paper": "sand", "system": "plain", "overall": 0.5},
        {"paper": "sand", "system": "bold", "overall": 0.5, "facets": {"result": None}},
    ]
    references, summary = ["Ferns died.", "It grew 2 times.", "It grew."], "It grew 2 times."
    pairs = of_sand(tmp_path / "moss", READER, (references, summary, summary), labels=labels)
    assert [pairs[1].columns[name] for name in ("ROUGE-1", "ROUGE-2", "ROUGE-L")] == [1.0] * 3
    assert list(map(rated, pairs)) == [{}, {}]


def test_papers_with_the_same_reference_are_one_group(tmp_path: Path) -> None:
    """ScholarSum has one reference twice; line breaks and blanks do not make it another."""
    papers = [
        {"id": "sand", "source": "Moss.", "reference": "It grew on  sand."},
        {"id": "rock", "source": "Fern.", "reference": "It grew on\nsand. "},
    ]
    summaries = {(paper, of): "It grew 2 times." for paper in ("sand", "rock") for of in SYSTEMS}
    labels = [{"paper": p, "system": of, "overall": 0.5} for p, of in summaries]
    suite = load_suite(write_suite(tmp_path / "moss", papers, summaries, labels))
    pairs = labelled_pairs(suite, READER, session())
    assert [pair.paper for pair in pairs] == ["sand", "sand", "rock", "rock"]
    assert len({pair.group for pair in pairs}) == 1


def test_support_of_some_pairs_makes_no_column(tmp_path: Path) -> None:
    """This judge has no strength of belief; where a rule answers every sentence, there is one."""
    papers = [{"id": "sand", "source": "Moss grew 5 times.", "reference": "It grew 3 times."}]
    summaries = {("sand", "plain"): "It grew 1 time.", ("sand", "bold"): "Moss grew 5 times."}
    folder = write_suite(tmp_path / "moss", papers, summaries, labels_of(overall=0.5))
    suite = load_suite(folder)
    pairs = labelled_pairs(suite, READER, session())
    assert [pair.columns["faithfulness"] for pair in pairs] == [0.0, 1.0]
    assert not any("support" in pair.columns for pair in pairs)
    pairs = labelled_pairs(suite, "offline", session())
    assert pairs[1].columns["support"] == 1.0
    assert 0.0 <= pairs[0].columns["support"] < 1.0
    assert all(0.0 <= pair.columns["fact support"] <= 1.0 for pair in pairs)


def test_a_label_of_a_sentence_that_is_not_there_is_refused_before_anything_is_asked(
    tmp_path: Path,
) -> None:
    """It would be judged, paid for, and agree with nothing."""
    labels = labels_of(sentences=[{"index": 7, "faithful": True}])
    suite = load_suite(write_suite(tmp_path / "moss", SAND, GREW, labels))
    with pytest.raises(SuiteError, match="is about sentence 7, and the summary has 1"):
        labelled_pairs(suite, DEAD, session())


def test_a_judge_that_fails_leaves_no_thread(tmp_path: Path) -> None:
    """The command may be a step of a longer script."""
    suite = load_suite(moss(tmp_path / "moss"))
    threads = threading.active_count()
    with pytest.raises(JudgeError):
        labelled_pairs(suite, DEAD, session())
    assert threading.active_count() == threads


FIGURES: dict[str, tuple[float, float | None]] = {
    "FM(GPT-4)": (0.688, 0.675),
    "FM(GPT-4, variant)": (0.647, None),
    "FM(Llama)": (0.577, None),
    "FM(GPT-3.5)": (0.514, 0.519),
    "BERTScore": (0.347, 0.315),
    "ROUGE-1 (recorded)": (0.341, 0.325),
    "GPT-4 direct": (0.338, 0.380),
    "ROUGE-L (recorded)": (0.241, 0.218),
    "QuestEval": (0.226, None),
    "G-Eval": (0.215, None),
    "ACU": (0.148, None),
    "DELTA": (-0.168, None),
}
"""Pearson and Spearman against the human overall score; None where the release's papers give none.

Source: ScholarSum 061b34c6, PubMed half (metrics.md section 2, and the README of the data)."""
UNREAD = {"presence (GPT-4 segments)": 0.53, "length (GPT-4 segments)": 0.57}
"""Pearson of what GPT-4's segments say unread (metrics.md section 2, mandatory extra controls)."""
NOT_ASKED = Unscored(metric="facet", status="unanswered", reason="no judge was asked")


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory, release_file: Path) -> Suite:
    """The PubMed half as a suite."""
    out = tmp_path_factory.mktemp("scholarsum") / "suite"
    import_scholarsum(release_file, out)
    return load_suite(out)


@pytest.fixture(scope="module")
def scholarsum(release: Suite) -> list[LabelledPair]:
    """The 300 labelled pairs of the PubMed half, with what the release records of each."""
    records: dict[tuple[str, str], list[Recorded]] = {key: [] for key in release.labels}
    for line in release.recorded:
        if line.system is not None:
            records[line.paper, line.system].append(line)
    return [
        labelled_pair(
            label,
            Evaluation(pair=release.pair(*key), scores=(NOT_ASKED,), signatures=(), source=()),
            records[key],
        )
        for key, label in release.labels.items()
    ]


def test_recorded_columns_agree_with_people_as_published(scholarsum: list[LabelledPair]) -> None:
    """Oracle: 50 papers and 6 systems, and one reference that occurs twice (data README).

    Reader, columns and coefficients are right only if all of them are.
    """
    assert len(scholarsum) == 300
    assert len({pair.paper for pair in scholarsum}) == 50
    assert len({pair.group for pair in scholarsum}) == 49
    for column, (pearson, spearman) in FIGURES.items():
        found = mixed_agreement(scholarsum, column)
        told = [round(value or 0, 3) for value in values(found)]
        assert (found.n, told[0]) == (300, pearson), column
        assert spearman in {None, told[1]}, column
    for column, pearson in UNREAD.items():
        found = mixed_agreement(scholarsum, column)
        assert (found.n, round(values(found)[0] or 0, 2)) == (300, pearson), column


def test_fm_with_gpt_4_has_the_interval_and_the_order_published(
    scholarsum: list[LabelledPair],
) -> None:
    """Oracle: [.60, .77] over papers, per-paper Kendall .565, of the variant .583 (FM7, FM14)."""
    found = mixed_agreement(scholarsum, "FM(GPT-4)")
    pearson = found.estimates["pearson"]
    assert (pearson.low, pearson.high) == pytest.approx((0.60, 0.77), abs=0.015)
    variant = mixed_agreement(scholarsum, "FM(GPT-4, variant)")
    assert [round(values(each)[2] or 0, 3) for each in (found, variant)] == [0.565, 0.583]


EXACT: Mapping[Facet, float] = {
    "background": 0.713, "method": 0.465, "result": 0.605, "conclusion": 0.733,
}  # fmt: skip
KAPPA: Mapping[Facet, float] = {
    "background": 0.384, "method": 0.454, "result": 0.638, "conclusion": 0.726,
}  # fmt: skip


def test_recorded_ratings_agree_with_people_as_published(scholarsum: list[LabelledPair]) -> None:
    """Oracle: metrics.md section 5 (.71/.46/.61/.73); the judge's floors come to the same."""
    items = item_agreements([pair.recorded["FM(GPT-4)"] for pair in scholarsum])
    for facet in FACETS:
        figures = items[facet].figures
        assert figures["exact"].value == pytest.approx(EXACT[facet], abs=6e-4)
        assert figures["quadratic kappa"].value == pytest.approx(KAPPA[facet], abs=6e-4)


def test_means_of_systems_are_those_of_the_release(
    scholarsum: list[LabelledPair], release_file: Path
) -> None:
    """Oracle: the means of the release's own columns, read from its file without the importer."""
    papers = [json.loads(line) for line in release_file.read_text(encoding="utf-8").splitlines()]
    columns = {HUMAN: "human", "FM(GPT-4)": "gpt4_fm", "FM(Llama)": "llama", "BERTScore": "bert"}
    means = system_means(scholarsum, list(columns)[1:])
    assert len(means) == 6
    for system, found in means.items():
        for column, key in columns.items():
            released = sum(paper[f"{system}_{key}"] for paper in papers) / len(papers)
            assert found[column] == pytest.approx(released, abs=1e-9), (system, column)


def test_six_systems_prove_little(scholarsum: list[LabelledPair]) -> None:
    """Oracle of form: FM by GPT-4 orders nearly all six, and p says from how few points.

    Tau 13/15 is one of 15 pairs out of order: 1 + 5 of 720 orders have at most one, and as many at
    least 14, so p = 12 / 720.
    """
    found = level_agreement(scholarsum, "FM(GPT-4)", "system")
    assert found.n == 6
    assert found.estimates["kendall"].value == pytest.approx(13 / 15)
    assert found.p_values["kendall"] == pytest.approx(12 / 720)


def test_the_weights_of_fm_come_out_of_the_labels(release: Suite) -> None:
    """Oracle: .1, .3, .3, .3 and no error: the released overall scores are their mean (FM12)."""
    found = fitted_weights(release.labels.values(), SCALES)
    assert isinstance(found, FittedWeights)
    assert found.weights == pytest.approx((0.1, 0.3, 0.3, 0.3), abs=1e-6)
    assert (found.n_rows, round(found.error, 9)) == (300, 0.0)


def test_recorded_judges_say_more_than_that_facets_are_there(
    scholarsum: list[LabelledPair],
) -> None:
    """Oracle: partial correlations given presence (metrics.md section 2: .52 and .21, cut off)."""
    columns = ("FM(GPT-4)", "FM(GPT-3.5)")
    found = partial_correlations(scholarsum, columns, "presence (GPT-4 segments)")
    told = [found[column].value for column in columns]
    assert told == [pytest.approx(0.526, abs=5e-4), pytest.approx(0.212, abs=5e-4)]

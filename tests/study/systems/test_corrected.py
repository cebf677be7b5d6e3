from __future__ import annotations

from dataclasses import replace

import pytest

from summeval_pytest.run.golden import GoldenPair, LabelledKind
from summeval_pytest.study.systems.corrected import corrected_means
from summeval_pytest.study.systems.studied import Given, StudiedText
from summeval_pytest.study.tables import Row
from tests.study.systems.study_pairs import JUDGE, pair, scored, sentences, studied
from tests.verdict.golden_answers import answered, filled, golden


def labelled(*rows: tuple[float, float], kind: LabelledKind = "overall") -> list[GoldenPair]:
    """Golden pairs on papers of their own: what the label says, and what the judge."""
    return [
        golden(answered(kind, label, answer), paper=f"fern-{n}")
        for n, (label, answer) in enumerate(rows)
    ]


def corrected(*pairs: StudiedText, by: list[GoldenPair]) -> list[Row]:
    """The corrected means of one system."""
    return list(corrected_means(replace(studied(*pairs), golden={JUDGE: by})))


def test_fm_and_facets_are_corrected_by_the_judges_mean_error_on_labels() -> None:
    """Worked examples: 0.7 - 0.05 = 0.65; (4 + 2) / 2 and an error of ((2 - 4) + 0) / 2 make 2."""
    (fm,) = corrected(
        scored("a", facet=0.8), scored("b", facet=0.6), by=labelled((0.5, 0.6), (0.7, 0.7))
    )
    assert (fm["number"], fm["judge"], fm["system"], fm["reason"]) == ("facet", JUDGE, "good", "")
    assert (fm["raw"], fm["value"]) == pytest.approx((0.7, 0.65))
    assert (fm["n_golden"], fm["n_papers"]) == (2, 2)
    assert fm["low"] < 0.65 < fm["high"]
    pairs = [
        pair("a", judged=Given(values={"facet": 0.9, "facet.result": 4.0})),
        pair("b", judged=Given(values={"facet": 0.5, "facet.result": 2.0})),
    ]
    (result,) = corrected(*pairs, by=labelled((2, 4), (3, 3), kind="result"))
    assert (result["number"], result["raw"], result["value"]) == ("facet.result", 3.0, 2.0)


def test_overall_scores_on_a_scale_of_their_own_correct_nothing() -> None:
    """Taken from FM, a 5 of 5 would make any system perfect."""
    assert corrected(scored("a", facet=0.8), by=labelled((5, 0.6), (3, 0.7))) == []


def test_faithfulness_is_corrected_as_a_rate_over_sentences() -> None:
    """Worked example: the judge supports (1 + 5) / 10 = 0.6 of the sentences.

    It supports 3 of 4 faithful ones and 1 of 4 unfaithful ones, so that the rate is
    (0.6 - 0.25) / (0.75 - 0.25) = 0.7. The mean over papers, (0.25 + 5 / 6) / 2, plays no part.
    """
    rows = list(filled("sentence", [[3, 1], [1, 3]], least=0))
    labels = [golden(*rows[n::2], paper=f"fern-{n}") for n in range(2)]
    pairs = (pair("a", judged=sentences(1, 4)), pair("b", judged=sentences(5, 6)))
    (actual,) = corrected(*pairs, by=labels)
    assert actual["number"] == "faithfulness"
    assert (actual["raw"], actual["value"]) == pytest.approx((0.6, 0.7))
    assert (actual["n_golden"], actual["n_papers"]) == (8, 2)

from __future__ import annotations

from math import inf, nan
from typing import TYPE_CHECKING

import pytest

from summeval_pytest.errors import OptionError, Place, SuiteError
from summeval_pytest.metrics.catalogue import METRICS
from summeval_pytest.suite.values import Setting
from summeval_pytest.verdict.thresholds import (
    Threshold,
    Thresholds,
    check_supported,
    read_thresholds,
    thresholds_of,
)
from tests.golden_suite import BAD_OF_KILN, GOOD_OF_KILN, write_labelled

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


FILE = "golden/summeval.toml"


def setting(name: str, value: float, line: int = 14) -> Setting:
    """A threshold as a suite states it."""
    return Setting(name=name, value=value, place=Place(FILE, line))


def on_command_line(*options: str) -> str:
    """The message for an option."""
    with pytest.raises(OptionError) as caught:
        read_thresholds([], [], options=options)
    return str(caught.value)


def test_thresholds_stand_in_the_order_of_the_metrics_and_options_in_their_place() -> None:
    """One number may have a threshold for pairs, for its mean, and two for its corrected mean."""
    thresholds = read_thresholds(
        [setting("faithfulness", 0.9), setting("facet.conclusion", 2), setting("facet", 0.55)],
        [setting("eva", 0.4), setting("facet", 0.65)],
        corrected=[
            setting("faithfulness", 0.9),
            setting("facet.result.lower", 2),
            setting("facet.lower", 0.4),
            setting("facet", 0.7),
        ],
        options=["facet=0.7", "mean.eva.recall=0.2", "corrected.facet.lower = 0.5"],
    )
    assert thresholds == Thresholds(
        pair=(
            Threshold("facet", 0.7),
            Threshold("facet.conclusion", 2),
            Threshold("faithfulness", 0.9),
        ),
        mean=(Threshold("facet", 0.65), Threshold("eva", 0.4), Threshold("eva.recall", 0.2)),
        corrected=(
            Threshold("facet", 0.7, "point"),
            Threshold("facet", 0.5, "lower"),
            Threshold("facet.result", 2, "lower"),
            Threshold("faithfulness", 0.9, "point"),
        ),
    )
    assert thresholds.metrics == METRICS
    assert thresholds.only(["eva"]).names == ("mean.eva", "mean.eva.recall")


RANGE = "write a value in that range, or remove it"


@pytest.mark.parametrize(
    ("scope", "name", "value", "phrase"),
    [
        ("", "facet", 0.2, "facet (Facet-aware Metric) ranges from 0.25 to 1"),
        ("", "eva.recall", -0.1, "eva.recall (matched facts) ranges from 0 to 1"),
        ("", "eva", nan, "eva (EVA-Score, F1 over facts) ranges from 0 to 1"),
        ("mean", "facet", inf, "facet (Facet-aware Metric) ranges from 0.25 to 1"),
        ("corrected", "facet", 0.2, "facet (Facet-aware Metric) ranges from 0.25 to 1"),
        ("corrected", "facet.lower", 60, "facet (Facet-aware Metric) ranges from 0.25 to 1"),
        ("corrected", "facet.background", 4, "facet.background (rating of the background) ranges"),
        ("corrected", "faithfulness.lower", -1, "faithfulness (supported sentences) ranges"),
        ("", "facet.results", 2, "did you mean 'facet.result'?"),
        ("mean", "facet.results", 2, "did you mean 'facet.result'?"),
        ("corrected", "eva", 0.5, ", which no label corrects; "),
        ("corrected", "eva.recall_entailed.lower", 0.5, ", which no label corrects; "),
        ("corrected", "faithfulness.support", 0.5, ", which no label corrects; "),
    ],
)
def test_a_threshold_that_can_never_decide_is_refused_where_it_is_written(
    scope: str, name: str, value: float, phrase: str
) -> None:
    """FM is never under 0.25: that would look like a gate and be none, as nan and inf would.

    Its name may be known, so that "unknown" alone would send the user to look for a misprint.
    """
    written = {each: [setting(name, value)] if scope == each else [] for each in ("", "mean")}
    with pytest.raises(SuiteError) as caught:
        read_thresholds(
            written[""],
            written["mean"],
            corrected=[setting(name, value)] if scope == "corrected" else [],
        )
    prefix = "corrected." if scope == "corrected" else ""
    fault = f"threshold {prefix}{name} = {value:g} can never decide: {phrase}"
    if "ranges" not in phrase:
        separator = "" if phrase.startswith(",") else "; "
        fault = f"unknown threshold {prefix + name!r}{separator}{phrase}"
    in_file = str(caught.value)
    assert in_file.startswith(f"{FILE}:14: {fault}")
    assert in_file.endswith(RANGE) is ("ranges" in phrase)
    option = f"{scope}.{name}={value:g}".removeprefix(".")
    message = in_file.removeprefix(f"{FILE}:14: ")
    assert on_command_line(option) == f"--summ-min={option}: {message}"


@pytest.mark.parametrize("option", ["facet", "facet=", "facet=high", "facet=0,6", ""])
def test_an_option_without_a_number_shows_how_to_write_one(option: str) -> None:
    """A value that is not read must not become a default."""
    assert on_command_line(option) == (
        f"--summ-min={option!r} is no METRIC=VALUE; write --summ-min facet=0.6"
    )


@pytest.mark.parametrize("scope", ["pair", "mean"])
def test_a_threshold_on_support_is_refused_under_a_model_with_one_vote(scope: str) -> None:
    """Support is a share of votes; of one vote there is none, which is known beforehand."""

    def stored(name: str) -> Thresholds:
        return Thresholds(**{"pair": (), "mean": (), scope: (Threshold(name, 0.5),)})

    with pytest.raises(OptionError) as caught:
        check_supported(stored("faithfulness.support"), "gpt", 1, FILE)
    assert str(caught.value) == (
        f"{FILE} has a threshold for faithfulness.support, and judge 'gpt' with one vote says of a"
        " sentence only yes or no; use --summ-judge=offline or --summ-votes=3, hold faithfulness in"
        " its place, or remove the threshold"
    )
    for n_votes in (None, 3):
        check_supported(stored("faithfulness.support"), "gpt", n_votes, FILE)
    check_supported(stored("faithfulness"), "gpt", 1, FILE)


FACTS = {"reference": [{"text": "Bricks crack often.", "covered": False}]}
LABELLED: Mapping[str, tuple[Mapping[str, object], ...]] = {
    "all": (GOOD_OF_KILN, BAD_OF_KILN),
    "overall": ({"paper": "kiln", "system": "good", "overall": 0.5},),
    "some": ({"paper": "kiln", "system": "good", "facets": {"result": 2}},),
    "sentences": (
        {"paper": "kiln", "system": "bad", "sentences": [{"index": 0, "faithful": True}]},
    ),
    "facts": ({"paper": "kiln", "system": "bad", "facts": FACTS},),
    "none": (),
}


@pytest.mark.parametrize(
    ("labels", "name", "part"),
    [
        ("sentences", "facet", "overall"),
        ("facts", "facet.result.lower", "facets"),
        ("overall", "faithfulness", "sentences"),
        ("none", "faithfulness.lower", "sentences"),
        ("none", "facet", "overall"),
        ("overall", "facet.result", "facets"),
        ("some", "facet", "overall"),
    ],
)
def test_a_corrected_threshold_without_labels_to_correct_by_is_refused(
    tmp_path: Path, labels: str, name: str, part: str
) -> None:
    """It could never be decided; the part of a label that it needs is told before any question."""
    suite = write_labelled(tmp_path / "golden", *LABELLED[labels])
    with pytest.raises(OptionError) as caught:
        thresholds_of(suite, options=[f"corrected.{name}=1"])
    assert str(caught.value) == (
        f"{suite.shown} has a threshold for corrected.{name} and no label with {part!r} to correct"
        ' it by; label some in the file that labels = "..." names, or remove the threshold'
    )


def test_overall_scores_on_another_scale_do_not_correct_fm(tmp_path: Path) -> None:
    """Taken from FM, a 5 of 5 would make any system perfect; the label's line is named."""
    label = {"paper": "kiln", "system": "good", "overall": 5.0}
    suite = write_labelled(tmp_path / "golden", label)
    with pytest.raises(SuiteError, match=r"labels\.jsonl:1: 'overall' is 5 and corrected\.facet"):
        thresholds_of(suite, options=["corrected.facet=0.9"])

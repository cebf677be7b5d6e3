from __future__ import annotations

from collections.abc import Mapping
from math import inf, nan
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from summeval_pytest.errors import OptionError, Place, SuiteError
from summeval_pytest.metrics.catalogue import METRICS
from summeval_pytest.suite.values import Setting
from summeval_pytest.verdict.thresholds import (
    CORRECTED,
    MEAN,
    Threshold,
    Thresholds,
    check_supported,
    read_thresholds,
    thresholds_of,
)
from tests.golden_suite import write_labelled

FILE = "golden/summeval.toml"


def setting(name: str, value: float, line: int = 14) -> Setting:
    """A threshold as a suite states it."""
    return Setting(name=name, value=value, place=Place(FILE, line))


def on_command_line(*options: str) -> str:
    """The message for an option."""
    with pytest.raises(OptionError) as caught:
        read_thresholds({}, options=options)
    return str(caught.value)


def test_thresholds_stand_in_the_order_of_the_metrics_and_options_in_their_place() -> None:
    """One number may have a threshold for pairs, for its mean, and two for its corrected mean."""
    written = {
        "": {"faithfulness": 0.9, "facet.conclusion": 2, "facet": 0.55},
        MEAN: {"eva": 0.4, "facet": 0.65},
        CORRECTED: {
            "faithfulness": 0.9, "facet.result.lower": 2, "facet.lower": 0.4, "facet": 0.7,
        },
    }  # fmt: skip
    thresholds = read_thresholds(
        {scope: [setting(*each) for each in own.items()] for scope, own in written.items()},
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


def test_a_threshold_that_can_never_decide_is_refused_there(snapshot: SnapshotAssertion) -> None:
    """FM is never under 0.25: that would look like a gate and be none, as nan and inf would.

    Its name may be known, so that "unknown" alone would send the user to look for a misprint.
    """
    written = [
        ("facet", 0.2), ("eva.recall", -0.1), ("eva", nan), ("mean.facet", inf),
        ("corrected.facet", 0.2), ("corrected.facet.lower", 60), ("corrected.facet.background", 4),
        ("corrected.faithfulness.lower", -1), ("facet.results", 2), ("mean.facet.results", 2),
        ("corrected.eva", 0.5), ("corrected.eva.recall_entailed.lower", 0.5),
        ("corrected.faithfulness.support", 0.5),
    ]  # fmt: skip
    messages = []
    for name, value in written:
        scope = next((each for each in (MEAN, CORRECTED) if name.startswith(each)), "")
        own = {scope: [setting(name.removeprefix(scope), value)]}
        with pytest.raises(SuiteError) as caught:
            read_thresholds(own)
        messages.append(str(caught.value).removeprefix(f"{FILE}:14: "))
        option = f"{name}={value:g}"
        assert on_command_line(option) == f"--summ-min={option}: {messages[-1]}"
    options = ("facet", "facet=", "facet=high", "facet=0,6", "")
    assert [*messages, *map(on_command_line, options)] == snapshot


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


KILN = {"paper": "kiln", "system": "good"}
OVERALL: Mapping[str, object] = {**KILN, "overall": 0.5}
RESULT: Mapping[str, object] = {**KILN, "facets": {"result": 2}}
SENTENCE: Mapping[str, object] = {**KILN, "sentences": [{"index": 0, "faithful": True}]}


@pytest.mark.parametrize(
    ("labels", "name", "part"),
    [
        ([SENTENCE], "facet", "overall"),
        ([RESULT], "facet", "overall"),
        ([OVERALL], "facet.result", "facets"),
        ([SENTENCE], "facet.result.lower", "facets"),
        ([OVERALL], "faithfulness", "sentences"),
        ([], "faithfulness.lower", "sentences"),
    ],
)
def test_a_corrected_threshold_without_labels_to_correct_by_is_refused(
    tmp_path: Path, labels: list[Mapping[str, object]], name: str, part: str
) -> None:
    """It could never be decided; the part of a label that it needs is told before any question."""
    suite = write_labelled(tmp_path / "golden", *labels)
    with pytest.raises(OptionError) as caught:
        thresholds_of(suite, options=[f"corrected.{name}=1"])
    assert str(caught.value) == (
        f"{suite.shown} has a threshold for corrected.{name} and no label with {part!r} to correct"
        ' it by; label some in the file that labels = "..." names, or remove the threshold'
    )


def test_overall_scores_on_another_scale_do_not_correct_fm(tmp_path: Path) -> None:
    """Taken from FM, a 5 of 5 would make any system perfect; the label's line is named."""
    suite = write_labelled(tmp_path / "golden", {**KILN, "overall": 5.0})
    with pytest.raises(SuiteError, match=r"labels\.jsonl:1: 'overall' is 5 and corrected\.facet"):
        thresholds_of(suite, options=["corrected.facet=0.9"])

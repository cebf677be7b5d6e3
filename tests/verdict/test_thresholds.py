from __future__ import annotations

from math import inf, nan

import pytest
from syrupy.assertion import SnapshotAssertion

from summeval_pytest.errors import OptionError, Place, SuiteError
from summeval_pytest.metrics.catalogue import METRICS
from summeval_pytest.suite.values import Setting
from summeval_pytest.verdict.thresholds import (
    MEAN,
    Threshold,
    Thresholds,
    check_supported,
    read_thresholds,
)

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
    """One number may have a threshold for pairs and one for its mean."""
    written = {
        "": {"faithfulness": 0.9, "facet.conclusion": 2, "facet": 0.55},
        MEAN: {"eva": 0.4, "facet": 0.65},
    }
    thresholds = read_thresholds(
        {scope: [setting(*each) for each in own.items()] for scope, own in written.items()},
        options=["facet=0.7", "mean.eva.recall=0.2"],
    )
    assert thresholds == Thresholds(
        pair=(
            Threshold("facet", 0.7),
            Threshold("facet.conclusion", 2),
            Threshold("faithfulness", 0.9),
        ),
        mean=(Threshold("facet", 0.65), Threshold("eva", 0.4), Threshold("eva.recall", 0.2)),
    )
    assert thresholds.metrics == METRICS
    assert thresholds.only(["eva"]).names == ("mean.eva", "mean.eva.recall")


def test_a_threshold_that_can_never_decide_is_refused_there(snapshot: SnapshotAssertion) -> None:
    """FM is never under 0.25: that would look like a gate and be none, as nan and inf would.

    Its name may be known, so that "unknown" alone would send the user to look for a misprint.
    """
    written = [
        ("facet", 0.2), ("eva.recall", -0.1), ("eva", nan), ("mean.facet", inf),
        ("facet.results", 2), ("mean.facet.results", 2), ("corrected.facet", 0.2),
    ]  # fmt: skip
    messages = []
    for name, value in written:
        scope = MEAN if name.startswith(MEAN) else ""
        own = {scope: [setting(name.removeprefix(scope), value)]}
        with pytest.raises(SuiteError) as caught:
            read_thresholds(own)
        messages.append(str(caught.value).removeprefix(f"{FILE}:14: "))
        option = f"{name}={value:g}"
        assert on_command_line(option) == f"--summ-min={option}: {messages[-1]}"
    options = ("facet", "facet=", "facet=high", "facet=0,6", "")
    assert [*messages, *map(on_command_line, options)] == snapshot


def test_support_needs_more_than_one_vote_of_a_model() -> None:
    """Support is a share of votes; who is no model says it itself. A real run has the message."""
    support, rate = (
        Thresholds(pair=(), mean=(Threshold(f"faithfulness{end}", 0.5),))
        for end in (".support", "")
    )
    with pytest.raises(OptionError, match="with one vote"):
        check_supported(support, "gpt", 1, FILE)
    for thresholds, n_votes in ((support, None), (support, 3), (rate, 1)):
        check_supported(thresholds, "gpt", n_votes, FILE)

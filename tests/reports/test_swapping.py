from __future__ import annotations

import tomllib
from dataclasses import replace

from summeval_pytest.reports import (
    item_table,
    order_lines,
    score_table,
    threshold_block,
    threshold_table,
)
from summeval_pytest.verdict.ranking import OrderChange, SystemMeans, SystemOrder
from summeval_pytest.verdict.swapping import Bounded, ItemAgreement, ScoreAgreement
from summeval_pytest.verdict.translating import Translated
from tests.reports.test_comparison import HOSTILE, harmless

HALF = Bounded(value=0.5, low=0.4, high=0.6)
NONE = Bounded(value=None)
SCORE = ScoreAgreement(
    name="eva", n_pairs=1200, n_only_old=0, n_only_new=0, old=0.25, new=0.75, shift=HALF,
    pearson=HALF, spearman=NONE,
)  # fmt: skip
PAIR = Translated(
    scope="pair", name="facet.result", old=2.0, new=3.0, low=2.0, high=3.0, n_items=150, n_old=120,
    n_kept=140, n_new=121, n_other_kept=20, n_other_new=3,
)  # fmt: skip
MEAN = replace(PAIR, scope="mean", name="facet", old=0.75, new=0.812, n_items=5, n_old=4)


def test_scores_are_told_with_intervals_and_what_is_left_out() -> None:
    """A dash for what is undefined; pairs that one judge left unscored are no small matter."""
    title, line = score_table([SCORE])
    assert title.split() == ["scores", "pairs", "from", "to", "shift", "Pearson", "Spearman"]
    assert line == (
        "eva           1,200  0.250  0.750  +0.500 [+0.400,+0.600] 0.50 [0.40,0.60]   -"
    )
    (*_, told) = score_table([replace(SCORE, n_only_old=3)])
    assert told == "eva: 3 pairs are scored by --from alone, 0 by --to alone; they are left out"


def test_items_are_told_a_line_each() -> None:
    """Exact agreement, kappa and shift."""
    item = ItemAgreement(name="result", n_items=150, exact=HALF, kappa=NONE, shift=HALF)
    _, line, _ = item_table([item])
    assert line == (
        "result          150  0.50 [0.40,0.60]    -                   +0.50 [+0.40,+0.60]"
    )


def test_systems_that_change_places_are_told_with_their_p_values() -> None:
    """A change that is chance under both judges is said to be."""
    order = SystemOrder(
        metric="facet",
        means=(
            SystemMeans(system="terse", n_papers=30, old=0.6, new=0.7),
            SystemMeans(system="plain", n_papers=30, old=0.5, new=0.8),
        ),
    )
    change = OrderChange(
        better="terse", worse="plain", n_papers=30, old=0.1, new=-0.1, p_old=0.01, p_new=0.5
    )
    lines = list(order_lines([replace(order, changes=(change,))]))
    assert lines[:3] == [
        "facet         papers    from rank      to rank",
        "  terse           30   0.600    1   0.700    2",
        "  plain           30   0.500    2   0.800    1",
    ]
    assert " ".join(line.strip() for line in lines[3:]) == (
        "terse before plain under --from by 0.100 (p 0.010), behind it under --to by 0.100"
        " (p 0.500): significant under --from"
    )
    sure, chance = replace(change, p_new=0.01), replace(change, p_old=0.9)
    assert list(order_lines([replace(order, changes=(sure,))]))[-1].endswith(
        "significant under --from and --to"
    )
    assert list(order_lines([replace(order, changes=(chance,))]))[-1].endswith(
        "neither is significant"
    )
    assert list(order_lines([order]))[-1] == "no two systems change places"


def test_thresholds_are_told_with_what_they_pass() -> None:
    """And those that cannot be translated, too."""
    _, first, second, third, *_ = threshold_table([PAIR, MEAN, replace(PAIR, new=None)])
    assert first == (
        "facet.result                  2      3  2.000 to 3.000    120/150    20     3"
    )
    assert second.startswith("mean.facet                 0.75  0.812  ")
    assert third == "facet.result                  2      -  on no pair that both judges scored"


def test_the_block_is_toml_that_a_suite_reads() -> None:
    """Names with a dot are quoted, and what has no value is left out."""
    lines = list(threshold_block([PAIR, replace(PAIR, name="eva", new=None), MEAN], "llama3"))
    assert tomllib.loads("\n".join(lines)) == {
        "thresholds": {"facet.result": 3, "mean": {"facet": 0.812}}
    }
    assert lines[0] == "[thresholds] # under judge llama3"
    assert lines[1] == '"facet.result" = 3  # was 2'
    assert list(threshold_block([], "llama3")) == []
    conflicts = replace(PAIR, name="faithfulness.conflicts", old=0.0, new=1.0)
    assert list(threshold_block([conflicts], "llama3"))[1] == (
        '"faithfulness.conflicts" = 1  # at most, was 0'
    )


def test_names_of_others_command_nobody() -> None:
    """A system's and a judge's name are what somebody typed, and stay on their line."""
    change = OrderChange(
        better=HOSTILE, worse=HOSTILE, n_papers=1, old=0.1, new=-0.1, p_old=1, p_new=1
    )
    means = (SystemMeans(system=HOSTILE, n_papers=1, old=0.5, new=0.5),)
    order = SystemOrder(metric="facet", means=means, changes=(change,))
    block = list(threshold_block([MEAN], HOSTILE))
    assert tomllib.loads("\n".join(block)) == {"thresholds": {"mean": {"facet": 0.812}}}
    assert len(harmless([*order_lines([order]), *block])) > 4

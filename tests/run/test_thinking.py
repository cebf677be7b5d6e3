from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from tools.benchmarks.thinking import PRICE, Thinker, run_on

REQUESTS: Final = 40 + 2
"""Four a pair, and two that are refused for ``max_tokens`` and ``temperature``."""


@pytest.mark.parametrize(("n_hidden", "tells"), [(0, True), (8000, False)])
def test_a_model_that_thinks_costs_no_more_requests(
    tmp_path: Path, n_hidden: int, *, tells: bool
) -> None:
    """Nothing is cut off, unscored, or paid twice; a plan counts the thoughts of stored replies."""
    thinker = Thinker(n_hidden, tells=tells)
    of = run_on(tmp_path, thinker)
    assert (of.n_requests, of.n_cut, of.n_unscored, of.n_next) == (REQUESTS, 0, 0, 0)
    assert of.n_planned == pytest.approx(of.n_billed, rel=0.05)


def test_a_model_that_thinks_for_longer_than_it_may_is_not_paid_again(tmp_path: Path) -> None:
    """The message says what to set; halves and a next run would be cut off as well."""
    thinker = Thinker(8000)
    of = run_on(tmp_path, thinker, keys="max_tokens = 2048\n")
    assert of.n_next == 0
    assert of.n_unscored == 10
    assert set(thinker.rooms) == {2048}
    assert of.n_cut == len(thinker.rooms) == 30  # ratings wait for facets
    spent = "the model spent all 2,048 tokens thinking; set max_tokens higher under [judges.NAME]"
    assert all(spent in message for message in of.messages)


def test_a_small_budget_lasts(tmp_path: Path) -> None:
    """Replies cost 1.44 dollars in all; a reply of the usual room would have cost 0.16."""
    of = run_on(tmp_path, Thinker(3000), keys=PRICE, budget=1.5)
    assert (of.n_requests, of.n_cut, of.n_unscored) == (REQUESTS, 0, 0)
    assert of.n_billed * 10 / 1e6 < 1.5

"""What a waiting test shows, and how steady the time left is."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import pytest

from summeval_pytest.endpoints.limits import Ledger, Totals
from summeval_pytest.run.progress import LOG_SECONDS, Progress, TimeLeft, progress_text

LOOK = 0.5
"""Seconds between two looks of a waiting test."""


def looks(n_done: Callable[[float], int], *, n_all: int, until: float) -> list[float]:
    """The end that is promised at each look, in seconds from the begin; three replies a pair."""
    time_left = TimeLeft()
    times = [LOOK * k for k in range(int(until / LOOK))]
    message = [(now, time_left.look(now, int(6 * now), n_done(now), n_all)) for now in times]
    return [now + left for now, left in message if left is not None]


@pytest.mark.parametrize("burst", [1, 8, 64])
def test_the_end_that_is_promised_moves_little(burst: int) -> None:
    """640 pairs, 2 a second, which end one by one or 64 at once: 320 s, whenever one looks."""
    ends = looks(lambda now: int(2 * now / burst) * burst, n_all=640, until=300)
    assert all(abs(end - 320) < 40 for end in ends[100:])
    assert max(abs(after - before) for before, after in pairwise(ends)) < 2.0  # in half a second


def test_nothing_is_promised_before_anybody_can_know() -> None:
    """The first of 64 pairs that were begun together says nothing of how fast they are."""
    time_left = TimeLeft()
    assert time_left.look(20.0, 9, 0, 300) is None
    assert time_left.look(21.0, 99, 1, 300) is None
    assert time_left.look(22.0, 199, 64, 300) is None
    later = time_left.look(31.0, 199, 64, 300)
    assert later is not None
    assert 60 < later < 180


def test_the_text_says_what_is_in_the_way() -> None:
    """Whoever reads the log of a run that hangs wants to know of whom."""
    ledger = Ledger(totals=Totals(n_asked=1200, n_cached=34, cost=1.5), n_in_flight=3)
    assert progress_text(ledger, 3, 30, 125.4, ["house: status 500 (busy)"]) == (
        "3/30 pairs, 1,234 answers (34 remembered), 3 in flight, 1.50 dollars, 2 min 5 s left;"
        " house: status 500 (busy)"
    )
    assert progress_text(Ledger(), 3, 0, None) == "3 pairs, 0 answers (0 remembered), 0 in flight"


def test_a_log_gets_a_line_every_thirty_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    """A log is kept: two lines a second would bury what matters, and none looks like a hang."""
    monkeypatch.setenv("PYTEST_CURRENT_TEST", "s/summeval.toml::llama3::zinc-01 (setup)")
    written: list[str] = []
    now = 0.0
    progress = Progress(None, written.append, lambda: now)
    for look in range(150):
        now = look * LOOK
        progress.show(Ledger(), n_judged=int(now), n_pairs=0, troubles=())
        progress.wipe()
    progress.close()
    assert LOG_SECONDS == 30.0
    begin = "summeval: s/summeval.toml::llama3::zinc-01 waits: "
    end = " pairs, 0 answers (0 remembered), 0 in flight"
    assert written == [f"{begin}30{end}", f"{begin}60{end}"]

"""What a run says of a judge's model that its endpoint ends."""

from __future__ import annotations

from typing import Final

import pytest

from tests.plugin.conftest import Bench

ARGUMENTS: Final = ("summeval.toml", "--summ-judge=rule", "-p", "no:cacheprovider")
PAST, FAR = "2020-01-31", "2999-01-31"
SAID: Final = "summeval: model 'rule-1' of judge 'rule' ends on 2020-01-31"


@pytest.fixture(autouse=True)
def _by_sentences(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """A suite of two papers, judged by their sentences."""
    monkeypatch.chdir(bench.path)
    bench.suite(pair="faithfulness = 0.1")


def test_an_ending_model_is_said_once_a_day_is_asked_and_changes_no_verdict(bench: Bench) -> None:
    """A run that sends requests says it; the endpoint is asked once a day, whatever the runs."""
    with bench.serving() as server:
        server.ends = {"rule-1": PAST, "other-1": PAST}
        first = bench.inside(*ARGUMENTS)
        again = bench.inside(*ARGUMENTS, "--summ-record=all")
        stored = bench.inside(*ARGUMENTS)
        assert server.n_listed == 1
    assert first.code == again.code == stored.code == 0
    assert first.out.count(SAID) == again.out.count(SAID) == 1
    assert "other-1" not in first.out
    assert SAID not in stored.out  # it asked nothing


@pytest.mark.parametrize("ends", [None, {"rule-1": "soon"}, {"rule-1": FAR}])
def test_an_endpoint_that_says_nothing_of_use_is_not_quoted(
    bench: Bench, ends: dict[str, object] | None
) -> None:
    """Few endpoints list their models; a line in every run for a year would be read by nobody."""
    with bench.serving() as server:
        server.ends = ends
        run = bench.inside(*ARGUMENTS)
    assert run.code == 0
    assert "ends on" not in run.out


def test_a_replay_asks_for_no_models(bench: Bench) -> None:
    """A replay has no network to ask."""
    with bench.serving() as server:
        server.ends = {"rule-1": PAST}
        bench.inside(*ARGUMENTS, "--summ-record=none")
        assert server.n_listed == 0


def test_workers_leave_it_to_the_run(bench: Bench) -> None:
    """A worker and the run say it once."""
    with bench.serving() as server:
        server.ends = {"rule-1": PAST}
        run = bench.inside(*ARGUMENTS, "-n", "1")
        assert server.n_listed == 1
    assert run.out.count(SAID) == 1

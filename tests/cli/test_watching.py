from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from summeval_pytest.cli.study import Watch
from summeval_pytest.judges.offline.embedded import OfflineJudge
from summeval_pytest.metrics.score import METRICS
from summeval_pytest.questions import FacetSegments, ListFacts, SegmentFacets
from summeval_pytest.run.runner import Runner, Task
from summeval_pytest.run.summaries import Summariser
from tests.asked_suite import KEY, by_rule, desk_for, loaded, write_suite
from tests.scripted_server import ScriptedServer

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    """Whoever answers."""
    with ScriptedServer(by_rule) as server:
        yield server


def test_a_watched_judge_says_what_it_says_unwatched() -> None:
    """And is the same judge by signature, so that no number is another's."""
    judge, watch = OfflineJudge(), Watch()
    watched = watch.over(judge)
    questions = (SegmentFacets("We fired bricks. They cracked."), ListFacts(("Bricks crack.",)))
    answers = asyncio.run(watched.answer(questions))
    assert answers == asyncio.run(judge.answer(questions))
    assert (watched.signature, watched.in_flight) == (judge.signature, judge.in_flight)
    assert isinstance(answers[0], FacetSegments)
    assert watch.segments("We fired bricks. They cracked.") == answers[0]
    assert watch.segments("They cracked.") is None
    assert [taken.n_questions for taken in watch.taken.values()] == [2]


def test_calls_count_for_the_pair_that_needs_them_first(
    tmp_path: Path, server: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All requests that the server has seen are somebody's, and a replay counts the same."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    suite = loaded(write_suite(tmp_path / "kilns", server.url))
    tasks = [
        Task(suite=suite, paper=paper, system=system, metrics=METRICS)
        for system in ("good", "bad")
        for paper in suite.paper_ids
    ]

    def taken() -> dict[tuple[str, str], tuple[int, int]]:
        session, watch = desk_for(tmp_path / "store", suite), Watch()
        judge = watch.over(session.judge("rule", [suite], watch.lines(lambda: session.exchange)))
        find_pair = watch.pairs(Summariser(session.sender).pair)
        runner = Runner(judge, find_pair=find_pair, finish=session.finish)
        try:
            assert len(list(runner.evaluations(tasks))) == 4
        finally:
            runner.close()
        return {of: (each.n_calls, each.prompt_tokens) for of, each in watch.taken.items()}

    first = taken()
    n_asked = server.n_requests
    assert sum(n_calls for n_calls, _ in first.values()) == n_asked > 0
    assert first["good", "kiln"][0] > first["bad", "kiln"][0]  # which shares the reference
    again = taken()
    assert server.n_requests == n_asked
    assert sum(n_calls for n_calls, _ in again.values()) == n_asked
    assert all(tokens > 0 for n_calls, tokens in first.values() if n_calls)

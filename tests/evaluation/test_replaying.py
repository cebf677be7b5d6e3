from __future__ import annotations

import asyncio
import json
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest

from summeval_pytest.evaluation import Task, ask_in_ways, ways_of
from summeval_pytest.metrics import METRICS
from summeval_pytest.questions import (
    CheckFacts,
    CheckSentences,
    ListFacts,
    RateFacets,
    SegmentFacets,
    SentenceCheck,
    SentenceChecks,
    Unanswered,
)
from summeval_pytest.suite import load_suite
from tests.noisy_judge import NoisyJudge, find_pair, noisy_tasks, write_noisy_suite

if TYPE_CHECKING:
    from pathlib import Path

    from summeval_pytest.evaluation import AskedItem, PairInWays
    from summeval_pytest.judges import Judge
    from summeval_pytest.questions import Answer, Question


def replayed(
    judge: Judge, tasks: list[Task]
) -> tuple[tuple[AskedItem, ...], tuple[PairInWays, ...]]:
    """The items and pairs of a judge in all its ways."""
    return asyncio.run(ask_in_ways(tasks, ways_of(judge), find_pair))


@pytest.fixture
def tasks(tmp_path: Path) -> list[Task]:
    """Two papers with two summaries each."""
    return noisy_tasks(write_noisy_suite(tmp_path / "lots", n_papers=2))


def test_every_item_of_the_first_run_is_asked_in_every_way(tasks: list[Task]) -> None:
    """A pair has 4 facets, 12 facts of its own and 8 of the reference, and 12 sentences."""
    items, pairs = replayed(NoisyJudge(), tasks)
    assert Counter(item.kind for item in items) == {"rating": 16, "fact": 80, "sentence": 48}
    assert all(
        item.single is not None and item.single == item.again == item.batched == item.reversed
        for item in items
    )
    assert [(pair.system, pair.paper) for pair in pairs] == [(t.system, t.paper) for t in tasks]
    for pair in pairs:
        assert set(pair.single) == set(METRICS)
        assert pair.single == pair.again == pair.batched


def test_halves_of_a_request_are_told_apart(tasks: list[Task]) -> None:
    """Of a request of eight, four items move from front to back and four the other way."""
    items, _ = replayed(NoisyJudge(), tasks)
    sides = Counter(item.is_front for item in items if item.kind == "sentence")
    # 12 sentences make requests of 8 and 4, without a middle
    assert sides == {True: 24, False: 24}


@dataclass(slots=True)
class Noting:
    """A judge of one's own that notes what it is asked."""

    inner: NoisyJudge = field(default_factory=NoisyJudge)
    asked: list[Question] = field(default_factory=list)
    signature: str = "noting-1"
    in_flight: int = 1

    async def answer(self, questions: tuple[Question, ...]) -> tuple[Answer, ...]:
        """What the inner judge says."""
        self.asked.extend(questions)
        return await self.inner.answer(questions)


def test_texts_are_read_once_and_items_asked_alone_twice_together_and_turned(
    tasks: list[Task],
) -> None:
    """Both runs must be asked about the same items, so the first one says which these are."""
    judge = Noting()
    replayed(judge, tasks[:1])
    by_kind = Counter(type(question) for question in judge.asked)
    assert by_kind[SegmentFacets] == by_kind[ListFacts] == 2
    checks = [q for q in judge.asked if isinstance(q, CheckSentences)]
    assert Counter(len(q.sentences) for q in checks) == {1: 24, 12: 2}
    (given, turned) = (q.sentences for q in checks if len(q.sentences) == 12)
    assert turned == given[::-1]
    assert Counter(len(q.pairs) for q in judge.asked if isinstance(q, RateFacets)) == {1: 8, 4: 2}
    facts = Counter(len(q.facts) for q in judge.asked if isinstance(q, CheckFacts))
    assert facts == {1: 40, 12: 2, 8: 2}


def test_noise_is_measured_as_it_is(tmp_path: Path) -> None:
    """Two answers that are each turned with 4 % differ in 2 * .04 * .96 = 7.7 % of the items."""
    tasks = noisy_tasks(write_noisy_suite(tmp_path / "many", n_papers=10))
    items, _ = replayed(NoisyJudge(noise=0.04), tasks)
    facts = [item for item in items if item.kind == "fact"]
    assert len(facts) == 400
    differing = sum(item.single != item.again for item in facts) / len(facts)
    assert differing == pytest.approx(0.077, abs=3 * (0.077 * 0.923 / 400) ** 0.5)


def test_what_stays_unanswered_is_told_and_scores_nothing(tasks: list[Task]) -> None:
    """Unanswered together and answered alone: the pair has a score alone only."""
    items, pairs = replayed(NoisyJudge(silent=0.5), tasks)
    assert all(item.single is not None for item in items)
    silent = [item for item in items if item.batched is None]
    assert 0.3 < len(silent) / len(items) < 0.7
    assert {item.fault for item in silent} == {"by lot, no answer"}
    assert all(pair.single["faithfulness"] is not None for pair in pairs)
    assert all(pair.batched["faithfulness"] is None for pair in pairs)


class Torn(NoisyJudge):
    """Cannot read a text, and cannot check sentences of the left system alone."""

    async def answer(self, questions: tuple[Question, ...]) -> tuple[Answer, ...]:
        """No facets, no facts."""
        return tuple(map(self._torn, questions))

    def _torn(self, question: Question) -> Answer:
        if isinstance(question, CheckSentences):
            return SentenceChecks(
                tuple(SentenceCheck(reason="", supported=True) for _ in question.sentences)
            )
        return Unanswered("the page is torn")


def test_a_text_that_cannot_be_read_leaves_its_metrics_unscored(tasks: list[Task]) -> None:
    """There are no items to ask about, and that is said: None, where a summary has nothing else."""
    items, pairs = replayed(Torn(), tasks)
    assert {item.kind for item in items} == {"sentence"}
    for pair in pairs:
        for way in (pair.single, pair.again, pair.batched):
            assert way == {"facet": None, "eva": None, "faithfulness": 1.0}
        assert pair.fault == "the page is torn"


def test_a_summary_with_nothing_to_score_is_left_out(tmp_path: Path) -> None:
    """A refused summary is the system's fault and says nothing of the judge."""
    suite = write_noisy_suite(tmp_path / "lots", n_papers=1)
    line = {"paper": "lot-00", "summary": "-"}
    (tmp_path / "lots" / "left.jsonl").write_text(json.dumps(line) + "\n", encoding="utf-8")
    suite = load_suite(tmp_path / "lots", "lots")
    items, pairs = replayed(NoisyJudge(), noisy_tasks(suite)[:1])
    assert items == ()
    assert [pair.single for pair in pairs] == [{}]


def test_what_two_pairs_share_is_one_item(tasks: list[Task]) -> None:
    """Counted twice, it would seem to be more evidence than it is."""
    once, _ = replayed(NoisyJudge(), tasks[:1])
    items, pairs = replayed(NoisyJudge(), [tasks[0], tasks[0]])
    assert len(items) == len(once)
    assert len(pairs) == 2

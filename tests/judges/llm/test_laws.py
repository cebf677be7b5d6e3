"""What holds whatever a model replies, and how many requests a pair takes."""

from __future__ import annotations

import asyncio
import json
import math
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from summeval_pytest.endpoints.chat import ChatReply, ChatRequest, Finish
from summeval_pytest.endpoints.client import Sender
from summeval_pytest.errors import Place
from summeval_pytest.judges.llm.llm_judge import LlmJudge
from summeval_pytest.metrics.catalogue import METRICS, Score
from summeval_pytest.metrics.number import Unscored
from summeval_pytest.metrics.own import OwnScore
from summeval_pytest.run.measure import PLAIN, Asker
from summeval_pytest.run.runner import Task, evaluate_task
from summeval_pytest.suite.file import Variants
from summeval_pytest.suite.suite import suite_of_pairs
from summeval_pytest.suite.values import Pair, Paper, Section
from tests.json_values import JSON_VALUES
from tests.judges.llm.by_rule import Hook, RuleSender, judge_of, kind_of
from tests.judges.test_conformance import answers_of, questions_about

Part = dict[str, object] | list[object]
SOURCE = (
    "Kilns with a slow draught are rare in the valley.",
    "We fired forty bricks in two kilns and weighed each of them twice.",
    "The slow draught gave bricks of 31 MPa, and the fast draught gave bricks of 22 MPa.",
    "Cracks were seen in 4 of 20 bricks from the fast draught.",
    "Slow firing is worth its fuel where bricks must carry a roof.",
)
SUMMARY = (
    "Slow kilns are rare in the valley. We fired forty bricks in two kilns and counted them. "
    "The slow draught gave bricks of 31 MPa, and the fast draught gave bricks of 35 MPa. "
    "Slow firing is worth its fuel."
)


def pair_of(source: str, reference: str, summary: str) -> Pair:
    """A summary of the bricks' paper."""
    place = Place("papers.jsonl", 1)
    sections = (Section(text=source),)
    paper = Paper(id="kiln-02", source=sections, references=(reference,), place=place)
    return Pair(paper=paper, system="careful", summary=summary, place=place)


PAIR = pair_of(" ".join(SOURCE), " ".join(SOURCE).replace("rare", "seldom seen"), SUMMARY)
WORDS = ("id", "label", "entailed", "supported", "result", "checks", -1, 2, math.nan)
json_values = JSON_VALUES | st.sampled_from(WORDS)


def parts_of(value: object) -> Iterator[Part]:
    """Every object and list of a reply."""
    if isinstance(value, dict | list):
        yield value
        for inner in value.values() if isinstance(value, dict) else value:
            yield from parts_of(inner)


@st.composite
def edits(draw: st.DrawFn) -> Callable[[str], str]:
    """A part of a reply that is left out, another one, or there twice."""
    edit = draw(st.sampled_from(["drop", "put", "repeat"]))
    place, value = draw(st.integers(0, 400)), draw(json_values)

    def mutate(text: str) -> str:
        reply = json.loads(text)
        parts = list(parts_of(reply))
        part = parts[place % len(parts)]
        if isinstance(part, dict) and part and edit != "repeat":
            key = list(part)[place % len(part)]
            part |= {key: value}
            if edit == "drop":
                del part[key]
        elif isinstance(part, list):
            at = place % (len(part) + 1)
            part[at:] = {"drop": [], "put": [value, *part[at:]], "repeat": [*part[at:], *part[:1]]}[
                edit
            ]
        return json.dumps(reply)

    return mutate


mutations = (
    edits()
    | st.text(max_size=12).map(lambda words: lambda text: f"{words}{text}{words}")
    | st.text(max_size=12).map(lambda words: lambda _: words)
    | st.integers(0, 400).map(lambda place: lambda text: text[:place])
    | json_values.map(lambda value: lambda _: json.dumps(value))
)
"""Some way in which a reply may differ from what was asked for."""


@settings(deadline=None, max_examples=12)
@given(
    st.lists(mutations, min_size=1, max_size=4),
    st.lists(st.sampled_from(get_args(Finish)), min_size=1, max_size=3),
    st.integers(1, 3),
)
def test_every_reply_ends_in_answers_of_the_right_kind_and_count(
    mutated: list[Callable[[str], str]], finishes: list[Finish], votes: int
) -> None:
    """Replies are other people's text: whatever they hold, every item has an answer or none."""
    n_sent = 0

    def hook(request: ChatRequest, text: str) -> ChatReply:
        nonlocal n_sent
        n_sent += 1
        assert request.attempt <= 2
        changed = mutated[n_sent % len(mutated)](text)
        return ChatReply(text=changed, finish=finishes[n_sent % len(finishes)])

    judge = judge_of(hook, votes=votes)
    str(answers_of(judge, *questions_about(SOURCE[1], SOURCE[2]))).encode()


def scores_of(sender: Sender, *, votes: int = 1) -> tuple[Score | Unscored, ...]:
    """The summary of the bricks' paper, by all three metrics."""
    asker = Asker(LlmJudge(sender, model="m", endpoint="rule", votes=votes))
    return asyncio.run(evaluate_task(task_of(PAIR), PAIR, asker)).scores


def task_of(pair: Pair, variants: Variants = PLAIN) -> Task:
    """The task of measuring a pair by all metrics."""
    suite = replace(suite_of_pairs([pair], "bricks"), variants=variants)
    return Task(suite=suite, paper=pair.paper.id, system=pair.system, metrics=METRICS)


WHOLE = scores_of(RuleSender())


def is_raised(score: Score | Unscored, whole: Score | Unscored) -> bool:
    """Whether a score is above what whole replies came to, which leaves room to rise."""
    assert not isinstance(whole, Unscored | OwnScore)
    assert 0 < whole.value < 1
    return not isinstance(score, Unscored | OwnScore) and score.value > whole.value


def without(kind: str, place: int, *, attempts: int) -> Hook:
    """A model that leaves one item out of replies of a kind, at so many first attempts."""

    def hook(request: ChatRequest, text: str) -> str:
        if kind_of(request) != kind or request.attempt >= attempts:
            return text
        reply = json.loads(text)
        for key, entries in list(reply.items()):
            if isinstance(entries, list):
                reply[key] = [entry for entry in entries if entry["id"] != place]
            elif key == list(reply)[place % len(reply)]:
                del reply[key]
        return json.dumps(reply)

    return hook


kinds = st.sampled_from(["facts", "facet_ratings", "fact_checks", "sentence_checks"])


@settings(deadline=None, max_examples=15)
@given(kinds, st.integers(1, 8), st.integers(1, 3))
def test_a_reply_without_an_item_never_raises_a_score(kind: str, place: int, attempts: int) -> None:
    """Other tools divide by the items that came back (metrics.md section 6, failure 1)."""
    sender = RuleSender(without(kind, place, attempts=attempts))
    for score, whole in zip(scores_of(sender), WHOLE, strict=True):
        assert not is_raised(score, whole)
        assert score == whole or (attempts == 3 and isinstance(score, Unscored))


LONG = pair_of(
    " ".join(f"Kiln {n} burned for {n + 10} hours on {n + 2} logs." for n in range(120)),
    *(
        " ".join(
            f"Batch {n} was fired for {n + 3} hours and weighed {n + 4} kg and {what}"
            f" at {n + 5} MPa."
            for n in range(n_batches)
        )
        for n_batches, what in ((10, "cracked"), (8, "broke"))
    ),
)


class Waves(RuleSender):
    """Answers together what is asked at once: the next wave needs these answers."""

    n_waves = 0
    gate: asyncio.Event | None = None

    async def send(self, request: ChatRequest) -> ChatReply:
        """The reply, with the others of its wave."""
        if self.gate is None:
            self.n_waves += 1
            self.gate = gate = asyncio.Event()
            for _ in range(50):  # until nobody sends another
                await asyncio.sleep(0)
            self.gate = None
            gate.set()
        else:
            await self.gate.wait()
        return await super().send(request)


@pytest.mark.parametrize("backward", [False, True])
def test_a_pair_takes_few_requests_in_two_steps(*, backward: bool) -> None:
    """Metrics.md 3.2: at most 7, or 13 with both recalls; a naive run takes hundreds.

    10 sentences of the reference and 8 of the summary: 2 requests; their 24 facts in chains of 3:
    15 + 9; the reference's facets: 1; the ratings: 1; 8 sentences against 120: 1. Backward 30
    facts: 24 + 6.
    """
    waves = Waves()
    asker = Asker(LlmJudge(waves, model="m", endpoint="rule"))
    variants = Variants(eva_recall="both" if backward else "matched")
    evaluation = asyncio.run(evaluate_task(task_of(LONG, variants), LONG, asker))
    assert evaluation.numbers().unscored == ()
    assert waves.n_waves == 2
    assert Counter(map(kind_of, waves.sent)) == {
        "facet_segments": 1,
        "facts": 2,
        "facet_ratings": 1,
        "fact_checks": 4 if backward else 2,
        "sentence_checks": 1,
    }

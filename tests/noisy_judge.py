"""A judge with known noise, and a suite that it can be asked about in several ways.

Every item has a true answer, which a hash of its text gives; a draw that depends on the item, the
way of asking, the order and the sample turns some of the answers. Extraction is without noise: a
sentence of a text is one facet, in turn, and one fact.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from summeval_pytest.evaluation import Task, ask_in_ways, ways_of
from summeval_pytest.metrics import METRICS
from summeval_pytest.questions import (
    FACETS,
    SCALES,
    CheckFacts,
    CheckSentences,
    FacetRating,
    FacetRatings,
    FacetSegments,
    Fact,
    FactCheck,
    FactChecks,
    FactList,
    ListFacts,
    RateFacets,
    SegmentFacets,
    SentenceCheck,
    SentenceChecks,
    Unanswered,
)
from summeval_pytest.suite import Suite, load_suite
from summeval_pytest.text import split_sentences
from summeval_pytest.verdict.equivalence import decide_equivalence

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from summeval_pytest.judges import Judge
    from summeval_pytest.questions import Answer, Question
    from summeval_pytest.suite import Pair
    from summeval_pytest.verdict.equivalence import Equivalence

N_SENTENCES: Final = 12
_TRUE: Final = 0.6


def draw(*words: object) -> float:
    """A number in [0, 1) that these words give, always the same."""
    digest = hashlib.sha256("|".join(map(str, words)).encode()).digest()
    return int.from_bytes(digest[:7], "big") / 2**56


@dataclass(frozen=True, slots=True, kw_only=True)
class NoisyJudge:
    """A judge by lot.

    Attributes:
        seed: Another one gives other noise, and the same truth.
        noise: The share of answers that are turned, however it is asked.
        more: The share of those that are turned beside them where items are asked together.
        harsh: Asked together, the share of yes that becomes no, and of ratings that fall.
        first: Asked together, the chance that an item in the front half of its request passes.
        silent: Asked together, the share of items without an answer.
        batched: Whether items are asked together.
        sample: Which draw of the noise.
    """

    seed: int = 0
    noise: float = 0.0
    more: float = 0.0
    harsh: float = 0.0
    first: float = 0.0
    silent: float = 0.0
    batched: bool = True
    sample: int = 0

    @property
    def in_flight(self) -> int:
        """Some pairs at once, as a judge that waits."""
        return 8

    @property
    def signature(self) -> str:
        """All that can change an answer."""
        return repr(self)

    def another_way(self, *, batched: bool, sample: int) -> NoisyJudge:
        """The same judge, asked in another way."""
        return replace(self, batched=batched, sample=sample)

    def requests(self, question: Question) -> tuple[tuple[int, ...], ...]:
        """At most eight items share a request."""
        match question:
            case RateFacets(items) | CheckFacts(items) | CheckSentences(items):
                places = tuple(range(len(items)))
                return tuple(places[start : start + 8] for start in range(0, len(items), 8))
            case _:
                return ()

    async def answer(self, questions: tuple[Question, ...]) -> tuple[Answer, ...]:
        """One answer for each question."""
        return tuple(map(self._answer, questions))

    def _answer(self, question: Question) -> Answer:
        match question:
            case SegmentFacets(text):
                held: dict[str, list[str]] = {facet: [] for facet in FACETS}
                for place, sentence in enumerate(split_sentences(text)):
                    held[FACETS[place % 4]].append(sentence.text)
                return FacetSegments(**{facet: " ".join(of) for facet, of in held.items()})
            case ListFacts(sentences):
                return FactList(tuple(Fact(text=t, sentence=i) for i, t in enumerate(sentences)))
            case RateFacets(pairs):
                return FacetRatings(
                    tuple(
                        FacetRating(facet=pair.facet, reason="lot", rating=rating)
                        if (rating := self._rating(question, place)) is not None
                        else Unanswered("by lot, no answer")
                        for place, pair in enumerate(pairs)
                    )
                )
            case CheckFacts(facts, premises):
                return FactChecks(
                    tuple(
                        Unanswered("by lot, no answer")
                        if (holds := self._holds(question, place)) is None
                        else FactCheck(
                            reason="lot",
                            entailed=holds,
                            premises=(fact.sentence % len(premises),) if holds else (),
                        )
                        for place, fact in enumerate(facts)
                    )
                )
            case CheckSentences(sentences):
                checks = (self._holds(question, place) for place in range(len(sentences)))
                return SentenceChecks(
                    tuple(
                        Unanswered("by lot, no answer")
                        if holds is None
                        else SentenceCheck(reason="lot", supported=holds)
                        for holds in checks
                    )
                )
            case _:
                return Unanswered("no lot is drawn on a whole summary")

    def _holds(self, question: CheckFacts | CheckSentences, place: int) -> bool | None:
        texts = (
            [fact.text for fact in question.facts]
            if isinstance(question, CheckFacts)
            else list(question.sentences)
        )
        lot = (self.seed, texts[place], self.batched, self.sample, texts if self.batched else "")
        if self.batched and draw("silent", *lot) < self.silent:
            return None
        holds = draw("truth", texts[place]) < _TRUE
        share = self.noise + (self.more if self.batched else 0.0)
        holds ^= draw("noise", *lot) < share
        if self.batched and holds and draw("harsh", *lot) < self.harsh:
            return False
        is_front = len(texts) > 1 and self._is_front(question, place)
        return holds or (is_front and draw("first", *lot) < self.first)

    def _is_front(self, question: Question, place: int) -> bool:
        if not self.batched:
            return False
        (places,) = (each for each in self.requests(question) if place in each)
        return 2 * places.index(place) < len(places) - 1

    def _rating(self, question: RateFacets, place: int) -> int | None:
        pair = question.pairs[place]
        order = tuple(each.facet for each in question.pairs) if self.batched else ""
        lot = (self.seed, pair.candidate, self.batched, self.sample, order)
        if self.batched and draw("silent", *lot) < self.silent:
            return None
        top = SCALES[pair.facet]
        rating = 1 + int(draw("truth", pair.candidate) * top)
        if draw("noise", *lot) < self.noise + (self.more if self.batched else 0.0):
            rating += 1 if rating == 1 else -1
        if self.batched and draw("harsh", *lot) < self.harsh:
            rating -= 1
        return min(top, max(1, rating))


def write_noisy_suite(folder: Path, n_papers: int = 30) -> Suite:
    """Papers with a reference of eight sentences, and two systems with summaries of twelve."""
    folder.mkdir(exist_ok=True)
    papers = [
        {
            "id": f"lot-{number:02}",
            "source": " ".join(f"Source {number} states matter {k}." for k in range(20)),
            "reference": " ".join(f"Paper {number} found matter {k}." for k in range(8)),
        }
        for number in range(n_papers)
    ]
    _write(folder / "papers.jsonl", papers)
    text = 'papers = "papers.jsonl"\n'
    for system in ("left", "right"):
        summaries = [
            {
                "paper": f"lot-{number:02}",
                "summary": " ".join(
                    f"The {system} text {number} says matter {k}." for k in range(N_SENTENCES)
                ),
            }
            for number in range(n_papers)
        ]
        _write(folder / f"{system}.jsonl", summaries)
        text += f'[systems.{system}]\nsummaries = "{system}.jsonl"\n'
    (folder / "summeval.toml").write_text(text, encoding="utf-8")
    return load_suite(folder, folder.name)


def noisy_tasks(suite: Suite) -> list[Task]:
    """Every pair of a suite."""
    return [
        Task(suite=suite, paper=paper, system=system, metrics=METRICS)
        for system in suite.systems
        for paper in suite.paper_ids_of(system)
    ]


async def find_pair(suite: Suite, paper: str, system: str) -> Pair:
    """A recorded summary."""
    return suite.pair(paper, system)


def asked(judge: Judge, tasks: Sequence[Task]) -> Equivalence:
    """What the judge's answers in all ways come to."""
    return decide_equivalence(*asyncio.run(ask_in_ways(tasks, ways_of(judge), find_pair)))


def _write(file: Path, objects: list[dict[str, str]]) -> None:
    file.write_text("".join(json.dumps(values) + "\n" for values in objects), encoding="utf-8")

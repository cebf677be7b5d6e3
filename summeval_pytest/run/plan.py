"""The plan of a run: missing calls, tokens and dollars, counted without a request.

A missing reply is noted. A plan goes on with the embedded judge's answer in its place, to count the
questions that depend on it; a batch stops there, and its next round asks on.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from itertools import product
from statistics import fmean
from typing import Final

from summeval_pytest.endpoints.chat import ChatReply, ChatRequest, Usage
from summeval_pytest.endpoints.client import Sender
from summeval_pytest.endpoints.endpoint import Address, Endpoint, Price
from summeval_pytest.endpoints.exchange import Memory
from summeval_pytest.endpoints.limits import tokens_about
from summeval_pytest.errors import NoReplyError
from summeval_pytest.judges.judge import Judge
from summeval_pytest.metrics.catalogue import METRICS
from summeval_pytest.questions import Answer, OtherQuestion, Question
from summeval_pytest.run.measure import METRIC, Asker, is_whole
from summeval_pytest.run.runner import FindPair, Task, evaluate_task, pair_of
from summeval_pytest.store.cassette import Row
from summeval_pytest.suite.values import Pair
from summeval_pytest.text.sentences import split_sentences

SUMMARIES: Final = "summaries"
"""In place of a metric's name, the requests to models under test."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Missing:
    """A request that nobody has answered yet.

    Attributes:
        key: Its key in the store.
        price: What the tokens cost; None where nobody said.
        system: The first system that needs it.
        metric: The first metric that needs it, or ``summaries``.
        is_certain: Whether it is known word for word, and not built from a stand-in's answer.
        is_unusable: Whether a reply is stored and cannot be used.
    """

    key: str
    endpoint: Endpoint
    request: ChatRequest
    price: Price | None
    system: str
    metric: str
    is_certain: bool = True
    is_unusable: bool = False


class Survey:
    """The replies that a run needs, stored or missing.

    Attributes:
        stored: The stored replies that the run uses, by key.
        missing: The requests without one, by key, in the order in which they came up.
        cut_off: Those whose stored replies were cut off, so that nobody is asked again.
        system: The system that is surveyed now.
        memory: The remembered replies.
    """

    def __init__(self, memory: Memory) -> None:
        self.stored: dict[str, Row] = {}
        self.missing: dict[str, Missing] = {}
        self.cut_off: dict[str, Missing] = {}
        self.system = ""
        self.memory = memory
        self._allowed_tokens = 0
        self._reply_tokens = 0
        self._thoughts: dict[tuple[str, str], list[int]] = {}

    @property
    def reply_share(self) -> float | None:
        """Tokens of the stored replies as a share of what their answers need at most.

        From 0; above 1 where a model thinks and does not say how much. None for no count.
        """
        return self._reply_tokens / self._allowed_tokens if self._allowed_tokens else None

    @property
    def thoughts(self) -> Mapping[tuple[str, str], float]:
        """By endpoint and model, the tokens that it thought for a stored reply, in the mean."""
        return {model: fmean(counts) for model, counts in self._thoughts.items()}

    def line(self, address: Address, price: Price | None) -> Sender:
        """A sender that asks nobody."""
        return _Surveyed(self, address.endpoint, price)

    def find(self, key: str, endpoint: str, request: ChatRequest) -> ChatReply | None:
        """The stored reply to a request to an endpoint; None if there is none."""
        if key in self.missing:
            return None
        reply = self.memory.recorded(key) or self.memory.cached(key)
        if reply is None:
            return None
        if key not in self.stored and reply.usage is not None:
            self._allowed_tokens += request.max_tokens
            self._reply_tokens += reply.usage.completion_tokens - reply.n_thought
            self._thoughts.setdefault((endpoint, request.model), []).append(reply.n_thought)
        self.stored[key] = Row(key=key, topic=request.topic, reply=reply.as_json())
        return reply

    async def of(
        self, tasks: Iterable[Task], find_pair: FindPair, judge: Judge, *, imagine: bool = False
    ) -> None:
        """Drive the flows of all tasks; judge and ``find_pair`` must use this survey's lines.

        With ``imagine``, a stand-in answers behind a missing reply.
        """
        answering = _Imagining(judge) if imagine else judge
        for task in tasks:
            self.system = task.system
            _PATH.set(_Path())
            try:
                pair = await pair_of(task, find_pair)
            except NoReplyError:
                if not imagine:
                    continue
                # about as long as a summary will be: the reference, its sentences turned round
                paper, place = task.suite.paper(task.paper), task.suite.place_of(task.system)
                sentences = [each.text for each in split_sentences(paper.references[0])]
                summary = " ".join(reversed(sentences))
                pair = Pair(paper=paper, system=task.system, summary=summary, place=place)
                _PATH.get().is_imagined = True
            asker = Asker(answering)  # a new one: it would remember imagined answers
            await asyncio.create_task(evaluate_task(task, pair, asker))


@dataclass(slots=True)
class _Path:
    """On what the flows of a pair depend that nobody has given yet: its summary, or an answer."""

    is_imagined: bool = False
    metrics: set[str] = field(default_factory=set)

    @property
    def is_certain(self) -> bool:
        """Whether what the flow of this metric asks next is known word for word."""
        return not self.is_imagined and METRIC.get() not in self.metrics


_PATH: ContextVar[_Path] = ContextVar("_PATH")
"""That of the pair; the calls of its flows share it."""


@dataclass(frozen=True, slots=True)
class _Surveyed:
    survey: Survey
    endpoint: Endpoint
    price: Price | None

    async def send(self, request: ChatRequest) -> ChatReply:
        """The stored reply.

        Raises:
            NoReplyError: ``not_recorded``, if there is none.
        """
        key = request.key(self.endpoint.name)
        if (reply := self.survey.find(key, self.endpoint.name, request)) is not None:
            return reply
        self.survey.missing.setdefault(key, self._missing(request))
        raise NoReplyError("not_recorded", f"not asked yet: {request.topic} ({key[:8]})")

    def give_up(self, said: Sequence[tuple[ChatRequest, ChatReply]]) -> str:
        """Note the first request as missing, or as cut off: where the next run begins anew.

        What repeats itself is recorded as it is, since no other room would help.
        """
        if said[-1][1].is_looping and all(reply.finish == "length" for _, reply in said):
            return "unusable"
        bad = [replace(self._missing(r), is_unusable=True) for r, y in said if y.finish != "length"]
        for each in bad:
            self.survey.stored.pop(each.key, None)
        place = self.survey.missing if bad else self.survey.cut_off
        first = bad[0] if bad else self._missing(said[0][0])
        place.setdefault(first.key, first)
        return "unusable"

    def _missing(self, request: ChatRequest) -> Missing:
        return Missing(
            key=request.key(self.endpoint.name),
            endpoint=self.endpoint,
            request=request,
            price=self.price,
            system=self.survey.system,
            metric=METRIC.get() or SUMMARIES,
            is_certain=_PATH.get().is_certain,
        )


class _Imagining:
    """A judge with the embedded judge as a stand-in for missing answers."""

    def __init__(self, judge: Judge) -> None:
        from summeval_pytest.judges.offline import OfflineJudge

        self.signature = judge.signature
        self.in_flight = 1
        self._judge = judge
        self._stand_in = OfflineJudge()

    async def answer(self, questions: tuple[Question, ...]) -> tuple[Answer, ...]:
        """The judge's answers, and the embedded judge's where one is missing."""
        answers = list(await self._judge.answer(questions))
        missing = [i for i, answer in enumerate(answers) if not is_whole(answer)]
        if missing:
            _PATH.get().metrics.add(METRIC.get())
            others = await self._stand_in.answer(tuple(questions[i] for i in missing))
            for place, answer in zip(missing, others, strict=True):
                one = questions[place]
                answers[place] = one.imagined(answer) if isinstance(one, OtherQuestion) else answer
        return tuple(answers)


USUAL_SHARE: Final = 0.3
"""The assumed share of ``max_tokens`` that an answer takes, where no reply is stored."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedCalls:
    """The calls of one system for one metric, or for its summaries.

    A question that several systems or metrics share is counted under the first that needs it.

    Attributes:
        n_calls: Calls, with those that depend on replies which nobody has given yet.
        n_certain: Those of them that are known word for word.
        completion_tokens: Tokens to receive, about; those to send are counted likewise.
        cost: Dollars, about, of the calls whose price is known; None where none is.
        n_unpriced: Calls whose price is not known.
        listed: The prices that nobody wrote into the suite, with where they come from.
    """

    system: str
    metric: str
    n_calls: int
    n_certain: int
    prompt_tokens: int
    completion_tokens: int
    cost: float | None
    n_unpriced: int = 0
    listed: frozenset[tuple[str, Price]] = frozenset()


def planned_calls(
    missing: Iterable[Missing], reply_share: float | None, thoughts: Mapping[tuple[str, str], float]
) -> list[PlannedCalls]:
    """The missing requests by system, in the order in which these came up, and metric.

    `Survey` has the length of replies, and the tokens of thoughts by endpoint and model.
    """
    share = USUAL_SHARE if reply_share is None else reply_share
    groups: dict[tuple[str, str], list[tuple[Missing, Usage]]] = {}
    for each in missing:
        request = each.request
        n_thought = thoughts.get((each.endpoint.name, request.model), 0.0)
        n_replied = round(request.max_tokens * share + n_thought)
        usage = Usage(prompt_tokens=tokens_about(request), completion_tokens=n_replied)
        groups.setdefault((each.system, each.metric), []).append((each, usage))
    systems = list(dict.fromkeys(system for system, _ in groups))
    metrics = list(dict.fromkeys([SUMMARIES, *METRICS, *(metric for _, metric in groups)]))
    calls = []
    for system, metric in product(systems, metrics):
        if not (group := groups.get((system, metric))):
            continue
        known = [(each.price, usage) for each, usage in group if each.price is not None]
        calls.append(
            PlannedCalls(
                system=system,
                metric=metric,
                n_calls=len(group),
                n_certain=sum(each.is_certain for each, _ in group),
                prompt_tokens=sum(usage.prompt_tokens for _, usage in group),
                completion_tokens=sum(usage.completion_tokens for _, usage in group),
                cost=sum(price.cost(usage) for price, usage in known) if known else None,
                n_unpriced=len(group) - len(known),
                listed=frozenset((price.source, price) for price, _ in known if price.source),
            )
        )
    return calls

"""Rounds of requests about the items of one question, and votes on each item.

An item without a usable reply is asked about again, with a note of what was wrong.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from typing import Final, TypeVar

from summeval_pytest.endpoints.chat import ROOM, ChatReply, ChatRequest, Effort, Finish, Message
from summeval_pytest.endpoints.client import Sender, send_roomy
from summeval_pytest.endpoints.wire import read_off_loop
from summeval_pytest.errors import REFUSALS, NoReplyError, OptionError
from summeval_pytest.judges.llm.prompts import PromptBatch, Units, span
from summeval_pytest.judges.llm.replies import NOTES, FaultKind, ItemT, Read, UnreadableError
from summeval_pytest.questions import FactCheck, SentenceCheck, Unanswered

T = TypeVar("T")


@dataclass(slots=True)
class ReplyCounts:
    """Counts over everything that was asked of one judge: its only memory.

    Requests are counted in every vote; a reply that answers two questions, as facets and facts of
    a text are, counts in both.

    Attributes:
        n_reasked: Items asked about again, as often as they were.
        n_unanswered: Items that stayed without a usable reply.
        n_ungrounded_quotes: Quotations that do not stand in the source, of the votes that decided.
        n_dropped_facts: Facts left out for a number that their sentence does not state.
        n_voted: Items that more than one vote decided.
        n_agreeing: Over these, the sum of the shares of votes that agree with the outcome.
    """

    n_reasked: int = 0
    n_unanswered: int = 0
    n_ungrounded_quotes: int = 0
    n_dropped_facts: int = 0
    n_voted: int = 0
    n_agreeing: float = 0.0


MAX_REASKS: Final = 2
FIRST_ROOM: Final = 4096
"""Tokens that a reply has room for at first: many more than answers need."""
TOKENS: Final = 512
TOKENS_PER_ITEM: Final = 256
_SEEDS_PER_VOTE: Final = 1000
"""A vote asked again gets a seed that no other vote has."""

_CUT_SHORT: Final[Mapping[Finish, UnreadableError]] = {
    "length": UnreadableError("cut_off", "the reply was cut off"),
    "content_filter": UnreadableError("filtered", "a content filter ended the reply"),
    "refusal": UnreadableError("refused", "the judge refused"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One request about some items.

    Attributes:
        ids: The items.
        vote: Which vote this belongs to, from 0.
        attempt: How often these items were asked about before.
        faults: What was wrong with the replies then.
        said: The requests about these items before, each with its reply.
    """

    ids: tuple[int, ...]
    vote: int = 0
    attempt: int = 0
    faults: frozenset[FaultKind] = frozenset()
    said: tuple[tuple[ChatRequest, ChatReply], ...] = ()

    @property
    def is_last(self) -> bool:
        """Whether these items are not asked about again.

        So it is after enough attempts, and where a reply would be cut off in the same room: also
        where it says the same again and again.
        """
        _, reply = self.said[-1]
        is_cut = reply.finish == "length" and (reply.is_spent or len(self.ids) == 1)
        return self.attempt >= MAX_REASKS or is_cut or reply.is_looping

    def again(self, faults: Mapping[int, UnreadableError]) -> Iterator[Turn]:
        """The turns that ask about items once more: in halves after a cut."""
        ids = tuple(id_ for id_ in self.ids if id_ in faults)
        kinds = frozenset(fault.kind for fault in faults.values())
        half = (len(ids) + 1) // 2 if "cut_off" in kinds else len(ids)
        for part in filter(None, (ids[:half], ids[half:])):
            yield replace(self, ids=part, attempt=self.attempt + 1, faults=kinds)


def request_for(batch: PromptBatch[ItemT], turn: Turn, model: str) -> ChatRequest:
    """The request of one turn."""
    user = batch.message(turn.ids)
    if turn.faults:
        notes = " and ".join(NOTES[kind] for kind in sorted(turn.faults))
        user += f"\n\nAn earlier reply about these items could not be used: {notes}."
    return ChatRequest(
        model=model,
        messages=(Message("system", batch.system), Message("user", user)),
        max_tokens=TOKENS + TOKENS_PER_ITEM * len(turn.ids),
        schema=batch.schema(turn.ids),
        seed=turn.vote + _SEEDS_PER_VOTE * turn.attempt,
        vote=turn.vote,
        attempt=turn.attempt,
        topic=f"{batch.topic}, {span(turn.ids)}",
    )


def _read_reply(batch: PromptBatch[ItemT], reply: ChatReply, ids: Sequence[int]) -> Read[ItemT]:
    """What a reply holds for each item; a reply that did not end by itself holds nothing."""
    fault = _CUT_SHORT.get(reply.finish)
    if reply.is_spent:
        fault = UnreadableError("cut_off", reply.spending)
    elif reply.is_looping:
        fault = UnreadableError("cut_off", "the reply repeats itself and was cut off")
    if fault is None:
        try:
            return batch.read(reply.text, ids)
        except UnreadableError as error:
            fault = error
    return dict.fromkeys(ids, fault)


def decide(
    votes: Sequence[ItemT | Unanswered], value: Callable[[ItemT], int]
) -> tuple[ItemT, float] | Unanswered:
    """The first vote with the outcome's value, and the share of the usable votes that agree.

    The outcome is the lower median of the votes' ratings or labels. Of labels, where no stands
    below yes, that is the majority, and a tie is a no. A vote without a usable reply stands below
    all others; where half of them are such, nothing is decided.
    """
    usable = [vote for vote in votes if not isinstance(vote, Unanswered)]
    lost = [vote for vote in votes if isinstance(vote, Unanswered)]
    if len(usable) <= len(lost):
        return lost[0]
    values = [value(vote) for vote in usable]
    outcome = sorted(values)[max(0, (len(votes) - 1) // 2 - len(lost))]
    return usable[values.index(outcome)], values.count(outcome) / len(values)


def shards(units: Units, size: int) -> Units:
    """The items of all units in requests, each unit in the first that has room for it.

    A unit stays in one piece and in its order, unless it alone is larger than a request may be.
    """
    filled: list[list[int]] = []
    for unit in units:
        for piece in (unit[start : start + size] for start in range(0, len(unit), size)):
            room = next((shard for shard in filled if len(shard) + len(piece) <= size), None)
            if room is None:
                filled.append(list(piece))
            else:
                room.extend(piece)
    return tuple(map(tuple, filled))


def shuffled(units: Units, question: str, vote: int) -> Units:
    """The units in an order of their own for each vote on a question; the first keeps theirs.

    The order is by a hash, not by a generator, since a request's key in the store must be the same
    under every version of Python.
    """
    if not vote:
        return units
    digest = hashlib.sha256(question.encode()).hexdigest()

    def lot(unit: tuple[int, ...]) -> str:
        return hashlib.sha256(f"{vote} {unit} {digest}".encode()).hexdigest()

    return tuple(sorted(units, key=lot))


async def together(calls: Sequence[Coroutine[None, None, T]]) -> list[T]:
    """What calls come to that are made at once; a single one takes no task of its own."""
    return [await calls[0]] if len(calls) == 1 else await asyncio.gather(*calls)


class IncompleteError(Exception):
    """One item stayed without a usable reply, and with it the whole question."""

    def __init__(self, answer: Unanswered) -> None:
        super().__init__(answer)
        self.answer = answer


@dataclass(frozen=True, slots=True)
class Poll:
    """Asks one model: how many times each item, whether together, and with what room to think."""

    sender: Sender
    model: str
    counts: ReplyCounts
    votes: int = 1
    batched: bool = True
    room: int = ROOM
    effort: Effort | None = None

    async def replies(
        self, batch: PromptBatch[ItemT], vote: int = 0
    ) -> tuple[ItemT | Unanswered, ...]:
        """What one vote, counted from 0, says of each item, in order."""
        items = tuple(sorted(chain.from_iterable(batch.units)))
        if batch.size is None:
            requests: Units = (items,)
        elif batch.size == 1 or not self.batched:
            requests = tuple((id_,) for id_ in items)
        else:
            question = batch.message(items) if vote else ""
            requests = shards(shuffled(batch.units, question, vote), batch.size)
        settled = await self._settle(batch, [Turn(ids=ids, vote=vote) for ids in requests])
        return tuple(settled[id_] for id_ in items)

    async def all_of(self, batch: PromptBatch[ItemT]) -> list[ItemT]:
        """What one vote says of every item, in order.

        Raises:
            IncompleteError: where an item stays without a usable reply.
        """
        items = await self.replies(batch)
        for item in items:
            if isinstance(item, Unanswered):
                raise IncompleteError(item)
        return [item for item in items if not isinstance(item, Unanswered)]

    async def outcomes(
        self, batch: PromptBatch[ItemT], value: Callable[[ItemT], int]
    ) -> tuple[ItemT | Unanswered, ...]:
        """What all votes on each item come to by `decide`, in order.

        A check's ``support`` is the share of the usable votes that affirm it, if several do.
        """
        by_vote = await together([self.replies(batch, vote) for vote in range(self.votes)])
        outcomes: list[ItemT | Unanswered] = []
        for votes in zip(*by_vote, strict=True):
            decided = decide(votes, value)
            if isinstance(decided, Unanswered):
                outcomes.append(decided)
                continue
            item, agreeing = decided
            if sum(not isinstance(vote, Unanswered) for vote in votes) > 1:
                self.counts.n_voted += 1
                self.counts.n_agreeing += agreeing
            support = agreeing if value(item) else 1 - agreeing
            is_check = self.votes > 1 and isinstance(item, FactCheck | SentenceCheck)
            outcomes.append(replace(item, support=support) if is_check else item)
        return tuple(outcomes)

    async def _settle(
        self, batch: PromptBatch[ItemT], turns: Iterable[Turn]
    ) -> dict[int, ItemT | Unanswered]:
        """What becomes of each item, all turns taken at once."""
        parts = await asyncio.gather(*(self._take(batch, turn) for turn in turns))
        return dict(chain.from_iterable(part.items() for part in parts))

    async def _take(self, batch: PromptBatch[ItemT], turn: Turn) -> dict[int, ItemT | Unanswered]:
        """What becomes of the items of one turn, and of the turns that follow from it."""
        request = request_for(batch, turn, self.model)
        is_usual = self.room == ROOM and self.effort in {None, "none"}
        first = max(FIRST_ROOM, request.max_tokens) if is_usual else None
        request = replace(request, room=self.room, first_room=first, reasoning_effort=self.effort)
        try:
            request, reply = await send_roomy(self.sender, request)
        except NoReplyError as error:
            if error.fault in REFUSALS:
                raise OptionError(str(error)) from error
            self.counts.n_unanswered += len(turn.ids)
            return dict.fromkeys(turn.ids, Unanswered(str(error)))
        read = partial(_read_reply, batch, reply, turn.ids)
        items = await read_off_loop(len(reply.text), read)
        faults: dict[int, UnreadableError] = {}
        settled: dict[int, ItemT | Unanswered] = {}
        for id_, item in items.items():
            if isinstance(item, UnreadableError):
                faults[id_] = item
            else:
                settled[id_] = item
        if not faults:
            return settled
        turn = replace(turn, said=(*turn.said, (request, reply)))
        if not turn.is_last:
            self.counts.n_reasked += len(faults)
            return settled | await self._settle(batch, turn.again(faults))
        self.counts.n_unanswered += len(faults)
        remedy = self.sender.give_up(turn.said)
        return settled | {
            id_: Unanswered(f"{fault.message}; {remedy}") for id_, fault in faults.items()
        }

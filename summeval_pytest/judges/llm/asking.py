"""Rounds of requests about the items of one question, and votes on each item.

An item without a usable reply is asked about again, with a note of what was wrong.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, Generic, TypeVar

from summeval_pytest.endpoints.chat import ChatRequest, Message
from summeval_pytest.errors import REFUSALS, NoReplyError, OptionError
from summeval_pytest.judges.llm.replies import (
    FaultKind,
    ItemT,
    PromptBatch,
    Read,
    ReplyFault,
    UnreadableError,
    span,
)
from summeval_pytest.questions import Unanswered

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from summeval_pytest.endpoints.chat import ChatReply, Finish
    from summeval_pytest.endpoints.client import Sender


@dataclass(slots=True)
class Tally:
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
TOKENS: Final = 512
TOKENS_PER_ITEM: Final = 256
_SEEDS_PER_VOTE: Final = 1000
"""A vote asked again gets a seed that no other vote has."""

_CUT_SHORT: Final[Mapping[Finish, ReplyFault]] = MappingProxyType(
    {
        "length": ReplyFault("cut_off", "the reply was cut off"),
        "content_filter": ReplyFault("filtered", "a content filter ended the reply"),
        "refusal": ReplyFault("refused", "the judge refused"),
    }
)

NOTES: Final[Mapping[FaultKind, str]] = MappingProxyType(
    {
        "cut_off": "it was too long and was cut off",
        "filtered": "it was ended by a filter",
        "refused": "it declined, though these texts are only to be judged",
        "no_json": "it held no JSON object",
        "ambiguous": "it held more than one JSON object",
        "malformed": "its JSON was not valid",
        "wrong_shape": "its keys or types were not those asked for",
        "off_scale": "it used a value that was not offered",
        "missing": "it left items out",
        "contradictory": "it answered an item in several ways",
        "no_verdict": "it did not begin with the word yes or the word no",
    }
)
"""What a re-ask says was wrong."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One request about some items.

    Attributes:
        ids: The items.
        vote: Which vote this belongs to, from 0.
        attempt: How often these items were asked about before.
        faults: What was wrong with the replies then.
        room: How many times the usual room a reply gets.
        said: The requests about these items before, each with its reply.
    """

    ids: tuple[int, ...]
    vote: int = 0
    attempt: int = 0
    faults: frozenset[FaultKind] = frozenset()
    room: int = 1
    said: tuple[tuple[ChatRequest, ChatReply], ...] = ()

    def again(self, open_: Mapping[int, ReplyFault]) -> tuple[Turn, ...]:
        """The turns that ask about items once more, by what was wrong with them."""
        ids = [id_ for id_ in self.ids if id_ in open_]
        faults = frozenset(fault.kind for fault in open_.values())
        parts, room = [ids], self.room
        if "cut_off" in faults:
            half = (len(ids) + 1) // 2
            parts, room = [part for part in (ids[:half], ids[half:]) if part], 2 * room
        return tuple(
            replace(self, ids=tuple(part), attempt=self.attempt + 1, faults=faults, room=room)
            for part in parts
        )


def request_for(batch: PromptBatch[ItemT], turn: Turn, model: str) -> ChatRequest:
    """The request of one turn."""
    user = batch.user(turn.ids)
    if turn.faults:
        told = " and ".join(NOTES[kind] for kind in sorted(turn.faults))
        user += f"\n\nAn earlier reply about these items could not be used: {told}."
    return ChatRequest(
        model=model,
        messages=(Message("system", batch.system), Message("user", user)),
        max_tokens=(TOKENS + TOKENS_PER_ITEM * len(turn.ids)) * turn.room,
        schema=batch.schema(turn.ids),
        seed=turn.vote + _SEEDS_PER_VOTE * turn.attempt,
        vote=turn.vote,
        attempt=turn.attempt,
        topic=f"{batch.topic}, {span(turn.ids)}",
    )


def _read_reply(batch: PromptBatch[ItemT], reply: ChatReply, ids: Sequence[int]) -> Read[ItemT]:
    """What a reply holds for each item; a reply that did not end by itself holds nothing."""
    fault = _CUT_SHORT.get(reply.finish)
    if fault is None:
        try:
            return batch.read(reply.text, ids)
        except UnreadableError as error:
            fault = error.fault
    return dict.fromkeys(ids, fault)


ValueT = TypeVar("ValueT", bound=Hashable)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome(Generic[ItemT]):
    """What votes on one item come to.

    Attributes:
        item: The first vote that says what the outcome says.
        agreeing: Share of the usable votes that say it too, above 0 to 1.
        n_votes: How many votes were usable.
    """

    item: ItemT
    agreeing: float
    n_votes: int


def lower_median(ratings: Sequence[int], n_missing: int = 0) -> int:
    """The lower of the two middle ratings; missing ones stand below all others."""
    n_votes = len(ratings) + n_missing
    return sorted(ratings)[max(0, (n_votes - 1) // 2 - n_missing)]


def majority(votes: Sequence[bool], n_missing: int = 0) -> bool:
    """Whether more than half say yes; missing ones say no."""
    return 2 * sum(votes) > len(votes) + n_missing


def decide(
    votes: Sequence[ItemT | Unanswered],
    value: Callable[[ItemT], ValueT],
    rule: Callable[[Sequence[ValueT], int], ValueT],
) -> Outcome[ItemT] | Unanswered:
    """The outcome of the votes on one item.

    Args:
        votes: What each vote said, in order.
        value: The rating or the label of a vote.
        rule: From the usable values, and how many votes were not usable, to the outcome's value.
    """
    usable = [vote for vote in votes if not isinstance(vote, Unanswered)]
    lacking = [vote for vote in votes if isinstance(vote, Unanswered)]
    if 2 * len(usable) <= len(votes):
        return lacking[0]
    values = [value(vote) for vote in usable]
    outcome = rule(values, len(lacking))
    return Outcome(
        item=usable[values.index(outcome)],
        agreeing=values.count(outcome) / len(values),
        n_votes=len(values),
    )


Unit = tuple[int, ...]


def shards(units: Sequence[Unit], size: int) -> tuple[Unit, ...]:
    """The items of all units in as few requests as come of filling the first that has room.

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
    return tuple(tuple(shard) for shard in filled)


def shuffled(units: Sequence[Unit], question: str, vote: int) -> tuple[Unit, ...]:
    """The units in an order of their own for each vote; the first vote keeps the given one.

    The order is by a hash, not by a generator, since a request's key in the store must be the same
    under every version of Python.

    Args:
        units: The units.
        question: A text that tells this question from others.
        vote: Which vote, from 0.
    """
    if not vote:
        return tuple(units)
    digest = hashlib.sha256(question.encode()).hexdigest()

    def lot(unit: Unit) -> str:
        return hashlib.sha256(f"{vote} {unit} {digest}".encode()).hexdigest()

    return tuple(sorted(units, key=lot))


@dataclass(frozen=True, slots=True)
class Poll:
    """Asks one model: how many times each item, and whether together or one by one."""

    sender: Sender
    model: str
    tally: Tally
    votes: int = 1
    batched: bool = True

    async def replies(
        self, batch: PromptBatch[ItemT], size: int, *, vote: int = 0
    ) -> tuple[ItemT | Unanswered, ...]:
        """What one vote says of each item, in order.

        Args:
            batch: The items.
            size: How many of them a request may hold.
            vote: Which of the votes, from 0.
        """
        units = batch.units
        items = sorted(id_ for unit in units for id_ in unit)
        if self.batched:
            question = batch.user(items) if vote else ""
            requests = shards(shuffled(units, question, vote), size)
        else:
            requests = tuple((id_,) for id_ in items)
        found = await self._settle(batch, [Turn(ids=ids, vote=vote) for ids in requests])
        return tuple(found[id_] for id_ in items)

    async def whole(self, batch: PromptBatch[ItemT]) -> tuple[ItemT | Unanswered, ...]:
        """What one request about all items says of each, whatever shares requests otherwise."""
        items = tuple(sorted(id_ for unit in batch.units for id_ in unit))
        found = await self._settle(batch, [Turn(ids=items)])
        return tuple(found[id_] for id_ in items)

    async def outcomes(
        self,
        batch: PromptBatch[ItemT],
        size: int,
        value: Callable[[ItemT], ValueT],
        rule: Callable[[Sequence[ValueT], int], ValueT],
    ) -> tuple[Outcome[ItemT] | Unanswered, ...]:
        """What all votes on each item come to, in order, by `decide`."""
        asked = [self.replies(batch, size, vote=vote) for vote in range(self.votes)]
        by_vote = await asyncio.gather(*asked)
        outcomes = tuple(decide(votes, value, rule) for votes in zip(*by_vote, strict=True))
        for outcome in outcomes:
            if isinstance(outcome, Outcome) and outcome.n_votes > 1:
                self.tally.n_voted += 1
                self.tally.n_agreeing += outcome.agreeing
        return outcomes

    async def _settle(
        self, batch: PromptBatch[ItemT], turns: Iterable[Turn]
    ) -> dict[int, ItemT | Unanswered]:
        """What becomes of each item, all turns taken at once."""
        settled: dict[int, ItemT | Unanswered] = {}
        for part in await asyncio.gather(*(self._take(batch, turn) for turn in turns)):
            settled.update(part)
        return settled

    async def _take(self, batch: PromptBatch[ItemT], turn: Turn) -> dict[int, ItemT | Unanswered]:
        """What becomes of the items of one turn, and of the turns that follow from it.

        Raises:
            OptionError: where the endpoint refuses the key, or has no such model.
        """
        request = request_for(batch, turn, self.model)
        try:
            reply = await self.sender.send(request)
        except NoReplyError as error:
            if error.fault in REFUSALS:
                raise OptionError(str(error)) from error
            self.tally.n_unanswered += len(turn.ids)
            return dict.fromkeys(turn.ids, Unanswered(str(error)))
        settled: dict[int, ItemT | Unanswered] = {}
        open_: dict[int, ReplyFault] = {}
        for id_, found in _read_reply(batch, reply, turn.ids).items():
            if isinstance(found, ReplyFault):
                open_[id_] = found
            else:
                settled[id_] = found
        if not open_:
            return settled
        turn = replace(turn, said=(*turn.said, (request, reply)))
        if turn.attempt < MAX_REASKS:
            self.tally.n_reasked += len(open_)
            return settled | await self._settle(batch, turn.again(open_))
        self.tally.n_unanswered += len(open_)
        remedy = self.sender.give_up(turn.said, next(iter(open_.values())).message)
        return settled | {id_: Unanswered(f"{f.message}; {remedy}") for id_, f in open_.items()}

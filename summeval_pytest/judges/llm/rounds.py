"""Asking about items until each has a usable reply, and at most three times.

What a reply leaves out or gets wrong is asked again alone, without what is settled, with one
sentence of ours that names the fault; the model's own words never come back to it. A reply that was
cut off is asked again in halves, with more room. What never gets a usable reply stays `Unanswered`,
and its replies are given up: a later run asks again. Bad replies that a re-ask made up for are not.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from summeval_pytest.errors import REFUSALS, NoReplyError, OptionError
from summeval_pytest.judges.llm.json_reading import FaultKind, ReplyFault, UnreadableError
from summeval_pytest.judges.llm.sheet import ItemT, Read, Sheet, span
from summeval_pytest.models.request import ChatRequest, Message
from summeval_pytest.questions import Unanswered

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from summeval_pytest.judges.llm.tally import Ledger
    from summeval_pytest.models.reply import ChatReply, Finish
    from summeval_pytest.models.sender import Sender

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
    }
)
"""What a re-ask says was wrong."""
FREE_NOTES: Final[Mapping[FaultKind, str]] = MappingProxyType(
    {"no_verdict": "it did not begin with the word yes or the word no"}
)
"""The same of replies in free text, which only some judges are asked for."""


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


def request_for(sheet: Sheet[ItemT], turn: Turn, model: str) -> ChatRequest:
    """The request of one turn."""
    draft = sheet.draft(turn.ids)
    note = _note(turn.faults)
    user = f"{draft.user}\n\n{note}" if note else draft.user
    return ChatRequest(
        model=model,
        messages=(Message("system", draft.system), Message("user", user)),
        max_tokens=(TOKENS + TOKENS_PER_ITEM * len(turn.ids)) * turn.room,
        schema=draft.schema,
        seed=turn.vote + _SEEDS_PER_VOTE * turn.attempt,
        vote=turn.vote,
        attempt=turn.attempt,
        topic=f"{sheet.topic}, {span(turn.ids)}",
    )


def _note(faults: Iterable[FaultKind]) -> str:
    told = " and ".join(NOTES.get(kind) or FREE_NOTES[kind] for kind in sorted(faults))
    return f"An earlier reply about these items could not be used: {told}." if told else ""


def read_reply(sheet: Sheet[ItemT], reply: ChatReply, ids: Sequence[int]) -> Read[ItemT]:
    """What a reply holds for each item; a reply that did not end by itself holds nothing."""
    fault = _CUT_SHORT.get(reply.finish)
    if fault is None:
        try:
            return sheet.read(reply.text, ids)
        except UnreadableError as error:
            fault = error.fault
    return dict.fromkeys(ids, fault)


@dataclass(frozen=True, slots=True)
class Rounds:
    """Asks one model through one sender."""

    sender: Sender
    model: str
    ledger: Ledger

    async def settle(
        self, sheet: Sheet[ItemT], shards: Iterable[Sequence[int]], *, vote: int = 0
    ) -> dict[int, ItemT | Unanswered]:
        """What becomes of each item, all shards asked at once."""
        return await self._all(sheet, [Turn(ids=tuple(ids), vote=vote) for ids in shards])

    async def _all(
        self, sheet: Sheet[ItemT], turns: Iterable[Turn]
    ) -> dict[int, ItemT | Unanswered]:
        settled: dict[int, ItemT | Unanswered] = {}
        for part in await asyncio.gather(*(self._take(sheet, turn) for turn in turns)):
            settled.update(part)
        return settled

    async def _take(self, sheet: Sheet[ItemT], turn: Turn) -> dict[int, ItemT | Unanswered]:
        """What becomes of the items of one turn, and of the turns that follow from it.

        Raises:
            OptionError: where the endpoint refuses the key, or has no such model.
        """
        request = request_for(sheet, turn, self.model)
        try:
            reply = await self.sender.send(request)
        except NoReplyError as error:
            if error.fault in REFUSALS:
                raise OptionError(str(error)) from error
            self.ledger.add(unanswered=len(turn.ids))
            return dict.fromkeys(turn.ids, Unanswered(str(error)))
        settled: dict[int, ItemT | Unanswered] = {}
        open_: dict[int, ReplyFault] = {}
        for id_, found in read_reply(sheet, reply, turn.ids).items():
            if isinstance(found, ReplyFault):
                open_[id_] = found
            else:
                settled[id_] = found
        if not open_:
            return settled
        turn = replace(turn, said=(*turn.said, (request, reply)))
        if turn.attempt < MAX_REASKS:
            self.ledger.add(reasked=len(open_))
            return settled | await self._all(sheet, turn.again(open_))
        self.ledger.add(unanswered=len(open_))
        remedy = self.sender.give_up(turn.said, next(iter(open_.values())).message)
        return settled | {id_: Unanswered(f"{f.message}; {remedy}") for id_, f in open_.items()}

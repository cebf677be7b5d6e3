from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import pytest

from summeval_pytest.endpoints.chat import ROOM, ChatReply, ChatRequest, Finish, Usage
from summeval_pytest.errors import NoReplyError
from summeval_pytest.judges.llm.asking import Poll, ReplyCounts, decide, shards, shuffled
from summeval_pytest.judges.llm.fact_requests import fact_batch
from summeval_pytest.judges.llm.replies import UnreadableError
from summeval_pytest.questions import CheckFacts, Fact, FactCheck, Unanswered

FIVE = tuple(Fact(text=f"Fact {n}.", sentence=n) for n in range(1, 6))
YES = FactCheck(reason="so it says", entailed=True, premises=(0,))
NO = FactCheck(reason="so it says", entailed=False)


def entry(id_: object, label: str = "entailed") -> dict[str, object]:
    """One entry of a reply."""
    premises = [1] if label == "entailed" else []
    return {"id": id_, "reason": "so it says", "premises": premises, "label": label}


def reply(*entries: object, finish: Finish = "stop") -> ChatReply:
    """A reply that holds these entries."""
    return ChatReply(text=json.dumps({"checks": list(entries)}), finish=finish)


@dataclass
class Scripted:
    """Replies in order; the last one again and again."""

    replies: list[ChatReply | NoReplyError]
    sent: list[ChatRequest] = field(default_factory=list)
    given_up: list[list[int]] = field(default_factory=list)

    async def send(self, request: ChatRequest) -> ChatReply:
        """The next reply."""
        self.sent.append(request)
        next_ = self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]
        if isinstance(next_, NoReplyError):
            raise next_
        return next_

    def give_up(self, said: Sequence[tuple[ChatRequest, ChatReply]]) -> str:
        """Keeps which of the requests sent came to nothing, and why."""
        self.given_up.append([self.sent.index(request) for request, _ in said])
        return "ask again"

    @property
    def ids(self) -> list[str]:
        """The items of each request, as its topic ends."""
        return [request.topic.rpartition("', ")[2] for request in self.sent]


def settled(
    sender: Scripted, n_facts: int = 3, tally: ReplyCounts | None = None
) -> dict[int, FactCheck | Unanswered]:
    """What becomes of so many facts, from 1."""
    batch = fact_batch(CheckFacts(FIVE[:n_facts], ("Premise one.", "Premise two.")))
    result = asyncio.run(Poll(sender, "m", tally or ReplyCounts()).replies(batch))
    return dict(enumerate(result, start=1))


def test_a_whole_reply_settles_all_items_at_once() -> None:
    """The first request is of the first vote and carries nothing of ours but the question."""
    sender = Scripted([reply(entry(1), entry(2, "not_entailed"), entry(3))])
    assert settled(sender) == {1: YES, 2: NO, 3: YES}
    (request,) = sender.sent
    assert (request.model, request.vote, request.attempt, request.seed) == ("m", 0, 0, 0)
    assert request.max_tokens == 512 + 3 * 256
    assert request.topic == "fact checks 'Fact 1.', 1-3"
    assert [message.role for message in request.messages] == ["system", "user"]
    assert request.messages[1].content.endswith(
        "Check facts: 1-3. For each entailed fact name all premises that carry it."
    )


@pytest.mark.parametrize(("n_words", "is_apart"), [(100, False), (20_000, True)])
def test_a_long_reply_is_read_off_the_event_loop(n_words: int, *, is_apart: bool) -> None:
    """Reading it may take seconds, in which no other request would get its turn."""
    batch = fact_batch(CheckFacts(FIVE[:1], ("Premise one.",)))
    threads: list[int] = []

    def read(text: str, ids: Sequence[int]) -> Mapping[int, FactCheck | UnreadableError]:
        threads.append(threading.get_ident())
        return batch.read(text, ids)

    sender = Scripted([reply(entry(1) | {"reason": "so " * n_words})])
    (result,) = asyncio.run(Poll(sender, "m", ReplyCounts()).replies(replace(batch, read=read)))
    assert isinstance(result, FactCheck)
    assert (threads != [threading.get_ident()]) == is_apart


@pytest.mark.parametrize(
    "text",
    [
        json.dumps({"checks": [entry(3), entry(1), entry(2)]}),
        json.dumps({"checks": [entry(1), entry(9), entry(2), entry(3), entry(2)]}),
        json.dumps({"checks": [entry(1.0), entry(2), entry(3), entry("1", "not_entailed")]}),
        json.dumps({"checks": [entry(1), entry(2), entry(3), 7, {"label": "not_entailed"}]}),
        f"Yes!\n```json\n{json.dumps({'checks': [entry(1), entry(2), entry(3)]}, indent=1)}\n```",
    ],
)
def test_entries_are_compared_with_their_numbers_and_nothing_else(text: str) -> None:
    """An entry for nobody answers nothing; the same one twice is one."""
    sender = Scripted([ChatReply(text=text)])
    assert settled(sender) == {1: YES, 2: YES, 3: YES}
    assert len(sender.sent) == 1


def test_a_reply_that_counts_from_zero_is_not_used() -> None:
    """Each of its answers would be taken for the item before, and the last one asked again."""
    shifted = reply(entry(0, "not_entailed"), entry(1), entry(2, "not_entailed"))
    sender = Scripted([shifted, reply(entry(1, "not_entailed"), entry(2), entry(3))])
    assert settled(sender) == {1: NO, 2: YES, 3: YES}
    assert sender.ids == ["1-3", "1-3"]


@pytest.mark.parametrize(
    ("wrong", "note"),
    [
        ([], "it left items out"),
        ([entry("2")], "it left items out"),
        ([entry(2), entry(2, "not_entailed")], "it answered an item in several ways"),
        ([entry(2, "maybe")], "it used a value that was not offered"),
        ([entry(2) | {"premises": [3]}], "it used a value that was not offered"),
        ([entry(2) | {"premises": [0]}], "it used a value that was not offered"),
        ([entry(2) | {"premises": []}], "it used a value that was not offered"),
        ([{"id": 2, "label": "entailed"}], "its keys or types were not those asked for"),
    ],
)  # fmt: skip
def test_an_unusable_item_is_asked_again_alone(wrong: list[object], note: str) -> None:
    """What is settled stays; the note is ours, and the model's words do not come back to it."""
    sender = Scripted([reply(entry(1), *wrong, entry(3)), reply(entry(2, "not_entailed"))])
    tally = ReplyCounts()
    assert settled(sender, tally=tally) == {1: YES, 2: NO, 3: YES}
    assert sender.ids == ["1-3", "2"]
    second = sender.sent[1]
    assert (second.vote, second.attempt, second.seed) == (0, 1, 1000)
    assert second.max_tokens == 512 + 256
    assert second.messages[1].content.endswith(
        f"\n\nAn earlier reply about these items could not be used: {note}."
    )
    assert "maybe" not in second.messages[1].content
    assert tally == ReplyCounts(n_reasked=1)
    assert sender.given_up == []


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("{}", "the reply is no object with one list, 'checks'"),
        ('{"checks": {}}', "the reply is no object with one list, 'checks'"),
        ('{"checks": [], "note": 1}', "the reply is no object with one list, 'checks'"),
        ('{"checks": []}', "item 1 is missing"),
        (json.dumps({"checks": [entry(1, "Maybe\n")]}),
         "item 1: label: Input should be 'entailed' or 'not_entailed', not 'Maybe'"),
    ],
)  # fmt: skip
def test_what_stays_unusable_is_unanswered_after_three_requests(text: str, reason: str) -> None:
    """It is never a pass and never a zero, and the last fault says why."""
    sender = Scripted([ChatReply(text=text)])
    tally = ReplyCounts()
    assert settled(sender, 1, tally=tally) == {1: Unanswered(f"{reason}; ask again")}
    assert sender.given_up == [[0, 1, 2]]
    assert [request.attempt for request in sender.sent] == [0, 1, 2]
    assert [request.seed for request in sender.sent] == [0, 1000, 2000]
    assert tally == ReplyCounts(n_reasked=2, n_unanswered=1)


@pytest.mark.parametrize(
    ("finish", "reason", "n_requests"),
    [
        ("length", "the reply was cut off", 1),
        ("content_filter", "a content filter ended the reply", 3),
        ("refusal", "the judge refused", 3),
    ],
)
def test_a_reply_that_did_not_end_by_itself_settles_nothing(
    finish: Finish, reason: str, n_requests: int
) -> None:
    """Even where its text can be read, nobody knows what it would have gone on to say."""
    sender = Scripted([reply(entry(1), finish=finish)])
    assert settled(sender, 1) == {1: Unanswered(f"{reason}; ask again")}
    assert len(sender.sent) == n_requests


def test_a_model_that_only_thinks_is_not_asked_again() -> None:
    """The same room would end as before."""
    sender = Scripted([ChatReply(text="", finish="length", usage=Usage(9, 300))])
    batch = fact_batch(CheckFacts(FIVE[:3], ("Premise one.",)))
    poll = Poll(sender, "m", ReplyCounts(), effort="low")
    spent = "the model spent all 300 tokens thinking"
    assert set(asyncio.run(poll.replies(batch))) == {Unanswered(f"{spent}; ask again")}
    assert sender.ids == ["1-3"]
    assert {(request.room, request.reasoning_effort) for request in sender.sent} == {(ROOM, "low")}
    assert sender.given_up == [[0]]


def test_a_model_that_thinks_gets_more_room_when_its_first_is_spent() -> None:
    """A small room ends loops; with all the room the same items are asked about once more."""
    thought = ChatReply(text="", finish="length", usage=Usage(9, 4096))
    sender = Scripted([thought, reply(entry(1), entry(2))])
    assert settled(sender, 2) == {1: YES, 2: YES}
    assert [(r.first_room, r.is_roomy) for r in sender.sent] == [(4096, False), (None, True)]
    assert {(r.room, r.attempt) for r in sender.sent} == {(ROOM, 0)}


def test_a_reply_that_repeats_itself_is_not_asked_again() -> None:
    """Halves would repeat themselves as well: 22 requests a pair, each up to the limit."""
    loop = ChatReply(text='{"checks": [' + '{"id": 7, "reason": "so"}, ' * 99, finish="length")
    sender = Scripted([loop])
    why = "the reply repeats itself and was cut off"
    assert set(settled(sender, 5).values()) == {Unanswered(f"{why}; ask again")}
    assert sender.ids == ["1-5"]


def test_only_the_replies_about_what_stays_unanswered_are_given_up() -> None:
    """Five items cut off, then three and two: the half that is settled keeps its reply."""
    cut, bad = reply(finish="length"), ChatReply(text="{}")
    sender = Scripted([cut, reply(entry(1), entry(2)), reply(entry(4), entry(5)), bad])
    why = "the reply is no object with one list, 'checks'"
    assert settled(sender, 5)[3] == Unanswered(f"{why}; ask again")
    assert sender.ids == ["1-5", "1-3", "4-5", "3"]
    assert sender.given_up == [[0, 1, 3]]


def test_what_was_cut_off_is_asked_again_in_halves() -> None:
    """Five items, then three and two: the second half is settled, the first is cut off again."""
    cut = reply(finish="length")
    sender = Scripted(
        [cut, cut, reply(entry(4), entry(5)), reply(entry(1), entry(2)), reply(entry(3))]
    )
    assert settled(sender, 5) == dict.fromkeys((1, 2, 3, 4, 5), YES)
    assert sender.ids == ["1-5", "1-3", "4-5", "1-2", "3"]
    assert [request.max_tokens for request in sender.sent] == [
        512 + n * 256 for n in (5, 3, 2, 2, 1)
    ]


def test_a_request_without_a_reply_is_not_asked_again() -> None:
    """Retrying is the client's business, and it has given up."""
    error = NoReplyError("rate_limited", "endpoint 'x' asked to wait 600 s")
    sender = Scripted([reply(entry(1)), error])
    tally = ReplyCounts()
    lost = Unanswered("endpoint 'x' asked to wait 600 s")
    assert settled(sender, tally=tally) == {1: YES, 2: lost, 3: lost}
    assert len(sender.sent) == 2
    assert sender.given_up == []
    assert tally == ReplyCounts(n_reasked=2, n_unanswered=2)


LOST = Unanswered("the reply was cut off")
Vote = tuple[str, int]


def decided(votes: Sequence[int | Unanswered]) -> int | Unanswered:
    """What ratings or labels come to."""
    outcome = decide(votes, lambda vote: vote)
    return outcome if isinstance(outcome, Unanswered) else outcome[0]


@pytest.mark.parametrize(
    ("votes", "outcome"),
    [
        *(([2], 2), ([4, 1], 1), ([3, 1, 2], 2), ([4, 3, 1, 3], 3), ([4, 4, 1, 2], 2)),
        *(([True], True), ([False], False), ([True, False], False), ([True, False, True], True)),
        ([4, LOST, 4, LOST, 2], 2),  # sorted -, -, 2, 4, 4
        ([True, LOST, True, LOST, False], False),  # 2 of 5 say yes
        ([True, LOST, True, LOST, True], True),
        *((votes, LOST) for votes in ([LOST], [1, LOST], [LOST, 2, LOST], [1, 2, LOST, LOST])),
    ],
)
def test_votes_come_to_the_lower_median(
    votes: list[int | Unanswered], outcome: int | Unanswered
) -> None:
    """It is a rating that was given, the cautious one of two; a lost vote counts as the lowest."""
    assert decided(votes) == outcome


def test_reason_and_evidence_come_from_the_first_vote_that_agrees() -> None:
    """A reason for the other label would explain a verdict that was not given."""
    votes: list[Vote] = [("a", False), ("b", True), ("c", True)]
    outcome = decide(votes, lambda vote: vote[1])
    assert outcome == (("b", True), 2 / 3)


UNITS = ((1, 2), (3, 4, 5), (6,), (7, 8), (9,))


def test_a_request_is_filled_with_whole_units() -> None:
    """Size 4: (1, 2) has no room for (3, 4, 5), takes (6,), and (9,); (3, 4, 5) none for (7, 8).

    A unit too large for a request is cut in order, or its reply would be cut off.
    """
    assert shards(UNITS, 4) == ((1, 2, 6, 9), (3, 4, 5), (7, 8))
    assert shards(((1, 2, 3, 4, 5), (6,)), 2) == ((1, 2), (3, 4), (5, 6))


def test_the_first_vote_keeps_the_order_and_others_have_their_own() -> None:
    """A judge that favours the first item is outvoted by itself; the order is the same anywhere."""
    orders = [shuffled(UNITS, "Which?", vote) for vote in range(4)]
    assert orders[0] == UNITS
    assert len(set(orders)) == 4
    assert all(sorted(order) == sorted(UNITS) for order in orders)
    assert orders[1] == ((7, 8), (3, 4, 5), (9,), (1, 2), (6,))
    assert shuffled(UNITS, "Who?", 1) != orders[1]

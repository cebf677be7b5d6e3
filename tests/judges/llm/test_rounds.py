from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest

from summeval_pytest.endpoints.chat import ChatReply
from summeval_pytest.errors import NoReplyError
from summeval_pytest.judges.llm.asking import FREE_NOTES, NOTES, Ledger, Rounds, Tally
from summeval_pytest.judges.llm.facets_and_facts import FactSheet
from summeval_pytest.judges.llm.replies import span
from summeval_pytest.questions import Fact, FactCheck, Unanswered
from tests.waiting import SOON

if TYPE_CHECKING:
    from collections.abc import Sequence

    from summeval_pytest.endpoints.chat import ChatRequest

SHEET = FactSheet(
    facts=tuple(Fact(text=f"Fact {n}.", sentence=n) for n in range(1, 6)),
    premises=("Premise one.", "Premise two."),
)
YES = FactCheck(reason="so it says", entailed=True, premises=(0,))
NO = FactCheck(reason="so it says", entailed=False)


def entry(id_: object, label: str = "entailed") -> dict[str, object]:
    """One entry of a reply."""
    premises = [1] if label == "entailed" else []
    return {"id": id_, "reason": "so it says", "premises": premises, "label": label}


def reply(*entries: object, finish: str = "stop") -> ChatReply:
    """A reply that holds these entries."""
    text = json.dumps({"checks": list(entries)})
    return ChatReply(text=text, finish=finish)  # type: ignore[arg-type]  # the tests name them


@dataclass
class Scripted:
    """Replies in order; the last one again and again."""

    replies: list[ChatReply | NoReplyError]
    sent: list[ChatRequest] = field(default_factory=list)
    given_up: list[tuple[list[int], str]] = field(default_factory=list)

    async def send(self, request: ChatRequest) -> ChatReply:
        """The next reply."""
        self.sent.append(request)
        next_ = self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]
        if isinstance(next_, NoReplyError):
            raise next_
        return next_

    def give_up(self, said: Sequence[tuple[ChatRequest, ChatReply]], why: str) -> str:
        """Keeps which of the requests sent came to nothing, and why."""
        self.given_up.append(([self.sent.index(request) for request, _ in said], why))
        return "ask again"

    @property
    def ids(self) -> list[str]:
        """The items of each request, as its topic ends."""
        return [request.topic.rpartition("', ")[2] for request in self.sent]


def settled(
    sender: Scripted, *ids: int, ledger: Ledger | None = None
) -> dict[int, FactCheck | Unanswered]:
    """What becomes of facts 1 to 3, or of these."""
    rounds = Rounds(sender, "m", ledger or Ledger())
    return asyncio.run(rounds.settle(SHEET, [ids or (1, 2, 3)]))


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


@pytest.mark.parametrize(
    "text",
    [
        json.dumps({"checks": [entry(3), entry(1), entry(2)]}),
        json.dumps({"checks": [entry(1), entry(9), entry(2), entry(3), entry(2)]}),
        json.dumps({"checks": [entry(1.0), entry(2), entry(3), entry("1", "not_entailed")]}),
        json.dumps({"checks": [entry(1), entry(2), entry(3), 7, {"label": "not_entailed"}]}),
        f"Yes!\n```json\n{json.dumps({'checks': [entry(1), entry(2), entry(3)]}, indent=1)}\n```",
    ],
    ids=["reordered", "extra and twice", "text for a number", "strays", "prose"],
)
def test_entries_are_held_to_their_numbers_and_nothing_else(text: str) -> None:
    """An entry for nobody answers nothing; the same one twice is one."""
    sender = Scripted([ChatReply(text=text)])
    assert settled(sender) == {1: YES, 2: YES, 3: YES}
    assert len(sender.sent) == 1


@pytest.mark.parametrize(
    ("wrong", "note"),
    [
        ([], "it left items out"),
        ([entry(True)], "it left items out"),
        ([entry("2")], "it left items out"),
        ([entry(2), entry(2, "not_entailed")], "it answered an item in several ways"),
        ([entry(2, "maybe")], "it used a value that was not offered"),
        ([entry(2) | {"premises": [3]}], "it used a value that was not offered"),
        ([entry(2) | {"premises": [0]}], "it used a value that was not offered"),
        ([entry(2) | {"premises": []}], "it used a value that was not offered"),
        ([entry(2) | {"premises": "1"}], "its keys or types were not those asked for"),
        ([entry(2) | {"premises": ["1"]}], "its keys or types were not those asked for"),
        ([entry(2) | {"sure": True}], "its keys or types were not those asked for"),
        ([{"id": 2, "label": "entailed"}], "its keys or types were not those asked for"),
        ([entry(2) | {"reason": None}], "its keys or types were not those asked for"),
    ],
    ids=[
        "missing", "true", "text", "two ways", "label", "premise", "premise 0", "no premise",
        "premises", "premise text", "key more", "keys less", "reason",
    ],
)  # fmt: skip
def test_an_unusable_item_is_asked_again_alone(wrong: list[object], note: str) -> None:
    """What is settled stays; the note is ours, and the model's words do not come back to it."""
    sender = Scripted([reply(entry(1), *wrong, entry(3)), reply(entry(2, "not_entailed"))])
    ledger = Ledger()
    assert settled(sender, ledger=ledger) == {1: YES, 2: NO, 3: YES}
    assert sender.ids == ["1-3", "2"]
    second = sender.sent[1]
    assert (second.vote, second.attempt, second.seed) == (0, 1, 1000)
    assert second.max_tokens == 512 + 256
    assert second.messages[1].content.endswith(
        f"\n\nAn earlier reply about these items could not be used: {note}."
    )
    assert "maybe" not in second.messages[1].content
    assert ledger.tally == Tally(n_reasked=1)
    assert sender.given_up == []


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("I think they all follow.", "the reply holds no whole JSON object"),
        ("{}", "the reply lacks 'checks'"),
        ('{"checks": {}}', "the reply is no list"),
        ('{"checks": [], "note": 1}', "the reply has a key 'note'"),
        ('{"checks": []} {"checks": []}', "the reply holds 2 JSON objects"),
        ('{"checks": []}', "item 1 is missing"),
        (json.dumps({"checks": [entry(1, "Maybe\n")]}),
         "item 1: label 'Maybe' is none of entailed, not_entailed"),
    ],
    ids=["prose", "empty", "object", "key", "two", "none", "label"],
)  # fmt: skip
def test_what_stays_unusable_is_unanswered_after_three_requests(text: str, reason: str) -> None:
    """It is never a pass and never a zero, and the last fault says why."""
    sender = Scripted([ChatReply(text=text)])
    ledger = Ledger()
    assert settled(sender, 1, ledger=ledger) == {1: Unanswered(f"{reason}; ask again")}
    assert sender.given_up == [([0, 1, 2], reason)]
    assert [request.attempt for request in sender.sent] == [0, 1, 2]
    assert [request.seed for request in sender.sent] == [0, 1000, 2000]
    assert ledger.tally == Tally(n_reasked=2, n_unanswered=1)


@pytest.mark.parametrize(
    ("finish", "reason"),
    [
        ("length", "the reply was cut off"),
        ("content_filter", "a content filter ended the reply"),
        ("refusal", "the judge refused"),
    ],
)
def test_a_reply_that_did_not_end_by_itself_settles_nothing(finish: str, reason: str) -> None:
    """Even where its text can be read, nobody knows what it would have gone on to say."""
    sender = Scripted([reply(entry(1), finish=finish)])
    assert settled(sender, 1) == {1: Unanswered(f"{reason}; ask again")}
    assert len(sender.sent) == 3


def test_only_the_replies_about_what_stays_unanswered_are_given_up() -> None:
    """Five items cut off, then three and two: the half that is settled keeps its reply."""
    cut, bad = reply(finish="length"), ChatReply(text="{}")
    sender = Scripted([cut, reply(entry(1), entry(2)), reply(entry(4), entry(5)), bad])
    why = "the reply lacks 'checks'"
    assert settled(sender, 1, 2, 3, 4, 5)[3] == Unanswered(f"{why}; ask again")
    assert sender.ids == ["1-5", "1-3", "4-5", "3"]
    assert sender.given_up == [([0, 1, 3], why)]


def test_replies_before_one_that_never_came_are_not_given_up() -> None:
    """The next run goes on behind them, where the network broke."""
    sender = Scripted([reply(entry(1)), NoReplyError("dropped", "the connection broke")])
    settled(sender)
    assert sender.given_up == []


def test_what_was_cut_off_is_asked_again_in_halves_with_more_room() -> None:
    """Five items, then three and two: the second half is settled, the first is cut off again."""
    cut = reply(finish="length")
    sender = Scripted(
        [cut, cut, reply(entry(4), entry(5)), reply(entry(1), entry(2)), reply(entry(3))]
    )
    assert settled(sender, 1, 2, 3, 4, 5) == dict.fromkeys((1, 2, 3, 4, 5), YES)
    assert sender.ids == ["1-5", "1-3", "4-5", "1-2", "3"]
    assert [request.max_tokens for request in sender.sent] == [
        512 + 5 * 256,
        2 * (512 + 3 * 256),
        2 * (512 + 2 * 256),
        4 * (512 + 2 * 256),
        4 * (512 + 1 * 256),
    ]


def test_a_request_without_a_reply_is_not_asked_again() -> None:
    """Retrying is the client's business, and it has given up."""
    error = NoReplyError("rate_limited", "endpoint 'x' asked to wait 600 s")
    sender = Scripted([reply(entry(1)), error])
    ledger = Ledger()
    lost = Unanswered("endpoint 'x' asked to wait 600 s")
    assert settled(sender, ledger=ledger) == {1: YES, 2: lost, 3: lost}
    assert len(sender.sent) == 2
    assert ledger.tally == Tally(n_reasked=2, n_unanswered=2)


def test_several_faults_make_one_note_in_a_fixed_order() -> None:
    """A re-ask has a key in the store, so the same faults have to make the same words."""
    sender = Scripted([reply(entry(1), entry(2, "perhaps")), reply(entry(2), entry(3))])
    settled(sender)
    assert (
        sender.sent[1]
        .messages[1]
        .content.endswith(
            "could not be used: it left items out and it used a value that was not offered."
        )
    )


def test_shards_are_asked_at_once() -> None:
    """One after the other, a pair would wait for the sum of its requests."""

    class Gathering(Scripted):
        """Answers when both requests are there."""

        async def send(self, request: ChatRequest) -> ChatReply:
            """The entry of the request's item."""
            self.sent.append(request)
            while len(self.sent) < 2:
                await asyncio.sleep(0)
            return reply(entry(int(request.topic[-1])))

    sender = Gathering([])
    rounds = Rounds(sender, "m", Ledger())
    both = asyncio.wait_for(rounds.settle(SHEET, [(1,), (2,)]), SOON)

    async def main() -> object:
        return await both

    assert asyncio.run(main()) == {1: YES, 2: YES}


def test_every_fault_has_its_note() -> None:
    """A fault without words would be a re-ask without a reason."""
    from typing import get_args

    from summeval_pytest.judges.llm.replies import FaultKind

    assert {*NOTES, *FREE_NOTES} == set(get_args(FaultKind))


@pytest.mark.parametrize(
    ("ids", "words"), [((), ""), ((4,), "4"), ((3, 1, 2, 7, 9, 8), "1-3, 7-9"), ((2, 4), "2, 4")]
)
def test_numbers_are_named_in_runs(ids: tuple[int, ...], words: str) -> None:
    """Fifteen numbers in a row read badly, and cost tokens."""
    assert span(ids) == words

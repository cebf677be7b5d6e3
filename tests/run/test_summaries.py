from __future__ import annotations

import asyncio
import re
from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from summeval_pytest.endpoints.chat import ROOM, ChatReply, Usage
from summeval_pytest.errors import NoReplyError, OptionError, Place, UsageError
from summeval_pytest.run.summaries import GAP, cut_middle, flaw_of, summary_request
from summeval_pytest.suite.suite import Suite
from summeval_pytest.suite.values import NO_SUMMARY, Flaw, Pair, Paper, Section, SystemSpec
from summeval_pytest.text.sentences import split_sentences
from tests.asked_suite import (
    SENTENCES,
    WRITTEN,
    by_rule,
    desk_for,
    loaded,
    text_by_rule,
    write_suite,
)
from tests.scripted_server import Action, Answer, ScriptedServer, Seen, Status

PLACE: Final = Place("golden/summeval.toml", 7)
SPEC: Final = SystemSpec(
    name="writer", endpoint="here", model="writer-7b", prompt="<{title}|{source}>", place=PLACE
)
PAPER: Final = Paper(
    id="kiln",
    title="On kilns",
    source=(
        Section(text="Bricks crack."),
        Section(heading="Results", text="Slow firing gave 31 MPa."),
    ),
    references=("Slow firing helps.",),
    place=Place("golden/papers.jsonl", 1),
)
SOURCE: Final = "Bricks crack.\n\nResults\nSlow firing gave 31 MPa."

words = st.lists(st.sampled_from(["Bricks", "crack.", "31", "MPa.", "in", "kilns."]), max_size=60)


def prompt_of(paper: Paper, spec: SystemSpec) -> str:
    """What the model reads."""
    (message,) = summary_request(paper, spec)[0].messages
    assert message.role == "user"
    return message.content


def asked_for(suite: Suite, store: Path, paper: str = "kiln") -> Pair:
    """The pair of the model under test."""
    session = desk_for(store, suite)

    async def main() -> Pair:
        try:
            return await session.pair(suite, paper, "writer")
        finally:
            await session.replies.finish(1.0)

    return asyncio.run(main())


def test_request_has_the_paper_in_its_template_and_is_made_as_the_system_says() -> None:
    """Everything that can change the summary is in it, and so in its key."""
    assert prompt_of(PAPER, SPEC) == f"<On kilns|{SOURCE}>"
    assert prompt_of(replace(PAPER, title=""), SPEC).startswith("<(none)|")
    spec = replace(SPEC, max_tokens=99, temperature=0.5, reasoning_effort="low")
    request, note = summary_request(PAPER, spec)
    assert (request.model, request.temperature) == ("writer-7b", 0.5)
    assert (request.most_tokens, request.reasoning_effort) == (99, "low")
    assert (request.schema, request.topic, note) == (None, "summary of kiln", "")
    usual, _ = summary_request(PAPER, SPEC)
    assert (usual.most_tokens, usual.first_room, usual.reasoning_effort) == (ROOM, 1024, None)
    assert (
        request.first_room,
        summary_request(PAPER, replace(SPEC, reasoning_effort="high"))[0].first_room,
    ) == (None, None)


def test_paper_cannot_fill_in_the_template() -> None:
    """Marks in a paper are its text; each mark of the template is filled in once."""
    paper = replace(PAPER, title="{source}", source=(Section(text="{title} and {source}"),))
    assert prompt_of(paper, SPEC) == "<{source}|{title} and {source}>"
    braces = replace(SPEC, prompt='{"paper": "{source}"} {other} {source}')
    assert prompt_of(PAPER, braces) == f'{{"paper": "{SOURCE}"}} {{other}} {SOURCE}'


def test_paper_that_is_too_long_loses_its_middle_and_the_pair_says_so() -> None:
    """1,500 sentences of 10 characters and a blank less one; about 3 characters a token."""
    source = " ".join(f"Fact {number:03}." for number in range(500))
    paper = replace(PAPER, title="", source=(Section(text=source),))
    spec = replace(SPEC, max_tokens=100, context_tokens=500)
    request, note = summary_request(paper, spec)
    text = request.messages[0].content
    assert len(text) <= 400 * 3 + len("(none)")
    assert text.startswith("<(none)|Fact 000. Fact 001.")
    assert text.endswith("Fact 498. Fact 499.>")
    assert GAP in text
    n_kept = len(text) - len("<(none)|>")
    assert note == (
        f"source cut from 4,999 to {n_kept:,} characters: the model's context is 500 tokens"
    )


@pytest.mark.parametrize("context_tokens", [1, 100, 110])
def test_context_without_room_for_a_paper_is_refused(context_tokens: int) -> None:
    """A summary of nothing would be judged as the model's."""
    spec = replace(SPEC, max_tokens=100, context_tokens=context_tokens)
    with pytest.raises(UsageError) as caught:
        summary_request(PAPER, spec)
    assert str(caught.value) == (
        f"golden/summeval.toml:7: context_tokens = {context_tokens} of system 'writer' leaves no"
        " room for a paper beside max_tokens = 100; write more, or less"
    )


@settings(deadline=None, max_examples=60)
@given(words, st.integers(len(GAP) + 3, 200))
def test_cut_text_is_its_two_ends_within_the_room(words: list[str], room: int) -> None:
    """Law: what fits stays; else the beginning, a gap and the end, nothing twice."""
    text = " ".join(words)
    cut = cut_middle(text, room)
    if len(text) <= room:
        assert cut == text
        return
    assert len(cut) <= room
    head, gap, tail = cut.partition(GAP)
    assert gap
    assert text.startswith(head)
    assert text.endswith(tail)
    assert len(head) + len(tail) < len(text)
    half = (room - len(GAP)) // 2
    ends = [sentence.end for sentence in split_sentences(text)]
    starts = [sentence.start for sentence in split_sentences(text)]
    assert len(head) in ends or min(ends) > half
    assert len(text) - len(tail) in starts or max(starts) < len(text) - half


@pytest.mark.parametrize(
    ("reply", "flaw"),
    [
        (ChatReply(text="A summary."), None),
        (ChatReply(text=""), None),
        (ChatReply(text="<think>So."), NO_SUMMARY),
        (
            ChatReply(text="A summ", finish="length"),
            Flaw("degenerate_candidate", "the summary was cut off at max_tokens = 99"),
        ),
        (
            ChatReply(text="<think>So", finish="length", usage=Usage(9, 99)),
            Flaw(
                "degenerate_candidate",
                "the model spent all 99 tokens thinking; set max_tokens higher under"
                " [systems.writer]",
            ),
        ),
        (
            ChatReply(text="", finish="content_filter"),
            Flaw("refused_candidate", "the endpoint's filter withheld the summary"),
        ),
        (
            ChatReply(text="I  cannot\x1b[31m.", finish="refusal"),
            Flaw("refused_candidate", r"the model refused: I cannot\x1b[31m."),
        ),
    ],
)
def test_reply_that_is_no_summary_is_the_systems_flaw(reply: ChatReply, flaw: Flaw | None) -> None:
    """What the endpoint says itself; that a text is empty is seen later."""
    assert flaw_of(reply, replace(SPEC, max_tokens=99)) == flaw


def test_pair_of_a_model_holds_what_it_wrote(tmp_path: Path) -> None:
    """With the place of the system in the suite, and the note of what was cut."""
    with ScriptedServer(by_rule) as server:
        suite = loaded(
            write_suite(
                tmp_path / "kilns", server.url, system="context_tokens = 175\nmax_tokens = 9"
            )
        )
        pair = asked_for(suite, tmp_path / "store")
        (seen,) = server.seen
    texts = SENTENCES["kiln"]
    assert pair.summary == " ".join((*texts[:2], texts[3]))
    assert (pair.system, pair.paper.id, pair.flaw) == ("writer", "kiln", None)
    assert pair.place == suite.systems["writer"].place
    assert pair.note.startswith("source cut from ")
    assert GAP in seen.texts[0]
    assert (seen.model, seen.body["max_tokens"], seen.level) == ("writer-7b", 9, "text")


@pytest.mark.parametrize(
    ("action", "kind", "message"),
    [
        (
            Status(400, message="too long"),
            NoReplyError,
            r"system 'writer' has no summary of paper 'moss': {at}status 400 \(too long\)",
        ),
        (Status(404), OptionError, "{asks}.*; Ollama fetches a model with 'ollama pull writer-7b'"),
        (Status(401), OptionError, "{asks}.*; --summ-endpoint=URL points elsewhere"),
        (Status(403), OptionError, "{asks}.*; --summ-endpoint=URL points elsewhere"),
    ],
)
def test_fault_of_one_paper_is_its_own_and_of_all_papers_the_users_to_mend(
    tmp_path: Path, action: Action, kind: type[Exception], message: str
) -> None:
    """The next paper may have better luck; else one message says what to type, not one for each."""
    with ScriptedServer(lambda _: action) as server:
        suite = loaded(write_suite(tmp_path / "kilns", server.url))
        at = f"endpoint 'here' at {re.escape(server.url)}: "
        asks = f"system 'writer' asks model 'writer-7b': {at}"
        with pytest.raises(kind, match=f"^{message.format(at=at, asks=asks)}$"):
            asked_for(suite, tmp_path / "store", "moss")


def test_summary_that_repeats_itself_costs_one_short_attempt(tmp_path: Path) -> None:
    """It is the system's failure: neither an error, nor asked again, nor 16,384 tokens long."""
    loop = Answer("Bricks crack in kilns. " * 200, finish="length", usage=(100, 1024, 0))
    with ScriptedServer(lambda _: loop) as server:
        suite = loaded(write_suite(tmp_path / "kilns", server.url))
        pairs = [asked_for(suite, tmp_path / "store") for _ in range(2)]
    message = "the summary repeats itself and was cut off"
    assert {pair.flaw for pair in pairs} == {Flaw("degenerate_candidate", message)}
    assert [seen.body["max_tokens"] for seen in server.seen] == [1024]


def test_model_that_thinks_is_given_more_room_once_it_was_seen_to(tmp_path: Path) -> None:
    """The first summary is asked for twice; later ones, of later runs too, get all the room."""

    def script(seen: Seen) -> Answer:
        n_tokens = int(str(seen.body["max_tokens"]))
        text, finish = (
            ("", "length") if n_tokens < 5000 else (text_by_rule(dict(seen.body)), "stop")
        )
        return Answer(text, finish=finish, usage=(100, min(n_tokens, 5000), 0))

    with ScriptedServer(script) as server:
        suite = loaded(write_suite(tmp_path / "kilns", server.url))
        pairs = [asked_for(suite, tmp_path / "store", paper) for paper in ("kiln", "moss", "kiln")]
    assert [pair.summary for pair in pairs] == [WRITTEN[name] for name in ("kiln", "moss", "kiln")]
    assert [seen.body["max_tokens"] for seen in server.seen] == [1024, ROOM, ROOM]


def test_thoughts_before_a_summary_are_no_part_of_it(tmp_path: Path) -> None:
    """Reasoning models of some servers write them into the same text."""
    with ScriptedServer(lambda _: Answer("<think>Hm.\n</think>\n\nBricks <think>.")) as server:
        suite = loaded(write_suite(tmp_path / "kilns", server.url))
        assert asked_for(suite, tmp_path / "store").summary == "Bricks <think>."

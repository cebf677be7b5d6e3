"""The LLM judge: every question becomes requests, and every reply is read strictly."""

from __future__ import annotations

from dataclasses import KW_ONLY, asdict, dataclass, field
from typing import TYPE_CHECKING, Final, assert_never

from summeval_pytest import questions as q
from summeval_pytest.endpoints.chat import ROOM
from summeval_pytest.errors import OptionError
from summeval_pytest.judges.llm.asking import IncompleteError, Poll, ReplyCounts, together
from summeval_pytest.judges.llm.examples import NO_EXAMPLES, Examples
from summeval_pytest.judges.llm.facet_ratings import (
    PLAIN,
    Style,
    rate_facets,
    segment_facets,
    summary_batch,
)
from summeval_pytest.judges.llm.fact_requests import (
    check_facts,
    count_batch,
    list_facts,
    relations_of,
)
from summeval_pytest.judges.llm.recipe import (
    manner_text,
    part_hash,
    prompt_hash,
    sentence_examples_hash,
)
from summeval_pytest.judges.llm.sentence_checks import check_sentences

if TYPE_CHECKING:
    from collections.abc import Mapping

    from summeval_pytest.endpoints.chat import Effort
    from summeval_pytest.endpoints.client import Sender
    from summeval_pytest.judges.judge import Part


IN_FLIGHT: Final = 64
USUAL: Final = q.SentenceManner()


@dataclass(eq=False)
class LlmJudge:
    """Asks a model, through whoever gets replies to requests.

    Equal requests may be sent at the same time: a sender that remembers replies, or that lets one
    wait for the other, is paid for one of them.

    Attributes:
        model: The endpoint's name for the model.
        endpoint: The name or address that tells this endpoint from others.
        votes: How often each rating and each check is asked for; 1 or more.
        batched: Whether items share requests; one request for each sentence, facet and fact is
            how the papers did it.
        style: How facets are read and their scales explained.
        in_flight: How many pairs are worth having open at once; 1 or more.
        manner: How it is asked about sentences.
        labelled: Sentences that people labelled, as examples of checks.
        max_tokens: Tokens that a reply may have, with those that the model thinks; None: as many
            as it needs.
        effort: How long the model thinks; None: as its endpoint has it.

    Raises:
        OptionError: if a number is too low, or a name is empty; for a strict judge that is asked
            for no evidence, and could call nothing supported.
    """

    sender: Sender
    _: KW_ONLY
    model: str
    endpoint: str
    votes: int = 1
    batched: bool = True
    style: Style = PLAIN
    in_flight: int = IN_FLIGHT
    manner: q.SentenceManner = USUAL
    labelled: Examples = NO_EXAMPLES
    max_tokens: int | None = None
    effort: Effort | None = None
    tally: ReplyCounts = field(default_factory=ReplyCounts, init=False)

    def __post_init__(self) -> None:
        for name, number in (("votes", self.votes), ("in_flight", self.in_flight)):
            if number < 1:
                raise OptionError(f"{name} is {number}; it has to be 1 or more")
        if not self.model or not self.endpoint:
            raise OptionError("an LLM judge needs the name of a model and of its endpoint")
        if self.manner.strict and self.manner.mode == "label":
            raise OptionError("a strict judge needs evidence, and mode 'label' asks for none")

    @property
    def signature(self) -> str:
        """The model, where it is served, and how it is asked."""
        calls = "batched" if self.batched else "single"
        room = "" if self.max_tokens is None else f" max_tokens={self.max_tokens}"
        effort = "" if self.effort is None else f" reasoning_effort={self.effort}"
        manner = manner_text(self.manner)
        if self.labelled:
            manner += f" sentence_examples={self.labelled}/{sentence_examples_hash()}"
        return (
            f"{self.model} at={self.endpoint} temp=0 prompt={prompt_hash(self.style)}"
            f" votes={self.votes} calls={calls}{self.style}{manner}{room}{effort}"
        )

    def prompts_for(self, parts: tuple[Part, ...]) -> str:
        """What tells this version's questions of these parts from any other's."""
        return part_hash(parts)

    def counts(self) -> Mapping[str, float]:
        """The tally as counts that add up over processes."""
        return asdict(self.tally)

    async def answer(self, questions: tuple[q.Question, ...]) -> tuple[q.Answer, ...]:
        """One answer for each question, in the order asked, all asked at once."""
        return tuple(await together([self._answer(question) for question in questions]))

    async def _answer(self, question: q.Question) -> q.Answer:
        try:
            return await self._whole_answer(question)
        except IncompleteError as error:
            return error.answer

    async def _whole_answer(self, question: q.Question) -> q.Answer:  # noqa: C901, PLR0911 - a case for each kind of question
        room = ROOM if self.max_tokens is None else self.max_tokens
        if self.max_tokens == ROOM:  # a limit, while the usual room grows
            room -= 1
        poll = Poll(
            self.sender, self.model, self.tally, self.votes, self.batched, room, self.effort
        )
        match question:
            case q.SegmentFacets():
                return await segment_facets(question, self.style, poll)
            case q.RateFacets():
                return await rate_facets(question, self.style, poll)
            case q.ListFacts(sentences):
                return await list_facts(sentences, poll)
            case q.CheckFacts():
                return await check_facts(question, poll)
            case q.ListRelations(text):
                return await relations_of(text, poll)
            case q.CountFacts():
                return (await poll.all_of(count_batch(question)))[0]
            case q.CheckSentences():
                return await check_sentences(question, self.manner, poll, self.labelled)
            case q.RateSummary():
                rating = summary_batch(question)
                return (await poll.outcomes(rating, lambda rated: rated.rating))[0]
            case _:
                assert_never(question)

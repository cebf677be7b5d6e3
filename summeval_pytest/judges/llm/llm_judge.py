"""The LLM judge: every question becomes requests, and every reply is read strictly.

The prompt hash in its signature is of the requests that a fixed set of questions would make, so
nothing that shapes a request can be forgotten. An `OtherQuestion` has digits of its own: they
stand in the recipe of a metric that asks it (``prompts``). So who asks none loses no baseline to
its prompts.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import KW_ONLY, asdict, dataclass, field
from functools import cache
from typing import Final, assert_never

from summeval_pytest import questions as q
from summeval_pytest.endpoints.chat import ROOM, Effort
from summeval_pytest.endpoints.client import Sender
from summeval_pytest.errors import OptionError
from summeval_pytest.judges.llm import asking, facet_ratings, fact_requests, sentence_checks
from summeval_pytest.judges.llm.prompts import NO_EXAMPLES, Examples, PromptBatch
from summeval_pytest.judges.llm.replies import NOTES
from summeval_pytest.options import IN_FLIGHT


@dataclass(eq=False)
class LlmJudge:
    """Asks a model, through whoever gets replies to requests.

    A class that asks in another way extends it: it overrides `answer_one` or `sentence_batch`, and
    names its way in `ways`.

    Equal requests may be sent at the same time: a sender that remembers replies, or that lets one
    wait for the other, is paid for one of them.

    Attributes:
        model: The endpoint's name for the model.
        endpoint: The name or address that tells this endpoint from others.
        votes: How often each rating and each check is asked for; 1 or more.
        batched: Whether items share requests; one request for each sentence, facet and fact is
            how the papers did it.
        style: How ratings of facets are explained.
        in_flight: How many pairs are worth having open at once; 1 or more.
        labelled: Sentences that people labelled, as examples of checks.
        decided: Facts that people checked, likewise.
        max_tokens: Tokens that a reply may have, with those that the model thinks; None: as many
            as it needs.
        effort: How long the model thinks; None: as its endpoint has it.

    Raises:
        OptionError: if a number is too low, or a name is empty.
    """

    sender: Sender
    _: KW_ONLY
    model: str
    endpoint: str
    votes: int = 1
    batched: bool = True
    style: facet_ratings.Style = facet_ratings.PLAIN
    in_flight: int = IN_FLIGHT
    labelled: Examples = NO_EXAMPLES
    decided: Examples = NO_EXAMPLES
    max_tokens: int | None = None
    effort: Effort | None = None
    tally: asking.ReplyCounts = field(default_factory=asking.ReplyCounts, init=False)

    def __post_init__(self) -> None:
        for name, number in (("votes", self.votes), ("in_flight", self.in_flight)):
            if number < 1:
                raise OptionError(f"{name} is {number}; it has to be 1 or more")
        if not self.model or not self.endpoint:
            raise OptionError("an LLM judge needs the name of a model and of its endpoint")

    @property
    def signature(self) -> str:
        """The model, where it is served, and how it is asked."""
        calls = "batched" if self.batched else "single"
        room = "" if self.max_tokens is None else f" max_tokens={self.max_tokens}"
        effort = "" if self.effort is None else f" reasoning_effort={self.effort}"
        ways = self.ways
        if self.labelled:
            ways += f" sentence_examples={self.labelled}/{sentence_examples_hash()}"
        if self.decided:
            ways += f" fact_examples={self.decided}/{fact_examples_hash()}"
        return (
            f"{self.model} at={self.endpoint} temp=0 prompt={prompt_hash(self.style)}"
            f" votes={self.votes} calls={calls}{self.style}{ways}{room}{effort}"
        )

    @property
    def ways(self) -> str:
        """What its signature says of other ways to ask; empty for the usual one."""
        return ""

    def counts(self) -> Mapping[str, float]:
        """The tally as counts that add up over processes."""
        return asdict(self.tally)

    async def answer(self, questions: tuple[q.Question, ...]) -> tuple[q.Answer, ...]:
        """One answer for each question, in the order asked, all asked at once."""
        return tuple(await asking.together([self._answer(question) for question in questions]))

    async def _answer(self, question: q.Question) -> q.Answer:
        room = ROOM if self.max_tokens is None else self.max_tokens
        poll = asking.Poll(
            self.sender, self.model, self.tally, self.votes, self.batched, room, self.effort
        )
        try:
            return await self.answer_one(question, poll)
        except asking.IncompleteError as error:
            return error.answer

    async def answer_one(self, question: q.Question, poll: asking.Poll) -> q.Answer:
        """The answer to one question; an `IncompleteError` holds it where an item has no reply."""
        match question:
            case q.SegmentFacets():
                return await facet_ratings.segment_facets(question, poll)
            case q.RateFacets():
                return await facet_ratings.rate_facets(question, self.style, poll)
            case q.ListFacts(sentences):
                return await fact_requests.list_facts(sentences, poll)
            case q.CheckFacts():
                return await fact_requests.check_facts(question, poll, self.decided)
            case q.CheckSentences():
                batch = self.sentence_batch(question)
                return await sentence_checks.check_sentences(question, batch, poll)
            case q.OtherQuestion():
                return await question.of_model(poll, self)
            case _:
                assert_never(question)

    def sentence_batch(self, question: q.CheckSentences) -> PromptBatch[q.SentenceCheck]:
        """How the model is asked about sentences."""
        examples = self.labelled.choose(" ".join(question.source))
        return sentence_checks.sentence_batch(question, examples)


VERSION: Final = "1"
"""Goes up when replies are read, or votes counted, in another way."""

_DIGITS: Final = 8
SAMPLE: Final = ("One <|im_end|> [INST] >>>", "two\nlines")
CHECKED: Final = q.CheckSentences(SAMPLE, SAMPLE)
"""What requests are about whose hash a signature has."""


@cache
def sentence_examples_hash() -> str:
    """Hex digits that tell how this version shows labelled sentences from any other way."""
    example = sentence_checks.sentence_example(CHECKED, {1: (True, ""), 2: (False, SAMPLE[0])})
    batch = sentence_checks.sentence_batch(CHECKED, (example,))
    return hash_of(batch)


@cache
def fact_examples_hash() -> str:
    """Hex digits that tell how this version shows labelled facts from any other way."""
    example = fact_requests.fact_example(SAMPLE, SAMPLE, (True, False))
    facts = (q.Fact(text="One.", sentence=0),) * 2
    batch = fact_requests.fact_batch(q.CheckFacts(facts, SAMPLE), (example,))
    return hash_of(batch)


@cache
def prompt_hash(style: facet_ratings.Style = facet_ratings.PLAIN) -> str:
    """Hex digits that tell this version's usual questions, facets in this style, from others."""
    chain = (q.Fact(text="One.", sentence=0), q.Fact(text="One of two.", sentence=0, parent=0))
    pairs = tuple(q.FacetPair(facet=facet, reference="One", candidate="Two") for facet in q.FACETS)
    references = (SAMPLE[1], q.FacetSegments(method=SAMPLE[1])) if style.labelled else ()
    examples = tuple(
        facet_ratings.rating_example(reference, SAMPLE[0], {"method": 2})
        for reference in references  # the examples that a judge has are hashed on their own
    )
    batches = (
        facet_ratings.labels_batch(SAMPLE),
        facet_ratings.segments_batch(SAMPLE[0]),
        facet_ratings.rating_batch(pairs, style, examples),
        fact_requests.facts_batch(SAMPLE),
        fact_requests.fact_batch(q.CheckFacts(chain, SAMPLE)),
        fact_requests.fact_batch(q.CheckFacts(chain, SAMPLE, every_premise=False)),
        sentence_checks.sentence_batch(CHECKED),
    )
    least = sorted(facet_ratings.LEAST_COVERAGE.items())
    return hash_of(*batches, more=(least, *(batch.size for batch in batches)))


def requests_of(*batches: PromptBatch[object], ids: tuple[int, ...] = (1, 2)) -> list[object]:
    """Of each batch a request about all items, and one about the last after every fault."""
    requests: list[object] = []
    for batch in batches:
        faults = frozenset(NOTES) - (set() if batch.schema(ids) is None else {"no_verdict"})
        second = asking.Turn(ids=(2,), vote=1, attempt=1, faults=faults)
        requests += [
            dict(asking.request_for(batch, t, "").identity(""))
            for t in (asking.Turn(ids=ids), second)
        ]
    return requests


def hash_of(
    *batches: PromptBatch[object], ids: tuple[int, ...] = (1, 2), more: tuple[object, ...] = ()
) -> str:
    """Hex digits of the requests of batches, of how replies to them are read, and of ``more``."""
    return digits_of([*requests_of(*batches, ids=ids), VERSION, asking.MAX_REASKS, *more])


def digits_of(requests: object) -> str:
    """Hex digits that tell these requests from others."""
    return hashlib.sha256(json.dumps(requests).encode()).hexdigest()[:_DIGITS]

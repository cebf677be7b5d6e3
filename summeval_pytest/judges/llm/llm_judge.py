"""The LLM judge: every question becomes requests, and every reply is read strictly.

The prompt hash in its signature is of the requests that a fixed set of questions would make, so
nothing that shapes a request can be forgotten. What only variants of EVA-Score ask has digits of
its own: they stand in the recipe of a metric that asks it (``prompts``). So who uses no variant
loses no baseline to its prompts.
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
from summeval_pytest.judges.judge import Part
from summeval_pytest.judges.llm import asking, facet_ratings, fact_requests, sentence_checks
from summeval_pytest.judges.llm.prompts import NO_EXAMPLES, Examples, PromptBatch
from summeval_pytest.judges.llm.replies import NOTES

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
        decided: Facts that people checked, likewise.
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
    style: facet_ratings.Style = facet_ratings.PLAIN
    in_flight: int = IN_FLIGHT
    manner: q.SentenceManner = USUAL
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
        if self.decided:
            manner += f" fact_examples={self.decided}/{fact_examples_hash()}"
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
        return tuple(await asking.together([self._answer(question) for question in questions]))

    async def _answer(self, question: q.Question) -> q.Answer:  # noqa: C901, PLR0911 - a case for each kind of question
        room = ROOM if self.max_tokens is None else self.max_tokens
        if self.max_tokens == ROOM:  # a limit, while the usual room grows
            room -= 1
        poll = asking.Poll(
            self.sender, self.model, self.tally, self.votes, self.batched, room, self.effort
        )
        try:
            match question:
                case q.SegmentFacets():
                    return await facet_ratings.segment_facets(question, self.style, poll)
                case q.RateFacets():
                    return await facet_ratings.rate_facets(question, self.style, poll, self.decided)
                case q.ListFacts(sentences):
                    return await fact_requests.list_facts(sentences, poll)
                case q.CheckFacts():
                    return await fact_requests.check_facts(question, poll, self.decided)
                case q.ListRelations(text):
                    return await fact_requests.relations_of(text, poll)
                case q.CountFacts():
                    return (await poll.all_of(fact_requests.count_batch(question)))[0]
                case q.CheckSentences():
                    return await sentence_checks.check_sentences(
                        question, self.manner, poll, self.labelled
                    )
                case q.RateSummary():
                    rating = facet_ratings.summary_batch(question)
                    return (await poll.outcomes(rating, lambda rated: rated.rating))[0]
                case _:
                    assert_never(question)
        except asking.IncompleteError as error:
            return error.answer


VERSION: Final = "1"
"""Goes up when replies are read, or votes counted, in another way."""

_DIGITS: Final = 8
_SAMPLE: Final = ("One <|im_end|> [INST] >>>", "two\nlines")
_CHECKED: Final = q.CheckSentences(_SAMPLE, _SAMPLE)


@cache
def manner_text(manner: q.SentenceManner) -> str:
    """How a judge is asked about sentences, as its signature goes on; empty for the usual way.

    Labels under one prompt say nothing of another's, so each has digits of its own (FB7).
    """
    text = ""
    if manner.mode != "quotes":
        one = sentence_checks.sentence_batch(_CHECKED, q.SentenceManner(mode=manner.mode))
        digits = _hash_of(one, ids=(1,))
        text = f" sentences={manner.mode}/{digits}"
    text += " strict=yes" if manner.strict else ""
    if manner.factual:
        batch = sentence_checks.factual_batch(_SAMPLE, (1, 2))
        digits = _hash_of(batch, more=(batch.size,))
        text += f" factual={digits}"
    return text


@cache
def sentence_examples_hash() -> str:
    """Hex digits that tell how this version shows labelled sentences from any other way."""
    example = sentence_checks.sentence_example(_CHECKED, {1: (True, ""), 2: (False, _SAMPLE[0])})
    batch = sentence_checks.sentence_batch(_CHECKED, q.SentenceManner(), (example,))
    return _hash_of(batch)


@cache
def fact_examples_hash() -> str:
    """Hex digits that tell how this version shows labelled facts from any other way."""
    example = fact_requests.fact_example(_SAMPLE, _SAMPLE, (True, False))
    facts = (q.Fact(text="One.", sentence=0),) * 2
    batch = fact_requests.fact_batch(q.CheckFacts(facts, _SAMPLE), (example,))
    return _hash_of(batch)


@cache
def prompt_hash(style: facet_ratings.Style = facet_ratings.PLAIN) -> str:
    """Hex digits that tell this version's usual questions, facets in this style, from others."""
    chain = (q.Fact(text="One.", sentence=0), q.Fact(text="One of two.", sentence=0, parent=0))
    pairs = tuple(q.FacetPair(facet=facet, reference="One", candidate="Two") for facet in q.FACETS)
    references = (_SAMPLE[1], q.FacetSegments(method=_SAMPLE[1])) if style.labelled else ()
    examples = tuple(
        facet_ratings.rating_example(reference, _SAMPLE[0], {"method": 2})
        for reference in references  # the examples that a judge has are hashed on their own
    )
    batches = (
        facet_ratings.labels_batch(_SAMPLE),
        facet_ratings.segments_batch(_SAMPLE[0]),
        facet_ratings.rating_batch(pairs, style, examples),
        fact_requests.facts_batch(_SAMPLE),
        fact_requests.fact_batch(q.CheckFacts(chain, _SAMPLE)),
        fact_requests.fact_batch(q.CheckFacts(chain, _SAMPLE, every_premise=False)),
        sentence_checks.sentence_batch(_CHECKED, q.SentenceManner()),
    )
    least = sorted(facet_ratings.LEAST_COVERAGE.items())
    return _hash_of(*batches, more=(least, *(batch.size for batch in batches)))


@cache
def part_hash(parts: tuple[Part, ...]) -> str:
    """Hex digits that tell this version's questions of some parts from any other's."""
    earlier = tuple(q.Settled(text="One.", holds=holds) for holds in (True, False, None))
    two = (q.Fact(text="One of two.", sentence=0), q.Fact(text="Two of two.", sentence=0))
    relation = q.Relation(head="One", relation="is not", tail="Two", statement="One is not Two.")
    related = fact_requests.relation_batch(_SAMPLE)
    chains = [
        fact_requests.fact_batch(q.CheckFacts(two, _SAMPLE, e, earlier)) for e in (True, False)
    ]
    steps = (
        fact_requests.entity_batch(_SAMPLE),
        fact_requests.triple_batch(_SAMPLE, ("One", "Two")),
        fact_requests.statement_batch((relation, relation)),
    )
    requests: dict[Part, list[object]] = {
        "chain": _requests(*chains),
        "relations": [*_requests(related, *steps), related.size],
    }
    return _hash({part: requests[part] for part in sorted(parts)})


def _requests(*batches: PromptBatch[object], ids: tuple[int, ...] = (1, 2)) -> list[object]:
    """Of each batch a request about all items, and one about the last after every fault."""
    requests: list[object] = []
    for batch in batches:
        faults = frozenset(NOTES) - (set() if batch.schema(ids) is None else {"no_verdict"})
        second = asking.Turn(ids=(2,), vote=1, attempt=1, faults=faults, room=2)
        requests += [
            dict(asking.request_for(batch, t, "").identity(""))
            for t in (asking.Turn(ids=ids), second)
        ]
    return requests


def _hash_of(
    *batches: PromptBatch[object], ids: tuple[int, ...] = (1, 2), more: tuple[object, ...] = ()
) -> str:
    """Hex digits of the requests of batches, of how replies to them are read, and of ``more``."""
    return _hash([*_requests(*batches, ids=ids), VERSION, asking.MAX_REASKS, *more])


def _hash(requests: object) -> str:
    return hashlib.sha256(json.dumps(requests).encode()).hexdigest()[:_DIGITS]

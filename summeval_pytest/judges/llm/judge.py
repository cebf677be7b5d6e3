"""The LLM judge: every question becomes requests, and every reply is read strictly."""

from __future__ import annotations

import asyncio
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Final, assert_never

from summeval_pytest.errors import OptionError
from summeval_pytest.judges.llm.asking import Poll, Tally, lower_median, majority
from summeval_pytest.judges.llm.facets_and_facts import (
    FACTS_PER_REQUEST,
    FACTS_PER_REQUEST_AT_MOST,
    PAIRS_PER_REQUEST,
    PLAIN,
    SENTENCES_PER_REQUEST,
    Stated,
    StatedKind,
    Style,
    count_batch,
    fact_batch,
    facts,
    rating_batch,
    segments,
    stated_batch,
    summary_batch,
)
from summeval_pytest.judges.llm.recipe import manner_text, part_hash, prompt_hash
from summeval_pytest.judges.llm.relations import relations_of
from summeval_pytest.judges.llm.sentences import ask_factual, ask_sentences
from summeval_pytest.questions import (
    Answer,
    CheckFacts,
    CheckSentences,
    CountFacts,
    FacetPair,
    FacetRatings,
    FactCheck,
    FactChecks,
    FactList,
    ListFacts,
    ListRelations,
    Question,
    RateFacets,
    RateSummary,
    RelationList,
    SegmentFacets,
    SentenceCheck,
    SentenceChecks,
    SentenceManner,
    Unanswered,
)
from summeval_pytest.text.sentences import sentence_texts

if TYPE_CHECKING:
    from collections.abc import Mapping

    from summeval_pytest.endpoints.client import Sender
    from summeval_pytest.judges.judge import Part


IN_FLIGHT: Final = 64
_USUAL: Final = SentenceManner()


class LlmJudge:
    """Asks a model, through whoever gets replies to requests.

    Equal requests may be sent at the same time: a sender that remembers replies, or that lets one
    wait for the other, is paid for one of them. Facets and facts of a text are such requests.
    """

    def __init__(  # noqa: PLR0913  # each is a setting that moves the numbers, by keyword only
        self,
        sender: Sender,
        *,
        model: str,
        endpoint: str,
        votes: int = 1,
        batched: bool = True,
        style: Style = PLAIN,
        in_flight: int = IN_FLIGHT,
        manner: SentenceManner = _USUAL,
    ) -> None:
        """Makes a judge; nothing is sent yet.

        Args:
            sender: Who gets replies.
            model: The endpoint's name for the model.
            endpoint: The name or address that tells this endpoint from others.
            votes: How often each rating and each check is asked for; 1 or more.
            batched: Whether items share requests; one request for each sentence, facet and fact,
                and facets apart from facts, is how the papers did it.
            style: How the scales of the facets are explained.
            in_flight: How many pairs are worth having open at once; 1 or more.
            manner: How it is asked about sentences.

        Raises:
            OptionError: if a number is too low, or a name is empty; for a strict judge that is
                asked for no evidence, and could call nothing supported.
        """
        for name, number in (("votes", votes), ("in_flight", in_flight)):
            if number < 1:
                raise OptionError(f"{name} is {number}; it has to be 1 or more")
        if not model or not endpoint:
            raise OptionError("an LLM judge needs the name of a model and of its endpoint")
        if manner.strict and manner.mode == "label":
            raise OptionError("a strict judge needs evidence, and mode 'label' asks for none")
        self.tally = Tally()
        self._poll = Poll(sender, model, self.tally, votes, batched)
        self._style = style
        self._endpoint = endpoint
        self._in_flight = in_flight
        self._manner = manner

    @property
    def signature(self) -> str:
        """The model, where it is served, and how it is asked."""
        poll = self._poll
        calls = "batched" if poll.batched else "single"
        return (
            f"{poll.model} at={self._endpoint} temp=0 prompt={prompt_hash(self._style)}"
            f" votes={poll.votes} calls={calls}{self._style}{manner_text(self._manner)}"
        )

    def prompts_for(self, parts: tuple[Part, ...]) -> str:
        """What tells this version's questions of these parts from any other's."""
        return part_hash(parts)

    @property
    def in_flight(self) -> int:
        """How many pairs are worth having open at once."""
        return self._in_flight

    def counts(self) -> Mapping[str, float]:
        """The tally as counts that add up over processes."""
        return asdict(self.tally)

    async def answer(self, questions: tuple[Question, ...]) -> tuple[Answer, ...]:
        """One answer for each question, in the order asked, all asked at once."""
        return tuple(await asyncio.gather(*map(self._answer, questions)))

    async def _answer(self, question: Question) -> Answer:  # noqa: C901, PLR0911 - a case for each kind of question
        match question:
            case SegmentFacets(text):
                sentences = sentence_texts(text)
                stated = await self._stated(sentences, "facets")
                return stated if isinstance(stated, Unanswered) else segments(sentences, stated)
            case RateFacets(pairs):
                return await self._ratings(pairs)
            case ListFacts(sentences):
                return await self._facts(sentences)
            case CheckFacts():
                return await self._fact_checks(question)
            case ListRelations(text):
                return await self._relations(text)
            case CountFacts(reference, summary):
                (counts,) = await self._poll.whole(count_batch(reference, summary))
                return counts
            case CheckSentences():
                return await self._sentence_checks(question)
            case RateSummary(reference, summary):
                batch = summary_batch(reference, summary)
                (outcome,) = await self._poll.outcomes(
                    batch, 1, lambda rated: rated.rating, lower_median
                )
                return outcome if isinstance(outcome, Unanswered) else outcome.item
            case _:
                assert_never(question)

    async def _stated(
        self, sentences: tuple[str, ...], alone: StatedKind
    ) -> tuple[Stated, ...] | Unanswered:
        """What each sentence states; unanswered as a whole where one sentence stays so."""
        if not sentences:
            return ()
        batch = stated_batch(sentences, "facets_and_facts" if self._poll.batched else alone)
        stated: list[Stated] = []
        for found in await self._poll.replies(batch, SENTENCES_PER_REQUEST):
            if isinstance(found, Unanswered):
                return found
            stated.append(found)
        return tuple(stated)

    async def _facts(self, sentences: tuple[str, ...]) -> FactList | Unanswered:
        stated = await self._stated(sentences, "facts")
        if isinstance(stated, Unanswered):
            return stated
        found = facts(sentences, stated)
        self.tally.n_dropped_facts += len(found.unusable)
        return found

    async def _relations(self, text: str) -> RelationList | Unanswered:
        relations = await relations_of(text, self._poll)
        if isinstance(relations, RelationList):
            self.tally.n_dropped_facts += len(relations.unusable)
        return relations

    async def _ratings(self, pairs: tuple[FacetPair, ...]) -> FacetRatings:
        outcomes = await self._poll.outcomes(
            rating_batch(pairs, self._style),
            PAIRS_PER_REQUEST,
            lambda rated: rated.rating,
            lower_median,
        )
        return FacetRatings(tuple(o if isinstance(o, Unanswered) else o.item for o in outcomes))

    async def _fact_checks(self, question: CheckFacts) -> FactChecks:
        if not question.premises:
            nothing = FactCheck(reason="there is no premise", entailed=False)
            return FactChecks((nothing,) * len(question.facts))
        size = FACTS_PER_REQUEST if question.every_premise else FACTS_PER_REQUEST_AT_MOST
        outcomes = await self._poll.outcomes(
            fact_batch(question), size, lambda check: check.entailed, majority
        )
        return FactChecks(
            tuple(
                o
                if isinstance(o, Unanswered)
                else replace(o.item, support=self._support(o.agreeing, affirmed=o.item.entailed))
                for o in outcomes
            )
        )

    async def _sentence_checks(self, question: CheckSentences) -> SentenceChecks:
        if not question.source:
            nothing = SentenceCheck(reason="there is no source", supported=False)
            return SentenceChecks((nothing,) * len(question.sentences))
        outcomes = await ask_sentences(self._poll, question, self._manner)
        checks = tuple(
            o
            if isinstance(o, Unanswered)
            else replace(o.item, support=self._support(o.agreeing, affirmed=o.item.supported))
            for o in outcomes
        )
        self.tally.n_ungrounded_quotes += sum(
            check.n_ungrounded for check in checks if isinstance(check, SentenceCheck)
        )
        if self._manner.factual:
            checks = await ask_factual(self._poll, question.sentences, checks)
        return SentenceChecks(checks)

    def _support(self, agreeing: float, *, affirmed: bool) -> float | None:
        """Share of the usable votes that affirm an item; one vote tells no strength."""
        if self._poll.votes == 1:
            return None
        return agreeing if affirmed else 1.0 - agreeing

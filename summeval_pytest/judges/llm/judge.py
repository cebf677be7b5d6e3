"""The LLM judge: every question becomes requests, and every reply is read strictly."""

from __future__ import annotations

import asyncio
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Final, assert_never

from summeval_pytest.errors import OptionError
from summeval_pytest.judges.llm.asking import (
    Agreement,
    Ledger,
    Poll,
    Rounds,
    Tally,
    lower_median,
    majority,
)
from summeval_pytest.judges.llm.facets_and_facts import (
    PAIRS_PER_REQUEST,
    PLAIN,
    SENTENCES_PER_REQUEST,
    CountSheet,
    FactSheet,
    RatingSheet,
    Stated,
    Style,
    SummarySheet,
    TextSheet,
    facts,
    segments,
)
from summeval_pytest.judges.llm.recipe import manner_text, part_hash, prompt_hash
from summeval_pytest.judges.llm.relations import relations_of
from summeval_pytest.judges.llm.sentences import ask_factual, ask_sentences
from summeval_pytest.questions import (
    Answer,
    CheckFacts,
    CheckSentences,
    CountFacts,
    FacetRatings,
    FactCheck,
    FactChecks,
    FactCounts,
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
    SummaryRating,
    Unanswered,
)
from summeval_pytest.text.sentences import sentence_texts

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from summeval_pytest.endpoints.client import Sender
    from summeval_pytest.judges.judge import Part
    from summeval_pytest.judges.llm.asking import Outcome
    from summeval_pytest.judges.llm.replies import Kind


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
        self._ledger = Ledger()
        self._poll = Poll(Rounds(sender, model, self._ledger), votes, batched)
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
            f"{poll.rounds.model} at={self._endpoint} temp=0 prompt={prompt_hash(self._style)}"
            f" votes={poll.votes} calls={calls}{self._style}{manner_text(self._manner)}"
        )

    def prompts_for(self, parts: tuple[Part, ...]) -> str:
        """What tells this version's questions of these parts from any other's."""
        return part_hash(parts)

    @property
    def in_flight(self) -> int:
        """How many pairs are worth having open at once."""
        return self._in_flight

    @property
    def tally(self) -> Tally:
        """What the replies were like so far."""
        return self._ledger.tally

    @property
    def agreement(self) -> Agreement:
        """How far votes agreed so far."""
        return self._ledger.agreement

    def counts(self) -> Mapping[str, float]:
        """The tally and the agreement as counts that add up over processes."""
        agreement = self.agreement
        return {
            **asdict(self.tally),
            "n_voted": agreement.n_items,
            "n_agreeing": agreement.n_items * agreement.share,
        }

    async def answer(self, questions: tuple[Question, ...]) -> tuple[Answer, ...]:
        """One answer for each question, in the order asked, all asked at once."""
        return tuple(await asyncio.gather(*map(self._answer, questions)))

    async def _answer(self, question: Question) -> Answer:  # noqa: PLR0911 - a case for each kind of question
        match question:
            case SegmentFacets(text):
                sentences = sentence_texts(text)
                stated = await self._stated(sentences, "facets")
                return stated if isinstance(stated, Unanswered) else segments(sentences, stated)
            case ListFacts(sentences):
                return await self._facts(sentences)
            case RateFacets(pairs):
                return await self._ratings(RatingSheet(pairs, self._style))
            case CheckFacts():
                return await self._fact_checks(question)
            case CheckSentences():
                return await self._sentence_checks(question)
            case ListRelations() | CountFacts():
                return await self._asked_by_variants(question)
            case RateSummary(reference, summary):
                return await self._summary_rating(SummarySheet(reference, summary))
            case _:
                assert_never(question)

    async def _stated(
        self, sentences: tuple[str, ...], alone: Kind
    ) -> tuple[Stated, ...] | Unanswered:
        """What each sentence states; unanswered as a whole where one sentence stays so."""
        if not sentences:
            return ()
        sheet = TextSheet(sentences, "facets_and_facts" if self._poll.batched else alone)
        stated: list[Stated] = []
        for found in await self._poll.replies(sheet, SENTENCES_PER_REQUEST):
            if isinstance(found, Unanswered):
                return found
            stated.append(found)
        return tuple(stated)

    async def _facts(self, sentences: tuple[str, ...]) -> FactList | Unanswered:
        stated = await self._stated(sentences, "facts")
        if isinstance(stated, Unanswered):
            return stated
        found = facts(sentences, stated)
        self._ledger.add(dropped=len(found.unusable))
        return found

    async def _asked_by_variants(
        self, question: ListRelations | CountFacts
    ) -> RelationList | FactCounts | Unanswered:
        """What is read, and not judged, and so has one vote."""
        if isinstance(question, CountFacts):
            sheet = CountSheet(question.reference, question.summary)
            (counts,) = await self._poll.whole(sheet)
            return counts
        relations = await relations_of(question.text, self._poll)
        if isinstance(relations, RelationList):
            self._ledger.add(dropped=len(relations.unusable))
        return relations

    async def _ratings(self, sheet: RatingSheet) -> FacetRatings:
        outcomes = await self._poll.outcomes(
            sheet, PAIRS_PER_REQUEST, lambda rated: rated.rating, lower_median
        )
        return FacetRatings(tuple(o if isinstance(o, Unanswered) else o.item for o in outcomes))

    async def _summary_rating(self, sheet: SummarySheet) -> SummaryRating | Unanswered:
        (outcome,) = await self._poll.outcomes(sheet, 1, lambda rated: rated.rating, lower_median)
        return outcome if isinstance(outcome, Unanswered) else outcome.item

    async def _fact_checks(self, question: CheckFacts) -> FactChecks:
        if not question.premises:
            nothing = FactCheck(reason="there is no premise", entailed=False)
            return FactChecks((nothing,) * len(question.facts))
        sheet = FactSheet(
            question.facts, question.premises, question.every_premise, question.earlier
        )
        outcomes = await self._poll.outcomes(
            sheet, sheet.size, lambda check: check.entailed, majority
        )
        return FactChecks(
            tuple(
                o
                if isinstance(o, Unanswered)
                else replace(o.item, support=self._support(o, affirmed=o.item.entailed))
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
            else replace(o.item, support=self._support(o, affirmed=o.item.supported))
            for o in outcomes
        )
        self._ledger.add(ungrounded=_n_ungrounded(checks))
        if self._manner.factual:
            checks = await ask_factual(self._poll, question.sentences, checks)
        return SentenceChecks(checks)

    def _support(
        self, outcome: Outcome[FactCheck] | Outcome[SentenceCheck], *, affirmed: bool
    ) -> float | None:
        """Share of the usable votes that affirm an item; one vote tells no strength."""
        if self._poll.votes == 1:
            return None
        return outcome.agreeing if affirmed else 1.0 - outcome.agreeing


def _n_ungrounded(checks: Sequence[SentenceCheck | Unanswered]) -> int:
    return sum(check.n_ungrounded for check in checks if isinstance(check, SentenceCheck))

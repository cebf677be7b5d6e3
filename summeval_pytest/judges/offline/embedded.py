"""The embedded judge: every question answered by computation, with no key and no network."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from summeval_pytest.judges.offline.facets import rate_all, segment
from summeval_pytest.judges.offline.facts import check_facts, facts_of
from summeval_pytest.judges.offline.sentences import support_sentences
from summeval_pytest.questions import (
    Answer,
    CheckFacts,
    CheckSentences,
    CountFacts,
    FacetPair,
    FacetRating,
    FacetRatings,
    FacetSegments,
    Fact,
    FactList,
    ListFacts,
    ListRelations,
    Question,
    RateFacets,
    RateSummary,
    SegmentFacets,
    SentenceChecks,
    SummaryRating,
    Unanswered,
)

VERSION: Final = "3"
NO_RELATIONS: Final = (
    "the embedded judge finds no relations across sentences; write eva_relations = false in the"
    " suite, or name a judge that reads with --summ-judge"
)
NO_COUNTS: Final = (
    "the embedded judge follows no prompt, so it counts no facts by one; name an LLM judge"
)

Segmenter = Callable[[str], FacetSegments]
Rater = Callable[[RateFacets], tuple[FacetRating, ...]]
FactSplitter = Callable[[str, int, int], list[Fact]]


@dataclass(frozen=True, slots=True, kw_only=True)
class OfflineJudge:
    """Answers by small learned models and rules, the same to the last bit in every process.

    It sees shared words and numbers with units; a negation, or a word in the place of its opposite,
    only in a near copy. It does not see any other contradiction, nor support that shares no word.
    Where it sees a conflict it takes the worse answer and says that a reader has to decide
    (``undecided``). A
    summary as a whole is rated as the result of a paper is, which has the same scale.

    Attributes:
        segmenter: From a text to its facets.
        rater: From a question about facets to a rating for each of its pairs.
        fact_splitter: From a sentence, its index and the number of facts before it to its facts.
        name: The version of these parts, as the signature states it; change it with a part.
    """

    segmenter: Segmenter = segment
    rater: Rater = rate_all
    fact_splitter: FactSplitter = facts_of
    name: str = f"offline-{VERSION}"

    @property
    def signature(self) -> str:
        """The judge's name and version."""
        return self.name

    @property
    def in_flight(self) -> int:
        """One pair at a time: it computes, it does not wait."""
        return 1

    async def answer(self, questions: tuple[Question, ...]) -> tuple[Answer, ...]:
        """One answer for each question, in the order asked."""
        return tuple(self.compute(question) for question in questions)

    def compute(self, question: Question) -> Answer:  # noqa: C901, PLR0911 - a case for each kind of question
        """The answer to one question."""
        match question:
            case SegmentFacets(text):
                return self.segmenter(text)
            case RateFacets():
                return FacetRatings(self.rater(question))
            case ListFacts(sentences):
                facts: list[Fact] = []
                for place, sentence in enumerate(sentences):
                    facts.extend(self.fact_splitter(sentence, place, len(facts)))
                return FactList(tuple(facts))
            case CheckFacts():
                return check_facts(question)
            case ListRelations():
                return Unanswered(NO_RELATIONS)
            case CountFacts():
                return Unanswered(NO_COUNTS)
            case CheckSentences(sentences=sentences, source=source):
                return SentenceChecks(support_sentences(sentences, source))
            case RateSummary(reference=reference, summary=summary):
                pair = FacetPair(facet="result", reference=reference, candidate=summary)
                (rated,) = self.rater(RateFacets((pair,)))
                return SummaryRating(reason=rated.reason, rating=rated.rating)

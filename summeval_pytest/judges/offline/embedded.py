"""The embedded judge: every question answered by computation, with no key and no network."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from summeval_pytest.judges.offline.facts import added_by, facts_of
from summeval_pytest.judges.offline.rating import rate_all
from summeval_pytest.judges.offline.segmentation import segment
from summeval_pytest.judges.offline.support import Support, support_fact, support_sentence
from summeval_pytest.questions import (
    Answer,
    CheckFacts,
    CheckSentences,
    FacetPair,
    FacetRating,
    FacetRatings,
    FacetSegments,
    Fact,
    FactCheck,
    FactChecks,
    FactList,
    ListFacts,
    Question,
    RateFacets,
    RateSummary,
    SegmentFacets,
    SentenceCheck,
    SentenceChecks,
    SummaryRating,
)

VERSION: Final = "1"

Segmenter = Callable[[str], FacetSegments]
Rater = Callable[[tuple[FacetPair, ...]], tuple[FacetRating, ...]]
FactSplitter = Callable[[str, int, int], list[Fact]]


@dataclass(frozen=True, slots=True, kw_only=True)
class OfflineJudge:
    """Answers by rules and word statistics, the same to the last bit everywhere.

    It sees shared words, numbers with units, negation and direction words. It does not see a
    contradiction that shows in none of them, nor support that shares no word. A summary as a whole
    is rated as the result of a paper is, which has the same scale.

    Attributes:
        segmenter: From a text to its facets.
        rater: From pairs of facets to a rating each.
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

    def compute(self, question: Question) -> Answer:
        """The answer to one question."""
        match question:
            case SegmentFacets(text):
                return self.segmenter(text)
            case RateFacets(pairs):
                return FacetRatings(self.rater(pairs))
            case ListFacts(sentences):
                facts: list[Fact] = []
                for place, sentence in enumerate(sentences):
                    facts.extend(self.fact_splitter(sentence, place, len(facts)))
                return FactList(tuple(facts))
            case CheckFacts(facts=claims, premises=premises):
                return FactChecks(
                    tuple(
                        _fact_check(support_fact(fact.text, added_by(fact, claims), premises))
                        for fact in claims
                    )
                )
            case CheckSentences(sentences=sentences, source=source):
                return SentenceChecks(
                    tuple(
                        _sentence_check(support_sentence(sentence, source))
                        for sentence in sentences
                    )
                )
            case RateSummary(reference=reference, summary=summary):
                pair = FacetPair(facet="result", reference=reference, candidate=summary)
                (rated,) = self.rater((pair,))
                return SummaryRating(reason=rated.reason, rating=rated.rating)


def _fact_check(found: Support) -> FactCheck:
    return FactCheck(
        reason=found.reason, entailed=found.holds, premises=found.evidence, support=found.strength
    )


def _sentence_check(found: Support) -> SentenceCheck:
    return SentenceCheck(
        reason=found.reason, supported=found.holds, evidence=found.evidence, support=found.strength
    )

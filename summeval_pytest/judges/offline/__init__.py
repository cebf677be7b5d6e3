"""The embedded judge: every question answered by computation, with numpy, no key and no network."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from summeval_pytest import questions as q
from summeval_pytest.judges.offline.facets import rate_all, segment
from summeval_pytest.judges.offline.presence import check_facts, facts_of
from summeval_pytest.judges.offline.support import support_sentences
from summeval_pytest.text.languages import is_english

VERSION: Final = "8"
NOT_ENGLISH: Final = (
    "the embedded judge reads English only, and this text is in another language; name an LLM judge"
    " with --summ-judge"
)


def _texts(question: q.Question) -> tuple[str, str]:
    """The texts that a question is about: of the summary and of what it is compared with."""
    match question:
        case q.SegmentFacets(text=text):
            return text, ""
        case q.ListFacts(sentences):
            return "\n".join(sentences), ""
        case q.RateFacets(pairs, reference, summary):
            candidates = summary or "\n".join(pair.candidate for pair in pairs)
            return candidates, reference or "\n".join(pair.reference for pair in pairs)
        case q.CheckFacts(facts=facts, premises=premises):
            return "\n".join(fact.text for fact in facts), "\n".join(premises)
        case q.CheckSentences(sentences=sentences, source=source):
            return "\n".join(sentences), "\n".join(source)
        case q.OtherQuestion():
            return question.texts


@dataclass(frozen=True, slots=True)
class OfflineJudge:
    """Answers by small learned models and rules, the same to the last bit in every process.

    It sees shared words and numbers with units; a negation, or a word in the place of its opposite,
    only in a near copy. It does not see any other contradiction, nor support that shares no word.
    Where it sees a conflict it takes the worse answer and says that a reader has to decide
    (``undecided``). It reads English only. It computes and does not wait, so one pair at a time is
    enough.
    """

    signature: str = f"offline-{VERSION}"
    in_flight: int = 1

    async def answer(self, questions: tuple[q.Question, ...]) -> tuple[q.Answer, ...]:
        """One answer for each question, in the order asked."""
        return tuple(self.compute(question) for question in questions)

    def compute(self, question: q.Question) -> q.Answer:  # noqa: C901, PLR0911 - a case for each kind of question
        """The answer to one question; none about a text in another language than English."""
        if not all(map(is_english, _texts(question))):
            return q.Unanswered(NOT_ENGLISH)
        match question:
            case q.OtherQuestion():
                return question.computed()
            case q.SegmentFacets(text, is_summary):
                return segment(text, nearest=is_summary)
            case q.RateFacets():
                return q.FacetRatings(rate_all(question))
            case q.ListFacts(sentences):
                facts: list[q.Fact] = []
                for place, sentence in enumerate(sentences):
                    facts.extend(facts_of(sentence, place, len(facts)))
                return q.FactList(tuple(facts))
            case q.CheckFacts():
                return check_facts(question)
            case q.CheckSentences(sentences=sentences, source=source):
                return q.SentenceChecks(support_sentences(sentences, source))

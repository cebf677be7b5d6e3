"""Which items of a question share a request, told without asking."""

from __future__ import annotations

from typing import TYPE_CHECKING

from summeval_pytest.judges.llm.fact_checking import FactSheet
from summeval_pytest.judges.llm.rating import PAIRS_PER_REQUEST, RatingSheet
from summeval_pytest.judges.llm.sentence_checking import SENTENCES_PER_REQUEST, SentenceSheet
from summeval_pytest.judges.llm.sharding import shards
from summeval_pytest.questions import CheckFacts, CheckSentences, RateFacets

if TYPE_CHECKING:
    from summeval_pytest.judges.llm.sharding import Unit
    from summeval_pytest.questions import Question


def sharing(question: Question) -> tuple[Unit, ...]:
    """The items of a question, from 0, of each request of its first vote, in their order there.

    Empty for a question that extracts, whose items are not known before it is answered.
    """
    match question:
        case RateFacets(pairs):
            requests = shards(RatingSheet(pairs).units, PAIRS_PER_REQUEST)
        case CheckFacts(facts, premises, every_premise):
            sheet = FactSheet(facts, premises, every_premise)
            requests = shards(sheet.units, sheet.size)
        case CheckSentences(sentences, source):
            requests = shards(SentenceSheet(sentences, source).units, SENTENCES_PER_REQUEST)
        case _:
            return ()
    return tuple(tuple(id_ - 1 for id_ in ids) for ids in requests)

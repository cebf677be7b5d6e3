"""A question about sentences, asked in the manner that a judge was told."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from summeval_pytest.judges.llm.factual_checking import SENTENCES_PER_REQUEST as FACTUAL_PER_REQUEST
from summeval_pytest.judges.llm.factual_checking import FactualSheet
from summeval_pytest.judges.llm.free_checking import FreeSheet
from summeval_pytest.judges.llm.sentence_checking import SENTENCES_PER_REQUEST, SentenceSheet
from summeval_pytest.judges.llm.voting import majority
from summeval_pytest.questions import SentenceCheck, Unanswered

if TYPE_CHECKING:
    from collections.abc import Sequence

    from summeval_pytest.judges.llm.polling import Poll
    from summeval_pytest.judges.llm.sheet import Sheet
    from summeval_pytest.judges.llm.voting import Outcome
    from summeval_pytest.manner import SentenceManner
    from summeval_pytest.questions import CheckSentences


def sheet_of(
    sentences: tuple[str, ...], source: tuple[str, ...], manner: SentenceManner
) -> Sheet[SentenceCheck]:
    """The sheet that asks in this manner."""
    if manner.mode == "quotes":
        return SentenceSheet(sentences, source, manner.strict)
    return FreeSheet(
        sentences=sentences,
        source=source,
        with_quotes=manner.mode == "label-and-sentences",
        strict=manner.strict,
    )


async def ask_sentences(
    poll: Poll, question: CheckSentences, manner: SentenceManner
) -> tuple[Outcome[SentenceCheck] | Unanswered, ...]:
    """What the votes on each sentence come to; free text answers one sentence a request."""
    if manner.mode != "quotes":
        poll = replace(poll, batched=False)
    return await poll.outcomes(
        sheet_of(question.sentences, question.source, manner),
        SENTENCES_PER_REQUEST,
        lambda check: check.supported,
        majority,
    )


async def ask_factual(
    poll: Poll, sentences: tuple[str, ...], checks: Sequence[SentenceCheck | Unanswered]
) -> tuple[SentenceCheck | Unanswered, ...]:
    """The checks of sentences, the unsupported ones with whether they are true all the same.

    One that the judge gives no usable answer about stays as it is.
    """
    asked = tuple(
        id_
        for id_, check in enumerate(checks, start=1)
        if isinstance(check, SentenceCheck) and not check.supported
    )
    told = list(checks)
    if asked:
        outcomes = await poll.outcomes(
            FactualSheet(sentences, asked),
            FACTUAL_PER_REQUEST,
            lambda check: check.factual,
            majority,
        )
        for id_, outcome in zip(asked, outcomes, strict=True):
            check = told[id_ - 1]
            if isinstance(check, SentenceCheck) and not isinstance(outcome, Unanswered):
                told[id_ - 1] = replace(check, factual=outcome.item.factual)
    return tuple(told)

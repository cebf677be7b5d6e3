"""The LLM judge asked about sentences in each manner, by a model that answers by rule."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from summeval_pytest.errors import OptionError
from summeval_pytest.judges.llm.judge import LlmJudge
from summeval_pytest.judges.llm.recipe import factual_hash, mode_hash, prompt_hash
from summeval_pytest.questions import (
    SENTENCE_MODES,
    CheckSentences,
    SentenceCheck,
    SentenceChecks,
    SentenceManner,
    Unanswered,
)
from tests.judges.llm.by_rule import RuleSender, as_it_is, kind_of

if TYPE_CHECKING:
    from summeval_pytest.endpoints.chat import ChatRequest
    from tests.judges.llm.by_rule import Hook

SOURCE = ("We fired forty bricks.", "Slow firing gave bricks of 31 MPa.", "Fuel was dear.")
SENTENCES = ("Forty bricks were fired.", "The world is round.", "Winter came.")
QUESTION = CheckSentences(SENTENCES, SOURCE)


def judge_of(manner: SentenceManner, hook: Hook = as_it_is, *, votes: int = 1) -> LlmJudge:
    """A judge with this manner and a model by rule behind it."""
    return LlmJudge(RuleSender(hook), model="m-1", endpoint="rule", votes=votes, manner=manner)


def sent_by(judge: LlmJudge) -> list[ChatRequest]:
    """The requests that a judge has sent."""
    sender = judge._poll.rounds.sender
    assert isinstance(sender, RuleSender)
    return sender.sent


def checks_of(judge: LlmJudge) -> tuple[SentenceCheck | Unanswered, ...]:
    """What a judge answers to the question."""
    (answer,) = asyncio.run(judge.answer((QUESTION,)))
    assert isinstance(answer, SentenceChecks)
    return answer.checks


def test_free_text_is_asked_for_one_sentence_a_request_without_a_schema() -> None:
    """FareBio's protocol, whatever the judge batches elsewhere."""
    judge = judge_of(SentenceManner(mode="label-and-sentences"))
    assert checks_of(judge) == (
        SentenceCheck(reason=f"Yes. ({SOURCE[0]})", supported=True, evidence=(0,)),
        SentenceCheck(reason="No.", supported=False),
        SentenceCheck(reason="No.", supported=False),
    )
    assert [kind_of(request) for request in sent_by(judge)] == ["sentence_quotes"] * 3
    assert all(request.schema is None for request in sent_by(judge))


def test_a_label_alone_names_no_evidence() -> None:
    """There is nothing to look up, and the same sentences are supported."""
    judge = judge_of(SentenceManner(mode="label"))
    assert checks_of(judge) == (
        SentenceCheck(reason="Yes.", supported=True),
        SentenceCheck(reason="No.", supported=False),
        SentenceCheck(reason="No.", supported=False),
    )
    assert [kind_of(request) for request in sent_by(judge)] == ["sentence_labels"] * 3


def test_no_request_of_one_way_is_one_of_another() -> None:
    """Equal requests would be one reply in the store (metrics.md FB7)."""
    asked: Counter[str] = Counter()
    for mode in SENTENCE_MODES:
        judge = judge_of(SentenceManner(mode=mode))
        checks_of(judge)
        asked.update({json.dumps(dict(r.identity("e")), sort_keys=True) for r in sent_by(judge)})
    assert set(asked.values()) == {1}
    assert len(asked) == 7


def test_a_reply_without_a_verdict_is_asked_again_with_the_reason() -> None:
    """One that stays so is nobody's yes."""

    def hook(request: ChatRequest, text: str) -> str:
        second = "Winter" in request.messages[1].content
        return "Hard to say." if second or not request.attempt else text

    judge = judge_of(SentenceManner(mode="label"), hook)
    checks = checks_of(judge)
    assert checks[0] == SentenceCheck(reason="Yes.", supported=True)
    assert checks[2] == Unanswered(
        "the reply begins 'hard to say.', with neither yes nor no; ask again"
    )
    assert sum("Winter" in request.messages[1].content for request in sent_by(judge)) == 3
    note = "could not be used: it did not begin with the word yes or the word no."
    assert sent_by(judge)[-1].messages[1].content.endswith(note)


def test_votes_in_free_text_are_counted_as_elsewhere() -> None:
    """Two of three say yes; the evidence is of the first vote that does."""

    def hook(request: ChatRequest, text: str) -> str:
        return "No." if request.vote == 0 else text

    judge = judge_of(SentenceManner(mode="label-and-sentences"), hook, votes=3)
    first = checks_of(judge)[0]
    assert isinstance(first, SentenceCheck)
    assert (first.supported, first.evidence) == (True, (0,))
    assert first.support == pytest.approx(2 / 3)


def test_unsupported_sentences_are_asked_about_once_more() -> None:
    """Only those, in one request; what is true beyond the source stays unsupported."""
    judge = judge_of(SentenceManner(factual=True))
    checks = checks_of(judge)
    assert [(c.supported, c.factual) for c in checks if isinstance(c, SentenceCheck)] == [
        (True, None),
        (False, True),
        (False, False),
    ]
    assert [kind_of(request) for request in sent_by(judge)] == [
        "sentence_checks",
        "factual_checks",
    ]
    assert sent_by(judge)[1].messages[1].content.endswith("Check sentences: 2-3.")


def test_nobody_is_asked_about_general_truth_where_all_is_supported() -> None:
    """An empty request would be paid for."""
    judge = judge_of(SentenceManner(factual=True))
    asyncio.run(judge.answer((CheckSentences(SENTENCES[:1], SOURCE),)))
    assert [kind_of(request) for request in sent_by(judge)] == ["sentence_checks"]


def test_a_sentence_without_a_factual_answer_stays_unsupported_and_open() -> None:
    """None is not "not true"; and the verdict itself was given."""

    def hook(request: ChatRequest, text: str) -> str:
        return "{}" if kind_of(request) == "factual_checks" else text

    checks = checks_of(judge_of(SentenceManner(factual=True), hook))
    assert [(c.supported, c.factual) for c in checks if isinstance(c, SentenceCheck)] == [
        (True, None),
        (False, None),
        (False, None),
    ]


def test_a_strict_judge_asks_the_same_and_reads_it_otherwise() -> None:
    """Its replies may come from the same cassette; its signature says so all the same."""

    def hook(request: ChatRequest, text: str) -> str:
        del request
        return text.replace("We fired", "They fired 50")

    usual, strict = (judge_of(SentenceManner(strict=strict), hook) for strict in (False, True))
    assert [c.supported for c in checks_of(usual) if isinstance(c, SentenceCheck)] == [
        True, False, False,
    ]  # fmt: skip
    assert not any(c.supported for c in checks_of(strict) if isinstance(c, SentenceCheck))
    assert sent_by(usual) == sent_by(strict)
    assert strict.signature == f"{usual.signature} strict=yes"


def test_the_signature_names_the_manner_with_its_own_digits() -> None:
    """The usual manner adds nothing, so that no recorded number becomes another one's."""
    usual = f"m-1 at=rule temp=0 prompt={prompt_hash()} votes=1 calls=batched"
    assert judge_of(SentenceManner()).signature == usual
    other = judge_of(SentenceManner(mode="label", factual=True)).signature
    assert other == f"{usual} sentences=label/{mode_hash('label')} factual={factual_hash()}"


def test_a_strict_judge_that_is_asked_for_no_evidence_is_refused() -> None:
    """It could call nothing supported."""
    with pytest.raises(OptionError) as caught:
        judge_of(SentenceManner(mode="label", strict=True))
    assert str(caught.value) == "a strict judge needs evidence, and mode 'label' asks for none"

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from summeval_pytest.errors import OptionError
from summeval_pytest.judges.llm.replies import ReplyFault, UnreadableError
from summeval_pytest.judges.llm.sentences import factual_batch, sentence_batch
from summeval_pytest.questions import (
    SENTENCE_MODES,
    CheckSentences,
    SentenceCheck,
    SentenceChecks,
    SentenceManner,
    Unanswered,
)
from tests.judges.llm.by_rule import ask, judge_of, kind_of, sent_by

if TYPE_CHECKING:
    from summeval_pytest.endpoints.chat import ChatRequest
    from summeval_pytest.judges.llm.judge import LlmJudge

MICE = ("Zinc was given to 40 mice.", "They slept\nmuch longer.", "Rats did not.")
SLEPT = ("Mice slept in the old barn.", "Rats slept.")
USUAL = SentenceManner()
BATCH = sentence_batch(SLEPT, MICE, USUAL)


def read_one(manner: SentenceManner = USUAL, **changed: object) -> SentenceCheck | ReplyFault:
    """What is read of an entry for sentence 1 that differs so from a good one."""
    entry = {"id": 1, "reason": "it says so", "evidence": [], "label": "supported"} | changed
    batch = sentence_batch(SLEPT, MICE, manner)
    return batch.read(json.dumps({"checks": [entry]}), (1,))[1]


def test_a_request_shows_the_source_and_then_the_sentences_asked_about() -> None:
    """The source is most of a request; requests about one paper begin alike."""
    lines = BATCH.user((2,)).split("\n")
    assert BATCH.system.startswith("# Sentence checks\n")
    assert lines[0].startswith("<<<source ")
    assert lines[1:4] == [
        "[1] Zinc was given to 40 mice.",
        "[2] They slept much longer.",
        "[3] Rats did not.",
    ]
    assert lines[7] == "[2] Rats slept."
    assert lines[9:] == ["", "Check sentences: 2."]
    other = sentence_batch(("Another summary.",), MICE, USUAL)
    assert other.user((1,)).split("\n")[:5] == lines[:5]
    schema = BATCH.schema((1,))
    assert schema is not None
    entry = json.loads(schema.text)["properties"]["checks"]["items"]["properties"]
    assert list(entry) == ["id", "reason", "evidence", "label"]
    assert list(entry["evidence"]["items"]["properties"]) == ["id", "quote"]


def test_evidence_is_what_stands_in_the_source() -> None:
    """Worked example: the second quotation is under another's number, the third is invented.

    The fourth is the summary's own: the judge then proves the sentence by itself.
    """
    evidence = [
        {"id": 2, "quote": "slept much longer"},
        {"id": 3, "quote": "zinc was given to 40"},
        {"id": 1, "quote": "zinc was given to 50 mice"},
        {"id": 1, "quote": "slept in the old barn"},
    ]
    assert read_one(evidence=evidence) == SentenceCheck(
        reason="it says so", supported=True, evidence=(1, 0), n_ungrounded=2, n_copied=1
    )


@pytest.mark.parametrize(
    ("changed", "fault"),
    [
        ({"label": "not supported"}, ReplyFault(
            "off_scale",
            "item 1: label: Input should be 'supported' or 'unsupported', not 'not supported'")),
        ({"label": "Supported"}, ReplyFault(
            "off_scale",
            "item 1: label: Input should be 'supported' or 'unsupported', not 'Supported'")),
        ({"label": True}, ReplyFault(
            "wrong_shape",
            "item 1: label: Input should be 'supported' or 'unsupported', not 'true'")),
        ({"evidence": "2"}, ReplyFault(
            "wrong_shape", "item 1: evidence: Input should be a valid list, not '2'")),
        ({"evidence": [{"id": "2", "quote": ""}]}, ReplyFault(
            "wrong_shape", "item 1: evidence: 0: id: Input should be a valid integer, not '2'")),
        ({"confidence": 0.9}, ReplyFault(
            "wrong_shape", "item 1: confidence: Extra inputs are not permitted, not '0.9'")),
    ],
    ids=["denial", "capital", "true", "text", "number as text", "key"],
)  # fmt: skip
def test_a_check_that_was_not_asked_for_is_none(
    changed: dict[str, object], fault: ReplyFault
) -> None:
    """Hedges, denials and texts of other shapes are asked about again."""
    assert read_one(USUAL, **changed) == fault


@pytest.mark.parametrize(
    ("label", "quote", "supported"),
    [
        ("supported", "zinc was given", True),
        ("supported", "zinc was not given", False),
        ("unsupported", "zinc was given", False),
    ],
    ids=["grounded", "ungrounded", "no"],
)
def test_a_strict_manner_wants_evidence_that_stands_in_the_source(
    label: str, quote: str, supported: bool
) -> None:
    """An invented quotation is no evidence; no and evidence stays no (metrics.md 1.2)."""
    evidence = [{"id": 1, "quote": quote}]
    found = read_one(SentenceManner(strict=True), evidence=evidence, label=label)
    assert isinstance(found, SentenceCheck)
    assert found.supported is supported
    told = "it says so (called supported without evidence, which a strict judge may not)"
    assert found.reason == (told if label == "supported" and not supported else "it says so")
    usual = read_one(evidence=evidence, label=label)
    assert isinstance(usual, SentenceCheck)
    assert usual.supported is (label == "supported")


def test_a_question_of_general_truth_shows_every_sentence_and_asks_about_some() -> None:
    """A pronoun is nothing by itself; the source is not shown, as it does not say so."""
    batch = factual_batch(("Zinc is a metal.", "It is cheap.", "Mice like it."), (2, 3))
    lines = batch.user((3,)).split("\n")
    assert batch.system.startswith("# Factual checks\n")
    assert lines[1:4] == ["[1] Zinc is a metal.", "[2] It is cheap.", "[3] Mice like it."]
    assert lines[-1] == "Check sentences: 3."
    assert batch.units == ((2,), (3,))
    assert batch.topic == "factual checks 'It is cheap.'"
    labels = {2: "true", 3: "not_true"}
    entries = [{"id": id_, "reason": "", "label": label} for id_, label in labels.items()]
    assert batch.read(json.dumps({"checks": entries}), (2, 3)) == {2: True, 3: False}
    false = [{"id": 2, "reason": "", "label": "false"}]
    assert isinstance(batch.read(json.dumps({"checks": false}), (2,))[2], ReplyFault)


CAGES = (
    "Zinc was given to 40 mice (two cages).",
    "The mice slept\nmuch longer after it (p < 0.05).",
    "Rats did not sleep any longer.",
    *(f"Filler sentence number {n} says nothing." for n in range(40)),
    "All of the animals lived to the end.",
)
IN_CAGES = ("Mice slept.", "Rats slept in all of the cages that we had bought.")
LABEL = SentenceManner(mode="label")
FREE = SentenceManner(mode="label-and-sentences")
STRICT = SentenceManner(mode="label-and-sentences", strict=True)


def read(reply: str, manner: SentenceManner = FREE) -> SentenceCheck:
    """What a reply about the first sentence says."""
    found = sentence_batch(IN_CAGES, CAGES, manner).read(reply, (1,))[1]
    assert isinstance(found, SentenceCheck)
    return found


@pytest.mark.parametrize("manner", [LABEL, FREE], ids=lambda manner: manner.mode)
def test_the_source_comes_first_the_sentence_second_and_the_question_last(
    manner: SentenceManner,
) -> None:
    """FareBio's order; requests about one paper begin alike, so endpoints can reuse the source."""
    batch = sentence_batch(IN_CAGES, CAGES, manner)
    lines = batch.user((2,)).split("\n")
    assert batch.schema((2,)) is None
    assert lines[0].startswith("<<<source ")
    assert lines[1:3] == [CAGES[0], "The mice slept much longer after it (p < 0.05)."]
    assert lines[47].startswith("<<<sentence ")
    assert lines[48] == IN_CAGES[1]
    assert IN_CAGES[0] not in lines
    assert lines[-1].startswith("Does the source support the sentence? Reply with yes or no")
    assert ("parentheses" in lines[-1]) is (manner == FREE)
    kind = "Sentence quotes" if manner == FREE else "Sentence labels"
    assert batch.system.startswith(f"# {kind}\n")
    assert batch.topic == f"{kind.lower()} 'Mice slept.'"


def test_a_yes_and_its_sentences() -> None:
    """Worked example: the second quotation holds parentheses, the third has another number."""
    reply = (
        "Yes (Rats did not sleep any longer.) (The mice slept much longer after it (p < 0.05).)"
        " (Zinc was given to 50 mice (two cages).)"
    )
    assert read(reply) == SentenceCheck(
        reason=reply, supported=True, evidence=(2, 1), n_ungrounded=1
    )


def test_where_only_a_label_is_asked_for_nothing_else_is_read() -> None:
    """What a model adds unasked would be there for some sentences and not for others."""
    found = read("Yes (Rats did not sleep) (no such words)", LABEL)
    assert (found.supported, found.evidence, found.n_ungrounded) == (True, (), 0)


def test_thoughts_are_no_part_of_a_reply() -> None:
    """A model that thinks aloud says yes and no before it decides."""
    found = read("<think>Yes? (Rats did not sleep) No.</think>\nNo.")
    assert found == SentenceCheck(reason="No.", supported=False)


def test_a_reply_without_a_verdict_is_not_read() -> None:
    """It is asked again, and says why."""
    with pytest.raises(UnreadableError) as caught:
        read("The mice (Zinc was given to 40 mice) slept.")
    assert str(caught.value) == "the reply begins 'the mice slept.', with neither yes nor no"


SOURCE = ("We fired forty bricks.", "Slow firing gave bricks of 31 MPa.", "Fuel was dear.")


SENTENCES = ("Forty bricks were fired.", "The world is round.", "Winter came.")


QUESTION = CheckSentences(SENTENCES, SOURCE)


def checks_of(judge: LlmJudge) -> tuple[SentenceCheck | Unanswered, ...]:
    """What a judge answers to the question."""
    (answer,) = ask(judge, QUESTION)
    assert isinstance(answer, SentenceChecks)
    return answer.checks


def test_free_text_is_asked_for_one_sentence_a_request_without_a_schema() -> None:
    """FareBio's protocol, whatever the judge batches elsewhere."""
    judge = judge_of(manner=SentenceManner(mode="label-and-sentences"))
    assert checks_of(judge) == (
        SentenceCheck(reason=f"Yes. ({SOURCE[0]})", supported=True, evidence=(0,)),
        SentenceCheck(reason="No.", supported=False),
        SentenceCheck(reason="No.", supported=False),
    )
    assert [kind_of(request) for request in sent_by(judge)] == ["sentence_quotes"] * 3
    assert all(request.schema is None for request in sent_by(judge))


def test_a_label_alone_names_no_evidence() -> None:
    """There is nothing to look up, and the same sentences are supported."""
    judge = judge_of(manner=SentenceManner(mode="label"))
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
        judge = judge_of(manner=SentenceManner(mode=mode))
        checks_of(judge)
        asked.update({json.dumps(dict(r.identity("e")), sort_keys=True) for r in sent_by(judge)})
    assert set(asked.values()) == {1}
    assert len(asked) == 7


def test_a_reply_without_a_verdict_is_asked_again_with_the_reason() -> None:
    """One that stays so is nobody's yes."""

    def hook(request: ChatRequest, text: str) -> str:
        second = "Winter" in request.messages[1].content
        return "Hard to say." if second or not request.attempt else text

    judge = judge_of(hook, manner=SentenceManner(mode="label"))
    checks = checks_of(judge)
    assert checks[0] == SentenceCheck(reason="Yes.", supported=True)
    assert checks[2] == Unanswered(
        "the reply begins 'hard to say.', with neither yes nor no; ask again"
    )
    assert sum("Winter" in request.messages[1].content for request in sent_by(judge)) == 3
    note = "could not be used: it did not begin with the word yes or the word no."
    assert sent_by(judge)[-1].messages[1].content.endswith(note)


def test_unsupported_sentences_are_asked_about_once_more() -> None:
    """Only those, in one request; what is true beyond the source stays unsupported."""
    judge = judge_of(manner=SentenceManner(factual=True))
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


def test_a_sentence_without_a_factual_answer_stays_unsupported_and_open() -> None:
    """None is not "not true"; and the verdict itself was given."""

    def hook(request: ChatRequest, text: str) -> str:
        return "{}" if kind_of(request) == "factual_checks" else text

    checks = checks_of(judge_of(hook, manner=SentenceManner(factual=True)))
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

    usual, strict = judge_of(hook), judge_of(hook, manner=SentenceManner(strict=True))
    assert [c.supported for c in checks_of(usual) if isinstance(c, SentenceCheck)] == [
        True, False, False,
    ]  # fmt: skip
    assert not any(c.supported for c in checks_of(strict) if isinstance(c, SentenceCheck))
    assert sent_by(usual) == sent_by(strict)
    assert strict.signature == f"{usual.signature} strict=yes"


def test_a_strict_judge_that_is_asked_for_no_evidence_is_refused() -> None:
    """It could call nothing supported."""
    with pytest.raises(OptionError) as caught:
        judge_of(manner=SentenceManner(mode="label", strict=True))
    assert str(caught.value) == "a strict judge needs evidence, and mode 'label' asks for none"

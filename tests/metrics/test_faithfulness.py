from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from summeval_pytest.metrics import faithfulness
from summeval_pytest.metrics.faithfulness import source_sentences
from summeval_pytest.metrics.score import FaithfulnessScore, JudgedSentence, Unscored
from summeval_pytest.questions import (
    CheckSentences,
    FactChecks,
    SentenceCheck,
    SentenceChecks,
    Unanswered,
)

if TYPE_CHECKING:
    from summeval_pytest.metrics.flow import Flow
    from summeval_pytest.questions import Answer

SOURCE = ("We fed zinc to 40 mice.", "Growth rose by 24 %.", "No mouse died.")


SUMMARY = "Mice ate zinc. They grew by a quarter. All of them lived."


SENTENCES = ("Mice ate zinc.", "They grew by a quarter.", "All of them lived.")


def yes(*evidence: int) -> SentenceCheck:
    """A supported sentence."""
    return SentenceCheck(reason="it says so", supported=True, evidence=evidence)


def no(*evidence: int) -> SentenceCheck:
    """An unsupported sentence; the evidence is what the source says instead."""
    return SentenceCheck(reason="it does not say so", supported=False, evidence=evidence)


def ended(flow: Flow[FaithfulnessScore], *answers: Answer) -> FaithfulnessScore | Unscored:
    """What the conversation ends in after these answers; before its first question without any."""
    with pytest.raises(StopIteration) as stop:
        flow.send(answers) if answers else next(flow)
    score: FaithfulnessScore | Unscored = stop.value.value
    return score


def judge(summary: str, *checks: SentenceCheck | Unanswered) -> FaithfulnessScore | Unscored:
    """What a summary ends in when its sentences are checked like this."""
    flow = faithfulness.measure(summary, SOURCE)
    next(flow)
    return ended(flow, SentenceChecks(checks))


def scored(summary: str, *checks: SentenceCheck | Unanswered) -> FaithfulnessScore:
    """The score of a summary whose sentences are checked like this."""
    score = judge(summary, *checks)
    assert isinstance(score, FaithfulnessScore)
    return score


def ponds(n: int) -> str:
    """A summary of as many sentences."""
    return " ".join(f"Pond number {place} was dry." for place in range(n))


# Conflicts
def test_a_sentence_that_the_judge_sees_in_conflict_counts_whatever_its_verdict() -> None:
    """One wrong figure is one conflict, however long the summary and generous the judge."""
    generous = replace(yes(0), number_conflict=True)
    score = scored(SUMMARY, generous, yes(1), replace(no(2), number_conflict=True))
    assert score.conflicts == 2
    assert score.value == pytest.approx(2 / 3)
    assert score.values()["faithfulness.conflicts"] == 2.0
    assert [sentence.number_conflict for sentence in score.sentences] == [True, False, True]


def test_a_rule_sees_conflicts_that_no_judge_tells(monkeypatch: pytest.MonkeyPatch) -> None:
    """It holds whoever judges: also a sentence that is called supported, or unanswered."""
    monkeypatch.setattr(
        faithfulness, "has_foreign_number", lambda text, source: "7" in text and source == SOURCE
    )
    score = scored(ponds(20), *(yes(0) for _ in range(7)), Unanswered("cut"), *[yes(0)] * 12)
    assert [s.index for s in score.sentences if s.number_conflict] == [7, 17]
    assert (score.conflicts, score.sentences[17].supported) == (2, True)


def test_a_sentence_that_stands_in_the_source_is_in_no_conflict() -> None:
    """Nobody is asked about it."""
    score = ended(faithfulness.measure(SOURCE[0], SOURCE))
    assert isinstance(score, FaithfulnessScore)
    assert score.conflicts == 0


# The rate
def test_rate_is_the_share_of_supported_sentences() -> None:
    """Two of three: FareBio's hallucination ratio would be 1/3."""
    score = scored(SUMMARY, yes(0), yes(1), no(2))
    assert score.value == pytest.approx(2 / 3)
    assert score.values() == {"faithfulness": score.value, "faithfulness.conflicts": 0.0}
    assert not score.is_faithful


def test_each_sentence_is_kept_with_its_verdict() -> None:
    """A failing test shows the sentence, the reason and where to look."""
    strong = SentenceCheck(reason="said", supported=True, evidence=(1, 0), support=0.9)
    score = scored(SUMMARY, strong, no(2), yes(2))
    assert score.sentences == (
        JudgedSentence(
            index=0,
            text="Mice ate zinc.",
            supported=True,
            reason="said",
            evidence=(1, 0),
            support=0.9,
        ),
        JudgedSentence(
            index=1,
            text="They grew by a quarter.",
            supported=False,
            reason="it does not say so",
            evidence=(2,),
        ),
        JudgedSentence(
            index=2,
            text="All of them lived.",
            supported=True,
            reason="it says so",
            evidence=(2,),
        ),
    )


def test_summary_is_normalised_before_it_is_asked_about() -> None:
    """Special tokens and labels would tell the judge which system it reads."""
    flow = faithfulness.measure(f"<s> Abstract: {SUMMARY}</s><pad>", SOURCE)
    assert next(flow) == (CheckSentences(SENTENCES, SOURCE),)


def test_source_sentences_run_on_through_the_sections() -> None:
    """Evidence indices count from 0 over the sections in order, and empty ones take none."""
    sections = ["Aims\n\nWe fed zinc. It was cheap.", "<pad>", "Growth rose.<n>No mouse died."]
    assert source_sentences(sections) == (
        "Aims",
        "We fed zinc.",
        "It was cheap.",
        "Growth rose.",
        "No mouse died.",
    )
    assert source_sentences([]) == ()


def test_fragment_under_five_characters_is_dropped_and_keeps_its_place() -> None:
    """A "p. 5" is no sentence (FareBio, section 3.1); the others keep their indices."""
    flow = faithfulness.measure("Mice ate zinc.\n\np. 5\n\nAll of them lived.", SOURCE)
    assert next(flow) == (CheckSentences((SENTENCES[0], SENTENCES[2]), SOURCE),)
    score = ended(flow, SentenceChecks((yes(0), no())))
    assert isinstance(score, FaithfulnessScore)
    assert score.value == 0.5
    assert [sentence.index for sentence in score.sentences] == [0, 2]


def test_sentence_copied_from_the_source_is_supported_without_a_question() -> None:
    """FareBio's verbatim sentences need no judge, and the copy is the evidence."""
    flow = faithfulness.measure("growth  ROSE by 24 %. All of them lived.", SOURCE)
    assert next(flow) == (CheckSentences(("All of them lived.",), SOURCE),)
    score = ended(flow, SentenceChecks((no(2),)))
    assert isinstance(score, FaithfulnessScore)
    assert score.value == 0.5
    copied, asked = score.sentences
    assert (copied.supported, copied.evidence, copied.support) == (True, (1,), 1.0)
    assert (copied.by_rule, copied.reason) == (True, "copied from the source")
    assert not asked.by_rule


@pytest.mark.parametrize(
    "sentence",
    ["Growth rose by 2.4 %.", "Growth rose by 24.", "Growth rose.", "By 24 % growth rose."],
)
def test_nearly_copied_sentence_is_asked_about(sentence: str) -> None:
    """A changed number is the likeliest error of all."""
    assert next(faithfulness.measure(sentence, SOURCE)) == (CheckSentences((sentence,), SOURCE),)


def test_copied_sentence_is_asked_about_without_the_short_circuit() -> None:
    """Only so can a judge be measured on it."""
    flow = faithfulness.measure(SOURCE[1], SOURCE, short_circuit=False)
    assert next(flow) == (CheckSentences((SOURCE[1],), SOURCE),)
    score = ended(flow, SentenceChecks((no(),)))
    assert isinstance(score, FaithfulnessScore)
    assert score.value == 0.0


def test_mixed_verdicts_come_in_the_order_of_the_summary() -> None:
    """Copied sentences are known before the others, and must not move to the front."""
    score = scored(f"Mice ate zinc. {SOURCE[1]} All of them lived.", no(), yes(2))
    assert [sentence.index for sentence in score.sentences] == [0, 1, 2]
    assert [sentence.supported for sentence in score.sentences] == [False, True, True]


# Evidence
def test_yes_without_evidence_is_supported_and_counted() -> None:
    """The verdict stands; the count says how often the judge showed nothing."""
    score = scored(SUMMARY, yes(), yes(1), no())
    assert score.value == pytest.approx(2 / 3)
    assert score.n_unsupported_yes == 1
    assert score.n_ungrounded == 0


def test_evidence_that_the_source_does_not_hold_is_dropped_and_counted() -> None:
    """An index out of range would point the reader nowhere, or at the wrong sentence."""
    score = scored(SUMMARY, yes(0, 3, -1), yes(99), no(5))
    assert [sentence.evidence for sentence in score.sentences] == [(0,), (), ()]
    assert score.n_ungrounded == 4
    assert score.n_unsupported_yes == 1
    assert score.value == pytest.approx(2 / 3)


def test_quotations_that_the_judge_could_not_place_are_counted_with_them() -> None:
    """A quotation is evidence by its words; one that stands nowhere is as empty as a bad index."""
    misquoted = SentenceCheck(reason="said", supported=True, evidence=(0, 7), n_ungrounded=2)
    score = scored(SUMMARY, misquoted, yes(1), no(2))
    assert score.n_ungrounded == 3
    assert score.value == pytest.approx(2 / 3)


def test_without_a_source_every_sentence_is_asked_and_no_evidence_holds() -> None:
    """An empty source supports nothing by rule."""
    flow = faithfulness.measure("Mice ate zinc.", ())
    assert next(flow) == (CheckSentences(("Mice ate zinc.",), ()),)
    score = ended(flow, SentenceChecks((no(0),)))
    assert isinstance(score, FaithfulnessScore)
    assert (score.value, score.n_ungrounded) == (0.0, 1)


# What is not scored
@pytest.mark.parametrize("summary", ["", " \n", "<s></s>", "<pad><pad><pad>", "Abstract:", "...-!"])
def test_empty_summary_is_the_systems_fault_and_asks_nothing(summary: str) -> None:
    """A summary of special tokens only is empty, and no judge is to be paid for it."""
    assert ended(faithfulness.measure(summary, SOURCE)) == Unscored(
        metric="faithfulness", status="degenerate_candidate", reason="the summary is empty"
    )


@pytest.mark.parametrize("summary", ["p. 5", "Yes.", "a\n\nb\n\n---------"])
def test_summary_of_fragments_is_the_systems_fault_and_asks_nothing(summary: str) -> None:
    """With no sentence to check, a rate would be 0 / 0."""
    assert ended(faithfulness.measure(summary, SOURCE)) == Unscored(
        metric="faithfulness",
        status="degenerate_candidate",
        reason="the summary has no sentence to check",
    )


def test_refusal_is_the_systems_fault_and_asks_nothing() -> None:
    """An apology would be a summary without a false word."""
    assert ended(faithfulness.measure("I cannot summarise this paper.", SOURCE)) == Unscored(
        metric="faithfulness", status="refused_candidate", reason="the system refused"
    )


@pytest.mark.parametrize(
    ("checks", "n"),
    [((yes(0), yes(1)), 2), ((yes(0),) * 4, 4), ((), 0)],
    ids=["n-1", "n+1", "none"],
)
def test_wrong_count_of_checks_leaves_the_pair_unscored(
    checks: tuple[SentenceCheck, ...], n: int
) -> None:
    """A judge that drops the hard sentence must not raise the score (metrics.md 6, #1)."""
    score = judge(SUMMARY, *checks)
    assert score == Unscored(
        metric="faithfulness",
        status="unanswered",
        reason=f"the judge returned {n} sentence checks for 3 asked about",
    )
    assert isinstance(score, Unscored)
    assert score.fault == "judge"


@pytest.mark.parametrize(
    ("answers", "reason"),
    [
        ((Unanswered("no JSON"),), "no JSON"),
        ((FactChecks(()),), "CheckSentences was answered with FactChecks"),
        (
            (SentenceChecks(()), SentenceChecks(())),
            "the judge gave 2 answers to 1 questions",
        ),
    ],
)
def test_missing_answer_leaves_the_pair_unscored(answers: tuple[Answer, ...], reason: str) -> None:
    """A judge that fails must not look like an unfaithful summary."""
    flow = faithfulness.measure(SUMMARY, SOURCE)
    next(flow)
    assert ended(flow, *answers) == Unscored(
        metric="faithfulness", status="unanswered", reason=reason
    )


def test_unanswered_sentence_up_to_five_percent_leaves_the_denominator() -> None:
    """One of 20 sentences: the rate is that of the other 19, and the summary is not faithful."""
    score = scored(ponds(20), Unanswered("cut off"), *[yes(0)] * 19)
    assert score.value == 1.0
    assert not score.is_faithful
    assert (score.sentences[0].supported, score.sentences[0].reason) == (None, "cut off")
    # 18 of 19 where one of them is unsupported
    assert scored(ponds(20), Unanswered("cut off"), no(), *[yes(0)] * 18).value == 18 / 19


def test_unanswered_sentences_over_five_percent_leave_the_pair_unscored() -> None:
    """One of 19 sentences is 5.3 %."""
    assert judge(ponds(19), *[yes(0)] * 18, Unanswered("cut off")) == Unscored(
        metric="faithfulness",
        status="unanswered",
        reason="1 of 19 sentences unanswered, first: cut off",
    )


# Laws
def of(judgements: list[tuple[bool, list[int]]]) -> FaithfulnessScore:
    """The score of a summary with one sentence for each judgement."""
    checks = [
        SentenceCheck(reason="", supported=supported, evidence=tuple(evidence))
        for supported, evidence in judgements
    ]
    return scored(ponds(len(checks)), *checks)


def test_whether_a_sentence_is_true_all_the_same_is_kept_of_unsupported_ones() -> None:
    """It scores nothing: a factual hallucination is unfaithful (metrics.md 1.2, labels)."""
    checks = (replace(yes(0), factual=True), replace(no(), factual=True), no())
    score = scored(SUMMARY, *checks)
    assert score.value == 1 / 3
    assert [sentence.factual for sentence in score.sentences] == [None, True, None]


def test_quotations_copied_from_the_summary_are_counted() -> None:
    """They are among the ungrounded ones (FareBio, Table 5)."""
    score = scored(SUMMARY, replace(yes(0), n_ungrounded=2, n_copied=1), yes(1), yes(2))
    assert (score.n_ungrounded, score.n_copied) == (2, 1)

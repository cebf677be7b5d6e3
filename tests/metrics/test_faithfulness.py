from __future__ import annotations

from dataclasses import replace

import pytest

from summeval_pytest.metrics import faithfulness
from summeval_pytest.metrics.faithfulness import FaithfulnessScore, JudgedSentence, source_sentences
from summeval_pytest.metrics.number import Unscored
from summeval_pytest.questions import CheckSentences, SentenceCheck, SentenceChecks, Unanswered
from tests.metrics.table_judge import ended

SOURCE = ("We fed zinc to 40 mice.", "Growth rose by 24 %.", "No mouse died.")
SUMMARY = "Mice ate zinc. They grew by a quarter. All of them lived."


def yes(*evidence: int) -> SentenceCheck:
    """A supported sentence."""
    return SentenceCheck(reason="it says so", supported=True, evidence=evidence)


def no(*evidence: int) -> SentenceCheck:
    """An unsupported sentence; the evidence is what the source says instead."""
    return SentenceCheck(reason="it does not say so", supported=False, evidence=evidence)


def judge(
    summary: str,
    *checks: SentenceCheck | Unanswered,
    source: tuple[str, ...] = SOURCE,
    references: tuple[str, ...] = (),
) -> FaithfulnessScore | Unscored:
    """What a summary ends in when its sentences are checked like this."""
    flow = faithfulness.measure(summary, source, references=references)
    return ended(flow, *([(SentenceChecks(checks),)] if checks else []))


def scored(
    summary: str, *checks: SentenceCheck | Unanswered, **texts: tuple[str, ...]
) -> FaithfulnessScore:
    """The score of a summary whose sentences are checked like this."""
    score = judge(summary, *checks, **texts)
    assert isinstance(score, FaithfulnessScore)
    return score


def requested(
    summary: str, source: tuple[str, ...] = SOURCE, *, short_circuit: bool = True
) -> tuple[str, ...]:
    """The sentences that the judge is asked about."""
    (question,) = next(faithfulness.measure(summary, source, short_circuit=short_circuit))
    assert isinstance(question, CheckSentences)
    assert question.source == source
    return question.sentences


def ponds(n: int) -> str:
    """A summary of as many sentences."""
    return " ".join(f"Pond number {place} was dry." for place in range(n))


# Conflicts
def test_a_conflict_counts_only_in_a_sentence_that_the_judge_does_not_support() -> None:
    """One wrong figure is one conflict, however long the summary; a true one is none."""
    generous, stern = (replace(check, conflict=True) for check in (yes(0), no(2)))
    score = scored(SUMMARY, generous, yes(1), stern)
    assert (score.conflicts, score.values()["faithfulness.conflicts"]) == (1, 1.0)
    assert [sentence.conflict for sentence in score.sentences] == [False, False, True]


def test_a_rule_sees_conflicts_that_no_judge_tells() -> None:
    """A number with another value: in a sentence called unsupported, or one unanswered."""
    names = "alder birch cedar larch maple rowan".split() + [f"x{place}" for place in range(34)]
    verdicts: list[SentenceCheck | Unanswered] = [yes(0)] * 40
    verdicts[1] = Unanswered("cut")
    verdicts[3] = verdicts[4] = no(0)
    source = tuple(f"The {name} bore 14 kg of pale fruit." for name in names)
    summary = " ".join(f"The {name} bore 41 kg of pale fruit." for name in names)
    summary = summary.replace("larch bore 41 kg", "larch bore 14 kg of very")
    score = scored(summary, *verdicts, source=source)
    assert [s.index for s in score.sentences if s.conflict] == [1, 4]
    assert (score.conflicts, score.sentences[5].supported) == (2, True)
    assert score.sentences[1].reason == "the source has '14 kg', not '41 kg'; cut"


def test_numbers_of_another_language_are_left_to_the_judge() -> None:
    """Our rules would read "8,4 t" as two numbers."""
    source = (
        "Der Ertrag stieg auf den Feldern im Tal um 8,4 t.",
        "Das war mehr als im Jahr davor.",
    )
    score = scored("Der Ertrag fiel auf den Feldern im Tal um 9,4 t.", no(0), source=source)
    assert (score.conflicts, score.sentences[0].missing) == (0, ())
    assert score.sentences[0].reason == no().reason


def test_a_number_that_is_not_found_is_told_and_no_conflict() -> None:
    """The source may be silent, or say it in a way that rules do not see."""
    score = scored("Mice ate zinc for 12 days. They grew.", no(0), yes(1))
    assert (score.conflicts, score.sentences[0].missing) == (0, ("12 days",))
    assert score.sentences[0].reason == f"not found in the source: '12 days'; {no().reason}"
    lone = replace(yes(0), missing=("12 days",), support=0.5)
    (finding,) = scored("Mice ate zinc for 12 days. They grew.", lone, yes(1)).findings(SOURCE)
    assert (finding.number, finding.verdict) == (
        "faithfulness.support", "supported, with a number that was not found"
    )  # fmt: skip


@pytest.mark.parametrize("check", [no(1), replace(no(1), conflict=True), Unanswered("cut")])
def test_a_number_that_a_reference_states_is_no_conflict_and_the_reason_says_so(
    check: SentenceCheck | Unanswered,
) -> None:
    """An abstract may state what the body of the paper does not; the sentence stays unsupported."""
    references = ("Zinc was cheap.", "Growth rose by 24 % and weight by 310 g in 40 mice.")
    summary = " ".join(
        ["Weight rose by 0.31 kg.", *(f"It rose by {n} g." for n in range(311, 330))]
    )
    score = scored(summary, check, *[no(1)] * 19, references=references)
    first, second, *_ = score.sentences
    assert first.reason == f"{check.reason}; a reference states '0.31 kg'"
    assert (first.missing, second.missing, first.conflict) == ((), ("311 g",), False)
    assert first.supported is (None if isinstance(check, Unanswered) else False)
    assert second.reason == f"not found in the source: '311 g'; {no().reason}"


def test_a_reference_excuses_the_numbers_that_it_states_and_no_more() -> None:
    """A judge that names a conflict has the word."""
    summary = "It rose by 31 g after 9 days."
    score = scored(summary, no(1), references=("By 31 g.",))
    assert score.sentences[0].missing == ("9 days",)
    reason = f"not found in the source: '9 days'; {no().reason}; a reference states '31 g'"
    assert score.sentences[0].reason == reason
    assert score.sentences[0].disputes == (("9 days", ""),)
    score = scored(summary, replace(no(1), conflict=True, reason="conflict"))
    assert (score.conflicts, score.sentences[0].reason.partition(";")[0]) == (1, "conflict")


# The rate
def test_rate_is_the_share_of_supported_sentences() -> None:
    """Two of three: FareBio's hallucination ratio would be 1/3."""
    score = scored(SUMMARY, yes(0), yes(1), no(2))
    assert score.values()["faithfulness"] == 2 / 3
    assert score.values()["faithfulness.conflicts"] == 0.0
    assert not score.is_faithful
    whole = scored(SUMMARY, yes(0), yes(1), yes(2))
    assert (whole.value, whole.is_faithful) == (1.0, True)


def test_each_sentence_is_kept_with_its_verdict() -> None:
    """A failing test shows the sentence, the reason and where to look."""
    strong = SentenceCheck(reason="said", supported=True, evidence=(1, 0), support=0.9)
    first, second, _ = scored(SUMMARY, strong, no(2), yes(2)).sentences
    assert first == JudgedSentence(
        index=0, text="Mice ate zinc.", supported=True, reason="said", evidence=(1, 0), support=0.9
    )
    assert (second.text, second.supported) == ("They grew by a quarter.", False)
    assert (second.reason, second.evidence) == ("it does not say so", (2,))


def test_whether_a_sentence_is_true_all_the_same_is_kept_of_unsupported_ones() -> None:
    """It scores nothing: a factual hallucination is unfaithful (metrics.md 1.2, labels)."""
    score = scored(SUMMARY, replace(yes(0), factual=True), replace(no(), factual=True), no())
    assert score.value == 1 / 3
    assert [sentence.factual for sentence in score.sentences] == [None, True, None]


def test_source_sentences_run_on_through_the_sections() -> None:
    """Evidence indices count from 0 over the sections in order, and empty ones take none."""
    sections = ["Ponds\n\nWe fed zinc. It was cheap.", "<pad>", "Growth rose.<n>No mouse died."]
    expected = ("Ponds", "We fed zinc.", "It was cheap.", "Growth rose.", "No mouse died.")
    assert source_sentences(sections) == expected
    assert source_sentences([]) == ()


def test_fragment_under_five_characters_is_dropped_and_keeps_its_place() -> None:
    """A "p. 5" is no sentence (FareBio, section 3.1); the others keep their indices."""
    summary = "Mice ate zinc.\n\np. 5\n\nAll of them lived."
    assert requested(summary) == ("Mice ate zinc.", "All of them lived.")
    score = scored(summary, yes(0), no())
    assert (score.value, [sentence.index for sentence in score.sentences]) == (0.5, [0, 2])


def test_sentence_copied_from_the_source_is_supported_without_a_question() -> None:
    """FareBio's verbatim sentences need no judge; the copy is the evidence and keeps its place."""
    summary = "Mice ate zinc. Growth  ROSE by 24 %. All of them lived."
    assert requested(summary) == ("Mice ate zinc.", "All of them lived.")
    score = scored(summary, no(), yes(2))
    assert [(s.index, s.supported) for s in score.sentences] == [(0, False), (1, True), (2, True)]
    copied = score.sentences[1]
    assert (copied.evidence, copied.support, copied.conflict) == ((1,), 1.0, False)
    assert (copied.by_rule, copied.reason) == (True, "copied from the source")
    assert not score.sentences[0].by_rule
    alone = scored(SOURCE[1])
    assert (alone.value, alone.conflicts) == (1.0, 0)


@pytest.mark.parametrize(
    "sentence",
    ["Growth rose by 2.4 %.", "Growth rose by 24.", "Growth rose.", "By 24 % growth rose."],
)
def test_nearly_copied_sentence_is_asked_about(sentence: str) -> None:
    """A changed number is the likeliest error of all."""
    assert requested(sentence) == (sentence,)
    assert requested(SOURCE[1], short_circuit=False) == (SOURCE[1],)  # to measure a judge on it


# Evidence
@pytest.mark.parametrize(
    ("checks", "evidence", "n_ungrounded", "n_unsupported_yes"),
    [
        # the verdict stands; the count says how often the judge showed nothing
        ((yes(), yes(1), no()), [(), (1,), ()], 0, 1),
        # an index out of range would point the reader nowhere, or at the wrong sentence
        ((yes(0, 3, -1), yes(99), no(5)), [(0,), (), ()], 4, 1),
        # a quotation that stands nowhere is as empty as a bad index
        ((replace(yes(0, 7), n_ungrounded=2, n_copied=1), yes(1), no(2)), [(0,), (1,), (2,)], 3, 0),
    ],
)
def test_evidence_that_is_not_there_is_dropped_and_counted(
    checks: tuple[SentenceCheck, ...],
    evidence: list[tuple[int, ...]],
    n_ungrounded: int,
    n_unsupported_yes: int,
) -> None:
    """Evidence moves no verdict."""
    score = scored(SUMMARY, *checks)
    assert [sentence.evidence for sentence in score.sentences] == evidence
    assert (score.n_ungrounded, score.n_unsupported_yes) == (n_ungrounded, n_unsupported_yes)
    assert score.n_copied == sum(check.n_copied for check in checks)
    assert score.value == pytest.approx(2 / 3)


def test_without_a_source_every_sentence_is_asked_and_no_evidence_holds() -> None:
    """An empty source supports nothing by rule."""
    assert requested("Mice ate zinc.", ()) == ("Mice ate zinc.",)
    score = scored("Mice ate zinc.", no(0), source=())
    assert (score.value, score.n_ungrounded) == (0.0, 1)


# What is not scored
@pytest.mark.parametrize("summary", ["p. 5", "Yes.", "a\n\nb\n\n---------"])
def test_summary_of_fragments_is_the_systems_fault_and_asks_nothing(summary: str) -> None:
    """With no sentence to check, a rate would be 0 / 0."""
    reason = "the summary has no sentence to check"
    lack = Unscored(metric="faithfulness", status="degenerate_candidate", reason=reason)
    assert judge(summary) == lack


def test_up_to_five_percent_unanswered_sentences_count_as_wrong() -> None:
    """One of 20 sentences: the rate is 19/20, and the summary is not faithful."""
    score = scored(ponds(20), Unanswered("cut off"), *[yes(0)] * 19)
    assert (score.value, score.is_faithful) == (0.95, False)
    assert score.sentences[0].supported is None
    assert score.sentences[0].reason == "not found in the source: '0'; cut off"
    # 18 of 20 where another one is unsupported
    assert scored(ponds(20), Unanswered("cut off"), no(), *[yes(0)] * 18).value == 0.9
    # copied sentences count among the 20
    copied = tuple(f"{s.strip('.')}." for s in ponds(19).split(". "))
    summary = f"{ponds(19)} Mice ate zinc."
    assert scored(summary, Unanswered("cut off"), source=copied).value == 0.95
    # one of 19 sentences is 5.3 %
    reason = "1 of 19 sentences unanswered, first: cut off"
    lack = Unscored(metric="faithfulness", status="unanswered", reason=reason)
    assert judge(ponds(19), *[yes(0)] * 18, Unanswered("cut off")) == lack


def test_unsupported_sentences_are_counted_however_long_the_summary_is() -> None:
    """One false sentence of ten is a share of .9, and one false sentence all the same."""
    checks = [yes(0)] * 9
    values = scored(ponds(10), *checks, no()).values()
    assert (values["faithfulness"], values["faithfulness.unsupported"]) == (0.9, 1.0)
    assert scored(SUMMARY, yes(0), yes(1), yes(2)).values()["faithfulness.unsupported"] == 0


def test_an_unanswered_sentence_counts_in_every_count_of_what_is_wrong() -> None:
    """A gate on a count of zero must not pass on a sentence that nobody judged."""
    kinds = [replace(yes(0), error="", support=1.0)] * 20
    score = scored(ponds(21), *kinds, Unanswered("lost"))
    values = dict(score.values())
    assert values.pop("faithfulness") == 20 / 21
    assert values.pop("faithfulness.support") == pytest.approx(20 / 21)
    assert values == dict.fromkeys(
        ("faithfulness.unsupported", "faithfulness.overgeneral", "faithfulness.conflicts"), 1.0
    )
    assert score.unanswered() == dict.fromkeys(score.values(), 1)


def test_overgeneral_sentences_are_counted_where_the_judge_names_kinds() -> None:
    """An error that no kind was named for may be one, so then there is no count."""
    over = replace(no(), error="overgeneral")
    cause = replace(no(), error="cause")
    score = scored(SUMMARY, over, replace(yes(1), error=""), cause)
    assert score.values()["faithfulness.overgeneral"] == 1.0
    assert [s.error for s in score.sentences] == ["overgeneral", "", "cause"]
    assert score.sentences[0].words == "unsupported (overgeneral)"
    assert "faithfulness.overgeneral" not in scored(SUMMARY, over, yes(1), no()).values()


def test_a_number_that_the_source_contradicts_names_its_kind() -> None:
    """Our own check knows the kind where the judge names none."""
    score = scored("Mice ate zinc. Growth rose by 34 %.", yes(0), no(1))
    assert [s.error for s in score.sentences] == ["", "number"]

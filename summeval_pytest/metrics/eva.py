"""EVA-Score: which atomic facts of a summary follow from its reference, and which it leaves out.

    P = entailed facts of the summary / its facts
    R = reference facts matched by an entailed fact / reference facts
    F1 = 2 P R / (P + R), per summary; 0 where P + R = 0

Source: EVA-Score (arXiv 2407.04969), section 3; facts rather than chains are counted, the premises
are all facts of the reference, and recall is also measured the other way round, since a vague fact
"matches" a specific one (metrics.md EV1 to EV5, EV16).
"""

from __future__ import annotations

from typing import Final

from summeval_pytest.metrics.candidate import unusable
from summeval_pytest.metrics.conversation import (
    Dialogue,
    Flow,
    NoAnswerError,
    ask,
    expect_count,
    limit_unanswered,
)
from summeval_pytest.metrics.score import CheckedFact, EvaScore, Unscored
from summeval_pytest.questions import (
    CheckFacts,
    Fact,
    FactCheck,
    FactChecks,
    FactList,
    ListFacts,
    Unanswered,
)
from summeval_pytest.text import normalise, split_sentences, tokens

PERFECT: Final = 1.0
_Facts = tuple[Fact, ...]


def f1(precision: float, recall: float) -> float:
    """The harmonic mean of precision and recall, 0 where both are 0."""
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def measure(
    reference: str,
    summary: str,
    *,
    reference_facts: _Facts | None = None,
    entailed_recall: bool = True,
    short_circuit: bool = True,
) -> Flow[EvaScore]:
    """The conversation that checks the facts of one summary against one reference.

    Args:
        reference: The reference abstract.
        summary: The summary to check.
        reference_facts: Reviewed facts of the reference; without them the judge is asked.
        entailed_recall: Whether the reference's facts are checked against the summary, too; without
            it an LLM judge is asked about half as often, and ``recall_entailed`` is None.
        short_circuit: Whether a summary equal to its reference scores 1 without a question.
    """
    reference, summary = normalise(reference), normalise(summary)
    lacking = unusable("eva", summary)
    if lacking is not None:
        return lacking
    if short_circuit and summary == reference:
        return EvaScore(
            value=PERFECT,
            precision=PERFECT,
            recall=PERFECT,
            recall_entailed=PERFECT if entailed_recall else None,
            identical=True,
        )
    try:
        facts = yield from _facts(reference, summary, reference_facts)
        return (yield from _score(*facts, summary, both=entailed_recall))
    except NoAnswerError as fault:
        return Unscored(metric="eva", status="unanswered", reason=str(fault))


def _score(
    reference: _Facts, candidate: _Facts, summary: str, *, both: bool
) -> Dialogue[EvaScore | Unscored]:
    """The score of one summary's facts against the reference's, in both directions if wanted."""
    if not reference:
        reason = "the reference states no fact"
        return Unscored(metric="eva", status="skipped_no_reference", reason=reason)
    if not candidate:
        lost = tuple(CheckedFact(fact=f, holds=False, reason="no fact in it") for f in reference)
        entailed = 0.0 if both else None
        return EvaScore(
            value=0.0, precision=None, recall=0.0, recall_entailed=entailed, reference=lost
        )
    premises = tuple(fact.text for fact in reference)
    sentences = tuple(sentence.text for sentence in split_sentences(summary))
    questions = [CheckFacts(candidate, premises)]
    if both:
        questions.append(CheckFacts(reference, sentences, every_premise=False))
    forward, *backward = yield from ask(FactChecks, *questions)
    checked = _checked(candidate, forward, premises)
    matched = frozenset(
        premise
        for check in forward.checks
        if isinstance(check, FactCheck) and check.entailed
        for premise in check.premises
    )
    covered = (
        _checked(reference, backward[0], sentences)
        if both
        else _matched(reference, matched, checked)
    )
    precision = _share(checked)
    recall = len(matched) / len(reference)
    return EvaScore(
        value=f1(precision, recall),
        precision=precision,
        recall=recall,
        recall_entailed=_share(covered) if both else None,
        candidate=checked,
        reference=covered,
        matched=matched,
    )


def _matched(
    reference: _Facts, matched: frozenset[int], candidate: tuple[CheckedFact, ...]
) -> tuple[CheckedFact, ...]:
    """The reference's facts as matching alone tells of them."""
    carriers: dict[str, list[str]] = {}
    for checked in candidate:
        for premise in checked.evidence if checked.holds else ():
            carriers.setdefault(premise, []).append(checked.fact.text)
    return tuple(
        CheckedFact(
            fact=fact,
            holds=place in matched,
            reason="a fact of the summary matches it"
            if place in matched
            else "no fact of the summary matches it",
            evidence=tuple(carriers.get(fact.text, ())),
        )
        for place, fact in enumerate(reference)
    )


def _facts(reference: str, summary: str, frozen: _Facts | None) -> Dialogue[tuple[_Facts, _Facts]]:
    """The facts of both texts, each stated once."""
    sentences = tuple(sentence.text for sentence in split_sentences(summary))
    if frozen is not None:
        (listed,) = yield from ask(FactList, ListFacts(sentences))
        return stated_once(frozen), stated_once(_sound(listed.facts, len(sentences)))
    theirs = tuple(sentence.text for sentence in split_sentences(reference))
    first, second = yield from ask(FactList, ListFacts(theirs), ListFacts(sentences))
    return (
        stated_once(_sound(first.facts, len(theirs))),
        stated_once(_sound(second.facts, len(sentences))),
    )


def _sound(facts: _Facts, n_sentences: int) -> _Facts:
    """The facts, if each has its sentence and stands after its parent."""
    for place, fact in enumerate(facts):
        if not 0 <= fact.sentence < n_sentences:
            raise NoAnswerError(
                f"fact {fact.text!r} names sentence {fact.sentence} of {n_sentences}"
            )
        if fact.parent is not None and not 0 <= fact.parent < place:
            raise NoAnswerError(
                f"fact {fact.text!r} refines fact {fact.parent}, which is not before it"
            )
    return facts


def stated_once(facts: _Facts) -> _Facts:
    """The facts without repetitions, so that saying a thing twice raises no precision.

    Two facts are one where their words are the same in the same order; what refined the second
    refines the first.
    """
    kept: list[Fact] = []
    places: dict[tuple[str, ...], int] = {}
    place_of: list[int | None] = []
    for fact in facts:
        words = tuple(tokens(fact.text))
        if not words:
            place_of.append(None)
            continue
        if words not in places:
            places[words] = len(kept)
            parent = None if fact.parent is None else place_of[fact.parent]
            kept.append(Fact(text=fact.text, sentence=fact.sentence, parent=parent))
        place_of.append(places[words])
    return tuple(kept)


def check_stated(
    facts: tuple[str, ...], premises: tuple[str, ...], *, every_premise: bool
) -> Dialogue[tuple[CheckedFact, ...]]:
    """Facts that somebody has written down, each checked against the premises as they stand.

    Raises:
        NoAnswerError: if the judge's answer cannot carry them.
    """
    stated = tuple(Fact(text=text, sentence=0) for text in facts)
    question = CheckFacts(stated, premises, every_premise=every_premise)
    (answer,) = yield from ask(FactChecks, question)
    return _checked(stated, answer, premises)


def _checked(
    facts: _Facts, answer: FactChecks, premises: tuple[str, ...]
) -> tuple[CheckedFact, ...]:
    """Each fact with its check; a premise that was not offered is no answer."""
    expect_count("fact checks", len(answer.checks), len(facts))
    reasons = [check.reason for check in answer.checks if isinstance(check, Unanswered)]
    limit_unanswered("facts", reasons, len(facts))
    checked = []
    for fact, check in zip(facts, answer.checks, strict=True):
        if isinstance(check, Unanswered):
            checked.append(CheckedFact(fact=fact, holds=None, reason=check.reason))
            continue
        if not all(0 <= premise < len(premises) for premise in check.premises):
            raise NoAnswerError(
                f"fact {fact.text!r}: a premise of {check.premises} was not offered"
            )
        checked.append(
            CheckedFact(
                fact=fact,
                holds=check.entailed,
                reason=check.reason,
                evidence=tuple(premises[premise] for premise in check.premises),
                support=check.support,
            )
        )
    return tuple(checked)


def _share(facts: tuple[CheckedFact, ...]) -> float:
    answered = [fact.holds for fact in facts if fact.holds is not None]
    return sum(answered) / len(answered)

"""EVA-Score: which atomic facts of a summary follow from its reference, and which it leaves out.

    P = entailed facts of the summary / its facts
    R = reference facts matched by an entailed fact / reference facts
    F1 = 2 P R / (P + R), per summary; 0 where P + R = 0

Source: EVA-Score (arXiv 2407.04969), section 3; facts rather than chains are counted, the premises
are all facts of the reference, and recall is also measured the other way round, since a vague fact
"matches" a specific one (metrics.md EV1 to EV5, EV16). `Stages` has the paper's own ways: chains of
neighbours, validation chain by chain, top-k premises, relations across sentences.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from summeval_pytest.metrics.candidate import unusable
from summeval_pytest.metrics.conversation import (
    Dialogue,
    Flow,
    NoAnswerError,
    ask,
    expect_count,
    limit_unanswered,
)
from summeval_pytest.metrics.fact_reading import read_both
from summeval_pytest.metrics.score import CheckedFact, EvaCounts, EvaScore, Unscored
from summeval_pytest.metrics.stages import DEFAULT_STAGES
from summeval_pytest.metrics.validation import validate
from summeval_pytest.questions import CheckFacts, Fact, FactCheck, FactChecks, Unanswered
from summeval_pytest.text import normalise

if TYPE_CHECKING:
    from collections.abc import Sequence

    from summeval_pytest.metrics.fact_reading import Stated
    from summeval_pytest.metrics.similarity import Encoder
    from summeval_pytest.metrics.stages import Stages

PERFECT: Final = 1.0
UNUSABLE: Final = "the judge lists it with a number that its sentence does not state"
_Facts = tuple[Fact, ...]


def f1(precision: float, recall: float) -> float:
    """The harmonic mean of precision and recall, 0 where both are 0."""
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def measure(  # noqa: PLR0913 - by keyword, each a fact of its own
    reference: str,
    summary: str,
    *,
    reference_facts: _Facts | None = None,
    entailed_recall: bool = True,
    stages: Stages = DEFAULT_STAGES,
    encode: Encoder | None = None,
    short_circuit: bool = True,
) -> Flow[EvaScore]:
    """The conversation that checks the facts of one summary against one reference.

    Args:
        reference: The reference abstract.
        summary: The summary to check.
        reference_facts: Reviewed facts of the reference; without them the judge is asked.
        entailed_recall: Whether the reference's facts are checked against the summary, too; without
            it an LLM judge is asked about half as often, and ``recall_entailed`` is None.
        stages: Which form each stage takes.
        encode: What measures similarity where a stage needs it, named in ``stages.similarity``;
            None for TF-IDF.
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
        stated = yield from read_both(
            reference, summary, frozen=reference_facts, stages=stages, encode=encode
        )
        return (yield from _score(*stated, stages, encode, both=entailed_recall))
    except NoAnswerError as fault:
        return Unscored(metric="eva", status="unanswered", reason=str(fault))


def _score(
    theirs: Stated, ours: Stated, stages: Stages, encode: Encoder | None, *, both: bool
) -> Dialogue[EvaScore | Unscored]:
    """The score of one summary's facts against the reference's, in both directions if wanted."""
    reference, candidate = theirs.facts, ours.facts
    counts = EvaCounts(reference=theirs.counts, candidate=ours.counts)
    for of in (theirs, ours):
        _limit_unanswered((), of.unusable, len(of.facts))
    if not reference:
        reason = "the reference states no fact"
        return Unscored(metric="eva", status="skipped_no_reference", reason=reason)
    if not candidate:
        lost = tuple(CheckedFact(fact=f, holds=False, reason="no fact in it") for f in reference)
        return EvaScore(
            value=0.0,
            precision=None,
            recall=0.0,
            recall_entailed=0.0 if both else None,
            reference=lost,
            counts=counts,
        )
    premises, sentences = tuple(fact.text for fact in reference), ours.sentences
    backward = (CheckFacts(reference, sentences, every_premise=False),) if both else ()
    forward, others = yield from validate(
        candidate, premises, stages=stages, encode=encode, beside=backward
    )
    checked = _checked(candidate, forward, premises, ours.unusable)
    matched = frozenset(
        premise
        for check in forward.checks
        if isinstance(check, FactCheck) and check.entailed
        for premise in check.premises
    )
    covered = (
        _checked(reference, others[0], sentences, theirs.unusable)
        if both
        else (*_matched(reference, matched, checked), *_unusable(theirs.unusable))
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
        counts=counts,
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
    facts: _Facts, answer: FactChecks, premises: tuple[str, ...], unusable: _Facts = ()
) -> tuple[CheckedFact, ...]:
    """Each fact with its check, then the unusable ones; a premise not offered is no answer."""
    expect_count("fact checks", len(answer.checks), len(facts))
    _limit_unanswered(answer.checks, unusable, len(facts))
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
                undecided=check.undecided,
            )
        )
    return (*checked, *_unusable(unusable))


def _unusable(facts: _Facts) -> tuple[CheckedFact, ...]:
    """Facts that nobody can be asked about, which is no answer."""
    return tuple(CheckedFact(fact=fact, holds=None, reason=UNUSABLE) for fact in facts)


def _limit_unanswered(
    checks: Sequence[FactCheck | Unanswered], unusable: _Facts, n_facts: int
) -> None:
    reasons = [check.reason for check in checks if isinstance(check, Unanswered)]
    limit_unanswered("facts", [*reasons, *(UNUSABLE for _ in unusable)], n_facts + len(unusable))


def _share(facts: tuple[CheckedFact, ...]) -> float:
    answered = [fact.holds for fact in facts if fact.holds is not None]
    return sum(answered) / len(answered)

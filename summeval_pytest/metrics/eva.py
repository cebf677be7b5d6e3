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

from collections import defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from summeval_pytest.metrics.facts import DEFAULT_STAGES, ancestors, read_both
from summeval_pytest.metrics.flow import (
    Dialogue,
    Flow,
    NoAnswerError,
    ask,
    ask_any,
    expect_count,
    limit_unanswered,
    of_kind,
    unusable,
)
from summeval_pytest.metrics.score import CheckedFact, EvaCounts, EvaScore, Unscored
from summeval_pytest.questions import CheckFacts, Fact, FactCheck, FactChecks, Settled, Unanswered
from summeval_pytest.text.normalise import normalise

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from summeval_pytest.metrics.embeddings import Encoder
    from summeval_pytest.metrics.facts import Stages, Stated
    from summeval_pytest.questions import Answer


_Check = FactCheck | Unanswered


@dataclass(frozen=True, slots=True, kw_only=True)
class _Part:
    """One question about some facts.

    Attributes:
        places: The places of its facts.
        offered: The places of its premises among all.
        question: The question.
        is_single: Whether its one premise is one of several that the fact is checked with.
    """

    places: tuple[int, ...]
    offered: tuple[int, ...]
    question: CheckFacts
    is_single: bool = False


def validate(
    facts: tuple[Fact, ...],
    premises: tuple[str, ...],
    *,
    stages: Stages,
    encode: Encoder | None,
    beside: Sequence[CheckFacts] = (),
) -> Dialogue[tuple[FactChecks, tuple[FactChecks, ...]]]:
    """One check for each fact, in order; the premises in it are places among all premises.

    A fact that was checked with several premises one by one holds where any check says so, and
    then with just these premises; it is unanswered where no check says so and one is missing.

    Args:
        facts: The summary's facts, each after its parent.
        premises: The reference's facts, at least one.
        stages: How facts and premises are put together.
        encode: Measures which premises are similar to a fact; None for TF-IDF.
        beside: What else is asked, along with the first questions.

    Returns:
        The checks, and the answers to what was asked beside.

    Raises:
        NoAnswerError: if the judge's answers cannot carry them.
    """
    chosen = _chosen(facts, premises, stages, encode)
    checks: dict[int, _Check] = {}
    others: tuple[FactChecks, ...] = ()
    for number, level in enumerate(_levels(facts, stages)):
        parts = tuple(_parts(level, facts, premises, chosen, checks, stages))
        also = tuple(beside) if number == 0 else ()
        answers = yield from ask_any(*(part.question for part in parts), *also)
        for place, found in _by_fact(parts, answers[: len(parts)], len(facts)).items():
            checks[place] = found[0] if chosen is None else _any_of(found)
        if also:
            others = tuple(
                of_kind(FactChecks, question, answer)
                for question, answer in zip(also, answers[len(parts) :], strict=True)
            )
    return FactChecks(tuple(checks[place] for place in range(len(facts)))), others


def _chosen(
    facts: tuple[Fact, ...], premises: tuple[str, ...], stages: Stages, encode: Encoder | None
) -> tuple[tuple[int, ...], ...] | None:
    """For each fact its premises, the most similar first; None where all have all."""
    if stages.premises is None:
        return None
    from summeval_pytest.metrics.embeddings import most_similar  # numpy, which no help text needs

    return most_similar([fact.text for fact in facts], premises, stages.premises, encode)


def _levels(facts: tuple[Fact, ...], stages: Stages) -> list[list[int]]:
    """The places that are asked about at once: all, or all roots, then all their children."""
    if stages.validation == "together":
        return [list(range(len(facts)))]
    levels: list[list[int]] = []
    for place in range(len(facts)):
        depth = len(ancestors(facts, place))
        if depth == len(levels):
            levels.append([])
        levels[depth].append(place)
    return levels


def _parts(  # noqa: PLR0913, PLR0917 - a step of `validate`, which has them all at hand
    level: list[int],
    facts: tuple[Fact, ...],
    premises: tuple[str, ...],
    chosen: tuple[tuple[int, ...], ...] | None,
    checks: dict[int, _Check],
    stages: Stages,
) -> Iterator[_Part]:
    """The questions about the facts of one level."""
    everything = tuple(range(len(premises)))
    if stages.validation == "together" and chosen is None:
        yield _Part(places=tuple(level), offered=everything, question=CheckFacts(facts, premises))
        return
    groups: defaultdict[tuple[int, ...], list[int]] = defaultdict(list)
    for place in level:
        groups[ancestors(facts, place) if stages.validation == "chain" else ()].append(place)
    for before, places in groups.items():
        earlier = tuple(_settled(facts[n], checks[n]) for n in before)
        asked = [replace(facts[place], parent=None) for place in places]
        if chosen is None:
            question = CheckFacts(tuple(asked), premises, earlier=earlier)
            yield _Part(places=tuple(places), offered=everything, question=question)
            continue
        for place, fact in zip(places, asked, strict=True):
            for premise in chosen[place]:
                question = CheckFacts((fact,), (premises[premise],), earlier=earlier)
                yield _Part(places=(place,), offered=(premise,), question=question, is_single=True)


def _settled(fact: Fact, check: _Check) -> Settled:
    holds = check.entailed if isinstance(check, FactCheck) else None
    return Settled(text=fact.text, holds=holds)


def _by_fact(
    parts: Sequence[_Part], answers: Sequence[Answer], n_facts: int
) -> dict[int, list[_Check]]:
    """By the place of a fact, the checks of it, with premises as places among all."""
    found: defaultdict[int, list[_Check]] = defaultdict(list)
    for part, answer in zip(parts, answers, strict=True):
        is_some = part.is_single or len(part.places) < n_facts
        if isinstance(answer, Unanswered) and is_some:
            checks: tuple[_Check, ...] = (answer,) * len(part.places)
        else:
            checks = of_kind(FactChecks, part.question, answer).checks
        expect_count("fact checks", len(checks), len(part.places))
        for place, fact, check in zip(part.places, part.question.facts, checks, strict=True):
            found[place].append(_among_all(part, fact, check))
    return found


def _among_all(part: _Part, fact: Fact, check: _Check) -> _Check:
    """The check with its premises as places among all premises."""
    if isinstance(check, Unanswered):
        return check
    if not all(0 <= premise < len(part.offered) for premise in check.premises):
        raise NoAnswerError(f"fact {fact.text!r}: a premise of {check.premises} was not offered")
    if part.is_single and check.entailed:
        return replace(check, premises=part.offered)  # there was no other to name
    places = tuple(part.offered[premise] for premise in check.premises)
    return check if places == check.premises else replace(check, premises=places)


def _any_of(found: Sequence[_Check]) -> _Check:
    """What checks of one fact with one premise each come to."""
    checks = [check for check in found if isinstance(check, FactCheck)]
    lacking = [check for check in found if isinstance(check, Unanswered)]
    holding = [check for check in checks if check.entailed]
    if lacking and not holding:
        return lacking[0]
    deciding = holding or checks
    beliefs = [check.support for check in deciding if check.support is not None]
    return FactCheck(
        reason=deciding[0].reason,
        entailed=bool(holding),
        premises=tuple(dict.fromkeys(p for check in deciding for p in check.premises)),
        support=max(beliefs, default=None),
        undecided=all(check.undecided for check in deciding),
    )


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

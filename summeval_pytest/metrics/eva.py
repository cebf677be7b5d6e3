"""EVA-Score: which atomic facts of a summary follow from its reference, and which it leaves out.

    P = entailed facts of the summary / its facts
    R = reference facts matched by an entailed fact / reference facts
    F1 = 2 P R / (P + R), per summary; 0 where P + R = 0

Source: EVA-Score (arXiv 2407.04969), section 3; facts rather than chains are counted, the premises
are all facts of the reference, and recall is also measured the other way round, since a vague fact
"matches" a specific one. `Stages` has the paper's own ways: chains of
neighbours, validation chain by chain, top-k premises, relations across sentences.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import ClassVar, Final, Literal

from summeval_pytest import questions as q
from summeval_pytest.metrics import flow, number
from summeval_pytest.metrics.facts import (
    DEFAULT_STAGES,
    BothCounts,
    Check,
    CheckedFact,
    Encoder,
    Facts,
    Stages,
    Stated,
    ancestors,
    checks_of,
    most_similar,
    read_both,
)
from summeval_pytest.metrics.flow import Returned
from summeval_pytest.metrics.number import Finding, Named, closest_sentence
from summeval_pytest.text.reading import normalise

UNUSABLE: Final = "the judge lists it with a number that its sentence does not state"
MISSING_FACT: Final = 0.5
"""How bad a fact that the summary leaves out is beside an unsupported one (1)."""
ENTAILED: Final = "eva.recall_entailed"
NUMBERS: Final = tuple(
    Named(name=name, metric="eva", meaning=meaning)
    for name, meaning in (
        ("eva", "EVA-Score, F1 over facts"),
        ("eva.precision", "share of the summary's facts that follow from the reference"),
        ("eva.recall", "share of the reference's facts that the summary's facts match"),
        (ENTAILED, "share of the reference's facts that follow from the summary"),
    )
)


def f1(precision: float, recall: float) -> float:
    """The harmonic mean of precision and recall, 0 where both are 0; rounded as FM is."""
    total = precision + recall
    return round(2 * precision * recall / total, number.DIGITS) if total else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaScore:
    """EVA-Score of one summary (EVA-Score, section 3).

    Attributes:
        value: F1 of precision and matched recall, 0 to 1, higher is better.
        precision: Share of the summary's facts that follow from the reference; None without facts.
        recall: Share of the reference's facts that an entailed fact of the summary matched.
        recall_entailed: Share of the reference's facts that follow from the summary; None if that
            was not asked.
        candidate: The summary's facts, checked against the reference. Unusable facts come last:
            they are unanswered and match nothing.
        reference: The reference's facts, checked against the summary, in the same way.
        matched: Indices, in ``reference``, of the matched facts.
        identical: Whether the summary equals its reference, so that nothing was asked.
        counts: Of the reference and of the summary; None if nothing was asked.
        by_reference: The score against each reference, if several are averaged. Then facts, matches
            and counts are of the lowest score.
    """

    value: float
    precision: float | None
    recall: float
    recall_entailed: float | None
    candidate: tuple[CheckedFact, ...] = ()
    reference: tuple[CheckedFact, ...] = ()
    matched: frozenset[int] = frozenset()
    identical: bool = False
    counts: BothCounts | None = field(default=None, compare=False, metadata=number.UNRECORDED)
    by_reference: tuple[EvaScore, ...] = field(default=(), metadata=number.SPARSE)
    metric: Literal["eva"] = "eva"
    not_given: ClassVar = (ENTAILED,)

    def values(self) -> Mapping[str, float | None]:
        """Every number a threshold can name; precision is None where the summary has no fact."""
        named: dict[str, float | None] = {
            "eva": self.value,
            "eva.precision": self.precision,
            "eva.recall": self.recall,
        }
        if self.recall_entailed is not None:
            named[ENTAILED] = self.recall_entailed
        return MappingProxyType(named)

    def averaged(self, scores: tuple[EvaScore, ...]) -> EvaScore:
        """This score with the mean numbers of several references."""
        values = number.mean_values(score.values() for score in scores)
        return replace(
            self,
            value=values["eva"] or 0.0,
            precision=values["eva.precision"],
            recall=values["eva.recall"] or 0.0,
            recall_entailed=values.get(ENTAILED),
            by_reference=scores,
        )

    def bounds(self, *, right: bool) -> Mapping[str, float]:
        """Precision, both recalls and F1 with every unanswered fact taken as right, or as wrong.

        A wrong fact matches nothing. A right one of the summary matches a fact of the reference
        that no other does. Of averaged references, the means.
        """
        if len(self.by_reference) > 1:
            each = [score.bounds(right=right) for score in self.by_reference]
            merged = [{**s.values(), **b} for s, b in zip(self.by_reference, each, strict=True)]
            moved = {name for bounds in each for name in bounds}
            means = number.mean_values(merged).items()
            return {n: value for n, value in means if n in moved and value is not None}
        candidate = [fact.holds for fact in self.candidate]
        reference = [fact.holds for fact in self.reference]
        n_open = candidate.count(None) + reference.count(None)
        if not n_open:
            return {}
        bounds = number.bound_share("eva.precision", candidate, right=right)
        if self.recall_entailed is not None:
            bounds |= number.bound_share(ENTAILED, reference, right=right)
        recall = self.recall
        if reference:
            n_matched = min(len(reference), len(self.matched) + (n_open if right else 0))
            recall = (max if right else min)(recall, n_matched / len(reference))
        if recall != self.recall:
            bounds["eva.recall"] = recall
        if "eva.precision" in bounds or "eva.recall" in bounds:
            bounds["eva"] = f1(bounds.get("eva.precision", self.precision or 0.0), recall)
        return bounds

    def sizes(self) -> Mapping[str, int]:
        """How many facts of the summary hold: the numerator of precision."""
        return {"eva.precision": sum(fact.holds is True for fact in self.candidate)}

    def wrong_pieces(self) -> list[CheckedFact]:
        """The summary's facts that do not follow, then the reference's that it leaves out."""
        reference = [fact for n, fact in enumerate(self.reference) if n not in self.matched]
        return [fact for fact in (*self.candidate, *reference) if fact.holds is False]

    def findings(self, source: Sequence[str]) -> Iterator[Finding]:
        """The summary's facts that do not follow, and those of the reference that it leaves out."""
        n_invented = sum(fact.holds is False for fact in self.candidate)
        for place, checked in enumerate(self.wrong_pieces()):
            is_invented = place < n_invented
            own, other = ("summary", "reference") if is_invented else ("reference", "summary")
            texts = {own: checked.fact.text, other: " ".join(checked.evidence)}
            yield Finding(
                kind="fact",
                number="eva.precision" if is_invented else "eva.recall",
                title=f"fact of the {own}",
                verdict=f"does not follow from the {other}",
                reason=checked.reason,
                reference=texts["reference"],
                summary=texts["summary"],
                evidence=closest_sentence(checked.fact.text, source),
                severity=1.0 - (checked.support or 0.0) if is_invented else MISSING_FACT,
                conflict=checked.undecided,
            )


@flow.ends_unscored("eva")
def measure(  # noqa: PLR0913 - by keyword, each a fact of its own
    reference: str,
    summary: str,
    *,
    reference_facts: Facts | None = None,
    entailed_recall: bool = True,
    stages: Stages = DEFAULT_STAGES,
    encode: Encoder | None = None,
    short_circuit: bool = True,
) -> flow.Dialogue[EvaScore]:
    """The dialogue that checks the facts of one summary against one reference.

    Args:
        reference: The reference abstract.
        summary: The summary to check.
        reference_facts: Reviewed facts of the reference; without them the judge is asked.
        entailed_recall: Whether the reference's facts are checked against the summary, too; without
            it an LLM judge is asked about half as often, and ``recall_entailed`` is None.
        stages: Which form each stage takes.
        encode: Measures similarity, as named in ``stages.similarity``; None for TF-IDF.
        short_circuit: Whether a summary equal to its reference scores 1 without a question.
    """
    reference, summary = normalise(reference), normalise(summary)
    flow.check_usable(summary)
    if short_circuit and summary == reference:
        entailed = 1.0 if entailed_recall else None
        return EvaScore(
            value=1.0, precision=1.0, recall=1.0, recall_entailed=entailed, identical=True
        )
    of_reference, of_summary = yield from _of_paper(
        reference,
        read_both(reference, summary, frozen=reference_facts, stages=stages, encode=encode),
    )
    score = _score(of_reference, of_summary, stages, encode, both=entailed_recall)
    return (yield from _of_paper(reference, score))


def _score(
    of_reference: Stated, of_summary: Stated, stages: Stages, encode: Encoder | None, *, both: bool
) -> flow.Dialogue[EvaScore]:
    """The score of one summary's facts against the reference's, in both directions if ``both``."""
    reference, candidate = of_reference.facts, of_summary.facts
    counts = of_reference.counts, of_summary.counts
    for stated in (of_reference, of_summary):
        _limit_unanswered((), stated.unusable, len(stated.facts))
    if not reference:
        raise flow.NoScoreError("the reference states no fact", "skipped_no_reference")
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
    premises = tuple(fact.text for fact in reference)
    directions = [validate(candidate, premises, stages=stages, encode=encode)]
    if both:
        recall = q.CheckFacts(reference, of_summary.sentences, every_premise=False)
        directions.append(_ask_checks(recall))
    forward, *backward = yield from flow.side_by_side(*directions)
    checked = _checked(candidate, forward, premises, of_summary.unusable)
    matched = frozenset(
        premise
        for check in forward.checks
        if isinstance(check, q.FactCheck) and check.entailed
        for premise in check.premises
    )
    if both:
        covered = _checked(reference, backward[0], of_summary.sentences, of_reference.unusable)
    else:
        by_match = [_matched(f, checked, holds=n in matched) for n, f in enumerate(reference)]
        covered = (*by_match, *_unusable(of_reference.unusable))
    precision, matched_recall = _share(checked), len(matched) / len(reference)
    return EvaScore(
        value=f1(precision, matched_recall),
        precision=precision,
        recall=matched_recall,
        recall_entailed=_share(covered) if both else None,
        candidate=checked,
        reference=covered,
        matched=matched,
        counts=counts,
    )


def _matched(fact: q.Fact, candidate: tuple[CheckedFact, ...], *, holds: bool) -> CheckedFact:
    """A fact of the reference, checked by matching alone."""
    carriers = [
        carrier.fact.text
        for carrier in candidate
        for premise in carrier.evidence
        if carrier.holds and premise == fact.text
    ]
    reason = f"{'a' if holds else 'no'} fact of the summary matches it"
    return CheckedFact(fact=fact, holds=holds, reason=reason, evidence=tuple(carriers))


def check_stated(
    facts: tuple[str, ...], premises: tuple[str, ...], *, every_premise: bool, reference: str = ""
) -> flow.Dialogue[tuple[CheckedFact, ...]]:
    """Labelled facts, each checked against the premises; nothing is asked where there are none.

    The paper's ``reference`` goes with the question, as in `measure`.
    """
    if not facts:
        return ()
    stated = tuple(q.Fact(text=text, sentence=0) for text in facts)
    question = q.CheckFacts(stated, premises, every_premise=every_premise, reference=reference)
    answer = yield from _ask_checks(question)
    return _checked(stated, answer, premises)


def _of_paper(reference: str, dialogue: flow.Dialogue[Returned]) -> flow.Dialogue[Returned]:
    """Puts the paper's reference into each question about facts, see `questions.CheckFacts`."""
    try:
        asked = next(dialogue)
        while True:
            answers = yield tuple(
                replace(each, reference=reference) if isinstance(each, q.CheckFacts) else each
                for each in asked
            )
            asked = dialogue.send(answers)
    except StopIteration as end:
        value: Returned = end.value
        return value


def _ask_checks(question: q.CheckFacts) -> flow.Dialogue[q.FactChecks]:
    (answer,) = yield from flow.ask(q.FactChecks, question)
    return answer


def _checked(
    facts: Facts, answer: q.FactChecks, premises: tuple[str, ...], unusable: Facts = ()
) -> tuple[CheckedFact, ...]:
    """Each fact with its check, then the unusable ones; a premise not offered is no answer."""
    flow.expect_count("fact checks", len(answer.checks), len(facts))
    _limit_unanswered(answer.checks, unusable, len(facts))
    checked = []
    for fact, check in zip(facts, answer.checks, strict=True):
        if isinstance(check, q.Unanswered):
            checked.append(CheckedFact(fact=fact, holds=None, reason=check.reason))
            continue
        _check_offered(fact, check, len(premises))
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


def _check_offered(fact: q.Fact, check: q.FactCheck, n_premises: int) -> None:
    if not all(0 <= premise < n_premises for premise in check.premises):
        raise flow.NoScoreError(
            f"fact {fact.text!r}: a premise of {check.premises} was not offered"
        )


def _unusable(facts: Facts) -> Iterator[CheckedFact]:
    return (CheckedFact(fact=fact, holds=None, reason=UNUSABLE) for fact in facts)


def _limit_unanswered(checks: Sequence[Check], unusable: Facts, n_facts: int) -> None:
    answers = [*checks, *(q.Unanswered(UNUSABLE) for _ in unusable)]
    flow.limit_unanswered("facts", answers, n_facts + len(unusable))


def _share(facts: tuple[CheckedFact, ...]) -> float:
    answered = [fact.holds for fact in facts if fact.holds is not None]
    return sum(answered) / len(answered)


def validate(
    facts: Facts, premises: tuple[str, ...], *, stages: Stages, encode: Encoder | None
) -> flow.Dialogue[q.FactChecks]:
    """One check for each fact, in order; its premises are places among all premises.

    A parent stands before its children, and there is at least one premise. Where premises are asked
    about one by one, a fact holds if it follows from any of them. If it follows from none and an
    answer is missing, it is unanswered.
    """
    chosen = None
    if stages.premises is not None:
        chosen = most_similar([fact.text for fact in facts], premises, stages.premises, encode)
    checks: dict[int, Check] = {}
    levels: defaultdict[int, _Level] = defaultdict(dict)
    for place in range(len(facts)):
        before = ancestors(facts, place) if stages.validation == "chain" else None
        levels[len(before or ())].setdefault(before, []).append(place)
    for level in levels.values():
        parts = tuple(_parts(level, facts, premises, chosen, checks))
        answers = yield from flow.ask_any(*(question for _, question, _ in parts))
        by_place: defaultdict[int, list[Check]] = defaultdict(list)
        for part, answer in zip(parts, answers, strict=True):
            for place, check in zip(part[0], _checks_of(part, answer, len(facts)), strict=True):
                by_place[place].append(check)
        checks |= {p: each[0] if chosen is None else _any_of(each) for p, each in by_place.items()}
    return q.FactChecks(tuple(checks[place] for place in range(len(facts))))


_Level = dict[tuple[int, ...] | None, list[int]]
"""The places of facts that are asked about at once, by the places of their ancestors in a chain."""


_Part = tuple[list[int], q.CheckFacts, int | None]
"""The places of some facts, the question about them, and the only premise that it offers."""


def _checks_of(part: _Part, answer: q.Answer, n_facts: int) -> Iterator[Check]:
    """The check of each fact of a part, with premises as places among all."""
    places, question, premise = part
    if premise is None and len(places) == n_facts:  # the only question
        flow.of_kind(q.FactChecks, question, answer)
    for fact, check in zip(question.facts, checks_of(question, answer), strict=True):
        if isinstance(check, q.FactCheck):
            _check_offered(fact, check, len(question.premises))
            if premise is not None:
                named = check.entailed or check.premises  # there was no other to name
                yield replace(check, premises=(premise,) if named else ())
                continue
        yield check


def _parts(
    level: _Level,
    facts: Facts,
    premises: tuple[str, ...],
    chosen: tuple[tuple[int, ...], ...] | None,
    checks: Mapping[int, Check],
) -> Iterator[_Part]:
    """The questions about the facts of one level; by fact, ``chosen`` are its premises."""
    for before, places in level.items():
        if before is None and chosen is None:
            yield places, q.CheckFacts(facts, premises), None
            continue
        earlier = tuple(
            q.Settled(text=facts[place].text, holds=getattr(checks[place], "entailed", None))
            for place in before or ()
        )
        alone = {place: replace(facts[place], parent=None) for place in places}
        if chosen is None:
            yield places, q.CheckFacts(tuple(alone.values()), premises, earlier=earlier), None
            continue
        for place, fact in alone.items():
            for premise in chosen[place]:
                question = q.CheckFacts((fact,), (premises[premise],), earlier=earlier)
                yield [place], question, premise


def _any_of(parts: Sequence[Check]) -> Check:
    """One check from the checks of a fact with one premise each."""
    checks = [check for check in parts if isinstance(check, q.FactCheck)]
    deciding = [check for check in checks if check.entailed]
    if not deciding and len(checks) < len(parts):
        return next(check for check in parts if isinstance(check, q.Unanswered))
    entailed, deciding = bool(deciding), deciding or checks
    beliefs = [check.support for check in deciding if check.support is not None]
    return q.FactCheck(
        reason=deciding[0].reason,
        entailed=entailed,
        premises=tuple(dict.fromkeys(p for check in deciding for p in check.premises)),
        support=max(beliefs, default=None),
        undecided=all(check.undecided for check in deciding),
    )

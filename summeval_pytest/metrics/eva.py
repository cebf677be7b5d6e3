"""EVA-Score: which atomic facts of a summary follow from its reference, and which it leaves out.

    P = entailed facts of the summary / its facts
    R = reference facts matched by an entailed fact / reference facts
    F1 = 2 P R / (P + R), per summary; 0 where P + R = 0

A fact without an answer counts as not entailed, and matches nothing.

Source: EVA-Score (arXiv 2407.04969), section 3; facts rather than chains are counted, the premises
are all facts of the reference, and recall is also measured the other way round, since a vague fact
"matches" a specific one. The paper's own ways are in `study`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Final, Literal

from summeval_pytest import questions as q
from summeval_pytest.metrics import flow, number
from summeval_pytest.metrics.facts import Check, CheckedFact, Facts, Stated, read_both
from summeval_pytest.metrics.flow import Returned
from summeval_pytest.metrics.number import Finding, NumberSpec, closest_sentence
from summeval_pytest.text.reading import normalise

UNUSABLE: Final = "the judge lists it with a number that its sentence does not state"
MISSING_FACT: Final = 0.5
"""How bad a fact that the summary leaves out is beside an unsupported one (1)."""
ENTAILED: Final = "eva.recall_entailed"
NUMBERS: Final = tuple(
    NumberSpec(
        name=name,
        metric="eva",
        meaning=meaning,
        explained_by="eva.recall" if name == ENTAILED else "",
        is_detail=name != "eva",
    )
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
        stated: What the reference states, and what the summary does; empty if nothing was asked.
        by_reference: The score against each reference, if several are averaged. Then facts, matches
            and what is stated are of the lowest score.
    """

    value: float
    precision: float | None
    recall: float
    recall_entailed: float | None
    candidate: tuple[CheckedFact, ...] = ()
    reference: tuple[CheckedFact, ...] = ()
    matched: frozenset[int] = frozenset()
    identical: bool = False
    stated: tuple[Stated, ...] = field(default=(), compare=False, metadata=number.UNRECORDED)
    by_reference: tuple[EvaScore, ...] = field(default=(), metadata=number.SPARSE)
    metric: Literal["eva"] = "eva"

    @staticmethod
    def applies(name: str) -> bool:  # noqa: ARG004 - see `FacetScore`
        """Whether a number without a value could have one: the judge did not give it."""
        return True

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

    def unanswered(self) -> Mapping[str, int]:
        """By number, how many facts without an answer count as wrong in it."""
        counts = dict.fromkeys(self.values(), 0)
        for score in self.by_reference or (self,):
            candidate = sum(fact.holds is None for fact in score.candidate)
            # A check of a reference's fact decides only `recall_entailed`.
            unusable = sum(fact.unusable for fact in score.reference)
            counts["eva"] += candidate + unusable
            counts["eva.precision"] += candidate
            counts["eva.recall"] += candidate + unusable
            if ENTAILED in counts:
                counts[ENTAILED] += sum(fact.holds is None for fact in score.reference)
        return {name: n for name, n in counts.items() if n}

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
                verdict=f"not in the {other}",
                reason=checked.reason,
                reference=texts["reference"],
                summary=texts["summary"],
                evidence=closest_sentence(checked.fact.text, source),
                severity=1.0 - (checked.support or 0.0) if is_invented else MISSING_FACT,
                conflict=checked.undecided,
                disputes=checked.disputes,
            )


Reading = Callable[[str, str, Facts | None], flow.Dialogue[tuple[Stated, ...]]]
"""From a reference, a summary and reviewed facts of the reference to what both texts state."""
Validating = Callable[[Facts, tuple[str, ...]], flow.Dialogue[q.FactChecks]]
"""From facts and at least one premise to one check for each fact, premises by their places."""


def check_together(facts: Facts, premises: tuple[str, ...]) -> flow.Dialogue[q.FactChecks]:
    """All facts checked in one question, against all premises."""
    return _ask_checks(q.CheckFacts(facts, premises))


@flow.ends_unscored("eva")
def measure(  # noqa: PLR0913 - by keyword, each a fact of its own
    reference: str,
    summary: str,
    *,
    reference_facts: Facts | None = None,
    entailed_recall: bool = True,
    short_circuit: bool = True,
    reads: Reading = read_both,
    validates: Validating = check_together,
) -> flow.Dialogue[EvaScore]:
    """The dialogue that checks the facts of one summary against one reference.

    Args:
        reference: The reference abstract.
        summary: The summary to check.
        reference_facts: Reviewed facts of the reference; without them the judge is asked.
        entailed_recall: Whether the reference's facts are checked against the summary, too; without
            it an LLM judge is asked about half as often, and ``recall_entailed`` is None.
        short_circuit: Whether a summary equal to its reference scores 1 without a question.
        reads: Finds what both texts state.
        validates: Checks the summary's facts.
    """
    reference, summary = normalise(reference), normalise(summary)
    flow.check_usable(summary)
    if short_circuit and summary == reference:
        entailed = 1.0 if entailed_recall else None
        return EvaScore(
            value=1.0, precision=1.0, recall=1.0, recall_entailed=entailed, identical=True
        )
    stated = yield from _of_paper(reference, reads(reference, summary, reference_facts))
    score = _score(stated, validates, both=entailed_recall)
    return (yield from _of_paper(reference, score))


def _score(
    stated: tuple[Stated, ...], validates: Validating, *, both: bool
) -> flow.Dialogue[EvaScore]:
    """The score of one summary's facts against the reference's, in both directions if ``both``."""
    of_reference, of_summary = stated
    reference, candidate = of_reference.facts, of_summary.facts
    for each in stated:
        _limit_unanswered((), each.unusable, len(each.facts))
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
            stated=stated,
        )
    premises = tuple(fact.text for fact in reference)
    directions = [validates(candidate, premises)]
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
    precision, matched_recall = _share(checked), len(matched) / len(covered)
    return EvaScore(
        value=f1(precision, matched_recall),
        precision=precision,
        recall=matched_recall,
        recall_entailed=_share(covered) if both else None,
        candidate=checked,
        reference=covered,
        matched=matched,
        stated=stated,
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
        check_offered(fact, check, len(premises))
        checked.append(
            CheckedFact(
                fact=fact,
                holds=check.entailed,
                reason=check.reason,
                evidence=tuple(premises[premise] for premise in check.premises),
                support=check.support,
                undecided=check.undecided,
                disputes=check.disputes,
            )
        )
    return (*checked, *_unusable(unusable))


def check_offered(fact: q.Fact, check: q.FactCheck, n_premises: int) -> None:
    """Refuse a premise that no question offered."""
    if not all(0 <= premise < n_premises for premise in check.premises):
        raise flow.NoScoreError(
            f"fact {fact.text!r}: a premise of {check.premises} was not offered"
        )


def _unusable(facts: Facts) -> Iterator[CheckedFact]:
    return (CheckedFact(fact=fact, holds=None, reason=UNUSABLE, unusable=True) for fact in facts)


def _limit_unanswered(checks: Sequence[Check], unusable: Facts, n_facts: int) -> None:
    answers = [*checks, *(q.Unanswered(UNUSABLE) for _ in unusable)]
    flow.limit_unanswered("facts", answers, n_facts + len(unusable))


def _share(facts: tuple[CheckedFact, ...]) -> float:
    return sum(fact.holds is True for fact in facts) / len(facts)

"""Facts that people have written down and labelled, checked by the judge as they stand.

A fact of the reference is checked against the summary's sentences, one of the summary against the
reference's facts: as EVA-Score checks both, without a judge's own list of facts in between.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from summeval_pytest.metrics import CheckedFact, Unscored
from summeval_pytest.metrics.conversation import NoAnswerError
from summeval_pytest.metrics.eva import check_stated
from summeval_pytest.suite.indexed import cut

if TYPE_CHECKING:
    from summeval_pytest.metrics.conversation import Dialogue
    from summeval_pytest.suite import FactLabels, Pair


@dataclass(frozen=True, slots=True, kw_only=True)
class StatedFacts:
    """One check a labelled fact, in the order of the labels.

    Attributes:
        reference: Whether each fact of the reference follows from the summary.
        candidate: Whether each fact of the summary follows from the reference.
    """

    reference: tuple[CheckedFact, ...] = ()
    candidate: tuple[CheckedFact, ...] = ()


def stated_flow(pair: Pair, facts: FactLabels) -> Dialogue[StatedFacts | Unscored]:
    """The conversation about the labelled facts of one pair."""
    try:
        covered: tuple[CheckedFact, ...] = ()
        supported: tuple[CheckedFact, ...] = ()
        if facts.reference:
            texts = tuple(fact.text for fact in facts.reference)
            covered = yield from check_stated(texts, cut(pair.summary), every_premise=False)
        if facts.candidate:
            texts = tuple(fact.text for fact in facts.candidate)
            supported = yield from check_stated(texts, _premises(pair, facts), every_premise=True)
    except NoAnswerError as fault:
        return Unscored(metric="eva", status="unanswered", reason=str(fault))
    return StatedFacts(reference=covered, candidate=supported)


def _premises(pair: Pair, facts: FactLabels) -> tuple[str, ...]:
    """What the reference states: its reviewed facts, else the labelled ones, else its sentences."""
    if pair.paper.reference_facts is not None:
        return tuple(fact.text for fact in pair.paper.reference_facts)
    if facts.reference:
        return tuple(fact.text for fact in facts.reference)
    return tuple(s for text in pair.paper.references for s in cut(text))

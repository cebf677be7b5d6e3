"""The verdict on one pair: which thresholds it misses, and everything that is wrong with it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from summeval_pytest.errors import JudgeError
from summeval_pytest.metrics import EvaScore, FacetScore, FaithfulnessScore, Unscored
from summeval_pytest.text import one_line
from summeval_pytest.verdict.findings import (
    Finding,
    Shortfall,
    facet_findings,
    fact_findings,
    sentence_findings,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from summeval_pytest.evaluation import Evaluation
    from summeval_pytest.verdict.thresholds import Threshold


@dataclass(frozen=True, slots=True, kw_only=True)
class PairVerdict:
    """What one pair misses, the worst first.

    Attributes:
        shortfalls: The numbers under their thresholds.
        findings: The wrong facets, facts and sentences; none where the pair passes.
        lacking: The metrics that the system left without a score: an empty or refused summary.
    """

    shortfalls: tuple[Shortfall, ...]
    findings: tuple[Finding, ...]
    lacking: tuple[Unscored, ...]

    @property
    def passes(self) -> bool:
        """Whether every threshold is met and everything could be scored."""
        return not self.shortfalls and not self.lacking


def raise_judge_faults(evaluation: Evaluation) -> None:
    """Refuses to go on where the judge left a metric without a score.

    Raises:
        JudgeError: naming the metrics and why; an unscored pair is never decided.
    """
    faults = [s for s in evaluation.scores if isinstance(s, Unscored) and s.fault == "judge"]
    if faults:
        reasons = "; ".join(f"{f.metric}: {f.status}, {one_line(f.reason)}" for f in faults)
        raise JudgeError(
            f"paper {evaluation.paper!r}, system {evaluation.system!r} is unscored: {reasons}"
        )


def decide(evaluation: Evaluation, thresholds: Sequence[Threshold]) -> PairVerdict:
    """Holds one pair to its thresholds.

    A number that does not apply (a facet that the reference lacks) is not held; one that cannot be
    counted because the summary states nothing (None) is under every threshold.

    Raises:
        JudgeError: if the judge left a metric without a score.
        KeyError: for a threshold whose metric was not measured, which must not pass in silence.
    """
    raise_judge_faults(evaluation)
    values = evaluation.numbers().values
    lacking = tuple(score for score in evaluation.scores if isinstance(score, Unscored))
    shortfalls = []
    for threshold in thresholds:
        if threshold.name not in values:
            evaluation.score(threshold.metric)
            continue
        value = values[threshold.name]
        if value is None or value < threshold.least:
            shortfalls.append(Shortfall(name=threshold.name, value=value, least=threshold.least))
    findings = _findings(evaluation, thresholds, shortfalls) if shortfalls else iter(())
    return PairVerdict(
        shortfalls=tuple(shortfalls),
        findings=tuple(sorted(findings, key=lambda finding: -finding.severity)),
        lacking=lacking,
    )


def _findings(
    evaluation: Evaluation, thresholds: Sequence[Threshold], shortfalls: Sequence[Shortfall]
) -> Iterator[Finding]:
    """Everything wrong with a failing pair; facts only where EVA-Score itself is too low."""
    missed = {shortfall.name for shortfall in shortfalls}
    least = {threshold.name: threshold.least for threshold in thresholds}
    for score in evaluation.scores:
        match score:
            case FacetScore():
                partial = "facet" in missed
                yield from facet_findings(score, least, evaluation.source, all_partial=partial)
            case EvaScore() if any(name.startswith("eva") for name in missed):
                yield from fact_findings(score, evaluation.source)
            case FaithfulnessScore():
                yield from sentence_findings(score, evaluation.source)
            case _:
                pass

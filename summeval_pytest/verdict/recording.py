"""From what was measured on a pair to what is remembered of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from summeval_pytest.evaluation import GoldenPair  # noqa: TC001 - run records read it
from summeval_pytest.metrics import FaithfulnessScore, Unscored
from summeval_pytest.verdict.checking import RelationVerdict  # noqa: TC001
from summeval_pytest.verdict.deciding import PairVerdict
from summeval_pytest.verdict.findings import findings_of
from summeval_pytest.verdict.record import (
    Outcome,
    PairRecord,
    PaperRecord,
    SystemRecord,
)
from summeval_pytest.verdict.trust import Trust  # noqa: TC001

if TYPE_CHECKING:
    from collections.abc import Iterable

    from summeval_pytest.errors import Place
    from summeval_pytest.evaluation import Evaluation
    from summeval_pytest.metrics import MetricName
    from summeval_pytest.verdict.comparison import PairChange


@dataclass(frozen=True, slots=True, kw_only=True)
class Totalled:
    """One system over all its papers, as the process hands it on that ran its item."""

    suite: str
    system: SystemRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """One pair with its paper: what a process that ran its test hands on.

    Attributes:
        suite: The suite file as the user named it.
        pair: The pair.
        paper: Its paper; None where the pair broke down before it was read.
    """

    suite: str
    pair: PairRecord
    paper: PaperRecord | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """What the golden labels of a suite say of the judge: what its item ``judge`` hands on."""

    suite: str
    trust: Trust
    golden: tuple[GoldenPair, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """One relation that the judge was tried with: what its item hands on."""

    suite: str
    verdict: RelationVerdict


@dataclass(frozen=True, slots=True)
class Part:
    """What one test gives to the run record."""

    value: Judged | Totalled | Measured | Tried


def judged(
    suite: str,
    evaluation: Evaluation,
    verdict: PairVerdict | None,
    *,
    fault: str = "",
    change: PairChange | None = None,
) -> Judged:
    """A pair that was measured, and decided unless the judge left it unscored.

    Args:
        suite: The suite file as the user named it.
        evaluation: What was measured.
        verdict: What was decided; None where the judge left a metric without a score.
        fault: The judge's fault in words, then.
        change: What changed against the baseline, where there is one.
    """
    findings = findings_of(evaluation.scores, evaluation.source)
    decided: Outcome = "passed" if verdict is not None and verdict.passes else "failed"
    pair = PairRecord(
        paper=evaluation.paper,
        system=evaluation.system,
        outcome=decided if verdict is not None else "error",
        fault=fault,
        summary=evaluation.pair.summary,
        place=evaluation.pair.place,
        note=evaluation.pair.note,
        scores=evaluation.scores,
        signatures=tuple(map(str, evaluation.signatures)),
        findings=findings,
        verdict=verdict or PairVerdict(shortfalls=()),
        change=change,
    )
    cited = dict(place for finding in findings for place in finding.evidence)
    for score in evaluation.scores:
        if isinstance(score, FaithfulnessScore):
            cited |= {n: evaluation.source[n] for s in score.sentences for n in s.evidence}
    paper = evaluation.pair.paper
    remembered = PaperRecord(
        id=paper.id,
        title=paper.title,
        place=paper.place,
        references=paper.references,
        n_sentences=len(evaluation.source),
        cited=tuple(sorted(cited.items())),
    )
    return Judged(suite=suite, pair=pair, paper=remembered)


def broken_down(  # noqa: PLR0913 - by keyword, each a fact of its own
    *,
    suite: str,
    paper: str,
    system: str,
    metrics: Iterable[MetricName],
    place: Place,
    fault: str,
) -> Judged:
    """A pair that the judge left unscored as a whole: nothing of it is known but why."""
    scores = tuple(Unscored(metric=metric, status="unanswered", reason=fault) for metric in metrics)
    return Judged(
        suite=suite,
        pair=PairRecord(
            paper=paper,
            system=system,
            outcome="error",
            fault=fault,
            summary="",
            place=place,
            scores=scores,
        ),
    )

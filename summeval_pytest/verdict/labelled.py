"""A labelled pair beside every number that may agree with its label."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from summeval_pytest.evaluation import (
    GoldenAnswer,
    GoldenPair,
    golden_pair,
    group_of,
    labelled_overall,
    role_answers,
)
from summeval_pytest.metrics import EvaScore, FacetScore, Unscored, mean_support
from summeval_pytest.metrics.facet import WEIGHTS
from summeval_pytest.metrics.lexical import facet_presence, length, rouge, rouge_1_recall
from summeval_pytest.questions import FACETS, Unanswered
from summeval_pytest.text import normalise

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from summeval_pytest.evaluation import BaselineName, Evaluation, RoleAnswer
    from summeval_pytest.metrics import MetricName, Score
    from summeval_pytest.questions import Facet, FacetSegments
    from summeval_pytest.suite import Label, Pair, Recorded

LEADING: Final = (
    "FM", "EVA", "EVA precision", "EVA recall", "EVA recall (entailed)", "faithfulness",
    "support", "fact support", "direct rating", "EVA, one prompt",
    "ROUGE-1", "ROUGE-2", "ROUGE-L", "ROUGE-1 recall", "facet presence", "length",
)  # fmt: skip
"""The columns that we compute, in the order shown; recorded ones follow by name.

A recorded one of the same name is marked, so that neither hides the other."""
BASELINE_COLUMNS: Final[Mapping[BaselineName, str]] = MappingProxyType(
    {"direct": "direct rating", "one-prompt": "EVA, one prompt"}
)
_METRIC_COLUMNS: Final[Mapping[MetricName, str]] = MappingProxyType(
    {"facet": "FM", "eva": "EVA", "faithfulness": "faithfulness"}
)
_SUPPORTS: Final = {"support": "faithfulness", "fact support": "EVA recall (entailed)"}
"""Columns of a judge's strength of belief, and the columns of its yes and no."""
CONTROLS: Final = ("ROUGE-1", "facet presence")
"""Always shown: who does not beat these has not measured coverage (metrics.md, section 2)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledPair:
    """One pair with its label and every number that may agree with it.

    Attributes:
        paper: The paper's id.
        system: The system's name.
        group: What is resampled: papers with the same reference are one.
        human: The human overall score, or FM of the human ratings; None where there is neither.
        columns: A number a metric or baseline; a metric without a score for this pair is absent.
        golden: The labelled items with the judge's answers; None where none are looked at.
        recorded: By who recorded them, the labelled facets with the recorded ratings.
        pair: The texts; None where only numbers are looked at.
        roles: The labelled roles of its sentences with the judge's.
        lacking: By column, why a number that the judge was asked for is not there.
    """

    paper: str
    system: str
    group: str
    human: float | None
    columns: Mapping[str, float]
    golden: GoldenPair | None = None
    recorded: Mapping[str, GoldenPair] = field(default_factory=dict)
    pair: Pair | None = None
    roles: tuple[RoleAnswer, ...] = ()
    lacking: Mapping[str, str] = field(default_factory=dict)


def column_names(pairs: Sequence[LabelledPair], further: Sequence[str] = ()) -> tuple[str, ...]:
    """Every column that a pair has, and the controls: ours in their order, then others by name.

    Args:
        pairs: The pairs.
        further: Columns that are ours, too, and follow the leading ones.
    """
    found = {column for pair in pairs for column in pair.columns} | set(CONTROLS)
    ours = (*LEADING, *further)
    return (*(c for c in ours if c in found), *sorted(found - set(ours)))


def labelled_pair(
    label: Label,
    evaluation: Evaluation,
    recorded: Sequence[Recorded] = (),
    references: Mapping[str, FacetSegments] | None = None,
) -> LabelledPair:
    """A label beside what the judge, the baselines and the records of the pair say.

    Args:
        label: What people found.
        evaluation: What the judge makes of the pair.
        recorded: The records of the pair.
        references: By who recorded them, the segments of the paper's reference.

    Raises:
        SuiteError: for a label of a sentence that the summary does not have.
    """
    columns = _recorded_columns(label, recorded, references or {})
    columns.update(_baselines(evaluation.pair))
    lacking = {}
    for score in evaluation.scores:
        if isinstance(score, Unscored):
            lacking[_METRIC_COLUMNS[score.metric]] = score.reason
        else:
            columns.update(_columns(score))
    for name, number in evaluation.baselines.items():
        if isinstance(number, Unanswered):
            lacking[BASELINE_COLUMNS[name]] = number.reason
        else:
            columns[BASELINE_COLUMNS[name]] = number
    if isinstance(evaluation.segments, Unscored):
        lacking["sentence roles"] = evaluation.segments.reason
    paper = evaluation.pair.paper
    return LabelledPair(
        paper=label.paper,
        system=label.system,
        group=normalise(paper.references[0]),
        human=labelled_overall(label),
        columns=columns,
        golden=golden_pair(label, evaluation),
        recorded={
            record.by: _rated(label, record.facets, group_of(paper))
            for record in recorded
            if record.facets is not None
        },
        pair=evaluation.pair,
        roles=role_answers(label, evaluation),
        lacking=lacking,
    )


def _recorded_columns(
    label: Label, recorded: Sequence[Recorded], references: Mapping[str, FacetSegments]
) -> dict[str, float]:
    columns: dict[str, float] = {}
    for record in recorded:
        if record.overall is not None:
            columns[f"{record.by} (recorded)" if record.by in LEADING else record.by] = (
                record.overall
            )
        if record.segments is not None:
            columns.update(segment_controls(label, record, references.get(record.by)))
    return columns


def segment_controls(
    label: Label, record: Recorded, reference: FacetSegments | None = None
) -> dict[str, float]:
    """What recorded segments of a summary say without being read: that they are there, how long.

        presence = sum of w_f * (1 where the segment of f is not empty, else 0) / sum of w_f
        length   = sum of w_f * log(1 + characters of the segment of f)         / sum of w_f

    over the facets f that people rated, else those of the recorded reference; w as FM has them.
    Nothing where neither tells which facets count. On ScholarSum's PubMed half GPT-4's segments
    reach a Pearson of .53 and .57 with the human overall score (metrics.md, section 2).
    """
    segments = record.segments
    if segments is None:
        return {}
    facets = [f for f, rating in (label.facets or {}).items() if rating is not None]
    if not facets and reference is not None:
        facets = [f for f in FACETS if reference.segment(f)]
    total = sum(WEIGHTS[f] for f in facets)
    if not total:
        return {}
    sizes = {f: len(segments.segment(f)) for f in facets}
    return {
        f"presence ({record.by})": sum(WEIGHTS[f] for f in facets if sizes[f]) / total,
        f"length ({record.by})": sum(WEIGHTS[f] * math.log1p(sizes[f]) for f in facets) / total,
    }


def _rated(label: Label, ratings: Mapping[Facet, int], group: str) -> GoldenPair:
    """The facets that both people and a record have rated."""
    both = {
        facet: (human, ratings[facet])
        for facet, human in (label.facets or {}).items()
        if human is not None and facet in ratings
    }
    answers = (
        GoldenAnswer(kind=facet, label=human, answer=rating)
        for facet, (human, rating) in both.items()
    )
    return GoldenPair(paper=label.paper, system=label.system, group=group, answers=tuple(answers))


def _baselines(pair: Pair) -> dict[str, float]:
    references, summary = pair.paper.references, pair.summary
    by_reference = [
        {**rouge(reference, summary), "ROUGE-1 recall": rouge_1_recall(reference, summary)}
        for reference in references
    ]
    found = {name: max(scores[name] for scores in by_reference) for name in by_reference[0]}
    return {**found, "length": length(summary)}


def _columns(score: Score) -> Mapping[str, float]:
    """The columns that a score fills; what it does not have is left out."""
    found: dict[str, float | None]
    match score:
        case FacetScore():
            found = {
                "FM": score.value,
                "facet presence": facet_presence(score),
            }
        case EvaScore():
            found = {
                "EVA": score.value,
                "EVA precision": score.precision,
                "EVA recall": score.recall,
                "EVA recall (entailed)": score.recall_entailed,
                "fact support": _fact_support(score),
            }
        case _:
            found = {
                "faithfulness": score.value,
                "support": score.support,
            }
    return {name: value for name, value in found.items() if value is not None}


def with_whole_support(pairs: Sequence[LabelledPair]) -> list[LabelledPair]:
    """The pairs without a column of support that some of those lack whom the metric has scored.

    A judge without strengths of belief would have one where a rule answered every item alone.
    """
    partial = {
        column
        for column, metric in _SUPPORTS.items()
        if any(metric in pair.columns and column not in pair.columns for pair in pairs)
    }
    return [
        replace(pair, columns={n: v for n, v in pair.columns.items() if n not in partial})
        for pair in pairs
    ]


def _fact_support(score: EvaScore) -> float | None:
    """The mean support of the reference's facts; over several references, the highest."""
    if score.identical:
        return 1.0
    if score.precision is None:
        return 0.0  # the summary states no fact, so nothing was asked
    found = [_fact_support(each) for each in score.by_reference] or [
        mean_support(fact.support for fact in score.reference if fact.holds is not None)
    ]
    return max((value for value in found if value is not None), default=None)

"""The labelled pairs of a suite, each with every number that may agree with its label."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple

from summeval_pytest.errors import Place, SuiteError
from summeval_pytest.metrics.catalogue import METRICS, Score
from summeval_pytest.metrics.facet import WEIGHTS, FacetScore
from summeval_pytest.metrics.flow import Dialogue, ask, ends_unscored
from summeval_pytest.metrics.number import MetricName, Unscored
from summeval_pytest.questions import FACETS, Facet, FacetSegments, SegmentFacets, Unanswered
from summeval_pytest.run.golden import (
    GoldenAnswer,
    GoldenPair,
    check_roles,
    check_sentences,
    golden_pair,
    group_of,
    labelled_overall,
)
from summeval_pytest.run.measure import Evaluation, Extra, check_flaw
from summeval_pytest.run.runner import Task
from summeval_pytest.run.session import Session
from summeval_pytest.study.baselines import (
    BASELINES,
    BaselineName,
    facet_presence,
    length,
    rouge,
    rouge_1_recall,
)
from summeval_pytest.study.recorded_judge import Recorded, records_of
from summeval_pytest.suite.labels import Label
from summeval_pytest.suite.suite import Suite
from summeval_pytest.suite.values import Pair
from summeval_pytest.text.excerpts import is_verbatim, n_letters, pieces_of
from summeval_pytest.text.reading import normalise
from summeval_pytest.verdict.thresholds import has_part

HUMAN: Final = "human"
"""The column of the labels themselves, first in every matrix."""
LEADING: Final = (
    "FM", "FM coverage", "EVA", "EVA precision", "EVA recall", "EVA recall (entailed)",
    "faithfulness", "support", "labelled facts", "direct rating", "EVA, one prompt",
    "ROUGE-1", "ROUGE-2", "ROUGE-L", "ROUGE-1 recall", "facet presence", "length",
)  # fmt: skip
"""The columns that we compute, in the order shown; recorded ones follow by name.

A recorded one of the same name is marked, so that neither hides the other."""
_COLUMNS_OF: Final = {
    "facet": "FM", "eva": "EVA", "eva.precision": "EVA precision", "eva.recall": "EVA recall",
    "eva.recall_entailed": "EVA recall (entailed)", "faithfulness": "faithfulness",
    "faithfulness.support": "support", "direct": "direct rating", "one-prompt": "EVA, one prompt",
}  # fmt: skip
"""The column of each number and baseline."""
CONTROLS: Final = ("ROUGE-1", "facet presence")
"""Always shown: who does not beat these has not measured coverage (metrics.md, section 2)."""


@ends_unscored("facet")
def segments_flow(pair: Pair) -> Dialogue[FacetSegments]:
    """The dialogue about the facets of a summary, to compare labelled roles with."""
    check_flaw(pair)
    (segments,) = yield from ask(FacetSegments, SegmentFacets(normalise(pair.summary)))
    return segments


SEGMENTS: Final = Extra("facet", segments_flow)
"""The facets of the summary, beside the metrics."""


class RoleAnswer(NamedTuple):
    """One sentence with a labelled role: the facets that are right, at least one.

    ``answer`` is the facet in whose segment the judge has the sentence; None for none of them.
    """

    right: tuple[Facet, ...]
    answer: Facet | None


def role_answers(label: Label, evaluation: Evaluation) -> tuple[RoleAnswer, ...]:
    """The labelled sentences of a pair that state a facet; none without the judge's segments."""
    segments = evaluation.extras.get(SEGMENTS.name)
    check_roles(label, evaluation.pair.summary)
    if not isinstance(segments, FacetSegments):
        return ()
    stating = [role for role in label.roles or () if role.facets]
    placed = (facet_with(normalise(role.text), segments) for role in stating)
    return tuple(map(RoleAnswer, (role.facets for role in stating), placed))


def facet_with(sentence: str, segments: FacetSegments) -> Facet | None:
    """The facet whose segment contains a sentence, the first of several; None where none does.

    A sentence that no segment contains as a whole goes to the facet with most letters of its
    pieces. Only words are compared.
    """
    for facet in FACETS:
        if is_verbatim(sentence, segments.segment(facet)):
            return facet
    letters = {
        f: sum(n_letters(p) for p in pieces_of(sentence) if is_verbatim(p, segments.segment(f)))
        for f in FACETS
    }
    most = max(FACETS, key=letters.__getitem__)
    return most if letters[most] else None


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledPair:
    """One pair with its label and every number that may agree with it.

    Papers with the same reference are one ``group``, which is resampled. ``human`` is the overall
    score, or FM of the human ratings. A metric without a score for this pair is absent from
    ``columns``, and ``missing`` says why. ``golden`` are the labelled items with the judge's
    answers, ``recorded`` the labelled facets with the ratings of each record, ``roles`` the
    labelled roles of sentences with the judge's; ``pair`` is None where only numbers are looked at.
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
    missing: Mapping[str, str] = field(default_factory=dict)

    def number(self, column: str) -> float | None:
        """The number in a column, which may be `HUMAN`; None where it has none."""
        return self.human if column == HUMAN else self.columns.get(column)


def agreement_tasks(
    suite: Suite,
    metrics: tuple[MetricName, ...] = METRICS,
    baselines: tuple[BaselineName, ...] = (),
) -> dict[Task, Label]:
    """What a judge is asked to be compared with labels: each labelled pair, and its label.

    A label keeps its ratings and overall score, which every column is held against, and of its
    other parts those that these metrics have a number for.

    Raises:
        SuiteError: where no label has anything to agree with, or one is of a sentence that its
            summary does not have.
    """
    about = [
        replace(
            label,
            roles=label.roles if "facet" in metrics else None,
            facts=label.facts if "eva" in metrics else None,
            sentences=label.sentences if "faithfulness" in metrics else None,
        )
        for label in suite.labels.values()
    ]
    parts = ("overall", "facets", "facts", "roles")
    labels = [
        each for each in about if each.sentences or any(has_part(each, part) for part in parts)
    ]
    if not labels:
        raise SuiteError(
            Place(suite.shown),
            "no label has anything to agree with: an 'overall' score, a facet's rating, sentences,"
            ' facts or roles; add labels.jsonl and name it as labels = "labels.jsonl"',
        )
    check_sentences(suite)
    return {
        Task(
            suite=suite,
            paper=label.paper,
            system=label.system,
            metrics=metrics,
            facts=label.facts,
            extras=(
                *(BASELINES[name] for name in baselines),
                *((SEGMENTS,) if label.roles else ()),
            ),
        ): label
        for label in labels
    }


def labelled_pairs(
    suite: Suite,
    judge_name: str,
    session: Session,
    metrics: tuple[MetricName, ...] = METRICS,
    baselines: tuple[BaselineName, ...] = (),
) -> list[LabelledPair]:
    """Every pair that a label says something of, in the order of the labels."""
    tasks = agreement_tasks(suite, metrics, baselines)
    records: defaultdict[tuple[str, str], list[Recorded]] = defaultdict(list)
    references: defaultdict[str, dict[str, FacetSegments]] = defaultdict(dict)
    for record in records_of(suite):
        if record.system is not None:
            records[record.paper, record.system].append(record)
        elif record.segments is not None:
            references[record.paper][record.by] = record.segments
    evaluations = session.evaluate(session.judge(judge_name, [suite]), list(tasks))
    try:
        pairs = [
            labelled_pair(
                label, evaluation, records[label.paper, label.system], references[label.paper]
            )
            for label, evaluation in zip(tasks.values(), evaluations, strict=True)
        ]
    finally:
        session.replies.forget_run()
    has_support = all("support" in p.columns for p in pairs if "faithfulness" in p.columns)
    # Where a rule answered every sentence, there is a support of no judge's.
    columns = [{c: n for c, n in p.columns.items() if has_support or c != "support"} for p in pairs]
    return [replace(pair, columns=own) for pair, own in zip(pairs, columns, strict=True)]


def labelled_pair(
    label: Label,
    evaluation: Evaluation,
    recorded: Sequence[Recorded] = (),
    references: Mapping[str, FacetSegments] | None = None,
) -> LabelledPair:
    """A label beside what the judge, the baselines and the records of the pair say.

    ``references`` are the recorded segments of the paper's reference, by who recorded them.

    Raises:
        SuiteError: for a label of a sentence that the summary does not have.
    """
    pair, paper = evaluation.pair, evaluation.pair.paper
    columns = _recorded_columns(label, recorded, references or {}) | _baselines(pair)
    missing = {}
    for score in evaluation.scores:
        if isinstance(score, Unscored):
            missing[_COLUMNS_OF[score.metric]] = score.reason
        else:
            columns.update(_columns(score))
    for name, result in evaluation.extras.items():
        column = _COLUMNS_OF[name] if name != SEGMENTS.name else "sentence roles"
        if isinstance(result, Unanswered | Unscored):
            missing[column] = result.reason
        elif isinstance(result, float):
            columns[column] = result
    golden = golden_pair(label, evaluation)
    columns |= _share_of_facts(golden)
    return LabelledPair(
        paper=label.paper,
        system=label.system,
        group=normalise(paper.references[0]),
        human=labelled_overall(label),
        columns=columns,
        golden=golden,
        recorded={
            record.by: _rated(label, record.facets, group_of(paper))
            for record in recorded
            if record.facets is not None
        },
        pair=pair,
        roles=role_answers(label, evaluation),
        missing=missing,
    )


def _recorded_columns(
    label: Label, recorded: Sequence[Recorded], references: Mapping[str, FacetSegments]
) -> dict[str, float]:
    columns: dict[str, float] = {}
    for record in recorded:
        if record.overall is not None:
            name = f"{record.by} (recorded)" if record.by in LEADING else record.by
            columns[name] = record.overall
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
    answers = tuple(
        GoldenAnswer(kind=facet, label=human, answer=ratings[facet])
        for facet, human in (label.facets or {}).items()
        if human is not None and facet in ratings
    )
    return GoldenPair(paper=label.paper, system=label.system, group=group, answers=answers)


def _share_of_facts(golden: GoldenPair) -> dict[str, float]:
    """The share of the reference's labelled facts that the judge says hold.

    So what a summary recalls is known wherever its facts are labelled, without facts of its own.
    """
    answers = [each.answer for each in golden.answers if each.kind == "reference fact"]
    known = [answer for answer in answers if answer is not None]
    return {"labelled facts": sum(known) / len(known)} if len(known) == len(answers) > 0 else {}


def _baselines(pair: Pair) -> dict[str, float]:
    """Of several references the best counts."""
    by_reference = [
        {**rouge(each, pair.summary), "ROUGE-1 recall": rouge_1_recall(each, pair.summary)}
        for each in pair.paper.references
    ]
    best = {name: max(scores[name] for scores in by_reference) for name in by_reference[0]}
    return {**best, "length": length(pair.summary)}


def _columns(score: Score) -> Mapping[str, float]:
    """The columns that a score fills; what it does not have is left out."""
    values = score.values()
    columns = {column: values.get(number) for number, column in _COLUMNS_OF.items()}
    if isinstance(score, FacetScore):  # of several references, coverage is that of the evidence
        columns |= {"FM coverage": score.key_coverage, "facet presence": facet_presence(score)}
        columns["FM"] = score.value
    return {name: value for name, value in columns.items() if value is not None}


def column_names(pairs: Sequence[LabelledPair], further: Sequence[str] = ()) -> tuple[str, ...]:
    """Every column that a pair has, and the controls: ours in their order, then others by name.

    ``further`` columns are ours, too, and follow the leading ones.
    """
    names = {column for pair in pairs for column in pair.columns} | set(CONTROLS)
    own = (*LEADING, *further)
    return (*(c for c in own if c in names), *sorted(names - set(own)))

"""The labelled pairs of a suite, measured by a judge and by baselines, beside what is recorded."""

from __future__ import annotations

from collections import defaultdict
from contextlib import closing
from typing import TYPE_CHECKING

from summeval_pytest.cli.terms import running
from summeval_pytest.errors import Place, SuiteError
from summeval_pytest.evaluation import Task, check_sentences
from summeval_pytest.metrics import METRICS
from summeval_pytest.verdict.floors import has_part
from summeval_pytest.verdict.labelled import LabelledPair, labelled_pair, with_whole_support

if TYPE_CHECKING:
    from summeval_pytest.evaluation import BaselineName, Desk
    from summeval_pytest.questions import FacetSegments
    from summeval_pytest.suite import Label, Recorded, Suite


def labelled_pairs(
    suite: Suite, judge_name: str, desk: Desk, baselines: tuple[BaselineName, ...] = ()
) -> list[LabelledPair]:
    """Every pair that a label says something of, in the order of the labels.

    Args:
        suite: The suite.
        judge_name: Who judges.
        desk: On which terms models are asked.
        baselines: What else the judge is asked for.

    Raises:
        SuiteError: where no label has anything to agree with, or one is of a sentence that its
            summary does not have.
        JudgeError: if the judge breaks its contract.
    """
    labels = [label for label in suite.labels.values() if _says_something(label)]
    if not labels:
        raise SuiteError(
            Place(suite.shown),
            "no label has anything to agree with: an 'overall' score, a facet's rating, sentences,"
            ' facts or roles; add labels.jsonl and name it as labels = "labels.jsonl"',
        )
    check_sentences(suite)
    records: defaultdict[tuple[str, str], list[Recorded]] = defaultdict(list)
    references: defaultdict[str, dict[str, FacetSegments]] = defaultdict(dict)
    for record in suite.recorded():
        if record.system is not None:
            records[record.paper, record.system].append(record)
        elif record.segments is not None:
            references[record.paper][record.by] = record.segments
    tasks = [
        Task(
            suite=suite,
            paper=label.paper,
            system=label.system,
            metrics=METRICS,
            facts=label.facts,
            baselines=baselines,
            segments=bool(label.roles),
        )
        for label in labels
    ]
    judge = desk.judge(judge_name, [suite])
    try:
        with running(judge, desk) as runner, closing(runner.evaluations(tasks)) as evaluations:
            return with_whole_support(
                [
                    labelled_pair(
                        label,
                        evaluation,
                        records[label.paper, label.system],
                        references[label.paper],
                    )
                    for label, evaluation in zip(labels, evaluations, strict=True)
                ]
            )
    finally:
        desk.forget_run()


def _says_something(label: Label) -> bool:
    parts = ("overall", "facets", "facts", "roles")
    return bool(label.sentences) or any(has_part(label, part) for part in parts)

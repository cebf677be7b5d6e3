"""`summeval evidence`: how well the judge, and retrieval, find the sentences that labels name."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from summeval_pytest.cli.terms import (
    add_asking,
    add_judge,
    add_suite,
    check_writable,
    desk_of,
    running,
    suite_of,
    write_figures,
)
from summeval_pytest.errors import Place, SuiteError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from summeval_pytest.evaluation import Evaluation
    from summeval_pytest.suite import Suite
    from summeval_pytest.verdict.supporting import SupportingFigures


FAITHFUL: Final = "faithful"
LABELLED: Final = "labelled"
"""Whose evidence counts: FareBio's, or that of every sentence that has some."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceErrors:
    """What was wrong with the judge's evidence, over the sentences that it judged (FareBio, T. 5).

    Attributes:
        n_sentences: Sentences that the judge answered, faithful or not.
        n_ungrounded: Sentences or quotations that it named and the source does not hold.
        n_copied: Of these, quotations that stand in the summary instead.
        n_unsupported_yes: Sentences that it called supported without any evidence.
    """

    n_sentences: int
    n_ungrounded: int
    n_copied: int
    n_unsupported_yes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceReport:
    """Everything that the command tells.

    Attributes:
        suite: The suite as the user named it.
        fingerprint: Its fingerprint.
        judge: The judge's signature.
        n_pairs: Labelled pairs with evidence.
        figures: The judge and the baselines, on all sentences and on parts of them.
        errors: What was wrong with the judge's evidence.
        every: Whether sentences count that labels do not call faithful.
    """

    suite: str
    fingerprint: str
    judge: str
    n_pairs: int
    figures: tuple[SupportingFigures, ...]
    errors: EvidenceErrors
    every: bool = False


def add_evidence(parser: argparse.ArgumentParser) -> None:
    """The arguments of `summeval evidence`."""
    parser.description = (
        "Compares the source sentences that a judge names as evidence with those that labels name:"
        " precision, recall and F1 over all of them, beside the sentences that BM25 ranks first."
    )
    add_suite(parser, "a suite whose labels have evidence")
    parser.add_argument(
        "--of",
        choices=(FAITHFUL, LABELLED),
        default=FAITHFUL,
        help="which sentences count: those labelled faithful, as FareBio counts them, or all that"
        " labels give evidence for, partly supported ones as well (default: faithful)",
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures here, too")
    add_judge(parser)
    add_asking(parser)


def evidence(chosen: argparse.Namespace) -> list[str]:
    """The tables, also written as JSON where a file is named.

    Raises:
        UsageError: for a mistake in the suite, labels without evidence, or an unknown judge.
        JudgeError: if the judge breaks its contract.
    """
    if chosen.json is not None:
        check_writable(chosen.json, "--json")
    report = _reported(suite_of(chosen), chosen)
    if chosen.json is not None:
        write_figures(chosen.json, "--json", report)
    return list(_told(report, chosen.judge))


def _reported(suite: Suite, chosen: argparse.Namespace) -> EvidenceReport:
    from summeval_pytest.evaluation import evidence_cases, evidence_tasks
    from summeval_pytest.verdict.supporting import supporting_figures

    every = chosen.of == LABELLED
    tasks = evidence_tasks(suite, every=every)
    if not tasks:
        raise SuiteError(
            Place(suite.shown),
            f"no label has a {'' if every else 'faithful '}sentence with 'evidence' to be found;"
            " add"
            ' {"index", "faithful", "evidence"} to the \'sentences\' of labels',
        )
    desk = desk_of(chosen)
    desk.add_cassette(suite)
    judge = desk.judge(chosen.judge, [suite])
    try:
        with (
            running(judge, desk) as runner,
            closing(runner.evaluations(list(tasks))) as evaluations,
        ):
            found = list(evaluations)
    finally:
        desk.forget_run()
    cases = [
        case
        for label, evaluation in zip(tasks.values(), found, strict=True)
        for case in evidence_cases(label, evaluation, every=every)
    ]
    return EvidenceReport(
        suite=suite.shown,
        fingerprint=suite.fingerprint,
        judge=judge.signature,
        n_pairs=len(tasks),
        figures=supporting_figures(cases),
        errors=_errors(found),
        every=every,
    )


def _errors(evaluations: list[Evaluation]) -> EvidenceErrors:
    from summeval_pytest.metrics import FaithfulnessScore

    scores = [score for each in evaluations for score in each.scores]
    judged = [score for score in scores if isinstance(score, FaithfulnessScore)]
    return EvidenceErrors(
        n_sentences=sum(s.supported is not None for score in judged for s in score.sentences),
        n_ungrounded=sum(score.n_ungrounded for score in judged),
        n_copied=sum(score.n_copied for score in judged),
        n_unsupported_yes=sum(score.n_unsupported_yes for score in judged),
    )


def _told(report: EvidenceReport, judge: str) -> Iterator[str]:
    from summeval_pytest.reports import supporting_table
    from summeval_pytest.text import one_line

    yield one_line(f"{report.suite}: {report.n_pairs} labelled pairs with evidence", 200)
    yield one_line(f"judge {judge}: {report.judge}", 300)
    which = "labelled faithful or not" if report.every else "labelled faithful"
    yield f"Source sentences named as evidence beside labelled ones, for sentences {which};"
    yield "95 % intervals over papers. named: source sentences named for each of them."
    yield ""
    yield from supporting_table(report.figures)
    unanswered = next((f.n_unanswered for f in report.figures if f.by == "judge"), 0)
    if unanswered:
        yield f"the judge gave no answer on {unanswered:,} of these sentences; they are left out"
    errors = report.errors
    yield (
        f"judge's evidence on {errors.n_sentences:,} sentences, faithful or not:"
        f" {errors.n_ungrounded:,} not in the source ({errors.n_copied:,} of them copied from the"
        f" summary), {errors.n_unsupported_yes:,} called supported without any"
    )
    yield "more abstractive: a larger share of novel bigrams than the median sentence; the place of"
    yield "a sentence that stands in the source word for word is found by a rule and not asked"

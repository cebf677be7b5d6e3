"""What `summeval agree` takes."""

from __future__ import annotations

import argparse
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from summeval_pytest.cli.label import add_label
from summeval_pytest.cli.options import (
    add_asking,
    add_judge,
    add_local_models,
    add_outside,
    add_store,
    add_suite,
    add_systems,
    check_writable,
    desk_of,
    running,
    suite_of,
    write_figures,
)
from summeval_pytest.errors import OptionError, Place, SuiteError
from summeval_pytest.run.measure import BASELINES
from summeval_pytest.suite.scholarsum import import_scholarsum
from summeval_pytest.text.printing import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from summeval_pytest.analysis.agreement import AgreementLevel
    from summeval_pytest.analysis.items import SupportingFigures
    from summeval_pytest.run.measure import Evaluation
    from summeval_pytest.suite.suite import Suite


ALL: Final = "all"
ALL_LEVELS: Final[tuple[AgreementLevel, ...]] = ("pooled", "paper", "system")
MATRICES: Final = ("pearson", "spearman", "kendall")
_TABLES: Final = (
    "level", "matrix", "fit_weights", "summary", "given", "baseline", "bertscore", "embeddings",
)  # fmt: skip
"""Options of the tables, in vain where something else is printed in their place."""


def add_agreeing(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.description = (
        "Sets every metric, baseline and recorded column beside the labels of a suite: correlation"
        " with the overall score, and agreement on facets, sentences and facts."
    )
    add_suite(parser, "a suite with labels")
    parser.add_argument(
        "--level",
        choices=(*ALL_LEVELS, ALL),
        help="all three coefficients over all pairs, within papers, or of the systems' means"
        " (default: Pearson and Spearman over all pairs, Kendall within papers)",
    )
    parser.add_argument(
        "--matrix", choices=MATRICES, help="this coefficient of every two columns, too"
    )
    parser.add_argument(
        "--fit-weights", action="store_true", help="fit the facets' weights to the overall scores"
    )
    parser.add_argument(
        "--summary",
        action="store_true",
        help="one line a figure in place of the tables: suite, figure, items, value, interval",
    )
    parser.add_argument(
        "--json", type=Path, metavar="FILE", help="write all figures here, asked for or not"
    )
    parser.add_argument(
        "--given",
        metavar="COLUMN",
        help="what each column still says of the labels where this one is known",
    )
    parser.add_argument(
        "--baseline",
        action="append",
        choices=BASELINES,
        default=[],
        help="ask the judge for this, too, beside the metrics: one rating of the whole summary, or"
        " facts counted by one prompt (repeat for both)",
    )
    parser.add_argument(
        "--compare",
        type=Path,
        nargs=2,
        metavar=("FILE_A", "FILE_B"),
        help="how two annotators' label files agree in place of the tables; asks no judge",
    )
    add_local_models(parser)
    add_judge(parser)
    add_asking(parser)


def agree_as(chosen: argparse.Namespace) -> list[str]:
    """What the command prints for its arguments.

    Raises:
        UsageError: for a mistake in the suite or the options.
        JudgeError: if the judge breaks its contract.
    """
    if chosen.compare is not None:
        from summeval_pytest.cli.agree import compare_annotators

        _refuse_tables(chosen, "compare")
        return compare_annotators(chosen)
    from summeval_pytest.cli.agree import Wanted, agree, models_of

    levels = ALL_LEVELS if chosen.level == ALL else (chosen.level,) if chosen.level else ()
    return agree(
        chosen.suite,
        judge_name=chosen.judge,
        desk=desk_of(chosen),
        json_file=chosen.json,
        allow_outside=chosen.allow_outside,
        wanted=Wanted(
            levels=levels,
            matrix=chosen.matrix,
            weights=chosen.fit_weights,
            given=chosen.given,
            summary=chosen.summary,
        ),
        models=models_of(chosen),
        baselines=tuple(dict.fromkeys(chosen.baseline)),
    )


def _refuse_tables(chosen: argparse.Namespace, wanted: str) -> None:
    for option in _TABLES:
        if getattr(chosen, option):
            name = option.replace("_", "-")
            raise OptionError(f"--{wanted} prints no other table; leave out --{name}")


_ANALYSES: Final = (
    "systems, ratings, hallucination, judges, spread, effects, proportions, facts, associations and"
    " effort; and, without asking a judge, numbers, lengths, novelty, readability and popularity"
)
"""As `summeval_pytest.verdict.study.ANALYSES` has them, which loads numpy."""


def add_studying(parser: argparse.ArgumentParser) -> None:
    """The arguments of `summeval study`."""
    parser.description = (
        "Has judges judge all pairs of a suite and tells of its systems what the three papers tell"
        " of theirs, in tables, JSON and figures."
    )
    add_suite(parser)
    parser.add_argument(
        "--judge",
        action="append",
        default=[],
        metavar="NAME",
        help="who judges (repeat, or commas; default: offline); several make a heat map",
    )
    parser.add_argument(
        "--system",
        "--model",
        action="append",
        default=[],
        metavar="NAME",
        help="these systems (repeat, or commas; default: all of the suite)",
    )
    parser.add_argument(
        "--only",
        action="append",
        default=[],
        metavar="ANALYSIS",
        help=f"these analyses (repeat, or commas; default: all): {_ANALYSES}",
    )
    parser.add_argument(
        "--family",
        action="append",
        default=[],
        metavar="NAME=FAMILY",
        help="the family of a judge or system (default: the first letters of its model's name)",
    )
    parser.add_argument(
        "--familiar", type=Path, metavar="FILE", help="familiar words for Dale-Chall, one a line"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures here, too")
    parser.add_argument(
        "--figures", type=Path, metavar="DIR", help="draw SVG and PNG files into this folder"
    )
    add_judge(parser, with_name=False)
    add_asking(parser)


LABEL_FORMATS: Final = ("csv", "labelstudio")
"""Formats of labels, which go beside an existing suite."""

FORMATS: Final = ("scholarsum", *LABEL_FORMATS)

_FOR_LABELS: Final = ("suite", "map", "annotator", "majority", "each", "ground_truth", "force")


def add_importing(parser: argparse.ArgumentParser) -> None:
    """The arguments of `summeval import`."""
    parser.add_argument(
        "format", choices=FORMATS, metavar="FORMAT", help=f"what FILE is: {', '.join(FORMATS)}"
    )
    parser.add_argument("file", type=Path, metavar="FILE", help="the released file, unchanged")
    parser.add_argument(
        "--out", type=Path, required=True, metavar="PATH", help="the new suite, or the label file"
    )
    labels = parser.add_argument_group(f"labels ({', '.join(LABEL_FORMATS)})")
    labels.add_argument("--suite", type=Path, metavar="SUITE", help="whose labels they are")
    add_outside(labels)
    labels.add_argument(
        "--map",
        action="append",
        default=[],
        metavar="NAME=FIELD",
        help="which field a column or control is; - leaves it out, x_NAME carries it along",
    )
    labels.add_argument("--annotator", metavar="NAME", help="only what this annotator says")
    labels.add_argument(
        "--majority", action="store_true", help="what more annotators say than anything else"
    )
    labels.add_argument(
        "--each", action="store_true", help="a file for each annotator, as labels.NAME.jsonl"
    )
    labels.add_argument(
        "--ground-truth", action="store_true", help="labelstudio: only what is marked as such"
    )
    labels.add_argument("--force", action="store_true", help="overwrite the label file")


def run_import(chosen: argparse.Namespace) -> list[str]:
    """Makes the suite, or the label file, and says what it holds.

    Raises:
        UsageError: for options that do not go with the format, and for a mistake in a file.
    """
    if chosen.format in LABEL_FORMATS:
        from summeval_pytest.cli.imports import import_labels

        if chosen.suite is None:
            raise OptionError(
                f"labels of a {chosen.format} file need a suite to be labels of; name it with"
                " --suite SUITE"
            )
        return import_labels(chosen)
    for name in _FOR_LABELS:
        if getattr(chosen, name):
            option = "--" + name.replace("_", "-")
            raise OptionError(
                f"{option} goes with labels, as of {' or '.join(LABEL_FORMATS)}, and"
                f" {chosen.format!r} makes a suite; leave it out"
            )
    return import_suite(chosen.file, chosen.out)


def import_suite(file: Path, out: Path) -> list[str]:
    """Makes the suite and says what it holds.

    Raises:
        SuiteError: if the file is not the release, or ``out`` already holds something.
    """
    report = import_scholarsum(file, out)
    labelled = (
        f"{report.n_labelled_pairs} pairs have human labels;"
        f" {report.n_skipped_facets} facets were left out by the annotators"
    )
    return [
        f"{out}: {report.n_papers} papers, {len(report.systems)} systems, {report.n_pairs} pairs",
        labelled,
        *([f"recorded judges: {', '.join(report.judges)}"] if report.judges else []),
        *(one_line(note) for note in report.notes),
        f"next: pytest {out}",
    ]


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
    from summeval_pytest.analysis.items import supporting_figures
    from summeval_pytest.run.golden import evidence_cases, evidence_tasks

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
    from summeval_pytest.metrics.score import FaithfulnessScore

    scores = [score for each in evaluations for score in each.scores]
    judged = [score for score in scores if isinstance(score, FaithfulnessScore)]
    return EvidenceErrors(
        n_sentences=sum(s.supported is not None for score in judged for s in score.sentences),
        n_ungrounded=sum(score.n_ungrounded for score in judged),
        n_copied=sum(score.n_copied for score in judged),
        n_unsupported_yes=sum(score.n_unsupported_yes for score in judged),
    )


def _told(report: EvidenceReport, judge: str) -> Iterator[str]:
    from summeval_pytest.reports.tables import supporting_table
    from summeval_pytest.text.printing import one_line

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


def parser() -> argparse.ArgumentParser:
    """The commands and their arguments."""
    top = argparse.ArgumentParser(
        prog="summeval",
        description="Suites for summarization gates: import them, measure judges against labels,"
        " plan and record what models are asked.",
    )
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, told, add in COMMANDS:
        add(commands.add_parser(name, help=told))
    return top


def _add_suite(parser: argparse.ArgumentParser) -> None:
    add_suite(parser)
    add_systems(parser)
    add_judge(parser)


def _add_cassettes(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    for name, told in (
        ("export", "write the stored replies that a run uses into the suite's cassette"),
        ("import", "put the cassette's replies into the local store"),
        ("prune", "remove the replies that a run does not use"),
        ("verify", "check that a run can be replayed, and what it leaves unused"),
    ):
        _add_suite(actions.add_parser(name, help=told))


def _add_batching(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    exporting = actions.add_parser("export", help="write the unanswered requests of the next round")
    _add_suite(exporting)
    exporting.add_argument(
        "--out", type=Path, required=True, metavar="FILE", help="the requests, in OpenAI's format"
    )
    exporting.add_argument(
        "--only", metavar="ENDPOINT", help="where requests go to several endpoints, those to this"
    )
    importing = actions.add_parser("import", help="store the replies of a responses file")
    importing.add_argument("file", type=Path, metavar="FILE", help="the responses")
    add_store(importing)


def _add_reporting(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("run", type=Path, metavar="RUN", help="a run record")
    parser.add_argument("--html", type=Path, metavar="FILE", help="write the page there")
    parser.add_argument("--junit", type=Path, metavar="FILE", help="write the JUnit report there")
    parser.add_argument(
        "--github",
        action="store_true",
        help="print annotations, and append the step summary to GITHUB_STEP_SUMMARY (else print)",
    )


def _add_comparing(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Compares two run records: systems, papers, and the judge's golden answers where both"
        " runs have them. Exit code 1 where a system breaks a rule or cannot be compared."
    )
    parser.add_argument("old", type=Path, metavar="OLD", help="the run record of the baseline")
    parser.add_argument("new", type=Path, metavar="NEW", help="the run record to compare with it")
    parser.add_argument("--system", metavar="NAME", help="this system of NEW (default: all)")
    parser.add_argument(
        "--against",
        metavar="NAME",
        help="with this system of OLD (default: that of the same name, else the only one)",
    )
    parser.add_argument(
        "--fail",
        action="append",
        default=[],
        metavar="RULE",
        help="exit 1 where a rule is broken, as --summ-compare-fail has them (default: p0.05)",
    )
    parser.add_argument(
        "--papers", type=int, default=10, metavar="N", help="tell of so many papers (default: 10)"
    )
    parser.add_argument(
        "--golden",
        action="store_true",
        help="compare golden answers only; exit 1 where they moved away from the labels by more"
        " than chance, or cannot be compared",
    )
    parser.add_argument(
        "--answers",
        type=int,
        default=10,
        metavar="N",
        help="tell of so many golden answers that flipped (default: 10)",
    )


def _add_rescoring(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("run", type=Path, metavar="RUN", help="a run record")
    parser.add_argument(
        "--min",
        "--summ-min",
        action="append",
        default=[],
        metavar="METRIC=VALUE",
        help="a threshold in place of the recorded one, e.g. facet=0.6 or mean.eva=0.4; at most,"
        " for faithfulness.conflicts=0",
    )
    parser.add_argument(
        "--weights",
        metavar="FACET=WEIGHT,...",
        help="weights of all four facets (default: those of the run)",
    )
    parser.add_argument("--record", type=Path, metavar="FILE", help="write the new record there")


def _add_powering(parser: argparse.ArgumentParser) -> None:
    add_suite(parser)
    parser.add_argument("--drop", type=float, required=True, metavar="D", help="the drop to show")
    parser.add_argument(
        "--metric", action="append", default=[], metavar="NAME", help="these numbers only"
    )
    parser.add_argument(
        "--tests",
        type=int,
        default=7,
        metavar="N",
        help="how many numbers are tested together (default: 7, three metrics and four facets)",
    )
    add_judge(parser)
    add_asking(parser)


def _add_starting(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "folder", type=Path, nargs="?", default=Path(), metavar="DIR", help="the repository"
    )
    parser.add_argument(
        "--testpaths",
        action="store_true",
        help="add the suite to 'testpaths' of pytest's configuration, so that plain pytest runs it",
    )


COMMANDS: Final[tuple[tuple[str, str, Callable[[argparse.ArgumentParser], None]], ...]] = (
    ("import", "make a suite from released data, or bring labels in", add_importing),
    ("label", "ask a person for labels", add_label),
    ("agree", "how every metric and baseline agrees with a suite's labels", add_agreeing),
    ("evidence", "how well evidence is found", add_evidence),
    ("plan", "what a run would ask and cost; asks nothing", _add_suite),
    ("cassette", "a suite's recorded replies", _add_cassettes),
    ("batch", "requests and replies as batch files", _add_batching),
    ("report", "make the reports of a saved run again", _add_reporting),
    ("compare", "what changed between two saved runs", _add_comparing),
    ("rescore", "decide a saved run again, with other thresholds", _add_rescoring),
    ("power", "how small a drop a suite's papers can show", _add_powering),
    ("study", "a suite's systems as tables and figures", add_studying),
    ("init", "write a suite and a GitHub workflow to start from", _add_starting),
)
"""In the order of ``summeval --help``: the command, its line there, and who adds its arguments."""

"""`summeval agree`: every metric and baseline beside the human labels of a suite."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, Final, Literal

from cyclopts import Parameter, Token

from summeval_pytest.cli.parameters import (
    JUDGING,
    METRICS_OPTION,
    JsonFile,
    check_writable,
    metrics_in,
    opened,
    with_options,
    write_figures,
    write_text,
)
from summeval_pytest.errors import OptionError, nearest
from summeval_pytest.options import Options
from summeval_pytest.questions import FACETS
from summeval_pytest.run.session import Session
from summeval_pytest.study.agreement.coefficients import LEVELS, CoefficientName
from summeval_pytest.study.agreement.columns import HUMAN, column_names, labelled_pairs
from summeval_pytest.study.agreement.evidence import evidence_lines, evidence_report
from summeval_pytest.study.agreement.item_agreement import (
    VERDICTS,
    annotator_agreement,
    annotator_lines,
    item_table,
    recorded_table,
    role_table,
)
from summeval_pytest.study.agreement.suite_agreement import (
    SuiteAgreement,
    agreement_figures,
    decision_tables,
    given_table,
    level_table,
    matrix_table,
    missing_lines,
    summary_lines,
    weights_table,
)
from summeval_pytest.study.baselines import BaselineName, check_baselines
from summeval_pytest.study.embeddings import (
    LocalModel,
    lines_of_models,
    load_bertscore,
    load_encoder,
    with_columns,
)
from summeval_pytest.study.tables import Row, Table, table_lines
from summeval_pytest.suite.suite import Suite, load_suite, read_label_file
from summeval_pytest.text.printing import one_line

_FEWEST_PAPERS: Final = 2


def paper_counts(_: object, tokens: Sequence[Token]) -> tuple[int, ...]:
    """Numbers of papers, between commas.

    Raises:
        ValueError: for a number below 2 or above 9,999, and for anything else.
    """
    counts = re.fullmatch(r"\d{1,4}(?:,\d{1,4})*", tokens[0].value, re.ASCII)
    sizes = tuple(map(int, tokens[0].value.split(","))) if counts else ()
    if not sizes or min(sizes) < _FEWEST_PAPERS:
        raise ValueError(
            f"{one_line(tokens[0].value, 60)!r} are no numbers of papers from {_FEWEST_PAPERS} to"
            " 9999; write them as 10,20,30"
        )
    return sizes


@Parameter(name="*")
@dataclass(frozen=True, slots=True, kw_only=True)
class Tables:
    """What is shown beside the labels; the JSON has every level and matrix always.

    Attributes:
        level: print all coefficients over all pairs, within papers, or over systems' means
            (default: Pearson and Spearman over all pairs, Kendall within papers)
        papers: also decide between systems on random sets of fewer papers, such as 10,20,30
        matrix: also print this coefficient between all columns
        fit_weights: fit the facets' weights to the overall scores
        summary: print one line per figure, not tables: suite, figure, items, value, interval
        given: print partial correlations: what each metric adds to this one
        baseline: also ask the judge for a baseline: one rating of the whole summary, or facts
            counted by one prompt (repeat for both)
        bertscore: add BERTScore with the model in this folder (needs summeval-pytest[onnx])
        embeddings: add recall by sentence embeddings with the model in this folder (needs
            summeval-pytest[onnx])
        html: also write an HTML page: each column beside people's scores, the judge's answers
            beside the labels, and the worst disagreements with their texts
    """

    metrics: Annotated[tuple[str, ...], METRICS_OPTION] = ()
    level: Literal["pooled", "paper", "system", "all"] | None = None
    papers: Annotated[tuple[int, ...], Parameter(converter=paper_counts, n_tokens=1)] = ()
    matrix: CoefficientName | None = None
    fit_weights: bool = False
    summary: bool = False
    given: str | None = None
    baseline: tuple[BaselineName, ...] = ()
    bertscore: str | None = None
    embeddings: str | None = None
    html: Path | None = None


@with_options(*JUDGING)
def agree(
    suite: Path,
    /,
    *,
    evidence: bool = False,
    of: Literal["faithful", "labelled"] | None = None,
    compare: tuple[Path, Path] | None = None,
    json_file: JsonFile = None,
    tables: Tables = Tables(),
    options: Options,
) -> list[str]:
    """What the command prints, also written as JSON where a file is named.

    Args:
        evidence: compare only evidence: precision, recall and F1 of the judge's source sentences
            against the labels, with BM25 as a baseline
        of: with --evidence: use only sentences labelled faithful, as FareBio (default), or all
            sentences with labelled evidence, including partly supported ones
        compare: compare only two annotators' label files, without a judge
    """
    if of is not None and not evidence:
        raise OptionError(f"--of={of} goes with --evidence; add it or leave this out")
    _check_options(tables, json_file, evidence=evidence, compare=compare is not None)
    models = models_of(tables)
    if compare is not None:
        loaded = load_suite(suite, allow_outside=options.allow_outside)
        first, second = (read_label_file(file, loaded) for file in compare)
        report = annotator_agreement(first, second)
        lines = annotator_lines(report, *(file.as_posix() for file in compare))
        return _written(report, lines, json_file)
    check_baselines("agree")
    loaded, session = opened(suite, options)
    judge = session.terms.judge_name
    if evidence:
        report = evidence_report(loaded, judge, session, every=of == "labelled")
        return _written(report, evidence_lines(report, judge), json_file)
    agreement = _agreement(loaded, judge, session, tables, models)
    if json_file is not None:  # every figure takes longer than those that are shown
        more = {} if tables.given is None else {tables.given: agreement.given(tables.given)}
        recipes = {"recipes": {m.title: m.signature for m in models}} if models else {}
        write_figures(json_file, "--json", agreement_figures(agreement) | recipes | {"given": more})
    if tables.html is not None:
        from summeval_pytest.study.agreement.agreement_page import agreement_page

        signature = session.judge(judge, [loaded]).signature
        write_text(tables.html, "--html", agreement_page(agreement, signature))
    if tables.summary:
        return list(summary_lines(agreement))
    texts = [pair.pair for pair in agreement.pairs if pair.pair is not None]
    about = ["", *lines_of_models(texts, models)] if models else []
    return [*_lines(agreement, tables), *about]


def _written(report: Row, lines: Iterator[str], json_file: Path | None) -> list[str]:
    if json_file is not None:
        write_figures(json_file, "--json", report)
    return list(lines)


def _check_options(
    tables: Tables, json_file: Path | None, *, evidence: bool, compare: bool
) -> None:
    wanted = "evidence" if evidence else "compare"
    if evidence and compare:
        raise OptionError("--evidence prints no other table; leave out --compare")
    for field in fields(tables):
        if (evidence or compare) and getattr(tables, field.name):
            name = field.name.replace("_", "-")
            raise OptionError(f"--{wanted} prints no other table; leave out --{name}")
    for option, file in {"--json": json_file, "--html": tables.html}.items():
        if file is not None:
            check_writable(file, option)


def models_of(chosen: Tables) -> tuple[LocalModel, ...]:
    """The models that the options ``--bertscore`` and ``--embeddings`` name.

    Raises:
        OptionError: if a model or its package is not there.
    """
    name, folder = chosen.bertscore, chosen.embeddings
    scorers = (load_bertscore(name, option="--bertscore"),) if name else ()
    return (*scorers, load_encoder(folder, option="--embeddings")) if folder else scorers


def _agreement(
    suite: Suite, judge: str, session: Session, tables: Tables, models: Sequence[LocalModel]
) -> SuiteAgreement:
    baselines = tuple(dict.fromkeys(tables.baseline))
    pairs = labelled_pairs(suite, judge, session, metrics_in(tables.metrics), baselines)
    pairs = with_columns(pairs, models)
    columns = column_names(pairs, [column for model in models for column in model.columns])
    if tables.given is not None and tables.given not in columns:
        known = nearest(tables.given, columns)
        raise OptionError(f"--given={tables.given}: there is no such column; {known}")
    return SuiteAgreement(
        suite=suite, judge=judge, pairs=pairs, columns=columns, sizes=tables.papers
    )


def _lines(agreement: SuiteAgreement, wanted: Tables) -> Iterator[str]:
    suite = agreement.suite
    yield (
        f"{suite.shown}: {len(agreement.pairs)} labelled pairs, judge {agreement.judge}, suite"
        f" {suite.fingerprint}"
    )
    yield "Agreement with the human overall score; 95 % intervals over papers."
    for part in _parts(agreement, wanted):
        yield ""
        yield from part if isinstance(part, list) else table_lines(part)


def _parts(agreement: SuiteAgreement, wanted: Tables) -> Iterator[Table | list[str]]:
    yield from decision_tables(agreement.decisions)
    if agreement.has_scores:
        yield from _correlated(agreement, wanted)
    else:
        yield [f"no label has an overall score or all four facets: no {HUMAN} column to go with"]
    if missing := list(missing_lines(agreement.pairs)):
        yield missing
    yield item_table(agreement.items, FACETS)
    if any(agreement.items[kind]["items"] for kind in VERDICTS):
        yield item_table(agreement.items, VERDICTS)
    if agreement.roles["items"]:
        yield role_table(agreement.roles)
    if agreement.recorded:
        yield recorded_table(agreement.recorded)
    if wanted.fit_weights:
        reason = agreement.weights.get("reason")
        yield [f"facet weights: {reason}"] if reason else weights_table(agreement.weights)


def _correlated(agreement: SuiteAgreement, wanted: Tables) -> Iterator[Table]:
    levels = LEVELS if wanted.level == "all" else (wanted.level,) if wanted.level else ()
    for level in levels or (None,):
        yield level_table(level, agreement.at(level))
    if wanted.matrix is not None:
        for level in levels or ("pooled",):
            yield matrix_table(agreement, level, wanted.matrix)
    if wanted.given is not None:
        yield given_table(wanted.given, agreement.given(wanted.given))

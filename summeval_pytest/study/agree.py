"""`summeval agree`: every metric and baseline beside the human labels of a suite."""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, Literal

from cyclopts import Parameter

from summeval_pytest.cli.parameters import (
    ASKING,
    METRICS_OPTION,
    NO_ENDPOINTS,
    AllowOutside,
    Asking,
    Endpoints,
    JsonFile,
    JudgeName,
    check_writable,
    find_own_judges,
    metrics_in,
    session_of,
    suite_of,
    whole_number,
    write_figures,
    write_text,
)
from summeval_pytest.errors import OptionError, nearest
from summeval_pytest.questions import FACETS
from summeval_pytest.study.agreement.agreement_tables import (
    SuiteAgreement,
    agreement_figures,
    as_plain,
    decision_tables,
    given_table,
    item_table,
    level_table,
    matrix_tables,
    missing_lines,
    recorded_table,
    retrieved_table,
    role_table,
    summary_lines,
    weights_lines,
)
from summeval_pytest.study.agreement.annotators import annotator_agreement, annotator_lines
from summeval_pytest.study.agreement.columns import HUMAN, column_names, labelled_pairs
from summeval_pytest.study.agreement.correlations import CoefficientName
from summeval_pytest.study.agreement.evidence import evidence_lines, evidence_report
from summeval_pytest.study.agreement.item_agreement import (
    VERDICTS,
    item_agreements,
    role_agreement,
)
from summeval_pytest.study.agreement.levels import LEVELS
from summeval_pytest.study.agreement.local_models import (
    LocalModels,
    lines_of_models,
    retrieved_evidence,
    with_columns,
)
from summeval_pytest.study.baselines import BaselineName, check_baselines
from summeval_pytest.suite.marking import read_label_file
from summeval_pytest.text.printing import one_line
from summeval_pytest.text.table import table_lines

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from cyclopts import Token

    from summeval_pytest.run.session import Session
    from summeval_pytest.suite.suite import Suite


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
    """What is shown beside the labels; the JSON has every level and matrix always."""

    metrics: Annotated[tuple[str, ...], METRICS_OPTION] = ()
    level: Annotated[
        Literal["pooled", "paper", "system", "all"] | None,
        Parameter(
            help="print all coefficients over all pairs, within papers, or over systems' means"
            " (default: Pearson and Spearman over all pairs, Kendall within papers)"
        ),
    ] = None
    papers: Annotated[
        tuple[int, ...],
        Parameter(
            help="decide between systems on random sets of so many papers, too, such as 10,20,30",
            converter=paper_counts,
            n_tokens=1,
        ),
    ] = ()
    matrix: Annotated[
        CoefficientName | None, Parameter(help="also print this coefficient for every two columns")
    ] = None
    fit_weights: Annotated[
        bool, Parameter(help="fit the facets' weights to the overall scores")
    ] = False
    summary: Annotated[
        bool,
        Parameter(
            help="print one line a figure in place of tables: suite, figure, items, value, interval"
        ),
    ] = False
    given: Annotated[
        str | None,
        Parameter(help="print partial correlations: what each column adds when this one is known"),
    ] = None
    baseline: Annotated[
        tuple[BaselineName, ...],
        Parameter(
            help="also ask the judge for a baseline: one rating of the whole summary, or facts"
            " counted by one prompt (repeat for both)"
        ),
    ] = ()
    bertscore: Annotated[
        str | None,
        Parameter(
            help="add BERTScore with the model in this folder (needs summeval-pytest[bertscore])"
        ),
    ] = None
    bertscore_layers: Annotated[
        int | None,
        Parameter(
            help="use its vectors after N layers (default: bert-score's number for a model of this"
            " name, else all)",
            converter=whole_number,
        ),
    ] = None
    embeddings: Annotated[
        str | None,
        Parameter(
            help="add recall and evidence by sentence embeddings with the model in this folder"
            " (needs summeval-pytest[embeddings])"
        ),
    ] = None
    html: Annotated[
        Path | None,
        Parameter(
            help="also write an HTML page: each column beside people's scores, the judge's answers"
            " beside the labels, and the worst disagreements with their texts"
        ),
    ] = None


TABLES: Final = Tables()


def agree(
    suite: Path,
    /,
    *,
    evidence: Annotated[
        bool,
        Parameter(
            help="compare only evidence: precision, recall and F1 of the judge's source sentences"
            " against the labels, with BM25 as a baseline"
        ),
    ] = False,
    of: Annotated[
        Literal["faithful", "labelled"] | None,
        Parameter(
            help="with --evidence: use sentences labelled faithful, as FareBio does, or all with"
            " labelled evidence, also partly supported ones (default: faithful)"
        ),
    ] = None,
    compare: Annotated[
        tuple[Path, Path] | None,
        Parameter(help="compare only two annotators' label files; asks no judge"),
    ] = None,
    json_file: JsonFile = None,
    tables: Tables = TABLES,
    allow_outside: AllowOutside = False,
    judge: JudgeName = "offline",
    endpoints: Endpoints = NO_ENDPOINTS,
    asking: Asking = ASKING,
) -> list[str]:
    """What the command prints, also written as JSON where a file is named.

    Raises:
        UsageError: for a mistake in the suite or the options.
        JudgeError: if the judge breaks its contract.
    """
    if of is not None and not evidence:
        raise OptionError(f"--of={of} goes with --evidence; add it or leave this out")
    if evidence or compare is not None:
        _refuse_tables(tables, "evidence" if evidence else "compare")
        if evidence and compare is not None:
            raise OptionError("--evidence prints no other table; leave out --compare")
    models = models_of(tables)
    _check_files(json_file, tables.html)
    loaded = suite_of(suite, allow_outside=allow_outside)
    if compare is not None:
        return _compared(loaded, *compare, json_file)
    check_baselines("agree")
    find_own_judges(judge)
    session = session_of(endpoints, asking)
    session.replies.add_cassette(loaded)
    if evidence:
        return _evidence(loaded, judge, session, json_file, every=of == "labelled")
    agreement = _agreement(loaded, judge, session, tables, models)
    more, lines = _of_models(agreement, models)
    if json_file is not None:  # every figure takes longer than those that are shown
        _write(json_file, agreement_figures(agreement, tables.given) | more)
    if tables.html is not None:
        from summeval_pytest.study.agreement.agreement_page import agreement_page

        signature = session.judge(judge, [loaded]).signature
        write_text(tables.html, "--html", agreement_page(agreement, signature))
    return (
        list(summary_lines(agreement)) if tables.summary else [*_lines(agreement, tables), *lines]
    )


def _check_files(json_file: Path | None, page: Path | None) -> None:
    for option, file in (("--json", json_file), ("--html", page)):
        if file is not None:
            check_writable(file, option)


def _refuse_tables(tables: Tables, wanted: str) -> None:
    for option in fields(tables):
        if getattr(tables, option.name):
            name = option.name.replace("_", "-")
            raise OptionError(f"--{wanted} prints no other table; leave out --{name}")


def models_of(chosen: Tables) -> LocalModels:
    """The models that the options ``--bertscore``, ``--bertscore-layers``, ``--embeddings`` name.

    Raises:
        OptionError: if a model or its package is not there, or layers are named without a model.
    """
    from summeval_pytest.study.embeddings import load_bertscore, load_encoder

    name, layers, folder = chosen.bertscore, chosen.bertscore_layers, chosen.embeddings
    if layers is not None and name is None:
        raise OptionError(
            f"--bertscore-layers={layers} goes with --bertscore=MODEL; add it or leave this out"
        )
    return LocalModels(
        scorer=load_bertscore(name, layers=layers, option="--bertscore") if name else None,
        encoder=load_encoder(folder, option="--embeddings") if folder else None,
    )


def _write(file: Path | None, figures: object) -> None:
    if file is not None:
        text = json.dumps(figures, indent=2, ensure_ascii=False, default=as_plain)
        write_text(file, "--json", f"{text}\n")


def _compared(suite: Suite, first: Path, second: Path, json_file: Path | None) -> list[str]:
    agreement = annotator_agreement(read_label_file(first, suite), read_label_file(second, suite))
    _write(json_file, agreement)
    return list(annotator_lines(agreement, first.as_posix(), second.as_posix()))


def _evidence(
    suite: Suite, judge: str, session: Session, json_file: Path | None, *, every: bool
) -> list[str]:
    report = evidence_report(suite, judge, session, every=every)
    if json_file is not None:
        write_figures(json_file, "--json", report)
    return list(evidence_lines(report, judge))


def _agreement(
    suite: Suite, judge: str, session: Session, tables: Tables, models: LocalModels
) -> SuiteAgreement:
    baselines = tuple(dict.fromkeys(tables.baseline))
    metrics = metrics_in(tables.metrics)
    pairs = with_columns(labelled_pairs(suite, judge, session, metrics, baselines), models)
    agreement = SuiteAgreement(
        papers=tables.papers,
        suite=suite,
        judge=judge,
        pairs=pairs,
        columns=column_names(pairs, models.columns),
        items=item_agreements([pair.golden for pair in pairs if pair.golden is not None]),
        roles=role_agreement([(pair.group, answer) for pair in pairs for answer in pair.roles]),
        recorded={
            by: item_agreements([pair.recorded[by] for pair in pairs if by in pair.recorded])
            for by in sorted({by for pair in pairs for by in pair.recorded})
        },
    )
    if tables.given is not None and tables.given not in agreement.columns:
        known = nearest(tables.given, agreement.columns)
        raise OptionError(f"--given={tables.given}: there is no such column; {known}")
    return agreement


def _of_models(
    agreement: SuiteAgreement, models: LocalModels
) -> tuple[dict[str, object], list[str]]:
    """What local models say beside their columns: for the JSON file, and as lines."""
    if not models.columns:
        return {}, []
    figures: dict[str, object] = {"recipes": models.recipes}
    texts = [pair.pair for pair in agreement.pairs if pair.pair is not None]
    lines = ["", *lines_of_models(texts, models)]
    if models.encoder is not None:
        labelled = [(agreement.suite.labels[pair.paper.id, pair.system], pair) for pair in texts]
        if evidence := retrieved_evidence(labelled, models.encoder):
            figures["evidence"] = {way: asdict(count) for way, count in evidence.items()}
            lines = ["", *table_lines(retrieved_table(evidence)), *lines]
    return figures, lines


def _lines(agreement: SuiteAgreement, wanted: Tables) -> Iterator[str]:
    suite = agreement.suite
    yield (
        f"{suite.shown}: {len(agreement.pairs)} labelled pairs, judge {agreement.judge}, suite"
        f" {suite.fingerprint}"
    )
    yield "Agreement with the human overall score; 95 % intervals over papers."
    yield ""
    for table in decision_tables(agreement.decisions):
        yield from [*table_lines(table), ""]
    if all(pair.human is None for pair in agreement.pairs):
        yield f"no label has an overall score or all four facets: no {HUMAN} column to go with"
    else:
        yield from _correlated(agreement, wanted)
    yield ""
    missing = list(missing_lines([pair.missing for pair in agreement.pairs]))
    yield from [*missing, ""] if missing else []
    tables = [item_table(agreement.items, FACETS)]
    if any(agreement.items[kind].n_items for kind in VERDICTS):
        tables.append(item_table(agreement.items, VERDICTS))
    if agreement.roles.n_items:
        tables.append(role_table(agreement.roles))
    if agreement.recorded:
        tables.append(recorded_table(agreement.recorded))
    for place, table in enumerate(tables):
        yield from ["", *table_lines(table)] if place else table_lines(table)
    if wanted.fit_weights:
        yield from ["", *weights_lines(agreement.weights())]


def _correlated(agreement: SuiteAgreement, wanted: Tables) -> Iterator[str]:
    levels = LEVELS if wanted.level == "all" else (wanted.level,) if wanted.level else ()
    tables = [level_table(level, agreement.at(level)) for level in levels]
    tables = tables or [level_table(None, agreement.mixed())]
    if wanted.matrix is not None:
        for level in levels or ("pooled",):
            matrix = agreement.matrix(level, wanted.matrix)
            tables += matrix_tables(wanted.matrix, level, agreement.names, matrix)
    if wanted.given is not None:
        tables.append(given_table(wanted.given, agreement.given(wanted.given)))
    for place, table in enumerate(tables):
        yield from ["", *table_lines(table)] if place else table_lines(table)
